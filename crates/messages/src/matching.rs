//! Which send belongs to which receive.
//!
//! Messages from one rank to another on one communicator with one tag do not overtake each other: the n-th send belongs to the
//! n-th receive that was posted. So both sides are sorted by (communicator, sender, tag), without changing the order within one,
//! and walked through together, receiver by receiver.

use rayon::prelude::*;

use crate::build::{Done, Receive, Send};
use crate::communicators::NO_COMM;
use crate::schema::NONE;

/// A message: the numbers of its send and its receive among all sends and all receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    pub send: u32,
    pub receive: u32,
}

/// Why a send or a receive has no other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    NoReceive,
    NoSend,
    Unfinished,
    NoSource,
    NoReceiver,
    NoComm,
}

impl Why {
    pub fn text(self) -> &'static str {
        match self {
            Why::NoReceive => "sends without a receive",
            Why::NoSend => "receives without a send",
            Why::Unfinished => "receives that were never completed",
            Why::NoSource => "receives from any rank whose status was ignored: the sender is not recorded",
            Why::NoReceiver => "sends to a rank that is not part of the recording",
            Why::NoComm => "on communicators that are not known",
        }
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Matched {
    pub pairs: Vec<Pair>,
    /// The calls of what has no other side, with the reason.
    pub alone: Vec<(u32, Why)>,
}

/// All sends and receives of a run, as lists by rank.
pub(crate) struct Sides<'a> {
    done: &'a [Done],
    pub sends: Owners,
    pub receives: Owners,
}

/// Whose each of many numbers is: those of a rank follow each other.
pub(crate) struct Owners {
    /// Where those of each rank begin.
    pub first: Vec<usize>,
    /// By block of numbers: the rank of the first of them. A search for every number would take longer than all else with it.
    of_block: Vec<u32>,
}

/// Numbers of a block, as a power of two.
const BLOCK: u32 = 8;

impl Owners {
    fn new(counts: impl Iterator<Item = usize>) -> Owners {
        let (mut first, mut of_block) = (vec![0], Vec::new());
        let mut sum = 0;
        for (rank, count) in counts.enumerate() {
            sum += count;
            first.push(sum);
            while of_block.len() << BLOCK < sum {
                of_block.push(rank as u32);
            }
        }
        Owners { first, of_block }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.first.last().copied().unwrap_or(0)
    }

    fn of(&self, number: u32) -> usize {
        let mut rank = self.of_block[(number >> BLOCK) as usize] as usize;
        while self.first[rank + 1] <= number as usize {
            rank += 1;
        }
        rank
    }
}

impl<'a> Sides<'a> {
    pub fn new(done: &'a [Done]) -> Self {
        let sends = Owners::new(done.iter().map(|done| done.sends.len()));
        let receives = Owners::new(done.iter().map(|done| done.receives.len()));
        Sides { done, sends, receives }
    }

    /// A send with its rank, by its number.
    pub fn send(&self, number: u32) -> (u32, &Send) {
        let rank = self.sends.of(number);
        (rank as u32, &self.done[rank].sends[number as usize - self.sends.first[rank]])
    }

    /// A receive with its rank, by its number.
    pub fn receive(&self, number: u32) -> (u32, &Receive) {
        let rank = self.receives.of(number);
        (rank as u32, &self.done[rank].receives[number as usize - self.receives.first[rank]])
    }
}

/// Communicator, sender and tag; the receiver is the same.
type Key = (u32, u32, i32);

/// Matches all of them. There are fewer than 2³² of each.
pub(crate) fn match_all(sides: &Sides<'_>) -> Matched {
    let ranks = sides.done.len();
    let (by_receiver, lost) = sends_by_receiver(sides, ranks);
    let of_rank: Vec<Matched> = (0..ranks)
        .into_par_iter()
        .map(|rank| {
            match_rank(
                sides,
                rank,
                &by_receiver.numbers[by_receiver.first[rank]..by_receiver.first[rank + 1]],
            )
        })
        .collect();
    let mut matched = Matched { pairs: Vec::new(), alone: lost };
    for mut of_rank in of_rank {
        matched.pairs.append(&mut of_rank.pairs);
        matched.alone.append(&mut of_rank.alone);
    }
    matched
}

struct ByReceiver {
    first: Vec<usize>,
    numbers: Vec<u32>,
}

