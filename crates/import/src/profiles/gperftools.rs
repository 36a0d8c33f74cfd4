//! CPU profiles of gperftools: machine words, a record for each stack, then the memory map of the process as text.

use std::io::Read;

use crosscut_calls::{Frame, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::{HashMap, HashMapExt};

use super::builder;
use super::bytes::Bytes;
use super::code::{Code, Identity, Stacks, Step};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Options, Reader};
use crate::stream::{Stream, failed};

/// Words of the header behind the first two.
const HEADER: u64 = 3;
/// The second frame is the handler of the signal when it is the same in all but one of so many samples.
const NEARLY_ALL: u64 = 20;

/// The reader.
pub struct Gperftools;

impl Reader for Gperftools {
    fn name(&self) -> &'static str {
        "gperftools"
    }

    fn title(&self) -> &'static str {
        "gperftools CPU profile"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        inputs.detect_one(|head| match Words::all().any(|words| words.begins(head.bytes)) {
            true => Confidence::percent(95),
            false => Confidence::NONE,
        })
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let head = input.head()?;
        let Some(words) = Words::all().find(|words| words.begins(&head)) else {
            return Err(input.broken(0, "not a CPU profile of gperftools: it begins otherwise"));
        };
        let (is_java, period) = (words.get(&head, 2) == Some(1), words.get(&head, 3).unwrap_or(0));
        // First to the end of the records, to see what lies behind them.
        let (mut handlers, mut deep) = (HashMap::<u64, u64>::new(), 0u64);
        let end = words.records(input, &head, |_, _, pcs| {
            if let Some(&second) = pcs.get(1) {
                *handlers.entry(second).or_default() += 1;
                deep += 1;
            }
            Ok(())
        })?;
        let text = Bytes::part(input, end, input.size() - end)?;
        let text = String::from_utf8_lossy(text.slice(end, input.size() - end)?).into_owned();
        let names = if is_java { java_names(&text) } else { HashMap::new() };
        let mappings = if is_java { Vec::new() } else { mappings(&text) };
        let handler = handlers.into_iter().max_by_key(|&(pc, count)| (count, pc));
        let handler =
            handler.filter(|&(_, count)| deep > 1 && !is_java && (deep - count) * NEARLY_ALL <= deep);
        let mut builder = builder(self.title());
        let (metric, samples) = (
            builder.metric("time", Unit::Ns, Given::Own),
            builder.metric("samples", Unit::Count, Given::Own),
        );
        let place = builder.place(0, 0);
        let measured = input.path().metadata().and_then(|about| about.modified()).ok();
        let mut stacks = Stacks::default();
        let one = period.checked_mul(1000).and_then(|ns| i64::try_from(ns).ok());
        let one =
            one.ok_or_else(|| input.broken(words.at(3), format!("a period of {period} microseconds")))?;
        words.records(input, &head, |at, count, pcs| {
            let mut node = 0;
            for (depth, &pc) in pcs.iter().enumerate().rev() {
                if depth == 1 && handler.is_some_and(|(handler, _)| handler == pc) {
                    continue;
                }
                let step = match names.get(&pc) {
                    Some(frame) => Step::Frame(frame.clone()),
                    None => Step::Code(code(&mappings, pc, depth > 0 && !is_java, measured, &mut stacks)),
                };
                node = stacks.node(node, step);
            }
            let count = i64::try_from(count).ok();
            let value = count.and_then(|count| Some((count, count.checked_mul(one)?)));
            let (count, time) = value.ok_or_else(|| input.broken(at, "a count that is too large"))?;
            let added = stacks.add(metric, place, node, time).and(stacks.add(samples, place, node, count));
            added.map_err(|what| input.broken(at, what))
        })?;
        if handler.is_some() {
            builder.note("the second frame is the same in nearly all samples: the handler of the profiler's signal; it was left out");
        }
        stacks.put(&mut builder)?;
        Ok(builder.finish(run)?)
    }
}

/// How numbers are stored.
#[derive(Clone, Copy)]
struct Words {
    size: usize,
    big: bool,
}

impl Words {
    fn all() -> impl Iterator<Item = Words> {
        [(8, false), (4, false), (8, true), (4, true)].map(|(size, big)| Words { size, big }).into_iter()
    }

    /// Where a word is.
    fn at(self, number: u64) -> u64 {
        number.saturating_mul(self.size as u64)
    }

    fn word(self, bytes: &[u8]) -> u64 {
        let join = |word: u64, &byte: &u8| word << 8 | u64::from(byte);
        match self.big {
            true => bytes.iter().fold(0, join),
            false => bytes.iter().rev().fold(0, join),
        }
    }

