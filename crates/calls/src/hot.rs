//! The hot path: where most of the time goes, call by call.

use crosscut_tree::NodeId;

use crate::paths::Paths;

/// From a node down while one child has at least half of what its parent has. The node itself comes first. From the program it goes
/// to where most begins, whatever that has: threads and ranks that began in different functions share it out.
pub fn hot_path(calls: &(impl Paths + ?Sized), metric: usize, from: NodeId) -> Vec<NodeId> {
    let tree = calls.tree();
    let mut path = vec![from];
    let mut node = from;
    loop {
        // The first of equal children, as they stand in the tree.
        let most =
            |a: NodeId, b: NodeId| if value(calls, metric, b) > value(calls, metric, a) { b } else { a };
        let Some(child) = tree.children(node).reduce(most) else { return path };
        let (inside, whole) = (value(calls, metric, child), value(calls, metric, node));
        let is_enough = node == NodeId::ROOT || i128::from(inside) * 2 >= i128::from(whole);
        if inside <= 0 || !is_enough {
            return path;
        }
        path.push(child);
        node = child;
    }
}

fn value(calls: &(impl Paths + ?Sized), metric: usize, node: NodeId) -> i64 {
    calls.with_callees(metric, node)
}
