//! `crosscut record --calls` on a program with a known hot path: the path is found, and each function has the share of the
//! samples that it has of the work, as far as chance allows; so it has in what `perf` says of the same program.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use common::crosscut;
use crosscut_calls::schema::Kind;
use crosscut_calls::{Calls, hot_path};
use crosscut_run::Run;
use crosscut_tree::NodeId;

/// Of all work, as the program's source says.
const SHARES: [(&str, f64); 5] =
    [("relax", 0.6), ("sweep", 0.6), ("residual", 0.3), ("solve", 0.9), ("setup", 0.1)];

/// Chance takes a share further from what it should be once in 15,000 times.
const SIGMAS: f64 = 4.0;

/// Between two samples of `perf`, at 500 in a second.
const PERF_NANOS: f64 = 2e6;

/// Builds `hot.c`.
fn hot(folder: &Path, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/calls/hot.c");
    let program = folder.join("hot");
    let output = Command::new("clang-19")
        .args(["-g", "-O2", "-pthread"])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap_or_else(|error| panic!("clang-19: {error}; `cargo xtask doctor` says what is missing"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// What keeps a frame pointer in every function; GCC leaves it out of the innermost ones all the same.
const FRAMES: [&str; 2] = ["-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"];

/// Runs a command of ours, which must end well; what it says.
fn ours(folder: &Path, arguments: &[&str]) -> String {
    let output = crosscut(folder).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

fn open(run: &Path) -> Calls {
    let run = Run::open(run).unwrap();
    assert!(run.check().is_empty());
    let calls = Calls::open(Arc::new(run)).unwrap();
    calls.sound().unwrap();
    calls
}

/// Samples in all, and those in a function and what it called.
fn samples(calls: &Calls, function: &str) -> (f64, f64) {
    let metric = calls.summary().metrics.iter().position(|metric| metric.name == "samples");
    // `perf` has nanoseconds, as many for each sample.
    let (metric, one) = metric.map_or((0, PERF_NANOS), |metric| (metric, 1.0));
    let nodes = (0..calls.node_count() as u32).map(NodeId);
    let of_function = nodes.filter(|&node| {
        calls.frame(node).is_some_and(|frame| frame.kind == Kind::Function && frame.name == function)
    });
    let inside: i64 = of_function.map(|node| calls.inclusive(metric, node)).sum();
    (calls.inclusive(metric, NodeId::ROOT) as f64 / one, inside as f64 / one)
}

fn check_shares(calls: &Calls, what: &str) {
    for (function, share) in SHARES {
        let (all, inside) = samples(calls, function);
        assert!(all >= 200.0, "{what}: {all} samples");
        let most = SIGMAS * (share * (1.0 - share) / all).sqrt();
        assert!((inside / all - share).abs() <= most, "{what}: {function} has {inside} of {all} samples");
    }
}

fn names(calls: &Calls) -> Vec<String> {
    let path = hot_path(calls, 0, NodeId::ROOT);
    path.into_iter().filter_map(|node| Some(calls.frame(node)?.name.clone())).collect()
}

#[test]
fn a_known_hot_path_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let program = hot(folder.path(), &FRAMES);
    let said = ours(
        folder.path(),
        &["record", "--calls", "-o", "run.crosscut", "--", program.to_str().unwrap(), "2000", "2"],
    );
    let calls = open(&folder.path().join("run.crosscut"));
    check_shares(&calls, &said);
    // Both threads did the same.
    assert_eq!(calls.place_count(), 2, "{said}");
    let at_places = calls.at_places(0, 0..calls.node_count());
    let (least, most) = (at_places.iter().min().unwrap(), at_places.iter().max().unwrap());
    assert!(least * 3 > most * 2, "{at_places:?}");
    let path = names(&calls);
    let inner: Vec<&str> = path.iter().map(String::as_str).skip_while(|&name| name != "work").collect();
    assert_eq!(inner[..5], ["work", "solve", "sweep", "relax", "mix"], "inlined functions too: {path:?}");
    // The line that runs is in the file.
    let leaf = *hot_path(&calls, 0, NodeId::ROOT).last().unwrap();
    let frame = calls.frame(leaf).unwrap();
    assert!(frame.file.ends_with("examples/calls/hot.c") && frame.line > 0, "{frame:?}");
}

#[test]
fn perf_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let program = hot(folder.path(), &FRAMES);
    let perf = |arguments: &[&str]| {
        let output = Command::new("perf").args(arguments).current_dir(folder.path()).output();
        let output = output.unwrap_or_else(|error| panic!("perf: {error}; it is in the package linux-perf"));
        assert!(output.status.success(), "perf {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let program = program.to_str().unwrap();
    perf(&["record", "-q", "-e", "cpu-clock", "-F", "500", "-g", "-o", "perf.data", program, "2000"]);
    std::fs::write(folder.path().join("perf.txt"), perf(&["script", "-i", "perf.data"])).unwrap();
    ours(folder.path(), &["import", "perf.txt", "-o", "perf.crosscut"]);
    ours(folder.path(), &["record", "--calls", "-o", "ours.crosscut", "--", program, "2000"]);
    let theirs = open(&folder.path().join("perf.crosscut"));
    let own = open(&folder.path().join("ours.crosscut"));
    for (function, _) in SHARES {
        let ((all, inside), (their_all, their_inside)) =
            (samples(&own, function), samples(&theirs, function));
        let (share, their_share) = (inside / all, their_inside / their_all);
        // Of two samples of one thing: the variances add up.
        let pooled = (inside + their_inside) / (all + their_all);
        let most = SIGMAS * (pooled * (1.0 - pooled) * (1.0 / all + 1.0 / their_all)).sqrt();
        assert!(
            (share - their_share).abs() <= most,
            "{function}: {inside} of {all}, perf {their_inside} of {their_all}"
        );
    }
}

/// What was sampled until then is in the run.
#[test]
fn a_program_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let program = hot(folder.path(), &FRAMES);
    let script = format!("{} 1000000 & child=$!; sleep 2; kill -9 $child; wait", program.display());
    ours(folder.path(), &["record", "--calls", "-o", "run.crosscut", "--", "sh", "-c", &script]);
    let calls = open(&folder.path().join("run.crosscut"));
    assert!(samples(&calls, "relax").1 > 10.0, "{:?}", calls.summary());
    let partial = calls.run().manifest().partial.clone().unwrap_or_default();
    assert!(partial.contains("did not exit normally"), "{partial}");
}
