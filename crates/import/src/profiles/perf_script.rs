//! What `perf script` prints: for each sample a line that says who and when, then its frames, innermost first, then an empty
//! line.

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::{HashMap, HashMapExt};

use super::{MOST_RANKS, builder, lines::Lines, path_node, plain};
use crate::error::ImportError;
use crate::inputs::Inputs;
use crate::partial;
use crate::reader::{Confidence, Head, Options, Reader};

/// The reader.
pub struct PerfScript;

impl Reader for PerfScript {
    fn name(&self) -> &'static str {
        "perf-script"
    }

    fn title(&self) -> &'static str {
        "perf script"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let mut samples = Samples {
            builder: builder(self.title()),
            metrics: HashMap::new(),
            processes: HashMap::new(),
            open: None,
            only: None,
            frames: Vec::new(),
            read: 0,
        };
        let is_bare = is_bare(&plain::head(input)?.0);
        let (mut lost, mut lines) = (0u64, Lines::open(input)?);
        let (mut cut, mut has_modules) = (None, false);
        while let Some(line) = lines.next()? {
            let text = &*line.text;
            // Where modules are printed, what was cut lacks the bracket behind one.
            let has_module = text.trim_end().ends_with(')');
            if has_modules && !has_module && !line.is_whole {
                cut = Some(format!("byte {}: the file ends within a sample", line.offset));
            }
            has_modules |= has_module;
            if text.trim().is_empty() || is_record(text) {
                samples.end()?;
            } else if text.starts_with('#') {
                continue;
            } else if is_bare {
                samples.bare(text)?;
            } else if let Some((sample, only)) = Sample::read(text).or_else(|| samples.timeless(text)) {
                samples.end()?;
                samples.open = Some(sample);
                samples.only = only;
            } else if let Some(frame) = frame(text).filter(|_| samples.open.is_some()) {
                samples.frames.push(frame);
            } else {
                lost += 1;
            }
        }
        samples.end()?;
        run.manifest().partial = partial::label(cut.as_slice(), inputs);
        if samples.read == 0 {
            return Err(input.broken(0, "no sample: expected lines such as `prog 123 4.5: 1000 cpu-clock:`"));
        }
        if lost > 0 {
            samples
                .builder
                .note(format!("{lost} lines are neither samples nor frames, and were passed over"));
        }
        Ok(samples.builder.finish(run)?)
    }
}

/// Samples that become a profile.
struct Samples {
    builder: Builder,
    /// By event, and whether samples of it have a period.
    metrics: HashMap<(String, bool), u32>,
    /// Processes by their numbers: ranks in the order in which they occur.
    processes: HashMap<Option<i64>, i64>,
    open: Option<Sample>,
    /// What stands in its first line: the frame of a sample without a stack, else an address that was asked for.
    only: Option<Frame>,
    frames: Vec<Frame>,
    read: u64,
}

impl Samples {
    /// A sample without a time, where the line cannot be a frame of the one that is open.
    fn timeless(&self, text: &str) -> Option<(Sample, Option<Frame>)> {
        if self.open.is_some() && frame(text).is_some() {
            return None;
        }
        Sample::timeless(text)
    }

