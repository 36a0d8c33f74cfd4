//! The first pass over the events, thread by thread in parallel: where each task begins and ends, which lanes a team has,
//! which code addresses occur, and how many nodes the tree can have at most.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crosscut_events::{
    Event, EventKind, Events, Folded, LockUse, LockWait, StreamError, TaskId, WaitKind, code_of, tag_of,
};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use rayon::prelude::*;

use crate::error::CloseError;
use crate::locks::Sample;
use crate::symbols::{AFTER, BARRIER, BEGIN, BODY, marked};

/// A point in some thread's events: thread, word, and the core that the thread is on there. 0 is no point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point(u64);

impl Point {
    const POSITION: u32 = 36;
    const CORE: u32 = 12;
    /// Threads that a run can have.
    pub const THREADS: usize = crosscut_events::MAX_THREADS;
    const PRESENT: u64 = 1 << 63;
    const NESTED: u64 = 1 << 62;
    /// The same bit of a begin.
    const MOVES: u64 = Self::NESTED;

    /// This point.
    pub fn new(thread: usize, position: usize, core: u16) -> Self {
        Point(
            Self::PRESENT
                | (thread as u64 & (Self::THREADS as u64 - 1)) << (Self::POSITION + Self::CORE)
                | (u64::from(core) & 0xfff) << Self::POSITION
                | position as u64 & ((1 << Self::POSITION) - 1),
        )
    }

    /// Whether there is one.
    pub fn is_some(self) -> bool {
        self.0 != 0
    }

    /// The thread, counted over all processes.
    pub fn thread(self) -> usize {
        (self.0 >> (Self::POSITION + Self::CORE)) as usize & (Self::THREADS - 1)
    }

    /// The word in the thread's file.
    pub fn position(self) -> usize {
        (self.0 & ((1 << Self::POSITION) - 1)) as usize
    }

    /// The core, plus one; 0 when not known.
    pub fn core(self) -> u16 {
        (self.0 >> Self::POSITION) as u16 & 0xfff
    }

    /// For the begin of a task that was created: whether it goes on elsewhere after it was suspended.
    pub fn moves(self) -> bool {
        self.0 & Self::MOVES != 0
    }

    /// For an end: whether the task that was suspended for it goes on right there.
    pub fn is_nested(self) -> bool {
        self.0 & Self::NESTED != 0
    }
}

/// A core as points keep it.
pub fn pack_core(core: u64) -> u16 {
    if core < 0xffe { core as u16 + 1 } else { 0 }
}

/// A lane of a team.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// The team.
    pub team: TaskId,
    /// Its index within the team.
    pub index: u64,
    /// Its own number.
    pub id: TaskId,
    /// Right after it began.
    pub begin: Point,
    /// When it began.
    pub ticks: u64,
    /// Barriers before the last.
    pub barriers: u32,
    /// Nothing happened since the last of them.
    pub idle: bool,
}

/// The code of a [`EventKind::GoesOn`]: what comes behind a call, or what is run because of it.
pub fn goes_on_at(word: u64) -> u64 {
    code_of(word) | if tag_of(word) == 0 { AFTER } else { BODY }
}

/// The code of a [`EventKind::Group`]: where it begins.
pub fn begins_at(word: u64) -> u64 {
    marked(code_of(word), BEGIN)
}

/// The code of a [`EventKind::FoldedSection`]: where it begins, if a group opened it.
pub fn folded_at(word: u64) -> u64 {
    if tag_of(word) == 0 { code_of(word) } else { begins_at(word) }
}

/// A team.
#[derive(Clone, Copy, Debug)]
pub struct Team {
    /// Right after its end, where the task that started it goes on.
    pub join: Point,
    /// When it ended.
    pub ticks: u64,
}

/// A task that nobody created.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// Its number.
    pub id: TaskId,
    /// Right after it began.
    pub begin: Point,
    /// When it began.
    pub ticks: u64,
    /// Whether it did anything beside letting others run.
    pub acts: bool,
}

