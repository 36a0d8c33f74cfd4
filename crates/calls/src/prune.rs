//! Pruning with surrogates: what stands out stays with its callers, the rest of the children of each node becomes one surrogate.

use crosscut_tree::{Lens, NodeId, NodeSet, Tree};

/// The usual k: how many times the distance of the quartiles a value lies beyond them.
pub const USUAL_K: f64 = 1.5;

/// What is left of a tree.
#[derive(Clone, Debug)]
pub struct Pruned {
    /// What stands out: v ≥ Q3 + k·IQR or v ≤ Q1 − k·IQR over the values that are not zero. Where nothing does, the hot path.
    pub outliers: NodeSet,
    /// Nothing stands out.
    pub by_hot_path: bool,
    /// The nodes that are kept: outliers and all above them.
    pub kept: Vec<NodeId>,
    /// One for each kept node with children that are not kept.
    pub surrogates: Vec<Surrogate>,
}

/// What stands for the children of a node that are not kept, and all below them.
#[derive(Clone, Debug, PartialEq)]
pub struct Surrogate {
    /// The node whose children they are.
    pub of: NodeId,
    /// How many children that is.
    pub roots: usize,
    /// How many nodes, these and all below them.
    pub nodes: usize,
    /// The sum of the values of all of them.
    pub own: f64,
    /// The sum of the values of these children with all below them.
    pub inclusive: f64,
}

/// Prunes a tree by a value of each node itself. `inclusive` is the same with all below; `hot` is what to keep where nothing
/// stands out.
pub fn prune(
    tree: Tree<'_>,
    own: &[f64],
    inclusive: &[f64],
    k: f64,
    hot: impl FnOnce() -> Vec<NodeId>,
) -> Pruned {
    let mut outliers = Lens::outliers(own, k).chosen().clone();
    let by_hot_path = outliers.is_empty();
    if by_hot_path {
        outliers = NodeSet::from_nodes(tree.node_count(), hot());
    }
    // From the bottom up: whether anything in a subtree is kept, and what it adds up to.
    let n = tree.node_count();
    let mut below = own.to_vec();
    below.resize(n, 0.0);
    let mut kept = vec![false; n];
    for at in (0..n).rev() {
        let node = NodeId(at as u32);
        kept[at] |= outliers.contains(node);
        if let Some(above) = tree.parent(node) {
            let sum = below[at];
            below[above.index()] += sum;
            kept[above.index()] |= kept[at];
        }
    }
    let mut surrogate: Vec<Option<Surrogate>> = vec![None; n];
    for at in 1..n {
        let node = NodeId(at as u32);
        let Some(above) = tree.parent(node).filter(|above| kept[above.index()] && !kept[at]) else {
            continue;
        };
        let of = surrogate[above.index()].get_or_insert(Surrogate {
            of: above,
            roots: 0,
            nodes: 0,
            own: 0.0,
            inclusive: 0.0,
        });
        of.roots += 1;
        of.nodes += tree.size(node);
        of.own += below[at];
        of.inclusive += inclusive.get(at).copied().unwrap_or(0.0);
    }
    Pruned {
        outliers,
        by_hot_path,
        kept: (0..n as u32).map(NodeId).filter(|node| kept[node.index()]).collect(),
        surrogates: surrogate.into_iter().flatten().collect(),
    }
}
