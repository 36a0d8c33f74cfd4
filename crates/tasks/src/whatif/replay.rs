//! The greedy scheduler. Workers take what is ready as most runtimes do: their own newest first, else the oldest of
//! another worker. Nothing is ready while a worker is idle, nothing is interrupted, and a worker goes on with its task
//! until that waits or ends, so every replay obeys Brent's bound: elapsed ≤ T1/P + (1 − 1/P) T∞.
//!
//! A section or task whose inside is gone (work w, span s) runs as a strand of length s beside pieces that any worker may
//! take, w − s in total and none longer than s: a DAG with that work and that span.
//!
//! Memory: 24 bytes (and 8 where it is queued) for each task that is created and has not ended, 56 for each section around what runs.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};

use crate::schema::{Kind, Mark};
use crosscut_tree::NodeId;

use super::cost::Cost;
use super::links::Links;
use crate::dag::{Join, join};
use crate::frame::Columns;

/// No task, no scope.
const NONE: u32 = u32::MAX;

/// What one worker did without a break: an interval, or a part of a block whose inside is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The interval or block.
    pub node: NodeId,
    /// The worker, from 0 on.
    pub worker: u32,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
}

/// What came of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Until the last end.
    pub elapsed: i64,
    /// Busy time of all workers, overhead included.
    pub busy: i64,
    /// Tasks, waits and pieces that went on at another worker than the one that made them ready.
    pub moved: u64,
}

/// A task that is created and has not ended.
#[derive(Clone, Copy, Debug)]
struct Task {
    node: u32,
    /// Its next node.
    at: u32,
    end: u32,
    /// The innermost scope of its own spine.
    scope: u32,
    /// The scope that waits for it.
    joiner: u32,
    /// The innermost scope around it with a deep wait, on the spines of others.
    deep: u32,
}

/// A section that waits, or a block whose pieces others may run.
#[derive(Clone, Copy, Debug)]
struct Scope {
    node: u32,
    /// Its wait has been reached when its task is here.
    end: u32,
    outer: u32,
    /// The innermost scope with a deep wait: itself or around it.
    deep: u32,
    /// The task that waits at its end.
    waiting: u32,
    /// Tasks and pieces that have not ended.
    pending: u32,
    /// What its task spends on the tasks that it waited for.
    sync: i64,
    /// Work of pieces that nobody has taken.
    left: i64,
    /// The longest piece.
    piece: i64,
}

/// What a worker can run.
#[derive(Clone, Copy, Debug)]
enum Item {
    Task(u32),
    Pieces(u32),
}

/// Who holds back something that depends on tasks.
#[derive(Clone, Copy, Debug)]
enum Held {
    Nobody,
    Task(u32),
    Scope(u32),
}

/// Flat vectors whose free places are used again.
#[derive(Debug)]
struct Slab<T> {
    list: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { list: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    fn add(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(at) => {
                self.list[at as usize] = value;
                at
            }
            None => {
                self.list.push(value);
                self.list.len() as u32 - 1
            }
        }
    }

    fn remove(&mut self, at: u32) {
        self.free.push(at);
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: u32) -> &T {
        &self.list[at as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, at: u32) -> &mut T {
        &mut self.list[at as usize]
    }
}

/// What is ready, by worker that made it so.
#[derive(Debug)]
struct Ready {
    deques: Vec<VecDeque<Item>>,
    /// A bit for each worker that has something.
    some: Vec<u64>,
    count: usize,
}

impl Ready {
    fn new(workers: usize) -> Self {
        Ready { deques: vec![VecDeque::new(); workers], some: vec![0; workers.div_ceil(64)], count: 0 }
    }

    #[inline]
    fn push(&mut self, worker: usize, item: Item) {
        self.deques[worker].push_back(item);
        self.some[worker / 64] |= 1 << (worker % 64);
        self.count += 1;
    }

