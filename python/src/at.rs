//! Call paths at some places (or in some runs of an ensemble): the same tree, with values of these columns alone.

use std::ops::Range;
use std::sync::Arc;

use crosscut_calls::{Frame, Paths};
use crosscut_tree::Tree;

use crate::profile::Held;

/// Some columns of call paths.
pub struct At {
    of: Arc<Held>,
    columns: Vec<usize>,
    /// By metric: running sums over the nodes.
    sums: Vec<Vec<i64>>,
}

impl At {
    /// These columns, in order.
    pub fn new(of: Arc<Held>, columns: Vec<usize>) -> Self {
        let paths = of.paths();
        let sums = |metric: usize| {
            let own: Vec<&[i64]> = columns.iter().map(|&column| paths.column(metric, column)).collect();
            let mut sum = 0i64;
            let spent = |node: usize| {
                own.iter().filter_map(|own| own.get(node)).fold(0i64, |a, &b| a.wrapping_add(b))
            };
            let running = (0..paths.node_count()).map(|node| {
                sum = sum.wrapping_add(spent(node));
                sum
            });
            std::iter::once(0).chain(running).collect()
        };
        let sums = (0..paths.metric_count()).map(sums).collect();
        At { of, columns, sums }
    }
}

impl Paths for At {
    fn tree(&self) -> Tree<'_> {
        self.of.paths().tree()
    }

    fn frame_numbers(&self) -> &[u32] {
        self.of.paths().frame_numbers()
    }

    fn frames(&self) -> &[Frame] {
        self.of.paths().frames()
    }

    fn metric_names(&self) -> Vec<&str> {
        self.of.paths().metric_names()
    }

    fn metric_count(&self) -> usize {
        self.of.paths().metric_count()
    }

    fn sum(&self, metric: usize, nodes: Range<usize>) -> i64 {
        let Some(sums) = self.sums.get(metric) else { return 0 };
        match (sums.get(nodes.start), sums.get(nodes.end)) {
            (Some(&from), Some(&to)) => to.wrapping_sub(from),
            _ => 0,
        }
    }

    fn column_count(&self) -> usize {
        self.columns.len()
    }

    fn column(&self, metric: usize, column: usize) -> &[i64] {
        self.columns.get(column).map_or(&[], |&column| self.of.paths().column(metric, column))
    }
}
