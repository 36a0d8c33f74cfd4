//! Metrics of grains and groups that come from their neighbours: what creating and joining cost, how alike the grains of
//! a join are, where they ran, and what a group gets from its members when it is closed.

use crosscut_run::tasks::Kind;
use crosscut_tree::NodeId;
use foldhash::HashMap;

use super::GrainKind;
use super::alike;
use super::table::{Beside, GrainRow, GrainTable, GroupRow, NO_CORE, Packed, Slot};
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

/// Memory for the members of a join, kept from one to the next.
#[derive(Default)]
pub struct Siblings {
    grains: Vec<u32>,
    /// What the recorder folded: its work is that of several, which compares with none.
    folded: Vec<u32>,
    chunks: Vec<u32>,
    cores: Vec<u16>,
    counts: Vec<u32>,
    ends: HashMap<u32, i64>,
}

/// Gives a linear group that is complete its metrics.
pub fn close_linear(
    (len, slot): (&[u32], &[Packed]),
    (grains, groups): (&GrainTable, &mut [GroupRow]),
    group: usize,
) {
    let Slot::Group(number) = slot[group].get() else { return };
    let mut shape = alike::Mix::new(false);
    let mut path = 0;
    let mut at = group + 1;
    while at < len.len() {
        let (length, member) = match slot[at].get() {
            Slot::Grain(g) => (grains.work[g as usize], alike::GRAIN),
            Slot::Group(g) => (groups[g as usize].path, groups[g as usize].shape),
        };
        path = length.saturating_add(path);
        shape.add(member);
        at += len[at].max(1) as usize;
    }
    let row = &mut groups[number as usize];
    (row.path, row.shape) = (path, shape.finish());
}

/// Gives a fork-join group that is complete its metrics, and its grains those that they have in common; its join cost
/// `sync`.
pub fn close_join(
    siblings: &mut Siblings,
    tasks: &Tasks,
    (len, slot): (&[u32], &[Packed]),
    (grains, groups): (&mut GrainTable, &mut [GroupRow]),
    (group, sync): (usize, i64),
) {
    let Slot::Group(number) = slot[group].get() else { return };
    siblings.grains.clear();
    siblings.folded.clear();
    siblings.chunks.clear();
    siblings.ends.clear();
    let depends = tasks.has_depends();
    let mut shape = alike::Mix::new(true);
    let mut path = 0;
    let mut at = group + 1;
    while at < len.len() {
        let (task, length, member) = match slot[at].get() {
            Slot::Grain(g) => {
                siblings.add(g, grains);
                (grains.row[g as usize].task, grains.work[g as usize], alike::GRAIN)
            }
            Slot::Group(g) => {
                let row = groups[g as usize];
                // The grain of a task that joins others stands first in its linear group.
                if row.kind == GrainKind::Linear
                    && let Slot::Grain(head) = slot[at + 1].get()
                {
                    siblings.add(head, grains);
                }
                (row.task, row.path, row.shape)
            }
        };
        shape.add(member);
        let start = if depends { siblings.startable(tasks, task) } else { 0 };
        if depends {
            siblings.ends.insert(task, length.saturating_add(start));
        }
        path = path.max(length.saturating_add(start));
        at += len[at].max(1) as usize;
    }
    let row = &mut groups[number as usize];
    (row.path, row.shape) = (path, shape.finish());
    siblings.measure(tasks, grains);
    siblings.share(sync, grains);
}

impl Siblings {
    fn add(&mut self, grain: u32, grains: &GrainTable) {
        match grains.row[grain as usize].kind {
            GrainKind::Chunk => self.chunks.push(grain),
            GrainKind::Folded => self.folded.push(grain),
            _ => self.grains.push(grain),
        }
    }

    /// When a task of the join may start: after those among its siblings that it depends on.
    fn startable(&self, tasks: &Tasks, task: u32) -> i64 {
        let after = tasks.depends_on(NodeId(task));
        after.iter().filter_map(|from| self.ends.get(from).copied()).max().unwrap_or(0)
    }

    /// Each of the tasks has the same share of what their join cost.
    fn share(&self, sync: i64, grains: &mut GrainTable) {
        if sync == 0 {
            return;
        }
        let count = self.grains.len() + self.folded.len();
        let share = u32::try_from(sync / count.max(1) as i64).unwrap_or(u32::MAX);
        for &grain in self.grains.iter().chain(&self.folded) {
            let cost = &mut grains.row[grain as usize].cost;
            *cost = cost.saturating_add(share);
        }
    }

