//! Locks: who waits for which, from where, and which line held it meanwhile. Each acquisition is added to a small table of
//! the thread, by lock and line, that is stored at barriers; only one that had to wait for long has an event of its own.
//!
//! Which line held a lock last is kept in a table that all threads share. It is written by the thread that has just
//! acquired the lock, so it costs one cache line that travels with the lock.

use std::sync::atomic::{AtomicU64, Ordering};

use crosscut_events::{EventKind, LockUse, LockWait, code_of};

use crate::thread::Thread;

/// Locks that a thread can hold at once and be seen; more are ignored.
const HELD: usize = 16;
/// Pairs of lock and line that a thread gathers at once, a power of two.
const USES: usize = 32;
/// Slots of the table of holders, a power of two.
const HOLDERS: usize = 1 << 12;
/// Events of one thread after which a wait must be twice as long to get one.
const MANY: u32 = 4096;

/// A cache line each, so that locks do not disturb each other.
#[repr(align(64))]
struct Holder(AtomicU64);

/// The line that acquired a lock last: its code, and above it bits of the thread's number and of the lock's address.
static HOLDER: [Holder; HOLDERS] = [const { Holder(AtomicU64::new(0)) }; HOLDERS];

const CODE: u64 = 0xffff_ffff_ffff;
const THREAD: u64 = 0xff << 48;
const LOCK: u64 = 0xff << 56;

#[inline]
fn hash(word: u64) -> u64 {
    word.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Notes who has the lock now. Returns the line that had it before on another thread, 0 when there is none: then nobody had
/// to be waited for.
#[inline]
fn take_over(lock: u64, code: u64, thread: u64) -> u64 {
    let hash = hash(lock);
    let slot = &HOLDER[(hash >> 52) as usize & (HOLDERS - 1)].0;
    // Only the thread that has the lock is here, unless another lock shares the slot.
    let before = slot.load(Ordering::Relaxed);
    let marks = (hash << 16 & LOCK) | (thread << 48 & THREAD);
    slot.store(code & CODE | marks, Ordering::Relaxed);
    let is_other = (before ^ marks) & LOCK == 0 && (before ^ marks) & THREAD != 0;
    if is_other { before & CODE } else { 0 }
}

#[derive(Clone, Copy, Default)]
struct Held {
    lock: u64,
    code: u64,
    holder: u64,
    asked: u64,
    got: u64,
}

/// What a thread knows of its locks.
#[derive(Default)]
pub struct Locks {
    /// The lock that it waits for, and since when.
    asked: (u64, u64),
    held: [Held; HELD],
    depth: usize,
    uses: [LockUse; USES],
    dirty: bool,
    /// Ticks from which on a lock was not free at once, and from which on a wait has an event.
    contended: u64,
    long: u64,
    events: u32,
}

impl Locks {
    /// No lock yet; `microsecond` is its length in ticks.
    pub fn new(microsecond: u64) -> Self {
        Locks { contended: microsecond / 10, long: microsecond, ..Locks::default() }
    }

    /// Whether it was not free at once. What nobody else had before is free, however long it takes to get it; where somebody
    /// had, a tenth of a microsecond is more than reading the clock twice.
    #[inline]
    fn is_contended(&self, holder: u64, waited: u64) -> bool {
        holder != 0 && waited >= self.contended
    }
}

impl Thread {
    /// The task asks for a lock: its address with the kind as tag.
    #[inline]
    pub fn lock_asked(&mut self, lock: u64) {
        self.locks.asked = (lock, self.now());
    }

    /// It has got the lock, asked for by this code.
    #[inline]
    pub fn lock_got(&mut self, lock: u64, code: u64) {
        let got = self.now();
        let (asked_for, since) = std::mem::take(&mut self.locks.asked);
        let asked = if asked_for == lock { since } else { got };
        let holder = take_over(lock, code, self.thread_number());
        let locks = &mut self.locks;
        if let Some(held) = locks.held.get_mut(locks.depth) {
            *held = Held { lock, code: code_of(code), holder, asked, got };
            locks.depth += 1;
        }
    }

    /// It gives the lock back.
    #[inline]
    pub fn lock_freed(&mut self, lock: u64) {
        let locks = &mut self.locks;
        // Nearly always it is the one that was acquired last.
        let Some(at) = locks.held[..locks.depth].iter().rposition(|held| held.lock == lock) else { return };
        let held = locks.held[at];
        locks.held.copy_within(at + 1..locks.depth, at);
        locks.depth -= 1;
        let freed = self.now();
        self.add_use(&held, freed);
    }

    #[inline]
    fn add_use(&mut self, held: &Held, freed: u64) {
        let slot = (hash(held.lock ^ held.code) >> 32) as usize & (USES - 1);
        let found = self.locks.uses[slot];
        if found.count > 0 && (found.lock, found.code) != (held.lock, held.code) {
            self.store_use(slot);
        }
        let waited = held.got - held.asked;
        let is_contended = self.locks.is_contended(held.holder, waited);
        let locks = &mut self.locks;
        let sum = &mut locks.uses[slot];
        sum.lock = held.lock;
        sum.code = held.code;
        sum.count += 1;
        sum.waits += u64::from(is_contended);
        sum.held += freed.saturating_sub(held.got);
        if is_contended {
            sum.waited += waited;
            sum.longest = sum.longest.max(waited);
        }
        locks.dirty = true;
        if is_contended && waited >= locks.long {
            self.store_wait(held, freed);
        }
    }

    /// An event for a long wait. While folding, the sums must do.
    #[cold]
    fn store_wait(&mut self, held: &Held, freed: u64) {
        if self.fold.is_some() {
            return;
        }
        self.locks.events += 1;
        if self.locks.events.is_multiple_of(MANY) {
            self.locks.long *= 2;
        }
        let &Held { lock, code, holder, asked, got } = held;
        self.put_at(freed, EventKind::LockWait, LockWait { lock, code, holder, asked, got }.words());
    }

    /// Stores a row of the table and clears it.
    #[cold]
    fn store_use(&mut self, slot: usize) {
        let sum = std::mem::take(&mut self.locks.uses[slot]);
        self.put(EventKind::LockUse, sum.words());
        if let Some(fold) = &mut self.fold {
            // It must not vanish with what is folded.
            fold.spoil();
        }
    }

    /// Stores the whole table.
    #[inline]
    pub fn store_uses(&mut self) {
        if !std::mem::take(&mut self.locks.dirty) {
            return;
        }
        for slot in 0..USES {
            if self.locks.uses[slot].count > 0 {
                self.store_use(slot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_waits_for_others_count() {
        let locks = Locks::new(1000);
        assert!(locks.is_contended(64, 150));
        assert!(!locks.is_contended(64, 50));
        assert!(!locks.is_contended(0, 10_000), "nobody had it before");
    }
}
