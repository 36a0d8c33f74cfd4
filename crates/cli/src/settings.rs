//! What the domains of a run are told when it is opened: thresholds, and the run that it is compared with.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use crosscut_run::{Run, plain};
use crosscut_view::REGISTRY;
use crosscut_workbench::{OpenRun, Settings};
use serde::{Deserialize, Serialize};

use crate::output;
use crate::runs::{self, refused};

/// When something is a problem.
#[derive(clap::Args, Clone)]
pub struct Limits {
    /// When grains have a problem, such as low-parallel-benefit=0.5; may be given several times.
    #[arg(long, value_name = "PROBLEM=VALUE", value_parser = threshold)]
    threshold: Vec<(String, f64)>,
    /// Thresholds from a file, a line `PROBLEM = VALUE` each; # begins a comment.
    #[arg(long, value_name = "FILE")]
    thresholds: Option<PathBuf>,
    /// Folders below which source text is shown, of commands that show any.
    #[arg(skip)]
    pub sources: Vec<PathBuf>,
    /// How a report cuts a run, by name.
    #[arg(skip)]
    pub cut: Vec<(&'static str, String)>,
}

impl Limits {
    /// Those of the file, then those of the command line; the latter are asked for one by one, whereas a file may hold
    /// thresholds for other runs, too.
    pub fn settings(&self) -> Result<Settings> {
        let mut settings = Settings::new();
        let mut set =
            |word: &str, value: f64| settings.insert(format!("threshold.{word}"), value.to_string());
        if let Some(path) = &self.thresholds {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            // Editors of another system begin a text with a byte order mark.
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            for (number, line) in text.lines().enumerate() {
                let line = line.split('#').next().unwrap_or("").trim();
                if !line.is_empty() {
                    let place = || format!("{}, line {}", path.display(), number + 1);
                    let (word, value) = threshold(line).map_err(|e| anyhow!(e)).with_context(place)?;
                    set(&word, value);
                }
            }
        }
        for (word, value) in &self.threshold {
            set(word, *value);
        }
        if !self.sources.is_empty() {
            let sources: Vec<String> =
                self.sources.iter().map(|folder| folder.display().to_string()).collect();
            settings.insert("source".to_owned(), sources.join("\n"));
        }
        for (name, value) in &self.cut {
            settings.insert((*name).to_owned(), value.clone());
        }
        let named = |word: &&str| self.threshold.iter().any(|(other, _)| other == word);
        let asked: Vec<&str> = problems().filter(named).collect();
        if !asked.is_empty() {
            settings.insert("asked".to_owned(), asked.join(" "));
        }
        Ok(settings)
    }

    /// Whether there are any.
    pub fn is_given(&self) -> bool {
        !self.threshold.is_empty() || self.thresholds.is_some()
    }
}

/// The problems of all domains that have a threshold.
fn problems() -> impl Iterator<Item = &'static str> {
    REGISTRY.iter().flat_map(|entry| entry.thresholds).copied()
}

