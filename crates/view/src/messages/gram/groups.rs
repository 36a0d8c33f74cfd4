//! Where groups stand in a column: as high as they have ranks; what is opened has most of the room. Behind a column of other
//! groups they stand such that little crosses on the way from there.

use crosscut_tree::{Cut, NodeId};

use super::super::communities::{self, CommunityForest};
use super::super::order::{Move, order_behind};

/// Between two groups.
const GAP: f32 = 3.0;
/// The share of the height that opened groups have.
const OPENED: f32 = 0.7;

/// A visible group or rank.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its node.
    pub node: NodeId,
    /// Top edge.
    pub y: f32,
    /// Height.
    pub h: f32,
    /// Ranks.
    pub ranks: usize,
    /// It can be opened.
    pub opens: bool,
    /// It is inside of an opened group.
    pub inside: bool,
}

/// The groups of a pattern under a cut.
pub struct Groups<'a> {
    /// The tree.
    pub forest: &'a CommunityForest,
    /// Its number in the picture.
    pub tree: u8,
    /// From top to bottom.
    pub slots: Vec<Slot>,
    /// By rank: its slot.
    pub slot_of: Vec<u32>,
    /// Groups that are open: node, top and bottom.
    pub open: Vec<(NodeId, f32, f32)>,
}

impl<'a> Groups<'a> {
    /// Places what a cut shows between two heights; `before` are the groups that its ranks come from.
    pub fn of(
        forest: &'a CommunityForest,
        cut: &Cut,
        room: (f32, f32),
        tree: u8,
        before: Option<&Groups<'_>>,
    ) -> Groups<'a> {
        let nodes = forest.figures().tree.view();
        let mut slots: Vec<Slot> = Vec::new();
        let mut open: Vec<(NodeId, usize, usize)> = Vec::new();
        let mut todo: Vec<(NodeId, bool)> = vec![(NodeId::ROOT, false)];
        while let Some((node, inside)) = todo.pop() {
            let is_open = (node == NodeId::ROOT || cut.is_open(node)) && !nodes.is_leaf(node);
            if !is_open {
                let ranks = forest.ranks_of(node).len();
                slots.push(Slot { node, y: 0.0, h: 0.0, ranks, opens: !nodes.is_leaf(node), inside });
                continue;
            }
            let inner = node != NodeId::ROOT;
            if inner {
                open.push((node, slots.len(), 0));
            }
            let mut children: Vec<NodeId> = nodes.children(node).collect();
            if let Some(before) = before.filter(|_| !inner && !forest.few) {
                children = behind(forest, children, before);
            }
            todo.extend(children.into_iter().rev().map(|child| (child, inside || inner)));
        }
        for (node, first, end) in &mut open {
            let below = |slot: &Slot| nodes.range(*node).contains(&slot.node.index());
            *end = *first + slots[*first..].iter().take_while(|slot| below(slot)).count();
        }
        place(&mut slots, room);
        let mut slot_of = vec![u32::MAX; forest.ranks.len()];
        for (at, slot) in slots.iter().enumerate() {
            for &rank in forest.ranks_of(slot.node) {
                if let Some(of) = slot_of.get_mut(rank as usize) {
                    *of = at as u32;
                }
            }
        }
        let edges = |(node, first, end): (NodeId, usize, usize)| {
            let (top, bottom) = (slots.get(first)?, slots.get(end.checked_sub(1)?)?);
            Some((node, top.y, bottom.y + bottom.h))
        };
        let open = open.into_iter().filter_map(edges).collect();
        Groups { forest, tree, slot_of, open, slots }
    }

    /// The slot of a rank.
    pub fn slot(&self, rank: u32) -> Option<usize> {
        let slot = self.slot_of.get(rank as usize).copied()? as usize;
        (slot < self.slots.len()).then_some(slot)
    }
}

/// The first groups of a forest, in an order with few crossings behind other groups.
fn behind(forest: &CommunityForest, children: Vec<NodeId>, before: &Groups<'_>) -> Vec<NodeId> {
    let mut group_of = vec![usize::MAX; forest.ranks.len()];
    let mut shared = vec![0.0; children.len() * before.slots.len()];
    for (group, &child) in children.iter().enumerate() {
        for &rank in forest.ranks_of(child) {
            if let Some(of) = group_of.get_mut(rank as usize) {
                *of = group;
            }
            if let Some(from) = before.slot(rank) {
                shared[from * children.len() + group] += 1.0;
            }
        }
    }
    let moves: Vec<Move> = (shared.iter().enumerate())
        .filter(|(_, ranks)| **ranks > 0.0)
        .map(|(at, &ranks)| Move { from: at / children.len(), to: at % children.len(), ranks })
        .collect();
    let bands = communities::bands(&forest.flows, &group_of, children.len());
    let order = order_behind((0..children.len()).collect(), &bands, &moves);
    order.into_iter().filter_map(|group| children.get(group).copied()).collect()
}

fn place(slots: &mut [Slot], (top, bottom): (f32, f32)) {
    let height = (bottom - top).max(1.0);
    let gap = GAP.min(height * 0.3 / slots.len().max(1) as f32);
    let free = height - gap * slots.len().saturating_sub(1) as f32;
    let sum = |inside: bool| -> f32 {
        slots.iter().filter(|slot| slot.inside == inside).map(|slot| slot.ranks as f32).sum()
    };
    let (inner, outer) = (sum(true), sum(false));
    let per = |inside: bool| match (inside, inner > 0.0 && outer > 0.0) {
        (_, false) => free / (inner + outer).max(1.0),
        (true, true) => OPENED * free / inner,
        (false, true) => (1.0 - OPENED) * free / outer,
    };
    let (wide, narrow) = (per(true), per(false));
    let mut y = top;
    for slot in slots.iter_mut() {
        slot.y = y;
        slot.h = slot.ranks as f32 * if slot.inside { wide } else { narrow };
        y += slot.h + gap;
    }
}
