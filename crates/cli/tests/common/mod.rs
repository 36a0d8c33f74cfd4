//! The examples, the recorder, and what `crosscut record` makes of one with the other.
#![allow(dead_code)] // not every test file uses all of it

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crosscut_run::Run;
use crosscut_tasks::Tasks;
use serde_json::Value;
use tempfile::TempDir;

/// Both build all examples in C.
pub const COMPILERS: [&str; 2] = ["clang", "gcc"];

fn variable(name: &str) -> PathBuf {
    match std::env::var_os(name) {
        Some(value) => value.into(),
        None => panic!("{name} is not set: run `cargo xtask test rust`"),
    }
}

/// The recorder that goes with the command.
pub fn recorder() -> PathBuf {
    variable("CROSSCUT_RECORDER")
}

/// A program that `cargo xtask examples` has built.
pub fn example(compiler: &str, name: &str) -> PathBuf {
    let program = variable("CROSSCUT_EXAMPLES").join(compiler).join(name);
    assert!(program.is_file(), "{} is not there: run `cargo xtask test rust`", program.display());
    program
}

/// The source of an example.
pub fn source(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)).unwrap()
}

/// The command.
pub fn crosscut(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crosscut"));
    command.current_dir(folder).stdin(Stdio::null()).env("CROSSCUT_RECORDER", recorder());
    command.env_remove("LD_PRELOAD").env_remove("CROSSCUT_EVENTS").env_remove("CROSSCUT_RECORD");
    command
}

/// Sets how many workers a program has.
pub fn with_threads(command: &mut Command, threads: usize) -> &mut Command {
    let threads = threads.to_string();
    command.env("OMP_NUM_THREADS", &threads).env("RAYON_NUM_THREADS", &threads).env_remove("OMP_DYNAMIC")
}

/// A program with its arguments: `clang fib 27 8`.
pub fn words(line: &str) -> (PathBuf, Vec<&str>) {
    let mut words = line.split(' ');
    let program = example(words.next().unwrap(), words.next().unwrap());
    (program, words.collect())
}

/// Runs a program alone.
pub fn alone(line: &str, threads: usize) -> Output {
    let (program, arguments) = words(line);
    let mut command = Command::new(program);
    with_threads(command.args(arguments), threads).output().unwrap()
}

/// A recorded program.
pub struct Recorded {
    pub folder: TempDir,
    pub output: Output,
    pub stdout: String,
    pub stderr: String,
}

/// Records a program: `record(&["--collapse"], "clang fib 27 8", 2)`.
pub fn record(options: &[&str], line: &str, threads: usize) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let (program, arguments) = words(line);
    let mut command = crosscut(folder.path());
    command.args(["record", "-o", "run.crosscut"]).args(options).arg("--").arg(program).args(arguments);
    let output = with_threads(&mut command, threads).output().unwrap();
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(!stderr.contains("panicked"), "{line}: {stderr}");
    Recorded { folder, output, stdout, stderr }
}

impl Recorded {
    pub fn run(&self) -> PathBuf {
        self.folder.path().join("run.crosscut")
    }

    pub fn info(&self) -> Info {
        info(&self.run())
    }

    pub fn tasks(&self) -> Tasks {
        Tasks::open(Run::open(&self.run()).unwrap()).unwrap()
    }

    /// Expects that the program and the recording ended well.
    pub fn well(self) -> Self {
        assert_eq!(self.output.status.code(), Some(0), "{}{}", self.stdout, self.stderr);
        self
    }
}

/// What `crosscut info --json --check` says.
pub struct Info(Value);

pub fn info(run: &Path) -> Info {
    let output =
        crosscut(run.parent().unwrap()).args(["info", "--json", "--check"]).arg(run).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Info(serde_json::from_slice(&output.stdout).unwrap())
}

impl Info {
    /// A number about the tasks.
    pub fn number(&self, key: &str) -> i64 {
        self.0["tasks"][key].as_i64().unwrap_or_else(|| panic!("no {key} in {}", self.0))
    }

    pub fn is_partial(&self) -> bool {
        self.0["partial"].as_bool().unwrap()
    }

    pub fn text(&self) -> String {
        self.0.to_string()
    }

    /// What stays when the same events are read again.
    pub fn totals(&self) -> Value {
        let mut tasks = self.0["tasks"].clone();
        // Times are in nanoseconds, and how long a tick is becomes known better and better.
        for key in ["elapsed_ns", "work_ns", "span_ns", "delay_ns", "no_work_ns"] {
            tasks[key] = Value::Null;
        }
        tasks
    }
}

/// The number behind a word: `tasks 510`.
pub fn number_after(text: &str, word: &str) -> Option<i64> {
    let mut words = text.split([' ', ',', '\n']).filter(|word| !word.is_empty());
    words.find(|found| *found == word)?;
    words.next()?.parse().ok()
}

/// Folders of events in a folder.
pub fn events_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.contains(".events")))
        .collect()
}
