//! Forms of profiles that tools write beside the usual ones: totals that are known by construction.

use crate::profile;

use crosscut_calls::{Calls, Unit};
use crosscut_tree::NodeId;
use profile::{check, children, fixture, gzip, named, read_bytes, read_text, refused, top};

fn total(calls: &Calls, metric: usize) -> (String, Unit, i64) {
    let measured = &calls.summary().metrics[metric];
    (measured.name.clone(), measured.unit, calls.inclusive(metric, NodeId::ROOT))
}

#[test]
fn weights_of_collapsed_stacks_that_are_not_whole_are_kept() {
    let (_work, calls) = read_text("main;a;b 1.5\nmain;a 2.25\nmain 3\n").unwrap();
    assert_eq!(total(&calls, 0), ("samples".to_owned(), Unit::Micro, 6_750_000));
    let (_work, calls) = read_text("main;a 1.5 2\nmain;b 0.5 1\n").unwrap();
    assert_eq!((total(&calls, 0).2, total(&calls, 1).2), (3_000_000, 2_000_000));
    // A fraction that comes late is rounded, and the run says so.
    let late: String =
        (0..1000).map(|n| format!("main;f{n} 1\n")).chain(["main;z 0.7\n".to_owned()]).collect();
    let (_work, calls) = read_text(&late).unwrap();
    assert_eq!(total(&calls, 0).2, 1001);
    assert!(calls.summary().notes.iter().any(|note| note.contains("rounded")), "{:?}", calls.summary().notes);
}

#[test]
fn samples_of_perf_script_without_a_period_are_counted() {
    let sample =
        |time: &str, frame: &str| format!("prog 1234 {time}: cpu-clock: \n\t55d0 {frame} (/bin/a)\n\n");
    let (_work, calls) = read_text(&(sample("1.5", "main") + &sample("1.6", "f"))).unwrap();
    assert_eq!(total(&calls, 0), ("cpu-clock".to_owned(), Unit::Count, 2));
}

/// `-F +addr` puts an address behind the event; a program may have a name that is a hexadecimal number.
#[test]
fn what_stands_behind_the_event_is_no_frame_of_a_stack() {
    let text = "prog 1234 [000] 1.000001: 1000 cycles:u:  ffff8800 \n\t55d0 main (/bin/a)\n\t55e0 _start (/bin/a)\n\n\
                \x20              a 1234 [000] 1.000002: 500 cycles:u: 55d0 main (/bin/a)\n\
                \x20              a 1234 [000] 1.000003: 500 cycles:u: 55d4 main (/bin/a)\n";
    let (_work, calls) = read_text(text).unwrap();
    check(&calls, 3, 1, 2000);
    assert_eq!(top(&calls, 1), named(&[("main", 2000)]));
}

/// The form `object` says units behind its records; what Caliper's configurations call `time` is in seconds.
#[test]
fn units_of_caliper_records() {
    let text = r#"{"records":[{"path":"main/a","sum#sum#time.duration":1.5,"mpi.rank":1}],"globals":{"x":"y"},
        "attributes":{"path":{"is_nested":true},"sum#sum#time.duration":{"is_value":true,"attribute.unit":"sec"}}}"#;
    let (_work, calls) = read_text(text).unwrap();
    assert_eq!(total(&calls, 0), ("time".to_owned(), Unit::Ns, 1_500_000_000));
    let text = r#"[{"path":"main/a","time":1.5,"mpi.rank":0},{"path":"main","time":0.5,"mpi.rank":1},{"time":0.25}]"#;
    let (_work, calls) = read_text(text).unwrap();
    check(&calls, 3, 2, 2_250_000_000);
}

