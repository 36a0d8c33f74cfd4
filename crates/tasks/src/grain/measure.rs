//! Metrics of a grain alone: what creating it cost, where it ran, what its counters say.

use crate::schema::Kind;
use crosscut_run::{Ids, SEVERAL};
use crosscut_tree::NodeId;

use super::table::{GrainRow, NO_CORE};
use crate::tasks::Tasks;

/// Workers and cores by place.
pub struct Places<'a> {
    place: &'a Ids,
    worker: Vec<u32>,
    core: Vec<u16>,
}

impl<'a> Places<'a> {
    pub fn new(tasks: &'a Tasks) -> Self {
        let places = tasks.places();
        let known = (0..places.len() as u32).filter_map(|id| places.get(id));
        let has_cores = has_cores(tasks);
        let core = |value: i64| u16::try_from(value).unwrap_or(NO_CORE);
        Places {
            place: tasks.place_ids(),
            worker: known.clone().map(|place| place.worker as u32).collect(),
            core: known.map(|place| core(if has_cores { place.core } else { place.worker })).collect(),
        }
    }

    /// The place of an interval.
    #[inline]
    pub fn of(&self, interval: usize) -> u32 {
        self.place.at(interval)
    }

    /// Whether two places are of one worker.
    #[inline]
    pub fn same(&self, a: u32, b: u32) -> bool {
        a == b || self.same_worker(a, b)
    }

    fn same_worker(&self, a: u32, b: u32) -> bool {
        match (self.worker.get(a as usize), self.worker.get(b as usize)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }

    /// The core of a place.
    #[inline]
    pub fn core(&self, place: u32) -> u16 {
        self.core.get(place as usize).copied().unwrap_or(NO_CORE)
    }
}

/// What a task does in a section, as far as its worker tells: its own intervals, and the tasks of the section that it ran
/// itself before it went on. What lies between them is the runtime: it finds the next task, and comes back from the last.
///
/// A worker takes its own tasks first, so nothing else ran in between. Where that cannot be said — the task went to another
/// worker meanwhile, tasks wait for each other, other tasks were left behind — nothing is said.
#[derive(Clone, Copy, Debug)]
pub struct Stay {
    /// Where it began.
    pub place: u32,
    is_known: bool,
    /// When the last of it ended.
    last: i64,
    /// When that would have been without anything between.
    soonest: i64,
}

impl Stay {
    /// Where, and from when on.
    #[inline]
    pub fn new(place: u32, begin: i64) -> Self {
        Stay { place, is_known: place != SEVERAL, last: begin, soonest: begin }
    }

    /// Nothing can be said.
    #[inline]
    pub fn break_off(&mut self) {
        self.is_known = false;
    }

    /// A section in this one, until the task goes on.
    #[inline]
    pub fn within(&mut self, start: i64, until: i64) {
        self.add(start, until);
    }

    /// An interval of the task itself: whether the same worker ran it.
    #[inline]
    pub fn own(&mut self, is_here: bool, start: i64, end: i64) {
        self.is_known &= is_here;
        self.add(start, end);
    }

    /// A task of the section: whether the same worker ran its first and its last interval.
    #[inline]
    pub fn task(&mut self, (first, last): (bool, bool), (start, end): (i64, i64), creation: i64) {
        self.soonest = self.soonest.saturating_add(creation);
        self.is_known &= first == last;
        if first {
            self.add(start, end);
        }
    }

    #[inline]
    fn add(&mut self, start: i64, end: i64) {
        self.last = self.last.max(end);
        self.soonest = self.soonest.saturating_add(end.saturating_sub(start).max(0));
    }

