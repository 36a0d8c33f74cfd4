//! Sums over nodes at the borders of blocks, gathered by a pass that goes backwards: what lies in each block first, then
//! what lies before it.

use crate::schema::{Collapsed, Kind};
use crosscut_tree::BLOCK;

/// Nodes per block of the sums by worker: wide enough that they stay small beside the tree.
pub fn mix_block(rows: usize) -> usize {
    (8 * rows).next_power_of_two().max(256)
}

/// Work, and intervals by kind: what is summed up over nodes.
const SUMS: usize = 1 + Kind::LEAVES.len();

/// Bits per kind of interval in a word of counts. A block holds 64 nodes.
const COUNT_BITS: usize = 8;

/// Cumulative sums at the borders of blocks, and after the last node.
pub struct NodeSums {
    sums: Vec<[i64; SUMS]>,
    /// Of the block that the pass is in: intervals by kind, and work.
    counts: u64,
    work: i64,
}

impl NodeSums {
    pub fn new(nodes: usize) -> Self {
        NodeSums { sums: vec![[0; SUMS]; nodes.div_ceil(BLOCK) + 1], counts: 0, work: 0 }
    }

    /// One interval.
    #[inline]
    pub fn count(&mut self, kind: Kind) {
        if let Some(leaf) = kind.leaf() {
            self.counts += 1 << (COUNT_BITS * leaf);
        }
    }

    /// The intervals in a collapsed node.
    pub fn count_inside(&mut self, node: usize, collapsed: &Collapsed) {
        for (sum, count) in self.sums[node / BLOCK][1..].iter_mut().zip(collapsed.nodes) {
            *sum = sum.wrapping_add(count);
        }
    }

    #[inline]
    pub fn work(&mut self, work: i64) {
        self.work = self.work.wrapping_add(work);
    }

    /// The pass leaves a node.
    #[inline]
    pub fn border(&mut self, node: usize) {
        if !node.is_multiple_of(BLOCK) {
            return;
        }
        let sums = &mut self.sums[node / BLOCK];
        sums[0] = std::mem::take(&mut self.work);
        let counts = std::mem::take(&mut self.counts);
        for (leaf, sum) in sums[1..].iter_mut().enumerate() {
            *sum = sum.wrapping_add((counts >> (COUNT_BITS * leaf) & 0xff) as i64);
        }
    }

    /// There are only so many nodes.
    pub fn truncate(&mut self, nodes: usize) {
        self.sums.truncate(nodes.div_ceil(BLOCK) + 1);
    }

    /// From what is in each block to what is before it.
    pub fn accumulate(&mut self) {
        let mut total = [0; SUMS];
        for block in &mut self.sums {
            let own = std::mem::replace(block, total);
            for (sum, own) in total.iter_mut().zip(own) {
                *sum = sum.wrapping_add(own);
            }
        }
    }

    /// The column of the work, or of the k-th kind of interval after it.
    pub fn column(&self, k: usize) -> Vec<i64> {
        self.sums.iter().map(|sums| sums[k]).collect()
    }

    pub fn total(&self, k: usize) -> i64 {
        self.sums.last().map_or(0, |sums| sums[k])
    }
}

/// Cumulative work by row at the borders of blocks.
pub struct Mix {
    block: usize,
    sums: Vec<i64>,
    /// Of the block that the pass is in.
    own: Vec<i64>,
}

impl Mix {
    pub fn new(nodes: usize, rows: usize) -> Self {
        let block = mix_block(rows);
        Mix { block, sums: vec![0; (nodes / block + 1) * rows], own: vec![0; rows] }
    }

    #[inline]
    pub fn work(&mut self, row: usize, work: i64) {
        self.own[row] += work;
    }

    /// The pass leaves a node.
    #[inline]
    pub fn border(&mut self, node: usize) {
        if node & (self.block - 1) == 0 {
            self.end_block(node / self.block);
        }
    }

    /// A pass that goes forwards comes to a node.
    #[inline]
    pub fn border_behind(&mut self, node: usize) {
        if node & (self.block - 1) == 0 {
            self.end_block(node / self.block - 1);
        }
    }

    fn end_block(&mut self, block: usize) {
        let rows = self.own.len();
        self.sums[block * rows..][..rows].copy_from_slice(&self.own);
        self.own.fill(0);
    }

    /// A pass that went forwards has left the last of so many nodes.
    pub fn truncate(&mut self, nodes: usize) {
        if nodes & (self.block - 1) == 0 {
            self.border_behind(nodes);
        } else {
            self.end_block(nodes / self.block);
        }
        self.sums.truncate((nodes / self.block + 1) * self.own.len());
    }

    /// From what is in each block to what is before it; what is left are the totals.
    pub fn accumulate(&mut self) {
        let rows = self.own.len();
        for block in self.sums.chunks_exact_mut(rows) {
            for (sum, total) in block.iter_mut().zip(&mut self.own) {
                let own = std::mem::replace(sum, *total);
                *total += own;
            }
        }
    }

    pub fn column(&self) -> &[i64] {
        &self.sums
    }

    pub fn totals(&self) -> &[i64] {
        &self.own
    }
}
