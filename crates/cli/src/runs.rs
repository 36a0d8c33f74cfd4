//! Opening runs. A folder that is none is told what makes one.

use std::path::Path;

use anyhow::{Result, bail};
use crosscut_run::Run;

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

/// What a run that is not whole lacks, for the first lines about it.
pub fn partial(run: &Run) -> Option<String> {
    let missing = run.manifest().partial.as_ref()?;
    Some(format!("{missing}; all numbers are those of what was recorded"))
}
