//! `crosscut compare` and `crosscut baseline` from the built command.

use crate::support;

use std::fs;
use std::process::Command;

use serde_json::Value;
use support::grain::{fixture, having, number, report, synth};
use support::{crosscut, fails, folder, ok};

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

/// A run from a stranger brings its note along: it may be a link, have no end, or lead anywhere.
#[test]
fn a_strangers_note_is_refused() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "1", "one");
    synth(path, "fib", "4", "four");
    let note = path.join("four/baseline.json");
    let refused = |why: &str| {
        let output = crosscut(path, &["report", "four"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("four/baseline.json: damaged") && said.contains(why), "{said}");
        fs::remove_file(&note).unwrap();
    };
    for target in ["/dev/zero", "/proc/self/pagemap", "../one/baseline.json"] {
        std::os::unix::fs::symlink(target, &note).unwrap();
        refused("it is a link");
    }
    assert!(Command::new("mkfifo").arg(&note).status().unwrap().success());
    refused("not a plain file");
    // Elsewhere: by way of folders above, by its whole path, behind a link; though it be a run.
    let elsewhere = support::folder();
    synth(elsewhere.path(), "fib", "1", "one");
    let other = elsewhere.path().join("one");
    std::os::unix::fs::symlink(elsewhere.path(), path.join("four/link")).unwrap();
    for target in ["../../etc", other.to_str().unwrap(), "/gone", "four/link/one"] {
        fs::write(&note, serde_json::json!({ "baseline": target }).to_string()).unwrap();
        refused("leads out of the folder");
    }
    fs::remove_file(path.join("four/link")).unwrap();
    // Nor is it noted; whoever names it is obeyed.
    let said = fails(path, &["baseline", "four", other.to_str().unwrap()]);
    assert!(said.contains("does not lie in") && said.contains("--baseline"), "{said}");
    assert!(!note.exists());
    let json = report(path, "four", &["--baseline", other.to_str().unwrap()]);
    assert_eq!(json["grain"]["baseline"]["run"], "one");
    // A whole path that leads beside the run is as good as a short one.
    fs::write(&note, serde_json::json!({ "baseline": path.join("one") }).to_string()).unwrap();
    assert_eq!(report(path, "four", &[])["grain"]["baseline"]["run"], "one");
    fs::File::create(&note).unwrap().set_len(1 << 40).unwrap();
    refused("more than 65536 bytes");
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
