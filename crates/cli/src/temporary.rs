//! A folder for runs that are looked at and not kept. Only its owner can look inside, it goes when the program ends, and
//! what a program left that was killed goes when the next one starts.
//!
//! A folder is in use as long as somebody holds the lock on it; the system gives a lock back with the process, however that
//! ends. So whether a folder was left is known without numbers of processes, which are used again and differ between containers.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

const PREFIX: &str = "crosscut-view-";

/// A private folder, removed when it is dropped.
pub struct Temporary {
    // Fields are dropped in this order: the folder goes before the lock does.
    folder: TempDir,
    _lock: File,
}

impl Temporary {
    /// Makes one where the system keeps temporary files.
    pub fn new() -> Result<Self> {
        Self::in_folder(&std::env::temp_dir()).context("a folder for imported runs")
    }

    fn in_folder(parent: &Path) -> Result<Self> {
        let private = std::fs::Permissions::from_mode(0o700);
        for _ in 0..10 {
            let folder =
                tempfile::Builder::new().prefix(PREFIX).permissions(private.clone()).tempdir_in(parent)?;
            let lock = File::open(folder.path())?;
            lock.lock()?;
            // One who swept may have been faster than the lock: then this one is gone.
            if std::fs::metadata(folder.path()).is_ok_and(|now| is_same(&lock, &now)) {
                return Ok(Temporary { folder, _lock: lock });
            }
        }
        bail!("{}: what is made here goes at once", parent.display())
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn is_same(file: &File, other: &Metadata) -> bool {
    file.metadata().is_ok_and(|one| (one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Removes the folders of this user that nobody uses any more. What cannot be removed stays.
pub fn sweep() {
    sweep_in(&std::env::temp_dir());
}

fn sweep_in(parent: &Path) {
    let Ok(own) = std::fs::metadata("/proc/self").map(|own| own.uid()) else { return };
    for folder in left_in(parent, own).unwrap_or_default() {
        // Open until it is gone: who has the lock is the only one who may remove it.
        let Ok(lock) = File::open(&folder) else { continue };
        let still = std::fs::symlink_metadata(&folder).is_ok_and(|now| is_same(&lock, &now));
        if still && lock.try_lock().is_ok() {
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
}

/// Folders of this user, be they in use or not. A link is none.
fn left_in(parent: &Path, own: u32) -> io::Result<Vec<PathBuf>> {
    let ours = |entry: &std::fs::DirEntry| {
        let named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        named && entry.metadata().is_ok_and(|is| is.is_dir() && is.uid() == own)
    };
    Ok(std::fs::read_dir(parent)?.flatten().filter(ours).map(|entry| entry.path()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_left_is_swept() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let used = Temporary::in_folder(parent.path()).unwrap();
        std::fs::write(used.path().join("run"), "in use").unwrap();
        assert_eq!(std::fs::metadata(used.path()).unwrap().permissions().mode() & 0o777, 0o700);
        // What a killed process leaves: the folder, and nobody who holds its lock.
        std::fs::create_dir_all(at("crosscut-view-left/run.crosscut")).unwrap();
        std::fs::write(at("crosscut-view-left/run.crosscut/manifest.json"), "{}").unwrap();
        // What is none of ours: another name, a file, a link to a folder elsewhere.
        std::fs::create_dir_all(at("crosscut-other/x")).unwrap();
        std::fs::write(at("crosscut-view-file"), "").unwrap();
        std::os::unix::fs::symlink(at("crosscut-other"), at("crosscut-view-link")).unwrap();
        sweep_in(parent.path());
        assert!(!at("crosscut-view-left").exists());
        assert!(used.path().join("run").exists());
        assert!(at("crosscut-other/x").exists() && at("crosscut-view-file").exists());
        assert!(at("crosscut-view-link").is_symlink());
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
    }

    #[test]
    fn folders_of_others_are_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        std::fs::create_dir(parent.path().join("crosscut-view-theirs")).unwrap();
        let own = std::fs::metadata(parent.path()).unwrap().uid();
        assert_eq!(left_in(parent.path(), own).unwrap().len(), 1);
        assert_eq!(left_in(parent.path(), own ^ 1).unwrap().len(), 0);
    }
}
