//! Critical paths of the grain graph: of the whole run, or of any group alone. In a linear group the path takes every
//! member, in a fork-join the longest one, or the longest chain of members that depend on each other.

use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::{GrainKind, Grains};
use crate::tasks::Tasks;

/// The members of a group that its critical path takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrainPath {
    /// All of them, one after the other.
    All,
    /// These, each after the one before; one, unless members depend on each other.
    Some(Vec<NodeId>),
}

impl GrainPath {
    /// Whether it takes this member.
    pub fn takes(&self, member: NodeId) -> bool {
        match self {
            GrainPath::All => true,
            GrainPath::Some(members) => members.contains(&member),
        }
    }
}

impl Grains {
    /// The way of a group's own critical path through its members.
    pub fn path(&self, tasks: &Tasks, group: NodeId) -> GrainPath {
        if self.kind(group) != GrainKind::ForkJoin {
            return GrainPath::All;
        }
        if tasks.has_depends() {
            return GrainPath::Some(self.longest_chain(tasks, group));
        }
        let mut longest: Option<(i64, NodeId)> = None;
        for member in self.tree().children(group) {
            let length = self.critical_path(member);
            if longest.is_none_or(|(most, _)| length > most) {
                longest = Some((length, member));
            }
        }
        GrainPath::Some(longest.into_iter().map(|(_, member)| member).collect())
    }

    fn longest_chain(&self, tasks: &Tasks, group: NodeId) -> Vec<NodeId> {
        struct End {
            member: NodeId,
            at: i64,
            after: Option<u32>,
        }
        let mut ends: HashMap<u32, End> = HashMap::new();
        let mut last: Option<(i64, u32)> = None;
        for member in self.tree().children(group) {
            let task = self.task(member).0;
            let mut start: Option<(i64, u32)> = None;
            for &from in tasks.depends_on(NodeId(task)) {
                if let Some(end) = ends.get(&from).filter(|end| start.is_none_or(|(at, _)| end.at > at)) {
                    start = Some((end.at, from));
                }
            }
            let at = self.critical_path(member).saturating_add(start.map_or(0, |(at, _)| at));
            ends.insert(task, End { member, at, after: start.map(|(_, from)| from) });
            if last.is_none_or(|(most, _)| at > most) {
                last = Some((at, task));
            }
        }
        let mut chain = Vec::new();
        let mut at = last.map(|(_, task)| task);
        while let Some(end) = at.and_then(|task| ends.get(&task)) {
            chain.push(end.member);
            at = end.after;
        }
        chain.reverse();
        chain
    }

    /// Whether a node lies on the critical path of the run, or of the group `of` that holds it.
    pub fn is_on_path(&self, tasks: &Tasks, of: NodeId, node: NodeId) -> bool {
        let tree = self.tree();
        let mut at = node;
        while at != of {
            let Some(parent) = tree.parent(at) else { return false };
            if !self.path(tasks, parent).takes(at) {
                return false;
            }
            at = parent;
        }
        true
    }
}
