//! Time in calls behind their waits: moving data, and small messages that could have gone together.

use foldhash::HashMap;
use rayon::prelude::*;

use super::{MANY, add, culprits};
use crate::messages::Messages;
use crate::schema::Class;
use crate::waits::{Waits, Why};

/// A message up to this size is small.
const SMALL: i64 = 1_024;
/// A message could have gone together with the one before to the same rank if it was sent within so many times what sending took.
const TOGETHER: i64 = 10;
/// Calls whose messages are all small and could have gone together with the one before.
pub(super) fn small_calls(messages: &Messages) -> Vec<bool> {
    let calls = &messages.calls;
    let mut order: Vec<u32> = (0..messages.len() as u32).collect();
    let key = |&row: &u32| {
        let at = row as usize;
        (messages.source.at(at), messages.destination.at(at), messages.send_call[at])
    };
    order.par_sort_unstable_by_key(key);
    let (mut small, mut large) = (vec![false; calls.start.len()], vec![false; calls.start.len()]);
    let mut before: Option<u32> = None;
    for &row in &order {
        let at = row as usize;
        let call = messages.send_call[at] as usize;
        let took = calls.end[call].saturating_sub(calls.start[call]).max(1);
        let soon = before.is_some_and(|before| {
            let (a, b) = (key(&before), key(&row));
            let since = calls.start[call].saturating_sub(calls.end[a.2 as usize]);
            (a.0, a.1) == (b.0, b.1) && since <= took.saturating_mul(TOGETHER)
        });
        let flags = if soon && messages.bytes[at] <= SMALL { &mut small } else { &mut large };
        for of in [&messages.send_call, &messages.send_done, &messages.receive_call, &messages.receive_done] {
            flags[of[at] as usize] = true;
        }
        before = Some(row);
    }
    small.iter_mut().zip(large).for_each(|(small, large)| *small &= !large);
    small
}

/// Time in calls behind their waits.
#[derive(Default)]
pub(super) struct Spent {
    pub(super) small: i64,
    pub(super) moving: i64,
    pub(super) small_messages: u64,
    /// Functions and source lines of the calls that take most of it.
    pub(super) small_line: Option<(u16, u32)>,
    pub(super) line: Option<(u16, u32)>,
    pub(super) small_ranks: Vec<u32>,
    /// Each with whether it is that of small messages.
    pub(super) stretches: Vec<((u32, i64, i64), bool)>,
}

/// Time by function and source line.
type Lines = HashMap<(u16, u32), i64>;

pub(super) fn spent(messages: &Messages, waits: &Waits, small: &[bool]) -> Spent {
    let calls = &messages.calls;
    let class = |at: usize| messages.functions().get(usize::from(calls.function[at])).map(|f| f.class);
    let moves = |at: usize| match class(at) {
        Some(Class::Send | Class::Receive | Class::Both | Class::Complete | Class::Start) => true,
        Some(Class::Collective) => waits.why[at] != Why::Barrier && calls.bytes[at] > 0,
        _ => false,
    };
    let mut spent = Spent::default();
    let (mut lines, mut small_lines) = (Lines::default(), Lines::default());
    let mut senders: HashMap<u32, i64> = HashMap::default();
    for rank in 0..messages.summary().ranks {
        for at in calls.of(rank).filter(|&at| moves(at)) {
            let from = calls.start[at].saturating_add(waits.lost[at]);
            let time = calls.end[at].saturating_sub(from);
            if time <= 0 {
                continue;
            }
            spent.stretches.push(((rank, from, calls.end[at]), small[at]));
            let line = (calls.function[at], calls.source(at));
            if small[at] {
                spent.small = spent.small.saturating_add(time);
                if matches!(class(at), Some(Class::Send | Class::Both)) {
                    add(small_lines.entry(line).or_default(), time);
                    add(senders.entry(rank).or_default(), time);
                }
            } else {
                spent.moving = spent.moving.saturating_add(time);
                add(lines.entry(line).or_default(), time);
            }
        }
    }
    let most = |lines: Lines| {
        lines.into_iter().max_by_key(|&(line, time)| (time, std::cmp::Reverse(line))).map(|line| line.0)
    };
    (spent.line, spent.small_line) = (most(lines), most(small_lines));
    spent.small_ranks = culprits(&senders);
    spent.small_ranks.truncate(MANY);
    let is_small = |call: u32| small.get(call as usize) == Some(&true);
    spent.small_messages = messages.send_call.iter().filter(|&&call| is_small(call)).count() as u64;
    spent
}
