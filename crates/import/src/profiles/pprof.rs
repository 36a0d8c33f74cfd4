//! Profiles of pprof: a protocol buffer, mostly packed by gzip. Samples come first and name locations by number; functions and
//! texts come behind them, so samples are kept as a tree of locations until all is read.

use crosscut_calls::{Frame, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::HashMap;

use super::builder;
use super::code::{Code, Identity, Stacks, Step};
use super::plain::{self, Unpacked};
use super::whose::Whose;
use super::wire::{Fields, Messages, Value, Wrong, numbers};
use crate::error::ImportError;
use crate::inputs::Inputs;
use crate::limits::Budget;
use crate::reader::{Confidence, Head, Options, Reader};

/// The reader.
pub struct Pprof;

impl Reader for Pprof {
    fn name(&self) -> &'static str {
        "pprof"
    }

    fn title(&self) -> &'static str {
        "pprof profile"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let mut messages = Messages::new(Unpacked::open(input)?);
        let mut profile = Profile::default();
        while let Some(message) = messages.next()? {
            match (message.field, message.number) {
                (14, Some(number)) => profile.default_type = number,
                (1..=6, None) => {
                    let read = profile.message(message.field, messages.content(), message.at);
                    read.map_err(|(at, what)| messages.broken(message.at + at, what))?;
                }
                _ => {}
            }
        }
        profile.finish(&messages, run)
    }
}

/// So many samples alone are a profile, where what they are comes behind them.
const MANY: u32 = 16;

/// A file of which the first fields are those of a profile, in any order: Go begins with the time or the period. Other
/// files may begin like such a number, so what the samples are must be among them, or samples.
fn detect(head: &Head<'_>) -> Confidence {
    let mut fields = Fields::new(head.bytes);
    let (mut types, mut samples) = (0, 0);
    loop {
        match fields.next() {
            Ok(Some((1, Value::Bytes(bytes)))) if ValueType::read(bytes).is_ok() => types += 1,
            Ok(Some((2, Value::Bytes(bytes)))) if Sample::read(bytes).is_ok() => samples += 1,
            Ok(Some((11, Value::Bytes(bytes)))) if ValueType::read(bytes).is_ok() => {}
            Ok(Some((3..=6 | 13 | 15, Value::Bytes(_)))) => {}
            Ok(Some((7..=10 | 12..=15, Value::Number(_)))) => {}
            // Cut by the end of what is seen.
            Err(_) if (head.bytes.len() as u64) < head.size && (types > 0 || samples >= MANY) => {
                return Confidence::percent(80);
            }
            Ok(None) if types > 0 => return Confidence::percent(90),
            _ => return Confidence::NONE,
        }
    }
}

/// A sample as it stands in the file.
#[derive(Debug, Default)]
struct Sample {
    /// Locations, the innermost first.
    stack: Vec<u64>,
    values: Vec<u64>,
    labels: Vec<Label>,
}

impl Sample {
    fn read(bytes: &[u8]) -> Result<Self, Wrong> {
        let (mut sample, mut fields) = (Sample::default(), Fields::new(bytes));
        while let Some((field, value)) = fields.next()? {
            match (field, value) {
                (1, value) => numbers(value, &mut sample.stack)?,
                (2, value) => numbers(value, &mut sample.values)?,
                (3, Value::Bytes(bytes)) => {
                    let mut label = (0, 0, 0);
                    each(bytes, |field, value| match field {
                        1 => label.0 = value,
                        2 => label.1 = value,
                        3 => label.2 = value as i64,
                        _ => {}
                    })?;
                    sample.labels.push(label);
                }
                _ => {}
            }
        }
        match sample.values.is_empty() {
            true => Err((0, "a sample without values")),
            false => Ok(sample),
        }
    }
}

/// What a value is: numbers of texts.
#[derive(Clone, Copy, Debug, Default)]
struct ValueType {
    name: u64,
    unit: u64,
}

