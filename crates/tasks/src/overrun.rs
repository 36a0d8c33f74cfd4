//! Which node makes the totals of a run impossible: the first, by time, that runs while every worker has something else to
//! do. Whoever read the nodes knows where each of them stands in its file.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::schema::{Collapsed, Mark, TimeWriter};

/// Parts of a worker that a collapsed node can keep busy.
const WHOLE: i128 = 1 << 20;

/// An interval or a collapsed node, and the time that it kept workers busy.
struct Busy {
    start: i64,
    end: i64,
    node: u32,
    work: i64,
}

/// The node that more workers than there are would have to run. Where each moment is possible by itself, the one at which the
/// work up to there is more than the workers had time for in all; where that is so nowhere, the root.
pub fn overrun(times: &TimeWriter, workers: usize) -> u32 {
    let mut busy = busy(times);
    busy.sort_unstable_by_key(|busy| (busy.start, busy.node));
    let elapsed =
        times.end.first().zip(times.start.first()).map_or(0, |(end, start)| end.saturating_sub(*start));
    first_too_many(&busy, workers)
        .or_else(|| first_too_much(&busy, i128::from(elapsed) * workers as i128))
        .unwrap_or(0)
}

/// All that took time.
fn busy(times: &TimeWriter) -> Vec<Busy> {
    let mut collapsed = times.collapsed.iter().peekable();
    let columns = times.mark.iter().zip(times.start.iter().zip(times.end.iter()));
    let found = (0u32..).zip(columns).filter_map(|(node, (&mark, (&start, &end)))| {
        let row: Option<&Collapsed> = collapsed.next_if(|row| row.node == node);
        let is_inner = Mark(mark).kind().is_collective() && row.is_none();
        let work = row.map_or(end.saturating_sub(start), |row| row.work);
        (!is_inner && end > start).then_some(Busy { start, end, node, work })
    });
    found.collect()
}

/// The first that starts while all workers are busy. A collapsed node keeps as many of them busy as its work takes.
fn first_too_many(busy: &[Busy], workers: usize) -> Option<u32> {
    let limit = workers as i128 * WHOLE;
    let mut running: BinaryHeap<Reverse<(i64, i128)>> = BinaryHeap::new();
    let mut sum = 0i128;
    for now in busy {
        while let Some(&Reverse((end, share))) = running.peek()
            && end <= now.start
        {
            running.pop();
            sum -= share;
        }
        let share = i128::from(now.work) * WHOLE / i128::from(now.end - now.start).max(1);
        running.push(Reverse((now.end, share)));
        sum += share;
        if sum > limit {
            return Some(now.node);
        }
    }
    None
}

/// The first at which the work is more than `capacity`.
fn first_too_much(busy: &[Busy], capacity: i128) -> Option<u32> {
    let mut work = 0i128;
    let over = busy.iter().find(|busy| {
        work += i128::from(busy.work);
        work > capacity
    });
    over.map(|busy| busy.node)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Looks at every pair.
    fn slow(busy: &[Busy], workers: usize) -> Option<u32> {
        let before = |at: usize| busy[..at].iter().filter(move |other| other.end > busy[at].start).count();
        (0..busy.len()).find(|&at| before(at) >= workers).map(|at| busy[at].node)
    }

    proptest! {
        #[test]
        fn the_first_that_finds_no_worker(
            times in prop::collection::vec((0i64..60, 1i64..20), 1..60),
            workers in 1usize..6,
        ) {
            let numbered = (0u32..).zip(&times);
            let mut busy: Vec<Busy> = numbered
                .map(|(node, &(start, length))| Busy { start, end: start + length, node, work: length })
                .collect();
            busy.sort_unstable_by_key(|busy| (busy.start, busy.node));
            let found = first_too_many(&busy, workers);
            prop_assert_eq!(found, slow(&busy, workers));
            // More work than there was time for is always found at some node.
            let end = busy.iter().map(|busy| busy.end).max().unwrap_or(0);
            let start = busy.first().map_or(0, |busy| busy.start);
            let work: i64 = busy.iter().map(|busy| busy.work).sum();
            prop_assert!(work <= (end - start) * workers as i64 || found.is_some());
        }
    }

    #[test]
    fn a_collapsed_node_keeps_several_workers_busy() {
        let one = |node, start, end, work| Busy { start, end, node, work };
        let busy = [one(3, 0, 10, 25), one(5, 2, 4, 1), one(7, 3, 9, 6)];
        assert_eq!(first_too_many(&busy, 3), Some(7), "2.5 and 0.5 fit, one more does not");
        assert_eq!(first_too_many(&busy, 4), None);
        assert_eq!(first_too_much(&busy, 25), Some(5));
    }
}
