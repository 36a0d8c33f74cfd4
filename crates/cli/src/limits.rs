//! The limit on the size of files (`ulimit -f`): what is too large shall be an error that is said, not the end of this
//! process by a signal. A program that we start gets the signal as it would without us.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What was to happen at the signal before.
static BEFORE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);

fn set(action: usize) -> usize {
    // SAFETY: a plain system call; no handler of ours is set.
    unsafe { libc::signal(libc::SIGXFSZ, action) }
}

/// From now on a file that may not grow is an error.
pub fn ignore_signal() {
    let before = set(libc::SIG_IGN);
    if before != libc::SIG_ERR {
        BEFORE.store(before, Ordering::Relaxed);
    }
}

/// Starts a program as if we were not here.
pub fn for_program<T>(start: impl FnOnce() -> T) -> T {
    set(BEFORE.load(Ordering::Relaxed));
    let started = start();
    set(libc::SIG_IGN);
    started
}
