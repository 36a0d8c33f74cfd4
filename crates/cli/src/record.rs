//! `crosscut record`: runs a program with the recorder inside it, then makes a run of what was recorded. The program has
//! the terminal, standard input and standard output to itself, and its exit code becomes ours.

mod child;
mod preload;
mod program;
mod rank;
mod swap;
mod together;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use crosscut_close::{CloseError, Closed, Exit};
use crosscut_events::MAX_COUNTERS;
use crosscut_run::{Clock, RunError};

use crate::import::Shown;
use crate::output::quoted;
use crate::progress::Progress;
use crate::{FAILED, info, interrupt, output, render, size};
use preload::Preload;
use program::Program;

/// Run a program and record it.
#[derive(clap::Args)]
pub struct Args {
    /// Record tasks: of OpenMP, and of programs that use crosscut.h or crosscut-rayon [the default].
    #[arg(long)]
    tasks: bool,
    /// Record calls of MPI, too, when it is not seen that the program uses it: a script that starts `mpirun`.
    #[arg(long)]
    mpi: bool,
    /// Record calls: samples of the stacks of all threads, by the processor time that they take. Tasks only with --tasks.
    /// `timer` has them taken by a timer, also where the kernel's performance events are to be had.
    #[arg(long, value_name = "BY", num_args = 0..=1, require_equals = true, default_missing_value = "auto",
        value_parser = alarm)]
    calls: Option<Alarm>,
    /// The run to make [default: the name of the program with the ending .crosscut, in the current directory]
    #[arg(short, long, value_name = "RUN")]
    output: Option<PathBuf>,
    /// Fold what ran on one worker and took no longer than SPAN (such as 50us), or whatever its length: the recording
    /// stays small, and what is folded cannot be opened.
    #[arg(long, value_name = "SPAN", num_args = 0..=1, require_equals = true, default_missing_value = ANY_SPAN,
        value_parser = span)]
    collapse: Option<i64>,
    /// Fold no more than N intervals into one.
    #[arg(long, value_name = "N", value_parser = size::parse, allow_negative_numbers = true)]
    collapse_count: Option<u64>,
    /// Hardware counters to read at every event, such as instructions,cycles,cache-misses.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = counter,
        conflicts_with_all = ["collapse", "collapse_count"])]
    counters: Vec<String>,
    /// The OpenMP runtime that the program runs on: `own` or, in place of GCC's, `llvm`.
    #[arg(long, value_name = "RUNTIME", default_value = "own", value_parser = runtime, hide_default_value = true)]
    runtime: Wanted,
    /// Record mutexes and read-write locks of the C library, too: who waits, and which line holds them.
    #[arg(long)]
    locks: bool,
    /// Keep the events after the run is made of them.
    #[arg(long)]
    keep_events: bool,
    /// Say nothing, unless something is wrong.
    #[arg(short, long)]
    quiet: bool,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

impl Args {
    /// Whether tasks are recorded: unless something else was asked for.
    fn records_tasks(&self) -> bool {
        self.tasks || self.calls.is_none()
    }

    /// What is recorded, in words.
    fn recorded(&self) -> &'static str {
        match (self.records_tasks(), self.calls.is_some()) {
            (true, true) => "tasks and calls",
            (false, _) => "calls",
            (true, false) => "tasks",
        }
    }
}

/// Processor time of a thread between two samples of its stack.
const SAMPLE_NANOS: u64 = 1_000_000;

/// What tells that it is time for a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alarm {
    /// Performance events of the kernel, where they are to be had.
    Auto,
    Timer,
}

fn alarm(text: &str) -> Result<Alarm> {
    match text {
        "auto" => Ok(Alarm::Auto),
        "timer" => Ok(Alarm::Timer),
        _ => bail!("`{text}` is not a way to take samples: write --calls, or --calls=timer"),
    }
}

/// The OpenMP runtime to record on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// The program's own.
    Own,
    /// LLVM's libomp in place of GCC's libgomp.
    Llvm,
}

fn runtime(text: &str) -> Result<Wanted> {
    match text {
        "own" => Ok(Wanted::Own),
        "llvm" => Ok(Wanted::Llvm),
        _ => bail!(
            "`{text}` is not a runtime to choose: `own` is the program's own, GCC's or LLVM's, and the default; `llvm` puts \
             LLVM's libomp in the place of GCC's libgomp"
        ),
    }
}

