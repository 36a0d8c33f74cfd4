//! Loops and sections whose iterations libgomp shares out. GCC compiles `schedule(static)` loops into plain code that
//! calls nobody.

use std::ffi::{c_long, c_uint, c_void};

use crosscut_events::WaitKind;

use super::wait::waiting;
use super::{entries, here, origin, place, real, slot, stub, with};
use crate::thread::{self, Thread};

/// The loop that a lane is in.
#[derive(Clone, Copy, Default)]
pub struct Lap {
    is_open: bool,
    down: bool,
    /// Without its sign.
    step: u64,
    iterations: u64,
    schedule: u16,
}

/// Schedules as events have them (`ompt_work_t`).
pub(super) const SECTIONS: u16 = 2;
pub(super) const STATIC: u16 = 10;
pub(super) const DYNAMIC: u16 = 11;
pub(super) const GUIDED: u16 = 12;
pub(super) const OTHER: u16 = 13;

impl Lap {
    /// A loop over numbers with a sign.
    pub fn signed(start: c_long, end: c_long, step: c_long, schedule: u16) -> Self {
        let lap = Lap { down: step < 0, step: step.unsigned_abs(), schedule, ..Lap::default() };
        let is_none = if lap.down { start <= end } else { start >= end };
        Lap { iterations: if is_none { 0 } else { lap.count(start as u64, end as u64) }, ..lap }
    }

    /// A loop over numbers without a sign. Its step has one all the same.
    fn unsigned(up: u8, start: u64, end: u64, step: u64, schedule: u16) -> Self {
        let down = up == 0;
        let step = if down { step.wrapping_neg() } else { step };
        let lap = Lap { down, step, schedule, ..Lap::default() };
        let is_none = if down { start <= end } else { start >= end };
        Lap { iterations: if is_none { 0 } else { lap.count(start, end) }, ..lap }
    }

    /// A loop that counts from 0.
    fn counted(iterations: u64, schedule: u16) -> Self {
        Lap { step: 1, iterations, schedule, ..Lap::default() }
    }

    /// Sections, which are numbered from 1.
    pub fn sections(count: c_uint) -> Self {
        Self::counted(count.into(), SECTIONS)
    }

    /// Iterations from one up to another.
    fn count(&self, from: u64, to: u64) -> u64 {
        let distance = if self.down { from.wrapping_sub(to) } else { to.wrapping_sub(from) };
        distance.div_ceil(self.step.max(1))
    }

    /// The lane enters the loop.
    pub fn enter(mut self, thread: &mut Thread, code: u64) {
        self.is_open = true;
        thread.gomp.scope.lap = self;
        thread.enter_loop(code, self.schedule, self.iterations);
    }

    /// The lane leaves the loop that it is in, if it has not.
    pub fn leave(thread: &mut Thread) {
        if std::mem::take(&mut thread.gomp.scope.lap.is_open) {
            thread.leave_loop();
        }
    }
}

/// A schedule as a program writes it in words of its own.
fn schedule(number: c_long) -> u16 {
    match number & 0xff {
        1 => STATIC,
        2 => DYNAMIC,
        3 => GUIDED,
        _ => OTHER,
    }
}

/// Asks for the first chunk of a loop.
#[inline(always)]
unsafe fn start(
    lap: Lap,
    caller: usize,
    first: *const u64,
    last: *const u64,
    ask: impl FnOnce() -> u8,
) -> u8 {
    with(|thread| lap.enter(thread, place(thread, caller)));
    // SAFETY: the caller's promise.
    unsafe { next(first, last, ask) }
}

/// Asks for the next chunk of a loop.
#[inline(always)]
unsafe fn next(first: *const u64, last: *const u64, ask: impl FnOnce() -> u8) -> u8 {
    let more = ask();
    thread::with(|thread| {
        if more == 0 {
            Lap::leave(thread);
        } else if !first.is_null() && !last.is_null() {
            // SAFETY: libgomp has just written both.
            let (first, last) = unsafe { (*first, *last) };
            let count = thread.gomp.scope.lap.count(first, last);
            thread.chunk(first, count);
        }
    });
    more
}

