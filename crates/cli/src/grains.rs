//! What the commands about grain graphs have in common: thresholds of problems and the run that work is compared with.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use crosscut_run::Run;
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Deviation, Grains, Problem, Thresholds};
use crosscut_workbench::Settings;

use crate::{output, runs};

/// When a grain has a problem.
#[derive(clap::Args)]
pub struct Limits {
    /// When grains have a problem, such as low-parallel-benefit=0.5; may be given several times.
    #[arg(long, value_name = "PROBLEM=VALUE", value_parser = threshold)]
    threshold: Vec<(Problem, f64)>,
    /// Thresholds from a file, a line `PROBLEM = VALUE` each; # begins a comment.
    #[arg(long, value_name = "FILE")]
    thresholds: Option<PathBuf>,
}

impl Limits {
    /// Those of the file, then those of the command line.
    pub fn thresholds(&self) -> Result<Thresholds> {
        let mut thresholds = Thresholds::default();
        if let Some(path) = &self.thresholds {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            // Editors of another system begin a text with a byte order mark.
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            for (number, line) in text.lines().enumerate() {
                let line = line.split('#').next().unwrap_or("").trim();
                if !line.is_empty() {
                    let place = || format!("{}, line {}", path.display(), number + 1);
                    let (problem, value) = threshold(line).map_err(|e| anyhow!(e)).with_context(place)?;
                    thresholds.set(problem, value);
                }
            }
        }
        for &(problem, value) in &self.threshold {
            thresholds.set(problem, value);
        }
        Ok(thresholds)
    }

    /// Whether there are any.
    pub fn is_given(&self) -> bool {
        !self.threshold.is_empty() || self.thresholds.is_some()
    }

    /// The problems that the command line names; a file may hold thresholds for other runs, too.
    pub fn asked(&self) -> impl Iterator<Item = Problem> + '_ {
        let named = |problem: &Problem| self.threshold.iter().any(|(other, _)| other == problem);
        Problem::ALL.into_iter().filter(named)
    }
}

/// Why a run cannot tell a problem, and what to do; none if it can.
pub fn untold(grains: &Grains, problem: Problem, deviation: Option<&Deviation>) -> Option<&'static str> {
    if grains.can_tell(problem, deviation) {
        return None;
    }
    Some(match problem {
        Problem::WorkDeviation => {
            "there is no run to compare with; record the program with one worker and give that run by --baseline"
        }
        Problem::MemoryStall => {
            "nobody counted the cycles that waited for memory; record with `--counters cycles,stalled-cycles-backend`"
        }
        Problem::ChunkImbalance => "no chunks of parallel loops were recorded",
        _ => "it lacks what that takes",
    })
}

/// Refuses a problem that a run cannot tell.
pub fn must_tell(grains: &Grains, problem: Problem, deviation: Option<&Deviation>) -> Result<()> {
    match untold(grains, problem, deviation) {
        Some(why) => bail!("the run does not hold what it takes to tell {problem}: {why}"),
        None => Ok(()),
    }
}