/// What is said of a program with a runtime inside that nobody sees.
const UNSEEN: &str = "GCC's OpenMP runtime is linked into the program (libgomp.a), where its calls cannot be seen; link it \
                      with the shared library libgomp.so";

/// No recording is longer.
const ANY_SPAN: &str = "9223372036854775807";

fn span(text: &str) -> Result<i64> {
    render::parse_time(text, Clock::Ns)
}

/// The name of a counter; the recorder knows which ones the machine has.
fn counter(text: &str) -> Result<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    if text.is_empty() || !text.chars().all(is_name) {
        bail!("`{text}` is not the name of a counter; write them like instructions,cycles");
    }
    Ok(text.to_owned())
}

/// Runs and records. What is wrong is found before the program starts; from then on its exit code is ours, unless the run
/// could not be made of a program that ended well.
pub fn run(args: Args) -> Result<ExitCode> {
    if let Some(twice) = (1..args.counters.len()).find(|&i| args.counters[..i].contains(&args.counters[i])) {
        bail!("the counter {} is named twice", args.counters[twice]);
    }
    if args.counters.len() > MAX_COUNTERS {
        bail!("{} counters, but {MAX_COUNTERS} can be read at once; leave some out", args.counters.len());
    }
    let name = args.command[0].clone();
    let program = Program::find(&name)?;
    program.check()?;
    let rank = rank::rank();
    let is_mpi = args.mpi || program.is_mpi(&args.command);
    let preload = Preload::find(&program, args.runtime, is_mpi)?;
    if let Some(rank) = rank.filter(|_| is_mpi && !program.is_launcher()) {
        return together::run(&args, &program, &preload, rank);
    }
    let output = args.output.as_deref().map(|target| rank::named(target, rank));
    let target = match &output {
        Some(target) if target.symlink_metadata().is_ok() => {
            return Err(RunError::Exists { path: target.clone() }.into());
        }
        Some(target) => target.clone(),
        None => free_target(&name, rank),
    };
    let events = Events::create(&target)?;
    if !args.quiet && std::io::stderr().is_terminal() {
        output::say(&format!(
            "recording {} of {} {preload} to {}",
            args.recorded(),
            quoted(&name),
            quoted(&target)
        ));
    }
    let command = child::Command { program: &program.path, words: &args.command };
    let exit = child::run(&command, &preload.variables(&events.path, &options(&args)));
    let exit = match exit {
        Ok(exit) => exit,
        Err(error) => {
            events.remove();
            return Err(error).with_context(|| format!("{}: cannot be started", name.display()));
        }
    };
    // Its links may be in a temporary folder.
    drop(preload);
    events.wait_for_processes(&target);
    // Another recording of the same program may have taken the name meanwhile.
    let target = if args.output.is_none() { free_target(&name, rank) } else { target };
    let done = close(&args, &events, &target, Some(exit), &program);
    Ok(match (done, exit) {
        (_, Exit::Signal(signal)) => child::end_by(signal),
        (false, Exit::Code(0)) => ExitCode::from(FAILED),
        (_, Exit::Code(code)) => ExitCode::from(code as u8),
    })
}

/// Makes the run of the events; whether nothing went wrong.
fn close(args: &Args, events: &Events, target: &Path, exit: Option<Exit>, program: &Program) -> bool {
    if !crosscut_close::is_events(&events.path) {
        nothing(args, events, program);
        return true;
    }
    let options = crosscut_close::Options {
        command: args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        exit,
    };
    let kept = format!("the events are in {}; {}", quoted(&events.path), how_to_import(&events.path, target));
    let closed = interrupt::stoppable(target, &kept, || {
        let shown = Shown::new(Progress::new(&target.display().to_string(), "steps", "making indexes"));
        Ok(crosscut_close::close(&events.path, target, &options, &shown)?)
    });
    if let Err(Some(CloseError::Nothing { .. })) = closed.as_ref().map_err(|error| error.downcast_ref()) {
        nothing(args, events, program);
        return true;
    }
    if closed.is_ok() && program.has_own_libgomp() {
        output::say(UNSEEN);
    }
    let said = closed.and_then(|closed| say(args, closed));
    match &said {
        Ok(()) if args.keep_events => output::say(&kept),
        Ok(()) => events.remove(),
        Err(error) => {
            crosscut_close::ended_early(&events.path).iter().for_each(|why| output::say(why));
            output::say(&format!("{}; {kept}", crate::message(error)));
        }
    }
    said.is_ok()
}

