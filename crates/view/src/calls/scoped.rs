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

/// What sums start from.
enum Base<'a> {
    Nothing,
    /// What all places have.
    All,
    Known(&'a Scoped),
}

impl Scoped {
    /// Adds up what was spent in each node at these places, which are in order: from nothing, from what all places have, or from
    /// what is known of others, whichever needs the fewest places to be looked at.
    pub fn new(calls: &Arc<Calls>, metric: usize, places: &[u32], known: &[Arc<Scoped>]) -> Self {
        let all: Vec<u32> = (0..calls.place_count() as u32).collect();
        let known = known.iter().filter(|known| known.metric == metric);
        let bases = known.map(|known| (Base::Known(known), known.places.as_slice()));
        let bases = [(Base::Nothing, [].as_slice()), (Base::All, all.as_slice())].into_iter().chain(bases);
        let looked = bases.map(|(base, has)| (base, without(places, has), without(has, places)));
        let fewest = looked.min_by_key(|(_, more, less)| more.len() + less.len());
        let (base, more, less) = fewest.unwrap_or((Base::Nothing, places.to_vec(), Vec::new()));
        let mut own = vec![0i64; calls.node_count()];
        if let Some(values) = calls.by_place(metric) {
            own.par_chunks_mut(BLOCK).enumerate().for_each(|(block, own)| {
                let of = |place: u32| values.place(place).get(block * BLOCK..).unwrap_or_default();
                for &place in &more {
                    own.iter_mut().zip(of(place)).for_each(|(sum, &value)| *sum = sum.wrapping_add(value));
                }
                for &place in &less {
                    own.iter_mut().zip(of(place)).for_each(|(sum, &value)| *sum = sum.wrapping_sub(value));
                }
            });
        }
        let mut sum = 0i64;
        let sums = std::iter::once(0).chain(own.into_iter().enumerate().map(|(node, own)| {
            let had = match base {
                Base::Nothing => 0,
                Base::All => calls.sum(metric, node..node + 1),
                Base::Known(known) => known.sum(metric, node..node + 1),
            };
            sum = sum.wrapping_add(had).wrapping_add(own);
            sum
        }));
        Scoped { calls: calls.clone(), metric, places: places.to_vec(), sums: sums.collect() }
    }

    /// Whether it is of this metric at these places.
    pub fn is_of(&self, metric: usize, places: &[u32]) -> bool {
        self.metric == metric && self.places == places
    }
}

/// The places of one list that are not in another; both are in order.
fn without(places: &[u32], others: &[u32]) -> Vec<u32> {
    places.iter().copied().filter(|place| others.binary_search(place).is_err()).collect()
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
