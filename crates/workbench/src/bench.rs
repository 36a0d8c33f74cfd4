//! The workbench over open runs: which domains they have, and what is kept of their trees.

use std::sync::Arc;

use crosscut_run::{Clock, Places, Run, RunError, Sources};
use crosscut_tree::Unit;

use crate::cache::Cache;
use crate::declare::{TreeDecl, View};
use crate::domain::{Chosen, Domain, Drawn, Entry, Forest, Settings, TreeRef};
use crate::error::Refusal;
use crate::job::{Cancel, Host, Job};
use crate::look::LensSpec;
use crate::loss::Found;
use crate::selection::{Span, TreeKey};
use crate::sound::Checked;
use crate::{lines, overview, places};

/// Bytes of forests that are kept beside those that their domain keeps itself.
const FORESTS: usize = 2 << 30;
/// Bytes of lenses.
const LENSES: usize = 256 << 20;
/// Bytes of losses: a stretch takes 24.
const FOUND: usize = 256 << 20;
/// Bytes of answers.
const ANSWERS: usize = 64 << 20;

/// An open run with its domains.
pub struct OpenRun {
    /// The run.
    pub run: Arc<Run>,
    /// Its domains, in the order of the registry.
    pub domains: Vec<Arc<dyn Domain>>,
    /// Words of domains that it does not hold.
    pub absent: Vec<&'static str>,
    /// Processes, threads, workers.
    pub places: Places,
    /// Source positions.
    pub sources: Sources,
    /// What a check has found so far.
    pub(crate) checked: Arc<Checked>,
}

impl OpenRun {
    /// Opens the domains of a run; one without any is refused.
    pub fn open(run: Run, registry: &[Entry], settings: &Settings) -> Result<Self, Refusal> {
        let open = Self::with_any(run, registry, settings)?;
        if open.domains.is_empty() {
            let (path, words) = (open.run.path().display(), open.absent.join(", "));
            return Err(Refusal::new(format!("{path}: this run has no {words}")));
        }
        Ok(open)
    }

    /// Opens the domains of a run, which may have none. A small run is checked whole, bytes and then structure, unless the setting
    /// "check" is "later".
    pub fn with_any(run: Run, registry: &[Entry], settings: &Settings) -> Result<Self, Refusal> {
        let later = ("check".to_owned(), "later".to_owned());
        if !run.is_small() || settings.get(&later.0) == Some(&later.1) {
            return Self::unchecked(run, registry, settings);
        }
        if let Some(damage) = run.check().into_iter().next() {
            let path = run.path().join(&damage.file);
            return Err(Refusal::new(
                RunError::Damaged { path, part: damage.part, why: damage.why }.to_string(),
            ));
        }
        // Domains need not look at the bytes again.
        let mut settings = settings.clone();
        settings.extend([later]);
        let open = Self::unchecked(run, registry, &settings)?;
        open.domains.iter().try_for_each(|domain| domain.sound())?;
        Ok(open)
    }

    fn unchecked(run: Run, registry: &[Entry], settings: &Settings) -> Result<Self, Refusal> {
        let run = Arc::new(run);
        let places = run.places().map_err(|error| Refusal::new(error.to_string()))?;
        let sources = run.sources().map_err(|error| Refusal::new(error.to_string()))?;
        let (mut domains, mut absent) = (Vec::new(), Vec::new());
        for entry in registry {
            match (entry.open)(&run, settings)? {
                Some(domain) => domains.push(domain),
                None => absent.push(entry.word),
            }
        }
        Ok(OpenRun { run, domains, absent, places, sources, checked: Arc::default() })
    }

    /// Unit of its times.
    pub fn clock(&self) -> Unit {
        match self.run.manifest().clock {
            Clock::Ns => Unit::Ns,
            Clock::Ticks => Unit::Ticks,
        }
    }

    /// First and last time of all domains that have one.
    pub fn time(&self) -> Option<Span> {
        let spans = self.domains.iter().filter_map(|domain| domain.time());
        spans.reduce(|a, b| Span(a.0.min(b.0), a.1.max(b.1)))
    }

