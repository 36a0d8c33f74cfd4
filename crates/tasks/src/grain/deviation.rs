//! Work deviation: how much longer each grain works than in another run of the same program, as a rule one with a single
//! worker. Grains are matched by lineage: the k-th task of the j-th join of the same parent; chunks by the iterations
//! that they ran.

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

/// A group that works longer than its counterpart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The group or grain.
    pub node: NodeId,
    /// Its counterpart.
    pub other: NodeId,
    /// Work here and there.
    pub work: (i64, i64),
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
            Pair::Grains(a, b) => {
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
    /// Grains by number.
    Grains(usize, usize),
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
            (Slot::Grain(g), Slot::Grain(h)) => {
                meet(Pair::Grains(g as usize, h as usize));
            }
            (Slot::Group(_), Slot::Group(_)) if a.kind(x) == b.kind(y) => {
                if !meet(Pair::Groups(x, y)) {
                    continue;
                }
                let (chunks, others) = (by_iteration(here, x), by_iteration(there, y));
                let pairs = chunks.iter().filter_map(|(key, &chunk)| Some((chunk, *others.get(key)?)));
                let before = stack.len();
                stack.extend(pairs);
                if stack.len() - before != chunks.len().max(others.len()) {
                    meet(Pair::Unequal);
                }
                let mut members = a.tree().children(x).filter(|&m| first_iteration(here, m).is_none());
                let mut others = b.tree().children(y).filter(|&m| first_iteration(there, m).is_none());
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
            (Slot::Group(_), Slot::Grain(h)) if a.kind(x) == GrainKind::Linear => {
                meet(Pair::Unequal);
                if let Slot::Grain(g) = a.slot(NodeId(x.0 + 1)) {
                    meet(Pair::Grains(g as usize, h as usize));
                }
            }
            (Slot::Grain(g), Slot::Group(_)) if b.kind(y) == GrainKind::Linear => {
                meet(Pair::Unequal);
                if let Slot::Grain(h) = b.slot(NodeId(y.0 + 1)) {
                    meet(Pair::Grains(g as usize, h as usize));
                }
            }
            _ => {
                meet(Pair::Unequal);
            }
        }
    }
}

/// The first iteration that a chunk ran. Members that have none are matched by their number.
fn first_iteration((tasks, grains): (&Tasks, &Grains), member: NodeId) -> Option<i64> {
    let is_chunk = grains.kind(member) == GrainKind::Chunk;
    is_chunk.then(|| tasks.chunk(grains.task(member))).flatten().map(|(first, _)| first)
}

/// A chunk: its loop, its first iteration, and which time that is met.
type Chunk = (String, i64, usize);

/// The chunks of a fork-join by what they ran.
fn by_iteration(run: (&Tasks, &Grains), group: NodeId) -> HashMap<Chunk, NodeId> {
    let (tasks, grains) = run;
    let mut found = HashMap::new();
    if grains.kind(group) != GrainKind::ForkJoin {
        return found;
    }
    let mut times: HashMap<(String, i64), usize> = HashMap::new();
    for member in grains.tree().children(group) {
        let Some(first) = first_iteration(run, member) else { continue };
        let site = tasks.source(grains.task(member)).0.map(ToString::to_string).unwrap_or_default();
        let time = times.entry((site.clone(), first)).or_default();
        found.insert((site, first, *time), member);
        *time += 1;
    }
    found
}

/// The groups that grew most, of those that have a counterpart, largest first: a group stands before what it holds.
pub fn growth(here: (&Tasks, &Grains), there: (&Tasks, &Grains), limit: usize) -> Vec<Growth> {
    let mut grown: Vec<Growth> = Vec::new();
    let total = here.1.work(NodeId::ROOT) - there.1.work(NodeId::ROOT);
    let worth = (total / 100).max(1);
    walk(here, there, |pair| match pair {
        Pair::Groups(x, y) => {
            let work = (here.1.work(x), there.1.work(y));
            let by = work.0 - work.1;
            if by >= worth {
                grown.push(Growth { node: x, other: y, work });
            }
            by >= worth
        }
        _ => true,
    });
    grown.sort_by_key(|growth| (std::cmp::Reverse(growth.work.0 - growth.work.1), growth.node));
    grown.truncate(limit);
    grown
}
