//! The critical path, found on the way down: it goes along a node's spine up to one child, and leaves through that child or
//! not at all, so membership follows from the lengths of siblings and needs no storage. Only where tasks depend on each
//! other it may leave and come back; there the path through all of a task's own nodes is found at once.

use std::ops::Range;
use std::sync::Arc;

use crate::schema::Kind;
use crosscut_tree::NodeId;

use crate::complete::within;
use crate::dag::{Depends, Join};
use crate::frame::{Columns, Last, Lengths, Scan};
use crate::tasks::Tasks;

/// Nodes with more children than this are remembered once they have been looked at.
const REMEMBER: usize = 4096;
/// The same for tasks with dependences, which take longer.
const REMEMBER_FRAME: usize = 256;

/// How the critical path goes through a node.
#[derive(Clone, Debug)]
pub enum Way {
    /// From its start to where its spine goes on.
    Span,
    /// From its start to the end of the last task that it leaves behind.
    Tail,
    /// Through parts of a section, which it may enter and leave by dependences.
    Part(Arc<FramePath>),
}

/// The critical path through the own nodes of a task in which some depend on others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FramePath {
    /// Where it runs along the spine: ranges of nodes, ascending; what was created in them is not meant.
    stretches: Vec<Range<u32>>,
    /// Tasks that it goes through, ascending, and whether it ends in what they leave behind.
    tasks: Vec<(u32, bool)>,
    /// Where a wait brings it back to the spine: the end of the section's nodes, and the task waited for.
    joins: Vec<(u32, u32)>,
}

impl FramePath {
    fn passes(&self, nodes: &Range<usize>) -> bool {
        let at = self.stretches.partition_point(|s| s.end as usize <= nodes.start);
        self.stretches.get(at).is_some_and(|s| (s.start as usize) < nodes.end)
            || !in_range(&self.tasks, |task| task.0, nodes).is_empty()
    }
}

/// The part of an ascending list that lies in a range of nodes.
fn in_range<'a, T>(list: &'a [T], node: impl Fn(&T) -> u32, nodes: &Range<usize>) -> &'a [T] {
    let first = list.partition_point(|x| (node(x) as usize) < nodes.start);
    let last = list.partition_point(|x| (node(x) as usize) < nodes.end);
    &list[first..last.max(first)]
}

/// What is remembered of a node that took long to look at.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    Leave(Option<Leave>),
    Path(Arc<FramePath>),
}

/// The child through which the path leaves a node's spine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leave {
    child: u32,
    tail: bool,
}

/// The critical path inside one node that it goes through.
#[derive(Clone, Debug)]
pub struct Inside<'a> {
    tasks: &'a Tasks,
    node: NodeId,
    path: Path,
}

#[derive(Clone, Debug)]
enum Path {
    /// Along the spine up to this child, and out of it; along the whole spine when there is none.
    Spine {
        leave: Option<Leave>,
        joins: bool,
    },
    Frame(Arc<FramePath>),
}

