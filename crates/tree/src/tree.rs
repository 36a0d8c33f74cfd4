//! The tree as borrowed columns, and its iterators. Nothing here recurses over depth, and nothing trusts a column:
//! a length is clamped to the tree, and a child counts only if it names its parent. So every node is met at most
//! once by any walk from parents to children, and a walk over damaged columns ends.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::error::TreeError;
use crate::wide::{Wide, WideBuf};

/// A node: its position in pre-order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The root of every tree.
    pub const ROOT: NodeId = NodeId(0);

    /// As an index into a column.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A tree in pre-order, borrowed from memory or from a mapped file. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    len: &'a [u32],
    parent: &'a [u32],
    wide: Wide<'a>,
}

/// A tree that owns its columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeBuf {
    /// Number of nodes in each subtree, the node itself included.
    pub len: Vec<u32>,
    /// Parent of each node; the root is its own parent.
    pub parent: Vec<u32>,
    /// Index of the children of wide nodes.
    pub wide: WideBuf,
}

impl TreeBuf {
    /// Borrows it.
    pub fn view(&self) -> Tree<'_> {
        Tree::new(&self.len, &self.parent, self.wide.view())
    }
}

impl<'a> Tree<'a> {
    /// A tree over columns of equal length (the shorter one decides).
    pub fn new(len: &'a [u32], parent: &'a [u32], wide: Wide<'a>) -> Self {
        let n = len.len().min(parent.len());
        Tree { len: &len[..n], parent: &parent[..n], wide }
    }

    /// Number of nodes.
    #[inline]
    pub fn node_count(&self) -> usize {
        self.len.len()
    }

    /// Whether there are no nodes at all.
    pub fn is_empty(&self) -> bool {
        self.len.is_empty()
    }

    /// Whether `node` is in the tree.
    pub fn contains(&self, node: NodeId) -> bool {
        node.index() < self.len.len()
    }

    /// The nodes of the subtree as an index range, `node` first.
    #[inline]
    pub fn range(&self, node: NodeId) -> Range<usize> {
        let i = node.index();
        let n = self.len.len();
        if i >= n {
            return n..n;
        }
        i..i + (self.len[i].max(1) as usize).min(n - i)
    }

    /// Number of nodes in the subtree, `node` included.
    #[inline]
    pub fn size(&self, node: NodeId) -> usize {
        self.range(node).len()
    }

