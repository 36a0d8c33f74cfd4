//! What gprof prints: a flat table of functions, and for each function who called it and what it called. Seconds have two
//! digits behind the point, and are shared among callers by numbers of calls.

use crosscut_calls::{Frame, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::HashMap;

use super::graph::{Graph, Roots};
use super::{builder, lines::Lines, plain};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Head, Options, Reader};

/// The title of the flat table.
const FLAT: &str = "Flat profile:";

/// Whether a line is the title of the call graph; `-b` leaves out that an explanation follows.
fn is_graph(line: &str) -> bool {
    line.strip_prefix("Call graph").is_some_and(|rest| rest.is_empty() || rest == " (explanation follows)")
}

/// The reader.
pub struct Gprof;

impl Reader for Gprof {
    fn name(&self) -> &'static str {
        "gprof"
    }

    fn title(&self) -> &'static str {
        "gprof, text"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let tables = Tables::read(input)?;
        let mut builder = builder(self.title());
        let place = builder.place(0, 0);
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let calls = builder.metric("calls", Unit::Count, Given::Own);
        if let Some(each) = tables.sample {
            builder.note(format!("one sample is {each} s, and seconds have two digits in this file"));
        }
        if tables.blocks.is_empty() {
            builder.note("the file has no call graph: its functions stand side by side");
            for row in &tables.flat {
                let frame = builder.frame(Frame::function(&row.name));
                let node = builder.node(0, frame)?;
                builder.add(metric, place, node, row.own);
                builder.add(calls, place, node, row.calls);
            }
            return Ok(builder.finish(run)?);
        }
        let (graph, all) = tables.graph();
        let told = graph.put(&mut builder, place, &[metric], calls)?;
        told.note(&mut builder, all);
        Ok(builder.finish(run)?)
    }
}

/// A row of the flat table.
struct Row {
    name: String,
    own: i64,
    calls: i64,
}

/// A function of the call graph.
#[derive(Default)]
struct Block {
    index: u64,
    name: String,
    own: i64,
    /// All calls, and those by itself.
    calls: i64,
    again: i64,
    is_root: bool,
    callees: Vec<Callee>,
}

struct Callee {
    index: u64,
    cost: i64,
    count: i64,
}

/// Both tables.
#[derive(Default)]
struct Tables {
    sample: Option<f64>,
    flat: Vec<Row>,
    blocks: Vec<Block>,
}

/// Where in the file a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Before,
    FlatHead,
    Flat,
    GraphHead,
    Graph,
    After,
}

impl Tables {
    fn read(input: &Input<'_>) -> Result<Self, ImportError> {
        let (mut tables, mut part, mut block) = (Tables::default(), Part::Before, Reading::default());
        let mut lines = Lines::open(input)?;
        while let Some(line) = lines.next()? {
            let (at, text) = (line.offset, line.text.trim_end().to_owned());
            let bare = text.trim_start_matches(['\u{c}', ' ', '\t']);
            let wrong = |what: &str| Err(lines.broken(at, format!("{what}: {bare:.60}")));
            match part {
                _ if bare.starts_with(FLAT) => part = Part::FlatHead,
                _ if is_graph(bare) => part = Part::GraphHead,
                Part::FlatHead if bare.starts_with("Each sample counts as") => {
                    tables.sample = bare.split_whitespace().find_map(|word| word.parse().ok());
                }
                // The second line of the heading: rows follow.
                Part::FlatHead if bare.starts_with("time ") && bare.ends_with("name") => part = Part::Flat,
                Part::Flat if bare.is_empty() => part = Part::After,
                Part::Flat => match Row::read(bare) {
                    Some(row) => tables.flat.push(row),
                    None => return wrong("a row of the flat profile that is none"),
                },
                Part::GraphHead if bare.starts_with("index") && bare.ends_with("name") => part = Part::Graph,
                Part::Graph if text.starts_with('\u{c}') || bare.is_empty() => part = Part::After,
                Part::Graph if bare.starts_with("---") => tables.blocks.extend(block.end()),
                Part::Graph => {
                    if block.line(&text).is_none() {
                        return wrong("a line of the call graph that is none");
                    }
                }
                Part::Before | Part::FlatHead | Part::GraphHead | Part::After => {}
            }
        }
        if part == Part::Graph {
            return Err(lines.broken(input.size(), "the file ends within the call graph"));
        }
        if tables.flat.is_empty() && tables.blocks.is_empty() {
            return Err(input.broken(0, "no function: neither a flat profile nor a call graph has rows"));
        }
        Ok(tables)
    }

    /// The call graph, with functions that only the flat table has; and what they took together.
    fn graph(&self) -> (Graph, i64) {
        let mut graph = Graph::new(1, Roots::Said);
        // Two functions may have one name, each in its own file: the index tells them apart.
        let mut same: HashMap<&str, u64> = HashMap::default();
        let mut numbers: HashMap<u64, u32> = HashMap::default();
        let mut spent: HashMap<&str, (i64, u32)> = HashMap::default();
        let mut all = 0i64;
        for block in &self.blocks {
            let count = same.entry(&block.name).or_insert(0);
            *count += 1;
            let name = if *count > 1 { format!("{} ({count})", block.name) } else { block.name.clone() };
            let number = graph.function(&Frame::function(name));
            graph.spent(number, 0, block.own);
            graph.called(number, block.calls);
            graph.call(number, number, block.again, &[0]);
            if block.is_root {
                graph.root(number);
            }
            numbers.insert(block.index, number);
            let sum = spent.entry(&block.name).or_insert((0, number));
            sum.0 = sum.0.saturating_add(block.own);
            all = all.saturating_add(block.own);
        }
        for block in &self.blocks {
            let Some(&from) = numbers.get(&block.index) else { continue };
            for callee in &block.callees {
                if let Some(&to) = numbers.get(&callee.index) {
                    graph.call(from, to, callee.count, &[callee.cost]);
                }
            }
        }
        for row in &self.flat {
            let known = spent.get_mut(row.name.as_str());
            let before = known.as_ref().map_or(0, |known| known.0);
            let rest = row.own.saturating_sub(before);
            if let Some(known) = known {
                known.0 = known.0.saturating_sub(row.own).max(0);
            }
            if rest > 0 {
                let number = spent.get(row.name.as_str()).map(|known| known.1);
                let number = number.unwrap_or_else(|| graph.function(&Frame::function(&row.name)));
                graph.spent(number, 0, rest);
                all = all.saturating_add(rest);
            }
        }
        (graph, all)
    }
}

