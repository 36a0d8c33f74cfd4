//! A cut: which nodes are open, and hence which antichain of nodes is visible. It is a small value that can be written
//! in a URL; what it costs depends on what is visible, never on the size of the tree.
//!
//! An open node with many children shows its first and last ones and a window in between; the others are folded into
//! gaps. A gap is a range of nodes, so its totals are as exact as those of a node.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use crate::error::TreeError;
use crate::tree::{NodeId, Tree};

/// Which members of a node with many children are shown between its first and last ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Number of the first child in the window.
    pub first: u32,
    /// How many children.
    pub count: u32,
}

/// A visible thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A closed node or a leaf.
    Node(NodeId),
    /// Folded siblings of an open node.
    Gap {
        /// The open node.
        parent: NodeId,
        /// Number of the first folded child.
        first: u32,
        /// How many children are folded.
        count: u32,
        /// All nodes below them.
        nodes: Range<usize>,
    },
}

impl Item {
    /// All nodes that it stands for.
    pub fn nodes(&self, tree: Tree<'_>) -> Range<usize> {
        match self {
            Item::Node(node) => tree.range(*node),
            Item::Gap { nodes, .. } => nodes.clone(),
        }
    }
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
    /// [`Cut::fitting`] opens at most this many levels: a chain has one item on each.
    pub const LEVELS: usize = 64;

    /// The root, closed.
    pub fn closed() -> Self {
        Cut::default()
    }

    /// Everything above `depth` open, as long as at most `limit` items become visible; stops at the last whole level
    /// that fits. Says which depth that was.
    pub fn to_depth(tree: Tree<'_>, depth: usize, limit: usize) -> (Self, usize) {
        let mut cut = Cut::closed();
        let mut level = vec![NodeId::ROOT];
        let mut settled = 0; // visible items that cannot be opened any further
        for d in 0..depth {
            let mut next = Vec::new();
            let mut opened = Vec::new();
            for &node in &level {
                if tree.is_leaf(node) {
                    continue;
                }
                opened.push(node.0);
                for item in cut.shown(tree, node) {
                    match item {
                        Item::Node(child) if !tree.is_leaf(child) => next.push(child),
                        _ => settled += 1,
                    }
                }
                if settled + next.len() > limit {
                    return (cut, d);
                }
            }
            if opened.is_empty() {
                return (cut, d);
            }
            cut.open.extend(opened);
            level = next;
        }
        (cut, depth)
    }

    /// The deepest whole level that shows at most `limit` items, and never just the closed root when there is more.
    pub fn fitting(tree: Tree<'_>, limit: usize) -> Self {
        let (mut cut, _) = Cut::to_depth(tree, Self::LEVELS, limit);
        if cut.open.is_empty() {
            cut.open(tree, NodeId::ROOT);
        }
        cut
    }

    /// Whether the node is open.
    pub fn is_open(&self, node: NodeId) -> bool {
        self.open.contains(&node.0)
    }

