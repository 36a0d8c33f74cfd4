//! `crosscut export`: a run in the forms of other tools. Which forms there are the domains say.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::builder::{PossibleValue, PossibleValuesParser};
use crosscut_view::REGISTRY;
use crosscut_workbench::{Exported, LensSpec};

use crate::output;
use crate::runs::{self, refused};
use crate::settings::{self, Limits};

/// Write a run for other tools.
#[derive(clap::Args)]
pub struct Args {
    /// The run.
    run: PathBuf,
    /// The form to write.
    #[arg(long, value_name = "FORM", value_parser = PossibleValuesParser::new(forms()))]
    to: String,
    /// The problem that is separated from the rest in nested groups; in the other forms, the only one that is marked.
    #[arg(long, value_name = "PROBLEM")]
    problem: Option<String>,
    /// A run of the same program that work is compared with.
    #[arg(long, value_name = "RUN")]
    baseline: Option<PathBuf>,
    /// The file; one that is there is replaced. Standard output if none is given.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
}

/// The forms of all domains.
fn forms() -> Vec<PossibleValue> {
    let all = REGISTRY.iter().flat_map(|entry| entry.exports);
    all.map(|form| PossibleValue::new(form.word).help(form.about)).collect()
}

/// Writes it.
pub fn run(args: Args) -> Result<()> {
    let run = settings::opened(runs::open(&args.run)?, args.baseline.as_deref(), &args.limits)?;
    settings::say_unfit(&run);
    let writes = |word: &str| {
        let entry = REGISTRY.iter().find(|entry| entry.word == word);
        entry.is_some_and(|entry| entry.exports.iter().any(|form| form.word == args.to))
    };
    let domain = run.domains.iter().find(|domain| writes(domain.word()));
    let domain =
        domain.with_context(|| format!("{} holds nothing to write as {}", run.run.name(), args.to))?;
    let lens = args.problem.map(|name| LensSpec { name, value: None });
    let Exported { notes, write } = domain.export(&args.to, lens.as_ref()).map_err(refused)?;
    notes.iter().for_each(|note| output::say(note));
    match &args.output {
        // Beside the name, and renamed: a graph is there whole or not at all.
        Some(path) => output::replace(path, |file| {
            let mut out = BufWriter::with_capacity(1 << 16, file);
            write(&mut out)?;
            out.flush()
        })
        .with_context(|| path.display().to_string()),
        None => output::stream(write),
    }
}
