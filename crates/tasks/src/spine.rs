//! One pass over the children of every collective node: who followed whom on a spine. It gives the edges between
//! workers, the gaps, and the moments at which sections released what follows them.

use crosscut_run::Places;
use crosscut_run::tasks::{Collapsed, Edge, Kind, Mark, TaskWriter};
use crosscut_tree::{NodeId, Tree};
use foldhash::HashMap;
use rayon::prelude::*;

use crate::order::row;
use crate::summary::{GapHistogram, Migration};

/// Edges from row to row while they are counted. Most stay on their row; of the pairs of rows only few occur, and with
/// a thousand workers a full matrix would be larger than many a run.
#[derive(Clone, Debug)]
struct Counts {
    stayed: Vec<[i64; 5]>,
    moved: HashMap<(u32, u32), [i64; 5]>,
}

impl Counts {
    #[inline]
    fn add(&mut self, edge: Edge, from: usize, to: usize, count: i64) {
        let slot = match from == to {
            true => &mut self.stayed[from],
            false => self.moved.entry((from as u32, to as u32)).or_default(),
        };
        slot[edge as usize] += count;
    }

    fn migrations(&self) -> Vec<Migration> {
        let stayed = (0u32..).zip(&self.stayed).map(|(row, counts)| ((row, row), counts));
        let moved = self.moved.iter().map(|(&pair, counts)| (pair, counts));
        let mut found: Vec<Migration> = stayed
            .chain(moved)
            .filter(|(_, counts)| **counts != [0; 5])
            .map(|((from, to), &counts)| Migration { from, to, counts })
            .collect();
        found.sort_unstable_by_key(|m| (m.from, m.to));
        found
    }
}

/// What the pass finds.
#[derive(Clone, Debug)]
pub struct Spine {
    counts: Counts,
    /// Time between consecutive intervals.
    pub gaps: GapHistogram,
    /// (when, kind of edge): a section ended and made what follows it ready.
    pub joins: Vec<(i64, Edge)>,
}

impl Spine {
    fn empty(rows: usize) -> Self {
        Spine {
            counts: Counts { stayed: vec![[0; 5]; rows], moved: HashMap::default() },
            gaps: GapHistogram::empty(),
            joins: Vec::new(),
        }
    }

    fn merge(mut self, mut other: Spine) -> Self {
        for found in other.counts.migrations() {
            for (edge, count) in Edge::ALL.into_iter().zip(found.counts) {
                self.counts.add(edge, found.from as usize, found.to as usize, count);
            }
        }
        self.joins.append(&mut other.joins);
        Spine { gaps: self.gaps.merge(&other.gaps), ..self }
    }

    /// Edges by kind from row to row, in the order of rows.
    pub fn migrations(&self) -> Vec<Migration> {
        self.counts.migrations()
    }
}

/// The block with which a node begins.
pub fn first_block(tree: Tree<'_>, node: NodeId) -> NodeId {
    let mut at = node;
    while !tree.is_leaf(at) {
        at = NodeId(at.0 + 1);
    }
    at
}

/// The block with which a node's own spine ends: the last one in pre-order.
pub fn last_block(tree: Tree<'_>, node: NodeId) -> NodeId {
    NodeId(tree.range(node).end as u32 - 1)
}

/// Passes over the whole tree.
pub fn spine(tasks: &TaskWriter, tree: Tree<'_>, places: &Places) -> Spine {
    let rows = places.worker_count() + 1;
    let found = (0..tree.node_count() as u32)
        .into_par_iter()
        .with_min_len(1 << 15)
        .map(NodeId)
        .filter(|&node| !tree.is_leaf(node))
        .fold(
            || Spine::empty(rows),
            |mut spine, node| {
                visit(&mut spine, tasks, tree, places, node);
                spine
            },
        )
        .reduce(|| Spine::empty(rows), Spine::merge);
    tasks.collapsed.iter().fold(found, |mut spine, collapsed| {
        let at = row(places, tasks.place[collapsed.node as usize]);
        for (edge, count) in inner_edges(collapsed, Mark(tasks.mark[collapsed.node as usize]).kind()) {
            spine.counts.add(edge, at, at, count);
        }
        spine
    })
}

/// Edges inside a collapsed node. The recorder counts the end edges of a section's own tasks with whatever holds the
/// section, so a collapsed section lacks them: one for each create that has no end edge yet.
pub fn inner_edges(collapsed: &Collapsed, kind: Kind) -> impl Iterator<Item = (Edge, i64)> {
    let mut edges = collapsed.edges;
    if kind == Kind::Section {
        edges[Edge::End as usize] = collapsed.nodes[Kind::Create as usize];
    }
    Edge::ALL.into_iter().zip(edges)
}

fn visit(spine: &mut Spine, tasks: &TaskWriter, tree: Tree<'_>, places: &Places, node: NodeId) {
    let (start, end, mark) = (&tasks.start[..], &tasks.end[..], &tasks.mark[..]);
    let row_of = |node: NodeId| row(places, tasks.place[node.index()]);
    let kind_of = |node: NodeId| Mark(mark[node.index()]).kind();
    // Where what follows this section on its own spine begins: the end of each of its tasks leads there.
    let after = match kind_of(node) {
        Kind::Section => std::iter::successors(tree.next_sibling(node), |&next| tree.next_sibling(next))
            .find(|&next| kind_of(next) != Kind::Task)
            .map(|next| row_of(first_block(tree, next))),
        _ => None,
    };
    let mut before: Option<NodeId> = None;
    let mut creator: Option<NodeId> = None;
    for child in tree.children(node) {
        let kind = kind_of(child);
        if kind == Kind::Task {
            if let Some(create) = creator {
                let to = first_block(tree, child);
                spine.counts.add(Edge::Create, row_of(create), row_of(to), 1);
            }
            if let Some(after) = after {
                spine.counts.add(Edge::End, row_of(last_block(tree, child)), after, 1);
            }
            continue;
        }
        if let Some(before) = before {
            let edge = match kind_of(before) {
                Kind::Section => Edge::WaitCont,
                Kind::Create => Edge::CreateCont,
                _ => Edge::OtherCont,
            };
            let from = last_block(tree, before);
            let to = first_block(tree, child);
            let (a, b) = (row_of(from), row_of(to));
            spine.counts.add(edge, a, b, 1);
            spine.gaps.add(start[to.index()] - end[before.index()], a != b);
            if edge == Edge::WaitCont {
                spine.joins.push((end[before.index()], Mark(mark[to.index()]).edge()));
            }
        }
        before = Some(child);
        creator = (kind == Kind::Create).then_some(child);
    }
}
