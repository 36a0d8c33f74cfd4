//! The schedule: a discrete-event simulation of workers that steal from each other.
//!
//! Each worker has a deque of tasks (or rests of tasks) that are ready. It pushes and pops at one end and thieves take
//! from the other, so they get the oldest. The rules:
//!
//! - *create*: takes [`Options::create`] after the interval, then the task can be run or stolen. With help-first the worker
//!   goes on with its own task and pushes the new one; with work-first it runs the new one and pushes the rest of its own.
//!   A worker whose deque is full does as with work-first, as the OpenMP runtimes do, so that a spawn loop does not
//!   fill the memory.
//! - *wait*: when tasks of the section still run, the worker leaves its task and looks for other work. The worker that ends
//!   the last of them goes on behind the wait at once (as in Cilk, and as untied tasks may in OpenMP).
//! - *looking for work*: first its own deque; then a theft, which takes [`Options::steal`]: from the first worker that has
//!   something, counted from a random one. When nobody has anything the worker sleeps until somebody pushes.
//!
//! The work of an interval depends on its node and the seed, never on the schedule: runs with other workers or another
//! policy have the same work and the same critical path.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};

use crosscut_tasks::schema::{Edge, Kind, Mark};

use crate::chance::{Chance, mix, scale};
use crate::options::{Options, Policy};
use crate::shape::{Item, Shape};

/// Tasks in a deque above which a worker runs a new task itself; LLVM's OpenMP runtime has the same number.
const FULL: usize = 256;
/// No frame.
const NONE: u32 = u32::MAX;
/// Nodes between two reports of progress.
const REPORT: u64 = 1 << 20;

/// Columns to be filled, one entry per node.
pub struct Times<'a> {
    /// Start of each leaf.
    pub start: &'a mut [i64],
    /// End of each leaf.
    pub end: &'a mut [i64],
    /// Place of each leaf.
    pub place: &'a mut [u32],
    /// [`Mark`] of each node.
    pub mark: &'a mut [u8],
}

/// A task or section that has begun, or a task that was created.
struct Frame<P> {
    part: P,
    /// The next node in it.
    next: u32,
    /// The node after it.
    end: u32,
    /// The next item in it.
    number: u32,
    /// The frame around it; for a task, the section that it was created in.
    up: u32,
    /// Tasks of this section that have not ended.
    running: u32,
    /// Whether it has reached its wait.
    waits: bool,
    /// What made its next interval ready.
    edge: Edge,
}

/// What a worker does at its next event.
#[derive(Clone, Copy)]
enum Then {
    /// Runs the next interval of its frame.
    Step,
    /// Has created this frame.
    Created(u32),
    /// Has reached the wait of its frame.
    Waited,
    /// Has ended the task of its frame.
    Ended,
    /// Reaches into the deque of somebody else.
    Steal,
}

struct Worker {
    frame: u32,
    then: Then,
    ready: VecDeque<u32>,
}

/// The simulation.
pub struct Schedule<'a, S: Shape> {
    shape: &'a S,
    options: &'a Options,
    /// The place of each worker.
    places: &'a [u32],
    out: Times<'a>,
    frames: Vec<Frame<S::Part>>,
    free: Vec<u32>,
    workers: Vec<Worker>,
    /// Frames in all deques.
    ready: usize,
    asleep: Vec<u32>,
    /// Workers that somebody's push has woken, with the time at which they steal.
    woken: Vec<(i64, u32)>,
    chance: Chance,
    seed: u64,
    done: u64,
}

impl<'a, S: Shape> Schedule<'a, S> {
    /// Everything before time 0: the root task is with worker 0.
    pub fn new(shape: &'a S, options: &'a Options, places: &'a [u32], out: Times<'a>) -> Self {
        let worker = |_| Worker { frame: NONE, then: Then::Steal, ready: VecDeque::new() };
        let mut schedule = Schedule {
            shape,
            options,
            places,
            out,
            frames: Vec::new(),
            free: Vec::new(),
            workers: places.iter().map(worker).collect(),
            ready: 0,
            asleep: (1..places.len() as u32).rev().collect(),
            woken: Vec::new(),
            chance: Chance::new(mix(options.seed)),
            seed: mix(!options.seed),
            done: 0,
        };
        let root = schedule.open(shape.root(), 0, NONE, Edge::Create);
        schedule.workers[0].frame = root;
        schedule.workers[0].then = Then::Step;
        schedule
    }

    /// Runs all tasks, and reports how many nodes are done.
    pub fn run(mut self, progress: &dyn Fn(u64)) {
        let mut events = BinaryHeap::from([Reverse((0, 0))]);
        let mut report = REPORT;
        while let Some(&Reverse((now, worker))) = events.peek() {
            let next = self.event(worker as usize, now);
            // The event that was just handled is still the first; it becomes the worker's next one, or goes.
            match (next, events.peek_mut()) {
                (Some(next), Some(mut first)) => first.0.0 = next,
                (None, Some(first)) => drop(PeekMut::pop(first)),
                (_, None) => {}
            }
            events.extend(self.woken.drain(..).map(Reverse));
            if self.done >= report {
                progress(self.done);
                report = self.done + REPORT;
            }
        }
        progress(self.done);
    }

