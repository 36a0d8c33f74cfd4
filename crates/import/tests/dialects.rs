//! Files as other versions and other options of known tools write them: totals that are known by construction.

use crate::profile;

use std::sync::Arc;

use crosscut_calls::{Calls, Unit};
use crosscut_import::{ImportError, Options, Quiet, import};
use crosscut_tree::NodeId;
use profile::{check, children, fixture, gzip, named, read_bytes, read_text, refused, top};

/// Name, unit and total of each metric.
fn totals(calls: &Calls) -> Vec<(&str, Unit, i64)> {
    let metrics = calls.summary().metrics.iter().enumerate();
    metrics.map(|(at, metric)| (&*metric.name, metric.unit, calls.inclusive(at, NodeId::ROOT))).collect()
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Go begins with the time (9), or with the type (11) and the length (12) of a period; texts come last.
#[test]
fn profiles_of_go_are_known_by_their_fields() {
    let number = |field: u64, value: u64| {
        let mut bytes = Vec::new();
        varint(field << 3, &mut bytes);
        varint(value, &mut bytes);
        bytes
    };
    let content = |field: u64, content: &[u8]| {
        let mut bytes = Vec::new();
        varint(field << 3 | 2, &mut bytes);
        varint(content.len() as u64, &mut bytes);
        [&bytes, content].concat()
    };
    let types = [content(1, &[8, 1, 16, 2]), content(1, &[8, 3, 16, 4])].concat();
    let period = [content(11, &[8, 3, 16, 4]), number(12, 10_000_000)].concat();
    let time = [number(9, 1_700_000_000_123_456_789), types.clone(), number(10, 5), period.clone()].concat();
    let heap = [period, types, number(14, 3)].concat();
    let mut rest = content(4, &[8, 1, 34, 2, 8, 1]);
    rest.extend(content(5, &[8, 1, 16, 5, 24, 5]));
    rest.extend(content(2, &[10, 1, 1, 18, 5, 2, 0x80, 0xda, 0xc4, 9]));
    for text in ["", "samples", "count", "cpu", "nanoseconds", "main.main"] {
        rest.extend(content(6, text.as_bytes()));
    }
    for begin in [time, heap] {
        let bytes = [begin, rest.clone()].concat();
        for bytes in [gzip(&bytes), bytes] {
            let (_work, calls) = read_bytes(&bytes).unwrap();
            assert_eq!(totals(&calls), [("cpu", Unit::Ns, 20_000_000), ("samples", Unit::Count, 2)]);
            assert_eq!(top(&calls, 1), named(&[("main.main", 20_000_000)]));
        }
    }
    // Texts and numbers that could be fields, and never say what samples are.
    for other in [&b"H\x01P\x02"[..], b"Zebra", b"`a`b`c`d", &[0x48, 1].repeat(9000)] {
        assert!(refused(other).contains("unknown content"), "{other:?}");
    }
}

/// Words of eight bytes.
fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// What perf writes into a pipe, with one record behind the other: kind and content.
fn perf_pipe(records: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = [b"PERFILE2".to_vec(), words(&[16])].concat();
    for (kind, body) in records {
        bytes.extend(kind.to_le_bytes());
        bytes.extend(2u16.to_le_bytes());
        bytes.extend((8 + body.len() as u16).to_le_bytes());
        bytes.extend(body);
    }
    bytes
}

/// `-e '{cpu-clock,task-clock}:S'`: the first is sampled, and both are read. Each sample stands for what was counted since the
/// sample before it, by number.
#[test]
fn counters_of_a_group_are_read() {
    const IP_TID_READ_PERIOD_IDENTIFIER: u64 = 1 | 1 << 1 | 1 << 4 | 1 << 8 | 1 << 16;
    let attr = |config: u64, flags: u64, ids: &[u64]| {
        let (id, group) = (1 << 2, 1 << 3);
        let about =
            words(&[1 | 64 << 32, config, 1000, IP_TID_READ_PERIOD_IDENTIFIER, id | group, flags, 0, 0]);
        (64, [about, words(ids)].concat())
    };
    let sample = |code: u64, tid: u64, counters: [(u64, u64); 2]| {
        let [(a, first), (b, second)] = counters;
        (9, words(&[a, code, 7 | tid << 32, 1000, 2, first, a, second, b]))
    };
    let records = [
        sample(0x10, 7, [(1, 900), (3, 1000)]),
        sample(0x10, 7, [(1, 1900), (3, 1990)]),
        // Another processor has its own.
        sample(0x20, 7, [(2, 400), (4, 410)]),
        sample(0x20, 8, [(1, 2000), (3, 1995)]),
    ];
    let read = |flags: u64| {
        let attrs = [attr(0, flags, &[1, 2]), attr(1, flags, &[3, 4])];
        read_bytes(&perf_pipe(&[&attrs[..], &records].concat())).unwrap()
    };
    let (_work, calls) = read(0);
    assert_eq!(totals(&calls), [("cpu-clock", Unit::Ns, 2400), ("task-clock", Unit::Ns, 2405)]);
    assert_eq!(top(&calls, 2), named(&[("0x10", 1900), ("0x20", 500)]));
    // Threads that are made later count for themselves, under the same numbers.
    let (_work, calls) = read(1 << 1);
    assert_eq!(totals(&calls), [("cpu-clock", Unit::Ns, 4300), ("task-clock", Unit::Ns, 4395)]);
}

fn read_as(format: &str, text: &str) -> Result<(tempfile::TempDir, Calls), ImportError> {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("profile");
    std::fs::write(&path, text).unwrap();
    let options = Options { format: Some(format.to_owned()), ..Options::default() };
    let run = import(&path, &work.path().join("run.crosscut"), &options, &Quiet)?;
    Ok((work, Calls::open(Arc::new(run)).unwrap()))
}

/// Why a run is partial.
fn partial(text: &str) -> Option<String> {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("profile");
    std::fs::write(&path, text).unwrap();
    let run = import(&path, &work.path().join("run.crosscut"), &Options::default(), &Quiet).unwrap();
    run.manifest().partial.clone()
}

/// Threads that are gone when they are sampled have the number -1.
#[test]
fn threads_of_perf_script_that_are_gone() {
    let text = "sleep 25792 [000]  1729.403824:    2000000 cpu-clock: \n\tffffffff816cdbf5 step_into+0x215 ([kernel.kallsyms])\n\n\
                :-1    -1 [001]  1729.657348:    2000000 cpu-clock: \n\tffffffff8171f0e0 inode_has_buffers+0x0 ([kernel.kallsyms])\n\n";
    let (_work, calls) = read_text(text).unwrap();
    assert_eq!(totals(&calls), [("cpu-clock", Unit::Ns, 4_000_000)]);
    let text = "sleep 25792/25792 [000]  1729.403824: cpu-clock: \n\tffffffff816cdbf5 step_into ([kernel.kallsyms])\n\n\
                :-1 17395/-1    [001]  1729.657348: cpu-clock: \n\tffffffff8171f0e0 inode_has_buffers ([kernel.kallsyms])\n\n";
    let (_work, calls) = read_text(text).unwrap();
    assert_eq!(totals(&calls), [("cpu-clock", Unit::Count, 2)]);
    assert_eq!(calls.place_count(), 2);
}

/// `--show-mmap-events` and the like print what happened between samples.
#[test]
fn events_beside_samples_of_perf_script() {
    let text = "swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1208d88) @ 0xffffffff81000000]: x [kernel.kallsyms]_text\n\
                perf-exec     0     0.000000: PERF_RECORD_COMM: perf-exec:25770/25770\n\
                cxx 25770  1725.606273: PERF_RECORD_COMM exec: cxx:25770/25770\n\
                cxx 25770  1725.606783:     500000 cpu-clock: \n\t           150af main+0x2f (/bin/a)\n\n\
                cxx 25770  1725.609307: PERF_RECORD_SWITCH OUT preempt\n\
                cxx 25770  1725.609341: PERF_RECORD_SWITCH IN         \n\
                cxx 25770  1725.610000: PERF_RECORD_FORK(25770:25772):(25770:25770)\n\
                cxx 25772  1725.610783:     500000 cpu-clock: \n\t           150af main+0x2f (/bin/a)\n\n";
    let (_work, calls) = read_text(text).unwrap();
    assert_eq!(totals(&calls), [("cpu-clock", Unit::Ns, 1_000_000)]);
    check(&calls, 1, 2, 1_000_000);
    assert!(calls.summary().notes.is_empty(), "{:?}", calls.summary().notes);
}

/// `-F comm,pid,tid,ip,sym`, `-F comm,ip,sym,dso` and `-F ip,sym`: each sample is one.
#[test]
fn samples_of_perf_script_without_time_and_event() {
    let stacks = [
        "\t           14f02 f\n\t      1040000000 main\n",
        "\tffffffff8162fdb3 g\n\t      1040000000 main\n",
    ];
    for (who, places) in [("cxx 25678/25678 \n", 1), ("cxx \n", 1), ("\n", 1)] {
        let text: String = stacks.iter().flat_map(|stack| [who, stack, "\n"]).collect();
        let (_work, calls) = read_text(&text).unwrap();
        assert_eq!(totals(&calls), [("samples", Unit::Count, 2)], "{who}");
        check(&calls, 3, places, 2);
        assert_eq!(children(&calls, NodeId::ROOT), named(&[("main", 2)]));
    }
    let two = format!("cxx 1/1 \n{}\na b 1/2 \n{}\n", stacks[0], stacks[1]);
    let (_work, calls) = read_text(&two).unwrap();
    check(&calls, 3, 2, 2);
    // Other texts with tabs are none.
    assert!(refused(b"title\n\tdead beef\n\tcafe f\n\ntitle\n").contains("unknown content"));
}

#[test]
fn perf_script_that_was_cut() {
    let text = "cxx 1  1.5:  500000 cpu-clock:      55b354090357 f+0x6e (/bin/a)\n\
                cxx 1  1.6:  500000 cpu-clock:      55b35408f65d main+0x281 (/bin/a)\n";
    assert_eq!(partial(text), None);
    assert_eq!(partial(text.trim_end()), None);
    let cut = partial(&text[..text.len() - 10]).unwrap();
    assert!(cut.contains("byte 65: the file ends within a sample"), "{cut}");
}

#[test]
fn numbers_of_collapsed_stacks_are_kept_or_refused() {
    let (_work, calls) = read_text("main;f 9007199254740993\n").unwrap();
    assert_eq!(totals(&calls), [("samples", Unit::Count, 9_007_199_254_740_993)]);
    let what = refused(b"main;g 1\nmain;f 99999999999999999999\n");
    assert!(what.starts_with("byte 9: a number of more than 64 bits: 99999999999999999999"), "{what}");
}

/// `austin -f`: microseconds, memory that was gained, memory that was given back.
#[test]
fn three_numbers_of_austin() {
    let text = "Thread 1;main (/a.py);L1 0 3116 0\nThread 1;main (/a.py);L2 2085 0 -1048\nThread 1 15 4 0\n";
    let (_work, calls) = read_text(text).unwrap();
    let known = [
        ("time", Unit::Ns, 2_100_000),
        ("memory gained", Unit::Count, 3120),
        ("memory given back", Unit::Count, -1048),
    ];
    assert_eq!(totals(&calls), known);
    assert!(refused(b"main;f 1 2 3\nmain;g 4 5 6\n").contains("3 numbers at the end of each line"));
}

/// A line that is wrong is named; a last line that was cut makes the run partial.
#[test]
fn lines_of_collapsed_stacks_that_are_wrong() {
    let what = refused(b"main;f 10\nmain;g abc\nmain;h 3\n");
    assert!(what.starts_with("byte 10: a line without a number at its end: main;g abc"), "{what}");
    let cut = partial("main;f 10\nmain;h 3\nmain;g (a.py:12);_load_").unwrap();
    assert!(cut.contains("byte 19: the file ends within a line"), "{cut}");
    assert_eq!(partial("main;f 10\nmain;h 3"), None);
    let (_work, calls) = read_as("folded", "main 5\n").unwrap();
    check(&calls, 1, 1, 5);
    let (_work, calls) = read_text("main;;g 5\n").unwrap();
    assert_eq!(children(&calls, NodeId(1)), named(&[("(unknown)", 5)]));
}

/// NumPy 2 prints its types around numbers.
#[test]
fn hatchet_literals_of_numpy_2() {
    let text = "[{'name': 'main', 'frame': {'name': 'main', 'type': 'function'}, 'metrics': {'time': np.float64(1.5), \
                'hits': np.int64(3), 'rank': np.int32(0), 'hot': np.True_, 'note': np.str_('a'), 'none': np.float64(nan)}, \
                'children': [{'name': 'f', 'frame': {'name': 'f', 'type': 'function'}, 'metrics': {'time': np.float64(2e-1), \
                'hits': np.int64(-1)}}]}]";
    let (_work, calls) = read_text(text).unwrap();
    assert_eq!(totals(&calls), [("time", Unit::Micro, 1_700_000), ("hits", Unit::Micro, 2_000_000)]);
    let what = refused(text.replace("np.float64(1.5)", "np.float64(1.5").as_bytes());
    assert!(what.contains("without its closing bracket"), "{what}");
}

/// `clang -ftime-trace` writes a thread for the sum of each kind of span.
#[test]
fn sums_of_clang_are_no_spans() {
    let event = |tid: u32, ts: u32, dur: u32, name: &str| {
        format!(
            r#"{{"pid":1,"tid":{tid},"ph":"X","ts":{ts},"dur":{dur},"name":"{name}","args":{{"count":1}}}}"#
        )
    };
    let spans = [event(1, 5, 20, "Source"), event(1, 0, 100, "ExecuteCompiler")];
    let sums = [event(2, 0, 100, "Total ExecuteCompiler"), event(3, 0, 20, "Total Source")];
    let trace = |events: &[String], end: &str| format!(r#"{{"traceEvents":[{}]{end}}}"#, events.join(","));
    let (_work, calls) =
        read_text(&trace(&[&spans[..], &sums].concat(), r#","beginningOfTime":17"#)).unwrap();
    check(&calls, 2, 1, 100_000);
    let notes = &calls.summary().notes;
    assert!(notes.iter().any(|note| note.starts_with("2 sums that clang adds")), "{notes:?}");
    // Spans of other programs may have such names.
    let (_work, calls) = read_text(&trace(&[&spans[..1], &sums].concat(), "")).unwrap();
    check(&calls, 3, 3, 140_000);
}

/// What is known and not read is refused by name, with what to do instead.
#[test]
fn files_that_are_refused_by_name() {
    let heap =
        refused(b"heap profile:    3: 4504 [ 12645: 6401976] @ heapprofile\n     1: 4096 [ 1: 4096] @ 0x1\n");
    assert!(
        heap.starts_with("a heap profile as text, of gperftools or Go, which is not read; write it"),
        "{heap}"
    );
    let mutex = refused(b"--- mutex:\ncycles/second=2\n3 4 @ 0x1\n");
    assert!(mutex.starts_with("a profile of mutexes as text"), "{mutex}");
    let traditional = refused(b"\n\n\ncall graph profile:\n          The sum of self and descendents is\n");
    assert!(traditional.starts_with("what `gprof -T` prints"), "{traditional}");
    for name in ["app.perf.data", "gmon.out", "gp.prof", "scorep.cubex"] {
        let packed = refused(&gzip(&std::fs::read(fixture(name)).unwrap()));
        assert!(
            packed.starts_with("a profile that is packed by gzip, which is not read; unpack"),
            "{name}: {packed}"
        );
    }
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("perf.data.dir");
    std::fs::create_dir(&folder).unwrap();
    for name in ["data", "data.0"] {
        std::fs::copy(fixture("app.perf.data"), folder.join(name)).unwrap();
    }
    let result = import(&folder, &work.path().join("run.crosscut"), &Options::default(), &Quiet);
    let what = result.map(|_| ()).unwrap_err().to_string();
    assert!(what.contains("a folder of `perf record --threads`"), "{what}");
}

#[test]
fn caliper_files_that_were_cut() {
    let text = std::fs::read_to_string(fixture("a.cali")).unwrap();
    assert_eq!(partial(&text), None);
    let at = text.match_indices("__rec=ctx").nth(2).unwrap().0;
    for end in [at + 14, at + 20] {
        let cut = partial(&text[..end]).unwrap();
        assert!(cut.starts_with(&format!("byte {at}: the last line has no end")), "{cut}");
    }
}
