//! The critical path: without gaps from the beginning to the end, and through the rank that was late.

use std::sync::Arc;

use crosscut_messages::Messages;
use crosscut_messages::path::CriticalPath;
use crosscut_messages::waits::Waits;
use crosscut_synth::{Late, MessageOptions, exchanges, messages};

fn made(options: &MessageOptions) -> Messages {
    let folder = tempfile::tempdir().unwrap();
    let run = messages(&folder.path().join("a.crosscut"), options, &|_, _| {}).unwrap();
    Messages::open(Arc::new(run)).unwrap()
}

/// Step by step back in time, searching all calls of a rank for the last one before a moment.
fn reference(messages: &Messages, waits: &Waits) -> Vec<(u32, i64, i64)> {
    let calls = &messages.calls;
    let ranks = messages.summary().ranks;
    let ended = |rank: u32| calls.of(rank).map(|call| calls.end[call]).max().unwrap();
    let mut rank = (0..ranks).rev().max_by_key(|&rank| ended(rank)).unwrap();
    let (mut now, mut to, mut path) = (ended(rank), ended(rank), Vec::new());
    loop {
        let before = calls.of(rank).rev().find(|&call| calls.start[call] < now);
        let Some(call) = before else {
            path.push((rank, now, to));
            break;
        };
        let came = calls.start[call] + waits.lost[call];
        if waits.lost[call] > 0 {
            path.push((rank, came, to));
            (rank, now, to) = (calls.rank(waits.cause[call]), came, came);
        } else {
            now = calls.start[call];
        }
    }
    path.reverse();
    path
}

#[test]
fn the_path_has_no_gap_and_is_that_of_a_search() {
    for (plan, noise) in [("halo", 30), ("ring,allreduce", 80), ("random*3,barrier", 10), ("butterfly", 0)] {
        let options = MessageOptions {
            exchanges: exchanges(plan).unwrap(),
            ranks: 12,
            steps: 12,
            noise,
            ..MessageOptions::default()
        };
        let run = made(&options);
        let waits = Waits::of(&run);
        let path = CriticalPath::of(&run, &waits);
        let told: Vec<(u32, i64, i64)> = path.stretches.iter().map(|s| (s.rank, s.from, s.to)).collect();
        assert_eq!(told, reference(&run, &waits), "{plan}");
        assert!(told.windows(2).all(|pair| pair[0].2 == pair[1].1), "{plan}");
        let (length, inside) = path.length();
        assert_eq!(length, run.summary().elapsed - told[0].1);
        assert!(inside <= length && path.stretches.iter().all(|s| s.inside <= s.to - s.from));
        assert_eq!(path.by_rank(12).iter().sum::<i64>(), length);
    }
}

#[test]
fn a_late_rank_is_on_the_path() {
    let late = Late { rank: 5, step: Some(4), by: 4_000_000 };
    let run = made(&MessageOptions { ranks: 36, late: vec![late], ..MessageOptions::default() });
    let path = CriticalPath::of(&run, &Waits::of(&run));
    let on_it = path.by_rank(36);
    assert!(on_it[5] >= 4_000_000, "{on_it:?}");
}
