//! One pass over the nodes, backwards. Read so, pre-order meets every child before its parent and the last child first, so
//! one loop checks that the columns are a tree, completes start, end, critical path, place and site of all collective
//! nodes, sums up, and sees who followed whom on a spine. Open nodes are on a stack; columns are touched once.

use crate::schema::{Collapsed, Edge, Kind, Mark, TaskWriter};
use crosscut_run::{Places, SEVERAL};
use crosscut_tree::{NodeId, Tree, WIDE, Wide};

use crate::error::TasksError;
use crate::order::Rows;
use crate::spine::{Exit, First, Spine};
use crate::sums::{Mix, NodeSums};

/// What the pass finds beside the values of inner nodes.
pub struct Passed {
    /// Largest depth of any node.
    pub depth: usize,
    /// Nodes with so many children that they need an index, ascending.
    pub wide: Vec<u32>,
    /// Whether some task is not waited for by the section that created it.
    pub leaves_tasks: bool,
    /// Whether `spine` is whole: not when a wait is not the last of its section.
    pub is_plain: bool,
    /// Who followed whom, in a tree without dependences whose sections wait for all their tasks.
    pub spine: Spine,
    /// Work and intervals by kind.
    pub sums: NodeSums,
    /// Work by row.
    pub mix: Mix,
    /// The blocks of each row, in no order.
    pub blocks: Vec<Vec<u32>>,
}

/// Checks the columns and fills in inner nodes; leaves and collapsed nodes must be there. Leaves get their span, inner nodes
/// the one that they have when sections wait for all they create. Refuses what does not fit together: structure, marks and
/// list of collapsed nodes, times, places.
pub fn pass(tasks: &mut TaskWriter, places: &Places) -> Result<Passed, TasksError> {
    let rows = Rows::new(places);
    let result = Pass::new(tasks, places, &rows).run();
    // A tree that is broken is told so, whatever was met first.
    result.map_err(|error| {
        let tree = Tree::new(&tasks.len, &tasks.parent, Wide::default());
        tree.check().map_or_else(TasksError::from, |()| error)
    })
}

pub fn broken(node: usize, what: &str) -> TasksError {
    TasksError::Broken(format!("node {node} {what}"))
}

const COLLAPSED: &str = "is collapsed, but is no section or task without an inside";

/// What a node hands up to its parent.
#[derive(Clone, Copy)]
struct Child {
    start: i64,
    end: i64,
    span: i64,
    place: u32,
    site: u32,
    /// Levels below it.
    height: u32,
    exit: Exit,
}

/// A node some of whose children were met, the last ones.
struct Open {
    node: usize,
    /// Where the first child that was met begins.
    from: usize,
    children: usize,
    /// Whether it waits for its tasks at its end.
    joins: bool,
    /// The row where what follows it begins: the ends of its tasks lead there.
    after: Option<u32>,
    /// The first block of the child that was met last and is no task.
    next: Option<First>,
    whole: Child,
}

struct Pass<'a> {
    len: &'a [u32],
    parent: &'a [u32],
    mark: &'a [u8],
    start: &'a mut [i64],
    end: &'a mut [i64],
    span: &'a mut [i64],
    place: &'a mut [u32],
    site: &'a mut [u32],
    collapsed: std::iter::Peekable<std::iter::Rev<std::slice::Iter<'a, Collapsed>>>,
    places: &'a Places,
    rows: &'a Rows,
    open: Vec<Open>,
    /// The first block of what was met last.
    first: First,
    found: Passed,
}

