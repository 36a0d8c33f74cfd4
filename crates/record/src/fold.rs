//! Folding while recording, by the rule of DAG Recorder: a subgraph that ran on one thread alone, a task or a section with
//! its tasks, gives way to one record with its totals. What is recorded then grows with migrations, not with tasks.
//!
//! Each thread keeps a stack of frames, one for each task that has begun here and not ended. A subgraph ran here alone when
//! as many tasks have run inside as were created inside, and all that ran were created inside: numbers are given in order,
//! so that is the smallest number that ran. Whatever the totals cannot express (teams, loops, dependences, tasks that move), and
//! the end of a chunk, *spoils* the frames around it.

use crosscut_events::{CHUNK_BYTES, Folded, TaskId, WaitKind, with_tag};

use crate::process::Process;
use crate::{clock, sys};

/// Frames that a thread has room for. Deeper tasks are recorded in full.
const DEPTH: usize = 1 << 14;
/// Created tasks that are remembered, a power of two: more than a chunk has room for, and what is not in one chunk cannot be
/// folded. When one is overwritten before it ran, its frames are not folded.
const CREATED: usize = 1 << 12;
const _: () = assert!(CREATED > CHUNK_BYTES / 8 / 3);

/// A record must take the room of so many.
const WORTH: usize = 4;

/// Sums over everything that ran on the thread. They only grow: a stretch remembers what they were when it began, and has the
/// difference. So nothing is added up from one task to the one around it. They are copied for every task that creates others:
/// what is counted is narrow, and may wrap around. A stretch with so many tasks does not look closed.
#[derive(Clone, Copy, Default)]
struct Totals {
    work: u64,
    /// Time that intervals were ready: begun tasks, and what went on after the last task of a section or after the wait.
    ready_begin: u64,
    ready_end: u64,
    ready_wait: u64,
    /// Tasks that ran.
    ran: u32,
    /// Intervals that end with a wait, and with something that is neither that nor a create.
    waits: u32,
    others: u32,
    /// What a record cannot express: no stretch with one of these inside can be folded.
    spoils: u32,
}

impl Totals {
    fn since(&self, before: &Totals) -> Totals {
        Totals {
            work: self.work - before.work,
            ready_begin: self.ready_begin - before.ready_begin,
            ready_end: self.ready_end - before.ready_end,
            ready_wait: self.ready_wait - before.ready_wait,
            ran: self.ran.wrapping_sub(before.ran),
            waits: self.waits.wrapping_sub(before.waits),
            others: self.others.wrapping_sub(before.others),
            spoils: self.spoils.wrapping_sub(before.spoils),
        }
    }

    /// What a record cannot express happened.
    #[inline]
    fn spoil(&mut self, if_so: bool) {
        self.spoils = self.spoils.wrapping_add(u32::from(if_so));
    }
}

/// What happened on the thread so far.
#[derive(Default)]
struct Sums {
    totals: Totals,
    /// When the last interval began.
    last_start: u64,
}

impl Sums {
    #[inline]
    fn interval(&mut self, start: u64, end: u64) {
        self.totals.work += end.saturating_sub(start);
        self.last_start = self.last_start.max(start);
    }
}

/// A stretch of the stream.
struct Stretch {
    /// Where it begins.
    at: *mut u64,
    start: u64,
    /// Numbers given before it.
    numbered: u64,
    /// What happened before it.
    before: Totals,
    /// The smallest number of this thread's that ran inside.
    least: u64,
}

impl Stretch {
    /// Begins anew, in place: frames are large, and copies of them would cost more than all the rest.
    #[inline]
    fn begin(&mut self, at: *mut u64, start: u64, numbered: u64, before: &Totals) {
        self.at = at;
        self.start = start;
        self.numbered = numbered;
        self.before = *before;
        self.least = u64::MAX;
    }

    /// Whether everything that was created in it ran in it, and nothing else did.
    #[inline]
    fn is_closed(&self, now: &Totals, numbered: u64) -> bool {
        let created = numbered - self.numbered;
        now.spoils == self.before.spoils
            && u64::from(now.ran.wrapping_sub(self.before.ran)) == created
            && self.least > self.numbered
    }

