//! Logical time: the step of each message, whatever the clocks and late processes did.
//!
//! The step of a message is one more than the largest step of anything that ended before it began, on its sender or on
//! its receiver; so what one wait completes together does not follow each other. A collective is a step of its own for
//! all who take part. Ranks are walked through their calls, each until it has to know a step that depends on a rank
//! which is not that far yet. Sends that end before they are received can depend on each other in a circle: then the
//! message that was sent first takes the step that its sender alone gives it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::schema::NONE;

/// What the order of a run's calls says about its messages and collectives.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// Where the calls of each rank begin, and where the last one's end.
    pub first: &'a [i64],
    /// When each message was sent; only to choose where steps depend on each other in a circle.
    pub sent: &'a [i64],
    /// The call that began each send.
    pub send_call: &'a [u32],
    /// The call that completed it.
    pub send_done: &'a [u32],
    /// The call that posted each receive.
    pub receive_call: &'a [u32],
    /// The call that completed it.
    pub receive_done: &'a [u32],
    /// Where the calls of each collective begin, and where the last one's end.
    pub collective_first: &'a [i64],
    /// The calls of all collectives; [`NONE`] where a rank did not take part.
    pub collective_call: &'a [u32],
}

/// The steps of messages and of collectives; the first step is 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Of each message.
    pub messages: Vec<u32>,
    /// Of each collective.
    pub collectives: Vec<u32>,
    /// How many messages took the step of their sender alone.
    pub cut: usize,
}

impl Steps {
    /// The steps of a run.
    pub fn of(order: &Order<'_>) -> Steps {
        let mut walk = Walk::new(order);
        loop {
            while let Some(rank) = walk.ready.pop() {
                walk.advance(rank as usize);
            }
            if !walk.release() {
                break;
            }
        }
        Steps { messages: walk.message, collectives: walk.collective, cut: walk.cut }
    }
}

/// Messages (or collectives) in the order of one of their calls, and for each rank how far it has come.
struct Queue {
    /// The call, and what it belongs to.
    entries: Vec<(u32, u32)>,
    next: Vec<usize>,
    end: Vec<usize>,
}

impl Queue {
    fn new(first: &[i64], calls: impl IndexedParallelIterator<Item = u32>) -> Queue {
        let entries = calls.enumerate().map(|(at, call)| (call, at as u32)).collect();
        Queue::sorted(first, entries)
    }

    fn sorted(first: &[i64], mut entries: Vec<(u32, u32)>) -> Queue {
        entries.retain(|entry| entry.0 != NONE);
        entries.par_sort_unstable();
        let border = |call: &i64| entries.partition_point(|entry| i64::from(entry.0) < *call);
        let borders: Vec<usize> = first.iter().map(border).collect();
        let (next, end) = match borders.split_first() {
            Some((_, ends)) => (borders[..ends.len()].to_vec(), ends.to_vec()),
            None => Default::default(),
        };
        Queue { entries, next, end }
    }

    /// The call that comes next for a rank.
    fn peek(&self, rank: usize) -> Option<(u32, u32)> {
        (self.next[rank] < self.end[rank]).then(|| self.entries[self.next[rank]])
    }

    /// What belongs to this call, one after the other.
    fn take(&mut self, rank: usize, call: u32) -> Option<u32> {
        let (next, of) = self.peek(rank)?;
        (next == call).then(|| {
            self.next[rank] += 1;
            of
        })
    }
}

struct Walk<'a> {
    order: &'a Order<'a>,
    sends: Queue,
    receives: Queue,
    sent: Queue,
    received: Queue,
    gathered: Queue,
    /// The largest step that has ended on each rank.
    level: Vec<u32>,
    /// Ranks that may go on.
    ready: Vec<u32>,
    /// The step of each message, 0 while it is not known.
    message: Vec<u32>,
    /// For a message whose step is not known: the level of the side that has begun it, plus one; 0 for none.
    begun: Vec<u32>,
    /// The message or collective that each rank waits for.
    waiting: Vec<Wait>,
    /// The ranks of sender and receiver, to wake them: known by whoever began or waits.
    ends: Vec<[u32; 2]>,
    /// Messages that somebody waits for, by when they were sent.
    awaited: BinaryHeap<Reverse<(i64, u32)>>,
    collective: Vec<u32>,
    /// For each collective the ranks that have not entered yet, the highest level of those that have, and who they are.
    missing: Vec<u32>,
    entered: Vec<(u32, Vec<u32>)>,
    cut: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Nothing,
    Message(u32),
    Collective(u32),
}

