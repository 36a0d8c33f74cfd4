//! Clustering of messages in time: which of them belong together, at any level of detail.
//!
//! Each message stands at one time; the two closest clusters are merged again and again, the new one standing at the
//! plain average of the two (median linkage in one dimension), ties to the left. Neighbours are always the closest, so
//! the whole tree is one number for each gap between two neighbours: the height at which it closed. A cut into k phases
//! opens the k − 1 gaps that closed last; a cut of one phase opens the last gaps within its range.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

/// The clustering of points in time, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Linkage {
    /// The distance of the two clusters that were merged over the gap between the points `i` and `i + 1`.
    heights: Vec<f64>,
    points: usize,
    /// The gaps of all that closed last, the last first: cuts of the whole are asked for again and again.
    last: Vec<Gap>,
}

/// So many of the gaps that closed last are kept.
const KEPT: usize = 512;

/// A number of phases for which the tree itself speaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The number of phases.
    pub phases: usize,
    /// How many times wider the narrowest gap between two phases is than the widest inside one; infinite where all
    /// points inside the phases are at one time.
    pub ratio: f64,
}

/// A cluster during the walk: where it stands, and its last point.
#[derive(Clone, Copy)]
struct Cluster {
    time: f64,
    last: usize,
}

impl Linkage {
    /// Clusters points that are given in ascending order.
    ///
    /// The walk merges every gap that is less than the one on its left and not more than the one on its right: no other
    /// merge can change it, because a merge only widens the gaps beside it. Each step back to the left is followed by a
    /// merge, so the walk takes time proportional to the number of points, and memory beside the result only for
    /// stretches of ever smaller gaps.
    pub fn of(times: &[f64]) -> Linkage {
        debug_assert!(times.is_sorted());
        let mut heights = vec![0.0; times.len().saturating_sub(1)];
        let mut left: Vec<Cluster> = Vec::new();
        let mut right: Vec<Cluster> = Vec::new();
        let mut next = 0;
        loop {
            let ahead =
                right.last().copied().or_else(|| times.get(next).map(|&time| Cluster { time, last: next }));
            if let [.., a, b] = left[..] {
                let gap = b.time - a.time;
                if let [.., before, _, _] = left[..]
                    && a.time - before.time <= gap
                {
                    left.pop();
                    right.push(b);
                    continue;
                }
                if ahead.is_none_or(|ahead| ahead.time - b.time >= gap) {
                    heights[a.last] = gap;
                    left.truncate(left.len() - 2);
                    left.push(Cluster { time: (a.time + b.time) / 2.0, last: b.last });
                    continue;
                }
            }
            let Some(ahead) = ahead else { break };
            left.push(ahead);
            if right.pop().is_none() {
                next += 1;
            }
        }
        let mut linkage = Linkage { heights, points: times.len(), last: Vec::new() };
        linkage.last = linkage.widest(&(0..times.len()), KEPT);
        linkage
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.points
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.points == 0
    }

    /// For each gap between neighbours, the distance of the clusters that were merged over it.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// The points of a range as at most `phases` phases, in order. Points at one time are never separated, so there may be
    /// fewer phases than were asked for.
    pub fn cut(&self, within: Range<usize>, phases: usize) -> Vec<Range<usize>> {
        let within = within.start.min(self.points)..within.end.min(self.points);
        if within.is_empty() {
            return Vec::new();
        }
        let mut gaps: Vec<usize> =
            self.widest(&within, phases.saturating_sub(1)).iter().map(|gap| gap.index).collect();
        gaps.sort_unstable();
        let ends = gaps.iter().map(|gap| gap + 1).chain([within.end]);
        let mut first = within.start;
        ends.map(|end| std::mem::replace(&mut first, end)..end).collect()
    }

    /// Up to `most` numbers of phases, at most `limit` phases each, at which the gaps between phases differ most from
    /// those inside them: the largest ratio first.
    pub fn candidates(&self, within: Range<usize>, limit: usize, most: usize) -> Vec<Candidate> {
        let within = within.start.min(self.points)..within.end.min(self.points);
        let widest = self.widest(&within, limit);
        // Behind the last gap of all there is nothing to compare with, unless points are at one time.
        let equal = within.len() > widest.len() + 1 && widest.len() < limit;
        let inside = |at: usize| widest.get(at).map(|gap| gap.height).or(equal.then_some(0.0));
        let mut candidates: Vec<Candidate> = widest
            .iter()
            .enumerate()
            .take(limit.saturating_sub(1))
            .filter_map(|(at, gap)| Some(Candidate { phases: at + 2, ratio: gap.height / inside(at + 1)? }))
            .filter(|candidate| candidate.ratio > 1.0)
            .collect();
        candidates.sort_by(|a, b| b.ratio.total_cmp(&a.ratio).then(a.phases.cmp(&b.phases)));
        candidates.truncate(most);
        candidates
    }

    /// The gaps of a range that closed last, the last first; only gaps between different times.
    fn widest(&self, within: &Range<usize>, most: usize) -> Vec<Gap> {
        let mut widest: BinaryHeap<Reverse<Gap>> = BinaryHeap::with_capacity(most.min(within.len()) + 1);
        let gaps = within.start..within.end.saturating_sub(1).max(within.start);
        if most == 0 {
            return Vec::new();
        }
        if *within == (0..self.points) && most <= self.last.len() {
            return self.last[..most].to_vec();
        }
        for index in gaps {
            let gap = Gap { height: self.heights[index], index };
            if gap.height <= 0.0 {
                continue;
            }
            if widest.len() < most {
                widest.push(Reverse(gap));
            } else if let Some(mut least) = widest.peek_mut()
                && gap > least.0
            {
                *least = Reverse(gap);
            }
        }
        widest.into_sorted_vec().into_iter().map(|gap| gap.0).collect()
    }
}

