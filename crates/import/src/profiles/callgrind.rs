//! Callgrind's output: functions with what each of their lines cost, and calls with what they cost in all. Names are written
//! once and then by number, positions as differences to the line before.

mod names;
mod units;

use std::collections::{BTreeMap, BTreeSet};

use crosscut_calls::{Builder, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::HashMap;

use super::graph::{Graph, Roots, Told};
use super::{MOST_RANKS, builder, lines::Lines, plain};
use crate::error::ImportError;
use crate::inputs::{FoundFile, Inputs};
use crate::partial;
use crate::reader::{Confidence, Head, Options, Reader};
use names::Names;
use units::{Measure, Units};

/// More events than any machine counts at once.
const MOST_EVENTS: usize = 256;

/// So many lines of a file are looked at for who wrote it.
const MOST_HEADERS: usize = 32;
/// So many parts that are missing are named.
const MOST_NAMED: usize = 8;

/// The reader.
pub struct Callgrind;

impl Reader for Callgrind {
    fn name(&self) -> &'static str {
        "callgrind"
    }

    fn title(&self) -> &'static str {
        "callgrind, one file or those of all threads"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        match inputs.files().len() {
            1 => plain::detect(inputs, detect),
            // A folder may hold files of several runs, and other files too: all have to have the name.
            _ if self.gathers(inputs) => Ok(Confidence::percent(80)),
            _ => Ok(Confidence::NONE),
        }
    }

    fn gathers(&self, inputs: &Inputs<'_>) -> bool {
        let is_named = |name: &str| name.starts_with("callgrind.out");
        let name =
            |path: &std::path::Path| path.file_name().is_some_and(|name| name.to_str().is_some_and(is_named));
        !inputs.files().is_empty()
            && (inputs.files().iter().all(|file| name(&file.path)) || are_of_one_program(inputs))
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let mut profile = Profile { builder: builder("callgrind"), metrics: Vec::new(), calls: None };
        let (mut graphs, mut missing, mut dumps) = (Vec::new(), Vec::new(), Dumps::default());
        for file in inputs.files() {
            let input = inputs.open(file)?;
            let mut lines = Lines::open(&input)?;
            // Parts of a thread are added up, whichever file they are in.
            let mut reading = Reading { parts: std::mem::take(&mut graphs), ..Reading::default() };
            while let Some(line) = lines.next()? {
                let at = line.offset;
                if let Err(what) = reading.line(&line.text) {
                    return Err(lines.broken(at, what));
                }
            }
            reading.finish().map_err(|what| lines.broken(input.size(), what))?;
            missing.extend(reading.missing.iter().map(|what| format!("{}: {what}", input.name())));
            for (pid, parts) in reading.dumps {
                dumps.entry(pid).or_default().extend(parts);
            }
            graphs = reading.parts;
        }
        if graphs.iter().all(|part| part.is_empty()) {
            let Some(first) = inputs.files().first() else { return Err(inputs.not_a_file()) };
            return Err(inputs.open(first)?.broken(0, "no function has a cost"));
        }
        for note in missing.iter().cloned().chain(not_in_it(&dumps)) {
            profile.builder.note(note);
        }
        run.manifest().partial = partial::label(&missing, inputs);
        let mut processes: HashMap<i64, i64> = HashMap::default();
        let mut told = Told::default();
        let mut all = 0i64;
        for part in graphs.into_iter().filter(|part| !part.is_empty()) {
            let (metrics, calls) = profile.metrics(&part.measures);
            let next = processes.len() as i64;
            let rank = *processes.entry(part.pid).or_insert(next);
            let place = profile.builder.place(rank, part.thread);
            let one = part.measures.first().map_or(1, |measure| measure.one);
            all = all.saturating_add(part.sums.first().copied().unwrap_or(0).saturating_mul(one));
            told.add(part.graph.put(&mut profile.builder, place, &metrics, calls)?);
        }
        told.note(&mut profile.builder, all);
        Ok(profile.builder.finish(run)?)
    }
}

/// Numbers of the parts that were seen of each process: callgrind may write what it has and begin anew, many times.
type Dumps = BTreeMap<i64, BTreeSet<i64>>;

