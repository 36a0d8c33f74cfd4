//! The aggregated grain graph of a task run: grains in groups, down from one root group.
//!
//! A *grain* is a task that the program created, a member of a team (or the program itself) that creates tasks, or a
//! chunk of a parallel loop. Reduction folds forks with their grains and joins into *fork-join* groups and what follows
//! one another into *linear* groups, until one group is left; see [`reduce`]. The result is a [`Tree`] whose leaves are
//! grains. Metrics of grains and groups, problems, similarity and critical paths are questions to it.
//!
//! Comes in: [`Tasks`]. Goes out: [`Grains`], about 90 bytes a grain in memory, made in one pass.

mod alike;
mod by_line;
mod chunks;
mod deviation;
mod inner;
mod measure;
mod open;
mod parallelism;
mod path;
mod prefetch;
mod problem;
mod reduce;
mod report;
mod table;
mod theta;
mod worst;

use std::ops::Range;

use crate::schema::Kind;
use crosscut_tree::{NodeId, Sums, Tree, TreeBuf};

use crate::tasks::Tasks;
use table::{Beside, Extremes, GrainRow, GrainTable, GroupRow, Packed, Slot};

pub(crate) use measure::{CYCLES, INSTRUCTIONS, Places, between};

pub use alike::{Class, Kernel};
pub use by_line::LineGrains;
pub use deviation::{Deviation, Growth, growth};
pub use parallelism::InProgress;
pub use path::GrainPath;
pub use problem::{Problem, ProblemSet, Thresholds};
pub use report::{ProblemReport, SiteShare};
pub use theta::Theta;
pub use worst::WorstLine;

/// What a node of the aggregation tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum GrainKind {
    /// A task that the program created.
    Task = 0,
    /// A member of a team that creates tasks.
    Lane = 1,
    /// The program itself, when it creates tasks.
    Root = 2,
    /// A chunk of a parallel loop.
    Chunk = 3,
    /// What the recorder folded: one grain that stands for several tasks.
    Folded = 4,
    /// Grains and groups one after the other.
    Linear = 5,
    /// A fork, grains and groups beside one another, a join.
    ForkJoin = 6,
}

impl GrainKind {
    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            GrainKind::Task => "task",
            GrainKind::Lane => "lane",
            GrainKind::Root => "program",
            GrainKind::Chunk => "chunk",
            GrainKind::Folded => "folded tasks",
            GrainKind::Linear => "linear group",
            GrainKind::ForkJoin => "fork-join group",
        }
    }

    /// Whether it holds other nodes.
    pub fn is_group(self) -> bool {
        matches!(self, GrainKind::Linear | GrainKind::ForkJoin)
    }
}

/// The aggregated grain graph.
#[derive(Debug)]
pub struct Grains {
    tree: TreeBuf,
    slot: Vec<Packed>,
    grains: GrainTable,
    groups: Vec<GroupRow>,
    /// The node of the task tree of each group.
    group_task: Vec<u32>,
    /// Of each group, when everything starts as early as it can: of a fork-join when it begins, of a linear group when it
    /// ends.
    reached: Vec<i64>,
    fork_joins: usize,
    /// Work that belongs to no grain: what the program and members of teams ran that create no tasks.
    outside: i64,
    sum_work: Vec<i64>,
    worst: [Extremes; 4],
    cells: parallelism::Cells,
    workers: u32,
    cores: u32,
    /// Time of all workers in which they did not work.
    idle: i64,
    has_chunks: bool,
}

/// Everything that is known of one node, for people; a value is absent where it has no meaning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrainMetrics {
    /// Time in the grains' own code.
    pub work: i64,
    /// Longest way through the node when everything starts as early as it can.
    pub critical_path: i64,
    /// What it cost to create the grain.
    pub creation: Option<i64>,
    /// What it cost to join the grain: its share of its join.
    pub sync: Option<i64>,
    /// work / (creation + sync); of a group the smallest.
    pub benefit: Option<f64>,
    /// Largest work / mean work among the grains of one join (of one loop for chunks); of a group the largest.
    pub balance: Option<f64>,
    /// Median distance between the cores that ran the grains of one join; of a group the largest.
    pub scatter: Option<f64>,
    /// Grains in progress beside it when everything starts as early as it can: the median; of a group the smallest.
    pub parallelism: Option<f64>,
    /// Compute intensity of a grain: instructions per cache miss, where they were counted.
    pub intensity: Option<f64>,
}

