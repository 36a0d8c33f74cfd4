//! Collectives: the n-th on a communicator is the same one on all of its ranks. One row for each, and one for each rank that
//! took part; never one for each pair of ranks.

use foldhash::{HashMap, HashMapExt};

use crate::build::{Done, Joined};
use crate::communicators::{Comms, NO_COMM, SELF};
use crate::schema::{Collective, NONE};

/// All collectives of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Collectives {
    pub kind: Vec<u8>,
    pub comm: Vec<u32>,
    pub root: Vec<u32>,
    /// Where the calls of each begin in `calls`, and where the last one's end.
    pub first: Vec<i64>,
    /// By collective and by rank of the communicator: the call; [`NONE`] where the rank did not take part.
    pub calls: Vec<u32>,
    /// The calls that completed them, in the same order.
    pub done: Vec<u32>,
    /// Collectives of which the ranks name different kinds.
    pub mixed: u64,
    /// Collectives in which not all ranks of the communicator took part.
    pub short: u64,
    /// Calls on communicators that are not known.
    pub lost: u64,
}

/// Puts the parts of all ranks together.
pub(crate) fn gather(done: &[Done], comms: &Comms) -> Collectives {
    let mut by_comm: HashMap<(u32, u32), Vec<Joined>> = HashMap::new();
    let mut all = Collectives { first: vec![0], ..Collectives::default() };
    for (rank, done) in done.iter().enumerate() {
        for joined in &done.collectives {
            match joined.comm {
                NO_COMM => all.lost += 1,
                comm => by_comm.entry((comm, rank as u32)).or_default().push(*joined),
            }
        }
    }
    for comm in 0..comms.list.len() as u32 {
        if comm == SELF {
            for rank in 0..done.len() as u32 {
                all.add(comm, &[by_comm.remove(&(comm, rank)).unwrap_or_default()]);
            }
            continue;
        }
        let whole = &comms.list[comm as usize];
        let members = whole.members.iter().chain(&whole.others);
        let parts: Vec<Vec<Joined>> =
            members.map(|&rank| by_comm.remove(&(comm, rank)).unwrap_or_default()).collect();
        all.add(comm, &parts);
    }
    // On communicators with processes outside, and by ranks that are no members of what they named.
    let mut rest: Vec<_> = by_comm.into_iter().collect();
    rest.sort_unstable_by_key(|(key, _)| *key);
    for ((comm, _), joined) in rest {
        all.add(comm, &[joined]);
    }
    all
}

impl Collectives {
    fn add(&mut self, comm: u32, parts: &[Vec<Joined>]) {
        let count = parts.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..count {
            let mut kind: Option<Collective> = None;
            let (mut root, mut mixed, mut short) = (NONE, false, false);
            for part in parts {
                let Some(joined) = part.get(number) else {
                    short = true;
                    self.calls.push(NONE);
                    self.done.push(NONE);
                    continue;
                };
                mixed |= kind.is_some_and(|kind| kind != joined.kind);
                kind = kind.or(Some(joined.kind));
                if root == NONE {
                    root = joined.root;
                }
                self.calls.push(joined.call);
                self.done.push(joined.done);
            }
            self.mixed += u64::from(mixed);
            self.short += u64::from(short);
            self.kind.push(kind.map_or(u8::MAX, |kind| kind.0));
            self.comm.push(comm);
            self.root.push(root);
            self.first.push(self.calls.len() as i64);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// The calls of one, without those that are missing.
    pub fn calls(&self, number: usize) -> impl Iterator<Item = u32> + '_ {
        let range = self.first[number] as usize..self.first[number + 1] as usize;
        self.calls[range].iter().copied().filter(|&call| call != NONE)
    }

    /// The calls that began one with those that completed it, of the ranks of which both are known.
    pub fn whole(&self, number: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let range = self.first[number] as usize..self.first[number + 1] as usize;
        let parts = self.calls[range.clone()].iter().copied().zip(self.done[range].iter().copied());
        parts.filter(|&(call, done)| call != NONE && done != NONE)
    }

    /// The calls that completed one; what nothing completed was over when its call was.
    pub fn ends(&self, number: usize) -> impl Iterator<Item = u32> + '_ {
        let range = self.first[number] as usize..self.first[number + 1] as usize;
        let parts = self.calls[range.clone()].iter().zip(&self.done[range]);
        parts.map(|(&call, &done)| if done == NONE { call } else { done }).filter(|&call| call != NONE)
    }
}
