//! Processes and threads as a file names them, as ranks and threads of a profile: processes are counted in the order in which
//! they occur, threads keep their numbers where these are such, and get the next free one where they are not.

use crosscut_calls::Builder;
use foldhash::HashMap;

use super::MOST_RANKS;
use super::free::Free;

/// Those so far.
#[derive(Default)]
pub struct Whose {
    ranks: HashMap<String, i64>,
    places: HashMap<(String, String), u32>,
    /// By thread: the place of the first process that has it, and whether it is the only one.
    threads: HashMap<String, (u32, bool)>,
    free: Free,
}

impl Whose {
    /// The place of a thread of which the process is not known: that of the only one of its name, if there is just one.
    pub fn thread(&mut self, builder: &mut Builder, tid: &str) -> u32 {
        match self.threads.get(tid) {
            Some(&(place, true)) => place,
            _ => self.place(builder, "", tid),
        }
    }

    /// The place of a thread of a process, if it was seen.
    pub fn known(&self, pid: &str, tid: &str) -> Option<u32> {
        self.places.get(&(pid.to_owned(), tid.to_owned())).copied()
    }

    /// The place of a thread of a process.
    pub fn place(&mut self, builder: &mut Builder, pid: &str, tid: &str) -> u32 {
        let who = (pid.to_owned(), tid.to_owned());
        if let Some(&place) = self.places.get(&who) {
            return place;
        }
        let next = self.ranks.len() as i64;
        let rank = *self.ranks.entry(pid.to_owned()).or_insert(next);
        let wanted = tid.parse().ok().filter(|number| (0..MOST_RANKS).contains(number)).unwrap_or(0);
        let place = builder.place(rank, self.free.next(rank, wanted));
        self.threads.entry(who.1.clone()).and_modify(|of| of.1 = false).or_insert((place, true));
        self.places.insert(who, place);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neither the number of a thread nor the thread of a name is looked for among all others.
    #[test]
    fn many_threads() {
        const MANY: u32 = 100_000;
        let (mut whose, mut builder) = (Whose::default(), Builder::new("test"));
        // The same numbers, spelled in three ways, and names that are none.
        for spelled in ["", "0", "+", "t"] {
            for number in 0..MANY {
                whose.place(&mut builder, "1", &format!("{spelled}{number}"));
            }
        }
        assert_eq!(whose.place(&mut builder, "1", "one more"), 4 * MANY);
        for number in 0..MANY {
            assert_eq!(whose.thread(&mut builder, &number.to_string()), number);
        }
    }
}
