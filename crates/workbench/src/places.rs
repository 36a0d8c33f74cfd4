//! The tree of places: processes, and the workers or threads in them. Every domain adds columns to it.

use std::any::Any;

use crosscut_run::Places;
use crosscut_tree::{Metric, NodeId, Part, Tree, TreeBuf, from_parents};

use crate::bench::OpenRun;
use crate::declare::TreeDecl;
use crate::domain::{Chosen, Forest, Hits, Reach, Shared, Title};
use crate::error::Refusal;
use crate::job::Job;
use crate::look::Scope;
use crate::rows::number;
use crate::selection::{Nodes, Selection, Span};
use crate::sheet::{Block, Crumb, Fact, Sheet};

/// The tree of places.
pub const DECLARATION: TreeDecl = TreeDecl {
    name: "places",
    title: "Places",
    node: ("place", "places"),
    sign: "",
    parameter: false,
    options: &[],
    slow: false,
};

/// Processes and workers with the columns of all domains.
pub struct PlaceForest {
    tree: TreeBuf,
    /// Name of each node.
    names: Vec<(&'static str, String)>,
    /// Place ids of each leaf: a worker that moved between cores has several.
    ids: Vec<Vec<u32>>,
    metrics: Vec<Metric>,
    /// By metric and node.
    values: Vec<Vec<f64>>,
    time: Option<Span>,
}

impl PlaceForest {
    /// The places of a run.
    pub fn new(run: &OpenRun, job: &Job<'_>) -> Result<Self, Refusal> {
        let (tree, names, ids) =
            nodes(&run.places).ok_or_else(|| Refusal::new("the run has too many places"))?;
        let mut forest =
            PlaceForest { tree, names, ids, metrics: Vec::new(), values: Vec::new(), time: run.time() };
        let sets: Vec<Vec<u32>> =
            (0..forest.ids.len() as u32).map(|node| forest.below(NodeId(node)).collect()).collect();
        for domain in &run.domains {
            for column in domain.columns(Shared::Places, &sets, job) {
                forest.values.push(column.values);
                forest.metrics.push(column.metric);
            }
        }
        Ok(forest)
    }

    /// Place ids at or below a node.
    fn below(&self, node: NodeId) -> impl Iterator<Item = u32> + '_ {
        self.ids[self.tree.view().range(node)].iter().flatten().copied()
    }
}

/// The node of each place in this tree, by the id of the place: what marks of places name.
pub fn place_nodes(places: &Places) -> Vec<u32> {
    let mut of = vec![0; places.len()];
    let (_, _, ids) = nodes(places).unwrap_or_default();
    for (node, ids) in ids.iter().enumerate() {
        ids.iter().for_each(|&id| of[id as usize] = node as u32);
    }
    of
}