    /// Trees of all domains, then those that all share.
    pub fn trees(&self) -> Vec<TreeDecl> {
        let own = self.domains.iter().flat_map(|domain| domain.trees().iter().cloned());
        own.chain([places::DECLARATION, lines::DECLARATION]).collect()
    }

    /// Views: the overview, lines where any are known, those of all domains, those that all share.
    pub fn views(&self) -> Vec<View> {
        let own = self.domains.iter().flat_map(|domain| domain.views().iter().cloned());
        let lines = (self.sources.source_count() > 0).then_some(lines::VIEW);
        let first = std::iter::once(overview::OVERVIEW).chain(lines);
        first.chain(own).chain([overview::TABLE, overview::COMPARE]).collect()
    }

    /// A view by its name; also by the end of its name where only one ends so.
    pub fn view(&self, name: &str) -> Result<View, Refusal> {
        let views = self.views();
        if let Some(view) = views.iter().find(|view| view.name == name) {
            return Ok(view.clone());
        }
        let ends = |view: &&View| view.name.rsplit('.').next() == Some(name);
        match views.iter().filter(ends).collect::<Vec<_>>()[..] {
            [view] => Ok(view.clone()),
            _ => {
                let short: String = name.chars().take(40).collect();
                let names: Vec<&str> =
                    views.iter().filter(|view| !view.hidden).map(|view| view.name).collect();
                Err(Refusal::new(format!("there is no view `{short}`; there are {}", names.join(", "))))
            }
        }
    }

    /// The domain that a view belongs to; none for those of the workbench.
    pub fn domain_of_view(&self, view: &str) -> Option<&Arc<dyn Domain>> {
        self.domains.iter().find(|domain| domain.views().iter().any(|other| other.name == view))
    }

    /// The domain that makes a tree; none for those of the workbench.
    pub fn domain_of_tree(&self, tree: &str) -> Option<&Arc<dyn Domain>> {
        self.domains.iter().find(|domain| domain.trees().iter().any(|other| other.name == tree))
    }

    /// What is missing in a partial run.
    pub fn partial(&self) -> Option<String> {
        let manifest = self.run.manifest();
        manifest.partial.clone()
    }
}

/// All open runs, and what is kept of them.
pub struct Workbench {
    /// The runs.
    pub runs: Vec<OpenRun>,
    /// Changes with every build of the program.
    pub build: String,
    forests: Cache<(usize, TreeRef), Arc<dyn Forest>>,
    lenses: Cache<(usize, TreeRef, String, Option<u64>), Arc<Chosen>>,
    found: Cache<usize, Arc<Found>>,
    /// Answers by run-independent text of the question, without its id.
    pub(crate) answers: Cache<String, Arc<Vec<u8>>>,
}

impl Workbench {
    /// A workbench over these runs.
    pub fn new(runs: Vec<OpenRun>, build: impl Into<String>) -> Self {
        Workbench {
            runs,
            build: build.into(),
            forests: Cache::new(FORESTS),
            lenses: Cache::new(LENSES),
            found: Cache::new(FOUND),
            answers: Cache::new(ANSWERS),
        }
    }

    /// Forgets answers and lenses: nobody is there who may ask again.
    pub fn forget(&self) {
        self.answers.clear();
        self.lenses.clear();
    }

    /// A run by its number.
    pub fn run(&self, run: usize) -> Result<&OpenRun, Refusal> {
        self.runs.get(run).ok_or_else(|| match self.runs.len() {
            1 => Refusal::new(format!("there is no run {run}: only run 0 is open")),
            n => Refusal::new(format!("there is no run {run}: {n} are open, counted from 0")),
        })
    }

    /// The declaration of a tree.
    pub fn tree(&self, run: usize, tree: &TreeKey) -> Result<TreeDecl, Refusal> {
        let trees = self.run(run)?.trees();
        let known = |decl: &&TreeDecl| decl.name == tree.name && decl.parameter == tree.parameter.is_some();
        trees.iter().find(known).cloned().ok_or_else(|| {
            let short: String = tree.to_string().chars().take(40).collect();
            let names: Vec<&str> = trees.iter().map(|tree| tree.name).collect();
            Refusal::new(format!("there is no tree `{short}`; there are {}", names.join(", ")))
        })
    }

