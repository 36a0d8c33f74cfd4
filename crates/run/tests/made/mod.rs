//! A small run with a part of every kind, and directories to put it in.

#![allow(dead_code)] // each test file uses its own part

use std::path::Path;

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, UInt32Array};
use arrow_schema::SchemaRef;
use crosscut_run::{Keys, Layout, Places, Run, RunWriter, Source, SourcesBuilder};
use tempfile::TempDir;

/// A directory in memory where there is one: making a run durable must not wait for a disk here.
pub fn fresh_dir() -> TempDir {
    let shm = Path::new("/dev/shm");
    let made = if shm.is_dir() { TempDir::new_in(shm) } else { TempDir::new() };
    made.expect("a temporary directory")
}

/// Rows of (place, start, end), each with its text.
pub fn batch(rows: &[(u32, i64, i64)]) -> RecordBatch {
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(
        rows.iter().map(|(place, start, _)| format!("{place}@{start}")),
    ));
    let place: ArrayRef = Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.0)));
    let start: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.1)));
    let end: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.2)));
    RecordBatch::try_from_iter([("text", text), ("rank", place), ("start", start), ("end", end)])
        .expect("a batch")
}

pub fn schema() -> SchemaRef {
    batch(&[]).schema()
}

pub fn layout(places: u32, span: i64) -> Layout {
    let keys = Keys { place: "rank".into(), start: "start".into(), end: Some("end".into()) };
    Layout { keys, places, span }
}

pub fn fill(run: &mut RunWriter) {
    run.put_slice("tree/len", &[3u32, 1, 1]).expect("a column");
    run.put_slice("tree/start", &[0i64, i64::MIN, i64::MAX]).expect("a column");
    run.put_slice("tree/mark", &[1u8, 2, 255]).expect("a column");
    run.put_slice("tree/place", &[0u16, 1, u16::MAX]).expect("a column");
    run.put_slice("tree/share", &[0.5, f64::NAN, -1e300]).expect("a column");
    let mut by_place = run.by_place::<f64>("tree/cost", 3, 2).expect("a column");
    by_place.place_mut(1).copy_from_slice(&[1.0, 2.0, 4.0]);
    run.put_by_place(by_place).expect("a column");
    let mut rows = run.rows("tree/rows", schema(), layout(1, 100)).expect("a table");
    rows.push(&batch(&[(0, 5, 8), (1, 70, 250), (1, 190, 190), (0, -20, -1)])).expect("rows");
    run.put_rows(rows).expect("a table");
    run.put_slice::<i64>("tree/none", &[]).expect("a column");
    let mut places = Places::workers(2).expect("places");
    places.intern(1, 7).expect("a place");
    run.put_places(&places).expect("a table");
    let mut sources = SourcesBuilder::new();
    let from = sources.source(Source { file: "sort.cc".into(), line: 120, function: "sort".into() });
    let to = sources.source(Source { file: "größe.cc".into(), line: 140, function: String::new() });
    sources.site(from, to);
    run.put_sources(&sources.finish()).expect("tables");
    run.manifest().facts.insert("workers".into(), 2.into());
}

pub fn write(target: &Path) -> Run {
    let mut run = RunWriter::create(target).expect("a new run");
    fill(&mut run);
    run.finish().expect("a run")
}

/// What lies in a directory.
pub fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
