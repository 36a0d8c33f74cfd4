//! Problems: grains whose metrics cross a threshold. A problem with its threshold is a lens over the aggregation tree: it
//! keeps the grains that have the problem and the groups around them; the rest is folded. Nothing is copied, so problem
//! views switch at once.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use crosscut_tree::{Lens, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use super::table::{GrainRow, GrainTable, Slot};
use super::{Deviation, GrainKind, Grains};
use crate::tasks::Tasks;

/// What can be wrong with a grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Problem {
    /// It is hardly worth a grain of its own: work / (creation + sync) is low.
    LowParallelBenefit,
    /// It works longer than in a run with one worker.
    WorkDeviation,
    /// It waits for memory too much of its time.
    MemoryStall,
    /// Too few grains are in progress beside it.
    LowParallelism,
    /// One of the grains of its join works much longer than the others.
    SiblingImbalance,
    /// The grains of its join ran far from each other.
    SiblingScatter,
    /// One chunk of its loop works much longer than the others.
    ChunkImbalance,
}

impl Problem {
    /// All of them.
    pub const ALL: [Problem; 7] = [
        Problem::LowParallelBenefit,
        Problem::WorkDeviation,
        Problem::MemoryStall,
        Problem::LowParallelism,
        Problem::SiblingImbalance,
        Problem::SiblingScatter,
        Problem::ChunkImbalance,
    ];

    /// Stable word, as on the command line and in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Problem::LowParallelBenefit => "low-parallel-benefit",
            Problem::WorkDeviation => "work-deviation",
            Problem::MemoryStall => "memory-stall",
            Problem::LowParallelism => "low-parallelism",
            Problem::SiblingImbalance => "sibling-imbalance",
            Problem::SiblingScatter => "sibling-scatter",
            Problem::ChunkImbalance => "chunk-imbalance",
        }
    }

    /// The metric that decides, in words.
    pub fn metric(self) -> &'static str {
        match self {
            Problem::LowParallelBenefit => "parallel benefit",
            Problem::WorkDeviation => "work deviation",
            Problem::MemoryStall => "memory stall share",
            Problem::LowParallelism => "instantaneous parallelism",
            Problem::SiblingImbalance => "sibling work balance",
            Problem::SiblingScatter => "sibling scatter",
            Problem::ChunkImbalance => "chunk work balance",
        }
    }

    /// What to try against it.
    pub fn advice(self) -> &'static str {
        match self {
            Problem::LowParallelBenefit => "run such tasks inline: cut off earlier, or give each more to do",
            Problem::WorkDeviation => {
                "the same work takes longer beside others: look for memory that is far away or shared"
            }
            Problem::MemoryStall => "block for caches, keep data near the core that uses it",
            Problem::LowParallelism => "expose more tasks here: split what runs alone, or start it earlier",
            Problem::SiblingImbalance => "divide the work of the join more evenly, largest first",
            Problem::SiblingScatter => "keep the tasks of a join near each other: bind threads, use affinity",
            Problem::ChunkImbalance => "use smaller chunks, or a dynamic or guided schedule",
        }
    }

    /// Whether small values are bad.
    pub fn is_below(self) -> bool {
        matches!(self, Problem::LowParallelBenefit | Problem::LowParallelism)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Problem {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Problem::ALL.into_iter().find(|problem| problem.word() == text).ok_or_else(|| {
            let words: Vec<&str> = Problem::ALL.iter().map(|problem| problem.word()).collect();
            format!("there is no problem `{text}`; there are {}", words.join(", "))
        })
    }
}

/// The thresholds of all problems; those that are not set follow from the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thresholds {
    set: [Option<f64>; Problem::ALL.len()],
}

impl Thresholds {
    /// The one that was set, if any.
    pub fn given(&self, problem: Problem) -> Option<f64> {
        self.set[problem as usize]
    }

    /// Sets one.
    pub fn set(&mut self, problem: Problem, threshold: f64) {
        self.set[problem as usize] = Some(threshold);
    }

    /// The threshold of a problem in a run.
    pub fn of(&self, problem: Problem, grains: &Grains) -> f64 {
        self.set[problem as usize].unwrap_or_else(|| match problem {
            Problem::LowParallelBenefit => 1.0,
            Problem::WorkDeviation => 2.0,
            Problem::MemoryStall => 0.5,
            Problem::LowParallelism => f64::from(grains.workers()),
            Problem::SiblingImbalance | Problem::ChunkImbalance => 2.0,
            Problem::SiblingScatter => f64::from(grains.cores()) / 4.0,
        })
    }
}