impl Inside<'_> {
    /// How it goes through a child, if at all.
    pub fn way(&self, child: NodeId) -> Option<Way> {
        let is_task = self.tasks.kind(child) == Kind::Task;
        match &self.path {
            Path::Spine { leave: Some(leave), .. } if child.0 == leave.child => {
                Some(if leave.tail { Way::Tail } else { Way::Span })
            }
            Path::Spine { leave, .. } => {
                let before = leave.is_none_or(|leave| child.0 < leave.child);
                (before && !is_task).then_some(Way::Span)
            }
            Path::Frame(path) if is_task => {
                let found = path.tasks.binary_search_by_key(&child.0, |task| task.0).ok()?;
                Some(if path.tasks[found].1 { Way::Tail } else { Way::Span })
            }
            Path::Frame(path) => {
                path.passes(&self.tasks.tree().range(child)).then(|| Way::Part(Arc::clone(path)))
            }
        }
    }

    /// Whether it goes through one of these neighbouring children, given by their nodes.
    pub fn passes(&self, nodes: &Range<usize>) -> bool {
        let beside = || self.tasks.tree().range(NodeId(nodes.start as u32)).end == nodes.end;
        let is_task = || self.tasks.kind(NodeId(nodes.start as u32)) == Kind::Task && beside();
        match &self.path {
            Path::Spine { leave: None, .. } => !is_task(),
            Path::Spine { leave: Some(leave), .. } => {
                nodes.start == leave.child as usize || nodes.start < leave.child as usize && !is_task()
            }
            Path::Frame(path) => path.passes(nodes),
        }
    }

    /// Whether it goes on along the spine after these neighbouring children, which it passes.
    pub fn goes_on(&self, nodes: &Range<usize>) -> bool {
        match &self.path {
            // From the interval before a task that it leaves through it goes to that task.
            Path::Spine { leave, .. } => leave.is_none_or(|leave| {
                let is_task = self.tasks.kind(NodeId(leave.child)) == Kind::Task;
                nodes.end < leave.child as usize + usize::from(!is_task)
            }),
            Path::Frame(path) => {
                let at = path.stretches.partition_point(|s| s.end as usize <= nodes.end);
                path.stretches.get(at).is_some_and(|s| (s.start as usize) < nodes.end)
            }
        }
    }

    /// Whether it goes from one of these neighbouring children to the wait at the end of the node.
    pub fn joins(&self, nodes: &Range<usize>) -> bool {
        match &self.path {
            Path::Spine { leave, joins } => {
                *joins && leave.is_some_and(|leave| nodes.contains(&(leave.child as usize)))
            }
            Path::Frame(path) => {
                let end = self.tasks.tree().range(self.node).end;
                in_range(&path.joins, |join| join.0, &(end..end + 1))
                    .iter()
                    .any(|join| nodes.contains(&(join.1 as usize)))
            }
        }
    }

    /// Whether it goes from the end of one task to another, or to a wait, by a dependence.
    pub fn depends(&self, from: NodeId, to: NodeId) -> bool {
        let Path::Frame(path) = &self.path else { return false };
        let at = |node: NodeId| path.tasks.binary_search_by_key(&node.0, |task| task.0).ok();
        let waited = || path.joins.binary_search(&(to.0 + 1, from.0)).is_ok();
        match (at(from), at(to)) {
            // Neighbours on the path, with no way along the spine between them.
            (Some(a), Some(b)) => {
                let next = path.stretches.partition_point(|s| s.start <= from.0);
                b == a + 1 && path.stretches.get(next).is_none_or(|s| s.start > to.0)
            }
            (Some(_), None) => waited(),
            _ => false,
        }
    }

    /// The last child through which it leaves the spine.
    pub fn leaves_by(&self) -> Option<NodeId> {
        match &self.path {
            Path::Spine { leave, .. } => leave.map(|leave| NodeId(leave.child)),
            Path::Frame(path) => {
                let tree = self.tasks.tree();
                let tasks = in_range(&path.tasks, |task| task.0, &tree.range(self.node));
                tasks
                    .iter()
                    .rev()
                    .map(|task| NodeId(task.0))
                    .find(|&task| tree.parent(task) == Some(self.node))
            }
        }
    }
}

impl Tasks {
    /// How the critical path goes through the root: to its end, or to that of a task that nobody waits for.
    pub fn critical_root(&self) -> Way {
        if self.tail(NodeId::ROOT) > self.span(NodeId::ROOT) { Way::Tail } else { Way::Span }
    }

