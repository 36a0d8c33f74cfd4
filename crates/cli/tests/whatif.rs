//! `crosscut whatif`, used as a person or a script would use it, rightly and wrongly.

use crate::support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::{fails, folder, ok};

/// A run of 2,500 tasks on three workers.
fn synth(folder: &Path) {
    ok(folder, &["synth", "fib", "--size", "1e4", "--workers", "3"]);
}

fn json(folder: &Path, options: &[&str]) -> Value {
    let args = [&["whatif", "fib.crosscut", "--json"], options].concat();
    serde_json::from_str(&ok(folder, &args)).unwrap()
}

#[test]
fn a_table_with_the_runs_own_workers() {
    let folder = folder();
    synth(folder.path());
    let text = ok(folder.path(), &["whatif", "fib.crosscut", "--workers", "1,2,64"]);
    assert!(text.starts_with("fib.crosscut: 2\u{2009}500 tasks, recorded in "), "{text}");
    let rows: Vec<&str> = text.lines().skip_while(|line| !line.contains("predicted")).collect();
    let first = |row: &str| row.trim_start_matches('→').split_whitespace().next().unwrap().to_owned();
    let workers: Vec<String> = rows[1..5].iter().map(|row| first(row)).collect();
    assert_eq!(workers, ["1", "2", "3", "64"]);
    assert!(rows[3].starts_with('→'), "{text}");
    assert!(text.contains("Recorded on 3 workers: "), "{text}");
    assert!(!text.contains("estimate") && !text.contains("faster"), "{text}");
}

#[test]
fn what_scripts_read() {
    let folder = folder();
    synth(folder.path());
    let answer = json(folder.path(), &["--no-overhead"]);
    let points = answer["points"].as_array().unwrap();
    assert_eq!(points.len(), 16);
    assert_eq!(points[0]["elapsed_ns"], answer["work_ns"]);
    assert_eq!(points[0]["speedup"], 1.0);
    assert_eq!(answer["gained_ns"], 0);
    let ns = |value: &Value, key: &str| value[key].as_i64().unwrap();
    for point in points {
        assert!(ns(point, "low_ns") <= ns(point, "elapsed_ns"), "{point}");
        assert!(ns(point, "elapsed_ns") <= ns(point, "high_ns"), "{point}");
        assert_eq!(point["exact"], true);
    }
    // The synthetic scheduler is greedy but for steals: the prediction is near.
    let counted = json(folder.path(), &[]);
    let (recorded, predicted) = (ns(&counted, "elapsed_ns"), ns(&counted["before"], "elapsed_ns"));
    let error = (predicted as f64 / recorded as f64 - 1.0).abs();
    assert!(error < 0.1, "{predicted} for {recorded}");
}

#[test]
fn what_if_something_were_faster() {
    let folder = folder();
    synth(folder.path());
    let answer = json(folder.path(), &["--faster", "0=2", "--no-overhead", "--workers", "3"]);
    let ns = |key: &str| answer[key]["elapsed_ns"].as_f64().unwrap();
    assert!((ns("before") / ns("after") - 2.0).abs() < 0.01, "{answer}");
    assert_eq!(answer["faster"][0]["node"], 0);

    let text = ok(folder.path(), &["whatif", "fib.crosscut", "--faster", "0=2", "--faster", "5=1.5"]);
    assert!(text.contains("node 0 (") && text.contains("node 5 (") && text.contains("a gain of "), "{text}");
}

#[test]
fn grains_are_taken_by_their_ids() {
    let folder = folder();
    synth(folder.path());
    let by_grain = json(folder.path(), &["--faster", "g0=2"]);
    assert_eq!(by_grain, json(folder.path(), &["--faster", "0=2"]), "the program");
    // The second grain is the first task that the program creates.
    let task = json(folder.path(), &["--faster", "g3=2"])["faster"][0]["node"].clone();
    assert!(task.as_u64().unwrap() > 0, "{task}");
}

