//! The text summary of a grain graph: its size, what aggregation saves, and each problem with how many grains have it,
//! what it costs and where it is.

use crosscut_run::Source;
use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::table::Slot;
use super::{Deviation, Grains, Problem, ProblemSet, Theta, Thresholds};
use crate::causes::grouped;
use crate::tasks::Tasks;

/// Where grains with a problem come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteShare {
    /// The grain from there that costs most.
    pub node: NodeId,
    /// How many.
    pub grains: usize,
    /// What they cost, or their work where that is not available.
    pub cost: i64,
}

/// One problem.
#[derive(Clone, Debug)]
pub struct ProblemReport {
    /// The grains that have it.
    pub set: ProblemSet,
    /// Work of these grains.
    pub work: i64,
    /// What it costs, summed over workers; 0 where that is not available.
    pub time_lost: i64,
    /// The largest visible node count of these grains.
    pub theta: Theta,
    /// The places in the source that cost most, most costly first.
    pub sites: Vec<SiteShare>,
}

/// Places in the source that are told of each problem.
const SITES: usize = 3;

impl Grains {
    /// All problems that this run can tell, most costly first.
    pub fn problems(
        &self,
        tasks: &Tasks,
        thresholds: &Thresholds,
        deviation: Option<&Deviation>,
    ) -> Vec<ProblemReport> {
        let told = Problem::ALL.into_iter().filter(|&problem| self.is_available(problem, deviation));
        let mut reports: Vec<ProblemReport> = told
            .map(|problem| {
                let set = self.problem(problem, thresholds.of(problem, self), deviation);
                self.problem_report(tasks, set, deviation)
            })
            .collect();
        reports.sort_by_key(|report| (std::cmp::Reverse(report.time_lost), report.set.problem));
        reports
    }

    /// One problem in numbers.
    pub fn problem_report(
        &self,
        tasks: &Tasks,
        set: ProblemSet,
        deviation: Option<&Deviation>,
    ) -> ProblemReport {
        // With what the costliest grain of each costs.
        let mut sites: HashMap<Option<&Source>, (SiteShare, i64)> = HashMap::new();
        let mut work = 0;
        for node in set.lens.chosen().iter() {
            let Slot::Grain(grain) = self.slot(node) else { continue };
            let own = self.grains.work[grain as usize];
            work = own.saturating_add(work);
            let cost = self.cost_in(&set, node, deviation);
            let source = tasks.sources().from(tasks.site(self.task(node)));
            let (share, most) =
                sites.entry(source).or_insert((SiteShare { node, grains: 0, cost: 0 }, i64::MIN));
            share.grains += 1;
            share.cost = cost.saturating_add(share.cost);
            if cost > *most {
                (share.node, *most) = (node, cost);
            }
        }
        let mut sites: Vec<SiteShare> = sites.into_values().map(|(share, _)| share).collect();
        sites.sort_by_key(|share| (std::cmp::Reverse(share.cost), share.node));
        sites.truncate(SITES);
        ProblemReport {
            work,
            time_lost: self.time_lost(tasks, &set, deviation),
            theta: self.theta(Some(&set)),
            sites,
            set,
        }
    }
}

impl ProblemReport {
    /// A threshold for people: two digits behind the point, large and tiny ones with an exponent.
    pub fn threshold_text(threshold: f64) -> String {
        match threshold {
            t if t.fract() == 0.0 && (0.0..1e15).contains(&t) => grouped(t as u64),
            t if (0.01..1e6).contains(&t) => ((t * 100.0).round() / 100.0).to_string(),
            t => {
                // Three digits, without zeros behind them.
                let short = format!("{t:.2e}").parse().unwrap_or(t);
                format!("{short:e}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (2.0, "2"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.33"),
            (24_704.0, "24\u{2009}704"),
            (1e300, "1e300"),
            (1.234_56e-7, "1.23e-7"),
            (1_234_567.5, "1.23e6"),
        ] {
            assert_eq!(ProblemReport::threshold_text(value), text);
        }
    }
}
