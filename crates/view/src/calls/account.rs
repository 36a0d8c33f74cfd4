//! Where the time of a profile went: what modules took themselves, without waiting.

use crosscut_calls::causes;
use crosscut_scene::Mark;
use crosscut_tree::NodeId;

use super::info;
use super::opened::Opened;
use crate::account::{Account, Part};

/// The account: of time where that was measured, else of the first metric.
pub fn account(opened: &Opened) -> Account {
    let calls = &*opened.calls;
    let metric = causes::time_metric(calls).unwrap_or(0);
    let measured = calls.summary().metrics.get(metric);
    let shown = |value: i64| measured.map_or(0.0, |measured| info::value(measured, value).0);
    let own = without_waiting(opened, metric);
    let part = |((name, slot), &own): ((&str, u16), &i64)| {
        let short = name.rsplit('/').next().unwrap_or(name).to_owned();
        Part {
            time: shown(own),
            name: short.clone(),
            said: name.to_owned(),
            labels: vec![short],
            slot,
            mark: Mark::none(),
        }
    };
    Account {
        title: format!("{} · where the time went", calls.run().name()),
        whole: shown(calls.inclusive(metric, NodeId::ROOT)),
        wide: 0.0,
        unit: measured.map_or(crosscut_tree::Unit::Count, |measured| info::value(measured, 0).1),
        work: shown(own.iter().fold(0, |sum: i64, &own| sum.saturating_add(own))),
        parts: opened.modules().all().zip(&own).map(part).collect(),
        apart: (0.0, ""),
        rest: "waiting",
    }
}

/// By module: what was spent in it itself, except in waiting; behind them what is in none.
fn without_waiting(opened: &Opened, metric: usize) -> Vec<i64> {
    let calls = &opened.calls;
    let waits = causes::waits(calls);
    let modules = opened.modules();
    let none = modules.names.len();
    let mut sums = vec![0i64; none + 1];
    for node in (0..calls.node_count() as u32).map(NodeId).filter(|node| !waits[node.index()]) {
        let module = modules.number(calls.frame_number(node)).unwrap_or(none);
        if let Some(sum) = sums.get_mut(module) {
            *sum = sum.saturating_add(calls.own(metric, node));
        }
    }
    sums
}
