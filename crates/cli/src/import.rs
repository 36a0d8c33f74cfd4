//! `crosscut import`: foreign files become runs, and so do events that a recording left behind.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, anyhow, bail};
use crosscut_import::Options;
use crosscut_run::{Run, RunError};

use crate::progress::Progress;
use crate::{info, interrupt, output};

/// Read a foreign trace or profile into a run.
#[derive(clap::Args)]
pub struct Args {
    /// The files, or folders with the events of a recording; each becomes a run. The files of all ranks of one trace make one run.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    how: How,
    /// The run to make [default: the name of the input with the ending .crosscut, in the current directory]
    #[arg(short, long, value_name = "RUN")]
    output: Option<PathBuf>,
}

/// How foreign files are read.
#[derive(clap::Args)]
pub struct How {
    /// The format, when it is not clear from the content.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// Ticks per second of the file's clock, when the file does not say; times become nanoseconds.
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    clock_hz: Option<f64>,
}

/// Imports all inputs; stops at the first that cannot be.
pub fn run(args: Args) -> Result<()> {
    let inputs: Vec<&Path> = args.inputs.iter().map(PathBuf::as_path).collect();
    let groups =
        match inputs.len() > 1 && crosscut_import::belong_together(&inputs, args.how.format.as_deref())? {
            true => vec![inputs],
            false => inputs.chunks(1).map(<[_]>::to_vec).collect(),
        };
    let targets = targets(&groups, args.output)?;
    for (group, target) in groups.iter().zip(&targets) {
        let run = interrupt::stoppable(target, "", || import_set(group, target, &args.how))?;
        output::line(&info::one_line(run)?)?;
    }
    Ok(())
}

/// Imports one file, with progress.
pub fn import(input: &Path, target: &Path, how: &How) -> Result<Run> {
    import_set(&[input], target, how)
}

/// The same for files that make one run, such as those of all ranks.
fn import_set(inputs: &[&Path], target: &Path, how: &How) -> Result<Run> {
    let options = Options { format: how.format.clone(), clock_hz: how.clock_hz };
    let name = inputs.first().map_or_else(String::new, |input| input.display().to_string());
    let shown = Shown::new(Progress::new(&name, "bytes", "making indexes"));
    let run = crosscut_import::import_set(inputs, target, &options, &shown);
    shown.say_notes();
    Ok(run?)
}

/// The runs to make: all free, all different, known before anything is read.
fn targets(groups: &[Vec<&Path>], output: Option<PathBuf>) -> Result<Vec<PathBuf>> {
    if let Some(output) = output {
        if groups.len() > 1 {
            bail!(
                "-o names one run, but there are {} inputs; leave it out, or import them one by one",
                groups.len()
            );
        }
        return Ok(vec![output]);
    }
    let mut seen = HashSet::new();
    groups
        .iter()
        .filter_map(|group| group.first())
        .map(|input| {
            let stem = input.file_stem().ok_or_else(|| anyhow!("{}: not a file", input.display()))?;
            let mut name = output::file_name(stem);
            name.push(".crosscut");
            let target = PathBuf::from(name);
            if !seen.insert(target.clone()) {
                bail!("{}: two inputs would make this run; import them one by one with -o", target.display());
            }
            if target.exists() {
                return Err(RunError::Exists { path: target }.into());
            }
            Ok(target)
        })
        .collect()
}

/// Progress of an import that can be seen. Notes are kept until it is gone from the screen.
pub struct Shown {
    progress: Progress,
    notes: Mutex<Vec<String>>,
}

impl Shown {
    pub fn new(progress: Progress) -> Self {
        Shown { progress, notes: Mutex::default() }
    }

    /// Says what was noted; the progress goes.
    fn say_notes(self) {
        drop(self.progress);
        let notes = self.notes.into_inner().unwrap_or_else(PoisonError::into_inner);
        notes.iter().for_each(|note| output::say(note));
    }
}

impl crosscut_import::Progress for Shown {
    fn advance(&self, done: u64, total: u64) {
        self.progress.set(done, total);
    }

    fn note(&self, note: &str) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note.to_owned());
    }
}
