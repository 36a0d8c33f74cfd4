//! Caliper's `.cali` files: a stream of records. Nodes define attributes and values of attributes, each with a parent; a
//! context record names nodes, each of which stands for its whole branch, and values.

use crosscut_calls::{Builder, Frame};
use crosscut_run::RunWriter;
use foldhash::{HashMap, HashMapExt, HashSet};

use super::caliper_metrics::{Metrics, Role, role};
use super::{MOST_RANKS, builder, lines::Lines, path_node, plain};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::partial;
use crate::reader::{Confidence, Head, Options, Reader};

/// Attributes that every file has without saying so: names, types and properties of others.
const NAME: u64 = 8;
const PROPERTIES: u64 = 10;
/// Property: part of call paths.
const NESTED: u64 = 256;
/// Branches longer than this lead in a circle.
const DEEPEST: usize = 1 << 16;

/// The reader.
pub struct Cali;

impl Reader for Cali {
    fn name(&self) -> &'static str {
        "cali"
    }

    fn title(&self) -> &'static str {
        "Caliper"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let mut reading = Reading {
            builder: builder(self.title()),
            metrics: Metrics::default(),
            nodes: HashMap::new(),
            attributes: HashMap::new(),
            channels: 0,
            events: 0,
            uneven: 0,
        };
        let mut lines = Lines::open(input)?;
        let mut cut = None;
        while let Some(line) = lines.next()? {
            // Caliper ends every line: a last one without an end may lack anything.
            if !line.is_whole {
                cut = Some(format!("byte {}: the last line has no end: the file is cut short", line.offset));
            }
            if line.text.is_empty() {
                continue;
            }
            match reading.record(input, line.offset, &line.text) {
                Err(_) if !line.is_whole => {}
                read => read?,
            }
        }
        run.manifest().partial = partial::label(cut.as_slice(), inputs);
        reading.finish(input, run)
    }
}

/// A value of an attribute.
struct Node {
    attribute: u64,
    text: String,
    parent: Option<u64>,
}

/// What is known of an attribute.
#[derive(Clone, Debug, Default)]
struct Attribute {
    name: String,
    is_nested: bool,
    alias: Option<String>,
    unit: Option<String>,
}

struct Reading {
    builder: Builder,
    metrics: Metrics,
    nodes: HashMap<u64, Node>,
    attributes: HashMap<u64, Attribute>,
    /// Records of other channels, which repeat the same time.
    channels: u64,
    /// Records of single events.
    events: u64,
    /// Records with more attributes than values, or fewer.
    uneven: u64,
}

impl Reading {
    fn record(&mut self, input: &Input<'_>, at: u64, text: &str) -> Result<(), ImportError> {
        let fields = fields(text);
        let all = |key: &str| fields.iter().find(|field| field[0] == key).map(|field| &field[1..]);
        let one = |key: &str| all(key).and_then(|values| values.first()).map(String::as_str);
        let number = |key: &str| -> Result<Option<u64>, ImportError> {
            let Some(text) = one(key) else { return Ok(None) };
            let wrong = |_| input.broken(at, format!("`{key}` is no number: {text:.40}"));
            text.parse().map(Some).map_err(wrong)
        };
        match one("__rec") {
            Some("node") => {
                let id = number("id")?.ok_or_else(|| input.broken(at, "a node without an id"))?;
                let attribute = number("attr")?.ok_or_else(|| input.broken(at, "a node without `attr`"))?;
                let text = one("data").unwrap_or_default().to_owned();
                let parent = number("parent")?;
                self.nodes.insert(id, Node { attribute, text, parent });
                Ok(())
            }
            Some("ctx") => {
                let ids = |key: &str| -> Result<Vec<u64>, ImportError> {
                    let parse = |text: &String| {
                        text.parse()
                            .map_err(|_| input.broken(at, format!("`{key}` is no number: {text:.40}")))
                    };
                    all(key).unwrap_or_default().iter().map(parse).collect()
                };
                let (refs, attributes) = (ids("ref")?, ids("attr")?);
                let values = all("data").unwrap_or_default();
                self.uneven += u64::from(attributes.len() != values.len());
                self.context(input, at, &refs, attributes.into_iter().zip(values))
            }
            Some(_) => Ok(()),
            None => Err(input.broken(at, "a line that is no record: expected `__rec=`")),
        }
    }

    /// What a node says as an attribute.
    fn attribute(&mut self, id: u64) -> Attribute {
        if let Some(known) = self.attributes.get(&id) {
            return known.clone();
        }
        let mut attribute = Attribute::default();
        for node in branch(&self.nodes, id) {
            match node.attribute {
                NAME if attribute.name.is_empty() => attribute.name.clone_from(&node.text),
                PROPERTIES => attribute.is_nested |= node.text.parse().unwrap_or(0u64) & NESTED != 0,
                other => match self.nodes.get(&other).map(|node| node.text.as_str()) {
                    Some("attribute.alias") => attribute.alias = Some(node.text.clone()),
                    Some("attribute.unit") => attribute.unit = Some(node.text.clone()),
                    _ => {}
                },
            }
        }
        self.attributes.insert(id, attribute.clone());
        attribute
    }

