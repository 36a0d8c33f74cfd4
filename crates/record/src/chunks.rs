//! Chunks of loops. Neighbouring ones of a lane that are short are joined into one event, whose words are changed in place as
//! long as nothing else was stored: a loop with millions of chunks costs a few nanoseconds and no room for each. A chunk that
//! creates tasks is parted from the others again.

use std::sync::atomic::{AtomicU64, Ordering};

use crosscut_events::{EventKind, Joined};

use crate::thread::Thread;

/// Microseconds that a chunk that is joined takes at most, and all that are joined.
const SHORT: u64 = 5;
const TOGETHER: u64 = 1000;

/// The event of the last chunk.
pub struct Open {
    /// Right behind it; what was stored last, if the thread is still there.
    end: *mut u64,
    start: u64,
    joined: Joined,
    /// What was joined before the last chunk, and the iterations of that: the first, and how many.
    before: Joined,
    last: (u64, u64),
    short: u64,
    together: u64,
}

impl Open {
    /// No chunk yet; `microsecond` is its length in ticks.
    pub fn new(microsecond: u64) -> Self {
        Open {
            end: std::ptr::null_mut(),
            start: 0,
            joined: Joined::default(),
            before: Joined::default(),
            last: (0, 0),
            short: SHORT * microsecond,
            together: TOGETHER * microsecond,
        }
    }

    /// Whether what ends there is its event: the window may have been emptied since, and filled up to there again.
    #[inline]
    fn is_there(&self) -> bool {
        // SAFETY: the caller has found its end to be that of what was stored last, in the window.
        let head = unsafe { self.end.sub(1 + Joined::WORDS).read() };
        head == self.start << 8 | EventKind::Chunks as u64
    }

    /// Changes the words of its event.
    ///
    /// # Safety
    /// The event is there.
    #[inline]
    unsafe fn rewrite(&self, words: [u64; Joined::WORDS]) {
        // SAFETY: the payload of the event is as long.
        unsafe {
            let payload = self.end.sub(Joined::WORDS);
            // Aligned words, so that a reader of a killed program sees each of them before or after.
            for (at, word) in words.into_iter().enumerate() {
                AtomicU64::from_ptr(payload.add(at)).store(word, Ordering::Relaxed);
            }
        }
    }
}

impl Thread {
    /// The lane begins with some iterations.
    #[inline]
    pub fn chunk(&mut self, first: u64, count: u64) {
        let now = self.now();
        let open = &mut self.chunk;
        let took = now.saturating_sub(open.joined.last_start);
        let grows = self.cursor == open.end && took < open.short && now < open.start + open.together;
        if !grows || !open.is_there() {
            self.new_chunk(now, first, count);
            return;
        }
        open.before = open.joined;
        open.last = (first, count);
        let joined = &mut open.joined;
        joined.first = joined.first.min(first);
        joined.iterations += count;
        joined.past = joined.past.max(first.wrapping_add(count));
        joined.chunks += 1;
        joined.least = joined.least.min(took);
        joined.most = joined.most.max(took);
        joined.last_start = now;
        let words = joined.words();
        // SAFETY: the event ends where the next one goes, in the window.
        unsafe { open.rewrite(words) };
    }

    /// The chunk that runs does more than its iterations: it is no longer one with those before it.
    #[inline(always)]
    pub fn part_chunk(&mut self) {
        if self.cursor == self.chunk.end {
            self.part_last_chunk();
        }
    }

    #[cold]
    fn part_last_chunk(&mut self) {
        let open = &self.chunk;
        if open.joined.chunks > 1 && open.is_there() {
            let ((first, count), start) = (open.last, open.joined.last_start);
            // SAFETY: the event ends where the next one goes, in the window.
            unsafe { open.rewrite(open.before.words()) };
            self.new_chunk(start, first, count);
        }
        self.chunk.end = std::ptr::null_mut();
    }

    #[inline(never)]
    fn new_chunk(&mut self, now: u64, first: u64, count: u64) {
        let past = first.wrapping_add(count);
        let joined =
            Joined { first, iterations: count, past, chunks: 1, least: u64::MAX, most: 0, last_start: now };
        self.put_at(now, EventKind::Chunks, joined.words());
        let is_stored = !self.is_full();
        self.chunk.end = if is_stored { self.cursor } else { std::ptr::null_mut() };
        self.chunk.start = now;
        self.chunk.joined = joined;
    }

    /// The lane leaves the loop.
    #[inline]
    pub fn leave_loop(&mut self) {
        self.put(EventKind::LoopEnd, []);
        self.chunk.end = std::ptr::null_mut();
    }
}
