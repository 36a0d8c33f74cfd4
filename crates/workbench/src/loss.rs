//! Losses: time that a domain says was lost, and the findings that are made of all of them. A loss that names who lost
//! it when (place × time) is charged once over all domains, to the most specific claim; the workbench numbers findings
//! and sets their severity.

use crosscut_scene::Fill;

use crate::look::Look;
use crate::selection::Span;
use crate::sheet::{Cell, Finding};

/// How a cost was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// A replay without it is shorter by so much.
    Replay,
    /// It is at most so much.
    Bound,
    /// Nothing was lost: so much was spent on work that could take less.
    Spent,
}

/// The look of lost time: a pattern in the colour of a palette slot.
pub type Hatch = (Fill, u16);

/// Lost time that a picture may draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// Number of its finding; none where it is too little to be one.
    pub number: Option<u32>,
    /// Stable word.
    pub cause: &'static str,
    /// What people call it.
    pub what: String,
    /// Where in the program.
    pub line: Option<Cell>,
    /// Time lost, summed over places, in the clock's unit.
    pub cost: f64,
    /// It was work: it counts as a finding, not as lost.
    pub spent: bool,
    /// How it is drawn.
    pub hatch: Hatch,
    /// Who lost it when: sorted by place and time, no two overlap.
    pub stretches: Vec<(u32, Span)>,
}

/// What costs time in a run: losses of all domains, charged once, worst first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Those that are worth a sentence.
    pub findings: Vec<Finding>,
    /// All of them.
    pub lost: Vec<Lost>,
    /// Why nothing is judged: the run is too short, or there is too little in it.
    pub too_little: Option<String>,
    /// What was not looked for, and why, a sentence each.
    pub not_looked_for: Vec<String>,
}

/// Time that was lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// Stable word, such as "no-work".
    pub cause: &'static str,
    /// How specific the cause is: of two losses that claim the same time the higher one gets it.
    pub claim: u8,
    /// Where in the program.
    pub line: Option<Cell>,
    /// Time lost, summed over places, in the clock's unit.
    pub cost: f64,
    /// How long the run would take without it.
    pub without: Option<f64>,
    /// How that was found, or the cost where it was not.
    pub how: How,
    /// Whether it is told after others, whatever it costs: it lies outside of the program, in the machine or the runtime, or
    /// is little against what the program had.
    pub behind: bool,
    /// How lost time of this cause is drawn, everywhere.
    pub hatch: Hatch,
    /// Who lost it when; none where that is not known, then the cost stands as it is.
    pub stretches: Vec<(u32, Span)>,
    /// Processes that caused it, by their numbers, the worst first; few, or none where nobody in particular did.
    pub ranks: Vec<u32>,
    /// What was seen.
    pub what: String,
    /// What shows it, in a sentence.
    pub evidence: String,
    /// What to try.
    pub advice: String,
    /// A small picture that shows it.
    pub picture: Option<Look>,
    /// Where it is seen best.
    pub show: Look,
}

impl Loss {
    /// By how much it is worse than others: what all places gain without it where that is known, else what they lost.
    fn weight(&self, elapsed: f64, places: f64) -> f64 {
        match self.without {
            Some(without) if self.how == How::Replay => (elapsed - without).max(0.0) * places,
            _ => self.cost,
        }
    }
}

/// Charges each stretch of place × time once, to the highest claim (of equal ones to the earlier loss), and sorts: worst
/// first, but those that stand behind last. A loss whose stretches are all charged to others is left out.
pub fn charged(mut losses: Vec<Loss>, (elapsed, places): (f64, f64)) -> Vec<Loss> {
    let mut order: Vec<usize> = (0..losses.len()).filter(|&i| !losses[i].stretches.is_empty()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(losses[i].claim));
    let mut taken = Taken::default();
    for i in order {
        let asked = total(&losses[i].stretches);
        let left = taken.take(std::mem::take(&mut losses[i].stretches));
        let got = total(&left);
        if asked > 0.0 {
            losses[i].cost *= got / asked;
        }
        losses[i].stretches = left;
    }
    losses.retain(|loss| loss.cost > 0.0);
    let weight = |loss: &Loss| loss.weight(elapsed, places);
    losses.sort_by(|a, b| {
        let worse = || weight(b).total_cmp(&weight(a)).then(b.cost.total_cmp(&a.cost));
        a.behind.cmp(&b.behind).then_with(worse)
    });
    losses
}

fn total(stretches: &[(u32, Span)]) -> f64 {
    stretches.iter().map(|(_, span)| (span.1 - span.0).max(0.0)).sum()
}

/// What is charged already: sorted stretches that do not overlap, by place.
#[derive(Default)]
struct Taken {
    places: std::collections::BTreeMap<u32, Vec<Span>>,
}

