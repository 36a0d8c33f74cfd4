//! Code that takes longer than in a run with one worker: work by line, here and there.

use crosscut_run::Source;
use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::roles::Sites;
use crate::schema::{Kind, Mark};
use crate::tasks::Tasks;

/// Work that is less than so many times as long is not worth a word: clocks and caches differ by that.
pub const GROWN: f64 = 1.2;

/// A line whose intervals take longer here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grown {
    /// The line, by number of its source.
    pub line: u32,
    pub work: i64,
    /// What the same line works in the other run.
    pub before: i64,
    /// How much all other lines grow.
    pub others: f64,
    /// Its longest interval.
    pub node: u32,
    /// Without another run: cycles for each instruction, alone and beside others. Then `before` is what it would work if it had
    /// taken no more than alone.
    pub cycles: Option<(f64, f64)>,
}

impl Grown {
    pub fn ratio(&self) -> f64 {
        self.work as f64 / self.before.max(1) as f64
    }
}

/// Work of intervals that begin at a line, and the longest of them.
#[derive(Clone, Copy, Default)]
struct Line {
    work: i64,
    longest: (i64, u32),
}

fn lines(tasks: &Tasks) -> HashMap<u32, Line> {
    let sites = Sites::new(tasks);
    let mut lines: HashMap<u32, Line> = HashMap::new();
    for (node, mark) in tasks.marks().iter().enumerate() {
        let work = tasks.own_work(node);
        if work == 0 || Mark(*mark).kind() == Kind::Fork {
            continue;
        }
        let line = lines.entry(sites.from(tasks.site(NodeId(node as u32)))).or_default();
        line.work = line.work.saturating_add(work);
        line.longest = line.longest.max((work, node as u32));
    }
    lines
}

/// The lines that grow, in the order of lines.
pub fn grown(tasks: &Tasks, baseline: &Tasks) -> Vec<Grown> {
    let (here, there) = (lines(tasks), lines(baseline));
    let by_source: HashMap<&Source, i64> =
        there.iter().filter_map(|(&line, found)| Some((baseline.sources().get(line)?, found.work))).collect();
    let mut matched: Vec<Grown> = here
        .iter()
        .filter_map(|(&line, found)| {
            let before = *by_source.get(tasks.sources().get(line)?)?;
            Some(Grown { line, work: found.work, before, others: 1.0, node: found.longest.1, cycles: None })
        })
        .collect();
    let (work, before) = matched.iter().fold((0, 0), |sum, line| (sum.0 + line.work, sum.1 + line.before));
    for line in &mut matched {
        line.others = (work - line.work) as f64 / (before - line.before).max(1) as f64;
    }
    matched.retain(|line| line.before > 0 && line.ratio() > GROWN);
    matched.sort_unstable_by_key(|line| line.line);
    matched
}
