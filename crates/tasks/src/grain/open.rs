//! Groups in the making: each takes up its members as they are completed, and is complete itself when the pass leaves it.
//! What the grains of a join have in common — how alike they are, how far apart they ran — is found then.

use crosscut_tree::NodeId;
use foldhash::HashMap;

use super::GrainKind;
use super::alike;
use super::table::{Beside, GrainTable, GroupRow, NO_CORE};
use crate::tasks::Tasks;

/// A group that is being filled.
pub struct Open {
    /// Its node in the aggregation tree.
    pub node: u32,
    /// Its number among groups.
    pub group: u32,
    /// Its grains: of [`Grouping::grains`] those from here on.
    first: u32,
    is_join: bool,
    /// Some of its grains are no tasks: chunks, or what the recorder folded.
    mixed: bool,
    low_core: u16,
    high_core: u16,
    path: i64,
    shape: alike::Mix,
    largest: i64,
    work: i64,
}

impl Open {
    /// Takes up a member that is complete: how long the way through it is, and what it looks like.
    #[inline]
    fn add(&mut self, path: i64, shape: u64) {
        let from = if self.is_join { 0 } else { self.path };
        self.path = self.path.max(from.saturating_add(path));
        self.shape.add(shape);
    }

    /// Takes up a grain that is joined with its siblings: a member, or the first of a linear group that is one.
    #[inline]
    fn beside(&mut self, done: Done) {
        self.mixed |= matches!(done.kind, GrainKind::Chunk | GrainKind::Folded);
        self.low_core = self.low_core.min(done.core);
        self.high_core = self.high_core.max(done.core);
        self.largest = self.largest.max(done.work);
        self.work = self.work.saturating_add(done.work);
    }

    /// How many members it has.
    #[inline]
    pub fn members(&self) -> usize {
        self.shape.count()
    }

    /// Median distance between the cores of its grains, where little tells it.
    #[inline]
    fn scatter(&self, grains: usize) -> Option<f32> {
        match grains {
            0 | 1 => Some(f32::NAN),
            _ if self.high_core == NO_CORE => None,
            2 => Some(f32::from(self.high_core - self.low_core)),
            _ => (self.high_core == self.low_core).then_some(0.0),
        }
    }
}

/// A grain that is complete.
#[derive(Clone, Copy)]
pub struct Done {
    pub grain: u32,
    pub work: i64,
    pub core: u16,
    pub kind: GrainKind,
}

/// The groups that are open, one in the other.
#[derive(Default)]
pub struct Grouping {
    open: Vec<Open>,
    /// Grains that take part in the joins that are open.
    grains: Vec<u32>,
    // Memory that is kept from one join to the next.
    cores: Vec<u16>,
    counts: Vec<u32>,
}

impl Grouping {
    /// The innermost group.
    #[inline]
    pub fn last(&self) -> Option<&Open> {
        self.open.last()
    }

    #[inline]
    pub fn begin(&mut self, node: u32, group: u32, is_join: bool) {
        self.open.push(Open {
            node,
            group,
            first: self.grains.len() as u32,
            is_join,
            mixed: false,
            low_core: NO_CORE,
            high_core: 0,
            path: 0,
            shape: alike::Mix::new(is_join),
            largest: 0,
            work: 0,
        });
    }

