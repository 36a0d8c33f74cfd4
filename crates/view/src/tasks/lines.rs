//! A run by source line: how many intervals began there, how long they worked, who ran them, how much of the critical path
//! they are, and what was waited there. One pass over the run, and one over the intervals of each worker.

use crosscut_tasks::Tasks;
use crosscut_tree::NodeId;
use rayon::prelude::*;

/// Bins of an octave in the histograms: a length is known to within 9 %.
const FINE: u32 = 8;
/// Bins in all: lengths of 1 ns to 2⁶³ ns.
const BINS: usize = 64 * FINE as usize;
/// Workers beyond so many share a bucket with their neighbours.
pub const BUCKETS: usize = 32;
/// Nodes that one thread looks at before it takes the next ones.
const BLOCK: usize = 1 << 16;

/// What is known of one source line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Intervals that began there; those inside of what the recorder folded count where that began.
    pub intervals: i64,
    /// Their work.
    pub work: i64,
    /// The longest one.
    pub largest: i64,
    /// How many of each length, by [`bin`]; what the recorder folded is not in it.
    lengths: Vec<u32>,
    /// Work by bucket of neighbouring workers.
    pub by_worker: Vec<i64>,
    /// Time on the critical path.
    pub critical: i64,
    /// Time in which workers stood at a wait of this line and had nothing to run.
    pub waited: i64,
    /// Time until locks that this line acquires were free; a part of somebody's work.
    pub lock_wait: i64,
    /// Time in which this line held locks.
    pub lock_held: i64,
    /// How often it acquired one.
    pub locks: i64,
}

impl Line {
    fn new(buckets: usize) -> Self {
        Line {
            intervals: 0,
            work: 0,
            largest: 0,
            lengths: Vec::new(),
            by_worker: vec![0; buckets],
            critical: 0,
            waited: 0,
            lock_wait: 0,
            lock_held: 0,
            locks: 0,
        }
    }

    /// Adds what another one has.
    pub fn add(&mut self, other: &Line) {
        self.intervals = self.intervals.saturating_add(other.intervals);
        self.work = self.work.saturating_add(other.work);
        self.largest = self.largest.max(other.largest);
        if self.lengths.is_empty() {
            self.lengths.clone_from(&other.lengths);
        } else {
            self.lengths.iter_mut().zip(&other.lengths).for_each(|(a, b)| *a = a.saturating_add(*b));
        }
        self.by_worker.iter_mut().zip(&other.by_worker).for_each(|(a, b)| *a = a.saturating_add(*b));
        self.critical = self.critical.saturating_add(other.critical);
        self.waited = self.waited.saturating_add(other.waited);
        self.lock_wait = self.lock_wait.saturating_add(other.lock_wait);
        self.lock_held = self.lock_held.saturating_add(other.lock_held);
        self.locks = self.locks.saturating_add(other.locks);
    }

    /// The length that half of the intervals do not reach, to within 5 %; none without intervals.
    pub fn median(&self) -> Option<f64> {
        let count: u64 = self.lengths.iter().map(|&n| u64::from(n)).sum();
        let mut rest = count.div_ceil(2);
        for (bin, &n) in self.lengths.iter().enumerate() {
            if n > 0 && u64::from(n) >= rest {
                return Some(middle(bin).min(self.largest as f64));
            }
            rest -= u64::from(n).min(rest);
        }
        None
    }

    /// How many intervals of each length: the first bin that holds any, and the numbers from there on, an octave for two.
    pub fn histogram(&self) -> (i32, Vec<f64>) {
        let coarse: Vec<f64> = self
            .lengths
            .chunks(FINE as usize / 2)
            .map(|bins| bins.iter().map(|&n| f64::from(n)).sum())
            .collect();
        let first = coarse.iter().position(|&n| n > 0.0).unwrap_or(0);
        let last = coarse.iter().rposition(|&n| n > 0.0).map_or(first, |last| last + 1);
        (first as i32, coarse[first..last.max(first)].to_vec())
    }
}

/// The bin of a length.
fn bin(length: i64) -> usize {
    let length = length.max(1) as u64;
    let octave = 63 - length.leading_zeros();
    // The three bits after the first one.
    let fine = if octave >= 3 { length >> (octave - 3) & 7 } else { length << (3 - octave) & 7 };
    (octave * FINE) as usize + fine as usize
}

/// A length in the middle of a bin.
fn middle(bin: usize) -> f64 {
    let (octave, fine) = (bin as u32 / FINE, bin as u32 % FINE);
    let unit = (f64::from(octave)).exp2() / f64::from(FINE);
    // Below eight units of time a bin is one length.
    if octave < 3 { (unit * f64::from(FINE + fine)).floor() } else { unit * (f64::from(FINE + fine) + 0.5) }
}

/// All lines.
#[derive(Debug, Default)]
pub struct Lines {
    /// By source id.
    pub lines: Vec<Line>,
    /// Neighbouring workers that share a bucket.
    pub share: usize,
}

