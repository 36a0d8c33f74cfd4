//! What a cut shows of the grain graph, as an array in pre-order: one part per visible item and per open group.
//! Everything after this works on parts, so its cost grows with what is visible; and nothing recurses over depth.

use crosscut_tasks::grain::GrainKind;
use crosscut_tree::{Cut, Fold, Members, NodeId, fold};

use super::shown::{Nodes, Totals};

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
    /// Height of the longest grain in the scale of the group around it, or of its own members if it is open; 0 without.
    pub full: f32,
    /// Time that this height stands for.
    pub longest: i64,
}

impl Part {
    /// Whether it is a visible item, not an open group around others.
    pub fn is_item(&self) -> bool {
        self.what != What::Open
    }

    /// Whether it stands for this member of the group around it.
    pub fn stands_for(&self, member: NodeId) -> bool {
        self.members.has(self.node, member)
    }

    /// Whether its members stand beside one another.
    pub fn is_parallel(&self) -> bool {
        self.kind == GrainKind::ForkJoin
    }
}

/// The parts of a cut in pre-order, without sizes; none when there would be more than `most`.
pub fn parts(nodes: &impl Nodes, cut: &Cut, most: usize) -> Option<Vec<Part>> {
    let tree = nodes.tree();
    let part = |part: fold::Part| {
        let kind = nodes.kind(part.node);
        let whole = part.sum(tree, |range| nodes.totals(range));
        let mut totals = whole;
        if part.open {
            totals -= nodes.totals(tree.range(part.node));
        }
        Part {
            what: match part.fold {
                _ if part.open => What::Open,
                Some(fold) => What::Folded(fold),
                None if kind.is_group() => What::Closed,
                None => What::Grain,
            },
            node: part.node,
            kind,
            count: part.count,
            totals,
            whole,
            members: part.members,
            depth: part.depth,
            end: part.end,
            w: 0.0,
            h: 0.0,
            full: 0.0,
            longest: 0,
        }
    };
    Some(fold::parts(nodes, cut, most)?.into_iter().map(part).collect())
}

/// The members of an open part, as indices.
pub fn members(parts: &[Part], open: usize) -> impl Iterator<Item = usize> + '_ {
    let end = parts[open].end;
    let mut next = open + 1;
    std::iter::from_fn(move || {
        let at = next;
        (at < end).then(|| {
            next = parts[at].end;
            at
        })
    })
}