/// What to say of processes of which parts are not there.
fn not_in_it(dumps: &Dumps) -> impl Iterator<Item = String> {
    dumps.values().filter_map(|seen| {
        let last = *seen.last()?;
        let missing: Vec<i64> = (1..last).filter(|part| !seen.contains(part)).take(MOST_NAMED + 1).collect();
        let names: Vec<String> = missing.iter().take(MOST_NAMED).map(i64::to_string).collect();
        let more = if missing.len() > MOST_NAMED { ", …" } else { "" };
        let (what, are) = if missing.len() > 1 { ("parts", "are") } else { ("part", "is") };
        (!missing.is_empty()).then(|| {
            format!(
                "this goes up to part {last} of a program that wrote its profile in parts: {what} {}{more} {are} not in \
                 it. Name the files of all parts together to add them up",
                names.join(", "),
            )
        })
    })
}

/// Whether all files that are not empty are of one process, as those of its threads and parts are.
fn are_of_one_program(inputs: &Inputs<'_>) -> bool {
    let mut program = None;
    for file in inputs.files().iter().filter(|file| file.size > 0) {
        let Some(of) = program_of(inputs, file) else { return false };
        if *program.get_or_insert_with(|| of.clone()) != of {
            return false;
        }
    }
    program.is_some()
}

/// The process and the command of a file that callgrind wrote.
fn program_of(inputs: &Inputs<'_>, file: &FoundFile) -> Option<(String, String)> {
    let (bytes, _) = plain::head(&inputs.open(file).ok()?).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let header = |key: &str| {
        let value = text.lines().take(MOST_HEADERS).find_map(|line| line.strip_prefix(key));
        value.map(|value| value.trim().to_owned())
    };
    header("creator:").filter(|creator| creator.starts_with("callgrind"))?;
    Some((header("pid:")?, header("cmd:")?))
}

/// The run's profile and the metrics that it has already.
struct Profile {
    builder: Builder,
    metrics: Vec<(Measure, u32)>,
    calls: Option<u32>,
}

impl Profile {
    /// Metrics of events, and that of calls.
    fn metrics(&mut self, measures: &[Measure]) -> (Vec<u32>, u32) {
        let mut numbers = Vec::with_capacity(measures.len());
        for measure in measures {
            let number = match self.metrics.iter().find(|(known, _)| known == measure) {
                Some(&(_, number)) => number,
                None => {
                    let number = self.builder.metric(&measure.name, measure.unit, Given::Own);
                    self.metrics.push((measure.clone(), number));
                    number
                }
            };
            numbers.push(number);
        }
        let calls = *self.calls.get_or_insert_with(|| self.builder.metric("calls", Unit::Count, Given::Own));
        (numbers, calls)
    }
}

/// What one thread did.
struct Part {
    pid: i64,
    thread: i64,
    /// By event: what it is.
    measures: Vec<Measure>,
    graph: Graph,
    /// Of all lines, as the file has them.
    sums: Vec<i64>,
}

impl Part {
    fn is_empty(&self) -> bool {
        self.sums.iter().all(|&sum| sum == 0)
    }
}

/// What the next line of numbers is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    #[default]
    Own,
    /// Of a call: its count and the function that is called.
    Call(i64, u32),
    /// Of a jump: nothing but where it is.
    Jump,
}

/// A file, line by line.
#[derive(Default)]
struct Reading {
    pid: i64,
    thread: i64,
    parts: Vec<Part>,
    /// The part that lines belong to, once it has events.
    part: Option<usize>,
    positions: usize,
    writer: Writer,
    units: Units,
    /// Whether costs stand there of which nothing has said yet what they add up to.
    is_open: bool,
    names: Names,
    function: Option<u32>,
    called: Option<u32>,
    next: Next,
    /// Positions and costs of the line before.
    base: Vec<i64>,
    costs: Vec<i64>,
    /// The same in the units of the metrics.
    scaled: Vec<i64>,
    /// What the part had before these lines: a file may hold several of the same thread, one behind the other.
    before: Vec<i64>,
    /// Why something is missing in the file.
    missing: Vec<String>,
    dumps: Dumps,
}

/// Who wrote a file, as far as it matters for how it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Writer {
    /// Nothing has to follow.
    #[default]
    Other,
    /// `totals:` stand behind the lines of each part.
    Callgrind,
    /// `summary:` stands at the end, with what all lines add up to.
    Cachegrind,
    /// The same, with what was measured otherwise.
    Xdebug,
}

