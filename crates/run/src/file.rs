//! Opening the files of a run. A run may come from a stranger: what it names must be a plain file inside its directory, not
//! a link that leads elsewhere, a pipe that never answers or a device that never ends.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::error::RunError;

/// Opens a file of a part, relative to the run.
pub fn open(run: &Path, file: &str, part: &str) -> Result<File, RunError> {
    let path = run.join(file);
    let damaged = |why: &str| RunError::damaged(&path, part, why);
    let folders = path.ancestors().skip(1).take_while(|folder| *folder != run);
    for folder in folders {
        match fs::symlink_metadata(folder) {
            Ok(about) if !about.is_dir() => return Err(damaged("its folder is a link or a file")),
            _ => {} // what is missing is told below
        }
    }
    // Without O_NONBLOCK, opening a pipe waits for somebody who writes to it.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(&path);
    let file = match opened {
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => {
            return Err(damaged("its file is a link, which may lead out of the run"));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(damaged("its file is missing")),
        Err(source) => return Err(RunError::Io { path, source }),
        Ok(file) => file,
    };
    match file.metadata().map_err(RunError::io(&path))?.is_file() {
        true => Ok(file),
        false => Err(damaged("its file is not a regular file")),
    }
}

/// All bytes of a file that is to have so many.
pub fn read(run: &Path, file: &str, part: &str, bytes: u64) -> Result<Vec<u8>, RunError> {
    let path = run.join(file);
    let mut opened = open(run, file, part)?;
    let found = opened.metadata().map_err(RunError::io(&path))?.len();
    if found != bytes {
        return Err(RunError::damaged(&path, part, format!("{found} bytes, but the manifest says {bytes}")));
    }
    let mut content = Vec::new();
    opened.by_ref().take(bytes).read_to_end(&mut content).map_err(RunError::io(&path))?;
    Ok(content)
}
