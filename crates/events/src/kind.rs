//! The kinds of events, the numbers of tasks, and how a payload word packs a code address with a small tag.

/// What happened. Payload words are named in order; *the task* is the one that runs on the thread at that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EventKind {
    /// The thread begins a task that nobody created: the program itself, or a thread that was not started by a runtime.
    /// Numbers it. `[code]`
    Root = 1,
    /// The task creates a task. Numbers it. `[code | flags, task]`
    Create = 2,
    /// A created task begins here; the task that ran here is suspended. `[task]`
    Begin = 3,
    /// The task ended; another goes on here. `[task that goes on, or none]`
    EndTo = 4,
    /// The task is suspended; another, which began earlier, goes on here. `[task that goes on, or none]`
    Switch = 5,
    /// The task begins to wait. `[code | WaitKind]`
    Wait = 6,
    /// The task has waited and goes on. `[]`
    WaitEnd = 7,
    /// The task opens a section that ends with the next [`WaitKind::Group`]. `[code]`
    Group = 8,
    /// The task starts a team. Numbers the team. `[code | number of lanes, team]`
    Fork = 9,
    /// A lane of a team begins here; the task that ran here is suspended. Numbers the lane. `[team, index]`
    Lane = 10,
    /// The lane has ended, unless a barrier at the end of the team said so before. `[]`
    LaneEnd = 11,
    /// The team has ended; the task that started it goes on. `[task that goes on]`
    Join = 12,
    /// The lane enters a loop whose iterations are shared. `[code | schedule, iterations]`
    Loop = 13,
    /// The lane begins with some iterations. `[first, count]`
    Chunk = 14,
    /// The lane leaves the loop. `[]`
    LoopEnd = 15,
    /// The task that was created last on this thread depends on an address. `[address | kind of dependence]`
    Depend = 16,
    /// The thread runs on another core from now on. `[core]`
    Core = 17,
    /// The counters of the thread as they were at the next event. As many words as the file has counters.
    Count = 18,
    /// A task that ran on this thread alone, in place of its events from begin to end; another task goes on. See
    /// [`crate::Folded`].
    FoldedTask = 19,
    /// A section that ran on this thread alone, in place of its events from the first create to the end of the wait. See
    /// [`crate::Folded`].
    FoldedSection = 20,
    /// The lane begins with some iterations; neighbouring chunks that are short are joined into it while the loop runs, so
    /// its words change until something else happens. See [`crate::Joined`].
    Chunks = 21,
    /// The task gave back a lock for which it had waited. The head's time is when it was given back. See [`crate::LockWait`].
    LockWait = 22,
    /// What the thread did with a lock at one place of the code since it last said so. See [`crate::LockUse`].
    LockUse = 23,
    /// The processor time of the thread since it began, in nanoseconds, and how often it left its core: because it waited,
    /// because another thread was to run. `[time, voluntary, involuntary]`
    Processor = 24,
    /// The task that was created last on this thread is in the runtime's hands, and its creator goes on. Nothing else
    /// happened on the thread since the create. `[]`
    Created = 25,
    /// The thread calls a function of MPI, by its number in [`crate::mpi::FUNCTIONS`]. `[code | function]`
    MpiCall = 26,
    /// The same on a communicator, or on a window or a file: its handle, the other rank in it or the root with the tag, and
    /// what is sent or can be received. `[code | function, handle, rank and tag, bytes]`
    MpiCallOn = 27,
    /// The call returned. `[]`
    MpiReturn = 28,
    /// The call makes a request, a window, a file or a message of this handle, begins or frees it. `[handle]`
    MpiHandle = 29,
    /// A request is done, or what the call itself received when the handle is 0: from whom with which tag, and how much.
    /// `[handle, rank and tag, bytes]`
    MpiDone = 30,
    /// The call receives, too. `[rank and tag]`
    MpiFrom = 31,
    /// The thread knows a communicator by this handle. Its members follow. `[handle, parent or 0]`
    MpiComm = 32,
    /// Members of that communicator, in its order, as ranks of the world: the first and how many, the distance between two,
    /// and whether they are on the other side. `[first << 32 | count, distance << 1 | is other side]`
    MpiMembers = 33,
    /// Calls that asked for something that was not there, from the head's time on, and nothing else between them; its words
    /// change until something else happens. `[code | function, count, end]`
    MpiPolled = 34,
    /// Return addresses of a stack, innermost first, 0 behind the last; of the next [`EventKind::Sample`]. Only in files of
    /// samples.
    Frames = 35,
    /// What the thread did at that moment: the processor time that this stands for, in nanoseconds, the instruction that was
    /// next, how many return addresses the events before it have, the stack pointer, the frame pointer, and the time in the
    /// kernel since the sample before. Only in files of samples. `[time, code, frames, stack, frame, kernel]`
    Sample = 36,
    /// What the stack holds from its pointer on, of the next [`EventKind::Sample`], see [`crate::pack_stack`]. Only in files of
    /// samples.
    Stack = 37,
    /// The task goes on with another part of its code: after a team that it started, where the call returns to (tag 0, right
    /// behind the join), or with a construct that only one lane runs (tag 1). Older recorders do not have it. `[code | tag]`
    GoesOn = 38,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [EventKind; 38] = [
        EventKind::Root,
        EventKind::Create,
        EventKind::Begin,
        EventKind::EndTo,
        EventKind::Switch,
        EventKind::Wait,
        EventKind::WaitEnd,
        EventKind::Group,
        EventKind::Fork,
        EventKind::Lane,
        EventKind::LaneEnd,
        EventKind::Join,
        EventKind::Loop,
        EventKind::Chunk,
        EventKind::LoopEnd,
        EventKind::Depend,
        EventKind::Core,
        EventKind::Count,
        EventKind::FoldedTask,
        EventKind::FoldedSection,
        EventKind::Chunks,
        EventKind::LockWait,
        EventKind::LockUse,
        EventKind::Processor,
        EventKind::Created,
        EventKind::MpiCall,
        EventKind::MpiCallOn,
        EventKind::MpiReturn,
        EventKind::MpiHandle,
        EventKind::MpiDone,
        EventKind::MpiFrom,
        EventKind::MpiComm,
        EventKind::MpiMembers,
        EventKind::MpiPolled,
        EventKind::Frames,
        EventKind::Sample,
        EventKind::Stack,
        EventKind::GoesOn,
    ];

    /// Words in one [`EventKind::Frames`] or [`EventKind::Stack`].
    pub const FRAMES: usize = 7;

    /// The kind with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// Payload words; `counters` is how many counters the file has.
    #[inline]
    pub const fn payload(self, counters: usize) -> usize {
        match self {
            EventKind::WaitEnd
            | EventKind::LaneEnd
            | EventKind::LoopEnd
            | EventKind::Created
            | EventKind::MpiReturn => 0,
            EventKind::MpiComm | EventKind::MpiMembers => 2,
            EventKind::MpiDone | EventKind::MpiPolled => 3,
            EventKind::MpiCallOn => 4,
            EventKind::Create | EventKind::Fork | EventKind::Lane | EventKind::Loop | EventKind::Chunk => 2,
            EventKind::Count => counters,
            EventKind::FoldedTask | EventKind::FoldedSection => crate::Folded::WORDS,
            EventKind::Chunks => crate::Joined::WORDS,
            EventKind::LockWait => crate::LockWait::WORDS,
            EventKind::LockUse => crate::LockUse::WORDS,
            EventKind::Processor => 3,
            EventKind::Sample => 6,
            EventKind::Frames | EventKind::Stack => Self::FRAMES,
            _ => 1,
        }
    }

    /// Whether it tells of MPI.
    #[inline]
    pub fn is_mpi(self) -> bool {
        (EventKind::MpiCall as u8..=EventKind::MpiPolled as u8).contains(&(self as u8))
    }

    /// Whether the event takes the next number of its thread.
    #[inline]
    pub fn numbers(self) -> bool {
        matches!(self, EventKind::Root | EventKind::Create | EventKind::Fork | EventKind::Lane)
    }
}

