//! One virtual environment under the build folder holds what Python brings: the peers that tests compare with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::needs::{self, PYTHON};
use crate::process;
use crate::workspace::{self, Profile};

/// The Python of the environment, with everything in a file of requirements installed.
pub fn with(requirements: &Path) -> Result<PathBuf> {
    needs::install(&[&PYTHON])?;
    let built = workspace::built(Profile::Dev)?;
    let folder = built.parent().unwrap_or(&built).join("python");
    let python = folder.join("bin/python");
    if !python.exists() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    // Installed once for each text of the file.
    let wanted = fs::read_to_string(requirements)
        .with_context(|| format!("could not read {}", requirements.display()))?;
    let name = requirements.strip_prefix(workspace::root()).unwrap_or(requirements).to_string_lossy();
    let stamp = folder.join(name.replace('/', "-"));
    if fs::read_to_string(&stamp).ok().as_deref() != Some(&wanted) {
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
        process::run(pip.arg(requirements))?;
        fs::write(&stamp, wanted)?;
    }
    Ok(python)
}
