//! Samples of the stacks of threads become the calls of the run: a calling context tree with the functions as the user wrote
//! them, those that were inlined too, and the line that ran at the end of each path. Time is that on a processor.

use crosscut_calls::{Builder, Frame, Given, Kind, Unit};
use crosscut_events::{ENTRY, EventKind};
use crosscut_run::{Places, RunWriter, SourcesBuilder};
use foldhash::{HashMap, HashMapExt};

use crate::error::CloseError;
use crate::files::{Process, Thread};
use crate::symbols::{self, Called};

/// Names of the recorder's own libraries: what they do is none of the program's.
const OWN: [&str; 2] = ["libcrosscut_record", "libcrosscut_mpi"];

/// One sample.
struct Sample<'s> {
    /// Processor time that it stands for.
    nanos: u64,
    /// The instruction that ran.
    code: u64,
    /// Where its callers return to, innermost first.
    returns: &'s [u64],
}

/// Whether any sample was taken in a process.
pub fn are_in(process: &Process) -> bool {
    process.samples.iter().any(|thread| {
        let mut any = false;
        // What cannot be read is told when it is read.
        let _ = each(thread, &mut |_| any = true);
        any
    })
}

/// Goes through the samples of a thread. Gives what is damaged, if something is: what comes before it counts.
fn each(thread: &Thread, found: &mut dyn FnMut(Sample<'_>)) -> Result<Option<String>, CloseError> {
    let mut returns: Vec<u64> = Vec::new();
    let mut events = thread.events()?;
    loop {
        let event = match events.step() {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(None),
            Err(damage) => {
                return Ok(Some(format!("{}: {damage}; the rest is not read", thread.path.display())));
            }
        };
        match event.kind {
            EventKind::Frames => returns.extend(event.payload.iter().take_while(|&&code| code != 0)),
            EventKind::Sample => {
                if let &[nanos, code, frames] = event.payload {
                    // Of a thread that was killed between the two, frames of no sample may be left.
                    let own = returns.len().saturating_sub(usize::try_from(frames).unwrap_or(usize::MAX));
                    found(Sample { nanos, code, returns: &returns[own..] });
                }
                returns.clear();
            }
            _ => {}
        }
    }
}

/// Writes the calls of all processes; says what is to be known of them.
pub fn write(
    run: &mut RunWriter,
    processes: &[&Process],
    places: &Places,
    sources: &mut SourcesBuilder,
) -> Result<Vec<String>, CloseError> {
    let mut builder = Builder::new("samples of Crosscut's recorder");
    let time = builder.metric("processor time", Unit::Ns, Given::Own);
    let samples = builder.metric("samples", Unit::Count, Given::Own);
    // In the order of the run's workers, all of them.
    let workers: Vec<u32> = (0..places.worker_count() as u32)
        .map(|worker| builder.place(places.get(worker).map_or(0, |place| place.process), i64::from(worker)))
        .collect();
    let mut notes = Vec::new();
    let mut first_thread = 0;
    for process in processes {
        let mut paths = Paths::of(process, &mut builder, &mut notes)?;
        for thread in &process.samples {
            // A thread with samples has events, if only an empty file of them.
            let Some(at) = process.threads.iter().position(|other| other.number == thread.number) else {
                continue;
            };
            let Some(&place) = workers.get(first_thread + at) else { continue };
            let mut wrong = None;
            let damage = each(thread, &mut |sample| match paths.node(&sample, &mut builder) {
                Ok(node) => {
                    builder.add(time, place, node, i64::try_from(sample.nanos).unwrap_or(i64::MAX));
                    builder.add(samples, place, node, 1);
                }
                Err(error) => wrong = Some(error),
            })?;
            if let Some(error) = wrong {
                return Err(error);
            }
            notes.extend(damage);
        }
        first_thread += process.threads.len();
    }
    builder.finish_beside(run, sources)?;
    Ok(notes)
}

/// The call paths of a process.
struct Paths {
    /// The frames of each address, outermost first; none where the stack leads out of all code.
    frames: HashMap<u64, Vec<u32>>,
    /// The line at each address that ran.
    lines: HashMap<u64, u32>,
}

impl Paths {
    /// Looks up all addresses of a process.
    fn of(process: &Process, builder: &mut Builder, notes: &mut Vec<String>) -> Result<Self, CloseError> {
        let mut codes: Vec<u64> = Vec::new();
        for thread in &process.samples {
            each(thread, &mut |sample| {
                codes.push(sample.code | ENTRY);
                codes.extend(sample.returns);
            })?;
            codes.sort_unstable();
            codes.dedup();
        }
        let found = symbols::called(&process.maps, &codes);
        notes.extend(found.notes);
        let mut paths = Paths { frames: HashMap::new(), lines: HashMap::new() };
        for (&code, called) in codes.iter().zip(&found.called) {
            if code & ENTRY != 0
                && let Some(innermost) = called.last().filter(|called| called.line > 0)
            {
                let line = Frame { kind: Kind::Line, line: innermost.line, ..frame(innermost) };
                paths.lines.insert(code, builder.frame(line));
            }
            let frames = called.iter().map(|called| match is_own(called) && code & ENTRY == 0 {
                // The recorder calls nothing but what a thread begins with.
                true => Frame { kind: Kind::Entry, ..Frame::region("(thread)") },
                false => frame(called),
            });
            paths.frames.insert(code, frames.map(|frame| builder.frame(frame)).collect());
        }
        Ok(paths)
    }

    /// The node of a sample: from the outermost function that is known to the line that ran.
    fn node(&mut self, sample: &Sample<'_>, builder: &mut Builder) -> Result<u32, CloseError> {
        let code = sample.code | ENTRY;
        let is_code = |code: &&u64| self.frames.get(code).is_some_and(|frames| !frames.is_empty());
        // Behind what is no code there is no stack: a register held something else.
        let known = sample.returns.iter().take_while(is_code).count();
        let mut node = 0;
        for address in sample.returns[..known].iter().rev().chain([&code]) {
            for &frame in self.frames.get(address).into_iter().flatten() {
                node = builder.node(node, frame)?;
            }
        }
        if let Some(&line) = self.lines.get(&code) {
            node = builder.node(node, line)?;
        }
        Ok(node)
    }
}

/// Whether a function is the recorder's.
fn is_own(called: &Called) -> bool {
    let module = called.module.rsplit('/').next().unwrap_or_default();
    OWN.iter().any(|own| module.starts_with(own))
}

/// A function as a frame. What nobody names has the name of its module.
fn frame(called: &Called) -> Frame {
    let module = called.module.rsplit('/').next().unwrap_or_default();
    if is_own(called) {
        return Frame { module: module.to_owned(), ..Frame::region("(recorder)") };
    }
    let name = match called.function.is_empty() {
        true => format!("({module})"),
        false => called.function.clone(),
    };
    Frame {
        kind: Kind::Function,
        name,
        module: module.to_owned(),
        file: called.file.clone(),
        line: called.declared,
    }
}
