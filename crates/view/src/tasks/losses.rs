//! What cost time in a task run, as losses: each cause with who lost the time when, the look that shows it best and a small
//! picture of it.

use crosscut_scene::Fill;
use crosscut_scene::palette::slot;
use crosscut_tasks::{Cause, Finding, Tasks};
use crosscut_workbench::{Hatch, How, Job, Look, Loss, Refusal, Selection, Span};

use super::opened::Opened;
use super::{evidence, forest_tasks, words};

/// All causes, worst first. No two of them claim the same time of a worker.
pub fn losses(opened: &Opened, job: &Job<'_>) -> Result<Vec<Loss>, Refusal> {
    let places = places(&opened.tasks);
    let findings = opened.causes().findings.iter().enumerate();
    let mut losses: Vec<Loss> =
        findings.map(|(at, finding)| loss(opened, (at, finding), job.run, &places)).collect();
    job.progress(0.5, "replaying the run without what costs time")?;
    let cancel = job.cancel().clone();
    let Some(gains) = opened.gains(&move || !cancel.is_cancelled()) else {
        return Err(Refusal::new("cancelled"));
    };
    for (loss, alone) in losses.iter_mut().zip(&gains.alone) {
        if let Some(time) = alone {
            (loss.without, loss.how) = (Some(*time as f64), How::Replay);
        }
    }
    Ok(losses)
}

/// The place that stands for each worker: its first one.
fn places(tasks: &Tasks) -> Vec<u32> {
    let places = tasks.places();
    let mut first = vec![u32::MAX; tasks.workers()];
    for id in (0..places.len() as u32).rev() {
        if let Some(slot) = places.worker(id).and_then(|worker| first.get_mut(worker)) {
            *slot = id;
        }
    }
    first
}

fn loss(opened: &Opened, (at, finding): (usize, &Finding), run: usize, places: &[u32]) -> Loss {
    let tasks = &opened.tasks;
    let place = |worker: u32| places.get(worker as usize).copied().unwrap_or(u32::MAX);
    let stretch = |&(worker, from, to): &(u32, i64, i64)| (place(worker), Span(from as f64, to as f64));
    Loss {
        cause: finding.cause.id(),
        claim: finding.cause.claim(),
        line: finding.source.and_then(|source| tasks.sources().get(source)).map(words::line),
        cost: finding.cost as f64,
        without: Some(finding.without as f64),
        how: How::Bound,
        behind: finding.behind,
        hatch: hatch(finding.cause.id()),
        stretches: finding.stretches.iter().map(stretch).collect(),
        ranks: Vec::new(),
        evidence: finding.evidence.clone(),
        picture: Some(picture(opened, at, finding, run)),
        show: show(opened, finding, run),
        what: finding.what.clone(),
        advice: finding.advice.clone(),
    }
}

/// How lost time of a cause is drawn: one pattern for causes that look alike, grey where workers had nothing to run, amber
/// where the runtime worked, violet where something else held them up.
pub fn hatch(cause: &str) -> Hatch {
    match cause {
        "imbalance" | "barrier-wait" => (Fill::Dots, slot::LOST),
        "serial-part" => (Fill::Level, slot::LOST),
        "wait-in-loop" => (Fill::Upright, slot::LOST),
        "dependence-chain" => (Fill::Chevrons, slot::LOST),
        "late-task" => (Fill::Cross, slot::LOST),
        "small-tasks" | "fine-chunks" | "serial-spawn" | "runtime-delay" => (Fill::Rising, slot::LOST + 1),
        "lock" => (Fill::Falling, slot::LOST + 2),
        "preempted" => (Fill::Cross, slot::LOST + 2),
        "work-inflation" => (Fill::Rings, slot::LOST + 1),
        _ => (Fill::Tint, slot::LOST),
    }
}

/// Where it is seen best.
fn show(opened: &Opened, finding: &Finding, run: usize) -> Look {
    let view = match finding.cause {
        Cause::DependenceChain | Cause::SerialSpawn | Cause::WaitInLoop => "tasks.dag",
        _ => "tasks.timeline",
    };
    let mut look = Look::of(view, run);
    look.selected = finding.node.map(|node| Selection::node(run, forest_tasks::TREE, node));
    look.scope.time = finding.window.map(|window| around(window, opened.tasks.summary().elapsed));
    look
}

/// A window with a tenth more on both sides, so that one sees where it begins and ends.
fn around((from, to): (i64, i64), elapsed: i64) -> Span {
    let more = ((to - from) / 10).max(1);
    Span((from - more).max(0) as f64, (to + more).min(elapsed.max(1)) as f64)
}

/// The option that names a loss by its number among all causes of the run, from 1 on.
pub const LOSS: &str = "loss";

/// The number of the finding that a picture is to prove among all causes, if it names one.
pub fn number(look: &Look) -> Option<usize> {
    look.option(LOSS)?.parse::<usize>().ok()?.checked_sub(1)
}

/// That finding.
pub fn meant<'a>(opened: &'a Opened, look: &Look) -> Option<&'a Finding> {
    opened.causes().findings.get(number(look)?)
}

/// A small picture that shows it: how long tasks or chunks are where that is the point, else what the workers did then.
fn picture(opened: &Opened, at: usize, finding: &Finding, run: usize) -> Look {
    let mut look = Look::of(if finding.sizes.is_some() { "tasks.lengths" } else { "tasks.evidence" }, run);
    look.options.insert(LOSS.to_owned(), (at + 1).to_string());
    look.size = crosscut_workbench::Size { w: 400.0, h: 118.0 };
    if finding.sizes.is_none() {
        let tasks = &opened.tasks;
        look.scope.time = Some(around(evidence::window(tasks, finding), tasks.summary().elapsed));
    }
    look
}
