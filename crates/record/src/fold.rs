//! Folding while recording, by the rule of DAG Recorder: a subgraph that ran on one thread alone, a task or a section with
//! its tasks, gives way to one record with its totals. What is recorded then grows with migrations, not with tasks.
//!
//! Each thread keeps a stack of frames, one for each task that has begun here and not ended. A subgraph ran here alone when
//! as many tasks have run inside as were created inside, and all that ran were created inside: numbers are given in order,
//! so that is the smallest number that ran. Whatever the totals cannot express (teams, loops, dependences, tasks that move)
//! *spoils* the frames around it.

use crosscut_events::{Folded, TaskId, WaitKind};

use crate::process::Process;
use crate::{clock, sys};

/// Frames that a thread has room for. Deeper tasks are recorded in full.
const DEPTH: usize = 1 << 14;
/// Created tasks that are remembered, a power of two. When one is overwritten before it ran, its frames are not folded.
const CREATED: usize = 1 << 14;

const END: usize = 0;
const CREATE: usize = 1;
const CREATE_CONT: usize = 2;
const WAIT_CONT: usize = 3;
const OTHER_CONT: usize = 4;
const NODE_CREATE: usize = 0;
const NODE_WAIT: usize = 1;
const NODE_OTHER: usize = 2;
const NODE_END: usize = 3;

/// Sums over a part of a task and everything that ran inside.
#[derive(Clone, Copy, Default)]
struct Totals {
    work: u64,
    ready: [u64; 5],
    nodes: [u64; 4],
    edges: [u64; 5],
    /// Tasks that ran inside.
    ran: u64,
}

impl Totals {
    fn add(&mut self, other: &Totals) {
        self.work += other.work;
        self.ran += other.ran;
        for (sum, value) in self.ready.iter_mut().zip(other.ready) {
            *sum += value;
        }
        for (sum, value) in self.nodes.iter_mut().zip(other.nodes) {
            *sum += value;
        }
        for (sum, value) in self.edges.iter_mut().zip(other.edges) {
            *sum += value;
        }
    }
}

/// A stretch of the stream with what happened in it.
#[derive(Clone, Copy)]
struct Stretch {
    /// Where it begins, in which chunk.
    at: *mut u64,
    chunk: u64,
    start: u64,
    /// Numbers given before it.
    numbered: u64,
    totals: Totals,
    /// The smallest number of this thread's that ran inside.
    least: u64,
    last_start: u64,
    /// Cannot be folded, nor what is around it.
    spoiled: bool,
}

impl Stretch {
    fn new((at, chunk): (*mut u64, u64), start: u64, numbered: u64) -> Self {
        let totals = Totals::default();
        Stretch { at, chunk, start, numbered, totals, least: u64::MAX, last_start: 0, spoiled: false }
    }

    fn add(&mut self, inner: &Stretch) {
        self.totals.add(&inner.totals);
        self.least = self.least.min(inner.least);
        self.last_start = self.last_start.max(inner.last_start);
        self.spoiled |= inner.spoiled;
    }

    /// Whether everything that was created in it ran in it, and nothing else did.
    fn is_closed(&self, numbered: u64) -> bool {
        !self.spoiled && self.totals.ran == numbered - self.numbered && self.least > self.numbered
    }

    fn interval(&mut self, node: usize, start: u64, end: u64) {
        self.totals.work += end.saturating_sub(start);
        self.totals.nodes[node] += 1;
        self.last_start = self.last_start.max(start);
    }
}

/// A section of a task.
#[derive(Clone, Copy)]
struct Section {
    inside: Stretch,
    /// Opened by a group, not by a create.
    explicit: bool,
    code: u64,
    /// The task's critical path when it was opened.
    spine: u64,
    /// Critical path to the latest end of its tasks.
    join: u64,
    /// Tasks created by the task itself.
    children: u64,
    /// When the last of them ended.
    last_end: u64,
}