    /// What the runtime took between, beside creating tasks.
    #[inline]
    pub fn overhead(&self) -> i64 {
        if self.is_known { self.last.saturating_sub(self.soonest).max(0) } else { 0 }
    }
}

/// What the runtime took between what the worker of a section ran in it, beside creating tasks: see [`Stay`]. Looks at its
/// children one by one.
pub fn between(tasks: &Tasks, places: &Places<'_>, section: NodeId) -> i64 {
    let (tree, dag) = (tasks.tree(), tasks.dag());
    if dag.tail.get(section.index()).is_some_and(|&tail| tail >= 0) {
        return 0;
    }
    let mut stay = Stay::new(places.of(dag.first_block(section).index()), tasks.start(section));
    for child in tree.children(section) {
        let is_here = |block: NodeId| places.same(places.of(block.index()), stay.place);
        let (start, end) = (tasks.start(child), tasks.end(child));
        match tasks.kind(child) {
            Kind::Task => {
                let is_lane = child.0 > 0 && tasks.kind(NodeId(child.0 - 1)) == Kind::Fork;
                if is_lane || !tasks.depends_on(child).is_empty() {
                    return 0;
                }
                let is_here = (is_here(dag.first_block(child)), is_here(dag.last_block(child)));
                stay.task(is_here, (start, dag.ended(child)), creation(tasks, child).unwrap_or(0));
            }
            Kind::Section => {
                let next = tree.next_sibling(child).filter(|&next| tasks.kind(next) != Kind::Task);
                stay.within(start, next.map_or(end, |next| tasks.start(next)));
            }
            _ => stay.own(is_here(child), start, end),
        }
    }
    stay.overhead()
}

fn has_cores(tasks: &Tasks) -> bool {
    let places = tasks.places();
    (0..places.len() as u32).any(|id| places.get(id).is_some_and(|place| place.core >= 0))
}

/// Cores that the run used, or its workers where cores are not known.
pub fn core_count(tasks: &Tasks) -> u32 {
    let places = tasks.places();
    let mut cores: Vec<i64> =
        (0..places.len() as u32).filter_map(|id| places.get(id)).map(|place| place.core).collect();
    cores.retain(|&core| core >= 0);
    cores.sort_unstable();
    cores.dedup();
    if cores.is_empty() { tasks.summary().workers.max(1) } else { cores.len() as u32 }
}

/// What it took to hand out a chunk: the time since what its member did before, nothing when it is the first.
pub fn chunk_cost(parent: &[u32], start: &[i64], end: &[i64], chunk: u32) -> i64 {
    let (around, chunk) = (parent[chunk as usize], chunk as usize);
    if chunk == 0 || around as usize + 1 == chunk {
        return 0;
    }
    // The node before is what precedes the chunk, or the last inside of it: a region in the member, say.
    let mut before = chunk - 1;
    while parent[before] > around && (parent[before] as usize) < before {
        before = parent[before] as usize;
    }
    start[chunk].saturating_sub(end[before]).max(0)
}

/// What it cost to create the task of a grain, or to hand out its chunk; see [`super::reduce`].
pub fn creation(tasks: &Tasks, node: NodeId) -> Option<i64> {
    let (tree, dag) = (tasks.tree(), tasks.dag());
    if tasks.kind(node) == Kind::Chunk {
        let chunk = tasks.chunk_section(node).unwrap_or(node);
        return Some(chunk_cost(tree.parents(), tasks.starts(), tasks.ends(), chunk.0));
    }
    let (Kind::Task, Some(section)) = (tasks.kind(node), tree.parent(node)) else { return None };
    let create = NodeId(node.0 - 1);
    let created = tasks.end(create);
    let goes_on = match tree.next_sibling(node).or_else(|| dag.follow(section)) {
        Some(next) => tasks.start(next),
        None => created,
    };
    let began = tasks.start(node);
    let first = dag.first_block(node);
    let ran_first =
        began < goes_on && tasks.worker(create).is_some() && tasks.worker(create) == tasks.worker(first);
    Some(if ran_first { began } else { goes_on }.saturating_sub(created).max(0))
}

/// Counters of cycles in which nothing could go on for want of data, and of all cycles: as the kernel and as PAPI call them.
const STALLS: [&str; 3] = ["stalled-cycles-backend", "PAPI_RES_STL", "PAPI_MEM_SCY"];
pub const CYCLES: [&str; 2] = ["cycles", "PAPI_TOT_CYC"];

/// The share of cycles that each grain waited for memory; empty where a run has no such counters.
pub fn stalls(tasks: &Tasks, grains: &[GrainRow]) -> Vec<f32> {
    let all = tasks.counter_names();
    let find = |names: &[&str]| all.iter().position(|have| names.contains(&have.as_str()));
    let (Some(stalls), Some(cycles)) = (find(&STALLS), find(&CYCLES)) else { return Vec::new() };
    let share = |grain: &GrainRow| {
        let own = own_intervals(tasks, NodeId(grain.task));
        let (stalled, spent) = own.fold((0, 0), |(stalled, spent), i| {
            (stalled + tasks.counter_value(stalls, i), spent + tasks.counter_value(cycles, i))
        });
        if spent > 0 { (stalled as f64 / spent as f64) as f32 } else { f32::NAN }
    };
    grains.iter().map(share).collect()
}

/// Counters of instructions, and of what had to be fetched from memory.
pub const INSTRUCTIONS: [&str; 2] = ["instructions", "PAPI_TOT_INS"];
const MISSES: [&str; 3] = ["cache-misses", "PAPI_L3_TCM", "PAPI_L2_TCM"];

/// Instructions per cache miss of a grain; none where a run has no such counters, or nothing was missed.
pub fn intensity(tasks: &Tasks, node: NodeId) -> Option<f64> {
    let all = tasks.counter_names();
    let find = |names: &[&str]| all.iter().position(|have| names.contains(&have.as_str()));
    let (instructions, misses) = (find(&INSTRUCTIONS)?, find(&MISSES)?);
    let (mut done, mut missed) = (0, 0);
    for interval in own_intervals(tasks, node) {
        done += tasks.counter_value(instructions, interval);
        missed += tasks.counter_value(misses, interval);
    }
    (missed > 0).then(|| done as f64 / missed as f64)
}

/// The intervals of a task itself, not of the tasks that it created; a chunk is its own.
pub fn own_intervals(tasks: &Tasks, task: NodeId) -> impl Iterator<Item = usize> + '_ {
    let section = tasks.chunk_section(task);
    let range = tasks.tree().range(section.unwrap_or(task));
    let (mut at, end) = (range.start, range.end);
    let alone = range.len() == 1;
    at += usize::from(!alone);
    std::iter::from_fn(move || {
        while at < end {
            let node = NodeId(at as u32);
            match tasks.kind(node) {
                Kind::Task if !alone => at = tasks.tree().range(node).end,
                Kind::Section if !tasks.is_collapsed(node) => at += 1,
                Kind::Chunk if !alone && section.is_none() => at += 1,
                _ => {
                    at += 1;
                    return Some(node.index());
                }
            }
        }
        None
    })
}
