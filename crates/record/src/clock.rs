//! The clock of all events: the processor's time stamp counter where the system itself trusts it, else
//! `CLOCK_MONOTONIC`.

use crosscut_events::ClockKind;

use crate::process::Process;
use crate::sys;

/// Which clock to use here. The kernel uses the counter for its own clock only after it has checked that it runs at one
/// speed and alike on all cores.
pub fn choose() -> ClockKind {
    let trusted = cfg!(target_arch = "aarch64")
        || cfg!(target_arch = "x86_64")
            && std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource")
                .is_ok_and(|name| name.trim() == "tsc")
            && invariant();
    if trusted { ClockKind::Processor } else { ClockKind::Monotonic }
}

/// Whether the processor promises one speed in all states of power (CPUID 8000_0007h, EDX bit 8).
#[cfg(target_arch = "x86_64")]
fn invariant() -> bool {
    use std::arch::x86_64::__cpuid;
    __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx >> 8 & 1 == 1
}

#[cfg(not(target_arch = "x86_64"))]
fn invariant() -> bool {
    true
}

/// Now, in ticks of the chosen clock.
#[inline(always)]
pub fn ticks(kind: ClockKind) -> u64 {
    match kind {
        ClockKind::Processor => counter(),
        ClockKind::Monotonic => sys::nanos(),
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn counter() -> u64 {
    let ticks: u64;
    // SAFETY: reading a counter that Linux lets every program read.
    unsafe {
        std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nostack, nomem, preserves_flags))
    };
    ticks
}

/// About how many ticks a time takes.
pub fn from_nanos(process: &Process, nanos: u64) -> u64 {
    /// Long enough to know the speed to a few per cent.
    const ENOUGH: u64 = 200_000;
    loop {
        let passed = sys::nanos() - process.base_nanos;
        if passed >= ENOUGH {
            let ticks = ticks(process.clock) - process.base_ticks;
            return (u128::from(nanos) * u128::from(ticks) / u128::from(passed)).min(u128::from(u64::MAX))
                as u64;
        }
    }
}