#[test]
fn sessions_of_pyinstrument() {
    let session = r#"{"frame_records":[[["<module>\u0000/a/x.py\u00001\u0001l5","f\u0000/a/x.py\u00003\u0001l4"],0.5],
        [["<module>\u0000/a/x.py\u00001\u0001l7"],0.25]],"start_time":1.0,"sample_count":2}"#;
    for text in [session.to_owned(), format!(r#"{{"session":{session},"frame_tree":null}}"#)] {
        let (_work, calls) = read_text(&text).unwrap();
        check(&calls, 2, 1, 750_000_000);
        assert_eq!(top(&calls, 2), named(&[("f", 500_000_000), ("<module>", 250_000_000)]));
        assert_eq!(calls.frame(NodeId(1)).map(|frame| frame.file.as_str()), Some("/a/x.py"));
    }
    let broken = session.replace(",0.25", "");
    assert!(read_text(&broken).unwrap_err().to_string().contains("without its seconds"));
}

/// Frames were only names once.
#[test]
fn hatchet_literals_of_old() {
    let text = r#"[{"name":"foo","metrics":{"time (inc)":30.0,"time":10.0},"children":[
        {"name":"bar","metrics":{"time (inc)":20.0,"time":20.0},"children":[]}]}]"#;
    let (_work, calls) = read_text(text).unwrap();
    check(&calls, 2, 1, 30_000_000);
}

/// Calls with their depths instead of a tree; values include what was called.
#[test]
fn lists_of_timemory() {
    let call = |prefix: &str, depth: u32, value: f64| {
        format!(
            r#"{{"hash":1,"prefix":"{prefix}","depth":{depth},"entry":{{"laps":1,"repr_data":{value}}}}}"#
        )
    };
    let calls = [
        call(">>> main", 0, 10.0),
        call(">>> |_f", 1, 4.0),
        call(">>>   |_g", 2, 1.0),
        call(">>> |_h", 1, 2.0),
    ];
    let list = calls.join(",");
    let text = format!(
        r#"{{"timemory":{{"wall_clock":{{"unit_repr":"sec","ranks":[{{"rank":0,"graph":[{list}]}},
        {{"rank":3,"graph":[{list}]}}]}}}}}}"#
    );
    let (_work, calls) = read_text(&text).unwrap();
    check(&calls, 4, 2, 20_000_000_000);
    let own = [("main", 8_000_000_000), ("f", 6_000_000_000), ("h", 4_000_000_000), ("g", 2_000_000_000)];
    assert_eq!(top(&calls, 4), named(&own));
    assert!(read_text(&text.replace("\"rank\":3", "\"rank\":-3")).is_err());
}

#[test]
fn several_metrics_of_tau_tell_calls_once() {
    let work = tempfile::tempdir().unwrap();
    for (metric, one) in [("PAPI_TOT_CYC", 1000), ("TIME", 1)] {
        let folder = work.path().join(format!("tau/MULTI__{metric}"));
        std::fs::create_dir_all(&folder).unwrap();
        for rank in 0..2 {
            let text = format!(
                "3 templated_functions_MULTI_{metric}\n# Name Calls Subrs Excl Incl ProfileCalls\n\
                 \"main\" 1 2 {} {} 0 GROUP=\"TAU_USER\"\n\"f()\" 2 0 {} {} 0 GROUP=\"TAU_USER\"\n\
                 \"main => f()\" 2 0 {} {} 0 GROUP=\"TAU_CALLPATH|TAU_USER\"\n0 aggregates\n",
                10 * one,
                100 * one,
                90 * one,
                90 * one,
                90 * one,
                90 * one
            );
            std::fs::write(folder.join(format!("profile.{rank}.0.0")), text).unwrap();
        }
    }
    let (_work, calls) = profile::read(&work.path().join("tau"));
    let all: Vec<_> = (0..3).map(|metric| total(&calls, metric)).collect();
    let named = |name: &str, unit, value| (name.to_owned(), unit, value);
    assert_eq!(calls.summary().metrics.len(), 3);
    assert_eq!(
        all,
        [
            named("TIME", Unit::Ns, 200_000),
            named("calls", Unit::Count, 6),
            named("PAPI_TOT_CYC", Unit::Count, 200_000)
        ]
    );
}

fn notes(calls: &Calls, text: &str) -> bool {
    calls.summary().notes.iter().any(|note| note.contains(text))
}

