//! The call profile as tables for scripts.

use std::sync::Arc;

use arrow_array::types::UInt8Type;
use arrow_array::{ArrayRef, DictionaryArray, Int64Array, StringArray, UInt8Array, UInt32Array};
use crosscut_calls::{Calls, Frame as Called, Kind, Paths};
use crosscut_run::RunError;
use crosscut_tree::NodeId;
use crosscut_workbench::frame::{depths, named as words};
use crosscut_workbench::{Frame, FrameDecl, Refusal};

/// All of them.
pub static FRAMES: &[FrameDecl] = &[
    FrameDecl {
        name: "calls",
        about: "Every call path, in pre-order, the root first: own and inclusive values at all places together.",
    },
    FrameDecl {
        name: "calls_by_place",
        about: "Every call path at every place where it took anything: own values.",
    },
];

/// Puts the columns of a table.
pub fn put(calls: &Calls, name: &str, frame: &mut Frame<'_>) -> Result<(), Refusal> {
    match name {
        "calls" => put_paths(calls, frame).map_err(|error| Refusal::new(error.to_string())),
        _ => {
            put_places(calls, frame);
            Ok(())
        }
    }
}

fn put_paths(calls: &Calls, frame: &mut Frame<'_>) -> Result<(), RunError> {
    let run = calls.run();
    let (parent, len) = (run.column::<u32>("calls/parent")?, run.column::<u32>("calls/len")?);
    put_rows(calls, (|| parent.array_of_parents(), || len.array()), frame);
    Ok(())
}

/// Puts the columns of call paths, of a run or of what an operation made: scripts find the same ones in both. The columns of
/// the tree are given, since those of a run are handed over where they are mapped.
pub fn put_rows(
    paths: &dyn Paths,
    (parent, len): (impl FnOnce() -> ArrayRef, impl FnOnce() -> ArrayRef),
    frame: &mut Frame<'_>,
) {
    let n = paths.node_count();
    let numbers = paths.frame_numbers();
    let of = |number: u32| paths.frames().get(number as usize);
    let named = |read: fn(&Called) -> &str| -> ArrayRef {
        words(paths.frames().iter().map(read), numbers.iter().map(|&number| Some(number)))
    };
    frame.put("node", || Arc::new(UInt32Array::from_iter_values(0..n as u32)));
    frame.put("parent", parent);
    frame.put("len", len);
    frame.put("depth", || Arc::new(UInt32Array::from(depths(paths.tree()))));
    frame.put("name", || named(|called| &called.name));
    frame.put("module", || named(|called| &called.module));
    frame.put("file", || named(|called| &called.file));
    frame.put("line", || {
        let line = |&number: &u32| of(number).map(|called| called.line).filter(|&line| line != 0);
        Arc::new(numbers.iter().map(line).collect::<Int64Array>())
    });
    frame.put("kind", || {
        let keys: UInt8Array =
            numbers.iter().map(|&number| of(number).map(|called| called.kind as u8)).collect();
        let words = StringArray::from_iter_values(Kind::ALL.iter().map(|kind| kind.word()));
        Arc::new(DictionaryArray::<UInt8Type>::new(keys, Arc::new(words)))
    });
    for (metric, name) in paths.metric_names().into_iter().enumerate() {
        let own = |node: usize| paths.sum(metric, node..node + 1);
        frame.put(name, || Arc::new(Int64Array::from_iter_values((0..n).map(own))));
        let with = |node: u32| paths.with_callees(metric, NodeId(node));
        frame.put(&format!("{name} (inc)"), || {
            Arc::new(Int64Array::from_iter_values((0..n as u32).map(with)))
        });
    }
}

/// One row for each path and place with any value, path by path.
fn put_places(calls: &Calls, frame: &mut Frame<'_>) {
    let metrics = 0..calls.summary().metrics.len();
    let by_place: Vec<_> = metrics.clone().filter_map(|metric| calls.by_place(metric)).collect();
    let places = by_place.iter().map(|values| values.place_count()).max().unwrap_or(0) as u32;
    let value = |metric: usize, node: usize, place: u32| {
        by_place.get(metric).and_then(|values| values.place(place).get(node).copied()).unwrap_or(0)
    };
    let all = (0..calls.node_count()).flat_map(|node| (0..places).map(move |place| (node, place)));
    let rows: Vec<(u32, u32)> = all
        .filter(|&(node, place)| metrics.clone().any(|metric| value(metric, node, place) != 0))
        .map(|(node, place)| (node as u32, place))
        .collect();
    frame.put("node", || Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.0))));
    frame.put("place", || Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.1))));
    for (metric, measured) in calls.summary().metrics.iter().enumerate() {
        frame.put(&measured.name, || {
            let values = rows.iter().map(|&(node, place)| value(metric, node as usize, place));
            Arc::new(Int64Array::from_iter_values(values))
        });
    }
}
