//! Numbers for pairs of super nodes, in the order in which they come. Graphs are small beside call paths, which are looked up one by one:
//! up to a size a table is much faster than hashing.

use foldhash::{HashMap, HashMapExt};

use crate::schema::NONE;

/// Super nodes up to which a table is made: 16 MB.
const TABLE: usize = 2048;

/// Pairs and their numbers.
pub(super) enum Pairs {
    Table { nodes: usize, numbers: Vec<u32>, count: u32 },
    Hashed(HashMap<(u32, u32), u32>),
}

impl Pairs {
    /// For so many super nodes.
    pub fn new(nodes: usize) -> Self {
        match nodes <= TABLE {
            true => Pairs::Table { nodes, numbers: vec![NONE; nodes * nodes], count: 0 },
            false => Pairs::Hashed(HashMap::new()),
        }
    }

    /// The number of a pair, and whether it is new.
    pub fn number(&mut self, from: u32, to: u32) -> (u32, bool) {
        match self {
            Pairs::Table { nodes, numbers, count } => {
                match numbers.get_mut(from as usize * *nodes + to as usize) {
                    Some(number) if *number != NONE => (*number, false),
                    slot => {
                        let number = *count;
                        *count += 1;
                        slot.into_iter().for_each(|slot| *slot = number);
                        (number, true)
                    }
                }
            }
            Pairs::Hashed(numbers) => {
                let next = numbers.len() as u32;
                let number = *numbers.entry((from, to)).or_insert(next);
                (number, number == next)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_numbers_like_a_map() {
        let (mut table, mut hashed) = (Pairs::new(7), Pairs::new(TABLE + 1));
        assert!(matches!(table, Pairs::Table { .. }) && matches!(hashed, Pairs::Hashed(_)));
        for step in 0..200u32 {
            let pair = (step * 5 % 7, step * step % 7);
            assert_eq!(table.number(pair.0, pair.1), hashed.number(pair.0, pair.1));
        }
    }
}
