//! Whether the messages of a run fit together: every row is looked at, and the first thing that contradicts another is told.

use rayon::prelude::*;

use crate::messages::Messages;
use crate::schema::NONE;

impl Messages {
    /// What does not fit together, in a sentence; none where everything does.
    pub fn unsound(&self) -> Option<String> {
        self.unsound_call()
            .or_else(|| self.unsound_message())
            .or_else(|| self.unsound_collective())
            .or_else(|| self.unsound_totals())
    }

    fn unsound_call(&self) -> Option<String> {
        let (calls, elapsed) = (&self.calls, self.summary().elapsed);
        let (functions, comms) = (self.functions().len(), self.comms().list.len());
        let ranks = self.summary().ranks;
        let known = |id: u32, count: usize| id == NONE || (id as usize) < count;
        first(calls.start.len(), |at| {
            let (start, end) = (calls.start[at], calls.end[at]);
            match () {
                () if start < 0 || end < start || end > elapsed => {
                    Some(format!("call {at} is from {start} to {end}, the run from 0 to {elapsed}"))
                }
                () if usize::from(calls.function[at]) >= functions => {
                    Some(format!("call {at} is of function {}, there are {functions}", calls.function[at]))
                }
                () if !known(calls.comm.at(at), comms) => {
                    Some(format!("call {at} is on communicator {}, there are {comms}", calls.comm.at(at)))
                }
                () if !known(calls.peer.at(at), ranks as usize) => {
                    Some(format!("call {at} is with rank {}, there are {ranks}", calls.peer.at(at)))
                }
                () => None,
            }
        })
    }

    fn unsound_message(&self) -> Option<String> {
        let (calls, comms) = (&self.calls, self.comms().list.len());
        let is_call = |call: u32, rank: u32| calls.of(rank).contains(&(call as usize));
        if let Some(at) = self.send_start.windows(2).position(|pair| pair[0] > pair[1]) {
            return Some(format!("message {} was sent before the one in front of it", at + 1));
        }
        let twice =
            |name: &str, column: &[u32], other: &[u32], same: &(dyn Fn(usize, usize) -> bool + Sync)| {
                twice(column, same).map(|(a, b)| {
                    format!("messages {a} and {b} are one {name}: call {} and call {}", column[a], other[a])
                })
            };
        let wrong = first(self.len(), |row| {
            let (from, to) = (self.source.at(row), self.destination.at(row));
            let ends = [(self.send_call[row], from), (self.send_done[row], from)];
            let others = [(self.receive_call[row], to), (self.receive_done[row], to)];
            let stray = ends.into_iter().chain(others).find(|&(call, rank)| !is_call(call, rank));
            if let Some((call, rank)) = stray {
                return Some(format!("message {row} names call {call}, which is none of rank {rank}"));
            }
            let times = [
                (self.send_start[row], calls.start[self.send_call[row] as usize]),
                (self.send_end[row], calls.end[self.send_done[row] as usize]),
                (self.receive_start[row], calls.start[self.receive_call[row] as usize]),
                (self.receive_end[row], calls.end[self.receive_done[row] as usize]),
            ];
            if let Some((here, there)) = times.iter().find(|(here, there)| here != there) {
                return Some(format!("message {row} has the time {here}, its call {there}"));
            }
            if self.send_done[row] < self.send_call[row] || self.receive_done[row] < self.receive_call[row] {
                return Some(format!("message {row} is completed by a call before the one that began it"));
            }
            if self.bytes[row] < 0 || (self.comm[row] as usize) >= comms {
                let (bytes, comm) = (self.bytes[row], self.comm[row]);
                return Some(format!("message {row} has {bytes} bytes on communicator {comm} of {comms}"));
            }
            None
        });
        // A call may begin several messages (a start of many), but none of them twice.
        let same = |a: usize, b: usize| {
            self.destination.at(a) == self.destination.at(b)
                && self.tag[a] == self.tag[b]
                && self.comm[a] == self.comm[b]
                && self.receive_call[a] == self.receive_call[b]
        };
        wrong.or_else(|| twice("send", &self.send_call, &self.receive_call, &same))
    }

    fn unsound_collective(&self) -> Option<String> {
        let (all, calls) = (&self.collectives, &self.calls);
        let count = calls.start.len();
        let wrong = first(all.kind.len(), |number| {
            let members = all.calls(number);
            let size = self.comms().size(all.comm[number]);
            let parts: Vec<usize> =
                members.iter().filter(|&&call| call != NONE).map(|&call| call as usize).collect();
            if let Some(call) = parts.iter().find(|&&call| call >= count) {
                return Some(format!("collective {number} names call {call}, there are {count}"));
            }
            if members.len() > size.max(1) {
                return Some(format!("collective {number} has {} parts of {size} ranks", members.len()));
            }
            let from = parts.iter().map(|&call| calls.start[call]).min().unwrap_or(0);
            let done = all.done(number);
            if done.len() != members.len() || done.iter().any(|&call| call != NONE && call as usize >= count)
            {
                return Some(format!("collective {number} is completed by calls that are not there"));
            }
            let last = |(&call, &done): (&u32, &u32)| match (call, done) {
                (NONE, NONE) => None,
                (call, NONE) => calls.end.get(call as usize).copied(),
                (_, done) => calls.end.get(done as usize).copied(),
            };
            let to = members.iter().zip(done).filter_map(last).max().unwrap_or(0);
            if (from, to) != (all.start[number], all.end[number]) {
                let (start, end) = (all.start[number], all.end[number]);
                return Some(format!(
                    "collective {number} is from {start} to {end}, its calls from {from} to {to}"
                ));
            }
            None
        });
        wrong.or_else(|| {
            let used: Vec<u32> = all.call.iter().copied().filter(|&call| call != NONE).collect();
            let (a, _) = twice(&used, &|_, _| true)?;
            Some(format!("call {} is a part of two collectives", used[a]))
        })
    }

    fn unsound_totals(&self) -> Option<String> {
        let summary = self.summary();
        let bytes = self.bytes.par_iter().copied().reduce(|| 0, i64::saturating_add);
        let there = [
            ("messages", summary.messages, self.len() as u64),
            ("bytes", summary.bytes as u64, bytes as u64),
            ("calls", summary.calls, self.calls.start.len() as u64),
            ("collectives", summary.collective_operations, self.collectives.kind.len() as u64),
            ("communicators", summary.communicators, self.comms().list.len() as u64),
        ];
        let (name, said, is) = there.into_iter().find(|(_, said, is)| said != is)?;
        Some(format!("its totals say {said} {name}, there are {is}"))
    }
}

/// What is wrong with the first row of which something is.
fn first(rows: usize, wrong: impl Fn(usize) -> Option<String> + Send + Sync) -> Option<String> {
    (0..rows).into_par_iter().find_map_first(wrong)
}

/// Two rows with the same value that are the same.
fn twice(column: &[u32], same: &(dyn Fn(usize, usize) -> bool + Sync)) -> Option<(usize, usize)> {
    let mut order: Vec<u32> = (0..column.len() as u32).collect();
    order.par_sort_unstable_by_key(|&row| (column[row as usize], row));
    order
        .windows(2)
        .map(|pair| (pair[0] as usize, pair[1] as usize))
        .find(|&(a, b)| column[a] == column[b] && same(a, b))
}
