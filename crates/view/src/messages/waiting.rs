//! How long each rank waited in each phase, which phases stand out, and who was late: what the pictures of messages say of
//! waiting.

use std::ops::Range;

use crosscut_messages::gram::{Clock, Gram, Phase};
use crosscut_messages::{Collective, Messages, NONE};

use super::opened::{Late, Waited};

/// A phase stands out when its ranks wait so many times as long as is usual for its pattern…
const TIMES: f64 = 2.0;
/// …and so much longer, in nanoseconds.
const MORE: f64 = 2e6;

/// Waiting by phase.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// By phase and rank.
    pub by_phase: Vec<Vec<i64>>,
    /// By phase: how long a rank waited, on average.
    pub mean: Vec<f64>,
    /// By phase: the median of that over the phases of the same pattern.
    pub usual: Vec<f64>,
    /// By phase: it stands out.
    pub stands_out: Vec<bool>,
    /// By phase: who was late by itself, by the same rule as the findings, and how late: the latest of those of whom that
    /// showed first in this phase.
    pub late: Vec<Option<(u32, i64)>>,
}

/// The phase of each point: messages first, then collectives, then the end of MPI.
fn phases_of(messages: &Messages, clock: &Clock, phases: &[Phase]) -> Vec<u32> {
    let collectives = messages.collectives.kind.len();
    let mut of = vec![NONE; messages.len() + collectives + 1];
    for (number, phase) in phases.iter().enumerate() {
        for message in clock.messages(phase.points.clone()) {
            of[message as usize] = number as u32;
        }
        for collective in clock.collectives(phase.points.clone()) {
            of[messages.len() + collective] = number as u32;
        }
    }
    // Barriers are points of no clock: they belong to the phase that was entered last.
    let mut starts: Vec<(i64, u32)> =
        phases.iter().enumerate().map(|(at, phase)| (phase.span.0, at as u32)).collect();
    starts.sort_unstable();
    for (number, &kind) in messages.collectives.kind.iter().enumerate() {
        if Collective(kind) == Collective::BARRIER {
            let start = messages.collectives.start[number];
            let entered = starts.partition_point(|(from, _)| *from <= start).saturating_sub(1);
            of[messages.len() + number] = starts.get(entered).map_or(NONE, |(_, phase)| *phase);
        }
    }
    // So does the end of MPI.
    of[messages.len() + collectives] = starts.last().map_or(NONE, |(_, phase)| *phase);
    of
}

impl Waiting {
    /// Of the phases of a run.
    pub fn of(
        messages: &Messages,
        (waited, late): (&[Waited], &[Late]),
        clock: &Clock,
        gram: &Gram,
    ) -> Waiting {
        let ranks = messages.summary().ranks as usize;
        let count = gram.phases.len();
        let phase_of = phases_of(messages, clock, &gram.phases);
        let mut by_phase = vec![vec![0i64; ranks]; count];
        for wait in waited {
            let phase = phase_of.get(wait.event as usize).copied().unwrap_or(NONE) as usize;
            if phase >= count {
                continue;
            }
            if let Some(lost) = by_phase[phase].get_mut(wait.rank as usize) {
                *lost = lost.saturating_add(wait.lost);
            }
        }
        let mean: Vec<f64> = (by_phase.iter())
            .map(|row| row.iter().map(|&lost| lost as f64).sum::<f64>() / ranks.max(1) as f64)
            .collect();
        let usual = usual(&gram.phases, &mean);
        let stands_out = mean
            .iter()
            .zip(&usual)
            .map(|(mean, usual)| *mean > TIMES * usual && mean - usual > MORE)
            .collect();
        let late = latest(late, &phase_of, count);
        Waiting { by_phase, mean, usual, stands_out, late }
    }

    /// All waiting of some phases, in rank · time.
    pub fn total(&self, phases: Range<usize>) -> f64 {
        let ranks = self.by_phase.first().map_or(0, Vec::len) as f64;
        self.mean.get(phases).unwrap_or_default().iter().sum::<f64>() * ranks
    }

    /// The longest wait of a rank in some phases.
    pub fn most(&self, phases: impl Iterator<Item = usize>) -> i64 {
        phases.filter_map(|phase| self.by_phase.get(phase)?.iter().max()).copied().max().unwrap_or(0)
    }
}

/// The median over the phases of the same pattern.
fn usual(phases: &[Phase], mean: &[f64]) -> Vec<f64> {
    let patterns = phases.iter().map(|phase| phase.pattern + 1).max().unwrap_or(0);
    let mut of_pattern: Vec<Vec<f64>> = vec![Vec::new(); patterns];
    for (phase, &mean) in phases.iter().zip(mean) {
        of_pattern[phase.pattern].push(mean);
    }
    let median = |mut all: Vec<f64>| {
        let middle = all.len() / 2;
        if all.is_empty() { 0.0 } else { *all.select_nth_unstable_by(middle, f64::total_cmp).1 }
    };
    let medians: Vec<f64> = of_pattern.into_iter().map(median).collect();
    phases.iter().map(|phase| medians[phase.pattern]).collect()
}

/// The latest rank of each phase.
fn latest(late: &[Late], phase_of: &[u32], phases: usize) -> Vec<Option<(u32, i64)>> {
    let mut latest: Vec<Option<(u32, i64)>> = vec![None; phases];
    for late in late {
        let phase = phase_of.get(late.event as usize).copied().unwrap_or(NONE) as usize;
        if let Some(latest) =
            latest.get_mut(phase).filter(|known| known.is_none_or(|(_, time)| late.time > time))
        {
            *latest = Some((late.rank, late.time));
        }
    }
    latest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_names_the_latest_of_those_that_showed_in_it() {
        let late = |event, rank, time| Late { event, rank, time };
        let all = [late(0, 3, 50), late(1, 4, 70), late(2, 5, 20), late(9, 6, 90)];
        // The third event is in no phase, the tenth is none.
        assert_eq!(latest(&all, &[0, 0, NONE], 2), [Some((4, 70)), None]);
    }
}
