//! The super graph: call paths merged by a [`Map`], without cycles.
//!
//! What was spent in a super node itself is the sum over its call paths; with callees, the sum over those whose caller is
//! outside, the *heads* of its *entry functions*; the weight of an edge, the sum over the heads that are called through it. Since no
//! path leaves a super node and comes back to it, with callees = itself + the edges that leave = the edges that arrive.

mod assign;
mod filter;
mod fold;
mod order;
mod pairs;
mod places;
mod split;
mod trace;

use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

pub use assign::MOST_COPIES;
pub use filter::{Filter, USUAL_SHARE, functions_under, totals};
pub use fold::Folded;
pub use places::Columns;
pub use split::{Split, SplitBy};
pub use trace::Traced;

use crate::map::{By, Map};
use crate::paths::Paths;
use crate::schema::NONE;
use assign::{Assigned, Heads};
use pairs::Pairs;

/// What a super graph is made by.
#[derive(Clone, Debug)]
pub struct Making {
    /// The metric that says which call paths are heavy, and which functions are small.
    pub metric: usize,
    /// What is merged.
    pub map: Map,
    /// Functions that are left in their callers.
    pub filter: Filter,
    /// Super nodes that are split, one after the other.
    pub splits: Vec<Split>,
}

impl Default for Making {
    fn default() -> Self {
        Making { metric: 0, map: By::Module.into(), filter: Filter::default(), splits: Vec::new() }
    }
}

/// One super node. Its values are in [`SuperGraph::own`] and [`SuperGraph::inclusive`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuperNode {
    /// What its call paths have in common.
    pub label: String,
    /// How many super nodes of this label were made before it: a copy, since an edge to them would have closed a cycle.
    pub copy: u32,
    /// The entry function that it was split off by.
    pub entry: Option<String>,
    /// The name of the super node that calls it, where it was split by callers.
    pub caller: Option<String>,
}

impl SuperNode {
    /// A name of its own, the same whatever else is split.
    pub fn name(&self) -> String {
        let mut name = self.label.clone();
        if let Some(entry) = &self.entry {
            name.push('-');
            name.push_str(entry);
        }
        if self.copy > 0 {
            name.push_str(&format!(" ↻{}", self.copy + 1));
        }
        if let Some(caller) = &self.caller {
            name.push_str(" ⟵ ");
            name.push_str(caller);
        }
        name
    }
}

/// Calls from one super node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The caller.
    pub from: u32,
    /// What is called.
    pub to: u32,
    /// Call paths that are called through it.
    pub paths: u32,
}

/// A function through which a super node is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its frame.
    pub frame: u32,
    /// Call paths that enter by it.
    pub paths: u32,
    /// What was spent in them, with callees.
    pub inclusive: i64,
}

/// A call path that enters a super node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The node of the calling context tree.
    node: u32,
    /// The head that it is called from; of the first one itself.
    up: u32,
    /// Its super node.
    to: u32,
    /// The edge that it is called through; [`NONE`] of the first one.
    edge: u32,
}

/// Call paths merged by a map. Node 0 is the program.
#[derive(Clone, Debug, Default)]
pub struct SuperGraph {
    nodes: Vec<SuperNode>,
    edges: Vec<Edge>,
    heads: Vec<Head>,
    /// By node of the calling context tree: its head.
    head_of: Vec<u32>,
    /// By metric and super node, by metric and edge.
    own: Vec<Vec<i64>>,
    inclusive: Vec<Vec<i64>>,
    flow: Vec<Vec<i64>>,
    /// By frame: it is left in its callers.
    filtered: Vec<bool>,
    stayed: u64,
    /// Splits that changed nothing.
    idle: Vec<Split>,
}

impl SuperGraph {
    /// Merges call paths. A split of a super node that is not there is left out; [`SuperGraph::split`] says so.
    pub fn of(paths: &impl Paths, making: &Making) -> Self {
        SuperGraph::with(paths, making, &totals(paths, making.metric))
    }

