//! What is selected: a set of nodes of one tree, possibly with a second end (an edge, a ribbon, a cell of a matrix) and
//! a stretch of time. Everything discrete is a node; only time is none.

use std::fmt::Write as _;
use std::ops::Range;

use crosscut_tree::NodeId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::Refusal;

/// A stretch of time in the unit of the run's clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Span(
    /// From.
    pub f64,
    /// To.
    pub f64,
);

impl Span {
    /// Whether both ends are numbers and the first is not after the second.
    pub fn is_sound(self) -> bool {
        self.0.is_finite() && self.1.is_finite() && self.0 <= self.1
    }
}

/// Node ids as sorted ranges that do not touch. As text "3,17-19" (both ends included), as URLs hold it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(try_from = "String", into = "String")]
#[ts(export, export_to = "../../../ui/src/protocol/", type = "string")]
pub struct Nodes {
    ranges: Vec<(u32, u32)>,
}

/// A selection has at most this many ranges: longer texts are no selection a person made.
const MOST_RANGES: usize = 10_000;

impl Nodes {
    /// No node.
    pub fn none() -> Self {
        Nodes::default()
    }

    /// One node.
    pub fn one(node: NodeId) -> Self {
        Nodes { ranges: vec![(node.0, node.0)] }
    }

    /// All nodes of some half-open ranges.
    pub fn of(ranges: impl IntoIterator<Item = Range<u32>>) -> Self {
        let closed = ranges.into_iter().filter(|range| !range.is_empty()).map(|r| (r.start, r.end - 1));
        Nodes::joined(closed.collect())
    }

    fn joined(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut out: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match out.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => out.push((first, last)),
            }
        }
        Nodes { ranges: out }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.ranges.iter().map(|&(first, last)| (last - first) as usize + 1).sum()
    }

    /// The first one.
    pub fn first(&self) -> Option<NodeId> {
        self.ranges.first().map(|&(first, _)| NodeId(first))
    }

    /// The one, if it is one.
    pub fn single(&self) -> Option<NodeId> {
        match self.ranges[..] {
            [(first, last)] if first == last => Some(NodeId(first)),
            _ => None,
        }
    }

    /// Whether the node is among them.
    pub fn contains(&self, node: NodeId) -> bool {
        let at = self.ranges.partition_point(|&(_, last)| last < node.0);
        self.ranges.get(at).is_some_and(|&(first, _)| first <= node.0)
    }

    /// As half-open ranges, ascending.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<usize>> + '_ {
        self.ranges.iter().map(|&(first, last)| first as usize..last as usize + 1)
    }

    /// One by one, ascending.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.ranges.iter().flat_map(|&(first, last)| (first..=last).map(NodeId))
    }
}

impl FromIterator<NodeId> for Nodes {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        Nodes::joined(nodes.into_iter().map(|node| (node.0, node.0)).collect())
    }
}

impl From<Nodes> for String {
    fn from(nodes: Nodes) -> String {
        let mut text = String::new();
        for (first, last) in nodes.ranges {
            if !text.is_empty() {
                text.push(',');
            }
            let _ = write!(text, "{first}");
            if last > first {
                let _ = write!(text, "-{last}");
            }
        }
        text
    }
}

impl TryFrom<String> for Nodes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong =
            || format!("\"{}\" are no nodes: write 3,17-19", text.chars().take(40).collect::<String>());
        if text.is_empty() {
            return Ok(Nodes::none());
        }
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.parse().map_err(|_| wrong())?, last.parse().map_err(|_| wrong())?);
            if first > last || ranges.len() >= MOST_RANGES {
                return Err(wrong());
            }
            ranges.push((first, last));
        }
        Ok(Nodes::joined(ranges))
    }
}

/// Which tree: its name, and its parameter where it has one ("communities/PHASE"). As text "name" or "name/parameter".
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(from = "String", into = "String")]
#[ts(export, export_to = "../../../ui/src/protocol/", type = "string")]
pub struct TreeKey {
    /// The name that a domain declares.
    pub name: String,
    /// A stable key, never an ordinal.
    pub parameter: Option<String>,
}

impl TreeKey {
    /// A tree without a parameter.
    pub fn named(name: &str) -> Self {
        TreeKey { name: name.to_owned(), parameter: None }
    }
}

impl From<String> for TreeKey {
    fn from(text: String) -> Self {
        match text.split_once('/') {
            Some((name, parameter)) => {
                TreeKey { name: name.to_owned(), parameter: Some(parameter.to_owned()) }
            }
            None => TreeKey { name: text, parameter: None },
        }
    }
}

impl From<TreeKey> for String {
    fn from(key: TreeKey) -> String {
        key.to_string()
    }
}

impl std::fmt::Display for TreeKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.parameter {
            Some(parameter) => write!(f, "{}/{parameter}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// A set of nodes of one tree, optionally a second end, optionally a stretch of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Selection {
    /// Index of the run.
    pub run: usize,
    /// The tree that the nodes are of.
    pub tree: TreeKey,
    /// The nodes.
    pub nodes: Nodes,
    /// The other end of an edge, a ribbon or a cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub to: Option<Nodes>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub time: Option<Span>,
}

impl Selection {
    /// One node.
    pub fn node(run: usize, tree: &str, node: NodeId) -> Self {
        Selection { run, tree: TreeKey::named(tree), nodes: Nodes::one(node), to: None, time: None }
    }

    /// Its first node; refused where it has none or the tree has no such node.
    pub fn existing(&self, tree: crosscut_tree::Tree<'_>) -> Result<NodeId, Refusal> {
        let node = self.nodes.first().ok_or_else(|| Refusal::new("nothing is selected"))?;
        if tree.contains(node) {
            return Ok(node);
        }
        Err(Refusal::new(format!(
            "there is no node {} in {}: it has {} nodes",
            node.0,
            self.tree,
            tree.node_count()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_joined_and_written_as_text() {
        let nodes = Nodes::of([5..7, 7..8, 1..2, 6..7]);
        assert_eq!(String::from(nodes.clone()), "1,5-7");
        assert_eq!(Nodes::try_from("1,5-7".to_owned()), Ok(nodes.clone()));
        assert_eq!(nodes.len(), 4);
        assert!(nodes.contains(NodeId(6)) && !nodes.contains(NodeId(8)) && !nodes.contains(NodeId(0)));
        for wrong in ["a", "3-", "7-5", "1,,2", "-", "4294967296"] {
            assert!(Nodes::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn trees_have_a_parameter_or_not() {
        for text in ["tasks", "communities/3f2a"] {
            assert_eq!(String::from(TreeKey::from(text.to_owned())), text);
        }
    }
}
