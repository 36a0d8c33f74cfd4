//! `cargo xtask ui`: the page's packages and its build, each redone only when what it is made from has changed.
//!
//! `crates/server` embeds `ui/dist`, so every command that builds the binary calls `build` first. `ui/dist-notebook` is the
//! same page for notebooks, which the Python package brings along.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::needs::{self, NODE_JS, NPM};
use crate::process;
use crate::workspace::{npm, ui};

/// Folders in `ui/` that a build makes or does not read.
const NOT_SOURCES: &[&str] = &["node_modules", "dist", "dist-notebook", "e2e"];

pub fn run(args: &[String]) -> Result<()> {
    super::no_options(args)?;
    build()
}

/// Installs the packages and builds `ui/dist` and `ui/dist-notebook`.
pub fn build() -> Result<()> {
    install_packages()?;
    let stamp = Stamp::new("dist", &sources(&ui())?)?;
    if stamp.is_current() && is_built() {
        println!("the page is up to date");
        return Ok(());
    }
    process::run(&mut npm(&["run", "build"]))?;
    stamp.write()
}

/// Whether there is a page, of whatever age.
pub fn is_built() -> bool {
    ["dist/index.html", "dist-notebook/crosscut.js"].iter().all(|file| ui().join(file).exists())
}

/// Makes `ui/node_modules` what `package-lock.json` says.
pub fn install_packages() -> Result<()> {
    needs::install(&[&NODE_JS, &NPM])?;
    let stamp = Stamp::new("packages", &[ui().join("package.json"), ui().join("package-lock.json")])?;
    if !stamp.is_current() {
        process::run(&mut npm(&["ci", "--no-audit", "--no-fund"]))?;
        stamp.write()?;
    }
    Ok(())
}

/// A hash of input files, kept in `ui/node_modules` beside what was made from them. Contents rather than times:
/// a fresh clone gives every file a new time.
struct Stamp {
    path: PathBuf,
    hash: String,
}

impl Stamp {
    fn new(name: &str, inputs: &[PathBuf]) -> Result<Stamp> {
        let path = ui().join("node_modules").join(format!(".crosscut-{name}"));
        Ok(Stamp { path, hash: format!("{:016x}", hash(inputs)?) })
    }

    fn is_current(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|kept| kept == self.hash)
    }

    fn write(&self) -> Result<()> {
        fs::write(&self.path, &self.hash).with_context(|| format!("could not write {}", self.path.display()))
    }
}

/// A number that changes when any file of the generated protocol types changes.
pub fn protocol_hash() -> Result<u64> {
    hash(&sources(&ui().join("src/protocol"))?)
}

fn hash(inputs: &[PathBuf]) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    for input in inputs {
        let bytes = fs::read(input).with_context(|| format!("could not read {}", input.display()))?;
        hasher.write(input.to_string_lossy().as_bytes());
        hasher.write_usize(bytes.len());
        hasher.write(&bytes);
    }
    Ok(hasher.finish())
}

/// Every file that the page is built from, in a fixed order.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("could not list {}", folder.display()))? {
            let entry = entry?;
            let skip = NOT_SOURCES.iter().any(|name| entry.file_name() == *name);
            if entry.file_type()?.is_file() {
                files.push(entry.path());
            } else if entry.file_type()?.is_dir() && !skip {
                open.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}
