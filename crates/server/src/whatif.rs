//! Predictions of an open run: its overhead and its curve as it is are made once, what a faster part would change is kept
//! for the questions asked last. All of it runs on threads of its own, so that pictures do not wait behind a replay.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crosscut_tasks::{Bounds, Change, Overhead, Point, Tasks, WhatIf, WhatIfError};
use crosscut_tree::NodeId;

/// Answers about faster parts that are kept.
const KEPT: usize = 64;
/// Up to so many nodes, all points together, a faster part gets a whole curve: a slider waits for it.
const LIVE: usize = 1 << 21;

/// What is known of a run.
#[derive(Debug, Default)]
pub struct Predictions {
    overhead: OnceLock<Overhead>,
    before: OnceLock<Curve>,
    /// By node and factor, the one used last at the end.
    after: Mutex<VecDeque<Arc<After>>>,
}

/// Times by number of workers, and what limits them.
#[derive(Debug)]
pub struct Curve {
    pub points: Vec<Point>,
    pub bounds: Bounds,
}

#[derive(Debug)]
pub struct After {
    node: NodeId,
    faster: f64,
    pub curve: Curve,
}

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
    pub fn before(&self, tasks: &Tasks) -> &Curve {
        self.before.get_or_init(|| {
            let workers = counts(tasks.workers() as u32);
            // Nothing is asked for that could be refused.
            self.curve(tasks, &workers, &Change::default()).unwrap_or_else(|_| Curve::empty())
        })
    }

    /// The run if a subtree were so many times as fast.
    pub fn after(&self, tasks: &Tasks, node: NodeId, faster: f64) -> Result<Arc<After>, WhatIfError> {
        let is = |after: &Arc<After>| after.node == node && after.faster == faster;
        let lock = || self.after.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut kept = lock();
            if let Some(after) = kept.iter().position(is).and_then(|at| kept.remove(at)) {
                kept.push_back(after.clone());
                return Ok(after);
            }
        }
        let own = tasks.workers() as u32;
        let mut workers = counts(own);
        if tasks.tree().node_count().saturating_mul(workers.len()) > LIVE {
            workers = vec![own.clamp(1, WhatIf::MOST_WORKERS)];
        }
        let change = Change::default().faster(node, faster);
        let curve = self.curve(tasks, &workers, &change)?;
        let after = Arc::new(After { node, faster, curve });
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(after.clone());
        Ok(after)
    }

    /// Whether a point is exact must not depend on how many are asked for: what is compared is made alike.
    fn curve(&self, tasks: &Tasks, workers: &[u32], change: &Change) -> Result<Curve, WhatIfError> {
        let whatif = WhatIf::with_overhead(tasks, self.overhead(tasks));
        let each = WhatIf::BUDGET / counts(tasks.workers() as u32).len();
        apart(|| {
            let points = whatif.curve_within(each * workers.len(), workers, change)?;
            Ok(Curve { points, bounds: whatif.bounds(change)? })
        })
    }
}

impl Curve {
    fn empty() -> Self {
        Curve { points: Vec::new(), bounds: Bounds { work: 0, span: 0 } }
    }
}

/// Runs on threads that nothing else uses, one fewer than there are cores.
fn apart<T: Send>(make: impl FnOnce() -> T + Send) -> T {
    static POOL: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = rayon::ThreadPoolBuilder::new().num_threads((cores - 1).max(1));
        threads.thread_name(|i| format!("whatif {i}")).build().ok()
    });
    match pool {
        Some(pool) => pool.install(make),
        None => make(),
    }
}
