//! How far the making of a run is, and how to stop it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Told how far the making of a run is, asked whether to go on. Called from several threads.
pub trait Progress: Sync {
    /// So many bytes of the input have been read.
    fn advance(&self, done: u64, total: u64);

    /// Something that the user should know of the run, a sentence.
    fn note(&self, _note: &str) {}

    /// Whether to stop; asked every few thousand records.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Says nothing and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn advance(&self, _done: u64, _total: u64) {}
}

/// Calls a function with bytes done and bytes in all, and stops when `cancel` is set.
pub struct Watch<'a, F> {
    /// Called with (done, total).
    pub report: F,
    /// Set it to stop.
    pub cancel: &'a AtomicBool,
}

impl<F: Fn(u64, u64) + Sync> Progress for Watch<'_, F> {
    fn advance(&self, done: u64, total: u64) {
        (self.report)(done, total);
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}
