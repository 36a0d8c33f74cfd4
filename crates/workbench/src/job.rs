//! A job: one question under way. Slow work asks it whether it should go on, tells it how far it is, and may show a draft.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crosscut_tree::Unit;

use crate::bench::OpenRun;
use crate::domain::{Chosen, Drawn, Forest, Shared, SharedColumn, TreeRef};
use crate::error::Refusal;
use crate::look::LensSpec;
use crate::loss::Found;
use crate::selection::Selection;
use crate::sheet::Block;

/// Where progress and drafts go, and where forests and lenses are kept.
pub trait Host {
    /// How far the job is, 0…1, and what it does.
    fn progress(&self, share: f32, what: &str);
    /// A picture that is not the last one.
    fn draft(&self, drawn: Drawn);
    /// A tree of the run that is asked about, made once.
    fn forest(&self, tree: &TreeRef) -> Result<Arc<dyn Forest>, Refusal>;
    /// A lens over it, settled once.
    fn lens(&self, tree: &TreeRef, lens: &LensSpec) -> Result<Arc<Chosen>, Refusal>;
    /// The run that is asked about.
    fn run(&self) -> Result<&OpenRun, Refusal>;
    /// What costs time in the run that is asked about, made once; `wait`: also when nobody has asked for it before.
    fn found(&self, wait: bool) -> Result<Option<Arc<Found>>, Refusal>;
}

/// Says that a question is given up; shared by who asks and who answers.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Gives it up.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was given up.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// One question under way.
pub struct Job<'a> {
    /// Index of the run that is asked about.
    pub run: usize,
    /// Index of the run that it is compared with.
    pub other: Option<usize>,
    cancel: Cancel,
    host: &'a dyn Host,
}

impl<'a> Job<'a> {
    /// A job of a run.
    pub fn new(run: usize, cancel: Cancel, host: &'a dyn Host) -> Self {
        Job { run, other: None, cancel, host }
    }

    /// The same job, about a run in comparison with another.
    pub fn with(&self, other: usize) -> Job<'a> {
        Job { run: self.run, other: Some(other), cancel: self.cancel.clone(), host: self.host }
    }

    /// Whether it was given up.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// The flag itself, for loops that know nothing of jobs.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Refuses to go on when it was given up.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.is_cancelled() { Err(Refusal::new("cancelled")) } else { Ok(()) }
    }

    /// Tells how far it is, and refuses to go on when it was given up.
    pub fn progress(&self, share: f32, what: &str) -> Result<(), Refusal> {
        self.check()?;
        self.host.progress(share, what);
        Ok(())
    }

    /// Shows a picture that is not the last one.
    pub fn draft(&self, drawn: Drawn) {
        self.host.draft(drawn);
    }

    /// A tree of the run, made once.
    pub fn forest(&self, tree: &TreeRef) -> Result<Arc<dyn Forest>, Refusal> {
        self.host.forest(tree)
    }

    /// A lens over a tree, settled once.
    pub fn lens(&self, tree: &TreeRef, lens: &LensSpec) -> Result<Arc<Chosen>, Refusal> {
        self.host.lens(tree, lens)
    }

    /// Unit of the run's times.
    pub fn clock(&self) -> Unit {
        self.host.run().map_or(Unit::Ns, OpenRun::clock)
    }

    /// What all domains have to say of some source lines.
    pub fn about_lines(&self, lines: &[u32]) -> Vec<Block> {
        let domains = self.host.run().map_or(&[][..], |run| &run.domains);
        domains.iter().flat_map(|domain| domain.about_lines(lines, self)).collect()
    }

    /// The columns of all domains that take longer to know.
    pub fn late_columns(&self, of: Shared, sets: &[Vec<u32>]) -> Vec<SharedColumn> {
        let domains = self.host.run().map_or(&[][..], |run| &run.domains);
        domains.iter().flat_map(|domain| domain.late_columns(of, sets, self)).collect()
    }

    /// What all domains have to say of some places.
    pub fn about_places(&self, places: &Selection) -> Vec<Block> {
        let domains = self.host.run().map_or(&[][..], |run| &run.domains);
        domains.iter().flat_map(|domain| domain.about_places(places, self)).collect()
    }

    /// What costs time in the run, made once.
    pub fn found(&self) -> Result<Arc<Found>, Refusal> {
        Ok(self.host.found(true)?.unwrap_or_default())
    }

    /// What costs time in the run, if that is known already.
    pub fn found_already(&self) -> Option<Arc<Found>> {
        self.host.found(false).ok().flatten()
    }
}

/// How far slow work stands behind the rest on the processors.
const BEHIND: libc::c_int = 10;

/// Threads for slow work. Where processors are few, whoever waits for a picture goes first. None when the system gave none.
pub fn slow_threads(name: &'static str, count: usize) -> Option<rayon::ThreadPool> {
    let behind = |_| {
        // SAFETY: takes a number; on Linux it is about the thread that calls. Refused, it changes nothing that matters.
        unsafe { libc::nice(BEHIND) };
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count.max(1)).start_handler(behind);
    pool.thread_name(move |i| format!("{name} {i}")).build().ok()
}
