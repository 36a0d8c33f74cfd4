//! The problems of a run: how many grains have each, what it costs, and where.

use crosscut_tasks::grain::{Problem, Thresholds};
use crosscut_tree::NodeId;

use super::grain::{place, title};
use crate::OpenRun;
use crate::answer::Refusal;
use crate::grains::{GrainRun, finite};
use crate::protocol::{ClassRow, ProblemRow, ProblemsAnswer, Threshold, WorstGrain};

/// Answers [`crate::protocol::Op::Problems`].
pub fn problems(run: &OpenRun, thresholds: &[Threshold]) -> Result<ProblemsAnswer, Refusal> {
    let graph = run.grain_run();
    let mut asked: [Option<f64>; Problem::ALL.len()] = Default::default();
    for threshold in thresholds {
        asked[graph.problem(&threshold.problem)? as usize] = Some(finite(threshold.value)?);
    }
    let mut rows: Vec<ProblemRow> =
        Problem::ALL.into_iter().map(|problem| row(run, graph, problem, asked[problem as usize])).collect();
    rows.sort_by(|a, b| {
        (b.available.cmp(&a.available))
            .then(b.time_lost.total_cmp(&a.time_lost))
            .then(b.grains.total_cmp(&a.grains))
    });
    let (grains, whole) = (&graph.grains, graph.whole());
    let class = |class: &crosscut_tasks::grain::Class| ClassRow {
        node: class.first.0,
        title: title(run, class.first),
        count: class.count as f64,
    };
    Ok(ProblemsAnswer {
        grains: grains.grain_count() as f64,
        fork_joins: grains.fork_joins() as f64,
        raw_nodes: grains.raw_nodes() as f64,
        groups: grains.group_count() as f64,
        depth: whole.depth as u32,
        theta: whole.theta.most as f64,
        savings: whole.theta.savings(grains.raw_nodes()),
        outside: grains.outside() as f64,
        cut: graph.first_cut.to_text(),
        problems: rows,
        classes: whole.classes.iter().map(class).collect(),
    })
}

fn row(run: &OpenRun, graph: &GrainRun, problem: Problem, asked: Option<f64>) -> ProblemRow {
    let own = graph.threshold(problem);
    let threshold = asked.unwrap_or(own);
    let mut row = ProblemRow {
        problem: problem.word().to_owned(),
        metric: problem.metric().to_owned(),
        below: problem.is_below(),
        threshold,
        default: own,
        range: range(graph, problem, threshold),
        available: true,
        why: None,
        grains: 0.0,
        work: 0.0,
        time_lost: 0.0,
        theta: 0.0,
        savings: 0.0,
        advice: problem.advice().to_owned(),
        worst: Vec::new(),
    };
    if let Some(why) = graph.missing(problem) {
        row.available = false;
        row.why = Some(why.to_owned());
        return row;
    }
    let known = graph.known(problem, threshold);
    let cost = known.cost(&run.tasks, graph);
    let all = graph.grains.work(NodeId::ROOT).max(1) as f64;
    row.grains = known.set.grains as f64;
    row.work = cost.work as f64 / all;
    row.time_lost = cost.time_lost as f64;
    row.theta = cost.theta.most as f64;
    row.savings = if cost.theta.most == 0 { 1.0 } else { cost.theta.savings(graph.grains.raw_nodes()) };
    row.worst = cost
        .worst
        .iter()
        .map(|&(node, cost)| WorstGrain {
            node: node.0,
            title: title(run, node),
            place: place(run, node),
            cost: cost as f64,
        })
        .collect();
    row
}

/// Ends of a slider: where the problem would begin without anybody's wish lies well between them.
fn range(graph: &GrainRun, problem: Problem, threshold: f64) -> (f64, f64) {
    let usual = Thresholds::default().of(problem, &graph.grains);
    let (low, high): (f64, f64) = match problem {
        Problem::LowParallelBenefit => (0.0, 10.0),
        Problem::WorkDeviation | Problem::SiblingImbalance | Problem::ChunkImbalance => (1.0, 8.0),
        Problem::MemoryStall => (0.0, 1.0),
        Problem::LowParallelism => (1.0, 2.0 * usual),
        Problem::SiblingScatter => (0.0, f64::from(graph.grains.cores()).max(1.0)),
    };
    (low.min(threshold), high.max(threshold))
}
