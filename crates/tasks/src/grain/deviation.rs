//! Work deviation: how much longer each grain works than in another run of the same program, as a rule one with a single
//! worker. Grains are matched by lineage: the k-th task of the j-th join of the same parent; chunks by the iterations
//! that they ran.

use crosscut_run::Source;
use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::table::Slot;
use super::{GrainKind, Grains};
use crate::tasks::Tasks;

/// Work of each grain against that of its counterpart.
#[derive(Clone, Debug)]
pub struct Deviation {
    /// By grain: work here / work there; not a number for one without a counterpart.
    ratio: Vec<f32>,
    /// Grains that have a counterpart.
    pub matched: usize,
    /// Work of those grains here and there.
    pub work: (i64, i64),
    /// Whether every group has as many members as its counterpart.
    pub same_structure: bool,
}

/// A group or grain that works longer than its counterpart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The group or grain.
    pub node: NodeId,
    /// Its counterpart.
    pub other: NodeId,
    /// Work here and there.
    pub work: (i64, i64),
}

impl Growth {
    /// By how much.
    pub fn by(&self) -> i64 {
        self.work.0 - self.work.1
    }

    /// Of what grew, the largest that no member explains: of a chain of groups in each other the last one.
    pub fn deepest(grains: &Grains, mut grown: Vec<Growth>, limit: usize) -> Vec<Growth> {
        grown.sort_unstable_by_key(|growth| growth.node);
        let tree = grains.tree();
        let mut explained = vec![false; grown.len()];
        let mut around: Vec<usize> = Vec::new();
        for i in 0..grown.len() {
            let node = grown[i].node.index();
            while around.pop_if(|above| tree.range(grown[*above].node).end <= node).is_some() {}
            if let Some(&above) = around.last() {
                explained[above] |= grown[i].by() as f64 >= EXPLAINS * grown[above].by() as f64;
            }
            around.push(i);
        }
        let mut explained = explained.into_iter();
        grown.retain(|_| !explained.next().unwrap_or(false));
        largest(grown, limit)
    }
}

impl Deviation {
    /// Work here / work there of a grain by number.
    #[inline]
    pub fn of(&self, grain: usize) -> f32 {
        self.ratio.get(grain).copied().unwrap_or(f32::NAN)
    }

    /// Matches a run with another one.
    pub fn new(here: (&Tasks, &Grains), there: (&Tasks, &Grains)) -> Self {
        let mut deviation = Deviation {
            ratio: vec![f32::NAN; here.1.grain_count()],
            matched: 0,
            work: (0, 0),
            same_structure: true,
        };
        walk(here, there, |pair| match pair {
            Pair::Grains(x, y) => {
                let (Slot::Grain(a), Slot::Grain(b)) = (here.1.slot(x), there.1.slot(y)) else { return true };
                let (a, b) = (a as usize, b as usize);
                let (work, other) = (here.1.grains.work[a], there.1.grains.work[b]);
                deviation.matched += 1;
                deviation.work.0 += work;
                deviation.work.1 += other;
                deviation.ratio[a] = match (work, other) {
                    (0, 0) => 1.0,
                    (_, other) => (work as f64 / other as f64) as f32,
                };
                true
            }
            Pair::Groups(..) => true,
            Pair::Unequal => {
                deviation.same_structure = false;
                true
            }
        });
        deviation
    }
}

/// What a walk over two trees at once meets.
enum Pair {
    /// Grains.
    Grains(NodeId, NodeId),
    /// Groups of the same kind.
    Groups(NodeId, NodeId),
    /// Something that the other run does not have.
    Unequal,
}

/// Goes through two runs at once; `meet` says whether to go on below a pair of groups.
fn walk(here: (&Tasks, &Grains), there: (&Tasks, &Grains), mut meet: impl FnMut(Pair) -> bool) {
    let (a, b) = (here.1, there.1);
    let mut stack = vec![(NodeId::ROOT, NodeId::ROOT)];
    while let Some((x, y)) = stack.pop() {
        match (a.slot(x), b.slot(y)) {
            (Slot::Grain(_), Slot::Grain(_)) => {
                meet(Pair::Grains(x, y));
            }
            (Slot::Group(_), Slot::Group(_)) if a.kind(x) == b.kind(y) => {
                if !meet(Pair::Groups(x, y)) {
                    continue;
                }
                let (chunks, others) = (Chunks::of(here, x), Chunks::of(there, y));
                let before = stack.len();
                chunks.pair(&others, &mut stack);
                if stack.len() - before != chunks.by_range.len().max(others.by_range.len()) {
                    meet(Pair::Unequal);
                }
                let is_join = a.kind(x) == GrainKind::ForkJoin;
                let by_number = |run, m| !is_join || first_iteration(run, m).is_none();
                let mut members = a.tree().children(x).filter(|&m| by_number(here, m));
                let mut others = b.tree().children(y).filter(|&m| by_number(there, m));
                loop {
                    match (members.next(), others.next()) {
                        (Some(member), Some(other)) => stack.push((member, other)),
                        (None, None) => break,
                        _ => {
                            meet(Pair::Unequal);
                            break;
                        }
                    }
                }
            }
            // A task that joined others in one run and none in the other: its own grain is still the same.
            (Slot::Group(_), Slot::Grain(_)) if a.kind(x) == GrainKind::Linear => {
                meet(Pair::Unequal);
                let own = NodeId(x.0 + 1);
                if let Slot::Grain(_) = a.slot(own) {
                    meet(Pair::Grains(own, y));
                }
            }
            (Slot::Grain(_), Slot::Group(_)) if b.kind(y) == GrainKind::Linear => {
                meet(Pair::Unequal);
                let own = NodeId(y.0 + 1);
                if let Slot::Grain(_) = b.slot(own) {
                    meet(Pair::Grains(x, own));
                }
            }
            _ => {
                meet(Pair::Unequal);
            }
        }
    }
}

