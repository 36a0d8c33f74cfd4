//! What recording costs: the processor time of a program with and without the recorder, in turns, and that of closing its
//! run. The recorder is preloaded directly, so that the program and the closing are measured apart.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{Add, si, size};

/// A program to measure.
struct Program {
    compiler: &'static str,
    name: &'static str,
    arguments: &'static [&'static str],
    /// Pairs of runs. Of each kind the best counts: others on the machine only ever add.
    turns: usize,
}

/// The examples, their events and their runs.
struct Bench<'a> {
    crosscut: PathBuf,
    examples: &'a Path,
    dir: &'a Path,
}

/// Adds the rows about recording.
pub fn record(examples: &Path, dir: &Path, add: Add<'_>) -> Result<()> {
    let crosscut = std::env::current_exe()?.with_file_name("crosscut");
    let bench = Bench { crosscut, examples, dir };
    bench.fib(add)?;
    bench.share(
        "record n-queens 12, cut-off 4",
        &Program { compiler: "clang", name: "nqueens", arguments: &["12", "4"], turns: 25 },
        add,
    )?;
    bench.share(
        "record sort",
        &Program { compiler: "clang", name: "sort", arguments: &["4000000", "fixed"], turns: 9 },
        add,
    )?;
    bench.one_thread(add)?;
    bench.gcc(add)?;
    bench.memory(add)
}

impl Bench<'_> {
    /// The worst case: a task does nothing but create two more.
    fn fib(&self, add: Add<'_>) -> Result<()> {
        let program = Program { compiler: "clang", name: "fib", arguments: &["30", "0"], turns: 7 };
        let (plain, recorded) = self.turns(&program, "")?;
        let (closing, tasks, bytes) = self.close(&program, "")?;
        let each = |seconds: f64| seconds * 1e9 / tasks;
        add(
            &format!("record fib 30 without cut-off ({} tasks), inside the program", si(tasks)),
            format!("{:.0} ns a task", each(recorded - plain)),
            format!("the program takes {:.0} ns a task without", each(plain)),
        );
        // Create, begin and end of each task; every second one waits and goes on.
        let events = 3.0 * tasks + tasks;
        add(
            "events of that on disk",
            format!("{:.1} bytes an event", bytes / events),
            format!("{:.0} bytes a task, about 4 events", bytes / tasks),
        );
        add(
            "closing that run",
            format!("{:.0} ns a task", each(closing)),
            format!("{closing:.1} s of processor time"),
        );
        let (plain, folded) = self.turns(&program, "collapse")?;
        let (closing, _, bytes) = self.close(&program, "collapse")?;
        add(
            "record fib 30 with --collapse, inside the program",
            format!("{:.0} ns a task", each(folded - plain)),
            format!(
                "{:.1} bytes a task on disk, closed in {:.2} s of processor time",
                bytes / tasks,
                closing
            ),
        );
        Ok(())
    }

    /// A program with tasks of a useful size.
    fn share(&self, what: &str, program: &Program, add: Add<'_>) -> Result<()> {
        let (plain, recorded) = self.turns(program, "")?;
        add(
            what,
            format!("{:+.1} % processor time", 100.0 * (recorded / plain - 1.0)),
            format!("{:.0} ms without", plain * 1e3),
        );
        Ok(())
    }

    /// The same worst case on one thread, where nobody waits for anybody: what a task costs, recorded in full and folded.
    fn one_thread(&self, add: Add<'_>) -> Result<()> {
        for (compiler, on) in [("clang", "by clang on libomp"), ("gcc", "by GCC on libgomp")] {
            let fib = Program { compiler, name: "fib", arguments: &["30", "0"], turns: 9 };
            let kinds = [None, Some(""), Some("collapse")];
            let mut best = [f64::INFINITY; 3];
            for _ in 0..fib.turns {
                for (best, options) in best.iter_mut().zip(kinds) {
                    let mut command = options
                        .map_or_else(|| Ok(self.command(&fib)), |options| self.recording(&fib, options))?;
                    *best = best.min(cpu(command.env("OMP_NUM_THREADS", "1"))?);
                }
            }
            let (_, tasks, _) = self.close(&fib, "")?;
            let each = |seconds: f64| seconds * 1e9 / tasks;
            let [plain, full, folded] = best;
            add(
                &format!("the same fib {on}, one thread, inside the program"),
                format!(
                    "{:.0} ns a task; {:.0} ns with --collapse",
                    each(full - plain),
                    each(folded - plain)
                ),
                format!("the program takes {:.0} ns a task without", each(plain)),
            );
        }
        Ok(())
    }

    /// Programs of GCC: on their own runtime, and with LLVM's in its place.
    fn gcc(&self, add: Add<'_>) -> Result<()> {
        for (what, name, arguments) in [
            ("fib 27 without cut-off", "fib", &["27", "0"]),
            ("n-queens 11 without cut-off", "nqueens", &["11", "0"]),
            ("sort", "sort", &["4000000", "fixed"]),
        ] {
            self.beside_the_swap(what, &Program { compiler: "gcc", name, arguments, turns: 7 }, add)?;
        }
        Ok(())
    }

    /// How long a program of GCC takes when it is recorded: on its own runtime, and with LLVM's in its place.
    fn beside_the_swap(&self, what: &str, program: &Program, add: Add<'_>) -> Result<()> {
        let (mut plain, mut own, mut swapped) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let libomp = libomp();
        for _ in 0..program.turns {
            plain = plain.min(elapsed(&mut self.command(program))?);
            own = own.min(elapsed(&mut self.recording(program, "")?)?);
            if let Some(libomp) = &libomp {
                let mut command = self.recording(program, "")?;
                let recorder = self.crosscut.with_file_name("libcrosscut_record.so");
                command.env("LD_PRELOAD", format!("{}:{}", recorder.display(), libomp.display()));
                swapped = swapped.min(elapsed(command.env("OMP_TOOL", "enabled"))?);
            }
        }
        let beside = match libomp {
            Some(_) => format!("{:.2}× with libomp in place of libgomp", swapped / plain),
            None => "libomp is not installed".to_owned(),
        };
        add(
            &format!("record {what} by GCC on libgomp, two threads, run time"),
            format!("{:.2}× that without", own / plain),
            format!("{:.0} ms without; {beside}", plain * 1e3),
        );
        Ok(())
    }

    /// The recorder's own memory while it records ten million tasks.
    fn memory(&self, add: Add<'_>) -> Result<()> {
        let program = Program { compiler: "clang", name: "fib", arguments: &["33", "0"], turns: 1 };
        let plain = peak_memory(&mut self.command(&program))?;
        let recorded = peak_memory(&mut self.recording(&program, "")?)?;
        add(
            "memory of the recorder, fib 33 without cut-off (11.4 M tasks)",
            size((recorded - plain).max(0.0)),
            format!("the program has {} without", size(plain)),
        );
        Ok(())
    }

    /// Processor time of the program without and with the recorder, in turns; the best of each, in seconds.
    fn turns(&self, program: &Program, options: &str) -> Result<(f64, f64)> {
        let (mut plain, mut recorded) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..program.turns {
            plain = plain.min(cpu(&mut self.command(program))?);
            recorded = recorded.min(cpu(&mut self.recording(program, options)?)?);
        }
        Ok((plain, recorded))
    }

    fn command(&self, program: &Program) -> Command {
        let mut command = Command::new(self.examples.join(program.compiler).join(program.name));
        command.args(program.arguments).env("OMP_NUM_THREADS", "2").stdout(Stdio::null());
        command
    }

    fn recording(&self, program: &Program, options: &str) -> Result<Command> {
        let events = self.events();
        if events.exists() {
            fs::remove_dir_all(&events)?;
        }
        fs::create_dir(&events)?;
        let mut command = self.command(program);
        command
            .env("LD_PRELOAD", self.crosscut.with_file_name("libcrosscut_record.so"))
            .env("CROSSCUT_EVENTS", &events)
            .env("CROSSCUT_RECORD", options);
        Ok(command)
    }

    fn events(&self) -> PathBuf {
        self.dir.join("bench.events")
    }

    /// Records once more and closes that run: the processor time of closing, how many tasks there are, and how large the events
    /// were.
    fn close(&self, program: &Program, options: &str) -> Result<(f64, f64, f64)> {
        cpu(&mut self.recording(program, options)?)?;
        let bytes = bytes_in(&self.events())?;
        let run = self.dir.join("recorded.crosscut");
        let (mut best, mut tasks) = (f64::INFINITY, 0.0);
        for _ in 0..3 {
            let mut close = Command::new(&self.crosscut);
            close
                .arg("import")
                .arg(self.events())
                .arg("-o")
                .arg(&run)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            best = best.min(cpu(&mut close)?);
            let info = Command::new(&self.crosscut).arg("info").arg(&run).arg("--json").output()?;
            let info: Value = serde_json::from_slice(&info.stdout).context("info printed no JSON")?;
            tasks = info["tasks"]["tasks"].as_f64().context("a run without tasks")?;
            fs::remove_dir_all(&run)?;
        }
        Ok((best, tasks, bytes))
    }
}