/// Entry points `start(start, end, step, chunk, &first, &last)`.
macro_rules! chunked {
    ($($name:ident $schedule:ident;)*) => {$(slot!($name); const _: () = {
        stub!($name(6) => inner);
        unsafe extern "C-unwind" fn inner(
            from: c_long, to: c_long, step: c_long, chunk: c_long, first: *mut c_long, last: *mut c_long, caller: usize,
        ) -> u8 {
            type Start = unsafe extern "C-unwind" fn(c_long, c_long, c_long, c_long, *mut c_long, *mut c_long) -> u8;
            let real = real!($name, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let ask = || unsafe { real.function::<Start>()(from, to, step, chunk, first, last) };
            if real.is_quiet() {
                return ask();
            }
            // SAFETY: the caller's own numbers.
            unsafe { start(Lap::signed(from, to, step, $schedule), caller, first.cast(), last.cast(), ask) }
        }
    };)*};
}

/// Entry points `start(start, end, step, &first, &last)`.
macro_rules! unchunked {
    ($($name:ident $schedule:ident;)*) => {$(slot!($name); const _: () = {
        stub!($name(5) => inner);
        unsafe extern "C-unwind" fn inner(
            from: c_long, to: c_long, step: c_long, first: *mut c_long, last: *mut c_long, caller: usize,
        ) -> u8 {
            type Start = unsafe extern "C-unwind" fn(c_long, c_long, c_long, *mut c_long, *mut c_long) -> u8;
            let real = real!($name, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let ask = || unsafe { real.function::<Start>()(from, to, step, first, last) };
            if real.is_quiet() {
                return ask();
            }
            // SAFETY: the caller's own numbers.
            unsafe { start(Lap::signed(from, to, step, $schedule), caller, first.cast(), last.cast(), ask) }
        }
    };)*};
}

/// Entry points `start(up, start, end, step, chunk, &first, &last)`.
macro_rules! unsigned_chunked {
    ($($name:ident $schedule:ident;)*) => {$(slot!($name); const _: () = {
        stub!($name(7) => inner);
        unsafe extern "C-unwind" fn inner(
            up: u8, from: u64, to: u64, step: u64, chunk: u64, first: *mut u64, last: *mut u64, caller: usize,
        ) -> u8 {
            type Start = unsafe extern "C-unwind" fn(u8, u64, u64, u64, u64, *mut u64, *mut u64) -> u8;
            let real = real!($name, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let ask = || unsafe { real.function::<Start>()(up, from, to, step, chunk, first, last) };
            if real.is_quiet() {
                return ask();
            }
            // SAFETY: the caller's own numbers.
            unsafe { start(Lap::unsigned(up, from, to, step, $schedule), caller, first, last, ask) }
        }
    };)*};
}

/// Entry points `start(up, start, end, step, &first, &last)`.
macro_rules! unsigned_unchunked {
    ($($name:ident $schedule:ident;)*) => {$(slot!($name); const _: () = {
        stub!($name(6) => inner);
        unsafe extern "C-unwind" fn inner(
            up: u8, from: u64, to: u64, step: u64, first: *mut u64, last: *mut u64, caller: usize,
        ) -> u8 {
            type Start = unsafe extern "C-unwind" fn(u8, u64, u64, u64, *mut u64, *mut u64) -> u8;
            let real = real!($name, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let ask = || unsafe { real.function::<Start>()(up, from, to, step, first, last) };
            if real.is_quiet() {
                return ask();
            }
            // SAFETY: the caller's own numbers.
            unsafe { start(Lap::unsigned(up, from, to, step, $schedule), caller, first, last, ask) }
        }
    };)*};
}

/// Entry points `next(&first, &last)`.
macro_rules! nexts {
    ($($name:ident)*) => {$(slot!($name); const _: () = {
        stub!($name(2) => inner);
        unsafe extern "C-unwind" fn inner(first: *mut u64, last: *mut u64, caller: usize) -> u8 {
            type Next = unsafe extern "C-unwind" fn(*mut u64, *mut u64) -> u8;
            let real = real!($name, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let ask = || unsafe { real.function::<Next>()(first, last) };
            if real.is_quiet() {
                return ask();
            }
            // SAFETY: the caller's own numbers.
            unsafe { next(first, last, ask) }
        }
    };)*};
}

/// Entry points `start(counts, &count, chunk, &first, &last)`, whose iterations wait for each other. Signed and unsigned
/// ones are alike: they count.
macro_rules! crossing {
    ($($name:ident $schedule:ident;)*) => {$(slot!($name); const _: () = {
        stub!($name(5) => inner);
        unsafe extern "C-unwind" fn inner(
            counts: c_uint, count: *mut u64, chunk: u64, first: *mut u64, last: *mut u64, caller: usize,
        ) -> u8 {
            type Start = unsafe extern "C-unwind" fn(c_uint, *mut u64, u64, *mut u64, *mut u64) -> u8;
            let real = real!($name, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let ask = || unsafe { real.function::<Start>()(counts, count, chunk, first, last) };
            if real.is_quiet() {
                return ask();
            }
            // SAFETY: the caller's own numbers.
            unsafe { start(across(counts, count, $schedule), caller, first, last, ask) }
        }
    };)*};
}

/// A loop whose iterations wait for each other.
unsafe fn across(counts: c_uint, count: *const u64, schedule: u16) -> Lap {
    // SAFETY: libgomp reads as many.
    let iterations = if counts == 0 { 0 } else { unsafe { *count } };
    Lap::counted(iterations, schedule)
}

chunked! {
    GOMP_loop_static_start STATIC;
    GOMP_loop_dynamic_start DYNAMIC;
    GOMP_loop_guided_start GUIDED;
    GOMP_loop_nonmonotonic_dynamic_start DYNAMIC;
    GOMP_loop_nonmonotonic_guided_start GUIDED;
    GOMP_loop_ordered_static_start STATIC;
    GOMP_loop_ordered_dynamic_start DYNAMIC;
    GOMP_loop_ordered_guided_start GUIDED;
}

unchunked! {
    GOMP_loop_runtime_start OTHER;
    GOMP_loop_ordered_runtime_start OTHER;
    GOMP_loop_nonmonotonic_runtime_start OTHER;
    GOMP_loop_maybe_nonmonotonic_runtime_start OTHER;
}

unsigned_chunked! {
    GOMP_loop_ull_static_start STATIC;
    GOMP_loop_ull_dynamic_start DYNAMIC;
    GOMP_loop_ull_guided_start GUIDED;
    GOMP_loop_ull_nonmonotonic_dynamic_start DYNAMIC;
    GOMP_loop_ull_nonmonotonic_guided_start GUIDED;
    GOMP_loop_ull_ordered_static_start STATIC;
    GOMP_loop_ull_ordered_dynamic_start DYNAMIC;
    GOMP_loop_ull_ordered_guided_start GUIDED;
}

unsigned_unchunked! {
    GOMP_loop_ull_runtime_start OTHER;
    GOMP_loop_ull_ordered_runtime_start OTHER;
    GOMP_loop_ull_nonmonotonic_runtime_start OTHER;
    GOMP_loop_ull_maybe_nonmonotonic_runtime_start OTHER;
}

nexts! {
    GOMP_loop_static_next
    GOMP_loop_dynamic_next
    GOMP_loop_guided_next
    GOMP_loop_runtime_next
    GOMP_loop_nonmonotonic_dynamic_next
    GOMP_loop_nonmonotonic_guided_next
    GOMP_loop_nonmonotonic_runtime_next
    GOMP_loop_maybe_nonmonotonic_runtime_next
    GOMP_loop_ordered_static_next
    GOMP_loop_ordered_dynamic_next
    GOMP_loop_ordered_guided_next
    GOMP_loop_ordered_runtime_next
    GOMP_loop_ull_static_next
    GOMP_loop_ull_dynamic_next
    GOMP_loop_ull_guided_next
    GOMP_loop_ull_runtime_next
    GOMP_loop_ull_nonmonotonic_dynamic_next
    GOMP_loop_ull_nonmonotonic_guided_next
    GOMP_loop_ull_nonmonotonic_runtime_next
    GOMP_loop_ull_maybe_nonmonotonic_runtime_next
    GOMP_loop_ull_ordered_static_next
    GOMP_loop_ull_ordered_dynamic_next
    GOMP_loop_ull_ordered_guided_next
    GOMP_loop_ull_ordered_runtime_next
}

crossing! {
    GOMP_loop_doacross_static_start STATIC;
    GOMP_loop_doacross_dynamic_start DYNAMIC;
    GOMP_loop_doacross_guided_start GUIDED;
    GOMP_loop_ull_doacross_static_start STATIC;
    GOMP_loop_ull_doacross_dynamic_start DYNAMIC;
    GOMP_loop_ull_doacross_guided_start GUIDED;
}

/// Entry points `start(counts, &count, &first, &last)`.
macro_rules! crossing_unchunked {
    ($($name:ident)*) => {$(slot!($name); const _: () = {
        stub!($name(4) => inner);
        unsafe extern "C-unwind" fn inner(
            counts: c_uint, count: *mut u64, first: *mut u64, last: *mut u64, caller: usize,
        ) -> u8 {
            type Start = unsafe extern "C-unwind" fn(c_uint, *mut u64, *mut u64, *mut u64) -> u8;
            let real = real!($name, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let ask = || unsafe { real.function::<Start>()(counts, count, first, last) };
            if real.is_quiet() {
                return ask();
            }
            // SAFETY: the caller's own numbers.
            unsafe { start(across(counts, count, OTHER), caller, first, last, ask) }
        }
    };)*};
}

crossing_unchunked! { GOMP_loop_doacross_runtime_start GOMP_loop_ull_doacross_runtime_start }

/// Entry points with more arguments than registers, for loops with task reductions: their place is that of the body.
/// Without room for a chunk they only announce the reductions of a loop that is shared out by plain code.
macro_rules! reducing {
    ($($name:ident)*) => {$(slot!($name); const _: () = {
        stub!($name(=) => inner);
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C-unwind" fn inner(
            from: c_long, to: c_long, step: c_long, sched: c_long, chunk: c_long,
            first: *mut c_long, last: *mut c_long, reductions: *mut usize, memory: *mut *mut c_void,
        ) -> u8 {
            type Start = unsafe extern "C-unwind" fn(
                c_long, c_long, c_long, c_long, c_long, *mut c_long, *mut c_long, *mut usize, *mut *mut c_void,
            ) -> u8;
            let real = real!($name, origin(here()));
            // SAFETY: that is its type; the caller's own call.
            let ask = || unsafe {
                real.function::<Start>()(from, to, step, sched, chunk, first, last, reductions, memory)
            };
            if real.is_quiet() || first.is_null() {
                return ask();
            }
            let lap = Lap::signed(from, to, step, schedule(sched));
            // SAFETY: the caller's own numbers.
            unsafe { start(lap, here(), first.cast(), last.cast(), ask) }
        }
    };)*};
}

reducing! { GOMP_loop_start GOMP_loop_ordered_start }

macro_rules! unsigned_reducing {
    ($($name:ident)*) => {$(slot!($name); const _: () = {
        stub!($name(=) => inner);
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C-unwind" fn inner(
            up: u8, from: u64, to: u64, step: u64, sched: c_long, chunk: u64,
            first: *mut u64, last: *mut u64, reductions: *mut usize, memory: *mut *mut c_void,
        ) -> u8 {
            type Start = unsafe extern "C-unwind" fn(
                u8, u64, u64, u64, c_long, u64, *mut u64, *mut u64, *mut usize, *mut *mut c_void,
            ) -> u8;
            let real = real!($name, origin(here()));
            // SAFETY: that is its type; the caller's own call.
            let ask = || unsafe {
                real.function::<Start>()(up, from, to, step, sched, chunk, first, last, reductions, memory)
            };
            if real.is_quiet() || first.is_null() {
                return ask();
            }
            let lap = Lap::unsigned(up, from, to, step, schedule(sched));
            // SAFETY: the caller's own numbers.
            unsafe { start(lap, here(), first, last, ask) }
        }
    };)*};
}

unsigned_reducing! { GOMP_loop_ull_start GOMP_loop_ull_ordered_start }

macro_rules! crossing_reducing {
    ($($name:ident)*) => {$(slot!($name); const _: () = {
        stub!($name(=) => inner);
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C-unwind" fn inner(
            counts: c_uint, count: *mut u64, sched: c_long, chunk: u64,
            first: *mut u64, last: *mut u64, reductions: *mut usize, memory: *mut *mut c_void,
        ) -> u8 {
            type Start = unsafe extern "C-unwind" fn(
                c_uint, *mut u64, c_long, u64, *mut u64, *mut u64, *mut usize, *mut *mut c_void,
            ) -> u8;
            let real = real!($name, origin(here()));
            // SAFETY: that is its type; the caller's own call.
            let ask = || unsafe {
                real.function::<Start>()(counts, count, sched, chunk, first, last, reductions, memory)
            };
            if real.is_quiet() || first.is_null() {
                return ask();
            }
            // SAFETY: the caller's own numbers.
            unsafe { start(across(counts, count, schedule(sched)), here(), first, last, ask) }
        }
    };)*};
}

crossing_reducing! { GOMP_loop_doacross_start GOMP_loop_ull_doacross_start }

/// Ends of loops and sections: with a barrier, with one that may be cancelled, and with none.
macro_rules! ends {
    ($($name:ident $result:ty, $waits:literal;)*) => {$(slot!($name); const _: () = {
        stub!($name(0) => inner);
        unsafe extern "C-unwind" fn inner(caller: usize) -> $result {
            let real = real!($name, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let call = || unsafe { real.function::<unsafe extern "C-unwind" fn() -> $result>()() };
            if real.is_quiet() {
                return call();
            }
            thread::with(Lap::leave);
            if $waits { waiting(WaitKind::Barrier, caller, call) } else { call() }
        }
    };)*};
}

ends! {
    GOMP_loop_end (), true;
    GOMP_loop_end_cancel u8, true;
    GOMP_loop_end_nowait (), false;
    GOMP_sections_end (), true;
    GOMP_sections_end_cancel u8, true;
    GOMP_sections_end_nowait (), false;
}

entries! {
    GOMP_sections_start(1) => sections_start;
    GOMP_sections2_start(3) => sections2_start;
    GOMP_sections_next(0) => sections_next;
}

unsafe extern "C-unwind" fn sections_start(count: c_uint, caller: usize) -> c_uint {
    let real = real!(GOMP_sections_start, origin(caller));
    // SAFETY: that is its type; the caller's own call.
    let ask = || unsafe { real.function::<unsafe extern "C-unwind" fn(c_uint) -> c_uint>()(count) };
    if real.is_quiet() {
        return ask();
    }
    with(|thread| Lap::sections(count).enter(thread, place(thread, caller)));
    section(ask)
}

unsafe extern "C-unwind" fn sections2_start(
    count: c_uint,
    reductions: *mut usize,
    memory: *mut *mut c_void,
    caller: usize,
) -> c_uint {
    type Start = unsafe extern "C-unwind" fn(c_uint, *mut usize, *mut *mut c_void) -> c_uint;
    let real = real!(GOMP_sections2_start, origin(caller));
    // SAFETY: that is its type; the caller's own call.
    let ask = || unsafe { real.function::<Start>()(count, reductions, memory) };
    if real.is_quiet() {
        return ask();
    }
    with(|thread| Lap::sections(count).enter(thread, place(thread, caller)));
    section(ask)
}

unsafe extern "C-unwind" fn sections_next(caller: usize) -> c_uint {
    let real = real!(GOMP_sections_next, origin(caller));
    // SAFETY: that is its type; the caller's own call.
    let ask = || unsafe { real.function::<unsafe extern "C-unwind" fn() -> c_uint>()() };
    if real.is_quiet() { ask() } else { section(ask) }
}

/// Asks for a section; there is none numbered 0.
fn section(ask: impl FnOnce() -> c_uint) -> c_uint {
    let number = ask();
    thread::with(|thread| match number {
        0 => Lap::leave(thread),
        number => thread.chunk(u64::from(number) - 1, 1),
    });
    number
}