impl<'a> Walk<'a> {
    fn new(order: &'a Order<'a>) -> Walk<'a> {
        let ranks = order.first.len().saturating_sub(1);
        let messages = order.send_call.len();
        let queue = |calls: &[u32]| Queue::new(order.first, calls.par_iter().copied());
        let parts: Vec<&[u32]> = order
            .collective_first
            .windows(2)
            .map(|pair| order.collective_call.get(pair[0] as usize..pair[1] as usize).unwrap_or_default())
            .collect();
        let gathered = parts
            .iter()
            .enumerate()
            .flat_map(|(at, calls)| calls.iter().map(move |&call| (call, at as u32)))
            .collect();
        Walk {
            order,
            sends: queue(order.send_call),
            receives: queue(order.receive_call),
            sent: queue(order.send_done),
            received: queue(order.receive_done),
            gathered: Queue::sorted(order.first, gathered),
            level: vec![0; ranks],
            ready: (0..ranks as u32).rev().collect(),
            message: vec![0; messages],
            begun: vec![0; messages],
            waiting: vec![Wait::Nothing; ranks],
            ends: vec![[NONE; 2]; messages],
            awaited: BinaryHeap::new(),
            collective: vec![0; parts.len()],
            missing: parts
                .iter()
                .map(|calls| calls.iter().filter(|call| **call != NONE).count() as u32)
                .collect(),
            entered: vec![(0, Vec::new()); parts.len()],
            cut: 0,
        }
    }

    /// Walks a rank through its calls until it has to wait.
    fn advance(&mut self, rank: usize) {
        self.waiting[rank] = Wait::Nothing;
        loop {
            let queues = [&self.sends, &self.receives, &self.sent, &self.received, &self.gathered];
            let Some(call) = queues.iter().filter_map(|queue| queue.peek(rank)).map(|(call, _)| call).min()
            else {
                return;
            };
            while let Some(message) = self.sends.take(rank, call) {
                self.begin(rank, message, 0);
            }
            while let Some(message) = self.receives.take(rank, call) {
                self.begin(rank, message, 1);
            }
            while let Some(collective) = self.gathered.take(rank, call) {
                if !self.enter(rank, collective) {
                    return;
                }
            }
            if !self.complete(rank, call) {
                return;
            }
        }
    }

    /// One side of a message begins; its step is known when both have.
    fn begin(&mut self, rank: usize, message: u32, side: usize) {
        let at = message as usize;
        self.ends[at][side] = rank as u32;
        let level = self.level[rank] + 1;
        match self.begun[at] {
            0 => self.begun[at] = level,
            _ if self.message[at] != 0 => {}
            other => self.settle(message, level.max(other)),
        }
    }

    /// The step of a message is known: who waits for it goes on.
    fn settle(&mut self, message: u32, step: u32) {
        self.message[message as usize] = step;
        for rank in self.ends[message as usize] {
            if rank != NONE && self.waiting[rank as usize] == Wait::Message(message) {
                self.waiting[rank as usize] = Wait::Nothing;
                self.ready.push(rank);
            }
        }
    }

    /// A rank enters a collective; whether it is through at once. Who waits is let go by the last one.
    fn enter(&mut self, rank: usize, collective: u32) -> bool {
        let at = collective as usize;
        let (level, who) = &mut self.entered[at];
        *level = (*level).max(self.level[rank]);
        who.push(rank as u32);
        self.missing[at] = self.missing[at].saturating_sub(1);
        if self.missing[at] > 0 && self.collective[at] == 0 {
            self.waiting[rank] = Wait::Collective(collective);
            return false;
        }
        self.leave(collective, rank as u32);
        true
    }

    /// All who entered a collective go on, `but` without being woken.
    fn leave(&mut self, collective: u32, but: u32) {
        let at = collective as usize;
        let (level, who) = std::mem::take(&mut self.entered[at]);
        let step = self.collective[at].max(level + 1);
        self.collective[at] = step;
        for rank in who {
            self.level[rank as usize] = self.level[rank as usize].max(step);
            if rank != but {
                self.waiting[rank as usize] = Wait::Nothing;
                self.ready.push(rank);
            }
        }
    }

    /// What a call completes: whether all steps are known, so that the rank can go on.
    fn complete(&mut self, rank: usize, call: u32) -> bool {
        for (queue, side) in [(&mut self.sent, 0), (&mut self.received, 1)] {
            while let Some((next, message)) = queue.peek(rank)
                && next == call
            {
                let step = self.message[message as usize];
                if step == 0 {
                    self.ends[message as usize][side] = rank as u32;
                    self.waiting[rank] = Wait::Message(message);
                    self.awaited.push(Reverse((self.order.sent[message as usize], message)));
                    return false;
                }
                queue.next[rank] += 1;
                self.level[rank] = self.level[rank].max(step);
            }
        }
        true
    }

    /// Nobody can go on: the message that was sent first takes the step that is known of it, or the first collective goes
    /// on without those who never entered. False when all is done.
    fn release(&mut self) -> bool {
        while let Some(Reverse((_, message))) = self.awaited.pop() {
            if self.message[message as usize] == 0 {
                self.cut += 1;
                self.settle(message, self.begun[message as usize].max(1));
                return true;
            }
        }
        let stuck = self.waiting.iter().find_map(|wait| match wait {
            Wait::Collective(collective) => Some(*collective),
            _ => None,
        });
        match stuck {
            Some(collective) => {
                self.leave(collective, NONE);
                true
            }
            None => false,
        }
    }
}
