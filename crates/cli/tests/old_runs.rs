//! Runs of earlier formats, kept in `fixtures/runs`, give the numbers that the program of their time gave; so do runs that
//! are made of the same input today.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn crosscut(folder: &Path, words: &[&str]) -> Output {
    let output =
        Command::new(env!("CARGO_BIN_EXE_crosscut")).current_dir(folder).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn json(folder: &Path, words: &[&str]) -> Value {
    serde_json::from_slice(&crosscut(folder, words).stdout).unwrap()
}

/// What the old program said.
fn then(name: &str, what: &str) -> Value {
    let path = fixtures().join(format!("runs/1/{name}.{what}.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// What was measured. Findings are what the program makes of it, and it has learned since; what is not available had another
/// name.
fn numbers(mut report: Value) -> Value {
    if let Some(missing) = report["grain"].as_object_mut().and_then(|grain| grain.remove("not_told")) {
        report["grain"]["not_available"] = missing;
    }
    for new in ["findings", "too_little", "account", "not_looked_for"] {
        report.as_object_mut().unwrap().remove(new);
    }
    report
}

fn check(folder: &Path, run: &str, name: &str) {
    assert_eq!(json(folder, &["info", "--check", "--json", run]), then(name, "info"), "{run}");
    let report = json(folder, &["report", "--json", run]);
    // What is shorter than a millisecond is not judged.
    let is_short =
        report["tasks"]["clock"].is_null() && report["tasks"]["elapsed_ns"].as_i64() < Some(1_000_000);
    assert_eq!(report["findings"].as_array().unwrap().is_empty(), is_short, "{run}");
    assert_eq!(report["too_little"].is_string(), is_short, "{run}");
    assert_eq!(numbers(report), numbers(then(name, "report")), "{run}");
}

#[test]
fn runs_of_format_1_give_the_same_numbers() {
    for name in ["nested_sections", "synth_random"] {
        let manifest = fixtures().join(format!("runs/1/{name}/manifest.json"));
        let manifest: Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
        assert_eq!(manifest["format"], 1);
        check(&fixtures().join("runs/1"), name, name);
    }
}

#[test]
fn runs_of_today_give_the_same_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let dag = fixtures().join("dag/nested_sections.dag");
    crosscut(folder.path(), &["import", dag.to_str().unwrap(), "-o", "nested"]);
    check(folder.path(), "nested", "nested_sections");
    let how = "synth random --size 300 --workers 3 --grain 6 --create 1 --steal 2 -o random";
    crosscut(folder.path(), &how.split(' ').collect::<Vec<_>>());
    check(folder.path(), "random", "synth_random");
}
