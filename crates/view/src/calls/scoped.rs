//! Call paths at some places: the same tree, and sums of these places alone.

use std::ops::Range;
use std::sync::Arc;

use crosscut_calls::{Calls, Frame, Paths};
use crosscut_tree::Tree;
use rayon::prelude::*;

/// The calls of a run at some places, one metric.
#[derive(Debug)]
pub struct Scoped {
    calls: Arc<Calls>,
    metric: usize,
    places: Vec<u32>,
    /// Running sums over the nodes.
    sums: Vec<i64>,
}

/// Nodes that are summed at once.
const BLOCK: usize = 1 << 14;

impl Scoped {
    /// Adds up what was spent in each node at these places, which are in order. Where those are most of all, the others are taken
    /// away from what all have.
    pub fn new(calls: &Arc<Calls>, metric: usize, places: &[u32]) -> Self {
        let all = calls.place_count();
        let rest =
            || (0..all as u32).filter(|place| places.binary_search(place).is_err()).collect::<Vec<_>>();
        let few = places.len() * 2 <= all;
        let looked = if few { places.to_vec() } else { rest() };
        let mut own = vec![0i64; calls.node_count()];
        if let Some(values) = calls.by_place(metric) {
            own.par_chunks_mut(BLOCK).enumerate().for_each(|(block, own)| {
                for &place in &looked {
                    let values = values.place(place).get(block * BLOCK..).unwrap_or_default();
                    own.iter_mut().zip(values).for_each(|(sum, &value)| *sum = sum.wrapping_add(value));
                }
            });
        }
        let mut sum = 0i64;
        let sums = std::iter::once(0).chain(own.into_iter().enumerate().map(|(node, own)| {
            let own = if few { own } else { calls.sum(metric, node..node + 1).wrapping_sub(own) };
            sum = sum.wrapping_add(own);
            sum
        }));
        Scoped { calls: calls.clone(), metric, places: places.to_vec(), sums: sums.collect() }
    }

    /// Whether it is of this metric at these places.
    pub fn is_of(&self, metric: usize, places: &[u32]) -> bool {
        self.metric == metric && self.places == places
    }
}

impl Paths for Scoped {
    fn tree(&self) -> Tree<'_> {
        self.calls.tree()
    }

    fn frame_numbers(&self) -> &[u32] {
        Paths::frame_numbers(&*self.calls)
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