fn threshold(text: &str) -> Result<(Problem, f64), String> {
    let (problem, value) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` is not PROBLEM=VALUE, such as low-parallel-benefit=0.5"))?;
    let problem: Problem = problem.trim().parse()?;
    match value.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok((problem, value)),
        _ => Err(format!("`{}` is not a threshold; write a number from 0 on", value.trim())),
    }
}

/// A run of the same program that work is compared with.
pub struct Baseline {
    /// Its name.
    pub name: String,
    /// Work of each grain against its counterpart.
    pub deviation: Deviation,
}

/// The file that `crosscut compare` leaves in a run.
const NOTE: &str = "baseline.json";

impl Baseline {
    /// The run that was asked for, else the one that `crosscut compare` noted, if it is still there.
    pub fn find(asked: Option<&Path>, tasks: &Tasks, grains: &Grains) -> Result<Option<Self>> {
        let Some(other) = baseline(asked, tasks.run())? else { return Ok(None) };
        let deviation = Deviation::new((tasks, grains), (&other, &Grains::new(&other)));
        let name = other.run().name().to_owned();
        if deviation.matched == 0 {
            let what = format!("{name}: not a single grain has a counterpart there; is it the same program?");
            return if asked.is_some() { Err(anyhow!(what)) } else { leave_out(&what) };
        }
        Ok(Some(Baseline { name, deviation }))
    }
}

/// What the workbench is told of a run: its baseline, asked for or noted, and thresholds. A baseline that was asked for and
/// is of no use is refused here rather than left out of every answer; one that was noted was looked at then.
pub fn settings(asked: Option<&Path>, limits: &Limits, run: &Run) -> Result<Settings> {
    let mut settings = Settings::new();
    let path = match asked {
        Some(path) => {
            let tasks = Tasks::open(runs::open(run.path())?)?;
            Baseline::find(Some(path), &tasks, &Grains::new(&tasks))?;
            Some(path.to_owned())
        }
        None => match noted(run.path()) {
            Ok(path) => path.filter(|path| {
                open_baseline(path, run).map_err(|error| leave_out::<()>(&format!("{error:#}"))).is_ok()
            }),
            Err(error) => leave_out(&format!("{error:#}"))?,
        },
    };
    if let Some(path) = path {
        settings.insert("baseline".to_owned(), path.display().to_string());
    }
    let thresholds = limits.thresholds()?;
    for problem in Problem::ALL {
        if let Some(value) = thresholds.given(problem) {
            settings.insert(format!("threshold.{problem}"), value.to_string());
        }
    }
    Ok(settings)
}

/// The run that was asked for, else the one that `crosscut compare` noted, if it is still there.
pub fn baseline(asked: Option<&Path>, run: &Run) -> Result<Option<Tasks>> {
    if let Some(path) = asked {
        return open_baseline(path, run).map(Some);
    }
    match noted(run.path()) {
        Ok(None) => Ok(None),
        Ok(Some(path)) => {
            open_baseline(&path, run).map(Some).or_else(|error| leave_out(&format!("{error:#}")))
        }
        Err(error) => leave_out(&format!("{error:#}")),
    }
}

fn open_baseline(path: &Path, run: &Run) -> Result<Tasks> {
    let other = runs::open(path)?;
    let (there, here) = (other.manifest().clock, run.manifest().clock);
    if there != here {
        bail!(
            "{} counts in {}, {} in {}: their times cannot be compared",
            path.display(),
            there.unit(),
            run.path().display(),
            here.unit()
        );
    }
    Ok(Tasks::open(other)?)
}

/// A baseline that was noted and is of no use is no reason to fail.
fn leave_out<T>(why: &str) -> Result<Option<T>> {
    output::say(&format!("work deviation is left out, its baseline is of no use: {why}"));
    Ok(None)
}

/// The baseline that is noted in a run, if any.
fn noted(run: &Path) -> Result<Option<PathBuf>> {
    let file = run.join(NOTE);
    if !file.is_file() {
        return Ok(None);
    }
    let read = || -> Result<PathBuf> {
        let note: serde_json::Value = serde_json::from_slice(&std::fs::read(&file)?)?;
        let path = note.get("baseline").and_then(|path| path.as_str()).filter(|path| !path.is_empty());
        let path = PathBuf::from(path.context("it names no run")?);
        // A run that was moved together with its baseline still finds it: the path begins beside the run.
        let run = run.canonicalize()?;
        Ok(if path.is_absolute() { path } else { run.parent().unwrap_or(&run).join(path) })
    };
    let damaged = || format!("{}: damaged; delete it, or compare the runs again", file.display());
    read().map(Some).with_context(damaged)
}

/// Notes the baseline in a run, for the commands that look at it later: by a path from the folder that the run lies in if
/// the baseline lies there too, or below.
pub fn note(run: &Path, baseline: &Path) -> Result<()> {
    let (run_dir, other) = (run.canonicalize()?, baseline.canonicalize()?);
    let beside = run_dir.parent().and_then(|folder| other.strip_prefix(folder).ok());
    let path = beside.unwrap_or(&other).display().to_string();
    let text = format!("{:#}\n", serde_json::json!({ "baseline": path }));
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
        assert_eq!(threshold("low-parallel-benefit=0.5"), Ok((Problem::LowParallelBenefit, 0.5)));
        assert_eq!(threshold(" work-deviation = 3 "), Ok((Problem::WorkDeviation, 3.0)));
        for wrong in ["", "1", "benefit=1", "work-deviation=", "work-deviation=-1", "work-deviation=NaN"] {
            assert!(threshold(wrong).is_err(), "{wrong}");
        }
    }
}
