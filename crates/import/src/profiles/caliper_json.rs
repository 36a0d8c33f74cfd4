//! Caliper's JSON forms: `json-split`, with rows of cells and a list of nodes; `json`, with an object for each record.

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::{HashMap, HashSet};
use serde_json::{Map, Value};

use super::json::{begins, number, read};
use super::{MOST_RANKS, path_node};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Head, Options, Reader};

/// The reader.
pub struct CaliperJson;

impl Reader for CaliperJson {
    fn name(&self) -> &'static str {
        "caliper-json"
    }

    fn title(&self) -> &'static str {
        "Caliper, JSON"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        inputs.detect_one(detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let whole = read(input)?;
        let mut builder = Builder::new(self.title());
        let mut metrics = Metrics::default();
        match &whole {
            Value::Object(fields) if fields.contains_key("columns") => {
                split(input, fields, &mut builder, &mut metrics)?;
            }
            Value::Object(fields) => {
                let records = fields.get("records").and_then(Value::as_array);
                let records = records.ok_or_else(|| input.broken(0, "it has neither columns nor records"))?;
                plain(input, records, &mut builder, &mut metrics)?;
            }
            Value::Array(records) => plain(input, records, &mut builder, &mut metrics)?,
            _ => return Err(input.broken(0, "it has no records")),
        }
        if !metrics.finish(&mut builder) {
            return Err(input.broken(0, "no column has values that add up"));
        }
        Ok(builder.finish(run)?)
    }
}

/// What a column is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// What was spent, and adds up.
    Metric,
    /// With all that was called: follows from the metric.
    Inclusive,
    /// Least, most or mean of several: does not add up.
    Statistic,
    Rank,
    /// The order in which regions were seen first.
    Order,
    Label,
}

pub(super) fn role(name: &str) -> Role {
    let is_time = name.contains("time.duration") || name.contains("time.inclusive") || name == "time";
    let is_count = name == "count" || name.ends_with("#count") || name.ends_with("rc.count");
    if name == "mpi.rank" || name == "rank" {
        return Role::Rank;
    }
    if name.contains("aggregate.slot") || name == "Node order" {
        return Role::Order;
    }
    let begins = |begin: &str| name.starts_with(begin);
    if ["min#", "max#", "avg#", "scale#", "scsum#", "avg.", "Min time", "Max time", "Avg time"]
        .iter()
        .any(|b| begins(b))
    {
        return Role::Statistic;
    }
    if name.contains("inclusive") || name == "Total time" {
        return Role::Inclusive;
    }
    if is_time || is_count || begins("sum#") { Role::Metric } else { Role::Label }
}

/// The metrics of a file, and what was left out.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    numbers: HashMap<String, (u32, Unit, f64)>,
    /// Columns of inclusive values, and these: used where nothing else tells the time.
    inclusive: Vec<(String, String, Unit, f64)>,
    inside: Vec<(usize, u32, u32, i64)>,
    statistics: HashSet<String>,
    /// Times without a unit.
    guessed: HashSet<String>,
}

impl Metrics {
    /// Adds a value, if its column is one that adds up. Of a column: name, alias, unit.
    pub fn add(
        &mut self,
        builder: &mut Builder,
        (name, alias, unit): (&str, Option<&str>, Option<&str>),
        place: u32,
        node: u32,
        value: f64,
    ) {
        match role(name) {
            Role::Metric => {}
            Role::Inclusive => return self.add_inclusive((name, alias, unit), place, node, value),
            Role::Statistic => {
                self.statistics.insert(name.to_owned());
                return;
            }
            Role::Rank | Role::Order | Role::Label => return,
        }
        if !self.numbers.contains_key(name) {
            let (kind, one, known) = unit_of(name, unit);
            if !known {
                self.guessed.insert(name.to_owned());
            }
            let number = builder.metric(title(name, alias), kind, Given::Own);
            self.numbers.insert(name.to_owned(), (number, kind, one));
        }
        if let Some(&(metric, unit, one)) = self.numbers.get(name) {
            builder.add(metric, place, node, unit.whole(value, one));
        }
    }