/// What a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum WaitKind {
    /// The tasks that it created since its last wait.
    Tasks = 0,
    /// The tasks created since the last [`EventKind::Group`] that is still open, and all their descendants.
    Group = 1,
    /// The other lanes of its team, and all tasks of the team.
    Barrier = 2,
    /// The same, at the end of the team: the lane ends here.
    LastBarrier = 3,
    /// Tasks that the next events of kind [`EventKind::Depend`] name. No create comes before those.
    Depend = 4,
    /// The tasks created since the last [`EventKind::Group`] that is still open, not their descendants.
    Section = 5,
}

impl WaitKind {
    /// The kind with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        use WaitKind::*;
        [Tasks, Group, Barrier, LastBarrier, Depend, Section].get(usize::from(number)).copied()
    }
}

/// The number of a task, a lane or a team: the thread that numbered it, and a count from 1 that the thread's numbering
/// events share. 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u64);

impl TaskId {
    /// Nobody.
    pub const NONE: TaskId = TaskId(0);
    const COUNT_BITS: u32 = 40;

    /// The `count`-th of a thread.
    #[inline]
    pub fn new(thread: u32, count: u64) -> Self {
        TaskId(u64::from(thread) << Self::COUNT_BITS | count & ((1 << Self::COUNT_BITS) - 1))
    }

