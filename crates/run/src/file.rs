//! Opening the files of a run. A run may come from a stranger: what it names must be a plain file inside its directory, not
//! a link that leads elsewhere, a pipe that never answers or a device that never ends.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::error::RunError;
use crate::plain;

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
    let is_link = fs::symlink_metadata(&path).is_ok_and(|about| about.is_symlink());
    match plain::open_with(&path, libc::O_NOFOLLOW) {
        Ok(file) => Ok(file),
        Err(error) if is_link || error.raw_os_error() == Some(libc::ELOOP) => {
            Err(damaged("its file is a link, which may lead out of the run"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Err(damaged("its file is missing")),
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            Err(damaged("its file is not a regular file"))
        }
        Err(source) => Err(RunError::Io { path, source }),
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
    if plain::is_hollow(&opened) {
        return Err(RunError::damaged(&path, part, "nearly nothing of its file is on disk"));
    }
    let mut content = Vec::new();
    opened.by_ref().take(bytes).read_to_end(&mut content).map_err(RunError::io(&path))?;
    Ok(content)
}
