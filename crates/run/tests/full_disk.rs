//! A disk that is full, played by a limit on the size of files in a child process: an error with the file's name, not a
//! signal, and nothing left behind.

mod made;

use std::path::{Path, PathBuf};
use std::process::Command;

use crosscut_run::{RunError, RunWriter};
use made::{fresh_dir, names};

/// Set in a child process: where to try.
const CHILD: &str = "CROSSCUT_TEST_SMALL_DISK";

/// The child's part of the next test; does nothing when it is run as a test.
#[test]
fn on_a_small_disk() {
    let Ok(dir) = std::env::var(CHILD) else { return };
    let dir = PathBuf::from(dir);
    let limit = libc::rlimit { rlim_cur: 64 << 10, rlim_max: 64 << 10 };
    // SAFETY: plain system calls in a process that does nothing else.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
    let target = dir.join("full.crosscut");
    let mut run = RunWriter::create(&target).expect("a new run");
    run.put_slice("small", &[1u8; 100]).expect("fits");
    let error = run.column::<i64>("large", 1 << 20).expect_err("does not fit");
    assert!(matches!(&error, RunError::Io { path, .. } if path.ends_with("large.arrow")), "{error}");
    assert!(error.to_string().contains("large.arrow"), "{error}");
    // A column whose values fit, but not what follows them.
    let values = vec![7u8; (64 << 10) - 1024];
    let error = run.put_slice("tail", &values).expect_err("does not fit");
    assert!(error.to_string().contains("tail.arrow"), "{error}");
    drop(run);
    assert!(!target.exists());
}

#[test]
fn a_full_disk_is_an_error() {
    let dir = fresh_dir();
    let status = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "on_a_small_disk", "--nocapture"])
        .env(CHILD, dir.path())
        .status()
        .expect("a child");
    assert!(status.success(), "{status}");
    assert_eq!(names(dir.path()), [""; 0]);
}

/// More than any disk has, and more than a size can say.
#[test]
fn absurd_columns_are_refused() {
    let dir = fresh_dir();
    let run = RunWriter::create(&dir.path().join("absurd.crosscut")).expect("a new run");
    for (k, rows) in [1usize << 56, usize::MAX / 8, usize::MAX / 4, usize::MAX].into_iter().enumerate() {
        let error = run.column::<i64>(&format!("c{k}"), rows).expect_err("absurd");
        assert!(error.to_string().contains(&format!("c{k}.arrow")), "{error}");
    }
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let missing = Path::new("/proc/nowhere/run.crosscut");
    let error = RunWriter::create(missing).expect_err("no such place").to_string();
    assert!(error.contains("/proc/nowhere"), "{error}");
}