type Named = (TreeBuf, Vec<(&'static str, String)>, Vec<Vec<u32>>);

/// The root, processes where there are several, workers, in pre-order.
fn nodes(places: &Places) -> Option<Named> {
    let mut workers: Vec<(i64, i64, Vec<u32>)> = Vec::new();
    let mut by_worker = std::collections::BTreeMap::new();
    for id in 0..places.len() {
        let place = places.get(id as _)?;
        let at = *by_worker.entry((place.process, place.worker)).or_insert_with(|| {
            workers.push((place.process, place.worker, Vec::new()));
            workers.len() - 1
        });
        workers[at].2.push(id as u32);
    }
    workers.sort_by_key(|worker| (worker.0, worker.1));
    let several = workers.windows(2).any(|pair| pair[0].0 != pair[1].0);
    let mut parents: Vec<Option<u32>> = vec![None];
    let mut names = vec![("run", "all places".to_owned())];
    let mut ids: Vec<Vec<u32>> = vec![Vec::new()];
    for of_process in workers.chunk_by(|a, b| a.0 == b.0) {
        let mut above = 0;
        if several {
            above = parents.len() as u32;
            parents.push(Some(0));
            names.push(("process", format!("process {}", of_process[0].0)));
            ids.push(Vec::new());
        }
        for (_, worker, own) in of_process {
            parents.push(Some(above));
            names.push(("worker", format!("worker {worker}")));
            ids.push(own.clone());
        }
    }
    Some((from_parents(&parents).ok()?.tree, names, ids))
}

impl Forest for PlaceForest {
    fn tree(&self) -> Tree<'_> {
        self.tree.view()
    }

    fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    fn titles(&self, parts: &[Part], _lens: Option<&Chosen>) -> Vec<Title> {
        let title = |part: &Part| {
            let (kind, name) = self.names.get(part.node.index()).cloned().unwrap_or_default();
            let name = if part.count > 1 { format!("{} more from {name}", part.count) } else { name };
            Title { kind: kind.to_owned(), name, ..Title::default() }
        };
        parts.iter().map(title).collect()
    }

    fn values(&self, metric: usize, parts: &[Part], _scope: &Scope, out: &mut [f64]) {
        let Some(values) = self.values.get(metric) else { return };
        let tree = self.tree.view();
        for (part, out) in parts.iter().zip(out) {
            // Siblings follow one another: only whole subtrees are summed, each by its own node.
            let of = |range: std::ops::Range<usize>| {
                let mut sum = 0.0;
                let mut at = range.start;
                while at < range.end {
                    sum += if values[at].is_nan() { 0.0 } else { values[at] };
                    at = tree.range(NodeId(at as u32)).end.max(at + 1);
                }
                sum
            };
            *out = if part.count == 1 { values[part.node.index()] } else { part.sum(tree, of) };
        }
    }

    fn search(&self, words: &str, limit: usize, _job: &Job<'_>) -> Hits {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let found = |(_, name): &(&str, String)| words.iter().all(|word| name.contains(word.as_str()));
        let all = self.names.iter().enumerate().skip(1).filter(|(_, named)| found(named));
        let nodes: Vec<NodeId> = all.map(|(node, _)| NodeId(node as u32)).collect();
        Hits { total: nodes.len(), nodes: nodes.into_iter().take(limit).collect(), more: false }
    }

    fn about(
        &self,
        selection: &Selection,
        _lens: Option<&Chosen>,
        _scope: &Scope,
        job: &Job<'_>,
    ) -> Result<Sheet, Refusal> {
        let tree = self.tree.view();
        let node = selection.existing(tree)?;
        let (kind, name) = &self.names[node.index()];
        let value = |(metric, values): (&Metric, &Vec<f64>)| Fact {
            name: metric.title.clone(),
            value: number(values[node.index()], metric),
            about: metric.about.clone(),
        };
        let to = |node: NodeId| Selection::node(selection.run, DECLARATION.name, node);
        let crumb = |node: NodeId| Crumb { title: self.names[node.index()].1.clone(), selection: to(node) };
        let mut crumbs: Vec<Crumb> = tree.ancestors(node).map(crumb).collect();
        crumbs.reverse();
        let mut blocks = job.about_places(selection);
        let other = selection.to.as_ref().and_then(Nodes::first).filter(|&to| tree.contains(to));
        let title = match other {
            Some(to) => format!("{name} → {}", self.names[to.index()].1),
            None => name.clone(),
        };
        let facts = Block::Facts { rows: self.metrics.iter().zip(&self.values).map(value).collect() };
        blocks.insert(usize::from(other.is_some()).min(blocks.len()), facts);
        Ok(Sheet {
            title,
            kind: (*kind).to_owned(),
            crumbs,
            selection: Some(selection.clone()),
            siblings: (tree.previous_sibling(node).map(to), tree.next_sibling(node).map(to)),
            blocks,
            ..Sheet::default()
        })
    }

    fn reach(&self, selection: &Selection) -> Reach {
        let Some(span) = selection.time.or(self.time) else { return Reach::default() };
        let tree = self.tree.view();
        let known = selection.nodes.iter().filter(|&node| tree.contains(node));
        let stretches = known.flat_map(|node| self.below(node)).map(|place| (place, span)).collect();
        Reach { stretches, ..Reach::default() }
    }

    fn find(&self, reach: &Reach, _job: &Job<'_>) -> Nodes {
        // One pass over all places, however many are meant.
        let mut node_of = vec![None; self.ids.iter().flatten().max().map_or(0, |&last| last as usize + 1)];
        for (node, ids) in self.ids.iter().enumerate() {
            for &id in ids {
                node_of[id as usize].get_or_insert(NodeId(node as u32));
            }
        }
        let of = |&(place, _): &(u32, Span)| node_of.get(place as usize).copied().flatten();
        reach.stretches.iter().filter_map(of).collect()
    }

    fn keys(&self, nodes: &[NodeId]) -> Vec<u64> {
        nodes.iter().map(|&node| self.below(node).next().map_or(0, |place| u64::from(place) + 1)).collect()
    }

    fn bytes(&self) -> usize {
        self.names.len() * (64 + 8 * self.metrics.len())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
