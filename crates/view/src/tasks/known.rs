//! The grain graph of an open run, made once, with the sets of grains that have a problem. Sets are kept by problem and
//! threshold, so that problem views switch at once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crosscut_tasks::grain::{Class, Deviation, Grains, Problem, ProblemSet, Theta, Thresholds, WorstLine};
use crosscut_tasks::schema::Kind;
use crosscut_tasks::{SerialPart, Tasks};
use crosscut_tree::NodeId;
use crosscut_workbench::{LensSpec, Refusal};

use super::grains::Paths;

/// Sets that are kept beside those of the run's own thresholds.
const KEPT: usize = 16;
/// Worst grains that are known of each problem.
const WORST: usize = 8;
/// Shapes of groups that are known.
const CLASSES: usize = 12;

/// The grain graph of a run with everything that is known of it.
#[derive(Debug)]
pub struct GrainRun {
    /// The graph.
    pub grains: Grains,
    /// Work of each grain against the baseline, if there is one with a grain in common.
    pub deviation: Option<Deviation>,
    /// There is a baseline, but nothing in it has a counterpart here.
    pub is_stranger: bool,
    /// Critical paths of wide groups that were asked for.
    pub paths: Paths,
    thresholds: Thresholds,
    whole: OnceLock<Whole>,
    by_task: OnceLock<ByTask>,
    serial: OnceLock<Vec<SerialPart>>,
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
    /// Largest depth.
    pub depth: usize,
    /// What must be seen at most to find any grain.
    pub theta: Theta,
    /// Shapes that many groups have.
    pub classes: Vec<Class>,
}

/// The grains that have a problem, and what that costs once somebody asked.
#[derive(Debug)]
pub struct Known {
    /// The grains.
    pub set: ProblemSet,
    cost: OnceLock<Cost>,
}

/// What a problem costs.
#[derive(Debug)]
pub struct Cost {
    /// Summed over workers; 0 where it is not available.
    pub time_lost: i64,
    /// Work of the grains that have it.
    pub work: i64,
    /// What must be seen at most to find any of them.
    pub theta: Theta,
    /// The grains that cost most, with what they cost.
    pub worst: Vec<(NodeId, i64)>,
    /// The lines whose grains cost most.
    pub lines: Vec<WorstLine>,
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
            work: self
                .set
                .lens
                .chosen()
                .iter()
                .map(|grain| grains.critical_path(grain))
                .fold(0, i64::saturating_add),
            theta: grains.theta(Some(&self.set)),
            worst: grains.worst_grains(&self.set, deviation, WORST),
            lines: grains.worst_lines(tasks, &self.set, deviation, WORST),
        })
    }
}

impl GrainRun {
    /// Makes the graph of a run; takes about a second for ten million grains.
    pub fn new(tasks: &Tasks, baseline: Option<&Tasks>, thresholds: Thresholds) -> Self {
        let grains = Grains::new(tasks);
        let deviation = baseline.map(|other| Deviation::new((tasks, &grains), (other, &Grains::new(other))));
        let is_stranger = deviation.as_ref().is_some_and(|deviation| deviation.matched == 0);
        GrainRun {
            grains,
            deviation: deviation.filter(|_| !is_stranger),
            is_stranger,
            paths: Paths::default(),
            thresholds,
            whole: OnceLock::new(),
            by_task: OnceLock::new(),
            serial: OnceLock::new(),
            own: Default::default(),
            others: Mutex::default(),
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

    /// The serial parts of the program in the order of time; of several processes beside one another none.
    pub fn serial(&self, tasks: &Tasks) -> &[SerialPart] {
        self.serial.get_or_init(|| {
            let parts = tasks.serial_parts();
            let in_order = parts.windows(2).all(|pair| pair[0].end <= pair[1].start);
            if in_order { parts } else { Vec::new() }
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

    /// Where a problem begins when nobody says otherwise.
    pub fn threshold(&self, problem: Problem) -> f64 {
        self.thresholds.of(problem, &self.grains)
    }

    /// The thresholds of the run.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
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

    /// The sets of all problems that are available, with the run's own thresholds.
    pub fn all_known(&self) -> Vec<Arc<Known>> {
        let own = |problem: Problem| self.known(problem, self.threshold(problem));
        self.available().map(own).collect()
    }

    /// Problems that the run holds enough for.
    pub fn available(&self) -> impl Iterator<Item = Problem> + '_ {
        Problem::ALL.into_iter().filter(|&problem| self.missing(problem).is_none())
    }

    /// Why a problem is not available in this run, and what to do.
    pub fn missing(&self, problem: Problem) -> Option<&'static str> {
        match problem {
            Problem::WorkDeviation if self.is_stranger => {
                Some("not a single grain has a counterpart in the baseline; is it the same program?")
            }
            _ => missing(&self.grains, problem, self.deviation.as_ref()),
        }
    }

    /// The set of a lens.
    pub fn lens(&self, lens: &LensSpec) -> Result<Arc<Known>, Refusal> {
        let word: String = lens.name.chars().take(40).collect();
        let problem: Problem = word.parse().map_err(Refusal::new)?;
        let threshold = match lens.value {
            Some(value) if value.is_finite() => value,
            Some(_) => return Err(Refusal::new("a threshold must be a finite number")),
            None => self.threshold(problem),
        };
        match self.missing(problem) {
            Some(why) => Err(Refusal::new(format!("{problem} is not available: {why}"))),
            None => Ok(self.known(problem, threshold)),
        }
    }

    /// The set of a lens, if there is one.
    pub fn lens_of(&self, lens: Option<&LensSpec>) -> Result<Option<Arc<Known>>, Refusal> {
        lens.map(|lens| self.lens(lens)).transpose()
    }
}

/// Why a problem is not available in a run, and what to do; none where it is.
pub fn missing(grains: &Grains, problem: Problem, deviation: Option<&Deviation>) -> Option<&'static str> {
    if grains.is_available(problem, deviation) {
        return None;
    }
    Some(match problem {
        Problem::WorkDeviation => {
            "there is no run to compare with; record the program with one worker and give that run by --baseline"
        }
        Problem::MemoryStall => {
            "nobody counted the cycles that waited for memory; record with `--counters cycles,stalled-cycles-backend`"
        }
        Problem::ChunkImbalance => "no chunks of parallel loops were recorded",
        _ => "the run does not hold what it takes",
    })
}
