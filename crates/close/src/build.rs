//! The second pass: the task tree in pre-order. Each task is walked from its begin to its end through the events of the
//! threads that ran it; where it creates a task, that task is walked first. The stack of open walks is kept by hand.
//!
//! - A create opens a section when none is open; a wait closes it. A section that nobody waited for stays without a wait.
//! - A group is a section; its wait is deep, and so is a barrier's.
//! - A chunk of a loop that opens sections is a section around them; see [`Mark::chunk_section`].
//! - A team is a section with a fork and a task for each lane. Barriers cut it into phases, each a section of its own.

mod chunk;
mod create;
mod folded;
mod region;
mod wait;

use crosscut_events::{EventKind, Events, Joined, LockWait, MAX_COUNTERS, TaskId, WaitKind, code_of};
use crosscut_run::{NO_SITE, Places};
use crosscut_tasks::schema::{self, Chunk, Collapsed, Depend, Edge, Kind, Mark, TaskWriter};
use crosscut_tasks::{Block, Grow, Grown};

use crate::clock::Clock;
use crate::depends::Depends;
use crate::error::CloseError;
use crate::index::{Index, Point, begins_at, goes_on_at, pack_core};
use crate::locks::Locks;
use crate::sources::Sites;

use region::Region;

/// A process, ready to be walked.
pub struct Recorded<'a> {
    /// Its threads' events.
    pub threads: Vec<Events<'a>>,
    /// The number of its first thread over all processes.
    pub first_thread: usize,
    /// The first pass over them.
    pub index: Index,
    /// Its clock.
    pub clock: Clock,
    /// The entry of its `main`, 0 where it is not known.
    pub main: u64,
}

/// What was found on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Tasks that were created and never began.
    pub unstarted: u64,
    /// Tasks that began and did not end.
    pub unfinished: u64,
    /// Tasks that began and whose creation is not in the events.
    pub orphans: u64,
    /// What was folded with more work than it had time for, and was cut to that.
    pub overfull: u64,
}

/// Nodes that are written before somebody looks after them.
const NODES_AT_ONCE: u32 = 1 << 16;

/// A section that is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    by: By,
    /// Its node.
    node: u32,
    /// Its code; that of a group stands for what the runtime does in its place.
    code: u64,
    /// When the last task ended that its wait waits for.
    last_end: i64,
}

/// What opened a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// A create, or a wait that has a section of its own.
    Create,
    Group,
    /// The first section in a chunk of a loop: it stands around all of them.
    Chunk,
}

/// What a task is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Runs,
    /// It has just created a task: if that runs at once, the next interval begins afterwards.
    Fresh,
    /// It waits; its interval has ended. The time says since when.
    Waits(WaitKind, i64),
    /// It waits for nothing, since then. Whether something else ran meanwhile.
    Pauses(i64, bool),
    /// It has created a task that runs at once, before it goes on.
    Serial,
}

/// A walk through a task.
#[derive(Debug)]
struct Walk {
    id: TaskId,
    process: u32,
    thread: u32,
    core: u16,
    state: State,
    edge: Edge,
    /// Where in the thread's events.
    position: usize,
    /// The time of its last event.
    seen: u64,
    /// When it goes on elsewhere, though nothing may say here that it left.
    moves: u64,
    /// When the interval began, and from which code.
    start: i64,
    from: u64,
    /// Its sections are those in `open` from here on.
    sections: usize,
    /// Its groups hold sections rather than tasks.
    waits_in_group: bool,
    /// What most tasks do without.
    more: Option<Box<More>>,
    /// When the last of its descendants ended.
    last_end: i64,
}

/// What only few tasks have: lanes, loops, dependences, counters, moves from thread to thread.
#[derive(Debug, Default)]
struct More {
    /// The lane's number in the index, when it is one.
    lane: Option<usize>,
    /// The code of its region.
    region: u64,
    /// The chunk of a loop that runs, or several that were joined, and the loop's code.
    chunk: Option<Joined>,
    loop_code: u64,
    /// Tasks that it created in chunks and did not wait for.
    left_in_chunks: Vec<u32>,
    /// Locks that it waited for in this interval, with when they were given back.
    lock_waits: Vec<(u64, LockWait)>,
    depends: Depends,
    /// The counters when the interval began, and at the last event.
    counts: [u64; MAX_COUNTERS],
    counts_now: [u64; MAX_COUNTERS],
}