/// A task that has begun here.
#[derive(Clone, Copy)]
struct Frame {
    task: TaskId,
    /// Everything but the open section.
    inside: Stretch,
    section: Option<Section>,
    /// Critical path from the task's begin to the start of the interval.
    spine: u64,
    interval: u64,
    /// Waits since then; 0 while it runs.
    waits: u64,
    /// Something ran while it waited.
    disturbed: bool,
    /// It has sections within sections: which of them a wait ends is left to the reader.
    nests: bool,
    /// Nothing happened since it created a task.
    fresh: bool,
    /// The program itself or a lane: it is never folded as a whole.
    base: bool,
}

/// What is remembered of a created task until it has run.
#[derive(Clone, Copy)]
struct Created {
    number: u64,
    time: u64,
    /// The creator's critical path at that point.
    spine: u64,
    creator: TaskId,
    frame: usize,
}

/// The books of one thread.
pub struct Books {
    frames: *mut Frame,
    depth: usize,
    created: *mut Created,
    chunk: u64,
    /// Longest stretch and largest number of intervals to fold.
    max_ticks: u64,
    max_nodes: u64,
    thread: u32,
}

impl Books {
    /// Empty books; `None` when there is no memory for them.
    pub fn new(process: &Process) -> Option<Box<Books>> {
        let frames = sys::map_memory(DEPTH * size_of::<Frame>()).ok()?;
        let Ok(created) = sys::map_memory(CREATED * size_of::<Created>()) else {
            // SAFETY: it came from there, just now.
            unsafe { sys::unmap(frames, DEPTH * size_of::<Frame>()) };
            return None;
        };
        let (frames, created) = (frames.cast(), created.cast());
        let options = &process.options;
        let max_ticks = options.collapse_nanos.map_or(u64::MAX, |nanos| clock::from_nanos(process, nanos));
        let max_nodes = options.collapse_count.unwrap_or(u64::MAX);
        Some(Box::new(Books { frames, depth: 0, created, chunk: 0, max_ticks, max_nodes, thread: u32::MAX }))
    }

    /// What was stored so far cannot be reached any more.
    pub fn new_chunk(&mut self) {
        self.chunk += 1;
    }

    /// A task goes on here now that has no frame, or begins and will not be folded: the books begin anew with it.
    pub fn anew(&mut self, now: u64, task: TaskId, numbered: u64) {
        self.depth = 0;
        if task != TaskId::NONE {
            self.push(Frame {
                task,
                inside: Stretch::new((std::ptr::null_mut(), 0), now, numbered),
                section: None,
                spine: 0,
                interval: now,
                waits: 0,
                disturbed: false,
                nests: false,
                fresh: false,
                base: true,
            });
        }
    }

    /// The frame of the task that runs.
    #[inline]
    fn top(&mut self) -> Option<&mut Frame> {
        // SAFETY: frames below the depth were written.
        if self.depth == 0 { None } else { Some(unsafe { &mut *self.frames.add(self.depth - 1) }) }
    }

    fn push(&mut self, frame: Frame) -> bool {
        if self.depth == DEPTH {
            return false;
        }
        // SAFETY: there is room.
        unsafe { self.frames.add(self.depth).write(frame) };
        self.depth += 1;
        true
    }

    /// The frame of the task that runs, made when it is missing.
    fn current(&mut self, now: u64, task: TaskId, numbered: u64) -> Option<&mut Frame> {
        if self.top().is_none_or(|frame| frame.task != task) {
            self.anew(now, task, numbered);
        }
        self.top()
    }

    /// The frame of the task that runs cannot be folded, nor what is around it.
    pub fn spoil(&mut self) {
        if let Some(frame) = self.top() {
            frame.inside.spoiled = true;
            if let Some(section) = &mut frame.section {
                section.inside.spoiled = true;
            }
        }
    }

