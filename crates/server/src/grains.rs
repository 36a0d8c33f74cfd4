//! The grain graph of an open run: made once, in the background from when the server starts, with the sets of grains
//! that have a problem. Sets are kept by problem and threshold, so that problem views switch at once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Class, Deviation, Grains, Problem, ProblemSet, Theta, Thresholds};
use crosscut_tasks::schema::Kind;
use crosscut_tree::{Cut, NodeId};
use crosscut_view::grain as view;

use crate::answer::Refusal;
use crate::protocol::LensRequest;
use crate::{FIRST_ITEMS, OpenRun};

/// Sets that are kept beside those of the run's own thresholds.
const KEPT: usize = 16;
/// Worst grains that are known of each problem.
const WORST: usize = 8;
/// Shapes of groups that are known.
const CLASSES: usize = 12;

/// The grain graph of a run with everything that is known of it.
#[derive(Debug)]
pub struct GrainRun {
    pub grains: Grains,
    pub deviation: Option<Deviation>,
    /// The cut that the grain view opens with.
    pub first_cut: Cut,
    /// Critical paths of wide groups that were asked for.
    pub paths: view::Paths,
    thresholds: Thresholds,
    whole: OnceLock<Whole>,
    by_task: OnceLock<ByTask>,
    /// By problem, with the run's own threshold.
    own: [OnceLock<Arc<Known>>; Problem::ALL.len()],
    /// Others, the one used last at the end.
    others: Mutex<VecDeque<Arc<Known>>>,
}

/// How the node of a task is found.
#[derive(Debug)]
enum ByTask {
    /// Nodes are in the order of their tasks, as they are unless waits join tasks that others created.
    InOrder,
    /// All nodes by their task.
    Sorted(Vec<u32>),
}

/// Figures of the whole graph.
#[derive(Debug)]
pub struct Whole {
    pub depth: usize,
    pub theta: Theta,
    pub classes: Vec<Class>,
}

/// The grains that have a problem, and what that costs once somebody asked.
#[derive(Debug)]
pub struct Known {
    pub set: ProblemSet,
    cost: OnceLock<Cost>,
}

/// What a problem costs.
#[derive(Debug)]
pub struct Cost {
    pub time_lost: i64,
    /// Work of the grains that have it.
    pub work: i64,
    pub theta: Theta,
    pub worst: Vec<(NodeId, i64)>,
}

impl Known {
    fn new(run: &GrainRun, problem: Problem, threshold: f64) -> Arc<Self> {
        let set = run.grains.problem(problem, threshold, run.deviation.as_ref());
        Arc::new(Known { set, cost: OnceLock::new() })
    }

    /// What it costs: a pass over its grains the first time.
    pub fn cost(&self, tasks: &Tasks, run: &GrainRun) -> &Cost {
        let (grains, deviation) = (&run.grains, run.deviation.as_ref());
        self.cost.get_or_init(|| Cost {
            time_lost: grains.time_lost(tasks, &self.set, deviation),
            work: self.set.lens.chosen().iter().map(|grain| grains.critical_path(grain)).sum(),
            theta: grains.theta(Some(&self.set)),
            worst: grains.worst_grains(&self.set, deviation, WORST),
        })
    }
}

impl GrainRun {
    /// Makes the graph of a run; takes about a second for ten million grains.
    pub fn new(tasks: &Tasks, baseline: Option<&Tasks>, thresholds: Thresholds) -> Self {
        let grains = Grains::new(tasks);
        let deviation = baseline.map(|other| Deviation::new((tasks, &grains), (other, &Grains::new(other))));
        let first_cut = crosscut_tree::open::fitting(&view::Look::plain(tasks, &grains), FIRST_ITEMS);
        GrainRun {
            grains,
            deviation,
            first_cut,
            paths: view::Paths::default(),
            thresholds,
            whole: OnceLock::new(),
            by_task: OnceLock::new(),
            own: Default::default(),
            others: Mutex::default(),
        }
    }

    /// Computes what the first requests will ask for.
    pub fn prepare(&self, tasks: &Tasks) {
        let all = self.all_known();
        self.by_task();
        self.whole();
        for known in all {
            known.cost(tasks, self);
        }
    }

    /// Figures of the whole graph: a pass over it the first time.
    pub fn whole(&self) -> &Whole {
        self.whole.get_or_init(|| Whole {
            depth: self.grains.tree().max_depth(),
            theta: self.grains.theta(None),
            classes: self.grains.classes(CLASSES),
        })
    }

    fn by_task(&self) -> &ByTask {
        self.by_task.get_or_init(|| {
            let nodes = self.grains.tree().node_count() as u32;
            let task = |node: u32| self.grains.task(NodeId(node));
            if (1..nodes).all(|node| task(node - 1) <= task(node)) {
                return ByTask::InOrder;
            }
            let mut sorted: Vec<u32> = (0..nodes).collect();
            sorted.sort_by_key(|&node| task(node));
            ByTask::Sorted(sorted)
        })
    }

