//! Call paths at some places: the same tree, and sums of these places alone.

use std::ops::Range;

use crosscut_calls::{Calls, Frame, Paths};
use crosscut_tree::Tree;
use rayon::prelude::*;

/// The calls of a run at some places, one metric.
#[derive(Debug)]
pub struct Scoped<'a> {
    calls: &'a Calls,
    metric: usize,
    /// Running sums over the nodes.
    sums: Vec<i64>,
}

/// Nodes that are summed at once.
const BLOCK: usize = 1 << 14;

impl<'a> Scoped<'a> {
    /// Adds up what was spent in each node at these places.
    pub fn new(calls: &'a Calls, metric: usize, places: &[u32]) -> Self {
        let nodes = calls.node_count();
        let mut own = vec![0i64; nodes];
        if let Some(values) = calls.by_place(metric) {
            own.par_chunks_mut(BLOCK).enumerate().for_each(|(block, own)| {
                for &place in places {
                    let values = values.place(place).get(block * BLOCK..).unwrap_or_default();
                    own.iter_mut().zip(values).for_each(|(sum, &value)| *sum = sum.wrapping_add(value));
                }
            });
        }
        let mut sum = 0i64;
        let sums = std::iter::once(0).chain(own.into_iter().map(|own| {
            sum = sum.wrapping_add(own);
            sum
        }));
        Scoped { calls, metric, sums: sums.collect() }
    }
}

impl Paths for Scoped<'_> {
    fn tree(&self) -> Tree<'_> {
        self.calls.tree()
    }

    fn frame_numbers(&self) -> &[u32] {
        Paths::frame_numbers(self.calls)
    }

    fn frames(&self) -> &[Frame] {
        self.calls.frames()
    }

    fn metric_count(&self) -> usize {
        self.metric + 1
    }

    fn metric_names(&self) -> Vec<&str> {
        self.calls.metric_names()
    }

    fn sum(&self, metric: usize, nodes: Range<usize>) -> i64 {
        if metric != self.metric {
            return 0;
        }
        match (self.sums.get(nodes.start), self.sums.get(nodes.end)) {
            (Some(&from), Some(&to)) => to.wrapping_sub(from),
            _ => 0,
        }
    }

    fn column_count(&self) -> usize {
        0
    }

    fn column(&self, _: usize, _: usize) -> &[i64] {
        &[]
    }
}
