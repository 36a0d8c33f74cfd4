//! What a cut shows, as an array in pre-order: one part per visible item and per open node. Everything after this
//! works on parts, so its cost grows with what is visible; and over the array, so nothing recurses over depth.

use std::ops::Range;

use crosscut_tasks::schema::Kind;
use crosscut_tree::{Cut, Members, NodeId, Plain, Tree, fold};

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// One interval.
    Leaf,
    /// A task or section whose inside is not shown.
    Closed,
    /// Folded children of an open node.
    Gap,
    /// A task or section whose members are the parts after it.
    Open,
}

/// A visible item or an open node.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is.
    pub what: What,
    /// The node; of a gap the first of the folded children.
    pub node: NodeId,
    /// Kind of the node.
    pub kind: Kind,
    /// All nodes that it stands for.
    pub nodes: Range<usize>,
    /// How many children are folded (gaps).
    pub folded: u32,
    /// Where the next part after its members stands.
    pub end: usize,
    /// A created task: it runs beside what follows it.
    pub beside: bool,
    /// Its end waits for the tasks created in it; of closed parts not used.
    pub joins: bool,
    /// Width; of open parts not used.
    pub w: f32,
    /// Height; of open parts not used.
    pub h: f32,
}

/// What the layout needs to know about nodes, so that it can be tested without a run.
pub trait Nodes {
    /// The tree.
    fn tree(&self) -> Tree<'_>;
    /// Kind of a node.
    fn kind(&self, node: NodeId) -> Kind;
    /// Whether the end of a section waits for the tasks created in it.
    fn joins(&self, node: NodeId) -> bool;
}

impl Nodes for crosscut_tasks::Tasks {
    fn tree(&self) -> Tree<'_> {
        crosscut_tasks::Tasks::tree(self)
    }

    fn kind(&self, node: NodeId) -> Kind {
        crosscut_tasks::Tasks::kind(self, node)
    }

    fn joins(&self, node: NodeId) -> bool {
        crosscut_tasks::Tasks::joins(self, node)
    }
}

/// The parts of a cut in pre-order, without sizes.
pub fn parts(nodes: &impl Nodes, cut: &Cut) -> Vec<Part> {
    laid(nodes, &fold::parts(&Plain(nodes.tree()), cut, usize::MAX).unwrap_or_default())
}

/// What the fold shows, with what the layout must know of it.
pub fn laid(nodes: &impl Nodes, shown: &[fold::Part]) -> Vec<Part> {
    let tree = nodes.tree();
    let part = |shown: &fold::Part| {
        let (node, kind) = (shown.node, nodes.kind(shown.node));
        let what = match shown.fold {
            Some(_) => What::Gap,
            None if shown.open => What::Open,
            None if kind.is_collective() => What::Closed,
            None => What::Leaf,
        };
        let gap = what == What::Gap;
        Part {
            what,
            node,
            // Of a gap it matters where it lies.
            kind: if gap { tree.parent(node).map_or(kind, |open| nodes.kind(open)) } else { kind },
            nodes: match &shown.members {
                Members::Run(range) => range.clone(),
                _ => tree.range(node),
            },
            folded: if gap { shown.count } else { 0 },
            end: shown.end,
            beside: !gap && kind == Kind::Task && node != NodeId::ROOT,
            joins: what != What::Open || kind != Kind::Section || nodes.joins(node),
            w: 0.0,
            h: 0.0,
        }
    };
    shown.iter().map(part).collect()
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

/// First and last visible part inside each part: where edges enter and leave it. A created task at the end of its
/// parent is beside the spine, so the spine's last part is what counts; if there is none, the task itself.
pub fn doors(parts: &[Part]) -> (Vec<usize>, Vec<usize>) {
    let mut first: Vec<usize> = (0..parts.len()).collect();
    let mut last = first.clone();
    for i in (0..parts.len()).rev() {
        if parts[i].what != What::Open {
            continue;
        }
        let mut members = members(parts, i);
        let Some(head) = members.next() else { continue };
        first[i] = first[head];
        let spine = members.filter(|&m| !parts[m].beside).last();
        last[i] = last[spine.unwrap_or(head)];
    }
    (first, last)
}
