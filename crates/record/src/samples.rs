//! What each thread does, looked at after every so much time that it was on a processor: a signal comes, whose handler walks
//! the stack and stores it to a file of the thread's own, a window of which is mapped, as for events. The handler
//! interrupts whatever runs, so it touches nothing else: no lock, no allocation, no other file.

use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crosscut_events::{EventKind, STACK_WORDS, pack_stack};

use crate::alarm::{Alarm, Due};
use crate::process::{self, Process};
use crate::sys::{self, SignalInfo};
use crate::thread::{self, Thread};
use crate::walk::{DEEPEST, Registers, walk};

/// The signal: one of the real-time signals that hardly any program uses. Profilers inside the program have `SIGPROF`.
const SIGNAL: c_int = 62;

/// Whether the handler is in place.
static HANDLED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The samples of this thread, for the handler.
    static SAMPLER: Cell<Option<&'static Sampler>> = const { Cell::new(None) };
}

/// The samples of one thread. It is never given back: a signal may still be under way when the thread ends.
pub struct Sampler {
    /// Where they go. Only the handler touches it while the alarm is on, only the thread itself when it is not.
    file: UnsafeCell<Box<Thread>>,
    /// Where the thread's stack begins, and where it ends.
    stack_low: AtomicUsize,
    stack_end: AtomicUsize,
    /// What another stack holds, of a coroutine or a signal: only the handler touches it.
    other_stack: UnsafeCell<[u64; STACK_WORDS]>,
    alarm: Alarm,
    is_on: AtomicBool,
}

// SAFETY: one thread at a time has it, and the handler of its signal runs on that thread.
unsafe impl Sync for Sampler {}

/// Begins with the thread that loads the library, when samples are wanted.
pub fn begin() {
    let Some(process) = process::shared().filter(|process| process.options.calls.is_some()) else { return };
    if let Err(error) = sys::handle_signal(SIGNAL, on_signal) {
        process.note("calls-missing", &format!("signal {SIGNAL} is not free (error {error})"));
        return;
    }
    HANDLED.store(true, Ordering::Release);
    start(sys::main_stack_end());
}

/// Whether threads are sampled.
pub fn are_wanted() -> bool {
    HANDLED.load(Ordering::Acquire)
}

/// Looks at this thread from now on; its stack ends there.
pub fn start(stack_end: usize) {
    thread::with(|thread| {
        let samples = match thread.samples {
            Some(samples) => Some(samples),
            None => process::shared().and_then(|process| Sampler::new(process, thread)),
        };
        thread.samples = samples;
        if let Some(samples) = samples {
            samples.start(stack_end);
        }
    });
}

