//! Programs that are killed while they are recorded: whatever a thread had stored is in the run.

use crate::common;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{crosscut, events_in, example, info, with_threads};
use crosscut_chance::Chance;
use tempfile::TempDir;

/// `killable` under `crosscut record`, with its file of counters.
struct Killable {
    folder: TempDir,
    record: Child,
    /// The program itself.
    program: u32,
}

impl Killable {
    /// Starts it and waits until it has created tasks.
    fn start(compiler: &str, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = crosscut(folder.path());
        command.args(["record", "-o", "run.crosscut"]).args(options).arg("--");
        command.arg(example(compiler, "killable")).arg(folder.path().join("counters"));
        with_threads(&mut command, 2).stdout(Stdio::null()).stderr(Stdio::piped());
        let record = command.spawn().unwrap();
        let mut killable = Killable { folder, record, program: 0 };
        let start = Instant::now();
        while killable.created() == 0 {
            assert!(start.elapsed() < Duration::from_secs(30), "it does not create tasks");
            assert!(killable.record.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(Duration::from_millis(1));
        }
        killable.program = child_of(killable.record.id()).expect("crosscut record has no child");
        killable
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self) -> PathBuf {
        self.path().join("run.crosscut")
    }

    /// Tasks whose creation has returned.
    fn created(&self) -> u64 {
        let bytes = fs::read(self.path().join("counters")).unwrap_or_default();
        let line = |at: usize| bytes.get(at..at + 8).map_or(0, |b| u64::from_ne_bytes(b.try_into().unwrap()));
        line(0) + line(64)
    }

    fn kill(&self, process: u32) {
        // SAFETY: a plain system call. The process is our child, or a child of one that waits for it.
        assert_eq!(unsafe { libc::kill(process as i32, libc::SIGKILL) }, 0);
    }

    /// Waits for `crosscut record`; returns what it said.
    fn wait(self) -> (TempDir, std::process::ExitStatus, String, u64) {
        let output = self.record.wait_with_output().unwrap();
        let counters = self.folder.path().join("counters");
        let bytes = fs::read(counters).unwrap();
        let line = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
        (self.folder, output.status, String::from_utf8(output.stderr).unwrap(), line(0) + line(64))
    }
}

fn child_of(parent: u32) -> Option<u32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.find(|number| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        // "NUMBER (NAME) STATE PARENT …"; the name may hold anything.
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        after.split_whitespace().nth(1).and_then(|text| text.parse().ok()) == Some(parent)
    })
}

/// One program that is killed after so many milliseconds. Says what is wrong.
fn killed(compiler: &str, options: &[&str], seed: u64) -> Result<i64, String> {
    let wait = 5 + Chance::new(seed).below(56);
    let killable = Killable::start(compiler, options);
    std::thread::sleep(Duration::from_millis(wait));
    killable.kill(killable.program);
    let (folder, status, errors, created) = killable.wait();
    let what = format!("seed {seed}, killed after {wait} ms, {created} created: {errors}");
    if status.signal() != Some(libc::SIGKILL) {
        return Err(format!("{what}: {status}"));
    }
    let run = folder.path().join("run.crosscut");
    if !run.exists() {
        return Err(format!("{what}: no run"));
    }
    let info = info(&run);
    if !info.is_partial() {
        return Err(format!("{what}: not partial"));
    }
    let tasks = info.number("tasks");
    if (tasks as u64) < created {
        return Err(format!("{what}: only {tasks} tasks"));
    }
    // Two threads, one more each.
    if tasks as u64 > created + 2 {
        return Err(format!("{what}: {tasks} tasks"));
    }
    if !events_in(folder.path()).is_empty() {
        return Err(format!("{what}: the events are still there"));
    }
    Ok(tasks)
}

fn all_killed(compiler: &str, options: &[&str], seeds: std::ops::Range<u64>) {
    println!("seeds {seeds:?}, {compiler} {options:?}");
    let count = seeds.end - seeds.start;
    let mut most = 0;
    let wrong: Vec<String> = seeds
        .filter_map(|seed| match killed(compiler, options, seed) {
            Ok(tasks) => {
                most = most.max(tasks);
                None
            }
            Err(what) => Some(what),
        })
        .collect();
    println!("up to {most} tasks");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nothing_is_lost_of_a_killed_program() {
    all_killed("clang", &[], 0..150);
}

#[test]
fn nothing_is_lost_of_a_killed_program_of_gcc() {
    all_killed("gcc", &[], 1000..1050);
}

#[test]
fn nothing_is_lost_of_a_killed_program_that_was_folded() {
    all_killed("clang", &["--collapse"], 2000..2050);
}

#[test]
fn events_that_nobody_closed_can_be_imported() {
    for seed in 3000..3010 {
        let wait = 5 + Chance::new(seed).below(56);
        let killable = Killable::start("clang", &[]);
        std::thread::sleep(Duration::from_millis(wait));
        killable.kill(killable.record.id());
        killable.kill(killable.program);
        let run = killable.run();
        let (folder, _, errors, _) = killable.wait();
        assert!(!run.exists(), "{errors}");
        let events = events_in(folder.path());
        assert_eq!(events.len(), 1);
        // The program is no child of ours: its last stores may be a moment away.
        std::thread::sleep(Duration::from_millis(200));
        let counters = fs::read(folder.path().join("counters")).unwrap();
        let line = |at: usize| u64::from_ne_bytes(counters[at..at + 8].try_into().unwrap());
        let created = line(0) + line(64);
        let output = crosscut(folder.path())
            .arg("import")
            .arg(&events[0])
            .args(["-o", "run.crosscut"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let info = info(&run);
        assert!(info.is_partial(), "{}", info.text());
        let tasks = info.number("tasks") as u64;
        assert!((created..=created + 2).contains(&tasks), "seed {seed}: {tasks} tasks, {created} created");
        assert_eq!(events_in(folder.path()).len(), 1, "importing leaves the events alone");
    }
}
