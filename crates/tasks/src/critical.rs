//! The critical path, found on the way down: a section's path leaves its spine through one created task or not at all,
//! so membership follows from the spans of siblings and needs no storage.

use crosscut_run::tasks::Kind;
use crosscut_tree::NodeId;

use crate::tasks::Tasks;

/// Sections with more children than this are remembered once they have been looked at.
const REMEMBER: usize = 4096;

impl Tasks {
    /// The created task through which the critical path leaves this section's spine; none when the spine itself is
    /// longest. The first of several equal ones.
    pub fn critical_task(&self, section: NodeId) -> Option<NodeId> {
        let wide = self.tree().child_count(section) > REMEMBER;
        if wide
            && let Ok(known) = self.critical_tasks.lock()
            && let Some(found) = known.get(&section.0)
        {
            return found.map(NodeId);
        }
        let mut spine = 0i64;
        let mut best = None;
        let mut longest = 0;
        for child in self.tree().children(section) {
            let span = self.span(child);
            if self.kind(child) == Kind::Task {
                if spine + span > longest {
                    longest = spine + span;
                    best = Some(child);
                }
            } else {
                spine += span;
            }
        }
        let found = best.filter(|_| longest > spine);
        if wide && let Ok(mut known) = self.critical_tasks.lock() {
            known.insert(section.0, found.map(|node| node.0));
        }
        found
    }

    /// Whether a node is on the critical path, given that its parent is.
    pub fn is_critical_child(&self, child: NodeId) -> bool {
        let Some(parent) = self.tree().parent(child) else { return true };
        let is_task = self.kind(child) == Kind::Task;
        match self.critical_task(parent) {
            Some(task) => child == task || child < task && !is_task,
            None => !is_task,
        }
    }

    /// Whether a node is on the critical path of the run.
    pub fn is_critical(&self, node: NodeId) -> bool {
        self.is_critical_child(node) && self.tree().ancestors(node).all(|a| self.is_critical_child(a))
    }

    /// The longest interval on the critical path that a descent by largest span finds.
    pub fn heaviest_critical(&self) -> NodeId {
        let tree = self.tree();
        let mut node = NodeId::ROOT;
        while !tree.is_leaf(node) {
            let next = tree
                .children(node)
                .filter(|&child| self.is_critical_child(child))
                .max_by_key(|&child| (self.span(child), std::cmp::Reverse(child)));
            match next {
                Some(child) => node = child,
                None => break,
            }
        }
        node
    }
}
