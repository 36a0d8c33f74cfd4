//! A lens: what matters now. It keeps a set of nodes and all their ancestors; [`crate::fold`] folds the rest.

use crate::set::NodeSet;
use crate::tree::{NodeId, Tree};

/// A chosen set of nodes over one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    chosen: NodeSet,
}

impl Lens {
    /// A lens on these nodes.
    pub fn new(chosen: NodeSet) -> Self {
        Lens { chosen }
    }

    /// Nodes whose value is at or over the threshold.
    pub fn at_least(values: &[i64], threshold: i64) -> Self {
        Lens::new(NodeSet::from_fn(values.len(), |n| values[n.index()] >= threshold))
    }

    /// Box-plot outliers over the non-zero values: v ≥ Q3 + k·IQR or v ≤ Q1 − k·IQR, quartiles by linear
    /// interpolation.
    pub fn outliers(values: &[f64], k: f64) -> Self {
        let mut rest: Vec<f64> = values.iter().copied().filter(|v| *v != 0.0 && v.is_finite()).collect();
        if rest.is_empty() {
            return Lens::new(NodeSet::from_nodes(values.len(), []));
        }
        // Two values of the order are asked for, not the whole order.
        let last = rest.len() - 1;
        let mut quartile = |q: f64| {
            let at = q * last as f64;
            let (_, &mut low, above) = rest.select_nth_unstable_by(at.floor() as usize, f64::total_cmp);
            let high = above.iter().copied().min_by(f64::total_cmp).unwrap_or(low);
            low + (high - low) * at.fract()
        };
        let (q1, q3) = (quartile(0.25), quartile(0.75));
        let reach = k * (q3 - q1);
        Lens::new(NodeSet::from_fn(values.len(), |n| {
            let v = values[n.index()];
            v != 0.0 && (v >= q3 + reach || v <= q1 - reach)
        }))
    }

    /// The nodes that were chosen, without their ancestors.
    pub fn chosen(&self) -> &NodeSet {
        &self.chosen
    }

    /// Whether the lens keeps this node: it is chosen, or something below it is.
    pub fn keeps(&self, tree: Tree<'_>, node: NodeId) -> bool {
        self.chosen.count_in(tree.range(node)) > 0
    }

    /// Number of chosen nodes in the subtree.
    pub fn inside(&self, tree: Tree<'_>, node: NodeId) -> usize {
        self.chosen.count_in(tree.range(node))
    }
}
