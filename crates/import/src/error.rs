//! What can go wrong while importing: always with the file, and with the byte and the record where that is known.

use std::path::{Path, PathBuf};

use crosscut_calls::CallsError;
use crosscut_close::CloseError;
use crosscut_messages::MessagesError;
use crosscut_run::RunError;
use crosscut_tasks::TasksError;
use thiserror::Error;

/// A record of the input, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it is: "node", "string".
    pub what: &'static str,
    /// Which one, from 0.
    pub number: u64,
}

/// Why a file could not be imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// There is no such file.
    #[error("{}: no such file", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A directory or a device.
    #[error("{}: {what}, not a file{advice}", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
        /// What it is.
        what: &'static str,
        /// What to do instead.
        advice: &'static str,
    },
    /// Nothing in it.
    #[error("{}: the file is empty{advice}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What to do instead, "" when nothing is known.
        advice: String,
    },
    /// The operating system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// No reader recognises the content.
    #[error("{}: unknown content; it begins with {begins}. Formats known: {known}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// Its first bytes.
        begins: String,
        /// All formats.
        known: String,
    },
    /// Content that is known, and not read.
    #[error("{}: {what}, which is not read; {advice}", path.display())]
    NotRead {
        /// The file or folder.
        path: PathBuf,
        /// What it is.
        what: &'static str,
        /// What to do instead.
        advice: &'static str,
    },
    /// A name that is no format.
    #[error("no format `{name}`. Formats known: {known}")]
    NoSuchFormat {
        /// What was asked for.
        name: String,
        /// All formats.
        known: String,
    },
    /// An option that makes no sense.
    #[error("{0}")]
    Option(String),
    /// The right format in another version.
    #[error("{}: byte {offset}: version `{found}`, but this program reads version {reads} only", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Where the version stands.
        offset: u64,
        /// The file's version.
        found: String,
        /// What the reader reads.
        reads: &'static str,
    },
    /// The file contradicts its format.
    #[error("{}: byte {offset}{}: {what}", path.display(), of_record(record))]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// In which record.
        record: Option<Record>,
        /// What is wrong.
        what: String,
    },
    /// The user stopped it.
    #[error("{}: import cancelled", path.display())]
    Cancelled {
        /// The file.
        path: PathBuf,
    },
    /// Events of a recording could not be read.
    #[error(transparent)]
    Events(#[from] CloseError),
    /// The run could not be written.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The task tree could not be completed.
    #[error(transparent)]
    Tasks(#[from] TasksError),
    /// The messages could not be put together.
    #[error(transparent)]
    Messages(#[from] MessagesError),
    /// The calls could not be put into the run.
    #[error(transparent)]
    Calls(#[from] CallsError),
}

impl ImportError {
    /// The input file, when the input is to blame.
    pub fn path(&self) -> Option<&Path> {
        match self {
            ImportError::Missing { path }
            | ImportError::NotAFile { path, .. }
            | ImportError::Empty { path, .. }
            | ImportError::Io { path, .. }
            | ImportError::Unknown { path, .. }
            | ImportError::NotRead { path, .. }
            | ImportError::Version { path, .. }
            | ImportError::Broken { path, .. }
            | ImportError::Cancelled { path } => Some(path),
            ImportError::NoSuchFormat { .. }
            | ImportError::Option(_)
            | ImportError::Events(_)
            | ImportError::Run(_)
            | ImportError::Tasks(_)
            | ImportError::Messages(_)
            | ImportError::Calls(_) => None,
        }
    }

    /// The byte at which the input is wrong.
    pub fn offset(&self) -> Option<u64> {
        match self {
            ImportError::Empty { .. } | ImportError::Unknown { .. } => Some(0),
            ImportError::Version { offset, .. } | ImportError::Broken { offset, .. } => Some(*offset),
            _ => None,
        }
    }
}

fn of_record(record: &Option<Record>) -> String {
    record.map_or_else(String::new, |record| format!(", {} {}", record.what, record.number))
}

/// The first bytes of a file, readable: as text where they are text, always as numbers.
pub(crate) fn first_bytes(head: &[u8]) -> String {
    let first = head.get(..16).unwrap_or(head);
    let numbers: Vec<String> = first.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\"{}\" ({})", first.escape_ascii(), numbers.join(" "))
}
