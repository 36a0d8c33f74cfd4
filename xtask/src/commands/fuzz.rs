//! `cargo xtask fuzz`: random inputs for every reader, for runs, events and questions. `fuzz/` is a workspace of its own, built
//! with LLVM's coverage counters, which stable Rust has; `--plain` builds it without, much sooner.

use anyhow::Result;

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
        command.args(["--release", "--target-dir"]).arg(fuzz.join("target")).env("RUSTFLAGS", FLAGS);
    }
    command.arg("--").args(args.iter().filter(|arg| *arg != "--plain"));
    process::run(&mut command)
}
