//! The files that are imported together: one file, several, or all files below a folder, such as one for each rank. They are found
//! before anything is read, and opened one by one: no more of them is in memory than a reader keeps.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crosscut_run::{Progress, plain};

use crate::error::ImportError;
use crate::input::Input;
use crate::reader::{Confidence, Head};

/// More files than any recording has: somebody named the wrong folder.
const MOST: usize = 1 << 20;

/// A set of files, in the order of their paths.
pub struct Inputs<'a> {
    paths: &'a [&'a Path],
    /// What was named, with its size.
    named: Vec<(String, u64)>,
    files: Vec<FoundFile>,
    bytes: u64,
    done: AtomicU64,
    /// Bytes of all files, and of those beside them that were opened.
    opened: Arc<AtomicU64>,
    progress: &'a dyn Progress,
}

/// A file of the set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundFile {
    /// Where it is.
    pub path: PathBuf,
    /// Size in bytes.
    pub size: u64,
}

impl<'a> Inputs<'a> {
    /// The files that are named, and all files below the folders that are.
    pub fn find(paths: &'a [&'a Path], progress: &'a dyn Progress) -> Result<Self, ImportError> {
        let (mut files, mut named) = (Vec::new(), Vec::new());
        for path in paths {
            let before = files.len();
            let not_a_file = |what, advice| ImportError::NotAFile { path: path.to_path_buf(), what, advice };
            // Asked before opening: opening a pipe would wait for its other end.
            let metadata = path.metadata().map_err(failed(path))?;
            if metadata.is_dir() {
                if path.join("manifest.json").is_file() {
                    return Err(not_a_file("this is a run already", "; `crosscut view` opens it"));
                }
                add_files_below(path, &mut files)?;
            } else if !metadata.is_file() {
                return Err(not_a_file("a device or pipe", "; save it to a file first"));
            } else if metadata.len() == 0 {
                let of_threads = of_first_thread(path);
                // Named with those of its threads it says nothing, and does no harm.
                if of_threads.as_ref().is_none_or(|first| !paths.contains(&first.as_path())) {
                    return Err(ImportError::Empty { path: path.to_path_buf(), advice: advice(of_threads) });
                }
            } else {
                files.push(FoundFile { path: path.to_path_buf(), size: metadata.len() });
            }
            named.push((path.display().to_string(), bytes_of(&files[before..])));
        }
        files.sort();
        let bytes = bytes_of(&files);
        let opened = Arc::new(AtomicU64::new(bytes));
        Ok(Inputs { paths, named, files, bytes, done: AtomicU64::new(0), opened, progress })
    }

    /// The files and folders that were named.
    pub fn paths(&self) -> &'a [&'a Path] {
        self.paths
    }

    /// What stands for all of them in a message: the first that was named.
    pub fn path(&self) -> &'a Path {
        self.paths.first().copied().unwrap_or(Path::new(""))
    }

    /// The folder that was named, if it is one and nothing else.
    pub fn folder(&self) -> Option<&'a Path> {
        match self.paths {
            [path] if path.is_dir() => Some(path),
            _ => None,
        }
    }

    /// The same with their sizes, for the run's origin.
    pub(crate) fn named(&self) -> Vec<(String, u64)> {
        self.named.clone()
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> &[FoundFile] {
        &self.files
    }

    /// Size of all files.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of all files, and of those beside them that were opened.
    pub(crate) fn opened(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.opened)
    }

    /// A file was opened.
    pub(crate) fn note_opened(&self, path: &Path, size: u64) {
        if self.files.binary_search_by(|file| file.path.as_path().cmp(path)).is_err() {
            self.opened.fetch_add(size, Ordering::Relaxed);
        }
    }

    /// Opens one of the files for reading.
    pub fn open<'s>(&'s self, file: &'s FoundFile) -> Result<Input<'s>, ImportError> {
        Input::open(&file.path, self)
    }

    /// Opens the file, for formats that are a single one.
    pub fn one(&self) -> Result<Input<'_>, ImportError> {
        match self.files.as_slice() {
            [file] => self.open(file),
            _ => Err(self.not_a_file()),
        }
    }

    /// How sure a reader of single files is of this set, from how the only file begins.
    pub fn detect_one(
        &self,
        detect: impl FnOnce(&Head<'_>) -> Confidence,
    ) -> Result<Confidence, ImportError> {
        let [file] = self.files.as_slice() else { return Ok(Confidence::NONE) };
        let input = self.open(file)?;
        let bytes = input.head()?;
        Ok(detect(&Head { name: input.name(), size: input.size(), bytes: &bytes }))
    }

    /// Several files, or none, where one was needed.
    pub(crate) fn not_a_file(&self) -> ImportError {
        let (what, advice) = match self.folder() {
            Some(_) => ("a directory", "; name the file inside that is to be imported"),
            None => ("several", "; import them one by one"),
        };
        ImportError::NotAFile { path: self.path().to_owned(), what, advice }
    }

    /// So many more bytes were read.
    pub(crate) fn advance_by(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        self.progress.advance(done.min(self.bytes), self.bytes);
    }

    /// Everything was read.
    pub(crate) fn finish(&self) {
        self.progress.advance(self.bytes, self.bytes);
    }

    /// Whoever is told how far it is.
    pub fn progress(&self) -> &'a dyn Progress {
        self.progress
    }

    /// An error when the user has stopped the import.
    pub fn check_cancelled(&self) -> Result<(), ImportError> {
        if self.progress.is_cancelled() {
            return Err(ImportError::Cancelled { path: self.path().to_owned() });
        }
        Ok(())
    }
}

/// The file of the first thread, where there is one: callgrind leaves an empty file and `FILE-01`, `FILE-02` and so on beside it
/// (`--separate-threads=yes`).
fn of_first_thread(path: &Path) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    name.push("-01");
    Some(path.with_file_name(name)).filter(|first| first.is_file())
}

/// What to do with an empty file.
fn advice(of_first_thread: Option<PathBuf>) -> String {
    let first = of_first_thread.as_deref().and_then(Path::file_name);
    first.map_or_else(String::new, |first| {
        let first = first.to_string_lossy();
        format!("; its threads are in {first} and so on: name all of them, and they become one run")
    })
}

fn bytes_of(files: &[FoundFile]) -> u64 {
    files.iter().fold(0, |sum, file| sum.saturating_add(file.size))
}

pub(crate) fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> ImportError + '_ {
    move |source| match source.kind() {
        ErrorKind::NotFound => ImportError::Missing { path: path.to_owned() },
        _ => ImportError::Io { path: path.to_owned(), source },
    }
}

/// Adds all files below a folder. Links to files are followed, links to folders are not: they may lead in a circle. What is
/// no file is passed over.
fn add_files_below(folder: &Path, files: &mut Vec<FoundFile>) -> Result<(), ImportError> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(failed(&folder))? {
            let entry = entry.map_err(failed(&folder))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(failed(&path))?;
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() && plain::open(&path).is_err() {
                // It leads to nothing, to a folder, a pipe, a device, or a file of the kernel.
            } else if let Some(metadata) = fs::metadata(&path).ok().filter(fs::Metadata::is_file) {
                files.push(FoundFile { path, size: metadata.len() });
            }
            if files.len() > MOST {
                let what = "a directory of more than a million files";
                let advice = "; name the one that is to be imported";
                return Err(ImportError::NotAFile { path: folder, what, advice });
            }
        }
    }
    Ok(())
}
