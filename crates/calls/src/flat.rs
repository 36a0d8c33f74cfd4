//! The flat profile: functions, whoever called them.

use crosscut_tree::NodeId;

use crate::paths::Paths;
use crate::schema::NONE;

/// A function and all its call paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its frame.
    pub frame: u32,
    /// What was spent in it.
    pub own: i64,
    /// With all that it called; where it calls itself, counted once.
    pub inclusive: i64,
    /// Call paths that end in it.
    pub paths: u64,
}

/// One row for each frame, the largest own value first, then by number.
pub fn flat(calls: &impl Paths, metric: usize) -> Vec<Row> {
    let mut rows: Vec<Row> =
        (0..calls.frames().len() as u32).map(|frame| Row { frame, own: 0, inclusive: 0, paths: 0 }).collect();
    // Up to which node each frame is being counted: nodes are in pre-order, so what stands inside one comes right after it.
    let mut counted = vec![0usize; rows.len()];
    for at in 1..calls.node_count() {
        let node = NodeId(at as u32);
        let frame = calls.number(node);
        if frame == NONE {
            continue;
        }
        let (Some(row), Some(counted)) = (rows.get_mut(frame as usize), counted.get_mut(frame as usize))
        else {
            continue;
        };
        row.paths += 1;
        row.own = row.own.saturating_add(calls.sum(metric, at..at + 1));
        if at >= *counted {
            row.inclusive = row.inclusive.saturating_add(calls.with_callees(metric, node));
            *counted = calls.tree().range(node).end;
        }
    }
    rows.sort_by_key(|row| (std::cmp::Reverse(row.own), row.frame));
    rows
}