    /// The grain with which a linear group begins is known by its shape at once, by its work only when it ends.
    #[inline]
    pub fn head(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.add(0, alike::GRAIN);
        }
    }

    /// Takes up a grain that is a member by itself.
    #[inline]
    pub fn grain(&mut self, done: Done) {
        let Some(open) = self.open.last_mut() else { return };
        open.add(done.work, alike::GRAIN);
        if open.is_join {
            open.beside(done);
            self.grains.push(done.grain);
        }
    }

    /// Forgets the innermost group: it was none.
    pub fn cancel(&mut self) {
        self.open.pop();
    }

    /// The innermost group is none: what it has, if anything, is a member of the one around it. Says how long the way
    /// through it is.
    pub fn give_way(&mut self) -> i64 {
        let Some(open) = self.open.pop() else { return 0 };
        if let (Some(around), Some(shape)) = (self.open.last_mut(), open.shape.only()) {
            around.add(open.path, shape);
        }
        open.path
    }

    /// Completes a linear group, whose grain is `head` if it has one.
    #[inline]
    pub fn end_linear(&mut self, head: Option<Done>) -> Option<(Open, GroupRow)> {
        let open = self.open.pop()?;
        let path = open.path.saturating_add(head.map_or(0, |head| head.work));
        let row = GroupRow { path, shape: open.shape.finish() };
        if let Some(around) = self.open.last_mut() {
            around.add(row.path, row.shape);
            if let Some(head) = head.filter(|_| around.is_join) {
                around.beside(head);
                self.grains.push(head.grain);
            }
        }
        Some((open, row))
    }

    /// Completes a fork-join whose join cost `sync`: its grains get what they have in common. Where tasks depend on each
    /// other, the way through it was found another way.
    #[inline]
    pub fn end_join(
        &mut self,
        tasks: &Tasks,
        grains: &mut GrainTable,
        (sync, path): (i64, Option<i64>),
    ) -> Option<(Open, GroupRow)> {
        let open = self.open.pop()?;
        let row = GroupRow { path: path.unwrap_or(open.path), shape: open.shape.finish() };
        if let Some(around) = self.open.last_mut() {
            around.add(row.path, row.shape);
        }
        let members = &self.grains[open.first as usize..];
        let scatter = open.scatter(members.len()).unwrap_or_else(|| {
            let core = |&grain: &u32| Some(grains.row[grain as usize].core).filter(|&core| core != NO_CORE);
            self.cores.clear();
            self.cores.extend(members.iter().filter_map(core));
            median_distance(&mut self.cores, &mut self.counts)
        });
        if open.mixed {
            compare_mixed(tasks, grains, members, (scatter, sync));
        } else {
            let beside = Beside { balance: balance(members.len(), open.largest, open.work), scatter };
            let share = share(sync, members.len());
            for &grain in members {
                grains.add_cost(grain as usize, share);
                grains.beside[grain as usize] = beside;
            }
        }
        self.grains.truncate(open.first as usize);
        Some((open, row))
    }
}

/// What each of the grains of a join has of what joining them cost.
#[inline]
fn share(sync: i64, grains: usize) -> i64 {
    sync / grains.max(1) as i64
}

/// Largest work / mean work; not a number for one alone.
#[inline]
fn balance(count: usize, largest: i64, sum: i64) -> f32 {
    match (count, sum) {
        (0 | 1, _) => f32::NAN,
        (_, 0) => 1.0,
        _ => (largest as f64 * count as f64 / sum as f64) as f32,
    }
}

fn balance_of(grains: &GrainTable, members: &[u32]) -> f32 {
    let works = members.iter().map(|&grain| grains.work[grain as usize]);
    let sum = works.clone().fold(0i64, i64::saturating_add);
    balance(members.len(), works.max().unwrap_or(0), sum)
}

/// A join of tasks with chunks and what the recorder folded. Chunks compare with those of their loop: loops are distinguished
/// by where they stand in the source. The work of what was folded is that of several, which compares with none.
#[cold]
fn compare_mixed(tasks: &Tasks, grains: &mut GrainTable, members: &[u32], (scatter, sync): (f32, i64)) {
    let site = |grain: u32| tasks.site(NodeId(grains.row[grain as usize].task));
    let (mut alone, mut alike, mut loops) = (Vec::new(), Vec::new(), Vec::new());
    for &grain in members {
        match grains.row[grain as usize].kind {
            GrainKind::Chunk => loops.push((site(grain), grain)),
            GrainKind::Folded => alone.push(grain),
            _ => alike.push(grain),
        }
    }
    let share = share(sync, alone.len() + alike.len());
    for &grain in alone.iter().chain(&alike) {
        grains.add_cost(grain as usize, share);
        grains.beside[grain as usize].scatter = scatter;
    }
    loops.sort_unstable();
    let loops = loops.chunk_by(|a, b| a.0 == b.0).map(|same| same.iter().map(|&(_, grain)| grain).collect());
    let mut sets: Vec<Vec<u32>> = loops.collect();
    sets.push(alike);
    for set in sets {
        let balance = balance_of(grains, &set);
        for grain in set {
            grains.beside[grain as usize] = Beside { balance, scatter };
        }
    }
}

/// The longest way through a fork-join whose members depend on each other: each starts when those have ended that it waits
/// for. They stand in an order in which they could run.
pub fn path_with_depends(
    tasks: &Tasks,
    members: impl Iterator<Item = (NodeId, i64)>,
    ends: &mut HashMap<u32, i64>,
) -> i64 {
    ends.clear();
    let mut path = 0;
    for (task, length) in members {
        let after = tasks.depends_on(task).iter().filter_map(|from| ends.get(from).copied());
        let end = length.saturating_add(after.max().unwrap_or(0));
        ends.insert(task.0, end);
        path = path.max(end);
    }
    path
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
    use crosscut_chance::Chance;

    #[test]
    fn median_of_all_pairs() {
        let mut chance = Chance::new(7);
        for _ in 0..2_000 {
            let spread = 1 + chance.below(40);
            let cores: Vec<u16> = (0..2 + chance.below(12)).map(|_| chance.below(spread) as u16).collect();
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
