//! How much of its time a worker had a processor: by stretch, for its intervals and for the time between them.

use crate::schema::Stretch;
use crate::tasks::Tasks;

/// Who comes back sooner, on average, in nanoseconds, has yielded: a scheduler leaves a core to others for a millisecond or
/// more at a time.
const YIELD: i64 = 500_000;
/// Who is away for longer, on average, in nanoseconds, was not waiting for a core: it slept, and nobody woke it.
const AWAY: i64 = 25_000_000;
/// Nobody falls asleep or yields for less, in nanoseconds: a worker between two intervals is as often without a processor as
/// in them.
const SHORT: i64 = 10_000;

/// A stretch of a worker, and the share of it that it was on a processor.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Share {
    to: i64,
    busy: f64,
    free: f64,
}

/// The shares of one worker, in order.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    shares: Vec<Share>,
    /// Time of its intervals in which it had no processor, and had not given it up.
    pub off: i64,
    /// Time of its intervals in which it slept in the system.
    pub blocked: i64,
    /// Switches that nobody asked for.
    pub switches: i64,
    /// Time that is known, and how much of it was on a processor.
    pub known: i64,
    pub processor: i64,
}

impl Shares {
    /// Of a worker; empty where nothing was measured.
    pub fn of(tasks: &Tasks, worker: usize) -> Self {
        let mut waits: Vec<(i64, i64)> = Vec::new();
        if tasks.lock_count() > 0 {
            let all = tasks.lock_waits(0..tasks.tree().node_count());
            waits
                .extend(all.filter(|wait| wait.worker as usize == worker).map(|wait| (wait.asked, wait.got)));
            waits.sort_unstable();
        }
        let row = tasks.blocks().row(worker);
        let (start, end) = (tasks.starts(), tasks.ends());
        let blocks = || row.iter().map(|&block| (start[block as usize], end[block as usize]));
        let (mut own, mut locked) = (Overlap::new(blocks()), Overlap::new(waits.iter().copied()));
        let mut busy = Overlap::new(joined(blocks()));
        let mut gaps = Gaps::new(joined(blocks()));
        let waiting = Waiting::of(tasks, worker, &waits);
        let mut shares = Shares::default();
        for stretch in tasks.stretches(worker) {
            let Stretch { from, to, .. } = stretch;
            let busy = busy.until(from, to);
            let locked = waiting.scaled(locked.until(from, to), busy);
            shares.add(&stretch, Used { own: own.until(from, to), busy, locked, gaps: gaps.until(to) });
        }
        shares
    }

    /// A stretch, with what the worker did in it.
    fn add(&mut self, stretch: &Stretch, Used { own, busy, locked, gaps }: Used) {
        let whole = stretch.to.saturating_sub(stretch.from).max(0);
        let off = whole.saturating_sub(stretch.processor).max(0);
        let free = whole.saturating_sub(busy).max(0);
        let share = |off: i64, of: i64| if of > 0 { 1.0 - (off as f64 / of as f64).min(1.0) } else { 1.0 };
        // Who has nothing to do, or waits for a lock, gives up its core first, asleep or by yielding.
        let away = off.saturating_sub(free).saturating_sub(locked).clamp(0, busy.max(0));
        // Who falls asleep more often than it had nothing to do sleeps in its tasks: in a system call, or for a lock that
        // nobody watched. That is what they do, and not what somebody took from them.
        let idle = if free > 0 { gaps } else { gaps - 1 };
        let is_asleep = stretch.voluntary > stretch.involuntary.saturating_add(idle);
        let (of_busy, blocked) = if is_asleep { (0, away) } else { (away, 0) };
        // The kernel counts a yield among the switches that nobody asked for. Somebody else that takes the core keeps it
        // for longer.
        let yields = stretch.involuntary.saturating_mul(YIELD) > off;
        let sleeps = stretch.voluntary > 0 && off > stretch.involuntary.saturating_mul(AWAY);
        let is_asked_for = stretch.voluntary > stretch.involuntary || yields || sleeps;
        let of_free = if is_asked_for { 0 } else { (off - away).min(free) };
        self.shares.push(Share { to: stretch.to, busy: share(of_busy, busy), free: share(of_free, free) });
        let own = own.clamp(0, busy.max(0));
        let of_own = |time: i64| (time as f64 * own as f64 / busy.max(1) as f64) as i64;
        self.off = self.off.saturating_add(of_own(of_busy));
        self.blocked = self.blocked.saturating_add(of_own(blocked));
        self.switches = self.switches.saturating_add(stretch.involuntary);
        self.known = self.known.saturating_add(whole);
        self.processor = self.processor.saturating_add(stretch.processor.min(whole));
    }

    /// The share of an interval that its worker had a processor.
    pub fn busy(&self, from: i64, to: i64) -> f64 {
        self.mean(from, to, |share| share.busy)
    }

    /// The share of the time between intervals.
    pub fn free(&self, from: i64, to: i64) -> f64 {
        match to.saturating_sub(from) < SHORT {
            true => self.busy(from, to),
            false => self.mean(from, to, |share| share.free),
        }
    }

