//! Who followed whom on a spine: the edges between workers, the gaps, and the moments at which sections released what
//! follows them. Where sections wait for all their tasks, the pass over the nodes finds it on its way; with dependences, or
//! tasks that outlive their section, a pass over the children of every collective node does.

use crate::schema::{Collapsed, Edge, Kind, Mark, TaskWriter};
use crosscut_run::Places;
use crosscut_tree::NodeId;
use foldhash::HashMap;
use rayon::prelude::*;

use crate::dag::{Dag, Join};
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

/// Moments at which something became ready otherwise than by the end of the interval just before it.
#[derive(Clone, Debug, Default)]
pub struct Released {
    /// (when, kind of edge): a section ended and made what follows it ready.
    pub joins: Vec<(i64, Edge)>,
    /// Tasks that had to wait for others when they had been created.
    pub held: Vec<Held>,
}

/// A task with dependences: it was created, but not ready yet.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub created: i64,
    pub ready: i64,
    /// The kind of edge that made it ready.
    pub edge: Edge,
}

/// Where a spine leaves a child of a node.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    /// When what follows became ready.
    pub at: i64,
    /// The row of the last block.
    pub row: u32,
    /// The edge that leads on.
    pub edge: Edge,
}

/// Not known before all children of a section are.
const WITH_ITS_SECTION: i64 = i64::MIN;

impl Exit {
    /// Of a block that ends with this time.
    #[inline]
    pub fn of_block(kind: Kind, end: i64, row: u32) -> Self {
        let (at, edge) = match kind {
            Kind::Create | Kind::Fork => (end, Edge::CreateCont),
            Kind::Section => (end, Edge::WaitCont),
            Kind::Wait => (WITH_ITS_SECTION, Edge::WaitCont),
            _ => (end, Edge::OtherCont),
        };
        Exit { at, row, edge }
    }

    /// Whether what follows becomes ready only with the end of a section that is not known yet.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.at == WITH_ITS_SECTION
    }

    /// The node that ends with the block ended at this time, everything in it included.
    #[inline]
    pub fn resolve(&mut self, end: i64) {
        if self.at == WITH_ITS_SECTION {
            self.at = end;
        }
    }
}

/// The block with which a child of a node begins.
#[derive(Clone, Copy, Debug)]
pub struct First {
    pub start: i64,
    pub row: u32,
    /// The edge that made it ready.
    pub edge: Edge,
}

/// What the pass finds.
#[derive(Clone, Debug)]
pub struct Spine {
    counts: Counts,
    /// Time between consecutive intervals.
    pub gaps: GapHistogram,
    /// What was made ready by more than one end.
    pub released: Released,
}

impl Spine {
    pub fn empty(rows: usize) -> Self {
        Spine {
            counts: Counts { stayed: vec![[0; 5]; rows], moved: HashMap::default() },
            gaps: GapHistogram::empty(),
            released: Released::default(),
        }
    }

    fn merge(mut self, mut other: Spine) -> Self {
        for found in other.counts.migrations() {
            for (edge, count) in Edge::ALL.into_iter().zip(found.counts) {
                self.counts.add(edge, found.from as usize, found.to as usize, count);
            }
        }
        self.released.joins.append(&mut other.released.joins);
        self.released.held.append(&mut other.released.held);
        Spine { gaps: self.gaps.merge(&other.gaps), ..self }
    }

    /// One edge from row to row.
    #[inline]
    pub fn edge(&mut self, edge: Edge, from: u32, to: u32) {
        self.counts.add(edge, from as usize, to as usize, 1);
    }

    /// Something follows on a spine.
    #[inline]
    pub fn follow(&mut self, exit: Exit, next: First) {
        self.edge(exit.edge, exit.row, next.row);
        self.gaps.add(next.start - exit.at, exit.row != next.row);
        if exit.edge == Edge::WaitCont {
            self.released.joins.push((exit.at, next.edge));
        }
    }

