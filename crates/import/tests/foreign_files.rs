//! Folders from strangers: what lies there or is linked to is no plain file. It is passed over or refused at once: opening a pipe
//! would wait for ever, a file of the kernel would fill the memory.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use crosscut_import::{Options, Quiet, import};

/// Longer than any answer takes, shorter than for ever.
const PATIENCE: Duration = Duration::from_secs(60);

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

fn pipe(at: &Path) {
    assert!(Command::new("mkfifo").arg(at).status().unwrap().success());
}

/// What is said of it.
fn said(path: &Path) -> String {
    let (done, wait) = mpsc::channel();
    let path = path.to_owned();
    std::thread::spawn(move || {
        let out = tempfile::tempdir().unwrap();
        let read = import(&path, &out.path().join("out.crosscut"), &Options::default(), &Quiet);
        let _ = done.send(read.map_or_else(|error| error.to_string(), |_| "read".to_owned()));
    });
    wait.recv_timeout(PATIENCE).expect("it waits for ever")
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

#[test]
fn a_description_that_is_the_map_of_our_memory() {
    let folder = tempfile::tempdir().unwrap();
    symlink("/proc/self/pagemap", folder.path().join("a.meta")).unwrap();
    symlink("/proc/self/mem", folder.path().join("a-0000.bin")).unwrap();
    // As if there were nothing.
    let empty = tempfile::tempdir().unwrap();
    let name = |folder: &Path| said(folder).replace(&folder.display().to_string(), "F");
    assert_eq!(name(folder.path()), name(empty.path()));
    assert!(said(&folder.path().join("a.meta")).contains("a.meta"));
}

#[test]
fn ranks_beside_it_that_are_pipes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.meta"), "numprocs=1\nfileprefix=a\n").unwrap();
    pipe(&folder.path().join("a-0000.bin"));
    let said = said(&folder.path().join("a.meta"));
    assert!(said.contains("a-0000.bin: not a plain file"), "{said}");
}

#[test]
fn values_beside_it_that_are_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    copy(&fixture("profiles/hpctoolkit4"), folder.path());
    assert_eq!(said(folder.path()), "read");
    fs::remove_file(folder.path().join("profile.db")).unwrap();
    pipe(&folder.path().join("profile.db"));
    let said = said(folder.path());
    assert!(said.contains("profile.db: not a plain file"), "{said}");
}

#[test]
fn a_folder_of_pipes_around_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(fixture("profiles/gmon.out"), folder.path().join("gmon.out")).unwrap();
    pipe(&folder.path().join("program"));
    symlink("/proc/self/mem", folder.path().join("other")).unwrap();
    assert_eq!(said(&folder.path().join("gmon.out")), "read");
}

#[test]
fn a_file_that_is_hardly_there() {
    let folder = tempfile::tempdir().unwrap();
    copy(&fixture("profiles/hpctoolkit4"), folder.path());
    // As long as no machine's memory, on a few kilobytes of disk.
    let values = fs::File::options().write(true).open(folder.path().join("profile.db")).unwrap();
    values.set_len(1 << 40).unwrap();
    let said = said(folder.path());
    assert!(said.contains("profile.db") && said.contains("nearly nothing of the file is on disk"), "{said}");
}