/// What a thread says beside its tasks.
#[derive(Clone, Debug, Default)]
pub struct ThreadBeside {
    /// What it did with locks.
    pub lock_uses: Vec<LockUse>,
    /// Its processor time, by time.
    pub processor: Vec<Sample>,
}

/// What is known of a process after the first pass.
pub struct Index {
    /// For each number of each thread: where it begins and, right after the event, where it ends.
    tasks: Box<[[AtomicU64; 2]]>,
    /// The first number of each thread in that, by the thread's number in the process.
    first: Vec<usize>,
    /// Begin and end of the tasks of threads that gave far more numbers than they have events: nearly all were folded.
    sparse: Mutex<HashMap<TaskId, (Point, Point)>>,
    /// The lanes, by team and index.
    pub lanes: Vec<Lane>,
    /// The teams.
    pub teams: HashMap<TaskId, Team>,
    /// The tasks that nobody created, by time.
    pub roots: Vec<Root>,
    /// Where tasks go on after they were suspended, when it is not where they were suspended: by time.
    pub fragments: HashMap<TaskId, Vec<(u64, Point)>>,
    /// Tasks that wait for tasks inside of a group.
    pub waits_in_group: HashSet<TaskId>,
    /// Code addresses.
    pub codes: Vec<u64>,
    /// At most so many nodes.
    pub nodes: usize,
    /// The time of the last event of each thread.
    pub last_ticks: Vec<u64>,
    /// Whether each thread ran anything.
    pub busy: Vec<bool>,
    /// What each thread says beside its tasks.
    pub beside: Vec<ThreadBeside>,
    /// Where a file is damaged; what follows is not read.
    pub damages: Vec<(usize, StreamError)>,
}

impl Index {
    /// Whether nothing ran, and nothing is wrong with the files.
    pub fn is_idle(&self) -> bool {
        self.roots.is_empty()
            && self.lanes.is_empty()
            && !self.busy.contains(&true)
            && self.damages.is_empty()
    }

    /// The slot of a number in the tables; `None` when no such number was given.
    #[inline]
    fn slot(&self, id: TaskId) -> Option<usize> {
        let thread = id.thread() as usize;
        let slot = self.first.get(thread)? + (id.count().checked_sub(1)? as usize);
        (slot < *self.first.get(thread + 1)?).then_some(slot)
    }

    /// Begin and end of a task that has no slot.
    #[cold]
    fn sparse(&self, id: TaskId) -> (Point, Point) {
        self.sparse.lock().ok().and_then(|sparse| sparse.get(&id).copied()).unwrap_or_default()
    }

    /// Where a task begins: its begin or folded event.
    #[inline]
    pub fn begin(&self, id: TaskId) -> Point {
        match self.slot(id) {
            Some(slot) => Point(self.tasks[slot][0].load(Ordering::Relaxed)),
            None => self.sparse(id).0,
        }
    }

    /// Right after the end of a task.
    #[inline]
    pub fn end(&self, id: TaskId) -> Point {
        match self.slot(id) {
            Some(slot) => Point(self.tasks[slot][1].load(Ordering::Relaxed)),
            None => self.sparse(id).1,
        }
    }

    /// Tasks that began.
    pub fn begun(&self) -> usize {
        let dense = self.tasks.par_iter().filter(|task| task[0].load(Ordering::Relaxed) != 0).count();
        let sparse = self.sparse.lock().map_or(0, |sparse| sparse.values().filter(|t| t.0.is_some()).count());
        dense + sparse
    }

