//! What is known of waiting in an open run: wait states, whose work was late, what that costs. Made when it is first asked
//! for, once.

use std::sync::{Arc, OnceLock};

use crosscut_messages::causes::{Causes, Finding};
use crosscut_messages::lateness::Lateness;
use crosscut_messages::path::CriticalPath;
use crosscut_messages::waits::Waits;
use crosscut_messages::{Messages, NONE};

use super::opened::Opened;
use super::worked::Worked;

/// The waits of a run, and what they come from.
#[derive(Debug)]
pub struct Judged {
    opened: Arc<Opened>,
    causes: OnceLock<Causes>,
    worked: OnceLock<Worked>,
}

impl Judged {
    /// Of an open run.
    pub fn new(opened: Arc<Opened>) -> Judged {
        Judged { opened, causes: OnceLock::new(), worked: OnceLock::new() }
    }

    /// Who waited in which call for whom.
    pub fn waits(&self) -> &Waits {
        self.opened.waits()
    }

    /// Whose work was late.
    pub fn lateness(&self) -> &Lateness {
        self.opened.lateness()
    }

    /// What costs time.
    pub fn causes(&self, messages: &Messages) -> &Causes {
        self.causes.get_or_init(|| Causes::of(messages, self.waits(), self.lateness()))
    }

    /// What decided how long the run took.
    pub fn path(&self) -> &CriticalPath {
        self.opened.path()
    }

    /// What tasks and the call profile of the same run know of work.
    pub fn worked(&self, messages: &Messages) -> &Worked {
        self.worked.get_or_init(|| Worked::of(messages.run()))
    }

    /// The message or collective in which lateness showed first, of a finding most of which comes from one origin; a message
    /// by its number, a collective by its number after all messages.
    pub fn first_event(&self, finding: &Finding) -> Option<u32> {
        let origin = finding.worst.map(|worst| worst.origin).filter(|&origin| origin != NONE)?;
        let of = |wait: &&crosscut_messages::lateness::Explained| {
            wait.origin.is_some_and(|from| from.call == origin)
        };
        let waits = || self.lateness().waits.iter().filter(of);
        let cost = waits().map(|wait| wait.cost).fold(0, i64::saturating_add);
        let first = waits().next().filter(|_| cost.saturating_mul(2) >= finding.cost)?;
        self.waits().event.get(first.call as usize).copied().filter(|&event| event != NONE)
    }
}
