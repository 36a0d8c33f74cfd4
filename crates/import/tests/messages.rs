//! Traces of MPI programs become runs whose messages are those that the programs themselves logged.

use crate::traces;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crosscut_import::{Options, Quiet, import, import_set};
use crosscut_messages::{Collective, Messages, NONE};

fn open(path: &Path, folder: &Path) -> Messages {
    let target = folder.join("out.crosscut");
    let run = import(path, &target, &Options::default(), &Quiet).unwrap();
    assert_eq!(run.manifest().partial, None);
    assert_eq!(run.check(), []);
    Messages::open(Arc::new(run)).unwrap()
}

fn counts(messages: &Messages) -> traces::Counts {
    let mut counts = traces::Counts::new();
    for row in 0..messages.len() {
        let (from, to) = (messages.source.at(row), messages.destination.at(row));
        *counts.entry((from, to, messages.tag[row], messages.bytes[row])).or_default() += 1;
    }
    counts
}

/// What is true of every run with messages.
fn check_sound(messages: &Messages) {
    let calls = &messages.calls;
    for row in 0..messages.len() {
        let (from, to) = (messages.source.at(row), messages.destination.at(row));
        let ranks = [messages.send_call[row], messages.send_done[row]].map(|call| calls.rank(call));
        assert_eq!(ranks, [from, from]);
        let ranks = [messages.receive_call[row], messages.receive_done[row]].map(|call| calls.rank(call));
        assert_eq!(ranks, [to, to]);
        assert_eq!(messages.send_start[row], calls.start[messages.send_call[row] as usize]);
        assert_eq!(messages.receive_end[row], calls.end[messages.receive_done[row] as usize]);
        assert!(messages.receive_end[row] >= messages.send_start[row], "message {row} goes back in time");
        assert!(messages.send_end[row] >= messages.send_start[row]);
        assert!(messages.receive_end[row] >= messages.receive_start[row]);
    }
    assert!(messages.send_start.is_sorted());
    let last = calls.end.iter().copied().max().unwrap();
    assert_eq!(calls.start.iter().copied().min(), Some(0));
    assert_eq!(messages.summary().elapsed, last);
}

#[test]
fn messages_of_dumpi_traces_are_those_that_were_logged() {
    for name in traces::present("dumpi", &traces::DUMPI) {
        let folder = traces::unpacked("dumpi", name);
        let messages = open(folder.path(), folder.path());
        let logged = traces::logged_messages(&traces::logged(folder.path()));
        assert_eq!(counts(&messages), logged, "{name}");
        let summary = messages.summary();
        assert_eq!(summary.unmatched, 0, "{name}: {:?}", summary.why_unmatched);
        assert_eq!(summary.backwards, 0, "{name}");
        assert_eq!(summary.notes, Vec::<String>::new(), "{name}");
        check_sound(&messages);
    }
}

#[test]
fn totals_are_those_that_are_known() {
    let known = [
        ("bswap8", 8, 24, 7_340_032),
        ("bswap16", 16, 64, 15_728_640),
        ("swap23_27", 27, 162, 29_113_344),
        ("halo27", 27, 864, 3_207_168),
        ("integ16", 16, 1_920, 54_460_416),
        ("integ64", 64, 10_656, 232_538_112),
    ];
    let present = traces::present("dumpi", &traces::DUMPI);
    for (name, ranks, count, bytes) in known.into_iter().filter(|(name, ..)| present.contains(name)) {
        let folder = traces::unpacked("dumpi", name);
        let messages = open(folder.path(), folder.path());
        let summary = messages.summary();
        assert_eq!((summary.ranks, summary.messages, summary.bytes), (ranks, count, bytes), "{name}");
        if name == "integ64" {
            assert_eq!((summary.collectives, summary.collective_operations), (448, 7));
        }
    }
}

/// OTF2 twins of the DUMPI traces.
fn otf2(name: &str) -> (tempfile::TempDir, Messages) {
    let folder = traces::unpacked("otf2", name);
    let messages = open(folder.path(), folder.path());
    (folder, messages)
}

#[test]
fn messages_of_otf2_archives_are_those_that_were_logged() {
    for name in traces::present("otf2", &traces::OTF2) {
        let (_folder, messages) = otf2(name);
        let summary = messages.summary();
        assert_eq!(summary.unmatched, 0, "{name}: {:?}", summary.why_unmatched);
        assert_eq!((summary.backwards, &summary.notes), (0, &Vec::new()), "{name}");
        check_sound(&messages);
        if traces::path("dumpi", &format!("{name}.tar.gz")).is_none() {
            println!("SKIPPED: dumpi/{name}.tar.gz, with what the program logged, is not there");
            continue;
        }
        let twin = traces::unpacked("dumpi", name);
        assert_eq!(counts(&messages), traces::logged_messages(&traces::logged(twin.path())), "{name}");
        let dumpi = open(twin.path(), twin.path());
        let (a, b) = (dumpi.summary(), summary);
        let figures = |s: &crosscut_messages::Summary| (s.ranks, s.messages, s.bytes, s.collectives, s.calls);
        assert_eq!(figures(a), figures(b), "{name}");
        assert_eq!(a.collective_operations, b.collective_operations, "{name}");
    }
}

