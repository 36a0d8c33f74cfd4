//! Opening runs. A folder that is none is told what makes one.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use crosscut_run::Run;
use crosscut_view::REGISTRY;
use crosscut_workbench::{OpenRun, Refusal, Settings, Workbench};

/// Opens a run.
pub fn open(path: &Path) -> Result<Run> {
    let why = match (path.is_dir(), path.exists()) {
        (true, _) if !path.join("manifest.json").exists() => "this folder holds no manifest.json",
        (false, false) => "no such directory",
        _ => return Ok(Run::open(path)?),
    };
    bail!(
        "{}: not a Crosscut run: {why}; `crosscut record`, `crosscut import` and `crosscut synth` make runs",
        path.display()
    );
}

/// The domains of a run, opened with these settings.
pub fn opened(run: Run, settings: &Settings) -> Result<OpenRun> {
    OpenRun::open(run, REGISTRY, settings).map_err(refused)
}

/// The domains of a run, be it none.
pub fn with_any(run: Run, settings: &Settings) -> Result<OpenRun> {
    OpenRun::with_any(run, REGISTRY, settings).map_err(refused)
}

/// A workbench over runs, for the time of a command.
pub fn bench(runs: Vec<OpenRun>) -> Workbench {
    Workbench::new(runs, "")
}

/// A refusal of the workbench, as an error.
pub fn refused(refusal: Refusal) -> anyhow::Error {
    anyhow!(refusal.0)
}
