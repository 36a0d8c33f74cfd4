//! Locks: critical sections, atomic updates that need one, `omp_lock_t`, and the turns of ordered iterations.

use std::ffi::{c_int, c_long, c_void};

use crosscut_events::{LockKind, with_tag};

use super::find::Real;
use super::{entries, here, origin, place, real, slot, stub, with, with_caller};
use crate::{process, thread};

/// Nested locks that a thread holds, with how often it has acquired each. More are not counted and look like plain ones.
pub type Nests = [(u64, u32); 8];

entries! {
    GOMP_critical_name_start(1) => critical_name_start;
    GOMP_critical_name_end(1) => critical_name_end;
}

type Plain = unsafe extern "C-unwind" fn();
type OfLock = unsafe extern "C-unwind" fn(*mut c_void);
type AskLock = unsafe extern "C-unwind" fn(*mut c_void) -> c_int;

/// Makes a call that acquires a lock.
#[inline(always)]
fn acquiring(lock: u64, caller: usize, call: impl FnOnce()) {
    with(|thread| thread.lock_asked(lock));
    call();
    thread::with(|thread| thread.lock_got(lock, place(thread, caller)));
}

/// The only lock of its kind that a runtime has, by the function that acquires it.
#[inline(always)]
fn only(kind: LockKind, real: Real) -> u64 {
    with_tag(real.address(), kind as u16)
}

fn of(kind: LockKind, lock: *mut c_void) -> u64 {
    with_tag(lock.addr() as u64, kind as u16)
}

/// Calls a function that acquires a lock of the program.
#[inline(always)]
fn set(real: Real, kind: LockKind, lock: *mut c_void, caller: usize) {
    // SAFETY: that is its type; the caller's own call.
    let call = || unsafe { real.function::<OfLock>()(lock) };
    if real.is_quiet() { call() } else { acquiring(of(kind, lock), caller, call) }
}

/// Calls a function that gives a lock of the program back.
#[inline(always)]
fn unset(real: Real, kind: LockKind, lock: *mut c_void) {
    // SAFETY: that is its type; the caller's own call.
    unsafe { real.function::<OfLock>()(lock) };
    if !real.is_quiet() {
        thread::with(|thread| thread.lock_freed(of(kind, lock)));
    }
}

