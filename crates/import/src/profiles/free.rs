//! Numbers of threads that are free: a file may give the same one to several threads of a process.

use foldhash::HashMap;

/// Numbers that are free.
#[derive(Debug, Default)]
pub struct Free {
    /// From each number that is taken, one further up: all between them are taken.
    further: HashMap<(i64, i64), i64>,
    /// How often it went from one number to another.
    #[cfg(test)]
    steps: u64,
}

impl Free {
    /// Takes the first number of a rank that is free, from this one on.
    pub fn next(&mut self, rank: i64, from: i64) -> i64 {
        let mut free = from;
        while let Some(&further) = self.further.get(&(rank, free)) {
            free = further;
            #[cfg(test)]
            {
                self.steps += 1;
            }
        }
        // The way there is short the next time.
        let mut at = from;
        while let Some(further) = self.further.get_mut(&(rank, at)) {
            at = std::mem::replace(further, free + 1);
        }
        self.further.insert((rank, free), free + 1);
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_one_number_are_told_apart() {
        let mut free = Free::default();
        let taken: Vec<i64> = [3, 0, 0, 1, 0, 3, 9].map(|thread| free.next(0, thread)).to_vec();
        assert_eq!(taken, [3, 0, 1, 2, 4, 5, 9]);
        assert_eq!(free.next(1, 3), 3);
    }

    /// However they are numbered, the next free number is found in a few steps.
    #[test]
    fn free_numbers_are_near() {
        const MANY: i64 = 20_000;
        type Numbers = fn(i64) -> i64;
        let orders: [Numbers; 4] = [|_| 0, |at| at / 2, |at| at % (MANY / 2), |at| (MANY - at) / 3];
        for order in orders {
            let mut free = Free::default();
            let mut taken: Vec<i64> = (0..MANY).map(|at| free.next(0, order(at))).collect();
            taken.sort_unstable();
            taken.dedup();
            assert_eq!(taken.len() as i64, MANY);
            assert!(free.steps < 20 * MANY as u64, "{} steps", free.steps);
        }
    }
}
