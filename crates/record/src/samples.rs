//! What each thread does, looked at after every so much time that it was on a processor: a timer of the thread sends it a
//! signal, whose handler walks the stack and stores it to a file of the thread's own, a window of which is mapped, as for
//! events. The handler interrupts whatever runs, so it touches nothing else: no lock, no allocation, no other file.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};

use crosscut_events::EventKind;

use crate::process::{self, Process};
use crate::sys::{self, SignalInfo};
use crate::thread::{self, Thread};
use crate::walk::{DEEPEST, Registers, walk};

/// The signal: one of the real-time signals that hardly any program uses. Profilers inside the program have `SIGPROF`.
const SIGNAL: c_int = 62;

/// No timer.
const NONE: c_int = -1;

/// Whether the handler is in place.
static HANDLED: AtomicBool = AtomicBool::new(false);

/// The samples of one thread. It is never given back: a signal may still be under way when the thread ends.
pub struct Sampler {
    /// Where they go. Only the handler touches it while the timer runs, only the thread itself when it does not.
    file: UnsafeCell<Box<Thread>>,
    /// Where the thread's stack ends.
    stack_end: AtomicUsize,
    /// Processor time between two samples.
    nanos: u64,
    timer: AtomicI32,
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
            stack_end: AtomicUsize::new(0),
            nanos,
            timer: AtomicI32::new(NONE),
            is_on: AtomicBool::new(false),
        })))
    }

    fn start(&'static self, stack_end: usize) {
        // SAFETY: the timer does not run, and this is the thread that it belongs to now.
        unsafe { (*self.file.get()).find_core() };
        self.stack_end.store(stack_end, Ordering::Relaxed);
        self.is_on.store(true, Ordering::Release);
        match sys::start_timer(SIGNAL, self.nanos, ptr::from_ref(self).cast_mut().cast()) {
            Ok(timer) => self.timer.store(timer, Ordering::Release),
            Err(error) => {
                self.is_on.store(false, Ordering::Release);
                if let Some(process) = process::shared() {
                    process.note("calls-missing", &format!("a thread got no timer (error {error})"));
                }
            }
        }
    }

    /// The thread ends.
    pub fn stop(&self) {
        self.is_on.store(false, Ordering::Release);
        let timer = self.timer.swap(NONE, Ordering::AcqRel);
        if timer != NONE {
            sys::stop_timer(timer);
        }
    }

    /// Stores what runs.
    fn take(&self, registers: Registers, overrun: u64) {
        let end = self.stack_end.load(Ordering::Relaxed) as u64;
        let mut found = [0; DEEPEST];
        // SAFETY: a stack is mapped from its stack pointer to its end; on another one, of a coroutine or of a signal, the
        // frames do not lie between the two.
        let count = if registers.stack < end { unsafe { walk(registers, end, &mut found) } } else { 0 };
        // SAFETY: the handler does not interrupt itself.
        let file = unsafe { &mut *self.file.get() };
        let now = file.now();
        for frames in found[..count].chunks(EventKind::FRAMES) {
            let mut words = [0; EventKind::FRAMES];
            words[..frames.len()].copy_from_slice(frames);
            file.put_at(now, EventKind::Frames, words);
        }
        let nanos = self.nanos.saturating_mul(overrun.saturating_add(1));
        file.put_at(now, EventKind::Sample, [nanos, registers.code, count as u64]);
    }
}

extern "C" fn on_signal(_: c_int, info: *const SignalInfo, context: *const c_void) {
    sys::keeping_error(|| {
        // SAFETY: what the kernel gives to a handler that asked for it; of a timer of ours the value is a sampler.
        unsafe {
            if (*info).code != sys::FROM_TIMER || (*info).value.is_null() {
                return;
            }
            let sampler = &*(*info).value.cast::<Sampler>();
            if sampler.is_on.load(Ordering::Acquire) {
                sampler.take(Registers::of(context), (*info).overrun.max(0) as u64);
            }
        }
    });
}
