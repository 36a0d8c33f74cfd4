//! What cost time in a task run, as losses: the findings of the task tree and those of the grains, with the look that shows
//! each best and a small picture of it.

use crosscut_scene::Fill;
use crosscut_scene::palette::slot;
use crosscut_tasks::{Finding, FindingView};
use crosscut_workbench::{Hatch, How, LensSpec, Look, Loss, Selection, Span, TreeKey};

use super::opened::Opened;
use super::{forest_grains, forest_tasks, words};

/// All findings, worst first; of equal costs those of the task tree first. They are of the whole run, and who lost the time
/// when is not known of most of them: their costs stand as they are.
pub fn losses(opened: &Opened, run: usize) -> Vec<Loss> {
    opened.found().findings.iter().map(|finding| loss(opened, finding, run)).collect()
}

fn loss(opened: &Opened, finding: &Finding, run: usize) -> Loss {
    let tasks = &opened.tasks;
    let task = finding.node.map(|node| match finding.view {
        FindingView::Grain => opened.grains().grains.task(node),
        FindingView::Dag | FindingView::Timeline => node,
    });
    let seen = |(from, to): (i64, i64)| {
        let time = |value| words::time_text(value, tasks.clock());
        format!("It is seen from {} to {}.", time(from), time(to))
    };
    Loss {
        cause: finding.id,
        claim: claim(finding.view, finding.id),
        line: task.and_then(|task| tasks.source(task).0).map(words::line),
        cost: finding.cost as f64,
        without: None,
        how: How::Bound,
        hatch: hatch(finding.id),
        stretches: Vec::new(),
        evidence: finding.window.map_or_else(String::new, seen),
        picture: picture(opened, finding, run),
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

/// A cause in the program is more specific than what it looks like from outside.
fn claim(view: FindingView, id: &str) -> u8 {
    match (view, id) {
        (FindingView::Grain, _) => 3,
        (_, "serial-spawn" | "critical-path") => 2,
        _ => 1,
    }
}

/// Where it is seen best.
fn show(opened: &Opened, finding: &Finding, run: usize) -> Look {
    let mut look = match finding.view {
        FindingView::Dag => Look::of("tasks.dag", run),
        FindingView::Timeline => Look::of("tasks.timeline", run),
        FindingView::Grain => Look::of("tasks.grains", run),
    };
    match finding.view {
        FindingView::Grain => {
            let lens = LensSpec { name: finding.id.to_owned(), value: None };
            look.trees.entry(TreeKey::named(forest_grains::TREE)).or_default().lens = Some(lens);
            look.selected = finding.node.map(|node| Selection::node(run, forest_grains::TREE, node));
        }
        FindingView::Dag | FindingView::Timeline => {
            look.selected = finding.node.map(|node| Selection::node(run, forest_tasks::TREE, node));
        }
    }
    if finding.id == "critical-path" {
        look.options.insert("critical".to_owned(), "true".to_owned());
    }
    look.scope.time = finding.window.map(|window| around(window, opened.tasks.summary().elapsed));
    look
}

/// A window with a tenth more on both sides, so that one sees where it begins and ends.
fn around((from, to): (i64, i64), elapsed: i64) -> Span {
    let more = ((to - from) / 10).max(1);
    Span((from - more).max(0) as f64, (to + more).min(elapsed.max(1)) as f64)
}

/// What the workers did then.
fn picture(opened: &Opened, finding: &Finding, run: usize) -> Option<Look> {
    let window = finding.window?;
    let mut look = Look::of("tasks.evidence", run);
    look.scope.time = Some(around(window, opened.tasks.summary().elapsed));
    look.size = crosscut_workbench::Size { w: 400.0, h: 118.0 };
    Some(look)
}