/// `-b` leaves out explanations, `-q` the flat table.
#[test]
fn gprof_without_explanations() {
    let whole = std::fs::read_to_string(fixture("gprof.txt")).unwrap();
    let (_work, known) = read_text(&whole).unwrap();
    let graph = whole.find("\t\t     Call graph").unwrap();
    let (flat, graph) = whole.split_at(graph);
    let graph = &graph[..graph.find("\n This table describes").unwrap()];
    let graph = format!("{}\n\x0c\n", graph.replace(" (explanation follows)", ""));
    let brief = format!("{}\n\x0c\n{graph}", &flat[..flat.find("\n %         the percentage").unwrap()]);
    for text in [&brief, &graph] {
        let (_work, calls) = read_text(text).unwrap();
        check(&calls, known.summary().nodes, 1, 30_000_000);
        assert_eq!(children(&calls, NodeId::ROOT), children(&known, NodeId::ROOT));
        assert!(!notes(&calls, "no call graph"));
    }
}

/// `tau_exec -ebs`: what was sampled in a timer stands below it, and is part of the timer's own time.
#[test]
fn samples_of_tau_are_counted_once() {
    let rows = [
        ("main", 1, 100, 1000, "TAU_USER"),
        ("f()", 2, 900, 900, "TAU_USER"),
        ("main => f()", 2, 900, 900, "TAU_CALLPATH|TAU_USER"),
        ("[CONTEXT] f()", 8, 0, 800, "TAU_SAMPLE_CONTEXT"),
        ("main => f()  => [CONTEXT] f()", 8, 0, 800, "TAU_SAMPLE_CONTEXT|TAU_CALLPATH"),
        (
            "main => f()  => [CONTEXT] f()  => [SAMPLE] dot [{/a/x.c} {12}]",
            5,
            500,
            500,
            "TAU_SAMPLE|TAU_CALLPATH",
        ),
        (
            "main => f()  => [CONTEXT] f()  => [SAMPLE] dot [{/a/x.c} {13}]",
            1,
            100,
            100,
            "TAU_SAMPLE|TAU_CALLPATH",
        ),
        (
            "main => f()  => [CONTEXT] f()  => [UNWIND] g [{/a/x.c} {40}]",
            2,
            0,
            200,
            "TAU_UNWIND|TAU_SAMPLE|TAU_CALLPATH",
        ),
        (
            "main => f()  => [CONTEXT] f()  => [UNWIND] g [{/a/x.c} {40}] => [SAMPLE] dot [{/a/x.c} {12}]",
            2,
            200,
            200,
            "TAU_UNWIND|TAU_SAMPLE|TAU_CALLPATH",
        ),
        ("[SAMPLE] dot [{/a/x.c} {12}]", 7, 700, 700, "TAU_SAMPLE"),
        ("[SAMPLE] dot [{/a/x.c} {13}]", 1, 100, 100, "TAU_SAMPLE"),
        ("[UNWIND] g [{/a/x.c} {40}]", 2, 0, 200, "TAU_UNWIND"),
        ("[SUMMARY] dot [{/a/x.c}]", 8, 800, 800, "TAU_SAMPLE"),
    ];
    let row = |&(name, calls, own, all, group): &(&str, i64, i64, i64, &str)| {
        format!("\"{name}\" {calls} 0 {own} {all} 0 GROUP=\"{group}\"\n")
    };
    let work = tempfile::tempdir().unwrap();
    let read = |rows: &[(&str, i64, i64, i64, &str)]| {
        let text = format!(
            "{} templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n{}0 aggregates\n",
            rows.len(),
            rows.iter().map(row).collect::<String>()
        );
        std::fs::create_dir_all(work.path().join("tau")).unwrap();
        std::fs::write(work.path().join("tau/profile.0.0.0"), text).unwrap();
        profile::read(&work.path().join("tau"))
    };
    let (_run, calls) = read(&rows);
    // main, f, dot in f, g in f, dot in g.
    check(&calls, 5, 1, 1_000_000);
    assert_eq!(top(&calls, 3), named(&[("dot", 800_000), ("main", 100_000), ("f()", 100_000)]));
    assert_eq!(calls.inclusive(1, NodeId::ROOT), 3, "samples are no calls");
    // Without call paths of timers, the paths of samples are the only ones.
    let flat: Vec<_> = rows
        .iter()
        .filter(|row| row.0 != "main => f()")
        .map(|row| (row.0.strip_prefix("main => ").unwrap_or(row.0), row.1, row.2, row.3, row.4))
        .collect();
    let (_run, calls) = read(&flat);
    check(&calls, 5, 1, 1_000_000);
    assert_eq!(children(&calls, NodeId::ROOT), named(&[("main", 100_000), ("f()", 900_000)]));
}

