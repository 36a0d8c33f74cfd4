//! Samples of the stacks of threads become the calls of the run: a calling context tree with the functions as the user wrote
//! them, those that were inlined too, and the line that ran at the end of each path. Time is that on a processor.

use crosscut_calls::{Builder, Frame, Given, Kind, Unit};
use crosscut_events::{ENTRY, EventKind, STACK_WORDS, unpack_stack};
use crosscut_run::{Places, RunWriter, SourcesBuilder};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::clock::Clock;
use crate::error::CloseError;
use crate::files::{Process, Thread};
use crate::symbols::{self, Called, Maps, Stack, Unwinder};

/// One sample.
struct Sample<'s> {
    /// When, by the clock of the process.
    ticks: u64,
    /// Processor time that it stands for. None for what the kernel did behind the last sample, which has no stack.
    nanos: u64,
    /// Time in the kernel since the sample before.
    kernel: u64,
    /// What was on the stack.
    stack: Stack<'s>,
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
    let (mut returns, mut words) = (Vec::new(), vec![0; STACK_WORDS]);
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
            EventKind::Stack => unpack_stack(event.payload).for_each(|(at, word)| words[at] = word),
            EventKind::Frames => returns.extend(event.payload.iter().take_while(|&&code| code != 0)),
            EventKind::Sample => {
                if let &[nanos, code, frames, pointer, frame, kernel] = event.payload {
                    // Of a thread that was killed between the two, frames of no sample may be left.
                    let own = returns.len().saturating_sub(usize::try_from(frames).unwrap_or(usize::MAX));
                    let stack = Stack { code, pointer, frame, words: &words, returns: &returns[own..] };
                    found(Sample { ticks: event.ticks, nanos, kernel, stack });
                }
                returns.clear();
                words.fill(0);
            }
            _ => {}
        }
    }
}

/// What told when to take samples, in words.
fn taken_by(processes: &[&Process]) -> String {
    let mut ways: Vec<&str> = processes.iter().flat_map(|process| process.all("calls-by")).collect();
    ways.sort_unstable();
    ways.dedup();
    if ways.is_empty() { String::new() } else { format!(", by {}", ways.join(", ")) }
}

/// Writes the calls of all processes; says what is to be known of them.
pub fn write(
    run: &mut RunWriter,
    processes: &[&Process],
    clocks: &[Clock],
    places: &Places,
    sources: &mut SourcesBuilder,
) -> Result<Vec<String>, CloseError> {
    let mut builder = Builder::new(&format!("samples of Crosscut's recorder{}", taken_by(processes)));
    builder.metric("processor time", Unit::Ns, Given::Own);
    builder.metric("samples", Unit::Count, Given::Own);
    // In the order of the run's workers, all of them.
    let workers: Vec<u32> = (0..places.worker_count() as u32)
        .map(|worker| builder.place(places.get(worker).map_or(0, |place| place.process), i64::from(worker)))
        .collect();
    let mut notes = Vec::new();
    let (mut all, mut cut) = (0, 0);
    let mut first_thread = 0;
    for (process, clock) in processes.iter().zip(clocks) {
        let mut paths = Paths::of(process, &mut builder, &mut notes)?;
        for thread in &process.samples {
            // A thread with samples has events, if only an empty file of them.
            let Some(at) = process.threads.iter().position(|other| other.number == thread.number) else {
                continue;
            };
            let Some(&place) = workers.get(first_thread + at) else { continue };
            let mut wrong = None;
            let damage = each(thread, &mut |sample| match paths.node(&sample, &mut builder) {
                Ok((node, in_kernel)) => {
                    let when = clock.time(sample.ticks);
                    let nanos = |nanos: u64| i64::try_from(nanos).unwrap_or(i64::MAX);
                    if sample.nanos > 0 {
                        builder.sample(place, when, node, [nanos(sample.nanos), 1]);
                    }
                    if sample.kernel > 0 {
                        builder.sample(place, when, in_kernel, [nanos(sample.kernel), 0]);
                    }
                }
                Err(error) => wrong = Some(error),
            })?;
            if let Some(error) = wrong {
                return Err(error);
            }
            notes.extend(damage);
        }
        first_thread += process.threads.len();
        (all, cut) = (all + paths.all, cut + paths.cut);
    }
    if cut > 0 {
        let note = format!("the outer callers of {cut} of {all} samples are not known");
        builder.note(&*note);
        // A few are of code before the program began.
        if cut > all / 100 {
            notes.push(format!(
                "{note}: their stacks are deeper than 8 KB, or code there has no call frame information"
            ));
        }
    }
    builder.finish_beside(run, sources)?;
    Ok(notes)
}

