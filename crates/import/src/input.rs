//! A foreign file that is open for reading. Positioned reads only: another program may truncate the file at any time,
//! and that must be an error and not a signal.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crosscut_run::plain;

use crate::error::{ImportError, Record};
use crate::inputs::{Inputs, failed};

/// An open input. It can be read from several threads at once.
pub struct Input<'a> {
    path: &'a Path,
    name: String,
    file: File,
    size: u64,
    /// How much of it was read.
    done: AtomicU64,
    inputs: &'a Inputs<'a>,
}

impl<'a> Input<'a> {
    /// How many first bytes a reader sees to recognise its format.
    pub const HEAD: usize = 4096;

    pub(crate) fn open(path: &'a Path, inputs: &'a Inputs<'a>) -> Result<Self, ImportError> {
        let file = plain::open(path).map_err(failed(path))?;
        let size = file.metadata().map_err(failed(path))?.len();
        inputs.note_opened(path, if plain::is_hollow(&file) { 0 } else { size });
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Input { path, name, file, size, done: AtomicU64::new(0), inputs })
    }

    /// The file.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// The file's name without directories.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// So many bytes from `offset` on, in memory: of a file that is there on disk.
    pub fn part(&self, offset: u64, len: usize) -> Result<Vec<u8>, ImportError> {
        // Memory that no disk backs costs whoever made the file nothing.
        if plain::is_hollow(&self.file) {
            return Err(self.broken(offset, "nearly nothing of the file is on disk"));
        }
        let mut bytes = vec![0; len];
        self.read_at(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// The first bytes, [`Input::HEAD`] at most.
    pub fn head(&self) -> Result<Vec<u8>, ImportError> {
        let mut head = vec![0; self.size.min(Self::HEAD as u64) as usize];
        self.read_at(0, &mut head)?;
        Ok(head)
    }

    /// Fills `bytes` from the file, from `offset` on.
    pub fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), ImportError> {
        match self.file.read_exact_at(bytes, offset) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                let what = format!("the file ends within the {} bytes that begin here", bytes.len());
                Err(self.broken(offset, what))
            }
            Err(source) => Err(ImportError::Io { path: self.path.to_owned(), source }),
        }
    }

    /// Says how far reading is.
    pub fn advance(&self, done: u64) {
        let done = done.min(self.size);
        let before = self.done.fetch_max(done, Ordering::Relaxed);
        self.inputs.advance_by(done.saturating_sub(before));
    }

    /// An error when the user has stopped the import.
    pub fn check_cancelled(&self) -> Result<(), ImportError> {
        self.inputs.check_cancelled()
    }

    /// An error at this byte.
    pub fn broken(&self, offset: u64, what: impl Into<String>) -> ImportError {
        ImportError::Broken { path: self.path.to_owned(), offset, record: None, what: what.into() }
    }

    /// An error at this byte, which belongs to this record.
    pub fn broken_record(&self, offset: u64, record: Record, what: impl Into<String>) -> ImportError {
        ImportError::Broken { path: self.path.to_owned(), offset, record: Some(record), what: what.into() }
    }
}
