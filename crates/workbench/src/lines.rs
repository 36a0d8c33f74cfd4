//! The tree of source lines: files, and the lines in them where something was recorded. Every domain adds columns to it.

use std::any::Any;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crosscut_run::{Source, Sources};
use crosscut_tree::{Metric, NodeId, Part, Tree, TreeBuf, from_parents};

use crate::bench::OpenRun;
use crate::declare::{LensDecl, TreeDecl};
use crate::domain::{Chosen, Forest, Hits, Reach, Shared, Title};
use crate::error::Refusal;
use crate::job::Job;
use crate::look::{LensSpec, Scope};
use crate::rows::number;
use crate::selection::{Nodes, Selection};
use crate::sheet::{Block, Cell, Crumb, Fact, Sheet};

/// The tree of lines.
pub const DECLARATION: TreeDecl = TreeDecl {
    name: "lines",
    title: "Source lines",
    node: ("line", "lines"),
    sign: "",
    parameter: false,
    options: &[],
    slow: false,
};

/// Files and lines with the columns of all domains.
pub struct LineForest {
    tree: TreeBuf,
    /// Name of each node.
    names: Vec<String>,
    /// The source of each leaf.
    sources: Vec<Option<(u32, Source)>>,
    /// Node of each source.
    node_of: Vec<u32>,
    metrics: Vec<Metric>,
    /// By metric and node.
    values: Vec<Vec<f64>>,
}

/// A source line as a cell: "sort.c:120".
pub fn line_cell(source: &Source) -> Cell {
    Cell::Line {
        text: source.short(),
        file: source.file.clone(),
        line: source.line.clamp(0, u32::MAX.into()) as u32,
        function: Some(source.function.clone()).filter(|function| !function.is_empty()),
    }
}

impl LineForest {
    /// The lines of a run.
    pub fn new(run: &OpenRun, job: &Job<'_>) -> Result<Self, Refusal> {
        let mut forest =
            nodes(&run.sources).ok_or_else(|| Refusal::new("the run has too many source lines"))?;
        for domain in &run.domains {
            for column in domain.columns(Shared::Lines, job) {
                let own = |source: &Option<(u32, Source)>| -> f64 {
                    let id = source.as_ref().map(|(id, _)| *id as usize);
                    id.and_then(|id| column.values.get(id)).copied().unwrap_or(f64::NAN)
                };
                let mut values: Vec<f64> = forest.sources.iter().map(own).collect();
                if column.metric.is_additive() {
                    add_up(&forest.tree, &mut values);
                }
                forest.values.push(values);
                forest.metrics.push(column.metric);
            }
        }
        Ok(forest)
    }
}

/// Each node the sum of those below that have a value.
fn add_up(tree: &TreeBuf, values: &mut [f64]) {
    for i in (1..values.len()).rev() {
        let parent = tree.parent[i] as usize;
        if !values[i].is_nan() {
            values[parent] = if values[parent].is_nan() { values[i] } else { values[parent] + values[i] };
        }
    }
}

/// The root, files by name, lines by number, in pre-order.
fn nodes(sources: &Sources) -> Option<LineForest> {
    let mut files: BTreeMap<&str, Vec<(u32, &Source)>> = BTreeMap::new();
    for id in 0..sources.source_count() as u32 {
        let source = sources.get(id)?;
        files.entry(&source.file).or_default().push((id, source));
    }
    let mut parents: Vec<Option<u32>> = vec![None];
    let mut forest = LineForest {
        tree: TreeBuf::default(),
        names: vec!["all lines".to_owned()],
        sources: vec![None],
        node_of: vec![0; sources.source_count()],
        metrics: Vec::new(),
        values: Vec::new(),
    };
    for (file, mut lines) in files {
        let above = parents.len() as u32;
        parents.push(Some(0));
        forest.names.push(if file.is_empty() { "file not known".to_owned() } else { file.to_owned() });
        forest.sources.push(None);
        lines.sort_by(|a, b| (a.1.line, &a.1.function).cmp(&(b.1.line, &b.1.function)));
        for (id, source) in lines {
            forest.node_of[id as usize] = parents.len() as u32;
            parents.push(Some(above));
            let function =
                if source.function.is_empty() { String::new() } else { format!(" {}", source.function) };
            forest.names.push(format!("{}{function}", source.short()));
            forest.sources.push(Some((id, source.clone())));
        }
    }
    forest.tree = from_parents(&parents).ok()?.tree;
    Some(forest)
}

