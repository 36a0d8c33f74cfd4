//! Closing a run: the event files that the recorders of a program left in a folder become a run.

mod build;
mod calls;
mod clock;
mod depends;
mod error;
mod failures;
mod files;
mod index;
mod locks;
mod mpi;
mod sources;
pub mod symbols;

use std::path::Path;

use crosscut_events::Events;
use crosscut_run::{Places, Run, RunWriter};
use crosscut_tasks::schema::TaskWriter;

use build::{Builder, Gaps, Recorded};
use files::Process;
use index::{Index, Point};
use mpi::World;
use sources::Sites;

pub use crosscut_run::{Progress, Quiet};
pub use error::CloseError;
pub use failures::ended_early;

/// What is known about the program beside its events.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How it ended, if known.
    pub exit: Option<Exit>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// A run that was made of events.
#[derive(Debug)]
pub struct Closed {
    /// The run.
    pub run: Run,
    /// What is to be said about it.
    pub about: About,
}

/// What is known of events once they are read.
#[derive(Debug)]
pub struct About {
    /// Tasks in the run.
    pub tasks: i64,
    /// Events that were lost while recording.
    pub dropped: u64,
    /// Why recordings ended before their program, a sentence for each. They are in the manifest, too.
    pub early: Vec<String>,
    /// Processes that left events.
    pub processes: usize,
    /// What the user should know, a sentence each.
    pub notes: Vec<String>,
}

/// Whether recorders left events in this folder.
pub fn is_events(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| entry.path().join(crosscut_events::PROCESS).is_file())
}

