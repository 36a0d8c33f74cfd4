//! The recorder's functions: found once in the process, called at the points where a task begins, ends, creates and waits.
//!
//! The table is the C interface of the recorder library, version 1. Tasks have numbers; none has the number 0.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering, fence};

/// The recorder's functions, laid out as in C.
#[repr(C)]
pub(crate) struct Recorder {
    pub version: u32,
    pub size: u32,
    /// The task that runs on this thread.
    pub current: extern "C" fn() -> u64,
    /// The current task creates one: its number.
    pub create: extern "C" fn(code: *const c_void) -> u64,
    /// First instruction of a created task; what ran on this thread is suspended.
    pub begin: extern "C" fn(task: u64),
    /// Last instruction of the current task; `next` goes on on this thread.
    pub end: extern "C" fn(next: u64),
    /// `task` goes on on this thread.
    pub resume: extern "C" fn(task: u64),
    /// The current task opens a section.
    pub section: extern "C" fn(code: *const c_void),
    /// The current task begins to wait for the tasks of its innermost open section.
    pub wait: extern "C" fn(code: *const c_void),
    /// It has waited, and the section is closed.
    pub wait_end: extern "C" fn(),
    /// Like `wait`, for descendants too.
    pub group_wait: extern "C" fn(code: *const c_void),
}

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
}

/// The table; null when the process is not recorded; [`UNKNOWN`] when nobody has looked.
static TABLE: AtomicPtr<Recorder> = AtomicPtr::new(UNKNOWN);

/// No table is at this address.
const UNKNOWN: *mut Recorder = ptr::without_provenance_mut(1);

/// The recorder, when there is one.
#[inline(always)]
pub(crate) fn recorder() -> Option<&'static Recorder> {
    let table = TABLE.load(Ordering::Relaxed);
    if table.is_null() { None } else { known(table) }
}

#[cold]
#[inline(never)]
fn known(table: *mut Recorder) -> Option<&'static Recorder> {
    let table = if table == UNKNOWN { find() } else { table };
    fence(Ordering::Acquire);
    // SAFETY: not UNKNOWN; null or a table that lives as long as the process, see `find`.
    unsafe { table.as_ref() }
}

/// Looks the recorder up. It is preloaded or absent: it does not come later.
fn find() -> *mut Recorder {
    // RTLD_DEFAULT: all that is loaded.
    let everywhere = if cfg!(target_vendor = "apple") {
        ptr::without_provenance_mut(usize::MAX - 1)
    } else {
        ptr::null_mut()
    };
    // SAFETY: the handle and the name are valid.
    let found = unsafe { dlsym(everywhere, c"crosscut_recorder".as_ptr()) };
    let mut table = ptr::null_mut();
    if !found.is_null() {
        // SAFETY: the recorder library gives this name to this function.
        let function: extern "C" fn(u32) -> *mut Recorder = unsafe { std::mem::transmute(found) };
        table = function(1);
        // SAFETY: null or the library's table, which is never freed.
        let fits = unsafe { table.as_ref() }
            .is_some_and(|t| t.version == 1 && t.size as usize >= size_of::<Recorder>());
        if !fits {
            table = ptr::null_mut();
        }
    }
    if !table.is_null() {
        tell_workers(everywhere);
    }
    // Threads that look at the same time find the same.
    TABLE.store(table, Ordering::Release);
    table
}

/// Tells how many workers the pool has that is used first: not all of them may get something to do.
fn tell_workers(everywhere: *mut c_void) {
    // SAFETY: the handle and the name are valid.
    let found = unsafe { dlsym(everywhere, c"crosscut_workers".as_ptr()) };
    if !found.is_null() {
        // SAFETY: the recorder library gives this name to this function.
        let function: extern "C" fn(u32) = unsafe { std::mem::transmute(found) };
        function(u32::try_from(rayon::current_num_threads()).unwrap_or(0));
    }
}

/// An address in the function into which this is inlined.
#[inline(always)]
pub(crate) fn here() -> *const c_void {
    #[cfg(target_arch = "x86_64")]
    {
        let here: *const c_void;
        // SAFETY: reads the program counter.
        unsafe {
            std::arch::asm!("2: lea {}, [rip + 2b]", out(reg) here, options(nomem, nostack, preserves_flags))
        };
        here
    }
    #[cfg(target_arch = "aarch64")]
    {
        let here: *const c_void;
        // SAFETY: reads the program counter.
        unsafe { std::arch::asm!("adr {}, .", out(reg) here, options(nomem, nostack, preserves_flags)) };
        here
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        ptr::null()
    }
}

/// A section of the current task, from before its first task until it has been waited for: closed when it is dropped.
pub(crate) struct Section {
    recorder: &'static Recorder,
    owner: u64,
}

impl Section {
    pub fn open(recorder: &'static Recorder, code: *const c_void) -> Self {
        let owner = (recorder.current)();
        (recorder.section)(code);
        Self { recorder, owner }
    }

    /// The owner goes on where Rayon runs its closure, until it waits: when the result is dropped. Rayon moves a closure to
    /// one of its workers when the caller is none.
    pub fn go_on(&self, wait: extern "C" fn(*const c_void), code: Code) -> GoesOn {
        let interrupted = (self.recorder.current)();
        (self.recorder.resume)(self.owner);
        GoesOn { recorder: self.recorder, owner: self.owner, interrupted, wait, code }
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        (self.recorder.resume)(self.owner);
        (self.recorder.wait_end)();
    }
}

/// The owner of a section at work: begins to wait when it is dropped.
pub(crate) struct GoesOn {
    recorder: &'static Recorder,
    owner: u64,
    interrupted: u64,
    wait: extern "C" fn(*const c_void),
    code: Code,
}

impl Drop for GoesOn {
    fn drop(&mut self) {
        (self.wait)(self.code.0);
        if self.interrupted != self.owner {
            (self.recorder.resume)(self.interrupted);
        }
    }
}

/// A code address, which may go to another thread.
#[derive(Clone, Copy)]
pub(crate) struct Code(pub *const c_void);

// SAFETY: never dereferenced.
unsafe impl Send for Code {}
// SAFETY: never dereferenced.
unsafe impl Sync for Code {}

/// A created task.
#[derive(Clone, Copy)]
pub(crate) struct Task(u64);

impl Task {
    pub fn create(recorder: &'static Recorder, code: Code) -> Self {
        Self((recorder.create)(code.0))
    }

    /// Runs it here; it ends also when `body` panics.
    pub fn run<R>(self, recorder: &'static Recorder, body: impl FnOnce() -> R) -> R {
        struct Ends(&'static Recorder, u64);
        impl Drop for Ends {
            fn drop(&mut self) {
                (self.0.end)(self.1);
            }
        }
        let _ends = Ends(recorder, (recorder.current)());
        (recorder.begin)(self.0);
        body()
    }
}

/// Makes `table` the recorder, or none, for tests.
#[cfg(test)]
pub(crate) fn inject(table: Option<&'static Recorder>) {
    let table = table.map_or(ptr::null_mut(), |t| ptr::from_ref(t).cast_mut());
    TABLE.store(table, Ordering::Release);
}
