//! What a cut shows, as an array in pre-order: one part per visible item and per open node. Everything after this
//! works on parts, so its cost grows with what is visible; and over the array, so nothing recurses over depth.

use std::ops::Range;

use crosscut_tasks::schema::Kind;
use crosscut_tree::{Cut, Item, NodeId, Tree};

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
    /// The node; of a gap the open node that it belongs to.
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
    let tree = nodes.tree();
    let mut parts: Vec<Part> = Vec::new();
    if tree.is_empty() {
        return parts;
    }
    // Items still to come, and the ends of open parts between them.
    enum Step {
        Item(Item),
        Close(usize),
    }
    let mut stack = vec![Step::Item(Item::Node(NodeId::ROOT))];
    while let Some(step) = stack.pop() {
        let item = match step {
            Step::Item(item) => item,
            Step::Close(part) => {
                parts[part].end = parts.len();
                continue;
            }
        };
        let at = parts.len();
        let part = |what, node, kind, range: Range<usize>| Part {
            what,
            node,
            kind,
            nodes: range,
            folded: 0,
            end: at + 1,
            beside: kind == Kind::Task && node != NodeId::ROOT,
            joins: what != What::Open || kind != Kind::Section || nodes.joins(node),
            w: 0.0,
            h: 0.0,
        };
        match item {
            Item::Gap { parent, count, nodes: range, .. } => {
                let mut gap = part(What::Gap, parent, nodes.kind(parent), range);
                gap.folded = count;
                gap.beside = false;
                parts.push(gap);
            }
            Item::Node(node) if cut.is_open(node) && !tree.is_leaf(node) => {
                parts.push(part(What::Open, node, nodes.kind(node), tree.range(node)));
                stack.push(Step::Close(at));
                stack.extend(cut.shown(tree, node).into_iter().rev().map(Step::Item));
            }
            Item::Node(node) => {
                let kind = nodes.kind(node);
                let what = if kind.is_collective() { What::Closed } else { What::Leaf };
                parts.push(part(what, node, kind, tree.range(node)));
            }
        }
    }
    parts
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
