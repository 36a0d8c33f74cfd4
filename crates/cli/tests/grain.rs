//! Grain graphs from the built command: reports, comparisons, and graphs for other tools and back again.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;
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

fn synth(folder: &Path, shape: &str, workers: &str, run: &str) {
    ok(folder, &["synth", shape, "--size", "4000", "--workers", workers, "--seed", "7", "-o", run]);
}

fn fixture(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
    path.to_str().unwrap().to_owned()
}

fn report(folder: &Path, run: &str, args: &[&str]) -> Value {
    serde_json::from_str(&ok(folder, &[&["report", run, "--json"], args].concat())).unwrap()
}

fn number(json: &Value, key: &str) -> i64 {
    json[key].as_i64().unwrap_or_else(|| panic!("{key} is not a whole number: {json:#}"))
}

/// Grains that have a problem.
fn having(json: &Value, problem: &str) -> i64 {
    number(&json["grain"]["problems"][problem], "grains")
}

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
fn more_workers_against_one() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "1", "one");
    synth(path, "fib", "8", "eight");
    let json: Value = serde_json::from_str(&ok(path, &["compare", "one", "eight", "--json"])).unwrap();
    assert_eq!(json["same_structure"], true);
    assert_eq!(json["similarity"], 1.0);
    assert_eq!(json["matched"], json["run"]["grains"]);
    assert_eq!((&json["baseline"]["workers"], &json["run"]["workers"]), (&1.into(), &8.into()));
    assert!((json["work_ratio"].as_f64().unwrap() - 1.0).abs() < 0.05, "{json:#}");
    assert!(number(&json["work_deviation"], "time_lost_ns") >= 0);
    assert!(json["grown"].is_array());
    let text = ok(path, &["compare", "one", "eight"]);
    assert!(text.starts_with("eight against one\n") && text.contains("the same; similarity 1"), "{text}");
    assert!(!path.join("eight/baseline.json").exists());
    let json = report(path, "eight", &["--baseline", "one"]);
    assert_eq!(json["grain"]["baseline"]["matched"], json["grain"]["grains"]);
    assert_eq!(having(&json, "work-deviation"), 0);
    let all = report(path, "eight", &["--baseline", "one", "--threshold", "work-deviation=0"]);
    assert_eq!(having(&all, "work-deviation"), number(&all["grain"], "grains"));
}

