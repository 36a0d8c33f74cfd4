//! The flat profile: functions, whoever called them.

use crosscut_tree::NodeId;

use crate::functions::Functions;
use crate::paths::Paths;

/// A function and all its call paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The first of its frames.
    pub frame: u32,
    /// What was spent in it, its loops and lines.
    pub own: i64,
    /// With all that it called; where it calls itself, counted once.
    pub inclusive: i64,
    /// Call paths that end in it.
    pub paths: u64,
}

/// One row for each function, the largest own value first, then by its first frame. What was spent outside of functions is in none.
pub fn flat(paths: &(impl Paths + ?Sized), metric: usize) -> Vec<Row> {
    let functions = Functions::of(paths.frames());
    let mut rows = by_function(paths, metric, &functions);
    rows.sort_by_key(|row| (std::cmp::Reverse(row.own), row.frame));
    rows
}

/// The same, by the number of the function.
pub(crate) fn by_function(paths: &(impl Paths + ?Sized), metric: usize, functions: &Functions) -> Vec<Row> {
    let row = |&frame: &u32| Row { frame, own: 0, inclusive: 0, paths: 0 };
    let mut rows: Vec<Row> = functions.frame.iter().map(row).collect();
    let around = functions.around(paths);
    // Up to which node each function is being counted: nodes are in pre-order, so what stands inside one comes right after it.
    let mut counted = vec![0usize; rows.len()];
    for (at, &around) in around.iter().enumerate().skip(1) {
        let Some(function) = functions.of_frame(paths.number(NodeId(around))) else { continue };
        let (Some(row), Some(counted)) =
            (rows.get_mut(function as usize), counted.get_mut(function as usize))
        else {
            continue;
        };
        row.own = row.own.saturating_add(paths.sum(metric, at..at + 1));
        if around as usize != at {
            continue;
        }
        row.paths += 1;
        if at >= *counted {
            row.inclusive = row.inclusive.saturating_add(paths.with_callees(metric, NodeId(at as u32)));
            *counted = paths.tree().range(NodeId(at as u32)).end;
        }
    }
    rows
}
