//! What can go wrong while a run is closed.

use std::path::{Path, PathBuf};

use crosscut_calls::CallsError;
use crosscut_messages::MessagesError;
use crosscut_run::RunError;
use crosscut_tasks::TasksError;
use thiserror::Error;

/// Why events could not become a run.
#[derive(Debug, Error)]
pub enum CloseError {
    /// A file could not be read.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is not what a recorder writes.
    #[error("{path}: {why}", path = path.display())]
    Events {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// There is nothing to make a run of.
    #[error("{folder}: nothing was recorded there", folder = folder.display())]
    Nothing {
        /// The folder.
        folder: PathBuf,
    },
    /// More than the run format can hold.
    #[error("too many {what}: {limit} at most")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The user did not want to wait.
    #[error("cancelled")]
    Cancelled,
    /// The run could not be written.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The task tree could not be completed.
    #[error(transparent)]
    Tasks(#[from] TasksError),
    /// The messages could not be written.
    #[error(transparent)]
    Messages(#[from] MessagesError),
    /// The calls could not be written.
    #[error(transparent)]
    Calls(#[from] CallsError),
}

impl CloseError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> CloseError {
        let path = path.to_owned();
        |source| CloseError::Io { path, source }
    }
}
