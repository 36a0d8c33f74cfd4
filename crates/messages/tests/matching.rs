//! Sends and receives of random programs, matched by the builder and by an obvious reference.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crosscut_messages::{
    Builder, Call, Class, Comm, Comms, Done, Function, Messages, Mode, NONE, Receive, Send, Whole,
};
use crosscut_run::RunWriter;
use proptest::prelude::*;

/// What a rank does: to or from whom, on which communicator, with which tag.
#[derive(Clone, Copy, Debug)]
enum Act {
    Send { to: u32, comm: u32, tag: i32 },
    Receive { from: u32, comm: u32, tag: i32 },
}

fn acts(ranks: u32) -> impl Strategy<Value = Vec<Vec<Act>>> {
    let peer = 0..ranks;
    let act = (any::<bool>(), peer, prop_oneof![Just(0u32), Just(2u32)], 0..3i32).prop_map(
        |(sends, peer, comm, tag)| {
            if sends { Act::Send { to: peer, comm, tag } } else { Act::Receive { from: peer, comm, tag } }
        },
    );
    prop::collection::vec(prop::collection::vec(act, 0..40), ranks as usize)
}

/// A call for each act, at times that let nothing go backwards: all sends come before all receives.
fn build(acts: &[Vec<Act>]) -> (tempfile::TempDir, Messages) {
    let folder = tempfile::tempdir().unwrap();
    let mut run = RunWriter::create(&folder.path().join("a.crosscut")).unwrap();
    let calls: Vec<usize> = acts.iter().map(Vec::len).collect();
    let mut builder = Builder::new(&run, &calls).unwrap();
    let mut done = Vec::new();
    for (mut writer, acts) in builder.ranks().into_iter().zip(acts) {
        let mut of_rank = Done::default();
        for (number, act) in acts.iter().enumerate() {
            let call = writer.next_call();
            let start = match *act {
                Act::Send { to, comm, tag } => {
                    let bytes = number as i64;
                    of_rank.sends.push(Send { comm, to, tag, call, done: call, bytes, mode: Mode::Standard });
                    number as i64
                }
                Act::Receive { from, comm, tag } => {
                    of_rank.receives.push(Receive { comm, from, tag, call, done: call });
                    1000 + number as i64
                }
            };
            assert_eq!(writer.call(Call::new(0, start, start + 1)).unwrap(), call);
        }
        assert!(writer.call(Call::new(0, 0, 0)).is_err(), "there is no room for more");
        done.push(of_rank);
    }
    let copy = Comm { members: (0..acts.len() as u32).rev().collect(), ..Comm::default() };
    let comms = Comms { list: vec![Comm::world(acts.len()), Comm::of_itself(), copy] };
    let functions = vec![Function::named("MPI_Send")];
    builder.finish(&mut run, done, Whole { comms, functions, ..Whole::default() }).unwrap();
    let run = run.finish().unwrap();
    (folder, Messages::open(Arc::new(run)).unwrap())
}

