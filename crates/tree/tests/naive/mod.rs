//! The slow, obvious tree that the fast one is compared with: every node has a parent and a list of children, and each
//! question is answered by walking them. Also the random shapes that the properties are tried on.
//!
//! Nodes are numbered in pre-order, so a number means the same node here and there.

#![allow(dead_code)] // each test file uses its own part

use std::collections::{BTreeMap, BTreeSet};

use crosscut_tree::fold;
use crosscut_tree::{Builder, Cut, Fold, Folds, Lens, Members, NodeId, NodeSet, Part, Tree, TreeBuf};
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    pub parent: Option<usize>,
    pub children: Vec<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Naive {
    pub nodes: Vec<Node>,
}

impl Naive {
    /// A tree from parents in any order; the root is the one without. Returns the pre-order too.
    pub fn from_parents(parents: &[Option<u32>]) -> (Naive, Vec<usize>) {
        let mut given = Naive { nodes: vec![Node::default(); parents.len()] };
        for (i, parent) in parents.iter().enumerate() {
            given.nodes[i].parent = parent.map(|p| p as usize);
            if let Some(p) = parent {
                given.nodes[*p as usize].children.push(i);
            }
        }
        let root = parents.iter().position(Option::is_none).expect("a root");
        let order = given.below(root);
        let place = |old: usize| order.iter().position(|&o| o == old).expect("reached from the root");
        let nodes = order
            .iter()
            .map(|&old| Node {
                parent: given.nodes[old].parent.map(place),
                children: given.nodes[old].children.iter().map(|&c| place(c)).collect(),
            })
            .collect();
        (Naive { nodes }, order)
    }

    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The subtree in pre-order.
    pub fn below(&self, node: usize) -> Vec<usize> {
        let mut all = vec![node];
        for &child in &self.nodes[node].children {
            all.extend(self.below(child));
        }
        all
    }

    pub fn ancestors(&self, node: usize) -> Vec<usize> {
        let mut all = Vec::new();
        let mut at = node;
        while let Some(parent) = self.nodes[at].parent {
            all.push(parent);
            at = parent;
        }
        all
    }

    pub fn depth(&self, node: usize) -> usize {
        self.ancestors(node).len()
    }

    pub fn is_leaf(&self, node: usize) -> bool {
        self.nodes[node].children.is_empty()
    }

    pub fn child(&self, node: usize, k: usize) -> Option<usize> {
        self.nodes[node].children.get(k).copied()
    }

    /// Which child of its parent the node is.
    pub fn child_index(&self, node: usize) -> usize {
        let Some(parent) = self.nodes[node].parent else { return 0 };
        self.nodes[parent].children.iter().position(|&c| c == node).expect("a child of its parent")
    }

    /// The sibling `step` places after.
    pub fn sibling(&self, node: usize, step: isize) -> Option<usize> {
        let parent = self.nodes[node].parent?;
        self.child(parent, self.child_index(node).checked_add_signed(step)?)
    }

    pub fn sum(&self, node: usize, values: &[i64]) -> i64 {
        self.below(node).into_iter().map(|i| values[i]).sum()
    }

    pub fn max(&self, node: usize, values: &[i64]) -> i64 {
        self.below(node).into_iter().map(|i| values[i]).max().expect("not empty")
    }

    pub fn min(&self, node: usize, values: &[i64]) -> i64 {
        self.below(node).into_iter().map(|i| values[i]).min().expect("not empty")
    }

    /// Σ value · weight / Σ weight over the leaves below.
    pub fn mean(&self, node: usize, values: &[f64], weights: &[f64]) -> f64 {
        let leaves: Vec<usize> = self.below(node).into_iter().filter(|&i| self.is_leaf(i)).collect();
        let weight: f64 = leaves.iter().map(|&i| weights[i]).sum();
        leaves.iter().map(|&i| values[i] * weights[i]).sum::<f64>() / weight
    }

    /// T∞ read forwards: max(spine total, max over k of (spine up to and including create k + span of task k)). A
    /// node's own value stands at the end of its spine.
    pub fn span(&self, node: usize, values: &[i64], parallel: &[bool]) -> i64 {
        let mut spine = 0;
        let mut longest = i64::MIN;
        for &child in &self.nodes[node].children {
            let span = self.span(child, values, parallel);
            if parallel[child] {
                longest = longest.max(spine + span);
            } else {
                spine += span;
            }
        }
        longest.max(spine + values[node])
    }

    pub fn overlapping(&self, start: &[i64], end: &[i64], from: i64, to: i64) -> Vec<usize> {
        (0..self.count()).filter(|&i| start[i] < to && end[i] > from).collect()
    }

    /// The children as a lens on `chosen` shows them: one alone, or several folded; all together where they stand beside
    /// one another, else by runs.
    pub fn through_lens(&self, chosen: &BTreeSet<usize>, node: usize, parallel: bool) -> Vec<Vec<usize>> {
        let children = &self.nodes[node].children;
        let kept = |c: usize| self.below(c).iter().any(|n| chosen.contains(n));
        match parallel {
            false => runs(children, |&c| kept(c)),
            true => {
                let folded: Vec<usize> = children.iter().copied().filter(|&c| !kept(c)).collect();
                if folded.len() < 2 {
                    return children.iter().map(|&c| vec![c]).collect();
                }
                let alone = children.iter().filter(|&&c| kept(c)).map(|&c| vec![c]);
                alone.chain([folded.clone()]).collect()
            }
        }
    }

