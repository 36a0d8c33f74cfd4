//! Changes of a cut of the grain graph, as far as they depend on what is folded: opening many groups at once, and making a
//! node visible.

use std::collections::VecDeque;

use crosscut_tasks::grain::GrainPath;
use crosscut_tree::{Cut, NodeId, Window};

use super::Look;
use super::parts::{Part, What};
use super::shown::{Fold, Item, Nodes, holder, shown};

/// Levels that are opened at most: a chain has one item on each.
const LEVELS: usize = 24;
/// Members of a wide group that are shown when one of them must be, or when a gap is spread out.
const AROUND: u32 = 12;
const MORE: u32 = 48;

/// Whether an item is worth opening: a group, and under a lens one that holds the problem.
fn can_open(nodes: &impl Nodes, item: &Item) -> bool {
    let alone = matches!(item.fold, None | Some(Fold::Alike)) && nodes.kind(item.node).is_group();
    alone && (nodes.chosen().is_none() || item.totals.problems > 0)
}

/// The deepest whole level that shows at most `limit` items, and never just the closed root when there is more.
pub fn fitting(nodes: &impl Nodes, limit: usize) -> Cut {
    let mut cut = to_depth(nodes, LEVELS, limit);
    cut.open(nodes.tree(), NodeId::ROOT);
    cut
}

/// Everything above `depth` open, as long as at most `limit` items become visible; stops at the last whole level that fits.
pub fn to_depth(nodes: &impl Nodes, depth: usize, limit: usize) -> Cut {
    let tree = nodes.tree();
    let mut cut = Cut::closed();
    if tree.is_empty() {
        return cut;
    }
    let mut level = vec![NodeId::ROOT];
    let mut settled = 0; // visible items that cannot be opened any further
    for _ in 0..depth {
        let mut next = Vec::new();
        for &node in &level {
            for item in shown(nodes, &cut, node) {
                if can_open(nodes, &item) { next.push(item.node) } else { settled += 1 }
            }
            if settled + next.len() > limit {
                return cut;
            }
        }
        for &node in &level {
            cut.open(tree, node);
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    cut
}

/// Opens the node and what is below it, breadth first, until `limit` items are visible, `visible` of which are so already.
/// Says whether all fitted.
pub fn below(nodes: &impl Nodes, cut: &mut Cut, node: NodeId, visible: usize, limit: usize) -> bool {
    let tree = nodes.tree();
    let mut visible = visible;
    let mut queue = VecDeque::from([(node, false)]);
    while let Some((node, came_to_light)) = queue.pop_front() {
        if tree.is_leaf(node) {
            continue;
        }
        let was_open = cut.is_open(node);
        let items = shown(nodes, cut, node);
        if !was_open || came_to_light {
            visible += items.len();
            if visible > limit {
                cut.close(tree, node);
                return false;
            }
        }
        cut.open(tree, node);
        let inner = items.iter().filter(|item| can_open(nodes, item));
        queue.extend(inner.map(|item| (item.node, !was_open || came_to_light)));
    }
    true
}

/// Opens all ancestors of a node, spreads out folds that would hide it, and moves windows to it. Gives the node; or, when
/// that would bring more than `room` items to light, the last group on the way, closed.
pub fn reveal(nodes: &impl Nodes, cut: &mut Cut, node: NodeId, room: usize) -> NodeId {
    let tree = nodes.tree();
    let mut below = node;
    let mut steps: Vec<(NodeId, NodeId)> = Vec::new();
    while let Some(parent) = tree.parent(below) {
        steps.push((parent, below));
        below = parent;
    }
    let mut used = 0;
    for &(parent, child) in steps.iter().rev() {
        let was_open = cut.is_open(parent);
        cut.open(tree, parent);
        show(nodes, cut, parent, child);
        if !was_open {
            used += shown(nodes, cut, parent).len();
            if used > room {
                cut.close(tree, parent);
                return parent;
            }
        }
    }
    node
}

/// Makes a member of an open group visible.
pub fn show(nodes: &impl Nodes, cut: &mut Cut, group: NodeId, member: NodeId) {
    let tree = nodes.tree();
    // Out of the others, out of a gap, out of what is alike, and out of the gap that its members may make.
    for _ in 0..6 {
        let items = shown(nodes, cut, group);
        let Some(item) = holder(&items, member).map(|at| &items[at]) else { return };
        match item.fold {
            None => return,
            Some(Fold::Alike) if item.node == member => return,
            Some(Fold::Gap) => {
                let first = (tree.child_index(member) as u32).saturating_sub(AROUND / 2);
                cut.set_window(group, Window { first, count: AROUND });
            }
            Some(Fold::Rest | Fold::Alike) => cut.spread(tree, item.node),
        }
    }
}

/// Shows the members of the fold that begins with this node one by one; of a gap the next ones.
pub fn spread(nodes: &impl Nodes, cut: &mut Cut, first: NodeId) {
    let tree = nodes.tree();
    let Some(group) = tree.parent(first) else { return };
    let fold = shown(nodes, cut, group).into_iter().find(|item| item.node == first && item.fold.is_some());
    match fold.and_then(|item| item.fold) {
        Some(Fold::Gap) => {
            let first = tree.child_index(first) as u32;
            cut.set_window(group, Window { first, count: MORE });
        }
        _ => cut.spread(tree, first),
    }
}

/// Opens along the critical path of a group, the upper groups first, as long as at most `limit` items are visible, of which
/// `visible` are so already. Says whether all fitted.
pub fn path(look: &Look<'_>, cut: &mut Cut, group: NodeId, visible: usize, limit: usize) -> bool {
    let tree = look.grains.tree();
    let mut visible = visible;
    let mut queue = VecDeque::from([group]);
    while let Some(node) = queue.pop_front() {
        if !look.grains.kind(node).is_group() {
            continue;
        }
        let was_open = cut.is_open(node);
        cut.open(tree, node);
        let path = look.path(node);
        if let GrainPath::Some(chain) = &*path {
            for &member in chain.iter().take(LEVELS) {
                show(look, cut, node, member);
            }
        }
        let items = shown(look, cut, node);
        if !was_open {
            visible += items.len();
            if visible > limit {
                cut.close(tree, node);
                return false;
            }
        }
        let on_path = |item: &&Item| item.fold.is_none() && path.takes(item.node);
        queue.extend(items.iter().filter(on_path).map(|item| item.node));
    }
    true
}

/// Opens every visible group that is alike to this one the way this one is open, as long as at most `limit` items are
/// visible. Members of equal shape may stand in another order: what does not match stays closed. Says whether all fitted.
pub fn alike(look: &Look<'_>, cut: &mut Cut, group: NodeId, parts: &[Part], limit: usize) -> bool {
    let tree = look.grains.tree();
    let shape = look.grains.shape(group);
    let inside = tree.range(group);
    let is_inside = |part: &&Part| inside.contains(&part.node.index());
    let open: Vec<NodeId> =
        parts.iter().filter(is_inside).filter(|part| part.what == What::Open).map(|part| part.node).collect();
    let shows = parts.iter().filter(is_inside).count();
    let mut visible = parts.len();
    for part in parts.iter().filter(|part| part.what == What::Closed) {
        if look.grains.shape(part.node) != shape {
            continue;
        }
        visible += shows;
        if visible > limit {
            return false;
        }
        for &node in &open {
            let counterpart = NodeId(part.node.0 + (node.0 - group.0));
            if tree.is_below(counterpart, part.node)
                && look.grains.shape(counterpart) == look.grains.shape(node)
            {
                cut.open(tree, counterpart);
            }
        }
    }
    true
}