impl<'a> Pass<'a> {
    fn new(tasks: &'a mut TaskWriter, places: &'a Places, rows: &'a Rows) -> Self {
        let n = tasks.len.len();
        let TaskWriter { len, parent, mark, start, end, span, place, site, collapsed, .. } = tasks;
        let found = Passed {
            depth: 0,
            wide: Vec::new(),
            leaves_tasks: false,
            is_plain: true,
            spine: Spine::empty(rows.count()),
            sums: NodeSums::new(n),
            mix: Mix::new(n, rows.count()),
            blocks: vec![Vec::new(); rows.count()],
        };
        Pass {
            len: &len[..n],
            parent: &parent[..n],
            mark: &mark[..n],
            start: &mut start[..n],
            end: &mut end[..n],
            span: &mut span[..n],
            place: &mut place[..n],
            site: &mut site[..n],
            collapsed: collapsed.iter().rev().peekable(),
            places,
            rows,
            open: Vec::new(),
            first: First { start: 0, row: 0, edge: Edge::Create },
            found,
        }
    }

    fn run(mut self) -> Result<Passed, TasksError> {
        let n = self.len.len();
        if let Some(last) = self.collapsed.peek().filter(|c| c.node as usize >= n) {
            return Err(broken(last.node as usize, "is listed as collapsed, but there is no such node"));
        }
        for i in (0..n).rev() {
            let mark = Mark(self.mark[i]);
            let listed = self.collapsed.next_if(|c| c.node as usize == i);
            if listed.is_some() != mark.is_collapsed() {
                return Err(broken(i, "is marked as collapsed or listed so, but not both"));
            }
            let child = match self.len[i] {
                1 => self.block(i, mark, listed)?,
                _ if listed.is_none() => self.close(i)?,
                _ => return Err(broken(i, COLLAPSED)),
            };
            self.found.sums.border(i);
            self.found.mix.border(i);
            if i > 0 {
                self.hand_up(i, mark, child)?;
            } else if self.parent[0] != 0 || !self.open.is_empty() {
                return Err(broken(0, "is not the root of all"));
            } else {
                self.found.depth = child.height as usize;
            }
        }
        self.found.wide.reverse();
        self.found.sums.accumulate();
        self.found.mix.accumulate();
        Ok(self.found)
    }

    /// An interval or a collapsed node.
    #[inline]
    fn block(&mut self, i: usize, mark: Mark, listed: Option<&Collapsed>) -> Result<Child, TasksError> {
        let (start, end, place) = (self.start[i], self.end[i], self.place[i]);
        if place != SEVERAL && !self.rows.has(place) {
            return Err(broken(i, "ran at a place that is not in the list"));
        }
        if end < start {
            return Err(TasksError::Broken(format!("node {i} ends before it starts ({end} < {start})")));
        }
        let row = self.rows.of(place);
        let work = match listed {
            None => {
                self.span[i] = end - start;
                self.found.sums.count(mark.kind());
                end - start
            }
            Some(_) if !mark.kind().is_collective() => return Err(broken(i, COLLAPSED)),
            Some(inside) => {
                self.found.sums.count_inside(i, inside);
                inside.work
            }
        };
        self.found.sums.work(work);
        self.found.mix.work(row, work);
        self.found.blocks[row].push(i as u32);
        let row = row as u32;
        self.first = First { start, row, edge: mark.edge() };
        let exit = Exit::of_block(mark.kind(), end, row);
        Ok(Child { start, end, span: self.span[i], place, site: self.site[i], height: 0, exit })
    }

    /// An inner node: all its children were met.
    #[inline]
    fn close(&mut self, i: usize) -> Result<Child, TasksError> {
        let Some(open) = self.open.pop_if(|open| open.node == i && open.from == i + 1) else {
            return Err(broken(i, "does not hold the nodes behind it"));
        };
        let mut whole = open.whole;
        self.start[i] = whole.start;
        self.end[i] = whole.end;
        self.span[i] = whole.span;
        self.place[i] = whole.place;
        self.site[i] = whole.site;
        if open.children >= WIDE {
            self.found.wide.push(i as u32);
        }
        whole.height += 1;
        whole.exit.resolve(whole.end);
        Ok(whole)
    }

