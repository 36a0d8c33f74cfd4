//! The processor time of a thread, looked at about once in a millisecond and where lanes meet: two system calls, too many
//! for each task.

use crate::sys;

/// Processor time of this thread in nanoseconds, and how often it left its core, by itself and not.
pub fn used() -> [u64; 3] {
    let (voluntary, involuntary) = sys::switches();
    [sys::processor_nanos(), voluntary, involuntary]
}

/// When to look next.
pub struct Sampling {
    /// From these ticks on.
    pub next: u64,
    /// Whether the thread waits where lanes meet.
    pub meets: bool,
    last: u64,
    often: u64,
    least: u64,
}

impl Sampling {
    /// Not looked at yet; `microsecond` is its length in ticks, 0 for never.
    pub fn new(microsecond: u64) -> Self {
        // The first event of the program stands at 0, long before it is stored.
        let next = if microsecond == 0 { u64::MAX } else { 1 };
        Sampling { next, meets: false, last: 0, often: microsecond * 1000, least: microsecond * 20 }
    }

    /// Another thread goes on in this one's place: the next event looks at it.
    pub fn restart(&mut self) {
        self.next = if self.often == 0 { u64::MAX } else { 1 };
    }

    /// What the thread has used now.
    #[cold]
    pub fn take(&mut self, now: u64) -> [u64; 3] {
        if self.often > 0 {
            self.last = now;
            self.next = now + self.often;
        }
        used()
    }

    /// Whether it will be looked at, and was not yet.
    pub fn is_new(&self) -> bool {
        self.often > 0 && self.last == 0
    }

    /// Lanes meet now: the next event looks at it, unless it was looked at just before.
    #[inline]
    pub fn border(&mut self, now: u64) {
        if self.often > 0 && now >= self.last + self.least {
            self.next = self.next.min(now);
        }
    }
}
