//! `cargo xtask fuzz`: random inputs for every reader, for runs, events and questions. `fuzz/` is a workspace of its own, built
//! with LLVM's coverage counters, which stable Rust has; `--plain` builds it without, much sooner.

use std::process::Command;

use anyhow::{Context, Result};

use crate::process;
use crate::workspace::{cargo, root};

/// Counters in every block of code, which `fuzz/src/coverage.rs` reads.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters";

/// Builds and runs the targets that are named, or all; prints executions and findings.
pub fn run(args: &[String]) -> Result<()> {
    let fuzz = root().join("fuzz");
    let mut command = cargo(&["run", "--quiet", "--manifest-path"]);
    command.arg(fuzz.join("Cargo.toml"));
    let plain = args.iter().any(|arg| arg == "--plain");
    if plain {
        command.arg("--target-dir").arg(root().join("target"));
    } else {
        // With a target that is named, build scripts and macros are built without the counters.
        command.args(["--release", "--target", &host()?, "--target-dir"]).arg(fuzz.join("target"));
        command.env("RUSTFLAGS", FLAGS);
    }
    command.arg("--").args(args.iter().filter(|arg| *arg != "--plain"));
    process::run(&mut command)
}

/// The machine that builds, as rustc names it.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").current_dir(root()).output().context("rustc -vV")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV names no host")
}