    fn add_inclusive(
        &mut self,
        (name, alias, unit): (&str, Option<&str>, Option<&str>),
        place: u32,
        node: u32,
        value: f64,
    ) {
        let known = self.inclusive.iter().position(|(other, ..)| other == name);
        let column = known.unwrap_or_else(|| {
            let (unit, one, is_known) = unit_of(name, unit);
            if !is_known {
                self.guessed.insert(name.to_owned());
            }
            self.inclusive.push((name.to_owned(), title(name, alias).to_owned(), unit, one));
            self.inclusive.len() - 1
        });
        if let Some((_, _, unit, one)) = self.inclusive.get(column) {
            self.inside.push((column, place, node, unit.whole(value, *one)));
        }
    }

    /// All values were added. Says whether there were any that add up.
    pub fn finish(mut self, builder: &mut Builder) -> bool {
        let left_out = match self.numbers.is_empty() {
            true => {
                for (column, (_, title, unit, _)) in self.inclusive.iter().enumerate() {
                    let metric = builder.metric(title, *unit, Given::Inclusive);
                    for &(_, place, node, value) in self.inside.iter().filter(|cell| cell.0 == column) {
                        builder.add(metric, place, node, value);
                    }
                }
                Vec::new()
            }
            false => std::mem::take(&mut self.inclusive),
        };
        let list = |names: &mut dyn Iterator<Item = &str>| {
            let mut names: Vec<&str> = names.collect();
            names.sort_unstable();
            names.join(", ")
        };
        if !self.statistics.is_empty() {
            let names = list(&mut self.statistics.iter().map(String::as_str));
            builder.note(format!("left out, since they do not add up: {names}"));
        }
        if !left_out.is_empty() {
            let names = list(&mut left_out.iter().map(|(name, ..)| name.as_str()));
            builder.note(format!("computed instead of read: {names}"));
        }
        if !self.guessed.is_empty() {
            let names = list(&mut self.guessed.iter().map(String::as_str));
            builder.note(format!("without a unit in the file, taken as microseconds: {names}"));
        }
        !self.numbers.is_empty() || !self.inclusive.is_empty()
    }
}

/// What people call a column.
fn title<'a>(name: &'a str, alias: Option<&'a str>) -> &'a str {
    let is_time = name.ends_with("time.duration") || name.ends_with("time.duration.ns");
    alias.unwrap_or(if is_time { "time" } else { name })
}

/// Unit, how many of it one of the file's is, and whether the file says so.
fn unit_of(name: &str, unit: Option<&str>) -> (Unit, f64, bool) {
    let is_time = name.contains("time") && !name.contains("count");
    match unit {
        Some("sec" | "s") => (Unit::Ns, 1e9, true),
        Some("msec" | "ms") => (Unit::Ns, 1e6, true),
        Some("usec" | "us") => (Unit::Ns, 1e3, true),
        Some("nsec" | "ns") => (Unit::Ns, 1.0, true),
        _ if name.ends_with("time.duration.ns") => (Unit::Ns, 1.0, true),
        _ if is_time => (Unit::Ns, 1e3, false),
        _ if name.contains("count") => (Unit::Count, 1.0, true),
        _ => (Unit::Micro, 1e6, true),
    }
}

