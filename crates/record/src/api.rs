//! The interface of programs that tell us themselves what their tasks do: `crosscut.h` and the crate `crosscut-rayon`.
//! They look for [`crosscut_recorder`] once; where it is missing, or says null, nothing is recorded and nothing is paid.

use std::ffi::c_void;

use crosscut_events::{TaskId, WaitKind};

use crate::process;
use crate::thread::{self, Thread};

/// The functions, as `crosscut.h` declares them.
#[repr(C)]
pub struct Recorder {
    version: u32,
    size: u32,
    current: extern "C" fn() -> u64,
    create: extern "C" fn(*const c_void) -> u64,
    begin: extern "C" fn(u64),
    end: extern "C" fn(u64),
    resume: extern "C" fn(u64),
    section: extern "C" fn(*const c_void),
    wait: extern "C" fn(*const c_void),
    wait_end: extern "C" fn(),
    group_wait: extern "C" fn(*const c_void),
}

const VERSION: u32 = 1;

static RECORDER: Recorder = Recorder {
    version: VERSION,
    size: size_of::<Recorder>() as u32,
    current,
    create,
    begin,
    end,
    resume,
    section,
    wait,
    wait_end,
    group_wait,
};

/// The functions for this version of the interface; null when this process is not recorded.
#[unsafe(no_mangle)]
pub extern "C" fn crosscut_recorder(version: u32) -> *const Recorder {
    match process::shared() {
        Some(process) if version == VERSION && !process.options.no_tasks && process.folder().is_some() => {
            &RECORDER
        }
        _ => std::ptr::null(),
    }
}

/// The runtime has so many workers, whoever of them happens to run something.
#[unsafe(no_mangle)]
pub extern "C" fn crosscut_workers(workers: u32) {
    if let Some(process) = process::shared()
        && process.folder().is_some()
        && workers > 0
    {
        process.note("workers", &workers.to_string());
    }
}

/// With the thread, which runs a task: its root if nothing else.
#[inline(always)]
fn in_task<R>(f: impl FnOnce(&mut Thread) -> R) -> Option<R> {
    thread::with(|thread| {
        if thread.current == TaskId::NONE {
            thread.root(true);
        }
        f(thread)
    })
}

extern "C" fn current() -> u64 {
    in_task(|thread| thread.current.0).unwrap_or(0)
}

extern "C" fn create(code: *const c_void) -> u64 {
    in_task(|thread| thread.create(code as u64, 0).0).unwrap_or(0)
}

extern "C" fn begin(task: u64) {
    thread::with(|thread| thread.begin(TaskId(task)));
}

extern "C" fn end(next: u64) {
    thread::with(|thread| thread.end(TaskId(next)));
}

/// It may have been on other threads since it was here, so this is recorded even when it never left.
extern "C" fn resume(task: u64) {
    thread::with(|thread| thread.switch(TaskId(task)));
}

extern "C" fn section(code: *const c_void) {
    in_task(|thread| thread.group(code as u64));
}

extern "C" fn wait(code: *const c_void) {
    in_task(|thread| thread.wait(WaitKind::Section, code as u64));
}

extern "C" fn wait_end() {
    thread::with(Thread::wait_end);
}

extern "C" fn group_wait(code: *const c_void) {
    in_task(|thread| thread.wait(WaitKind::Group, code as u64));
}