    /// A tree, made once.
    pub fn forest(&self, tree: &TreeRef, job: &Job<'_>) -> Result<Arc<dyn Forest>, Refusal> {
        let run = self.run(job.run)?;
        self.tree(job.run, &tree.key)?;
        self.forests.get(&(job.run, tree.clone()), || {
            let forest: Arc<dyn Forest> = match run.domain_of_tree(&tree.key.name) {
                Some(domain) => domain.forest(tree, job)?,
                None if tree.key.name == places::DECLARATION.name => {
                    Arc::new(places::PlaceForest::new(run, job)?)
                }
                None => Arc::new(lines::LineForest::new(run, &tree.with, job)?),
            };
            let bytes = forest.bytes().max(1);
            Ok((forest, bytes))
        })
    }

    /// Whether a tree is there already.
    pub(crate) fn has_forest(&self, run: usize, tree: &TreeRef) -> bool {
        self.forests.peek(&(run, tree.clone())).is_some()
    }

    /// A lens over a tree, settled once.
    pub fn lens(&self, tree: &TreeRef, lens: &LensSpec, job: &Job<'_>) -> Result<Arc<Chosen>, Refusal> {
        if lens.value.is_some_and(|value| !value.is_finite()) {
            return Err(Refusal::new("the value of a lens must be a finite number"));
        }
        let forest = self.forest(tree, job)?;
        let key = (job.run, tree.clone(), lens.name.clone(), lens.value.map(f64::to_bits));
        self.lenses.get(&key, || {
            let chosen = forest.lens(lens, job)?;
            let bytes = forest.tree().node_count() / 6 + 256;
            Ok((Arc::new(chosen), bytes))
        })
    }

    /// What costs time in the run of a job, made once; `wait`: also when nobody has asked for it before.
    pub(crate) fn found_in(&self, wait: bool, job: &Job<'_>) -> Result<Option<Arc<Found>>, Refusal> {
        let run = self.run(job.run)?;
        if !wait {
            return Ok(self.found.peek(&job.run));
        }
        let made = self.found.get(&job.run, || {
            let found = overview::found(run, job)?;
            let stretches: usize = found.lost.iter().map(|lost| lost.stretches.len()).sum();
            Ok((Arc::new(found), 24 * stretches + 4096))
        });
        made.map(Some)
    }

    /// Runs something as a job of a run that nobody watches and nobody cancels.
    pub fn job<T>(&self, run: usize, work: impl FnOnce(&Job<'_>) -> T) -> T {
        self.job_until(run, &Cancel::default(), work)
    }

    /// Runs something as a job of a run that nobody watches, until it is given up.
    pub(crate) fn job_until<T>(&self, run: usize, cancel: &Cancel, work: impl FnOnce(&Job<'_>) -> T) -> T {
        let host = Alone { bench: self, run, cancel };
        work(&Job::new(run, cancel.clone(), &host))
    }
}

/// A host without anybody who watches.
struct Alone<'a> {
    bench: &'a Workbench,
    run: usize,
    cancel: &'a Cancel,
}

impl Host for Alone<'_> {
    fn progress(&self, _share: f32, _what: &str) {}

    fn draft(&self, _drawn: Drawn) {}

    fn forest(&self, tree: &TreeRef) -> Result<Arc<dyn Forest>, Refusal> {
        self.bench.forest(tree, &Job::new(self.run, self.cancel.clone(), self))
    }

    fn lens(&self, tree: &TreeRef, lens: &LensSpec) -> Result<Arc<Chosen>, Refusal> {
        self.bench.lens(tree, lens, &Job::new(self.run, self.cancel.clone(), self))
    }

    fn run(&self) -> Result<&OpenRun, Refusal> {
        self.bench.run(self.run)
    }

    fn found(&self, wait: bool) -> Result<Option<Arc<Found>>, Refusal> {
        self.bench.found_in(wait, &Job::new(self.run, self.cancel.clone(), self))
    }
}
