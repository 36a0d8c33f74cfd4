//! What can be wrong with a run on disk: always with the file, and with what to do where there is something to do.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a run could not be written or read.
#[derive(Debug, Error)]
pub enum RunError {
    /// The operating system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// Not a run at all.
    #[error("{}: not a Crosscut run: {why}", path.display())]
    NotARun {
        /// The directory.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// Written by a later version.
    #[error("{}: run format {found}, but this program reads up to {}; use a newer crosscut", path.display(), crate::FORMAT)]
    TooNew {
        /// The directory.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// A part that does not agree with the manifest.
    #[error("{}: damaged part `{part}`: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Name of the part.
        part: String,
        /// What is wrong.
        why: String,
    },
    /// A part that this run does not have.
    #[error("{}: the run has no part `{part}`", path.display())]
    NoPart {
        /// The directory.
        path: PathBuf,
        /// Name of the part.
        part: String,
    },
    /// Something is there already.
    #[error("{}: already exists; remove it or choose another name with -o", path.display())]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// A worker that the run does not have.
    #[error("worker {worker}, but the run has {workers}")]
    NoWorker {
        /// Its number.
        worker: usize,
        /// How many there are.
        workers: usize,
    },
    /// More distinct things than their ids can count.
    #[error("more than {limit} {what} in one run")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

impl RunError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> RunError + '_ {
        move |source| RunError::Io { path: path.to_owned(), source }
    }

    pub(crate) fn damaged(path: &Path, part: &str, why: impl Into<String>) -> RunError {
        RunError::Damaged { path: path.to_owned(), part: part.to_owned(), why: why.into() }
    }
}
