//! Changes of a cut that only the grain graph has: opening along a critical path, and opening what is alike alike.

use std::collections::VecDeque;

use crosscut_tasks::grain::GrainPath;
use crosscut_tree::fold::{self, shown};
use crosscut_tree::open::show;
use crosscut_tree::{Cut, NodeId};

use super::Seen;
use super::parts::{Part, What};

/// Members of a group on the path that are made visible at most.
const MEMBERS: usize = 24;

/// Opens along the critical path of a group, the upper groups first, as long as at most `limit` items are visible, of which
/// `visible` are so already. Says whether all fitted.
pub fn path(seen: &Seen<'_>, cut: &mut Cut, group: NodeId, visible: usize, limit: usize) -> bool {
    let tree = seen.grains.tree();
    let mut visible = visible;
    let mut queue = VecDeque::from([group]);
    while let Some(node) = queue.pop_front() {
        if !seen.grains.kind(node).is_group() {
            continue;
        }
        let was_open = cut.is_open(node);
        cut.open(tree, node);
        let path = seen.path(node);
        if let GrainPath::Some(chain) = &*path {
            for &member in chain.iter().take(MEMBERS) {
                show(seen, cut, node, member);
            }
        }
        let items = shown(seen, cut, node);
        if !was_open {
            visible += items.len();
            if visible > limit {
                cut.close(tree, node);
                return false;
            }
        }
        let on_path = |item: &&fold::Part| item.fold.is_none() && path.takes(item.node);
        queue.extend(items.iter().filter(on_path).map(|item| item.node));
    }
    true
}

/// Opens every visible group that is alike to this one the way this one is open, as long as at most `limit` items are
/// visible. Members of equal shape may stand in another order: what does not match stays closed. Says whether all fitted.
pub fn alike(seen: &Seen<'_>, cut: &mut Cut, group: NodeId, parts: &[Part], limit: usize) -> bool {
    let tree = seen.grains.tree();
    let shape = seen.grains.shape(group);
    let inside = tree.range(group);
    let is_inside = |part: &&Part| inside.contains(&part.node.index());
    let open: Vec<NodeId> =
        parts.iter().filter(is_inside).filter(|part| part.what == What::Open).map(|part| part.node).collect();
    let shows = parts.iter().filter(is_inside).count();
    let mut visible = parts.len();
    for part in parts.iter().filter(|part| part.what == What::Closed) {
        if seen.grains.shape(part.node) != shape {
            continue;
        }
        visible += shows;
        if visible > limit {
            return false;
        }
        for &node in &open {
            let counterpart = NodeId(part.node.0 + (node.0 - group.0));
            if tree.is_below(counterpart, part.node)
                && seen.grains.shape(counterpart) == seen.grains.shape(node)
            {
                cut.open(tree, counterpart);
            }
        }
    }
    true
}