    /// Whether one record takes much less room than what was stored since it began: what is folded is soon folded again
    /// with what is around it, and each time costs as much as several tasks.
    #[inline]
    fn is_worth(&self, cursor: *mut u64) -> bool {
        let bytes = (cursor as usize).wrapping_sub(self.at as usize);
        bytes > WORTH * (1 + Folded::WORDS) * 8 && bytes <= CHUNK_BYTES
    }

    /// Whether it is no longer and no larger than was asked for, with so many intervals more. It is closed: as many tasks ran
    /// in it as were created.
    fn fits(&self, now: u64, totals: &Totals, more: u64, (max_ticks, max_nodes): (u64, u64)) -> bool {
        let Totals { ran, waits, others, .. } = totals.since(&self.before);
        let intervals = 2 * u64::from(ran) + u64::from(waits) + u64::from(others) + more;
        now - self.start <= max_ticks && intervals <= max_nodes
    }
}

/// A section of a task.
struct Section {
    is_open: bool,
    inside: Stretch,
    /// Opened by a group, not by a create.
    explicit: bool,
    code: u64,
    /// The task's critical path when it was opened.
    spine: u64,
    /// Critical path to the latest end of its tasks.
    join: u64,
    /// When the last of them ended.
    last_end: u64,
}

impl Section {
    /// Opens it, in place.
    #[inline]
    fn open(
        &mut self,
        at: *mut u64,
        (start, spine): (u64, u64),
        (numbered, before): (u64, &Totals),
        code: u64,
    ) {
        self.is_open = true;
        self.inside.begin(at, start, numbered, before);
        self.explicit = false;
        self.code = code;
        self.spine = spine;
        self.join = 0;
        self.last_end = 0;
    }
}

/// A task that has begun here. All zeros are a frame, too.
struct Frame {
    task: TaskId,
    inside: Stretch,
    /// The section that is open, if it says so.
    section: Section,
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

/// A task that has begun and in which nothing happened yet: most are so to their end, and need no frame.
struct Plain {
    /// Nobody when there is no such task.
    task: TaskId,
    /// Where it begins.
    at: *mut u64,
    start: u64,
    numbered: u64,
}

/// What is remembered of a created task until it has run.
#[derive(Clone, Copy)]
struct Created {
    time: u64,
    /// The creator's critical path at that point.
    spine: u64,
    creator: TaskId,
    /// The lower half of its number; the frame of its creator.
    number: u32,
    frame: u32,
}

/// The books of one thread.
pub struct Books {
    frames: *mut Frame,
    depth: usize,
    /// On top of the frames.
    plain: Plain,
    created: *mut Created,
    sums: Sums,
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
        let plain = Plain { task: TaskId::NONE, at: std::ptr::null_mut(), start: 0, numbered: 0 };
        Some(Box::new(Books {
            frames,
            depth: 0,
            plain,
            created,
            sums: Sums::default(),
            max_ticks,
            max_nodes,
            thread: u32::MAX,
        }))
    }

    /// What was stored so far cannot be reached any more, nor where the task that runs began.
    pub fn new_chunk(&mut self) {
        self.spoil();
    }

    /// A task goes on here now that has no frame, or begins and will not be folded: the books begin anew with it.
    #[cold]
    pub fn anew(&mut self, now: u64, task: TaskId, numbered: u64) {
        self.depth = 0;
        self.plain.task = TaskId::NONE;
        if task != TaskId::NONE && self.push(task, std::ptr::null_mut(), now, numbered) {
            self.top().into_iter().for_each(|frame| frame.base = true);
        }
    }

    /// The frame of the task that runs.
    #[inline]
    fn top(&mut self) -> Option<&mut Frame> {
        // SAFETY: frames below the depth were written.
        if self.depth == 0 { None } else { Some(unsafe { &mut *self.frames.add(self.depth - 1) }) }
    }

