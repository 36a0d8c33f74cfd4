//! Opening files that somebody else named or made: plain files only. A pipe would never answer, a device might never end, and
//! files of the kernel (`/proc`, `/sys`) say that they are empty and then give without end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use memmap2::{Mmap, MmapOptions};

use crate::mapped::Known;

/// File systems in which the kernel makes up the files: proc, sysfs, debugfs, tracefs, cgroup, cgroup2, securityfs, configfs,
/// bpf (`linux/magic.h`).
const KERNEL: [u32; 9] = [
    0x9fa0,
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x0027_e0eb,
    0x6367_7270,
    0x7363_6673,
    0x6265_6570,
    0xcafe_4a11,
];

fn refused(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, what)
}

/// Opens a plain file for reading, behind all links; anything else is refused, and nothing waits.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, 0)
}

/// The same with these flags.
pub(crate) fn open_with(path: &Path, flags: i32) -> io::Result<File> {
    // Looked at before: opening some devices does something already.
    if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err(refused("not a plain file"));
    }
    // It may be another one by now: without O_NONBLOCK, opening a pipe waits for somebody who writes to it.
    let flags = flags | libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(refused("not a plain file"));
    }
    match is_of_kernel(&file)? {
        true => Err(refused("a file of the kernel, not a plain file")),
        false => Ok(file),
    }
}

/// All bytes of a plain file; one with more than `most` is refused.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_open(open(path)?, most)
}

/// The same of an open file.
pub(crate) fn read_open(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(refused(&format!("more than {most} bytes"))),
        false => Ok(bytes),
    }
}

/// Whether a file is hardly there: so much of it are holes, which take no disk and read as zeros, that whoever reads it whole
/// has more memory taken than its maker had disk.
pub fn is_hollow(file: &File) -> bool {
    const FREE: u64 = 64 << 20;
    const TIMES: u64 = 256;
    let Ok(about) = file.metadata() else { return false };
    // Blocks are of 512 bytes, whatever the disk has. Some file systems count them late: so the holes are looked for too.
    if about.len() <= FREE.saturating_add(TIMES.saturating_mul(512).saturating_mul(about.blocks())) {
        return false;
    }
    // SAFETY: the descriptor is open. Who reads it says where, or begins at the beginning, to which it goes back.
    let hole = unsafe {
        let hole = libc::lseek(file.as_raw_fd(), 0, libc::SEEK_HOLE);
        libc::lseek(file.as_raw_fd(), 0, libc::SEEK_SET);
        hole
    };
    u64::try_from(hole).is_ok_and(|hole| hole < about.len())
}

fn is_of_kernel(file: &File) -> io::Result<bool> {
    let mut about = MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: the descriptor is open, and the structure is large enough.
    if unsafe { libc::fstatfs(file.as_raw_fd(), about.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: zeroed, and written by the kernel.
    let kind = unsafe { about.assume_init() }.f_type;
    Ok(KERNEL.contains(&(kind as u32)))
}

/// A plain file that is mapped, and named when it is cut short ([`crate::tell_when_cut`]).
#[derive(Debug)]
pub struct Mapped {
    /// Before the map: it is forgotten before it is unmapped.
    _known: Known,
    map: Mmap,
}

impl Mapped {
    /// Maps a file whole; none when it is empty.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        let file = open(path)?;
        let len = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        if len == 0 {
            return Ok(None);
        }
        // SAFETY: for files that nobody changes any more. Who cuts one nevertheless ends the program, which says so.
        let map = unsafe { MmapOptions::new().len(len).map(&file) }?;
        Ok(Some(Mapped { _known: Known::new(&map, path), map }))
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn only_plain_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("plain"), "text").unwrap();
        symlink(at("plain"), at("link")).unwrap();
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        symlink(at("pipe"), at("to pipe")).unwrap();
        symlink("/dev/zero", at("zeros")).unwrap();
        symlink("/proc/self/pagemap", at("pagemap")).unwrap();
        symlink("/sys/kernel/notes", at("notes")).unwrap();
        assert_eq!(read(&at("plain"), 4).unwrap(), b"text");
        assert_eq!(read(&at("link"), 4).unwrap(), b"text");
        assert!(read(&at("plain"), 3).unwrap_err().to_string().contains("more than 3 bytes"));
        for name in ["", "pipe", "to pipe", "zeros", "pagemap", "notes"] {
            let Err(error) = open(&at(name)) else { panic!("{name} was opened") };
            if name != "notes" || Path::new("/sys/kernel/notes").exists() {
                assert!(error.to_string().contains("not a plain file"), "{name}: {error}");
            }
        }
        assert_eq!(open(&at("missing")).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn what_is_hardly_there_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let made = |bytes: &[u8], len: u64| {
            fs::write(&path, bytes).unwrap();
            File::options().write(true).open(&path).unwrap().set_len(len).unwrap();
            is_hollow(&open(&path).unwrap())
        };
        assert!(made(b"", 1 << 30));
        assert!(made(b"begin", 1 << 30));
        assert!(!made(b"", 0) && !made(b"begin", 5), "there");
        assert!(!made(b"", 1 << 20), "small");
        assert!(!made(&[1; 1 << 20], 100 << 20), "most of it are holes, but not nearly all");
    }
}
