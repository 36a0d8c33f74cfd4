//! Changes of a cut as far as they depend on what is folded: opening many nodes at once, and making a node visible.

use std::collections::VecDeque;

use crate::cut::{Cut, Window};
use crate::fold::{Fold, Folds, Part, holder, shown, visible, visible_below};
use crate::tree::NodeId;

/// Levels that [`fitting`] opens at most: a chain has one part on each.
pub const LEVELS: usize = 64;
/// Members of a wide node that are shown when one of them must be, or when a gap is spread out.
const AROUND: u32 = 12;
const MORE: u32 = 48;

/// Whether a part is worth opening: it holds something, and under a lens something that is looked for.
fn can_open<F: Folds + ?Sized>(folds: &F, part: &Part) -> bool {
    let tree = folds.tree();
    let alone = matches!(part.fold, None | Some(Fold::Alike)) && !tree.is_leaf(part.node);
    alone && folds.chosen().is_none_or(|chosen| chosen.count_in(tree.range(part.node)) > 0)
}

/// The deepest whole level that shows at most `limit` parts, and never just the closed root when there is more.
pub fn fitting<F: Folds + ?Sized>(folds: &F, limit: usize) -> Cut {
    let (mut cut, _) = to_depth(folds, LEVELS, limit);
    cut.open(folds.tree(), NodeId::ROOT);
    cut
}

/// Everything above `depth` open, as long as at most `limit` parts become visible; stops at the last whole level that fits.
/// Also gives the depth that was reached: less than was asked for where there is no more, or no room.
pub fn to_depth<F: Folds + ?Sized>(folds: &F, depth: usize, limit: usize) -> (Cut, usize) {
    let tree = folds.tree();
    let mut cut = Cut::closed();
    let mut level = if tree.is_leaf(NodeId::ROOT) { Vec::new() } else { vec![NodeId::ROOT] };
    let mut settled = 0; // visible parts that cannot be opened any further
    for d in 0..depth {
        if level.is_empty() {
            return (cut, d);
        }
        let mut next = Vec::new();
        for &node in &level {
            for part in shown(folds, &cut, node) {
                if can_open(folds, &part) { next.push(part.node) } else { settled += 1 }
            }
            if settled + next.len() > limit {
                return (cut, d);
            }
        }
        for &node in &level {
            cut.open(tree, node);
        }
        level = next;
    }
    (cut, depth)
}

/// Opens the node and what is below it, breadth first, until `limit` parts are visible. Says whether all fitted. What is
/// opened inside a closed node counts as if it were visible.
pub fn below<F: Folds + ?Sized>(folds: &F, cut: &mut Cut, node: NodeId, limit: usize) -> bool {
    let tree = folds.tree();
    let mut seen = visible(folds, cut).take(limit.saturating_add(1)).count();
    let mut queue = VecDeque::from([node]);
    while let Some(node) = queue.pop_front() {
        if tree.is_leaf(node) {
            continue;
        }
        if !cut.is_open(node) {
            cut.open(tree, node);
            // Nodes below it may have been open all the time: count what really comes to light.
            let room = limit.saturating_sub(seen).saturating_add(2);
            seen += visible_below(folds, cut, Part::one(node)).take(room).count().saturating_sub(1);
            if seen > limit {
                cut.shut(node);
                return false;
            }
        }
        let parts = shown(folds, cut, node);
        queue.extend(parts.iter().filter(|part| can_open(folds, part)).map(|part| part.node));
    }
    true
}

/// Opens all ancestors of a node, spreads out folds that would hide it, and moves windows to it. Gives the node; or, when
/// that would bring more than `room` parts to light, the last node on the way, closed.
pub fn reveal<F: Folds + ?Sized>(folds: &F, cut: &mut Cut, node: NodeId, room: usize) -> NodeId {
    let tree = folds.tree();
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
        show(folds, cut, parent, child);
        if !was_open {
            used += shown(folds, cut, parent).len();
            if used > room {
                cut.close(tree, parent);
                return parent;
            }
        }
    }
    node
}

/// Makes a child of an open node visible.
pub fn show<F: Folds + ?Sized>(folds: &F, cut: &mut Cut, group: NodeId, child: NodeId) {
    let tree = folds.tree();
    // Out of the rest, out of a gap, out of what is alike, and out of the gap that its members may make.
    for _ in 0..6 {
        let parts = shown(folds, cut, group);
        let Some(part) = holder(&parts, child).map(|at| &parts[at]) else { return };
        match part.fold {
            None => return,
            Some(Fold::Alike) if part.node == child => return,
            Some(Fold::Gap) => {
                let first = (tree.child_index(child) as u32).saturating_sub(AROUND / 2);
                cut.set_window(group, Window { first, count: AROUND });
            }
            Some(Fold::Rest | Fold::Alike) => cut.spread(tree, part.node),
        }
    }
}

/// Shows the members of the fold that begins with this node one by one; of a gap the next ones.
pub fn spread<F: Folds + ?Sized>(folds: &F, cut: &mut Cut, first: NodeId) {
    let tree = folds.tree();
    let Some(group) = tree.parent(first) else { return };
    let fold = shown(folds, cut, group).into_iter().find(|part| part.node == first && part.fold.is_some());
    match fold.and_then(|part| part.fold) {
        Some(Fold::Gap) => {
            let first = tree.child_index(first) as u32;
            cut.set_window(group, Window { first, count: MORE });
        }
        _ => cut.spread(tree, first),
    }
}