/// The call paths of a process.
struct Paths {
    maps: Maps,
    unwinder: Unwinder,
    /// The frames of each address, outermost first; none where the stack leads out of all code.
    frames: HashMap<u64, Vec<u32>>,
    /// Addresses of the recorder's that something returns to: it stands in front of functions of runtimes, and where threads begin.
    own: HashSet<u64>,
    /// The line at each address that ran.
    lines: HashMap<u64, u32>,
    /// Its module.
    modules: HashMap<u64, String>,
    /// Samples, and those whose outer callers are not known.
    all: u64,
    cut: u64,
}

impl Paths {
    /// Looks up all addresses of a process.
    fn of(process: &Process, builder: &mut Builder, notes: &mut Vec<String>) -> Result<Self, CloseError> {
        let mut codes: Vec<u64> = Vec::new();
        let (maps, mut unwinder) = (Maps::parse(&process.maps), Unwinder::default());
        for thread in &process.samples {
            each(thread, &mut |sample| {
                if sample.nanos == 0 {
                    return;
                }
                codes.push(sample.stack.code | ENTRY);
                codes.extend(unwinder.returns(&sample.stack, &|code| maps.file(code)).0);
            })?;
            codes.sort_unstable();
            codes.dedup();
        }
        let found = symbols::called(&process.maps, &codes);
        notes.extend(found.notes);
        let (frames, lines, modules) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut paths = Paths { maps, unwinder, frames, own: HashSet::new(), lines, modules, all: 0, cut: 0 };
        for (&code, called) in codes.iter().zip(&found.called) {
            if code & ENTRY != 0
                && let Some(innermost) = called.last().filter(|called| called.line > 0)
            {
                let line = Frame { kind: Kind::Line, line: innermost.line, ..frame(innermost) };
                paths.lines.insert(code, builder.frame(line));
            }
            if let Some(innermost) = called.last().filter(|_| code & ENTRY != 0) {
                paths.modules.insert(code, frame(innermost).module);
            }
            if code & ENTRY == 0 && called.iter().any(|called| symbols::is_own(&called.module)) {
                paths.own.insert(code);
            }
            let frames = called.iter().map(|called| builder.frame(frame(called)));
            paths.frames.insert(code, frames.collect());
        }
        Ok(paths)
    }

    /// The node of a sample: from the outermost function that is known to the line that ran. And that of its time in the
    /// kernel, which that function, or one before it, called.
    fn node(&mut self, sample: &Sample<'_>, builder: &mut Builder) -> Result<(u32, u32), CloseError> {
        if sample.nanos == 0 {
            let kernel = builder.frame(Frame::region("(kernel)"));
            let node = builder.node(0, kernel)?;
            return Ok((node, node));
        }
        let code = sample.stack.code | ENTRY;
        let (returns, is_whole) = self.unwinder.returns(&sample.stack, &|code| self.maps.file(code));
        let is_code = |code: &&u64| self.frames.get(code).is_some_and(|frames| !frames.is_empty());
        // Behind what is no code there is no stack: a register held something else.
        let known = returns.iter().take_while(is_code).count();
        self.all += 1;
        self.cut += u64::from(!is_whole || known < returns.len());
        let mut node = 0;
        let callers = returns.get(..known).unwrap_or_default();
        if callers.last().is_some_and(|outermost| self.own.contains(outermost)) {
            let thread = builder.frame(Frame { kind: Kind::Entry, ..Frame::region("(thread)") });
            node = builder.node(0, thread)?;
        }
        let callers = callers.iter().rev().filter(|address| !self.own.contains(address));
        for address in callers.chain([&code]) {
            for &frame in self.frames.get(address).into_iter().flatten() {
                node = builder.node(node, frame)?;
            }
        }
        let mut in_kernel = node;
        if sample.kernel > 0 {
            // What the kernel does for a library is that library's.
            let module = self.modules.get(&code).cloned().unwrap_or_default();
            let kernel = builder.frame(Frame { module, ..Frame::region("(kernel)") });
            in_kernel = builder.node(node, kernel)?;
        }
        if let Some(&line) = self.lines.get(&code) {
            node = builder.node(node, line)?;
        }
        Ok((node, in_kernel))
    }
}

/// A function as a frame. What nobody names has the name of its module.
fn frame(called: &Called) -> Frame {
    let module = called.module.rsplit('/').next().unwrap_or_default();
    if symbols::is_own(module) {
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