impl Grains {
    /// Reduces the grain graph of a run to one group, with all metrics.
    pub fn new(tasks: &Tasks) -> Self {
        let reduced = reduce::reduce(tasks);
        let count = reduced.grains.work.len();
        let sum_work = crosscut_tree::block_sums(count, |i| reduced.grains.work[i]);
        let mut grains = Grains {
            outside: tasks.work(NodeId::ROOT).saturating_sub(sum_work.last().copied().unwrap_or(0)),
            sum_work,
            tree: reduced.tree,
            slot: reduced.slot,
            grains: reduced.grains,
            groups: reduced.groups,
            group_task: reduced.group_task,
            reached: Vec::new(),
            fork_joins: reduced.fork_joins,
            worst: Default::default(),
            cells: Default::default(),
            workers: tasks.summary().workers.max(1),
            cores: measure::core_count(tasks),
            idle: idle(tasks),
            has_chunks: tasks.count(tasks.tree().range(NodeId::ROOT), Kind::Chunk) > 0,
        };
        grains.measure_parallelism(tasks);
        grains.grains.stall = measure::stalls(tasks, &grains.grains.row);
        grains
    }

    /// The aggregation tree: grains are its leaves.
    pub fn tree(&self) -> Tree<'_> {
        self.tree.view()
    }

    /// What a node is.
    pub fn kind(&self, node: NodeId) -> GrainKind {
        match self.slot.get(node.index()) {
            Some(slot) if slot.is_join() => GrainKind::ForkJoin,
            Some(slot) if slot.is_group() => GrainKind::Linear,
            Some(slot) => self.grains.row[slot.number() as usize].kind,
            None => GrainKind::Task,
        }
    }

    fn slot(&self, node: NodeId) -> Slot {
        self.slot.get(node.index()).map_or(Slot::Grain(0), |slot| slot.get())
    }

    /// The node of the task tree: the task or chunk of a grain, the task of a linear group, the section of a fork-join
    /// group (a task, where the end of the task is the join; of a loop whose chunks create tasks one of these chunks).
    pub fn task(&self, node: NodeId) -> NodeId {
        NodeId(match self.slot(node) {
            Slot::Grain(g) => self.grains.row[g as usize].task,
            Slot::Group(g) => self.group_task[g as usize],
        })
    }

    /// The node of the task tree with which a grain begins: a chunk that creates tasks is known by the interval with which
    /// it ends.
    pub fn begins(&self, tasks: &Tasks, node: NodeId) -> NodeId {
        let task = self.task(node);
        tasks.chunk_section(task).unwrap_or(task)
    }

    /// The grain that a node of the task tree belongs to, or the group that stands for it.
    pub fn of_task(&self, tasks: &Tasks, node: NodeId) -> NodeId {
        let tree = tasks.tree();
        let mut at = Some(node);
        while let Some(node) = at {
            let kind = tasks.kind(node);
            if (kind.is_collective() || kind == Kind::Chunk)
                && let Some(found) = self.find(node.0)
            {
                return found;
            }
            at = tree.parent(node);
        }
        NodeId::ROOT
    }

    /// The first node in pre-order for a node of the task tree. Of a task that is its linear group if it has one.
    fn find(&self, task: u32) -> Option<NodeId> {
        use rayon::prelude::*;
        let has = |slot: &Packed| match slot.get() {
            Slot::Grain(g) => self.grains.row[g as usize].task == task,
            Slot::Group(g) => self.group_task[g as usize] == task,
        };
        self.slot.par_iter().with_min_len(1 << 15).position_first(has).map(|i| NodeId(i as u32))
    }

    /// Number of grains.
    pub fn grain_count(&self) -> usize {
        self.grains.work.len()
    }

    /// Memory that it takes, about.
    pub fn bytes(&self) -> usize {
        let grain = size_of::<GrainRow>() + size_of::<Beside>() + 2 * size_of::<i64>() + 2 * size_of::<f32>();
        let group = size_of::<GroupRow>() + size_of::<u32>() + size_of::<i64>();
        let node = size_of::<Packed>() + 2 * size_of::<u32>();
        self.grain_count() * grain + self.group_count() * group + self.slot.len() * node
    }

    /// Number of groups.
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// Number of fork-join groups.
    pub fn fork_joins(&self) -> usize {
        self.fork_joins
    }

    /// Nodes of the graph before reduction: grains, a fork and a join each, start and end.
    pub fn raw_nodes(&self) -> usize {
        self.grain_count() + 2 * self.fork_joins + 2
    }

    /// Work that is in no grain.
    pub fn outside(&self) -> i64 {
        self.outside
    }

    /// Workers of the run.
    pub fn workers(&self) -> u32 {
        self.workers
    }

    /// Cores that the run used, or its workers where cores are not known.
    pub fn cores(&self) -> u32 {
        self.cores
    }

    /// The grains of a node by number: they follow one another.
    pub fn grain_range(&self, node: NodeId) -> Range<usize> {
        let range = self.tree().range(node);
        self.first_grain(range.start)..self.first_grain(range.end)
    }

    /// The number of the first grain from a node on. Every group begins with a grain a few levels below.
    fn first_grain(&self, node: usize) -> usize {
        let slots = self.slot.get(node..).unwrap_or(&[]);
        let first = slots.iter().find_map(|slot| match slot.get() {
            Slot::Grain(g) => Some(g as usize),
            Slot::Group(_) => None,
        });
        first.unwrap_or(self.grain_count())
    }

    /// Work of a node.
    pub fn work(&self, node: NodeId) -> i64 {
        self.work_of(self.grain_range(node))
    }

    /// Work of some grains.
    pub fn work_of(&self, grains: Range<usize>) -> i64 {
        Sums::new(&self.sum_work).over(grains, |g| self.grains.work[g])
    }

    /// Longest way through a node.
    pub fn critical_path(&self, node: NodeId) -> i64 {
        match self.slot(node) {
            Slot::Grain(g) => self.grains.work[g as usize],
            Slot::Group(g) => self.groups[g as usize].path,
        }
    }

    /// All metrics of a node: of a grain its own, of a group those of its grains, summed or the worst.
    pub fn metrics(&self, tasks: &Tasks, node: NodeId) -> GrainMetrics {
        let range = self.grain_range(node);
        let value = |value: f32| value.is_finite().then_some(f64::from(value));
        let [benefit, balance, scatter, parallelism] = &self.worst;
        let mut metrics = GrainMetrics {
            work: self.work_of(range.clone()),
            critical_path: self.critical_path(node),
            creation: None,
            sync: None,
            benefit: value(benefit.over(range.clone(), |g| self.grains.benefit(g))),
            balance: value(balance.over(range.clone(), |g| self.grains.beside[g].balance)),
            scatter: value(scatter.over(range.clone(), |g| self.grains.beside[g].scatter)),
            parallelism: value(parallelism.over(range, |g| self.grains.parallelism[g])),
            intensity: None,
        };
        if let Slot::Grain(grain) = self.slot(node) {
            metrics.creation = measure::creation(tasks, self.task(node));
            metrics.intensity = measure::intensity(tasks, self.task(node));
            let cost = self.grains.cost(grain as usize);
            metrics.sync = metrics.creation.map(|creation| (cost - creation).max(0));
        }
        metrics
    }
}

/// Where grains ran.
impl Grains {
    /// The core that a grain began on, or its worker where cores are not known.
    pub fn core(&self, node: NodeId) -> Option<u16> {
        match self.slot(node) {
            Slot::Grain(g) => {
                self.grains.row.get(g as usize).map(|row| row.core).filter(|&core| core != table::NO_CORE)
            }
            Slot::Group(_) => None,
        }
    }
}

fn idle(tasks: &Tasks) -> i64 {
    let summary = tasks.summary();
    let capacity = i64::from(summary.workers.max(1)).saturating_mul(summary.elapsed);
    capacity.saturating_sub(summary.work).max(0)
}