/// A `.cali` file with one node, `main`, and these attributes in its only record.
fn cali(attributes: &[(&str, Option<&str>, &str)]) -> String {
    let mut text = "__rec=node,id=20,attr=10,data=256,parent=3\n__rec=node,id=21,attr=8,data=function,parent=20\n\
                    __rec=node,id=22,attr=21,data=main\n__rec=node,id=23,attr=8,data=attribute.unit,parent=3\n"
        .to_owned();
    let (mut ids, mut values) = (String::new(), String::new());
    for (at, (name, unit, value)) in attributes.iter().enumerate() {
        let (id, of) = (100 + 2 * at, 101 + 2 * at);
        match unit {
            Some(unit) => text.push_str(&format!("__rec=node,id={of},attr=23,data={unit},parent=5\n")),
            None => text.push_str(&format!("__rec=node,id={of},attr=10,data=1,parent=5\n")),
        }
        text.push_str(&format!("__rec=node,id={id},attr=8,data={name},parent={of}\n"));
        ids.push_str(&format!("={id}"));
        values.push_str(&format!("={value}"));
    }
    text + &format!("__rec=ctx,ref=22,attr{ids},data{values}\n")
}

#[test]
fn operators_of_caliper_say_what_adds_up() {
    let text = cali(&[
        ("sum#count", None, "7"),
        ("sum#sum#papi.PAPI_TOT_CYC", None, "3000"),
        ("sum#sum#time.duration", Some("sec"), "1.5"),
        ("sum#inclusive#sum#time.duration", Some("sec"), "2.5"),
        ("inclusive#sum#alloc.size", None, "4"),
        ("scale#sum#time.duration.ns", None, "0.25"),
        ("variance#sum#time.duration", None, "9"),
        ("percent_total#sum#time.duration", None, "90"),
        ("avg#inclusive#sum#time.duration", None, "9"),
        ("sum#max#time.duration", None, "9"),
        ("min#aggregate.slot", None, "3"),
        ("source.function#cali.sampler.pc", None, "main"),
    ]);
    let (_work, calls) = read_text(&text).unwrap();
    let all: Vec<_> = (0..calls.summary().metrics.len()).map(|metric| total(&calls, metric)).collect();
    let named = |name: &str, unit, value| (name.to_owned(), unit, value);
    assert_eq!(
        all,
        [
            named("time", Unit::Ns, 1_500_000_000),
            named("sum#count", Unit::Count, 7),
            named("sum#sum#papi.PAPI_TOT_CYC", Unit::Micro, 3_000_000_000),
            named("time", Unit::Micro, 250_000),
            named("inclusive#sum#alloc.size", Unit::Micro, 4_000_000),
        ]
    );
    for left_out in [
        "variance#sum#time.duration",
        "percent_total#sum#time.duration",
        "avg#inclusive#sum#time.duration",
        "sum#max#time.duration",
    ] {
        assert!(notes(&calls, left_out), "{left_out}: {:?}", calls.summary().notes);
    }
    assert!(notes(&calls, "computed instead of read: sum#inclusive#sum#time.duration"));
}

