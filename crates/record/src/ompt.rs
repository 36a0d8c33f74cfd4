//! The OpenMP tool: an OpenMP runtime with the OMPT interface finds [`ompt_start_tool`] in the preloaded library and tells
//! us what it does. The types are those of the OpenMP 5.2 specification, chapter 19; only what is used is declared.
//!
//! The runtime keeps 64 bits for us with each task and each team. They hold the number of the task, and two marks.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crosscut_events::{LockKind, TaskId, WaitKind, flags, with_tag};

use crate::process;
use crate::thread::{self, Thread};

/// What the runtime keeps for us.
#[repr(C)]
pub struct Data {
    value: u64,
}

/// The task has begun.
const BEGUN: u64 = 1 << 63;
/// Tasks created in it run at once.
const FINAL: u64 = 1 << 62;

impl Data {
    fn task(&self) -> TaskId {
        TaskId(self.value & !(BEGUN | FINAL))
    }
}

/// The number in data that may be missing.
///
/// # Safety
/// It is null or points to data that nobody else changes now.
unsafe fn task_of(data: *const Data) -> TaskId {
    // SAFETY: the caller's promise.
    unsafe { data.as_ref() }.map_or(TaskId::NONE, Data::task)
}

#[repr(C)]
pub struct StartToolResult {
    initialize: extern "C" fn(Lookup, c_int, *mut Data) -> c_int,
    finalize: extern "C" fn(*mut Data),
    tool_data: u64,
}

type Lookup = extern "C" fn(*const c_char) -> *const c_void;
type SetCallback = extern "C" fn(c_int, *const c_void) -> c_int;
type ParallelInfo = extern "C" fn(c_int, *mut *mut Data, *mut c_int) -> c_int;

static PARALLEL_INFO: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// The OpenMP runtime calls it once, before it does anything.
///
/// # Safety
/// The version is a C string or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_start_tool(_: c_uint, version: *const c_char) -> *const StartToolResult {
    static RESULT: StartToolResult = StartToolResult { initialize, finalize, tool_data: 0 };
    let Some(process) = process::shared() else { return std::ptr::null() };
    if process.options.no_tasks || process.folder().is_none() {
        return std::ptr::null();
    }
    if !version.is_null() {
        // SAFETY: the runtime's own text.
        let version = unsafe { CStr::from_ptr(version) }.to_string_lossy();
        process.note("openmp", version.trim());
    }
    &RESULT
}

extern "C" fn initialize(lookup: Lookup, _: c_int, _: *mut Data) -> c_int {
    let set = lookup(c"ompt_set_callback".as_ptr());
    if set.is_null() {
        return 0;
    }
    // SAFETY: that is the type of the entry point of this name.
    let set: SetCallback = unsafe { std::mem::transmute(set) };
    PARALLEL_INFO.store(lookup(c"ompt_get_parallel_info".as_ptr()).cast_mut(), Ordering::Relaxed);
    // Numbers of `ompt_callbacks_t`.
    let callbacks: [(c_int, *const c_void); 15] = [
        (1, thread_begin as *const c_void),
        (2, thread_end as *const c_void),
        (3, parallel_begin as *const c_void),
        (4, parallel_end as *const c_void),
        (5, task_create as *const c_void),
        (6, task_schedule as *const c_void),
        (7, implicit_task as *const c_void),
        (16, sync_region_wait as *const c_void),
        (17, mutex_released as *const c_void),
        (18, dependences as *const c_void),
        (20, work as *const c_void),
        (23, sync_region as *const c_void),
        (26, mutex_acquire as *const c_void),
        (27, mutex_acquired as *const c_void),
        (32, dispatch as *const c_void),
    ];
    let mut missing = Vec::new();
    for (number, callback) in callbacks {
        /// `ompt_set_always`.
        const ALWAYS: c_int = 5;
        if set(number, callback) != ALWAYS {
            missing.push(number.to_string());
        }
    }
    if !missing.is_empty()
        && let Some(process) = process::shared()
    {
        process.note("openmp-missing", &missing.join(" "));
    }
    1
}

extern "C" fn finalize(_: *mut Data) {
    thread::close();
}

const BEGIN: c_int = 1;
const END: c_int = 2;

extern "C" fn thread_begin(_: c_int, _: *mut Data) {
    thread::with(|_| ());
}

extern "C" fn thread_end(_: *mut Data) {
    thread::close();
}

unsafe extern "C" fn parallel_begin(
    _: *mut Data,
    _: *const c_void,
    parallel: *mut Data,
    requested: c_uint,
    _: c_int,
    code: *const c_void,
) {
    thread::with(|thread| {
        let team = thread.fork(code as u64, requested);
        // SAFETY: the runtime hands over its data for the new team.
        unsafe { (*parallel).value = team.0 };
    });
}

