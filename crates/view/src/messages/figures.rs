//! A small tree with a value of each metric for each node: what the trees of messages have in common.

use crosscut_tree::{Metric, NodeId, Part, Rule, TreeBuf};
use crosscut_workbench::sheet::Crumb;
use crosscut_workbench::{Cell, Fact, Hits, RowState, Selection, TreeKey};

use crate::format::{exact, quantity};

/// A tree with its columns.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The tree.
    pub tree: TreeBuf,
    /// What stands in its table.
    pub metrics: Vec<Metric>,
    /// By metric and node; NaN where there is none.
    pub values: Vec<Vec<f64>>,
}

impl Figures {
    /// The value of a metric for a part; of folded siblings only sums can be given.
    pub fn value(&self, metric: usize, part: &Part) -> f64 {
        let (Some(values), Some(rule)) = (self.values.get(metric), self.metrics.get(metric).map(|m| m.rule))
        else {
            return f64::NAN;
        };
        let at = |node: usize| values.get(node).copied().unwrap_or(f64::NAN);
        if part.count == 1 {
            return at(part.node.index());
        }
        if rule != Rule::Sum {
            return f64::NAN;
        }
        let tree = self.tree.view();
        part.sum(tree, |range| {
            let mut sum = 0.0;
            let mut next = range.start;
            while next < range.end {
                sum += Some(at(next)).filter(|value| !value.is_nan()).unwrap_or(0.0);
                next = tree.range(NodeId(next as u32)).end.max(next + 1);
            }
            sum
        })
    }

    /// The values of a node, as facts.
    pub fn facts(&self, node: NodeId) -> Vec<Fact> {
        let known = self.metrics.iter().zip(&self.values);
        known
            .filter_map(|(metric, values)| {
                let value = values.get(node.index()).copied().filter(|value| !value.is_nan())?;
                let cell = number(value, metric);
                Some(Fact { name: metric.title.clone(), value: cell, about: metric.about.clone() })
            })
            .collect()
    }

    /// What can be opened.
    pub fn state(&self, part: &Part) -> RowState {
        let holds = part.fold.is_none() && !self.tree.view().is_leaf(part.node);
        RowState { open: part.open, holds, ..RowState::default() }
    }

    /// The nodes around one, outermost first.
    pub fn crumbs(&self, of: &Selection, node: NodeId, name: impl Fn(NodeId) -> String) -> Vec<Crumb> {
        let crumb = |above| Crumb { title: name(above), selection: node_of(of.run, &of.tree, above) };
        let mut crumbs: Vec<Crumb> = self.tree.view().ancestors(node).map(crumb).collect();
        crumbs.reverse();
        crumbs
    }

    /// The nodes before and after one.
    pub fn siblings(&self, of: &Selection, node: NodeId) -> (Option<Selection>, Option<Selection>) {
        let tree = self.tree.view();
        let to = |node| node_of(of.run, &of.tree, node);
        (tree.previous_sibling(node).map(to), tree.next_sibling(node).map(to))
    }

    /// Nodes whose names have all words.
    pub fn search(&self, words: &str, limit: usize, name: impl Fn(NodeId) -> String) -> Hits {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let all = (0..self.tree.view().node_count() as u32).map(NodeId);
        let has = |node: &NodeId| {
            let name = name(*node).to_lowercase();
            words.iter().all(|word| name.contains(word.as_str()))
        };
        let found: Vec<NodeId> = all.filter(has).collect();
        Hits { total: found.len(), nodes: found.into_iter().take(limit).collect(), more: false }
    }

    /// Memory that it takes.
    pub fn bytes(&self) -> usize {
        self.tree.view().node_count() * (16 + 8 * self.values.len())
    }
}

/// A node of a tree, selected.
pub fn node_of(run: usize, tree: &TreeKey, node: NodeId) -> Selection {
    let nodes = crosscut_workbench::Nodes::one(node);
    Selection { run, tree: tree.clone(), nodes, to: None, time: None }
}

/// A number of a metric as a cell.
pub fn number(value: f64, metric: &Metric) -> Cell {
    Cell::Number { value, text: quantity(value, metric.unit), exact: exact(value, metric.unit), share: None }
}
