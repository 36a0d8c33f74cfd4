//! `cargo xtask screenshots`: every view of a recorded run and of a small, a middle and a huge synthetic one, at two
//! sizes, light and dark.
//!
//! The pictures go to `out/screenshots`, and those that the README shows to `docs/pictures`. `--small` leaves the
//! huge run out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::ui;
use crate::needs::{self, C_COMPILER, CHROMIUM, FONTS};
use crate::process;
use crate::workspace::{self, Profile};

/// A run: its name, and the arguments of `crosscut` that make it.
type Recipe = (&'static str, &'static [&'static str]);

/// The runs. Synthetic ones are called by the number of tasks; `fib` has four nodes for each.
const RUNS: &[Recipe] = &[
    ("sort", &["import", "fixtures/dag/sort_mth4.dag"]),
    ("20", &["synth", "fib", "--size", "82"]),
    ("20k", &["synth", "fib", "--size", "80k"]),
    ("20M", &["synth", "fib", "--size", "80M"]),
];

/// Pictures that the README shows: file in `out/screenshots`, file in `docs/pictures`.
const README: &[(&str, &str)] = &[
    ("sort-dag-1280x800-light.png", "dag.png"),
    ("sort-timeline-1280x800-light.png", "timeline.png"),
    ("sort-grain-1280x800-light.png", "grain.png"),
];

pub fn run(args: &[String]) -> Result<()> {
    let runs = match args {
        [] => RUNS,
        [small] if small == "--small" => &RUNS[..RUNS.len() - 1],
        [other, ..] => bail!("unknown option \"{other}\""),
    };
    needs::install(&[&C_COMPILER, &CHROMIUM, &FONTS])?;
    ui::build()?;
    let crosscut = workspace::build_binary(Profile::Release)?;
    let runs = runs.iter().map(|run| make_run(&crosscut, *run)).collect::<Result<Vec<_>>>()?;

    let folder = workspace::out("screenshots")?;
    let mut node = needs::node("node");
    node.arg("e2e/screenshots.mjs")
        .arg(&folder)
        .args(runs)
        .current_dir(workspace::ui())
        .env("CROSSCUT", crosscut)
        .env("CHROMIUM", needs::chromium());
    process::run(&mut node)?;
    publish(&folder)
}

/// Makes a run; one that is already there is used again.
fn make_run(crosscut: &Path, (name, recipe): Recipe) -> Result<PathBuf> {
    let run = workspace::out("runs")?.join(format!("{name}.crosscut"));
    if !run.exists() {
        let mut make = Command::new(crosscut);
        make.args(recipe).arg("-o").arg(&run).current_dir(workspace::root());
        process::run(&mut make)?;
    }
    Ok(run)
}

fn publish(folder: &Path) -> Result<()> {
    let pictures = workspace::root().join("docs/pictures");
    fs::create_dir_all(&pictures)?;
    for (from, to) in README {
        let to = pictures.join(to);
        fs::copy(folder.join(from), &to)
            .with_context(|| format!("could not copy {from} to {}", to.display()))?;
        println!("{from} → {}", to.display());
    }
    Ok(())
}