    fn mean(&self, from: i64, to: i64, value: fn(&Share) -> f64) -> f64 {
        let first = self.shares.partition_point(|share| share.to <= from);
        let (mut at, mut sum) = (from, 0.0);
        for share in &self.shares[first..] {
            if at >= to {
                break;
            }
            sum += value(share) * share.to.min(to).saturating_sub(at) as f64;
            at = share.to.min(to);
        }
        // What nobody measured counts as it is.
        sum += to.saturating_sub(at).max(0) as f64;
        if to > from { (sum / to.saturating_sub(from) as f64).clamp(0.0, 1.0) } else { 1.0 }
    }
}

/// What a worker did in a stretch.
#[derive(Clone, Copy)]
struct Used {
    /// Time of its intervals.
    own: i64,
    /// The same, with the short gaps between them.
    busy: i64,
    /// Waiting for locks.
    locked: i64,
    /// How often it had nothing to do for long enough to fall asleep.
    gaps: i64,
}

/// How long a worker waited for locks: not each wait has a time of its own.
struct Waiting {
    /// All waits, and those whose times are known.
    all: i64,
    known: i64,
    /// Time of its intervals.
    busy: i64,
}

impl Waiting {
    fn of(tasks: &Tasks, worker: usize, waits: &[(i64, i64)]) -> Self {
        let uses = tasks.lock_uses().filter(|used| used.worker as usize == worker);
        let all = uses.map(|used| used.waited.max(0)).fold(0, i64::saturating_add);
        let length = |&(from, to): &(i64, i64)| to.saturating_sub(from).max(0);
        let known = waits.iter().map(length).fold(0, i64::saturating_add);
        let (start, end) = (tasks.starts(), tasks.ends());
        let blocks = tasks.blocks().row(worker).iter();
        let busy = blocks.map(|&block| length(&(start[block as usize], end[block as usize])));
        Waiting { all, known, busy: busy.fold(0, i64::saturating_add) }
    }

    /// What was waited in a stretch: waits that are known stand for the others too, and where there are none all intervals
    /// have the same share.
    fn scaled(&self, known: i64, busy: i64) -> i64 {
        let (of, whole) = if self.known > 0 { (known, self.known) } else { (busy, self.busy) };
        let all = self.all.max(self.known);
        ((of as f64 * all as f64 / whole.max(1) as f64) as i64).clamp(0, busy.max(0))
    }
}

/// Counts the times between spans, by stretches that follow one another.
struct Gaps<I: Iterator<Item = (i64, i64)>> {
    spans: std::iter::Peekable<I>,
}

impl<I: Iterator<Item = (i64, i64)>> Gaps<I> {
    fn new(spans: I) -> Self {
        Gaps { spans: spans.peekable() }
    }

    /// Those that begin before then, and the one that a stretch may begin with.
    fn until(&mut self, to: i64) -> i64 {
        let mut gaps = 1;
        while self.spans.next_if(|span| span.1 < to).is_some() {
            gaps += 1;
        }
        gaps
    }
}

/// Spans that follow one another, joined where what lies between them is short.
fn joined(mut spans: impl Iterator<Item = (i64, i64)>) -> impl Iterator<Item = (i64, i64)> {
    let mut last = spans.next();
    std::iter::from_fn(move || {
        let (from, mut to) = last.take()?;
        for next in spans.by_ref() {
            if next.0.saturating_sub(to) >= SHORT {
                last = Some(next);
                break;
            }
            to = to.max(next.1);
        }
        Some((from, to))
    })
}

/// Adds up how much of stretches, which follow one another, spans overlap, which do too.
struct Overlap<I: Iterator<Item = (i64, i64)>> {
    spans: std::iter::Peekable<I>,
}

impl<I: Iterator<Item = (i64, i64)>> Overlap<I> {
    fn new(spans: I) -> Self {
        Overlap { spans: spans.peekable() }
    }