    /// Gives a node to its parent.
    #[inline]
    fn hand_up(&mut self, i: usize, mark: Mark, child: Child) -> Result<(), TasksError> {
        let parent = self.parent[i] as usize;
        let until = i + self.len[i] as usize;
        let is_task = mark.kind() == Kind::Task;
        match self.open.last_mut() {
            Some(open) if open.node == parent => {
                if open.from != until {
                    return Err(broken(i, "does not end where the next one begins"));
                }
                self.found.is_plain &= mark.kind() != Kind::Wait;
                open.children += 1;
                let whole = &mut open.whole;
                whole.start = whole.start.min(child.start);
                whole.end = whole.end.max(child.end);
                if whole.place != child.place {
                    whole.place = self.places.common(whole.place, child.place);
                }
                whole.site = child.site;
                whole.height = whole.height.max(child.height);
                // A created task runs beside what follows it; everything else is on the spine.
                whole.span = if is_task { whole.span.max(child.span) } else { whole.span + child.span };
            }
            _ => self.open(i, parent, until, mark, child)?,
        }
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        open.from = i;
        if !is_task {
            // A wait inside of its section ends with that, which is not known yet.
            if let Some(next) = open.next.filter(|_| self.found.is_plain) {
                self.found.spine.follow(child.exit, next);
            }
            open.next = Some(self.first);
            return Ok(());
        }
        self.found.leaves_tasks |= !open.joins;
        if let Some(after) = open.after {
            self.found.spine.edge(Edge::End, child.exit.row, after);
        }
        if let Some(create) = self.creator(i, parent) {
            let from = self.rows.of(self.place[create]) as u32;
            self.found.spine.edge(Edge::Create, from, self.first.row);
        }
        Ok(())
    }

    /// The last child of a node was met.
    fn open(
        &mut self,
        i: usize,
        node: usize,
        until: usize,
        mark: Mark,
        whole: Child,
    ) -> Result<(), TasksError> {
        if node >= i {
            return Err(TasksError::Broken(format!("node {i} stands before its parent {node}")));
        }
        let limit = self.open.last().map_or(self.len.len(), |open| open.from);
        if until != limit || node + self.len[node] as usize != until {
            return Err(broken(i, "is not where its parent ends"));
        }
        let is_section = Mark(self.mark[node]).kind() == Kind::Section;
        let joins = is_section && until == i + 1 && mark.kind() == Kind::Wait;
        let after = if joins { self.after(node) } else { None };
        self.open.push(Open { node, from: i, children: 1, joins, after, next: None, whole });
        Ok(())
    }

    /// The row in which what follows a section begins, on the spine of its task.
    fn after(&self, section: usize) -> Option<u32> {
        let mut at = section;
        // Nodes whose last child is not yet met whole are not open; nothing follows in them.
        let mut open = self.open.iter().rev().peekable();
        loop {
            let above = self.parent[at] as usize;
            if let Some(found) = open.next_if(|open| open.node == above)
                && let Some(next) = found.next
            {
                return Some(next.row);
            }
            if above >= at || Mark(self.mark[above]).kind() != Kind::Section {
                return None;
            }
            // The last of an open section: what follows that follows it.
            at = above;
        }
    }

    /// The interval that created a task: what stands before it in its section and is no task.
    #[inline]
    fn creator(&self, task: usize, section: usize) -> Option<usize> {
        let is_task = |i: usize| Mark(self.mark[i]).kind() == Kind::Task;
        let mut create = task - 1;
        if self.parent[create] as usize != section || is_task(create) {
            let tree = Tree::new(self.len, self.parent, Wide::default());
            let before = |node: &NodeId| tree.previous_sibling(*node);
            let before = std::iter::successors(tree.previous_sibling(NodeId(task as u32)), before);
            create = before.map(NodeId::index).find(|&node| !is_task(node))?;
        }
        Mark(self.mark[create]).kind().is_start().then_some(create)
    }
}
