//! A small run with a part of every kind, and directories to put it in.

#![allow(dead_code)] // each test file uses its own part

use std::path::Path;

use crosscut_run::{Places, Run, RunWriter, Source, SourcesBuilder};
use tempfile::TempDir;

/// A directory in memory where there is one: making a run durable must not wait for a disk here.
pub fn fresh_dir() -> TempDir {
    let shm = Path::new("/dev/shm");
    let made = if shm.is_dir() { TempDir::new_in(shm) } else { TempDir::new() };
    made.expect("a temporary directory")
}

pub fn fill(run: &mut RunWriter) {
    run.put_slice("tree/len", &[3u32, 1, 1]).expect("a column");
    run.put_slice("tree/start", &[0i64, i64::MIN, i64::MAX]).expect("a column");
    run.put_slice("tree/mark", &[1u8, 2, 255]).expect("a column");
    run.put_slice("tree/place", &[0u16, 1, u16::MAX]).expect("a column");
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
