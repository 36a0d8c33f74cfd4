//! Schedule what-if: how long a run would take on P workers, or if some of it were faster. The task DAG is replayed under
//! a greedy scheduler; where that would take too long, a smaller DAG with the same work stands for it, and the answer says
//! that it is an estimate. `docs/whatif.md` has the definitions.

mod cost;
mod links;
mod overhead;
mod reduce;
mod replay;
mod scan;
mod without;

use crosscut_tree::NodeId;
use rayon::prelude::*;
use serde::Serialize;
use thiserror::Error;

use crate::frame::Columns;
use crate::tasks::Tasks;
use cost::Recorded;
use links::Links;
pub use overhead::Overhead;
use reduce::Reduced;
pub use replay::{Replay, Step};
use scan::Scan;
pub(crate) use without::Without;

/// What is supposed to be different.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Subtrees that run so many times as fast, slower if that is below 1. What lies in several of them is faster by all.
    pub faster: Vec<(NodeId, f64)>,
    /// Intervals that began at a source, by its number, likewise.
    pub lines: Vec<(u32, f64)>,
    /// Whether creating tasks and waiting for them costs what it cost in the run, or nothing.
    pub overhead: bool,
}

impl Default for Change {
    /// Nothing changes; overhead counts.
    fn default() -> Self {
        Change { faster: Vec::new(), lines: Vec::new(), overhead: true }
    }
}

impl Change {
    /// Lets a subtree run `k` times as fast, too.
    #[must_use]
    pub fn faster(mut self, node: NodeId, k: f64) -> Self {
        self.faster.push((node, k));
        self
    }

    /// Lets intervals that began at a source run `k` times as fast, too.
    #[must_use]
    pub fn line(mut self, source: u32, k: f64) -> Self {
        self.lines.push((source, k));
        self
    }

    /// Lets tasks cost nothing but their intervals.
    #[must_use]
    pub fn without_overhead(mut self) -> Self {
        self.overhead = false;
        self
    }
}

/// A question that has no answer.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum WhatIfError {
    /// A node that the run does not have.
    #[error("there is no node {node}: the run has nodes 0 to {last}", node = node.0)]
    NoNode {
        /// The node.
        node: NodeId,
        /// The last one.
        last: u32,
    },
    /// A factor that is not positive, or beyond all reason.
    #[error("node {node} cannot be {k} times as fast: the factor must be a number from 0.001 to 1000000", node = node.0)]
    Factor {
        /// The node.
        node: NodeId,
        /// The factor.
        k: f64,
    },
    /// No workers, or too many.
    #[error("{0} workers: the number of workers must be 1 to {most}", most = WhatIf::MOST_WORKERS)]
    Workers(u32),
}

/// T1 and T∞ under a change, and what follows from them for every greedy schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// T1: all work, with what overhead is counted.
    pub work: i64,
    /// T∞: the critical path, likewise.
    pub span: i64,
}

impl Bounds {
    /// No schedule is shorter: max(T1 / P, T∞).
    pub fn low(&self, workers: u32) -> i64 {
        let share = self.work as f64 / f64::from(workers.max(1));
        (share.ceil() as i64).max(self.span)
    }

    /// No greedy schedule is longer (Brent): T1 / P + (1 − 1 / P) T∞.
    pub fn high(&self, workers: u32) -> i64 {
        let workers = i128::from(workers.max(1));
        let high = (i128::from(self.work) + (workers - 1) * i128::from(self.span)) / workers;
        i64::try_from(high).unwrap_or(i64::MAX).max(self.low(workers as u32))
    }
}

/// How long the run would take on some number of workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    /// P.
    pub workers: u32,
    /// The prediction.
    pub elapsed: i64,
    /// Busy time of all workers, overhead included.
    pub busy: i64,
    /// No schedule is shorter.
    pub low: i64,
    /// No greedy schedule is longer.
    pub high: i64,
    /// Every interval was replayed. Otherwise it is an estimate between the bounds.
    pub exact: bool,
}

/// Answers questions about one run. Holds nothing but the measured overhead and the dependences.
#[derive(Clone, Debug)]
pub struct WhatIf<'a> {
    tasks: &'a Tasks,
    overhead: Overhead,
    links: Links,
}

/// What is replayed.
enum Program<'a> {
    Recorded(Recorded<'a>),
    Reduced(Box<Reduced>, Links),
    /// Too large, and of a shape that does not become smaller.
    Unknown,
}