/// Locks of which a runtime has one: acquire, give back.
macro_rules! only_locks {
    ($($start:ident $end:ident $kind:ident;)*) => {$(slot!($start); slot!($end); const _: () = {
        stub!($start(0) => start);
        stub!($end(0) => end);

        unsafe extern "C-unwind" fn start(caller: usize) {
            let real = real!($start, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let call = || unsafe { real.function::<Plain>()() };
            if real.is_quiet() { call() } else { acquiring(only(LockKind::$kind, real), caller, call) }
        }

        unsafe extern "C-unwind" fn end(caller: usize) {
            let real = real!($end, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            unsafe { real.function::<Plain>()() };
            if !real.is_quiet() {
                let lock = only(LockKind::$kind, real!($start, origin(caller)));
                thread::with(|thread| thread.lock_freed(lock));
            }
        }
    };)*};
}

only_locks! {
    GOMP_critical_start GOMP_critical_end Critical;
    GOMP_atomic_start GOMP_atomic_end Atomic;
    GOMP_ordered_start GOMP_ordered_end Ordered;
}

unsafe extern "C-unwind" fn critical_name_start(name: *mut c_void, caller: usize) {
    set(real!(GOMP_critical_name_start, origin(caller)), LockKind::Critical, name, caller);
}

unsafe extern "C-unwind" fn critical_name_end(name: *mut c_void, caller: usize) {
    unset(real!(GOMP_critical_name_end, origin(caller)), LockKind::Critical, name);
}

/// Waits for other iterations. In C they are any number of arguments; for the processors that we know, those that were not
/// passed are words that nobody looks at.
macro_rules! crossings {
    ($($name:ident)*) => {$(slot!($name); const _: () = {
        stub!($name(=) => inner);
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C-unwind" fn inner(
            a: c_long, b: c_long, c: c_long, d: c_long, e: c_long, f: c_long, g: c_long, h: c_long,
            i: c_long, j: c_long, k: c_long, l: c_long, m: c_long, n: c_long, o: c_long, p: c_long,
        ) {
            type Wait = unsafe extern "C-unwind" fn(
                c_long, c_long, c_long, c_long, c_long, c_long, c_long, c_long,
                c_long, c_long, c_long, c_long, c_long, c_long, c_long, c_long,
            );
            let real = real!($name, origin(here()));
            let call = || {
                // SAFETY: it takes some of these; the caller's own call.
                unsafe { real.function::<Wait>()(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) }
            };
            if real.is_quiet() {
                return call();
            }
            let lock = only(LockKind::Ordered, real);
            acquiring(lock, here(), call);
            thread::with(|thread| thread.lock_freed(lock));
        }
    };)*};
}

crossings! { GOMP_doacross_wait GOMP_doacross_ull_wait }

slot!(__kmpc_doacross_wait);

/// The same wait in LLVM's runtime, which tells of all else but not of this one: a call of ours stands around it.
const _: () = {
    with_caller! { __kmpc_doacross_wait(3) => inner; }

    unsafe extern "C-unwind" fn inner(
        location: *mut c_void,
        thread: c_int,
        vector: *const i64,
        caller: usize,
    ) {
        type Wait = unsafe extern "C-unwind" fn(*mut c_void, c_int, *const i64);
        let real = real!(__kmpc_doacross_wait, caller);
        // SAFETY: that is its type; the caller's own call.
        let call = || unsafe { real.function::<Wait>()(location, thread, vector) };
        if process::shared().is_none_or(|process| process.options.no_tasks) {
            return call();
        }
        let lock = only(LockKind::Ordered, real);
        // Threads that its tool interface opened are recorded, others are not.
        thread::with_open(|thread| thread.lock_asked(lock));
        call();
        thread::with_open(|thread| {
            thread.lock_got(lock, caller as u64);
            thread.lock_freed(lock);
        });
    }
};

/// Locks of the program, for C and for Fortran: acquire, try to, give back.
macro_rules! locks {
    ($($set:ident $test:ident $unset:ident;)*) => {$(slot!($set); slot!($test); slot!($unset); const _: () = {
        stub!($set(1) => acquire);
        stub!($test(1) => test);
        stub!($unset(1) => free);

        unsafe extern "C-unwind" fn acquire(lock: *mut c_void, caller: usize) {
            set(real!($set, origin(caller)), LockKind::Lock, lock, caller);
        }

        unsafe extern "C-unwind" fn test(lock: *mut c_void, caller: usize) -> c_int {
            let real = real!($test, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let got = unsafe { real.function::<AskLock>()(lock) };
            if got != 0 && !real.is_quiet() {
                with(|thread| thread.lock_got(of(LockKind::Lock, lock), place(thread, caller)));
            }
            got
        }

        unsafe extern "C-unwind" fn free(lock: *mut c_void, caller: usize) {
            unset(real!($unset, origin(caller)), LockKind::Lock, lock);
        }
    };)*};
}

locks! {
    omp_set_lock omp_test_lock omp_unset_lock;
    omp_set_lock_ omp_test_lock_ omp_unset_lock_;
}

/// Locks that their owner may acquire again: what counts is the time from the first acquisition to the last release.
macro_rules! nested_locks {
    ($($set:ident $test:ident $unset:ident;)*) => {$(slot!($set); slot!($test); slot!($unset); const _: () = {
        stub!($set(1) => set);
        stub!($test(1) => test);
        stub!($unset(1) => unset);

        unsafe extern "C-unwind" fn set(lock: *mut c_void, caller: usize) {
            let real = real!($set, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let call = || unsafe { real.function::<OfLock>()(lock) };
            let word = of(LockKind::NestLock, lock);
            if real.is_quiet() || again(word) {
                return call();
            }
            acquiring(word, caller, call);
            first(word);
        }

        unsafe extern "C-unwind" fn test(lock: *mut c_void, caller: usize) -> c_int {
            let real = real!($test, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            let got = unsafe { real.function::<AskLock>()(lock) };
            let word = of(LockKind::NestLock, lock);
            if got != 0 && !real.is_quiet() && !again(word) {
                with(|thread| thread.lock_got(word, place(thread, caller)));
                first(word);
            }
            got
        }

        unsafe extern "C-unwind" fn unset(lock: *mut c_void, caller: usize) {
            let real = real!($unset, origin(caller));
            // SAFETY: that is its type; the caller's own call.
            unsafe { real.function::<OfLock>()(lock) };
            let word = of(LockKind::NestLock, lock);
            if !real.is_quiet() && is_last(word) {
                thread::with(|thread| thread.lock_freed(word));
            }
        }
    };)*};
}

nested_locks! {
    omp_set_nest_lock omp_test_nest_lock omp_unset_nest_lock;
    omp_set_nest_lock_ omp_test_nest_lock_ omp_unset_nest_lock_;
}

/// With the number of times that this thread has acquired a lock, if it has.
fn with_count<R>(lock: u64, f: impl FnOnce(&mut u32) -> R) -> Option<R> {
    thread::with(|thread| {
        let mut held = thread.gomp.nests.iter_mut();
        held.find(|(held, count)| *held == lock && *count > 0).map(|(_, count)| f(count))
    })
    .flatten()
}

/// Whether this thread has the lock already; then it has it once more.
fn again(lock: u64) -> bool {
    with_count(lock, |count| *count += 1).is_some()
}

/// This thread has acquired the lock, and had not before.
fn first(lock: u64) {
    thread::with(|thread| {
        if let Some(free) = thread.gomp.nests.iter_mut().find(|(_, count)| *count == 0) {
            *free = (lock, 1);
        }
    });
}

/// The lock was given back once; whether it is free now.
fn is_last(lock: u64) -> bool {
    let left = with_count(lock, |count| {
        *count -= 1;
        *count
    });
    left.is_none_or(|left| left == 0)
}
