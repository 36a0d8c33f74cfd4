//! The tree of source lines: files, and the lines in them where something was recorded. Every domain adds columns to it.

use std::any::Any;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crosscut_run::{Source, Sources};
use crosscut_tree::{Folds, Metric, NodeId, Part, Rule, Tree, TreeBuf, from_parents};

use crate::bench::OpenRun;
use crate::declare::{Compares, Opt, OptKind, Pane, TreeDecl, View};
use crate::domain::{Chosen, Forest, Hits, Reach, Shared, Title};
use crate::error::Refusal;
use crate::job::Job;
use crate::look::{Look, Options, Scope};
use crate::rows::{number, value_of};
use crate::selection::{Nodes, Selection};
use crate::sheet::{Block, Cell, Column, Crumb, Fact, Sheet};

/// The tree of lines.
pub const DECLARATION: TreeDecl = TreeDecl {
    name: "lines",
    title: "Source lines",
    node: ("line", "lines"),
    sign: "",
    parameter: false,
    options: &[Opt::new(
        BY,
        "By",
        OptKind::Choice { values: &[("line", "Line"), ("function", "Function"), ("file", "File")] },
        "line",
    )],
    slow: false,
};

/// What costs time where: lines, with everything that is known of them.
pub const VIEW: View = View {
    name: "lines",
    title: "Lines",
    section: "Run",
    icon: "M2 3h9M2 6h6M2 9h11M2 12h4",
    about: "Where in the program time goes: how often each line ran, how long, and what it lost.",
    trees: &["lines"],
    pane: Pane::Table,
    options: &[Opt::new("sort", "Sorted by", OptKind::Metric { tree: "lines" }, "work")],
    acts: &[],
    compares: Compares::No,
    slow: false,
    hidden: false,
    follows: false,
    without: &[],
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
    /// Columns of words and small pictures, by node.
    cells: Vec<(Column, Vec<Cell>)>,
}

/// What lines are gathered by.
const BY: &str = "by";

/// A source line as a cell: "sort.c:120".
pub fn line_cell(source: &Source) -> Cell {
    Cell::Line {
        text: source.short(),
        file: source.file.clone(),
        line: source.line.clamp(0, u32::MAX.into()) as u32,
        function: Some(source.function.clone()).filter(|function| !function.is_empty()),
        after: None,
    }
}

impl LineForest {
    /// The lines of a run.
    pub fn new(run: &OpenRun, options: &Options, job: &Job<'_>) -> Result<Self, Refusal> {
        let by = options.get(BY).map_or("line", String::as_str);
        let mut forest =
            nodes(&run.sources, by).ok_or_else(|| Refusal::new("the run has too many source lines"))?;
        let sets = forest.sets();
        for domain in &run.domains {
            for column in domain.columns(Shared::Lines, &sets, job) {
                forest.values.push(column.values);
                forest.metrics.push(column.metric);
            }
            forest.cells.extend(domain.cells(Shared::Lines, &sets, job));
        }
        Ok(forest)
    }
}

impl LineForest {
    fn kind(&self, node: NodeId) -> &'static str {
        match &self.sources[node.index()] {
            Some(_) => "line",
            None if node == NodeId::ROOT => "all",
            None => "group",
        }
    }

    /// The source ids of all nodes.
    fn sets(&self) -> Vec<Vec<u32>> {
        (0..self.names.len() as u32).map(|node| self.below(NodeId(node))).collect()
    }

    /// Source ids of a node and what is below it.
    fn below(&self, node: NodeId) -> Vec<u32> {
        self.sources[self.tree.view().range(node)].iter().flatten().map(|(id, _)| *id).collect()
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

/// The node of each source in this tree, by its id: what marks of lines name.
pub fn line_nodes(sources: &Sources) -> Vec<u32> {
    nodes(sources, "line").map_or_else(Vec::new, |forest| forest.node_of)
}

/// The root, files or functions by name if lines are gathered by them, lines by file and number, in pre-order.
fn nodes(sources: &Sources, by: &str) -> Option<LineForest> {
    let mut groups: BTreeMap<&str, Vec<(u32, &Source)>> = BTreeMap::new();
    for id in 0..sources.source_count() as u32 {
        let source = sources.get(id)?;
        let group = match by {
            "file" => source.file.as_str(),
            "function" => source.function.as_str(),
            _ => "",
        };
        groups.entry(group).or_default().push((id, source));
    }
    let mut parents: Vec<Option<u32>> = vec![None];
    let mut forest = LineForest {
        tree: TreeBuf::default(),
        names: vec!["all lines".to_owned()],
        sources: vec![None],
        node_of: vec![0; sources.source_count()],
        metrics: Vec::new(),
        values: Vec::new(),
        cells: Vec::new(),
    };
    for (group, mut lines) in groups {
        let mut above = 0;
        if matches!(by, "file" | "function") {
            above = parents.len() as u32;
            parents.push(Some(0));
            forest.names.push(if group.is_empty() { format!("{by} not known") } else { group.to_owned() });
            forest.sources.push(None);
        }
        lines.sort_by(|a, b| (&a.1.file, a.1.line, &a.1.function).cmp(&(&b.1.file, b.1.line, &b.1.function)));
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

/// A table of lines is read whole, as far as anybody reads: only of more than this some are left out.
const MANY_LINES: usize = 1000;

struct Lines<'a>(Tree<'a>);

impl Folds for Lines<'_> {
    fn tree(&self) -> Tree<'_> {
        self.0
    }

    fn many(&self) -> usize {
        MANY_LINES
    }
}

