//! One thread's file of events, and the hot path: storing an event to the window of the file that is mapped. No lock, no
//! allocation, and one system call in a few thousand events: a full window is written behind the others.
//!
//! The payload is stored first and the head last, so that a reader who finds a head finds the whole event, whenever the
//! process may have been killed.

use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence};

use crosscut_events::{
    CHUNK_BYTES, ChunkHeader, ClockKind, EventKind, FILE_MAGIC, FileHeader, Folded, HEADER_BYTES,
    MAX_COUNTERS, TaskId, VERSION, samples_file, thread_file,
};

use crate::chunks::Open;
use crate::counters::Counters;
use crate::files::EventFile;
use crate::fold::Books;
use crate::lend::Poll;
use crate::locks::Locks;
use crate::process::{self, Process};
use crate::samples::Sampler;
use crate::sampling::Sampling;
use crate::slot::Slot;
use crate::{clock, failure, gomp, sys};

/// Room that is left at the end of a chunk for an event with what may come before it: core, processor time, counters, the
/// event itself. One word stays free, so that what follows an event is in the same chunk.
const SLACK: usize = 2 + 4 + (1 + MAX_COUNTERS) + (1 + LONGEST) + 1;

/// Payload words of the longest event that [`Thread::put_at`] stores.
const LONGEST: usize = 7;

/// Bytes of the file that stay mapped.
const MAPPED: usize = HEADER_BYTES + CHUNK_BYTES;

/// The thread that runs, its file open.
pub struct Thread {
    /// Where the next event goes.
    pub cursor: *mut u64,
    /// No event begins behind this.
    limit: *mut u64,
    base: u64,
    clock: ClockKind,
    /// The core that the thread runs on, kept up to date by the kernel.
    core: *const i32,
    last_core: i32,
    /// Numbers given so far, and the bits above them.
    numbered: u64,
    above: u64,
    /// The task that runs.
    pub current: TaskId,
    /// The counters, when they were asked for and are there.
    counters: Option<Counters>,
    /// The open subgraphs, when folding was asked for.
    pub fold: Option<Box<Books>>,
    /// The header and, behind it, the window.
    header: *mut FileHeader,
    window: *mut u64,
    /// The number of the chunk in the window.
    chunks: u64,
    file: EventFile,
    /// What `core` points to where the kernel does not help.
    core_by_call: i32,
    /// The chunk of a loop that may still grow.
    pub chunk: Open,
    /// The locks it holds, and what it did with them.
    pub locks: Locks,
    /// When its processor time is looked at next.
    pub sampling: Sampling,
    /// The root, when it was begun by a call of ours rather than by an OpenMP runtime.
    own_root: TaskId,
    /// What the part for libgomp knows of it.
    pub gomp: gomp::State,
    /// The call of MPI that asked in vain last.
    pub poll: Poll,
    /// Samples of its stack, when they were asked for.
    pub samples: Option<&'static Sampler>,
    /// Whether this is no thread of its own, but where samples of one go, from inside a signal.
    is_for_samples: bool,
    /// What the clock says in a test.
    #[cfg(test)]
    pub test_time: Option<u64>,
}

/// A point in the stream of a thread.
#[derive(Clone, Copy)]
pub struct Mark {
    at: *mut u64,
    chunk: u64,
}

static THREAD: Slot = Slot;

/// In place of a thread: it is not recorded, not yet or no more.
const CLOSED: *mut Thread = ptr::without_provenance_mut(8);

/// Calls with the thread; not when it is not recorded.
#[inline(always)]
pub fn with<R>(f: impl FnOnce(&mut Thread) -> R) -> Option<R> {
    let mut thread = THREAD.get();
    if (thread as usize) <= CLOSED as usize {
        thread = if thread.is_null() { open() } else { return None };
        if thread == CLOSED {
            return None;
        }
    }
    // SAFETY: only this thread knows the pointer, and `f` cannot reach it again.
    Some(f(unsafe { &mut *thread }))
}

/// Calls with the thread when it is being recorded already.
#[inline(always)]
pub fn with_open<R>(f: impl FnOnce(&mut Thread) -> R) -> Option<R> {
    let thread = THREAD.get();
    // SAFETY: as in `with`.
    if thread as usize > CLOSED as usize { Some(f(unsafe { &mut *thread })) } else { None }
}

