//! Which super node each call path belongs to.
//!
//! Call paths are taken heaviest first by what was spent in them with callees, ties in pre-order. A call path whose label is
//! that of its caller's super node joins it; another one goes to the first super node of its label to which an edge closes no
//! cycle, or to a new one. Where edges are only added, what closed a cycle once always does: what is decided for the first
//! call path from a super node to a label holds for all others, so only these pairs are put in order, not the call paths.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::order::Order;
use crate::paths::Paths;
use crate::schema::NONE;

/// Super nodes of one label at most: functions that call each other a thousand levels deep would need a thousand. What needs
/// one more stays in its caller.
pub const MOST_COPIES: usize = 32;

/// The first call path of each stretch of one label, in pre-order. What follows below with the same label, or without one,
/// belongs to it.
#[derive(Debug, Default)]
pub(super) struct Heads {
    /// The node of the calling context tree.
    pub node: Vec<u32>,
    /// The head that it is called from; of the first one itself.
    pub up: Vec<u32>,
    /// Its label; [`NONE`] of the program.
    pub label: Vec<u32>,
    /// By node of the calling context tree: its head.
    pub of: Vec<u32>,
}

impl Heads {
    pub fn new(paths: &impl Paths, labels: &[u32]) -> Self {
        let (frames, tree) = (paths.frame_numbers(), paths.tree());
        let parents = tree.parents();
        let mut heads = Heads { node: vec![0], up: vec![0], label: vec![NONE], of: vec![0; frames.len()] };
        for (node, (&frame, &parent)) in frames.iter().zip(parents).enumerate().skip(1) {
            let up = heads.of[parent as usize];
            let label = labels.get(frame as usize).copied().unwrap_or(NONE);
            heads.of[node] = up;
            if label != NONE && label != heads.label[up as usize] {
                heads.of[node] = heads.node.len() as u32;
                heads.node.push(node as u32);
                heads.up.push(up);
                heads.label.push(label);
            }
        }
        heads
    }

    pub fn len(&self) -> usize {
        self.node.len()
    }
}

/// Heads by what calls them.
struct Called {
    start: Vec<u32>,
    heads: Vec<u32>,
}

impl Called {
    fn new(up: &[u32]) -> Self {
        let mut start = vec![0u32; up.len() + 1];
        for &up in up.iter().skip(1) {
            start[up as usize + 1] += 1;
        }
        for at in 0..up.len() {
            start[at + 1] += start[at];
        }
        let mut next = start.clone();
        let mut heads = vec![0; up.len().saturating_sub(1)];
        for (head, &up) in up.iter().enumerate().skip(1) {
            heads[next[up as usize] as usize] = head as u32;
            next[up as usize] += 1;
        }
        Called { start, heads }
    }

    fn by(&self, head: u32) -> &[u32] {
        &self.heads[self.start[head as usize] as usize..self.start[head as usize + 1] as usize]
    }
}

/// What becomes of call paths from a super node to a label.
enum Pair {
    Waits { best: (i64, Reverse<u32>), heads: Vec<u32> },
    Goes(u32),
}

/// Super nodes as they were made.
#[derive(Debug, Default)]
pub(super) struct Assigned {
    /// By head: its super node.
    pub of: Vec<u32>,
    /// By super node: its label; [`NONE`] of the program.
    pub label: Vec<u32>,
    /// By super node: how many of its label were made before it.
    pub copy: Vec<u32>,
    /// Call paths that stayed in their caller because there were too many super nodes of their label.
    pub stayed: u64,
}

struct Assigning<'a> {
    heads: &'a Heads,
    called: Called,
    weight: Vec<i64>,
    pairs: HashMap<(u32, u32), Pair>,
    heap: BinaryHeap<(i64, Reverse<u32>, u32, u32)>,
    order: Order,
    copies: HashMap<u32, Vec<u32>>,
    out: Assigned,
}

/// Puts heads into super nodes. The weight of a call path is what was spent in it with callees, never more than its caller's.
pub(super) fn assign(paths: &impl Paths, metric: usize, heads: &Heads) -> Assigned {
    let mut weight = vec![0i64; heads.len()];
    for head in 0..heads.len() {
        let own = paths.with_callees(metric, NodeId(heads.node[head]));
        let above = if head == 0 { own } else { weight[heads.up[head] as usize] };
        weight[head] = own.min(above);
    }
    let mut assigning = Assigning {
        heads,
        called: Called::new(&heads.up),
        weight,
        pairs: HashMap::new(),
        heap: BinaryHeap::new(),
        order: Order::default(),
        copies: HashMap::new(),
        out: Assigned { of: vec![0; heads.len()], ..Assigned::default() },
    };
    let root = assigning.make(NONE);
    assigning.put(vec![0], root);
    while let Some((_, _, from, label)) = assigning.heap.pop() {
        assigning.decide(from, label);
    }
    assigning.out
}

impl Assigning<'_> {
    fn make(&mut self, label: u32) -> u32 {
        let copies = self.copies.entry(label).or_default();
        self.out.label.push(label);
        self.out.copy.push(copies.len() as u32);
        let node = self.order.add();
        copies.push(node);
        node
    }

    fn decide(&mut self, from: u32, label: u32) {
        let heads = match self.pairs.get_mut(&(from, label)) {
            Some(Pair::Waits { heads, .. }) => std::mem::take(heads),
            _ => return,
        };
        let known = self.copies.get(&label).cloned().unwrap_or_default();
        let found = known.iter().copied().find(|&to| self.order.connect(from, to));
        let to = match found {
            Some(to) => to,
            None if known.len() < MOST_COPIES => {
                let to = self.make(label);
                self.order.connect(from, to);
                to
            }
            None => {
                self.out.stayed += heads.len() as u64;
                from
            }
        };
        self.pairs.insert((from, label), Pair::Goes(to));
        self.put(heads, to);
    }

    /// Puts heads into a super node, and with them all below that need no decision.
    fn put(&mut self, heads: Vec<u32>, to: u32) {
        let mut open: Vec<(u32, u32)> = heads.into_iter().map(|head| (head, to)).collect();
        while let Some((head, to)) = open.pop() {
            self.out.of[head as usize] = to;
            for at in 0..self.called.by(head).len() {
                let child = self.called.by(head)[at];
                let label = self.heads.label[child as usize];
                if label == self.out.label[to as usize] {
                    open.push((child, to));
                    continue;
                }
                let key = (self.weight[child as usize], Reverse(child));
                match self
                    .pairs
                    .entry((to, label))
                    .or_insert_with(|| Pair::Waits { best: (i64::MIN, Reverse(u32::MAX)), heads: Vec::new() })
                {
                    Pair::Goes(there) => {
                        self.out.stayed += u64::from(*there == to);
                        open.push((child, *there));
                    }
                    Pair::Waits { best, heads } => {
                        heads.push(child);
                        if key > *best {
                            *best = key;
                            self.heap.push((key.0, key.1, to, label));
                        }
                    }
                }
            }
        }
    }
}
