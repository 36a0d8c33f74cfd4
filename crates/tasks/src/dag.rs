//! The DAG behind the tree: what a section waits for, where a spine goes on, and when. Borrowed columns come in, of a run
//! that is being finished or of an open one; every answer looks at a few nodes.

use crate::schema::{Edge, Kind, Mark};
use crosscut_tree::{NodeId, Tree};

/// What the end of a node waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Nothing: an open section, a task. What it created runs on.
    None,
    /// The tasks created in it.
    Own,
    /// All tasks below it.
    All,
}

impl Join {
    /// Told by the interval with which a section ends.
    #[inline]
    pub fn at(last: Mark) -> Self {
        match last {
            wait if wait.is_deep() => Join::All,
            wait if wait.kind() == Kind::Wait => Join::Own,
            _ => Join::None,
        }
    }
}

/// Dependences beside the tree, ascending by `to`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Depends<'a> {
    pub to: &'a [u32],
    pub from: &'a [u32],
}

impl<'a> Depends<'a> {
    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// The tasks that a node depends on.
    pub fn of(&self, node: u32) -> &'a [u32] {
        let first = self.to.partition_point(|&to| to < node);
        let count = self.to[first..].iter().take_while(|&&to| to == node).count();
        self.from.get(first..first + count).unwrap_or(&[])
    }
}

/// The first place from `at` on where an ascending list holds `node` or more. Steps double, so that a walk over the whole
/// list costs no more than the list.
pub fn gallop(list: &[u32], at: usize, node: u32) -> usize {
    let mut step = 1;
    let mut low = at;
    while low + step < list.len() && list[low + step] < node {
        low += step;
        step *= 2;
    }
    let high = (low + step + 1).min(list.len());
    low + list[low.min(high)..high].partition_point(|&x| x < node)
}

/// Where a spine leaves a node.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    /// The last block on the spine.
    pub block: NodeId,
    /// When what follows became ready.
    pub at: i64,
    /// The edge that leads there.
    pub edge: Edge,
}

/// The columns that say what waits for what.
#[derive(Clone, Copy, Debug)]
pub struct Dag<'a> {
    pub tree: Tree<'a>,
    pub mark: &'a [u8],
    pub end: &'a [i64],
    pub depends: Depends<'a>,
    /// By node, negative where nothing is left behind for sure; empty when that is so everywhere.
    pub tail: &'a [i64],
}

impl Dag<'_> {
    pub fn kind(&self, node: NodeId) -> Kind {
        Mark(self.mark[node.index()]).kind()
    }

    /// What the end of a node that is no leaf waits for.
    #[inline]
    pub fn join(&self, node: NodeId) -> Join {
        join(self.tree.lens(), self.tree.parents(), self.mark, node.index())
    }

    /// The block with which a node begins.
    #[inline]
    pub fn first_block(&self, node: NodeId) -> NodeId {
        let mut at = node;
        while !self.tree.is_leaf(at) {
            at = NodeId(at.0 + 1);
        }
        at
    }

    /// The block with which a task ends: its last one in pre-order.
    #[inline]
    pub fn last_block(&self, task: NodeId) -> NodeId {
        NodeId(self.tree.range(task).end as u32 - 1)
    }

    /// When a task ended, whatever it left behind.
    #[inline]
    pub fn ended(&self, task: NodeId) -> i64 {
        self.end[self.last_block(task).index()]
    }

    /// The last block on the spine of a node: tasks at the end of an open section run beside it.
    fn last_on_spine(&self, node: NodeId) -> NodeId {
        let mut at = self.last_block(node);
        loop {
            let mut task = None;
            let mut up = at;
            while up > node {
                if self.kind(up) == Kind::Task {
                    task = Some(up);
                }
                match self.tree.parent(up) {
                    Some(above) => up = above,
                    None => break,
                }
            }
            match task {
                Some(task) if task.0 - 1 > node.0 => at = NodeId(task.0 - 1),
                _ => return at,
            }
        }
    }

    /// Where the spine leaves an interval or a section on it.
    #[inline]
    pub fn exit(&self, node: NodeId) -> Exit {
        let block = if self.tree.is_leaf(node) { node } else { self.last_on_spine(node) };
        let (at, edge) = match self.kind(block) {
            Kind::Create | Kind::Fork => (self.end[block.index()], Edge::CreateCont),
            Kind::Section => (self.end[block.index()], Edge::WaitCont),
            Kind::Wait => {
                (self.tree.parent(block).map_or(0, |section| self.released(section)), Edge::WaitCont)
            }
            _ => (self.end[block.index()], Edge::OtherCont),
        };
        Exit { block, at, edge }
    }

    /// When the wait of a section ended.
    pub fn released(&self, section: NodeId) -> i64 {
        let whole = self.end[section.index()];
        let wait = self.last_block(section);
        // A node ends when the last of its inside does, and that may be what it left behind.
        let leaves_tasks = self.tail.get(section.index()).is_some_and(|&tail| tail >= 0);
        let own = if leaves_tasks && self.join(section) == Join::Own {
            let tasks = self.tree.children(section).filter(|&child| self.kind(child) == Kind::Task);
            tasks.map(|task| self.ended(task)).fold(self.end[wait.index()], i64::max)
        } else {
            whole
        };
        self.depends.of(wait.0).iter().fold(own, |at, &from| at.max(self.ended(NodeId(from))))
    }

    /// What comes after a section on the spine of its task.
    #[inline]
    pub fn follow(&self, section: NodeId) -> Option<NodeId> {
        let mut at = section;
        loop {
            let next =
                std::iter::successors(self.tree.next_sibling(at), |&next| self.tree.next_sibling(next))
                    .find(|&next| self.kind(next) != Kind::Task);
            if next.is_some() {
                return next;
            }
            // The last of an open section: what follows that follows it.
            at = self.tree.parent(at).filter(|&above| self.kind(above) == Kind::Section)?;
        }
    }

    /// When a task could start that stands after the interval which created it.
    pub fn startable(&self, create: NodeId, task: NodeId) -> i64 {
        let created = self.end[create.index()];
        self.depends.of(task.0).iter().fold(created, |at, &from| at.max(self.ended(NodeId(from))))
    }
}

/// What the end of a node that is no leaf waits for.
#[inline]
pub fn join(len: &[u32], parent: &[u32], mark: &[u8], node: usize) -> Join {
    let last = node + (len[node].max(1) as usize - 1).min(len.len() - 1 - node);
    if Mark(mark[node]).kind() != Kind::Section || last == node || parent[last] as usize != node {
        return Join::None;
    }
    Join::at(Mark(mark[last]))
}
