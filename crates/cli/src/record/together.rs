//! Ranks that a launcher started one by one, each with a `crosscut record` of its own (`mpirun -n 8 crosscut record -- program`):
//! they write to one folder, and whoever ends last makes one run of it. When a rank never ends, `crosscut import` makes it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use crosscut_close::Exit;
use crosscut_run::RunError;

use super::preload::Preload;
use super::program::Program;
use super::{Args, Events, child, close, free_target, how_to_import, options, rank};
use crate::FAILED;
use crate::output::{self, quoted};

/// The folder of the ranks that have ended, a file for each, in the folder of events.
const ENDED: &str = "ended";

/// Runs this rank and records it.
pub fn run(args: &Args, program: &Program, preload: &Preload, rank: u32) -> Result<ExitCode> {
    let name = args.command[0].clone();
    let target = match &args.output {
        Some(target) if target.symlink_metadata().is_ok() => {
            return Err(RunError::Exists { path: target.clone() }.into());
        }
        Some(target) => target.clone(),
        None => free_target(&name, None),
    };
    let events = open(&target, rank)?;
    let command = child::Command { program: &program.path, words: &args.command };
    let exit = child::run(&command, &preload.variables(&events.path, &options(args)))
        .with_context(|| format!("{}: cannot be started", name.display()))?;
    events.wait_for_processes(&target);
    let done = match is_last(&events.path, rank) {
        Ok(true) => {
            // Another job may have taken the name meanwhile.
            let target = if args.output.is_none() { free_target(&name, None) } else { target };
            close(args, &events, &target, None, program)
        }
        Ok(false) => {
            if rank == 0 && !args.quiet {
                output::say(&format!(
                    "rank 0 has ended; the last rank makes the run (if one never ends: {})",
                    how_to_import(&events.path, &target)
                ));
            }
            true
        }
        Err(error) => {
            output::say(&format!("{error:#}; {}", how_to_import(&events.path, &target)));
            false
        }
    };
    Ok(match (done, exit) {
        (_, Exit::Signal(signal)) => child::end_by(signal),
        (false, Exit::Code(0)) => ExitCode::from(FAILED),
        (_, Exit::Code(code)) => ExitCode::from(code as u8),
    })
}

/// The folder of all ranks of this job, which the first of them makes.
fn open(target: &Path, rank: u32) -> Result<Events> {
    let path = PathBuf::from(Events::beside(target, &rank::job()));
    let ended = path.join(ENDED);
    fs::create_dir_all(&ended).with_context(|| ended.display().to_string())?;
    let path = std::path::absolute(&path).with_context(|| path.display().to_string())?;
    // Where recorders say that they had to stop: whole or not there, since another rank may have it mapped at once.
    let (own, failures) = (path.join(format!("failures-{rank}")), path.join(crosscut_events::FAILURES));
    fs::write(&own, [0; crosscut_events::FAILURES_BYTES]).with_context(|| own.display().to_string())?;
    match fs::hard_link(&own, &failures) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(error).with_context(|| failures.display().to_string());
        }
        _ => {}
    }
    fs::remove_file(&own).with_context(|| own.display().to_string())?;
    Ok(Events { path })
}

/// Notes that this rank has ended; whether it was the last one. Two may see that at once: then the first of them is it.
fn is_last(events: &Path, rank: u32) -> Result<bool> {
    let folder = events.join(ENDED);
    let own = folder.join(rank.to_string());
    fs::write(&own, "").with_context(|| own.display().to_string())?;
    let Some(size) = rank::size() else { return Ok(false) };
    let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    if entries.flatten().count() < size as usize {
        return Ok(false);
    }
    match File::create_new(events.join("closing")) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).with_context(|| quoted(events).to_string()),
    }
}