    /// The next worker that has something, in a circle.
    fn victim(&self, after: usize) -> Option<usize> {
        let (word, bit) = (after / 64, after % 64);
        let above = self.some[word] & !(u64::MAX >> (63 - bit));
        if above != 0 {
            return Some(word * 64 + above.trailing_zeros() as usize);
        }
        let words = (word + 1..self.some.len()).chain(0..=word);
        words
            .map(|w| (w, self.some[w]))
            .find(|w| w.1 != 0)
            .map(|(w, bits)| w * 64 + bits.trailing_zeros() as usize)
    }

    /// What a worker takes next, and from whom; it stays where it is.
    #[inline]
    fn next(&self, worker: usize) -> Option<(usize, Item)> {
        if let Some(&own) = self.deques[worker].back() {
            return Some((worker, own));
        }
        let victim = if self.count == 0 { None } else { self.victim(worker) }?;
        self.deques[victim].front().map(|&item| (victim, item))
    }

    /// Removes what [`Ready::next`] said.
    #[inline]
    fn remove(&mut self, worker: usize, victim: usize) {
        let deque = &mut self.deques[victim];
        if victim == worker {
            deque.pop_back()
        } else {
            deque.pop_front()
        };
        if deque.is_empty() {
            self.some[victim / 64] &= !(1 << (victim % 64));
        }
        self.count -= 1;
    }
}

/// A replay in progress.
struct Machine<'a, C, T> {
    columns: Columns<'a>,
    links: &'a Links,
    cost: &'a C,
    trace: T,
    now: i64,
    workers: usize,
    tasks: Slab<Task>,
    scopes: Slab<Scope>,
    ready: Ready,
    running: Vec<Item>,
    /// On how many tasks each of those that depend on some still waits, and who is held back by that.
    missing: Vec<u32>,
    held: Vec<Held>,
    done: Replay,
}

/// Replays a tree on `workers` workers, which are at least one; `trace` is told of every step.
pub fn replay<C: Cost, T: FnMut(Step)>(
    columns: &Columns<'_>,
    links: &Links,
    cost: &C,
    workers: u32,
    trace: T,
) -> Replay {
    let workers = workers.max(1) as usize;
    let machine = Machine {
        columns: *columns,
        links,
        cost,
        trace,
        now: 0,
        workers,
        tasks: Slab::default(),
        scopes: Slab::default(),
        ready: Ready::new(workers),
        running: vec![Item::Task(NONE); workers],
        missing: links.counts().to_vec(),
        held: vec![Held::Nobody; links.counts().len()],
        done: Replay::default(),
    };
    machine.run()
}

