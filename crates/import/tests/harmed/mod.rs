//! Profiles that are cut or changed: they are refused with their place, or read; never a panic, never sums that do not fit.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crosscut_calls::Calls;
use crosscut_import::{ImportError, Options, Quiet, import};

/// Reads a file or folder that may be harmed: what comes out is sound, and what is broken has its place.
fn read(path: &Path, target: &Path) -> bool {
    let _ = fs::remove_dir_all(target);
    match import(path, target, &Options::default(), &Quiet) {
        Ok(run) => {
            if Calls::is_in(&run) {
                Calls::open(Arc::new(run)).unwrap().sound().unwrap();
            }
            true
        }
        Err(error) => {
            let needs_place = matches!(error, ImportError::Broken { .. } | ImportError::Version { .. });
            assert!(!needs_place || (error.path().is_some() && error.offset().is_some()), "{error}");
            false
        }
    }
}

/// A folder for hundreds of small runs: in memory where the system has such a place.
fn in_memory() -> tempfile::TempDir {
    let shared = Path::new("/dev/shm");
    if shared.is_dir() { tempfile::tempdir_in(shared).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// Cuts a file at many places, then changes single bits of it. `refused_when_cut` says that no part of it may be taken for the
/// whole.
pub fn harm(sample: &Path, refused_when_cut: bool) {
    let work = in_memory();
    let file = work.path().join(sample.file_name().unwrap());
    let sound = fs::read(sample).unwrap();
    harm_in(&sound, &file, &file, &work.path().join("harmed.crosscut"), refused_when_cut);
}

#[allow(dead_code, reason = "not all formats are folders")]
/// The same for one file of a folder, which is read as a whole.
pub fn harm_part(folder: &Path, name: &str, refused_when_cut: bool) {
    let work = in_memory();
    let copy = work.path().join("folder");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
        }
    }
    let sound = fs::read(copy.join(name)).unwrap();
    harm_in(&sound, &copy.join(name), &copy, &work.path().join("harmed.crosscut"), refused_when_cut);
}

fn harm_in(sound: &[u8], file: &Path, input: &Path, target: &Path, refused_when_cut: bool) {
    let harmed = |bytes: &[u8]| {
        fs::write(file, bytes).unwrap();
        read(input, target)
    };
    assert!(harmed(sound), "{} is read", file.display());
    let step = |of: usize| (sound.len() / of).max(1);
    for end in (0..sound.len()).step_by(step(60)) {
        let is_read = harmed(&sound[..end]);
        assert!(!is_read || !refused_when_cut, "cut at {end} of {}", sound.len());
    }
    for at in (0..sound.len()).step_by(step(160)) {
        let mut spoiled = sound.to_vec();
        spoiled[at] ^= 1 << (at % 8);
        harmed(&spoiled);
    }
}
