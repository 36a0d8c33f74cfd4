//! `crosscut synth messages`: ranks that compute and exchange, as a run or as DUMPI files.

use std::path::PathBuf;

use anyhow::Result;
use crosscut_synth::{Exchange, Late, MessageOptions};

use crate::progress::Progress;
use crate::{info, interrupt, output, size};

/// Make a run of messages: ranks that compute and exchange, step by step.
#[derive(clap::Args)]
#[command(after_help = exchanges_help())]
pub struct Args {
    /// What the ranks do in each step, such as halo or halo*8,radix-4,allreduce; begun again when it is through.
    #[arg(value_name = "EXCHANGES", value_parser = exchanges)]
    exchanges: Exchanges,
    /// Number of ranks.
    #[arg(long, value_name = "P", default_value_t = MessageOptions::default().ranks,
        value_parser = size::whole::<u32>, allow_negative_numbers = true)]
    ranks: u32,
    /// Number of steps.
    #[arg(long, value_name = "N", default_value_t = MessageOptions::default().steps,
        value_parser = size::whole::<u32>, allow_negative_numbers = true)]
    steps: u32,
    /// Where chance starts; equal seeds make equal runs.
    #[arg(long, value_name = "S", default_value_t = MessageOptions::default().seed,
        value_parser = size::whole::<u64>, allow_negative_numbers = true)]
    seed: u64,
    /// Work of a rank before each step in nanoseconds.
    #[arg(long, value_name = "NS", default_value_t = MessageOptions::default().work,
        value_parser = size::whole::<i64>, allow_negative_numbers = true)]
    work: i64,
    /// By how many percent the work may be more or less.
    #[arg(long, value_name = "PERCENT", default_value_t = MessageOptions::default().noise,
        value_parser = size::whole::<u32>, allow_negative_numbers = true)]
    noise: u32,
    /// Bytes of a message.
    #[arg(long, value_name = "BYTES", default_value_t = MessageOptions::default().bytes,
        value_parser = size::whole::<i64>, allow_negative_numbers = true)]
    bytes: i64,
    /// A rank that is late; may be given several times.
    #[arg(long, value_name = "RANK", value_parser = size::whole::<u32>, allow_negative_numbers = true, requires = "late_by")]
    late: Vec<u32>,
    /// How much longer it computes in nanoseconds; one for all that are late, or one for each.
    #[arg(long, value_name = "NS", value_parser = size::whole::<i64>, allow_negative_numbers = true, requires = "late")]
    late_by: Vec<i64>,
    /// In which step, from 0 on; one for all that are late, or one for each [default: in all steps]
    #[arg(long, value_name = "STEP", value_parser = size::whole::<u32>, allow_negative_numbers = true, requires = "late")]
    late_in: Vec<u32>,
    /// How far the clocks of hosts may be wrong in nanoseconds.
    #[arg(long, value_name = "NS", default_value_t = MessageOptions::default().skew,
        value_parser = size::whole::<i64>, allow_negative_numbers = true)]
    skew: i64,
    /// Ranks of a host, which share its clock.
    #[arg(long, value_name = "P", default_value_t = MessageOptions::default().hosts_of,
        value_parser = size::whole::<u32>, allow_negative_numbers = true)]
    per_host: u32,
    /// The run to make [default: messages.crosscut]
    #[arg(short, long, value_name = "RUN", conflicts_with = "dumpi")]
    output: Option<PathBuf>,
    /// Write DUMPI files into this folder instead.
    #[arg(long, value_name = "DIR")]
    dumpi: Option<PathBuf>,
}

/// A sequence of exchanges, one value of the command line.
#[derive(Clone)]
struct Exchanges(Vec<Exchange>);

fn exchanges(text: &str) -> Result<Exchanges, String> {
    crosscut_synth::exchanges(text).map(Exchanges)
}

fn exchanges_help() -> String {
    let line = |(exchange, about): (Exchange, &str)| format!("  {:<14} {about}\n", exchange.to_string());
    format!("Exchanges:\n{}", Exchange::ALL.map(line).concat())
}

/// Who is late, by how much, in which step.
fn late(args: &Args) -> Result<Vec<Late>> {
    let count = args.late.len();
    for (name, given) in [("--late-by", args.late_by.len()), ("--late-in", args.late_in.len())] {
        anyhow::ensure!(
            given <= 1 || given == count,
            "{name} is given {given} times for {count} late ranks: give one for all, or one for each"
        );
    }
    let of = |at: usize, rank: u32| {
        let by = args.late_by.get(at).or(args.late_by.first()).copied().unwrap_or(0);
        Late { rank, step: args.late_in.get(at).or(args.late_in.first()).copied(), by }
    };
    Ok(args.late.iter().enumerate().map(|(at, &rank)| of(at, rank)).collect())
}

/// Makes the run and says what it is in a line.
pub fn run(args: Args) -> Result<()> {
    let late = late(&args)?;
    let options = MessageOptions {
        exchanges: args.exchanges.0,
        ranks: args.ranks,
        steps: args.steps,
        seed: args.seed,
        work: args.work,
        noise: args.noise,
        bytes: args.bytes,
        late,
        skew: args.skew,
        hosts_of: args.per_host,
    };
    let progress = Progress::new("messages", "steps", "matching messages");
    let tell = |done: u64, total: u64| progress.set(done, total);
    if let Some(folder) = args.dumpi {
        crosscut_synth::dumpi(&folder, &options, &tell)?;
        drop(progress);
        return output::line(&format!("{}: DUMPI files of {} ranks", folder.display(), options.ranks));
    }
    let target = args.output.unwrap_or_else(|| "messages.crosscut".into());
    let run = interrupt::stoppable(&target, "", || Ok(crosscut_synth::messages(&target, &options, &tell)?))?;
    drop(progress);
    output::line(&info::one_line(run)?)
}
