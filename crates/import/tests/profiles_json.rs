//! Profiles as JSON of speedscope, Chrome, the Firefox Profiler, samply and Hatchet.

use crate::profile;

use crosscut_tree::NodeId;
use profile::{adds_up, check, children, fixture, named, read, read_text, refused, titles, top};

fn notes(calls: &crosscut_calls::Calls, text: &str) -> bool {
    calls.summary().notes.iter().any(|note| note.contains(text))
}

#[test]
fn speedscope() {
    let (_work, calls) = read(&fixture("speedscope.json"));
    check(&calls, 7, 3, 17_000_250);
    assert_eq!(calls.inclusive(1, NodeId::ROOT), 4096);
    assert_eq!(calls.at_places(0, 0..calls.node_count()), [16_000_000, 1_000_250, 0]);
    let first = [("wait", 8_000_000), ("blas::dot", 4_850_250), ("main", 2_500_000), ("solve", 1_600_000)];
    assert_eq!(top(&calls, 4), named(&first));
    assert!(notes(&calls, "2 calls never close"));
    assert_eq!(calls.frame(NodeId(1)).map(|frame| (frame.file.as_str(), frame.line)), Some(("prog.c", 10)));
}

/// Keys in any order: the unit after the events, weights before the samples.
#[test]
fn speedscope_in_any_order() {
    let text = r#"{"profiles": [
        {"events": [{"at": 1, "frame": 0, "type": "O"}, {"at": 3.5, "type": "C", "frame": 0}],
         "type": "evented", "unit": "seconds", "name": "a", "startValue": 0, "endValue": 4},
        {"weights": [2], "samples": [[0]], "type": "sampled", "unit": "seconds", "name": "b"}],
        "shared": {"frames": [{"name": "f"}]}, "$schema": "https://www.speedscope.app/file-format-schema.json"}"#;
    let (_work, calls) = read_text(text).unwrap();
    check(&calls, 1, 2, 4_500_000_000);
}