impl Taken {
    /// What of these stretches is still free; it is taken now.
    fn take(&mut self, mut stretches: Vec<(u32, Span)>) -> Vec<(u32, Span)> {
        stretches.retain(|(_, span)| span.is_sound());
        stretches.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.0.total_cmp(&b.1.0)));
        let mut free = Vec::new();
        for of_place in stretches.chunk_by(|a, b| a.0 == b.0) {
            let place = of_place[0].0;
            let taken = self.places.entry(place).or_default();
            let from = free.len();
            let mut at = f64::NEG_INFINITY; // everything before was asked for already
            for &(_, Span(start, end)) in of_place {
                let mut start = start.max(at);
                at = at.max(end);
                let first = taken.partition_point(|span| span.1 <= start);
                for span in &taken[first..] {
                    if span.0 >= end {
                        break;
                    }
                    if span.0 > start {
                        free.push((place, Span(start, span.0)));
                    }
                    start = start.max(span.1);
                }
                if start < end {
                    free.push((place, Span(start, end)));
                }
            }
            taken.extend(free[from..].iter().map(|&(_, span)| span));
            taken.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(cause: &'static str, claim: u8, stretches: &[(u32, f64, f64)]) -> Loss {
        let stretches: Vec<(u32, Span)> = stretches.iter().map(|&(p, a, b)| (p, Span(a, b))).collect();
        Loss {
            cause,
            claim,
            line: None,
            cost: total(&stretches),
            without: None,
            how: How::Bound,
            behind: false,
            hatch: (Fill::Dots, 0),
            stretches,
            ranks: Vec::new(),
            what: String::new(),
            evidence: String::new(),
            advice: String::new(),
            picture: None,
            show: Look::of("x", 0),
        }
    }

    #[test]
    fn the_most_specific_cause_gets_the_time() {
        let losses = vec![
            loss("runtime-delay", 0, &[(0, 0.0, 10.0), (1, 0.0, 10.0)]),
            loss("lock", 5, &[(0, 2.0, 6.0), (0, 4.0, 8.0)]),
        ];
        let charged = charged(losses, (10.0, 2.0));
        let costs: Vec<(&str, f64)> = charged.iter().map(|loss| (loss.cause, loss.cost)).collect();
        // The lock's own stretches overlap: 2…8 is lost once, though both were counted in its cost of 8.
        assert_eq!(costs, [("runtime-delay", 14.0), ("lock", 6.0)]);
    }

    #[test]
    fn what_is_charged_to_others_is_no_loss() {
        let losses = vec![loss("delay", 0, &[(3, 1.0, 2.0)]), loss("imbalance", 1, &[(3, 0.0, 5.0)])];
        let charged = charged(losses, (10.0, 4.0));
        assert_eq!(charged.len(), 1);
        assert_eq!(charged[0].cause, "imbalance");
    }

    #[test]
    fn what_a_replay_gains_comes_before_what_was_lost() {
        let mut chain = loss("chain", 1, &[(0, 0.0, 2.0)]);
        (chain.without, chain.how) = (Some(6.0), How::Replay);
        let losses = vec![loss("imbalance", 1, &[(1, 0.0, 5.0)]), chain];
        let causes = |charged: Vec<Loss>| charged.iter().map(|loss| loss.cause).collect::<Vec<_>>();
        assert_eq!(causes(charged(losses.clone(), (10.0, 2.0))), ["chain", "imbalance"]);
        assert_eq!(causes(charged(losses, (7.0, 2.0))), ["imbalance", "chain"]);
    }

    #[test]
    fn what_stands_behind_comes_last() {
        let mut preempted = loss("preempted", 1, &[(0, 0.0, 9.0)]);
        preempted.behind = true;
        let losses = vec![preempted, loss("lock", 2, &[(1, 0.0, 4.0)])];
        let causes: Vec<&str> = charged(losses, (10.0, 2.0)).iter().map(|loss| loss.cause).collect();
        assert_eq!(causes, ["lock", "preempted"]);
    }

    /// Place × time in unit cells: each cell belongs to the highest claim that asks for it, the earlier of equals.
    #[test]
    fn cells_are_charged_as_in_a_table() {
        let mut random = 7u64;
        let mut next = |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        for _ in 0..300 {
            let losses: Vec<Loss> = (0..4)
                .map(|_| {
                    let stretches: Vec<(u32, f64, f64)> = (0..3)
                        .map(|_| {
                            let (place, start) = (next(2) as u32, next(12) as f64);
                            (place, start, start + next(6) as f64)
                        })
                        .collect();
                    loss("x", next(3) as u8, &stretches)
                })
                .collect();
            let owner = |place: u32, cell: f64| {
                let asks = |loss: &Loss| {
                    loss.stretches.iter().any(|&(p, s)| p == place && s.0 <= cell && cell < s.1)
                };
                (0..losses.len())
                    .filter(|&i| asks(&losses[i]))
                    .max_by_key(|&i| (losses[i].claim, usize::MAX - i))
            };
            let cells = |i: usize| {
                (0..2)
                    .flat_map(|p| (0..18).map(move |c| (p, f64::from(c))))
                    .filter(|&(p, c)| owner(p, c) == Some(i))
                    .count()
            };
            let mut expected: Vec<f64> =
                (0..losses.len()).map(|i| cells(i) as f64).filter(|&n| n > 0.0).collect();
            expected.sort_by(|a, b| b.total_cmp(a));
            let got: Vec<f64> =
                charged(losses.clone(), (18.0, 2.0)).iter().map(|loss| total(&loss.stretches)).collect();
            let mut got = got;
            got.sort_by(|a, b| b.total_cmp(a));
            assert_eq!(got, expected);
        }
    }
}