    /// The grain that a node of the task tree belongs to, or the group that stands for it.
    pub fn of_task(&self, tasks: &Tasks, node: NodeId) -> NodeId {
        let of = |node: u32| self.grains.task(NodeId(node));
        let nodes = self.grains.tree().node_count() as u32;
        let first = |task: NodeId| match self.by_task() {
            ByTask::Sorted(sorted) => sorted.get(sorted.partition_point(|&node| of(node) < task)).copied(),
            ByTask::InOrder => {
                let (mut low, mut high) = (0, nodes);
                while low < high {
                    let middle = low.midpoint(high);
                    if of(middle) < task { low = middle + 1 } else { high = middle }
                }
                (low < nodes).then_some(low)
            }
        };
        let found = |task: NodeId| first(task).filter(|&node| of(node) == task).map(NodeId);
        let above = std::iter::once(node).chain(tasks.tree().ancestors(node));
        let has_one = |task: &NodeId| tasks.kind(*task).is_collective() || tasks.kind(*task) == Kind::Chunk;
        above.filter(has_one).find_map(found).unwrap_or(NodeId::ROOT)
    }

    /// Where a problem begins when a request does not say.
    pub fn threshold(&self, problem: Problem) -> f64 {
        self.thresholds.of(problem, &self.grains)
    }

    /// The grains that have a problem.
    pub fn known(&self, problem: Problem, threshold: f64) -> Arc<Known> {
        if threshold == self.threshold(problem) {
            return self.own[problem as usize].get_or_init(|| Known::new(self, problem, threshold)).clone();
        }
        let is = |known: &Arc<Known>| known.set.problem == problem && known.set.threshold == threshold;
        let lock = || self.others.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut others = lock();
            if let Some(known) = others.iter().position(is).and_then(|at| others.remove(at)) {
                others.push_back(known.clone());
                return known;
            }
        }
        let known = Known::new(self, problem, threshold);
        let mut others = lock();
        if others.len() >= KEPT {
            others.pop_front();
        }
        others.push_back(known.clone());
        known
    }

    /// The sets of all problems that can be told, with the run's own thresholds.
    pub fn all_known(&self) -> Vec<Arc<Known>> {
        let can_tell = |problem: &Problem| self.missing(*problem).is_none();
        let own = |problem: Problem| self.known(problem, self.threshold(problem));
        Problem::ALL.into_iter().filter(can_tell).map(own).collect()
    }

    /// Why a problem cannot be told in this run, and what to do.
    pub fn missing(&self, problem: Problem) -> Option<&'static str> {
        if self.grains.can_tell(problem, self.deviation.as_ref()) {
            return None;
        }
        Some(match problem {
            Problem::WorkDeviation => {
                "there is no run to compare with: record the program with one worker and open both, `crosscut view RUN --baseline ONE_WORKER_RUN`"
            }
            Problem::MemoryStall => {
                "nobody counted the cycles that waited for memory: record with `--counters cycles,stalled-cycles-backend`"
            }
            Problem::ChunkImbalance => "no chunks of parallel loops were recorded",
            _ => "the run does not hold what it takes to tell it",
        })
    }

    /// The set of a lens.
    pub fn lens(&self, lens: Option<&LensRequest>) -> Result<Option<Arc<Known>>, Refusal> {
        let Some(lens) = lens else { return Ok(None) };
        let problem = self.problem(&lens.problem)?;
        let threshold = match lens.threshold {
            Some(threshold) => finite(threshold)?,
            None => self.threshold(problem),
        };
        match self.missing(problem) {
            Some(why) => Err(format!("{problem} cannot be told: {why}")),
            None => Ok(Some(self.known(problem, threshold))),
        }
    }

    /// A problem by its word.
    pub fn problem(&self, word: &str) -> Result<Problem, Refusal> {
        let short: String = word.chars().take(40).collect();
        short.parse()
    }

    /// A cut from its text; the empty text is the cut that the view opens with.
    pub fn cut(&self, text: &str) -> Result<Cut, Refusal> {
        if text.is_empty() {
            return Ok(self.first_cut.clone());
        }
        Cut::from_text(self.grains.tree(), text).map_err(|error| error.to_string())
    }
}

/// A threshold that can be compared with.
pub fn finite(threshold: f64) -> Result<f64, Refusal> {
    if threshold.is_finite() { Ok(threshold) } else { Err("a threshold must be a finite number".to_owned()) }
}

impl OpenRun {
    /// The grain graph; waits for it while it is made.
    pub fn grain_run(&self) -> &GrainRun {
        self.grains
            .get_or_init(|| GrainRun::new(&self.tasks, self.baseline.as_ref(), self.thresholds.clone()))
    }
}