impl Walk {
    fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    fn take_chunk(&mut self) -> Option<Joined> {
        self.more.as_mut()?.chunk.take()
    }

    #[inline]
    fn is_in_chunk(&self) -> bool {
        self.more.as_ref().is_some_and(|more| more.chunk.is_some())
    }

    fn lane(&self) -> Option<usize> {
        self.more.as_ref()?.lane
    }

    /// The interval begins with what the counters say now.
    fn restart_counts(&mut self) {
        if let Some(more) = &mut self.more {
            more.counts = more.counts_now;
        }
    }
}

enum Step {
    Walk(Walk),
    Region(Region),
}

/// The tree in the making.
pub struct Builder<'a, 'w> {
    processes: &'a [Recorded<'a>],
    grow: Grow<'w>,
    places: &'a mut Places,
    sites: &'a mut Sites,
    /// Nodes for which there is room.
    limit: u32,
    /// When there are so many nodes, something has to be looked after.
    look: u32,
    /// What went wrong where no error could be returned.
    failed: Option<CloseError>,
    open: Vec<Open>,
    /// Where each lane goes on after its barrier, by process and number in the index.
    lanes: Vec<Vec<Barrier>>,
    /// The place of a thread on a core, asked for last.
    recent_place: (u32, u16, u32),
    collapsed: Vec<Collapsed>,
    depends: Vec<Depend>,
    chunks: Vec<Chunk>,
    joined: Vec<schema::Joined>,
    locks: Locks,
    visited: u64,
    gaps: Gaps,
    /// Called now and then with the nodes written.
    watch: &'a mut dyn FnMut(u32) -> Result<(), CloseError>,
}

/// What of the result does not fit into columns that were made beforehand.
pub struct Built {
    pub nodes: usize,
    pub grown: Grown,
    pub collapsed: Vec<Collapsed>,
    pub depends: Vec<Depend>,
    pub chunks: Vec<Chunk>,
    pub joined: Vec<schema::Joined>,
    pub locks: Locks,
    pub gaps: Gaps,
}

/// Where a walk begins, from this time and code on. Its node was opened last.
struct Entry {
    id: TaskId,
    begin: Point,
    /// Where in the thread's events, there or right behind.
    position: usize,
    /// When it goes on elsewhere.
    moves: u64,
    start: i64,
    from: u64,
}

/// Where a lane goes on after a barrier: when it came there, and from which code.
#[derive(Clone, Copy, Debug, Default)]
struct Barrier {
    point: Point,
    time: i64,
    code: u64,
}

/// Why a walk stopped.
enum Stop {
    /// This task comes first.
    Enters(Entry),
    /// This team comes first.
    Forks(Region),
    /// The task, or the lane's phase, has ended.
    Ended,
}

