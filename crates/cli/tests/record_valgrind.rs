//! The recorder under valgrind: no errors of its own, nothing leaked.

use crate::common;

use std::fs;
use std::process::Command;

use common::{example, recorder, with_threads};

const OURS: &str = "libcrosscut_record";

/// The texts between two tags.
fn elements<'a>(text: &'a str, tag: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(&open) {
        rest = &rest[at + open.len()..];
        let end = rest.find(&close).unwrap_or(rest.len());
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

/// Runs an example with the recorder loaded; returns valgrind's errors that name it.
fn errors(compiler: &str, line: &str, options: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.xml");
    let events = folder.path().join("events");
    fs::create_dir(&events).unwrap();
    let mut words = line.split(' ');
    let mut command = Command::new("valgrind");
    command.args(["--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]);
    command.args(["--num-callers=40", "--child-silent-after-fork=yes", "--xml=yes"]);
    command.arg(format!("--xml-file={}", report.display()));
    command.arg(example(compiler, words.next().unwrap())).args(words);
    command.env("LD_PRELOAD", recorder()).env("CROSSCUT_EVENTS", &events).env("CROSSCUT_RECORD", options);
    let output = match with_threads(&mut command, 2).env("OMP_TOOL", "enabled").output() {
        Ok(output) => output,
        Err(error) => panic!("valgrind: {error}; `cargo xtask doctor` says what is missing"),
    };
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    // It did record.
    let processes = fs::read_dir(&events).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(processes.count(), 1, "{line}");
    let text = fs::read_to_string(&report).unwrap();
    assert!(text.contains("<state>FINISHED</state>"), "{line}: the report is not whole");
    let all = elements(&text, "error");
    println!("{compiler} {line} {options}: {} errors in all", all.len());
    let ours = all.into_iter().filter(|error| error.contains(OURS));
    ours.map(str::to_owned).collect()
}

fn clean(line: &str, options: &str) {
    for compiler in ["clang", "gcc"] {
        let found = errors(compiler, line, options);
        assert!(found.is_empty(), "{compiler} {line} {options}:\n{}", found.join("\n"));
    }
}

#[test]
fn fib_is_clean() {
    clean("fib 12 6", "");
    clean("fib 12 6", "collapse=9223372036854775807");
}

#[test]
fn taskgroup_is_clean() {
    clean("taskgroup 2 3", "");
    clean("taskgroup 2 3", "collapse=9223372036854775807,counters=page-faults");
}

#[test]
fn loops_dependences_and_sort_are_clean() {
    clean("loop 64 8 dynamic", "");
    clean("depend 3 1000", "");
    clean("sort 3000 fixed", "");
    clean("sort 3000 flawed", "collapse=9223372036854775807");
    clean("lu 3 8", "");
}

#[test]
fn mixed_is_clean() {
    clean("mixed", "");
    clean("mixed", "collapse=9223372036854775807");
}