unsafe extern "C" fn parallel_end(_: *mut Data, encountering: *mut Data, _: c_int, code: *const c_void) {
    // SAFETY: the runtime's data of the task that goes on.
    let task = unsafe { task_of(encountering) };
    thread::with(|thread| thread.join(task, code as u64));
}

unsafe extern "C" fn implicit_task(
    endpoint: c_int,
    parallel: *mut Data,
    task: *mut Data,
    _: c_uint,
    index: c_uint,
    kind: c_int,
) {
    const INITIAL: c_int = 1;
    // SAFETY: the runtime's data of this task, or null.
    let Some(task) = (unsafe { task.as_mut() }) else { return };
    // SAFETY: the runtime's data of the team, or null when it is gone.
    let team = unsafe { task_of(parallel) };
    thread::with(|thread| match (endpoint, kind & INITIAL != 0) {
        (BEGIN, true) => task.value = thread.root(false).0 | BEGUN,
        (BEGIN, false) => task.value = thread.lane(team, index).0 | BEGUN,
        (END, true) => thread.end(TaskId::NONE),
        (END, false) => thread.lane_end(),
        _ => {}
    });
}

/// Whether the creator waits for the task: an `if(0)`, or inside a final task. In a team of one thread the runtime calls
/// every task undeferred, although the program lets it run beside its creator.
#[cold]
fn is_serial(creator: u64) -> bool {
    if creator & FINAL != 0 {
        return true;
    }
    let info = PARALLEL_INFO.load(Ordering::Relaxed);
    if info.is_null() {
        return false;
    }
    // SAFETY: that is the type of the entry point of this name.
    let info: ParallelInfo = unsafe { std::mem::transmute(info) };
    let (mut team, mut size) = (std::ptr::null_mut(), 0);
    info(0, &mut team, &mut size) == 2 && size > 1
}

unsafe extern "C" fn task_create(
    creator: *mut Data,
    _: *const c_void,
    new: *mut Data,
    kind: c_int,
    _: c_int,
    code: *const c_void,
) {
    const TASKWAIT: c_int = 0x10;
    const UNDEFERRED: c_int = 0x0800_0000;
    const UNTIED: c_int = 0x1000_0000;
    const IS_FINAL: c_int = 0x2000_0000;
    const MERGEABLE: c_int = 0x4000_0000;
    thread::with(|thread| {
        if kind & TASKWAIT != 0 {
            thread.wait(WaitKind::Depend, code as u64);
            return;
        }
        let mut how = 0;
        let mut marks = 0;
        if kind & (UNDEFERRED | UNTIED | IS_FINAL | MERGEABLE) != 0 {
            // SAFETY: the runtime's data of the creator, or null.
            let creator = unsafe { creator.as_ref() }.map_or(0, |data| data.value);
            if kind & UNDEFERRED != 0 && is_serial(creator) {
                how |= flags::UNDEFERRED;
            }
            if kind & IS_FINAL != 0 {
                marks = FINAL;
                how |= flags::FINAL;
            }
            how |= if kind & UNTIED != 0 { flags::UNTIED } else { 0 };
            how |= if kind & MERGEABLE != 0 { flags::MERGEABLE } else { 0 };
        }
        let task = thread.create(code as u64, how);
        // SAFETY: the runtime hands over its data for the new task.
        unsafe { (*new).value = task.0 | marks };
    });
}

/// `ompt_task_status_t`.
mod status {
    use std::ffi::c_int;
    pub const COMPLETE: c_int = 1;
    pub const CANCEL: c_int = 3;
    pub const DETACH: c_int = 4;
    pub const EARLY_FULFILL: c_int = 5;
    pub const LATE_FULFILL: c_int = 6;
    pub const TASKWAIT_COMPLETE: c_int = 8;
}

unsafe extern "C" fn task_schedule(prior: *mut Data, how: c_int, next: *mut Data) {
    // SAFETY: the runtime's data of two tasks that it has in hand now.
    let (prior, next) = unsafe { (prior.as_mut(), next.as_mut()) };
    thread::with(|thread| match how {
        status::TASKWAIT_COMPLETE => thread.wait_end(),
        status::EARLY_FULFILL | status::LATE_FULFILL => {}
        status::COMPLETE | status::CANCEL | status::DETACH => {
            if let Some(prior) = prior
                && prior.value & BEGUN == 0
            {
                // Cancelled before it began: it did nothing.
                let current = thread.current;
                begin(thread, prior);
                thread.end(current);
                return;
            }
            match next {
                Some(next) if next.value & BEGUN == 0 => {
                    thread.end(TaskId::NONE);
                    begin(thread, next);
                }
                next => thread.end(next.map_or(TaskId::NONE, |next| next.task())),
            }
        }
        _ => match next {
            Some(next) if next.value & BEGUN == 0 => begin(thread, next),
            next => thread.switch(next.map_or(TaskId::NONE, |next| next.task())),
        },
    });
}

