//! Of which record of the file each node of the tree was made: for errors that show only when the tree is whole.

use super::tree::Nodes;
use super::{Grain, GrainKind, NONE};

/// The grains by where they stand in the tree.
#[derive(Debug)]
pub struct Records {
    /// First node, last node, and number of each grain that has nodes, ascending.
    spans: Vec<(u32, u32, u32)>,
    /// Parent and record of each grain.
    grains: Vec<(u32, u32)>,
}

impl Records {
    pub fn new(list: &[Grain], nodes: &[Nodes]) -> Self {
        let grains = list.iter().map(|grain| (grain.parent, grain.record)).collect();
        let standing = (0u32..).zip(list).zip(nodes).filter(|((_, grain), _)| grain.kind != GrainKind::Inner);
        let mut spans: Vec<(u32, u32, u32)> =
            standing.map(|((number, _), nodes)| (nodes.node, nodes.last, number)).collect();
        spans.sort_unstable();
        Records { spans, grains }
    }

    /// The record of the innermost grain around a node that has one; or [`NONE`].
    pub fn of(&self, node: u32) -> u32 {
        let behind = self.spans.partition_point(|&(first, ..)| first <= node);
        let around = self
            .spans
            .get(..behind)
            .and_then(|before| before.iter().rev().find(|&&(_, last, _)| last >= node));
        let mut grain = around.map_or(NONE, |&(.., grain)| grain);
        while let Some(&(parent, record)) = self.grains.get(grain as usize) {
            if record != NONE {
                return record;
            }
            grain = parent;
        }
        NONE
    }
}