/// A gap in the order in which gaps close: the narrower first, then the one on the left.
#[derive(Clone, Copy, Debug)]
struct Gap {
    height: f64,
    index: usize,
}

impl Ord for Gap {
    fn cmp(&self, other: &Gap) -> Ordering {
        self.height.total_cmp(&other.height).then(self.index.cmp(&other.index))
    }
}

impl PartialOrd for Gap {
    fn partial_cmp(&self, other: &Gap) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Gap {
    fn eq(&self, other: &Gap) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Gap {}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscut_chance::Chance;

    /// Every pair is looked at for every merge: (height, gap) in the order of the merges.
    fn naive(times: &[f64]) -> Vec<(f64, usize)> {
        let mut clusters: Vec<(f64, usize)> =
            times.iter().copied().enumerate().map(|(at, time)| (time, at)).collect();
        let mut merges = Vec::new();
        while clusters.len() > 1 {
            let gap = |at: usize| clusters[at + 1].0 - clusters[at].0;
            let mut least = 0;
            for at in 1..clusters.len() - 1 {
                if gap(at) < gap(least) {
                    least = at;
                }
            }
            merges.push((gap(least), clusters[least].1));
            let right = clusters.remove(least + 1);
            clusters[least] = ((clusters[least].0 + right.0) / 2.0, right.1);
        }
        merges
    }

    fn merges(times: &[f64]) -> Vec<(f64, usize)> {
        let linkage = Linkage::of(times);
        let mut gaps: Vec<Gap> =
            linkage.heights().iter().enumerate().map(|(index, &height)| Gap { height, index }).collect();
        gaps.sort();
        gaps.into_iter().map(|gap| (gap.height, gap.index)).collect()
    }

    fn times(chance: &mut Chance, points: usize, span: u64) -> Vec<f64> {
        let mut times: Vec<f64> = (0..points).map(|_| chance.below(span) as f64 / 2.0).collect();
        times.sort_by(f64::total_cmp);
        times
    }

    #[test]
    fn the_walk_merges_what_the_naive_search_merges_in_the_same_order() {
        let mut chance = Chance::new(11);
        for round in 0..1000 {
            // Few different times make ties and equal points; many make neither.
            let span = [1, 3, 20, 200, 1 << 40][round % 5];
            let points = chance.index(70);
            let times = times(&mut chance, points, span);
            assert_eq!(merges(&times), naive(&times), "{times:?}");
        }
    }

    #[test]
    fn steps_of_one_length_are_merged_as_the_naive_search_merges_them() {
        let steps: Vec<f64> = (0..300).map(|step| f64::from(step / 3)).collect();
        assert_eq!(merges(&steps), naive(&steps));
        let closer: Vec<f64> = (0..200).map(|step| 1.0 - 0.97f64.powi(step)).collect();
        assert_eq!(merges(&closer), naive(&closer));
        let wider: Vec<f64> = (0..200).map(|step| 1.05f64.powi(step)).collect();
        assert_eq!(merges(&wider), naive(&wider));
    }

    #[test]
    fn a_cut_undoes_the_last_merges() {
        let mut chance = Chance::new(12);
        for _ in 0..200 {
            let points = 1 + chance.index(40);
            let times = times(&mut chance, points, 1 << 30);
            let linkage = Linkage::of(&times);
            let merges = naive(&times);
            for phases in 1..=points {
                let mut ends: Vec<usize> =
                    merges[points - phases..].iter().map(|merge| merge.1 + 1).collect();
                ends.sort_unstable();
                ends.push(points);
                let cut = linkage.cut(0..points, phases);
                assert_eq!(cut.iter().map(|phase| phase.end).collect::<Vec<_>>(), ends);
                assert_eq!(cut[0].start, 0);
                assert!(cut.windows(2).all(|pair| pair[0].end == pair[1].start));
            }
        }
    }

    #[test]
    fn points_at_one_time_stay_together() {
        let linkage = Linkage::of(&[1.0, 1.0, 1.0, 2.0, 2.0, 3.0]);
        assert_eq!(linkage.cut(0..6, 100), [0..3, 3..5, 5..6]);
        assert_eq!(linkage.cut(0..3, 2), vec![0..3; 1]);
        assert_eq!(linkage.cut(3..6, 2), [3..5, 5..6]);
        assert!(Linkage::of(&[]).cut(0..10, 3).is_empty());
        assert_eq!(Linkage::of(&[5.0]).cut(0..1, 3), vec![0..1; 1]);
    }

    #[test]
    fn the_tree_speaks_for_the_number_of_groups_that_it_has() {
        // Five groups of four points each, far apart, and the first three of them closer to each other.
        let times: Vec<f64> = [0.0, 100.0, 200.0, 1000.0, 2000.0]
            .iter()
            .flat_map(|start| (0..4).map(move |at| start + f64::from(at) * 0.5))
            .collect();
        let linkage = Linkage::of(&times);
        let candidates = linkage.candidates(0..times.len(), 20, 8);
        assert_eq!(candidates[0].phases, 5);
        assert!(candidates.iter().any(|candidate| candidate.phases == 3), "{candidates:?}");
        let steps = Linkage::of(&[1.0, 1.0, 2.0, 2.0]);
        assert_eq!(steps.candidates(0..4, 20, 8), [Candidate { phases: 2, ratio: f64::INFINITY }]);
    }
}