    /// The same, and what happened so far.
    #[inline]
    fn top_and_sums(&mut self) -> Option<(&mut Frame, &mut Sums)> {
        if self.depth == 0 {
            return None;
        }
        // SAFETY: as in `top`; the frames are no part of the books' own memory.
        let frame = unsafe { &mut *self.frames.add(self.depth - 1) };
        Some((frame, &mut self.sums))
    }

    /// A frame for a task that begins with what is stored there; not when there is no room.
    #[inline]
    fn push(&mut self, task: TaskId, at: *mut u64, now: u64, numbered: u64) -> bool {
        if self.depth == DEPTH {
            return false;
        }
        // SAFETY: there is room, and what was never written is all zeros.
        let frame = unsafe { &mut *self.frames.add(self.depth) };
        frame.task = task;
        frame.inside.begin(at, now, numbered, &self.sums.totals);
        frame.section.is_open = false;
        frame.spine = 0;
        frame.interval = now;
        frame.waits = 0;
        frame.disturbed = false;
        frame.nests = false;
        frame.fresh = false;
        frame.base = false;
        self.depth += 1;
        true
    }

    /// Something happens in the task that runs: from now on it has a frame.
    #[inline]
    fn settle(&mut self) {
        let task = std::mem::take(&mut self.plain.task);
        if task == TaskId::NONE {
            return;
        }
        let &Plain { at, start, numbered, .. } = &self.plain;
        if !self.push(task, at, start, numbered) {
            // Too deep: what is around cannot be known to be whole.
            self.spoil();
        }
    }

    /// The frame of the task that runs, made when it is missing.
    #[inline]
    fn current(&mut self, now: u64, task: TaskId, numbered: u64) -> Option<(&mut Frame, &mut Sums)> {
        self.settle();
        if self.top().is_none_or(|frame| frame.task != task) {
            self.anew(now, task, numbered);
        }
        self.top_and_sums()
    }

    /// The frame of the task that runs cannot be folded, nor what is around it.
    pub fn spoil(&mut self) {
        self.settle();
        self.sums.totals.spoil(true);
    }

    /// A task was created; `at` is where that was stored.
    pub fn create(&mut self, now: u64, at: *mut u64, task: TaskId, creator: TaskId, serial: bool, code: u64) {
        self.thread = task.thread();
        let before = task.count() - 1;
        let Some((frame, sums)) = self.current(now, creator, before) else { return };
        if !frame.section.is_open {
            let numbers = (before, &sums.totals);
            frame.section.open(at, (frame.interval, frame.spine), numbers, code);
        }
        sums.interval(frame.interval, now);
        sums.totals.spoil(serial);
        frame.spine += now.saturating_sub(frame.interval);
        frame.interval = now;
        frame.fresh = true;
        let spine = frame.spine;
        let (number, frame) = (task.count() as u32, self.depth as u32 - 1);
        let entry = Created { time: now, spine, creator, number, frame };
        // SAFETY: the index is below the length.
        unsafe { self.created.add(task.count() as usize & (CREATED - 1)).write(entry) };
    }

    /// A task began here, in the place of `suspended`.
    pub fn begin(&mut self, now: u64, at: *mut u64, task: TaskId, suspended: TaskId, numbered: u64) {
        match self.current(now, suspended, numbered) {
            Some((frame, _)) if frame.waits == 0 && !frame.fresh => self.spoil(),
            Some((frame, _)) => frame.disturbed = true,
            None => {}
        }
        self.plain = Plain { task, at, start: now, numbered };
    }

    /// The task that runs begins to wait.
    pub fn wait(&mut self, now: u64, kind: WaitKind) {
        self.settle();
        let Some((frame, sums)) = self.top_and_sums() else { return };
        if matches!(kind, WaitKind::Barrier | WaitKind::LastBarrier | WaitKind::Depend) {
            // A new beginning for a lane; for others it is out of the ordinary.
            self.depth = 0;
            return;
        }
        frame.waits = now;
        frame.disturbed = false;
        let section = &mut frame.section;
        if section.is_open {
            // A group that is waited for in parts is recorded in full.
            sums.totals.spoil(section.explicit && kind == WaitKind::Tasks);
            sums.interval(frame.interval, now);
            sums.totals.waits = sums.totals.waits.wrapping_add(1);
            frame.spine += now.saturating_sub(frame.interval);
        }
        frame.fresh = false;
    }