/// The grains that have a problem.
#[derive(Clone, Debug)]
pub struct ProblemSet {
    /// Which problem.
    pub problem: Problem,
    /// Its threshold.
    pub threshold: f64,
    /// Keeps these grains and the groups around them.
    pub lens: Arc<Lens>,
    /// How many there are.
    pub grains: usize,
}

impl ProblemSet {
    /// How many of a range of nodes have it.
    #[inline]
    pub fn inside(&self, nodes: Range<usize>) -> usize {
        self.lens.chosen().count_in(nodes)
    }
}

impl Grains {
    /// Whether the run knows what this problem takes.
    pub fn is_available(&self, problem: Problem, deviation: Option<&Deviation>) -> bool {
        match problem {
            Problem::WorkDeviation => deviation.is_some(),
            Problem::MemoryStall => !self.grains.stall.is_empty(),
            Problem::ChunkImbalance => self.has_chunks,
            _ => true,
        }
    }

    /// The metric of a grain by number that decides about a problem; not a number where it has none.
    #[inline]
    pub(super) fn value(&self, problem: Problem, grain: usize, deviation: Option<&Deviation>) -> f32 {
        let GrainTable { row, beside, parallelism, stall, .. } = &self.grains;
        let is_chunk = row[grain].kind == GrainKind::Chunk;
        match problem {
            Problem::LowParallelBenefit => self.grains.benefit(grain),
            Problem::WorkDeviation => deviation.map_or(f32::NAN, |deviation| deviation.of(grain)),
            Problem::MemoryStall => stall.get(grain).copied().unwrap_or(f32::NAN),
            Problem::LowParallelism => parallelism[grain],
            Problem::SiblingImbalance if !is_chunk => beside[grain].balance,
            Problem::ChunkImbalance if is_chunk => beside[grain].balance,
            Problem::SiblingImbalance | Problem::ChunkImbalance => f32::NAN,
            Problem::SiblingScatter => beside[grain].scatter,
        }
    }

    /// The metric of a node that decides about a problem: of a group the worst of its grains.
    pub fn problem_value(
        &self,
        problem: Problem,
        node: NodeId,
        deviation: Option<&Deviation>,
    ) -> Option<f64> {
        let value = |grain: usize| self.value(problem, grain, deviation);
        let range = self.grain_range(node);
        let worst = match problem {
            Problem::LowParallelBenefit => self.worst[0].over(range, value),
            Problem::SiblingScatter => self.worst[2].over(range, value),
            Problem::LowParallelism => self.worst[3].over(range, value),
            // Few runs have these, and a group is asked for one at a time.
            _ => range.map(value).fold(f32::NAN, f32::max),
        };
        (!worst.is_nan()).then_some(f64::from(worst))
    }

    /// The grains that have a problem.
    pub fn problem(&self, problem: Problem, threshold: f64, deviation: Option<&Deviation>) -> ProblemSet {
        let has = |value: f32| {
            if problem.is_below() { f64::from(value) < threshold } else { f64::from(value) > threshold }
        };
        let worst = match problem {
            Problem::LowParallelBenefit => Some(&self.worst[0]),
            Problem::SiblingImbalance | Problem::ChunkImbalance => Some(&self.worst[1]),
            Problem::SiblingScatter => Some(&self.worst[2]),
            Problem::LowParallelism => Some(&self.worst[3]),
            Problem::WorkDeviation | Problem::MemoryStall => None,
        };
        let chosen = NodeSet::from_blocks(self.slot.len(), |nodes| {
            let grains = self.first_grain(nodes.start)..self.first_grain(nodes.end);
            if grains.is_empty() || worst.is_some_and(|worst| !worst.around(grains.clone()).any(has)) {
                return 0;
            }
            let last = self.grain_count() - 1;
            let mut grain = grains.start;
            let mut bits = 0;
            for (i, slot) in self.slot[nodes].iter().enumerate() {
                // The grain that comes next is looked at where a group stands too: no processor foresees which is which.
                let is_grain = !slot.is_group();
                bits |= u64::from(is_grain & has(self.value(problem, grain.min(last), deviation))) << i;
                grain += usize::from(is_grain);
            }
            bits
        });
        ProblemSet { problem, threshold, grains: chosen.len(), lens: Arc::new(Lens::new(chosen)) }
    }

