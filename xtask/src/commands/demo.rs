//! `cargo xtask demo`: from a clone to the workbench in the browser.
//!
//! Builds the page and the binary, records an example, imports a run from the fixtures, makes a synthetic one, and opens
//! them all. With `--no-view` the server is started, its page fetched once, and stopped again; `--dev` skips
//! optimisation.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::{examples, ui};
use crate::loopback;
use crate::needs::{self, C_COMPILER};
use crate::process;
use crate::workspace::{self, Profile};

pub fn run(args: &[String]) -> Result<()> {
    let mut view = true;
    let mut profile = Profile::Release;
    for arg in args {
        match arg.as_str() {
            "--no-view" => view = false,
            "--dev" => profile = Profile::Dev,
            other => bail!("unknown option \"{other}\""),
        }
    }
    let start = Instant::now();
    needs::install(&[&C_COMPILER])?;
    timed("page", ui::build)?;
    let crosscut = timed("binary", || workspace::build_binary(profile))?;
    let runs = timed("runs", || make_runs(&crosscut))?;
    println!("ready after {:.1} s", start.elapsed().as_secs_f64());
    if view { process::run(Command::new(&crosscut).arg("view").args(&runs)) } else { check(&crosscut, &runs) }
}

/// The runs, made anew each time: one that is recorded, with tasks and calls, one that is imported, and two that are made up:
/// tasks, and messages with a rank that is late.
fn make_runs(crosscut: &Path) -> Result<Vec<PathBuf>> {
    let folder = workspace::out("demo")?;
    let recorded = folder.join("recorded.crosscut");
    let sort = folder.join("sort.crosscut");
    let fib = folder.join("fib.crosscut");
    let messages = folder.join("messages.crosscut");
    for run in [&recorded, &sort, &fib, &messages] {
        if run.exists() {
            fs::remove_dir_all(run).with_context(|| format!("could not remove {}", run.display()))?;
        }
    }
    let program = examples::build_one()?;
    process::run(
        Command::new(crosscut)
            .args(["record", "--tasks", "--calls", "-o"])
            .arg(&recorded)
            .arg("--")
            .arg(program),
    )?;
    let dag = workspace::root().join("fixtures/dag/sort_mth4.dag");
    process::run(Command::new(crosscut).arg("import").arg(dag).arg("-o").arg(&sort))?;
    let size = ["synth", "fib", "--size", "80k", "--workers", "4", "-o"];
    process::run(Command::new(crosscut).args(size).arg(&fib))?;
    let late = ["--ranks", "64", "--steps", "60", "--late", "37", "--late-by", "500000", "-o"];
    let exchanges = ["synth", "messages", "halo*8,radix-4,allreduce"];
    process::run(Command::new(crosscut).args(exchanges).args(late).arg(&messages))?;
    Ok(vec![recorded, sort, fib, messages])
}

/// Starts the server, opens its page once as a browser would, and stops it.
fn check(crosscut: &Path, runs: &[PathBuf]) -> Result<()> {
    let start = Instant::now();
    let mut view = Command::new(crosscut);
    view.arg("view").args(runs).args(["--port", "0", "--no-open"]);
    println!("$ {}", process::describe(&view));
    let mut server = Server(view.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
    let link = server.link()?;
    let page = loopback::open(&link)?;
    if page.status != 200 || !page.body.contains("<script") {
        bail!("{link} answered {} without the page", page.status);
    }
    println!("{link} answered with the page after {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

/// A running `crosscut view`, stopped when it goes out of scope.
struct Server(Child);

impl Server {
    /// The launch link, which the server prints when it listens.
    fn link(&mut self) -> Result<String> {
        let stdout = self.0.stdout.take().context("the server's output is not piped")?;
        for line in BufReader::new(stdout).lines() {
            if let Some(at) = line.as_ref().ok().and_then(|line| line.find("http://")) {
                return Ok(line?[at..].split_whitespace().next().unwrap_or_default().to_owned());
            }
        }
        bail!("`crosscut view` ended without printing a link")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; there is nothing more to do then.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn timed<T>(what: &str, step: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let value = step()?;
    println!("{what}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(value)
}
