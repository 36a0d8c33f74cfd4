//! The text summary of a grain graph: its size, what aggregation saves, and each problem with how many grains have it,
//! what it costs and where it is; and the same as findings.

use crosscut_run::Source;
use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::table::Slot;
use super::{Deviation, Grains, Problem, ProblemSet, Theta, Thresholds};
use crate::findings::{Finding, FindingView, Severity, amount};
use crate::tasks::Tasks;

/// Where grains with a problem come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteShare {
    /// A grain from there.
    pub node: NodeId,
    /// How many.
    pub grains: usize,
    /// What they cost, or their work where that cannot be told.
    pub cost: i64,
}

/// One problem.
#[derive(Clone, Debug)]
pub struct ProblemReport {
    /// The grains that have it.
    pub set: ProblemSet,
    /// Work of these grains.
    pub work: i64,
    /// What it costs, summed over workers; 0 where it cannot be told.
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
        let told = Problem::ALL.into_iter().filter(|&problem| self.can_tell(problem, deviation));
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
        let mut sites: HashMap<Option<&Source>, SiteShare> = HashMap::new();
        let mut work = 0;
        for node in set.lens.chosen().iter() {
            let Slot::Grain(grain) = self.slot(node) else { continue };
            let own = self.grains.work[grain as usize];
            work = own.saturating_add(work);
            let cost = match set.problem {
                Problem::SiblingImbalance | Problem::ChunkImbalance | Problem::SiblingScatter => own,
                problem => self.lost(problem, grain as usize, deviation) as i64,
            };
            let place = tasks.sources().from(tasks.site(self.task(node)));
            let share = sites.entry(place).or_insert(SiteShare { node, grains: 0, cost: 0 });
            share.grains += 1;
            share.cost = cost.saturating_add(share.cost);
        }
        let mut sites: Vec<SiteShare> = sites.into_values().collect();
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

    /// Problems as findings: those that cost at least a hundredth of what the workers could have done.
    pub fn findings(
        &self,
        tasks: &Tasks,
        problems: &[ProblemReport],
        deviation: Option<&Deviation>,
    ) -> Vec<Finding> {
        let capacity = i64::from(self.workers()).saturating_mul(tasks.summary().elapsed);
        let worth = |report: &&ProblemReport| report.time_lost > 0 && report.time_lost >= capacity / 100;
        problems.iter().filter(worth).map(|report| self.finding(tasks, report, deviation, capacity)).collect()
    }

    fn finding(
        &self,
        tasks: &Tasks,
        report: &ProblemReport,
        deviation: Option<&Deviation>,
        capacity: i64,
    ) -> Finding {
        let set = &report.set;
        let worst = self.worst_grains(set, deviation, 1).first().map(|&(node, _)| node);
        let place = worst.map(|node| self.task(node)).and_then(|node| tasks.source(node).0);
        Finding {
            id: set.problem.word(),
            severity: Severity::of(report.time_lost, capacity),
            cost: report.time_lost,
            what: format!(
                "the {} of {} of {} grains is {} {}; they work {}",
                set.problem.metric(),
                set.grains,
                self.grain_count(),
                if set.problem.is_below() { "below" } else { "over" },
                (set.threshold * 100.0).round() / 100.0,
                amount(report.work as f64, tasks.clock()),
            ),
            advice: set.problem.advice().to_owned(),
            place: place.map(ToString::to_string),
            view: FindingView::Grain,
            node: worst,
            window: worst.map(|node| self.task(node)).map(|node| (tasks.start(node), tasks.end(node))),
        }
    }
}
