//! `crosscut report` from the built command: for scripts, for people, its thresholds and its exit code.

use crate::support;

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;
use support::grain::{fixture, having, number, report, synth};
use support::{crosscut, fails, folder, names, ok};

const PROBLEMS: [&str; 7] = [
    "low-parallel-benefit",
    "work-deviation",
    "memory-stall",
    "low-parallelism",
    "sibling-imbalance",
    "sibling-scatter",
    "chunk-imbalance",
];

#[test]
fn a_report_for_scripts() {
    let folder = folder();
    let path = folder.path();
    for shape in ["fib", "wide", "chain", "sort"] {
        synth(path, shape, "3", shape);
        let json = report(path, shape, &[]);
        let grain = &json["grain"];
        let (grains, fork_joins) = (number(grain, "grains"), number(grain, "fork_joins"));
        assert_eq!(grains, number(&json["tasks"], "tasks") + 1, "{shape}: the tasks and the program");
        assert_eq!(number(grain, "raw_nodes"), grains + 2 * fork_joins + 2, "{shape}");
        assert_eq!(number(grain, "work_ns") + number(grain, "outside_ns"), number(&json["tasks"], "work_ns"));
        assert!(number(grain, "groups") >= fork_joins && number(grain, "depth") >= 2, "{shape}");
        let (theta, savings) = (number(grain, "theta_max"), grain["savings"].as_f64().unwrap());
        assert!((savings - (1.0 - theta as f64 / number(grain, "raw_nodes") as f64)).abs() < 1e-12);
        assert!(number(grain, "critical_path_ns") <= number(grain, "work_ns"), "{shape}");
        let problems = grain["problems"].as_object().unwrap();
        assert_eq!(problems.len(), 4, "{shape}: no baseline, no counters, no chunks");
        for (word, problem) in problems {
            assert!(PROBLEMS.contains(&word.as_str()), "{word}");
            let grains_with_it = number(problem, "grains");
            assert!((0..=grains).contains(&grains_with_it));
            assert!((0..=number(grain, "raw_nodes")).contains(&number(problem, "theta_max")));
            assert!(number(problem, "time_lost_ns") >= 0 && problem["threshold"].as_f64().is_some());
            assert_eq!(grains_with_it == 0, number(problem, "theta_max") == 0, "{shape}: {word}");
        }
        // Worst first, but what lies outside of the program may stand behind what it can change.
        let (mut last, mut begun_again) = (i64::MAX, false);
        for finding in json["findings"].as_array().unwrap() {
            for key in ["id", "severity", "what", "do"] {
                assert!(finding[key].as_str().is_some_and(|text| !text.is_empty()), "{shape}: {finding:#}");
            }
            assert!(["high", "medium", "low"].contains(&finding["severity"].as_str().unwrap()));
            assert!(finding["where"].is_null() || finding["where"].is_string());
            let cost = number(finding, "cost_ns");
            assert!(cost <= last || !begun_again, "{shape}: worst first");
            begun_again |= cost > last;
            last = cost;
        }
    }
    // A fork of everything: all is in sight but start and end.
    let wide = report(path, "wide", &[]);
    assert_eq!(number(&wide["grain"], "theta_max"), number(&wide["grain"], "raw_nodes") - 2);
}

#[test]
fn a_report_for_people() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "3", "fib");
    let text = ok(path, &["report", "fib"]);
    let json = report(path, "fib", &[]);
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("fib: ") && first.contains("grains in") && first.ends_with("nodes"), "{first}");
    for words in
        ["groups", "visible", "outside", "parallel benefit < 1", "sibling work balance > 2", "fib.c:"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    for finding in json["findings"].as_array().unwrap() {
        let id = format!("{}: {}", finding["id"].as_str().unwrap(), finding["what"].as_str().unwrap());
        assert!(text.contains(&id), "{id}: {text}");
    }
}

