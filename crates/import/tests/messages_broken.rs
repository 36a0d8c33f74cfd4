//! Damaged traces: an error with file and byte, or a run that is labelled partial. Never a panic, never a run that looks whole
//! and is not.

use crate::traces;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crosscut_import::{ImportError, Options, Quiet, import};
use crosscut_messages::Messages;
use crosscut_run::Run;

fn read(folder: &Path) -> Result<Run, ImportError> {
    let out = tempfile::tempdir().unwrap();
    import(folder, &out.path().join("out.crosscut"), &Options::default(), &Quiet)
}

/// The summary of a run that may be partial: messages, unmatched, the label.
fn summary(folder: &Path) -> Result<(u64, u64, Option<String>), ImportError> {
    let out = tempfile::tempdir().unwrap();
    let run = import(folder, &out.path().join("out.crosscut"), &Options::default(), &Quiet)?;
    let label = run.manifest().partial.clone();
    let messages = Messages::open(Arc::new(run)).unwrap();
    Ok((messages.summary().messages, messages.summary().unmatched, label))
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

#[test]
fn a_file_that_ends_early_makes_a_partial_run() {
    let folder = traces::unpacked("dumpi", "bswap8");
    let file = &files(folder.path(), "bin")[3];
    let bytes = fs::read(file).unwrap();
    // Within the records, of which the first are short: the whole file behind them is gone, the index too.
    for length in [16, 17, 40, 100, 300, 500, 600] {
        fs::write(file, &bytes[..length]).unwrap();
        let (messages, _, label) = summary(folder.path()).unwrap();
        assert!(messages < 24, "{length}");
        let label = label.unwrap();
        assert!(label.contains("-0003.bin ends at byte"), "{label}");
        assert!(label.contains("rank 3"), "{label}");
    }
    // Behind them: nothing that it did is missing, but the file is not whole.
    fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
    let (messages, unmatched, label) = summary(folder.path()).unwrap();
    assert_eq!((messages, unmatched), (24, 0));
    assert!(label.unwrap().contains("behind its last record: its tables are missing"));
    for length in [0, 1, 8, 15] {
        fs::write(file, &bytes[..length]).unwrap();
        let error = read(folder.path()).unwrap_err();
        assert_eq!(error.path(), Some(file.as_path()));
    }
}

#[test]
fn a_missing_rank_makes_a_partial_run() {
    let folder = traces::unpacked("dumpi", "bswap8");
    fs::remove_file(&files(folder.path(), "bin")[5]).unwrap();
    let (messages, unmatched, label) = summary(folder.path()).unwrap();
    assert_eq!(label.as_deref(), Some("no file of rank 5"));
    // Three stages: rank 5 sends and receives once in each.
    assert_eq!((messages, unmatched), (24 - 6, 6));
}

#[test]
fn files_that_are_mixed_up_are_refused() {
    let folder = traces::unpacked("dumpi", "bswap8");
    let bins = files(folder.path(), "bin");
    // Two ranks under each other's names.
    let (a, b) = (fs::read(&bins[1]).unwrap(), fs::read(&bins[2]).unwrap());
    fs::write(&bins[1], &b).unwrap();
    fs::write(&bins[2], &a).unwrap();
    let error = read(folder.path()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("rank 1") && text.contains("rank 2"), "{text}");
    assert!(error.offset().is_some_and(|offset| offset > 8), "{text}");
    // A rank of another run.
    fs::write(&bins[1], &a).unwrap();
    let other = traces::unpacked("dumpi", "coll16");
    fs::write(&bins[2], fs::read(&files(other.path(), "bin")[2]).unwrap()).unwrap();
    let text = read(folder.path()).unwrap_err().to_string();
    assert!(text.contains("not of one run"), "{text}");
    // Two runs in one folder.
    fs::write(&bins[2], &b).unwrap();
    fs::copy(&files(other.path(), "bin")[0], folder.path().join("other-0000.bin")).unwrap();
    let text = read(folder.path()).unwrap_err().to_string();
    assert!(text.contains("several traces"), "{text}");
}

#[test]
fn a_flipped_bit_is_an_error_or_a_sound_run() {
    let folder = traces::unpacked("dumpi", "bswap8");
    let file = &files(folder.path(), "bin")[0];
    let whole = fs::read(file).unwrap();
    let (mut errors, mut partial) = (0, 0);
    // The records, header, footer and index, a bit of every 23rd byte.
    for at in (0..whole.len()).step_by(23) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(file, &bytes).unwrap();
        match summary(folder.path()) {
            Ok((messages, _, label)) => {
                assert!(messages <= 24, "byte {at}");
                partial += usize::from(label.is_some());
            }
            Err(error) => {
                errors += 1;
                assert_eq!(error.path(), Some(file.as_path()), "byte {at}: {error}");
                assert!(error.offset().is_some(), "byte {at}: {error}");
            }
        }
    }
    assert!(errors > 3 && partial > 3, "{errors} errors, {partial} partial runs");
}

