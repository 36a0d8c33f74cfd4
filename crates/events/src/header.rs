//! The fixed parts of a file of events: its first page, the beginning of each chunk, and the record of a folded subgraph.

/// How a file of events begins.
pub const FILE_MAGIC: u64 = u64::from_le_bytes(*b"XCUTEVT1");

/// The version of the format.
pub const VERSION: u32 = 1;

/// Bytes before the first chunk: a page, which the recorder keeps mapped.
pub const HEADER_BYTES: usize = 4096;

/// Bytes of a chunk, its header included: small enough to stay in the cache of a core.
pub const CHUNK_BYTES: usize = 64 << 10;

/// Most counters that a file can have.
pub const MAX_COUNTERS: usize = 4;

/// Words of the journal in the file header.
pub const JOURNAL_WORDS: usize = 2 + Folded::WORDS;

/// Where ticks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ClockKind {
    /// The time stamp counter of the processor, which runs at one speed on all cores.
    Processor = 1,
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    Monotonic = 2,
}

/// The first page of a file of events. Native byte order.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FileHeader {
    /// [`FILE_MAGIC`], stored last.
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// [`ClockKind`].
    pub clock: u32,
    /// Number of the thread within the process, from 0.
    pub thread: u32,
    /// The number that the kernel gave it.
    pub os_thread: u32,
    /// Ticks that all times of the process are counted from.
    pub base_ticks: u64,
    /// `CLOCK_MONOTONIC` in nanoseconds at that moment.
    pub base_nanos: u64,
    /// [`CHUNK_BYTES`] of the recorder.
    pub chunk_bytes: u32,
    /// How many counters each [`crate::EventKind::Count`] has.
    pub counters: u32,
    /// Their names, zero-padded.
    pub counter_names: [[u8; 24]; MAX_COUNTERS],
    /// Events that could not be stored: the disk was full, or the program closed the file.
    pub lost: u64,
    /// Chunks that were written behind the window. When the window's own chunk is among them, the window is stale.
    pub archived: u64,
    /// The error number of the first failure.
    pub error: u32,
    /// 1 when the thread has ended in order.
    pub ended: u32,
    /// Ticks when it did.
    pub end_ticks: u64,
    /// Replaces the end of the stream when `journal[1]` is not 0: everything from word `journal[0]` of the file on gives way
    /// to the event that follows it here, head and payload.
    pub journal: [u64; JOURNAL_WORDS],
}

impl FileHeader {
    /// Where the journal begins, in words of the file.
    pub const JOURNAL_AT: usize = std::mem::offset_of!(FileHeader, journal) / 8;

    /// From the first words of a file; `None` when they are too few.
    pub fn from_words(words: &[u64]) -> Option<&Self> {
        if words.len() < size_of::<FileHeader>() / 8 {
            return None;
        }
        // SAFETY: there are enough words, aligned for the header, and every field is a plain number.
        Some(unsafe { &*words.as_ptr().cast::<FileHeader>() })
    }

    /// The names of the counters.
    pub fn counter_names(&self) -> Vec<String> {
        let names = self.counter_names.iter().take(self.counters as usize);
        names.map(|name| String::from_utf8_lossy(name).trim_end_matches('\0').to_owned()).collect()
    }
}

/// The beginning of a chunk.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ChunkHeader {
    /// Number of the chunk in its file, from 1; 0 when it was never begun.
    pub number: u64,
    /// Ticks when it was begun.
    pub ticks: u64,
    /// `CLOCK_MONOTONIC` in nanoseconds at that moment.
    pub nanos: u64,
    /// Numbers that the thread had given before it.
    pub numbered: u64,
}

impl ChunkHeader {
    /// Its words.
    pub const WORDS: usize = size_of::<ChunkHeader>() / 8;

    /// From the first words of a chunk.
    pub fn from_words(words: &[u64]) -> Option<Self> {
        let &[number, ticks, nanos, numbered] = words.get(..Self::WORDS)? else { return None };
        Some(ChunkHeader { number, ticks, nanos, numbered })
    }
}

