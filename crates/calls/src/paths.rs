//! What analyses of call paths stand on: a tree with a frame for each node, and sums of values over ranges of nodes. The
//! profile of a run has it, and so has what is made of several.

use std::ops::Range;

use crosscut_tree::{NodeId, Tree};

use crate::Calls;
use crate::schema::{Frame, NONE};

/// Call paths with values.
pub trait Paths: Sync {
    /// The calling context tree; the root is the program.
    fn tree(&self) -> Tree<'_>;
    /// By node: the number of its frame.
    fn frame_numbers(&self) -> &[u32];
    /// All frames.
    fn frames(&self) -> &[Frame];
    /// The names of its metrics.
    fn metric_names(&self) -> Vec<&str>;
    /// Number of metrics.
    fn metric_count(&self) -> usize;
    /// What was spent in some nodes, at all places.
    fn sum(&self, metric: usize, nodes: Range<usize>) -> i64;
    /// Number of columns: places of a run, or runs of an ensemble.
    fn column_count(&self) -> usize;
    /// What was spent in each node itself, at one place or in one run; nothing where there is no such column.
    fn column(&self, metric: usize, column: usize) -> &[i64];

    /// Number of nodes, the root counted.
    fn node_count(&self) -> usize {
        self.frame_numbers().len()
    }

    /// What a node is; the root is nothing.
    fn frame_of(&self, node: NodeId) -> Option<&Frame> {
        self.frames().get(self.number(node) as usize)
    }

    /// The number of its frame.
    fn number(&self, node: NodeId) -> u32 {
        self.frame_numbers().get(node.index()).copied().unwrap_or(NONE)
    }

    /// What was spent in a node and all that it called.
    fn with_callees(&self, metric: usize, node: NodeId) -> i64 {
        self.sum(metric, self.tree().range(node))
    }
}

impl Paths for Calls {
    fn tree(&self) -> Tree<'_> {
        Calls::tree(self)
    }

    fn frame_numbers(&self) -> &[u32] {
        Calls::frame_numbers(self)
    }

    fn frames(&self) -> &[Frame] {
        Calls::frames(self)
    }

    fn metric_names(&self) -> Vec<&str> {
        self.summary().metrics.iter().map(|metric| metric.name.as_str()).collect()
    }

    fn metric_count(&self) -> usize {
        self.summary().metrics.len()
    }

    fn sum(&self, metric: usize, nodes: Range<usize>) -> i64 {
        Calls::sum(self, metric, nodes)
    }

    fn column_count(&self) -> usize {
        self.place_count()
    }

    fn column(&self, metric: usize, column: usize) -> &[i64] {
        self.by_place(metric).map_or(&[], |own| own.place(column as u32))
    }
}