    /// The task that runs has waited. A section that may be folded, and is worth it with what is stored up to `cursor`,
    /// comes back, with where it begins.
    pub fn wait_end(
        &mut self,
        now: u64,
        task: TaskId,
        numbered: u64,
        cursor: *mut u64,
    ) -> Option<(*mut u64, Folded)> {
        let most = (self.max_ticks, self.max_nodes);
        self.settle();
        if self.top().is_none_or(|frame| frame.task != task || frame.waits == 0) {
            // A barrier, or something as seldom.
            self.anew(now, task, numbered);
            return None;
        }
        let (frame, sums) = self.top_and_sums()?;
        let waited = std::mem::take(&mut frame.waits);
        if !std::mem::take(&mut frame.section.is_open) {
            // It had created nothing: the interval goes on, unless something else came in between.
            if frame.disturbed {
                sums.interval(frame.interval, waited);
                sums.totals.others = sums.totals.others.wrapping_add(1);
                frame.spine += waited.saturating_sub(frame.interval);
                frame.interval = now;
            }
            return None;
        }
        let section = &mut frame.section;
        frame.interval = now;
        // What followed was made ready by the last task to end, or by the wait itself.
        let totals = &mut sums.totals;
        if section.last_end > waited {
            totals.ready_end += now.saturating_sub(section.last_end);
        } else {
            totals.ready_wait += now.saturating_sub(waited);
        }
        frame.spine = frame.spine.max(section.join);
        let span = frame.spine - section.spine;
        let inside = &section.inside;
        frame.inside.least = frame.inside.least.min(inside.least);
        let fits = inside.is_worth(cursor)
            && inside.is_closed(&sums.totals, numbered)
            && !frame.nests
            && inside.fits(now, &sums.totals, 0, most);
        fits.then(|| {
            (inside.at, folded((inside, sums), task, (task, Kind::Section), numbered, span, section.code))
        })
    }

    /// The task that runs opens a section; `at` is where that was stored.
    pub fn group(&mut self, at: *mut u64, numbered: u64, code: u64) {
        self.settle();
        let Some((frame, sums)) = self.top_and_sums() else { return };
        if frame.section.is_open {
            frame.nests = true;
            self.spoil();
            return;
        }
        let numbers = (numbered, &sums.totals);
        // The tag says that it was opened by a group.
        frame.section.open(at, (frame.interval, frame.spine), numbers, with_tag(code, 1));
        frame.section.explicit = true;
    }

    /// The task that ran has ended. A task that may be folded, and is worth it with what is stored up to `cursor`, comes
    /// back, with where it begins.
    pub fn end(
        &mut self,
        now: u64,
        task: TaskId,
        next: TaskId,
        numbered: u64,
        cursor: *mut u64,
    ) -> Option<(*mut u64, Folded)> {
        if self.plain.task == task && task != TaskId::NONE {
            // What is stored of it is shorter than a record.
            self.plain.task = TaskId::NONE;
            let start = self.plain.start;
            self.sums.interval(start, now);
            self.pass_on(now, task, start, now.saturating_sub(start), u64::MAX);
            if self.top().is_none_or(|below| below.task != next) {
                self.anew(now, next, numbered);
            }
            return None;
        }
        self.settle();
        if self.top().is_none_or(|frame| frame.task != task) {
            return None;
        }
        let most = (self.max_ticks, self.max_nodes);
        self.depth -= 1;
        // SAFETY: it was the top; nobody writes to it until another task begins.
        let frame = unsafe { &*self.frames.add(self.depth) };
        let (inside, sums) = (&frame.inside, &mut self.sums);
        // Nobody waited for the tasks of an open section: they have not all been seen.
        sums.totals.spoil(frame.section.is_open);
        let least = if frame.section.is_open { frame.section.inside.least } else { u64::MAX };
        sums.interval(frame.interval, now);
        let span = frame.spine + now.saturating_sub(frame.interval);
        let fits = inside.is_worth(cursor)
            && inside.is_closed(&sums.totals, numbered)
            && !frame.base
            && inside.fits(now, &sums.totals, 1, most);
        let done =
            fits.then(|| (inside.at, folded((inside, sums), task, (next, Kind::Task), numbered, span, 0)));
        self.pass_on(now, task, inside.start, span, least.min(inside.least));
        if self.top().is_none_or(|below| below.task != next) {
            self.anew(now, next, numbered);
        }
        done
    }