impl Lines {
    /// Of all intervals of a run.
    pub fn of(tasks: &Tasks) -> Self {
        let share = tasks.workers().div_ceil(BUCKETS).max(1);
        let buckets = tasks.workers().div_ceil(share).max(1);
        let sites = tasks.sources().site_count();
        let nodes = tasks.tree().node_count();
        let by_site = (0..nodes.div_ceil(BLOCK))
            .into_par_iter()
            .fold(
                || vec![None; sites],
                |mut lines, block| {
                    let nodes = block * BLOCK..((block + 1) * BLOCK).min(nodes);
                    add(tasks, nodes, (share, buckets), &mut lines);
                    lines
                },
            )
            .reduce(|| vec![None; sites], merged);
        let count = tasks.sources().source_count();
        let mut lines = Lines { lines: vec![Line::new(buckets); count], share };
        for (site, line) in by_site.into_iter().enumerate() {
            if let (Some(line), Some(source)) = (line, source_of(tasks, site as u32)) {
                lines.lines[source].add(&line);
            }
        }
        critical(tasks, &mut lines.lines);
        for (line, waited) in lines.lines.iter_mut().zip(tasks.waited_by_line()) {
            line.waited = waited;
        }
        for used in tasks.lock_uses() {
            if let Some(line) = lines.lines.get_mut(used.source as usize) {
                line.lock_wait = line.lock_wait.saturating_add(used.waited.max(0));
                line.lock_held = line.lock_held.saturating_add(used.held.max(0));
                line.locks = line.locks.saturating_add(used.count.max(0));
            }
        }
        lines
    }

    /// Some lines together.
    pub fn together(&self, set: &[u32]) -> Line {
        let buckets = self.lines.first().map_or(1, |line| line.by_worker.len());
        let mut all = Line::new(buckets);
        set.iter().filter_map(|&id| self.lines.get(id as usize)).for_each(|line| all.add(line));
        all
    }
}

/// The source at which an interval of a site began.
fn source_of(tasks: &Tasks, site: u32) -> Option<usize> {
    let from = tasks.sources().site(site)?.from as usize;
    (from < tasks.sources().source_count()).then_some(from)
}

fn add(
    tasks: &Tasks,
    nodes: std::ops::Range<usize>,
    (share, buckets): (usize, usize),
    lines: &mut [Option<Line>],
) {
    for node in nodes {
        let id = NodeId(node as u32);
        if !tasks.tree().is_leaf(id) {
            continue;
        }
        let Some(line) = lines.get_mut(tasks.site(id) as usize) else { continue };
        let line = line.get_or_insert_with(|| Line { lengths: vec![0; BINS], ..Line::new(buckets) });
        let work = tasks.work(id);
        line.work = line.work.saturating_add(work);
        if let Some(worker) = tasks.worker(id) {
            let slot = &mut line.by_worker[(worker / share).min(buckets - 1)];
            *slot = slot.saturating_add(work);
        }
        if tasks.is_collapsed(id) {
            line.intervals =
                tasks.counts(node..node + 1).into_iter().fold(line.intervals, i64::saturating_add);
        } else {
            line.intervals = line.intervals.saturating_add(1);
            line.largest = line.largest.max(work);
            let count = &mut line.lengths[bin(work)];
            *count = count.saturating_add(1);
        }
    }
}

fn merged(mut a: Vec<Option<Line>>, b: Vec<Option<Line>>) -> Vec<Option<Line>> {
    for (a, b) in a.iter_mut().zip(b) {
        match (a.as_mut(), b) {
            (Some(a), Some(b)) => a.add(&b),
            (None, Some(b)) => *a = Some(b),
            (_, None) => {}
        }
    }
    a
}

/// Walks down the critical path of the run, from the root to its intervals.
fn critical(tasks: &Tasks, lines: &mut [Line]) {
    let mut stack = vec![(NodeId::ROOT, tasks.critical_root())];
    while let Some((node, way)) = stack.pop() {
        if tasks.tree().is_leaf(node) {
            if let Some(source) = source_of(tasks, tasks.site(node)) {
                lines[source].critical = lines[source].critical.saturating_add(tasks.span(node));
            }
            continue;
        }
        let inside = tasks.critical_inside(node, &way);
        stack.extend(tasks.tree().children(node).filter_map(|child| Some((child, inside.way(child)?))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_grow_with_the_length_and_hold_it() {
        let mut last = 0;
        for length in (1..5000).chain((1..60).map(|bit| 1i64 << bit)).chain([i64::MAX]) {
            let at = bin(length);
            assert!(at < BINS && (at >= last || length < 5000), "{length}");
            let middle = middle(at);
            assert!((middle / length as f64 - 1.0).abs() < 0.07, "{length} is near {middle}");
            last = at;
        }
    }

    #[test]
    fn a_median_is_near_the_middle_one() {
        let mut line = Line { lengths: vec![0; BINS], largest: 1_000_000, ..Line::new(1) };
        assert_eq!(line.median(), None);
        for length in [10, 20, 1000, 1_000_000, 1_000_000] {
            line.lengths[bin(length)] += 1;
        }
        assert!((line.median().unwrap() / 1000.0 - 1.0).abs() < 0.07);
        let (first, numbers) = line.histogram();
        assert_eq!((first, numbers.iter().sum::<f64>()), (6, 5.0));
    }
}
