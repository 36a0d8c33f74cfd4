//! Programs under limits, with descriptors closed under the recorder, a cleared environment, children without `exec`, and
//! thousands of threads: each prints and ends as it does alone, and where the recording had to end, that is said.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{COMPILERS, Info, crosscut, events_in, info, with_threads};
use tempfile::TempDir;

/// `limits.c`, built by a compiler.
struct Program {
    folder: TempDir,
    compiler: &'static str,
}

/// A run of it.
struct Recorded {
    run: PathBuf,
    said: String,
    folder: TempDir,
    what: String,
}

/// Two that sleep when they wait: of thousands that spin for a moment each, a small machine would be busy for minutes.
fn two_threads(command: &mut Command) -> &mut Command {
    with_threads(command, 2).env("OMP_WAIT_POLICY", "passive")
}

impl Program {
    fn build(compiler: &'static str) -> Program {
        let folder = tempfile::tempdir().unwrap();
        let command = if compiler == "clang" { "clang-19" } else { compiler };
        let output = Command::new(command)
            .args(["-g", "-O2", "-fopenmp", "-pthread", "limits.c", "-o"])
            .arg(folder.path().join("limits"))
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/limits"))
            .output()
            .unwrap_or_else(|error| panic!("{command}: {error}; `cargo xtask doctor` says what is missing"));
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        Program { folder, compiler }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("limits")
    }

    fn alone(&self, folder: &Path, arguments: &str) -> Output {
        let mut command = Command::new(self.path());
        two_threads(command.args(arguments.split(' ')).current_dir(folder)).output().unwrap()
    }

    /// Records it, which must print and end as it does alone.
    fn record(&self, options: &[&str], arguments: &str) -> Recorded {
        let folder = tempfile::tempdir().unwrap();
        let plain = self.alone(folder.path(), arguments);
        assert_eq!(plain.status.code(), Some(3), "{}: {arguments}: {plain:?}", self.compiler);
        let mut command = crosscut(folder.path());
        command.args(["record", "-o", "run.crosscut"]).args(options).arg("--").arg(self.path());
        let output = two_threads(command.args(arguments.split(' '))).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let what = format!("{}: {arguments}: {said}", self.compiler);
        assert_eq!(String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&plain.stdout), "{what}");
        assert_eq!(output.status, plain.status, "{what}");
        assert!(!said.contains("panicked"), "{what}");
        let keeps = options.contains(&"--keep-events");
        assert_eq!(events_in(folder.path()).len(), usize::from(keeps), "{what}");
        Recorded { run: folder.path().join("run.crosscut"), said, folder, what }
    }
}

impl Recorded {
    fn info(&self) -> Info {
        info(&self.run)
    }

    /// The recording ended before the program, which is said here and in the run.
    fn ended_early(&self, why: &str) {
        let run = crosscut_run::Run::open(&self.run).unwrap();
        let partial = run.manifest().partial.clone().unwrap_or_default();
        for text in [&self.said, &partial] {
            assert!(text.contains("the recording ended"), "{}{text}", self.what);
            assert!(text.contains("the program went on") && text.contains(why), "{}{text}", self.what);
        }
    }

    fn is_whole(&self, tasks: i64) -> Info {
        let info = self.info();
        assert!(!info.is_partial(), "{}{}", self.what, info.text());
        assert_eq!(info.number("tasks"), tasks, "{}", self.what);
        info
    }
}

#[test]
fn a_limit_on_the_size_of_files() {
    for compiler in COMPILERS {
        let program = Program::build(compiler);
        // Room for the first window and some more.
        program.record(&[], "file-size 150000").ended_early("File too large");
        program.record(&["--collapse-count", "2"], "file-size 100000").ended_early("File too large");
        program.record(&["--quiet"], "file-size 150000").ended_early("ulimit -f");
        // For the text about the process at most. (libomp makes a file itself, and dies of its own below a kilobyte.)
        let sizes = ["0", "100", "2000", "3000", "30000"];
        for size in &sizes[if compiler == "clang" { 2 } else { 0 }..] {
            let recorded = program.record(&[], &format!("file-size {size}"));
            assert!(!recorded.run.exists(), "{}", recorded.what);
            assert!(recorded.said.contains("nothing was recorded: the recording ended"), "{}", recorded.what);
            assert!(recorded.said.contains("File too large"), "{}", recorded.what);
        }
    }
}

