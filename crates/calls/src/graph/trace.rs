//! What of each edge belongs to one super node: the part that ends in it, above it, and the part that came through it, below.

use crosscut_tree::NodeId;

use super::{Folded, SuperGraph};
use crate::paths::Paths;

/// By edge: its parts that belong to a super node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traced {
    /// What flows on into the super node.
    pub upstream: Vec<i64>,
    /// What came through it.
    pub downstream: Vec<i64>,
}

impl SuperGraph {
    /// Traces a super node through all edges: two passes over the heads.
    pub fn trace(&self, paths: &impl Paths, metric: usize, node: u32) -> Traced {
        let edge = |head: usize| (head > 0).then(|| self.heads[head].edge);
        self.traced(paths, metric, node, self.edges.len(), edge)
    }

    /// The same through the edges of what is shown of it.
    pub fn trace_folded(&self, paths: &impl Paths, metric: usize, node: u32, folded: &Folded) -> Traced {
        self.traced(paths, metric, node, folded.edges.len(), |head| folded.edge_of(head))
    }

    fn traced(
        &self,
        paths: &impl Paths,
        metric: usize,
        node: u32,
        edges: usize,
        edge: impl Fn(usize) -> Option<u32>,
    ) -> Traced {
        let mut out = Traced { upstream: vec![0; edges], downstream: vec![0; edges] };
        let mut inside = vec![0i64; self.heads.len()];
        let mut below = vec![false; self.heads.len()];
        for (at, head) in self.heads.iter().enumerate() {
            let value = paths.with_callees(metric, NodeId(head.node));
            let is = head.to == node;
            if is {
                inside[at] = value;
            }
            below[at] = is || (at > 0 && below[head.up as usize]);
            if below[at] && !is {
                add(&mut out.downstream, edge(at), value);
            }
        }
        for at in (1..self.heads.len()).rev() {
            let up = self.heads[at].up as usize;
            inside[up] = inside[up].wrapping_add(inside[at]);
            add(&mut out.upstream, edge(at), inside[at]);
        }
        out
    }
}

fn add(values: &mut [i64], edge: Option<u32>, value: i64) {
    if let Some(slot) = edge.and_then(|edge| values.get_mut(edge as usize)) {
        *slot = slot.wrapping_add(value);
    }
}