    /// A line where nobody asked for times and events: a frame, or who was sampled, if that was asked for.
    fn bare(&mut self, text: &str) -> Result<(), ImportError> {
        let nobody = || Sample { pid: None, tid: 0, event: "samples".to_owned(), period: None };
        match frame(text) {
            Some(frame) => {
                self.open.get_or_insert_with(nobody);
                self.frames.push(frame);
            }
            None => {
                self.end()?;
                let (pid, tid) = text.split_whitespace().skip(1).find_map(ids).unwrap_or((None, 0));
                self.open = Some(Sample { pid, tid, ..nobody() });
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), ImportError> {
        let Some(sample) = self.open.take() else { return Ok(()) };
        let next = self.processes.len() as i64;
        let rank = *self.processes.entry(sample.pid).or_insert(next);
        let place = self.builder.place(rank, sample.tid);
        let builder = &mut self.builder;
        // Without a period a sample is one event, however long that is.
        let event = (sample.event, sample.period.is_some());
        let metric = *self.metrics.entry(event).or_insert_with_key(|(event, has_period)| {
            let is_time = event.contains("cpu-clock") || event.contains("task-clock");
            builder.metric(event, if is_time && *has_period { Unit::Ns } else { Unit::Count }, Given::Own)
        });
        let only = self.only.take();
        if self.frames.is_empty() {
            self.frames.push(only.unwrap_or_else(|| Frame::function("[no stack]")));
        }
        let node = path_node(builder, self.frames.drain(..).rev())?;
        builder.add(metric, place, node, sample.period.unwrap_or(1));
        self.read += 1;
        Ok(())
    }
}

/// The first line of a sample.
#[derive(Debug, PartialEq)]
struct Sample {
    /// Not always said.
    pid: Option<i64>,
    tid: i64,
    event: String,
    period: Option<i64>,
}

impl Sample {
    /// `comm  pid/tid [cpu] flags seconds.fraction:  period event:`, of which most may be missing. Samples without a stack
    /// have their only frame in the same line.
    fn read(text: &str) -> Option<(Self, Option<Frame>)> {
        // Frames begin with a tab, and most lines are such.
        if text.starts_with('\t') || !text.contains(": ") && !text.ends_with(':') {
            return None;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        // The time is the first number with a point and a colon: the name of the program may hold anything else.
        let is_time = |word: &&str| {
            let number = word.strip_suffix(':').and_then(|word| word.split_once('.'));
            number.is_some_and(|(a, b)| is_digits(a) && is_digits(b))
        };
        let time = words.iter().position(is_time)?;
        let (pid, tid) = words.get(..time)?.iter().rev().find_map(|word| ids(word))?;
        let mut rest = words.get(time + 1..)?.iter();
        let Some(first) = rest.next() else {
            // Nobody asked for the event.
            return Some((Sample { pid, tid, event: "samples".to_owned(), period: None }, None));
        };
        let (period, event) = match first.parse::<i64>() {
            Ok(period) => (Some(period), *rest.next()?),
            Err(_) => (None, *first),
        };
        let event = event.strip_suffix(':')?.trim_end_matches(':');
        let rest: Vec<&str> = rest.copied().collect();
        let frame = frame(&format!(" {}", rest.join(" ")));
        Some((Sample { pid, tid, event: event.to_owned(), period }, frame))
    }

    /// The same of a line without a time: `comm  pid/tid [cpu] period event:`. The event is the first word with a colon
    /// behind a number.
    fn timeless(text: &str) -> Option<(Self, Option<Frame>)> {
        if text.starts_with('\t') {
            return None;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_event =
            |word: &&str| word.ends_with(':') && word.starts_with(|first: char| first.is_alphabetic());
        let begin = words.iter().skip(1).position(|word| ids(word).is_some())? + 1;
        let at = words.iter().skip(begin).position(is_event)? + begin;
        let is_cpu = |word: &str| word.starts_with('[') && word.ends_with(']');
        let mut before = words.get(begin..at)?.iter().rev().filter(|word| !is_cpu(word));
        let (last, other) = (before.next()?, before.next());
        let ((pid, tid), period) = match other.and_then(|word| ids(word)) {
            Some(ids) => (ids, Some(last.parse::<i64>().ok()?)),
            None => (ids(last)?, None),
        };
        let event = words.get(at)?.trim_end_matches(':').to_owned();
        let frame = frame(&format!(" {}", words.get(at + 1..)?.join(" ")));
        Some((Sample { pid, tid, event, period }, frame))
    }
}

/// `pid/tid`; a number alone is that of a thread. Who is gone already is -1.
fn ids(word: &str) -> Option<(Option<i64>, i64)> {
    let number = |word: &str| word.parse::<i64>().ok().filter(|n| (-1..MOST_RANKS).contains(n));
    match word.split_once('/') {
        Some((pid, tid)) => Some((Some(number(pid)?), number(tid)?)),
        None => Some((None, number(word)?)),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `   address symbol+0xoffset (dso)`.
fn frame(text: &str) -> Option<Frame> {
    if !text.starts_with([' ', '\t']) {
        return None;
    }
    let (address, rest) = text.trim_start().split_once([' ', '\t'])?;
    u64::from_str_radix(address, 16).ok()?;
    let rest = rest.trim();
    let (symbol, module) = bracketed(rest).unwrap_or((rest, ""));
    let module = module.strip_suffix(" (deleted)").unwrap_or(module);
    let (symbol, inlined) = match module {
        "inlined" => (symbol, true),
        _ => (symbol, false),
    };
    let name = match symbol.rsplit_once("+0x") {
        Some((name, offset)) if u64::from_str_radix(offset, 16).is_ok() => name,
        _ => symbol,
    };
    let module = if inlined { "" } else { module };
    Some(Frame { module: module.to_owned(), ..Frame::function(name.trim()) })
}

/// A text, and what stands in the brackets at its end; there may be others inside.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_suffix(')')?;
    let mut open = 1;
    let at = inside.bytes().rposition(|byte| {
        open += i32::from(byte == b')') - i32::from(byte == b'(');
        open == 0
    })?;
    Some((inside.get(..at)?.strip_suffix(' ')?, inside.get(at + 1..)?))
}

/// What happened beside samples (`--show-mmap-events` and so on): `comm pid time: PERF_RECORD_MMAP2 …`.
fn is_record(text: &str) -> bool {
    !text.starts_with('\t') && text.contains(" PERF_RECORD_")
}

/// Whether samples have neither time nor event (`-F comm,pid,tid,ip,sym`): all lines are either frames, as perf aligns them, or
/// stand alone before some.
fn is_bare(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !is_record(line)).collect();
    // The last one may be cut.
    let lines = lines.get(..lines.len().saturating_sub(1)).unwrap_or_default();
    let is_frame = |line: &str| {
        let address = line.strip_prefix('\t').and_then(|line| line.split_at_checked(16));
        address.is_some_and(|(address, rest)| {
            rest.starts_with(' ') && u64::from_str_radix(address.trim_start(), 16).is_ok()
        })
    };
    let is_who = |line: &str| Sample::read(line).is_none() && Sample::timeless(line).is_none();
    let mut before = "";
    for line in lines {
        let is_fine = match line.starts_with('\t') {
            true => is_frame(line),
            false => line.trim().is_empty() || before.trim().is_empty() && is_who(line),
        };
        if !is_fine {
            return false;
        }
        before = line;
    }
    lines.iter().any(|line| is_frame(line))
}

fn detect(head: &Head<'_>) -> Confidence {
    let text = String::from_utf8_lossy(head.bytes);
    if is_bare(head.bytes) {
        return Confidence::percent(70);
    }
    let is_said = |line: &&str| !line.starts_with('#') && !line.trim().is_empty() && !is_record(line);
    let mut lines = text.lines().filter(is_said);
    match (lines.next(), lines.next()) {
        (Some(first), Some(second)) => match (Sample::read(first).is_some(), frame(second)) {
            (true, Some(_)) => Confidence::percent(95),
            (true, None) if Sample::read(second).is_some() => Confidence::percent(60),
            (false, Some(_)) if second.starts_with('\t') && Sample::timeless(first).is_some() => {
                Confidence::percent(85)
            }
            _ => Confidence::NONE,
        },
        _ => Confidence::NONE,
    }
}