/// Used bytes of the files of events: their last chunks are not full.
fn bytes_in(folder: &Path) -> Result<f64> {
    let mut sum = 0.0;
    for process in fs::read_dir(folder)? {
        let process = process?.path();
        if !process.is_dir() {
            continue;
        }
        for file in fs::read_dir(process)? {
            let data = fs::read(file?.path())?;
            let used = data.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            sum += used as f64;
        }
    }
    Ok(sum)
}

/// LLVM's OpenMP runtime, the newest.
fn libomp() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path().join("lib/libomp.so.5"));
    folders.filter(|file| file.is_file()).max()
}

/// Runs a command to its end; how long that took, in seconds.
fn elapsed(command: &mut Command) -> Result<f64> {
    let start = std::time::Instant::now();
    let status = command.status().with_context(|| format!("could not run {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed ({status})");
    }
    Ok(start.elapsed().as_secs_f64())
}

/// Runs a command to its end; the processor time of all its threads, in seconds.
fn cpu(command: &mut Command) -> Result<f64> {
    let child = command.spawn().with_context(|| format!("could not run {command:?}"))?;
    let mut status = 0;
    // SAFETY: plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: it fills in what we own; the child is ours and nobody else waits for it.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut usage) };
    if waited < 0 || status != 0 {
        bail!("{command:?} failed (status {status})");
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    Ok(seconds(usage.ru_utime) + seconds(usage.ru_stime))
}

/// Runs a command to its end; the most memory it had, in bytes. The kernel's own figure for an ended child begins with the
/// memory of the process that started it, so this one is looked at while it runs.
fn peak_memory(command: &mut Command) -> Result<f64> {
    let mut child = command.spawn().with_context(|| format!("could not run {command:?}"))?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak: f64 = 0.0;
    while child.try_wait()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        peak = peak.max(kib.unwrap_or(0.0) * 1024.0);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Ok(peak)
}
