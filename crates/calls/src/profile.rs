//! A profile in memory: what operations on call paths give. It can be analysed like that of a run.
//!
//! Columns are places of a run, or runs of an ensemble. Sums over all columns wrap like those of runs.

use std::ops::Range;

use crosscut_tree::{NodeId, NodeSet, Tree, TreeBuf, WideBuf};
use rayon::prelude::*;

use crate::paths::Paths;
use crate::schema::Frame;

/// Call paths with values, in memory.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    pub(crate) tree: TreeBuf,
    pub(crate) frame: Vec<u32>,
    pub(crate) frames: Vec<Frame>,
    /// Names of the metrics.
    pub(crate) metrics: Vec<String>,
    pub(crate) columns: usize,
    /// By metric, then column: what was spent in each node itself.
    pub(crate) own: Vec<Vec<i64>>,
    /// By metric: running sums over the nodes for all columns.
    pub(crate) sums: Vec<Vec<i64>>,
}

impl Profile {
    pub(crate) fn new(
        tree: TreeBuf,
        (frame, frames): (Vec<u32>, Vec<Frame>),
        metrics: Vec<String>,
        (columns, own): (usize, Vec<Vec<i64>>),
    ) -> Self {
        let sums = |metric: usize| {
            let mut sums = vec![0i64; frame.len() + 1];
            for own in own.iter().skip(metric * columns).take(columns) {
                sums.iter_mut().skip(1).zip(own).for_each(|(sum, &value)| *sum = sum.wrapping_add(value));
            }
            let mut running = 0i64;
            for sum in &mut sums {
                running = running.wrapping_add(*sum);
                *sum = running;
            }
            sums
        };
        let sums = (0..metrics.len()).into_par_iter().map(sums).collect();
        Profile { tree, frame, frames, metrics, columns, own, sums }
    }

    /// The names of its metrics.
    pub fn metrics(&self) -> &[String] {
        &self.metrics
    }
}

impl Paths for Profile {
    fn tree(&self) -> Tree<'_> {
        self.tree.view()
    }

    fn frame_numbers(&self) -> &[u32] {
        &self.frame
    }

    fn frames(&self) -> &[Frame] {
        &self.frames
    }

    fn metric_names(&self) -> Vec<&str> {
        self.metrics.iter().map(String::as_str).collect()
    }

    fn metric_count(&self) -> usize {
        self.metrics.len()
    }

    fn sum(&self, metric: usize, nodes: Range<usize>) -> i64 {
        let at = |node: usize| self.sums.get(metric).and_then(|sums| sums.get(node)).copied();
        match (at(nodes.start), at(nodes.end)) {
            (Some(from), Some(to)) => to.wrapping_sub(from),
            _ => 0,
        }
    }

    fn column_count(&self) -> usize {
        self.columns
    }

    fn column(&self, metric: usize, column: usize) -> &[i64] {
        if column >= self.columns {
            return &[];
        }
        self.own.get(metric * self.columns + column).map_or(&[], Vec::as_slice)
    }
}

/// What becomes of the values of nodes that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// They stay in the nearest caller that is kept: totals are kept.
    Stays,
    /// They are gone.
    Goes,
}

/// The tree of some nodes: each below its nearest caller that is kept, in the same order. The program is always kept.
pub fn squash(paths: &(impl Paths + ?Sized), keep: &NodeSet, left_out: LeftOut) -> Profile {
    let tree = paths.tree();
    let (lens, parents, frames) = (tree.lens(), tree.parents(), paths.frame_numbers());
    let n = frames.len();
    // By node: the kept node that it is, or that it is in.
    let mut to = vec![0u32; n];
    let kept = |node: usize| node == 0 || keep.contains(NodeId(node as u32));
    let mut out = TreeBuf::default();
    let mut frame = Vec::new();
    for node in 0..n {
        if !kept(node) {
            to[node] = to[parents[node] as usize];
            continue;
        }
        let number = frame.len() as u32;
        out.parent.push(if node == 0 { 0 } else { to[parents[node] as usize] });
        // Itself, and what is kept below it.
        let below = keep.count_in(node + 1..node + lens[node] as usize);
        out.len.push(1 + below as u32);
        frame.push(frames[node]);
        to[node] = number;
    }
    out.wide = WideBuf::build(&out.len, &out.parent);
    let columns = paths.column_count();
    let cells: Vec<(usize, usize)> = (0..paths.metric_count())
        .flat_map(|metric| (0..columns).map(move |column| (metric, column)))
        .collect();
    let values = |(metric, column): (usize, usize)| {
        let mut own = vec![0i64; frame.len()];
        for (node, &value) in paths.column(metric, column).iter().enumerate() {
            if left_out == LeftOut::Stays || kept(node) {
                let slot = &mut own[to[node] as usize];
                *slot = slot.wrapping_add(value);
            }
        }
        own
    };
    let own = cells.into_par_iter().map(values).collect();
    let names = paths.metric_names().into_iter().map(str::to_owned).collect();
    Profile::new(out, (frame, paths.frames().to_vec()), names, (columns, own))
}

/// By node: the sum over its subtree, of any values.
pub fn subtree_sums(tree: Tree<'_>, values: &[i64]) -> Vec<i64> {
    let mut running = Vec::with_capacity(values.len() + 1);
    let mut sum = 0i64;
    running.push(0);
    for &value in values {
        sum = sum.wrapping_add(value);
        running.push(sum);
    }
    let ends = tree.lens().iter().enumerate().take(values.len());
    ends.map(|(at, &len)| {
        let end = (at + len as usize).min(values.len());
        running[end].wrapping_sub(running[at])
    })
    .collect()
}

/// What some nodes come to together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub sum: i64,
    /// The smallest; 0 of none.
    pub least: i64,
    /// The largest; 0 of none.
    pub most: i64,
}

impl Group {
    /// Their mean; 0 of none.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 }
    }

    fn add(&mut self, value: i64) {
        let first = self.count == 0;
        self.least = if first { value } else { self.least.min(value) };
        self.most = if first { value } else { self.most.max(value) };
        self.count += 1;
        self.sum = self.sum.wrapping_add(value);
    }
}

/// Groups nodes by a key of each, such as the label of its frame, and adds up what was spent in them. Nodes whose key is not below
/// `groups` are in none.
pub fn group(
    paths: &(impl Paths + ?Sized),
    metric: usize,
    groups: usize,
    key: impl Fn(NodeId) -> u32,
) -> Vec<Group> {
    let mut out = vec![Group::default(); groups];
    for at in 0..paths.node_count() {
        if let Some(group) = out.get_mut(key(NodeId(at as u32)) as usize) {
            group.add(paths.sum(metric, at..at + 1));
        }
    }
    out
}