    fn until(&mut self, from: i64, to: i64) -> i64 {
        let mut sum = 0i64;
        while let Some(&(start, end)) = self.spans.peek().filter(|span| span.0 < to) {
            sum = sum.saturating_add(end.min(to).saturating_sub(start.max(from)).max(0));
            if end > to {
                break;
            }
            self.spans.next();
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(from: i64, to: i64, processor: i64, voluntary: i64, involuntary: i64) -> Stretch {
        Stretch { worker: 0, from, to, processor, voluntary, involuntary }
    }

    fn used(own: i64, locked: i64) -> Used {
        Used { own, busy: own, locked, gaps: 1 }
    }

    #[test]
    fn who_sleeps_where_it_has_nothing_to_do_is_not_preempted() {
        let mut shares = Shares::default();
        shares.add(&stretch(0, 100, 60, 5, 0), used(60, 0));
        assert_eq!((shares.off, shares.busy(0, 100)), (0, 1.0));
        shares.add(&stretch(100, 200, 25, 0, 9), used(100, 0));
        assert_eq!((shares.off, shares.busy(100, 200)), (75, 0.25));
        assert_eq!(shares.busy(50, 150), 0.625);
        assert_eq!(shares.busy(300, 400), 1.0);
    }

    /// Twice the same: free for half of the time, without a processor as long. Who is back after a tenth of a millisecond has
    /// yielded, who is away for five has lost its core.
    #[test]
    fn who_yields_where_it_has_nothing_to_do_is_not_preempted() {
        const MS: i64 = 1_000_000;
        for (switches, free) in [(500, 1.0), (10, 0.0)] {
            let mut shares = Shares::default();
            shares.add(&stretch(0, 100 * MS, 50 * MS, 0, switches), used(50 * MS, 0));
            assert_eq!((shares.off, shares.free(0, 100 * MS)), (0, free), "{switches}");
        }
    }

    /// A worker that sleeps once for nearly all of the time lost its core a few times before, but was not kept from it since.
    #[test]
    fn who_sleeps_for_long_where_it_has_nothing_to_do_is_not_preempted() {
        const MS: i64 = 1_000_000;
        for (voluntary, switches, free) in [(1, 7, 1.0), (0, 7, 0.0), (1, 40, 0.0)] {
            let mut shares = Shares::default();
            shares.add(&stretch(0, 400 * MS, 10 * MS, voluntary, switches), used(0, 0));
            let is = shares.free(0, 400 * MS);
            assert!((is - free).abs() < 0.05, "{voluntary}, {switches}: {is}");
        }
    }

    /// A hundred sleeps in a task are what the task does; a hundred between intervals say nothing of those.
    #[test]
    fn who_sleeps_in_its_tasks_is_not_preempted() {
        for (gaps, off, blocked) in [(1, 0, 70), (100, 70, 0)] {
            let mut shares = Shares::default();
            let used = Used { own: 100, busy: 100, locked: 0, gaps };
            shares.add(&stretch(0, 100, 30, 100, 2), used);
            assert_eq!((shares.off, shares.blocked), (off, blocked));
            assert_eq!(shares.busy(0, 100), 1.0 - off as f64 / 100.0);
        }
    }

    /// As a program that reads a file before it starts its workers.
    #[test]
    fn who_slept_once_and_was_never_sent_away_is_not_preempted() {
        for (voluntary, off, blocked) in [(1, 0, 70), (0, 70, 0)] {
            let mut shares = Shares::default();
            shares.add(&stretch(0, 100, 30, voluntary, 0), used(100, 0));
            assert_eq!((shares.off, shares.blocked), (off, blocked), "{voluntary}");
        }
    }

    /// Short waits have no times of their own, but their sum is known.
    #[test]
    fn waits_without_times_count_as_those_that_have_them() {
        let some = Waiting { all: 60, known: 20, busy: 200 };
        assert_eq!([some.scaled(20, 100), some.scaled(0, 100), some.scaled(20, 50)], [60, 0, 50]);
        let none = Waiting { all: 60, known: 0, busy: 200 };
        assert_eq!([none.scaled(0, 100), none.scaled(0, 0)], [30, 0]);
    }

    #[test]
    fn gaps_are_counted_by_stretch() {
        let mut gaps = Gaps::new([(0, 10), (20, 30), (40, 100)].into_iter());
        assert_eq!([gaps.until(15), gaps.until(35), gaps.until(90)], [2, 2, 1]);
    }

    #[test]
    fn a_lock_that_is_waited_for_asleep_is_not_preemption() {
        let mut shares = Shares::default();
        shares.add(&stretch(0, 100, 30, 7, 1), used(100, 70));
        assert_eq!(shares.off, 0);
    }

    /// A worker that runs for half of the time and needs the other half to get the next task, a thousand times: of what it had
    /// no processor, half falls into its intervals.
    #[test]
    fn short_gaps_have_a_processor_as_often_as_intervals() {
        const US: i64 = 1000;
        let mut shares = Shares::default();
        let busy =
            joined((0..1000).map(|i| (2 * i * US, (2 * i + 1) * US))).map(|(from, to)| to - from).sum();
        assert_eq!(busy, 1999 * US);
        let used = Used { own: 1000 * US, busy, locked: 0, gaps: 1 };
        shares.add(&stretch(0, 2000 * US, 500 * US, 0, 3), used);
        assert!((shares.off - 750 * US).abs() < 2 * US, "{}", shares.off);
        assert!((shares.busy(0, US) - 0.25).abs() < 0.01 && (shares.free(US, 2 * US) - 0.25).abs() < 0.01);
    }

    #[test]
    fn spans_are_joined_over_short_gaps_only() {
        let spans = [(0, 10), (10 + SHORT - 1, SHORT + 20), (2 * SHORT + 20, 2 * SHORT + 30)];
        let joined: Vec<_> = joined(spans.into_iter()).collect();
        assert_eq!(joined, [(0, SHORT + 20), (2 * SHORT + 20, 2 * SHORT + 30)]);
    }

    #[test]
    fn spans_are_added_up_by_stretch() {
        let mut overlap = Overlap::new([(0, 10), (15, 40), (50, 60)].into_iter());
        assert_eq!([overlap.until(0, 20), overlap.until(20, 30), overlap.until(30, 55)], [15, 10, 15]);
    }
}