#[test]
fn calls_of_both_formats_are_the_same() {
    let (_folder, archive) = otf2("coll16");
    let twin = traces::unpacked("dumpi", "coll16");
    let dumpi = open(twin.path(), twin.path());
    let calls = |messages: &Messages| -> Vec<(u32, String, i64)> {
        let row = |call: usize| {
            let calls = &messages.calls;
            let name = messages.functions()[usize::from(calls.function[call])].name.clone();
            (calls.rank(call as u32), name, calls.end[call] - calls.start[call])
        };
        (0..messages.calls.start.len()).map(row).collect()
    };
    assert_eq!(calls(&archive), calls(&dumpi));
    // Times of messages differ in nothing but where they begin.
    let times = |messages: &Messages| -> Vec<i64> {
        let first = messages.send_start[0];
        (0..messages.len()).map(|row| messages.receive_end[row] - first).collect()
    };
    assert_eq!(times(&archive), times(&dumpi));
}

#[test]
fn a_large_archive_is_read() {
    if traces::path("otf2", "syn64_400k.tar.gz").is_none() {
        println!("SKIPPED: otf2/syn64_400k.tar.gz is not there");
        return;
    }
    let (_folder, messages) = otf2("syn64_400k");
    let summary = messages.summary();
    assert_eq!((summary.ranks, summary.unmatched), (64, 0));
    assert!(summary.messages > 10_000);
    check_sound(&messages);
}

/// By kind: how many collectives there are, how many calls, and the bytes of all calls.
type ByKind = BTreeMap<String, (usize, i64)>;

#[test]
fn collectives_are_those_that_were_logged() {
    let folder = traces::unpacked("dumpi", "coll16");
    let messages = open(folder.path(), folder.path());
    let mut logged = ByKind::new();
    for line in traces::logged(folder.path()).iter().filter(|line| line.kind != "p2p") {
        let entry = logged.entry(line.kind.clone()).or_default();
        entry.0 += 1;
        entry.1 += line.bytes;
    }
    let collectives = &messages.collectives;
    let mut found = ByKind::new();
    for number in 0..collectives.kind.len() {
        let calls = collectives.calls(number);
        let comm = collectives.comm[number];
        assert_eq!(calls.len(), messages.comms().size(comm));
        let members = &messages.comms().list[comm as usize].members;
        for (&call, &member) in calls.iter().zip(members) {
            assert_ne!(call, NONE);
            assert_eq!(messages.calls.rank(call), member);
            assert_eq!(messages.calls.comm.at(call as usize), comm);
        }
        let kind = Collective(collectives.kind[number]);
        let starts = calls.iter().map(|&call| messages.calls.start[call as usize]);
        let latest = starts.max().unwrap();
        if kind.is_synchronising() {
            let ends = calls.iter().map(|&call| messages.calls.end[call as usize]);
            assert!(ends.min().unwrap() >= latest, "{}: somebody left before all had come", kind.word());
        }
        let entry = found.entry(kind.word().to_owned()).or_default();
        entry.0 += calls.len();
        // The program logs what goes to one rank; we count what a rank hands in.
        let parts = match kind.word() {
            "alltoall" | "reduce_scatter" => calls.len() as i64,
            _ => 1,
        };
        entry.1 += collectives.bytes[number] / parts;
    }
    // Of these the program did not log sizes.
    found.get_mut("alltoallv").unwrap().1 = 0;
    found.remove("barrier");
    assert_eq!(found, logged);
    let roots: Vec<u32> = (0..collectives.kind.len())
        .filter(|&number| Collective(collectives.kind[number]).word() == "gather")
        .map(|number| collectives.root[number])
        .collect();
    assert_eq!(roots, [3]);
}

#[test]
fn communicators_have_their_members() {
    let folder = traces::unpacked("dumpi", "coll16");
    let messages = open(folder.path(), folder.path());
    let list = &messages.comms().list;
    let row = |first: u32| (first..first + 4).collect::<Vec<_>>();
    let column = |first: u32| (0..4).map(|i| first + 4 * i).collect::<Vec<_>>();
    let has = |members: Vec<u32>| list.iter().filter(|comm| comm.members == members).count();
    assert_eq!(has((0..16).collect()), 2, "the world and its copy");
    for part in 0..4 {
        assert_eq!((has(row(4 * part)), has(column(part))), (1, 1));
    }
    assert_eq!(has((0..8).map(|i| 2 * i).collect()), 1, "those of the group");
    assert_eq!(list.len(), 2 + 4 + 4 + 1 + 1);
}

#[test]
fn a_trace_is_named_in_several_ways() {
    let folder = traces::unpacked("dumpi", "bswap8");
    let out = tempfile::tempdir().unwrap();
    let mut files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let ending = |wanted: &str| {
        files
            .iter()
            .filter(|path| path.extension().is_some_and(|e| e == wanted))
            .map(|p| p.as_path())
            .collect()
    };
    let (bins, metas): (Vec<&Path>, Vec<&Path>) = (ending("bin"), ending("meta"));
    for (number, paths) in [vec![folder.path()], bins.clone(), metas, vec![bins[3]]].into_iter().enumerate() {
        let target = out.path().join(format!("{number}.crosscut"));
        let run = import_set(&paths, &target, &Options::default(), &Quiet).unwrap();
        let messages = Messages::open(Arc::new(run)).unwrap();
        assert_eq!((messages.len(), messages.summary().unmatched), (24, 0), "{paths:?}");
    }
}
