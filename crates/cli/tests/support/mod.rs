//! The built command and a folder to use it in.
#![allow(dead_code)] // not every test file uses all of it

pub mod grain;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Runs it.
pub fn crosscut(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crosscut")).current_dir(folder).args(args).output().unwrap()
}

/// Runs it and expects that all is well and nobody complains.
pub fn ok(folder: &Path, args: &[&str]) -> String {
    let output = crosscut(folder, args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    assert_eq!(errors, "", "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs it and expects an error in the one form; returns it.
pub fn fails(folder: &Path, args: &[&str]) -> String {
    let output = crosscut(folder, args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{args:?}");
    assert!(errors.starts_with("crosscut: "), "{args:?}: {errors}");
    assert!(!errors.contains("panicked") && !errors.contains("backtrace"), "{args:?}: {errors}");
    errors
}

/// A folder that goes when it is dropped.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// What is in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A recorded DAG.
pub fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/dag/sort_mth4.dag")
}
