//! Mutexes and read-write locks of the C library, when they were asked for. The preloaded library comes first, so these
//! functions are called in place of the real ones, which they call; without `--locks` they do nothing else.
//!
//! Only threads that are recorded already are looked at. A mutex that a thread gives away while it waits for a condition is
//! given back and asked for again.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crosscut_events::{LockKind, with_tag};

use crate::gomp::with_caller;
use crate::{sys, thread};

/// Whether locks are recorded.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Records locks from now on, or no more.
pub fn watch(on: bool) {
    WATCHED.store(on, Ordering::Relaxed);
}

/// A real function, looked up when it is first called.
struct Real {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl Real {
    const fn new(name: &'static CStr) -> Self {
        Real { name, found: AtomicPtr::new(std::ptr::null_mut()) }
    }

    #[inline]
    fn get(&self) -> *mut c_void {
        let found = self.found.load(Ordering::Relaxed);
        if found.is_null() { self.find() } else { found }
    }

    #[cold]
    fn find(&self) -> *mut c_void {
        let found = sys::next_symbol(self.name);
        self.found.store(found, Ordering::Relaxed);
        found
    }
}

type One = unsafe extern "C-unwind" fn(*mut c_void) -> c_int;
type Two = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void) -> c_int;
type Three = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *const c_void) -> c_int;

/// The function is not there.
const ENOSYS: c_int = 38;

/// Calls the real function of a name with these arguments.
macro_rules! call {
    ($name:literal, $kind:ty $(, $argument:expr)*) => {{
        static REAL: Real = Real::new($name);
        // SAFETY: null or a function of this type, by its name.
        let real = unsafe { std::mem::transmute::<*mut c_void, Option<$kind>>(REAL.get()) };
        match real {
            // SAFETY: the arguments are the caller's.
            Some(real) => unsafe { real($($argument),*) },
            // No C library is without it.
            None => ENOSYS,
        }
    }};
}

fn word(lock: *mut c_void, kind: LockKind) -> u64 {
    with_tag(lock as u64, kind as u16)
}

/// Acquires a lock by the real function.
#[inline(always)]
fn acquire(lock: u64, caller: usize, real: impl FnOnce() -> c_int) -> c_int {
    if !WATCHED.load(Ordering::Relaxed) {
        return real();
    }
    thread::with_open(|thread| thread.lock_asked(lock));
    let failed = real();
    if failed == 0 {
        thread::with_open(|thread| thread.lock_got(lock, caller as u64));
    }
    failed
}

/// It is about to be given back.
#[inline(always)]
fn free(lock: u64) {
    if WATCHED.load(Ordering::Relaxed) {
        thread::with_open(|thread| thread.lock_freed(lock));
    }
}

with_caller! {
    pthread_mutex_lock(1) => mutex_lock;
    pthread_mutex_trylock(1) => mutex_trylock;
    pthread_mutex_timedlock(2) => mutex_timedlock;
    pthread_cond_wait(2) => cond_wait;
    pthread_cond_timedwait(3) => cond_timedwait;
    pthread_rwlock_rdlock(1) => read_lock;
    pthread_rwlock_tryrdlock(1) => try_read_lock;
    pthread_rwlock_wrlock(1) => write_lock;
    pthread_rwlock_trywrlock(1) => try_write_lock;
}

unsafe extern "C-unwind" fn mutex_lock(lock: *mut c_void, caller: usize) -> c_int {
    acquire(word(lock, LockKind::Mutex), caller, || call!(c"pthread_mutex_lock", One, lock))
}

unsafe extern "C-unwind" fn mutex_trylock(lock: *mut c_void, caller: usize) -> c_int {
    acquire(word(lock, LockKind::Mutex), caller, || call!(c"pthread_mutex_trylock", One, lock))
}

unsafe extern "C-unwind" fn mutex_timedlock(lock: *mut c_void, time: *mut c_void, caller: usize) -> c_int {
    acquire(word(lock, LockKind::Mutex), caller, || call!(c"pthread_mutex_timedlock", Two, lock, time))
}

/// `pthread_mutex_unlock`.
///
/// # Safety
/// As of the real one.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn pthread_mutex_unlock(lock: *mut c_void) -> c_int {
    free(word(lock, LockKind::Mutex));
    call!(c"pthread_mutex_unlock", One, lock)
}

/// The mutex is another's while the thread waits. When it comes back there was no asking for it: waiting for a condition is
/// no waiting for a lock.
#[inline(always)]
fn wait(lock: *mut c_void, caller: usize, real: impl FnOnce() -> c_int) -> c_int {
    let word = word(lock, LockKind::Mutex);
    free(word);
    let result = real();
    if WATCHED.load(Ordering::Relaxed) {
        thread::with_open(|thread| thread.lock_got(word, caller as u64));
    }
    result
}

unsafe extern "C-unwind" fn cond_wait(condition: *mut c_void, lock: *mut c_void, caller: usize) -> c_int {
    wait(lock, caller, || call!(c"pthread_cond_wait", Two, condition, lock))
}

unsafe extern "C-unwind" fn cond_timedwait(
    condition: *mut c_void,
    lock: *mut c_void,
    time: *const c_void,
    caller: usize,
) -> c_int {
    wait(lock, caller, || call!(c"pthread_cond_timedwait", Three, condition, lock, time))
}

unsafe extern "C-unwind" fn read_lock(lock: *mut c_void, caller: usize) -> c_int {
    acquire(word(lock, LockKind::ReadLock), caller, || call!(c"pthread_rwlock_rdlock", One, lock))
}

unsafe extern "C-unwind" fn try_read_lock(lock: *mut c_void, caller: usize) -> c_int {
    acquire(word(lock, LockKind::ReadLock), caller, || call!(c"pthread_rwlock_tryrdlock", One, lock))
}

unsafe extern "C-unwind" fn write_lock(lock: *mut c_void, caller: usize) -> c_int {
    acquire(word(lock, LockKind::WriteLock), caller, || call!(c"pthread_rwlock_wrlock", One, lock))
}

unsafe extern "C-unwind" fn try_write_lock(lock: *mut c_void, caller: usize) -> c_int {
    acquire(word(lock, LockKind::WriteLock), caller, || call!(c"pthread_rwlock_trywrlock", One, lock))
}

/// `pthread_rwlock_unlock`.
///
/// # Safety
/// As of the real one.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn pthread_rwlock_unlock(lock: *mut c_void) -> c_int {
    // The thread knows in which of the two ways it holds the lock.
    free(word(lock, LockKind::WriteLock));
    free(word(lock, LockKind::ReadLock));
    call!(c"pthread_rwlock_unlock", One, lock)
}
