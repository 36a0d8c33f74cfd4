//! What the fold of the grain graph must know, and what a mark of it stands for. The fold itself is
//! [`crosscut_tree::fold`].

use std::ops::{AddAssign, Range, SubAssign};

use crosscut_tasks::grain::{GrainKind, Grains};
use crosscut_tree::{Folds, NodeId, NodeSet, Tree};

/// Of a group with more members than this only some are shown.
pub const MANY: usize = 64;

/// What must be known of nodes, so that all this can be tested without a run.
pub trait Nodes: Folds {
    /// What a node is.
    fn kind(&self, node: NodeId) -> GrainKind;
    /// Number of the first grain at or after a node.
    fn first_grain(&self, node: usize) -> usize;
    /// Work of some grains.
    fn work(&self, grains: Range<usize>) -> i64;

    /// Sums over whole subtrees that follow one another.
    fn totals(&self, nodes: Range<usize>) -> Totals {
        let grains = self.first_grain(nodes.start)..self.first_grain(nodes.end);
        Totals {
            grains: grains.len() as i64,
            work: self.work(grains),
            problems: self.chosen().map_or(0, |chosen| chosen.count_in(nodes) as i64),
        }
    }
}

/// What is folded in a grain graph: what has nothing of the problem, and groups that are alike.
#[derive(Clone, Copy, Debug)]
pub struct GrainFolds<'a> {
    /// The graph.
    pub grains: &'a Grains,
    /// Grains that have the problem that is looked at.
    pub chosen: Option<&'a NodeSet>,
    /// Groups that are alike are folded.
    pub alike: bool,
}

impl Folds for GrainFolds<'_> {
    fn tree(&self) -> Tree<'_> {
        self.grains.tree()
    }

    fn chosen(&self) -> Option<&NodeSet> {
        self.chosen
    }

    fn is_parallel(&self, node: NodeId) -> bool {
        self.grains.kind(node) == GrainKind::ForkJoin
    }

    fn gathers(&self) -> bool {
        self.alike
    }

    fn shape(&self, node: NodeId) -> u64 {
        self.grains.shape(node)
    }

    fn many(&self) -> usize {
        MANY
    }
}

/// Number of the first grain at or after a node.
pub fn first_grain(grains: &Grains, node: usize) -> usize {
    if node < grains.tree().node_count() {
        grains.grain_range(NodeId(node as u32)).start
    } else {
        grains.grain_count()
    }
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Grains.
    pub grains: i64,
    /// Their work.
    pub work: i64,
    /// Those of them that have the problem that is looked at.
    pub problems: i64,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.grains += other.grains;
        self.work += other.work;
        self.problems += other.problems;
    }
}

impl SubAssign for Totals {
    fn sub_assign(&mut self, other: Totals) {
        self.grains -= other.grains;
        self.work -= other.work;
        self.problems -= other.problems;
    }
}
