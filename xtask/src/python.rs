//! One virtual environment under the build folder holds what Python brings: the peers that tests compare with, libraries
//! that take our tables, the notebook. The package itself is laid out beside it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::needs::{self, C_COMPILER, PYTHON, PYTHON_HEADERS};
use crate::process;
use crate::workspace::{self, Profile};

/// The library that Python loads, as cargo names it and as Python does.
const EXTENSION: (&str, &str) = ("lib_crosscut.so", "_crosscut.abi3.so");

/// A package that PyPI has ready for few versions of Python: for others it is compiled.
const COMPILED: &str = "llnl-hatchet";

/// The Python of the environment, with everything in a file of requirements installed.
pub fn with(requirements: &Path) -> Result<PathBuf> {
    // Installed once for each text of the file.
    let wanted = fs::read_to_string(requirements)
        .with_context(|| format!("could not read {}", requirements.display()))?;
    if wanted.contains(COMPILED) {
        needs::install(&[&C_COMPILER, &PYTHON_HEADERS])?;
    }
    let name = requirements.strip_prefix(workspace::root()).unwrap_or(requirements).to_string_lossy();
    installed(&name.replace('/', "-"), &wanted, &["--requirement".as_ref(), requirements.as_os_str()])
}

/// The environment with one package more.
pub fn with_package(package: &str) -> Result<()> {
    let name: String =
        package.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '-').collect();
    installed(&name, package, &[package.as_ref()]).map(drop)
}

/// A program of the environment, if it has it.
pub fn tool(name: &str) -> Option<PathBuf> {
    environment().ok().map(|folder| folder.join("bin").join(name)).filter(|path| path.exists())
}

/// The Python of the environment, after `pip install` of something that the stamp of this name does not have yet.
fn installed(stamp: &str, wanted: &str, args: &[&std::ffi::OsStr]) -> Result<PathBuf> {
    needs::install(&[&PYTHON])?;
    let folder = environment()?;
    let python = folder.join("bin/python");
    if !python.exists() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    let stamp = folder.join(stamp);
    if fs::read_to_string(&stamp).ok().as_deref() != Some(wanted) {
        let mut pip = Command::new(&python);
        // What is imported is compiled then; most of what is installed never is.
        pip.args(["-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]);
        process::run(pip.args(args))?;
        fs::write(&stamp, wanted)?;
    }
    Ok(python)
}

/// Where the environment is.
fn environment() -> Result<PathBuf> {
    let built = workspace::built(Profile::Dev)?;
    Ok(built.parent().unwrap_or(&built).join("python"))
}

/// The package as it is when it is installed, by links: `PYTHONPATH` for whoever imports it. The page must have been built before.
pub fn package(profile: Profile) -> Result<PathBuf> {
    workspace::build(&["crosscut-python"], profile)?;
    let built = workspace::built(profile)?;
    let folder = built.join("python-package");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("could not remove {}", folder.display()))?;
    }
    let package = folder.join("crosscut");
    fs::create_dir_all(&package)?;
    let sources = workspace::root().join("python/crosscut");
    for entry in fs::read_dir(&sources).with_context(|| format!("could not list {}", sources.display()))? {
        let entry = entry?;
        // What `cargo xtask python` and `pip install --editable` left there belongs to others.
        let name = entry.file_name();
        if entry.file_type()?.is_file() && name != EXTENSION.1 {
            symlink(entry.path(), package.join(name))?;
        }
    }
    symlink(built.join(EXTENSION.0), package.join(EXTENSION.1))?;
    symlink(workspace::ui().join("dist-notebook"), package.join("page"))?;
    fs::create_dir(package.join("bin"))?;
    for program in workspace::PROGRAMS {
        symlink(built.join(program), package.join("bin").join(program))?;
    }
    Ok(folder)
}

/// Copies what a wheel holds beside Python's files: the program with the libraries that it loads, and the page.
pub fn fill(profile: Profile) -> Result<()> {
    workspace::build(&[], profile)?;
    let built = workspace::built(profile)?;
    let package = workspace::root().join("python/crosscut");
    for program in workspace::PROGRAMS {
        copy(&built.join(program), &package.join("bin").join(program))?;
    }
    copy(&workspace::ui().join("dist-notebook/crosscut.js"), &package.join("page/crosscut.js"))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to)
        .map(drop)
        .with_context(|| format!("could not copy {} to {}", from.display(), to.display()))
}
