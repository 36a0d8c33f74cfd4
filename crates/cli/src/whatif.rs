//! `crosscut whatif`: how long a run would take on other numbers of workers, or if some of it were faster.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use crosscut_view::tasks::TasksDomain;
use crosscut_view::tasks::whatif::{MOST_WORKERS, Part, Wish, answer};
use crosscut_workbench::Settings;

use crate::{output, runs};

/// Predict how long a run would take on other numbers of workers, or if some of it were faster.
#[derive(clap::Args)]
pub struct Args {
    /// The run.
    run: PathBuf,
    /// Numbers of workers, such as 1,2,4,8 [default: 1 to 256]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = workers, allow_negative_numbers = true)]
    workers: Vec<u32>,
    /// Let a node of the task tree, with all that is in it, run K times as fast, such as 17=2; g17=2 is the task of grain or
    /// group g17, as `report` and `compare` name them, sort.c:26=2 all that began at a source line; may be given again.
    #[arg(long, value_name = "WHAT=K", value_parser = faster, allow_negative_numbers = true)]
    faster: Vec<(Part, f64)>,
    /// Let creating tasks and waiting for them cost nothing.
    #[arg(long)]
    no_overhead: bool,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

fn workers(text: &str) -> Result<u32, String> {
    let most = MOST_WORKERS;
    let right = text.trim().parse().ok().filter(|workers| (1..=most).contains(workers));
    right.ok_or_else(|| format!("give numbers of workers from 1 to {most}, such as 1,2,4,8"))
}

fn faster(text: &str) -> Result<(Part, f64), String> {
    let parts = text.rsplit_once('=').and_then(|(id, k)| Some((id.parse().ok()?, k.trim().parse().ok()?)));
    match parts {
        Some((part, k)) if k > 0.0 => Ok((part, k)),
        Some(_) => Err("K must be above 0; 2 means twice as fast, 0.5 half as fast".to_owned()),
        None => Err("give a node of the task tree, a grain or group, or a source line, and how many times as fast it runs, such as 17=2, g17=2 or sort.c:26=2".to_owned()),
    }
}

/// Says it.
pub fn run(args: Args) -> Result<()> {
    let run = runs::with_any(runs::open(&args.run)?, &Settings::new())?;
    let name = args.run.display();
    let tasks = TasksDomain::in_run(&run).with_context(|| {
        format!("{name}: this run has no tasks to replay; record or import a program that has some")
    })?;
    let wish = Wish { workers: args.workers, faster: args.faster, overhead: !args.no_overhead };
    let answer = answer(tasks.opened(), &wish).map_err(|refusal| anyhow!("{name}: {refusal}"))?;
    if args.json { output::json(&answer.figures()) } else { output::lines(&answer.lines()) }
}
