//! The recorder's files: the one place where they are opened, grow, are written and mapped. Whatever a limit or the system
//! refuses becomes an error, never a signal: the size of files is checked before they grow, and room on the disk is reserved
//! before it is stored to through a map.
//!
//! The program may close every descriptor, and open files of its own under the same numbers: nothing is written to a
//! descriptor before it is known to stand for the file that is meant. It is kept only where there are many; else, and when
//! it is gone, the file is opened by its name for each write.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crosscut_events::NEARLY_FULL;

use crate::sys;

const EBADF: u32 = 9;
const ENOSPC: u32 = 28;
const EFBIG: u32 = 27;
const EINTR: u32 = 4;
const ENOSYS: u32 = 38;
const EOPNOTSUPP: u32 = 95;

/// Bytes of events that this process has written.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// A file that a part is mapped of.
pub struct EventFile {
    path: PathBuf,
    /// Its descriptor, while we have one.
    kept: Option<i32>,
    identity: (u64, u64),
}

impl EventFile {
    /// Makes a file of so many bytes, all mapped. On an error there is none.
    pub fn create(path: PathBuf, length: usize) -> Result<(EventFile, *mut u64), u32> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).map_err(number)?;
        let made = reserve(&file, 0, length)
            .and_then(|()| sys::map_file(file.as_raw_fd(), length))
            .and_then(|map| Ok((map, identity(&file)?)));
        match made {
            Ok((map, identity)) => {
                let kept = sys::move_far_up(file.into_raw_fd());
                WRITTEN.fetch_add(length as u64, Ordering::Relaxed);
                Ok((EventFile { path, kept, identity }, map))
            }
            Err(error) => {
                drop(file);
                let _ = std::fs::remove_file(&path);
                Err(error)
            }
        }
    }

    /// Writes all words at an offset.
    pub fn write(&mut self, offset: u64, words: &[u64]) -> Result<(), u32> {
        // SAFETY: words are bytes.
        let bytes = unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) };
        if let Some(file) = self.own() {
            leave_room(&file, bytes.len())?;
            return write_at(&file, offset, bytes);
        }
        // It is not ours any more, so it is not closed either.
        self.kept = None;
        let file = OpenOptions::new().write(true).open(&self.path).map_err(number)?;
        if identity(&file)? != self.identity {
            return Err(EBADF);
        }
        leave_room(&file, bytes.len())?;
        write_at(&file, offset, bytes)
    }

    /// The file by the descriptor that was kept, when it is still that.
    fn own(&self) -> Option<ManuallyDrop<File>> {
        // SAFETY: the descriptor stays as it is: the file is never dropped.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(self.kept?) });
        (identity(&file) == Ok(self.identity)).then_some(file)
    }
}

impl Drop for EventFile {
    fn drop(&mut self) {
        if let Some(file) = self.own() {
            drop(ManuallyDrop::into_inner(file));
        }
    }
}

/// Adds a text to a file.
pub fn append(path: &Path, text: &str) -> Result<(), u32> {
    let file = OpenOptions::new().create(true).append(true).open(path).map_err(number)?;
    let length = file.metadata().map_err(number)?.len();
    // At the end, wherever that is by then: so writes to a file that is open for appending.
    write_at(&file, length, text.as_bytes())
}

/// Copies one file, and some bytes behind it, over another, which changes at once or not at all. `beside` is a name that nobody
/// else uses.
pub fn copy(from: &Path, behind: &[u8], beside: &Path, to: &Path) -> Result<(), u32> {
    let mut source = File::open(from).map_err(number)?;
    let copied = || -> Result<(), u32> {
        let target =
            OpenOptions::new().write(true).create(true).truncate(true).open(beside).map_err(number)?;
        let (mut piece, mut offset) = ([0; 4096], 0);
        loop {
            let length = source.read(&mut piece).map_err(number)?;
            if length == 0 {
                write_at(&target, offset, behind)?;
                return std::fs::rename(beside, to).map_err(number);
            }
            write_at(&target, offset, &piece[..length])?;
            offset += length as u64;
        }
    }();
    if copied.is_err() {
        let _ = std::fs::remove_file(beside);
    }
    copied
}

/// Maps the beginning of a file that is there and long enough.
pub fn map_existing(path: &Path, length: usize) -> Result<*mut u64, u32> {
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(number)?;
    match file.metadata().map_err(number)?.len() >= length as u64 {
        true => sys::map_file(file.as_raw_fd(), length),
        false => Err(ENOSPC),
    }
}

/// The number of an error.
pub fn number(error: std::io::Error) -> u32 {
    error.raw_os_error().unwrap_or(EBADF as i32) as u32
}

/// Which file it is, as device and number.
fn identity(file: &File) -> Result<(u64, u64), u32> {
    file.metadata().map(|data| (data.dev(), data.ino())).map_err(number)
}

/// Whether a file may grow so far. Beyond the limit (`ulimit -f`) the kernel would end the program with a signal.
fn within_limit(end: u64) -> Result<(), u32> {
    if end > sys::file_limit() { Err(EFBIG) } else { Ok(()) }
}

/// Whether events may fill the disk further: a run takes two to three times their room, a small one much more, and the
/// program may need some as well.
fn leave_room(file: &File, length: usize) -> Result<(), u32> {
    const ANY_RUN: u64 = 2 << 20;
    let written = WRITTEN.fetch_add(length as u64, Ordering::Relaxed) + length as u64;
    let run = written.saturating_mul(3).saturating_add(ANY_RUN);
    match sys::free_bytes(file.as_raw_fd()) {
        Some(free) if free < run => Err(NEARLY_FULL),
        _ => Ok(()),
    }
}

/// Makes sure that a part of a file has its room on the disk, so that storing to it through a map does not fail later (on
/// a file system that writes every page to a new spot it still may). One that cannot reserve is asked to write zeros.
fn reserve(file: &File, offset: u64, length: usize) -> Result<(), u32> {
    within_limit(offset + length as u64)?;
    loop {
        match sys::allocate(file.as_raw_fd(), offset, length) {
            Err(EINTR) => {}
            Err(EOPNOTSUPP | ENOSYS) => return write_zeros(file, offset, length),
            done => return done,
        }
    }
}

fn write_zeros(file: &File, offset: u64, length: usize) -> Result<(), u32> {
    let zeros = [0; 4096];
    for done in (0..length).step_by(zeros.len()) {
        write_at(file, offset + done as u64, &zeros[..zeros.len().min(length - done)])?;
    }
    Ok(())
}

/// Writes all bytes at an offset. Every byte that is written passes here.
fn write_at(file: &File, offset: u64, bytes: &[u8]) -> Result<(), u32> {
    within_limit(offset + bytes.len() as u64)?;
    let mut done = 0;
    while done < bytes.len() {
        match sys::write_at(file.as_raw_fd(), offset + done as u64, &bytes[done..]) {
            Ok(0) => return Err(ENOSPC),
            Ok(wrote) => done += wrote,
            Err(EINTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
