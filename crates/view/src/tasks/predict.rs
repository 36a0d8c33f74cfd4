//! Predictions of an open run: its overhead and its curve as it is are made once, what a faster part would change is kept
//! for the questions asked last. All of it runs on threads of its own, so that pictures do not wait behind a replay.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crosscut_tasks::{Bounds, Change, Overhead, Point, Tasks, WhatIf};
use crosscut_tree::NodeId;
use crosscut_workbench::{Refusal, slow_threads};

/// Answers about faster parts that are kept.
const KEPT: usize = 64;
/// Up to so many nodes, all points together, a faster part gets a whole curve: a slider waits for it.
const LIVE: usize = 1 << 21;

/// What is known of a run.
#[derive(Debug, Default)]
pub struct Predictions {
    overhead: OnceLock<Overhead>,
    before: Mutex<Option<Arc<Curve>>>,
    /// By what is faster and how much, the one used last at the end.
    after: Mutex<VecDeque<Arc<After>>>,
}

/// Times by number of workers, and what limits them.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Fewest workers first.
    pub points: Vec<Point>,
    /// What no schedule can beat.
    pub bounds: Bounds,
}

/// What is made faster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Subtrees.
    pub nodes: Vec<NodeId>,
    /// All that began at these sources, by their ids.
    pub lines: Vec<u32>,
}

impl Changed {
    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.lines.is_empty()
    }
}

impl From<NodeId> for Changed {
    fn from(node: NodeId) -> Self {
        Changed { nodes: vec![node], lines: Vec::new() }
    }
}

#[derive(Debug)]
struct After {
    what: Changed,
    faster: f64,
    curve: Arc<Curve>,
}

/// How far a curve is: points that are known, and how many there will be. It may give up.
pub type Watch<'a> = &'a mut dyn FnMut(&Curve, usize) -> Result<(), Refusal>;

/// The numbers of workers that a curve has: those of every curve, and the run's own.
pub fn counts(workers: u32) -> Vec<u32> {
    let mut counts = WhatIf::WORKERS.to_vec();
    counts.push(workers.clamp(1, WhatIf::MOST_WORKERS));
    counts.sort_unstable();
    counts.dedup();
    counts
}

impl Predictions {
    /// What a task cost beside its intervals.
    pub fn overhead(&self, tasks: &Tasks) -> Overhead {
        *self.overhead.get_or_init(|| Overhead::of(tasks))
    }

    /// The run as it is: some seconds for the largest runs, the first time.
    pub fn before(&self, tasks: &Tasks, watch: Watch<'_>) -> Result<Arc<Curve>, Refusal> {
        let lock = || self.before.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*lock() {
            return Ok(known.clone());
        }
        let curve = Arc::new(self.curve(tasks, &own_counts(tasks), &Change::default(), watch)?);
        *lock() = Some(curve.clone());
        Ok(curve)
    }

    /// The run if something were so many times as fast; of a large run only on the workers that it had.
    pub fn after(
        &self,
        tasks: &Tasks,
        what: &Changed,
        faster: f64,
        watch: Watch<'_>,
    ) -> Result<Arc<Curve>, Refusal> {
        let is = |after: &Arc<After>| after.what == *what && after.faster == faster;
        let lock = || self.after.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut kept = lock();
            if let Some(after) = kept.iter().position(is).and_then(|at| kept.remove(at)) {
                kept.push_back(after.clone());
                return Ok(after.curve.clone());
            }
        }
        let mut workers = own_counts(tasks);
        if tasks.tree().node_count().saturating_mul(workers.len()) > LIVE {
            workers = vec![(tasks.workers() as u32).clamp(1, WhatIf::MOST_WORKERS)];
        }
        let change = what.nodes.iter().fold(Change::default(), |change, &node| change.faster(node, faster));
        let change = what.lines.iter().fold(change, |change, &line| change.line(line, faster));
        let curve = Arc::new(self.curve(tasks, &workers, &change, watch)?);
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(Arc::new(After { what: what.clone(), faster, curve: curve.clone() }));
        Ok(curve)
    }

    /// As many points at once as there are threads; who watches is told after each batch. Whether a point is exact must not
    /// depend on how many are asked for: what is compared is made alike.
    fn curve(
        &self,
        tasks: &Tasks,
        workers: &[u32],
        change: &Change,
        watch: Watch<'_>,
    ) -> Result<Curve, Refusal> {
        let whatif = WhatIf::with_overhead(tasks, self.overhead(tasks));
        let refused = |error: crosscut_tasks::WhatIfError| Refusal::new(error.to_string());
        let each = WhatIf::BUDGET / own_counts(tasks).len();
        let bounds = apart(|| whatif.bounds(change)).map_err(refused)?;
        let mut curve = Curve { points: Vec::with_capacity(workers.len()), bounds };
        watch(&curve, workers.len())?;
        for batch in workers.chunks(threads()) {
            let points = apart(|| whatif.curve_within(each * batch.len(), batch, change));
            curve.points.extend(points.map_err(refused)?);
            watch(&curve, workers.len())?;
        }
        Ok(curve)
    }
}

fn own_counts(tasks: &Tasks) -> Vec<u32> {
    counts(tasks.workers() as u32)
}

/// One fewer than there are cores.
fn threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    (cores - 1).max(1)
}

/// Runs on threads that nothing else uses.
fn apart<T: Send>(make: impl FnOnce() -> T + Send) -> T {
    static POOL: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    match POOL.get_or_init(|| slow_threads("whatif", threads())) {
        Some(pool) => pool.install(make),
        None => make(),
    }
}