/// Makes a run at `target` of the events in `folder`. On an error, or when cancelled, nothing appears there.
pub fn close(
    folder: &Path,
    target: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Closed, CloseError> {
    let mut run = RunWriter::create(target)?;
    let about = close_into(folder, &mut run, options, progress)?;
    Ok(Closed { run: run.finish()?, about })
}

/// Fills a run with what the events in `folder` tell.
pub fn close_into(
    folder: &Path,
    run: &mut RunWriter,
    options: &Options,
    progress: &dyn Progress,
) -> Result<About, CloseError> {
    let all = files::read(folder)?;
    let mut processes: Vec<&Process> = all.iter().filter(|process| !process.threads.is_empty()).collect();
    let early = ended_early(folder);
    let mut notes = missing(&all);
    let world = World::find(&mut processes);
    let mut sites = Sites::new();
    let recorded = index(&mut processes, world.is_some(), &mut sites, &mut notes)?;
    let has_tasks = recorded.iter().any(|process| !process.index.roots.is_empty());
    let has_calls = processes.iter().any(|process| calls::are_in(process));
    if !has_tasks && !has_calls && world.is_none() {
        return Err(CloseError::Nothing { folder: folder.to_owned() });
    }
    check_cancelled(progress)?;

    let threads: Vec<usize> = processes.iter().map(|process| process.threads.len()).collect();
    let mut places =
        Places::processes(&world.as_ref().map_or(threads.clone(), |world| world.threads(&threads)))?;
    let tasks = match has_tasks {
        true => Some(build(&recorded, &processes, run, &mut places, &mut sites, &mut notes, progress)?),
        false => None,
    };
    let gaps = tasks.as_ref().map_or_else(Gaps::default, |tasks| tasks.gaps);
    if gaps.unstarted > 0 && cancels(&all) {
        notes.push(format!("{} tasks were cancelled before they began", gaps.unstarted));
    }
    let dropped = lost(&recorded, &mut notes);
    describe(run, &processes, &recorded, options, dropped);
    run.manifest().facts.insert("threads".into(), threads_of(&recorded));
    run.manifest().facts.insert("workers".into(), workers(&processes, &recorded).into());
    run.manifest().partial = partial(&all, &recorded, gaps, dropped, &early, options);
    if let Some(world) = &world {
        notes.extend(world.notes().iter().cloned());
        world.write(run, &processes, &recorded, &sites)?;
    }
    if has_calls {
        let clocks: Vec<_> = recorded.iter().map(|process| process.clock).collect();
        notes.extend(calls::write(run, &processes, &clocks, &places, sites.builder())?);
    }
    run.put_sources(&sites.finish())?;
    // Its memory is needed again.
    drop(recorded);
    match tasks {
        Some(tasks) => crosscut_tasks::finish_grown(run, tasks.writer, &places, tasks.grown)?,
        None => run.put_places(&places)?,
    }
    check_cancelled(progress)?;
    let tasks = run.manifest().facts.get("tasks").and_then(|tasks| tasks["tasks"].as_i64()).unwrap_or(0);
    Ok(About { tasks, dropped, early, processes: processes.len(), notes })
}

/// The task tree in the making.
struct Tasks {
    writer: TaskWriter,
    grown: crosscut_tasks::Grown,
    gaps: Gaps,
}

/// The second pass: the task tree.
fn build(
    recorded: &[Recorded<'_>],
    processes: &[&Process],
    run: &mut RunWriter,
    places: &mut Places,
    sites: &mut Sites,
    notes: &mut Vec<String>,
    progress: &dyn Progress,
) -> Result<Tasks, CloseError> {
    let nodes = recorded.iter().map(|process| process.index.nodes).sum::<usize>() + 4;
    if nodes >= u32::MAX as usize {
        return Err(CloseError::TooMany { what: "nodes", limit: u32::MAX.into() });
    }
    let mut writer = TaskWriter::new(run, nodes)?;
    for name in counters(recorded, notes) {
        writer.add_counter(run, &name)?;
    }
    let mut watch = |done: u32| {
        progress.advance(u64::from(done), 2 * nodes as u64);
        check_cancelled(progress)
    };
    let built = Builder::new(recorded, &mut writer, places, sites, &mut watch).run()?;
    writer.truncate(built.nodes);
    writer.collapsed = built.collapsed;
    writer.depends = built.depends;
    writer.chunks = built.chunks;
    writer.beside = built.locks.finish(processes, recorded, sites);
    writer.beside.joined = built.joined;
    Ok(Tasks { writer, grown: built.grown, gaps: built.gaps })
}

fn check_cancelled(progress: &dyn Progress) -> Result<(), CloseError> {
    if progress.is_cancelled() { Err(CloseError::Cancelled) } else { Ok(()) }
}

/// The first pass over all processes, and the names of their code.
fn index<'a>(
    processes: &mut Vec<&'a Process>,
    has_ranks: bool,
    sites: &mut Sites,
    notes: &mut Vec<String>,
) -> Result<Vec<Recorded<'a>>, CloseError> {
    let threads: Vec<Vec<Events<'a>>> = processes
        .iter()
        .map(|process| process.threads.iter().map(files::Thread::events).collect())
        .collect::<Result<_, _>>()?;
    let clocks = clock::clocks(processes, &threads);
    let (mut recorded, mut kept) = (Vec::new(), Vec::new());
    let mut first_thread = 0;
    for ((&process, threads), clock) in processes.iter().zip(threads).zip(clocks) {
        let mut index = Index::new(&threads, first_thread)?;
        // A launcher is none of what it starts: it runs nothing, and has samples at most.
        if has_ranks && mpi::rank_of(process).is_none() && index.is_idle() {
            continue;
        }
        kept.push(process);
        let main = match index.roots.iter().any(|root| root.ticks == 0) {
            true => symbols::main_of(&process.maps).unwrap_or(0),
            false => 0,
        };
        index.codes.extend((main != 0).then_some(main));
        for &(thread, damage) in &index.damages {
            notes.push(format!("{}: {damage}; the rest is not read", process.threads[thread].path.display()));
        }
        notes.extend(sites.add_process(&process.maps, &index.codes));
        first_thread += threads.len();
        recorded.push(Recorded { first_thread: first_thread - threads.len(), threads, index, clock, main });
    }
    *processes = kept;
    Ok(recorded)
}

