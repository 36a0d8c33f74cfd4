//! What `perf script` prints: for each sample a line that says who and when, then its frames, innermost first, then an empty
//! line.

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::{HashMap, HashMapExt};

use super::{MOST_RANKS, builder, lines::Lines, path_node, plain};
use crate::error::ImportError;
use crate::inputs::Inputs;
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
        let (mut lost, mut lines) = (0u64, Lines::open(input)?);
        while let Some(line) = lines.next()? {
            let text = &*line.text;
            if text.trim().is_empty() {
                samples.end()?;
            } else if text.starts_with('#') {
                continue;
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

/// `pid/tid`; a number alone is that of a thread.
fn ids(word: &str) -> Option<(Option<i64>, i64)> {
    let number = |word: &str| word.parse::<i64>().ok().filter(|n| (0..MOST_RANKS).contains(n));
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

fn detect(head: &Head<'_>) -> Confidence {
    let text = String::from_utf8_lossy(head.bytes);
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
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