    /// Fills in a time for every node, children inside their parent.
    pub fn times(&self, shares: &[u8]) -> (Vec<i64>, Vec<i64>) {
        let (mut start, mut end) = (vec![0; self.count()], vec![0; self.count()]);
        end[0] = 1000;
        for i in 1..self.count() {
            let p = self.nodes[i].parent.expect("not the root");
            let room = end[p] - start[p];
            start[i] = start[p] + room * i64::from(shares[i] % 16) / 16;
            end[i] = end[p] - (end[p] - start[i]) * i64::from(shares[i] / 16) / 16;
        }
        (start, end)
    }

    /// The same tree, made by the builder.
    pub fn build(&self) -> TreeBuf {
        let mut builder = Builder::new();
        let mut depth = 0;
        for i in 0..self.count() {
            for _ in self.depth(i)..depth {
                builder.close().expect("an open node");
            }
            assert_eq!(builder.open(), Ok(NodeId(i as u32)));
            depth = self.depth(i) + 1;
        }
        for _ in 0..depth {
            builder.close().expect("an open node");
        }
        builder.finish().expect("all closed")
    }
}

/// Members that satisfy `alone` on their own, and each maximal run of the others together.
fn runs(members: &[usize], alone: impl Fn(&usize) -> bool) -> Vec<Vec<usize>> {
    members.chunk_by(|a, b| !alone(a) && !alone(b)).map(<[usize]>::to_vec).collect()
}

/// Box-plot outliers among the non-zero values.
pub fn outliers(values: &[f64], k: f64) -> BTreeSet<usize> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|&v| v != 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    if sorted.is_empty() {
        return BTreeSet::new();
    }
    let quartile = |q: usize| {
        let (whole, quarters) = ((sorted.len() - 1) * q / 4, (sorted.len() - 1) * q % 4);
        let above = if quarters == 0 { sorted[whole] } else { sorted[whole + 1] };
        (sorted[whole] * (4 - quarters) as f64 + above * quarters as f64) / 4.0
    };
    let (q1, q3) = (quartile(1), quartile(3));
    let out = |v: f64| v != 0.0 && (v >= q3 + k * (q3 - q1) || v <= q1 - k * (q3 - q1));
    (0..values.len()).filter(|&i| out(values[i])).collect()
}

/// A tree under a lens.
pub struct Looked<'a> {
    pub tree: Tree<'a>,
    pub lens: &'a Lens,
    pub parallel: bool,
}

impl Folds for Looked<'_> {
    fn tree(&self) -> Tree<'_> {
        self.tree
    }
    fn chosen(&self) -> Option<&NodeSet> {
        Some(self.lens.chosen())
    }
    fn is_parallel(&self, _: NodeId) -> bool {
        self.parallel
    }
    fn many(&self) -> usize {
        usize::MAX
    }
}

impl Looked<'_> {
    /// What an open node shows, as lists of its children.
    pub fn lists(&self, node: NodeId) -> Vec<Vec<usize>> {
        let shown = fold::shown(self, &Cut::closed(), node);
        let children: Vec<NodeId> = self.tree.children(node).collect();
        let list = |part: &Part| children.iter().filter(|&&c| part.has(c)).map(|c| c.index()).collect();
        shown.iter().map(list).collect()
    }
}

/// A cut, read from its text by other means than the crate's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NaiveCut {
    pub open: BTreeSet<usize>,
    /// First and count of the window of a node.
    pub windows: BTreeMap<usize, (usize, usize)>,
}

impl NaiveCut {
    pub fn read(text: &str) -> NaiveCut {
        let mut parts = text.split('~');
        let mut cut = NaiveCut::default();
        let mut at = 0;
        for step in parts.next().expect("open nodes").split('.').skip(1) {
            at += step.chars().fold(0, |n, digit| n * 36 + digit.to_digit(36).expect("base 36") as usize);
            cut.open.insert(at);
        }
        for window in parts {
            let n: Vec<usize> = window.split('-').map(|n| n.parse().expect("a number")).collect();
            cut.windows.insert(n[0], (n[1], n[2]));
        }
        cut
    }

    /// Whether the node, if open, shows its k-th child.
    pub fn shows(&self, tree: &Naive, node: usize, k: usize) -> bool {
        let count = tree.nodes[node].children.len();
        let (first, size) = self.windows.get(&node).copied().unwrap_or_default();
        let size = size.min(Cut::WINDOW);
        count <= 32 || k < 8 || k >= count - 4 || (first..first + size).contains(&k)
    }