    fn get(self, bytes: &[u8], number: usize) -> Option<u64> {
        let at = number.checked_mul(self.size)?;
        Some(self.word(bytes.get(at..at.checked_add(self.size)?)?))
    }

    /// Five words: 0, how many follow, whether it is of Java, the period, 0.
    fn begins(self, head: &[u8]) -> bool {
        let words: Option<Vec<u64>> = (0..5).map(|number| self.get(head, number)).collect();
        matches!(words.as_deref(), Some([0, HEADER, 0 | 1, period, 0]) if *period > 0)
    }

    /// All records, each with where it begins, its count and its addresses, the innermost first. Says where they end.
    fn records(
        self,
        input: &Input<'_>,
        head: &[u8],
        mut record: impl FnMut(u64, u64, &[u64]) -> Result<(), ImportError>,
    ) -> Result<u64, ImportError> {
        let mut stream = Stream::new(input);
        let mut at = 0;
        let mut next = |what: &str| -> Result<u64, ImportError> {
            let mut bytes = [0; 8];
            let word = bytes.get_mut(..self.size).unwrap_or_default();
            if input.size() - at < self.size as u64 {
                return Err(
                    input.broken(at, format!("the file ends where {what} should be: it is cut short"))
                );
            }
            stream.read_exact(word).map_err(|error| failed(input, error))?;
            at += self.size as u64;
            Ok(self.word(word))
        };
        let mut read = 0;
        for _ in 0..self.get(head, 1).unwrap_or(HEADER).saturating_add(2) {
            next("the header")?;
            read += 1;
        }
        let mut pcs = Vec::new();
        loop {
            let begin = self.at(read);
            let (count, depth) = (next("a count")?, next("a number of addresses")?);
            if depth > (input.size() - begin) / self.size as u64 {
                return Err(input.broken(begin, format!("{depth} addresses: more than the file has")));
            }
            pcs.clear();
            for _ in 0..depth {
                pcs.push(next("an address")?);
            }
            read += 2 + depth;
            if count == 0 && pcs == [0] {
                return Ok(self.at(read));
            }
            record(begin, count, &pcs)?;
        }
    }
}

/// A range of memory that shows a file.
struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    inode: u64,
    path: String,
}

/// `START-END PERMISSIONS OFFSET DEVICE INODE PATH`; other lines are none.
fn mappings(text: &str) -> Vec<Mapping> {
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    let parse = |line: &str| {
        let mut fields = line.split_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let (_permissions, offset, _device, inode) =
            (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let path = line.find('/').and_then(|at| line.get(at..)).or_else(|| fields.next()).unwrap_or("");
        let (start, end, offset) = (hex(start)?, hex(end)?, hex(offset)?);
        let path = path.trim().to_owned();
        (start < end).then_some(Mapping { start, end, offset, inode: inode.parse().unwrap_or(0), path })
    };
    let mut all: Vec<Mapping> = text.lines().filter_map(parse).collect();
    all.sort_by_key(|mapping| mapping.start);
    all
}

fn code(
    mappings: &[Mapping],
    pc: u64,
    is_return: bool,
    measured: Option<std::time::SystemTime>,
    stacks: &mut Stacks,
) -> Code {
    let after = mappings.partition_point(|mapping| mapping.start <= pc);
    let found = mappings.get(..after).and_then(<[Mapping]>::last).filter(|mapping| pc < mapping.end);
    let Some(mapping) = found else {
        return Code { module: stacks.module("", Identity::default), offset: pc, is_return };
    };
    let is_gone = mapping.path.ends_with(" (deleted)");
    let identity = || if is_gone { Identity::Unknown } else { Identity::Inode(mapping.inode, measured) };
    let module = stacks.module(&mapping.path, identity);
    Code { module, offset: (pc - mapping.start).saturating_add(mapping.offset), is_return }
}

/// `0xID name (file:line)`, the names that Java gave to its code.
fn java_names(text: &str) -> HashMap<u64, Frame> {
    let mut names = HashMap::new();
    for line in text.lines() {
        let Some((id, rest)) = line.trim().split_once(' ') else { continue };
        let Some(id) = id.strip_prefix("0x").and_then(|id| u64::from_str_radix(id, 16).ok()) else {
            continue;
        };
        let (name, place) = rest.rsplit_once(" (").unwrap_or((rest, ""));
        let (file, _line) = place.trim_end_matches(')').rsplit_once(':').unwrap_or(("", ""));
        names.insert(id, Frame { name: name.trim().to_owned(), file: file.to_owned(), ..Frame::default() });
    }
    names
}