/// What is kept of a folded task or section. Times are in ticks from the base, as in heads; the head's time is its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Folded {
    /// The task; for a section the task that it belongs to.
    pub task: u64,
    /// The task that goes on afterwards, or none.
    pub next: u64,
    /// Numbers that were given inside.
    pub numbered: u64,
    /// Code address of the first create inside a section, else 0.
    pub code: u64,
    /// When it started.
    pub start: u64,
    /// When its last interval started.
    pub last_start: u64,
    /// Work inside.
    pub work: u64,
    /// Critical path inside.
    pub span: u64,
    /// Time that intervals inside were ready and not running, by kind of edge: end, create, create-cont, wait-cont,
    /// other-cont.
    pub ready: [u64; 5],
    /// Intervals inside: create, wait, other, end.
    pub nodes: [u64; 4],
    /// Edges inside, by kind as above.
    pub edges: [u64; 5],
}

impl Folded {
    /// Payload words.
    pub const WORDS: usize = size_of::<Folded>() / 8;

    /// As payload.
    pub fn words(&self) -> [u64; Self::WORDS] {
        let mut words = [0; Self::WORDS];
        let head = [
            self.task,
            self.next,
            self.numbered,
            self.code,
            self.start,
            self.last_start,
            self.work,
            self.span,
        ];
        words[..8].copy_from_slice(&head);
        words[8..13].copy_from_slice(&self.ready);
        words[13..17].copy_from_slice(&self.nodes);
        words[17..22].copy_from_slice(&self.edges);
        words
    }

    /// From payload.
    pub fn from_words(words: &[u64]) -> Option<Self> {
        let words: &[u64; Self::WORDS] = words.try_into().ok()?;
        let [task, next, numbered, code, start, last_start, work, span, rest @ ..] = *words;
        let mut folded =
            Folded { task, next, numbered, code, start, last_start, work, span, ..Folded::default() };
        folded.ready.copy_from_slice(&rest[..5]);
        folded.nodes.copy_from_slice(&rest[5..9]);
        folded.edges.copy_from_slice(&rest[9..14]);
        Some(folded)
    }
}

/// A struct of words as payload, in the order of its fields.
macro_rules! words {
    ($name:ident { $($field:ident),* }) => {
        impl $name {
            /// Payload words.
            pub const WORDS: usize = size_of::<$name>() / 8;

            /// As payload.
            #[inline]
            pub fn words(&self) -> [u64; Self::WORDS] {
                [$(self.$field),*]
            }

            /// From payload.
            pub fn from_words(words: &[u64]) -> Option<Self> {
                let &[$($field),*] = words else { return None };
                Some($name { $($field),* })
            }
        }
    };
}

/// Neighbouring chunks of one loop that one lane ran, the head's time being the begin of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Joined {
    /// The smallest iteration. Runtimes that steal iterations do not hand them out in order.
    pub first: u64,
    /// Iterations in all chunks. Between them may be iterations that other lanes ran.
    pub iterations: u64,
    /// One more than the largest iteration.
    pub past: u64,
    /// Chunks.
    pub chunks: u64,
    /// Shortest and longest chunk but the last one, in ticks; all ones and 0 when there is only that.
    pub least: u64,
    /// See `least`.
    pub most: u64,
    /// When the last one began, in ticks from the base.
    pub last_start: u64,
}
words!(Joined { first, iterations, past, chunks, least, most, last_start });

/// A lock for which a task had to wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LockWait {
    /// Its address, with the [`crate::LockKind`] as tag.
    pub lock: u64,
    /// The code that waits.
    pub code: u64,
    /// The code that held it last meanwhile, 0 when not known.
    pub holder: u64,
    /// When it was asked for, in ticks from the base.
    pub asked: u64,
    /// When it was got.
    pub got: u64,
}
words!(LockWait { lock, code, holder, asked, got });

/// What a thread did with a lock at one place of the code, in ticks. Waits that have an event of their own are included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LockUse {
    /// Its address, with the [`crate::LockKind`] as tag.
    pub lock: u64,
    /// The code that acquires it.
    pub code: u64,
    /// How often.
    pub count: u64,
    /// How often another thread had it and it was not free at once.
    pub waits: u64,
    /// Time until it was acquired, over all waits.
    pub waited: u64,
    /// Time until it was given back.
    pub held: u64,
    /// The longest wait.
    pub longest: u64,
}
words!(LockUse { lock, code, count, waits, waited, held, longest });