fn nothing(args: &Args, events: &Events, program: &Program) {
    let had_no_room = events.had_no_room();
    let early = crosscut_close::ended_early(&events.path);
    events.remove();
    if !early.is_empty() {
        output::say(&format!("nothing was recorded: {}; no run was made", early.join("; ")));
    } else if had_no_room {
        output::say(&format!(
            "nothing was recorded: the recorder had no room for its events in {}; no run was made",
            quoted(&events.path)
        ));
    } else if program.has_own_libgomp() {
        output::say(&format!("nothing was recorded: {UNSEEN}; no run was made"));
    } else if args.calls.is_some() {
        output::say(&format!(
            "nothing was recorded: the program took too little processor time for a sample, of which there is one each \
             {} ms; no run was made",
            SAMPLE_NANOS as f64 / 1e6
        ));
    } else {
        let hint = match () {
            () if program.has_sanitizer() => SANITIZER,
            () if program.has_rayon() => RAYON,
            () => "",
        };
        output::say(&format!(
            "nothing was recorded: no tasks of OpenMP (GCC's, LLVM's or Intel's runtime), of crosscut.h, or of \
             crosscut-rayon, and no calls of MPI were seen in the program; no run was made{hint}"
        ));
    }
}

/// What helps a program with Rayon.
const RAYON: &str = "; the program uses Rayon, whose own join, scope and par_iter cannot be recorded: use \
                     crosscut_rayon::join and scope in their place, for the pieces of a parallel iterator, too";

/// What helps a program with a sanitizer.
const SANITIZER: &str = "; it is built with a sanitizer, which may refuse to run behind the recorder: record a build \
                         without -fsanitize";

fn say(args: &Args, closed: Closed) -> Result<()> {
    for note in &closed.about.notes {
        output::say(note);
    }
    if closed.about.dropped > 0 {
        let dropped = closed.about.dropped;
        output::say(&format!("{dropped} events could not be stored; the run is without them"));
    }
    if args.quiet {
        // Otherwise it is in the last line.
        closed.about.early.iter().for_each(|why| output::say(why));
    }
    let view = quoted(closed.run.path());
    let partial = closed.run.manifest().partial.as_ref().map(|why| format!(" (partial: {why})"));
    let calls = closed.run.manifest().facts.get("calls").and_then(|calls| calls["format"].as_str());
    let samples = calls.map(|format| format!("; {format}")).unwrap_or_default();
    let line = info::recorded_line(closed.run)?;
    if !args.quiet {
        let partial = partial.unwrap_or_default();
        output::say(&format!("{line}{samples}{partial}; `crosscut view {view}` opens it"));
    }
    Ok(())
}

fn how_to_import(events: &Path, target: &Path) -> String {
    format!("`crosscut import {} -o {}` makes a run of them", quoted(events), quoted(target))
}

/// The options as the recorder reads them.
fn options(args: &Args) -> String {
    let collapse = args.collapse.map(|span| format!("collapse={span}"));
    let count = args.collapse_count.map(|count| format!("collapse-count={count}"));
    let counters = (!args.counters.is_empty()).then(|| format!("counters={}", args.counters.join("+")));
    let locks = args.locks.then(|| "locks".to_owned());
    let calls = args.calls.map(|alarm| match alarm {
        Alarm::Auto => format!("calls={SAMPLE_NANOS}"),
        Alarm::Timer => format!("calls={SAMPLE_NANOS},calls-by-timer"),
    });
    let no_tasks = (!args.records_tasks()).then(|| "no-tasks".to_owned());
    [collapse, count, counters, locks, calls, no_tasks].into_iter().flatten().collect::<Vec<_>>().join(",")
}