/// The first event of a thread opens its file.
#[cold]
#[inline(never)]
fn open() -> *mut Thread {
    let Some(process) = process::shared() else {
        THREAD.set(CLOSED);
        return CLOSED;
    };
    // Whatever is called from here must not come back.
    THREAD.set(CLOSED);
    let thread = match failure::ended() {
        None => unpark().map_or_else(|| Thread::new(process), Ok),
        Some(error) => Err(error),
    };
    match thread {
        Ok(thread) => {
            THREAD.set(Box::into_raw(thread));
            process.watch_thread(1);
        }
        Err(error) => {
            failure::end(error);
            failure::miss_thread();
        }
    }
    THREAD.get()
}

/// This thread has ended, or nothing more of it will be recorded.
pub fn close() {
    let thread = THREAD.replace(CLOSED);
    if thread as usize > CLOSED as usize {
        // SAFETY: it came from a box in `open` and was taken out just now.
        let mut thread = unsafe { Box::from_raw(thread) };
        thread.leave();
        if thread.is_done() {
            park(thread);
        }
    }
}

/// Leaves the thread's file alone from now on, without touching it: it belongs to the parent process.
pub fn forget() {
    THREAD.set(CLOSED);
}

/// The destructor of the key that every recorded thread has set. An OpenMP runtime has one, too, and may come later: what
/// it has not told yet is waited for, once.
pub extern "C" fn at_thread_exit(times: *mut c_void) {
    let is_done = with_open(|thread| thread.is_done() || thread.own_root != TaskId::NONE);
    match process::shared() {
        Some(process) if times as usize == 1 && is_done == Some(false) => process.watch_thread(2),
        _ => close(),
    }
}

/// The files of threads that have ended and may go on with others. libgomp starts new threads for every region inside of
/// another, and ends them with it; a program may start thousands of its own, one after the other. Each is a worker of the
/// program, but none is a new one, and there are no more files than threads at once.
#[allow(clippy::vec_box)] // they are large, and never move
struct Parked(Vec<Box<Thread>>);

// SAFETY: whoever takes one out has it for himself; nothing in it belongs to the thread that it was for.
unsafe impl Send for Parked {}

static PARKED: Mutex<Parked> = Mutex::new(Parked(Vec::new()));

fn park(thread: Box<Thread>) {
    // SAFETY: the header stays mapped as long as the thread is open.
    unsafe {
        (*thread.header).end_ticks = clock::ticks(thread.clock);
        (*thread.header).ended = 1;
    }
    if let Ok(mut parked) = PARKED.lock() {
        parked.0.push(thread);
    }
}

fn unpark() -> Option<Box<Thread>> {
    let mut thread = PARKED.lock().ok()?.0.pop()?;
    // SAFETY: as above.
    unsafe { (*thread.header).ended = 0 };
    thread.find_core();
    thread.sampling.restart();
    Some(thread)
}

/// The program returned from `main` or called `exit`.
pub fn at_process_exit() {
    let thread = THREAD.get();
    if thread as usize > CLOSED as usize {
        // SAFETY: as in `with`.
        let thread = unsafe { &mut *thread };
        if thread.own_root != TaskId::NONE {
            thread.end(TaskId::NONE);
            close();
        }
    }
}

impl Thread {
    pub fn new(process: &Process) -> Result<Box<Thread>, u32> {
        let number = process.number_thread()?;
        Self::at(process, number, &thread_file(number), Counters::open(process))
    }

    /// The file for samples of a thread.
    pub fn for_samples(process: &Process, number: u32) -> Result<Box<Thread>, u32> {
        let mut thread = Self::at(process, number, &samples_file(number), None)?;
        thread.sampling = Sampling::new(0);
        thread.is_for_samples = true;
        Ok(thread)
    }