    /// Opens a node; a leaf stays a leaf.
    pub fn open(&mut self, tree: Tree<'_>, node: NodeId) {
        if tree.contains(node) && !tree.is_leaf(node) {
            self.open.insert(node.0);
        }
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

    /// Opens the node and what is below it, breadth first, until `limit` items are visible. Says whether all fitted.
    /// What is opened inside a closed node counts as if it were visible.
    pub fn open_below(&mut self, tree: Tree<'_>, node: NodeId, limit: usize) -> bool {
        let mut visible = self.visible(tree).take(limit.saturating_add(1)).count();
        let mut queue = std::collections::VecDeque::from([node]);
        while let Some(node) = queue.pop_front() {
            if tree.is_leaf(node) {
                continue;
            }
            if !self.is_open(node) {
                self.open(tree, node);
                // Nodes below it may have been open all the time: count what really comes to light.
                let room = limit.saturating_sub(visible).saturating_add(2);
                visible += self.visible_below(tree, node).take(room).count().saturating_sub(1);
                if visible > limit {
                    self.open.remove(&node.0);
                    return false;
                }
            }
            queue.extend(self.shown(tree, node).into_iter().filter_map(|item| match item {
                Item::Node(child) => Some(child),
                Item::Gap { .. } => None,
            }));
        }
        true
    }

    /// Opens all ancestors of a node, with windows where it would hide in a gap.
    pub fn reveal(&mut self, tree: Tree<'_>, node: NodeId) {
        let mut child = node;
        while let Some(parent) = tree.parent(child) {
            self.open(tree, parent);
            if tree.child_count(parent) > Self::MANY {
                let k = tree.child_index(child) as u32;
                let hidden = self
                    .shown(tree, parent)
                    .into_iter()
                    .any(|item| matches!(item, Item::Gap { nodes, .. } if nodes.contains(&child.index())));
                if hidden {
                    let first = k.saturating_sub(Self::HEAD as u32 / 2) & !1;
                    self.windows.insert(parent.0, Window { first, count: Self::HEAD as u32 + 2 });
                }
            }
            child = parent;
        }
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

    /// The children of an open node as they are shown.
    pub fn shown(&self, tree: Tree<'_>, node: NodeId) -> Vec<Item> {
        let count = tree.child_count(node);
        if count <= Self::MANY {
            return tree.children(node).map(Item::Node).collect();
        }
        let window = self.windows.get(&node.0).copied().unwrap_or_default();
        let first = (window.first as usize).clamp(Self::HEAD, count - Self::TAIL);
        let end = (window.first as usize)
            .saturating_add((window.count as usize).min(Self::WINDOW))
            .clamp(first, count - Self::TAIL);
        let parts = [0..Self::HEAD, first..end, count - Self::TAIL..count];
        let mut items = Vec::with_capacity(Self::HEAD + Self::TAIL + end - first + 2);
        let mut next = 0; // number of the next child not yet shown
        let mut at = node.index() + 1; // where it begins
        for part in parts {
            if part.is_empty() {
                continue;
            }
            // A damaged index could lead back to a child that was shown already.
            let Some(start) = tree.child(node, part.start).filter(|start| start.index() >= at) else { break };
            if part.start > next {
                items.push(Item::Gap {
                    parent: node,
                    first: next as u32,
                    count: (part.start - next) as u32,
                    nodes: at..start.index(),
                });
            }
            for child in tree.children_from(node, part.start).take(part.len()) {
                items.push(Item::Node(child));
                at = tree.range(child).end;
            }
            next = part.end;
        }
        items
    }

    /// Everything visible in tree order: an antichain whose node ranges cover the tree but for the open nodes.
    pub fn visible<'a>(&'a self, tree: Tree<'a>) -> impl Iterator<Item = Item> + 'a {
        self.visible_below(tree, NodeId::ROOT)
    }

    /// The same for one node, which is visible when it is closed.
    fn visible_below<'a>(&'a self, tree: Tree<'a>, node: NodeId) -> impl Iterator<Item = Item> + 'a {
        let mut stack = if tree.contains(node) { vec![Item::Node(node)] } else { Vec::new() };
        std::iter::from_fn(move || {
            loop {
                match stack.pop()? {
                    Item::Node(node) if self.is_open(node) && !tree.is_leaf(node) => {
                        let mut items = self.shown(tree, node);
                        items.reverse();
                        stack.append(&mut items);
                    }
                    item => return Some(item),
                }
            }
        })
    }

    /// The open nodes that can be seen (all their ancestors are open), ascending.
    pub fn open_nodes<'a>(&'a self, tree: Tree<'a>) -> impl Iterator<Item = NodeId> + 'a {
        let mut stack = if tree.is_empty() { Vec::new() } else { vec![NodeId::ROOT] };
        std::iter::from_fn(move || {
            while let Some(node) = stack.pop() {
                if self.is_open(node) && !tree.is_leaf(node) {
                    let shown = self.shown(tree, node);
                    stack.extend(shown.into_iter().rev().filter_map(|item| match item {
                        Item::Node(child) => Some(child),
                        Item::Gap { .. } => None,
                    }));
                    return Some(node);
                }
            }
            None
        })
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
