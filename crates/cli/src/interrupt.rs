//! Ctrl-C (and SIGTERM, and a terminal that is closed) while a run is being made: nothing of it stays behind.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use crate::output;

/// What the shell says of a program that was interrupted: 128 + SIGINT.
const INTERRUPTED: i32 = 130;

/// Does `work`, which makes the run `target`, on another thread. On Ctrl-C removes what it has written so far, says what is
/// `left`, and ends the program.
pub fn stoppable<T: Send>(target: &Path, left: &str, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("signals")?;
    let others = unfinished(target); // of a process that had our number before, or has it on another machine
    std::thread::scope(|scope| {
        let listening = {
            let _inside = runtime.enter();
            signal()
        };
        let (send, done) = tokio::sync::oneshot::channel();
        // The receiver is only gone when the program ends.
        let worker = scope.spawn(|| drop(send.send(work())));
        let result = runtime.block_on(async {
            tokio::select! { result = done => result.ok(), () = listening => stop(target, left, &others) }
        });
        // A panic has been printed already.
        let _ = worker.join();
        result.unwrap_or_else(|| Err(anyhow!("stopped by a fault in crosscut itself; please report it")))
    })
}

/// Listens for Ctrl-C, SIGTERM and the end of the terminal from now on; the future is ready when one has come. Needs a
/// runtime.
pub fn signal() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    // Who started us with `nohup` wants us to outlive the terminal.
    let hangup = if ignores_hangup() { None } else { signal(SignalKind::hangup()).ok() };
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    async {
        let hung_up = async {
            match hangup {
                Some(mut hangup) => drop(hangup.recv().await),
                None => std::future::pending().await,
            }
        };
        match signals {
            (Ok(mut interrupt), Ok(mut terminate)) => {
                tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {}, () = hung_up => {} }
            }
            // Without a handler the signal ends the program by itself.
            _ => std::future::pending().await,
        }
    }
}

/// Whether SIGHUP, the first signal, is ignored.
fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// The directories in which this process makes a run of this name. `RunWriter` calls them `NAME.tmp-PROCESS-NUMBER`.
fn unfinished(target: &Path) -> HashSet<PathBuf> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let begins = format!("{name}.tmp-{}-", std::process::id());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else { return HashSet::new() };
    let is_ours = |path: &PathBuf| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&begins));
    entries.flatten().map(|entry| entry.path()).filter(is_ours).collect()
}

fn stop(target: &Path, left: &str, others: &HashSet<PathBuf>) -> ! {
    let left = if left.is_empty() { String::new() } else { format!("; {left}") };
    output::say(&format!("{}: stopped{left}", target.display()));
    end(|| unfinished(target).difference(others).cloned().collect())
}

/// Ends the program and removes what a worker that still writes has left: what it adds meanwhile is caught by trying again.
#[expect(clippy::disallowed_methods, reason = "the worker cannot be stopped; what it left is removed here")]
pub fn end(left: impl Fn() -> Vec<PathBuf>) -> ! {
    for _ in 0..50 {
        let left = left();
        if left.is_empty() {
            break;
        }
        if left.iter().any(|path| fs::remove_dir_all(path).is_err()) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    std::process::exit(INTERRUPTED)
}
