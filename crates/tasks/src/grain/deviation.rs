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
                let chunks = by_iteration(there, y);
                let (mut members, mut others) = (a.tree().children(x), b.tree().children(y));
                loop {
                    let (m, o) = (next(a, &mut members), next(b, &mut others));
                    match (m, o) {
                        (Some(m), Some(o)) => stack.push((m, o)),
                        (None, None) => break,
                        _ => {
                            meet(Pair::Unequal);
                            break;
                        }
                    }
                }
                let mut found = 0;
                for chunk in a.tree().children(x).filter(|&m| a.kind(m) == GrainKind::Chunk) {
                    match chunks.get(&iteration(here, chunk)) {
                        Some(&other) => {
                            found += 1;
                            stack.push((chunk, other));
                        }
                        None => {
                            meet(Pair::Unequal);
                        }
                    }
                }
                if found != chunks.len() {
                    meet(Pair::Unequal);
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

/// The next member that is matched by its number: chunks are not.
fn next(grains: &Grains, members: &mut impl Iterator<Item = NodeId>) -> Option<NodeId> {
    members.find(|&member| grains.kind(member) != GrainKind::Chunk)
}

/// The loop and the first iteration of a chunk.
fn iteration((tasks, grains): (&Tasks, &Grains), chunk: NodeId) -> (String, i64) {
    let node = grains.task(chunk);
    let site = tasks.source(node).0.map(ToString::to_string).unwrap_or_default();
    (site, tasks.chunk(node).map_or(-1, |(first, _)| first))
}

fn by_iteration(run: (&Tasks, &Grains), group: NodeId) -> HashMap<(String, i64), NodeId> {
    let mut found = HashMap::new();
    if run.1.kind(group) == GrainKind::ForkJoin {
        for chunk in run.1.tree().children(group).filter(|&m| run.1.kind(m) == GrainKind::Chunk) {
            found.insert(iteration(run, chunk), chunk);
        }
    }
    found
}

/// The groups and grains that grew most, of those that have a counterpart: the innermost ones that explain the growth,
/// largest first.
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