#[test]
fn a_baseline_is_noted_in_the_run() {
    let folder = folder();
    let path = folder.path();
    fs::create_dir(path.join("here")).unwrap();
    synth(path, "sort", "1", "here/one");
    synth(path, "sort", "4", "here/four");
    assert!(report(path, "here/four", &[])["grain"].get("baseline").is_none());
    ok(path, &["baseline", "here/four", "here/one"]);
    let note: Value =
        serde_json::from_slice(&fs::read(path.join("here/four/baseline.json")).unwrap()).unwrap();
    assert_eq!(note, serde_json::json!({ "baseline": "one" }));
    ok(path, &["info", "here/four", "--check"]);
    assert_eq!(report(path, "here/four", &[])["grain"]["baseline"]["run"], "one");
    assert!(ok(path, &["report", "here/four"]).contains("\nwork deviation > 2"));
    // From within the run, too, and when both were moved.
    assert_eq!(report(&path.join("here/four"), ".", &[])["grain"]["baseline"]["run"], "one");
    fs::rename(path.join("here"), path.join("there")).unwrap();
    assert_eq!(report(path, "there/four", &[])["grain"]["baseline"]["run"], "one");

    // One that is gone, or not what it was, is named and left out.
    for broken in ["gone", "ticks"] {
        fs::remove_dir_all(path.join("there/one")).unwrap();
        if broken == "ticks" {
            ok(path, &["import", &fixture("dag/depchain.dag"), "-o", "there/one"]);
        } else {
            fs::create_dir(path.join("there/one")).unwrap();
        }
        let output = crosscut(path, &["report", "there/four", "--json"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.starts_with("crosscut: work deviation is left out") && said.contains("one"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(json["grain"]["problems"].get("work-deviation").is_none());
        assert!(json["grain"]["problems"].get("low-parallelism").is_some());
    }
}

#[test]
fn a_baseline_is_told_and_can_be_forgotten() {
    let folder = folder();
    let path = folder.path();
    synth(path, "sort", "1", "one");
    synth(path, "sort", "4", "four");
    let note = path.join("four/baseline.json");
    let text = ok(path, &["compare", "one", "four"]);
    assert!(text.contains("`crosscut baseline four one` compares with it from now on"), "{text}");
    assert!(!note.exists(), "to compare changes nothing");
    assert!(ok(path, &["baseline", "four"]).contains("four: it has no baseline"));
    let text = ok(path, &["baseline", "four", "one"]);
    assert!(text.contains("its baseline is one now; `crosscut baseline four --forget` undoes it"), "{text}");
    assert!(note.exists());
    assert!(ok(path, &["baseline", "four"]).contains("/one\n"));
    assert!(ok(path, &["baseline", "four", "--forget"]).contains("four: its baseline is forgotten"));
    assert!(!note.exists());
    assert!(ok(path, &["baseline", "four", "--forget"]).contains("it has no baseline"));
    // Neither a run itself nor one of more workers is a baseline.
    for (baseline, run, why) in [
        ("four", "four", "a run is no baseline of itself"),
        ("four", "one", "it has more workers than the run"),
    ] {
        assert!(ok(path, &["compare", baseline, run]).contains(why));
        let said = fails(path, &["baseline", run, baseline]);
        assert!(said.contains(why), "{said}");
        assert!(!path.join(run).join("baseline.json").exists());
    }
    assert!(ok(path, &["compare", "four", "one"]).contains(" on 1 worker, "));
    for damaged in ["", "{", "[]", "{\"baseline\": 1}"] {
        fs::write(&note, damaged).unwrap();
        let output = crosscut(path, &["report", "four"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(
            said.contains("four/baseline.json: damaged; delete it") && said.lines().count() == 1,
            "{said}"
        );
    }
}

#[test]
fn loops_are_matched_though_compilers_name_other_lines() {
    let folder = folder();
    let path = folder.path();
    let run = |name: &str, lines: [u32; 2], factor: u32| {
        let mut text = "<graphml><graph edgedefault=\"directed\">\n".to_owned();
        let mut edges = "<edge source=\"s\" target=\"f\"/><edge source=\"j\" target=\"e\"/>".to_owned();
        for (id, kind) in [("s", "start"), ("f", "fork"), ("j", "join"), ("e", "end")] {
            text += &format!("<node id=\"{id}\"><data key=\"v_kind\">{kind}</data></node>\n");
        }
        for (number, line) in lines.into_iter().enumerate() {
            for first in 0..4 {
                let (id, start) = (format!("c{number}{first}"), 10_000 * number as u32 + 1000 * first);
                let work = (first + 1) * 100 * factor;
                text += &format!(
                    "<node id=\"{id}\"><data key=\"v_kind\">chunk</data><data key=\"v_work\">{work}</data>\
                     <data key=\"v_source\">a.c:{line}</data><data key=\"v_start\">{start}</data>\
                     <data key=\"v_chunk_first\">{first}</data><data key=\"v_chunk_count\">1</data>\
                     <data key=\"v_worker\">{}</data></node>\n",
                    first % 2
                );
                edges +=
                    &format!("<edge source=\"f\" target=\"{id}\"/><edge source=\"{id}\" target=\"j\"/>\n");
            }
        }
        fs::write(path.join("loop.graphml"), text + &edges + "</graph></graphml>\n").unwrap();
        ok(path, &["import", "loop.graphml", "-o", name]);
    };
    run("clang", [66, 80], 1);
    run("gcc", [65, 79], 3);
    run("half", [65, 80], 2);
    for (other, ratio) in [("gcc", 3.0), ("half", 2.0)] {
        let args = ["compare", "clang", other, "--json"];
        let json: Value = serde_json::from_str(&ok(path, &args)).unwrap();
        assert_eq!((number(&json, "matched"), &json["same_structure"]), (8, &true.into()), "{json:#}");
        assert_eq!(json["work_ratio"], ratio, "each with its own");
    }
    // The largest chunks are named themselves, below their group.
    let text = ok(path, &["compare", "clang", "gcc"]);
    assert!(text.contains("  fork-join group g0 at") || text.contains("fork-join group g0"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("  + ") && line.contains("  chunk g")), "{text}");
}

#[test]
fn a_baseline_that_cannot_be_written_is_told() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "1", "one");
    synth(path, "fib", "2", "two");
    // Not even the superuser can put a file in the place of a directory.
    fs::create_dir(path.join("two/baseline.json")).unwrap();
    let said = fails(path, &["baseline", "two", "one"]);
    assert!(said.contains("baseline.json"), "{said}");
    ok(path, &["report", "two"]);
}

#[test]
fn another_program_is_no_baseline() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "1", "fib");
    synth(path, "wide", "2", "wide");
    let text = ok(path, &["compare", "fib", "wide"]);
    assert!(
        text.contains("not the same; similarity 0") && text.contains("is it the same program?"),
        "{text}"
    );
    let json: Value = serde_json::from_str(&ok(path, &["compare", "fib", "wide", "--json"])).unwrap();
    assert_eq!(json["same_structure"], false);
    assert!(number(&json, "matched") * 2 < number(&json["run"], "grains"));
    let said = fails(path, &["baseline", "wide", "fib"]);
    assert!(
        said.contains("fib is no baseline of wide") && said.contains("is it the same program?"),
        "{said}"
    );
    assert!(!path.join("wide/baseline.json").exists());
}

#[test]
fn a_baseline_without_a_grain_in_common_is_refused_or_left_out() {
    let folder = folder();
    let path = folder.path();
    for kind in ["chunk", "task"] {
        let node = |id: &str, kind: &str, work: u32| {
            format!(
                "<node id=\"{id}\"><data key=\"v_kind\">{kind}</data><data key=\"v_work\">{work}</data></node>"
            )
        };
        let mut text = "<graphml><graph edgedefault=\"directed\">".to_owned() + &node("c", kind, 9);
        for (id, kind) in [("s", "start"), ("f", "fork"), ("j", "join"), ("e", "end")] {
            text += &node(id, kind, 0);
        }
        // The one begins with a grain, the other with a fork.
        let edges = match kind {
            "task" => [("s", "c"), ("c", "f"), ("f", "j"), ("j", "e")],
            _ => [("s", "f"), ("f", "c"), ("c", "j"), ("j", "e")],
        };
        for (from, to) in edges {
            text += &format!("<edge source=\"{from}\" target=\"{to}\"/>");
        }
        fs::write(path.join("one.graphml"), text + "</graph></graphml>").unwrap();
        ok(path, &["import", "one.graphml", "-o", kind]);
    }
    let says = "chunk: not a single grain has a counterpart there; is it the same program?";
    for args in [&["report", "task"][..], &["export", "task", "--to", "dot"]] {
        assert!(fails(path, &[args, &["--baseline", "chunk"]].concat()).contains(says), "{args:?}");
    }
    fs::write(path.join("task/baseline.json"), "{\"baseline\": \"chunk\"}").unwrap();
    let output = crosscut(path, &["report", "task", "--json"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.lines().count()), (Some(0), 1), "{said}");
    assert!(said.starts_with("crosscut: work deviation is left out") && said.contains(says), "{said}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["grain"].get("baseline").is_none());
    assert!(
        json["grain"]["not_available"]["work-deviation"].as_str().unwrap().contains("counterpart"),
        "{json:#}"
    );
}

/// What is well-formed in a GraphML file: ids of nodes, ends of edges, and the text of one kind of data.
#[derive(Default)]
struct GraphMl {
    nodes: BTreeSet<String>,
    folders: usize,
    edges: Vec<(String, String)>,
    kinds: Vec<String>,
    borders: BTreeSet<String>,
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.try_get_attribute(name).unwrap()?;
    Some(found.unescape_value().unwrap().into_owned())
}

impl GraphMl {
    fn read(text: &str) -> Self {
        let mut graph = GraphMl::default();
        let mut reader = Reader::from_str(text);
        let mut depth = 0;
        let mut in_kind = false;
        loop {
            match reader.read_event().unwrap() {
                Event::Start(start) => {
                    depth += 1;
                    graph.begin(&start);
                    in_kind = attribute(&start, "key").as_deref() == Some("v_kind");
                }
                Event::Empty(start) => graph.begin(&start),
                Event::End(_) => {
                    depth -= 1;
                    in_kind = false;
                }
                Event::Text(text) if in_kind => graph.kinds.push(text.decode().unwrap().into_owned()),
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(depth, 0);
        for (from, to) in &graph.edges {
            assert!(graph.nodes.contains(from) && graph.nodes.contains(to), "{from} → {to}");
        }
        graph
    }

    fn begin(&mut self, start: &BytesStart<'_>) {
        match start.name().as_ref() {
            b"node" => {
                let id = attribute(start, "id").unwrap();
                assert!(self.nodes.insert(id.clone()), "{id} twice");
                self.folders +=
                    usize::from(attribute(start, "yfiles.foldertype").as_deref() == Some("folder"));
            }
            b"edge" => {
                let end = |name| attribute(start, name).unwrap();
                self.edges.push((end("source"), end("target")));
            }
            b"y:BorderStyle" => self.borders.extend(attribute(start, "color")),
            _ => {}
        }
    }

    fn count(&self, kind: &str) -> usize {
        self.kinds.iter().filter(|have| *have == kind).count()
    }
}

#[test]
fn nested_graphs() {
    let folder = folder();
    let path = folder.path();
    synth(path, "random", "3", "run");
    let json = report(path, "run", &[]);
    let grain = &json["grain"];
    for problem in ["low-parallelism", "sibling-imbalance"] {
        let text = ok(path, &["export", "run", "--to", "graphml", "--problem", problem]);
        let graph = GraphMl::read(&text);
        let groups = number(grain, "groups") as usize + graph.count("aside");
        assert_eq!(graph.folders, groups, "{problem}");
        assert!(graph.count("aside") > 0, "{problem}");
        assert_eq!(graph.count("fork-join"), number(grain, "fork_joins") as usize);
        assert_eq!(graph.count("fork"), graph.count("join"));
        assert_eq!(graph.count("task") + graph.count("root"), number(grain, "grains") as usize);
        assert_eq!(
            graph.nodes.len(),
            groups + 2 * graph.count("fork-join") + number(grain, "grains") as usize
        );
        assert!(text.contains(r#"<y:State closed="true""#));
        let borders: Vec<&str> = graph.borders.iter().map(String::as_str).collect();
        assert!(borders.contains(&"#c8102e") && borders.contains(&"#1a7f37"), "{borders:?}");
    }
    // Where nothing has the problem, nothing is separated.
    let none = [
        "export",
        "run",
        "--to",
        "graphml",
        "--problem",
        "low-parallelism",
        "--threshold",
        "low-parallelism=0",
    ];
    let graph = GraphMl::read(&ok(path, &none));
    assert_eq!((graph.count("aside"), graph.folders), (0, number(grain, "groups") as usize));
    ok(path, &["export", "run", "--to", "graphml", "-o", "run.graphml"]);
    assert_eq!(
        fs::read_to_string(path.join("run.graphml")).unwrap(),
        ok(path, &["export", "run", "--to", "graphml"])
    );
}

#[test]
fn dot_graphs() {
    let folder = folder();
    let path = folder.path();
    synth(path, "sort", "3", "run");
    ok(path, &["import", &fixture("grains/small.csv"), "-o", "small"]);
    for run in ["run", "small"] {
        let json = report(path, run, &[]);
        let text = ok(path, &["export", run, "--to", "dot"]);
        assert!(text.starts_with("digraph ") && text.ends_with("}\n"));
        let mut nodes = BTreeSet::new();
        let mut edges = 0;
        for line in text.lines().skip(3).take_while(|line| *line != "}") {
            let line = line.trim();
            let (head, rest) = line.split_once(" [").expect(line);
            assert!(rest.ends_with("];"), "{line}");
            let quotes = rest.replace("\\\\", "").replace("\\\"", "").matches('"').count();
            assert_eq!(quotes % 2, 0, "{line}");
            match head.split_once(" -> ") {
                None => assert!(nodes.insert(head.to_owned()), "{head} twice"),
                Some((from, to)) => {
                    edges += 1;
                    assert!(nodes.contains(from) && nodes.contains(to), "{line}");
                }
            }
        }
        assert_eq!(nodes.len() as i64, number(&json["grain"], "raw_nodes"), "{run}");
        assert!(edges >= nodes.len() - 1, "{run}");
    }
}

/// What a graph must keep when it leaves and comes back.
const KEPT: [&str; 7] = ["grains", "fork_joins", "raw_nodes", "groups", "depth", "theta_max", "work_ns"];

/// Exports a run, imports what was written; gives both reports.
fn there_and_back(path: &Path, run: &str) -> (Value, Value) {
    let (file, back) = (format!("{run}.graphml"), format!("{run}-back"));
    ok(path, &["export", run, "--to", "plain-graphml", "-o", &file]);
    let graph = GraphMl::read(&fs::read_to_string(path.join(&file)).unwrap());
    ok(path, &["import", &file, "-o", &back]);
    let (before, after) = (report(path, run, &[]), report(path, &back, &[]));
    assert_eq!(graph.nodes.len() as i64, number(&before["grain"], "raw_nodes"), "{run}");
    assert_eq!(before["clock"], after["clock"], "{run}");
    assert_eq!(before["tasks"]["workers"], after["tasks"]["workers"], "{run}");
    for key in KEPT {
        assert_eq!(before["grain"][key], after["grain"][key], "{run}: {key}");
    }
    (before, after)
}

#[test]
fn synthetic_graphs_there_and_back() {
    let folder = folder();
    let path = folder.path();
    for shape in ["fib", "sort", "random", "wide", "chain", "deep", "skewed"] {
        synth(path, shape, "4", shape);
        let (before, after) = there_and_back(path, shape);
        assert_eq!(before["tasks"]["work_ns"], after["tasks"]["work_ns"], "{shape}");
        for key in ["low-parallel-benefit", "low-parallelism", "sibling-imbalance"] {
            assert_eq!(having(&before, key), having(&after, key), "{shape}: {key}");
        }
        assert_eq!(before["grain"]["critical_path_ns"], after["grain"]["critical_path_ns"], "{shape}");
    }
}

#[test]
fn recorded_graphs_there_and_back() {
    let folder = folder();
    let path = folder.path();
    for (file, run) in [
        ("dag/fib25_mth4.dag", "folded"),
        ("dag/sort_mth4.dag", "sort"),
        ("dag/nested_sections.dag", "sections"),
        ("dag/omp_other.dag", "omp"),
        ("dag/depchain.dag", "depend"),
        ("grains/small.csv", "mir"),
        ("grains/small.graphml", "graphml"),
    ] {
        ok(path, &["import", &fixture(file), "-o", run]);
        there_and_back(path, run);
    }
}

/// Members of teams that are no grains, teams in teams, chunks beside tasks, what was folded.
const TEAMS: [(&str, &str); 15] = [
    ("s", "start"),
    ("f1", "fork"),
    ("f2", "fork"),
    ("c1", "chunk"),
    ("c2", "chunk"),
    ("j2", "join"),
    ("f3", "fork"),
    ("x1", "folded"),
    ("j3", "join"),
    ("l1", "lane"),
    ("f4", "fork"),
    ("t1", "task"),
    ("j4", "join"),
    ("j1", "join"),
    ("e", "end"),
];
const TEAM_EDGES: [(&str, &str); 17] = [
    ("s", "f1"),
    ("f1", "f2"),
    ("f2", "c1"),
    ("f2", "c2"),
    ("c1", "j2"),
    ("c2", "j2"),
    ("j2", "f3"),
    ("f3", "x1"),
    ("x1", "j3"),
    ("j3", "j1"),
    ("f1", "l1"),
    ("l1", "f4"),
    ("f4", "t1"),
    ("t1", "j4"),
    ("j4", "j1"),
    ("f1", "c3"),
    ("c3", "j1"),
];

#[test]
fn teams_in_teams_there_and_back() {
    let folder = folder();
    let path = folder.path();
    let mut text = "<graphml><graph edgedefault=\"directed\">\n".to_owned();
    let nodes = TEAMS.into_iter().chain([("c3", "chunk")]);
    for (i, (id, kind)) in nodes.enumerate() {
        let data =
            format!(r#"<data key="v_work">{}</data><data key="v_worker">{}</data>"#, 100 * (i + 1), i % 3);
        let data =
            if ["c", "x", "l", "t"].iter().any(|first| id.starts_with(first)) { data } else { String::new() };
        text += &format!("<node id=\"{id}\"><data key=\"v_kind\">{kind}</data>{data}</node>\n");
    }
    for (from, to) in TEAM_EDGES.into_iter().chain([("j1", "e")]) {
        text += &format!("<edge source=\"{from}\" target=\"{to}\"/>\n");
    }
    fs::write(path.join("teams.graphml"), text + "</graph></graphml>\n").unwrap();
    ok(path, &["import", "teams.graphml", "-o", "teams"]);
    let grain = &report(path, "teams", &[])["grain"];
    assert_eq!((number(grain, "grains"), number(grain, "fork_joins")), (6, 4), "{grain:#}");
    assert_eq!((number(grain, "raw_nodes"), number(grain, "outside_ns")), (16, 0), "{grain:#}");
    assert_eq!(number(grain, "work_ns"), 400 + 500 + 800 + 1000 + 1200 + 1600);
    there_and_back(path, "teams");
}

/// Tasks a, b, c and d of one task: b and c wait for a, d for c; c works longest. b creates a task itself.
fn depending(path: &Path) {
    let mut text = "<graphml><graph edgedefault=\"directed\">\n".to_owned();
    let node = |id: &str, kind: &str, work: u32| {
        format!(
            "<node id=\"{id}\"><data key=\"v_kind\">{kind}</data><data key=\"v_work\">{work}</data></node>\n"
        )
    };
    for (id, kind, work) in [("s", "start", 0), ("r", "task", 10), ("f", "fork", 0), ("j", "join", 0)] {
        text += &node(id, kind, work);
    }
    for (id, work) in [("a", 100), ("b", 50), ("c", 400), ("d", 30), ("x", 70)] {
        text += &node(id, "task", work);
    }
    text += &(node("f2", "fork", 0) + &node("j2", "join", 0) + &node("e", "end", 0));
    for (from, to) in [
        ("s", "r"),
        ("r", "f"),
        ("f", "a"),
        ("f", "b"),
        ("f", "c"),
        ("f", "d"),
        ("a", "j"),
        ("b", "f2"),
        ("f2", "x"),
        ("x", "j2"),
        ("j2", "j"),
        ("c", "j"),
        ("d", "j"),
        ("j", "e"),
    ] {
        text += &format!("<edge source=\"{from}\" target=\"{to}\"/>\n");
    }
    for (from, to) in [("a", "b"), ("a", "c"), ("c", "d"), ("j2", "d")] {
        text +=
            &format!("<edge source=\"{from}\" target=\"{to}\"><data key=\"e_type\">depend</data></edge>\n");
    }
    fs::write(path.join("depend.graphml"), text + "</graph></graphml>\n").unwrap();
}

#[test]
fn dependences_there_and_back() {
    let folder = folder();
    let path = folder.path();
    depending(path);
    ok(path, &["import", "depend.graphml", "-o", "depend"]);
    let (before, after) = there_and_back(path, "depend");
    // The program, a, c and d, one after the other.
    assert_eq!(number(&before["grain"], "critical_path_ns"), 10 + 100 + 400 + 30);
    assert_eq!(before["grain"]["critical_path_ns"], after["grain"]["critical_path_ns"]);
    assert_eq!(before["tasks"]["span_ns"], after["tasks"]["span_ns"]);
    for problem in ["low-parallelism", "sibling-imbalance"] {
        assert_eq!(having(&before, problem), having(&after, problem), "{problem}");
    }
    let dot = ok(path, &["export", "depend", "--to", "dot"]);
    let edges: Vec<&str> = dot.lines().filter(|line| line.contains(" -> ")).collect();
    let depends = edges.iter().filter(|line| line.contains("e_type=depend")).count();
    assert_eq!((edges.len(), depends), (14 + 4, 4), "{dot}");
    // s → r → f → a → c → d → j → e
    let critical = edges.iter().filter(|line| line.contains("penwidth=2")).count();
    assert_eq!(critical, 7, "{dot}");
    assert_eq!(dot, ok(path, &["export", "depend-back", "--to", "dot"]));
    assert_eq!(
        fs::read_to_string(path.join("depend.graphml")).unwrap(),
        ok(path, &["export", "depend-back", "--to", "plain-graphml"])
    );
}

#[test]
fn what_a_graph_says_of_itself_is_checked() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "2", "fib");
    ok(path, &["export", "fib", "--to", "plain-graphml", "-o", "fib.graphml"]);
    let error = fails(path, &["import", "fib.graphml", "-o", "run", "--clock-hz", "1e9"]);
    assert!(error.contains("fib.graphml") && error.contains("nanoseconds"), "{error}");
    let text = fs::read_to_string(path.join("fib.graphml")).unwrap();
    for workers in ["0", "-1", "many", "5000", ""] {
        let wrong = text.replace(r#""g_workers">2<"#, &format!(r#""g_workers">{workers}<"#));
        fs::write(path.join("wrong.graphml"), wrong).unwrap();
        let error = fails(path, &["import", "wrong.graphml", "-o", "run"]);
        assert!(error.contains("g_workers") && error.contains("1 to 4096"), "{error}");
    }
    ok(path, &["export", "fib", "--to", "graphml", "-o", "nested.graphml"]);
    let error = fails(path, &["import", "nested.graphml", "-o", "run"]);
    assert!(error.contains("an edge leads from or to a group"), "{error}");
    assert!(!path.join("run").exists());
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

#[test]
fn a_pipe_is_written_into_and_not_replaced() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "2", "fib");
    let pipe = path.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    ok(path, &["export", "fib", "--to", "dot", "-o", "pipe"]);
    assert!(!fs::metadata(&pipe).unwrap().is_file());
    assert_eq!(reader.join().unwrap(), ok(path, &["export", "fib", "--to", "dot"]));
}

#[test]
fn groups_are_compared_by_their_structure() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "2", "fib");
    synth(path, "sort", "2", "sort");
    let compare = |a: &str, b: &str, groups: &str| -> Value {
        serde_json::from_str(&ok(path, &["compare", a, b, "--groups", groups, "--json"])).unwrap()
    };
    let same = compare("fib", "fib", "0,0");
    assert_eq!((same["same_structure"].as_bool(), same["similarity"].as_f64()), (Some(true), Some(1.0)));
    let other = compare("fib", "sort", "0,0");
    assert_eq!(other["same_structure"].as_bool(), Some(false));
    let similarity = other["similarity"].as_f64().unwrap();
    assert!((0.0..1.0).contains(&similarity), "{similarity}");
    let text = ok(path, &["compare", "fib", "fib", "--groups", "0,1"]);
    assert!(text.contains("not the same structure, similarity"), "{text}");
    let error = fails(path, &["compare", "fib", "sort", "--groups", "0,99999999"]);
    assert!(error.contains("sort") && error.contains("99999999"), "{error}");
    let error = fails(path, &["compare", "fib", "sort", "--groups", "first"]);
    assert!(error.contains("first") && error.contains("12,34"), "{error}");
    // Ids as they are printed.
    let text = ok(path, &["compare", "fib", "fib", "--groups", "g0,1"]);
    assert!(text.contains(" g0 of fib (") && text.contains(" g1 of fib (1 grain)"), "{text}");
    assert!(!path.join("sort/baseline.json").exists(), "comparing groups notes nothing");
}
