//! What scripts rely on: the JSON of `crosscut info` and `crosscut report`, as types.

use std::collections::BTreeMap;

use crosscut_run::{Clock, Manifest};
use crosscut_tasks::grain::{Grains, ProblemReport};
use crosscut_tasks::{Causes, Summary, Tasks};
use crosscut_tree::NodeId;
use crosscut_workbench::{Refusal, object};
use serde::Serialize;
use serde_json::{Map, Value};

use super::opened::Opened;
use super::report::Report;

/// What tasks add to `crosscut info --json`.
#[derive(Debug, Serialize)]
struct Info {
    tasks: TaskFigures,
}

/// Totals of the task tree. Times are in the clock's unit, whatever their names say.
#[derive(Debug, Serialize)]
struct TaskFigures {
    tasks: i64,
    intervals: i64,
    workers: u32,
    elapsed_ns: i64,
    work_ns: i64,
    span_ns: i64,
    delay_ns: i64,
    no_work_ns: i64,
    dropped_events: u64,
    nodes: u32,
    depth: u32,
    /// Said where times are not in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<&'static str>,
}

/// What they add to `crosscut report --json`.
#[derive(Debug, Serialize)]
struct Graph<'a> {
    grain: GrainFigures<'a>,
    account: AccountFigures,
}

/// Where P × elapsed went: the parts add up to the whole.
#[derive(Debug, Serialize)]
struct AccountFigures {
    capacity_ns: i64,
    work_ns: i64,
    lost_ns: i64,
    /// Time of workers beyond the number of processors.
    shared_ns: i64,
    not_explained_ns: i64,
    /// Processor time that others than the workers took, if the recorder saw it: no part of the whole.
    others_ns: Option<i64>,
}

impl AccountFigures {
    fn of(Causes { account, others, .. }: &Causes) -> Self {
        AccountFigures {
            capacity_ns: account.capacity,
            work_ns: account.work,
            lost_ns: account.lost,
            shared_ns: account.shared,
            not_explained_ns: account.unexplained,
            others_ns: *others,
        }
    }
}

#[derive(Debug, Serialize)]
struct GrainFigures<'a> {
    grains: usize,
    fork_joins: usize,
    raw_nodes: usize,
    groups: usize,
    depth: usize,
    theta_max: u64,
    savings: f64,
    work_ns: i64,
    outside_ns: i64,
    critical_path_ns: i64,
    problems: BTreeMap<&'static str, ProblemFigures>,
    /// Problems that the run does not hold enough for: why, and what to do.
    not_available: BTreeMap<&'static str, &'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineFigures<'a>>,
}

#[derive(Debug, Serialize)]
struct ProblemFigures {
    grains: usize,
    theta_max: u64,
    time_lost_ns: i64,
    threshold: f64,
    savings: f64,
    work_ns: i64,
    #[serde(rename = "where")]
    places: Vec<String>,
}

#[derive(Debug, Serialize)]
struct BaselineFigures<'a> {
    run: &'a str,
    matched: usize,
    same_structure: bool,
    work_ns: i64,
    baseline_work_ns: i64,
}

/// What tasks add to `crosscut info --json`.
pub fn info(tasks: &Tasks) -> Result<Map<String, Value>, Refusal> {
    object(&Info { tasks: TaskFigures::of(tasks.summary(), tasks.run().manifest()) })
}

/// What they add to `crosscut report --json`.
pub fn report(opened: &Opened) -> Result<Map<String, Value>, Refusal> {
    let account = AccountFigures::of(opened.causes());
    object(&Graph { grain: GrainFigures::of(&Report::of(opened)), account })
}

/// Events that could not be stored while recording.
pub fn dropped_events(manifest: &Manifest) -> u64 {
    manifest.facts.get("dropped_events").and_then(Value::as_u64).unwrap_or(0)
}

impl TaskFigures {
    fn of(s: &Summary, manifest: &Manifest) -> Self {
        TaskFigures {
            tasks: s.tasks,
            intervals: s.intervals,
            workers: s.workers,
            elapsed_ns: s.elapsed,
            work_ns: s.work,
            span_ns: s.span,
            delay_ns: s.delay,
            no_work_ns: s.no_work,
            dropped_events: dropped_events(manifest),
            nodes: s.nodes,
            depth: s.depth,
            clock: (manifest.clock != Clock::Ns).then(|| manifest.clock.unit()),
        }
    }
}

impl<'a> GrainFigures<'a> {
    fn of(report: &'a Report<'_>) -> Self {
        let grains: &Grains = report.grains;
        let (theta, raw) = (grains.theta(None), grains.raw_nodes());
        let problem = |problem: &ProblemReport| (problem.set.problem.word(), report.figures(problem));
        GrainFigures {
            grains: grains.grain_count(),
            fork_joins: grains.fork_joins(),
            raw_nodes: raw,
            groups: grains.group_count(),
            depth: grains.tree().max_depth(),
            theta_max: theta.most,
            savings: theta.savings(raw),
            work_ns: grains.work(NodeId::ROOT),
            outside_ns: grains.outside(),
            critical_path_ns: grains.critical_path(NodeId::ROOT),
            problems: report.problems.iter().map(problem).collect(),
            not_available: report.missing.iter().map(|&(problem, why)| (problem.word(), why)).collect(),
            baseline: report.baseline.as_ref().map(|(name, deviation)| BaselineFigures {
                run: name,
                matched: deviation.matched,
                same_structure: deviation.same_structure,
                work_ns: deviation.work.0,
                baseline_work_ns: deviation.work.1,
            }),
        }
    }
}

impl Report<'_> {
    fn figures(&self, report: &ProblemReport) -> ProblemFigures {
        ProblemFigures {
            grains: report.set.grains,
            theta_max: report.theta.most,
            time_lost_ns: report.time_lost,
            threshold: report.set.threshold,
            savings: report.theta.savings(self.grains.raw_nodes()),
            work_ns: report.work,
            places: report.sites.iter().map(|site| self.place(site.node)).collect(),
        }
    }

    /// "sort.c:120", or the number of the task.
    fn place(&self, grain: NodeId) -> String {
        match self.tasks.source(self.grains.task(grain)).0 {
            Some(source) => format!("{}:{}", source.file, source.line),
            None => format!("#{}", self.grains.task(grain).0),
        }
    }
}