impl Row {
    /// `%time cumulative self [calls self/call total/call] name`.
    fn read(text: &str) -> Option<Self> {
        let (_, rest) = real(text)?;
        let (_, rest) = real(rest)?;
        let (own, rest) = real(rest)?;
        let counted = word(rest).and_then(|(calls, rest)| Some((calls.parse::<i64>().ok()?, rest)));
        let (calls, rest) = match counted {
            Some((calls, rest)) => {
                let each = real(rest).and_then(|(_, rest)| real(rest)).map(|(_, rest)| rest);
                (calls, each.unwrap_or(rest))
            }
            None => (0, rest),
        };
        let name = rest.trim();
        (!name.is_empty()).then(|| Row { name: name.to_owned(), own, calls })
    }
}

/// A block of the call graph as it is read.
#[derive(Default)]
struct Reading {
    has_line: bool,
    is_spontaneous: bool,
    /// A circle as a whole: its functions have blocks of their own.
    is_circle: bool,
    block: Block,
}

impl Reading {
    fn line(&mut self, text: &str) -> Option<()> {
        let bare = text.trim();
        if bare == "<spontaneous>" {
            self.is_spontaneous = true;
            return Some(());
        }
        if let Some(rest) = bare.strip_prefix('[') {
            let (index, rest) = rest.split_once(']')?;
            let (_, rest) = real(rest)?;
            let (own, rest) = real(rest)?;
            let (_, rest) = real(rest)?;
            // `a+b`: b of the calls are its own. Nothing for one that nobody called.
            let calls =
                word(rest).filter(|(word, _)| word.split('+').all(|part| part.parse::<i64>().is_ok()));
            let (calls, rest) = match calls {
                None if !self.is_spontaneous => return None,
                calls => calls.unwrap_or(("", rest)),
            };
            let (name, _) = named(rest)?;
            self.has_line = true;
            self.is_circle = name.contains("as a whole>");
            let again = calls.split_once('+').and_then(|(_, again)| again.parse().ok()).unwrap_or(0);
            let calls = calls.split('+').filter_map(|part| part.parse().ok()).fold(0, i64::saturating_add);
            let (index, is_root) = (index.parse().ok()?, self.is_spontaneous);
            self.block = Block { index, name, own, calls, again, is_root, callees: Vec::new() };
            return Some(());
        }
        let timed = real(bare).and_then(|(own, rest)| real(rest).map(|(inside, rest)| (own + inside, rest)));
        let (cost, rest) = match timed {
            Some((cost, rest)) if bare.split_whitespace().next().is_some_and(|word| word.contains('.')) => {
                (cost, rest)
            }
            // Calls within a circle, or by itself: a count alone.
            _ => (0, bare),
        };
        let (calls, rest) = word(rest)?;
        let count = calls.split('/').next()?.parse().ok()?;
        let (_, index) = named(rest)?;
        // Those above the function called it, and have a block of their own that says so.
        if self.has_line && index != Some(self.block.index) {
            self.block.callees.extend(index.map(|index| Callee { index, cost, count }));
        }
        Some(())
    }

    fn end(&mut self) -> Option<Block> {
        let ended = std::mem::take(self);
        (ended.has_line && !ended.is_circle).then_some(ended.block)
    }
}

/// Seconds at the beginning, as nanoseconds, and what follows.
fn real(text: &str) -> Option<(i64, &str)> {
    let (first, rest) = word(text)?;
    let value: f64 = first.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)?;
    first.contains('.').then(|| (Unit::Ns.whole(value, 1e9), rest))
}

fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// `name <cycle 1> [index]`, of which all but the name may be missing; in round brackets when it has no block.
fn named(text: &str) -> Option<(String, Option<u64>)> {
    let text = text.trim();
    let indexed = text.strip_suffix([']', ')']).and_then(|rest| rest.rsplit_once(['[', '(']));
    let index = indexed.and_then(|(name, index)| Some((name, index.parse().ok()?)));
    let (name, index) = index.map_or((text, None), |(name, index)| (name, Some(index)));
    let name = name.trim();
    let name = match name.rsplit_once(" <cycle ") {
        Some((name, rest)) if rest.ends_with('>') => name,
        _ => name,
    };
    (!name.is_empty()).then(|| (name.to_owned(), index))
}

fn detect(head: &Head<'_>) -> Confidence {
    let text = String::from_utf8_lossy(head.bytes);
    let mut lines = text.lines().map(|line| line.trim_matches(['\u{c}', ' ', '\t']));
    // A title alone may stand in any text: the head of its table has to follow.
    let found = lines.any(|line| line.starts_with(FLAT) || is_graph(line))
        && lines
            .take(12)
            .any(|line| (line.starts_with("index") || line.starts_with("time ")) && line.ends_with("name"));
    if found { Confidence::percent(95) } else { Confidence::NONE }
}
