//! `cargo xtask lint`: formatting, clippy, layers, licences and the page's linter, with warnings as errors.
//!
//! `cargo xtask lint layers` runs only the named checks.

use anyhow::{Context, Result, bail};

use super::ui;
use crate::needs::{self, C_COMPILER, CLIPPY, DENY, RUSTFMT, State};
use crate::process;
use crate::stages::{Stage, Stages};
use crate::tally::Tally;
use crate::workspace::{self, cargo, npm};
use crate::{layers, test_files, words};

/// The checks, quick ones first.
pub const CHECKS: &[Stage] = &[
    ("layers", layers),
    ("test-files", test_files),
    ("format", format),
    ("page-lint", page_lint),
    ("page-words", page_words),
    ("page-style", page_style),
    ("licences", licences),
    ("clippy", clippy),
];

pub fn run(args: &[String]) -> Result<()> {
    let mut stages = Stages::default();
    stages.run_named(CHECKS, &[], args)?;
    stages.finish()
}

/// No crate depends on one to its right.
fn layers() -> Result<Tally> {
    tally(layers::check(&workspace::metadata()?))
}

/// Every file of tests is in a program.
fn test_files() -> Result<Tally> {
    tally(test_files::unlisted(&workspace::root().join("crates"))?)
}

/// `rustfmt` would change nothing.
fn format() -> Result<Tally> {
    needs::install(&[&RUSTFMT])?;
    process::run(&mut cargo(&["fmt", "--all", "--check"]))?;
    Ok(Tally::PASSED)
}

/// Clippy says nothing, in any target of any crate.
fn clippy() -> Result<Tally> {
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

/// What is linked has a licence that `deny.toml` allows, and comes from where it says. Advisories are not asked for: they
/// need the network, and change without a change of ours.
fn licences() -> Result<Tally> {
    if !matches!(DENY.look(), State::Found(_)) {
        println!("cargo-deny is not installed: skipped licences ({})", DENY.source.describe());
        return Ok(Tally { skipped: 1, ..Tally::default() });
    }
    process::run(&mut cargo(&["deny", "check", "licenses", "bans", "sources"]))?;
    Ok(Tally::PASSED)
}

/// The page's types.
fn page_lint() -> Result<Tally> {
    ui::install_packages()?;
    process::run(&mut npm(&["run", "lint"]))?;
    Ok(Tally::PASSED)
}

/// The page knows no domain outside that domain's panes.
fn page_words() -> Result<Tally> {
    tally(words::check(&workspace::ui().join("src"))?)
}

/// The page's linter says nothing and its formatter would change nothing; `npm run format` in `ui/` puts it right.
fn page_style() -> Result<Tally> {
    ui::install_packages()?;
    process::run(&mut npm(&["run", "style"])).context("`npm run format` in ui/ formats")?;
    Ok(Tally::PASSED)
}

/// Prints what is wrong.
fn tally(problems: Vec<String>) -> Result<Tally> {
    for problem in &problems {
        eprintln!("{problem}");
    }
    match problems.len() {
        0 => Ok(Tally::PASSED),
        1 => bail!("1 problem, see above"),
        count => bail!("{count} problems, see above"),
    }
}
