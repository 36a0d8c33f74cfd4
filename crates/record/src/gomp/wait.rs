//! Waits: for tasks, for groups of tasks, for the other lanes.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use crosscut_events::WaitKind;

use super::{entries, origin, place, real, with};
use crate::process;
use crate::thread::{self, Thread};

entries! {
    GOMP_taskwait(0) => taskwait;
    GOMP_taskwait_depend(1) => taskwait_depend;
    GOMP_barrier(0) => barrier;
    GOMP_barrier_cancel(0) => barrier_cancel;
    GOMP_taskgroup_start(0) => taskgroup_start;
    GOMP_taskgroup_end(0) => taskgroup_end;
    GOMP_single_start(0) => single_start;
    GOMP_single_copy_start(0) => single_copy_start;
    GOMP_single_copy_end(1) => single_copy_end;
    GOMP_workshare_task_reduction_unregister(1) => reduction_unregister;
    GOMP_cancel(2) => cancel;
}

/// Makes a call during which the task that runs waits.
#[inline(always)]
pub(super) fn waiting<R>(kind: WaitKind, caller: usize, call: impl FnOnce() -> R) -> R {
    with(|thread| thread.wait(kind, place(thread, caller)));
    let result = call();
    thread::with(Thread::wait_end);
    result
}

type Plain = unsafe extern "C-unwind" fn();
type Asking = unsafe extern "C-unwind" fn() -> u8;

unsafe extern "C-unwind" fn taskwait(caller: usize) {
    let real = real!(GOMP_taskwait, origin(caller));
    // SAFETY: that is its type.
    let call: Plain = unsafe { real.function() };
    // SAFETY: the caller's own call.
    let call = || unsafe { call() };
    if real.is_quiet() { call() } else { waiting(WaitKind::Tasks, caller, call) }
}

unsafe extern "C-unwind" fn taskwait_depend(list: *mut *mut c_void, caller: usize) {
    let real = real!(GOMP_taskwait_depend, origin(caller));
    // SAFETY: that is its type.
    let call: unsafe extern "C-unwind" fn(*mut *mut c_void) = unsafe { real.function() };
    if !real.is_quiet() {
        with(|thread| {
            thread.wait(WaitKind::Depend, place(thread, caller));
            // SAFETY: it is an array of dependences.
            unsafe { super::depend::store(thread, list) };
        });
    }
    // SAFETY: the caller's own call.
    unsafe { call(list) };
    if !real.is_quiet() {
        thread::with(Thread::wait_end);
    }
}

unsafe extern "C-unwind" fn barrier(caller: usize) {
    let real = real!(GOMP_barrier, origin(caller));
    // SAFETY: that is its type.
    let call: Plain = unsafe { real.function() };
    // SAFETY: the caller's own call.
    let call = || unsafe { call() };
    if real.is_quiet() { call() } else { waiting(WaitKind::Barrier, caller, call) }
}

unsafe extern "C-unwind" fn barrier_cancel(caller: usize) -> u8 {
    let real = real!(GOMP_barrier_cancel, origin(caller));
    // SAFETY: that is its type.
    let call: Asking = unsafe { real.function() };
    // SAFETY: the caller's own call.
    let call = || unsafe { call() };
    if real.is_quiet() { call() } else { waiting(WaitKind::Barrier, caller, call) }
}

unsafe extern "C-unwind" fn taskgroup_start(caller: usize) {
    let real = real!(GOMP_taskgroup_start, origin(caller));
    // SAFETY: that is its type.
    let call: Plain = unsafe { real.function() };
    if !real.is_quiet() {
        with(|thread| thread.group(place(thread, caller)));
    }
    // SAFETY: the caller's own call.
    unsafe { call() }
}

unsafe extern "C-unwind" fn taskgroup_end(caller: usize) {
    let real = real!(GOMP_taskgroup_end, origin(caller));
    // SAFETY: that is its type.
    let call: Plain = unsafe { real.function() };
    // SAFETY: the caller's own call.
    let call = || unsafe { call() };
    if real.is_quiet() { call() } else { waiting(WaitKind::Group, caller, call) }
}

/// One lane is told to do the work; a barrier, if there is one, is a call of its own.
unsafe extern "C-unwind" fn single_start(caller: usize) -> u8 {
    let real = real!(GOMP_single_start, origin(caller));
    // SAFETY: that is its type; the caller's own call.
    let does = unsafe { real.function::<Asking>()() };
    if does != 0 && !real.is_quiet() {
        with(|thread| thread.alone(place(thread, caller)));
    }
    does
}

/// All lanes meet here, but the one that gets nothing and does the work: it meets them in `GOMP_single_copy_end`. Which
/// one that is becomes known afterwards, so its wait is taken back.
unsafe extern "C-unwind" fn single_copy_start(caller: usize) -> *mut c_void {
    let real = real!(GOMP_single_copy_start, origin(caller));
    // SAFETY: that is its type.
    let call: unsafe extern "C-unwind" fn() -> *mut c_void = unsafe { real.function() };
    if real.is_quiet() {
        // SAFETY: the caller's own call.
        return unsafe { call() };
    }
    let mark = with(|thread| {
        let mark = thread.mark();
        thread.wait(WaitKind::Barrier, place(thread, caller));
        mark
    });
    // SAFETY: the caller's own call.
    let data = unsafe { call() };
    thread::with(|thread| match mark {
        Some(mark) if data.is_null() && thread.take_back(mark) => thread.alone(place(thread, caller)),
        _ => thread.wait_end(),
    });
    data
}

unsafe extern "C-unwind" fn single_copy_end(data: *mut c_void, caller: usize) {
    let real = real!(GOMP_single_copy_end, origin(caller));
    // SAFETY: that is its type.
    let call: unsafe extern "C-unwind" fn(*mut c_void) = unsafe { real.function() };
    // SAFETY: the caller's own call.
    let call = || unsafe { call(data) };
    if real.is_quiet() { call() } else { waiting(WaitKind::Barrier, caller, call) }
}

/// It ends the task group of a construct with task reductions, and has a barrier unless that was cancelled.
unsafe extern "C-unwind" fn reduction_unregister(cancelled: u8, caller: usize) {
    let real = real!(GOMP_workshare_task_reduction_unregister, origin(caller));
    // SAFETY: that is its type.
    let call: unsafe extern "C-unwind" fn(u8) = unsafe { real.function() };
    // SAFETY: the caller's own call.
    let call = || unsafe { call(cancelled) };
    if real.is_quiet() { call() } else { waiting(WaitKind::Barrier, caller, call) }
}

/// Tasks that were cancelled before they began never come to us: the reader is told not to miss them.
unsafe extern "C-unwind" fn cancel(which: c_int, does: u8, caller: usize) -> u8 {
    let real = real!(GOMP_cancel, origin(caller));
    // SAFETY: that is its type.
    let call: unsafe extern "C-unwind" fn(c_int, u8) -> u8 = unsafe { real.function() };
    // SAFETY: the caller's own call.
    let cancelled = unsafe { call(which, does) };
    static SAID: AtomicBool = AtomicBool::new(false);
    if cancelled != 0
        && !real.is_quiet()
        && !SAID.swap(true, Ordering::Relaxed)
        && let Some(process) = process::shared()
    {
        process.note("cancels", "1");
    }
    cancelled
}
