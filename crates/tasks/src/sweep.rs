//! The accounting: where P × elapsed went. Blocks count as whole: one is ready from the moment its predecessors have
//! ended until it starts (a collapsed node until its last interval starts), and running from its start to its end.
//! delay = ∫ min(ready, (P − running)⁺) dt + Σ (elapsed − work) of blocks; no-work = ∫ (P − running − ready)⁺ dt.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crosscut_run::tasks::{Edge, Kind, Mark, TaskWriter};

/// delay and no-work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounting {
    /// Something was ready and a worker was free.
    pub delay: i64,
    /// A worker was free and nothing was ready.
    pub no_work: i64,
}

/// A source of events in the order of time: each changes (running, ready) at a moment.
type Events<'a> = Box<dyn Iterator<Item = (i64, i64, i64)> + 'a>;

/// Sweeps over the run once. `order` with its row `borders` gives the blocks of each row by start; `joins` are the
/// moments at which a section released what follows it.
pub fn account(
    tasks: &TaskWriter,
    workers: i64,
    order: &[u32],
    borders: &[usize],
    joins: &[(i64, Edge)],
) -> Accounting {
    let mut sources: Vec<Events<'_>> = Vec::new();
    for pair in borders.windows(2) {
        sources.push(row_events(tasks, &order[pair[0]..pair[1]]));
    }
    let mut released: Vec<i64> = joins.iter().map(|&(t, _)| t).collect();
    released.sort_unstable();
    sources.push(Box::new(released.into_iter().map(|t| (t, 0, 1))));
    let mut last_starts: Vec<i64> = tasks.collapsed.iter().map(|c| c.last_start).collect();
    last_starts.sort_unstable();
    sources.push(Box::new(last_starts.into_iter().map(|t| (t, 0, -1))));

    let mut heap = BinaryHeap::new();
    for (s, source) in sources.iter_mut().enumerate() {
        if let Some((t, running, ready)) = source.next() {
            heap.push(Reverse((t, s, running, ready)));
        }
    }
    // At time 0 the first block of the root is ready.
    let (mut now, mut running, mut ready) = (0i64, 0i64, 1i64);
    let mut sum = Accounting::default();
    while let Some(mut top) = heap.peek_mut() {
        let Reverse((t, s, d_running, d_ready)) = *top;
        if t > now {
            let free = (workers - running).max(0);
            let delayed = ready.clamp(0, free);
            sum.delay += delayed * (t - now);
            sum.no_work += (free - delayed) * (t - now);
            now = t;
        }
        running += d_running;
        ready += d_ready;
        match sources[s].next() {
            Some((t, d_running, d_ready)) => *top = Reverse((t, s, d_running, d_ready)),
            None => {
                std::collections::binary_heap::PeekMut::pop(top);
            }
        }
    }
    let overhead: i64 = tasks
        .collapsed
        .iter()
        .map(|c| tasks.end[c.node as usize] - tasks.start[c.node as usize] - c.work)
        .sum();
    sum.delay += overhead;
    sum
}

/// Starts and ends of the blocks of one row.
fn row_events<'a>(tasks: &'a TaskWriter, order: &'a [u32]) -> Events<'a> {
    let (start, end, mark) = (&tasks.start[..], &tasks.end[..], &tasks.mark[..]);
    let events = order.iter().flat_map(move |&i| {
        let m = Mark(mark[i as usize]);
        let starts = if m.is_collapsed() { 0 } else { -1 };
        // The end of a create makes the child and the continuation ready, that of another interval what follows it.
        let ends = match (m.is_collapsed(), m.kind()) {
            (false, Kind::Create) => 2,
            (false, Kind::Other) => 1,
            _ => 0,
        };
        [(start[i as usize], 1, starts), (end[i as usize], -1, ends)]
    });
    if order.windows(2).all(|w| end[w[0] as usize] <= start[w[1] as usize]) {
        return Box::new(events);
    }
    let mut sorted: Vec<(i64, i64, i64)> = events.collect();
    sorted.sort_unstable();
    Box::new(sorted.into_iter())
}
