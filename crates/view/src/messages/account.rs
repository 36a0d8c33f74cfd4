//! Where ranks × elapsed went: work between calls, by the calls around it.

use std::collections::HashMap;

use crosscut_messages::causes::Account as Spent;
use crosscut_messages::lateness::Step;
use crosscut_messages::{Messages, NONE};
use crosscut_scene::Mark;
use crosscut_scene::palette::slot;
use crosscut_tree::Unit;
use crosscut_workbench::line_nodes;

use super::opened::Opened;
use super::worked;
use crate::account::{Account, Part};
use crate::tasks::colour::source_slots;

/// The account; `spent` is what calls and waits took.
pub fn account(opened: &Opened, spent: &Spent) -> Account {
    let messages = &*opened.messages;
    Account {
        title: format!("{} · where the time of all ranks went", messages.run().name()),
        whole: spent.capacity as f64,
        wide: 0.0,
        unit: Unit::Ns,
        work: spent.work as f64,
        parts: parts(messages),
        apart: (spent.absent as f64, "ranks are not there"),
        rest: "in calls, not explained",
    }
}

/// Work by the two calls around it. The colour is that of the line that ends it.
fn parts(messages: &Messages) -> Vec<Part> {
    let sources = messages.run().sources().ok();
    let (slots, nodes) = sources.as_ref().map(|all| (source_slots(all), line_nodes(all))).unwrap_or_default();
    let part = |(step, time): (Step, i64)| {
        let line = step.to.1 as usize;
        let name = worked::between(sources.as_ref(), messages, step.from, step.to);
        let short =
            sources.as_ref().and_then(|all| all.get(step.to.1)).map(|source| format!("to :{}", source.line));
        let mut labels = vec![name.clone()];
        labels.extend(short);
        Part {
            time: time as f64,
            said: name.clone(),
            name,
            labels,
            slot: slots.get(line).copied().unwrap_or(slot::SEVERAL),
            mark: nodes.get(line).map_or(Mark::none(), |&node| Mark::of(node)),
        }
    };
    steps(messages).into_iter().map(part).collect()
}

/// The time between calls of all ranks, by the kinds of the two calls.
fn steps(messages: &Messages) -> HashMap<Step, i64> {
    let calls = &messages.calls;
    let mut sums: HashMap<Step, i64> = HashMap::new();
    for rank in 0..messages.summary().ranks {
        let of = calls.of(rank);
        for call in of.clone().filter(|&call| !calls.is_none(call)) {
            let sum = sums.entry(Step::to(calls, call, of.start)).or_default();
            *sum = sum.saturating_add(calls.work_before(call, of.start));
        }
    }
    // Without a line nothing tells two steps of the same functions apart, and they are few.
    sums.retain(|step, time| *time > 0 && (step.to.1 != NONE || step.to.0 != u16::MAX));
    sums
}