/// Rows of cells; a cell that is no value is the number of a node.
fn split(
    input: &Input<'_>,
    fields: &Map<String, Value>,
    builder: &mut Builder,
    metrics: &mut Metrics,
) -> Result<(), ImportError> {
    let list = |key: &str| fields.get(key).and_then(Value::as_array).map(Vec::as_slice);
    let missing = |key: &str| input.broken(0, format!("it has no `{key}`"));
    let columns: Vec<&str> = list("columns")
        .ok_or_else(|| missing("columns"))?
        .iter()
        .map(|name| name.as_str().unwrap_or_default())
        .collect();
    let about = list("column_metadata").unwrap_or_default();
    let text = |column: usize, key: &str| about.get(column)?.get(key)?.as_str();
    let is_value = |column: usize| {
        let said = about.get(column).and_then(|about| about.get("is_value")).and_then(Value::as_bool);
        said.unwrap_or(false)
    };
    let nodes = list("nodes").unwrap_or_default();
    let is_path = |&(column, name): &(usize, &&str)| {
        !is_value(column) && (*name == "path" || name.starts_with("source.function#callpath"))
    };
    let path = columns.iter().enumerate().find(is_path).map(|(column, _)| column);
    let is_regions = path.is_some_and(|path| columns[path] == "path");
    let rank = columns.iter().position(|name| role(name) == Role::Rank);
    for (at, row) in list("data").ok_or_else(|| missing("data"))?.iter().enumerate() {
        let cells = row.as_array().map(Vec::as_slice).unwrap_or_default();
        let rank_here = rank.and_then(|rank| cells.get(rank)).and_then(whole).unwrap_or(0);
        if !(0..MOST_RANKS).contains(&rank_here) {
            return Err(input.broken(0, format!("row {at} is of rank {rank_here}")));
        }
        let labels = match path.and_then(|path| cells.get(path)).and_then(Value::as_u64) {
            Some(leaf) => labels(nodes, leaf).ok_or_else(|| {
                input.broken(0, format!("row {at}: node {leaf} is not in the list, or is above itself"))
            })?,
            None => Vec::new(),
        };
        let frame = |name: &str| if is_regions { Frame::region(name) } else { Frame::function(name) };
        let node = path_node(builder, labels.into_iter().map(frame))?;
        let place = builder.place(rank_here, 0);
        for (column, cell) in cells.iter().enumerate().filter(|&(column, _)| is_value(column)) {
            if let (Some(name), Some(value)) = (columns.get(column), number(cell)) {
                let of = (*name, text(column, "attribute.alias"), text(column, "attribute.unit"));
                metrics.add(builder, of, place, node, value);
            }
        }
    }
    Ok(())
}

fn whole(cell: &Value) -> Option<i64> {
    number(cell).map(|value| value as i64)
}

/// The labels from the root to a node. Parents come before their children.
fn labels(nodes: &[Value], leaf: u64) -> Option<Vec<&str>> {
    let mut labels = Vec::new();
    let mut next = Some(leaf);
    while let Some(id) = next {
        let node = nodes.get(usize::try_from(id).ok()?)?;
        labels.push(node.get("label").and_then(Value::as_str).unwrap_or_default());
        next = node.get("parent").and_then(Value::as_u64);
        if next.is_some_and(|parent| parent >= id) {
            return None;
        }
    }
    labels.reverse();
    Some(labels)
}

/// Objects, each a record with its path as a text.
fn plain(
    input: &Input<'_>,
    records: &[Value],
    builder: &mut Builder,
    metrics: &mut Metrics,
) -> Result<(), ImportError> {
    for (at, record) in records.iter().enumerate() {
        let Some(fields) = record.as_object() else {
            return Err(input.broken(0, format!("record {at} is no object")));
        };
        let path = fields.get("path").and_then(Value::as_str).unwrap_or_default();
        let rank = fields.get("mpi.rank").and_then(whole).unwrap_or(0);
        if !(0..MOST_RANKS).contains(&rank) {
            return Err(input.broken(0, format!("record {at} is of rank {rank}")));
        }
        let names = path.split('/').filter(|name| !name.is_empty());
        let node = path_node(builder, names.map(Frame::region))?;
        let place = builder.place(rank, 0);
        for (name, value) in fields {
            if let Some(value) = number(value) {
                metrics.add(builder, (name, None, None), place, node, value);
            }
        }
    }
    Ok(())
}

fn detect(head: &Head<'_>) -> Confidence {
    let has = |key: &str| begins(head.bytes, key);
    let is_split = has("columns") || has("column_metadata");
    match (has("data") && is_split, has("path") || has("mpi.rank"), has("data")) {
        (true, ..) => Confidence::percent(90),
        (_, true, _) => Confidence::percent(70),
        // Rows that are longer than what is looked at: reading will say.
        (.., true) => Confidence::percent(30),
        _ => Confidence::NONE,
    }
}
