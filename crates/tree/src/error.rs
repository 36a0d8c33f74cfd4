//! What can be wrong with a tree.

use thiserror::Error;

/// Why a tree could not be built or is not one.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TreeError {
    /// Node ids are 32 bits wide.
    #[error(
        "a tree holds at most 4,294,967,294 nodes; record or import a smaller part, or collapse while recording"
    )]
    TooManyNodes,
    /// A node was closed that was never opened.
    #[error("close without an open node at node {0}")]
    NothingOpen(u32),
    /// Nodes are still open at the end.
    #[error("{0} nodes are still open at the end")]
    StillOpen(usize),
    /// A tree has one root.
    #[error("node {0} is a second root")]
    SecondRoot(u32),
    /// A tree has a root.
    #[error("no root: every node has a parent")]
    NoRoot,
    /// A parent that is not there.
    #[error("node {node} names parent {parent}, but there are {nodes} nodes")]
    NoSuchParent {
        /// The child.
        node: u32,
        /// What it names.
        parent: u32,
        /// How many there are.
        nodes: usize,
    },
    /// Parents that lead back to their child.
    #[error("{0} nodes are not reached from the root: their parents form a cycle")]
    Cycle(usize),
    /// Columns that do not describe a pre-order tree.
    #[error("node {node}: {what}")]
    Broken {
        /// The first node that is wrong.
        node: u32,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A cut's text that cannot be read.
    #[error("not a cut: {0}")]
    CutText(String),
}