impl Reading {
    fn line(&mut self, text: &str) -> Result<(), String> {
        let text = text.trim();
        match text.as_bytes().first() {
            None | Some(b'#') => Ok(()),
            Some(b'0'..=b'9' | b'+' | b'-' | b'*') => self.numbers(text),
            Some(_) => match text.find(['=', ':']) {
                Some(at) if text.as_bytes().get(at) == Some(&b'=') => {
                    self.name(&text[..at], text[at + 1..].trim())
                }
                Some(at) => self.header(&text[..at], text[at + 1..].trim()),
                None => Err(format!("a line that is none of callgrind's: {text:.60}")),
            },
        }
    }

    fn header(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = |value: &str| value.parse().ok().filter(|number| (0..MOST_RANKS).contains(number));
        match key {
            "creator" => {
                self.writer = match value {
                    _ if value.starts_with("callgrind") => Writer::Callgrind,
                    _ if value.starts_with("xdebug") => Writer::Xdebug,
                    _ => Writer::Other,
                }
            }
            // It does not say who it is, but what it simulated.
            "desc" if self.writer == Writer::Other && value.starts_with("I1 cache") => {
                self.writer = Writer::Cachegrind;
            }
            "pid" => {
                self.pid = number(value).ok_or_else(|| format!("no number of a process: {value:.40}"))?
            }
            "version" => self.part = None,
            "part" => {
                self.part = None;
                self.dumps.entry(self.pid).or_default().extend(number(value));
            }
            "thread" => {
                self.thread = number(value).ok_or_else(|| format!("no number of a thread: {value:.40}"))?;
                self.part = None;
            }
            "positions" => {
                self.positions = value.split_whitespace().count();
                self.base.resize(self.positions.max(1), 0);
            }
            "event" => self.units.describe(value),
            "events" => {
                self.begin(value.split_whitespace().map(|event| self.units.measure(event)).collect())?
            }
            "totals" => self.check_totals(value)?,
            "summary" if self.writer == Writer::Cachegrind => self.check_totals(value)?,
            "summary" if self.writer == Writer::Xdebug => self.is_open = false,
            _ => {}
        }
        Ok(())
    }

    /// Costs are those of these events from here on.
    fn begin(&mut self, measures: Vec<Measure>) -> Result<(), String> {
        if measures.is_empty() || measures.len() > MOST_EVENTS {
            return Err(format!("{} events", measures.len()));
        }
        self.end_part();
        let same =
            |part: &Part| part.pid == self.pid && part.thread == self.thread && part.measures == measures;
        let known = self.parts.iter().position(same);
        self.base = vec![0; self.positions.max(1)];
        self.costs = vec![0; measures.len()];
        (self.function, self.called, self.next) = (None, None, Next::Own);
        self.part = Some(known.unwrap_or(self.parts.len()));
        if known.is_none() {
            let sums = vec![0; measures.len()];
            let graph = Graph::new(measures.len(), Roots::Rest { rounded: 0 });
            self.parts.push(Part { pid: self.pid, thread: self.thread, measures, graph, sums });
        }
        self.before =
            self.part.and_then(|part| self.parts.get(part)).map_or(Vec::new(), |part| part.sums.clone());
        Ok(())
    }

    fn graph(&mut self) -> Result<&mut Part, String> {
        let part = self.part.and_then(|part| self.parts.get_mut(part));
        part.ok_or_else(|| "costs before a line `events:` that says of what".to_owned())
    }

