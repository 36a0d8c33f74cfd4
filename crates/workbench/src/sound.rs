//! Whether a run is as it was written: its bytes, block by block, then the structure of each domain. Small runs are checked
//! when they are opened; a large one is shown at once and checked beside it, and the page says what is wrong.

use std::sync::{Arc, Mutex, PoisonError};

use crosscut_run::BlockCheck;

use crate::bench::OpenRun;

/// What a check has found.
#[derive(Debug, Default)]
pub struct Checked(Mutex<State>);

#[derive(Clone, Debug, Default)]
struct State {
    under_way: bool,
    damage: Option<String>,
}

impl Checked {
    fn set(&self, under_way: bool, damage: Option<String>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.under_way = under_way;
        state.damage = state.damage.take().or(damage);
    }

    fn state(&self) -> State {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the check goes on.
    pub fn is_under_way(&self) -> bool {
        self.state().under_way
    }

    /// The first thing that is wrong.
    pub fn damage(&self) -> Option<String> {
        self.state().damage
    }
}

impl OpenRun {
    /// What is wrong with the structure of its domains, with their words. Looks at every value.
    pub fn unsound(&self) -> Vec<(&'static str, String)> {
        let wrong = |domain: &Arc<dyn crate::Domain>| Some((domain.word(), domain.sound().err()?.0));
        self.domains.iter().filter_map(wrong).collect()
    }

    /// Checks a large run on a thread of its own; what is looked at meanwhile is checked first. Small ones are checked
    /// already.
    pub fn check_beside(&self) {
        if self.run.is_small() {
            return;
        }
        self.checked.set(true, None);
        let (run, domains, checked) = (self.run.clone(), self.domains.clone(), self.checked.clone());
        let work = move || {
            let mut blocks = BlockCheck::new(&run);
            while blocks.damages().is_empty() && blocks.step() {}
            let damage = blocks.damages().first().map(|damage| format!("{}: {}", damage.file, damage.why));
            let damage = damage.or_else(|| domains.iter().find_map(|domain| Some(domain.sound().err()?.0)));
            checked.set(false, damage);
        };
        // Without a thread nothing is checked, and nothing is said to be sound.
        if std::thread::Builder::new().name("check".to_owned()).spawn(work).is_err() {
            self.checked.set(false, None);
        }
    }
}