    fn measure(&mut self, tasks: &Tasks, grains: &mut GrainTable) {
        let scatter = self.scatter(grains);
        let balance = balance(grains, &self.grains);
        for &grain in &self.grains {
            grains.beside[grain as usize] = Beside { balance, scatter };
        }
        if !self.chunks.is_empty() || !self.folded.is_empty() {
            self.measure_chunks(tasks, grains);
            for &grain in self.chunks.iter().chain(&self.folded) {
                grains.beside[grain as usize].scatter = scatter;
            }
        }
    }

    /// The chunks of each loop among the members: loops are told apart by where they stand in the source.
    fn measure_chunks(&self, tasks: &Tasks, grains: &mut GrainTable) {
        let site = |&grain: &u32| tasks.site(NodeId(grains.row[grain as usize].task));
        let mut loops: Vec<(u32, u32)> = self.chunks.iter().map(|grain| (site(grain), *grain)).collect();
        loops.sort_unstable();
        for whole in loops.chunk_by(|a, b| a.0 == b.0) {
            let members: Vec<u32> = whole.iter().map(|&(_, grain)| grain).collect();
            let balance = balance(grains, &members);
            for grain in members {
                grains.beside[grain as usize].balance = balance;
            }
        }
    }

    /// Median distance between the cores of all pairs of members.
    fn scatter(&mut self, grains: &GrainTable) -> f32 {
        let core = |&grain: &u32| Some(grains.row[grain as usize].core).filter(|&core| core != NO_CORE);
        if let ([a, b], [], []) = (&self.grains[..], &self.chunks[..], &self.folded[..]) {
            // Most joins are of two.
            return match (core(a), core(b)) {
                (Some(a), Some(b)) => f32::from(a.abs_diff(b)),
                _ => f32::NAN,
            };
        }
        self.cores.clear();
        self.cores.extend(self.grains.iter().chain(&self.chunks).chain(&self.folded).filter_map(core));
        median_distance(&mut self.cores, &mut self.counts)
    }
}

/// Largest work / mean work; not a number for one alone.
fn balance(grains: &GrainTable, members: &[u32]) -> f32 {
    if members.len() < 2 {
        return f32::NAN;
    }
    let (mut largest, mut sum) = (0, 0i64);
    for &grain in members {
        let work = grains.work[grain as usize];
        largest = largest.max(work);
        sum = sum.saturating_add(work);
    }
    if sum == 0 { 1.0 } else { (largest as f64 * members.len() as f64 / sum as f64) as f32 }
}

/// The median of |a − b| over all pairs; the mean of the two in the middle when there are two. Counts pairs by distance:
/// its cost depends on how many cores there are, not on how many pairs.
fn median_distance(cores: &mut [u16], counts: &mut Vec<u32>) -> f32 {
    match *cores {
        [] | [_] => return f32::NAN,
        [a, b] => return f32::from(a.abs_diff(b)),
        _ => cores.sort_unstable(),
    }
    let (low, high) = (cores[0], cores[cores.len() - 1]);
    if low == high {
        return 0.0;
    }
    counts.clear();
    counts.resize(usize::from(high - low) + 1, 0);
    for &core in cores.iter() {
        counts[usize::from(core - low)] += 1;
    }
    let n = cores.len() as u64;
    let pairs = n * (n - 1) / 2;
    // Number of pairs at each distance or less, until both middles are passed.
    let at_distance = |d: usize| -> u64 {
        if d == 0 {
            return counts.iter().map(|&c| u64::from(c) * (u64::from(c).max(1) - 1) / 2).sum();
        }
        counts.iter().zip(&counts[d..]).map(|(&a, &b)| u64::from(a) * u64::from(b)).sum()
    };
    let (first, second) = ((pairs - 1) / 2, pairs / 2);
    let mut seen = 0;
    let mut lower = None;
    for d in 0..counts.len() {
        seen += at_distance(d);
        if lower.is_none() && seen > first {
            lower = Some(d);
        }
        if seen > second {
            return (lower.unwrap_or(d) + d) as f32 / 2.0;
        }
    }
    f32::from(high - low)
}

#[cfg(test)]
mod tests {
    use super::median_distance;

    #[test]
    fn median_of_all_pairs() {
        let mut seed = 7u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..2_000 {
            let spread = 1 + next(40);
            let cores: Vec<u16> = (0..2 + next(12)).map(|_| next(spread) as u16).collect();
            let mut distances: Vec<u16> = Vec::new();
            for (i, a) in cores.iter().enumerate() {
                distances.extend(cores[..i].iter().map(|b| a.abs_diff(*b)));
            }
            distances.sort_unstable();
            let (a, b) = (distances[(distances.len() - 1) / 2], distances[distances.len() / 2]);
            let expected = f32::from(a + b) / 2.0;
            assert_eq!(median_distance(&mut cores.clone(), &mut Vec::new()), expected, "{cores:?}");
        }
    }
}