impl<C: Cost, T: FnMut(Step)> Machine<'_, C, T> {
    fn run(mut self) -> Replay {
        let root = self.new_task(0, self.columns.len.len(), NONE, NONE);
        self.ready.push(0, Item::Task(root));
        let mut idle: Vec<u32> = (0..self.workers as u32).rev().collect();
        // When each busy worker's strand ends; of equal times the first worker's.
        let mut ends: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::with_capacity(self.workers);
        loop {
            while self.ready.count > 0
                && let Some(worker) = idle.pop()
            {
                match self.take(worker as usize) {
                    Some(until) => ends.push(Reverse((until, worker))),
                    None => {
                        idle.push(worker);
                        break;
                    }
                }
            }
            let Some(mut first) = ends.peek_mut() else { break };
            let Reverse((now, worker)) = *first;
            self.now = now;
            let goes_on = match self.running[worker as usize] {
                Item::Task(task) => self.go_on(task, worker as usize),
                Item::Pieces(scope) => {
                    self.one_less(scope, worker as usize);
                    None
                }
            };
            match goes_on.or_else(|| self.take(worker as usize)) {
                Some(until) => *first = Reverse((until, worker)),
                None => {
                    PeekMut::pop(first);
                    idle.push(worker);
                }
            }
        }
        self.done.elapsed = self.now;
        self.done
    }

    fn new_task(&mut self, node: usize, limit: usize, joiner: u32, deep: u32) -> u32 {
        let len = self.columns.len[node].max(1) as usize;
        // A task without an inside is a block: its only node is itself.
        let at = if len == 1 { node } else { node + 1 };
        let end = (node + len).min(limit);
        self.tasks.add(Task { node: node as u32, at: at as u32, end: end as u32, scope: NONE, joiner, deep })
    }

    /// Gives an idle worker what it runs next; says until when.
    fn take(&mut self, worker: usize) -> Option<i64> {
        loop {
            let (victim, item) = self.ready.next(worker)?;
            self.done.moved += u64::from(victim != worker);
            let until = match item {
                Item::Task(task) => {
                    self.ready.remove(worker, victim);
                    self.go_on(task, worker)
                }
                Item::Pieces(scope) => Some(self.take_pieces(scope, worker, victim)),
            };
            // A task may have nothing to do but to end.
            if until.is_some() {
                return until;
            }
        }
    }

    /// Takes some pieces at once, half of what each worker would get. No schedule shows that they are more than one: while
    /// they run, each of the others can take at most as many twice, so some are left when they end. Whenever a worker is
    /// idle, only single pieces are running.
    fn take_pieces(&mut self, id: u32, worker: usize, victim: usize) -> i64 {
        let scope = &mut self.scopes[id];
        let pieces = scope.left / scope.piece;
        let many = (pieces / (2 * self.workers as i64)).max(1);
        let length = many.saturating_mul(scope.piece).min(scope.left);
        scope.left -= length;
        scope.pending += 1;
        let node = scope.node;
        if scope.left == 0 {
            scope.pending -= 1;
            self.ready.remove(worker, victim);
        }
        self.running[worker] = Item::Pieces(id);
        self.tell(node as usize, worker, 0, length);
        self.done.busy = self.done.busy.saturating_add(length);
        self.now.saturating_add(length)
    }

    fn tell(&mut self, node: usize, worker: usize, from: i64, to: i64) {
        let (start, end) = (self.now.saturating_add(from), self.now.saturating_add(to));
        (self.trace)(Step { node: NodeId(node as u32), worker: worker as u32, start, end });
    }

    /// Runs a task from where it is to the next moment that others could notice: says when that is, or gives the worker
    /// away because the task waits or has ended.
    fn go_on(&mut self, id: u32, worker: usize) -> Option<i64> {
        let mut task = self.tasks[id];
        let mut length = 0i64;
        loop {
            let at = task.at as usize;
            let closes = task.scope != NONE && self.scopes[task.scope].end == task.at;
            let ends = task.at >= task.end;
            let mark = if ends { Mark(0) } else { Mark(self.columns.mark[at]) };
            let is_block = !ends && mark.kind().is_collective() && self.columns.len[at] <= 1;
            let creates = !ends && mark.kind() == Kind::Task && task.at != task.node;
            if length > 0 && (closes || ends || is_block || creates) {
                break;
            }
            if closes {
                if !self.close(id, &task) {
                    self.tasks[id] = task;
                    return None;
                }
                let scope = self.scopes[task.scope];
                self.scopes.remove(task.scope);
                (task.scope, length) = (scope.outer, scope.sync);
            } else if ends {
                self.end_task(id, &task, worker);
                return None;
            } else if creates {
                self.create(&task, worker);
                task.at = self.after(at, task.end);
            } else if is_block {
                task.at += 1;
                length = self.begin_block(&mut task, at, worker);
                self.tell(at, worker, 0, length);
            } else if self.columns.len[at] > 1 {
                self.open(&mut task, at);
                task.at += 1;
            } else {
                let more = self.cost.length(at);
                self.tell(at, worker, length, length.saturating_add(more));
                length = length.saturating_add(more);
                task.at += 1;
            }
        }
        self.tasks[id] = task;
        self.running[worker] = Item::Task(id);
        self.done.busy = self.done.busy.saturating_add(length);
        Some(self.now.saturating_add(length))
    }

    fn after(&self, node: usize, limit: u32) -> u32 {
        (node + self.columns.len[node].max(1) as usize).min(limit as usize) as u32
    }

    fn deep_around(&self, task: &Task) -> u32 {
        if task.scope == NONE { task.deep } else { self.scopes[task.scope].deep }
    }

    /// Enters a section.
    fn open(&mut self, task: &mut Task, node: usize) {
        let Columns { len, parent, mark, .. } = self.columns;
        let join = join(len, parent, mark, node);
        if join == Join::None {
            return;
        }
        let deep = self.deep_around(task);
        let end = self.after(node, task.end);
        task.scope = self.add_scope(node, end, task.scope, deep);
        if join == Join::All {
            self.scopes[task.scope].deep = task.scope;
        }
    }

    fn add_scope(&mut self, node: usize, end: u32, outer: u32, deep: u32) -> u32 {
        let node = node as u32;
        let none = Scope { node, end, outer, deep, waiting: NONE, pending: 0, sync: 0, left: 0, piece: 1 };
        self.scopes.add(none)
    }

    /// Begins a block: offers its pieces to everybody. Returns the length of its strand.
    fn begin_block(&mut self, task: &mut Task, node: usize, worker: usize) -> i64 {
        let (work, span) = self.cost.block(node);
        if work > span {
            let deep = self.deep_around(task);
            task.scope = self.add_scope(node, task.at, task.scope, deep);
            let scope = &mut self.scopes[task.scope];
            (scope.left, scope.piece, scope.pending) = (work - span, span.max(1), 1);
            self.ready.push(worker, Item::Pieces(task.scope));
        }
        span
    }

    fn create(&mut self, creator: &Task, worker: usize) {
        let node = creator.at as usize;
        let section = self.columns.parent[node];
        let own = creator.scope != NONE && self.scopes[creator.scope].node == section;
        let deep = self.deep_around(creator);
        let joiner = if own { creator.scope } else { deep };
        if joiner != NONE {
            let scope = &mut self.scopes[joiner];
            scope.pending += 1;
            scope.sync = scope.sync.saturating_add(self.cost.sync(node));
        }
        let task = self.new_task(node, creator.end as usize, joiner, deep);
        match self.links.place(node).filter(|&place| self.missing[place] > 0) {
            Some(place) => self.held[place] = Held::Task(task),
            None => self.ready.push(worker, Item::Task(task)),
        }
    }

    /// At the end of its scope a task goes on if all that it waits for has ended.
    fn close(&mut self, id: u32, task: &Task) -> bool {
        let wait = task.at as usize - 1;
        let place = self.links.place(wait).filter(|&place| self.missing[place] > 0);
        let scope = &mut self.scopes[task.scope];
        if let Some(place) = place {
            scope.pending += 1;
            self.held[place] = Held::Scope(task.scope);
        }
        if scope.pending > 0 {
            scope.waiting = id;
        }
        scope.pending == 0
    }

    /// Something that a scope waits for has ended.
    fn one_less(&mut self, id: u32, worker: usize) {
        let scope = &mut self.scopes[id];
        scope.pending = scope.pending.saturating_sub(1);
        if scope.pending == 0 && scope.waiting != NONE {
            let task = std::mem::replace(&mut scope.waiting, NONE);
            self.ready.push(worker, Item::Task(task));
        }
    }

    fn end_task(&mut self, id: u32, task: &Task, worker: usize) {
        self.tasks.remove(id);
        if task.joiner != NONE {
            self.one_less(task.joiner, worker);
        }
        let links = self.links;
        for &place in links.followers(task.node as usize) {
            let place = place as usize;
            self.missing[place] = self.missing[place].saturating_sub(1);
            if self.missing[place] > 0 {
                continue;
            }
            match std::mem::replace(&mut self.held[place], Held::Nobody) {
                Held::Nobody => {}
                Held::Task(task) => self.ready.push(worker, Item::Task(task)),
                Held::Scope(scope) => self.one_less(scope, worker),
            }
        }
    }
}