impl ValueType {
    fn read(bytes: &[u8]) -> Result<Self, Wrong> {
        let (mut found, mut fields) = (ValueType::default(), Fields::new(bytes));
        while let Some((field, value)) = fields.next()? {
            match (field, value) {
                (1, Value::Number(name)) => found.name = name,
                (2, Value::Number(unit)) => found.unit = unit,
                _ => return Err((0, "not a type of values")),
            }
        }
        Ok(found)
    }
}

#[derive(Debug, Default)]
struct Mapping {
    start: u64,
    offset: u64,
    file: u64,
    build: u64,
}

#[derive(Debug, Default)]
struct Location {
    mapping: u64,
    address: u64,
    /// Functions, the innermost first: all but the last are inlined.
    functions: Vec<u64>,
}

#[derive(Debug, Default)]
struct Function {
    name: u64,
    system_name: u64,
    file: u64,
    line: i64,
}

/// Key, text, number.
type Label = (u64, u64, i64);

#[derive(Default)]
struct Profile {
    types: Vec<ValueType>,
    default_type: u64,
    mappings: HashMap<u64, Mapping>,
    locations: HashMap<u64, Location>,
    functions: HashMap<u64, Function>,
    texts: Vec<String>,
    /// A tree of locations: the parent and the location of each node. The first is the program.
    nodes: Vec<(u32, u64)>,
    children: HashMap<(u32, u64), u32>,
    /// Where each location is first named.
    named: HashMap<u64, u64>,
    labels: HashMap<Vec<Label>, u32>,
    /// Numbers of values that samples have, and where first: what values there are may be said behind them.
    widths: Vec<(usize, u64)>,
    /// By node and labels.
    values: HashMap<(u32, u32), Vec<i64>>,
}

impl Profile {
    fn message(&mut self, field: u64, bytes: &[u8], at: u64) -> Result<(), Wrong> {
        match field {
            1 => self.types.push(ValueType::read(bytes)?),
            2 => self.sample(bytes, at)?,
            3 => {
                let (mut id, mut mapping) = (0, Mapping::default());
                each(bytes, |field, value| match field {
                    1 => id = value,
                    2 => mapping.start = value,
                    4 => mapping.offset = value,
                    5 => mapping.file = value,
                    6 => mapping.build = value,
                    _ => {}
                })?;
                self.mappings.insert(id, mapping);
            }
            4 => {
                let (id, location) = location(bytes)?;
                if id == 0 || self.locations.insert(id, location).is_some() {
                    return Err((0, "a location whose number is 0 or that of another one"));
                }
            }
            5 => {
                let (mut id, mut function) = (0, Function::default());
                each(bytes, |field, value| match field {
                    1 => id = value,
                    2 => function.name = value,
                    3 => function.system_name = value,
                    4 => function.file = value,
                    5 => function.line = value as i64,
                    _ => {}
                })?;
                self.functions.insert(id, function);
            }
            _ => {
                if self.texts.is_empty() && !bytes.is_empty() {
                    return Err((0, "the first text should be empty: not a profile of pprof"));
                }
                self.texts.push(String::from_utf8_lossy(bytes).into_owned());
            }
        }
        Ok(())
    }