/// Pairs of calls, one queue for each communicator, sender, receiver and tag; and how many are left over.
fn reference(acts: &[Vec<Act>]) -> (Vec<(u32, u32)>, u64) {
    /// Sends and receives that wait for each other.
    type Queues = (VecDeque<u32>, VecDeque<u32>);
    let mut queues: BTreeMap<(u32, u32, u32, i32), Queues> = BTreeMap::new();
    let mut call = 0;
    for (rank, acts) in acts.iter().enumerate() {
        for act in acts {
            match *act {
                Act::Send { to, comm, tag } => {
                    queues.entry((comm, rank as u32, to, tag)).or_default().0.push_back(call);
                }
                Act::Receive { from, comm, tag } => {
                    queues.entry((comm, from, rank as u32, tag)).or_default().1.push_back(call);
                }
            }
            call += 1;
        }
    }
    let (mut pairs, mut left) = (Vec::new(), 0);
    for (mut sends, mut receives) in queues.into_values() {
        while let (Some(&send), Some(&receive)) = (sends.front(), receives.front()) {
            pairs.push((send, receive));
            sends.pop_front();
            receives.pop_front();
        }
        left += sends.len() + receives.len();
    }
    pairs.sort_unstable();
    (pairs, left as u64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_nth_send_belongs_to_the_nth_receive(acts in (1u32..6).prop_flat_map(acts)) {
        let (_folder, messages) = build(&acts);
        let mut pairs: Vec<(u32, u32)> =
            (0..messages.len()).map(|row| (messages.send_call[row], messages.receive_call[row])).collect();
        pairs.sort_unstable();
        prop_assert_eq!((pairs, messages.summary().unmatched), reference(&acts));
    }
}

/// A run of two ranks with these sends of rank 0 and receives of rank 1.
fn two(sends: &[Send], receives: &[Receive]) -> Messages {
    let folder = tempfile::tempdir().unwrap();
    let mut run = RunWriter::create(&folder.path().join("a.crosscut")).unwrap();
    let mut builder = Builder::new(&run, &[4, 4]).unwrap();
    for (rank, mut writer) in builder.ranks().into_iter().enumerate() {
        for at in 0..4 {
            writer.call(Call::new(0, 10 * rank as i64 + at, 10 * rank as i64 + at + 1)).unwrap();
        }
    }
    let done = vec![
        Done { sends: sends.to_vec(), ..Done::default() },
        Done { receives: receives.to_vec(), ..Done::default() },
    ];
    let comms = Comms { list: vec![Comm::world(2), Comm::of_itself()] };
    let whole = Whole { comms, functions: vec![Function::named("MPI_Wait")], ..Whole::default() };
    builder.finish(&mut run, done, whole).unwrap();
    Messages::open(Arc::new(run.finish().unwrap())).unwrap()
}

#[test]
fn what_has_no_other_side_is_counted_with_its_reason() {
    let send = Send { comm: 0, to: 1, tag: 7, call: 0, done: 0, bytes: 5, mode: Mode::Standard };
    let receive = Receive { comm: 0, from: 0, tag: 7, call: 4, done: 5 };
    let why = |messages: &Messages| messages.summary().why_unmatched.clone();
    let matched = two(&[send], &[receive]);
    assert_eq!((matched.len(), matched.summary().bytes, why(&matched)), (1, 5, vec![]));
    assert_eq!((matched.receive_start[0], matched.receive_end[0]), (10, 12));
    for (send, receive, reasons) in [
        (Send { to: NONE, ..send }, None, vec!["sends to a rank that is not part of the recording"]),
        (Send { comm: u32::MAX, ..send }, None, vec!["on communicators that are not known"]),
        (send, None, vec!["sends without a receive"]),
        (
            send,
            Some(Receive { done: NONE, ..receive }),
            vec!["sends without a receive", "receives that were never completed"],
        ),
        (
            send,
            Some(Receive { tag: 8, ..receive }),
            vec!["sends without a receive", "receives without a send"],
        ),
        (
            send,
            Some(Receive { from: NONE, ..receive }),
            vec![
                "sends without a receive",
                "receives from any rank whose status was ignored: the sender is not recorded",
            ],
        ),
    ] {
        let messages = two(&[send], receive.as_slice());
        let found: Vec<(String, u64)> = reasons.iter().map(|&reason| (reason.to_owned(), 1)).collect();
        assert_eq!((messages.len(), why(&messages)), (0, found));
        assert_eq!(messages.summary().unmatched as usize, reasons.len());
    }
}

#[test]
fn collectives_among_neighbours_are_told() {
    assert_eq!(Class::of("MPI_Neighbor_alltoall"), Class::Collective);
    assert_eq!(Class::of("MPI_Ineighbor_allgatherv"), Class::Collective);
    let folder = tempfile::tempdir().unwrap();
    let mut run = RunWriter::create(&folder.path().join("a.crosscut")).unwrap();
    let mut builder = Builder::new(&run, &[2, 1]).unwrap();
    let mut writers = builder.ranks();
    for (rank, calls) in [(0, 2), (1, 1)] {
        for at in 0..calls {
            let call = Call { bytes: 100, ..Call::new(0, 10 * at, 10 * at + 5) };
            writers[rank].call(call).unwrap();
        }
    }
    drop(writers);
    let comms = Comms { list: vec![Comm::world(2), Comm::of_itself()] };
    let functions = vec![Function::named("MPI_Neighbor_alltoall")];
    let whole = Whole { comms, functions, ..Whole::default() };
    builder.finish(&mut run, vec![Done::default(); 2], whole).unwrap();
    let messages = Messages::open(Arc::new(run.finish().unwrap())).unwrap();
    let notes = &messages.summary().notes;
    assert!(notes[0].starts_with("3 calls of collectives among neighbours, 300 bytes"), "{notes:?}");
}