    fn at(
        process: &Process,
        number: u32,
        file: &str,
        counters: Option<Counters>,
    ) -> Result<Box<Thread>, u32> {
        // Why there is none is told where it is made.
        let folder = process.folder().ok_or(failure::ended().unwrap_or(1))?;
        let (file, header) = EventFile::create(folder.join(file), MAPPED)?;
        let header = header.cast::<FileHeader>();
        // SAFETY: a page of our own that is larger than the header; the magic number comes last.
        unsafe {
            (*header).version = VERSION;
            (*header).clock = process.clock as u32;
            (*header).thread = number;
            (*header).os_thread = sys::thread_number();
            (*header).base_ticks = process.base_ticks;
            (*header).base_nanos = process.base_nanos;
            (*header).chunk_bytes = CHUNK_BYTES as u32;
            if let Some(counters) = &counters {
                (*header).counters = counters.len() as u32;
                (*header).counter_names = counters.names();
            }
            AtomicU64::from_ptr(&raw mut (*header).magic).store(FILE_MAGIC, Ordering::Release);
        }
        let microsecond = process.microsecond();
        let mut thread = Box::new(Thread {
            cursor: ptr::without_provenance_mut(8),
            limit: ptr::null_mut(),
            base: process.base_ticks,
            clock: process.clock,
            core: ptr::null(),
            last_core: -1,
            numbered: 0,
            above: TaskId::new(number, 0).0,
            current: TaskId::NONE,
            counters,
            fold: process.options.collapse.then(|| Books::new(process)).flatten(),
            header,
            window: header.wrapping_byte_add(HEADER_BYTES).cast(),
            chunks: 0,
            file,
            core_by_call: -1,
            chunk: Open::new(microsecond),
            locks: Locks::new(microsecond),
            sampling: Sampling::new(microsecond),
            own_root: TaskId::NONE,
            gomp: gomp::State::default(),
            poll: Poll::new(microsecond),
            samples: None,
            is_for_samples: false,
            #[cfg(test)]
            test_time: None,
        });
        thread.find_core();
        thread.begin_chunk();
        Ok(thread)
    }

    /// Finds where the core is told that this thread runs on.
    pub fn find_core(&mut self) {
        self.core = sys::core_word().unwrap_or(&raw const self.core_by_call);
    }

    /// The thread ends: so does what runs on it when nothing else can end it, and what was gathered is stored.
    fn leave(&mut self) {
        gomp::leave(self);
        if self.own_root != TaskId::NONE && self.current == self.own_root {
            self.end(TaskId::NONE);
            self.own_root = TaskId::NONE;
        }
        self.store_uses();
        self.sample();
        if let Some(samples) = self.samples {
            samples.stop();
        }
    }

    /// Whether nothing runs on it, and its file may go on with another thread. Counters count one thread only.
    fn is_done(&self) -> bool {
        self.current == TaskId::NONE && self.counters.is_none() && !self.is_full()
    }

