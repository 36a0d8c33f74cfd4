//! Code that takes longer beside others, as counters show: cycles for each instruction of the same line, while nearly nobody
//! else works and while most workers do. More cycles for the same instructions are what others take away: room in caches,
//! memory, lines of the cache that all write.
//!
//! A line is compared only where it ran both ways.

use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::inflation::{GROWN, Grown};
use super::roles::Sites;
use crate::grain::{CYCLES, INSTRUCTIONS};
use crate::schema::{Kind, Mark};
use crate::tasks::Tasks;

/// Beside fewer workers than this, itself included and on average, an interval is alone.
const ALONE: f64 = 1.5;
/// So many intervals both ways are compared,
const SOME: u64 = 4;
/// and both must have one in so many instructions of the line.
const PART: i64 = 20;

/// What counters counted in some intervals of a line.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    intervals: u64,
    cycles: i64,
    instructions: i64,
    time: i64,
}

impl Counted {
    fn add(&mut self, cycles: i64, instructions: i64, time: i64) {
        self.intervals += 1;
        self.cycles = self.cycles.saturating_add(cycles);
        self.instructions = self.instructions.saturating_add(instructions);
        self.time = self.time.saturating_add(time);
    }

    /// Cycles for each instruction.
    fn each(&self) -> f64 {
        self.cycles as f64 / self.instructions.max(1) as f64
    }
}

/// A line, by how many work beside it.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    all: Counted,
    alone: Counted,
    beside: Counted,
    longest: (i64, u32),
}

impl Line {
    fn is_comparable(&self) -> bool {
        let enough = |part: &Counted| {
            part.intervals >= SOME
                && part.instructions >= (self.all.instructions / PART).max(1)
                && part.cycles > 0
        };
        enough(&self.alone) && enough(&self.beside)
    }
}

/// How many intervals run, as sums over time: sorted starts and ends, with what all before them add up to.
struct Running {
    starts: Vec<(i64, i128)>,
    ends: Vec<(i64, i128)>,
}

impl Running {
    fn of(spans: impl Iterator<Item = (i64, i64)> + Clone) -> Self {
        let sums = |times: &mut Vec<i64>| {
            times.sort_unstable();
            let mut sum = 0i128;
            let add = |&time: &i64| {
                sum += i128::from(time);
                (time, sum)
            };
            times.iter().map(add).collect()
        };
        Running {
            starts: sums(&mut spans.clone().map(|span| span.0).collect()),
            ends: sums(&mut spans.map(|span| span.1).collect()),
        }
    }

    /// Time of all intervals until then.
    fn until(&self, time: i64) -> i128 {
        let passed = |moments: &[(i64, i128)]| {
            let count = moments.partition_point(|moment| moment.0 <= time);
            let sum = count.checked_sub(1).map_or(0, |last| moments[last].1);
            i128::from(time) * count as i128 - sum
        };
        passed(&self.starts) - passed(&self.ends)
    }

    /// How many run from one moment to another, on average.
    fn mean(&self, from: i64, to: i64) -> f64 {
        (self.until(to) - self.until(from)) as f64 / to.saturating_sub(from).max(1) as f64
    }
}

/// All lines; none where the run has no such counters.
fn lines(tasks: &Tasks) -> Option<HashMap<u32, Line>> {
    let names = tasks.counter_names();
    let find = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    let (cycles, instructions) = (find(&CYCLES)?, find(&INSTRUCTIONS)?);
    let (start, end) = (tasks.starts(), tasks.ends());
    let marks = tasks.marks();
    let is_interval = |&node: &usize| tasks.tree().is_leaf(NodeId(node as u32)) && end[node] > start[node];
    let intervals = (0..marks.len()).filter(is_interval);
    let running = Running::of(intervals.clone().map(|node| (start[node], end[node])));
    let sites = Sites::new(tasks);
    let many = (f64::from(tasks.summary().workers) / 2.0).max(ALONE);
    let mut lines: HashMap<u32, Line> = HashMap::new();
    for node in
        intervals.filter(|&node| !Mark(marks[node]).is_collapsed() && Mark(marks[node]).kind() != Kind::Fork)
    {
        let counted = (tasks.counter_value(cycles, node), tasks.counter_value(instructions, node));
        if counted.0 <= 0 || counted.1 <= 0 {
            continue;
        }
        let time = end[node] - start[node];
        let line = lines.entry(sites.from(tasks.site(NodeId(node as u32)))).or_default();
        line.all.add(counted.0, counted.1, time);
        line.longest = line.longest.max((time, node as u32));
        match running.mean(start[node], end[node]) {
            few if few < ALONE => line.alone.add(counted.0, counted.1, time),
            most if most >= many => line.beside.add(counted.0, counted.1, time),
            _ => {}
        }
    }
    Some(lines)
}

/// The lines that take more cycles beside others, in the order of lines.
pub fn slowed(tasks: &Tasks) -> Vec<Grown> {
    let of_line = |(line, found): (u32, Line)| {
        let (alone, beside) = (found.alone.each(), found.beside.each());
        let more = (found.beside.time as f64 * (1.0 - alone / beside)) as i64;
        (found.is_comparable() && beside > GROWN * alone).then_some(Grown {
            line,
            work: found.all.time,
            before: found.all.time - more,
            others: 1.0,
            node: found.longest.1,
            cycles: Some((alone, beside)),
        })
    };
    let mut slowed: Vec<Grown> = lines(tasks).into_iter().flatten().filter_map(of_line).collect();
    slowed.sort_unstable_by_key(|line| line.line);
    slowed
}

/// What counters can tell of code beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    /// The run has none of cycles and instructions.
    None,
    /// No line ran both alone and beside others.
    NotComparable,
    /// At least one did.
    Comparable,
}

impl Tasks {
    /// Whether counters can tell code that takes longer beside others. Looks at all intervals if there are any counters.
    pub fn compares_by_counters(&self) -> Counters {
        match lines(self) {
            None => Counters::None,
            Some(lines) if lines.values().any(Line::is_comparable) => Counters::Comparable,
            Some(_) => Counters::NotComparable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against every moment, one by one.
    #[test]
    fn how_many_run_on_average() {
        let mut seed = 7u64;
        let mut next = |most: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 33) % most) as i64
        };
        let spans: Vec<(i64, i64)> =
            (0..60).map(|_| (next(200), 1 + next(50))).map(|(a, b)| (a, a + b)).collect();
        let running = Running::of(spans.iter().copied());
        for _ in 0..200 {
            let (from, length) = (next(220), 1 + next(40));
            let at = |t: i64| spans.iter().filter(|span| span.0 <= t && t < span.1).count();
            let slow = (from..from + length).map(at).sum::<usize>() as f64 / length as f64;
            assert_eq!(running.mean(from, from + length), slow);
        }
    }
}
