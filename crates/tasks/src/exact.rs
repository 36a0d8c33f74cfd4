//! The exact parallelism profile as a step function. It visits every interval, so it is for runs of moderate size: tests,
//! exports, and the comparison with other tools.

use crosscut_run::tasks::{Edge, Kind};
use crosscut_tree::NodeId;

use crate::profile::LAYERS;
use crate::tasks::Tasks;

/// The state from a moment on, until the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProfileStep {
    /// When.
    pub t: i64,
    /// Intervals in progress.
    pub running: f64,
    /// Intervals ready and not running, by [`Edge`].
    pub ready: [f64; 5],
}

impl Tasks {
    /// All steps in the order of time, one per distinct moment.
    pub fn exact_profile(&self) -> Vec<ProfileStep> {
        let mut changes: Vec<(i64, usize, f64)> = Vec::new();
        let tree = self.tree();
        for (node, _) in tree.walk(NodeId::ROOT) {
            if tree.is_leaf(node) {
                self.own_changes(node, &mut changes);
            }
        }
        changes.sort_by_key(|change| change.0);
        let mut steps: Vec<ProfileStep> = Vec::new();
        let mut state = [0.0f64; LAYERS];
        for (at, &(t, layer, change)) in changes.iter().enumerate() {
            state[layer] += change;
            if changes.get(at + 1).is_none_or(|next| next.0 > t) {
                let mut ready = [0.0; 5];
                ready.copy_from_slice(&state[1..]);
                steps.push(ProfileStep { t, running: state[0], ready });
            }
        }
        steps
    }

    fn own_changes(&self, node: NodeId, changes: &mut Vec<(i64, usize, f64)>) {
        let mut between = |from: i64, to: i64, layer: usize, rate: f64| {
            if to > from {
                changes.push((from, layer, rate));
                changes.push((to, layer, -rate));
            }
        };
        let (start, end) = (self.start(node), self.end(node));
        let Some(inside) = self.collapsed(node) else {
            between(start, end, 0, 1.0);
            between(self.ready(node), start, 1 + self.edge(node) as usize, 1.0);
            return;
        };
        between(start, end, 0, inside.work as f64 / (end - start) as f64);
        let waited = inside.last_start - inside.first_ready;
        for edge in Edge::ALL {
            let rate = inside.ready[edge as usize] as f64 / waited as f64;
            between(inside.first_ready, inside.last_start, 1 + edge as usize, rate);
        }
    }

    /// When the predecessors of a node had all ended: the end of the create that made it, of the interval before it, or
    /// of the section before it with all its tasks; 0 for the root.
    pub fn ready(&self, node: NodeId) -> i64 {
        let tree = self.tree();
        let mut at = node;
        loop {
            let Some(parent) = tree.parent(at) else { return 0 };
            if let Some(before) = self.before_on_spine(at) {
                return self.end(before);
            }
            at = parent;
        }
    }

    /// What ran just before a node in its task, or the create that made it.
    fn before_on_spine(&self, node: NodeId) -> Option<NodeId> {
        let before = self.tree().previous_sibling(node)?;
        // A created task stands between its create and what follows on the spine.
        if self.kind(before) == Kind::Task { self.tree().previous_sibling(before) } else { Some(before) }
    }
}
