//! Where things are: the repository, the page, the build directory, the `crosscut` binary and the recorder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result};

use crate::needs;
use crate::process;

/// How the binary is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Quick to build; what the tests use.
    Dev,
    /// What a user runs, and what is measured.
    Release,
}

/// The root of the repository. Asked at run time, as `cargo run` tells it: with a target folder that several checkouts
/// share, the folder in which xtask was built may be another one.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let xtask = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        xtask.parent().map_or(xtask.clone(), Path::to_owned)
    })
}

/// The page's folder.
pub fn ui() -> PathBuf {
    root().join("ui")
}

/// A folder under `out/`, which is not committed; made when it is missing.
pub fn out(name: &str) -> Result<PathBuf> {
    let folder = root().join("out").join(name);
    fs::create_dir_all(&folder).with_context(|| format!("could not make {}", folder.display()))?;
    Ok(folder)
}

/// A cargo command that runs at the root of the repository, with the cargo that started xtask.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// An npm command that runs in the page's folder.
pub fn npm(args: &[&str]) -> Command {
    let mut command = needs::node("npm");
    command.args(args).current_dir(ui());
    command
}

/// The program, and the libraries that it loads into others.
pub const PROGRAMS: [&str; 3] = ["crosscut", "libcrosscut_record.so", "libcrosscut_mpi.so"];

/// Builds the `crosscut` binary (the page must have been built before) and, beside it, the libraries that it loads into
/// other programs; says where the binary is.
pub fn build_binary(profile: Profile) -> Result<PathBuf> {
    build(&[], profile)?;
    Ok(built(profile)?.join("crosscut"))
}

/// Builds the same and some packages more. Without optimisation, everything is built but the tests: then all that is built has the
/// features that tests ask for, and nothing has to be built a second time for them.
pub fn build(more: &[&str], profile: Profile) -> Result<()> {
    let mut build = cargo(&["build"]);
    match profile {
        Profile::Dev => build.args(DEV),
        Profile::Release => build.arg("--release").args(packages(more)),
    };
    process::run(&mut build)
}

/// What is built without optimisation. Examples ask for the same features as tests. xtask runs, and must not be replaced.
pub const DEV: [&str; 6] = ["--workspace", "--exclude", "xtask", "--lib", "--bins", "--examples"];

fn packages<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let all = ["crosscut", "crosscut-record", "crosscut-mpi"];
    all.iter().chain(more).flat_map(|&name| ["--package", name]).collect()
}

/// The recorder library that belongs to a binary.
pub fn recorder(crosscut: &Path) -> PathBuf {
    crosscut.with_file_name("libcrosscut_record.so")
}

/// What cargo knows of our own crates.
pub fn metadata() -> Result<serde_json::Value> {
    let output = cargo(&["metadata", "--no-deps", "--format-version", "1"]).output()?;
    serde_json::from_slice(&output.stdout).context("could not read what `cargo metadata` printed")
}

/// The folder in which cargo leaves what it has built, wherever the environment or the configuration puts it.
pub fn built(profile: Profile) -> Result<PathBuf> {
    let metadata = metadata()?;
    let target =
        metadata["target_directory"].as_str().context("`cargo metadata` names no target directory")?;
    Ok(Path::new(target).join(match profile {
        Profile::Dev => "debug",
        Profile::Release => "release",
    }))
}
