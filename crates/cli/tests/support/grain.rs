//! Synthetic runs, and what `report --json` says of a run.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::ok;

/// A run of 4,000 nodes.
pub fn synth(folder: &Path, shape: &str, workers: &str, run: &str) {
    ok(folder, &["synth", shape, "--size", "4000", "--workers", workers, "--seed", "7", "-o", run]);
}

/// A file among the fixtures.
pub fn fixture(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
    path.to_str().unwrap().to_owned()
}

/// What `report --json` says.
pub fn report(folder: &Path, run: &str, args: &[&str]) -> Value {
    serde_json::from_str(&ok(folder, &[&["report", run, "--json"], args].concat())).unwrap()
}

/// A whole number of it.
pub fn number(json: &Value, key: &str) -> i64 {
    json[key].as_i64().unwrap_or_else(|| panic!("{key} is not a whole number: {json:#}"))
}

/// Grains that have a problem.
pub fn having(json: &Value, problem: &str) -> i64 {
    number(&json["grain"]["problems"][problem], "grains")
}
