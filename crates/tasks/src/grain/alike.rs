//! Similarity of groups. Every group has a *shape*: a hash of its structure, in which the members of a fork-join have no
//! order. Groups of equal shape are isomorphic. How alike two groups are whose shapes differ is measured by a
//! Weisfeiler–Lehman kernel: nodes are labelled by what they are, then again and again by their own label and those of
//! their members; the kernel compares how often each label occurs.

use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::table::Slot;
use super::{GrainKind, Grains};

/// The shape of every grain.
pub const GRAIN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads the bits of a number (the finisher of SplitMix64).
#[inline]
fn spread(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The shape of a group in the making.
pub struct Mix {
    kind: u64,
    /// What the sum so far is multiplied by before a member is added: order matters in a linear group only.
    factor: u64,
    sum: u64,
    count: u64,
}

impl Mix {
    #[inline]
    pub fn new(parallel: bool) -> Self {
        let (kind, factor) = if parallel {
            (0xa076_1d64_78bd_642f, 1)
        } else {
            (0xe703_7ed1_a0b4_28db, 0xd134_2543_de82_ef95)
        };
        Mix { kind, factor, sum: 0, count: 0 }
    }

    /// The shape of the member of a linear group, where it has one.
    pub fn only(&self) -> Option<u64> {
        (self.count == 1).then_some(self.sum)
    }

    /// Adds a member. Shapes are spread already, so their sum tells them apart.
    #[inline]
    pub fn add(&mut self, shape: u64) {
        self.sum = self.sum.wrapping_mul(self.factor).wrapping_add(shape);
        self.count += 1;
    }

    /// Members so far.
    #[inline]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    #[inline]
    pub fn finish(&self) -> u64 {
        spread(self.sum ^ spread(self.count ^ self.kind))
    }
}

/// How often each label occurs in a group, for all rounds of relabelling.
#[derive(Clone, Debug)]
pub struct Kernel {
    counts: HashMap<u64, u64>,
    norm: f64,
}

impl Kernel {
    /// Rounds of relabelling: a label tells apart what differs up to this many levels below.
    const ROUNDS: u64 = 4;

    /// Labels of a node and everything below it; linear in their number.
    pub fn new(grains: &Grains, node: NodeId) -> Self {
        let tree = grains.tree();
        let range = tree.range(node);
        let first: Vec<u64> = range
            .clone()
            .map(|i| match grains.kind(NodeId(i as u32)) {
                GrainKind::Linear => 2,
                GrainKind::ForkJoin => 3,
                _ => 1,
            })
            .collect();
        let mut counts = HashMap::new();
        let mut labels = first.clone();
        for round in 0..=Self::ROUNDS {
            for &label in &labels {
                *counts.entry(spread(label ^ round << 56)).or_default() += 1;
            }
            // Members add to their group; the group's own label of the first round is the base.
            let mut next: Vec<u64> = first.iter().map(|&label| spread(label)).collect();
            for i in (1..range.len()).rev() {
                let above = tree.parents()[range.start + i] as usize - range.start;
                next[above] = next[above].wrapping_add(spread(labels[i]));
            }
            labels = next;
        }
        let norm = counts.values().map(|&n| n as f64 * n as f64).sum::<f64>().sqrt();
        Kernel { counts, norm }
    }

    /// 1 for groups whose labels agree, 0 for those that have none in common.
    pub fn value(&self, other: &Kernel) -> f64 {
        let (small, large) =
            if self.counts.len() <= other.counts.len() { (self, other) } else { (other, self) };
        let common =
            |(label, &n): (&u64, &u64)| n as f64 * large.counts.get(label).copied().unwrap_or(0) as f64;
        let product: f64 = small.counts.iter().map(common).sum();
        (product / (self.norm * other.norm)).min(1.0)
    }
}

/// Groups of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// The first of them.
    pub first: NodeId,
    /// How many there are.
    pub count: usize,
}

impl Grains {
    /// Equal for nodes of equal structure.
    pub fn shape(&self, node: NodeId) -> u64 {
        match self.slot(node) {
            Slot::Grain(_) => GRAIN,
            Slot::Group(g) => self.groups[g as usize].shape,
        }
    }

    /// The groups that have the shape of this one, itself among them, in tree order; at most `limit`. Also says how many
    /// there are in all.
    pub fn alike(&self, node: NodeId, limit: usize) -> (Vec<NodeId>, usize) {
        let Slot::Group(_) = self.slot(node) else { return (vec![node], 1) };
        let shape = self.shape(node);
        let is = |slot: Slot| matches!(slot, Slot::Group(g) if self.groups[g as usize].shape == shape);
        let nodes = (0..self.slot.len() as u32).map(NodeId);
        let found: Vec<NodeId> = nodes.filter(|&n| is(self.slot(n))).take(limit).collect();
        let total = self.groups.iter().filter(|group| group.shape == shape).count();
        (found, total)
    }

    /// Of the siblings of a node, itself included, how many are alike, and how many there are.
    pub fn siblings_alike(&self, node: NodeId) -> (usize, usize) {
        let tree = self.tree();
        let Some(parent) = tree.parent(node) else { return (1, 1) };
        let shape = self.shape(node);
        let (mut same, mut all) = (0, 0);
        for sibling in tree.children(parent) {
            same += usize::from(self.shape(sibling) == shape);
            all += 1;
        }
        (same, all)
    }

    /// Shapes that several groups have, those of most groups first; at most `limit`.
    pub fn classes(&self, limit: usize) -> Vec<Class> {
        let mut classes: HashMap<u64, Class> = HashMap::new();
        for (i, slot) in self.slot.iter().enumerate() {
            if let Slot::Group(g) = slot.get() {
                let first = NodeId(i as u32);
                classes.entry(self.groups[g as usize].shape).or_insert(Class { first, count: 0 }).count += 1;
            }
        }
        let mut classes: Vec<Class> = classes.into_values().filter(|class| class.count > 1).collect();
        classes.sort_by_key(|class| (std::cmp::Reverse(class.count), class.first));
        classes.truncate(limit);
        classes
    }
}
