//! Made call profiles: as large as asked for, the same for the same seed, slow where they should be.

use std::sync::Arc;

use crosscut_calls::Calls;
use crosscut_calls::causes::{Kind, causes};
use crosscut_synth::{CallOptions, MODULES, SynthError, calls};
use crosscut_tree::NodeId;

fn made(options: &CallOptions) -> (tempfile::TempDir, Calls) {
    let work = tempfile::tempdir().unwrap();
    let run = calls(&work.path().join("calls.crosscut"), options, &|_, _| {}).unwrap();
    (work, Calls::open(Arc::new(run)).unwrap())
}

#[test]
fn sizes_are_those_asked_for_and_values_add_up() {
    let options = CallOptions { nodes: 5000, ranks: 7, ..CallOptions::default() };
    let (_work, profile) = made(&options);
    assert_eq!((profile.summary().nodes, profile.place_count()), (5000, 7));
    profile.sound().unwrap();
    let (_again, same) = made(&options);
    assert_eq!(same.at_places(0, 0..5001), profile.at_places(0, 0..5001));
    // Everybody waits for the slowest: all ranks take equally long.
    let totals = profile.at_places(0, 0..5001);
    assert!(totals.iter().all(|&total| total == totals[0] && total > 0), "{totals:?}");
    let seen = |module: &&&str| profile.frames().iter().any(|frame| frame.module == **module);
    assert_eq!(MODULES.iter().filter(seen).count(), MODULES.len());
}

#[test]
fn slow_ranks_are_found() {
    let slow = vec![3, 9, 10];
    let options = CallOptions {
        nodes: 20_000,
        slow: slow.clone(),
        module: "hydro".to_owned(),
        ..CallOptions::default()
    };
    let (_work, profile) = made(&options);
    let worst = &causes(&profile)[0];
    assert_eq!((worst.kind, worst.module.as_str()), (Kind::RankImbalance, "hydro"));
    let mut ranks = worst.ranks.clone();
    ranks.sort_unstable();
    assert_eq!(ranks, slow);
    assert!((worst.most / worst.mean) > 1.9, "{worst:?}");
    assert!(profile.inclusive(0, NodeId::ROOT) > 0);
}

#[test]
fn wishes_that_cannot_be_are_refused() {
    let work = tempfile::tempdir().unwrap();
    let refused = |options: CallOptions| {
        calls(&work.path().join("no.crosscut"), &options, &|_, _| {}).map(drop).unwrap_err().to_string()
    };
    let usual = CallOptions::default;
    assert!(refused(CallOptions { nodes: 0, ..usual() }).contains("at least 1"));
    assert!(refused(CallOptions { ranks: 0, ..usual() }).contains("ask for 1 to"));
    assert!(refused(CallOptions { slow: vec![16], ..usual() }).contains("rank 16 of 16"));
    assert!(refused(CallOptions { module: "nothing".to_owned(), ..usual() }).contains("eos"));
    let error = calls(&work.path().join("no.crosscut"), &CallOptions { noise: 101, ..usual() }, &|_, _| {});
    assert!(matches!(error, Err(SynthError::Jitter(101))));
}
