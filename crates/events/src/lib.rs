//! The event files of the recorders: what is in them and how to walk through them.
//!
//! A recorded process has a folder of its own, `NAME.events/PID-START/`, with a text file [`PROCESS`], a copy of its memory
//! map [`MAPS`], and one file of events for each thread, [`thread_file`], with `--calls` another of the same kind with samples of
//! its stack, [`samples_file`]. Beside them is [`FAILURES`], where those that had
//! to stop say so.
//!
//! A file of events is a [`FileHeader`] in its first page, then the *window*, then the chunks that were full. The window is
//! a chunk of [`CHUNK_BYTES`] that the thread has mapped, shared, and stores its events to: they are in the file even when
//! the process is killed in the next instruction. A full window is written to the end of the file, `archived` in the
//! header is raised, and only then is the window emptied for the next chunk. (Mapping the whole file would cost a page
//! fault for each page, several times as much as writing it.)
//!
//! A chunk begins with a [`ChunkHeader`]. An event is a *head* word, `ticks << 8 | kind`, and the payload words of its
//! kind. The payload is stored before the head, and unused space is zero, so the events of a chunk end at the first head
//! that is zero.
//!
//! This crate has no dependencies: it is part of the library that is loaded into other people's programs.

mod failures;
mod header;
mod kind;
pub mod mpi;
mod stack;
mod stream;

pub use failures::{FAILURES, FAILURES_BYTES, Failure, NEARLY_FULL, TOO_MANY_THREADS};
pub use header::{
    CHUNK_BYTES, ChunkHeader, ClockKind, FILE_MAGIC, FileHeader, Folded, HEADER_BYTES, JOURNAL_WORDS, Joined,
    LockUse, LockWait, MAX_COUNTERS, VERSION,
};
pub use kind::{ENTRY, EventKind, LockKind, TaskId, WaitKind, code_of, flags, tag_of, with_tag};
pub use stack::{STACK_WORDS, pack_stack, unpack_stack};
pub use stream::{Event, Events, HeaderError, StreamError};

/// The text file about the process: a line `key value` for each thing known.
pub const PROCESS: &str = "process";

/// The copy of `/proc/self/maps`: where the code of the process was.
pub const MAPS: &str = "maps";

/// Threads that a run can hold are fewer than this.
pub const MAX_THREADS: usize = 1 << 14;

/// The file name of a thread's events.
pub fn thread_file(thread: u32) -> String {
    format!("thread-{thread:05}")
}

/// The file name of the samples of a thread's stack.
pub fn samples_file(thread: u32) -> String {
    format!("samples-{thread:05}")
}

/// The environment variable that names the folder to record into; without it the recorder does nothing.
pub const FOLDER_VARIABLE: &str = "CROSSCUT_EVENTS";

/// The environment variable with the options of the recorder: `key=value` separated by commas.
pub const OPTIONS_VARIABLE: &str = "CROSSCUT_RECORD";
