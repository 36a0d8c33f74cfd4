//! Samples that were written by hand become calls; damaged ones become none, or an error, and never more than there is.

mod common;

use std::path::Path;
use std::sync::Arc;

use common::{FIRST, Process, sampled};
use crosscut_calls::{Calls, Stretch};
use crosscut_close::{CloseError, Closed, Options, Quiet, close};
use crosscut_events::EventKind;
use crosscut_tree::NodeId;

fn closed(process: &Process, folder: &Path) -> Result<Closed, CloseError> {
    let (events, target) = (folder.join("events"), folder.join("run.crosscut"));
    let _ = std::fs::remove_dir_all(&events);
    let _ = std::fs::remove_dir_all(&target);
    process.write(&events);
    close(&events, &target, &Options::default(), &Quiet)
}

fn calls(closed: Closed) -> Calls {
    let calls = Calls::open(Arc::new(closed.run)).unwrap();
    calls.sound().unwrap();
    calls
}

/// 65 samples of a millisecond; every third of the first 64 has a nanosecond in the kernel, and another third two.
#[test]
fn all_samples_count() {
    let folder = tempfile::tempdir().unwrap();
    let calls = calls(closed(&sampled(), folder.path()).unwrap());
    let kernel: i64 = (0..64).map(|number| number % 3).sum();
    assert_eq!(calls.inclusive(1, NodeId::ROOT), 65);
    assert_eq!(calls.inclusive(0, NodeId::ROOT), 65_000_000 + kernel);
    let in_kernel = (0..calls.node_count() as u32).map(NodeId);
    let in_kernel = in_kernel.filter(|&node| calls.frame(node).is_some_and(|frame| frame.name == "(kernel)"));
    assert_eq!(in_kernel.map(|node| calls.inclusive(0, node)).sum::<i64>(), kernel);
    // The stacks lead nowhere: that is said.
    assert!(calls.summary().notes.iter().any(|note| note.contains("of 65 samples are not known")));
    // Taken one by one they are the same.
    let samples = calls.samples().unwrap();
    let (from, to) = samples.span().unwrap();
    let whole = calls.within(&[Stretch { place: 0, from, to }]).unwrap().unwrap();
    whole.sound().unwrap();
    for node in (0..calls.node_count() as u32).map(NodeId) {
        assert_eq!((whole.own(0, node), whole.own(1, node)), (calls.own(0, node), calls.own(1, node)));
    }
}

/// Wherever the file ends, and whichever word of it is another one, what is left is read or refused.
#[test]
fn damaged_samples() {
    let folder = tempfile::tempdir().unwrap();
    let whole = sampled();
    let words = whole.threads[1].1.clone();
    let with = |words: Vec<u64>| {
        let mut process = whole.clone();
        process.threads[1].1 = words;
        if let Ok(closed) = closed(&process, folder.path()) {
            // A damaged sample may stand for any time.
            if let Ok(calls) = Calls::open(Arc::new(closed.run)) {
                assert!(calls.inclusive(1, NodeId::ROOT) <= 65);
            }
        }
    };
    for end in (FIRST..words.len()).step_by(397) {
        with(words[..end].to_vec());
    }
    for at in (FIRST..words.len()).step_by(307) {
        for word in [0, u64::MAX, 1 << 63, EventKind::Sample as u64, EventKind::Stack as u64] {
            let mut words = words.clone();
            words[at] = word;
            with(words);
        }
    }
}
