//! From the ticks of a process to nanoseconds of the run.

use crosscut_events::{ClockKind, Events};

use crate::files::Process;

/// Nanoseconds of one process.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Nanoseconds for each tick, times 2³².
    rate: u64,
    /// When the process began, in nanoseconds of the run.
    begin: i64,
}

/// Nanoseconds after which two readings tell the speed of a clock to a hundred-thousandth.
const LONG: u64 = 100_000_000;

/// A moment in both clocks.
type Pair = (u64, u64);

impl Clock {
    /// The clock of a process in a run that began at `zero`, in the nanoseconds of the machine.
    pub fn new(process: &Process, threads: &[Events<'_>], zero: u64) -> Self {
        let Some(first) = threads.first().map(|thread| &thread.header) else {
            return Clock { rate: 1 << 32, begin: 0 };
        };
        let base = (first.base_ticks, first.base_nanos);
        let begin = first.base_nanos.saturating_sub(zero).min(1 << 60) as i64;
        if first.clock != ClockKind::Processor as u32 {
            return Clock { rate: 1 << 32, begin };
        }
        // The longer apart, the better known: until now, when this is the machine that recorded and it was not restarted.
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let here = process.get("boot") == Some(boot.trim());
        let now = if here { now() } else { None };
        let ended = process.get("ended").and_then(pair);
        let chunks =
            threads.iter().flat_map(|thread| thread.chunks().map(|(_, chunk)| (chunk.ticks, chunk.nanos)));
        // The machine may have slept since, so what the process itself saw comes first, if that was long enough.
        let long = ended.filter(|&(_, nanos)| nanos.saturating_sub(base.1) > LONG);
        let known = [long, now, ended, chunks.max()].into_iter().flatten();
        let rate = known.filter_map(|last| rate(base, last)).next().unwrap_or(1 << 32);
        Clock { rate, begin }
    }

    /// The time of an event.
    #[inline(always)]
    pub fn time(&self, ticks: u64) -> i64 {
        self.begin + self.length(ticks)
    }

    /// A length in ticks as nanoseconds.
    #[inline(always)]
    pub fn length(&self, ticks: u64) -> i64 {
        // Heads have 56 bits for ticks; a rate of 2³² stands for 1 GHz.
        ((u128::from(ticks) * u128::from(self.rate)) >> 32).min(1 << 60) as i64
    }
}

fn rate((from_ticks, from_nanos): Pair, (to_ticks, to_nanos): Pair) -> Option<u64> {
    let ticks = to_ticks.checked_sub(from_ticks).filter(|&ticks| ticks > 0)?;
    let nanos = to_nanos.checked_sub(from_nanos).filter(|&nanos| nanos > 0)?;
    u64::try_from((u128::from(nanos) << 32) / u128::from(ticks)).ok().filter(|&rate| rate > 0)
}

/// "TICKS NANOS"
fn pair(text: &str) -> Option<Pair> {
    let (ticks, nanos) = text.split_once(' ')?;
    Some((ticks.parse().ok()?, nanos.parse().ok()?))
}

/// This moment in both clocks, where the processor has such a counter.
fn now() -> Option<Pair> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it fills in the struct that we own.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    let nanos = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
    ticks().filter(|_| failed == 0).map(|ticks| (ticks, nanos))
}

#[cfg(target_arch = "x86_64")]
fn ticks() -> Option<u64> {
    // SAFETY: every x86-64 processor has it.
    Some(unsafe { std::arch::x86_64::_rdtsc() })
}

#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> Option<u64> {
    None
}
