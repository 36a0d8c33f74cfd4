//! Why the messages of a run could not be made or read.

use crosscut_run::RunError;
use thiserror::Error;

/// What can go wrong.
#[derive(Debug, Error)]
pub enum MessagesError {
    /// The run could not be written or read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// What was given contradicts itself.
    #[error("the messages of this run are not sound: {0}")]
    Broken(String),
}
