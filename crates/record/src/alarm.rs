//! What tells a thread that it is time for a sample: an event of the kernel's performance counters where that may be had, else a
//! timer on the thread's processor time. Both send the thread a signal.
//!
//! The event counts while the thread is on a processor and comes to the nanosecond; the timer is looked at by the kernel's clock
//! tick. The event is for the program's own code only, so it needs no rights, and its signal never finds the thread inside a
//! system call, which it would interrupt, or which might be the one that starts another program in this one's place.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use crate::process::Process;
use crate::sys::{self, SignalInfo};

/// No timer, no event.
const NONE: c_int = -1;

/// Signals of an event that may be on their way at once. More would be held for a thread that blocks them, and beyond the
/// system's limit another signal comes in their place, which ends the program.
const AHEAD: u32 = 64;

/// What wakes the samples of one thread.
pub struct Alarm {
    /// Processor time between two samples.
    nanos: u64,
    timer: AtomicI32,
    event: AtomicI32,
    /// Signals of the event that have come.
    came: AtomicU32,
    /// The thread's processor time at its last sample.
    last: AtomicU64,
}

/// How much time a sample stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// In the code that was found.
    pub nanos: u64,
    /// In the kernel, since the sample before.
    pub kernel: u64,
}

impl Alarm {
    /// After every so many nanoseconds of processor time.
    pub const fn new(nanos: u64) -> Self {
        Alarm {
            nanos,
            timer: AtomicI32::new(NONE),
            event: AtomicI32::new(NONE),
            came: AtomicU32::new(0),
            last: AtomicU64::new(0),
        }
    }

    /// For this thread from now on. The error is that of the timer.
    pub fn start(&self, signal: c_int, process: &Process) -> Result<(), u32> {
        static EVENT: OnceLock<()> = OnceLock::new();
        static TIMER: OnceLock<()> = OnceLock::new();
        self.last.store(sys::processor_nanos(), Ordering::Relaxed);
        self.came.store(0, Ordering::Relaxed);
        let event = match process.options.calls_by_timer {
            true => Err("the timer was asked for".to_owned()),
            false => open(self.nanos, signal),
        };
        match event {
            Ok(event) => {
                self.event.store(event, Ordering::Release);
                sys::refresh_event(event, AHEAD);
                EVENT.get_or_init(|| process.note("calls-by", "perf_event_open"));
                Ok(())
            }
            Err(why) => {
                self.timer.store(sys::start_timer(signal, self.nanos)?, Ordering::Release);
                TIMER.get_or_init(|| process.note("calls-by", &format!("timer signal: {why}")));
                Ok(())
            }
        }
    }

    /// No more for this thread.
    pub fn stop(&self, process: Option<&Process>) {
        self.check(process);
        let timer = self.timer.swap(NONE, Ordering::AcqRel);
        if timer != NONE {
            sys::stop_timer(timer);
        }
        let event = self.event.swap(NONE, Ordering::AcqRel);
        if event != NONE && sys::is_counter(event) {
            sys::close_descriptor(event);
        }
    }

    /// A program that closes all files has closed the event: that is said.
    pub fn check(&self, process: Option<&Process>) {
        static SAID: OnceLock<()> = OnceLock::new();
        let event = self.event.load(Ordering::Acquire);
        if event != NONE
            && !sys::is_counter(event)
            && let Some(process) = process
        {
            SAID.get_or_init(|| {
                process.note(
                    "calls-missing",
                    "the program closed a file of the recorder, and a thread was not looked at from there on; \
                     --calls=timer needs none",
                );
            });
        }
    }

    /// What no signal will stand for any more, now that the thread or the program ends: the time in the kernel since the last one.
    /// Less than two samples' time is left at the end of any thread.
    pub fn rest(&self) -> Option<Due> {
        if self.event.load(Ordering::Acquire) == NONE {
            return None;
        }
        let now = sys::processor_nanos();
        let kernel = now.saturating_sub(self.last.load(Ordering::Relaxed));
        if kernel < 2 * self.nanos {
            return None;
        }
        self.last.store(now, Ordering::Relaxed);
        Some(Due { nanos: 0, kernel })
    }

    /// What a signal stands for; none where it is not this alarm's, or came late. Inside the handler.
    pub fn due(&self, info: &SignalInfo) -> Option<Due> {
        const READABLE: c_int = 1;
        const LAST_ONE: c_int = 6;
        match info.code {
            sys::FROM_TIMER if self.timer.load(Ordering::Acquire) != NONE => {
                let times = u64::from(info.overrun.max(0).unsigned_abs()) + 1;
                Some(Due { nanos: self.nanos.saturating_mul(times), kernel: 0 })
            }
            READABLE | LAST_ONE => {
                let event = self.event.load(Ordering::Acquire);
                if event == NONE {
                    return None;
                }
                let came = self.came.fetch_add(1, Ordering::Relaxed) + 1;
                // Letting it go on costs some microseconds: not each time.
                if came.is_multiple_of(AHEAD / 2) {
                    sys::refresh_event(event, AHEAD / 2);
                }
                let now = sys::processor_nanos();
                let due = split(now.saturating_sub(self.last.load(Ordering::Relaxed)), self.nanos)?;
                self.last.store(now, Ordering::Relaxed);
                Some(due)
            }
            _ => None,
        }
    }
}

/// The event comes each `nanos`, but not while the kernel runs: whole times that are missing were there. None when it was held
/// back with others, the first of which stands for all.
fn split(passed: u64, nanos: u64) -> Option<Due> {
    let times = (passed + nanos / 2) / nanos;
    let kernel = times.checked_sub(1)? * nanos;
    Some(Due { nanos: passed - kernel, kernel })
}

fn open(nanos: u64, signal: c_int) -> Result<i32, String> {
    let event = sys::perf_event_open(&attributes(nanos), NONE).map_err(why)?;
    let event = sys::move_far_up(event).ok_or("the process has no room for the file (ulimit -n)")?;
    if let Err(error) = sys::signal_of_event(event, signal) {
        sys::close_descriptor(event);
        return Err(why(error));
    }
    Ok(event)
}

fn why(error: u32) -> String {
    format!(
        "perf_event_open: {} (see /proc/sys/kernel/perf_event_paranoid)",
        std::io::Error::from_raw_os_error(error as i32)
    )
}

/// `struct perf_event_attr` as words: type and size, config, sample period, sample type, read format, flags.
fn attributes(nanos: u64) -> [u64; 16] {
    const SOFTWARE: u64 = 1;
    const SIZE: u64 = 128;
    const TASK_CLOCK: u64 = 1;
    const DISABLED: u64 = 1;
    const EXCLUDE_KERNEL: u64 = 1 << 5;
    const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
    let mut words = [0; 16];
    words[0] = SOFTWARE | SIZE << 32;
    words[1] = TASK_CLOCK;
    words[2] = nanos;
    words[5] = DISABLED | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR;
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_the_kernel_is_told_apart() {
        let nanos = 1000;
        let due = |nanos, kernel| Some(Due { nanos, kernel });
        assert_eq!(split(1000, nanos), due(1000, 0));
        assert_eq!(split(1499, nanos), due(1499, 0));
        assert_eq!(split(1500, nanos), due(500, 1000));
        assert_eq!(split(4100, nanos), due(1100, 3000));
        assert_eq!(split(600, nanos), due(600, 0));
        // Held back, and delivered behind another.
        assert_eq!(split(3, nanos), None);
        for passed in 500..10_000 {
            let due = split(passed, nanos).unwrap();
            assert_eq!(due.nanos + due.kernel, passed);
        }
    }
}