impl<'a> WhatIf<'a> {
    /// More workers are not replayed.
    pub const MOST_WORKERS: u32 = 4096;
    /// The workers of a curve, if nobody says otherwise.
    pub const WORKERS: [u32; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
    /// Up to so many nodes, all points of a curve together, every interval is replayed: about two seconds of one core.
    pub const BUDGET: usize = 32_000_000;

    /// Measures the overhead of tasks in the run. Takes some milliseconds, whatever its size.
    pub fn new(tasks: &'a Tasks) -> Self {
        Self::with_overhead(tasks, Overhead::of(tasks))
    }

    /// With an overhead that is known already, or made up.
    pub fn with_overhead(tasks: &'a Tasks, overhead: Overhead) -> Self {
        WhatIf { tasks, overhead, links: Links::new(tasks.dag().depends) }
    }

    /// What a task cost beside its intervals.
    pub fn overhead(&self) -> Overhead {
        self.overhead
    }

    /// T1 and T∞ under a change. Looks at what changed: at everything if overhead counts.
    pub fn bounds(&self, change: &Change) -> Result<Bounds, WhatIfError> {
        self.check(change)?;
        Ok(self.checked_bounds(&self.cost(change)))
    }

    /// Replays every interval on `workers` workers.
    pub fn replay(&self, workers: u32, change: &Change) -> Result<Replay, WhatIfError> {
        self.trace(workers, change, |_| ())
    }

    /// The same, and tells of every step, in the order in which they are known; those of one worker in order.
    pub fn trace(
        &self,
        workers: u32,
        change: &Change,
        step: impl FnMut(Step),
    ) -> Result<Replay, WhatIfError> {
        self.check(change)?;
        check_workers(workers)?;
        Ok(replay::replay(&self.columns(), &self.links, &self.cost(change), workers, step))
    }

    /// The time on each of these numbers of workers: exact within [`WhatIf::BUDGET`], else estimated.
    pub fn speedup_curve(&self, workers: &[u32], change: &Change) -> Result<Vec<Point>, WhatIfError> {
        self.curve_within(Self::BUDGET, workers, change)
    }

    /// The same with another budget, in nodes.
    pub fn curve_within(
        &self,
        budget: usize,
        workers: &[u32],
        change: &Change,
    ) -> Result<Vec<Point>, WhatIfError> {
        self.check(change)?;
        workers.iter().try_for_each(|&workers| check_workers(workers))?;
        let nodes = self.tasks.tree().node_count();
        let cost = self.cost(change);
        let bounds = self.checked_bounds(&cost);
        let program = if nodes.saturating_mul(workers.len()) <= budget {
            Program::Recorded(cost)
        } else {
            self.reduced(&cost, budget / workers.len())
        };
        Ok(workers.par_iter().map(|&workers| self.point(&program, &bounds, workers)).collect())
    }

    fn point(&self, program: &Program<'_>, bounds: &Bounds, workers: u32) -> Point {
        let (low, high) = (bounds.low(workers), bounds.high(workers));
        let (replay, exact) = match program {
            Program::Recorded(cost) => {
                (replay::replay(&self.columns(), &self.links, cost, workers, |_| ()), true)
            }
            Program::Reduced(reduced, links) => {
                (replay::replay(&reduced.columns(), links, &**reduced, workers, |_| ()), false)
            }
            Program::Unknown => (Replay { elapsed: high, busy: bounds.work, moved: 0 }, false),
        };
        let elapsed = if exact { replay.elapsed } else { replay.elapsed.clamp(low, high) };
        Point { workers, elapsed, busy: replay.busy, low, high, exact }
    }

    fn reduced<'b>(&self, cost: &Recorded<'_>, most: usize) -> Program<'b> {
        match Reduced::new(self.tasks, &self.links, cost, most) {
            Some(reduced) => {
                let links = Links::new(reduced.columns().depends);
                Program::Reduced(Box::new(reduced), links)
            }
            None => Program::Unknown,
        }
    }

    fn cost(&self, change: &Change) -> Recorded<'a> {
        Recorded::new(self.tasks, self.overhead, change)
    }

    fn columns(&self) -> Columns<'a> {
        let (tree, dag) = (self.tasks.tree(), self.tasks.dag());
        Columns { len: tree.lens(), parent: tree.parents(), mark: dag.mark, depends: dag.depends }
    }

    fn checked_bounds(&self, cost: &Recorded<'_>) -> Bounds {
        let whole = Scan::default().run(&self.columns(), &self.links, cost, 0);
        Bounds { work: whole.work, span: whole.span.max(whole.tail) }
    }

    fn check(&self, change: &Change) -> Result<(), WhatIfError> {
        let last = self.tasks.tree().node_count() as u32 - 1;
        for &(node, k) in &change.faster {
            if node.0 > last {
                return Err(WhatIfError::NoNode { node, last });
            }
            if !(0.001..=1e6).contains(&k) {
                return Err(WhatIfError::Factor { node, k });
            }
        }
        match change.lines.iter().find(|(_, k)| !(0.001..=1e6).contains(k)) {
            Some(&(_, k)) => Err(WhatIfError::Factor { node: NodeId::ROOT, k }),
            None => Ok(()),
        }
    }
}

fn check_workers(workers: u32) -> Result<(), WhatIfError> {
    let right = (1..=WhatIf::MOST_WORKERS).contains(&workers);
    if right { Ok(()) } else { Err(WhatIfError::Workers(workers)) }
}
