//! Ctrl-C (and SIGTERM) while a run is being made: nothing of it stays behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

/// What the shell says of a program that was interrupted: 128 + SIGINT.
const INTERRUPTED: i32 = 130;

/// Does `work` on another thread; on Ctrl-C removes the directory `unfinished` and ends the program.
pub fn stoppable<T: Send>(unfinished: &Path, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("signals")?;
    std::thread::scope(|scope| {
        let listening = runtime.block_on(async { signal() });
        let (send, done) = tokio::sync::oneshot::channel();
        // The receiver is only gone when the program ends.
        let worker = scope.spawn(|| drop(send.send(work())));
        let result = runtime.block_on(async {
            tokio::select! { result = done => result.ok(), () = listening => stop(unfinished) }
        });
        // A panic has been printed already.
        let _ = worker.join();
        result.unwrap_or_else(|| Err(anyhow!("stopped by a fault in crosscut itself; please report it")))
    })
}

/// Listens for Ctrl-C and SIGTERM from now on; the future is ready when one has come. Needs a runtime.
pub fn signal() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    async {
        match signals {
            (Ok(mut interrupt), Ok(mut terminate)) => {
                tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            }
            // Without a handler the signal ends the program by itself.
            _ => std::future::pending().await,
        }
    }
}

/// The directory in which `RunWriter` makes a run of this name.
pub fn unfinished(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".tmp-{}", std::process::id()));
    target.with_file_name(name)
}

/// The worker still writes: what it adds while its directory is being removed is caught by trying again.
fn stop(unfinished: &Path) -> ! {
    for _ in 0..100 {
        if fs::remove_dir_all(unfinished).is_ok() || !unfinished.exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    eprintln!("crosscut: stopped; nothing was written");
    std::process::exit(INTERRUPTED)
}
