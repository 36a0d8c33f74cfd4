//! Opening runs. A folder that is none is told what makes one.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use crosscut_run::Run;
use crosscut_workbench::{OpenRun, Settings};

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

/// The workbench over a run, told so much.
pub fn opened(run: Run, settings: &Settings) -> Result<OpenRun> {
    OpenRun::open(run, crosscut_view::REGISTRY, settings).map_err(|refusal| anyhow!(refusal.0))
}

/// What a run that is not whole lacks, for the first lines about it.
pub fn partial(run: &Run) -> Option<String> {
    let missing = run.manifest().partial.as_ref()?;
    Some(format!("{missing}; all numbers are those of what was recorded"))
}
