//! How much of its time a worker had a processor: by stretch, for its intervals and for the time between them.

use crate::schema::Stretch;
use crate::tasks::Tasks;

/// Who comes back sooner, on average, in nanoseconds, has yielded: a scheduler leaves a core to others for a millisecond or
/// more at a time.
const YIELD: i64 = 500_000;

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
    /// Time of its intervals in which it had no processor.
    pub off: i64,
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
        let (mut busy, mut locked) = (Overlap::new(blocks()), Overlap::new(waits.iter().copied()));
        let mut shares = Shares::default();
        for stretch in tasks.stretches(worker) {
            let Stretch { from, to, .. } = stretch;
            shares.add(&stretch, busy.until(from, to), locked.until(from, to));
        }
        shares
    }

    /// A stretch, with how much of it is intervals, and how much of those is waiting for locks.
    fn add(&mut self, stretch: &Stretch, busy: i64, locked: i64) {
        let whole = stretch.to.saturating_sub(stretch.from).max(0);
        let off = whole.saturating_sub(stretch.processor).max(0);
        let free = whole.saturating_sub(busy).max(0);
        let share = |off: i64, of: i64| if of > 0 { 1.0 - (off as f64 / of as f64).min(1.0) } else { 1.0 };
        // Who has nothing to do, or waits for a lock, gives up its core first, asleep or by yielding.
        let of_busy = off.saturating_sub(free).saturating_sub(locked).clamp(0, busy.max(0));
        // The kernel counts a yield among the switches that nobody asked for. Somebody else that takes the core keeps it
        // for longer.
        let yields = stretch.involuntary.saturating_mul(YIELD) > off;
        let is_asked_for = stretch.voluntary > stretch.involuntary || yields;
        let of_free = if is_asked_for { 0 } else { (off - of_busy).min(free) };
        self.shares.push(Share { to: stretch.to, busy: share(of_busy, busy), free: share(of_free, free) });
        self.off = self.off.saturating_add(of_busy);
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
        self.mean(from, to, |share| share.free)
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

    #[test]
    fn who_sleeps_where_it_has_nothing_to_do_is_not_preempted() {
        let mut shares = Shares::default();
        shares.add(&stretch(0, 100, 60, 5, 0), 60, 0);
        assert_eq!((shares.off, shares.busy(0, 100)), (0, 1.0));
        shares.add(&stretch(100, 200, 25, 0, 9), 100, 0);
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
            shares.add(&stretch(0, 100 * MS, 50 * MS, 0, switches), 50 * MS, 0);
            assert_eq!((shares.off, shares.free(0, 100 * MS)), (0, free), "{switches}");
        }
    }

    #[test]
    fn a_lock_that_is_waited_for_asleep_is_not_preemption() {
        let mut shares = Shares::default();
        shares.add(&stretch(0, 100, 30, 7, 1), 100, 70);
        assert_eq!(shares.off, 0);
    }

    #[test]
    fn spans_are_added_up_by_stretch() {
        let mut overlap = Overlap::new([(0, 10), (15, 40), (50, 60)].into_iter());
        assert_eq!([overlap.until(0, 20), overlap.until(20, 30), overlap.until(30, 55)], [15, 10, 15]);
    }
}
