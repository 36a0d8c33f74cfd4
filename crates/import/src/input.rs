//! A foreign file that is open for reading. Positioned reads only: another program may truncate the file at any time,
//! and that must be an error and not a signal.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::error::{ImportError, Record};
use crate::progress::Progress;

/// An open input. It can be read from several threads at once.
pub struct Input<'a> {
    path: &'a Path,
    name: String,
    file: File,
    size: u64,
    progress: &'a dyn Progress,
}

impl<'a> Input<'a> {
    /// How many first bytes a reader sees to recognise its format.
    pub const HEAD: usize = 4096;

    pub(crate) fn open(path: &'a Path, progress: &'a dyn Progress) -> Result<Self, ImportError> {
        let failed = |source: std::io::Error| match source.kind() {
            ErrorKind::NotFound => ImportError::Missing { path: path.to_owned() },
            _ => ImportError::Io { path: path.to_owned(), source },
        };
        let not_a_file = |what, advice| ImportError::NotAFile { path: path.to_owned(), what, advice };
        // Asked before opening: opening a pipe would wait for its other end.
        let metadata = path.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(if path.join("manifest.json").is_file() {
                not_a_file("this is a run already", "; `crosscut view` opens it")
            } else {
                not_a_file("a directory", "; name the file inside that is to be imported")
            });
        }
        if !metadata.is_file() {
            return Err(not_a_file("a device or pipe", "; save it to a file first"));
        }
        let file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        if size == 0 {
            return Err(ImportError::Empty { path: path.to_owned() });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Input { path, name, file, size, progress })
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
        self.progress.advance(done.min(self.size), self.size);
    }

    /// An error when the user has stopped the import.
    pub fn check_cancelled(&self) -> Result<(), ImportError> {
        if self.progress.is_cancelled() {
            return Err(ImportError::Cancelled { path: self.path.to_owned() });
        }
        Ok(())
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
