//! A smaller tree that stands for a large one. Subtrees with little work become blocks, which keep their work and their
//! span and which any number of workers can share; neighbours become one block as long as that is still little. Series
//! add up, so a long chain of small parallel sections stays as parallel as its sections are. Total work is that of the
//! run, its critical path is at most that of the run.

use crate::schema::{Edge, Kind, Mark};
use crosscut_tree::NodeId;

use super::cost::{Cost, Known, Recorded};
use super::links::Links;
use super::scan::Scan;
use crate::dag::{Depends, Join};
use crate::frame::Columns;
use crate::tasks::Tasks;

/// A reduced tree has at most so many nodes, whatever the budget.
const MOST: usize = 1 << 19;
/// What is little: at first this part of all work, then eight times as much, and so on up to the last.
const FINEST: i64 = 1 << 13;
const COARSEST: i64 = 1 << 4;

/// The smaller tree.
#[derive(Debug, Default)]
pub struct Reduced {
    len: Vec<u32>,
    parent: Vec<u32>,
    mark: Vec<u8>,
    work: Vec<i64>,
    span: Vec<i64>,
    sync: Vec<i64>,
    /// The node of the run for which each stands; the first of several.
    stands_for: Vec<u32>,
    depend_to: Vec<u32>,
    depend_from: Vec<u32>,
}

impl Cost for Reduced {
    #[inline]
    fn length(&self, node: usize) -> i64 {
        self.work[node]
    }

    #[inline]
    fn block(&self, node: usize) -> (i64, i64) {
        (self.work[node], self.span[node])
    }

    #[inline]
    fn sync(&self, task: usize) -> i64 {
        self.sync[task]
    }
}

impl Reduced {
    /// Reduces a run to at most so many nodes; none when it does not become small enough.
    pub fn new(tasks: &Tasks, links: &Links, cost: &Recorded<'_>, most: usize) -> Option<Self> {
        let mut parts = FINEST;
        while parts >= COARSEST {
            let little = tasks.summary().work / parts;
            if let Some(reduced) = Walk::new(tasks, links, cost, little).run(most.min(MOST)) {
                return Some(reduced);
            }
            parts /= 8;
        }
        None
    }

    /// Its tree.
    pub fn columns(&self) -> Columns<'_> {
        let depends = Depends { to: &self.depend_to, from: &self.depend_from };
        Columns { len: &self.len, parent: &self.parent, mark: &self.mark, depends }
    }

    fn add(&mut self, parent: usize, mark: Mark, known: Known, stands_for: usize) -> usize {
        self.len.push(1);
        self.parent.push(parent as u32);
        self.mark.push(mark.0);
        self.work.push(known.work);
        self.span.push(known.span.clamp(known.work.min(1), known.work.max(0)));
        self.sync.push(known.sync);
        self.stands_for.push(stands_for as u32);
        self.len.len() - 1
    }
}

/// The last thing on a spine, to which more may be added.
#[derive(Clone, Copy, Debug)]
enum Group {
    None,
    /// One block in series.
    Series(usize),
    /// A create, a block of all tasks, and the creates of all but the first.
    Fork(usize),
}

struct Walk<'a> {
    tasks: &'a Tasks,
    columns: Columns<'a>,
    links: &'a Links,
    cost: &'a Recorded<'a>,
    little: i64,
    scan: Scan,
    made: Reduced,
    /// What is open: the end of its nodes in the run, and its number here.
    open: Vec<(usize, usize)>,
    group: Group,
}

/// A block in the reduced tree.
fn block(kind: Kind) -> Mark {
    Mark::new(kind, Edge::OtherCont, true)
}

/// Numbers of strangers may not fit.
fn add(to: &mut i64, more: i64) {
    *to = to.saturating_add(more);
}

fn interval(length: i64) -> Known {
    Known::closed(length, length)
}

impl<'a> Walk<'a> {
    fn new(tasks: &'a Tasks, links: &'a Links, cost: &'a Recorded<'a>, little: i64) -> Self {
        let (tree, dag) = (tasks.tree(), tasks.dag());
        let columns =
            Columns { len: tree.lens(), parent: tree.parents(), mark: dag.mark, depends: dag.depends };
        let (scan, made) = (Scan::default(), Reduced::default());
        Walk { tasks, columns, links, cost, little, scan, made, open: Vec::new(), group: Group::None }
    }

    fn run(mut self, most: usize) -> Option<Reduced> {
        let nodes = self.columns.len.len();
        let mut i = 0;
        while i < nodes {
            self.close(i);
            i = self.step(i).max(i + 1);
            if self.made.len.len() > most {
                return None;
            }
        }
        self.close(nodes);
        self.map_depends();
        Some(self.made)
    }

    fn close(&mut self, at: usize) {
        while let Some((_, node)) = self.open.pop_if(|open| open.0 <= at) {
            self.made.len[node] = (self.made.len.len() - node) as u32;
            self.group = Group::None;
        }
    }

