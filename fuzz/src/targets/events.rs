//! The events of a recorder: one file of what a process left, closed into a run.

use std::fs;

use super::{Started, readers};

#[path = "../../../crates/close/tests/common/mod.rs"]
mod common;

/// The first thread of a team of two that creates tasks and waits for them.
pub fn tasks() -> Started {
    file_of(common::team(), &crosscut_events::thread_file(0))
}

/// The calls of MPI of a rank.
pub fn messages() -> Started {
    file_of(common::messaging(), &crosscut_events::thread_file(0))
}

/// Samples of a thread's stack.
pub fn samples() -> Started {
    file_of(common::sampled(), &crosscut_events::samples_file(0))
}

/// One file of a process; the others stay as they are.
fn file_of(process: common::Process, name: &str) -> Started {
    let work = readers::work();
    let folder = work.path().join("events");
    process.write(&folder);
    let file = folder.join(&process.name).join(name);
    let whole = fs::read(&file).expect("a file of the process");
    assert!(readers::imported(&folder, work.path(), "events"), "events are read");
    let seeds = vec![whole.clone(), whole[..whole.len() / 2].to_vec()];
    let run = move |bytes: &[u8]| {
        if fs::write(&file, bytes).is_ok() {
            readers::imported(&folder, work.path(), "events");
        }
    };
    (seeds, Box::new(run))
}