    /// A task was created; `at` is where that was stored.
    pub fn create(&mut self, now: u64, at: *mut u64, task: TaskId, creator: TaskId, serial: bool, code: u64) {
        self.thread = task.thread();
        let chunk = self.chunk;
        let before = task.count() - 1;
        let Some(frame) = self.current(now, creator, before) else { return };
        let section = frame.section.get_or_insert_with(|| Section {
            inside: Stretch::new((at, chunk), frame.interval, before),
            explicit: false,
            code,
            spine: frame.spine,
            join: 0,
            children: 0,
            last_end: 0,
        });
        section.inside.interval(NODE_CREATE, frame.interval, now);
        section.inside.totals.edges[CREATE] += 1;
        section.inside.totals.edges[CREATE_CONT] += 1;
        section.inside.spoiled |= serial;
        section.children += 1;
        frame.spine += now.saturating_sub(frame.interval);
        frame.interval = now;
        frame.fresh = true;
        let spine = frame.spine;
        let entry = Created { number: task.count(), time: now, spine, creator, frame: self.depth - 1 };
        // SAFETY: the index is below the length.
        unsafe { self.created.add(task.count() as usize & (CREATED - 1)).write(entry) };
    }

    /// A task began here, in the place of `suspended`.
    pub fn begin(&mut self, now: u64, at: *mut u64, task: TaskId, suspended: TaskId, numbered: u64) {
        let chunk = self.chunk;
        match self.current(now, suspended, numbered) {
            Some(frame) if frame.waits == 0 && !frame.fresh => self.spoil(),
            Some(frame) => frame.disturbed = true,
            None => {}
        }
        let frame = Frame {
            task,
            inside: Stretch::new((at, chunk), now, numbered),
            section: None,
            spine: 0,
            interval: now,
            waits: 0,
            disturbed: false,
            nests: false,
            fresh: false,
            base: false,
        };
        if !self.push(frame) {
            // Too deep: what is around cannot be known to be whole.
            self.spoil();
        }
    }

    /// The task that runs begins to wait.
    pub fn wait(&mut self, now: u64, kind: WaitKind) {
        let Some(frame) = self.top() else { return };
        if matches!(kind, WaitKind::Barrier | WaitKind::LastBarrier | WaitKind::Depend) {
            // A new beginning for a lane; for others it is out of the ordinary.
            self.depth = 0;
            return;
        }
        frame.waits = now;
        frame.disturbed = false;
        if let Some(section) = &mut frame.section {
            // A group that is waited for in parts is recorded in full.
            section.inside.spoiled |= section.explicit && kind == WaitKind::Tasks;
            section.inside.interval(NODE_WAIT, frame.interval, now);
            frame.spine += now.saturating_sub(frame.interval);
        }
        frame.fresh = false;
    }

    /// The task that runs has waited. A section that may be folded comes back, with where it begins.
    pub fn wait_end(&mut self, now: u64, task: TaskId, numbered: u64) -> Option<(*mut u64, Folded)> {
        let (chunk, max_ticks, max_nodes) = (self.chunk, self.max_ticks, self.max_nodes);
        if self.top().is_none_or(|frame| frame.task != task || frame.waits == 0) {
            // A barrier, or something as seldom.
            self.anew(now, task, numbered);
            return None;
        }
        let frame = self.top()?;
        let waited = std::mem::take(&mut frame.waits);
        let Some(mut section) = frame.section.take() else {
            // It had created nothing: the interval goes on, unless something else came in between.
            if frame.disturbed {
                frame.inside.interval(NODE_OTHER, frame.interval, waited);
                frame.inside.totals.edges[OTHER_CONT] += 1;
                frame.spine += waited.saturating_sub(frame.interval);
                frame.interval = now;
            }
            return None;
        };
        frame.interval = now;
        section.inside.totals.edges[END] += section.children;
        // What followed was made ready by the last task to end, or by the wait itself.
        let (edge, since) =
            if section.last_end > waited { (END, section.last_end) } else { (WAIT_CONT, waited) };
        section.inside.totals.ready[edge] += now.saturating_sub(since);
        frame.spine = frame.spine.max(section.join);
        let span = frame.spine - section.spine;
        let closed = section.inside.is_closed(numbered) && section.inside.chunk == chunk && !frame.nests;
        frame.inside.add(&section.inside);
        frame.inside.totals.edges[WAIT_CONT] += 1;
        let inside = &section.inside;
        if !closed || now - inside.start > max_ticks || inside.totals.nodes.iter().sum::<u64>() > max_nodes {
            return None;
        }
        Some((inside.at, folded(inside, task, task, numbered, span, section.code)))
    }