    fn name(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "calls" => return self.calls(value),
            "jump" | "jcnd" => {
                self.next = Next::Jump;
                return Ok(());
            }
            _ => {}
        }
        self.names.set(key, value)?;
        match key {
            "fn" => {
                let frame = self.names.function();
                self.function = Some(self.graph()?.graph.function(&frame));
            }
            "cfn" => {
                let frame = self.names.called();
                self.called = Some(self.graph()?.graph.function(&frame));
            }
            _ => {}
        }
        Ok(())
    }

    /// `calls=count target`: what is called was named before.
    fn calls(&mut self, value: &str) -> Result<(), String> {
        let count = value.split_whitespace().next().and_then(number);
        let count = count.ok_or_else(|| format!("no number of calls: {value:.40}"))?;
        let called = self.called.take().ok_or("calls of a function that is not named: `cfn=` is missing")?;
        self.names.forget_called();
        self.next = Next::Call(count, called);
        Ok(())
    }

    /// Positions, then costs.
    fn numbers(&mut self, text: &str) -> Result<(), String> {
        let mut words = text.split_whitespace();
        for base in &mut self.base {
            let Some(word) = words.next() else { return Err(format!("a position is missing: {text:.60}")) };
            *base = relative(word, *base).ok_or_else(|| format!("no position: {word:.40}"))?;
        }
        let next = std::mem::take(&mut self.next);
        if next == Next::Jump {
            return Ok(());
        }
        let (part, function) = (self.part, self.function);
        let part = part.and_then(|part| self.parts.get_mut(part));
        let part = part.ok_or("costs before a line `events:` that says of what")?;
        let function = function.ok_or("costs of a function that is not named: `fn=` is missing")?;
        for cost in &mut self.costs {
            // Costs at the end that are zero are left out.
            *cost = match words.next() {
                Some(word) => relative(word, *cost).ok_or_else(|| format!("no cost: {word:.40}"))?,
                None => 0,
            };
            if *cost < 0 {
                return Err(format!("a cost below zero: {text:.60}"));
            }
        }
        if let Some(word) = words.next() {
            return Err(format!("more costs than there are events: {word:.40}"));
        }
        let too_large = "costs are too large to be added up";
        self.scaled.clear();
        self.is_open = true;
        for (&cost, measure) in self.costs.iter().zip(&part.measures) {
            self.scaled.push(cost.checked_mul(measure.one).ok_or(too_large)?);
        }
        if let Next::Call(count, called) = next {
            part.graph.call(function, called, count, &self.scaled);
            return Ok(());
        }
        let all = self.costs.iter().zip(&self.scaled).zip(&mut part.sums);
        for (metric, ((&cost, &scaled), sum)) in all.enumerate() {
            part.graph.spent(function, metric, scaled);
            *sum = sum.checked_add(cost).ok_or(too_large)?;
        }
        Ok(())
    }

    /// What the file says that its lines add up to.
    fn check_totals(&mut self, value: &str) -> Result<(), String> {
        self.is_open = false;
        let totals: Vec<Option<i64>> = value.split_whitespace().map(number).collect();
        let before = self.before.clone();
        let sums: Vec<i64> =
            self.graph()?.sums.iter().zip(&before).map(|(sum, before)| sum - before).collect();
        let fits = sums.iter().zip(&totals).all(|(&sum, &total)| Some(sum) == total);
        if !fits {
            let sums: Vec<String> = sums.iter().map(i64::to_string).collect();
            let what = format!("its lines add up to {}, but it says {value:.200}", sums.join(" "));
            self.missing.push(what);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), String> {
        if matches!(self.next, Next::Call(..)) {
            return Err("the file ends before the cost of a call".to_owned());
        }
        self.end_part();
        Ok(())
    }

    /// What costs add up to has to be said behind them by those who say it.
    fn end_part(&mut self) {
        let line = match self.writer {
            Writer::Other => return,
            Writer::Callgrind => "totals:",
            Writer::Cachegrind | Writer::Xdebug => "summary:",
        };
        if std::mem::take(&mut self.is_open) {
            self.missing.push(format!("the line `{line}` at its end is missing: the file may be cut short"));
        }
    }
}

/// A number, also with `0x`.
fn number(word: &str) -> Option<i64> {
    match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// A number, or the difference to the one before, or `*` where it is the same. Addresses use all bits.
fn relative(word: &str, before: i64) -> Option<i64> {
    match word.as_bytes().first()? {
        b'*' => Some(before),
        b'+' => before.checked_add(number(&word[1..])?),
        b'-' => before.checked_sub(number(&word[1..])?),
        _ => match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok().map(|address| address as i64),
            None => word.parse().ok(),
        },
    }
}

fn detect(head: &Head<'_>) -> Confidence {
    let text = String::from_utf8_lossy(head.bytes);
    if text.starts_with("# callgrind format") {
        return Confidence::CERTAIN;
    }
    let mut lines = text.lines().map(str::trim);
    let has_events = lines.any(|line| line.starts_with("events:"));
    match has_events && lines.any(|line| line.starts_with("fn=") || line.starts_with("fl=")) {
        true => Confidence::percent(90),
        false => Confidence::NONE,
    }
}