    /// Now, in ticks from the base.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        #[cfg(test)]
        if let Some(time) = self.test_time {
            return time;
        }
        clock::ticks(self.clock).saturating_sub(self.base)
    }

    /// Where the next event will stand. There is room for it.
    #[inline(always)]
    pub fn position(&mut self) -> *mut u64 {
        if self.cursor > self.limit {
            self.next_chunk();
        }
        self.cursor
    }

    /// Puts one event in place of everything stored from `at` on, which is in this chunk, if that is shorter. The journal
    /// in the header stands for the change until it is done.
    pub fn rewrite(&mut self, at: *mut u64, head: u64, folded: &Folded) {
        // SAFETY: it consists of words, in the order of the payload.
        let payload: &[u64; Folded::WORDS] = unsafe { &*ptr::from_ref(folded).cast() };
        // SAFETY: both point into the chunk, and what is stored there again is shorter than what was stored before.
        unsafe {
            let in_window = self.window..self.window.add(CHUNK_BYTES / 8);
            if !in_window.contains(&self.cursor) || !in_window.contains(&at) {
                return;
            }
            if self.cursor.offset_from(at) <= 1 + Folded::WORDS as isize {
                return;
            }
            let word = at.offset_from(self.window) as u64 + HEADER_BYTES as u64 / 8;
            let journal = (&raw mut (*self.header).journal).cast::<u64>();
            ptr::copy_nonoverlapping(payload.as_ptr(), journal.add(2), payload.len());
            journal.write(word);
            AtomicU64::from_ptr(journal.add(1)).store(head, Ordering::Release);
            compiler_fence(Ordering::SeqCst);
            ptr::write_bytes(at, 0, self.cursor.offset_from(at) as usize);
            ptr::copy_nonoverlapping(payload.as_ptr(), at.add(1), payload.len());
            AtomicU64::from_ptr(at).store(head, Ordering::Release);
            AtomicU64::from_ptr(journal.add(1)).store(0, Ordering::Release);
            self.cursor = at.add(1 + payload.len());
        }
        // Changes of the core may have gone.
        self.last_core = i32::MIN;
    }

    /// Where the stream stands now, for [`Thread::take_back`].
    pub fn mark(&mut self) -> Mark {
        Mark { at: self.position(), chunk: self.chunks }
    }

    /// Takes back what was stored since then; not when a part of it is out of reach.
    pub fn take_back(&mut self, mark: Mark) -> bool {
        if mark.chunk != self.chunks || self.limit.is_null() || mark.at > self.cursor {
            return false;
        }
        // SAFETY: both point into the chunk. The first word goes first: the stream ends there.
        unsafe {
            AtomicU64::from_ptr(mark.at).store(0, Ordering::Release);
            compiler_fence(Ordering::SeqCst);
            ptr::write_bytes(mark.at, 0, self.cursor.offset_from(mark.at) as usize);
        }
        self.cursor = mark.at;
        // A change of the core may have gone.
        self.last_core = i32::MIN;
        true
    }

    /// Stores an event that happens now.
    #[inline(always)]
    pub fn put<const N: usize>(&mut self, kind: EventKind, payload: [u64; N]) {
        let now = self.now();
        self.put_at(now, kind, payload);
    }

    /// Stores an event.
    #[inline(always)]
    pub fn put_at<const N: usize>(&mut self, ticks: u64, kind: EventKind, payload: [u64; N]) {
        if self.prepare(ticks) {
            self.store(ticks, kind, payload);
        }
    }

    /// Stores an event whose words are as many as its kind has.
    #[inline]
    pub fn put_slice_at(&mut self, ticks: u64, kind: EventKind, payload: &[u64]) {
        if self.prepare(ticks) {
            self.store_slice(ticks, kind, payload);
        }
    }

    /// Makes room for an event, and stores what comes before it. Says whether there is room.
    #[inline(always)]
    fn prepare(&mut self, ticks: u64) -> bool {
        if self.cursor > self.limit && !self.next_chunk() {
            self.lose();
            return false;
        }
        // SAFETY: it points to the C library's word for this thread or to our own field.
        let core = unsafe { self.core.read_volatile() };
        if core != self.last_core {
            self.last_core = core;
            self.store(ticks, EventKind::Core, [core as u64]);
        }
        if ticks >= self.sampling.next {
            let sample = self.sampling.take(ticks);
            self.store(ticks, EventKind::Processor, sample);
        }
        if let Some(counters) = &mut self.counters {
            let values = counters.read();
            let count = counters.len();
            self.store_slice(ticks, EventKind::Count, &values[..count]);
        }
        true
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, ticks: u64, kind: EventKind, payload: [u64; N]) {
        // SAFETY: the chunk has room for `SLACK` words behind the limit, more than `put_at` stores.
        unsafe {
            for (at, word) in payload.into_iter().enumerate() {
                self.cursor.add(1 + at).write(word);
            }
            AtomicU64::from_ptr(self.cursor).store(ticks << 8 | kind as u64, Ordering::Release);
            self.cursor = self.cursor.add(1 + N);
        }
    }

    #[inline]
    fn store_slice(&mut self, ticks: u64, kind: EventKind, payload: &[u64]) {
        // SAFETY: as in `store`.
        unsafe {
            ptr::copy_nonoverlapping(payload.as_ptr(), self.cursor.add(1), payload.len());
            AtomicU64::from_ptr(self.cursor).store(ticks << 8 | kind as u64, Ordering::Release);
            self.cursor = self.cursor.add(1 + payload.len());
        }
    }

    /// The number of the chunk in the window.
    pub fn chunk_number(&self) -> u64 {
        self.chunks
    }

    /// Whether nothing can be stored any more.
    pub fn is_full(&self) -> bool {
        self.limit.is_null()
    }

    /// An event that could not be stored is counted, where a reader will find it.
    #[cold]
    fn lose(&mut self) {
        // SAFETY: the header stays mapped as long as the thread is open.
        unsafe { (*self.header).lost += 1 };
    }

    /// Writes the full window behind the others and goes on with an empty one. After a failure nothing is stored any more:
    /// what came after a gap would not fit to what came before it. The window is still there for the reader.
    #[cold]
    #[inline(never)]
    fn next_chunk(&mut self) -> bool {
        // SAFETY: header and window stay mapped as long as the thread is open.
        let (header, window) =
            unsafe { (&mut *self.header, std::slice::from_raw_parts_mut(self.window, CHUNK_BYTES / 8)) };
        if header.error != 0 {
            return false;
        }
        let offset = HEADER_BYTES as u64 + self.chunks * CHUNK_BYTES as u64;
        let wrote = match failure::ended() {
            None => self.file.write(offset, window),
            Some(error) => Err(error),
        };
        if let Err(error) = wrote {
            failure::end(error);
            header.error = error.max(1);
            self.cursor = ptr::without_provenance_mut(8);
            self.limit = ptr::null_mut();
            return false;
        }
        // From here on the window is stale, until it has a new number.
        // SAFETY: a field of the header.
        unsafe { AtomicU64::from_ptr(&raw mut header.archived) }.store(self.chunks, Ordering::Release);
        compiler_fence(Ordering::SeqCst);
        window.fill(0);
        self.begin_chunk();
        true
    }

    /// Begins a chunk in the window, which is empty.
    #[cold]
    fn begin_chunk(&mut self) {
        self.chunks += 1;
        let begin = ChunkHeader {
            number: self.chunks,
            ticks: clock::ticks(self.clock),
            nanos: sys::nanos(),
            numbered: self.numbered,
        };
        // SAFETY: the window is ours and large enough; the number comes last.
        unsafe {
            self.window.add(1).write(begin.ticks);
            self.window.add(2).write(begin.nanos);
            self.window.add(3).write(begin.numbered);
            AtomicU64::from_ptr(self.window).store(begin.number, Ordering::Release);
            self.cursor = self.window.add(ChunkHeader::WORDS);
            self.limit = self.window.add(CHUNK_BYTES / 8 - SLACK);
        }
        if self.core == &raw const self.core_by_call {
            self.core_by_call = sys::core_by_call();
        }
        if let Some(fold) = &mut self.fold {
            fold.new_chunk();
        }
        // Libraries that were loaded later have their code somewhere too. A signal is no place to look.
        if self.chunks > 4
            && !self.is_for_samples
            && self.chunks.is_power_of_two()
            && let Some(process) = process::shared()
        {
            process.copy_maps();
        }
    }

    /// Stores the processor time as it is now.
    pub fn sample(&mut self) {
        let now = self.now();
        if self.cursor > self.limit && !self.next_chunk() {
            return;
        }
        let sample = self.sampling.take(now);
        self.store(now, EventKind::Processor, sample);
    }

    /// Takes the next number.
    #[inline(always)]
    pub fn number(&mut self) -> TaskId {
        self.numbered += 1;
        TaskId(self.above | self.numbered)
    }

    /// The number of the thread within the process.
    #[inline(always)]
    pub fn thread_number(&self) -> u64 {
        u64::from(TaskId(self.above).thread())
    }

    /// Numbers given so far.
    #[inline(always)]
    pub fn numbered(&self) -> u64 {
        self.numbered
    }

    /// The first task of a thread: the program itself on the main thread, from its very beginning.
    #[cold]
    pub fn root(&mut self, own: bool) -> TaskId {
        // SAFETY: the header stays mapped as long as the thread is open.
        let main = unsafe { (*self.header).os_thread } == std::process::id();
        let is_program = main && self.numbered == 0;
        let now = if is_program { 0 } else { self.now() };
        self.put_at(now, EventKind::Root, [0]);
        // The next look is where this is stored, long after what ran until then.
        if let Some(process) = process::shared().filter(|_| is_program && self.sampling.is_new()) {
            self.put_at(now, EventKind::Processor, process.base_used);
        }
        let root = self.number();
        if own {
            self.own_root = root;
        }
        self.goes_on(now, root);
        root
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        // SAFETY: mapped until now, and nobody uses it afterwards.
        unsafe {
            (*self.header).end_ticks = clock::ticks(self.clock);
            (*self.header).ended = 1;
            sys::unmap(self.header.cast(), MAPPED);
        }
    }
}