impl Forest for LineForest {
    fn tree(&self) -> Tree<'_> {
        self.tree.view()
    }

    fn folds<'a>(&'a self, _look: &Look, _lens: Option<&'a Chosen>) -> Box<dyn Folds + 'a> {
        Box::new(Lines(self.tree()))
    }

    fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    fn titles(&self, parts: &[Part], _lens: Option<&Chosen>) -> Vec<Title> {
        let title = |part: &Part| {
            let (name, source) = (&self.names[part.node.index()], &self.sources[part.node.index()]);
            Title {
                kind: self.kind(part.node).to_owned(),
                name: if part.count > 1 { format!("{} more from {name}", part.count) } else { name.clone() },
                line: source.as_ref().map(|(_, source)| line_cell(source)),
                ..Title::default()
            }
        };
        parts.iter().map(title).collect()
    }

    fn values(&self, metric: usize, parts: &[Part], _scope: &Scope, out: &mut [f64]) {
        let (Some(values), Some(metric)) = (self.values.get(metric), self.metrics.get(metric)) else {
            return;
        };
        let tree = self.tree.view();
        out.iter_mut().zip(parts).for_each(|(out, part)| *out = value_of(tree, metric, values, part));
    }

    fn late(&self, job: &Job<'_>) -> Result<Vec<(Metric, Vec<f64>)>, Refusal> {
        let found = job.found()?;
        let mut values = vec![f64::NAN; self.names.len()];
        for (node, source) in self.sources.iter().enumerate() {
            let Some((_, source)) = source else { continue };
            let line = Some(line_cell(source));
            let lost = found.lost.iter().filter(|lost| lost.line == line).map(|lost| lost.cost).sum::<f64>();
            if lost > 0.0 {
                values[node] = lost;
            }
        }
        add_up(&self.tree, &mut values);
        let lost = Metric::new("lost", job.clock(), Rule::Sum)
            .about("Time lost because of this line, summed over all places.");
        let columns = job.late_columns(Shared::Lines, &self.sets());
        let columns = columns.into_iter().map(|column| (column.metric, column.values));
        Ok(columns.chain([(lost, values)]).collect())
    }

    fn words(&self, parts: &[Part]) -> Vec<(Column, Vec<Cell>)> {
        let cell = |cells: &[Cell], part: &Part| match part.count {
            1 => cells[part.node.index()].clone(),
            _ => Cell::None,
        };
        let column = |(column, cells): &(Column, Vec<Cell>)| {
            (column.clone(), parts.iter().map(|part| cell(cells, part)).collect())
        };
        self.cells.iter().map(column).collect()
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
        job: &Job<'_>,
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
            kind: self.kind(node).to_owned(),
            crumbs,
            selection: Some(selection.clone()),
            siblings: (tree.previous_sibling(node).map(to), tree.next_sibling(node).map(to)),
            blocks: std::iter::once(Block::Facts { rows })
                .chain(job.about_lines(&self.below(node)))
                .collect(),
            ..Sheet::default()
        })
    }

    fn reach(&self, selection: &Selection) -> Reach {
        let tree = self.tree.view();
        let known = selection.nodes.iter().filter(|&node| tree.contains(node));
        Reach { lines: known.flat_map(|node| self.below(node)).collect(), ..Reach::default() }
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

#[cfg(test)]
mod tests {
    use crosscut_tree::{Cut, fold};

    use super::*;

    #[test]
    fn all_lines_of_a_program_are_rows() {
        for (lines, rows) in [(40, 40), (MANY_LINES, MANY_LINES)] {
            let parents: Vec<Option<u32>> =
                std::iter::once(None).chain(std::iter::repeat_n(Some(0), lines)).collect();
            let tree = from_parents(&parents).unwrap().tree;
            let cut = Cut::fitting(tree.view(), 60);
            let parts = fold::visible(&Lines(tree.view()), &cut).count();
            assert_eq!(parts, rows, "{lines} lines");
        }
    }
}