/// The first iteration that a chunk ran, alone or with what it created. Members that have none are matched by their number.
fn first_iteration((tasks, grains): (&Tasks, &Grains), member: NodeId) -> Option<i64> {
    let chunk = chunk_of(grains, member)?;
    tasks.chunk(grains.task(chunk)).map(|(first, _)| first)
}

/// The chunk that a member of a fork-join is, or begins with.
fn chunk_of(grains: &Grains, member: NodeId) -> Option<NodeId> {
    let grain = if grains.kind(member) == GrainKind::Linear { NodeId(member.0 + 1) } else { member };
    (grains.kind(grain) == GrainKind::Chunk).then_some(grain)
}

/// A chunk: the number of its loop, its first iteration, and which time that is met.
type Chunk = (u32, i64, u32);

/// A loop of a fork-join: where it is in the source, and when the first of its chunks began.
struct Loop<'a> {
    source: Option<&'a Source>,
    start: i64,
}

/// The chunks of a fork-join by what they ran.
#[derive(Default)]
struct Chunks<'a> {
    loops: Vec<Loop<'a>>,
    by_range: HashMap<Chunk, NodeId>,
}

impl<'a> Chunks<'a> {
    fn of(run: (&'a Tasks, &Grains), group: NodeId) -> Self {
        let (tasks, grains) = run;
        let mut found = Chunks::default();
        if grains.kind(group) != GrainKind::ForkJoin {
            return found;
        }
        let mut numbers: HashMap<Option<&Source>, u32> = HashMap::new();
        let mut times: HashMap<(u32, i64), u32> = HashMap::new();
        for member in grains.tree().children(group) {
            let Some(first) = first_iteration(run, member) else { continue };
            let task = grains.task(chunk_of(grains, member).unwrap_or(member));
            let (source, start) = (tasks.source(task).0, tasks.start(task));
            let number = *numbers.entry(source).or_insert_with(|| {
                found.loops.push(Loop { source, start });
                found.loops.len() as u32 - 1
            });
            let earliest = &mut found.loops[number as usize].start;
            *earliest = start.min(*earliest);
            let time = times.entry((number, first)).or_default();
            found.by_range.insert((number, first, *time), member);
            *time += 1;
        }
        found
    }

    /// Chunks that ran the same iterations of the same loop.
    fn pair(&self, others: &Chunks<'_>, pairs: &mut Vec<(NodeId, NodeId)>) {
        let same = self.same_loops(others);
        for (&(number, first, time), &chunk) in &self.by_range {
            let other = same[number as usize].and_then(|number| others.by_range.get(&(number, first, time)));
            pairs.extend(other.map(|&other| (chunk, other)));
        }
    }

    /// The counterpart of each loop: the one at the same line. What is left is matched in the order in which the loops
    /// began, since compilers do not agree on the line of a loop.
    fn same_loops(&self, others: &Chunks<'_>) -> Vec<Option<u32>> {
        let by_source: HashMap<Option<&Source>, u32> =
            others.loops.iter().zip(0..).map(|(other, number)| (other.source, number)).collect();
        let mut same: Vec<Option<u32>> =
            self.loops.iter().map(|here| by_source.get(&here.source).copied()).collect();
        let mut taken = vec![false; others.loops.len()];
        for &number in same.iter().flatten() {
            taken[number as usize] = true;
        }
        let mut rest: Vec<usize> = (0..self.loops.len()).filter(|&i| same[i].is_none()).collect();
        rest.sort_by_key(|&i| self.loops[i].start);
        let mut free: Vec<usize> = (0..others.loops.len()).filter(|&i| !taken[i]).collect();
        free.sort_by_key(|&i| others.loops[i].start);
        for (i, other) in rest.into_iter().zip(free) {
            same[i] = Some(other as u32);
        }
        same
    }
}

/// A member that makes up this share of its group's growth explains it: the group need not be listed.
const EXPLAINS: f64 = 0.9;

/// The groups and grains that grew most, of those that have a counterpart, largest first: a group stands before what it
/// holds.
pub fn growth(here: (&Tasks, &Grains), there: (&Tasks, &Grains), limit: usize) -> Vec<Growth> {
    let mut grown: Vec<Growth> = Vec::new();
    let total = here.1.work(NodeId::ROOT) - there.1.work(NodeId::ROOT);
    let worth = (total / 100).max(1);
    walk(here, there, |pair| {
        let (Pair::Groups(node, other) | Pair::Grains(node, other)) = pair else { return true };
        let work = (here.1.work(node), there.1.work(other));
        let is_worth = work.0 - work.1 >= worth;
        if is_worth {
            grown.push(Growth { node, other, work });
        }
        is_worth
    });
    largest(grown, limit)
}

fn largest(mut grown: Vec<Growth>, limit: usize) -> Vec<Growth> {
    grown.sort_by_key(|growth| (std::cmp::Reverse(growth.by()), growth.node));
    grown.truncate(limit);
    grown
}