    /// Goes through the events of the threads of one process. `first_thread` is the number of the first of them over all
    /// processes.
    pub fn new(threads: &[Events<'_>], first_thread: usize) -> Result<Self, CloseError> {
        let count = threads.iter().map(|t| t.header.thread as usize + 1).max().unwrap_or(0);
        if first_thread + threads.len() >= Point::THREADS || count > 1 << 20 {
            return Err(CloseError::TooMany { what: "threads", limit: Point::THREADS as u64 });
        }
        let mut first = vec![0; count + 1];
        for thread in threads {
            let numbered = numbered(thread);
            // Every number has an event of its own, unless it was folded or the file is damaged.
            let is_dense = numbered <= thread.words().len() as u64;
            first[thread.header.thread as usize + 1] = if is_dense { numbered as usize } else { 0 };
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let total = first[count];
        if total > u32::MAX as usize {
            return Err(CloseError::TooMany { what: "tasks", limit: u32::MAX.into() });
        }
        let mut index = Index {
            tasks: room(total)?,
            first,
            sparse: Mutex::default(),
            lanes: Vec::new(),
            teams: HashMap::new(),
            roots: Vec::new(),
            fragments: HashMap::new(),
            waits_in_group: HashSet::new(),
            codes: Vec::new(),
            nodes: 0,
            last_ticks: Vec::new(),
            busy: Vec::new(),
            beside: Vec::new(),
            damages: Vec::new(),
        };
        let passes: Vec<Pass<'_>> = threads
            .par_iter()
            .enumerate()
            .map(|(number, events)| {
                let mut pass = Pass::new(&index, first_thread + number, events.header.thread);
                pass.run(*events);
                pass
            })
            .collect();
        let found: Vec<Found> = passes.into_iter().map(|pass| pass.found).collect();
        let mut codes = HashSet::new();
        let mut stays = Vec::new();
        for (number, found) in found.into_iter().enumerate() {
            index.lanes.extend(found.lanes);
            index.teams.extend(found.teams);
            index.roots.extend(found.roots);
            for (id, ticks, point) in found.fragments {
                index.fragments.entry(id).or_default().push((ticks, point));
            }
            stays.push(found.stays);
            index.waits_in_group.extend(found.waits_in_group);
            codes.extend(found.codes);
            index.nodes += found.nodes;
            index.last_ticks.push(found.last_ticks);
            index.busy.push(found.nodes > 0);
            index.beside.push(found.beside);
            index.damages.extend(found.damage.map(|damage| (number, damage)));
        }
        // A task that was elsewhere meanwhile came back.
        for (id, ticks, point) in stays.into_iter().flatten() {
            if let Some(list) = index.fragments.get_mut(&id) {
                list.push((ticks, point));
            }
        }
        index.codes = codes.into_iter().collect();
        index.codes.sort_unstable();
        index.lanes.sort_by_key(|lane| (lane.team, lane.index));
        index.roots.sort_by_key(|root| (root.ticks, root.id));
        index.fragments.values_mut().for_each(|list| list.sort_unstable());
        index.note_moves();
        Ok(index)
    }

    /// Notes at the begins of tasks that go on elsewhere: they are few, and nobody should have to look for the others.
    fn note_moves(&mut self) {
        let mut sparse = self.sparse.lock().ok();
        for &id in self.fragments.keys() {
            if let Some(slot) = self.slot(id) {
                let begin = &self.tasks[slot][0];
                if begin.load(Ordering::Relaxed) != 0 {
                    begin.fetch_or(Point::MOVES, Ordering::Relaxed);
                }
            } else if let Some((begin, _)) = sparse.as_mut().and_then(|sparse| sparse.get_mut(&id))
                && begin.is_some()
            {
                begin.0 |= Point::MOVES;
            }
        }
    }

    /// The lanes of a team.
    pub fn lanes_of(&self, team: TaskId) -> std::ops::Range<usize> {
        let from = self.lanes.partition_point(|lane| lane.team < team);
        from..self.lanes.partition_point(|lane| lane.team <= team)
    }
}

/// Room for the begin and end of so many tasks: fresh zeros, which the system gives without touching them.
fn room(tasks: usize) -> Result<Box<[[AtomicU64; 2]]>, CloseError> {
    bytemuck::try_zeroed_slice_box(tasks)
        .map_err(|()| CloseError::io(Path::new("memory for tasks"))(std::io::ErrorKind::OutOfMemory.into()))
}

/// Numbers that a thread gave: known at the beginning of its last chunk, so that only that one has to be read.
fn numbered(events: &Events<'_>) -> u64 {
    let Some((begin, header)) = events.chunks().last() else { return 0 };
    let mut last = events.from(begin);
    let mut count = header.numbered;
    while let Ok(Some(event)) = last.step() {
        count = count.saturating_add(numbers_of(&event));
    }
    count
}

/// How many numbers an event stands for.
#[inline]
fn numbers_of(event: &Event<'_>) -> u64 {
    match event.kind {
        kind if kind.numbers() => 1,
        EventKind::FoldedTask | EventKind::FoldedSection => event.payload.get(2).copied().unwrap_or(0),
        _ => 0,
    }
}

#[derive(Default)]
struct Found {
    lanes: Vec<Lane>,
    teams: Vec<(TaskId, Team)>,
    roots: Vec<Root>,
    fragments: Vec<(TaskId, u64, Point)>,
    /// Tasks that go on where they were, as far as their thread knows.
    stays: Vec<(TaskId, u64, Point)>,
    waits_in_group: Vec<TaskId>,
    codes: HashSet<u64>,
    nodes: usize,
    last_ticks: u64,
    beside: ThreadBeside,
    damage: Option<StreamError>,
}

/// The pass over one thread.
struct Pass<'a> {
    index: &'a Index,
    thread: usize,
    number: u32,
    numbered: u64,
    core: u16,
    current: TaskId,
    /// Tasks that began here and have not ended, with the task that each suspended.
    suspended: Vec<(TaskId, TaskId)>,
    /// Teams started here and not ended.
    forks: Vec<TaskId>,
    /// Lanes that began here and have not ended, as numbers in `found`.
    lanes: Vec<usize>,
    /// Tasks with the groups that they have open.
    groups: HashMap<TaskId, u32>,
    /// The processor time of the thread, when it was last looked at.
    processor: Option<u64>,
    /// When the lane went on after its last barrier, with the processor time then.
    released: Option<(u64, Option<u64>)>,
    recent_codes: [u64; 64],
    found: Found,
}

impl<'a> Pass<'a> {
    fn new(index: &'a Index, thread: usize, number: u32) -> Self {
        Pass {
            index,
            thread,
            number,
            numbered: 0,
            core: 0,
            current: TaskId::NONE,
            suspended: Vec::new(),
            forks: Vec::new(),
            lanes: Vec::new(),
            groups: HashMap::new(),
            processor: None,
            released: None,
            recent_codes: [0; 64],
            found: Found::default(),
        }
    }