    fn sample(&mut self, bytes: &[u8], at: u64) -> Result<(), Wrong> {
        let Sample { stack, values, labels } = Sample::read(bytes)?;
        if !self.widths.iter().any(|&(width, _)| width == values.len()) {
            self.widths.push((values.len(), at));
        }
        let mut node = 0;
        for &location in stack.iter().rev() {
            self.named.entry(location).or_insert(at);
            let nodes = &mut self.nodes;
            node = *self.children.entry((node, location)).or_insert_with(|| {
                nodes.push((node, location));
                nodes.len() as u32
            });
        }
        let next = self.labels.len() as u32;
        let labels = *self.labels.entry(labels).or_insert(next);
        let sums = self.values.entry((node, labels)).or_insert_with(|| vec![0; values.len()]);
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum = sum.checked_add(value as i64).ok_or((0, "values that are too large to be added up"))?;
        }
        Ok(())
    }

    fn text(&self, number: u64) -> &str {
        usize::try_from(number).ok().and_then(|number| self.texts.get(number)).map_or("", String::as_str)
    }

    fn finish(self, messages: &Messages<'_, '_>, run: &mut RunWriter) -> Result<(), ImportError> {
        if self.types.is_empty() || self.texts.is_empty() {
            return Err(
                messages.broken(0, "there are no types of values or no texts: not a profile of pprof")
            );
        }
        if let Some(&(_, at)) = self.widths.iter().find(|&&(width, _)| width != self.types.len()) {
            let what = "a sample with another number of values than there are types of values";
            return Err(messages.broken(at, what));
        }
        self.check(messages)?;
        let mut builder = builder("pprof profile");
        // The one to look at first: what the file says, else the last one.
        let said =
            self.types.iter().position(|kind| self.default_type != 0 && kind.name == self.default_type);
        let first = said.unwrap_or(self.types.len() - 1);
        let mut metrics = vec![0; self.types.len()];
        let order = [first].into_iter().chain((0..self.types.len()).filter(|at| *at != first));
        let mut ones = vec![1i64; self.types.len()];
        for at in order {
            let (unit, one) = unit_of(self.text(self.types[at].unit));
            metrics[at] = builder.metric(self.text(self.types[at].name), unit, Given::Own);
            ones[at] = one;
        }
        let mut stacks = Stacks::default();
        let nodes = self.put_nodes(&mut stacks, messages)?;
        let places = self.places(&mut builder);
        for (&(node, labels), values) in &self.values {
            let place = places.get(labels as usize).copied().unwrap_or(0);
            let node = nodes.get(node as usize).copied().unwrap_or(0);
            for ((&metric, &one), &value) in metrics.iter().zip(&ones).zip(values) {
                let wrong = |what: &str| messages.broken(0, what);
                let value = value.checked_mul(one).ok_or_else(|| wrong("values that are too large"))?;
                stacks.add(metric, place, node, value).map_err(|what| wrong(&what))?;
            }
        }
        stacks.put(&mut builder)?;
        Ok(builder.finish(run)?)
    }

    /// What is named must be there: texts come last, and are what is missing from a file that was cut.
    fn check(&self, messages: &Messages<'_, '_>) -> Result<(), ImportError> {
        let types = self.types.iter().flat_map(|kind| [kind.name, kind.unit]);
        let functions = self.functions.values().flat_map(|f| [f.name, f.system_name, f.file]);
        let mappings = self.mappings.values().flat_map(|mapping| [mapping.file, mapping.build]);
        let count = self.texts.len() as u64;
        if let Some(text) = types.chain(functions).chain(mappings).filter(|text| *text >= count).min() {
            let what =
                format!("text {text} is named, but there are {count}: the file is cut short or damaged");
            return Err(messages.broken(messages.at(), what));
        }
        let named = self.locations.values().flat_map(|location| &location.functions);
        if let Some(function) = named.filter(|function| !self.functions.contains_key(function)).min() {
            return Err(
                messages.broken(messages.at(), format!("function {function} is named, but is not there"))
            );
        }
        Ok(())
    }

    /// From locations to functions and code.
    fn put_nodes(&self, stacks: &mut Stacks, messages: &Messages<'_, '_>) -> Result<Vec<u32>, ImportError> {
        let mut nodes = vec![0];
        let mut budget = Budget::of(messages.at());
        for &(parent, number) in &self.nodes {
            let mut node = nodes.get(parent as usize).copied().unwrap_or(0);
            let Some(location) = self.locations.get(&number) else {
                let at = self.named.get(&number).copied().unwrap_or(0);
                return Err(messages.broken(at, format!("a sample at location {number}, which is not there")));
            };
            let mapping = self.mappings.get(&location.mapping);
            let path = mapping.map_or("", |mapping| self.text(mapping.file));
            if location.functions.is_empty() {
                let module = stacks.module(path, || self.identity(mapping));
                let offset = match mapping {
                    Some(mapping) => {
                        location.address.wrapping_sub(mapping.start).wrapping_add(mapping.offset)
                    }
                    None => location.address,
                };
                node = stacks.node(node, Step::Code(Code { module, offset, is_return: false }));
            }
            let made = budget.take(location.functions.len(), 128, "nodes");
            made.map_err(|what| messages.broken(messages.at(), what))?;
            for function in location.functions.iter().rev() {
                node = stacks.node(node, Step::Frame(self.frame(*function, path)));
            }
            nodes.push(node);
        }
        Ok(nodes)
    }

    fn frame(&self, number: u64, module: &str) -> Frame {
        let Some(function) = self.functions.get(&number) else { return Frame::function("(unknown)") };
        let names = [function.name, function.system_name].map(|name| self.text(name));
        let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or("(unknown)");
        Frame {
            name: name.to_owned(),
            module: module.to_owned(),
            file: self.text(function.file).to_owned(),
            line: function.line.max(0),
            ..Frame::default()
        }
    }

    fn identity(&self, mapping: Option<&Mapping>) -> Identity {
        let digits = mapping.map_or("", |mapping| self.text(mapping.build)).as_bytes();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        match digits.chunks(2).map(byte).collect::<Option<Vec<u8>>>() {
            Some(id) if !id.is_empty() => Identity::Build(id),
            _ => Identity::Unknown,
        }
    }

    /// The place of each set of labels: processes and threads are told by labels, if at all.
    fn places(&self, builder: &mut crosscut_calls::Builder) -> Vec<u32> {
        let mut sets: Vec<(&Vec<Label>, u32)> =
            self.labels.iter().map(|(set, &number)| (set, number)).collect();
        sets.sort_unstable_by_key(|(_, number)| *number);
        let (mut whose, mut places) = (Whose::default(), Vec::new());
        for (set, _) in sets {
            let (mut process, mut thread) = (String::new(), String::new());
            for &(key, text, number) in set {
                let is_process = match self.text(key) {
                    "pid" | "process" | "process_id" | "rank" => true,
                    "tid" | "thread" | "thread_id" | "thread id" | "goroutine" => false,
                    _ => continue,
                };
                let name = match self.text(text) {
                    "" => number.to_string(),
                    text => text.to_owned(),
                };
                *(if is_process { &mut process } else { &mut thread }) = name;
            }
            places.push(whose.place(builder, &process, &thread));
        }
        places
    }
}

