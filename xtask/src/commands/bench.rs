//! `cargo xtask bench`: builds and runs `crates/bench`, shows its table, and keeps it in `docs/benchmarks.md`.
//!
//! `--only-frames` measures how tables reach Python, beside Hatchet. Other arguments go to `crosscut-bench` as they are; with any, nothing is written, because it was not the whole set.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{examples, ui};
use crate::needs::{self, C_COMPILER};
use crate::process;
use crate::python;
use crate::workspace::{self, Profile, cargo};

const HEADING: &str = "\
# Benchmarks

Written by `cargo xtask bench`, on a machine with CORES cores. The last column says what to compare with: the same
machine's memory and disk, or the size of the work.
";

pub fn run(args: &[String]) -> Result<()> {
    needs::install(&[&C_COMPILER])?;
    ui::build()?;
    if args == ["--only-frames"] {
        return frames();
    }
    workspace::build_binary(Profile::Release)?;
    let examples = examples::build()?;
    let mut bench = cargo(&["run", "--release", "--quiet", "--package", "crosscut-bench", "--"]);
    bench.arg("--examples").arg(examples);
    if !args.is_empty() {
        return process::run(bench.args(args));
    }
    let output = bench.stderr(std::process::Stdio::inherit()).output()?;
    let table = String::from_utf8(output.stdout).context("crosscut-bench printed bytes that are not text")?;
    print!("{table}");
    if !output.status.success() {
        bail!("crosscut-bench ended with {}", output.status);
    }
    let file = workspace::root().join("docs/benchmarks.md");
    let cores = std::thread::available_parallelism()?;
    // What people wrote about it stands behind the table, under headings of its own.
    let old = fs::read_to_string(&file).unwrap_or_default();
    let notes = old.find("\n## ").map_or("", |at| &old[at..]);
    fs::write(&file, format!("{}\n{table}{notes}", HEADING.replace("CORES", &cores.to_string())))
        .with_context(|| format!("could not write {}", file.display()))?;
    println!("written to docs/benchmarks.md");
    Ok(())
}

/// Tables in Python, beside Hatchet.
fn frames() -> Result<()> {
    let package = python::package(Profile::Release)?;
    let folder = workspace::root().join("python");
    let python = python::with(&folder.join("tests/requirements.txt"))?;
    process::run(Command::new(python).arg(folder.join("bench/frames.py")).env("PYTHONPATH", package))
}