    fn run(&mut self, mut events: Events<'_>) {
        loop {
            match events.step() {
                Ok(Some(event)) => {
                    self.found.last_ticks = self.found.last_ticks.max(event.ticks);
                    self.event(&event, events.position());
                }
                Ok(None) => break,
                Err(damage) => {
                    self.found.damage = Some(damage);
                    break;
                }
            }
        }
    }

    #[inline]
    fn code(&mut self, word: u64) {
        self.code_at(code_of(word));
    }

    #[inline]
    fn code_at(&mut self, code: u64) {
        // A multiplicative hash into a small table in front of the set.
        let slot = (code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
        if self.recent_codes[slot] != code {
            self.recent_codes[slot] = code;
            self.found.codes.insert(code);
        }
    }

    #[inline]
    fn number(&mut self) -> TaskId {
        self.numbered = self.numbered.saturating_add(1);
        TaskId::new(self.number, self.numbered)
    }

    /// The lane that runs now, not one of the tasks on top of it.
    fn lane(&mut self) -> Option<&mut Lane> {
        let lane = self.found.lanes.get_mut(*self.lanes.last()?)?;
        (lane.id == self.current).then_some(lane)
    }

    fn act(&mut self) {
        let current = self.current;
        if let Some(lane) = self.lane() {
            lane.idle = false;
        } else if let Some(root) = self.found.roots.last_mut().filter(|root| root.id == current) {
            root.acts = true;
        }
    }

    /// Takes an event; the next one is looked for at a position.
    #[inline(always)]
    fn event(&mut self, event: &Event<'_>, next_position: usize) {
        let word = event.word();
        let (thread, core) = (self.thread, self.core);
        let after = || Point::new(thread, next_position, core);
        match event.kind {
            EventKind::Create => {
                self.code(word);
                self.number();
                // Section, create, task, end; a task that runs at once has a section and a wait of its own.
                self.found.nodes += 5;
                self.act();
            }
            EventKind::Begin => {
                let task = TaskId(word);
                self.put_begin(task, Point::new(self.thread, event.position, self.core));
                self.suspended.push((task, self.current));
                self.current = task;
                // The interval that it may have cut in two.
                self.found.nodes += 1;
            }
            EventKind::EndTo => {
                let next = TaskId(word);
                let nested = self.pop(self.current) == Some(next);
                self.put_end(self.current, after(), nested);
                if !nested && next != TaskId::NONE {
                    self.found.fragments.push((next, event.ticks, after()));
                }
                self.current = next;
            }
            EventKind::FoldedTask => {
                if let Some(folded) = Folded::from_words(event.payload) {
                    let task = TaskId(folded.task);
                    self.put_begin(task, Point::new(self.thread, event.position, self.core));
                    self.put_end(task, after(), true);
                    if TaskId(folded.next) != self.current {
                        self.found.fragments.push((TaskId(folded.next), event.ticks, after()));
                    }
                    self.current = TaskId(folded.next);
                    self.numbered = self.numbered.saturating_add(folded.numbered);
                    self.found.nodes += 1;
                }
            }
            EventKind::FoldedSection => {
                if let Some(folded) = Folded::from_words(event.payload) {
                    self.code_at(folded_at(folded.code));
                    self.numbered = self.numbered.saturating_add(folded.numbered);
                    self.found.nodes += 2;
                    self.act();
                }
            }
            EventKind::Switch => {
                let next = TaskId(word);
                if next == self.current {
                    self.found.stays.push((next, event.ticks, after()));
                } else if next != TaskId::NONE {
                    self.found.fragments.push((next, event.ticks, after()));
                }
                self.current = next;
                self.found.nodes += 1;
            }
            EventKind::Wait => self.wait(word, event.ticks),
            EventKind::WaitEnd => {
                self.found.nodes += 1;
                if self.released.is_none() {
                    self.released = Some((event.ticks, self.processor));
                }
            }
            EventKind::Group => {
                self.code_at(begins_at(word));
                *self.groups.entry(self.current).or_default() += 1;
                self.found.nodes += 2;
                self.act();
            }
            EventKind::Root => {
                let id = self.number();
                self.code(word);
                self.found.roots.push(Root { id, begin: after(), ticks: event.ticks, acts: false });
                self.current = id;
                self.found.nodes += 4;
            }
            EventKind::Fork => {
                self.code(word);
                let team = self.number();
                self.forks.push(team);
                self.found.nodes += 8;
                self.act();
            }
            EventKind::Lane => {
                let id = self.number();
                let (team, index) = (TaskId(word), event.payload.get(1).copied().unwrap_or(0));
                self.lanes.push(self.found.lanes.len());
                let lane =
                    Lane { team, index, id, begin: after(), ticks: event.ticks, barriers: 0, idle: false };
                self.found.lanes.push(lane);
                self.current = id;
                self.found.nodes += 8;
            }
            EventKind::LaneEnd => {
                self.end_lane(event.ticks);
                self.lanes.pop();
                self.current = TaskId::NONE;
            }
            EventKind::Join => {
                if let Some(team) = self.forks.pop() {
                    self.found.teams.push((team, Team { join: after(), ticks: event.ticks }));
                }
                self.current = TaskId(word);
            }
            EventKind::Loop => {
                self.code(word);
                self.act();
                self.found.nodes += 2;
            }
            // The chunk, and the section that it may be.
            EventKind::Chunk | EventKind::Chunks => self.found.nodes += 2,
            EventKind::Core => self.core = pack_core(word),
            EventKind::LockWait | EventKind::LockUse => self.lock(event),
            EventKind::Processor => {
                if let &[time, voluntary, involuntary] = event.payload {
                    self.processor = Some(time);
                    let samples = &mut self.found.beside.processor;
                    // Of a file that is whole they are in order.
                    if samples.last().is_none_or(|last| last.0 <= event.ticks) {
                        samples.push((event.ticks, [time, voluntary, involuntary]));
                    }
                }
            }
            EventKind::LoopEnd | EventKind::Depend | EventKind::Count | EventKind::Created => {}
            EventKind::GoesOn => {
                self.found.codes.insert(goes_on_at(word));
                self.found.nodes += 1;
            }
            EventKind::MpiCall | EventKind::MpiCallOn | EventKind::MpiPolled => self.code(word),
            EventKind::MpiReturn
            | EventKind::MpiHandle
            | EventKind::MpiDone
            | EventKind::MpiFrom
            | EventKind::MpiComm
            | EventKind::MpiMembers
            | EventKind::Frames
            | EventKind::Stack
            | EventKind::Sample => {}
        }
    }

    /// What is said of a lock: its code, and sums.
    #[cold]
    fn lock(&mut self, event: &Event<'_>) {
        if let Some(wait) = LockWait::from_words(event.payload) {
            self.code(wait.code);
            self.code(wait.holder);
        } else if let Some(used) = LockUse::from_words(event.payload) {
            self.code(used.code);
            self.found.beside.lock_uses.push(used);
        }
    }

    /// The lane comes to its end. Between the last barrier inside of a region and its end it may have worked, though nothing
    /// tells but the time.
    fn end_lane(&mut self, ticks: u64) {
        /// Nanoseconds of processor time that are more than leaving a barrier takes (60 µs were seen where a thread had to be
        /// woken), and ticks where that is not known.
        const WORK: u64 = 150_000;
        let Some((since, before)) = self.released else { return };
        let worked = match (before, self.processor) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => ticks.saturating_sub(since),
        };
        if worked >= WORK
            && let Some(lane) = self.lane()
        {
            lane.idle = false;
        }
    }

