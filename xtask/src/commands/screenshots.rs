//! `cargo xtask screenshots`: every view of tasks, messages and calls, of a recorded run and of small, middle and huge
//! synthetic ones, at two sizes, light and dark.
//!
//! The pictures go to `out/screenshots`, and those that the guide shows to `docs/pictures`. `--small` leaves the
//! huge runs out.

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

/// The runs, huge ones last. Those of tasks are called by the number of tasks; `fib` has four nodes for each.
const RUNS: &[Recipe] = &[
    ("sort", &["import", "fixtures/dag/sort_mth4.dag"]),
    ("20", &["synth", "fib", "--size", "82"]),
    ("20k", &["synth", "fib", "--size", "80k"]),
    (
        "messages",
        &[
            "synth",
            "messages",
            EXCHANGES,
            "--ranks",
            "64",
            "--steps",
            "60",
            "--late",
            "37",
            "--late-by",
            "500000",
        ],
    ),
    ("calls", &["synth", "calls", "--size", "20k", "--ranks", "16", "--slow", "4-6"]),
    ("20M", &["synth", "fib", "--size", "80M"]),
    ("messages-4k", &["synth", "messages", EXCHANGES, "--ranks", "4320", "--steps", "30"]),
    ("calls-1M", &["synth", "calls", "--size", "1M", "--ranks", "256", "--slow", "64-95"]),
];
/// How many of them are huge.
const HUGE: usize = 3;
const EXCHANGES: &str = "halo*8,radix-4,allreduce";

/// Pictures that the guide shows: file in `out/screenshots`, file in `docs/pictures`.
const SHOWN: &[(&str, &str)] = &[
    ("sort-tasks.dag-1280x800-light.png", "dag.png"),
    ("sort-tasks.timeline-1280x800-light.png", "timeline.png"),
    ("sort-tasks.grains-1280x800-light.png", "grain.png"),
    ("messages-messages.gram-1280x800-light.png", "gram.png"),
];

pub fn run(args: &[String]) -> Result<()> {
    let runs = match args {
        [] => RUNS,
        [small] if small == "--small" => &RUNS[..RUNS.len() - HUGE],
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
    for (from, to) in SHOWN {
        let to = pictures.join(to);
        fs::copy(folder.join(from), &to)
            .with_context(|| format!("could not copy {from} to {}", to.display()))?;
        println!("{from} → {}", to.display());
    }
    Ok(())
}