/// The numbers of sends by receiver, in the order of senders and of their sends; and those to nobody that is known.
fn sends_by_receiver(sides: &Sides<'_>, ranks: usize) -> (ByReceiver, Vec<(u32, Why)>) {
    let mut lost = Vec::new();
    let mut first = vec![0usize; ranks + 1];
    let all = || sides.done.iter().flat_map(|done| &done.sends);
    for send in all() {
        match (send.comm == NO_COMM, first.get_mut(send.to.wrapping_add(1) as usize)) {
            (true, _) => lost.push((send.call, Why::NoComm)),
            (false, Some(count)) if send.to != NONE => *count += 1,
            _ => lost.push((send.call, Why::NoReceiver)),
        }
    }
    for rank in 0..ranks {
        first[rank + 1] += first[rank];
    }
    let mut next = first.clone();
    let mut numbers = vec![0u32; first[ranks]];
    for (number, send) in all().enumerate().filter(|(_, send)| send.comm != NO_COMM) {
        if let Some(at) = next.get_mut(send.to as usize).filter(|_| (send.to as usize) < ranks) {
            numbers[*at] = number as u32;
            *at += 1;
        }
    }
    (ByReceiver { first, numbers }, lost)
}

fn match_rank(sides: &Sides<'_>, rank: usize, sends: &[u32]) -> Matched {
    let mut matched = Matched::default();
    let mut sent: Vec<(Key, u32)> = Vec::with_capacity(sends.len());
    // Numbers ascend, so the sender is found by walking on.
    let mut from = 0;
    for &number in sends {
        while sides.sends.first[from + 1] <= number as usize {
            from += 1;
        }
        let send = &sides.done[from].sends[number as usize - sides.sends.first[from]];
        sent.push(((send.comm, from as u32, send.tag), number));
    }
    let base = sides.receives.first[rank];
    let receives = &sides.done[rank].receives;
    let mut received: Vec<(Key, u32)> = Vec::with_capacity(receives.len());
    for (number, receive) in receives.iter().enumerate() {
        let why = match () {
            () if receive.comm == NO_COMM => Why::NoComm,
            () if receive.from == NONE || receive.tag < 0 => {
                if receive.done == NONE {
                    Why::Unfinished
                } else {
                    Why::NoSource
                }
            }
            () => {
                received.push(((receive.comm, receive.from, receive.tag), (base + number) as u32));
                continue;
            }
        };
        matched.alone.push((receive.call, why));
    }
    // The numbers make the order of equal keys the one in which they came.
    sent.sort_unstable();
    received.sort_unstable();
    let (mut s, mut r) = (0, 0);
    while s < sent.len() || r < received.len() {
        match (sent.get(s), received.get(r)) {
            (Some((a, send)), Some((b, receive))) if a == b => {
                let (_, posted) = sides.receive(*receive);
                match posted.done {
                    NONE => {
                        matched.alone.push((sides.send(*send).1.call, Why::NoReceive));
                        matched.alone.push((posted.call, Why::Unfinished));
                    }
                    _ => matched.pairs.push(Pair { send: *send, receive: *receive }),
                }
                (s, r) = (s + 1, r + 1);
            }
            (Some((a, send)), b) if b.is_none_or(|(b, _)| a < b) => {
                matched.alone.push((sides.send(*send).1.call, Why::NoReceive));
                s += 1;
            }
            (_, Some((_, receive))) => {
                let (_, posted) = sides.receive(*receive);
                let why = if posted.done == NONE { Why::Unfinished } else { Why::NoSend };
                matched.alone.push((posted.call, why));
                r += 1;
            }
            _ => break,
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscut_chance::Chance;

    #[test]
    fn numbers_belong_to_whom_a_search_says() {
        let mut chance = Chance::new(44);
        for round in 0..50 {
            // Many ranks have nothing, some have much.
            let counts: Vec<usize> = (0..1 + chance.index(40))
                .map(|_| if chance.index(3) == 0 { chance.index(1 + 40 * round) } else { 0 })
                .collect();
            let owners = Owners::new(counts.iter().copied());
            assert_eq!(owners.len(), counts.iter().sum::<usize>());
            for number in 0..owners.len() {
                let searched = owners.first.partition_point(|&first| first <= number) - 1;
                assert_eq!(owners.of(number as u32), searched);
            }
        }
    }
}
