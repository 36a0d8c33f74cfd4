//! A run appears whole or not at all: whatever happens before the end, its name stays free and nothing is left behind.

mod made;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Barrier;

use crosscut_run::{Run, RunError, RunWriter};
use made::{fresh_dir, names};

/// Set in a child process: the run to begin and never to finish.
const CHILD: &str = "CROSSCUT_TEST_UNFINISHED_RUN";

#[test]
fn a_finished_run_is_all_there_is() {
    let dir = fresh_dir();
    let run = made::write(&dir.path().join("a/b/whole.crosscut"));
    assert_eq!(names(&dir.path().join("a/b")), ["whole.crosscut"]);
    assert_eq!(run.name(), "whole");
    assert_eq!(run.check(), []);
    let again = Run::open(run.path()).expect("a run");
    assert_eq!(again.manifest(), run.manifest());
}

#[test]
fn a_dropped_writer_leaves_nothing() {
    let dir = fresh_dir();
    let mut run = RunWriter::create(&dir.path().join("dropped.crosscut")).expect("a new run");
    made::fill(&mut run);
    assert_eq!(names(dir.path()).len(), 1);
    drop(run);
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
fn a_name_that_exists_is_refused() {
    let dir = fresh_dir();
    let file = dir.path().join("file.crosscut");
    std::fs::write(&file, "mine").expect("written");
    let empty = dir.path().join("empty.crosscut");
    std::fs::create_dir(&empty).expect("made");
    let run = dir.path().join("run.crosscut");
    made::write(&run);
    let before = names(dir.path());
    for path in [&file, &empty, &run] {
        let error = RunWriter::create(path).expect_err("exists");
        assert!(matches!(error, RunError::Exists { .. }), "{error}");
        assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
    }
    assert_eq!(names(dir.path()), before);
    assert_eq!(std::fs::read(&file).expect("still there"), b"mine");
    assert_eq!(Run::open(&run).expect("still there").check(), []);
}

#[test]
fn a_name_that_is_none_is_refused() {
    for path in ["/", "..", ""] {
        assert!(RunWriter::create(Path::new(path)).is_err(), "{path:?}");
    }
}

/// Many writers of one name, all at work at the same time: one run comes out, whole, and the others say that it exists.
#[test]
fn of_writers_to_one_name_one_wins() {
    const WRITERS: usize = 8;
    let dir = fresh_dir();
    let target = dir.path().join("one.crosscut");
    let (begun, filled) = (Barrier::new(WRITERS), Barrier::new(WRITERS));
    let results: Vec<Result<usize, RunError>> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|who| {
                let (target, begun, filled) = (&target, &begun, &filled);
                scope.spawn(move || {
                    let mut run = RunWriter::create(target).expect("the name is free");
                    begun.wait();
                    made::fill(&mut run);
                    run.put_slice("who", &[who as i64]).expect("a column");
                    filled.wait();
                    run.finish().map(|_| who)
                })
            })
            .collect();
        writers.into_iter().map(|w| w.join().expect("no panic")).collect()
    });
    let won: Vec<usize> = results.iter().filter_map(|r| r.as_ref().ok().copied()).collect();
    assert_eq!(won.len(), 1, "{results:?}");
    for error in results.into_iter().filter_map(Result::err) {
        assert!(matches!(error, RunError::Exists { .. }), "{error}");
    }
    let run = Run::open(&target).expect("a run");
    assert_eq!(run.check(), []);
    assert_eq!(run.column::<i64>("who").expect("a column")[..], [won[0] as i64]);
    assert_eq!(names(dir.path()), ["one.crosscut"]);
}

/// The child's part of the next test; does nothing when it is run as a test.
#[test]
fn unfinished() {
    let Ok(target) = std::env::var(CHILD) else { return };
    let mut run = RunWriter::create(&PathBuf::from(target)).expect("a new run");
    made::fill(&mut run);
    println!("\nfilled");
    std::thread::sleep(std::time::Duration::from_secs(60));
}

#[test]
fn a_killed_writer_leaves_no_run() {
    let dir = fresh_dir();
    let target = dir.path().join("killed.crosscut");
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "unfinished", "--nocapture"])
        .env(CHILD, &target)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a child");
    let mut out = BufReader::new(child.stdout.take().expect("its output"));
    let mut line = String::new();
    while line.trim() != "filled" {
        line.clear();
        assert_ne!(out.read_line(&mut line).expect("a line"), 0, "the child ended early");
    }
    child.kill().expect("killed"); // SIGKILL
    child.wait().expect("gone");
    let _ = out.read_to_string(&mut line);
    assert!(!target.exists());
    assert!(Run::open(&target).is_err());
    // Its rest does not stand in the way of the next, nor is it mistaken for a run.
    for rest in names(dir.path()) {
        assert!(Run::open(&dir.path().join(&rest)).is_err(), "{rest}");
    }
    assert_eq!(made::write(&target).check(), []);
}
