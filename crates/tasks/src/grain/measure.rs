//! Metrics of a grain alone: what creating it cost, where it ran, what its counters say.

use crosscut_run::tasks::Kind;
use crosscut_tree::NodeId;

use super::table::{GrainRow, NO_CORE};
use crate::tasks::Tasks;

/// Workers and cores by place.
pub struct Places<'a> {
    place: &'a [u16],
    worker: Vec<u16>,
    core: Vec<u16>,
}

impl<'a> Places<'a> {
    pub fn new(tasks: &'a Tasks) -> Self {
        let places = tasks.places();
        let known = (0..places.len() as u16).filter_map(|id| places.get(id));
        let has_cores = has_cores(tasks);
        let number = |value: i64| u16::try_from(value).unwrap_or(NO_CORE);
        Places {
            place: tasks.place_ids(),
            worker: known.clone().map(|place| number(place.worker)).collect(),
            core: known.map(|place| number(if has_cores { place.core } else { place.worker })).collect(),
        }
    }

    /// Whether the same worker ran two intervals.
    #[inline]
    pub fn same(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.place[a] as usize, self.place[b] as usize);
        match (self.worker.get(a), self.worker.get(b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }

    /// The core that ran an interval.
    #[inline]
    pub fn core(&self, node: usize) -> u16 {
        self.core.get(self.place[node] as usize).copied().unwrap_or(NO_CORE)
    }
}

fn has_cores(tasks: &Tasks) -> bool {
    let places = tasks.places();
    (0..places.len() as u16).any(|id| places.get(id).is_some_and(|place| place.core >= 0))
}

/// Cores that the run used, or its workers where cores are not known.
pub fn core_count(tasks: &Tasks) -> u32 {
    let places = tasks.places();
    let mut cores: Vec<i64> =
        (0..places.len() as u16).filter_map(|id| places.get(id)).map(|place| place.core).collect();
    cores.retain(|&core| core >= 0);
    cores.sort_unstable();
    cores.dedup();
    if cores.is_empty() { tasks.summary().workers.max(1) } else { cores.len() as u32 }
}

/// What it took to hand out a chunk: the time since the interval before it on the same spine.
pub fn chunk_cost(start: &[i64], end: &[i64], chunk: u32) -> i64 {
    let chunk = chunk as usize;
    // The node before is an interval of the same member, or the member itself when the chunk is its first.
    if chunk == 0 || start[chunk - 1] == start[chunk] {
        0
    } else {
        start[chunk].saturating_sub(end[chunk - 1]).max(0)
    }
}

/// What it cost to create the task of a grain, or to hand out its chunk; see [`super::reduce`].
pub fn creation(tasks: &Tasks, node: NodeId) -> Option<i64> {
    let (tree, dag) = (tasks.tree(), tasks.dag());
    if tasks.kind(node) == Kind::Chunk {
        return Some(chunk_cost(tasks.starts(), tasks.ends(), node.0));
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
const CYCLES: [&str; 2] = ["cycles", "PAPI_TOT_CYC"];

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
const INSTRUCTIONS: [&str; 2] = ["instructions", "PAPI_TOT_INS"];
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
    let range = tasks.tree().range(task);
    let (mut at, end) = (range.start, range.end);
    let alone = range.len() == 1;
    at += usize::from(!alone);
    std::iter::from_fn(move || {
        while at < end {
            let node = NodeId(at as u32);
            match tasks.kind(node) {
                Kind::Task if !alone => at = tasks.tree().range(node).end,
                Kind::Section if !tasks.is_collapsed(node) => at += 1,
                Kind::Chunk if !alone => at += 1,
                _ => {
                    at += 1;
                    return Some(node.index());
                }
            }
        }
        None
    })
}
