//! What can be wrong with a wish for a run.

use crosscut_calls::CallsError;
use crosscut_messages::MessagesError;
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
    /// A run of messages has at least two ranks.
    #[error("{asked} ranks asked for; ask for 2 to {limit}")]
    Ranks {
        /// What was asked for.
        asked: u32,
        /// What is possible.
        limit: u32,
    },
    /// A profile has at least one rank.
    #[error("{asked} ranks asked for; ask for 1 to {limit}")]
    CallRanks {
        /// What was asked for.
        asked: u32,
        /// What is possible.
        limit: u32,
    },
    /// Only a module of the program can take longer.
    #[error("`{asked}` is no module of the program: {}", crate::calls::MODULES.join(", "))]
    Module {
        /// What was asked for.
        asked: String,
    },
    /// Only a rank of the run can be late.
    #[error("rank {rank} of {ranks} ranks cannot be late: they are numbered from 0 on")]
    LateRank {
        /// Which.
        rank: u32,
        /// How many there are.
        ranks: u32,
    },
    /// Times and sizes have to fit.
    #[error("{asked} asked for; ask for 0 to {limit}")]
    Number {
        /// What was asked for.
        asked: i64,
        /// What is possible.
        limit: i64,
    },
    /// A file could not be written.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The run could not be written.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The tasks could not be completed.
    #[error(transparent)]
    Tasks(#[from] TasksError),
    /// The calls could not be put together.
    #[error(transparent)]
    Calls(#[from] CallsError),
    /// The messages could not be put together.
    #[error(transparent)]
    Messages(#[from] MessagesError),
}
