//! The exact parallelism profile as a step function. It visits every interval, so it is for runs of moderate size: tests,
//! exports, and the comparison with other tools.

use crate::schema::{Edge, Kind};
use crosscut_tree::NodeId;

use crate::profile::{LAYERS, Profile};
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

/// The means of a step function over `count` cells from `first` on, each as wide as `width` says of its left border.
pub(crate) fn mean_steps(
    steps: &[ProfileStep],
    first: i64,
    cell: i64,
    count: usize,
    width: impl Fn(i64) -> i64,
) -> Profile {
    let mut profile = Profile {
        from: first,
        cell,
        running: vec![0.0; count],
        ready: std::array::from_fn(|_| vec![0.0; count]),
    };
    let end = first + count as i64 * cell;
    let begin = steps.partition_point(|step| step.t <= first).saturating_sub(1);
    for (at, step) in steps.iter().enumerate().skip(begin).take_while(|(_, step)| step.t < end) {
        let until = steps.get(at + 1).map_or(end, |next| next.t.min(end));
        let mut t = step.t.max(first);
        while t < until {
            let k = (t - first) / cell;
            let left = first + k * cell;
            let share = (until.min(left + cell) - t) as f64 / width(left) as f64;
            // The rates of collapsed nodes, added and taken back, may leave a rest just below zero.
            profile.running[k as usize] += step.running.max(0.0) * share;
            for (layer, ready) in profile.ready.iter_mut().zip(step.ready) {
                layer[k as usize] += ready.max(0.0) * share;
            }
            t = left + cell;
        }
    }
    profile
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
        between(start, end, 0, inside.work as f64 / end.saturating_sub(start) as f64);
        let waited = inside.last_start.saturating_sub(inside.first_ready);
        for edge in Edge::ALL {
            let rate = inside.ready[edge as usize] as f64 / waited as f64;
            between(inside.first_ready, inside.last_start, 1 + edge as usize, rate);
        }
    }

    /// When the predecessors of a node had all ended: the end of the create that made it and of the tasks that it depends
    /// on, of the interval before it, or of what the section before it waited for; 0 for the root.
    pub fn ready(&self, node: NodeId) -> i64 {
        let tree = self.tree();
        let dag = self.dag();
        let mut at = node;
        loop {
            let Some(parent) = tree.parent(at) else { return 0 };
            if let Some(before) = self.before_on_spine(at) {
                return match self.kind(at) {
                    Kind::Task => dag.startable(before, at),
                    _ => dag.exit(before).at,
                };
            }
            at = parent;
        }
    }

    /// What ran just before a node in its task, or the create that made it.
    fn before_on_spine(&self, node: NodeId) -> Option<NodeId> {
        let mut before = self.tree().previous_sibling(node)?;
        // A created task stands between its create and what follows on the spine.
        while self.kind(before) == Kind::Task {
            before = self.tree().previous_sibling(before)?;
        }
        Some(before)
    }
}
