//! The accounting: where P × elapsed went. Blocks count as whole: one is ready from the moment its predecessors have
//! ended until it starts (a collapsed node until its last interval starts), and running from its start to its end.
//! delay = ∫ min(ready, (P − running)⁺) dt + Σ (elapsed − work) of blocks; no-work = ∫ (P − running − ready)⁺ dt.

use crosscut_run::tasks::{Kind, Mark, TaskWriter};

use crate::spine::Released;

/// delay and no-work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounting {
    /// Something was ready and a worker was free.
    pub delay: i64,
    /// A worker was free and nothing was ready.
    pub no_work: i64,
}

/// What an event changes: (running, ready). An event is a time and the number of one of these in one word, so that sorting
/// words sorts by time. Ends come first: a row whose blocks follow each other at once is then in order.
const CHANGES: [(i64, i64); 8] = [(-1, 0), (-1, 1), (-1, 2), (1, -1), (1, 0), (0, 1), (0, -1), (0, 0)];
const CODE_BITS: u32 = 3;
const ENDS: u64 = 0;
const STARTS: u64 = 3;
const STARTS_COLLAPSED: u64 = 4;
const RELEASES: u64 = 5;
const TAKES_BACK: u64 = 6;

/// Events in the order of time.
enum Events<'a> {
    /// Starts and ends of blocks that follow each other; how many of both are over.
    Row { order: &'a [u32], taken: usize },
    /// Any others, as (time, code).
    List { list: Vec<(i64, u64)>, taken: usize },
}

/// Events per stretch of time that are sorted together: they fit into a near cache.
const STRETCH: usize = 1 << 15;

/// Sweeps over the run once. `order` with its row `borders` gives the blocks of each row by start. Time is cut into
/// stretches; what happens in one is gathered from all rows, which are in order already, and merged.
pub fn account(
    tasks: &TaskWriter,
    workers: i64,
    order: &[u32],
    borders: &[usize],
    released: &Released,
) -> Accounting {
    let mut sources: Vec<Events<'_>> =
        borders.windows(2).map(|pair| row_events(tasks, &order[pair[0]..pair[1]])).collect();
    let joins = released.joins.iter().map(|&(t, _)| t);
    sources.push(changes(joins.chain(released.held.iter().map(|held| held.ready)), RELEASES));
    let last_starts = tasks.collapsed.iter().map(|c| c.last_start);
    // A task that has to wait for others is not ready yet when it is created.
    sources.push(changes(last_starts.chain(released.held.iter().map(|held| held.created)), TAKES_BACK));

    let all = 2 * order.len() + released.joins.len();
    let until = sources.iter().map(Events::last).fold(tasks.end[0].max(1), i64::max);
    let width = (until / (all / STRETCH + 1) as i64).clamp(1, 1 << 60);
    // At time 0 the first block of the root is ready.
    let (mut now, mut running, mut ready) = (0i64, 0i64, 1i64);
    let mut sum = Accounting::default();
    let mut stretch: Vec<u64> = Vec::new();
    let mut from = 0;
    while from <= until {
        let to = from.saturating_add(width);
        stretch.clear();
        for source in &mut sources {
            source.take_until(tasks, from, to, &mut stretch);
        }
        // Stable, because that sort makes use of what is in order already.
        stretch.sort();
        for &event in &stretch {
            let t = from + (event >> CODE_BITS) as i64;
            if t > now {
                let free = (workers - running).max(0);
                let delayed = ready.clamp(0, free);
                sum.delay += delayed * (t - now);
                sum.no_work += (free - delayed) * (t - now);
                now = t;
            }
            let (d_running, d_ready) = CHANGES[(event & 7) as usize];
            running += d_running;
            ready += d_ready;
        }
        from = to;
    }
    let overhead: i64 = tasks
        .collapsed
        .iter()
        .map(|c| tasks.end[c.node as usize] - tasks.start[c.node as usize] - c.work)
        .sum();
    sum.delay += overhead;
    sum
}

/// A change at each of these moments.
fn changes<'a>(times: impl Iterator<Item = i64>, code: u64) -> Events<'a> {
    let mut list: Vec<(i64, u64)> = times.map(|t| (t, code)).collect();
    list.sort_unstable();
    Events::List { list, taken: 0 }
}

/// The codes of a block's start and end. The end of a create makes the child and the continuation ready, that of another
/// interval what follows it.
#[inline]
fn codes(mark: Mark) -> (u64, u64) {
    match (mark.is_collapsed(), mark.kind()) {
        (true, _) => (STARTS_COLLAPSED, ENDS),
        (false, Kind::Create | Kind::Fork) => (STARTS, ENDS + 2),
        (false, Kind::Other | Kind::Chunk) => (STARTS, ENDS + 1),
        _ => (STARTS, ENDS),
    }
}

/// Starts and ends of the blocks of one row.
fn row_events<'a>(tasks: &TaskWriter, order: &'a [u32]) -> Events<'a> {
    let (start, end) = (&tasks.start[..], &tasks.end[..]);
    if order.windows(2).all(|w| end[w[0] as usize] <= start[w[1] as usize]) {
        return Events::Row { order, taken: 0 };
    }
    let mut list = Vec::with_capacity(2 * order.len());
    for i in order.iter().map(|&i| i as usize) {
        let (starts, ends) = codes(Mark(tasks.mark[i]));
        list.extend([(start[i], starts), (end[i], ends)]);
    }
    list.sort_unstable();
    Events::List { list, taken: 0 }
}

impl Events<'_> {
    /// When the last of a list happens; a row ends with the run at the latest.
    fn last(&self) -> i64 {
        match self {
            Events::Row { .. } => 0,
            Events::List { list, .. } => list.last().map_or(0, |event| event.0),
        }
    }

    /// Appends what happens before `to`, with times from `from` on.
    fn take_until(&mut self, tasks: &TaskWriter, from: i64, to: i64, out: &mut Vec<u64>) {
        // Nothing happens before time 0.
        let event = |t: i64, code: u64| ((t - from).max(0) as u64) << CODE_BITS | code;
        match self {
            Events::Row { order, taken } => {
                let (start, end) = (&tasks.start[..], &tasks.end[..]);
                while let Some(&i) = order.get(*taken / 2) {
                    let i = i as usize;
                    let (starts, ends) = codes(Mark(tasks.mark[i]));
                    if taken.is_multiple_of(2) {
                        if start[i] >= to {
                            break;
                        }
                        out.push(event(start[i], starts));
                        *taken += 1;
                    }
                    if end[i] >= to {
                        break;
                    }
                    out.push(event(end[i], ends));
                    *taken += 1;
                }
            }
            Events::List { list, taken } => {
                while let Some(&(t, code)) = list.get(*taken).filter(|event| event.0 < to) {
                    out.push(event(t, code));
                    *taken += 1;
                }
            }
        }
    }
}
