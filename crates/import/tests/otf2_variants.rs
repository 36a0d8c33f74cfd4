//! What other writers than the one of the samples make of OTF2, in archives written by hand: calling contexts, names with brackets, the
//! tracer's own time, measured values, accelerators, several threads.

use crate::otf2_writer;

use std::sync::Arc;

use crosscut_import::{Options, Quiet, import};
use crosscut_messages::Messages;
use crosscut_messages::causes::Causes;
use crosscut_messages::lateness::Lateness;
use crosscut_messages::waits::Waits;
use otf2_writer::{Archive, Byte, Long, METER, MPI, STREAM, Short, THREAD, UNDEFINED, Whole};

fn opened(archive: &Archive) -> Messages {
    kept(archive).0
}

/// The same with the folder in which it lies: what is read later is still there.
fn kept(archive: &Archive) -> (Messages, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    archive.write(folder.path());
    let target = folder.path().join("out.crosscut");
    let run = Arc::new(import(folder.path(), &target, &Options::default(), &Quiet).unwrap());
    assert_eq!((run.check(), run.manifest().partial.clone()), (vec![], None));
    let messages = Messages::open(run).unwrap();
    assert_eq!(messages.unsound(), None);
    (messages, folder)
}

/// The calls of a rank: name, start, end.
fn calls(messages: &Messages, rank: u32) -> Vec<(String, i64, i64)> {
    let of = &messages.calls;
    let name = |call: usize| messages.functions()[usize::from(of.function[call])].name.clone();
    of.of(rank).map(|call| (name(call), of.start[call], of.end[call])).collect()
}

fn told(name: &str, start: i64, end: i64) -> (String, i64, i64) {
    (name.to_owned(), start, end)
}

#[test]
fn calls_of_calling_contexts_are_calls() {
    let mut archive = Archive::new(2);
    let regions = ["MPI_Send", "MPI_Recv", "work"].map(|name| archive.region(name, MPI));
    let [send, receive, work] = regions.map(|region| archive.context(region));
    let message = [Short(1), Short(0), Short(7), Long(64)];
    (archive.of(0).at(0, 66, &[Short(work), Short(1)]))
        .at(10, 66, &[Short(send), Short(1)])
        .at(10, 14, &message)
        .at(20, 67, &[Short(send)])
        .at(30, 67, &[Short(work)]);
    let message = [Short(0), Short(0), Short(7), Long(64)];
    (archive.of(1).at(0, 66, &[Short(receive), Short(1)])).at(25, 18, &message).at(26, 67, &[Short(receive)]);
    let messages = opened(&archive);
    assert_eq!(calls(&messages, 0), [told("MPI_Send", 10, 20)]);
    assert_eq!(calls(&messages, 1), [told("MPI_Recv", 0, 26)]);
    assert_eq!((messages.len(), messages.summary().unmatched), (1, 0));
    assert_eq!(messages.summary().notes, Vec::<String>::new());
}

#[test]
fn a_call_is_what_is_named_so() {
    let mut archive = Archive::new(2);
    // As TAU has it: what uses MPI has its paradigm, too, and functions have brackets.
    let around = archive.region("solve [uses MPI]", MPI);
    let sync = archive.region("MPI Collective Sync", MPI);
    let other = archive.region("MPI_helper_of_mine", MPI);
    let send = archive.region(" MPI_Send() ", 0);
    let receive = archive.region("PMPI_Recv", 2);
    archive.of(0).at(0, 12, &[Short(around)]);
    archive.of(0).message(true, send, (10, 20), 1).region(sync, 20, 30).region(other, 30, 40);
    archive.of(0).at(50, 13, &[Short(around)]);
    archive.of(1).message(false, receive, (0, 40), 0);
    let messages = opened(&archive);
    // The run begins with its first call, at 0.
    assert_eq!(calls(&messages, 0), [told("MPI_Send", 10, 20)]);
    assert_eq!(calls(&messages, 1), [told("MPI_Recv", 0, 40)]);
    let waits = Waits::of(&messages);
    assert_eq!((messages.len(), waits.total()), (1, 10));
}