impl<'a, 'w> Builder<'a, 'w> {
    /// Fills the columns of `writer`, which are long enough for all nodes.
    pub fn new(
        processes: &'a [Recorded<'a>],
        writer: &'w mut TaskWriter,
        places: &'a mut Places,
        sites: &'a mut Sites,
        watch: &'a mut dyn FnMut(u32) -> Result<(), CloseError>,
    ) -> Self {
        let limit = writer.node_count() as u32;
        let lanes = processes.iter().map(|p| vec![Barrier::default(); p.index.lanes.len()]).collect();
        Builder {
            processes,
            grow: Grow::new(writer, places.worker_count()),
            places,
            sites,
            limit,
            look: 0,
            failed: None,
            open: Vec::new(),
            lanes,
            recent_place: (u32::MAX, 0, 0),
            collapsed: Vec::new(),
            depends: Vec::new(),
            chunks: Vec::new(),
            joined: Vec::new(),
            locks: Locks::default(),
            visited: 0,
            gaps: Gaps::default(),
            watch,
        }
    }

    /// Walks through all roots. Several stand side by side under a task that the run adds.
    pub fn run(mut self) -> Result<Built, CloseError> {
        let mut roots: Vec<(usize, usize)> = Vec::new();
        for (process, recorded) in self.processes.iter().enumerate() {
            let all = &recorded.index.roots;
            let acting = (0..all.len()).filter(|&root| all[root].acts);
            let from = roots.len();
            roots.extend(acting.map(|root| (process, root)));
            if roots.len() == from && !all.is_empty() {
                roots.push((process, 0));
            }
        }
        if let [(process, root)] = roots[..] {
            self.grow.open(Kind::Task, Edge::Create);
            self.root(process, root)?;
        } else {
            self.side_by_side(&roots)?;
        }
        let begun: usize = self.processes.iter().map(|process| process.index.begun()).sum();
        self.gaps.orphans = (begun as u64).saturating_sub(self.visited);
        self.depends.sort_unstable();
        self.depends.dedup();
        self.look_after()?;
        Ok(Built {
            nodes: self.grow.nodes() as usize,
            grown: self.grow.finish(),
            collapsed: self.collapsed,
            depends: self.depends,
            chunks: self.chunks,
            joined: self.joined,
            locks: self.locks,
            gaps: self.gaps,
        })
    }

    fn side_by_side(&mut self, roots: &[(usize, usize)]) -> Result<(), CloseError> {
        self.grow.open(Kind::Task, Edge::Create);
        self.grow.open(Kind::Section, Edge::Create);
        let mut edge = Edge::Create;
        let mut end = 0;
        for &(process, root) in roots {
            let recorded = &self.processes[process];
            let found = &recorded.index.roots[root];
            let time = recorded.clock.time(found.ticks);
            let at = (found.begin.thread() as u32, found.begin.core());
            self.leaf(Mark::new(Kind::Fork, edge, false), (time, time), at, NO_SITE);
            self.grow.open(Kind::Task, Edge::Create);
            end = end.max(self.root(process, root)?);
            edge = Edge::CreateCont;
        }
        self.leaf(Mark::deep_wait(edge), (end, end), (0, 0), NO_SITE);
        self.grow.close();
        self.leaf(Mark::new(Kind::End, Edge::End, false), (end, end), (0, 0), NO_SITE);
        self.grow.close();
        Ok(())
    }

    /// Walks through one root, whose node is open, and everything below it. Returns when the last of it ended.
    fn root(&mut self, process: usize, root: usize) -> Result<i64, CloseError> {
        let recorded = &self.processes[process];
        let found = &recorded.index.roots[root];
        let start = recorded.clock.time(found.ticks);
        let (id, begin) = (found.id, found.begin);
        let moves = self.moves(process as u32, id, 0);
        // The program itself; a thread that it starts begins wherever that is.
        let from = if found.ticks == 0 { recorded.main } else { 0 };
        let entry = Entry { id, begin, position: begin.position(), moves, start, from };
        let mut walk = self.walk(process as u32, entry);
        self.set_counts(&mut walk, found.begin, 2);
        let mut last = 0;
        let mut stack = vec![Step::Walk(walk)];
        while let Some(step) = stack.last_mut() {
            let Step::Walk(walk) = step else {
                if let Some(Step::Region(region)) = stack.pop() {
                    self.step_region(region, &mut stack);
                }
                continue;
            };
            // A walk stays where it is: tasks are many, and moving them takes time.
            match self.step_walk(walk)? {
                Stop::Enters(entry) => stack.push(Step::Walk(self.walk(process as u32, entry))),
                Stop::Forks(region) => stack.push(Step::Region(region)),
                Stop::Ended => {
                    last = walk.last_end;
                    stack.truncate(stack.len() - 1);
                    last = self.ended(last, stack.last_mut());
                }
            }
        }
        Ok(last)
    }

    #[inline]
    fn walk(&self, process: u32, entry: Entry) -> Walk {
        let Entry { id, begin, position, moves, start, from } = entry;
        let waits_in_group = &self.processes[process as usize].index.waits_in_group;
        Walk {
            id,
            process,
            thread: begin.thread() as u32,
            core: begin.core(),
            state: State::Runs,
            edge: Edge::Create,
            position,
            seen: 0,
            moves,
            start,
            from,
            sections: self.open.len(),
            waits_in_group: !waits_in_group.is_empty() && waits_in_group.contains(&id),
            more: None,
            last_end: start,
        }
    }

    /// Takes over the counters at the event of so many words that ends at a point.
    fn set_counts(&self, walk: &mut Walk, point: Point, words: usize) {
        if self.grow.counters.is_empty() {
            return;
        }
        let recorded = &self.processes[walk.process as usize];
        if let Some(events) =
            point.thread().checked_sub(recorded.first_thread).and_then(|t| recorded.threads.get(t))
        {
            walk.more().counts_now = counts_before(events, point.position().saturating_sub(words));
            walk.restart_counts();
        }
    }

    /// A task has ended, or a lane has come to a barrier: tells those around it. Its descendants ended at this time.
    fn ended(&mut self, last: i64, around: Option<&mut Step>) -> i64 {
        let own = self.grow.last_end();
        let last = last.max(own);
        match around {
            Some(Step::Walk(creator)) => {
                creator.last_end = creator.last_end.max(last);
                if let Some(section) = self.open.last_mut() {
                    let is_group = section.by == By::Group;
                    section.last_end = section.last_end.max(if is_group { last } else { own });
                }
            }
            Some(Step::Region(region)) => {
                region.arrival = region.arrival.max(own);
                region.last_end = region.last_end.max(last);
            }
            None => {}
        }
        last
    }

    /// Tells how far it is, and of what went wrong.
    #[cold]
    fn look_after(&mut self) -> Result<(), CloseError> {
        let nodes = self.grow.nodes();
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        if nodes > self.limit {
            return Err(CloseError::TooMany { what: "nodes", limit: self.limit.into() });
        }
        (self.watch)(nodes)?;
        self.look = (nodes.saturating_add(NODES_AT_ONCE)).min(self.limit.saturating_add(1));
        Ok(())
    }

    /// A leaf on a thread and core.
    #[inline(always)]
    fn leaf(&mut self, mark: Mark, (start, end): (i64, i64), (thread, core): (u32, u16), site: u32) -> u32 {
        let place = self.place(thread, core);
        self.grow.leaf(Block { mark, start, end: end.max(start), place, worker: thread, site })
    }

    #[inline]
    fn place(&mut self, thread: u32, core: u16) -> u32 {
        let (of, on, place) = self.recent_place;
        if (of, on) == (thread, core) { place } else { self.new_place(thread, core) }
    }

    #[cold]
    fn new_place(&mut self, thread: u32, core: u16) -> u32 {
        let place = match core {
            0 => Ok(thread),
            core => self.places.intern(thread as usize, i64::from(core) - 1),
        };
        let place = place.unwrap_or_else(|error| {
            self.failed = Some(error.into());
            self.look = 0;
            thread
        });
        self.recent_place = (thread, core, place);
        place
    }

    /// Ends the interval of the task as a leaf of this kind, in the node that was opened last.
    #[inline]
    fn interval(&mut self, walk: &mut Walk, kind: Kind, end: i64, to: u64) -> u32 {
        self.interval_marked(walk, Mark::new(kind, walk.edge, false), end, to)
    }

    #[inline]
    fn interval_marked(&mut self, walk: &mut Walk, mark: Mark, end: i64, to: u64) -> u32 {
        let to = if to == 0 { walk.from } else { to };
        let site = self.sites.site(walk.process, walk.from, to);
        let node = self.leaf(mark, (walk.start, end), (walk.thread, walk.core), site);
        walk.start = end;
        walk.from = to;
        if !self.grow.counters.is_empty() {
            self.count(walk, node);
        }
        if let Some(more) = &mut walk.more
            && !more.lock_waits.is_empty()
        {
            let process = &self.processes[walk.process as usize];
            let on = (walk.process, walk.thread, process.clock);
            self.locks.add_waits(node, on, &mut more.lock_waits, self.sites);
        }
        walk.edge = match mark.kind() {
            Kind::Create | Kind::Fork => Edge::CreateCont,
            Kind::Wait => Edge::WaitCont,
            _ => Edge::OtherCont,
        };
        node
    }

    /// What the counters counted in an interval.
    fn count(&mut self, walk: &mut Walk, node: u32) {
        let more = walk.more();
        for (at, column) in self.grow.counters.iter_mut().enumerate() {
            if let Some(count) = column.get_mut(node as usize) {
                *count = more.counts_now[at].saturating_sub(more.counts[at]) as i64;
            }
        }
        walk.restart_counts();
    }

    /// Opens a section of the task. Its code is that of the group, or of what opens it.
    #[inline]
    fn open_section(&mut self, walk: &Walk, by: By, code: u64) {
        if walk.is_in_chunk() {
            self.open_chunk(walk);
        }
        let site = self.sites.site(walk.process, code, code);
        let node = self.grow.open_section(walk.edge, site);
        self.open.push(Open { by, node, code, last_end: 0 });
    }

    /// Whether code of a lane has the line of its region: GCC gives that to the calls of some constructs inside, and what was
    /// known before says more.
    fn is_of_region(&self, walk: &Walk, code: u64) -> bool {
        let region = walk.more.as_ref().map_or(0, |more| more.region);
        region != 0 && self.sites.source(walk.process, region) == self.sites.source(walk.process, code)
    }

    /// The code of a create or wait: where the runtime names itself, that of the group or of the interval.
    #[inline]
    fn code(&self, walk: &Walk, word: u64) -> u64 {
        self.user_code(walk, code_of(word))
    }

    /// The same of a code that may be marked.
    #[inline]
    fn user_code(&self, walk: &Walk, code: u64) -> u64 {
        if !self.sites.is_runtime(walk.process, code) {
            return code;
        }
        let group =
            self.open[walk.sections..].iter().rev().find(|open| open.by == By::Group && open.code != 0);
        group.map_or(walk.from, |open| open.code)
    }

    /// Walks on until the task ends or something has to be walked before.
    fn step_walk(&mut self, walk: &mut Walk) -> Result<Stop, CloseError> {
        let recorded = &self.processes[walk.process as usize];
        let clock = recorded.clock;
        let events_of = |walk: &Walk| &recorded.threads[walk.thread as usize - recorded.first_thread];
        let mut events = events_of(walk);
        loop {
            if self.grow.nodes() >= self.look {
                self.look_after()?;
            }
            // Damage was noted in the first pass; here it is an end like any other.
            let Some((event, next)) = events.at(walk.position) else {
                if !self.next_fragment(walk) {
                    return Ok(self.cut_short(walk, recorded));
                }
                events = events_of(walk);
                continue;
            };
            if event.ticks > walk.moves {
                walk.moves = self.moves(walk.process, walk.id, walk.seen);
                if event.ticks > walk.moves && self.next_fragment(walk) {
                    events = events_of(walk);
                    continue;
                }
            }
            walk.position = next;
            let time = || clock.time(event.ticks);
            if !self.grow.counters.is_empty() && !matches!(event.kind, EventKind::Core | EventKind::Count) {
                walk.more().counts_now = counts_before(events, event.position);
            }
            if !matches!(event.kind, EventKind::Begin | EventKind::Core) {
                walk.seen = walk.seen.max(event.ticks);
            }
            match event.kind {
                EventKind::Core => walk.core = pack_core(event.word()),
                EventKind::Create => {
                    if let Some(entry) = self.create(walk, &event, time()) {
                        return Ok(Stop::Enters(entry));
                    }
                }
                EventKind::Begin => {
                    let id = TaskId(event.word());
                    if id == walk.id {
                        walk.start = time();
                        walk.restart_counts();
                    } else {
                        self.pause(walk, time());
                        if let Some(end) = nested_end(events, recorded.index.end(id), walk) {
                            self.skip_to(walk, events, end, &clock);
                        } else if self.next_fragment(walk) {
                            events = events_of(walk);
                        } else {
                            return Ok(self.cut_short(walk, recorded));
                        }
                    }
                }
                EventKind::FoldedTask => {
                    self.pause(walk, time());
                    self.resume(walk, time());
                }
                EventKind::EndTo | EventKind::LaneEnd => {
                    self.finish(walk, time(), 0);
                    return Ok(Stop::Ended);
                }
                EventKind::Switch => {
                    if TaskId(event.word()) != walk.id {
                        self.pause(walk, time());
                        if !self.next_fragment(walk) {
                            return Ok(self.cut_short(walk, recorded));
                        }
                        events = events_of(walk);
                    } else if walk.state != State::Runs {
                        // It goes on where it was.
                        self.resume(walk, time());
                    }
                }
                EventKind::Wait => {
                    if self.wait(walk, &event, events, time()) {
                        return Ok(Stop::Ended);
                    }
                }
                EventKind::WaitEnd => self.wait_end(walk, time()),
                EventKind::Group => {
                    self.open_section(walk, By::Group, begins_at(event.word()));
                    walk.state = State::Runs;
                }
                EventKind::Fork => return Ok(Stop::Forks(self.fork(walk, &event, time()))),
                EventKind::Loop => {
                    walk.more().loop_code = code_of(event.word());
                    walk.state = State::Runs;
                }
                EventKind::Chunk | EventKind::Chunks => {
                    self.end_chunk(walk, time());
                    walk.more().chunk = Some(chunk::of(&event));
                    walk.state = State::Runs;
                }
                EventKind::LockWait => {
                    let wait = LockWait::from_words(event.payload).map(|wait| (event.ticks, wait));
                    walk.more().lock_waits.extend(wait);
                }
                EventKind::Created => {
                    if walk.state == State::Fresh {
                        self.resume(walk, time());
                    }
                }
                EventKind::LoopEnd => {
                    if walk.is_in_chunk() {
                        self.end_chunk(walk, time());
                    }
                }
                EventKind::FoldedSection => self.folded_section(walk, &event, time()),
                EventKind::Depend | EventKind::Count | EventKind::LockUse | EventKind::Processor => {}
                EventKind::GoesOn => {
                    let code = goes_on_at(event.word());
                    let is_known =
                        !self.sites.is_runtime(walk.process, code) && !self.is_of_region(walk, code);
                    if is_known && !walk.is_in_chunk() {
                        // What it ran before has ended, unless it is right behind a team.
                        if walk.state == State::Runs && time() > walk.start {
                            self.interval(walk, Kind::Other, time(), code);
                        }
                        walk.from = code;
                    }
                }
                // What tells of messages is read by itself.
                EventKind::MpiCall
                | EventKind::MpiCallOn
                | EventKind::MpiReturn
                | EventKind::MpiHandle
                | EventKind::MpiDone
                | EventKind::MpiFrom
                | EventKind::MpiComm
                | EventKind::MpiMembers
                | EventKind::MpiPolled => {}
                // They are in files of their own.
                EventKind::Frames | EventKind::Stack | EventKind::Sample => {}
                // These belong to others: the end of this task is missing.
                EventKind::Join | EventKind::Lane | EventKind::Root => {
                    return Ok(self.cut_short(walk, recorded));
                }
            }
        }
    }

    /// Goes on right after the task that it gave way to.
    #[inline]
    fn skip_to(&mut self, walk: &mut Walk, events: &Events<'_>, end: Point, clock: &Clock) {
        walk.core = end.core();
        walk.position = end.position();
        // The last event of a task has one payload word.
        let last = end.position() - 2;
        if !self.grow.counters.is_empty() {
            walk.more().counts_now = counts_before(events, last);
        }
        let ended = events.words()[last] >> 8;
        walk.seen = walk.seen.max(ended);
        self.resume(walk, clock.time(ended));
    }

    /// Something else runs on the thread from now on.
    #[inline]
    fn pause(&mut self, walk: &mut Walk, time: i64) {
        match &mut walk.state {
            State::Runs => {
                self.interval(walk, Kind::Other, time, 0);
            }
            State::Pauses(_, disturbed) => *disturbed = true,
            State::Fresh | State::Waits(..) | State::Serial => {}
        }
    }

    /// It goes on.
    #[inline]
    fn resume(&mut self, walk: &mut Walk, time: i64) {
        match walk.state {
            State::Runs | State::Fresh => walk.start = time,
            State::Serial => self.close_serial(walk, time),
            State::Waits(..) | State::Pauses(..) => {}
        }
        walk.restart_counts();
    }

    /// When a task goes on elsewhere, after this time; the end of all time when it does not.
    #[inline]
    fn moves(&self, process: u32, id: TaskId, after: u64) -> u64 {
        let fragments = &self.processes[process as usize].index.fragments;
        if fragments.is_empty() {
            return u64::MAX;
        }
        let list = fragments.get(&id).map_or(&[][..], Vec::as_slice);
        list.get(list.partition_point(|&(ticks, _)| ticks <= after)).map_or(u64::MAX, |&(ticks, _)| ticks)
    }

    /// Moves to where the task goes on after it was suspended, on some thread. That may have been before the thread that it
    /// left began with something else.
    fn next_fragment(&mut self, walk: &mut Walk) -> bool {
        let recorded = &self.processes[walk.process as usize];
        let Some(list) = recorded.index.fragments.get(&walk.id) else { return false };
        let Some(&(ticks, point)) = list.get(list.partition_point(|&(ticks, _)| ticks <= walk.seen)) else {
            return false;
        };
        walk.seen = ticks;
        walk.moves = self.moves(walk.process, walk.id, ticks);
        walk.thread = point.thread() as u32;
        walk.core = point.core();
        walk.position = point.position();
        self.set_counts(walk, point, 2);
        self.resume(walk, recorded.clock.time(ticks));
        true
    }

    /// The last interval of a task or of a lane's phase, which ends at some code if that is known.
    #[inline]
    fn finish(&mut self, walk: &mut Walk, time: i64, to: u64) {
        if walk.is_in_chunk() {
            self.end_chunk(walk, time);
        }
        if let State::Pauses(since, true) = walk.state {
            walk.start = walk.start.max(since);
        }
        while self.open.len() > walk.sections {
            self.close_section();
        }
        self.interval(walk, Kind::End, time, to);
        self.grow.close();
    }

    /// The events of a task end before it does: what is known of it ends with the thread.
    #[cold]
    fn cut_short(&mut self, walk: &mut Walk, recorded: &Recorded<'_>) -> Stop {
        let is_root = recorded.index.roots.iter().any(|root| root.id == walk.id);
        if !is_root {
            self.gaps.unfinished += 1;
        }
        let last = recorded.index.last_ticks[walk.thread as usize - recorded.first_thread];
        let last = recorded.clock.time(last).max(walk.last_end);
        match walk.state {
            // It ran when the events ended, unless it was suspended.
            State::Runs | State::Fresh if is_root || !self.is_suspended(walk, recorded) => {}
            State::Waits(..) => walk.start = last,
            _ => walk.start = walk.start.min(last),
        }
        let end = if matches!(walk.state, State::Runs | State::Fresh) { last } else { walk.start };
        self.finish(walk, end.max(walk.start), 0);
        Stop::Ended
    }

    /// Whether the task gave way to another that did not end.
    fn is_suspended(&self, walk: &Walk, recorded: &Recorded<'_>) -> bool {
        let mut events = recorded.threads[walk.thread as usize - recorded.first_thread].from(walk.position);
        matches!(events.step(), Ok(Some(_)))
    }
}

/// Where a task goes on that gave way to another, when that ended on the same thread, further on, and the task went on there.
fn nested_end(events: &Events<'_>, end: Point, walk: &Walk) -> Option<Point> {
    let is_here = end.is_nested() && end.thread() as u32 == walk.thread;
    let is_further = Events::rank(end.position()) > Events::rank(walk.position);
    let is_inside = (2..=events.words().len()).contains(&end.position());
    (is_here && is_further && is_inside).then_some(end)
}

/// The counters as they were at the event whose head stands there: their own event comes right before it.
fn counts_before(events: &Events<'_>, position: usize) -> [u64; MAX_COUNTERS] {
    let mut counts = [0; MAX_COUNTERS];
    let count = events.header.counters as usize;
    let words =
        position.checked_sub(count).and_then(|from| events.words().get(from.checked_sub(1)?..position));
    if let Some([head, values @ ..]) = words
        && *head as u8 == EventKind::Count as u8
    {
        counts[..values.len()].copy_from_slice(values);
    }
    counts
}