#[test]
fn a_location_of_another_archive_makes_a_partial_run() {
    let (folder, other) = (traces::unpacked("otf2", "bswap16"), traces::unpacked("otf2", "coll16"));
    let of = |folder: &Path| files(folder, "evt").into_iter().find(|path| path.ends_with("4.evt")).unwrap();
    fs::copy(of(other.path()), of(folder.path())).unwrap();
    let (_, unmatched, label) = summary(folder.path()).unwrap();
    let label = label.unwrap();
    assert!(unmatched > 0 && label.starts_with("the ranks contradict each other"), "{label}");
}

#[test]
fn times_that_go_back_make_a_partial_run() {
    let folder = traces::unpacked("otf2", "bswap16");
    let file = files(folder.path(), "evt").into_iter().find(|path| path.ends_with("5.evt")).unwrap();
    let whole = fs::read(&file).unwrap();
    let mut told = 0;
    for at in (0..whole.len()).step_by(29) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&file, &bytes).unwrap();
        if let Ok((_, _, Some(label))) = summary(folder.path()) {
            told += usize::from(label.contains("5.evt: ") && label.contains("time before the one before"));
        }
    }
    assert!(told > 0, "{told}");
}

#[test]
fn an_archive_that_is_cut_short_is_partial_or_an_error() {
    let folder = traces::unpacked("otf2", "bswap16");
    let file = files(folder.path(), "evt").into_iter().find(|path| path.ends_with("5.evt")).unwrap();
    let bytes = fs::read(&file).unwrap();
    for length in [0, 10, 18, 19, 40, 200, bytes.len() - 2] {
        fs::write(&file, &bytes[..length]).unwrap();
        let (messages, _, label) = summary(folder.path()).unwrap();
        let label = label.unwrap();
        assert!(messages <= 64 && label.contains("5.evt ends at byte"), "{length}: {label}");
    }
    fs::remove_file(&file).unwrap();
    let (messages, unmatched, label) = summary(folder.path()).unwrap();
    assert!(label.unwrap().contains("5.evt"));
    assert_eq!((messages, unmatched), (64 - 8, 8));
    fs::write(&file, &bytes).unwrap();
    for name in ["traces.def", "traces.otf2"] {
        let file = files(folder.path(), name.rsplit('.').next().unwrap());
        let file = file.iter().find(|path| path.ends_with(name)).unwrap();
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
        let error = read(folder.path()).unwrap_err();
        assert_eq!(error.path(), Some(file.as_path()), "{error}");
        fs::write(file, &bytes).unwrap();
    }
}

#[test]
fn a_flipped_bit_of_an_archive_is_an_error_or_a_sound_run() {
    let folder = traces::unpacked("otf2", "bswap16");
    let mut errors = 0;
    for (ending, name) in [("evt", "0.evt"), ("def", "traces.def"), ("otf2", "traces.otf2")] {
        let file = files(folder.path(), ending).into_iter().find(|path| path.ends_with(name)).unwrap();
        let whole = fs::read(&file).unwrap();
        for at in (0..whole.len()).step_by(37) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&file, &bytes).unwrap();
            match summary(folder.path()) {
                Ok((messages, ..)) => assert!(messages <= 64, "{name}: byte {at}"),
                Err(error) => {
                    errors += 1;
                    assert!(error.path().is_some() || !error.to_string().is_empty(), "{name}: byte {at}");
                }
            }
        }
        fs::write(&file, &whole).unwrap();
    }
    assert!(errors > 3, "{errors} errors");
}
