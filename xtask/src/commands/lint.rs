//! `cargo xtask lint`: formatting, clippy and the page's linter, with warnings as errors.

use anyhow::Result;

use super::ui;
use crate::needs::{self, C_COMPILER, CLIPPY, RUSTFMT};
use crate::process;
use crate::stages::Stages;
use crate::tally::Tally;
use crate::workspace::{cargo, npm};

pub fn run(args: &[String]) -> Result<()> {
    super::no_options(args)?;
    let mut stages = Stages::default();
    stages.run("format", format);
    stages.run("clippy", clippy);
    stages.run("page-lint", page);
    stages.finish()
}

/// `rustfmt` would change nothing.
pub fn format() -> Result<Tally> {
    needs::install(&[&RUSTFMT])?;
    process::run(&mut cargo(&["fmt", "--all", "--check"]))?;
    Ok(Tally::PASSED)
}

/// Clippy says nothing, in any target of any crate.
pub fn clippy() -> Result<Tally> {
    needs::install(&[&CLIPPY, &C_COMPILER])?;
    process::run(&mut cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--keep-going",
        "--",
        "--deny",
        "warnings",
    ]))?;
    Ok(Tally::PASSED)
}

/// The page's types and its linter.
pub fn page() -> Result<Tally> {
    ui::install_packages()?;
    process::run(&mut npm(&["run", "lint"]))?;
    Ok(Tally::PASSED)
}