#[inline(always)]
fn begin(thread: &mut Thread, task: &mut Data) {
    thread.begin(task.task());
    task.value |= BEGUN;
}

/// `ompt_sync_region_t`.
mod region {
    use std::ffi::c_int;
    pub const TASKWAIT: c_int = 5;
    pub const TASKGROUP: c_int = 6;
    pub const REDUCTION: c_int = 7;
    pub const END_OF_PARALLEL: c_int = 9;
}

extern "C" fn sync_region(kind: c_int, endpoint: c_int, _: *mut Data, _: *mut Data, code: *const c_void) {
    let code = code as u64;
    thread::with(|thread| match (kind, endpoint) {
        (region::TASKWAIT, BEGIN) => thread.wait(WaitKind::Tasks, code),
        (region::TASKGROUP, BEGIN) => thread.group(code),
        (region::REDUCTION, _) => {}
        (region::END_OF_PARALLEL, BEGIN) => thread.wait(WaitKind::LastBarrier, code),
        // The lane has ended when it came to this barrier.
        (region::END_OF_PARALLEL, _) => {}
        (_, BEGIN) => thread.wait(WaitKind::Barrier, code),
        (_, END) => thread.wait_end(),
        _ => {}
    });
}

/// Where a task group begins to wait; all other waits begin with their region.
extern "C" fn sync_region_wait(
    kind: c_int,
    endpoint: c_int,
    _: *mut Data,
    _: *mut Data,
    code: *const c_void,
) {
    if kind == region::TASKGROUP && endpoint == BEGIN {
        thread::with(|thread| thread.wait(WaitKind::Group, code as u64));
    }
}

extern "C" fn work(
    kind: c_int,
    endpoint: c_int,
    _: *mut Data,
    _: *mut Data,
    count: u64,
    code: *const c_void,
) {
    // Loops, by schedule, and sections.
    if matches!(kind, 1 | 2 | 10..=13) {
        thread::with(|thread| match endpoint {
            BEGIN => thread.enter_loop(code as u64, kind as u16, count),
            END => thread.leave_loop(),
            _ => {}
        });
    }
    /// `ompt_work_single_executor`.
    const SINGLE: c_int = 3;
    if kind == SINGLE && endpoint == BEGIN {
        thread::with(|thread| thread.alone(code as u64));
    }
}

#[repr(C)]
struct DispatchChunk {
    first: u64,
    count: u64,
}

unsafe extern "C" fn dispatch(_: *mut Data, _: *mut Data, kind: c_int, instance: u64) {
    const SECTION: c_int = 2;
    const LOOP_CHUNK: c_int = 3;
    match kind {
        SECTION => {
            thread::with(|thread| thread.chunk(0, 1));
        }
        LOOP_CHUNK => {
            let chunk: *const DispatchChunk = std::ptr::with_exposed_provenance(instance as usize);
            // SAFETY: for this kind the instance is a pointer to a chunk.
            if let Some(chunk) = unsafe { chunk.as_ref() } {
                thread::with(|thread| thread.chunk(chunk.first, chunk.count));
            }
        }
        _ => {}
    }
}

#[repr(C)]
struct Dependence {
    variable: u64,
    kind: c_int,
}

unsafe extern "C" fn dependences(_: *mut Data, list: *const Dependence, count: c_int) {
    if list.is_null() || count <= 0 {
        return;
    }
    // SAFETY: the runtime says how many there are.
    let list = unsafe { std::slice::from_raw_parts(list, count as usize) };
    thread::with(|thread| {
        for dependence in list {
            thread.depend(dependence.variable, dependence.kind as u16);
        }
    });
}

/// The word for a lock, from `ompt_mutex_t` and its address.
fn lock_word(kind: c_int, lock: u64) -> u64 {
    let kind = match kind {
        1 | 2 => LockKind::Lock,
        3 | 4 => LockKind::NestLock,
        6 => LockKind::Atomic,
        7 => LockKind::Ordered,
        _ => LockKind::Critical,
    };
    with_tag(lock, kind as u16)
}

extern "C" fn mutex_acquire(kind: c_int, _: c_uint, _: c_uint, lock: u64, _: *const c_void) {
    thread::with(|thread| thread.lock_asked(lock_word(kind, lock)));
}

extern "C" fn mutex_acquired(kind: c_int, lock: u64, code: *const c_void) {
    thread::with(|thread| thread.lock_got(lock_word(kind, lock), code as u64));
}

extern "C" fn mutex_released(kind: c_int, lock: u64, _: *const c_void) {
    thread::with(|thread| thread.lock_freed(lock_word(kind, lock)));
}