    /// The edges inside collapsed nodes.
    pub fn add_collapsed(&mut self, tasks: &TaskWriter, places: &Places) {
        for collapsed in &tasks.collapsed {
            let at = row(places, tasks.place[collapsed.node as usize]);
            for (edge, count) in inner_edges(collapsed, Mark(tasks.mark[collapsed.node as usize]).kind()) {
                self.counts.add(edge, at, at, count);
            }
        }
    }

    /// Edges by kind from row to row, in the order of rows.
    pub fn migrations(&self) -> Vec<Migration> {
        self.counts.migrations()
    }
}

/// Nodes that are passed over at a time.
const STRETCH: usize = 1 << 17;

/// Passes over the whole tree, whatever its tasks wait for.
pub fn spine(tasks: &TaskWriter, dag: &Dag<'_>, places: &Places) -> Spine {
    let rows = places.worker_count() + 1;
    let deep = if dag.tail.is_empty() { Vec::new() } else { deep_waits(dag) };
    let n = dag.tree.node_count();
    let stretch = |k: usize| {
        let mut spine = Spine::empty(rows);
        for node in (k * STRETCH..((k + 1) * STRETCH).min(n)).map(|i| NodeId(i as u32)) {
            if !dag.tree.is_leaf(node) {
                visit(&mut spine, tasks, dag, &deep, places, node);
            }
        }
        spine
    };
    let stretches = (0..n.div_ceil(STRETCH)).into_par_iter();
    stretches.map(stretch).reduce(|| Spine::empty(rows), Spine::merge)
}

/// No section.
const NOBODY: u32 = u32::MAX;

/// For every node the innermost section around it that waits for all tasks below it.
fn deep_waits(dag: &Dag<'_>) -> Vec<u32> {
    let parent = dag.tree.parents();
    let mut deep = vec![NOBODY; parent.len()];
    for i in 0..deep.len() {
        deep[i] = if dag.join(NodeId(i as u32)) == Join::All { i as u32 } else { deep[parent[i] as usize] };
    }
    deep
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

fn visit(spine: &mut Spine, tasks: &TaskWriter, dag: &Dag<'_>, deep: &[u32], places: &Places, node: NodeId) {
    let row_of = |node: NodeId| row(places, tasks.place[node.index()]);
    let edge_of = |node: NodeId| Mark(dag.mark[node.index()]).edge();
    // Where what follows the section that waits for the tasks of this one begins: their ends lead there.
    let after = || {
        let section = match dag.join(node) {
            Join::None => NodeId(*deep.get(node.index()).filter(|&&section| section != NOBODY)?),
            Join::Own | Join::All => node,
        };
        dag.follow(section).map(|next| row_of(dag.first_block(next)))
    };
    let mut known_after: Option<Option<usize>> = None;
    let mut before: Option<NodeId> = None;
    for child in dag.tree.children(node) {
        if dag.kind(child) == Kind::Task {
            if let Some(create) = before.filter(|&before| dag.kind(before).is_start()) {
                let to = dag.first_block(child);
                spine.counts.add(Edge::Create, row_of(create), row_of(to), 1);
                if !dag.depends.of(child.0).is_empty() {
                    let (created, ready) = (dag.end[create.index()], dag.startable(create, child));
                    spine.released.held.push(Held { created, ready, edge: edge_of(to) });
                }
            }
            if let Some(after) = *known_after.get_or_insert_with(after) {
                spine.counts.add(Edge::End, row_of(dag.last_block(child)), after, 1);
            }
            continue;
        }
        if let Some(before) = before {
            let exit = dag.exit(before);
            let to = dag.first_block(child);
            let (a, b) = (row_of(exit.block), row_of(to));
            spine.counts.add(exit.edge, a, b, 1);
            spine.gaps.add(tasks.start[to.index()] - exit.at, a != b);
            if exit.edge == Edge::WaitCont {
                spine.released.joins.push((exit.at, edge_of(to)));
            }
        }
        before = Some(child);
    }
}
