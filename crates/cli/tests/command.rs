//! The built command, used as a person or a script would use it, rightly and wrongly.

use crate::support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{crosscut, fails, fixture, folder, names, ok};

const SYNTH: [&str; 6] = ["synth", "fib", "--size", "1e4", "--workers", "3"];

#[test]
fn info_of_a_synthetic_run() {
    let folder = folder();
    let line = ok(folder.path(), &SYNTH);
    assert!(line.starts_with("fib.crosscut: "), "{line}");
    assert_eq!(line.lines().count(), 1);

    let text = ok(folder.path(), &["info", "fib.crosscut"]);
    assert!((8..=12).contains(&text.lines().count()), "{text}");

    let json: Value = serde_json::from_str(&ok(folder.path(), &["info", "fib.crosscut", "--json"])).unwrap();
    assert_eq!(json["crosscut"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["partial"], false);
    assert_eq!(json["places"], 3);
    assert!(json.get("messages").is_none() && json.get("calls").is_none());
    let tasks = &json["tasks"];
    // 8 n − 6 nodes for n leaves: 1251 of them, and so 2500 tasks besides the root.
    assert_eq!(tasks["nodes"], 10_002);
    assert_eq!(tasks["tasks"], 2_500);
    assert_eq!(tasks["intervals"], 6_251);
    assert_eq!(tasks["workers"], 3);
    assert_eq!(tasks["dropped_events"], 0);
    let ns = |key: &str| tasks[key].as_i64().unwrap();
    assert_eq!(ns("work_ns") + ns("delay_ns") + ns("no_work_ns"), 3 * ns("elapsed_ns"));
    assert!(0 < ns("span_ns") && ns("span_ns") <= ns("elapsed_ns"));
}

#[test]
fn info_of_an_imported_run() {
    let folder = folder();
    let input = fixture();
    let input = input.to_str().unwrap();
    ok(folder.path(), &["import", input]);
    assert_eq!(names(folder.path()), ["sort_mth4.crosscut"]);
    let info =
        |run: &str| -> Value { serde_json::from_str(&ok(folder.path(), &["info", run, "--json"])).unwrap() };
    let ticks = info("sort_mth4.crosscut");
    assert_eq!(ticks["clock"], "ticks");
    assert_eq!(ticks["tasks"]["clock"], "ticks");

    ok(folder.path(), &["import", input, "--clock-hz", "2e9", "-o", "hz.crosscut"]);
    let ns = info("hz.crosscut");
    assert!(ns["tasks"].get("clock").is_none());
    let ratio = ticks["tasks"]["elapsed_ns"].as_f64().unwrap() / ns["tasks"]["elapsed_ns"].as_f64().unwrap();
    assert!((ratio - 2.0).abs() < 1e-3, "{ratio}");
}

#[test]
fn what_is_there_is_not_replaced() {
    let folder = folder();
    ok(folder.path(), &SYNTH);
    let before = fs::read(folder.path().join("fib.crosscut/manifest.json")).unwrap();
    let error = fails(folder.path(), &SYNTH);
    assert!(
        error.contains("fib.crosscut: already exists; remove it or choose another name with -o"),
        "{error}"
    );
    let input = fixture();
    let error = fails(folder.path(), &["import", input.to_str().unwrap(), "-o", "fib.crosscut"]);
    assert!(error.contains("already exists"), "{error}");
    assert_eq!(fs::read(folder.path().join("fib.crosscut/manifest.json")).unwrap(), before);
    assert_eq!(names(folder.path()), ["fib.crosscut"]);
}

#[test]
fn a_manifest_without_a_checksum_is_mentioned() {
    let folder = folder();
    ok(folder.path(), &SYNTH);
    let file = folder.path().join("fib.crosscut/manifest.json");
    let text = fs::read_to_string(&file).unwrap();
    let without: Vec<&str> = text.lines().filter(|line| !line.starts_with("  \"checksum\"")).collect();
    fs::write(&file, without.join("\n")).unwrap();
    let checked = ok(folder.path(), &["info", "fib.crosscut", "--check"]);
    assert!(checked.contains("the manifest has no checksum itself"), "{checked}");
}

#[test]
fn damage_is_named() {
    let folder = folder();
    ok(folder.path(), &SYNTH);
    let checked = ok(folder.path(), &["info", "fib.crosscut", "--check"]);
    assert!(checked.contains("parts are as they were written"), "{checked}");

    let file = folder.path().join("fib.crosscut/tasks/start.arrow");
    let mut bytes = fs::read(&file).unwrap();
    bytes[5_000] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let error = fails(folder.path(), &["info", "fib.crosscut", "--check"]);
    assert!(error.contains("tasks/start.arrow") && error.contains("checksum"), "{error}");
    assert!(!error.contains("tasks/end"), "{error}");

    let json = crosscut(folder.path(), &["info", "fib.crosscut", "--check", "--json"]);
    assert_eq!(json.status.code(), Some(2));
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["damaged"][0]["part"], "tasks/start");

    fs::write(&file, &bytes[..5_000]).unwrap();
    let error = fails(folder.path(), &["info", "fib.crosscut"]);
    assert!(error.contains("tasks/start") && error.contains("5000 bytes"), "{error}");
    fs::remove_file(&file).unwrap();
    assert!(fails(folder.path(), &["info", "fib.crosscut", "--check"]).contains("tasks/start.arrow"));
}

