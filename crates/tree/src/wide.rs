//! Children of wide nodes: every 64th child of a node with [`WIDE`] children or more is remembered, so that the
//! k-th of a million children is found in at most 64 skips. Small trees have no such node and pay nothing.

use rayon::prelude::*;

use crate::error::TreeError;
use crate::tree::{NodeId, Tree};

/// A node with this many children is wide.
pub const WIDE: usize = 128;
const STEP: usize = 64;

/// The index, borrowed. `skip[first[w]..first[w + 1]]` are the children 0, 64, 128, … of `node[w]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wide<'a> {
    /// Wide nodes, ascending.
    pub node: &'a [u32],
    /// Number of children of each.
    pub count: &'a [u32],
    /// Where each one's entries begin in `skip`.
    pub first: &'a [u32],
    /// Every 64th child.
    pub skip: &'a [u32],
}

/// The index, owned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WideBuf {
    /// Wide nodes, ascending.
    pub node: Vec<u32>,
    /// Number of children of each.
    pub count: Vec<u32>,
    /// Where each one's entries begin in `skip`.
    pub first: Vec<u32>,
    /// Every 64th child.
    pub skip: Vec<u32>,
}

impl WideBuf {
    /// Finds the wide nodes of a tree given by its subtree lengths.
    pub fn build(len: &[u32], parent: &[u32]) -> WideBuf {
        let tree = Tree::new(len, parent, Wide::default());
        let wide: Vec<u32> = (0..tree.node_count() as u32)
            .into_par_iter()
            .with_min_len(1 << 14)
            .filter(|&i| tree.size(NodeId(i)) > WIDE)
            // Most large nodes are deep, not wide.
            .filter(|&i| tree.children(NodeId(i)).nth(WIDE - 1).is_some())
            .collect();
        WideBuf::of(tree, wide)
    }

    /// The index for these nodes, ascending.
    pub fn of(tree: Tree<'_>, nodes: Vec<u32>) -> WideBuf {
        let children = |&i: &u32| {
            let mut skip = Vec::new();
            let mut count = 0u32;
            for child in tree.children(NodeId(i)) {
                if (count as usize).is_multiple_of(STEP) {
                    skip.push(child.0);
                }
                count += 1;
            }
            (skip, count)
        };
        let found: Vec<(Vec<u32>, u32)> = nodes.par_iter().map(children).collect();
        let mut wide = WideBuf { node: nodes, ..WideBuf::default() };
        for (skip, count) in found {
            wide.count.push(count);
            wide.first.push(wide.skip.len() as u32);
            wide.skip.extend(skip);
        }
        wide
    }

    /// Borrows it.
    pub fn view(&self) -> Wide<'_> {
        Wide { node: &self.node, count: &self.count, first: &self.first, skip: &self.skip }
    }
}

impl<'a> Wide<'a> {
    fn entry(&self, node: NodeId) -> Option<(usize, &'a [u32])> {
        let w = self.node.binary_search(&node.0).ok()?;
        let first = *self.first.get(w)? as usize;
        let end = self.first.get(w + 1).map_or(self.skip.len(), |&end| end as usize);
        Some((*self.count.get(w)? as usize, self.skip.get(first..end)?))
    }

    /// Number of children, if the node is wide.
    pub fn count(&self, node: NodeId) -> Option<usize> {
        self.entry(node).map(|(count, _)| count)
    }

    /// A remembered child at or before the k-th, and how many to skip from it.
    pub fn jump(&self, node: NodeId, k: usize) -> Option<(NodeId, usize)> {
        let (count, skip) = self.entry(node)?;
        if k >= count {
            return None;
        }
        Some((NodeId(*skip.get(k / STEP)?), k % STEP))
    }

    /// The last remembered child at or before `child`, and its number.
    pub fn before(&self, node: NodeId, child: NodeId) -> Option<(NodeId, usize)> {
        let (_, skip) = self.entry(node)?;
        let at = skip.partition_point(|&c| c <= child.0).checked_sub(1)?;
        Some((NodeId(skip[at]), at * STEP))
    }

    /// Whether all that is remembered is true of a tree whose other columns are sound. A node may be left out.
    pub(crate) fn check(&self, tree: Tree<'_>) -> Result<(), TreeError> {
        let broken = |node: u32| Err(TreeError::Broken { node, what: "the index of its children is wrong" });
        let mut last = None;
        let mut used = 0; // entries of `skip` that belong to the nodes before
        for (w, &node) in self.node.iter().enumerate() {
            let plain = Tree::new(tree.lens(), tree.parents(), Wide::default());
            let every_64th = plain.children(NodeId(node)).step_by(STEP).map(|child| child.0);
            let Some((count, skip)) = self.entry(NodeId(node)) else { return broken(node) };
            let in_place = last < Some(node) && self.first[w] as usize == used;
            if !in_place || count != plain.child_count(NodeId(node)) || !skip.iter().copied().eq(every_64th) {
                return broken(node);
            }
            last = Some(node);
            used += skip.len();
        }
        Ok(())
    }
}
