//! The tasks of an open run with everything that is made of them once: the grain graph, predictions, totals by source
//! line. The domain and its trees share one of these.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use crosscut_run::Run;
use crosscut_tasks::grain::{Problem, ProblemReport, Thresholds};
use crosscut_tasks::{Causes, Gains, Tasks};
use crosscut_workbench::{Refusal, Settings, SourceRoots};

use super::known::GrainRun;
use super::lines::Lines;
use super::predict::Predictions;

/// An open run.
#[derive(Debug)]
pub struct Opened {
    /// Its tasks.
    pub tasks: Tasks,
    /// A run of the same program, as a rule with one worker, that gives the work deviation.
    pub baseline: Option<Tasks>,
    /// Below which folders source text is shown.
    pub roots: SourceRoots,
    /// Where problems of grains begin.
    pub thresholds: Thresholds,
    /// Problems whose thresholds were asked for one by one.
    pub asked: Vec<Problem>,
    /// What was predicted so far.
    pub predictions: Predictions,
    grains: OnceLock<GrainRun>,
    found: OnceLock<Found>,
    causes: OnceLock<Causes>,
    gains: OnceLock<Gains>,
    lines: OnceLock<Lines>,
}

/// What is wrong with a run.
#[derive(Debug)]
pub struct Found {
    /// Problems of grains that are available, most costly first.
    pub problems: Vec<ProblemReport>,
}

impl Opened {
    /// Without a baseline, with the usual thresholds.
    pub fn plain(tasks: Tasks) -> Self {
        let roots = SourceRoots::new(tasks.run().path(), None);
        Opened {
            tasks,
            roots,
            baseline: None,
            thresholds: Thresholds::default(),
            asked: Vec::new(),
            predictions: Predictions::default(),
            grains: OnceLock::new(),
            found: OnceLock::new(),
            causes: OnceLock::new(),
            gains: OnceLock::new(),
            lines: OnceLock::new(),
        }
    }

    /// With what the command line says: "baseline" is the path of a run, "threshold.PROBLEM" a number, "asked" are problems;
    /// "source" are folders, one in a line, below which source text is shown; "check" is "later" where a small run is not to be checked before it is shown, like a large one.
    pub fn open(run: &Arc<Run>, settings: &Settings) -> Result<Self, Refusal> {
        let tasks = match settings.get("check").map(String::as_str) {
            Some("later") => Tasks::open_unchecked(run.clone()),
            _ => Tasks::open(run.clone()),
        };
        let tasks = tasks.map_err(|error| Refusal::new(error.to_string()))?;
        let mut opened = Opened::plain(tasks);
        opened.roots = SourceRoots::new(run.path(), settings.get("source").map(String::as_str));
        for (name, value) in settings {
            if let Some(word) = name.strip_prefix("threshold.") {
                let (problem, threshold) = threshold(word, value)?;
                opened.thresholds.set(problem, threshold);
            } else if name == "baseline" {
                opened.baseline = Some(open_baseline(Path::new(value), run)?);
            } else if name == "asked" {
                let known: Result<_, String> = value.split_whitespace().map(str::parse).collect();
                opened.asked = known?;
            }
        }
        Ok(opened)
    }

    /// Refuses a baseline that has nothing in common with the run.
    pub fn check(&self) -> Result<(), Refusal> {
        match &self.baseline {
            Some(other) if self.grains().is_stranger => Err(Refusal::new(format!(
                "{}: not a single grain has a counterpart there; is it the same program?",
                other.run().name()
            ))),
            _ => Ok(()),
        }
    }

    /// The grain graph; made when it is first asked for.
    pub fn grains(&self) -> &GrainRun {
        self.grains
            .get_or_init(|| GrainRun::new(&self.tasks, self.baseline.as_ref(), self.thresholds.clone()))
    }

    /// Problems of the whole run.
    pub fn found(&self) -> &Found {
        self.found.get_or_init(|| {
            let (tasks, graph) = (&self.tasks, self.grains());
            let problems = graph.grains.problems(tasks, &self.thresholds, graph.deviation.as_ref());
            Found { problems }
        })
    }

    /// What cost time, without the grain graph.
    pub fn causes(&self) -> &Causes {
        self.causes.get_or_init(|| self.tasks.causes_against(self.baseline.as_ref()))
    }

    /// How long the run would take without that, as replays show; made once, unless who asks gives it up.
    pub fn gains(&self, goes_on: &(dyn Fn() -> bool + Sync)) -> Option<&Gains> {
        if let Some(gains) = self.gains.get() {
            return Some(gains);
        }
        let gains = self.tasks.gains(self.causes(), self.baseline.as_ref(), goes_on)?;
        Some(self.gains.get_or_init(|| gains))
    }

    /// The same, where it is known already.
    pub fn gained(&self) -> Option<&Gains> {
        self.gains.get()
    }

    /// Totals by source line.
    pub fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::of(&self.tasks))
    }
}

fn threshold(word: &str, value: &str) -> Result<(Problem, f64), Refusal> {
    let problem: Problem = word.parse().map_err(Refusal::new)?;
    match value.trim().parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok((problem, number)),
        _ => Err(Refusal::new(format!("`{}` is not a threshold; write a number from 0 on", value.trim()))),
    }
}

fn open_baseline(path: &Path, run: &Run) -> Result<Tasks, Refusal> {
    let other = Run::open(path).map_err(|error| Refusal::new(error.to_string()))?;
    let (there, here) = (other.manifest().clock, run.manifest().clock);
    if there != here {
        return Err(Refusal::new(format!(
            "{} counts in {}, {} in {}: their times cannot be compared",
            path.display(),
            there.unit(),
            run.path().display(),
            here.unit()
        )));
    }
    Tasks::open(other).map_err(|error| Refusal::new(error.to_string()))
}
