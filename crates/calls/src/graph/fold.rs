//! Some super nodes are shown, the others are folded into their nearest shown callers. Time that passes *through* a folded super
//! node to a shown one is drawn from there, so with callees = itself + folded + edges that leave holds for all that is shown.

use crosscut_tree::NodeId;

use super::pairs::Pairs;
use super::{Edge, SuperGraph};
use crate::paths::Paths;
use crate::schema::NONE;

/// A super graph of which some nodes are shown. Nodes keep their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// By super node: itself; 0 where it is not shown.
    pub own: Vec<i64>,
    /// By super node: with callees; 0 where it is not shown.
    pub inclusive: Vec<i64>,
    /// By super node: what was spent in folded super nodes that it calls, without what is shown.
    pub folded: Vec<i64>,
    /// By super node: how many folded super nodes that is.
    pub folded_count: Vec<u32>,
    /// Calls between shown super nodes.
    pub edges: Vec<Edge>,
    /// By edge.
    pub flow: Vec<i64>,
    /// By head of the graph: the edge that it is called through; [`NONE`] of folded ones.
    edge_of: Vec<u32>,
}

impl SuperGraph {
    /// Folds what is not shown; the program always is.
    pub fn folded(&self, paths: &impl Paths, metric: usize, shown: &[bool]) -> Folded {
        let shown = |node: u32| node == 0 || shown.get(node as usize) == Some(&true);
        let n = self.nodes.len();
        let mut out = Folded {
            own: vec![0; n],
            inclusive: vec![0; n],
            folded: vec![0; n],
            folded_count: vec![0; n],
            edge_of: vec![NONE; self.heads.len()],
            ..Folded::default()
        };
        let (mut numbers, mut folded_in) = (Pairs::new(n), Pairs::new(n));
        // By head: the shown super node that its time belongs to.
        let mut at_of = vec![0u32; self.heads.len()];
        for (at, head) in self.heads.iter().enumerate() {
            let value = paths.with_callees(metric, NodeId(head.node));
            let above = at_of[head.up as usize];
            let up_shown = shown(self.heads[head.up as usize].to);
            let (mine, from) = (shown(head.to), above as usize);
            at_of[at] = if mine { head.to } else { above };
            if mine {
                add(&mut out.inclusive[head.to as usize], value);
                add(&mut out.own[head.to as usize], value);
            } else {
                add(&mut out.folded[from], value);
                if folded_in.number(above, head.to).1 {
                    out.folded_count[from] += 1;
                }
            }
            if at == 0 {
                continue;
            }
            // What is above has less: itself, or its folded callees.
            match up_shown {
                true => add(&mut out.own[from], value.wrapping_neg()),
                false => add(&mut out.folded[from], value.wrapping_neg()),
            }
            if mine {
                let (edge, is_new) = numbers.number(above, head.to);
                if is_new {
                    out.edges.push(Edge { from: above, to: head.to, paths: 0 });
                    out.flow.push(0);
                }
                out.edges[edge as usize].paths += 1;
                add(&mut out.flow[edge as usize], value);
                out.edge_of[at] = edge;
            }
        }
        out
    }
}

fn add(slot: &mut i64, value: i64) {
    *slot = slot.wrapping_add(value);
}

impl Folded {
    /// The edge that a head is called through.
    pub(super) fn edge_of(&self, head: usize) -> Option<u32> {
        self.edge_of.get(head).copied().filter(|&edge| edge != NONE)
    }
}
