//! What the library that stands before MPI (`crates/mpi`) borrows from the recorder: its files, its clock, its care for
//! limits. So calls of MPI and tasks are in one stream for each thread.

use std::ffi::c_void;
use std::ptr;

use crosscut_events::EventKind;
use crosscut_events::mpi::Loan;

use crate::thread::Thread;
use crate::{process, sys, thread};

static LOAN: Loan = Loan { now, put, polled, note, nanos };

/// Lends to whoever asks; null when this process is not recorded.
#[unsafe(no_mangle)]
pub extern "C" fn crosscut_lend_1() -> *const c_void {
    match process::shared() {
        Some(process) if process.folder().is_some() => ptr::from_ref(&LOAN).cast(),
        _ => ptr::null(),
    }
}

extern "C" fn now() -> u64 {
    thread::with(|thread| thread.now().max(1)).unwrap_or(0)
}

extern "C" fn nanos() -> u64 {
    sys::nanos()
}

unsafe extern "C" fn put(kind: u8, ticks: u64, words: *const u64) {
    let Some(kind) = EventKind::from_number(kind) else { return };
    // SAFETY: the caller's promise: as many words as the kind has.
    let words = unsafe { std::slice::from_raw_parts(words, kind.payload(0)) };
    thread::with(|thread| {
        thread.keep_inside();
        thread.put_slice_at(ticks, kind, words);
    });
}

extern "C" fn polled(word: u64, start: u64) {
    thread::with(|thread| {
        thread.keep_inside();
        thread.polled(word, start);
    });
}

unsafe extern "C" fn note(key: *const u8, key_length: usize, value: *const u8, length: usize) {
    // SAFETY: the caller's promise: both are as long as it says.
    let (key, value) =
        unsafe { (std::slice::from_raw_parts(key, key_length), std::slice::from_raw_parts(value, length)) };
    if let Some(process) = process::shared()
        && process.folder().is_some()
    {
        let value = String::from_utf8_lossy(value).replace(['\n', '\r'], " ");
        process.note(&String::from_utf8_lossy(key), &value);
    }
}

/// The last event of a thread, when it was a call of MPI that asked in vain.
#[derive(Clone, Copy)]
pub struct Poll {
    at: *mut u64,
    /// Where the stream stood behind it, and in which chunk.
    end: *mut u64,
    chunk: u64,
    /// When it ended, in ticks.
    last: u64,
    /// Ticks between two calls that are one event.
    gap: u64,
}

impl Poll {
    /// None yet; `microsecond` is its length in ticks.
    pub fn new(microsecond: u64) -> Self {
        /// A program that does something for longer in between works.
        const MICROSECONDS: u64 = 5;
        let none = ptr::null_mut();
        Poll { at: none, end: none, chunk: 0, last: 0, gap: MICROSECONDS * microsecond }
    }
}

/// Words of the event, its head included.
const POLLED: usize = 1 + EventKind::MpiPolled.payload(0);

impl Thread {
    /// What follows is not folded away, and not taken for a part of a chunk.
    fn keep_inside(&mut self) {
        self.part_chunk();
        if let Some(fold) = &mut self.fold {
            fold.spoil();
        }
    }

    /// A call asked in vain from a time until now. A program may do so a million times in a second, so neighbours are one
    /// event.
    fn polled(&mut self, word: u64, start: u64) {
        let now = self.now();
        let poll = self.poll;
        let is_next = poll.end == self.cursor
            && poll.chunk == self.chunk_number()
            && start.saturating_sub(poll.last) <= poll.gap
            && now < self.sampling.next;
        // SAFETY: the event is in the window, behind it stands nothing.
        if is_next && unsafe { poll.at.add(1).read() } == word {
            // SAFETY: as above.
            unsafe {
                poll.at.add(2).write(poll.at.add(2).read() + 1);
                poll.at.add(3).write(now);
            }
            self.poll.last = now;
            return;
        }
        self.put_slice_at(start, EventKind::MpiPolled, &[word, 1, now]);
        let (at, end) = (self.cursor.wrapping_sub(POLLED), self.cursor);
        // No chunk has the number 0: what was not stored does not grow.
        let chunk = if self.is_full() { 0 } else { self.chunk_number() };
        self.poll = Poll { at, end, chunk, last: now, ..poll };
    }
}