    fn context<'v>(
        &mut self,
        input: &Input<'_>,
        at: u64,
        refs: &[u64],
        values: impl Iterator<Item = (u64, &'v String)>,
    ) -> Result<(), ImportError> {
        let (mut path, mut rank) = (Vec::new(), 0.0);
        for &id in refs {
            if !self.nodes.contains_key(&id) {
                return Err(input.broken(at, format!("node {id} is not known here")));
            }
            let branch: Vec<(u64, String)> =
                branch(&self.nodes, id).map(|node| (node.attribute, node.text.clone())).collect();
            for (attribute, text) in branch.into_iter().rev() {
                let attribute = self.attribute(attribute);
                match attribute.name.as_str() {
                    _ if attribute.is_nested => path.push(text),
                    "mpi.rank" => rank = number(input, at, "mpi.rank", &text)?.unwrap_or(0.0),
                    "spot.channel" if text != "regionprofile" => {
                        self.channels += 1;
                        return Ok(());
                    }
                    _ => {}
                }
            }
        }
        let mut numbers = Vec::new();
        for (id, text) in values {
            let attribute = self.attribute(id);
            if attribute.name.starts_with("event.begin#") || attribute.name.starts_with("event.end#") {
                self.events += 1;
                return Ok(());
            }
            match role(&attribute.name) {
                Role::Rank => rank = number(input, at, &attribute.name, text)?.unwrap_or(0.0),
                Role::Metric | Role::Inclusive | Role::Statistic => {
                    if let Some(value) = number(input, at, &attribute.name, text)? {
                        numbers.push((attribute, value));
                    }
                }
                Role::Order | Role::Label => {}
            }
        }
        if numbers.is_empty() {
            return Ok(());
        }
        if !(0.0..MOST_RANKS as f64).contains(&rank) || rank.fract() != 0.0 {
            return Err(input.broken(at, format!("rank {rank}")));
        }
        let place = self.builder.place(rank as i64, 0);
        let node = path_node(&mut self.builder, path.into_iter().map(Frame::region))?;
        for (attribute, value) in numbers {
            let Attribute { name, alias, unit, .. } = &attribute;
            let about = (name.as_str(), alias.as_deref(), unit.as_deref());
            let goes = self.metrics.column(&mut self.builder, about);
            self.metrics.add(&mut self.builder, goes, place, node, value);
        }
        Ok(())
    }

    fn finish(mut self, input: &Input<'_>, run: &mut RunWriter) -> Result<(), ImportError> {
        let has_values = std::mem::take(&mut self.metrics).finish(&mut self.builder);
        if self.events > 0 {
            let what = format!("{} records of single events: a trace, not a profile", self.events);
            if !has_values {
                return Err(input.broken(0, what));
            }
            self.builder.note(format!("{what}; they were passed over"));
        }
        if !has_values {
            return Err(input.broken(0, "no record has a value that adds up"));
        }
        if self.channels > 0 {
            self.builder.note(format!(
                "{} records of other channels tell the same time again, and were passed over",
                self.channels
            ));
        }
        if self.uneven > 0 {
            self.builder.note(format!("{} records have not as many values as attributes", self.uneven));
        }
        Ok(self.builder.finish(run)?)
    }
}

/// A value of a record; none where it is not finite, as some writers have it.
fn number(input: &Input<'_>, at: u64, name: &str, text: &str) -> Result<Option<f64>, ImportError> {
    let wrong = |_| input.broken(at, format!("`{name:.60}` is no number: {text:.40}"));
    Ok(Some(text.trim().parse::<f64>().map_err(wrong)?).filter(|value| value.is_finite()))
}

/// A node and those above it.
fn branch(nodes: &HashMap<u64, Node>, from: u64) -> impl Iterator<Item = &Node> {
    let mut seen = HashSet::default();
    let mut next = Some(from);
    std::iter::from_fn(move || {
        let id = next?;
        // A node may be above itself in a damaged file.
        let node = nodes.get(&id).filter(|_| seen.len() < DEEPEST && seen.insert(id))?;
        next = node.parent;
        Some(node)
    })
}

/// The fields of a record: each its key, then its values. A backslash takes away the meaning of what follows.
fn fields(text: &str) -> Vec<Vec<String>> {
    let mut fields = vec![vec![String::new()]];
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let Some(field) = fields.last_mut() else { break };
        match letter {
            ',' => fields.push(vec![String::new()]),
            '=' => field.push(String::new()),
            _ => {
                let letter = match letter {
                    '\\' => match letters.next() {
                        Some('n') => '\n',
                        Some(other) => other,
                        None => '\\',
                    },
                    other => other,
                };
                if let Some(value) = field.last_mut() {
                    value.push(letter);
                }
            }
        }
    }
    fields
}

fn detect(head: &Head<'_>) -> Confidence {
    let text = String::from_utf8_lossy(head.bytes);
    let is_cali = text.lines().take(8).any(|line| line.starts_with("__rec="));
    if is_cali { Confidence::CERTAIN } else { Confidence::NONE }
}
