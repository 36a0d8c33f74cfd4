//! `crosscut report`: what each domain says of a run, and all findings, worst first.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use crosscut_workbench::text::cost;

use crate::output;
use crate::runs::{self, refused};
use crate::settings::{self, Limits};

/// Say what costs time in a run, worst first.
#[derive(clap::Args)]
pub struct Args {
    /// The run.
    run: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// A run of the same program, as a rule with one worker, that work is compared with.
    #[arg(long, value_name = "RUN")]
    baseline: Option<PathBuf>,
    /// End with code 1 if a finding costs more than this many percent of the workers' time.
    #[arg(long, value_name = "PERCENT", value_parser = percents, allow_negative_numbers = true)]
    fail_over: Option<f64>,
    /// Cut messages into this many phases [default: what repeats best]
    #[arg(long, value_name = "K", value_parser = one_or_more, allow_negative_numbers = true)]
    phases: Option<u32>,
    /// List the processes of each phase as this many communities, in JSON.
    #[arg(long, value_name = "K", value_parser = one_or_more, allow_negative_numbers = true)]
    communities: Option<u32>,
    /// The clock that puts messages in order: when they were sent and received, or what had to happen before them.
    #[arg(long, value_name = "CLOCK", default_value = "wall", value_parser = ["wall", "logical"])]
    time: String,
    #[command(flatten)]
    limits: Limits,
}

fn one_or_more(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "write a whole number from 1 on".to_owned())
}

fn percents(text: &str) -> Result<f64, String> {
    let right = text.parse().ok().filter(|percent: &f64| percent.is_finite() && *percent >= 0.0);
    right.ok_or_else(|| "write a number of percent from 0 on, such as 10".to_owned())
}

/// A finding costs more than is allowed.
const OVER: u8 = 1;

/// Says it.
pub fn run(mut args: Args) -> Result<ExitCode> {
    let numbers = [("phases", args.phases), ("communities", args.communities)];
    let numbers = numbers.into_iter().filter_map(|(name, number)| Some((name, number?.to_string())));
    args.limits.cut = numbers.chain([("time", args.time.clone())]).collect();
    let run = settings::opened(runs::open(&args.run)?, args.baseline.as_deref(), &args.limits)?;
    settings::say_unfit(&run);
    let bench = runs::bench(vec![run]);
    if args.json {
        output::json(&bench.report_json(0).map_err(refused)?)?;
    } else {
        output::lines(&bench.report(0).map_err(refused)?)?;
    }
    let worst = bench.found(0).map_err(refused)?.findings.iter().map(cost).fold(0.0, f64::max);
    let capacity = bench.capacity(0).map_err(refused)?;
    let over = args.fail_over.is_some_and(|limit| worst > limit / 100.0 * capacity);
    Ok(if over { ExitCode::from(OVER) } else { ExitCode::SUCCESS })
}
