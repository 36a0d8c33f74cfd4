//! `crosscut export`: the grain graph of a run for other tools.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum;
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Grains, Problem, ProblemSet};
use crosscut_view::graph::{Form, Graph};

use crate::grains::{Baseline, Limits, must_tell, untold};
use crate::{output, runs};

/// Write the grain graph of a run for other tools.
#[derive(clap::Args)]
pub struct Args {
    /// The run.
    run: PathBuf,
    /// The form to write.
    #[arg(long, value_enum)]
    to: To,
    /// The problem that is separated from the rest in nested groups; in the other forms, the only one that is marked.
    #[arg(long, value_name = "PROBLEM")]
    problem: Option<Problem>,
    /// A run of the same program that work is compared with.
    #[arg(long, value_name = "RUN")]
    baseline: Option<PathBuf>,
    /// The file; one that is there is replaced. Standard output if none is given.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
}

/// Forms that other tools read.
#[derive(Clone, Copy, ValueEnum)]
enum To {
    /// GraphML with nested groups, which yEd opens folded.
    Graphml,
    /// GraphML of grains, forks and joins.
    PlainGraphml,
    /// DOT of grains, forks and joins, for Graphviz.
    Dot,
}

/// Writes it.
pub fn run(args: Args) -> Result<()> {
    let thresholds = args.limits.thresholds()?;
    let tasks = Tasks::open(runs::open(&args.run)?)?;
    let grains = Grains::new(&tasks);
    let baseline = Baseline::find(args.baseline.as_deref(), &tasks, &grains)?;
    let deviation = baseline.as_ref().map(|baseline| &baseline.deviation);
    if let Some(problem) = args.problem {
        must_tell(&grains, problem, deviation)?;
    }
    for problem in args.limits.asked() {
        if let Some(why) = untold(&grains, problem, deviation) {
            output::say(&format!("{problem} is not marked: {why}"));
        }
    }
    let marked = |problem: Problem| match (args.to, args.problem) {
        (To::Graphml, _) | (_, None) => true,
        (_, Some(only)) => problem == only,
    };
    let mut problems: Vec<ProblemSet> = Problem::ALL
        .into_iter()
        .filter(|&problem| marked(problem) && grains.can_tell(problem, deviation))
        .map(|problem| grains.problem(problem, thresholds.of(problem, &grains), deviation))
        .collect();
    // The one that was asked for separates; without one that is the first.
    problems.sort_by_key(|set| Some(set.problem) != args.problem);
    let graph = Graph { tasks: &tasks, grains: &grains, problems: &problems, deviation };
    let form = match args.to {
        To::Graphml => Form::Nested,
        To::PlainGraphml => Form::Plain,
        To::Dot => Form::Dot,
    };
    match &args.output {
        Some(path) => to_file(&graph, form, path).with_context(|| path.display().to_string()),
        None => output::stream(|out| graph.write(form, out)),
    }
}

/// Writes beside the name and renames: a graph is there whole or not at all.
fn to_file(graph: &Graph<'_>, form: Form, path: &Path) -> Result<()> {
    output::replace(path, |file| {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        graph.write(form, &mut out)?;
        out.flush()
    })
}
