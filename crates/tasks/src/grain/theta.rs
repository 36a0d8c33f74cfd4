//! Visible node count θ: what a person sees when groups are opened on the way from the root to a grain. Opening a linear
//! group of k shows k − 1 nodes more, a fork-join (k − 1) + 2; the grain itself is 1. The largest θ is the figure of merit of
//! the aggregation.

use crosscut_tree::NodeId;

use super::table::Slot;
use super::{GrainKind, Grains, ProblemSet};

/// The largest visible node count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theta {
    /// The count; 0 when there is no grain to look for.
    pub most: u64,
    /// A grain that has it.
    pub grain: NodeId,
}

impl Theta {
    /// How much less that is than the whole graph.
    pub fn savings(&self, raw_nodes: usize) -> f64 {
        1.0 - self.most as f64 / raw_nodes.max(1) as f64
    }
}

impl Grains {
    /// The largest θ of all grains; with a problem, of the grains that have it, the others separated from them.
    pub fn theta(&self, problem: Option<&ProblemSet>) -> Theta {
        let tree = self.tree();
        let len = tree.lens();
        let mut theta = Theta { most: 0, grain: NodeId::ROOT };
        // Groups around, with what opening them and those above shows.
        let mut open: Vec<(usize, u64)> = Vec::new();
        let mut i = 0;
        while i < len.len() {
            while open.last().is_some_and(|&(end, _)| end <= i) {
                open.pop();
            }
            let after = i + len[i] as usize;
            if problem.is_some_and(|problem| problem.inside(i..after) == 0) {
                i = after;
                continue;
            }
            let above = open.last().map_or(1, |&(_, seen)| seen);
            match self.slot[i].get() {
                Slot::Grain(_) => {
                    if above > theta.most {
                        theta = Theta { most: above, grain: NodeId(i as u32) };
                    }
                }
                Slot::Group(_) => open.push((after, above + self.shown_by(NodeId(i as u32), problem))),
            }
            i += 1;
        }
        theta
    }

    /// How many nodes more are seen when a group is opened.
    fn shown_by(&self, group: NodeId, problem: Option<&ProblemSet>) -> u64 {
        let tree = self.tree();
        let parallel = self.kind(group) == GrainKind::ForkJoin;
        let members = match problem {
            None => tree.child_count(group) as u64,
            Some(problem) => {
                let (mut kept, mut runs, mut in_run) = (0, 0, false);
                for member in tree.children(group) {
                    let keeps = problem.inside(tree.range(member)) > 0;
                    kept += u64::from(keeps);
                    runs += u64::from(!keeps && !in_run);
                    in_run = !keeps;
                }
                kept + if parallel { runs.min(1) } else { runs }
            }
        };
        members - 1 + if parallel { 2 } else { 0 }
    }
}
