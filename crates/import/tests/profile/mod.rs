//! Reading a profile in a test, and what to say of it.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crosscut_calls::{Calls, flat};
use crosscut_import::{ImportError, Options, Quiet, import};
use crosscut_tree::NodeId;

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn fixture(name: &str) -> PathBuf {
    repository().join("fixtures/profiles").join(name)
}

/// Profiles that lie beside the repository; a line says when they do not.
pub fn beside(name: &str) -> Option<PathBuf> {
    let path = repository().join("../shared/data").join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not here", path.display());
        return None;
    }
    Some(path)
}

pub fn read(path: &Path) -> (tempfile::TempDir, Calls) {
    try_read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn try_read(path: &Path) -> Result<(tempfile::TempDir, Calls), ImportError> {
    let work = tempfile::tempdir().unwrap();
    let run = import(path, &work.path().join("profile.crosscut"), &Options::default(), &Quiet)?;
    let calls = Calls::open(Arc::new(run)).unwrap();
    calls.sound().unwrap();
    Ok((work, calls))
}

/// Reads a profile that is written here.
pub fn read_text(text: &str) -> Result<(tempfile::TempDir, Calls), ImportError> {
    read_bytes(text.as_bytes())
}

pub fn read_bytes(bytes: &[u8]) -> Result<(tempfile::TempDir, Calls), ImportError> {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("profile");
    std::fs::write(&path, bytes).unwrap();
    try_read(&path)
}

/// What a profile is refused with, without the file's name.
pub fn refused(bytes: &[u8]) -> String {
    match read_bytes(bytes) {
        Ok((_, calls)) => panic!("it was read: {:?}", calls.summary()),
        Err(error) => {
            let text = error.to_string();
            text.split_once("profile: ").map_or(text.clone(), |(_, what)| what.to_owned())
        }
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Own values of functions by name, the largest first.
pub fn top(calls: &Calls, count: usize) -> Vec<(String, i64)> {
    let rows = flat(calls, 0).into_iter();
    rows.take(count).map(|row| (calls.frames()[row.frame as usize].name.clone(), row.own)).collect()
}

/// Nodes, places and the total of the first metric; all nodes add up to the roots.
pub fn check(calls: &Calls, nodes: u64, places: u64, total: i64) {
    let summary = calls.summary();
    assert_eq!((summary.nodes, summary.places), (nodes, places), "{summary:?}");
    assert_eq!(calls.inclusive(0, NodeId::ROOT), total, "{summary:?}");
    adds_up(calls);
}

/// Of every metric the own values of all nodes, at all places, add up to the values of the roots.
pub fn adds_up(calls: &Calls) {
    for metric in 0..calls.summary().metrics.len() {
        let total = calls.inclusive(metric, NodeId::ROOT);
        let roots: i64 = calls.tree().children(NodeId::ROOT).map(|root| calls.inclusive(metric, root)).sum();
        assert_eq!(roots, total);
        assert_eq!(calls.at_places(metric, 0..calls.node_count()).iter().sum::<i64>(), total);
    }
}

pub fn named(names: &[(&str, i64)]) -> Vec<(String, i64)> {
    names.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
}

/// The names of a node's children, in order, each with its inclusive value of the first metric.
pub fn children(calls: &Calls, node: NodeId) -> Vec<(String, i64)> {
    let child = |child| {
        (calls.frame(child).map(|frame| frame.name.clone()).unwrap_or_default(), calls.inclusive(0, child))
    };
    calls.tree().children(node).map(child).collect()
}

/// What the places are called, in order.
pub fn titles(calls: &Calls) -> Vec<&str> {
    (0..calls.place_count()).map(|place| calls.place_title(place)).collect()
}
