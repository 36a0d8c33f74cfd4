//! What was unfolded and selected of a tree, carried over to the same tree with other options: by the names that nodes have
//! whatever the options are.

use std::collections::HashMap;

use crosscut_tree::{Cut, NodeId};

use crate::bench::Workbench;
use crate::domain::{Forest, TreeRef};
use crate::error::Refusal;
use crate::job::Job;
use crate::question::{Carried, CarryAsk};
use crate::selection::Nodes;

/// Nodes of a selection that are carried over at most.
const MOST: usize = 20_000;

/// Answers [`crate::question::Ask::Carry`].
pub fn carry(bench: &Workbench, ask: &CarryAsk, job: &Job<'_>) -> Result<Carried, Refusal> {
    let forest = |with: &crate::look::Options| {
        bench.forest(&TreeRef { key: ask.tree.clone(), with: with.clone() }, job)
    };
    let (from, to) = (forest(&ask.was)?, forest(&ask.with)?);
    let found = Found::new(&*from, &*to);
    let cut = match ask.cut.as_str() {
        "" => String::new(),
        text => found.cut(text)?,
    };
    let nodes = found.nodes(ask.nodes.iter().take(MOST));
    Ok(Carried { cut, nodes: Nodes::of(nodes.into_iter().map(|node| node.0..node.0.saturating_add(1))) })
}

/// Nodes of one tree in another, by their keys.
struct Found<'a> {
    from: &'a dyn Forest,
    to: &'a dyn Forest,
    by_key: HashMap<u64, NodeId>,
}

impl<'a> Found<'a> {
    fn new(from: &'a dyn Forest, to: &'a dyn Forest) -> Self {
        let all: Vec<NodeId> = (0..to.tree().node_count() as u32).map(NodeId).collect();
        let mut by_key = HashMap::with_capacity(all.len());
        for (key, &node) in to.keys(&all).into_iter().zip(&all) {
            by_key.entry(key).or_insert(node);
        }
        Found { from, to, by_key }
    }

    fn nodes(&self, nodes: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
        let tree = self.from.tree();
        let old: Vec<NodeId> = nodes.filter(|&node| tree.contains(node)).collect();
        self.from.keys(&old).iter().filter_map(|key| self.by_key.get(key).copied()).collect()
    }

    /// The cut with all that is still there unfolded; as a tree opens where nothing is.
    fn cut(&self, text: &str) -> Result<String, Refusal> {
        let old = Cut::from_text(self.from.tree(), text).map_err(|error| Refusal::new(error.to_string()))?;
        let mut cut = Cut::closed();
        for node in self.nodes(old.opened()) {
            cut.open(self.to.tree(), node);
        }
        Ok(if cut == Cut::closed() { String::new() } else { cut.to_text() })
    }
}