#[test]
fn values_and_ranks_of_caliper_that_are_no_numbers_are_errors() {
    let text = cali(&[("sum#time.duration", Some("sec"), "1.5x")]);
    let at = text.find("__rec=ctx").unwrap();
    let what = refused(text.as_bytes());
    assert!(what.contains(&format!("byte {at}")) && what.contains("1.5x"), "{what}");
    let text = cali(&[("sum#time.duration", Some("sec"), "1"), ("mpi.rank", None, "one")]);
    assert!(refused(text.as_bytes()).contains("`mpi.rank` is no number: one"));
    let split = |row: &str| {
        format!(
            r#"{{"data": [[0, 1, 5], {row}], "columns": ["path", "time", "mpi.rank"], "column_metadata": [{{"is_value": false}},
            {{"is_value": true}}, {{"is_value": true}}], "nodes": [{{"label": "main", "column": "path"}}]}}"#
        )
    };
    let (_work, calls) = read_text(&split(r#"[0, "2", null]"#)).unwrap();
    check(&calls, 1, 2, 3_000_000_000);
    for (row, bad) in [(r#"[0, "x", 0]"#, "\"x\""), (r#"[0, 1, "x"]"#, "\"x\"")] {
        let text = split(row);
        let (what, at) = (refused(text.as_bytes()), text.find(bad).unwrap());
        assert!(what.contains(&format!("byte {at}")), "{what}");
    }
    assert!(refused(split("[0, 1, 1.5]").as_bytes()).contains("rank 1.5"));
    let records =
        r#"[{"path": "main", "time": 1.5, "mpi.rank": 0}, {"path": "main", "time": "soon", "mpi.rank": 0}]"#;
    let (what, at) = (refused(records.as_bytes()), records.find("\"soon\"").unwrap());
    assert!(what.contains(&format!("byte {at}")) && what.contains("soon"), "{what}");
}

#[test]
fn other_channels_of_caliper_are_passed_over_in_json_too() {
    let split = r#"{"data": [[0, 1, 1.5], [0, 2, 1.5], [0, null, 0.25]], "columns": ["path", "spot.channel", "time"],
        "column_metadata": [{"is_value": false}, {"is_value": false}, {"is_value": true}],
        "nodes": [{"label": "main", "column": "path"}, {"label": "regionprofile", "column": "spot.channel"},
        {"label": "timeseries", "column": "spot.channel"}]}"#;
    let records = r#"[{"path": "main", "spot.channel": "regionprofile", "time": 1.5}, {"path": "main", "time": 0.25},
        {"path": "main", "spot.channel": "timeseries", "time": 1.5}]"#;
    for text in [split, records] {
        let (_work, calls) = read_text(text).unwrap();
        check(&calls, 1, 1, 1_750_000_000);
        assert!(notes(&calls, "1 records of other channels"));
    }
}

/// What tells the form may stand far behind the beginning, or be packed.
#[test]
fn forms_are_seen_behind_a_long_beginning() {
    let long = "x".repeat(20_000);
    let records = format!(
        r#"{{"globals": {{"x": "{long}"}}, "records": [{{"path": "main/a", "sum#sum#time.duration": 1.5}}],
        "attributes": {{"sum#sum#time.duration": {{"is_value": true, "attribute.unit": "sec"}}}}}}"#
    );
    let session = format!(
        r#"{{"program": "{long}", "frame_records": [[["f\u0000/a/x.py\u00003\u0001l4"], 1.5]], "sample_count": 1}}"#
    );
    for text in [records, session] {
        for bytes in [text.clone().into_bytes(), gzip(text.as_bytes())] {
            let (_work, calls) = read_bytes(&bytes).unwrap();
            assert_eq!(calls.inclusive(0, NodeId::ROOT), 1_500_000_000);
        }
    }
}

