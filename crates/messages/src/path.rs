//! The critical path of a run: from its end back to its beginning, along whom everybody waited for.
//!
//! The path stands at the end of the rank that ended last and goes back in time on that rank. At a call that waited it jumps to
//! the rank that was waited for, to when that one came; what the call did behind its wait stays on the rank. So the path is one
//! stretch after the other without a gap, and every stretch is work between calls, or moving data inside of one.

use crate::messages::Messages;
use crate::schema::NONE;
use crate::waits::Waits;

/// A part of the path: on one rank without waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The rank.
    pub rank: u32,
    /// From when.
    pub from: i64,
    /// To when.
    pub to: i64,
    /// How much of it is in calls.
    pub inside: i64,
}

/// What decided how long a run took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    /// In the order of time; each begins when the one before ends.
    pub stretches: Vec<Stretch>,
}

impl CriticalPath {
    /// The path of a run.
    pub fn of(messages: &Messages, waits: &Waits) -> CriticalPath {
        let calls = &messages.calls;
        let ranks = messages.summary().ranks;
        let last = (0..ranks).filter_map(|rank| {
            let last = calls.of(rank).next_back()?;
            Some((calls.end[last], std::cmp::Reverse(rank), last))
        });
        let Some((end, std::cmp::Reverse(mut rank), mut call)) = last.max() else {
            return CriticalPath::default();
        };
        let mut stretches = Vec::new();
        let (mut to, mut inside) = (end, 0i64);
        // Every call is passed at most once: a jump leads to an earlier time, or to a call that began then.
        for _ in 0..=calls.start.len() {
            let (start, lost) = (calls.start[call], waits.lost[call]);
            let cause = waits.cause[call];
            let came = start.saturating_add(lost);
            if lost > 0 && cause != NONE && came <= to {
                inside = inside.saturating_add(calls.end[call].min(to).saturating_sub(came).max(0));
                stretches.push(Stretch { rank, from: came, to, inside });
                (rank, call, to, inside) = (calls.rank(cause), cause as usize, came, 0);
            } else {
                inside = inside.saturating_add(calls.end[call].min(to).saturating_sub(start).max(0));
            }
            // On to the call before; the call that was jumped to had only just begun.
            if call == calls.of(rank).start {
                let from = calls.start[call].min(to);
                stretches.push(Stretch { rank, from, to, inside });
                break;
            }
            call -= 1;
        }
        stretches.reverse();
        CriticalPath { stretches }
    }

    /// The longest stretches, in the order of time.
    pub fn longest(&self, count: usize) -> Vec<Stretch> {
        let mut longest = self.stretches.clone();
        longest.sort_by_key(|stretch| std::cmp::Reverse(stretch.to.saturating_sub(stretch.from)));
        longest.truncate(count);
        longest.sort_by_key(|stretch| (stretch.from, stretch.to));
        longest
    }

    /// The stretches that reach into a window.
    pub fn within(&self, from: i64, to: i64) -> &[Stretch] {
        let first = self.stretches.partition_point(|stretch| stretch.to <= from);
        let last = self.stretches.partition_point(|stretch| stretch.from < to);
        self.stretches.get(first..last).unwrap_or_default()
    }

    /// How long each rank is on it.
    pub fn by_rank(&self, ranks: u32) -> Vec<i64> {
        let mut sums = vec![0i64; ranks as usize];
        for stretch in &self.stretches {
            if let Some(sum) = sums.get_mut(stretch.rank as usize) {
                *sum = sum.saturating_add(stretch.to.saturating_sub(stretch.from));
            }
        }
        sums
    }

    /// How long it is, and how much of that is in calls.
    pub fn length(&self) -> (i64, i64) {
        self.stretches.iter().fold((0, 0), |(all, inside), stretch| {
            let long = stretch.to.saturating_sub(stretch.from);
            (all.saturating_add(long), inside.saturating_add(stretch.inside))
        })
    }
}