    /// The critical path inside a node, given how it goes through that.
    pub fn critical_inside(&self, node: NodeId, way: &Way) -> Inside<'_> {
        let path = match way {
            Way::Part(path) => Path::Frame(Arc::clone(path)),
            Way::Span | Way::Tail => {
                let tail = matches!(way, Way::Tail);
                if self.depend_frames().binary_search(&node.0).is_ok() {
                    Path::Frame(self.frame_path(node, tail))
                } else {
                    Path::Spine { leave: self.leave(node, tail), joins: !tail }
                }
            }
        };
        Inside { tasks: self, node, path }
    }

    fn known(&self, node: NodeId, tail: bool) -> Option<Known> {
        self.critical_known.lock().ok()?.get(&(node.0, tail)).cloned()
    }

    fn remember(&self, node: NodeId, tail: bool, known: Known) {
        if let Ok(mut all) = self.critical_known.lock() {
            all.insert((node.0, tail), known);
        }
    }

    /// The child through which the path leaves the spine of a node without dependences; none when the spine itself is
    /// longest. The first of several equal ones.
    fn leave(&self, node: NodeId, tail: bool) -> Option<Leave> {
        let wide = self.tree().child_count(node) > REMEMBER;
        if wide && let Some(Known::Leave(found)) = self.known(node, tail) {
            return found;
        }
        let join = self.dag().join(node);
        // What the path waits for: on its way to the end of the node what that waits for, else what it does not.
        let ends = if tail { join == Join::None } else { join != Join::None };
        let tails = if tail { join != Join::All } else { join == Join::All };
        let (mut spine, mut longest, mut best) = (0i64, 0i64, None);
        let mut candidate = |length: i64, child: NodeId, tail: bool| {
            if length > longest {
                longest = length;
                best = Some(Leave { child: child.0, tail });
            }
        };
        for child in self.tree().children(node) {
            let (span, behind) = (self.span(child), self.tail(child));
            let is_task = self.kind(child) == Kind::Task;
            if is_task && ends {
                candidate(spine.saturating_add(span), child, false);
            }
            if tails && behind > 0 {
                candidate(spine.saturating_add(behind), child, true);
            }
            if !is_task {
                spine = spine.saturating_add(span);
            }
        }
        let found = best.filter(|_| tail || longest > spine);
        if wide {
            self.remember(node, tail, Known::Leave(found));
        }
        found
    }

    /// The path through the own nodes of a task with dependences.
    fn frame_path(&self, task: NodeId, tail: bool) -> Arc<FramePath> {
        if let Some(Known::Path(found)) = self.known(task, tail) {
            return found;
        }
        let tree = self.tree();
        let range = tree.range(task);
        let depends = within(self.depends(), task.0, range.len() as u32);
        let columns = Columns { len: tree.lens(), parent: tree.parents(), mark: self.marks(), depends };
        let mut trace = Trace { tasks: self, held: Vec::new(), waited: Vec::new() };
        let (seen, left) = Scan::default().run(&columns, range.start, &mut trace);
        let path = Arc::new(trace.back(range, left.filter(|_| tail)));
        if seen > REMEMBER_FRAME {
            self.remember(task, tail, Known::Path(Arc::clone(&path)));
        }
        path
    }

    pub(crate) fn depends(&self) -> Depends<'_> {
        self.dag().depends
    }

    /// Whether a node is on the critical path of the run.
    pub fn is_critical(&self, node: NodeId) -> bool {
        let mut path: Vec<NodeId> = self.tree().ancestors(node).collect();
        path.reverse();
        path.push(node);
        let mut way = self.critical_root();
        for pair in path.windows(2) {
            match self.critical_inside(pair[0], &way).way(pair[1]) {
                Some(next) => way = next,
                None => return false,
            }
        }
        true
    }

    /// The longest interval on the critical path that a descent by largest length finds.
    pub fn heaviest_critical(&self) -> NodeId {
        let tree = self.tree();
        let mut node = NodeId::ROOT;
        let mut way = self.critical_root();
        while !tree.is_leaf(node) {
            let inside = self.critical_inside(node, &way);
            let length = |child: NodeId, way: &Way| match way {
                Way::Tail => self.tail(child),
                Way::Span | Way::Part(_) => self.span(child),
            };
            let next = tree
                .children(node)
                .filter_map(|child| inside.way(child).map(|way| (child, way)))
                .max_by_key(|(child, way)| (length(*child, way), std::cmp::Reverse(*child)));
            match next {
                Some((child, found)) => (node, way) = (child, found),
                None => break,
            }
        }
        node
    }
}

/// What a scan found out about who waited for whom.
struct Trace<'a> {
    tasks: &'a Tasks,
    /// (task, the one that it waited for), ascending.
    held: Vec<(u32, u32)>,
    /// (end of a section's nodes, the task that its wait ended with), ascending.
    waited: Vec<(u32, Last)>,
}

impl Lengths for Trace<'_> {
    fn span(&self, node: usize) -> i64 {
        self.tasks.span(NodeId(node as u32))
    }

    fn tail(&self, node: usize) -> i64 {
        self.tasks.tail(NodeId(node as u32))
    }

    fn held(&mut self, task: u32, by: u32) {
        self.held.push((task, by));
    }

    fn waited(&mut self, end: u32, last: Last) {
        self.waited.push((end, last));
    }
}

impl Trace<'_> {
    /// Goes back from the end of a frame, or from the task that ends last of those it leaves behind.
    fn back(&self, frame: Range<usize>, left: Option<Last>) -> FramePath {
        let mut path = FramePath::default();
        let first = frame.start as u32 + 1;
        let mut until = frame.end as u32;
        let mut through = left.map(|last| (last.task, last.tail));
        loop {
            if let Some((task, tail)) = through {
                path.tasks.push((task, tail));
                match self.held.binary_search_by_key(&task, |held| held.0) {
                    Ok(at) => through = Some((self.held[at].1, false)),
                    Err(_) => (through, until) = (None, task),
                }
                continue;
            }
            let at = self.waited.partition_point(|waited| waited.0 <= until);
            match at.checked_sub(1).map(|at| self.waited[at]) {
                Some((end, last)) => {
                    path.stretches.push(end..until);
                    path.joins.push((end, last.task));
                    through = Some((last.task, last.tail));
                }
                None => {
                    path.stretches.push(first..until);
                    break;
                }
            }
        }
        path.stretches.retain(|stretch| !stretch.is_empty());
        path.stretches.reverse();
        path.tasks.reverse();
        path.joins.reverse();
        path
    }
}