#[test]
fn what_is_wrong_with_speedscope() {
    let file = |profile: &str| {
        format!(
            r#"{{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {{"frames": [{{"name": "f"}}]}},
            "profiles": [{{"type": "evented", "unit": "seconds", "name": "a", "endValue": 4, {profile}}}]}}"#
        )
    };
    for (profile, expected) in [
        (r#""events": [{"type": "C", "frame": 0, "at": 1}]"#, "frame 0 closes, but nothing is open"),
        (
            r#""events": [{"type": "O", "frame": 0, "at": 2}, {"type": "C", "frame": 0, "at": 1}]"#,
            "time goes back",
        ),
        (
            r#""events": [{"type": "O", "frame": 0, "at": 2}, {"type": "C", "frame": 1, "at": 3}]"#,
            "frame 1 closes, but 0",
        ),
        (r#""events": [{"type": "O", "frame": 5, "at": 2}]"#, "frame 5 is not in the table of 1 frames"),
        (r#""events": [{"type": "O", "frame": 0, "at": 9}]"#, "ends before its last event"),
        (r#""events": [{"type": "Q", "frame": 0, "at": 9}]"#, "neither opens (O) nor closes (C)"),
        (r#""samples": [[0]], "weights": []"#, "1 samples and 0 weights"),
        (r#""samples": [[0]]"#, "no weights"),
        (r#""unit": "furlongs", "samples": [[0]]"#, "a unit that speedscope has not: furlongs"),
        (r#""name": "b""#, "neither samples nor events"),
    ] {
        let what = refused(file(profile).as_bytes());
        assert!(what.starts_with("byte ") && what.contains(expected), "{profile}\n{what}");
    }
}

#[test]
fn chrome() {
    let (_work, calls) = read(&fixture("chrome.json"));
    check(&calls, 8, 4, 127_001);
    assert_eq!(
        top(&calls, 4),
        named(&[("main", 110_501), ("dot", 8_000), ("solve", 7_500), ("loop", 1_000)])
    );
    assert_eq!(
        calls.summary().metrics.iter().map(|metric| metric.name.as_str()).collect::<Vec<_>>(),
        ["time", "calls", "samples"]
    );
    assert_eq!((calls.inclusive(1, NodeId::ROOT), calls.inclusive(2, NodeId::ROOT)), (7, 4));
    assert!(notes(&calls, "1 spans never end"));
}

/// Threads that are marked by a span without a length, and sampled: numbers in quotes, processes named.
#[test]
fn chrome_with_samples_alone() {
    let text = r#"{"traceEvents": [
        {"name": "js", "ph": "X", "dur": 0, "pid": 75, "ts": "100", "tid": "1", "args": {}},
        {"name": "js", "ph": "X", "dur": 0, "pid": 75, "ts": "100", "tid": "2", "args": {}}],
        "samples": [
        {"cpu": "-1", "name": "", "ts": "110", "pid": 75, "tid": "1", "weight": "1", "sf": 2},
        {"cpu": "-1", "name": "", "ts": "120", "pid": 75, "tid": "2", "weight": "2", "sf": 1},
        {"cpu": "-1", "name": "", "ts": "130", "pid": 75, "tid": "1", "weight": "1", "sf": 9}],
        "stackFrames": {"1": {"name": "[root]", "category": "root"}, "2": {"name": "f", "category": "js", "parent": 1}}}"#;
    let (_work, calls) = read_text(text).unwrap();
    assert_eq!(calls.summary().metrics[0].name, "samples");
    assert_eq!(calls.at_places(0, 0..calls.node_count()), [2, 2]);
    assert_eq!(top(&calls, 3), named(&[("[root]", 2), ("f", 1), ("(outside)", 1)]));
    assert!(notes(&calls, "1 stacks name a frame that is not in the file"));
}

/// What writers get wrong, and what is made of it.
#[test]
fn chrome_with_loose_ends() {
    // No bracket at the end, and a comma; an end with another name; spans that overlap; an end of nothing.
    let text = r#"[
        {"ph": "B", "pid": 1, "tid": 1, "ts": 0, "name": "a"},
        {"ph": "B", "pid": 1, "tid": 1, "ts": 1, "name": "b"},
        {"ph": "E", "pid": 1, "tid": 1, "ts": 5, "name": "a"},
        {"ph": "E", "pid": 1, "tid": 1, "ts": 6, "name": "c"},
        {"ph": "X", "pid": 1, "tid": 2, "ts": 0, "dur": 10, "name": "x"},
        {"ph": "X", "pid": 1, "tid": 2, "ts": 4, "dur": 10, "name": "y"},
        {"ph": "X", "pid": 1, "tid": 2, "ts": 20, "name": "z"},
    "#;
    let (_work, calls) = read_text(text).unwrap();
    check(&calls, 5, 2, 15_000);
    assert_eq!(top(&calls, 4), named(&[("y", 6_000), ("b", 4_000), ("x", 4_000), ("a", 1_000)]));
    for said in ["without its last bracket", "1 spans reach beyond", "2 ends have another name"] {
        assert!(notes(&calls, said), "{said}: {:?}", calls.summary().notes);
    }
    assert!(refused(br#"[{"ph": "C", "pid": 1, "ts": 0, "name": "a"}]"#).contains("events: 1 of `C`"));
    assert!(
        refused(br#"[{"ph": "X", "pid": 1, "ts": 0, "dur": -1, "name": "a"}]"#).contains("less than nothing")
    );
    assert!(refused(br#"[{"ph": "X", "pid": 1, "ts": 0, "dur""#).contains("the file ends in the middle"));
    assert!(refused(br#"[{"ph": "X", "pid": 1, "ts": 1e300, "name": "a"}]"#).contains("a time of"));
}

#[test]
fn firefox() {
    let (_work, calls) = read(&fixture("firefox.json"));
    check(&calls, 5, 2, 12);
    assert_eq!(calls.at_places(0, 0..calls.node_count()), [5, 7]);
    let first = [("loop", 7), ("dot", 3), ("(outside)", 1), ("core::fmt::Write::write_fmt", 1)];
    assert_eq!(top(&calls, 4), named(&first));
    let main = calls.frames().iter().find(|frame| frame.name == "main").unwrap();
    assert_eq!(main.module, "prog");
    assert!(notes(&calls, "every 1 ms"));
}

#[test]
fn samply() {
    let (_work, calls) = read(&fixture("samply.json"));
    check(&calls, 3, 2, 9);
    assert_eq!(calls.at_places(0, 0..calls.node_count()), [4, 5]);
    assert_eq!(children(&calls, NodeId(1)), named(&[("solve", 4)]));
}

#[test]
fn raw_profiles_of_the_browser() {
    let (_work, calls) = read(&fixture("gecko.json"));
    check(&calls, 3, 2, 4);
    assert_eq!(children(&calls, NodeId::ROOT), named(&[("main", 3), ("loop", 1)]));
    let dot = calls.frames().iter().find(|frame| frame.name == "dot").unwrap();
    assert_eq!((dot.file.as_str(), dot.line), ("blas.js", 12));
}

#[test]
fn what_is_wrong_with_firefox_profiles() {
    let text = std::fs::read_to_string(fixture("samply.json")).unwrap();
    for (from, to, expected) in [
        (r#""stack": [2, 2, 1]"#, r#""stack": [2, 7, 1]"#, "stack 7 is not in the table"),
        (r#""prefixOffset": [0, 1, 1]"#, r#""prefixOffset": [0, 1, -1]"#, "which does not come before it"),
        (r#""func": [0, 1, 2]"#, r#""func": [0, 1, 9]"#, "its function is not in the table"),
        (r#""weight": [1, 1, 2]"#, r#""weight": [1, 2]"#, "3 samples have 2 weights"),
        (
            r#""stringArray": ["main", "solve", "dot"]"#,
            r#""stringArray": ["main"]"#,
            "its name is not in the table",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        let what = refused(text.replace(from, to).as_bytes());
        assert!(what.starts_with("byte ") && what.contains(expected), "{what}");
    }
}

#[test]
fn hatchet_literal() {
    let (_work, calls) = read(&fixture("hatchet.literal"));
    check(&calls, 5, 1, 30_000_000);
    assert_eq!(children(&calls, NodeId::ROOT), named(&[("foo", 30_000_000)]));
    assert_eq!(children(&calls, NodeId(1)), named(&[("bar", 20_000_000), ("waldo.c:7", 10_000_000)]));
    assert!(notes(&calls, "1 nodes stand below several others"));
    // Inclusive values alone are enough.
    let text = r#"[{"frame": {"name": "f"}, "metrics": {"time (inc)": 3.5},
        "children": [{"frame": {"name": "g"}, "metrics": {"time (inc)": 1.25}}]}]"#;
    let (_work, calls) = read_text(text).unwrap();
    check(&calls, 2, 1, 3_500_000);
    assert_eq!(top(&calls, 2), named(&[("f", 2_250_000), ("g", 1_250_000)]));
}

#[test]
fn hatchet_json() {
    let (_work, calls) = read(&fixture("hatchet.json"));
    check(&calls, 4, 2, 10_500_000);
    assert_eq!(calls.at_places(0, 0..calls.node_count()), [10_000_000, 500_000]);
    assert!(notes(&calls, "1 nodes stand below several others"));
    let text = std::fs::read_to_string(fixture("hatchet.json")).unwrap();
    let circle = text.replace(
        r#""name": "dot", "type": "function"}, "children": []"#,
        r#""name": "dot"}, "children": [1]"#,
    );
    let (_work, calls) = read_text(&circle).unwrap();
    adds_up(&calls);
    assert!(refused(text.replace(r#""node": 3,"#, r#""node": 33,"#).as_bytes()).contains("not in the graph"));
    assert!(
        refused(text.replace(r#""children": [1, 2]"#, r#""children": [1, 22]"#).as_bytes())
            .contains("node 22 is not")
    );
}

/// Threads are called what the file calls them; two of one name are told apart by their numbers.
#[test]
fn threads_have_their_names() {
    let chrome = r#"[{"ph": "M", "name": "thread_name", "pid": 7, "tid": 70, "args": {"name": "main"}},
        {"args": {"name": "worker"}, "ph": "M", "name": "thread_name", "pid": 7, "tid": 71},
        {"ph": "M", "name": "thread_name", "pid": 7, "tid": 72, "args": {"name": "worker"}},
        {"ph": "M", "name": "thread_name", "pid": 9, "tid": 99, "args": {"name": "never seen"}},
        {"ph": "X", "name": "f", "pid": 7, "tid": 70, "ts": 0, "dur": 1, "args": {"name": "of the span"}},
        {"ph": "X", "name": "f", "pid": 7, "tid": 71, "ts": 0, "dur": 1},
        {"ph": "X", "name": "f", "pid": 7, "tid": 72, "ts": 0, "dur": 1},
        {"ph": "X", "name": "f", "pid": 8, "tid": 80, "ts": 0, "dur": 1}]"#;
    let (_work, calls) = read_text(chrome).unwrap();
    assert_eq!(titles(&calls), ["rank 0, main", "rank 0, worker (71)", "rank 0, worker (72)", "rank 1"]);
    let speedscope = r#"{"$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "f"}]}, "profiles": [
        {"type": "sampled", "unit": "seconds", "name": "render", "samples": [[0]], "weights": [2]},
        {"type": "sampled", "unit": "seconds", "name": "load", "samples": [[0]], "weights": [2]}]}"#;
    let (_work, calls) = read_text(speedscope).unwrap();
    assert_eq!(titles(&calls), ["rank 0, render", "rank 0, load"]);
}

/// A profile of samply as it is recorded: addresses instead of names, sources in a table of their own.
#[test]
fn what_samply_has_not_looked_up() {
    let thread = |name: &str, tid: i64, weights: &str| {
        format!(
            r#"{{"name": "{name}", "pid": "5", "tid": {tid}, "samples": {{"stack": [0, 1, 1], "weight": {weights}, "weightType": "samples"}}}}"#
        )
    };
    let text = format!(
        r#"{{"meta": {{"preprocessedProfileVersion": 66, "interval": 0.5}}, "threads": [{}, {}],
        "shared": {{"stringArray": ["main", "0x1a2b", "app", "/a/x.c"],
        "stackTable": {{"prefix": [null, 0], "frame": [0, 1]}}, "frameTable": {{"func": [0, 1], "address": [-1, 6699]}},
        "funcTable": {{"name": [0, 1], "resource": [0, 0], "source": [0, null], "lineNumber": [3, null]}},
        "resourceTable": {{"name": [2]}}, "sources": {{"filename": [3], "length": 1}}}}}}"#,
        thread("main", 50, "null"),
        thread("io", 51, "[2, 3, 4]")
    );
    let (_work, calls) = read_text(&text).unwrap();
    check(&calls, 2, 2, 12);
    assert_eq!(titles(&calls), ["rank 0, main", "rank 0, io"]);
    let names: Vec<&str> = calls.summary().metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(names, ["samples", "time"]);
    assert_eq!(calls.inclusive(1, NodeId::ROOT), 6_000_000, "12 samples of half a millisecond");
    assert_eq!(calls.frame(NodeId(1)).map(|frame| (frame.file.as_str(), frame.line)), Some(("/a/x.c", 3)));
    assert!(notes(&calls, "1 of 2 functions have no names"), "{:?}", calls.summary().notes);
}

#[test]
fn ranks_of_hatchet_that_are_none_are_errors() {
    let text = r#"[{"frame": {"name": "f"}, "metrics": {"time": 1.0, "rank": -3}, "children": []}]"#;
    let what = refused(text.as_bytes());
    assert!(what.starts_with("byte ") && what.contains("a row of rank -3"), "{what}");
}