    /// What worker `w` does now; the time of its next event, unless it sleeps.
    #[inline]
    fn event(&mut self, w: usize, now: i64) -> Option<i64> {
        let frame = self.workers[w].frame;
        match self.workers[w].then {
            Then::Step => Some(self.step(w, now)),
            Then::Created(task) => {
                let me = &mut self.workers[w];
                let is_full = me.ready.len() >= FULL;
                let (runs, waits) = match self.options.policy {
                    Policy::HelpFirst if !is_full => (frame, task),
                    _ => (task, frame),
                };
                me.frame = runs;
                me.ready.push_back(waits);
                self.ready += 1;
                if let Some(thief) = self.asleep.pop() {
                    self.woken.push((now + i64::from(self.options.steal), thief));
                }
                Some(self.step(w, now))
            }
            Then::Waited if self.frames[frame as usize].running == 0 => {
                self.go_on_after(w, frame, Edge::WaitCont);
                Some(self.step(w, now))
            }
            Then::Waited => {
                self.frames[frame as usize].waits = true;
                self.seek(w, now)
            }
            Then::Ended => {
                let section = self.frames[frame as usize].up;
                self.free.push(frame);
                if section == NONE {
                    return None; // the root: everything has ended
                }
                let open = &mut self.frames[section as usize];
                open.running -= 1;
                if open.running > 0 || !open.waits {
                    return self.seek(w, now);
                }
                self.go_on_after(w, section, Edge::End);
                Some(self.step(w, now))
            }
            Then::Steal => self.steal(w, now),
        }
    }

    /// Leaves a section whose tasks have all ended.
    fn go_on_after(&mut self, w: usize, section: u32, edge: Edge) {
        let up = self.frames[section as usize].up;
        self.frames[up as usize].edge = edge;
        self.free.push(section);
        self.workers[w].frame = up;
    }

    /// Runs the next interval of the worker's frame, opening sections on the way; the time of the next event.
    fn step(&mut self, w: usize, now: i64) -> i64 {
        loop {
            let at = self.workers[w].frame;
            let frame = &mut self.frames[at as usize];
            let item = self.shape.item(frame.part, frame.number, frame.end - frame.next);
            let (node, edge) = (frame.next, frame.edge);
            frame.number += 1;
            frame.next += 1;
            let (kind, step, then) = match item {
                Item::Section(part) => {
                    frame.next = node + self.shape.size(part);
                    self.workers[w].frame = self.open(part, node, at, edge);
                    continue;
                }
                Item::Spawn(step, part) => {
                    frame.next = node + 1 + self.shape.size(part);
                    frame.edge = Edge::CreateCont;
                    frame.running += 1;
                    let task = self.open(part, node + 1, at, Edge::Create);
                    (Kind::Create, step, Then::Created(task))
                }
                Item::Other(step) => {
                    frame.edge = Edge::OtherCont;
                    (Kind::Other, step, Then::Step)
                }
                Item::Close(step) if self.shape.is_task(frame.part) => (Kind::End, step, Then::Ended),
                Item::Close(step) => (Kind::Wait, step, Then::Waited),
            };
            let end = now + self.duration(node, step.work);
            let i = node as usize;
            self.out.start[i] = now;
            self.out.end[i] = end;
            self.out.place[i] = self.places[w];
            self.out.mark[i] = Mark::new(kind, edge, false).0;
            self.done += 1;
            self.workers[w].then = then;
            return if kind == Kind::Create { end + i64::from(self.options.create) } else { end };
        }
    }

    /// Finds something else to do.
    fn seek(&mut self, w: usize, now: i64) -> Option<i64> {
        if let Some(frame) = self.workers[w].ready.pop_back() {
            self.ready -= 1;
            self.workers[w].frame = frame;
            return Some(self.step(w, now));
        }
        self.workers[w].then = Then::Steal;
        if self.ready > 0 {
            return Some(now + i64::from(self.options.steal));
        }
        self.asleep.push(w as u32);
        None
    }

    fn steal(&mut self, w: usize, now: i64) -> Option<i64> {
        if self.ready > 0 {
            let n = self.workers.len();
            let first = self.chance.below(n as u64) as usize;
            let stolen = (first..first + n).find_map(|victim| self.workers[victim % n].ready.pop_front());
            if let Some(frame) = stolen {
                self.ready -= 1;
                self.workers[w].frame = frame;
                return Some(self.step(w, now));
            }
        }
        self.asleep.push(w as u32);
        None
    }

    /// Makes the frame of a task or section whose node is `node`.
    fn open(&mut self, part: S::Part, node: u32, up: u32, edge: Edge) -> u32 {
        let kind = if self.shape.is_task(part) { Kind::Task } else { Kind::Section };
        self.out.mark[node as usize] = Mark::new(kind, edge, false).0;
        self.done += 1;
        let end = node + self.shape.size(part);
        let frame = Frame { part, next: node + 1, end, number: 0, up, running: 0, waits: false, edge };
        match self.free.pop() {
            Some(at) => {
                self.frames[at as usize] = frame;
                at
            }
            None => {
                self.frames.push(frame);
                self.frames.len() as u32 - 1
            }
        }
    }

    /// The work of an interval: its share of the grain, more or less, and at least a nanosecond.
    #[inline]
    fn duration(&self, node: u32, percent: u32) -> i64 {
        let mean = u64::from(self.options.grain) * u64::from(percent) / 100;
        let spread = mean * u64::from(self.options.jitter) / 100;
        let work = mean - spread + scale(mix(self.seed ^ u64::from(node)), 2 * spread + 1);
        work.max(1) as i64
    }
}