    /// Takes a node, or what is small from it on. Returns the next one.
    fn step(&mut self, i: usize) -> usize {
        let mark = Mark(self.columns.mark[i]);
        let (kind, parent) = (mark.kind(), self.open.last().map_or(0, |open| open.1));
        let after = self.after(i);
        if kind.is_start() {
            let task = after;
            let is_task = self.columns.mark.get(task).is_some_and(|&mark| Mark(mark).kind() == Kind::Task);
            let length = self.cost.length(i);
            if is_task && let Some(known) = self.small_task(task) {
                self.fork(parent, i, length, task, known);
                return self.after(task);
            }
            self.made.add(parent, mark, interval(length), i);
            self.group = Group::None;
            return after;
        }
        let is_leaf = self.columns.len[i] <= 1;
        if kind == Kind::Wait || kind == Kind::End {
            self.made.add(parent, mark, interval(self.cost.length(i)), i);
            self.group = Group::None;
        } else if is_leaf && !kind.is_collective() {
            self.series(parent, i, interval(self.cost.length(i)));
        } else if is_leaf && i > 0 && kind == Kind::Section {
            let (work, span) = self.cost.block(i);
            self.series(parent, i, Known::closed(work, span));
        } else if kind == Kind::Section
            && let Some(known) = self.small_section(i)
        {
            self.series(parent, i, known);
            return after;
        } else {
            let (work, span) = if is_leaf { self.cost.block(i) } else { (0, 0) };
            let sync = if kind == Kind::Task { self.cost.sync(i) } else { 0 };
            let known = Known { sync, ..Known::closed(work, span) };
            let node = self.made.add(parent, mark, known, i);
            if !is_leaf {
                self.open.push((after, node));
            }
            self.group = Group::None;
        }
        i + 1
    }

    fn after(&self, node: usize) -> usize {
        (node + self.columns.len[node].max(1) as usize).min(self.columns.len.len())
    }

    fn whole(&mut self, node: usize) -> Known {
        match self.cost.known(node) {
            Some(known) => known,
            None => self.scan.run(&self.columns, self.links, self.cost, node),
        }
    }

    fn is_little(&self, node: usize) -> bool {
        self.tasks.work(NodeId(node as u32)) <= self.little
    }

    /// The length of a task that is one interval: most are, and need no sums.
    fn only_interval(&self, task: usize) -> Option<i64> {
        let is_one = self.columns.len[task] == 2
            && self.columns.mark.get(task + 1).is_some_and(|&mark| !Mark(mark).kind().is_collective());
        is_one.then(|| self.cost.length(task + 1))
    }

    /// A task can be a block if nobody can tell its end from that of what it leaves behind.
    fn small_task(&mut self, task: usize) -> Option<Known> {
        if let Some(length) = self.only_interval(task) {
            let known = Known { sync: self.cost.sync(task), ..interval(length) };
            return Some(known).filter(|_| length <= self.little);
        }
        if !self.is_little(task) {
            return None;
        }
        let inside = self.whole(task);
        let section = self.tasks.tree().parent(NodeId(task as u32));
        let is_own = || section.is_some_and(|section| self.tasks.dag().join(section) == Join::Own);
        if inside.tail >= 0 && (is_own() || !self.links.followers(task).is_empty()) {
            return None;
        }
        let (span, sync) = (inside.span.max(inside.tail), inside.sync.saturating_add(self.cost.sync(task)));
        Some(Known { sync, ..Known::closed(inside.work, span) })
    }

    /// A section can be a block if it waits for all that it holds, and no dependence leads in or out.
    fn small_section(&mut self, section: usize) -> Option<Known> {
        let nodes = section..self.after(section);
        let closed = self.is_little(section)
            && self.tasks.dag().join(NodeId(section as u32)) != Join::None
            && self.links.needed_in(nodes.clone()).is_empty()
            && !self.links.waits_in(nodes);
        if !closed {
            return None;
        }
        Some(self.whole(section)).filter(|inside| inside.tail < 0)
    }

    /// Adds to the block in series, or begins one.
    fn series(&mut self, parent: usize, node: usize, known: Known) {
        let plain = known.work == known.span;
        match self.group {
            // What happens between two creates is part of the loop that creates.
            Group::Fork(create)
                if plain && self.made.work[create + 2].saturating_add(known.work) <= self.little =>
            {
                self.lengthen(create + 2, known);
            }
            Group::Series(at) if self.made.work[at].saturating_add(known.work) <= self.little => {
                self.lengthen(at, known)
            }
            _ => self.group = Group::Series(self.made.add(parent, block(Kind::Section), known, node)),
        }
    }

    fn lengthen(&mut self, at: usize, known: Known) {
        add(&mut self.made.work[at], known.work);
        add(&mut self.made.span[at], known.span);
    }

    /// Adds a task to the block of tasks, or begins one. The tasks of a block all start with the first one, and the
    /// creates of the others follow: the path gets no longer by that.
    fn fork(&mut self, parent: usize, create: usize, length: i64, task: usize, known: Known) {
        let depends = self.links.number(task).is_some() || !self.links.followers(task).is_empty();
        if let Group::Fork(first) = self.group
            && !depends
            && self.made.work[first + 1].saturating_add(known.work) <= self.little
            && self.made.work[first + 2].saturating_add(length) <= self.little
        {
            add(&mut self.made.work[first + 1], known.work);
            self.made.span[first + 1] = self.made.span[first + 1].max(known.span);
            add(&mut self.made.sync[first + 1], known.sync);
            self.lengthen(first + 2, interval(length));
            return;
        }
        let mark = Mark(self.columns.mark[create]);
        let first = self.made.add(parent, mark, interval(length), create);
        self.made.add(parent, block(Kind::Task), known, task);
        if depends {
            self.group = Group::None;
            return;
        }
        let other = Mark::new(Kind::Other, Edge::CreateCont, false);
        self.made.add(parent, other, interval(0), task);
        self.group = Group::Fork(first);
    }

    /// The dependences, between the nodes that stand for theirs.
    fn map_depends(&mut self) {
        let Depends { to, from } = self.columns.depends;
        let number = |node: u32| self.made.stands_for.binary_search(&node).ok().map(|at| at as u32);
        let pairs = to.iter().zip(from).filter_map(|(&to, &from)| Some((number(to)?, number(from)?)));
        let (to, from) = pairs.unzip();
        (self.made.depend_to, self.made.depend_from) = (to, from);
    }
}
