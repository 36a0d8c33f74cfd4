//! `crosscut synth`: a run of any size, for tests and benchmarks.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use crosscut_synth::{Options, Policy, ShapeName};

mod calls;
mod messages;

use crate::progress::Progress;
use crate::{info, interrupt, output, size};

/// Make a run of any shape and size, for tests and benchmarks.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    of: Option<Of>,
    #[command(flatten)]
    tasks: Option<TaskArgs>,
}

#[derive(clap::Subcommand)]
enum Of {
    Calls(calls::Args),
    Messages(messages::Args),
}

/// A run of tasks.
#[derive(clap::Args)]
struct TaskArgs {
    /// The program that the run is of.
    #[arg(value_parser = shapes())]
    shape: ShapeName,
    /// Number of nodes of the task tree, such as 100_000, 1e6 or 10M; the nearest that the shape allows is made.
    #[arg(long, value_name = "N", value_parser = size::parse, allow_negative_numbers = true)]
    size: u64,
    /// Number of workers.
    #[arg(long, value_name = "P", default_value_t = Options::default().workers,
        value_parser = size::whole::<usize>, allow_negative_numbers = true)]
    workers: usize,
    /// Where chance starts; equal seeds make equal runs.
    #[arg(long, value_name = "S", default_value_t = Options::default().seed,
        value_parser = size::whole::<u64>, allow_negative_numbers = true)]
    seed: u64,
    /// What a worker does when it has created a task.
    #[arg(long, default_value_t = Options::default().policy, value_parser = policies())]
    policy: Policy,
    /// Work of a leaf task in nanoseconds.
    #[arg(long, value_name = "NS", default_value_t = Options::default().grain,
        value_parser = size::whole::<u32>, allow_negative_numbers = true)]
    grain: u32,
    /// By how many percent the work of an interval may be more or less.
    #[arg(long, value_name = "PERCENT", default_value_t = Options::default().jitter,
        value_parser = size::whole::<u32>, allow_negative_numbers = true)]
    jitter: u32,
    /// Time to create a task in nanoseconds.
    #[arg(long, value_name = "NS", default_value_t = Options::default().create,
        value_parser = size::whole::<u32>, allow_negative_numbers = true)]
    create: u32,
    /// Time to steal a task in nanoseconds.
    #[arg(long, value_name = "NS", default_value_t = Options::default().steal,
        value_parser = size::whole::<u32>, allow_negative_numbers = true)]
    steal: u32,
    /// The run to make [default: SHAPE.crosscut]
    #[arg(short, long, value_name = "RUN")]
    output: Option<PathBuf>,
}

fn shapes() -> impl TypedValueParser<Value = ShapeName> {
    PossibleValuesParser::new(ShapeName::ALL.map(|s| PossibleValue::new(s.word()).help(s.describe())))
        .try_map(|word| word.parse::<ShapeName>())
}

fn policies() -> impl TypedValueParser<Value = Policy> {
    let help = |policy| match policy {
        Policy::HelpFirst => "it goes on with its own task (OpenMP)",
        Policy::WorkFirst => "it runs the new task (Cilk)",
    };
    PossibleValuesParser::new(Policy::ALL.map(|p| PossibleValue::new(p.word()).help(help(p))))
        .try_map(|word| word.parse::<Policy>())
}

/// Makes the run and says what it is in a line.
pub fn run(args: Args) -> Result<()> {
    match (args.of, args.tasks) {
        (Some(Of::Calls(args)), _) => calls::run(args),
        (Some(Of::Messages(args)), _) => messages::run(args),
        (None, Some(args)) => tasks(args),
        (None, None) => bail!("name a program, such as fib, or calls or messages"),
    }
}

fn tasks(args: TaskArgs) -> Result<()> {
    let target = args.output.unwrap_or_else(|| format!("{}.crosscut", args.shape).into());
    let options = Options {
        shape: args.shape,
        nodes: args.size,
        workers: args.workers,
        seed: args.seed,
        policy: args.policy,
        grain: args.grain,
        jitter: args.jitter,
        create: args.create,
        steal: args.steal,
    };
    let run = interrupt::stoppable(&target, "", || {
        let progress = Progress::new(args.shape.word(), "nodes", "making indexes");
        Ok(crosscut_synth::tasks(&target, &options, &|done, total| progress.set(done, total))?)
    })?;
    output::line(&info::one_line(run)?)
}
