//! `cargo xtask planted`: records every program of `examples/planted` on 2 and on 8 workers, and those of `examples/mpi`
//! with a planted cause, and tests that what was planted is the first finding, at its line. It measures time, so it is no
//! part of `cargo xtask test`: it wants a machine that has nothing else to do.

use anyhow::Result;

use super::{examples, no_options, ui};
use crate::needs::{self, C_COMPILER, TBB};
use crate::process;
use crate::workspace::{self, Profile, cargo};

pub fn run(args: &[String]) -> Result<()> {
    no_options(args)?;
    needs::install(&[&C_COMPILER, &TBB])?;
    if !ui::is_built() {
        ui::build()?;
    }
    let examples = examples::build()?;
    let crosscut = workspace::build_binary(Profile::Dev)?;
    // One after the other: recordings must not take the processors from one another.
    let mut test = cargo(&["test", "--package", "crosscut", "--test", "all", "--", "planted"]);
    test.args(["--ignored", "--test-threads", "1"])
        .env("CROSSCUT_EXAMPLES", examples)
        .env("CROSSCUT_RECORDER", workspace::recorder(&crosscut))
        .env("CROSSCUT_BIN", crosscut);
    process::run(&mut test)
}