#[test]
fn thresholds_change_what_is_a_problem() {
    let folder = folder();
    let path = folder.path();
    synth(path, "random", "3", "run");
    let all = number(&report(path, "run", &[])["grain"], "grains");
    let has = |args: &[&str], problem: &str| having(&report(path, "run", args), problem);
    assert_eq!(has(&["--threshold", "low-parallelism=0"], "low-parallelism"), 0);
    assert_eq!(has(&["--threshold", "low-parallelism=1e9"], "low-parallelism"), all);
    assert!(
        has(&[], "sibling-imbalance") < has(&["--threshold", "sibling-imbalance=1"], "sibling-imbalance")
    );

    fs::write(path.join("limits"), "# ours\n\nlow-parallelism = 1e9 # all of them\nsibling-imbalance=1e9\n")
        .unwrap();
    let file = ["--thresholds", "limits"];
    assert_eq!(has(&file, "low-parallelism"), all);
    assert_eq!(has(&file, "sibling-imbalance"), 0);
    // The command line has the last word.
    let both = ["--thresholds", "limits", "--threshold", "low-parallelism=0"];
    assert_eq!(has(&both, "low-parallelism"), 0);
    assert_eq!(has(&both, "sibling-imbalance"), 0);
}

#[test]
fn wrong_wishes() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "3", "fib");
    ok(path, &["import", &fixture("dag/depchain.dag"), "-o", "ticks"]);
    fs::write(path.join("words"), "low-parallelism = 1\nlow-parallelism: 2\n").unwrap();
    fs::write(path.join("unknown"), "sadness = 1\n").unwrap();
    let before = names(path);
    for (args, says) in [
        (&["report"][..], "RUN"),
        (&["report", "missing"], "missing: not a Crosscut run: no such directory"),
        (&["report", "words"], "`crosscut import` reads foreign files"),
        (&["report", "fib", "--threshold", "low-parallelism"], "is not PROBLEM=VALUE, such as"),
        (&["report", "fib", "--threshold", "sadness=1"], "there are low-parallel-benefit, work-deviation"),
        (&["report", "fib", "--threshold", "low-parallelism=few"], "write a number from 0 on"),
        (&["report", "fib", "--threshold", "low-parallelism=-1"], "write a number from 0 on"),
        (&["report", "fib", "--thresholds", "nowhere"], "nowhere: No such file"),
        (&["report", "fib", "--thresholds", "words"], "words, line 2: `low-parallelism: 2` is not"),
        (&["report", "fib", "--thresholds", "unknown"], "unknown, line 1: there is no problem `sadness`"),
        (&["report", "fib", "--baseline", "missing"], "missing: not a Crosscut run"),
        (&["report", "fib", "--baseline", "ticks"], "ticks counts in ticks, fib in ns"),
        (&["report", "fib", "--fail-over", "half"], "percent from 0 on"),
        (&["report", "fib", "--fail-over", "nan"], "percent from 0 on"),
        (&["report", "fib", "--fail-over", "-5"], "percent from 0 on"),
        (&["report", "."], "this folder holds no manifest.json; `crosscut record`"),
        (&["compare", "fib", "fib", "--threshold", "low-parallelism=1"], "looks at work-deviation alone"),
        (&["compare", "fib", "fib", "--groups", "0,0", "--thresholds", "words"], "cannot be used with"),
        (&["baseline", "missing", "--forget"], "missing: not a Crosscut run"),
        (&["baseline", "fib", "fib", "--forget"], "cannot be used with"),
        (&["baseline", "fib", "fib"], "a run is no baseline of itself"),
        (&["export", "fib", "--to", "dot", "--problem", "memory-stall"], "record with `--counters cycles,"),
        (&["compare", "fib"], "<RUN>"),
        (&["compare", "fib", "missing"], "missing: not a Crosscut run"),
        (&["compare", "ticks", "fib"], "their times cannot be compared"),
        (&["export", "fib"], "--to"),
        (&["export", "fib", "--to", "svg"], "possible values: graphml, plain-graphml, dot"),
        (&["export", "missing", "--to", "dot"], "missing: not a Crosscut run"),
        (&["export", "fib", "--to", "dot", "--problem", "sadness"], "there is no problem `sadness`"),
        (&["export", "fib", "--to", "dot", "--problem", "work-deviation"], "by --baseline"),
        (
            &["export", "fib", "--to", "dot", "-o", "no/such/file"],
            "no/such/file: there is no directory no/such",
        ),
        (&["export", "fib", "--to", "dot", "-o", "."], ".: a directory"),
    ] {
        let error = fails(path, args);
        assert!(error.contains(says), "{args:?}: {error}");
        assert_eq!(names(path), before, "{args:?}");
    }
}