#[test]
fn without_tasks_there_is_no_overhead() {
    let folder = folder();
    let text = "<graphml><graph edgedefault=\"directed\">\
        <node id=\"s\"><data key=\"v_kind\">start</data></node><node id=\"f\"><data key=\"v_kind\">fork</data></node>\
        <node id=\"c\"><data key=\"v_kind\">chunk</data><data key=\"v_work\">9</data></node>\
        <node id=\"j\"><data key=\"v_kind\">join</data></node><node id=\"e\"><data key=\"v_kind\">end</data></node>\
        <edge source=\"s\" target=\"f\"/><edge source=\"f\" target=\"c\"/><edge source=\"c\" target=\"j\"/>\
        <edge source=\"j\" target=\"e\"/></graph></graphml>";
    fs::write(folder.path().join("loop.graphml"), text).unwrap();
    ok(folder.path(), &["import", "loop.graphml", "-o", "loop"]);
    let text = ok(folder.path(), &["whatif", "loop"]);
    assert!(text.contains("none: no tasks were created") && !text.contains("as measured"), "{text}");
    assert!(text.contains("chunks stay with the workers that ran them"), "{text}");
    assert!(text.starts_with("loop: 0 tasks, recorded in 9.00 ticks on 1 worker\n"), "{text}");
}

#[test]
fn wrong_wishes_are_named() {
    let folder = folder();
    synth(folder.path());
    for (options, says) in [
        (&["--workers", "0"][..], "1 to 4096"),
        (&["--workers", "4097"], "1 to 4096"),
        (&["--workers", "two"], "such as 1,2,4,8"),
        (&["--workers", "-1"], "such as 1,2,4,8"),
        (&["--faster", "g99999999=2"], "there is no g99999999: the run has grains and groups g0 to g"),
        (&["--faster", "gg1=2"], "g17=2 or sort.c:26=2"),
        (&["--faster", "17"], "such as 17=2"),
        (&["--faster", "17=0"], "K must be above 0"),
        (&["--faster", "17=-2"], "K must be above 0"),
        (&["--faster", "17=fast"], "such as 17=2"),
        (&["--faster", "17=1e9"], "from 0.001 to 1000000"),
        (&["--faster", "99999999=2"], "there is no node 99999999: the run has nodes 0 to 10001"),
    ] {
        let error = fails(folder.path(), &[&["whatif", "fib.crosscut"], options].concat());
        assert!(error.contains(says), "{options:?}: {error}");
    }
    assert!(fails(folder.path(), &["whatif", "missing"]).contains("no such directory"));
}

#[test]
fn a_run_without_tasks() {
    let folder = folder();
    synth(folder.path());
    let manifest = folder.path().join("fib.crosscut/manifest.json");
    let mut json: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    json["facts"].as_object_mut().unwrap().remove("tasks");
    json.as_object_mut().unwrap().remove("checksum");
    fs::write(&manifest, json.to_string()).unwrap();
    let error = fails(folder.path(), &["whatif", "fib.crosscut"]);
    assert!(error.contains("fib.crosscut: this run has no tasks to replay"), "{error}");
}

#[test]
fn a_line_is_made_faster_by_its_name() {
    let folder = folder();
    synth(folder.path());
    let report: Value =
        serde_json::from_str(&ok(folder.path(), &["report", "fib.crosscut", "--json"])).unwrap();
    let problems = report["grain"]["problems"].as_object().unwrap();
    let place = problems.values().find_map(|problem| problem["where"][0].as_str());
    let place = place.expect("a grain with a line").to_owned();
    let answer = json(folder.path(), &["--faster", &format!("{place}=4")]);
    assert_eq!(answer["faster"][0]["where"], place.as_str());
    assert!(answer["changed_work_ns"].as_i64() < answer["work_ns"].as_i64(), "{answer:#}");
    let text = ok(folder.path(), &["whatif", "fib.crosscut", "--faster", &format!("{place}=4")]);
    assert!(text.contains(&format!("what if     {place} were 4.00 times as fast")), "{text}");
    let said = fails(folder.path(), &["whatif", "fib.crosscut", "--faster", "nowhere.c:1=2"]);
    assert!(said.contains("nothing began at nowhere.c:1"), "{said}");
}
