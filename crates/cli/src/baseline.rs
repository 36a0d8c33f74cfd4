//! `crosscut baseline`: which run the work of another one is compared with, from now on.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use crosscut_workbench::Settings;

use crate::runs::{self, refused};
use crate::{output, settings};

/// Set, show or forget the run that the work of a run is compared with.
///
/// As a rule it is a run of the same program with one worker: `report` and `view` then know how much longer each grain
/// works.
#[derive(clap::Args)]
pub struct Args {
    /// The run.
    run: PathBuf,
    /// The run to compare its work with; without one, says which one it is.
    baseline: Option<PathBuf>,
    /// Forget the baseline of the run.
    #[arg(long, conflicts_with = "baseline")]
    forget: bool,
}

/// Does it.
pub fn run(args: Args) -> Result<()> {
    let name = args.run.display();
    let opened = runs::open(&args.run)?;
    if args.forget {
        return output::line(&match settings::forget(&args.run)? {
            true => format!("{name}: its baseline is forgotten"),
            false => format!("{name}: it has no baseline"),
        });
    }
    let Some(baseline) = &args.baseline else {
        return output::line(&match settings::noted(opened.path())? {
            Some(path) => format!("{name}: its baseline is {}", path.display()),
            None => format!("{name}: it has no baseline"),
        });
    };
    check(&args.run, baseline)?;
    settings::note(&args.run, baseline).with_context(|| format!("{name}: baseline.json is not written"))?;
    let undo = format!("crosscut baseline {} --forget", output::quoted(&args.run));
    output::line(&format!("{name}: its baseline is {} now; `{undo}` undoes it", baseline.display()))
}

/// Refuses a run that says nothing about the work of the other.
fn check(run: &Path, baseline: &Path) -> Result<()> {
    if matches!((run.canonicalize(), baseline.canonicalize()), (Ok(run), Ok(other)) if run == other) {
        bail!("a run is no baseline of itself");
    }
    let open = |path: &Path| runs::opened(runs::open(path)?, &Settings::new());
    let compared = runs::bench(vec![open(run)?, open(baseline)?]).compared(0, 1).map_err(refused)?;
    match compared.no_baseline {
        Some(why) => bail!("{} is no baseline of {}: {why}", baseline.display(), run.display()),
        None => Ok(()),
    }
}
