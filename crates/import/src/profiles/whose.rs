//! Processes and threads as a file names them, as ranks and threads of a profile: processes are counted in the order in which
//! they occur, threads keep their numbers where these are such, and get the next free one where they are not.

use crosscut_calls::Builder;
use foldhash::{HashMap, HashSet};

use super::MOST_RANKS;

/// Those so far.
#[derive(Default)]
pub struct Whose {
    ranks: HashMap<String, i64>,
    places: HashMap<(String, String), u32>,
    taken: HashSet<(i64, i64)>,
}

impl Whose {
    /// The place of a thread of which the process is not known: that of the only one of its name, if there is just one.
    pub fn thread(&mut self, builder: &mut Builder, tid: &str) -> u32 {
        let mut same = self.places.iter().filter(|((_, other), _)| other == tid).map(|(_, &place)| place);
        match (same.next(), same.next()) {
            (Some(place), None) => place,
            _ => self.place(builder, "", tid),
        }
    }

    /// The place of a thread of a process.
    pub fn place(&mut self, builder: &mut Builder, pid: &str, tid: &str) -> u32 {
        let who = (pid.to_owned(), tid.to_owned());
        if let Some(&place) = self.places.get(&who) {
            return place;
        }
        let next = self.ranks.len() as i64;
        let rank = *self.ranks.entry(pid.to_owned()).or_insert(next);
        let mut thread = tid.parse().ok().filter(|number| (0..MOST_RANKS).contains(number)).unwrap_or(0);
        while !self.taken.insert((rank, thread)) {
            thread += 1;
        }
        let place = builder.place(rank, thread);
        self.places.insert(who, place);
        place
    }
}