impl Forest for LineForest {
    fn tree(&self) -> Tree<'_> {
        self.tree.view()
    }

    fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    fn lenses(&self) -> Vec<LensDecl> {
        Vec::new()
    }

    fn lens(&self, lens: &LensSpec, _job: &Job<'_>) -> Result<Chosen, Refusal> {
        Err(Refusal::new(format!("lines have no lens `{}`", lens.name.chars().take(40).collect::<String>())))
    }

    fn titles(&self, parts: &[Part], _lens: Option<&Chosen>) -> Vec<Title> {
        let title = |part: &Part| {
            let (name, source) = (&self.names[part.node.index()], &self.sources[part.node.index()]);
            Title {
                kind: if source.is_some() { "line" } else { "file" }.to_owned(),
                name: if part.count > 1 { format!("{} more from {name}", part.count) } else { name.clone() },
                line: source.as_ref().map(|(_, source)| line_cell(source)),
                ..Title::default()
            }
        };
        parts.iter().map(title).collect()
    }

    fn values(&self, metric: usize, parts: &[Part], _scope: &Scope, out: &mut [f64]) {
        let Some(values) = self.values.get(metric) else { return };
        let tree = self.tree.view();
        let additive = self.metrics[metric].is_additive();
        for (part, out) in parts.iter().zip(out) {
            *out = match part.count {
                1 => values[part.node.index()],
                _ if !additive => f64::NAN,
                _ => part.sum(tree, |range| {
                    let nodes = std::iter::successors(Some(range.start), |&at| {
                        Some(tree.range(NodeId(at as u32)).end)
                    });
                    nodes
                        .take_while(|&at| at < range.end)
                        .map(|at| values[at])
                        .filter(|v| !v.is_nan())
                        .sum::<f64>()
                }),
            };
        }
    }

    fn search(&self, words: &str, limit: usize, _job: &Job<'_>) -> Hits {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let found = |name: &String| {
            let name = name.to_lowercase();
            words.iter().all(|word| name.contains(word.as_str()))
        };
        let all = self.names.iter().enumerate().skip(1).filter(|(_, name)| found(name));
        let nodes: Vec<NodeId> = all.map(|(node, _)| NodeId(node as u32)).collect();
        Hits { total: nodes.len(), nodes: nodes.into_iter().take(limit).collect(), more: false }
    }

    fn about(
        &self,
        selection: &Selection,
        _lens: Option<&Chosen>,
        _scope: &Scope,
        _job: &Job<'_>,
    ) -> Result<Sheet, Refusal> {
        let tree = self.tree.view();
        let node = selection.existing(tree)?;
        let value = |(metric, values): (&Metric, &Vec<f64>)| Fact {
            name: metric.title.clone(),
            value: number(values[node.index()], metric),
            about: metric.about.clone(),
        };
        let to = |node: NodeId| Selection::node(selection.run, DECLARATION.name, node);
        let crumb = |node: NodeId| Crumb { title: self.names[node.index()].clone(), selection: to(node) };
        let mut crumbs: Vec<Crumb> = tree.ancestors(node).map(crumb).collect();
        crumbs.reverse();
        let mut rows: Vec<Fact> = self.metrics.iter().zip(&self.values).map(value).collect();
        if let Some((_, source)) = &self.sources[node.index()] {
            rows.insert(0, Fact::new("source", line_cell(source)));
        }
        Ok(Sheet {
            title: self.names[node.index()].clone(),
            kind: if self.sources[node.index()].is_some() { "line" } else { "file" }.to_owned(),
            crumbs,
            selection: Some(selection.clone()),
            siblings: (tree.previous_sibling(node).map(to), tree.next_sibling(node).map(to)),
            blocks: vec![Block::Facts { rows }],
            ..Sheet::default()
        })
    }

    fn reach(&self, selection: &Selection) -> Reach {
        let tree = self.tree.view();
        let known = selection.nodes.iter().filter(|&node| tree.contains(node));
        let below = known.flat_map(|node| &self.sources[tree.range(node)]);
        Reach { lines: below.flatten().map(|(id, _)| *id).collect(), ..Reach::default() }
    }

    fn find(&self, reach: &Reach, _job: &Job<'_>) -> Nodes {
        let nodes = reach.lines.iter().filter_map(|&line| self.node_of.get(line as usize));
        nodes.map(|&node| NodeId(node)).collect()
    }

    fn keys(&self, nodes: &[NodeId]) -> Vec<u64> {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        nodes.iter().map(|node| hasher.hash_one(&self.names[node.index()])).collect()
    }

    fn bytes(&self) -> usize {
        self.names.len() * (160 + 8 * self.metrics.len())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