    /// The same for who knows the [`totals`] of the metric already.
    pub fn with(paths: &impl Paths, making: &Making, totals: &[i64]) -> Self {
        let mut labels = making.map.labels(paths.frames());
        let filtered = making.filter.filtered(paths, making.metric, totals);
        for (label, &filtered) in labels.of.iter_mut().zip(&filtered) {
            if filtered {
                *label = NONE;
            }
        }
        let heads = Heads::new(paths, &labels.of);
        let assigned = assign::assign(paths, making.metric, &heads);
        let mut graph = SuperGraph { filtered, stayed: assigned.stayed, ..SuperGraph::default() };
        graph.nodes = (assigned.label.iter().zip(&assigned.copy))
            .map(|(&label, &copy)| SuperNode {
                label: labels.names.get(label as usize).cloned().unwrap_or_else(|| "program".to_owned()),
                copy,
                ..SuperNode::default()
            })
            .collect();
        graph.keep_heads(heads, &assigned);
        graph.fill(paths);
        for split in &making.splits {
            graph.split(paths, split);
        }
        graph
    }

    /// Heads whose super node is that of their caller are none.
    fn keep_heads(&mut self, heads: Heads, assigned: &Assigned) {
        let mut number = vec![0u32; heads.len()];
        for head in 0..heads.len() {
            let up = heads.up[head] as usize;
            let to = assigned.of[head];
            if head > 0 && assigned.of[up] == to {
                number[head] = number[up];
                continue;
            }
            number[head] = self.heads.len() as u32;
            self.heads.push(Head { node: heads.node[head], up: number[up], to, edge: NONE });
        }
        self.head_of = heads.of;
        for head in &mut self.head_of {
            *head = number[*head as usize];
        }
    }

    /// Edges and values, from the heads.
    fn fill(&mut self, paths: &impl Paths) {
        let mut numbers = Pairs::new(self.nodes.len());
        self.edges.clear();
        for at in 1..self.heads.len() {
            let (from, to) = (self.heads[self.heads[at].up as usize].to, self.heads[at].to);
            let (edge, is_new) = numbers.number(from, to);
            if is_new {
                self.edges.push(Edge { from, to, paths: 0 });
            }
            self.edges[edge as usize].paths += 1;
            self.heads[at].edge = edge;
        }
        let metrics = 0..paths.metric_count();
        let values = metrics.map(|metric| self.values(paths, metric));
        let values: Vec<_> = values.collect();
        (self.own, self.inclusive, self.flow) = (Vec::new(), Vec::new(), Vec::new());
        for (own, inclusive, flow) in values {
            self.own.push(own);
            self.inclusive.push(inclusive);
            self.flow.push(flow);
        }
    }

    /// Own, inclusive, flow of one metric. Sums wrap and differences wrap back.
    fn values(&self, paths: &impl Paths, metric: usize) -> (Vec<i64>, Vec<i64>, Vec<i64>) {
        let (mut own, mut flow) = (vec![0i64; self.nodes.len()], vec![0i64; self.edges.len()]);
        let mut inclusive = own.clone();
        for head in &self.heads {
            let value = paths.with_callees(metric, NodeId(head.node));
            let to = head.to as usize;
            own[to] = own[to].wrapping_add(value);
            inclusive[to] = inclusive[to].wrapping_add(value);
            if let Some(edge) = self.edges.get(head.edge as usize) {
                let slot = &mut flow[head.edge as usize];
                *slot = slot.wrapping_add(value);
                let from = &mut own[edge.from as usize];
                *from = from.wrapping_sub(value);
            }
        }
        (own, inclusive, flow)
    }

    /// The super nodes, in the order in which they were made: the heaviest call paths first.
    pub fn nodes(&self) -> &[SuperNode] {
        &self.nodes
    }

    /// Calls between them.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// By super node: what was spent in it itself.
    pub fn own(&self, metric: usize) -> &[i64] {
        self.own.get(metric).map_or(&[], Vec::as_slice)
    }

    /// By super node: with all that it called.
    pub fn inclusive(&self, metric: usize) -> &[i64] {
        self.inclusive.get(metric).map_or(&[], Vec::as_slice)
    }