    /// Everything visible at or below the node.
    pub fn visible(&self, tree: &Naive, node: usize) -> Vec<Part> {
        if !self.open.contains(&node) || tree.is_leaf(node) {
            return vec![Part::one(NodeId(node as u32))];
        }
        let children = &tree.nodes[node].children;
        let numbers: Vec<usize> = (0..children.len()).collect();
        let mut items = Vec::new();
        for run in runs(&numbers, |&k| self.shows(tree, node, k)) {
            if run.len() == 1 {
                items.extend(self.visible(tree, children[run[0]]));
            } else {
                let last = children[run[run.len() - 1]];
                let first = children[run[0]];
                let one = Part::one(NodeId(first as u32));
                let nodes = first..last + tree.below(last).len();
                let (fold, members) = (Some(Fold::Gap), Members::Run(nodes));
                items.push(Part { fold, count: run.len() as u32, members, ..one });
            }
        }
        items
    }

    /// Whether all ancestors are open and none folds the node into a gap.
    pub fn sees(&self, tree: &Naive, node: usize) -> bool {
        let path: Vec<usize> = std::iter::once(node).chain(tree.ancestors(node)).collect();
        path.windows(2).all(|p| self.open.contains(&p[1]) && self.shows(tree, p[1], tree.child_index(p[0])))
    }

    /// Open nodes that can be seen.
    pub fn open_nodes(&self, tree: &Naive) -> Vec<usize> {
        self.open.iter().copied().filter(|&node| self.sees(tree, node)).collect()
    }

    /// Everything above the depth open, level by level while at most `limit` items are visible; and the depth reached.
    pub fn to_depth(tree: &Naive, depth: usize, limit: usize) -> (NaiveCut, usize) {
        let mut cut = NaiveCut::default();
        for d in 0..depth {
            let mut next = cut.clone();
            next.open.extend((0..tree.count()).filter(|&i| tree.depth(i) == d && !tree.is_leaf(i)));
            next.open = next.open_nodes(tree).into_iter().collect();
            if next == cut || next.visible(tree, 0).len() > limit {
                return (cut, d);
            }
            cut = next;
        }
        (cut, depth)
    }

    /// The first closed node, breadth first from an open or closed one through what is shown.
    pub fn first_closed_below(&self, tree: &Naive, node: usize) -> Option<usize> {
        let mut level = vec![node];
        while !level.is_empty() {
            level.retain(|&i| !tree.is_leaf(i));
            if let Some(&closed) = level.iter().find(|i| !self.open.contains(i)) {
                return Some(closed);
            }
            let shown = |&i: &usize| {
                let children = tree.nodes[i].children.iter().enumerate();
                children.filter(move |&(k, _)| self.shows(tree, i, k)).map(|(_, &c)| c)
            };
            level = level.iter().flat_map(shown).collect();
        }
        None
    }
}

/// Trees of several shapes; from 1 to about 1,500 nodes.
pub fn shapes() -> impl Strategy<Value = Naive> {
    prop_oneof![
        4 => grow(0..120, |choice, i| choice % i), // random: shallow
        2 => grow(0..250, |choice, i| i - 1 - (choice % 3).min(i - 1)), // deep, with short branches
        1 => grow(0..250, |_, i| i - 1), // a chain
        2 => grow(0..150, |choice, i| if choice % 8 == 0 { choice / 8 % i } else { i & !31 }), // around `Cut::MANY`
        2 => grow(0..120, |choice, i| if choice % 8 == 0 { i - 1 } else { (i - 1) / 2 }), // skewed halves
        1 => grow(1010..1500, |choice, i| if choice % 8 == 0 { choice / 8 % i } else { 0 }), // a wide root
        1 => grow(1010..1500, |choice, i| if choice % 4 == 0 { i - 1 } else { 3.min(i - 1) }), // wide further down
    ]
}

/// Node `i` gets the parent `pick(a random number, i)`, which is one of those before it.
fn grow(nodes: std::ops::Range<usize>, pick: fn(u32, u32) -> u32) -> impl Strategy<Value = Naive> {
    vec(any::<u32>(), nodes).prop_map(move |choices| {
        let parent = |(i, &choice): (usize, &u32)| Some(pick(choice, i as u32 + 1).min(i as u32));
        let parents: Vec<Option<u32>> =
            std::iter::once(None).chain(choices.iter().enumerate().map(parent)).collect();
        Naive::from_parents(&parents).0
    })
}

/// A tree with a list of something per node.
pub fn with_values<T: std::fmt::Debug + Clone>(
    value: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = (Naive, Vec<T>)> {
    shapes().prop_flat_map(move |tree| {
        let values = vec(value.clone(), tree.count());
        (Just(tree), values)
    })
}

/// A chain of so many nodes that recursion over depth would not survive it.
pub fn long_chain() -> TreeBuf {
    let mut builder = Builder::new();
    for _ in 0..LONG {
        builder.open().expect("room");
    }
    for _ in 0..LONG {
        builder.close().expect("an open node");
    }
    builder.finish().expect("all closed")
}

pub const LONG: usize = 100_000;

/// Few cases: the trees are large enough to meet what can be met.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

pub fn ids(nodes: impl IntoIterator<Item = usize>) -> Vec<NodeId> {
    nodes.into_iter().map(|i| NodeId(i as u32)).collect()
}
