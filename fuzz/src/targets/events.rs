//! The events of a recorder: the file of one thread, closed into a run.

use std::fs;

use super::{Started, readers};

#[path = "../../../crates/close/tests/common/mod.rs"]
mod common;

/// The stream of a thread that creates tasks and waits for them, and parts of it.
pub fn start() -> Started {
    let mut stream = common::Stream::new(0);
    stream.ticks += 5;
    let whole: Vec<u8> = stream.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let seeds = vec![whole.clone(), whole[..whole.len() / 2].to_vec()];
    let work = readers::work();
    let folder = work.path().join("events");
    let run = move |bytes: &[u8]| {
        let _ = fs::remove_dir_all(&folder);
        let written = fs::create_dir(&folder)
            .and_then(|()| fs::write(folder.join(crosscut_events::thread_file(0)), bytes))
            .and_then(|()| fs::write(folder.join(crosscut_events::PROCESS), b"{}"));
        if written.is_ok() {
            readers::imported(&folder, work.path(), "events");
        }
    };
    (seeds, Box::new(run))
}