    /// Whether the node has no children.
    #[inline]
    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.size(node) <= 1
    }

    /// The parent, except of the root.
    #[inline]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = *self.parent.get(node.index())?;
        (parent < node.0).then_some(NodeId(parent))
    }

    /// From the parent up to the root.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        let tree = *self;
        std::iter::successors(tree.parent(node), move |&n| tree.parent(n))
    }

    /// Number of ancestors.
    pub fn depth(&self, node: NodeId) -> usize {
        self.ancestors(node).count()
    }

    /// Whether `below` lies in the subtree of `above` (a node is below itself).
    pub fn is_below(&self, below: NodeId, above: NodeId) -> bool {
        self.range(above).contains(&below.index())
    }

    /// The children in order.
    #[inline]
    pub fn children(&self, node: NodeId) -> Children<'a> {
        let range = self.range(node);
        let next = (range.start + 1).min(range.end);
        Children { tree: *self, parent: node, next, end: range.end }
    }

    /// The children from the k-th on; wide nodes do not walk over the first k.
    pub fn children_from(&self, node: NodeId, k: usize) -> Children<'a> {
        let mut children = self.children(node);
        let mut skip = k;
        if let Some((at, rest)) = self.wide.jump(node, k)
            && self.parent(at) == Some(node)
        {
            children.next = at.index();
            skip = rest;
        }
        if skip > 0 {
            children.nth(skip - 1);
        }
        children
    }

    /// The k-th child.
    pub fn child(&self, node: NodeId, k: usize) -> Option<NodeId> {
        self.children_from(node, k).next()
    }

    /// Number of children: at once for wide nodes, by skipping for the others.
    pub fn child_count(&self, node: NodeId) -> usize {
        match self.wide.count(node) {
            Some(count) => count.min(self.size(node).saturating_sub(1)),
            None => self.children(node).count(),
        }
    }

    /// The sibling after this node.
    #[inline]
    pub fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parent(node)?;
        let end = self.range(node).end;
        (end < self.range(parent).end).then_some(NodeId(end as u32))
    }

    /// The sibling before this node. Walks back over the previous sibling's last branch, not over all siblings.
    pub fn previous_sibling(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parent(node)?;
        let mut at = NodeId(node.0.checked_sub(1)?);
        while at > parent {
            let above = self.parent(at)?;
            if above == parent {
                return Some(at);
            }
            at = above;
        }
        None
    }

    /// Which child of its parent the node is. Linear in its earlier siblings, in steps of 64 for wide parents.
    pub fn child_index(&self, node: NodeId) -> usize {
        let Some(parent) = self.parent(node) else { return 0 };
        let (start, skipped) = self.wide.before(parent, node).unwrap_or((NodeId(parent.0 + 1), 0));
        let mut at = start.index();
        let mut k = skipped;
        while at < node.index() {
            at = self.range(NodeId(at as u32)).end;
            k += 1;
        }
        k
    }

    /// All nodes of the subtree with their depth below it, in pre-order.
    pub fn walk(&self, node: NodeId) -> impl Iterator<Item = (NodeId, usize)> + use<'a> {
        let tree = *self;
        let mut ends: Vec<usize> = Vec::new();
        self.range(node).map(move |i| {
            while ends.last().is_some_and(|&end| end <= i) {
                ends.pop();
            }
            let depth = ends.len();
            let range = tree.range(NodeId(i as u32));
            if range.len() > 1 {
                ends.push(range.end);
            }
            (NodeId(i as u32), depth)
        })
    }

    /// Largest depth of any node.
    pub fn max_depth(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        self.walk(NodeId::ROOT).map(|(_, depth)| depth).max().unwrap_or(0)
    }

    /// Nodes whose time overlaps `from..to`, in pre-order; subtrees that do not overlap are skipped whole. A node's
    /// time must enclose that of its descendants.
    pub fn overlapping(
        &self,
        start: &'a [i64],
        end: &'a [i64],
        from: i64,
        to: i64,
    ) -> impl Iterator<Item = NodeId> + use<'a> {
        let tree = *self;
        let n = tree.node_count().min(start.len()).min(end.len());
        let mut i = 0;
        std::iter::from_fn(move || {
            while i < n {
                let node = NodeId(i as u32);
                if start[i] < to && end[i] > from {
                    i += 1;
                    return Some(node);
                }
                i = tree.range(node).end;
            }
            None
        })
    }

    /// The first `limit` nodes in pre-order, from `after` on, that satisfy `test`, and whether there may be more.
    /// Scans columns in parallel blocks.
    pub fn search(
        &self,
        after: NodeId,
        limit: usize,
        test: impl Fn(NodeId) -> bool + Sync,
    ) -> (Vec<NodeId>, bool) {
        use rayon::prelude::*;
        const STRIDE: usize = 1 << 20;
        let mut found = Vec::new();
        let mut at = after.index();
        let n = self.node_count();
        while at < n {
            let end = (at + STRIDE).min(n);
            let mut hits: Vec<NodeId> = (at as u32..end as u32)
                .into_par_iter()
                .with_min_len(1 << 14)
                .map(NodeId)
                .filter(|&node| test(node))
                .collect();
            found.append(&mut hits);
            if found.len() > limit {
                found.truncate(limit);
                return (found, true);
            }
            at = end;
        }
        (found, false)
    }

    /// The column of subtree lengths.
    pub fn lens(&self) -> &'a [u32] {
        self.len
    }

    /// The column of parents.
    pub fn parents(&self) -> &'a [u32] {
        self.parent
    }

    /// Says whether the columns really are a pre-order tree, and whether the index of wide nodes tells the truth about
    /// those it lists; a linear pass.
    pub fn check(&self) -> Result<(), TreeError> {
        let n = self.node_count();
        if n == 0 {
            return Ok(());
        }
        let broken = |node: usize, what| Err(TreeError::Broken { node: node as u32, what });
        if self.len[0] as usize != n {
            return broken(0, "the root's length is not the number of nodes");
        }
        if self.parent[0] != 0 {
            return broken(0, "the root is not its own parent");
        }
        let mut open: Vec<(u32, usize)> = Vec::new();
        for i in 0..n {
            while open.last().is_some_and(|&(_, end)| end <= i) {
                open.pop();
            }
            let end = match i.checked_add(self.len[i] as usize) {
                Some(end) if self.len[i] > 0 => end,
                _ => return broken(i, "its length is zero"),
            };
            if let Some(&(parent, parent_end)) = open.last() {
                if self.parent[i] != parent {
                    return broken(i, "its parent is not the node that encloses it");
                }
                if end > parent_end {
                    return broken(i, "it reaches past its parent");
                }
            } else if i != 0 {
                return broken(i, "it is a second root");
            }
            if self.len[i] > 1 {
                open.push((i as u32, end));
            }
        }
        self.wide.check(*self)
    }
}

/// Iterator over children.
#[derive(Clone, Debug)]
pub struct Children<'a> {
    tree: Tree<'a>,
    parent: NodeId,
    next: usize,
    end: usize,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let node = NodeId(self.next as u32);
        if self.tree.parent(node) != Some(self.parent) {
            self.next = self.end; // damaged: what follows belongs to another node
            return None;
        }
        self.next = self.tree.range(node).end.min(self.end);
        Some(node)
    }
}