    /// The task that runs opens a section; `at` is where that was stored.
    pub fn group(&mut self, at: *mut u64, numbered: u64, code: u64) {
        let chunk = self.chunk;
        let Some(frame) = self.top() else { return };
        if frame.section.is_some() {
            frame.nests = true;
            self.spoil();
            return;
        }
        frame.section = Some(Section {
            inside: Stretch::new((at, chunk), frame.interval, numbered),
            explicit: true,
            code,
            spine: frame.spine,
            join: 0,
            children: 0,
            last_end: 0,
        });
    }

    /// The task that ran has ended. A task that may be folded comes back, with where it begins.
    pub fn end(&mut self, now: u64, task: TaskId, next: TaskId, numbered: u64) -> Option<(*mut u64, Folded)> {
        let frame = *self.top().filter(|frame| frame.task == task)?;
        self.depth -= 1;
        let mut inside = frame.inside;
        if let Some(section) = &frame.section {
            // Nobody waited for its tasks: they have not all been seen.
            inside.add(&section.inside);
            inside.spoiled = true;
        }
        inside.interval(NODE_END, frame.interval, now);
        let span = frame.spine + now.saturating_sub(frame.interval);
        let closed = inside.is_closed(numbered) && inside.chunk == self.chunk && !frame.base;
        self.pass_on(now, task, inside, span);
        if self.top().is_none_or(|below| below.task != next) {
            self.anew(now, next, numbered);
        }
        let nodes: u64 = inside.totals.nodes.iter().sum();
        if !closed || now - inside.start > self.max_ticks || nodes > self.max_nodes {
            return None;
        }
        Some((inside.at, folded(&inside, task, next, numbered, span, 0)))
    }

    /// Adds a task that has ended to the frame below it, and its path to that of its creator.
    fn pass_on(&mut self, now: u64, task: TaskId, mut inside: Stretch, span: u64) {
        inside.totals.ran += 1;
        let own = task.thread() == self.thread;
        inside.least = if own { inside.least.min(task.count()) } else { 0 };
        // SAFETY: the index is below the length; memory that was never written reads as zeros.
        let entry = unsafe { self.created.add(task.count() as usize & (CREATED - 1)).read() };
        let known = own && entry.number == task.count() && entry.frame < self.depth;
        if known {
            inside.totals.ready[CREATE] += inside.start.saturating_sub(entry.time);
        }
        let creator = known.then(|| {
            // SAFETY: it is below the depth.
            unsafe { &mut *self.frames.add(entry.frame) }
        });
        match creator {
            Some(frame) if frame.task == entry.creator && frame.section.is_some() => {
                if let Some(section) = &mut frame.section {
                    section.join = section.join.max(entry.spine + span);
                    section.last_end = section.last_end.max(now);
                }
            }
            _ => inside.spoiled = true,
        }
        if let Some(below) = self.top() {
            match &mut below.section {
                Some(section) => section.inside.add(&inside),
                None => below.inside.add(&inside),
            }
            if below.fresh && below.waits == 0 {
                // It ran right after it was created: the creator goes on now.
                below.interval = now;
            }
        }
    }
}

fn folded(inside: &Stretch, task: TaskId, next: TaskId, numbered: u64, span: u64, code: u64) -> Folded {
    Folded {
        task: task.0,
        next: next.0,
        numbered: numbered - inside.numbered,
        code,
        start: inside.start,
        last_start: inside.last_start,
        work: inside.totals.work,
        span,
        ready: inside.totals.ready,
        nodes: inside.totals.nodes,
        edges: inside.totals.edges,
    }
}

impl Drop for Books {
    fn drop(&mut self) {
        // SAFETY: they came from `map_memory` with these lengths.
        unsafe {
            sys::unmap(self.frames.cast(), DEPTH * size_of::<Frame>());
            sys::unmap(self.created.cast(), CREATED * size_of::<Created>());
        }
    }
}
