//! What can be wrong with a wish for a run.

use crosscut_run::RunError;
use crosscut_tasks::TasksError;
use thiserror::Error;

/// Why a run could not be made.
#[derive(Debug, Error)]
pub enum SynthError {
    /// Node ids are 32 bits wide.
    #[error("{asked} nodes asked for, but a tree holds at most {limit}; ask for fewer")]
    TooManyNodes {
        /// What was asked for.
        asked: u64,
        /// What is possible.
        limit: u64,
    },
    /// A run has at least one task.
    #[error("a run of 0 nodes asked for; ask for at least 1")]
    NoNodes,
    /// A run counts migrations from every worker to every other.
    #[error("{asked} workers asked for; ask for 1 to {limit}")]
    Workers {
        /// What was asked for.
        asked: usize,
        /// What is possible.
        limit: usize,
    },
    /// Jitter is a share.
    #[error("a jitter of {0} percent asked for; ask for 0 to 100")]
    Jitter(u32),
    /// The run could not be written.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The tasks could not be completed.
    #[error(transparent)]
    Tasks(#[from] TasksError),
}
