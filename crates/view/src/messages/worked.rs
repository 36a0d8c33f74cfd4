//! What a rank did between two calls of MPI, by source line. Where the run holds tasks, too, it is the line of those that ran
//! then; where it holds a call profile, the line in which the rank spent more than others: in that work alone where the profile
//! has samples with their times, else in the whole run. Where neither says anything, the two calls are all that is known of the
//! work.

use std::collections::BTreeMap;
use std::sync::Arc;

use crosscut_calls::{Calls, Stretch, Unit};
use crosscut_messages::path::CriticalPath;
use crosscut_messages::{Messages, NONE};
use crosscut_run::{Run, Source, Sources};
use crosscut_tasks::{Interval, SerialPart, Tasks, Timeline};
use crosscut_tree::NodeId;

/// What other parts of the run know of work.
#[derive(Debug, Default)]
pub struct Worked {
    tasks: Option<(Tasks, Vec<SerialPart>)>,
    calls: Option<Calls>,
}

/// Work of a rank that took too long.
#[derive(Clone, Debug)]
pub struct Long {
    /// The rank.
    pub rank: u32,
    /// From when to when.
    pub span: (i64, i64),
    /// By how much it is more than is usual, in all of the finding.
    pub excess: i64,
    /// All such work of the rank, of the same finding.
    pub all: Vec<(i64, i64)>,
    /// The same steps of other ranks, for the same n-th time.
    pub peers: Vec<(u32, (i64, i64))>,
}

impl Long {
    /// How long all of it took beyond what it took another rank on average.
    fn longer(&self) -> i64 {
        let long = |span: &(i64, i64)| span.1.saturating_sub(span.0).max(0);
        let own = self.all.iter().map(long).fold(0, i64::saturating_add);
        let peers = self.peers.iter().map(|(_, span)| long(span)).fold(0, i64::saturating_add);
        own.saturating_sub(peers / self.peer_count().max(1))
    }

    fn peer_count(&self) -> i64 {
        self.peers.iter().map(|(rank, _)| rank).collect::<std::collections::BTreeSet<_>>().len() as i64
    }
}

impl Worked {
    /// Of a run. Parts that are not there, or are broken, say nothing.
    pub fn of(run: &Arc<Run>) -> Worked {
        let tasks = if run.has("tasks/len") { Tasks::open(run.clone()).ok() } else { None };
        let tasks = tasks.map(|tasks| {
            let parts = tasks.serial_parts();
            (tasks, parts)
        });
        let calls = if Calls::is_in(run) { Calls::open(run.clone()).ok() } else { None };
        Worked { tasks, calls }
    }

    /// Whether it is known when the program was in which line.
    pub fn has_times(&self) -> bool {
        self.calls.as_ref().is_some_and(|calls| calls.samples().is_some())
    }

    /// The line of some work: of the tasks that ran in most of its time, or where the rank spent most beyond others.
    /// `near` is the file of the call that ends it: of a path of calls the innermost line there counts.
    pub fn line(&self, messages: &Messages, long: &Long, near: &str) -> Option<Source> {
        self.line_of_tasks(messages, long).or_else(|| self.line_of_calls(long, near))
    }

    fn line_of_tasks(&self, messages: &Messages, long: &Long) -> Option<Source> {
        let (tasks, _) = self.tasks.as_ref()?;
        let mut sums: BTreeMap<u32, i64> = BTreeMap::new();
        for interval in self.intervals(messages, long.rank, long.span) {
            let time = interval.end.min(long.span.1).saturating_sub(interval.start.max(long.span.0));
            let sum = sums.entry(self.source(interval.node)).or_default();
            *sum = sum.saturating_add(time.max(0));
        }
        let (most, _) = sums.into_iter().max_by_key(|&(source, time)| (time, std::cmp::Reverse(source)))?;
        tasks.sources().get(most).filter(|source| source.line > 0).cloned()
    }

    /// What the threads of a rank ran in a window.
    fn intervals(&self, messages: &Messages, rank: u32, (from, to): (i64, i64)) -> Vec<Interval> {
        let Some((tasks, _)) = &self.tasks else { return Vec::new() };
        let process = |worker: u32| tasks.places().get(worker).map(|place| place.process);
        let own = process(messages.place(rank));
        let Timeline::Intervals(all) = tasks.timeline(from, to, 1, usize::MAX) else { return Vec::new() };
        all.into_iter().filter(|interval| own.is_some() && process(interval.worker) == own).collect()
    }

