//! Pruning with surrogates: what stands out stays with its callers, the rest of the children of each node becomes one surrogate.

use crosscut_tree::{Lens, NodeId, NodeSet, Tree};

/// The usual k: how many times the distance of the quartiles a value lies beyond them.
pub const USUAL_K: f64 = 1.5;

/// What is left of a tree.
#[derive(Clone, Debug)]
pub struct Pruned {
    /// What was to be kept. By values it is what stands out: v ≥ Q3 + k·IQR or v ≤ Q1 − k·IQR over the values that are not zero. Where nothing does, the hot path.
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
    let outliers = Lens::outliers(own, k).chosen().clone();
    match outliers.is_empty() {
        true => {
            let hot = NodeSet::from_nodes(tree.node_count(), hot());
            Pruned { by_hot_path: true, ..prune_to(tree, own, inclusive, hot) }
        }
        false => prune_to(tree, own, inclusive, outliers),
    }
}

/// Prunes a tree to some nodes and all above them.
pub fn prune_to(tree: Tree<'_>, own: &[f64], inclusive: &[f64], outliers: NodeSet) -> Pruned {
    // From each up to the first that is kept already.
    let n = tree.node_count();
    let mut is_kept = vec![false; n];
    for node in outliers.iter() {
        let mut next = Some(node);
        while let Some(node) = next.filter(|node| !std::mem::replace(&mut is_kept[node.index()], true)) {
            next = tree.parent(node);
        }
    }
    let kept: Vec<NodeId> = (0..n as u32).map(NodeId).filter(|node| is_kept[node.index()]).collect();
    let surrogate = |&of: &NodeId| {
        let hidden = tree.children(of).filter(|child| !is_kept[child.index()]);
        let mut surrogate = Surrogate { of, roots: 0, nodes: 0, own: 0.0, inclusive: 0.0 };
        for child in hidden {
            surrogate.roots += 1;
            surrogate.nodes += tree.size(child);
            surrogate.own += own.get(tree.range(child)).unwrap_or_default().iter().sum::<f64>();
            surrogate.inclusive += inclusive.get(child.index()).copied().unwrap_or(0.0);
        }
        (surrogate.roots > 0).then_some(surrogate)
    };
    let surrogates = kept.iter().filter_map(surrogate).collect();
    Pruned { outliers, by_hot_path: false, kept, surrogates }
}