    /// Time that the grains with a problem cost, summed over workers; 0 where that is not available, as of scatter. What keeps
    /// workers from working cannot cost more than the time in which they did not.
    pub fn time_lost(&self, tasks: &Tasks, set: &ProblemSet, deviation: Option<&Deviation>) -> i64 {
        let lost = |node: NodeId| match self.slot[node.index()].get() {
            Slot::Grain(g) => self.lost(set.problem, g as usize, deviation),
            Slot::Group(_) => 0.0,
        };
        let sum = || set.lens.chosen().iter().map(lost).sum::<f64>().round() as i64;
        match set.problem {
            Problem::WorkDeviation | Problem::MemoryStall => sum(),
            Problem::SiblingImbalance | Problem::ChunkImbalance => {
                self.lost_at_joins(tasks, set).min(self.idle)
            }
            Problem::LowParallelBenefit | Problem::LowParallelism | Problem::SiblingScatter => {
                sum().min(self.idle)
            }
        }
    }

    /// What one grain costs because of a problem that is its own.
    pub(super) fn lost(&self, problem: Problem, grain: usize, deviation: Option<&Deviation>) -> f64 {
        let work = self.grains.work[grain] as f64;
        let value = f64::from(self.value(problem, grain, deviation));
        match problem {
            // Run inline, it would be neither created nor joined.
            Problem::LowParallelBenefit => self.grains.cost(grain) as f64,
            Problem::WorkDeviation => work - work / value,
            Problem::MemoryStall => work * value,
            // With n < P grains in progress, P − n workers have nothing to do: its share of that.
            Problem::LowParallelism => work * (f64::from(self.workers) - value).max(0.0) / value.max(1.0),
            _ => 0.0,
        }
    }

    /// With n grains at a join, min(n, P) workers have to wait for the longest, or have as much to do each: what they do not
    /// work until then. The chunks of each loop are such a join by themselves.
    fn lost_at_joins(&self, tasks: &Tasks, set: &ProblemSet) -> i64 {
        let mut joins: Vec<NodeId> =
            set.lens.chosen().iter().filter_map(|grain| self.join_of(grain)).collect();
        joins.sort_unstable();
        joins.dedup();
        let mut lost = 0.0;
        for join in joins {
            let mut works: Vec<(u32, i64)> = Vec::new();
            for grain in self.tree().children(join).filter_map(|member| self.head(member)) {
                let GrainRow { kind, task, .. } = self.grains.row[grain];
                let site = match (set.problem, kind) {
                    (Problem::ChunkImbalance, GrainKind::Chunk) => tasks.site(NodeId(task)),
                    (Problem::ChunkImbalance, _) | (_, GrainKind::Chunk | GrainKind::Folded) => continue,
                    _ => 0,
                };
                works.push((site, self.grains.work[grain]));
            }
            works.sort_unstable();
            for alike in works.chunk_by(|a, b| a.0 == b.0) {
                let largest = alike[alike.len() - 1].1 as f64;
                let sum = alike.iter().map(|&(_, work)| work as f64).sum::<f64>();
                if set.problem != Problem::ChunkImbalance
                    || largest * alike.len() as f64 / sum > set.threshold
                {
                    lost += (largest * alike.len().min(self.workers as usize) as f64 - sum).max(0.0);
                }
            }
        }
        lost.round() as i64
    }

    /// The grain of a member of a fork-join: itself, or the first of its linear group.
    fn head(&self, member: NodeId) -> Option<usize> {
        match self.slot[member.index()].get() {
            Slot::Grain(g) => Some(g as usize),
            Slot::Group(_) if self.kind(member) == GrainKind::Linear => {
                match self.slot[member.index() + 1].get() {
                    Slot::Grain(g) => Some(g as usize),
                    Slot::Group(_) => None,
                }
            }
            Slot::Group(_) => None,
        }
    }

    /// The fork-join that joins a grain.
    pub fn join_of(&self, grain: NodeId) -> Option<NodeId> {
        let tree = self.tree();
        let parent = tree.parent(grain)?;
        match self.kind(parent) {
            GrainKind::ForkJoin => Some(parent),
            _ => tree.parent(parent),
        }
    }

    /// The grains of a problem that cost most, most costly first.
    pub fn worst_grains(
        &self,
        set: &ProblemSet,
        deviation: Option<&Deviation>,
        limit: usize,
    ) -> Vec<(NodeId, i64)> {
        let mut worst: Vec<(NodeId, i64)> = Vec::new();
        for node in set.lens.chosen().iter() {
            let cost = self.cost_in(set, node, deviation);
            if worst.len() < limit || worst.last().is_some_and(|&(_, least)| cost > least) {
                let at = worst.partition_point(|&(_, more)| more >= cost);
                worst.insert(at, (node, cost));
                worst.truncate(limit);
            }
        }
        worst
    }
}