/// The counters that every thread has.
fn counters(recorded: &[Recorded<'_>], notes: &mut Vec<String>) -> Vec<String> {
    let mut threads = recorded.iter().flat_map(|process| &process.threads).map(|t| t.header.counter_names());
    let first = threads.next().unwrap_or_default();
    if threads.all(|names| names == first) {
        return first;
    }
    notes.push("the threads could not open the same counters: none is kept".into());
    Vec::new()
}

/// Events that could not be stored.
fn lost(recorded: &[Recorded<'_>], notes: &mut Vec<String>) -> u64 {
    let mut lost: u64 = 0;
    for thread in recorded.iter().flat_map(|process| &process.threads) {
        let header = &thread.header;
        lost = lost.saturating_add(header.lost);
        if header.lost > 0 {
            let why = failures::why(header.error);
            notes.push(format!("thread {} lost {} events: {why}", header.thread, header.lost));
        }
    }
    lost
}

/// What the recorders said that they could not do.
fn missing(processes: &[Process]) -> Vec<String> {
    let mut notes: Vec<String> =
        processes.iter().flat_map(|p| p.all("counter-missing")).map(str::to_owned).collect();
    notes.dedup();
    for why in processes.iter().flat_map(|process| process.all("calls-missing")) {
        notes.push(format!("calls are not recorded everywhere: {why}"));
    }
    for process in processes {
        let pid = process.get("pid").unwrap_or("?");
        if process.empty > 0 {
            notes.push(format!("process {pid}: {} threads had no room for their events", process.empty));
        }
        if let Some(callbacks) = process.get("openmp-missing") {
            notes.push(format!(
                "process {pid}: its OpenMP runtime does not report everything (missing OMPT callbacks: {callbacks})"
            ));
        }
    }
    notes
}

/// The workers of all processes: as many as their runtimes say, else the threads of their teams and those that the program
/// started itself, else all that ran something. A thread that only helps the runtime is none.
fn workers(processes: &[&Process], recorded: &[Recorded<'_>]) -> u64 {
    let of = |process: &Process, index: &Index| {
        let said = process.all("workers").filter_map(|workers| workers.parse::<u64>().ok()).max();
        let lanes = index.lanes.iter().map(|lane| lane.begin.thread());
        let roots = index.roots.iter().filter(|root| root.acts).map(|root| root.begin.thread());
        let mut threads: Vec<usize> = lanes.chain(roots).collect();
        threads.sort_unstable();
        threads.dedup();
        let seen = match index.lanes.is_empty() {
            true => index.busy.iter().filter(|&&busy| busy).count(),
            false => threads.len(),
        };
        // What somebody says is believed when it could be.
        said.filter(|&workers| workers < Point::THREADS as u64).unwrap_or(seen as u64).max(1)
    };
    processes.iter().zip(recorded).map(|(process, recorded)| of(process, &recorded.index)).sum()
}

/// When each thread began and ended, as far as it is known.
fn threads_of(recorded: &[Recorded<'_>]) -> serde_json::Value {
    let mut threads = Vec::new();
    for (number, process) in recorded.iter().enumerate() {
        for (at, events) in process.threads.iter().enumerate() {
            let header = &events.header;
            let time = |ticks: u64| process.clock.time(ticks.saturating_sub(header.base_ticks));
            let begin = events.chunks().next().map(|(_, chunk)| time(chunk.ticks));
            let end = (header.ended == 1).then(|| time(header.end_ticks));
            threads.push(serde_json::json!({
                "worker": process.first_thread + at,
                "process": number,
                "os_thread": header.os_thread,
                "begin": begin,
                "end": end,
            }));
        }
    }
    threads.into()
}

/// Where the run comes from.
fn describe(
    run: &mut RunWriter,
    processes: &[&Process],
    recorded: &[Recorded<'_>],
    options: &Options,
    dropped: u64,
) {
    let manifest = run.manifest();
    if !options.command.is_empty() {
        manifest.origin.command = options.command.clone();
    } else if let Some(process) = processes.first() {
        manifest.origin.command = process.all("argument").map(str::to_owned).collect();
    }
    for tool in ["openmp", "mpi-version"] {
        for version in processes.iter().filter_map(|process| process.get(tool)) {
            let tool = tool.strip_suffix("-version").unwrap_or(tool);
            manifest.origin.tools.insert(tool.into(), version.to_owned());
        }
    }
    manifest.facts.insert("dropped_events".into(), dropped.into());
    let processors = processes.iter().filter_map(|process| process.get("processors")?.parse::<u32>().ok());
    if let Some(processors) = processors.max() {
        manifest.facts.insert("processors".into(), processors.into());
    }
    // Several processes see the same processors, or others: their times do not add up.
    if let [process] = processes {
        let idle = |key: &str| process.get(key)?.parse::<u64>().ok();
        if let (Some(before), Some(after)) = (idle("idle-before"), idle("idle-after")) {
            manifest.facts.insert("idle_ns".into(), after.saturating_sub(before).into());
            if let (Some(ticks), [recorded]) = (idle("idle-at"), recorded) {
                manifest.facts.insert("idle_from_ns".into(), recorded.clock.time(ticks).into());
            }
        }
    }
}

/// Whether the program cancelled some of its tasks: then they are not missing.
fn cancels(processes: &[Process]) -> bool {
    processes.iter().any(|process| process.get("cancels").is_some())
}

/// The processes that did not exit normally, a sentence each; one for all when there are many, as when a launcher ends all of them.
fn not_ended(processes: &[Process]) -> Vec<String> {
    const MANY: usize = 8;
    let name = |process: &Process| match mpi::rank_of(process) {
        Some((rank, _)) => format!("process {} (rank {rank})", process.get("pid").unwrap_or("?")),
        None => format!("process {}", process.get("pid").unwrap_or("?")),
    };
    let left: Vec<&Process> = processes.iter().filter(|process| process.get("ended").is_none()).collect();
    match left.first() {
        Some(first) if left.len() > MANY => {
            vec![format!("{} processes did not exit normally, the first of them {}", left.len(), name(first))]
        }
        _ => left.iter().map(|process| format!("{} did not exit normally", name(process))).collect(),
    }
}

/// Why the run is not whole, if it is not.
fn partial(
    processes: &[Process],
    recorded: &[Recorded<'_>],
    gaps: Gaps,
    dropped: u64,
    early: &[String],
    options: &Options,
) -> Option<String> {
    let mut reasons = early.to_vec();
    // A single process whose exit code is known has ended well, even if it told nobody.
    if processes.len() > 1 || options.exit.is_none() {
        reasons.extend(not_ended(processes));
    }
    if let Some(Exit::Signal(signal)) = options.exit {
        reasons.push(format!("the program was killed by signal {signal}"));
    }
    let mut count = |number: u64, what: &str| {
        if number > 0 {
            reasons.push(format!("{number} {what}"));
        }
    };
    count(gaps.unfinished, "tasks had not ended");
    if !cancels(processes) {
        count(gaps.unstarted, "tasks had not begun");
    }
    count(gaps.orphans, "tasks have no recorded creation");
    count(gaps.overfull, "folded tasks had more work than time: it was cut");
    count(dropped, "events were lost");
    let unseen = processes.iter().map(|p| p.empty).sum::<usize>();
    count(unseen as u64, "threads could not be recorded");
    let damages = recorded.iter().map(|process| process.index.damages.len() as u64).sum();
    count(damages, "event files are damaged");
    if reasons.is_empty() { None } else { Some(reasons.join("; ")) }
}