    /// The thread that numbered it.
    #[inline]
    pub fn thread(self) -> u32 {
        (self.0 >> Self::COUNT_BITS) as u32
    }

    /// Its count within the thread, from 1.
    #[inline]
    pub fn count(self) -> u64 {
        self.0 & ((1 << Self::COUNT_BITS) - 1)
    }
}

/// Flags of a create: how the task will be run.
pub mod flags {
    /// The creator waits for the task at once (`if(0)`).
    pub const UNDEFERRED: u16 = 1;
    /// It may go on at another thread.
    pub const UNTIED: u16 = 2;
    /// All tasks created in it are run at once.
    pub const FINAL: u16 = 4;
    /// It may share its creator's data.
    pub const MERGEABLE: u16 = 8;
}

/// What a lock is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum LockKind {
    /// A critical section, named or not.
    Critical = 0,
    /// `omp_lock_t`.
    Lock = 1,
    /// `omp_nest_lock_t`: counted from the outermost acquisition to the last release.
    NestLock = 2,
    /// An atomic update that the runtime does under a lock.
    Atomic = 3,
    /// An `ordered` region: the turn of an iteration.
    Ordered = 4,
    /// `pthread_mutex_t`.
    Mutex = 5,
    /// `pthread_rwlock_t`, held for reading.
    ReadLock = 6,
    /// `pthread_rwlock_t`, held for writing.
    WriteLock = 7,
}

impl LockKind {
    /// The kind with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        use LockKind::*;
        [Critical, Lock, NestLock, Atomic, Ordered, Mutex, ReadLock, WriteLock]
            .get(usize::from(number))
            .copied()
    }
}

/// Marks a code address as the entry of a function (an outlined region or task). Without it, an address is one that a call
/// returns to, and the call is the instruction before it.
pub const ENTRY: u64 = 1 << 63;

const ADDRESS: u64 = 0xffff_ffff_ffff;

/// A code or data address with a tag of 15 bits above its 48; a code address keeps its mark [`ENTRY`].
#[inline]
pub fn with_tag(address: u64, tag: u16) -> u64 {
    address & (ADDRESS | ENTRY) | u64::from(tag & 0x7fff) << 48
}

/// The address of such a word, with its mark [`ENTRY`].
#[inline]
pub fn code_of(word: u64) -> u64 {
    word & (ADDRESS | ENTRY)
}

/// The tag of such a word.
#[inline]
pub fn tag_of(word: u64) -> u16 {
    (word >> 48) as u16 & 0x7fff
}
