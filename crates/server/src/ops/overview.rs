//! The first screen of a run.

use crosscut_tasks::schema::{Edge, Kind};
use crosscut_tasks::{FindingView, Severity, Summary, Tasks};
use crosscut_view::colour::worker_slot;

use crate::protocol::{
    Accounting, Fact, Finding, GapBin, Migration, Overview, SpeedupPoint, ViewName, WorkerRow,
};

/// Answers [`crate::protocol::Op::Overview`].
pub fn overview(tasks: &Tasks) -> Overview {
    let summary = tasks.summary();
    Overview {
        accounting: Accounting {
            workers: summary.workers,
            elapsed: summary.elapsed as f64,
            work: summary.work as f64,
            delay: summary.delay as f64,
            no_work: summary.no_work as f64,
            span: summary.span as f64,
        },
        facts: facts(tasks, summary),
        workers: workers(summary),
        speedup: speedup(summary),
        observed: ratio(summary.work, summary.elapsed),
        migrations: migrations(tasks),
        gaps: gaps(summary),
        findings: tasks.findings().into_iter().map(finding).collect(),
    }
}

/// a / b, and 0 where there is nothing to divide by: JSON has no infinity.
pub fn ratio(a: i64, b: i64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

/// A value with its unit.
pub fn fact(name: &str, value: f64, unit: &str) -> Fact {
    Fact { name: name.to_owned(), value, unit: unit.to_owned() }
}

fn facts(tasks: &Tasks, summary: &Summary) -> Vec<Fact> {
    let clock = tasks.clock().unit();
    let capacity = i64::from(summary.workers).saturating_mul(summary.elapsed);
    let mut facts = vec![
        fact("elapsed", summary.elapsed as f64, clock),
        fact("work", summary.work as f64, clock),
        fact("T∞", summary.span as f64, clock),
        fact("parallelism (work / T∞)", ratio(summary.work, summary.span), "ratio"),
        fact("speed-up (work / elapsed)", ratio(summary.work, summary.elapsed), "ratio"),
        fact("utilisation (work / workers × elapsed)", ratio(summary.work, capacity), "ratio"),
        fact("tasks", summary.tasks as f64, ""),
        fact("intervals", summary.intervals as f64, ""),
        fact("work per task", ratio(summary.work, summary.tasks.saturating_add(1)), clock),
        fact("depth", f64::from(summary.depth), ""),
        fact("nodes in the file", f64::from(summary.nodes), ""),
    ];
    for (name, kind) in [("lanes", Kind::Fork), ("chunks", Kind::Chunk)] {
        let count = kind.leaf().map_or(0, |leaf| summary.counts[leaf]);
        if count > 0 {
            facts.push(fact(name, count as f64, ""));
        }
    }
    if summary.dag_nodes != i64::from(summary.nodes) {
        facts.push(fact("nodes before collapsing", summary.dag_nodes as f64, ""));
    }
    facts
}

fn workers(summary: &Summary) -> Vec<WorkerRow> {
    let intervals = summary.intervals_by_worker.iter().copied().chain(std::iter::repeat(0));
    summary
        .busy
        .iter()
        .zip(intervals)
        .enumerate()
        .map(|(worker, (&busy, intervals))| WorkerRow {
            name: format!("worker {worker}"),
            fill: worker_slot(worker),
            busy: busy as f64,
            intervals: intervals as f64,
        })
        .collect()
}

/// Bounds at the numbers of workers that are predicted.
fn speedup(summary: &Summary) -> Vec<SpeedupPoint> {
    let parallelism = ratio(summary.work, summary.span).max(1.0);
    let counts = crate::whatif::counts(summary.workers.max(1));
    let (work, span) = (summary.work.max(1) as f64, summary.span.max(1) as f64);
    counts
        .into_iter()
        .map(|workers| SpeedupPoint {
            workers,
            low: work / (work / f64::from(workers) + span),
            high: f64::from(workers).min(parallelism),
        })
        .collect()
}

/// With more workers than this, neighbours share a row of the matrix.
const MATRIX: usize = 64;

/// Between workers only: what several workers ran has no one row.
fn migrations(tasks: &Tasks) -> Vec<Migration> {
    let workers = tasks.workers();
    let share = workers.div_ceil(MATRIX).max(1);
    let rows = workers.div_ceil(share);
    let matrix = |edge: Edge| {
        let mut count = vec![0.0; rows * rows];
        for found in &tasks.summary().migrations {
            let (from, to) = (found.from as usize / share, found.to as usize / share);
            if (found.from.max(found.to) as usize) < workers {
                count[from * rows + to] += found.counts[edge as usize] as f64;
            }
        }
        count
    };
    Edge::ALL
        .into_iter()
        .map(|edge| Migration { edge: edge.word().to_owned(), count: matrix(edge) })
        .collect()
}

fn gaps(summary: &Summary) -> Vec<GapBin> {
    let gaps = &summary.gaps;
    let bins = gaps.from.len().min(gaps.same.len()).min(gaps.moved.len());
    (0..bins)
        .map(|bin| GapBin {
            from: gaps.from[bin] as f64,
            to: gaps.from.get(bin + 1).map_or(2.0 * gaps.from[bin].max(1) as f64, |&next| next as f64),
            same: gaps.same[bin] as f64,
            moved: gaps.moved[bin] as f64,
        })
        .collect()
}

fn finding(found: crosscut_tasks::Finding) -> Finding {
    Finding {
        id: found.id.to_owned(),
        severity: match found.severity {
            Severity::High => "high",
            Severity::Medium => "medium",
            Severity::Low => "low",
        }
        .to_owned(),
        cost: found.cost as f64,
        what: found.what,
        advice: found.advice,
        place: found.place,
        view: match found.view {
            FindingView::Dag => ViewName::Dag,
            FindingView::Timeline => ViewName::Timeline,
            FindingView::Grain => ViewName::Grain,
        },
        node: found.node.map(|node| node.0),
        window: found.window.map(|(from, to)| (from as f64, to as f64)),
    }
}