    /// A task has ended: the frame below it learns which tasks ran in it, its creator how long its path is.
    #[inline]
    fn pass_on(&mut self, now: u64, task: TaskId, start: u64, span: u64, least: u64) {
        let (number, ready) = self.tell_creator(now, task, start, span);
        let totals = &mut self.sums.totals;
        totals.ran = totals.ran.wrapping_add(1);
        totals.ready_begin += ready.unwrap_or(0);
        totals.spoil(ready.is_none());
        if let Some(below) = self.top() {
            let around = below.stretch();
            around.least = around.least.min(least).min(number);
            below.ran(now);
        }
    }

    /// Tells the section that a task was created in how far it goes. Returns the task's number, 0 when another thread gave
    /// it, and how long it was ready; nothing when its creator is not known here any more.
    #[inline]
    fn tell_creator(&mut self, now: u64, task: TaskId, start: u64, span: u64) -> (u64, Option<u64>) {
        if task.thread() != self.thread {
            return (0, None);
        }
        // SAFETY: the index is below the length; memory that was never written reads as zeros.
        let entry = unsafe { &*self.created.add(task.count() as usize & (CREATED - 1)) };
        if entry.number != task.count() as u32 || entry.frame as usize >= self.depth {
            return (task.count(), None);
        }
        // SAFETY: it is below the depth.
        let frame = unsafe { &mut *self.frames.add(entry.frame as usize) };
        let section = &mut frame.section;
        if frame.task != entry.creator || !section.is_open {
            return (task.count(), None);
        }
        section.join = section.join.max(entry.spine + span);
        section.last_end = section.last_end.max(now);
        (task.count(), Some(start.saturating_sub(entry.time)))
    }
}

impl Frame {
    /// The stretch that what happens now belongs to.
    #[inline]
    fn stretch(&mut self) -> &mut Stretch {
        if self.section.is_open { &mut self.section.inside } else { &mut self.inside }
    }

    /// A task ran on top of it until now.
    #[inline]
    fn ran(&mut self, now: u64) {
        if self.fresh && self.waits == 0 {
            // It ran right after it was created: the creator goes on now.
            self.interval = now;
        }
    }
}

/// What a record stands for.
enum Kind {
    Task,
    Section,
}

/// The record of a stretch. All that was created in it ran in it and was waited for.
fn folded(
    (inside, sums): (&Stretch, &Sums),
    task: TaskId,
    (next, kind): (TaskId, Kind),
    numbered: u64,
    span: u64,
    code: u64,
) -> Folded {
    let Totals { work, ready_begin, ready_end, ready_wait, ran, waits, others, .. } =
        sums.totals.since(&inside.before);
    let [creates, ran, waits, others] = [ran, ran, waits, others].map(u64::from);
    // A task ends itself; what follows the wait of a section is outside.
    let (ends, goes_on) = match kind {
        Kind::Task => (ran + 1, waits),
        Kind::Section => (ran, waits.saturating_sub(1)),
    };
    Folded {
        task: task.0,
        next: next.0,
        numbered: numbered - inside.numbered,
        code,
        start: inside.start,
        last_start: sums.last_start,
        work,
        span,
        ready: [ready_end, ready_begin, 0, ready_wait, 0],
        nodes: [creates, waits, others, ends],
        edges: [creates, creates, creates, goes_on, others],
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
