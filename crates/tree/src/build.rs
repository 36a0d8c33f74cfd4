//! Ways to make a tree: streaming, in pre-order ([`Builder`]); or from parents in any order ([`from_parents`]).

use crate::error::TreeError;
use crate::tree::{NodeId, TreeBuf};
use crate::wide::WideBuf;

/// The most nodes a tree can have: ids are `u32`, and the largest two values are left free as marks.
const MAX_NODES: usize = u32::MAX as usize - 1;

/// Builds a tree while nodes arrive in pre-order.
#[derive(Debug, Default)]
pub struct Builder {
    len: Vec<u32>,
    parent: Vec<u32>,
    open: Vec<u32>,
}

impl Builder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder with room for `nodes`.
    pub fn with_capacity(nodes: usize) -> Self {
        Builder { len: Vec::with_capacity(nodes), parent: Vec::with_capacity(nodes), open: Vec::new() }
    }

    /// Adds a node and opens it: what comes until [`Builder::close`] is below it.
    #[inline]
    pub fn open(&mut self) -> Result<NodeId, TreeError> {
        let node = self.leaf()?;
        self.open.push(node.0);
        Ok(node)
    }

    /// Adds a node without children.
    #[inline]
    pub fn leaf(&mut self) -> Result<NodeId, TreeError> {
        let i = self.len.len();
        if i >= MAX_NODES {
            return Err(TreeError::TooManyNodes);
        }
        let parent = match self.open.last() {
            Some(&parent) => parent,
            None if i == 0 => 0,
            None => return Err(TreeError::SecondRoot(i as u32)),
        };
        self.len.push(1);
        self.parent.push(parent);
        Ok(NodeId(i as u32))
    }

    /// Closes the node that was opened last.
    #[inline]
    pub fn close(&mut self) -> Result<NodeId, TreeError> {
        let Some(node) = self.open.pop() else { return Err(TreeError::NothingOpen(self.len.len() as u32)) };
        self.len[node as usize] = self.len.len() as u32 - node;
        Ok(NodeId(node))
    }

    /// The node that is open now.
    pub fn current(&self) -> Option<NodeId> {
        self.open.last().map(|&node| NodeId(node))
    }

    /// Number of nodes so far.
    pub fn node_count(&self) -> usize {
        self.len.len()
    }

    /// The tree; everything must be closed.
    pub fn finish(self) -> Result<TreeBuf, TreeError> {
        if !self.open.is_empty() {
            return Err(TreeError::StillOpen(self.open.len()));
        }
        let wide = WideBuf::build(&self.len, &self.parent);
        Ok(TreeBuf { len: self.len, parent: self.parent, wide })
    }
}

/// A tree whose nodes were renumbered into pre-order.
#[derive(Clone, Debug)]
pub struct Reordered {
    /// The tree.
    pub tree: TreeBuf,
    /// Where each pre-order node stood in the input: `new_column[i] = old_column[order[i]]`.
    pub order: Vec<u32>,
}

/// Builds a tree from the parents of its nodes, in any order; `None` marks the root. Siblings keep the order in which
/// they were given.
pub fn from_parents(parents: &[Option<u32>]) -> Result<Reordered, TreeError> {
    let n = parents.len();
    if n > MAX_NODES {
        return Err(TreeError::TooManyNodes);
    }
    // Children of each node as linked lists, filled backwards so that they come out in order.
    let mut first_child = vec![u32::MAX; n];
    let mut next_sibling = vec![u32::MAX; n];
    let mut root = None;
    for (i, parent) in parents.iter().enumerate().rev() {
        match *parent {
            Some(parent) if (parent as usize) < n => {
                next_sibling[i] = first_child[parent as usize];
                first_child[parent as usize] = i as u32;
            }
            Some(parent) => return Err(TreeError::NoSuchParent { node: i as u32, parent, nodes: n }),
            None => match root {
                None => root = Some(i as u32),
                Some(later) => return Err(TreeError::SecondRoot(later)),
            },
        }
    }
    let Some(root) = root else {
        return if n == 0 {
            Ok(Reordered { tree: TreeBuf::default(), order: Vec::new() })
        } else {
            Err(TreeError::NoRoot)
        };
    };

    let mut order = Vec::with_capacity(n);
    let mut builder = Builder::with_capacity(n);
    let mut path = vec![root];
    order.push(root);
    builder.open()?;
    while let Some(&node) = path.last() {
        let child = first_child[node as usize];
        if child == u32::MAX {
            builder.close()?;
            path.pop();
        } else {
            first_child[node as usize] = next_sibling[child as usize];
            path.push(child);
            order.push(child);
            builder.open()?;
        }
    }
    if order.len() != n {
        return Err(TreeError::Cycle(n - order.len()));
    }
    Ok(Reordered { tree: builder.finish()?, order })
}
