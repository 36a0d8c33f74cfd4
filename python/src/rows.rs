//! Tables of what operations on call paths give.

use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::UInt32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use arrow_schema::{ArrowError, Field, Schema};
use crosscut_calls::spread::Imbalance;
use crosscut_calls::{Callers, Combined, Frame as Called, Paths, Row, SuperGraph, Surrogate, subtree_sums};
use crosscut_tree::NodeId;
use crosscut_view::calls::frames::put_rows;
use crosscut_workbench::{Frame, Refusal};

/// A table of named columns.
fn table(columns: Vec<(String, ArrayRef)>) -> Result<RecordBatch, ArrowError> {
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(name, array.data_type().clone(), true)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, array)| array).collect())
}

fn named(name: &str, array: impl arrow_array::Array + 'static) -> (String, ArrayRef) {
    (name.to_owned(), Arc::new(array))
}

/// The name that Hatchet has for what includes callees.
fn inclusive(metric: &str) -> String {
    format!("{metric} (inc)")
}

/// Every call path, in pre-order.
pub fn paths(paths: &dyn Paths, columns: Option<&[String]>) -> Result<RecordBatch, Refusal> {
    let mut frame = Frame::of(columns);
    let tree = paths.tree();
    let n = tree.node_count() as u32;
    let parents = || -> ArrayRef {
        Arc::new((0..n).map(|node| tree.parent(NodeId(node)).map(|above| above.0)).collect::<UInt32Array>())
    };
    let lens = || -> ArrayRef { Arc::new(UInt32Array::from_iter_values(tree.lens().iter().copied())) };
    put_rows(paths, (parents, lens), &mut frame);
    frame.finish()
}

/// By column and node: itself, or with callees.
pub fn by_column(paths: &dyn Paths, metric: usize, inclusive: bool) -> Vec<Vec<i64>> {
    let column = |at: usize| {
        let own = paths.column(metric, at);
        if inclusive { subtree_sums(paths.tree(), own) } else { own.to_vec() }
    };
    (0..paths.column_count()).map(column).collect()
}

/// Every call path with a column for each place or run.
pub fn spread(
    paths: &dyn Paths,
    metric: usize,
    inclusive: bool,
    names: &[String],
) -> Result<RecordBatch, ArrowError> {
    let n = paths.node_count() as u32;
    let mut columns = vec![named("node", UInt32Array::from_iter_values(0..n))];
    for (values, name) in by_column(paths, metric, inclusive).into_iter().zip(names) {
        // A metric that was not measured at a place has no values there.
        let values: Int64Array = (0..n as usize).map(|node| values.get(node).copied()).collect();
        columns.push(named(name, values));
    }
    table(columns)
}

/// What stands for the children that are not kept.
pub fn surrogates(all: &[Surrogate]) -> Result<RecordBatch, ArrowError> {
    table(vec![
        named("node", UInt32Array::from_iter_values(all.iter().map(|one| one.of.0))),
        named("children", UInt64Array::from_iter_values(all.iter().map(|one| one.roots as u64))),
        named("nodes", UInt64Array::from_iter_values(all.iter().map(|one| one.nodes as u64))),
        named("itself", Float64Array::from_iter_values(all.iter().map(|one| one.own))),
        named("inclusive", Float64Array::from_iter_values(all.iter().map(|one| one.inclusive))),
    ])
}

/// Names, modules and files of frames.
fn words(paths: &dyn Paths, numbers: impl Iterator<Item = u32> + Clone) -> [(String, ArrayRef); 3] {
    let column = |name: &str, read: fn(&Called) -> &str| {
        let mut words = StringDictionaryBuilder::<UInt32Type>::new();
        for number in numbers.clone() {
            words.append_option(paths.frames().get(number as usize).map(read));
        }
        named(name, words.finish())
    };
    [
        column("name", |called| &called.name),
        column("module", |called| &called.module),
        column("file", |called| &called.file),
    ]
}

/// The flat profile.
pub fn flat(paths: &dyn Paths, rows: &[Row]) -> Result<RecordBatch, ArrowError> {
    let mut columns = Vec::from(words(paths, rows.iter().map(|row| row.frame)));
    columns.push(named("itself", Int64Array::from_iter_values(rows.iter().map(|row| row.own))));
    columns.push(named("inclusive", Int64Array::from_iter_values(rows.iter().map(|row| row.inclusive))));
    columns.push(named("paths", UInt64Array::from_iter_values(rows.iter().map(|row| row.paths))));
    table(columns)
}