#[test]
fn perf_script_of_threads_is_one_rank() {
    let sample = |who: &str, frame: &str| format!("my prog {who} cpu-clock: \n\t55d0 {frame}\n\n");
    let text: String =
        (0..8).map(|tid| sample(&format!("{} 1.5: 1000", 1230 + tid), "main+0x1 (/bin/a)")).collect();
    let (_work, calls) = read_text(&text).unwrap();
    check(&calls, 1, 8, 8000);
    assert!((0..8).all(|place| calls.rank(place) == 0));
    assert_eq!(calls.place_title(3), "rank 0, thread 1233");
    // Where processes are said they are ranks.
    let text = sample("12/12 1.5:", "main (/bin/a)") + &sample("13/14 1.5:", "main (/bin/a)");
    let (_work, calls) = read_text(&text).unwrap();
    assert_eq!((0..2).map(|place| calls.rank(place)).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn perf_script_without_times_and_with_deleted_modules() {
    let frames =
        "\t55d0 operator()(int)+0x10 (/tmp/a b (x)/prog (deleted))\n\t55e0 main (/memfd:it (deleted))\n\n";
    for head in [
        "prog 12/34 [001] 1000 cpu-clock:u: ",
        "prog  12/34 1000 cpu-clock:u:",
        "a prog 34 1000 cpu-clock:u: ",
    ] {
        let (_work, calls) = read_text(&format!("{head}\n{frames}").repeat(3)).unwrap();
        check(&calls, 2, 1, 3000);
        assert_eq!(top(&calls, 1), named(&[("operator()(int)", 3000)]));
        let modules: Vec<&str> = calls.frames().iter().map(|frame| frame.module.as_str()).collect();
        assert_eq!(modules, ["/memfd:it", "/tmp/a b (x)/prog"]);
    }
    let (_work, calls) = read_text(&format!("prog 34 cycles: \n{frames}").repeat(3)).unwrap();
    assert_eq!(total(&calls, 0), ("cycles".to_owned(), Unit::Count, 3));
    let (_work, calls) = read_text(&format!("prog 34 1.25: \n{frames}").repeat(3)).unwrap();
    assert_eq!(total(&calls, 0), ("samples".to_owned(), Unit::Count, 3));
}

/// Other programs write callgrind's form too, and say the unit in the name of the event.
#[test]
fn events_of_callgrind_say_their_unit() {
    let text = |events: &str| {
        format!("version: 1\ncreator: xdebug 3.3\nevents: {events}\n\nfl=(1) a.php\nfn=(1) main\n1 150 40\n")
    };
    for (events, name, value) in [
        ("Time_(10ns) Memory_(bytes)", "Time", 1500),
        ("us x", "time", 150_000),
        ("Time_(µs) x", "Time", 150_000),
    ] {
        let (_work, calls) = read_text(&text(events)).unwrap();
        assert_eq!(total(&calls, 0), (name.to_owned(), Unit::Ns, value));
    }
    let (_work, calls) = read_text(&text("Time_(10ns) Memory_(bytes)")).unwrap();
    assert_eq!(total(&calls, 1), ("Memory".to_owned(), Unit::Bytes, 40));
    let (_work, calls) = read_text(&text("Ir Dr")).unwrap();
    assert_eq!(total(&calls, 0), ("Ir".to_owned(), Unit::Count, 150));
}

/// `--combine-dumps=yes`: one part behind the other in a file, each with its own totals.
#[test]
fn parts_of_callgrind_have_their_own_totals() {
    let part = |number: i64, cost: i64, total: i64| {
        format!(
            "pid: 7\npart: {number}\npositions: line\nevents: Ir\nsummary: {total}\n\nfn=(1) main\n1 {cost}\n\ntotals: {total}\n"
        )
    };
    let head = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n";
    let (_work, calls) = read_text(&format!("{head}{}{}", part(1, 100, 100), part(2, 50, 50))).unwrap();
    check(&calls, 1, 1, 150);
    assert!(!notes(&calls, "but it says"), "{:?}", calls.summary().notes);
    let (_work, calls) = read_text(&format!("{head}{}{}", part(1, 100, 100), part(2, 50, 60))).unwrap();
    assert!(notes(&calls, "add up to 50, but it says 60"), "{:?}", calls.summary().notes);
}