    /// The line of an interval; [`NONE`] of what the program runs by itself, which the calls around it tell better.
    fn source(&self, node: NodeId) -> u32 {
        let Some((tasks, serial)) = &self.tasks else { return NONE };
        let before = serial.partition_point(|part| part.first <= node);
        let is_serial = before.checked_sub(1).is_some_and(|at| node <= serial[at].last);
        let site = tasks.sources().site(tasks.site(node)).filter(|_| !is_serial);
        site.map_or(NONE, |site| site.from)
    }

    /// The line of a call profile in which a rank spent most beyond the mean of all others, if that explains at least
    /// half of the excess. Calls of MPI itself are left out: who waits in them is told elsewhere.
    fn line_of_calls(&self, long: &Long, near: &str) -> Option<Source> {
        let whole = self.calls.as_ref()?;
        let metric = whole.summary().metrics.iter().position(|metric| metric.unit == Unit::Ns)?;
        let places = whole.run().places().ok()?;
        let of = |rank: u32| -> Vec<u32> {
            let is_of = |place: &u32| places.get(*place).is_some_and(|at| at.process == i64::from(rank));
            (0..whole.place_count() as u32).filter(is_of).collect()
        };
        let own = of(long.rank);
        let part = match whole.samples() {
            Some(_) => {
                let peers = long.peers.iter().copied();
                let spans = long.all.iter().map(|&span| (long.rank, span)).chain(peers);
                let stretches = spans.flat_map(|(rank, (from, to))| {
                    of(rank).into_iter().map(move |place| Stretch { place, from, to })
                });
                Some(whole.within(&stretches.collect::<Vec<_>>()).ok()??)
            }
            None => None,
        };
        let (calls, others, least) = match &part {
            Some(part) => (part, long.peer_count().saturating_mul(own.len() as i64), long.longer() / 2),
            None => (whole, (whole.place_count() - own.len()) as i64, long.excess / 2),
        };
        let (by_place, others) = (calls.by_place(metric)?, others.max(1));
        if own.is_empty() {
            return None;
        }
        // By node: the frame that what is spent there counts for; none inside of MPI.
        let mut told: Vec<Option<u32>> = Vec::with_capacity(calls.node_count());
        let mut sums: BTreeMap<u32, i64> = BTreeMap::new();
        for at in 0..calls.node_count() {
            let node = NodeId(at as u32);
            let above = calls.tree().parent(node).and_then(|parent| told.get(parent.index()).copied());
            let counts = counts_for(calls, node, above, near);
            told.push(counts);
            let Some(frame) = counts.filter(|&frame| frame != NONE) else { continue };
            let here: i64 = own
                .iter()
                .filter_map(|&place| by_place.place(place).get(at))
                .fold(0, |sum, value| sum.saturating_add(*value));
            let mean = calls.own(metric, node).saturating_sub(here) / others * own.len() as i64;
            let sum = sums.entry(frame).or_default();
            *sum = sum.saturating_add(here.saturating_sub(mean));
        }
        let (frame, excess) = sums.into_iter().max_by_key(|&(frame, sum)| (sum, std::cmp::Reverse(frame)))?;
        let frame = calls.frames().get(frame as usize).filter(|_| excess >= least && excess > 0)?;
        Some(Source { file: frame.file.clone(), line: frame.line, function: frame.name.clone() })
    }

    /// How long each line of tasks is on a critical path, those most first; empty where the run has no tasks.
    pub fn on_path(&self, messages: &Messages, path: &CriticalPath) -> Vec<(Source, i64)> {
        let Some((tasks, _)) = &self.tasks else { return Vec::new() };
        let mut sums: BTreeMap<u32, i64> = BTreeMap::new();
        for stretch in &path.stretches {
            let intervals = self.intervals(messages, stretch.rank, (stretch.from, stretch.to));
            for (node, time) in last_ended(intervals, messages.place(stretch.rank), stretch.from, stretch.to)
            {
                let sum = sums.entry(self.source(node)).or_default();
                *sum = sum.saturating_add(time);
            }
        }
        let mut lines: Vec<(Source, i64)> = sums
            .into_iter()
            .filter_map(|(source, time)| Some((tasks.sources().get(source)?.clone(), time)))
            .collect();
        lines.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.short().cmp(&b.0.short())));
        lines
    }
}

