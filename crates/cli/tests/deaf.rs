//! Clients that ask and never read do not take the memory.

use crate::support;

use std::process::Child;
use std::time::{Duration, Instant};

use support::{folder, ok, send, socket, view};

/// Memory of the server beyond mapped files, in MiB.
fn memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

/// The most that it takes until it has not grown for a while.
fn most(child: &Child) -> u64 {
    let (mut most, mut grown, begin) = (memory(child), Instant::now(), Instant::now());
    while grown.elapsed() < Duration::from_secs(4) && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(100));
        let now = memory(child);
        if now > most + 1 {
            (most, grown) = (now, Instant::now());
        }
    }
    most
}

#[test]
fn memory_stays_bounded() {
    let folder = folder();
    ok(folder.path(), &["synth", "fib", "--size", "100k", "-o", "a.crosscut"]);
    let (mut child, link) = view(folder.path(), &["a.crosscut"]);
    let before = most(&child);
    // About 9,000 boxes, 400 KiB as they are sent: each of these would hold ten megabytes, were it not stopped.
    let question = |id| {
        format!(
            r#"{{"id":{id},"ask":"scene","look":{{"view":"tasks.dag","run":0}},
            "act":{{"name":"below","on":{{"run":0,"tree":"tasks","nodes":"0"}},"numbers":[9000]}}}}"#
        )
    };
    let deaf: Vec<_> = (0..30)
        .map(|_| {
            let mut stream = socket(&link);
            stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
            // Once it is not listened to any more, it has asked for enough.
            let _ = (0..60).try_for_each(|id| send(&mut stream, &question(id)));
            stream
        })
        .collect();
    let after = most(&child);
    println!("{before} MiB before, {after} MiB with 30 who do not read");
    let _ = child.kill();
    let _ = child.wait();
    drop(deaf);
    // What may be held, and room to work; without a limit it is 700 MiB.
    assert!(after < before + 400, "{before} MiB before, {after} MiB with 30 who do not read");
}