    fn wait(&mut self, word: u64, ticks: u64) {
        self.code(word);
        self.found.nodes += 2;
        let current = self.current;
        match WaitKind::from_number(tag_of(word)) {
            Some(WaitKind::Barrier) => {
                self.found.nodes += 6;
                // The lane goes on behind it.
                self.code_at(marked(code_of(word), BARRIER));
                self.code_at(marked(code_of(word), BARRIER | AFTER));
                if let Some(lane) = self.lane() {
                    lane.barriers += 1;
                    lane.idle = true;
                    self.released = None;
                }
            }
            Some(WaitKind::LastBarrier) => {
                self.end_lane(ticks);
                // What follows is waiting for the others.
                self.released = None;
            }
            Some(WaitKind::Tasks) if !self.groups.is_empty() && self.groups.contains_key(&current) => {
                self.found.waits_in_group.push(current);
            }
            Some(WaitKind::Group | WaitKind::Section) => {
                if let Some(open) = self.groups.get_mut(&current) {
                    *open = open.saturating_sub(1);
                    if *open == 0 {
                        self.groups.remove(&current);
                    }
                }
            }
            _ => {}
        }
    }

    /// Takes the task off the stack; says whom it had suspended.
    #[inline]
    fn pop(&mut self, task: TaskId) -> Option<TaskId> {
        let (top, below) = *self.suspended.last()?;
        if top != task {
            return None;
        }
        self.suspended.pop();
        Some(below)
    }

    #[inline]
    fn put_begin(&self, task: TaskId, point: Point) {
        match self.index.slot(task) {
            Some(slot) => self.index.tasks[slot][0].store(point.0, Ordering::Relaxed),
            None => self.put_sparse(task, |entry| entry.0 = point),
        }
    }

    #[inline]
    fn put_end(&self, task: TaskId, point: Point, nested: bool) {
        let point = Point(point.0 | if nested { Point::NESTED } else { 0 });
        match self.index.slot(task) {
            Some(slot) => self.index.tasks[slot][1].store(point.0, Ordering::Relaxed),
            None => self.put_sparse(task, |entry| entry.1 = point),
        }
    }

    #[cold]
    fn put_sparse(&self, task: TaskId, change: impl FnOnce(&mut (Point, Point))) {
        if task != TaskId::NONE
            && let Ok(mut sparse) = self.index.sparse.lock()
        {
            change(sparse.entry(task).or_default());
        }
    }
}
