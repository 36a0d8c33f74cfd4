//! Closing events that may be anything, and what must never come of it: a panic, a hang, much memory, files left behind.
#![allow(dead_code)] // not every test file uses all of it

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::time::Duration;

use crosscut_close::{Options, Quiet, close};
use crosscut_messages::Messages;
use crosscut_run::Run;
use crosscut_tasks::Tasks;
use crosscut_tree::NodeId;

use crate::common::{FIRST, Process, files, folder, folding, journalled, messaging, team};

/// No case here is worth more.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes that closing may have at once, beside some for each byte of events.
const MEMORY: usize = 64 << 20;

/// Counts bytes.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does everything.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Memory is counted for one test at a time.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What became of a case.
#[derive(Debug)]
pub enum Outcome {
    Run { tasks: i64, partial: Option<String>, notes: Vec<String> },
    Refused(String),
}

/// The last panic, with its place.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Closes some processes. `Err` says what must never happen.
pub fn try_close(processes: &[Process]) -> Result<Outcome, String> {
    let folder = folder();
    let events = folder.path().join("events");
    fs::create_dir(&events).unwrap();
    processes.iter().for_each(|process| process.write(&events));
    try_close_folder(folder.path(), &events)
}

pub fn try_close_folder(folder: &Path, events: &Path) -> Result<Outcome, String> {
    let bytes: u64 = files(events).iter().map(|file| file.metadata().unwrap().len()).sum();
    let target = folder.join("run.crosscut");
    std::panic::set_hook(Box::new(|info| *PANIC.lock().unwrap() = info.to_string()));
    let (done, wait) = mpsc::channel();
    let (from, to) = (events.to_owned(), target.clone());
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let outcome = std::panic::catch_unwind(|| closed(&from, &to));
        let _ = done.send(outcome.unwrap_or_else(|_| Err(format!("panic: {}", PANIC.lock().unwrap()))));
    });
    let thread = thread.unwrap();
    let outcome = match wait.recv_timeout(PATIENCE) {
        Ok(outcome) => outcome,
        // The thread goes on for ever; there is no way to stop it.
        Err(_) => Err("hangs".into()),
    };
    let _ = std::panic::take_hook();
    if outcome.as_ref().is_err_and(|what| what == "hangs") {
        return outcome;
    }
    let _ = thread.join();
    let used = MOST.load(Ordering::Relaxed).saturating_sub(before);
    if used > MEMORY + 64 * bytes as usize {
        return Err(format!("memory: {used} bytes for {bytes} bytes of events"));
    }
    let written: u64 = files(&target).iter().map(|file| file.metadata().unwrap().len()).sum();
    if written > (MEMORY as u64) + 64 * bytes {
        return Err(format!("disk: {written} bytes for {bytes} bytes of events"));
    }
    let left: Vec<_> = files(folder)
        .into_iter()
        .filter(|file| !file.starts_with(events) && !file.starts_with(&target))
        .collect();
    if !left.is_empty() {
        return Err(format!("left behind: {left:?}"));
    }
    outcome
}

/// Closes, opens, and looks at everything.
pub fn closed(events: &Path, target: &Path) -> Result<Outcome, String> {
    let closed = match close(events, target, &Options::default(), &Quiet) {
        Ok(closed) => closed,
        Err(_) if target.exists() => return Err("an error, and a run all the same".into()),
        Err(error) => return Ok(Outcome::Refused(error.to_string())),
    };
    drop(closed.run);
    let run = Run::open(target).map_err(|error| format!("does not open: {error}"))?;
    let damages = run.check();
    if !damages.is_empty() {
        return Err(format!("a damaged run: {damages:?}"));
    }
    let partial = run.manifest().partial.clone();
    let run = Arc::new(run);
    let has_messages = Messages::is_in(&run);
    if has_messages {
        let messages = Messages::open(run.clone()).map_err(|error| format!("no messages: {error}"))?;
        if let Some(why) = messages.unsound() {
            return Err(format!("messages that do not fit together: {why}"));
        }
    }
    // Of a rank that was stopped before its first task, the calls of MPI.
    if has_messages && !run.manifest().facts.contains_key("tasks") {
        return Ok(Outcome::Run { tasks: 0, partial, notes: closed.about.notes });
    }
    let tasks = Tasks::open(run).map_err(|error| format!("has no tasks: {error}"))?;
    let s = tasks.summary().clone();
    let tree = tasks.tree();
    tree.check().map_err(|error| format!("no tree: {error}"))?;
    for node in (0..s.nodes).map(NodeId) {
        let (start, end) = (tasks.start(node), tasks.end(node));
        if start < 0 || end < start || end > s.elapsed {
            return Err(format!("node {node:?} from {start} to {end} of {}", s.elapsed));
        }
        let _ =
            (tasks.source(node), tasks.title(node), tasks.work(node), tasks.worker(node), tasks.chunk(node));
    }
    Ok(Outcome::Run { tasks: s.tasks, partial, notes: closed.about.notes })
}

/// Cases that went wrong, each kind once, with the first case of it.
#[derive(Default)]
pub struct Wrong {
    kinds: BTreeMap<String, (String, usize)>,
    cases: usize,
    runs: usize,
}

impl Wrong {
    pub fn case(&mut self, name: impl Fn() -> String, processes: &[Process]) {
        self.cases += 1;
        match try_close(processes) {
            Ok(Outcome::Run { .. }) => self.runs += 1,
            Ok(Outcome::Refused(_)) => {}
            Err(what) => {
                // Numbers differ from case to case.
                let kind: String =
                    what.chars().filter(|c| what.starts_with("panic") || !c.is_ascii_digit()).collect();
                let entry = self.kinds.entry(kind).or_insert_with(|| (format!("{}: {what}", name()), 0));
                entry.1 += 1;
                assert!(what != "hangs", "{}: hangs", name());
            }
        }
    }

    pub fn none(self) {
        println!("{} cases, {} of them runs", self.cases, self.runs);
        let list: Vec<String> =
            self.kinds.values().map(|(first, times)| format!("{times} times, first in {first}")).collect();
        assert!(list.is_empty(), "{} kinds of wrong:\n{}", list.len(), list.join("\n"));
    }
}

/// Expects a run of it.
pub fn run_of(processes: &[Process]) -> (i64, Option<String>) {
    match try_close(processes).unwrap() {
        Outcome::Run { tasks, partial, .. } => (tasks, partial),
        Outcome::Refused(why) => panic!("{why}"),
    }
}

pub fn refused(processes: &[Process]) -> String {
    match try_close(processes).unwrap() {
        Outcome::Refused(why) => why,
        run => panic!("{run:?}"),
    }
}

/// Expects a run or an error.
pub fn survives(processes: &[Process]) {
    let outcome = try_close(processes).unwrap_or_else(|what| panic!("{what}"));
    println!("{outcome:?}");
}

pub fn bases() -> Vec<Vec<Process>> {
    let mixed = vec![folding(), team(), journalled()];
    vec![vec![team()], vec![folding()], vec![journalled()], mixed, vec![messaging()]]
}

/// Where the events of a file begin and end.
pub fn events_of(words: &[u64]) -> Vec<(usize, usize)> {
    let Ok(mut events) = crosscut_events::Events::new(words) else { return Vec::new() };
    let mut found = Vec::new();
    while let Ok(Some(event)) = events.step() {
        if event.position >= FIRST {
            found.push((event.position, event.position + 1 + event.payload.len()));
        }
    }
    found
}