/// Number and content of a location.
fn location(bytes: &[u8]) -> Result<(u64, Location), Wrong> {
    let (mut id, mut location, mut fields) = (0, Location::default(), Fields::new(bytes));
    while let Some((field, value)) = fields.next()? {
        match (field, value) {
            (1, Value::Number(number)) => id = number,
            (2, Value::Number(mapping)) => location.mapping = mapping,
            (3, Value::Number(address)) => location.address = address,
            (4, Value::Bytes(line)) => {
                let mut function = 0;
                each(line, |field, value| {
                    if field == 1 {
                        function = value;
                    }
                })?;
                location.functions.push(function);
            }
            _ => {}
        }
    }
    Ok((id, location))
}

/// The fields of a message that are numbers.
fn each(bytes: &[u8], mut take: impl FnMut(u64, u64)) -> Result<(), Wrong> {
    let mut fields = Fields::new(bytes);
    while let Some((field, value)) = fields.next()? {
        if let Some(number) = value.number() {
            take(field, number);
        }
    }
    Ok(())
}

fn unit_of(unit: &str) -> (Unit, i64) {
    match unit {
        "nanoseconds" | "ns" => (Unit::Ns, 1),
        "microseconds" | "us" => (Unit::Ns, 1_000),
        "milliseconds" | "ms" => (Unit::Ns, 1_000_000),
        "seconds" | "s" => (Unit::Ns, 1_000_000_000),
        "bytes" => (Unit::Bytes, 1),
        "kilobytes" => (Unit::Bytes, 1 << 10),
        "megabytes" => (Unit::Bytes, 1 << 20),
        _ => (Unit::Count, 1),
    }
}