fn threshold(text: &str) -> Result<(String, f64), String> {
    let (word, value) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` is not PROBLEM=VALUE, such as low-parallel-benefit=0.5"))?;
    let word = word.trim();
    if !problems().any(|problem| problem == word) {
        let all: Vec<&str> = problems().collect();
        return Err(format!("there is no problem `{word}`; there are {}", all.join(", ")));
    }
    match value.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok((word.to_owned(), value)),
        _ => Err(format!("`{}` is not a threshold; write a number from 0 on", value.trim())),
    }
}

/// The file that `crosscut baseline` leaves in a run.
const NOTE: &str = "baseline.json";
/// Its most bytes: a path and what is around it.
const NOTE_BYTES: u64 = 64 << 10;

/// What stands in it.
#[derive(Serialize, Deserialize)]
struct Note {
    baseline: String,
}

/// Opens a run with its baseline, asked for or noted, and thresholds. A baseline that was asked for and is of no use is
/// refused rather than left out of every answer; one that was noted is left out.
pub fn opened(run: Run, asked: Option<&Path>, limits: &Limits) -> Result<OpenRun> {
    let plain = limits.settings()?;
    let with = |path: &Path| {
        let mut settings = plain.clone();
        settings.insert("baseline".to_owned(), path.display().to_string());
        settings
    };
    if let Some(path) = asked {
        check_baseline(path, &run)?;
        let open = runs::opened(run, &with(path))?;
        open.domains.iter().try_for_each(|domain| domain.check()).map_err(refused)?;
        return Ok(open);
    }
    let found = noted(run.path()).and_then(|path| {
        path.iter().try_for_each(|path| check_baseline(path, &run))?;
        Ok(path)
    });
    match found {
        Ok(None) => runs::opened(run, &plain),
        Ok(Some(path)) => {
            let own = run.path().to_owned();
            runs::opened(run, &with(&path)).or_else(|why| {
                let open = runs::opened(runs::open(&own)?, &plain)?;
                leave_out(&format!("{why:#}"));
                Ok(open)
            })
        }
        Err(why) => {
            leave_out(&format!("{why:#}"));
            runs::opened(run, &plain)
        }
    }
}

/// Says what the domains cannot use of what they were opened with. It was noted: what was asked for is refused.
pub fn say_unfit(open: &OpenRun) {
    for why in open.domains.iter().filter_map(|domain| domain.check().err()) {
        leave_out(&why.0);
    }
}

/// Refuses what is no run, and one whose times cannot be compared.
fn check_baseline(path: &Path, run: &Run) -> Result<()> {
    let (there, here) = (runs::open(path)?.manifest().clock, run.manifest().clock);
    if there != here {
        bail!(
            "{} counts in {}, {} in {}: their times cannot be compared",
            path.display(),
            there.unit(),
            run.path().display(),
            here.unit()
        );
    }
    Ok(())
}

/// A baseline that was noted and is of no use is no reason to fail.
fn leave_out(why: &str) {
    output::say(&format!("work deviation is left out, its baseline is of no use: {why}"));
}

/// The baseline that is noted in a run, if any.
pub fn noted(run: &Path) -> Result<Option<PathBuf>> {
    let file = run.join(NOTE);
    let Some(about) = file.symlink_metadata().ok().filter(|about| !about.is_dir()) else { return Ok(None) };
    let read = || -> Result<PathBuf> {
        // The run may come from a stranger.
        if about.is_symlink() {
            bail!("it is a link, which may lead out of the run");
        }
        let note: Note = serde_json::from_slice(&plain::read(&file, NOTE_BYTES)?)?;
        let path = Some(note.baseline).filter(|path| !path.is_empty()).context("it names no run")?;
        let path = PathBuf::from(path);
        // A run that was moved together with its baseline still finds it: the path begins beside the run.
        let folder = folder_of(run)?;
        let whole = folder.join(&path);
        // Behind all links; what is gone is told by whoever opens it.
        let real = whole.canonicalize().unwrap_or_else(|_| whole.clone());
        if path.components().any(|part| part == Component::ParentDir) || !real.starts_with(&folder) {
            bail!(
                "its path leads out of the folder that the run lies in, and a run may come from anybody; name that run with \
                 --baseline"
            );
        }
        Ok(whole)
    };
    let damaged =
        || format!("{}: damaged; delete it, or set it anew with `crosscut baseline`", file.display());
    read().map(Some).with_context(damaged)
}

/// The folder that a run lies in.
fn folder_of(run: &Path) -> Result<PathBuf> {
    let run = run.canonicalize()?;
    Ok(run.parent().unwrap_or(&run).to_owned())
}

/// Notes the baseline in a run, for the commands that look at it later: by a path from the folder that the run lies in. One that
/// lies elsewhere is refused, as the note would be.
pub fn note(run: &Path, baseline: &Path) -> Result<()> {
    let (folder, other) = (folder_of(run)?, baseline.canonicalize()?);
    let Ok(beside) = other.strip_prefix(&folder) else {
        bail!(
            "{} does not lie in {} or below: only there a run that may come from anybody is followed; put it there, or name it \
             each time with --baseline",
            other.display(),
            folder.display()
        );
    };
    let text =
        format!("{}\n", serde_json::to_string_pretty(&Note { baseline: beside.display().to_string() })?);
    output::replace(&run.join(NOTE), |file| file.write_all(text.as_bytes()))
}

/// Forgets the baseline of a run; says whether there was one.
pub fn forget(run: &Path) -> Result<bool> {
    let file = run.join(NOTE);
    match std::fs::remove_file(&file) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| file.display().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_read() {
        let read = |text| threshold(text);
        assert_eq!(read("low-parallel-benefit=0.5"), Ok(("low-parallel-benefit".to_owned(), 0.5)));
        assert_eq!(read(" work-deviation = 3 "), Ok(("work-deviation".to_owned(), 3.0)));
        for wrong in ["", "1", "benefit=1", "work-deviation=", "work-deviation=-1", "work-deviation=NaN"] {
            assert!(threshold(wrong).is_err(), "{wrong}");
        }
    }
}
