//! Forms of profiles that tools write beside the usual ones: totals that are known by construction.

mod profile;

use crosscut_calls::{Calls, Unit};
use crosscut_tree::NodeId;
use profile::{check, named, read_text, top};

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