#[test]
fn the_time_of_the_tracer_itself_is_no_work() {
    let account = |flush: bool, off: bool| {
        let mut archive = Archive::new(3);
        let [init, send, receive, end] =
            ["MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Finalize"].map(|name| archive.region(name, MPI));
        for rank in 0..3 {
            let events = archive.of(rank).region(init, 0, 100);
            // All compute 200 before they send; the last one is interrupted for 1,000 meanwhile.
            let late = if rank == 2 { 1_000 } else { 0 };
            if rank == 2 && flush {
                events.at(200, 10, &[Whole(1_200)]);
            }
            if rank == 2 && off {
                events.at(200, 11, &[Byte(2)]).at(1_200, 11, &[Byte(1)]);
            }
            events.message(true, send, (300 + late, 310 + late), (rank + 1) % 3);
            events.message(false, receive, (320 + late, 1_400), (rank + 2) % 3);
            events.region(end, 1_500, 1_510);
        }
        let messages = opened(&archive);
        let waits = Waits::of(&messages);
        let lateness = Lateness::of(&messages, &waits);
        let account = Causes::of(&messages, &waits, &lateness).account;
        let excess: i64 = lateness.by_rank(&messages.calls).iter().sum();
        (account.work, excess, messages.summary().notes.join("; "), calls(&messages, 2))
    };
    let (work, excess, notes, _) = account(false, false);
    assert_eq!((work, excess, notes.as_str()), (3 * (200 + 10 + 100) + 1_000, 1_000, ""));
    let (work, excess, notes, of_last) = account(true, false);
    assert_eq!((work, excess), (3 * (200 + 10 + 100), 0));
    assert!(notes.contains("rank 2: its trace was written to disk once, 0.000 s"), "{notes}");
    assert_eq!(of_last[1], told("(trace is written)", 200, 1_200));
    let (work, excess, _, of_last) = account(false, true);
    assert_eq!((work, excess), (3 * (200 + 10 + 100), 0));
    assert_eq!(of_last[1], told("(not traced)", 200, 1_200));
}

#[test]
fn locations_are_places_where_something_runs() {
    let mut archive = Archive::new(2);
    let [init, work] = [("MPI_Init", MPI), ("kernel", 0)].map(|(name, kind)| archive.region(name, kind));
    let name = archive.text("device");
    // An accelerator of the process of rank 1, and values measured there.
    archive.define(13, &[Short(8), Short(name), Byte(2), Short(0), Short(1)]);
    archive.location(20, STREAM, 8);
    archive.location(30, METER, 1);
    for rank in 0..2 {
        archive.of(rank).region(init, 0, 10);
    }
    archive.of(20).region(work, 5, 25);
    let (messages, _folder) = kept(&archive);
    let places = messages.run().places().unwrap();
    let all: Vec<i64> = (0..places.len() as u32).map(|place| places.get(place).unwrap().process).collect();
    assert_eq!(all, [0, 1, 1]);
    assert_eq!(messages.summary().notes, ["1 locations of measured values are not used"]);
}

#[test]
fn calls_of_several_threads_of_a_rank_stand_by_time() {
    let mut archive = Archive::new(2);
    let [send, receive] = ["MPI_Send", "MPI_Recv"].map(|name| archive.region(name, MPI));
    archive.location(9, THREAD, 0);
    for at in 0..4 {
        let thread = if at % 2 == 0 { 0 } else { 9 };
        let begin = 100 * at;
        archive.of(thread).message(true, send, (begin, begin + 10), 1);
        archive.of(1).message(false, receive, (begin + 20, begin + 30), 0);
    }
    // One that is open while the other thread calls.
    archive.of(0).at(500, 12, &[Short(send)]);
    archive.of(9).region(send, 520, 530);
    archive.of(0).at(550, 13, &[Short(send)]);
    let messages = opened(&archive);
    let starts: Vec<i64> = calls(&messages, 0).iter().map(|call| call.1).collect();
    assert_eq!(starts, [0, 100, 200, 300, 500, 520]);
    assert_eq!(calls(&messages, 0)[4..], [told("MPI_Send", 500, 550), told("MPI_Send", 520, 530)]);
    // The n-th send has the n-th receive.
    assert_eq!((messages.send_start.to_vec(), messages.summary().unmatched), (vec![0, 100, 200, 300], 0));
    assert_eq!(messages.receive_end.to_vec(), [30, 130, 230, 330]);
    let note = &messages.summary().notes[0];
    assert!(note.contains("1 ranks call MPI from several threads; their calls stand by time"), "{note}");
}

/// Contexts within one another, of which each location enters the innermost: a few bytes of each location stand for all of them.
#[test]
fn contexts_that_all_locations_share() {
    let archive = |locations: u64, contexts: u64| {
        let mut archive = Archive::new(2);
        let work = archive.region("work", MPI);
        for id in 0..contexts {
            let parent = if id == 0 { UNDEFINED } else { id - 1 };
            archive.define(34, &[Short(id), Short(work), Short(UNDEFINED), Short(parent)]);
        }
        (2..locations).for_each(|id| archive.location(id, THREAD, id % 2));
        for id in 0..locations {
            let last = Short(contexts - 1);
            archive.of(id).at(0, 66, &[last, Short(1)]).at(10, 67, &[last]);
        }
        archive
    };
    opened(&archive(4, 50));
    // Twelve million call paths in half a megabyte.
    let folder = tempfile::tempdir().unwrap();
    archive(300, 40_000).write(folder.path());
    let target = folder.path().join("out.crosscut");
    let error = import(folder.path(), &target, &Options::default(), &Quiet).unwrap_err().to_string();
    assert!(error.contains("more call paths than a file of its size can have"), "{error}");
}
