//! A cut: which nodes are open, and hence which antichain of nodes is visible. It is a small value that can be written
//! in a URL; what it costs depends on what is visible, never on the size of the tree.
//!
//! An open node with many children shows its first and last ones and a window in between; the others are folded into
//! gaps. A gap is a range of nodes, so its totals are as exact as those of a node.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::error::TreeError;
use crate::fold::Plain;
use crate::open;
use crate::tree::{NodeId, Tree};

/// Which members of a node with many children are shown between its first and last ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Number of the first child in the window.
    pub first: u32,
    /// How many children.
    pub count: u32,
}

/// What is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    open: BTreeSet<u32>,
    windows: BTreeMap<u32, Window>,
    /// Folds of siblings, by their first member, whose members are shown one by one.
    spread: BTreeSet<u32>,
}

impl Cut {
    /// A node with more children than this shows only some of them.
    pub const MANY: usize = 32;
    /// First children that are always shown.
    pub const HEAD: usize = 8;
    /// Last children that are always shown.
    pub const TAIL: usize = 4;

    /// A window shows at most this many children.
    pub const WINDOW: usize = 256;

    /// The root, closed.
    pub fn closed() -> Self {
        Cut::default()
    }

    /// The deepest whole level that shows at most `limit` parts, and never just the closed root when there is more.
    pub fn fitting(tree: Tree<'_>, limit: usize) -> Self {
        open::fitting(&Plain(tree), limit)
    }

    /// Whether the node is open.
    pub fn is_open(&self, node: NodeId) -> bool {
        self.open.contains(&node.0)
    }

    /// The open nodes, ascending.
    pub fn opened(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.open.iter().map(|&node| NodeId(node))
    }

    /// Opens a node; a leaf stays a leaf.
    pub fn open(&mut self, tree: Tree<'_>, node: NodeId) {
        if tree.contains(node) && !tree.is_leaf(node) {
            self.open.insert(node.0);
        }
    }

    /// Closes a node; what is open below it stays so for when it is opened again.
    pub(crate) fn shut(&mut self, node: NodeId) {
        self.open.remove(&node.0);
    }

    /// Closes a node and forgets what was open or spread out below it.
    pub fn close(&mut self, tree: Tree<'_>, node: NodeId) {
        let range = tree.range(node);
        let range = range.start as u32..range.end as u32;
        // The node itself may be the first of a fold, which stays as it is.
        self.spread.retain(|first| !range.contains(first) || *first == node.0);
        let below: Vec<u32> = self.open.range(range.clone()).copied().collect();
        for node in below {
            self.open.remove(&node);
        }
        self.windows.retain(|node, _| !range.contains(node));
    }

    /// Shows this window of a wide node's children.
    pub fn set_window(&mut self, node: NodeId, window: Window) {
        self.windows.insert(node.0, window);
    }

    /// The window of a wide node's children; an empty one if none was set.
    pub fn window(&self, node: NodeId) -> Window {
        self.windows.get(&node.0).copied().unwrap_or_default()
    }

    /// Whether the fold of siblings that begins with this node is spread out. What is folded, the cut does not know: it
    /// depends on what is looked at.
    pub fn is_spread(&self, first: NodeId) -> bool {
        self.spread.contains(&first.0)
    }

    /// Shows the members of the fold that begins with this node one by one.
    pub fn spread(&mut self, tree: Tree<'_>, first: NodeId) {
        if tree.contains(first) {
            self.spread.insert(first.0);
        }
    }

    /// Folds again: the fold that begins with this node, or else all folds of its siblings. Says whether there was one.
    pub fn gather(&mut self, tree: Tree<'_>, node: NodeId) -> bool {
        if self.spread.remove(&node.0) {
            return true;
        }
        let Some(parent) = tree.parent(node) else { return false };
        let before = self.spread.len();
        self.spread.retain(|&first| tree.parent(NodeId(first)) != Some(parent));
        self.spread.len() < before
    }

    /// As text for a URL: open nodes as base-36 differences joined by dots, then windows, then what is spread out, if
    /// anything is, written like the open nodes.
    pub fn to_text(&self) -> String {
        let mut text = String::from("0");
        push_nodes(&mut text, &self.open);
        for (node, window) in &self.windows {
            let _ = write!(text, "~{node}-{}-{}", window.first, window.count);
        }
        if !self.spread.is_empty() {
            text.push_str("!0");
            push_nodes(&mut text, &self.spread);
        }
        text
    }

    /// Reads what [`Cut::to_text`] wrote. Nodes that the tree does not have are left out.
    pub fn from_text(tree: Tree<'_>, text: &str) -> Result<Self, TreeError> {
        let wrong = || TreeError::CutText(text.chars().take(80).collect());
        let (shown, spread) = match text.split_once('!') {
            Some((shown, spread)) => (shown, Some(spread)),
            None => (text, None),
        };
        let mut parts = shown.split('~');
        let mut cut = Cut::closed();
        for node in read_nodes(parts.next().unwrap_or("")).ok_or_else(wrong)? {
            cut.open(tree, node);
        }
        for first in spread.map_or(Some(Vec::new()), read_nodes).ok_or_else(wrong)? {
            cut.spread(tree, first);
        }
        for part in parts {
            let numbers: Vec<u32> =
                part.split('-').map(|n| n.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
            let [node, first, count] = numbers[..] else { return Err(wrong()) };
            if tree.contains(NodeId(node)) {
                cut.windows.insert(node, Window { first, count });
            }
        }
        Ok(cut)
    }
}

/// Each node as the difference from the one before.
fn push_nodes(text: &mut String, nodes: &BTreeSet<u32>) {
    let mut last = 0;
    for &node in nodes {
        text.push('.');
        push_base36(text, node - last);
        last = node;
    }
}

/// Reads "0" and what [`push_nodes`] wrote.
fn read_nodes(text: &str) -> Option<Vec<NodeId>> {
    let mut steps = text.split('.');
    if steps.next() != Some("0") {
        return None;
    }
    let mut node = 0u32;
    steps
        .map(|step| {
            node = node.checked_add(u32::from_str_radix(step, 36).ok()?)?;
            Some(NodeId(node))
        })
        .collect()
}

fn push_base36(text: &mut String, mut value: u32) {
    let mut digits = [0u8; 7];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b"0123456789abcdefghijklmnopqrstuvwxyz"[(value % 36) as usize];
        value /= 36;
        if value == 0 {
            break;
        }
    }
    text.extend(digits[at..].iter().map(|&d| d as char));
}
