//! A set of nodes as a bitmap that can say at once whether any of a range is in it.

use std::ops::Range;

use rayon::prelude::*;

use crate::tree::NodeId;

/// A set of nodes of one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSet {
    nodes: usize,
    words: Vec<u64>,
    /// Members in the words before each group of eight words.
    rank: Vec<u32>,
}

const GROUP: usize = 8;

impl NodeSet {
    /// The nodes below `nodes` that satisfy `test`.
    pub fn from_fn(nodes: usize, test: impl Fn(NodeId) -> bool + Sync) -> Self {
        Self::from_blocks(nodes, |block| {
            block.fold(0, |bits, i| bits | u64::from(test(NodeId(i as u32))) << (i % 64))
        })
    }

    /// Of each block of 64 nodes, or what is left of them, those whose bits `block` gives, the first of them lowest.
    pub fn from_blocks(nodes: usize, block: impl Fn(Range<usize>) -> u64 + Sync) -> Self {
        let words = (0..nodes.div_ceil(64))
            .into_par_iter()
            .with_min_len(1 << 10)
            .map(|w| block(w * 64..((w + 1) * 64).min(nodes)))
            .collect();
        Self::from_words(nodes, words)
    }

    /// The given nodes.
    pub fn from_nodes(nodes: usize, members: impl IntoIterator<Item = NodeId>) -> Self {
        let mut words = vec![0u64; nodes.div_ceil(64)];
        for node in members {
            if node.index() < nodes {
                words[node.index() / 64] |= 1 << (node.index() % 64);
            }
        }
        Self::from_words(nodes, words)
    }

    fn from_words(nodes: usize, words: Vec<u64>) -> Self {
        let mut rank = Vec::with_capacity(words.len() / GROUP + 2);
        let mut total = 0u32;
        for group in words.chunks(GROUP) {
            rank.push(total);
            total += group.iter().map(|w| w.count_ones()).sum::<u32>();
        }
        rank.push(total);
        NodeSet { nodes, words, rank }
    }

    /// Whether the node is in the set.
    pub fn contains(&self, node: NodeId) -> bool {
        self.words.get(node.index() / 64).is_some_and(|w| w >> (node.index() % 64) & 1 == 1)
    }

    /// Number of members below `i`.
    fn rank(&self, i: usize) -> usize {
        let i = i.min(self.nodes);
        let word = i / 64;
        let group = word / GROUP;
        let mut count = self.rank[group] as usize;
        for w in &self.words[group * GROUP..word] {
            count += w.count_ones() as usize;
        }
        if !i.is_multiple_of(64) {
            count += (self.words[word] & ((1 << (i % 64)) - 1)).count_ones() as usize;
        }
        count
    }

    /// Number of members in a range of nodes.
    pub fn count_in(&self, range: Range<usize>) -> usize {
        self.rank(range.end).saturating_sub(self.rank(range.start))
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.count_in(0..self.nodes)
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.words.iter().enumerate().flat_map(|(w, &bits)| {
            std::iter::successors((bits != 0).then_some(bits), |b| {
                let rest = b & (b - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |b| NodeId((w * 64) as u32 + b.trailing_zeros()))
        })
    }

    fn zip(&self, other: &NodeSet, op: impl Fn(u64, u64) -> u64) -> NodeSet {
        // The other set may be of a larger or smaller tree: nodes that this one does not have stay out.
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        let mut words: Vec<u64> = self.words.iter().zip(others).map(|(&a, b)| op(a, b)).collect();
        if let Some(last) = words.last_mut()
            && !self.nodes.is_multiple_of(64)
        {
            *last &= (1 << (self.nodes % 64)) - 1;
        }
        NodeSet::from_words(self.nodes, words)
    }

    /// In both.
    pub fn and(&self, other: &NodeSet) -> NodeSet {
        self.zip(other, |a, b| a & b)
    }

    /// In either.
    pub fn or(&self, other: &NodeSet) -> NodeSet {
        self.zip(other, |a, b| a | b)
    }

    /// In this one only.
    pub fn minus(&self, other: &NodeSet) -> NodeSet {
        self.zip(other, |a, b| a & !b)
    }
}
