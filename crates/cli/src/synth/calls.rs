//! `crosscut synth calls`: a call profile of any size, with ranks on which one part of the program takes longer.

use std::path::PathBuf;

use anyhow::Result;
use crosscut_synth::CallOptions;
use crosscut_workbench::Nodes;

use crate::progress::Progress;
use crate::{info, interrupt, output, size};

/// Make a call profile: a tree of calls with values for each rank.
#[derive(clap::Args)]
pub struct Args {
    /// Number of call paths, such as 100_000, 1e6 or 10M.
    #[arg(long, value_name = "N", default_value_t = CallOptions::default().nodes,
        value_parser = size::parse, allow_negative_numbers = true)]
    size: u64,
    /// Number of ranks.
    #[arg(long, value_name = "P", default_value_t = CallOptions::default().ranks,
        value_parser = size::whole::<u32>, allow_negative_numbers = true)]
    ranks: u32,
    /// Where chance starts; equal seeds make equal runs.
    #[arg(long, value_name = "S", default_value_t = CallOptions::default().seed,
        value_parser = size::whole::<u64>, allow_negative_numbers = true)]
    seed: u64,
    /// Ranks on which one module takes longer, such as 3,64-95.
    #[arg(long, value_name = "RANKS", value_parser = ranks)]
    slow: Option<Nodes>,
    /// The module that takes longer there.
    #[arg(long, value_name = "MODULE", default_value_t = CallOptions::default().module, requires = "slow")]
    module: String,
    /// By how many percent it takes longer there.
    #[arg(long, value_name = "PERCENT", default_value_t = CallOptions::default().by,
        value_parser = size::whole::<u32>, allow_negative_numbers = true, requires = "slow")]
    by: u32,
    /// By how many percent values differ from rank to rank.
    #[arg(long, value_name = "PERCENT", default_value_t = CallOptions::default().noise,
        value_parser = size::whole::<u32>, allow_negative_numbers = true)]
    noise: u32,
    /// The run to make [default: calls.crosscut]
    #[arg(short, long, value_name = "RUN")]
    output: Option<PathBuf>,
}

fn ranks(text: &str) -> Result<Nodes, String> {
    Nodes::try_from(text.to_owned()).map_err(|_| "write ranks as 3,64-95".to_owned())
}

/// Makes the run and says what it is in a line.
pub fn run(args: Args) -> Result<()> {
    let target = args.output.unwrap_or_else(|| "calls.crosscut".into());
    let options = CallOptions {
        nodes: args.size,
        ranks: args.ranks,
        seed: args.seed,
        slow: args.slow.iter().flat_map(Nodes::iter).map(|rank| rank.0).collect(),
        module: args.module,
        by: args.by,
        noise: args.noise,
    };
    let run = interrupt::stoppable(&target, "", || {
        let progress = Progress::new("calls", "ranks", "making sums");
        Ok(crosscut_synth::calls(&target, &options, &|done, total| progress.set(done, total))?)
    })?;
    output::line(&info::one_line(run)?)
}