/// Functions, and below them those that called them.
pub fn callers(paths: &dyn Paths, callers: &Callers) -> Result<RecordBatch, ArrowError> {
    let tree = callers.tree.view();
    let n = tree.node_count() as u32;
    let parents: UInt32Array = (0..n).map(|node| tree.parent(NodeId(node)).map(|above| above.0)).collect();
    let mut columns = vec![named("node", UInt32Array::from_iter_values(0..n)), named("parent", parents)];
    columns.extend(words(paths, callers.frame.iter().copied()));
    for (metric, name) in paths.metric_names().into_iter().enumerate() {
        let values = |of: &[Vec<i64>]| Int64Array::from(of.get(metric).cloned().unwrap_or_default());
        columns.push(named(name, values(&callers.own)));
        columns.push(named(&inclusive(name), values(&callers.inclusive)));
    }
    // Whether it has callers that are not listed.
    columns.push(named("cut", BooleanArray::from(callers.cut.clone())));
    table(columns)
}

/// Super nodes, and the calls between them.
pub fn graph(graph: &SuperGraph, metrics: &[String]) -> Result<(RecordBatch, RecordBatch), ArrowError> {
    let (nodes, edges) = (graph.nodes(), graph.edges());
    let text = |read: fn(&crosscut_calls::graph::SuperNode) -> Option<String>| -> StringArray {
        nodes.iter().map(read).collect()
    };
    let mut rows = vec![
        named("node", UInt32Array::from_iter_values(0..nodes.len() as u32)),
        named("name", text(|node| Some(node.name()))),
        named("label", text(|node| Some(node.label.clone()))),
        named("entry", text(|node| node.entry.clone())),
        named("caller", text(|node| node.caller.clone())),
        named("copy", UInt32Array::from_iter_values(nodes.iter().map(|node| node.copy))),
    ];
    let mut between = vec![
        named("source", UInt32Array::from_iter_values(edges.iter().map(|edge| edge.from))),
        named("target", UInt32Array::from_iter_values(edges.iter().map(|edge| edge.to))),
        named("paths", UInt32Array::from_iter_values(edges.iter().map(|edge| edge.paths))),
    ];
    for (metric, name) in metrics.iter().enumerate() {
        rows.push(named(name, Int64Array::from(graph.own(metric).to_vec())));
        rows.push(named(&inclusive(name), Int64Array::from(graph.inclusive(metric).to_vec())));
        between.push(named(name, Int64Array::from(graph.flow(metric).to_vec())));
    }
    Ok((table(rows)?, table(between)?))
}

/// How uneven nodes are.
pub fn imbalance(paths: &dyn Paths, all: &[Imbalance], names: &[String]) -> Result<RecordBatch, ArrowError> {
    let mut columns = vec![named("node", UInt32Array::from_iter_values(0..all.len() as u32))];
    columns.extend(words(paths, paths.frame_numbers().iter().copied()).into_iter().take(2));
    columns.push(named("mean", Float64Array::from_iter_values(all.iter().map(|one| one.mean))));
    columns.push(named("most", Float64Array::from_iter_values(all.iter().map(|one| one.most))));
    let at: StringArray = all.iter().map(|one| names.get(one.at)).collect();
    columns.push(named("at", at));
    columns.push(named("ratio", Float64Array::from_iter_values(all.iter().map(|one| one.ratio))));
    table(columns)
}

/// Two profiles, value by value.
pub fn combined(combined: &Combined) -> Result<RecordBatch, ArrowError> {
    let union = &combined.union;
    let tree = union.tree.view();
    let n = tree.node_count() as u32;
    let name = |&number: &u32| union.frames.get(number as usize).map(|called| called.name.as_str());
    let mut columns = vec![
        named("node", UInt32Array::from_iter_values(0..n)),
        named(
            "parent",
            (0..n).map(|node| tree.parent(NodeId(node)).map(|above| above.0)).collect::<UInt32Array>(),
        ),
        named("name", union.frame.iter().map(name).collect::<StringArray>()),
    ];
    for (metric, name) in combined.metrics.iter().enumerate() {
        let values = |of: &[Vec<f64>]| {
            Float64Array::from(of.get(metric * combined.columns).cloned().unwrap_or_default())
        };
        columns.push(named(name, values(&combined.own)));
        columns.push(named(&inclusive(name), values(&combined.inclusive)));
    }
    table(columns)
}