#[test]
fn the_same_limit_on_us() {
    for compiler in COMPILERS {
        let program = Program::build(compiler);
        let folder = tempfile::tempdir().unwrap();
        // In blocks of 512 bytes (POSIX) or 1024 (bash). The events do not fit, then the run does not.
        for blocks in ["300", "40", "0"] {
            let mut command = Command::new("sh");
            command
                .args(["-c", "ulimit -f \"$0\" && exec \"$@\"", blocks])
                .arg(crosscut(folder.path()).get_program());
            command.env("CROSSCUT_RECORDER", common::recorder()).current_dir(folder.path());
            command.args(["record", "-o", "run.crosscut", "--"]).arg(program.path()).args(["work", "200000"]);
            let output = with_threads(&mut command, 2).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let what = format!("{compiler}, {blocks} blocks: {said}");
            // Not by a signal; with the program's own code, or ours when nothing could be begun.
            match output.status.code() {
                Some(3) => {
                    assert_eq!(String::from_utf8_lossy(&output.stdout), "total 19999900000\n", "{what}")
                }
                code => assert_eq!((code, blocks), (Some(2), "0"), "{what}"),
            }
            assert!(said.contains("File too large"), "{what}");
            let _ = std::fs::remove_dir_all(folder.path().join("run.crosscut"));
        }
    }
}

#[test]
fn a_limit_on_descriptors() {
    for compiler in COMPILERS {
        let program = Program::build(compiler);
        // It counts how many it can open: as many as without the recorder. While it has all of them, no event can leave.
        program.record(&[], "descriptors 20").ended_early("Too many open files");
        program.record(&[], "descriptors 64").ended_early("ulimit -n");
    }
}

#[test]
fn a_limit_on_memory() {
    for compiler in COMPILERS {
        let program = Program::build(compiler);
        program.record(&[], "memory").ended_early("Cannot allocate memory");
        program.record(&["--collapse"], "memory").ended_early("ulimit -v");
    }
}

#[test]
fn threads_that_come_and_go() {
    for compiler in COMPILERS {
        let program = Program::build(compiler);
        // Four at a time, and two lanes each. That many files, not thousands.
        let recorded = program.record(&["--keep-events"], "threads 10000");
        let workers = recorded.is_whole(0).number("workers");
        assert!(workers <= 24, "{}{workers} workers", recorded.what);
        let program_folder = std::fs::read_dir(&events_in(recorded.folder.path())[0]).unwrap();
        let files: usize = program_folder
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_dir())
            .map(|path| std::fs::read_dir(path).unwrap().count())
            .sum();
        assert!(files <= 26, "{}{files} files", recorded.what);
    }
}

#[test]
fn an_environment_that_is_cleared() {
    for compiler in COMPILERS {
        Program::build(compiler).record(&[], "clearenv").is_whole(1000);
    }
}

#[test]
fn descriptors_that_are_closed_and_used_again() {
    for compiler in COMPILERS {
        let program = Program::build(compiler);
        // The program looks at its own files itself.
        program.record(&[], "closed").is_whole(201_000);
        program.record(&["--counters", "task-clock"], "closed").is_whole(201_000);
    }
}

#[test]
fn a_child_that_goes_on_alone() {
    for compiler in COMPILERS {
        // What the child does is not in the run, and nothing of it is in the parent's files.
        Program::build(compiler).record(&[], "fork").is_whole(2000);
    }
}