/// A run in the current directory that is not there yet: `fib.crosscut`, `fib-2.crosscut`, …, with the rank if there is one.
fn free_target(program: &OsStr, rank: Option<u32>) -> PathBuf {
    let name = output::file_name(Path::new(program).file_name().unwrap_or(program));
    let name = rank::named(Path::new(&name), rank);
    free(|number| {
        let mut target = name.clone().into_os_string();
        if number > 1 {
            target.push(format!("-{number}"));
        }
        target.push(".crosscut");
        PathBuf::from(target)
    })
}

/// The first of some names that nothing has.
fn free(name: impl Fn(u64) -> PathBuf) -> PathBuf {
    (1..).map(name).find(|path| path.symlink_metadata().is_err()).unwrap_or_default()
}

/// The folder of the recorder, beside the run that is made of it.
struct Events {
    path: PathBuf,
}

impl Events {
    fn create(target: &Path) -> Result<Self> {
        let path = free(|number| {
            let mut name = Events::beside(target, &std::process::id().to_string());
            if number > 1 {
                name.push(format!("-{number}"));
            }
            PathBuf::from(name)
        });
        fs::create_dir(&path).with_context(|| path.display().to_string())?;
        // The program may change its directory.
        let path = std::path::absolute(&path).with_context(|| path.display().to_string())?;
        // Where recorders say that they had to stop, when there is no room for that any more.
        let failures = path.join(crosscut_events::FAILURES);
        let events = Events { path };
        if let Err(error) = fs::write(&failures, [0; crosscut_events::FAILURES_BYTES]) {
            events.remove();
            return Err(error).with_context(|| failures.display().to_string());
        }
        Ok(events)
    }

    /// The name of a folder beside a run.
    fn beside(target: &Path, word: &str) -> OsString {
        let mut name = match target.extension() == Some(OsStr::new("crosscut")) {
            true => target.with_extension("").into_os_string(),
            false => target.as_os_str().to_owned(),
        };
        name.push(format!(".events-{word}"));
        name
    }

    /// Waits for recorded processes that the program has left behind: they still write. Whoever does not want to wait
    /// keeps the events.
    fn wait_for_processes(&self, target: &Path) {
        /// What is started in the background may not have begun to record.
        const GRACE: std::time::Duration = std::time::Duration::from_millis(500);
        let start = std::time::Instant::now();
        let mut said = false;
        while child::are_left() {
            let running = self.running();
            if running.is_none() && (said || start.elapsed() > GRACE) {
                break;
            }
            if let Some(process) = running.filter(|_| !said) {
                child::end_at_signals();
                output::say(&format!(
                    "process {process} still runs and is recorded; waiting for it (after Ctrl-C: {})",
                    how_to_import(&self.path, target)
                ));
                said = true;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    /// The number of a process that has begun to record, has not ended, and is there.
    fn running(&self) -> Option<u32> {
        let folders = fs::read_dir(&self.path).ok()?.flatten().map(|entry| entry.path());
        folders
            .filter_map(|folder| {
                let about = fs::read_to_string(folder.join(crosscut_events::PROCESS)).ok()?;
                let ended = about.lines().any(|line| line.starts_with("ended "));
                let number: u32 = folder.file_name()?.to_str()?.split('-').next()?.parse().ok()?;
                // "NUMBER (NAME) STATE …": one that nobody has waited for has ended, too.
                let state = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
                let lives = !state.rsplit(')').next()?.trim_start().starts_with(['Z', 'X']);
                (!ended && lives).then_some(number)
            })
            .next()
    }

    /// Whether a recorder began to write here and could not: no word about its process, or a thread without anything.
    fn had_no_room(&self) -> bool {
        let folders = fs::read_dir(&self.path).into_iter().flatten().flatten().map(|entry| entry.path());
        folders.filter(|path| path.is_dir()).any(|folder| {
            let about = fs::metadata(folder.join(crosscut_events::PROCESS)).map_or(0, |file| file.len());
            let mut files = fs::read_dir(&folder).into_iter().flatten().flatten();
            let is_empty_thread = |file: &fs::DirEntry| {
                file.file_name().to_string_lossy().starts_with("thread-")
                    && file.metadata().is_ok_and(|file| file.len() == 0)
            };
            about == 0 || files.any(|file| is_empty_thread(&file))
        })
    }

    fn remove(&self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            output::say(&format!("{}: left behind: {error}", self.path.display()));
        }
    }
}