#[test]
fn what_is_not_available_is_said_with_what_to_do() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "3", "fib");
    let text = ok(path, &["report", "fib"]);
    assert!(!text.contains("is not available"), "{text}");
    let asked = ["report", "fib", "--threshold", "memory-stall=0.1", "--threshold", "work-deviation=3"];
    let text = ok(path, &asked);
    assert!(
        text.contains("\nmemory-stall is not available: nobody counted") && text.contains("--counters"),
        "{text}"
    );
    assert!(text.contains("\nwork-deviation is not available: ") && text.contains("--baseline"), "{text}");
    let missing = &report(path, "fib", &[])["grain"]["not_available"];
    let words: Vec<&String> = missing.as_object().unwrap().keys().collect();
    assert_eq!(words, ["chunk-imbalance", "memory-stall", "work-deviation"]);
}

#[test]
fn a_run_that_is_not_whole_says_so_first() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "3", "fib");
    let file = path.join("fib/manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    manifest["partial"] = "the program was killed".into();
    manifest.as_object_mut().unwrap().remove("checksum");
    fs::write(&file, manifest.to_string()).unwrap();
    for command in ["report", "whatif"] {
        let text = ok(path, &[command, "fib"]);
        let second = text.lines().nth(1).unwrap();
        assert!(second.starts_with("  partial") && second.contains("the program was killed"), "{text}");
    }
    assert_eq!(report(path, "fib", &[])["partial"], true);
}

#[test]
fn thresholds_are_printed_short_and_read_with_a_mark_of_byte_order() {
    let folder = folder();
    let path = folder.path();
    synth(path, "chain", "4", "chain");
    fs::write(path.join("limits"), "\u{feff}low-parallelism = 1e300\r\n").unwrap();
    let text = ok(path, &["report", "chain", "--thresholds", "limits"]);
    assert!(text.contains("instantaneous parallelism < 1e300 "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 200), "{text}");
}

#[test]
fn the_place_of_a_finding_is_the_first_of_its_problem() {
    let folder = folder();
    let path = folder.path();
    for shape in ["sort", "random", "skewed", "fib"] {
        synth(path, shape, "4", shape);
        let json = report(path, shape, &[]);
        for finding in json["findings"].as_array().unwrap() {
            let problem = &json["grain"]["problems"][finding["id"].as_str().unwrap()];
            if let (Some(place), Some(first)) = (finding["where"].as_str(), problem["where"][0].as_str()) {
                assert!(place.ends_with(first), "{shape}: {place}, but the table has {first} first");
            }
        }
    }
}

#[test]
fn too_much_lost_time_is_an_exit_code() {
    let folder = folder();
    let path = folder.path();
    synth(path, "chain", "4", "chain");
    for (limit, code) in [("0", 1), ("10", 1), ("99.9", 0), ("100", 0)] {
        for form in [&["--json"][..], &[]] {
            let output = crosscut(path, &[&["report", "chain", "--fail-over", limit], form].concat());
            assert_eq!(output.status.code(), Some(code), "{limit}");
            assert!(
                !output.stdout.is_empty() && output.stderr.is_empty(),
                "the report is printed in any case"
            );
        }
    }
}

#[test]
fn task_statistics_become_a_report() {
    let folder = folder();
    let path = folder.path();
    ok(path, &["import", &fixture("grains/small.csv"), "-o", "small"]);
    let json = report(path, "small", &[]);
    assert_eq!(json["clock"], "ticks");
    let grain = &json["grain"];
    assert_eq!((number(grain, "grains"), number(grain, "fork_joins")), (5, 4));
    assert!(grain["problems"].get("chunk-imbalance").is_some(), "its loop has chunks");
    assert!(ok(path, &["report", "small"]).contains("chunk work balance > 2"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "2", "fib");
    synth(path, "fib", "1", "one");
    for args in [
        &["report", "fib"][..],
        &["report", "fib", "--json"],
        &["compare", "one", "fib"],
        &["export", "fib", "--to", "dot"],
        &["export", "fib", "--to", "graphml"],
        &["export", "fib", "--to", "plain-graphml"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_crosscut"));
        let output =
            command.current_dir(path).args(args).stdin(Stdio::null()).stdout(writer).output().unwrap();
        assert!(output.status.success(), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}
