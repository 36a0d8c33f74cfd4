//! What a cut shows of the grain graph, with what the layout must know of it: kinds, sizes, totals. The fold itself is that
//! of all trees; its cost grows with what is visible, and nothing recurses over depth.

use std::ops::{AddAssign, Range, SubAssign};

use crosscut_tasks::grain::GrainKind;
use crosscut_tree::{Cut, Fold, Folds, Members, NodeId, fold};

/// What must be known of nodes, so that the layout can be tested without a run.
pub trait Nodes: Folds {
    /// What a node is.
    fn kind(&self, node: NodeId) -> GrainKind;
    /// Number of the first grain at or after a node.
    fn first_grain(&self, node: usize) -> usize;
    /// Work of some grains.
    fn work(&self, grains: Range<usize>) -> i64;

    /// Sums over whole subtrees that follow one another.
    fn totals(&self, nodes: Range<usize>) -> Totals {
        let grains = self.first_grain(nodes.start)..self.first_grain(nodes.end);
        Totals {
            grains: grains.len() as i64,
            work: self.work(grains),
            problems: self.chosen().map_or(0, |chosen| chosen.count_in(nodes) as i64),
        }
    }
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Grains.
    pub grains: i64,
    /// Their work.
    pub work: i64,
    /// Those of them that have the problem that is looked at.
    pub problems: i64,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.grains += other.grains;
        self.work += other.work;
        self.problems += other.problems;
    }
}

impl SubAssign for Totals {
    fn sub_assign(&mut self, other: Totals) {
        self.grains -= other.grains;
        self.work -= other.work;
        self.problems -= other.problems;
    }
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// One grain.
    Grain,
    /// A group whose members are not shown.
    Closed,
    /// Folded members of an open group.
    Folded(Fold),
    /// A group whose members are the parts after it.
    Open,
}

/// A visible item or an open group.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is.
    pub what: What,
    /// The node; of folded members the first.
    pub node: NodeId,
    /// Kind of the node.
    pub kind: GrainKind,
    /// How many members it stands for: more than one if folded, or open and alike to others.
    pub count: u32,
    /// What it stands for, without what the parts inside of it stand for: of an open group the groups alike to it that
    /// are not drawn.
    pub totals: Totals,
    /// Of the whole node, or of all folded members.
    pub whole: Totals,
    /// Which members of the group around it.
    pub members: Members,
    /// Number of open groups around it.
    pub depth: u32,
    /// Where the next part after its members stands.
    pub end: usize,
    /// Width; of open parts not used.
    pub w: f32,
    /// Height; of open parts not used.
    pub h: f32,
}

impl Part {
    /// Whether it is a visible item, not an open group around others.
    pub fn is_item(&self) -> bool {
        self.what != What::Open
    }

    /// Whether it stands for this member of the group around it.
    pub fn has(&self, member: NodeId) -> bool {
        self.members.has(self.node, member)
    }

    /// Whether its members stand beside one another.
    pub fn is_parallel(&self) -> bool {
        self.kind == GrainKind::ForkJoin
    }
}

/// The parts of a cut in pre-order, without sizes; none when there would be more than `most`.
pub fn parts(nodes: &impl Nodes, cut: &Cut, most: usize) -> Option<Vec<Part>> {
    Some(laid(nodes, fold::parts(nodes, cut, most)?))
}

/// What the fold shows, with what the layout must know of it.
pub fn laid(nodes: &impl Nodes, shown: Vec<fold::Part>) -> Vec<Part> {
    let tree = nodes.tree();
    let part = |shown: fold::Part| {
        let kind = nodes.kind(shown.node);
        let whole = shown.sum(tree, |range| nodes.totals(range));
        let mut totals = whole;
        if shown.open {
            totals -= nodes.totals(tree.range(shown.node));
        }
        Part {
            what: match shown.fold {
                _ if shown.open => What::Open,
                Some(fold) => What::Folded(fold),
                None if kind.is_group() => What::Closed,
                None => What::Grain,
            },
            node: shown.node,
            kind,
            count: shown.count,
            totals,
            whole,
            members: shown.members,
            depth: shown.depth,
            end: shown.end,
            w: 0.0,
            h: 0.0,
        }
    };
    shown.into_iter().map(part).collect()
}

/// The members of an open part, as indices.
pub fn members(parts: &[Part], open: usize) -> impl Iterator<Item = usize> + '_ {
    fold::steps(open + 1, parts[open].end, |at| parts[at].end)
}