    /// By edge: what was spent in what is called through it, with callees.
    pub fn flow(&self, metric: usize) -> &[i64] {
        self.flow.get(metric).map_or(&[], Vec::as_slice)
    }

    /// By frame: whether it is left in its callers.
    pub fn filtered(&self) -> &[bool] {
        &self.filtered
    }

    /// Call paths that stayed in their caller, because their label has [`MOST_COPIES`] super nodes and another one would be needed.
    pub fn stayed(&self) -> u64 {
        self.stayed
    }

    /// The super node of a call path.
    pub fn node_of(&self, node: NodeId) -> Option<u32> {
        let head = *self.head_of.get(node.index())?;
        self.heads.get(head as usize).map(|head| head.to)
    }

    /// The super node of a name.
    pub fn named(&self, name: &str) -> Option<u32> {
        self.nodes.iter().position(|node| node.name() == name).map(|at| at as u32)
    }

    /// Whether a super node is one of several of its label, made since one alone would be in a cycle.
    pub fn is_duplicated(&self, node: u32) -> bool {
        let Some(of) = self.nodes.get(node as usize) else { return false };
        of.copy > 0 || self.nodes.iter().any(|other| other.copy > 0 && other.label == of.label)
    }

    /// The entry functions of a super node, the largest first, then by frame. The program has none.
    pub fn entries(&self, paths: &impl Paths, metric: usize, node: u32) -> Vec<Entry> {
        let mut by_frame: HashMap<u32, Entry> = HashMap::new();
        for head in self.heads.iter().skip(1).filter(|head| head.to == node) {
            let frame = paths.number(NodeId(head.node));
            let entry = by_frame.entry(frame).or_insert(Entry { frame, paths: 0, inclusive: 0 });
            entry.paths += 1;
            entry.inclusive = entry.inclusive.wrapping_add(paths.with_callees(metric, NodeId(head.node)));
        }
        let mut entries: Vec<Entry> = by_frame.into_values().collect();
        entries.sort_unstable_by_key(|entry| (std::cmp::Reverse(entry.inclusive), entry.frame));
        entries
    }

    /// The functions of all super nodes: super node, frame, call paths, what was spent in them; by super node, then the largest
    /// first, then by frame. What is filtered, loops and lines stand for themselves.
    pub fn functions(&self, paths: &impl Paths, metric: usize) -> Vec<(u32, Entry)> {
        let mut numbers = Pairs::new(self.nodes.len().max(paths.frames().len()));
        let mut all: Vec<(u32, Entry)> = Vec::new();
        for (at, (&head, &frame)) in self.head_of.iter().zip(paths.frame_numbers()).enumerate().skip(1) {
            let to = self.heads[head as usize].to;
            let (number, is_new) = numbers.number(to, frame);
            if is_new {
                all.push((to, Entry { frame, paths: 0, inclusive: 0 }));
            }
            let entry = &mut all[number as usize].1;
            entry.paths += 1;
            entry.inclusive = entry.inclusive.wrapping_add(paths.sum(metric, at..at + 1));
        }
        all.sort_unstable_by_key(|(to, entry)| (*to, std::cmp::Reverse(entry.inclusive), entry.frame));
        all
    }

    /// The call paths of a super node, in pre-order.
    pub fn members(&self, node: u32) -> impl Iterator<Item = NodeId> + '_ {
        let is = move |(_, head): &(usize, &u32)| self.heads[**head as usize].to == node;
        self.head_of.iter().enumerate().filter(is).map(|(at, _)| NodeId(at as u32))
    }

    /// The call paths that enter a super node, in pre-order.
    pub fn entering(&self, node: u32) -> impl Iterator<Item = NodeId> + '_ {
        self.heads.iter().filter(move |head| head.to == node).map(|head| NodeId(head.node))
    }

    /// Memory that it takes.
    pub fn bytes(&self) -> usize {
        let values = self.own.iter().chain(&self.inclusive).chain(&self.flow).map(Vec::len).sum::<usize>();
        4 * self.head_of.len()
            + size_of::<Head>() * self.heads.len()
            + 8 * values
            + 160 * self.nodes.len()
            + size_of::<Edge>() * self.edges.len()
    }
}