impl Sampler {
    #[expect(
        clippy::disallowed_methods,
        reason = "a signal on its way may still come; later threads take it over"
    )]
    fn new(process: &Process, thread: &Thread) -> Option<&'static Sampler> {
        let nanos = process.options.calls?;
        let file = Thread::for_samples(process, thread.thread_number() as u32).ok()?;
        // Its code may be in a library that was loaded meanwhile.
        process.copy_maps();
        Some(Box::leak(Box::new(Sampler {
            file: UnsafeCell::new(file),
            stack_low: AtomicUsize::new(0),
            stack_end: AtomicUsize::new(0),
            other_stack: UnsafeCell::new([0; STACK_WORDS]),
            alarm: Alarm::new(nanos),
            is_on: AtomicBool::new(false),
        })))
    }

    fn start(&'static self, stack_end: usize) {
        let Some(process) = process::shared() else { return };
        // SAFETY: the alarm is off, and this is the thread that it belongs to now.
        unsafe { (*self.file.get()).find_core() };
        self.stack_low.store(sys::stack_low(), Ordering::Relaxed);
        self.stack_end.store(stack_end, Ordering::Relaxed);
        self.is_on.store(true, Ordering::Release);
        SAMPLER.set(Some(self));
        if let Err(error) = self.alarm.start(SIGNAL, process) {
            self.is_on.store(false, Ordering::Release);
            process.note("calls-missing", &format!("a thread got no timer (error {error})"));
        }
    }

    /// The thread ends.
    pub fn stop(&self) {
        self.store_rest();
        SAMPLER.set(None);
        self.alarm.stop(process::shared());
    }

    /// Stores the time in the kernel behind the last sample: nobody knows what called it. No samples from here on.
    fn store_rest(&self) {
        self.is_on.store(false, Ordering::Release);
        if let Some(due) = self.alarm.rest() {
            // SAFETY: the handler leaves it alone from here on.
            let file = unsafe { &mut *self.file.get() };
            file.put_at(file.now(), EventKind::Sample, [due.nanos, 0, 0, 0, 0, due.kernel]);
        }
    }

    /// Stores what runs.
    fn take(&self, registers: Registers, due: Due) {
        let low = self.stack_low.load(Ordering::Relaxed) as u64;
        let end = self.stack_end.load(Ordering::Relaxed) as u64;
        // SAFETY: the handler does not interrupt itself.
        let file = unsafe { &mut *self.file.get() };
        let now = file.now();
        let mut found = [0; DEEPEST];
        let mut count = 0;
        if low > 0 && (low..end).contains(&registers.stack) {
            // SAFETY: a stack is mapped from its stack pointer to its end.
            count = unsafe { walk(registers, end, &mut found) };
            // SAFETY: as above.
            store_stack(file, now, unsafe { words(registers.stack, end) });
        } else {
            // SAFETY: only the handler touches it.
            let words = unsafe { &mut *self.other_stack.get() };
            let there = sys::read_memory(registers.stack, words);
            store_stack(file, now, words.iter().copied().take(there));
        }
        for frames in found[..count].chunks(EventKind::FRAMES) {
            let mut words = [0; EventKind::FRAMES];
            words[..frames.len()].copy_from_slice(frames);
            file.put_at(now, EventKind::Frames, words);
        }
        let Registers { code, stack, frame } = registers;
        let sample = [due.nanos, code, count as u64, stack, frame, due.kernel];
        file.put_at(now, EventKind::Sample, sample);
    }
}

/// Stores the inner end of a stack: for functions without frame pointers, whose callers are found when the run is closed.
fn store_stack(file: &mut Thread, now: u64, words: impl Iterator<Item = u64>) {
    // Nobody follows others yet.
    if cfg!(target_arch = "x86_64") {
        pack_stack(words).for_each(|payload| file.put_at(now, EventKind::Stack, payload));
    }
}

/// The words of a stack, from its pointer on.
///
/// # Safety
/// From the stack pointer to `end` there must be readable memory.
unsafe fn words(stack: u64, end: u64) -> impl Iterator<Item = u64> {
    let count = if stack.is_multiple_of(8) { end.saturating_sub(stack) / 8 } else { 0 };
    let first = ptr::with_exposed_provenance::<u64>(stack as usize);
    // SAFETY: the caller's promise.
    (0..count as usize).map(move |at| unsafe { first.add(at).read_volatile() })
}

/// Libraries will be unloaded: where their code is now is kept.
pub fn keep_maps() {
    if let Some(process) = process::shared() {
        process.copy_maps();
    }
}

/// The program ends: whether this thread was looked at until then.
pub fn end() {
    if let Some(sampler) = SAMPLER.get() {
        sampler.store_rest();
        sampler.alarm.check(process::shared());
    }
}

extern "C" fn on_signal(_: c_int, info: *const SignalInfo, context: *const c_void) {
    sys::keeping_error(|| {
        let Some(sampler) = SAMPLER.get().filter(|sampler| sampler.is_on.load(Ordering::Acquire)) else {
            return;
        };
        // SAFETY: what the kernel gives to a handler that asked for it.
        unsafe {
            if let Some(due) = sampler.alarm.due(&*info) {
                sampler.take(Registers::of(context), due);
            }
        }
    });
}