/// The frame that time in a node counts for: the innermost one in a file, or the node's own where no frame around it is there.
fn counts_for(calls: &Calls, node: NodeId, above: Option<Option<u32>>, near: &str) -> Option<u32> {
    let is_near = |frame: u32| calls.frames().get(frame as usize).is_some_and(|frame| frame.file == near);
    let Some(frame) = calls.frame(node) else { return Some(NONE) };
    if above == Some(None) || frame.name.starts_with("MPI_") || frame.name.starts_with("PMPI_") {
        return None;
    }
    let own = calls.frame_number(node);
    match above.flatten() {
        Some(around) if is_near(around) && !is_near(own) => Some(around),
        around if frame.line == 0 => around.or(Some(NONE)),
        _ => Some(own),
    }
}

/// The path through a window back from its end: what the main thread of a rank ran last, then always what ended last before
/// that had begun. Each interval with how long it is on the path.
fn last_ended(mut intervals: Vec<Interval>, main: u32, from: i64, to: i64) -> Vec<(NodeId, i64)> {
    let mut path = Vec::new();
    let mut now = to;
    let mut add = |interval: &Interval, now: &mut i64| {
        let start = interval.start.max(from);
        path.push((interval.node, interval.end.min(*now).saturating_sub(start).max(0)));
        *now = (*now).min(start);
    };
    let is_last = |interval: &&Interval| interval.worker == main && interval.start < to && interval.end >= to;
    if let Some(last) = intervals.iter().filter(is_last).max_by_key(|interval| interval.start) {
        add(last, &mut now);
    }
    intervals.sort_unstable_by_key(|interval| (interval.end, interval.start, interval.node.0));
    let mut left = intervals.len();
    while now > from {
        left = left.min(intervals.partition_point(|interval| interval.end <= now));
        let Some(before) = left.checked_sub(1) else { break };
        add(&intervals[before], &mut now);
        left = before;
    }
    path
}

/// The words for a stretch of work between two calls: their lines where they are known, else their functions. The same as for the
/// serial parts of a program.
pub fn between(sources: Option<&Sources>, messages: &Messages, from: (u16, u32), to: (u16, u32)) -> String {
    let name = |(function, source): (u16, u32)| {
        let line = sources.and_then(|sources| sources.get(source)).map(Source::short);
        line.unwrap_or_else(|| match messages.functions().get(usize::from(function)) {
            Some(function) => function.name.clone(),
            None => "its beginning".to_owned(),
        })
    };
    match (name(from), name(to)) {
        (from, to) if from == to => format!("between two calls at {to}").replace("at MPI_", "of MPI_"),
        (from, to) => format!("between {from} and {to}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscut_chance::Chance;

    /// For each moment back from the end: which interval it goes to, by looking at all of them.
    fn slow(intervals: &[Interval], main: u32, from: i64, to: i64) -> Vec<(NodeId, i64)> {
        let mut path: Vec<(NodeId, i64)> = Vec::new();
        let mut now = to;
        let mut used: Vec<NodeId> = Vec::new();
        let last = intervals.iter().filter(|i| i.worker == main && i.start < to && i.end >= to);
        let mut next = last.max_by_key(|i| i.start).copied();
        while let Some(interval) = next {
            let start = interval.start.max(from);
            path.push((interval.node, (interval.end.min(now) - start).max(0)));
            used.push(interval.node);
            now = now.min(start);
            if now <= from {
                break;
            }
            next = intervals
                .iter()
                .filter(|i| i.end <= now && !used.contains(&i.node))
                .max_by_key(|i| (i.end, i.start, i.node.0))
                .copied();
        }
        path
    }

    #[test]
    fn the_path_goes_back_to_what_ended_last() {
        let mut chance = Chance::new(9);
        for _ in 0..300 {
            // Intervals of a worker follow each other; the first worker's reach to the end.
            let mut intervals = Vec::new();
            for worker in 0..3u32 {
                let mut now = 0;
                while now < 100 {
                    let start = now + chance.below(8) as i64;
                    let end = start + 1 + chance.below(30) as i64;
                    let node = NodeId(intervals.len() as u32);
                    intervals.push(Interval { worker, node, start, end });
                    now = end;
                }
            }
            let (from, to) = (chance.below(40) as i64, 50 + chance.below(45) as i64);
            let fast = last_ended(intervals.clone(), 0, from, to);
            if intervals.iter().any(|i| i.worker == 0 && i.start < to && i.end >= to) {
                assert_eq!(fast, slow(&intervals, 0, from, to));
            }
            let on_it: i64 = fast.iter().map(|part| part.1).sum();
            assert!(on_it <= to - from, "{on_it} of {}", to - from);
        }
    }
}
