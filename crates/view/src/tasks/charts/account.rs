//! Where workers × elapsed went: work by source line, and what is neither work nor lost.

use crosscut_scene::Mark;
use crosscut_workbench::{Found, line_nodes};

use crate::account::{Account, Part};
use crate::tasks::colour::source_slots;
use crate::tasks::opened::Opened;
use crate::tasks::overview::capacity;
use crate::tasks::words::unit;

/// The account, `wide` as the time that the width stands for. What is no work and no loss is known with the causes.
pub fn account(opened: &Opened, found: Option<&Found>, wide: f64) -> Account {
    let tasks = &opened.tasks;
    let summary = tasks.summary();
    let causes = found.map(|_| opened.causes().account);
    let work = causes.map_or(summary.work, |account| account.work) as f64;
    Account {
        title: format!("{} · where the time of all workers went", tasks.run().name()),
        whole: capacity(summary),
        wide,
        unit: unit(tasks.clock()),
        work,
        parts: parts(opened, work),
        apart: (causes.map_or(0, |account| account.shared) as f64, "more workers than processors"),
        rest: "not explained",
    }
}

fn parts(opened: &Opened, all: f64) -> Vec<Part> {
    let tasks = &opened.tasks;
    let (slots, nodes) = (source_slots(tasks.sources()), line_nodes(tasks.sources()));
    // What a worker does without a processor is no work, whatever the line.
    let worked = all / (tasks.summary().work.max(1) as f64);
    let part = |(source, work): (usize, i64)| {
        let line = tasks.sources().get(source as u32)?;
        Some(Part {
            time: work as f64 * worked,
            name: line.short(),
            said: line.to_string(),
            labels: vec![format!(":{} {}", line.line, line.function), format!(":{}", line.line)],
            slot: slots[source],
            mark: Mark::of(nodes[source]),
        })
    };
    let lines = opened.lines().lines.iter().map(|line| line.work).enumerate();
    lines.filter(|line| line.1 > 0).filter_map(part).collect()
}
