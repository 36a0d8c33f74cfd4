//! Recordings that ended before their program: what the recorders left about it, in words.

use std::path::Path;

use crosscut_events::{FAILURES, FAILURES_BYTES, Failure, NEARLY_FULL, TOO_MANY_THREADS};

use crate::files::Process;

/// All that the recorders of a folder said.
fn read(folder: &Path) -> Vec<Failure> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = crosscut_run::plain::open(&folder.join(FAILURES));
    // A page that cannot be read says nothing.
    let _ = file.and_then(|file| file.take(FAILURES_BYTES as u64).read_to_end(&mut bytes));
    Failure::all(&bytes).collect()
}

/// Why the recording of a process ended, and when.
fn sentence(failure: &Failure, processes: &[Process]) -> String {
    let number = failure.process.to_string();
    let process = processes.iter().find(|process| process.get("pid") == Some(&number));
    // "clock KIND TICKS NANOS"
    let began = process.and_then(|process| process.get("clock")?.split(' ').nth(2)?.parse::<u64>().ok());
    let after = began.and_then(|began| failure.nanos.checked_sub(began));
    let when = match after {
        Some(nanos) => format!("{:.3} s after process {number} began", nanos as f64 / 1e9),
        None => format!("in process {number}"),
    };
    let mut text = format!("the recording ended {when}, the program went on: {}", why(failure.error));
    match failure.threads {
        0 => {}
        1 => text += ", one thread is not in it",
        more => text += &format!(", {more} threads are not in it"),
    }
    text
}

/// The error, with the limit that it comes from.
pub fn why(error: u32) -> String {
    const ENOMEM: u32 = 12;
    const EMFILE: u32 = 24;
    const EFBIG: u32 = 27;
    const ENOSPC: u32 = 28;
    let hint = match error {
        TOO_MANY_THREADS => return "a run cannot hold more threads".into(),
        ENOMEM => " (the limit on memory, `ulimit -v`)",
        EMFILE => " (the limit on open files, `ulimit -n`)",
        EFBIG => " (the limit on the size of files, `ulimit -f`)",
        ENOSPC => " (for bytes or for more files)",
        NEARLY_FULL => " (what is left is for the run and the program)",
        _ => "",
    };
    let error = if error == NEARLY_FULL { ENOSPC } else { error };
    let error = std::io::Error::from_raw_os_error(error as i32).to_string();
    let text = error.split(" (os error").next().unwrap_or_default();
    format!("{text}{hint}")
}

/// What recorders in this folder said about recordings that ended before their program, a sentence for each.
pub fn ended_early(folder: &Path) -> Vec<String> {
    let failures = read(folder);
    // Nearly always.
    if failures.is_empty() {
        return Vec::new();
    }
    let processes = crate::files::read(folder).unwrap_or_default();
    failures.iter().map(|failure| sentence(failure, &processes)).collect()
}