#[test]
fn what_is_no_run_is_named() {
    let folder = folder();
    fs::write(folder.path().join("file"), "text").unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::create_dir(folder.path().join("broken")).unwrap();
    fs::write(folder.path().join("broken/manifest.json"), "{").unwrap();
    for (run, says) in [
        ("missing", "no such directory"),
        ("file", "`crosscut import` reads foreign files"),
        ("empty", "manifest.json"),
        ("broken", "manifest"),
    ] {
        let error = fails(folder.path(), &["info", run]);
        assert!(error.contains(run) && error.contains(says), "{error}");
    }
}

#[test]
fn what_cannot_be_imported_leaves_nothing() {
    let folder = folder();
    let whole = fs::read(fixture()).unwrap();
    fs::write(folder.path().join("cut.dag"), &whole[..whole.len() / 2]).unwrap();
    fs::write(folder.path().join("text.dag"), "no dag at all").unwrap();
    fs::write(folder.path().join("empty.dag"), "").unwrap();
    let before = names(folder.path());
    for (args, says) in [
        (&["import", "cut.dag"][..], "cut.dag: byte "),
        (&["import", "text.dag"], "text.dag"),
        (&["import", "empty.dag"], "empty"),
        (&["import", "missing.dag"], "missing.dag: no such file"),
        (&["import", "."], "not a file"),
        (&["import", "cut.dag", "--format", "none"], "no format `none`"),
        (&["import", "cut.dag", "--clock-hz", "0"], "ticks per second"),
        (&["import", "cut.dag", "--clock-hz", "fast"], "--clock-hz"),
        (&["import", "cut.dag", "text.dag", "-o", "one"], "-o names one run"),
        (&["import", "cut.dag", "./cut.dag"], "two inputs"),
        (&["import"], "INPUT"),
    ] {
        let error = fails(folder.path(), args);
        assert!(error.contains(says), "{args:?}: {error}");
        assert_eq!(names(folder.path()), before, "{args:?}");
    }
}

#[test]
fn wrong_wishes_leave_nothing() {
    let folder = folder();
    for (args, says) in [
        (&["synth", "fib"][..], "--size"),
        (&["synth", "circle", "--size", "10"], "possible values: fib"),
        (&["synth", "fib", "--size", "many"], "is not a size"),
        (&["synth", "fib", "--size", "1.5"], "is not a size"),
        (&["synth", "fib", "--size", "-5"], "-5"),
        (&["synth", "fib", "--size", "0"], "at least 1"),
        (&["synth", "fib", "--size", "5e9"], "at most 4294967294"),
        (&["synth", "fib", "--size", "10", "--workers", "0"], "1 to 1024"),
        (&["synth", "fib", "--size", "-10"], "is not a size"),
        (&["synth", "fib", "--size", "10", "--workers", "-4"], "a whole number from 0 on"),
        (&["synth", "fib", "--size", "10", "--policy", "lazy"], "help-first"),
        (&["synth", "fib", "--size", "10", "--jitter", "900"], "0 to 100"),
        (&["synth", "fib", "--size", "10", "-o", "/proc/no/run"], "/proc/no"),
        (&["dance"], "dance"),
        (&[], "which command"),
    ] {
        let error = fails(folder.path(), args);
        assert!(error.contains(says), "{args:?}: {error}");
        assert!(names(folder.path()).is_empty(), "{args:?}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = folder();
    assert!(ok(folder.path(), &["--version"]).contains(env!("CARGO_PKG_VERSION")));
    assert!(ok(folder.path(), &["--help"]).contains("synth"));
    assert!(ok(folder.path(), &["synth", "--help"]).contains("work-first"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = folder();
    ok(folder.path(), &SYNTH);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_crosscut"))
        .current_dir(folder.path())
        .args(["info", "fib.crosscut"])
        .stdout(writer)
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Starts a long synthesis and waits until it has begun to write.
fn begin_synth(folder: &Path) -> std::process::Child {
    let child = Command::new(env!("CARGO_BIN_EXE_crosscut"))
        .current_dir(folder)
        .args(["synth", "random", "--size", "20M"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while names(folder).is_empty() && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(names(folder).len(), 1);
    child
}

#[test]
fn a_killed_synth_leaves_no_run() {
    let folder = folder();
    let mut child = begin_synth(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.path().join("random.crosscut").exists());
    // What is left has another name and does not stand in the way.
    ok(folder.path(), &["synth", "random", "--size", "1000"]);
}

#[test]
fn an_interrupted_synth_leaves_nothing() {
    for signal in ["-INT", "-TERM"] {
        let folder = folder();
        let mut child = begin_synth(folder.path());
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
    }
}
