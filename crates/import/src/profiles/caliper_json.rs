//! Caliper's JSON forms: `json-split`, with rows of cells and a list of nodes; `json`, with an object for each record.

use crosscut_calls::{Builder, Frame};
use crosscut_run::RunWriter;
use foldhash::{HashMap, HashMapExt};

use super::caliper_metrics::{Goes, Metrics, Role, role};
use super::json::{Json, Kind, Style, begins};
use super::{MOST_RANKS, builder, path_node, plain};
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
        plain::detect(inputs, detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let json = &mut Json::open(input, Style::Json)?;
        let mut reading = Reading {
            builder: builder(self.title()),
            metrics: Metrics::default(),
            about: attributes(input)?,
            records: 0,
            channels: 0,
        };
        match json.kind()? {
            Kind::Array => reading.records(json)?,
            _ => reading.objects(json)?,
        }
        json.end()?;
        if reading.records > 0 {
            let note =
                "call paths are joined by `/` in this file: a region with a `/` in its name is read as two";
            reading.builder.note(note);
        }
        if reading.channels > 0 {
            reading.builder.note(format!(
                "{} records of other channels tell the same time again, and were passed over",
                reading.channels
            ));
        }
        if !reading.metrics.finish(&mut reading.builder) {
            return Err(input.broken(0, "no column has values that add up"));
        }
        Ok(reading.builder.finish(run)?)
    }
}

/// A file on its way into a profile.
struct Reading {
    builder: Builder,
    metrics: Metrics,
    /// What is said of columns by their names.
    about: HashMap<String, Column>,
    /// Records that were objects.
    records: u64,
    /// Records of other channels, which repeat the same time.
    channels: u64,
}

/// The attribute that names a channel, and the one that is read.
const CHANNEL: &str = "spot.channel";
const REGIONS: &str = "regionprofile";

/// A value of a record.
enum Cell {
    Text(String),
    Number(f64),
}

/// A field of a record: its key, where its value is, and that.
type Field = (String, u64, Cell);

/// The next field, if its value is a text or a number.
fn field(json: &mut Json<'_, '_>, key: &str) -> Result<Option<Field>, ImportError> {
    // Past the blanks.
    json.kind()?;
    let at = json.offset();
    Ok(cell(json)?.map(|cell| (key.to_owned(), at, cell)))
}

impl Reading {
    /// An array of records.
    fn records(&mut self, json: &mut Json<'_, '_>) -> Result<(), ImportError> {
        json.array()?;
        while json.item()? {
            let at = json.offset();
            if !json.object()? {
                return Err(json.broken_at(at, format!("record {} is not an object", self.records)));
            }
            let (mut fields, mut key) = (Vec::new(), String::new());
            while json.key(&mut key)? {
                fields.extend(field(json, &key)?);
            }
            self.record(json, at, &fields)?;
        }
        Ok(())
    }

    /// Objects: one with the parts of the file, or records side by side.
    fn objects(&mut self, json: &mut Json<'_, '_>) -> Result<(), ImportError> {
        loop {
            let at = json.offset();
            if !json.object()? {
                return Err(json.broken_at(at, "it has no records"));
            }
            let (mut fields, mut split, mut has_records) = (Vec::new(), Split::default(), false);
            let mut key = String::new();
            while json.key(&mut key)? {
                match (key.as_str(), json.kind()?) {
                    ("records", Kind::Array) => {
                        self.records(json)?;
                        has_records = true;
                    }
                    (_, Kind::Array) => split.part(json, &key)?,
                    _ => fields.extend(field(json, &key)?),
                }
            }
            if split.columns.is_some() || split.rows.is_some() {
                split.add_to(json, self)?;
            } else if !has_records {
                self.record(json, at, &fields)?;
            }
            if !json.another()? {
                return Ok(());
            }
        }
    }

    /// A record with its path as a text.
    fn record(&mut self, json: &Json<'_, '_>, at: u64, fields: &[Field]) -> Result<(), ImportError> {
        let find = |name: &str| fields.iter().find(|(key, ..)| key == name);
        let text = |name: &str| match find(name) {
            Some((.., Cell::Text(text))) => Some(text.as_str()),
            _ => None,
        };
        self.records += 1;
        if text(CHANNEL).is_some_and(|channel| channel != REGIONS) {
            self.channels += 1;
            return Ok(());
        }
        let rank = match find("mpi.rank") {
            Some(field) => number(json, field)?.unwrap_or(0.0),
            None => 0.0,
        };
        let rank = whole_rank(rank)
            .ok_or_else(|| json.broken_at(at, format!("record {} is of rank {rank}", self.records - 1)))?;
        let names = text("path").unwrap_or_default().split('/').filter(|name| !name.is_empty());
        let node = path_node(&mut self.builder, names.map(Frame::region))?;
        let place = self.builder.place(rank, 0);
        for field in fields {
            let name = field.0.as_str();
            if matches!(role(name), Role::Metric | Role::Inclusive | Role::Statistic)
                && let Some(value) = number(json, field)?
            {
                let about = self.about.get(name);
                let alias = about.and_then(|about| about.alias.as_deref());
                let unit = about.and_then(|about| about.unit.as_deref());
                let goes = self.metrics.column(&mut self.builder, (name, alias, unit));
                self.metrics.add(&mut self.builder, goes, place, node, value);
            }
        }
        Ok(())
    }
}

/// The number of a rank, if it can be one.
fn whole_rank(rank: f64) -> Option<i64> {
    ((0.0..MOST_RANKS as f64).contains(&rank) && rank.fract() == 0.0).then_some(rank as i64)
}

/// The value of a field, which has to be a number: some files have all of them in quotes. None where it is not finite.
fn number(json: &Json<'_, '_>, (name, at, cell): &Field) -> Result<Option<f64>, ImportError> {
    let value = match cell {
        Cell::Number(number) => *number,
        Cell::Text(text) => {
            let wrong = |_| json.broken_at(*at, format!("`{name:.60}` is no number: {text:.40}"));
            text.trim().parse().map_err(wrong)?
        }
    };
    Ok(Some(value).filter(|value| value.is_finite()))
}

/// What the form `object` says of its columns, behind its records.
fn attributes(input: &Input<'_>) -> Result<HashMap<String, Column>, ImportError> {
    let (mut about, mut key, mut name) = (HashMap::new(), String::new(), String::new());
    if !begins(&plain::head(input)?.0, "records") {
        return Ok(about);
    }
    let json = &mut Json::open(input, Style::Json)?;
    if json.kind()? == Kind::Object && json.object()? {
        while json.key(&mut key)? {
            match key.as_str() {
                "attributes" if json.object()? => {
                    while json.key(&mut name)? {
                        about.insert(name.clone(), Column::read(json)?);
                    }
                }
                "attributes" => {}
                _ => json.skip()?,
            }
        }
    }
    Ok(about)
}

fn cell(json: &mut Json<'_, '_>) -> Result<Option<Cell>, ImportError> {
    Ok(match json.kind()? {
        Kind::Text => json.text()?.map(Cell::Text),
        Kind::Number => json.number()?.map(Cell::Number),
        _ => {
            json.skip()?;
            None
        }
    })
}

/// Rows of cells, which may come before what their columns are. A cell that is no value is the number of a node.
#[derive(Default)]
struct Split {
    columns: Option<Vec<String>>,
    about: Vec<Column>,
    nodes: Vec<Label>,
    /// All cells of all rows, and where each row ends.
    cells: Vec<f64>,
    rows: Option<Vec<(usize, u64)>>,
    /// Texts that are no numbers, by the cell that they stand in and where they are. Rows may come before what their columns are.
    texts: Vec<(usize, u64)>,
}

/// What is said of a column.
#[derive(Default)]
struct Column {
    is_value: bool,
    alias: Option<String>,
    unit: Option<String>,
}

#[derive(Default)]
struct Label {
    text: String,
    parent: Option<i64>,
}

impl Split {
    /// A part of the file; arrays of other names are passed over.
    fn part(&mut self, json: &mut Json<'_, '_>, key: &str) -> Result<(), ImportError> {
        match key {
            "columns" | "data" | "nodes" | "column_metadata" => drop(json.array()?),
            _ => return json.skip(),
        }
        match key {
            "columns" => self.columns = Some(Vec::new()),
            "data" => self.rows = Some(Vec::new()),
            _ => {}
        }
        let mut inside = String::new();
        while json.item()? {
            let at = json.offset();
            match key {
                "columns" => self.columns.get_or_insert_default().push(json.text()?.unwrap_or_default()),
                "data" => {
                    if !json.array()? {
                        return Err(json.broken_at(at, "a row is not an array"));
                    }
                    while json.item()? {
                        let is_text = json.kind()? == Kind::Text;
                        let at = json.offset();
                        let number = json.number()?;
                        if is_text && number.is_none() {
                            self.texts.push((self.cells.len(), at));
                        }
                        self.cells.push(number.unwrap_or(f64::NAN));
                    }
                    self.rows.get_or_insert_default().push((self.cells.len(), at));
                }
                "nodes" => {
                    let mut label = Label::default();
                    if json.object()? {
                        while json.key(&mut inside)? {
                            match inside.as_str() {
                                "label" => label.text = json.text()?.unwrap_or_default(),
                                "parent" => label.parent = json.whole()?,
                                _ => json.skip()?,
                            }
                        }
                    }
                    self.nodes.push(label);
                }
                _ => self.about.push(Column::read(json)?),
            }
        }
        Ok(())
    }

    fn add_to(self, json: &Json<'_, '_>, reading: &mut Reading) -> Result<(), ImportError> {
        let Reading { builder, metrics, channels, .. } = reading;
        let missing = |key: &str| json.broken_at(0, format!("it has no `{key}`"));
        let columns = self.columns.ok_or_else(|| missing("columns"))?;
        let is_value = |column: usize| self.about.get(column).is_some_and(|about| about.is_value);
        let is_path = |&(column, name): &(usize, &String)| {
            !is_value(column) && (name == "path" || name.starts_with("source.function#callpath"))
        };
        let path = columns.iter().enumerate().find(is_path);
        let is_regions = path.is_some_and(|(_, name)| name == "path");
        let path = path.map(|(column, _)| column);
        let rank = columns.iter().position(|name| role(name) == Role::Rank);
        let channel = columns.iter().position(|name| name == CHANNEL).filter(|&column| !is_value(column));
        let counts = |column: usize| {
            let role = columns.get(column).map(|name| role(name));
            Some(column) == rank || is_value(column) && matches!(role, Some(Role::Metric | Role::Inclusive))
        };
        let values: Vec<usize> = (0..columns.len()).filter(|&column| is_value(column)).collect();
        // Each column and each rank is looked up once: there may be millions of rows.
        let mut goes: Vec<Option<Goes>> = vec![None; columns.len()];
        let mut places = Places::default();
        let mut numbers = Numbers { nodes: &self.nodes, is_regions, known: vec![None; self.nodes.len()] };
        let mut texts = self.texts.iter().peekable();
        let mut begin = 0;
        for (end, at) in self.rows.ok_or_else(|| missing("data"))? {
            let row = self.cells.get(begin..end).unwrap_or_default();
            while let Some(&(cell, at)) = texts.next_if(|(cell, _)| *cell < end) {
                let column = cell - begin;
                if counts(column) {
                    let name = columns.get(column).map_or("", String::as_str);
                    return Err(json.broken_at(at, format!("`{name:.60}` is no number")));
                }
            }
            begin = end;
            let cell = |column: Option<usize>| column.and_then(|column| row.get(column)).copied();
            let known = |column| cell(column).filter(|value| !value.is_nan());
            let label = known(channel).and_then(|node| self.nodes.get(node as usize));
            if label.is_some_and(|label| label.text != REGIONS) {
                *channels += 1;
                continue;
            }
            let number = known(rank).unwrap_or(0.0);
            let number =
                whole_rank(number).ok_or_else(|| json.broken_at(at, format!("a row of rank {number}")))?;
            let place = places.of(builder, number);
            let node = match known(path) {
                Some(leaf) => numbers.of(builder, leaf as i64)?.ok_or_else(|| {
                    json.broken_at(at, format!("node {leaf} is not in the list, or is above itself"))
                })?,
                None => path_node(builder, std::iter::empty())?,
            };
            for &column in &values {
                let (Some(value), Some(goes)) = (known(Some(column)), goes.get_mut(column)) else { continue };
                let goes = *goes.get_or_insert_with(|| {
                    let (name, about) = (columns.get(column), self.about.get(column));
                    let alias = about.and_then(|about| about.alias.as_deref());
                    let unit = about.and_then(|about| about.unit.as_deref());
                    metrics.column(builder, (name.map_or("", String::as_str), alias, unit))
                });
                metrics.add(builder, goes, place, node, value);
            }
        }
        Ok(())
    }
}

/// The places of ranks that were seen.
#[derive(Default)]
struct Places {
    known: Vec<Option<u32>>,
}

impl Places {
    /// Numbers above this are not kept: a list would be mostly empty.
    const LISTED: usize = 1 << 20;

    fn of(&mut self, builder: &mut Builder, rank: i64) -> u32 {
        let at = usize::try_from(rank).unwrap_or(usize::MAX);
        if at >= Self::LISTED {
            return builder.place(rank, 0);
        }
        if at >= self.known.len() {
            self.known.resize(at + 1, None);
        }
        *self.known[at].get_or_insert_with(|| builder.place(rank, 0))
    }
}

impl Column {
    fn read(json: &mut Json<'_, '_>) -> Result<Self, ImportError> {
        let (mut column, mut key) = (Column::default(), String::new());
        if json.object()? {
            while json.key(&mut key)? {
                match key.as_str() {
                    "is_value" => column.is_value = json.flag()?.unwrap_or(false),
                    "attribute.alias" => column.alias = json.text()?,
                    "attribute.unit" => column.unit = json.text()?,
                    _ => json.skip()?,
                }
            }
        }
        Ok(column)
    }
}

/// The call paths of nodes, each found once: many rows name the same.
struct Numbers<'s> {
    nodes: &'s [Label],
    is_regions: bool,
    known: Vec<Option<u32>>,
}

impl Numbers<'_> {
    /// The call path of a node; none where it is not in the list, or is above itself: parents come before their children.
    fn of(&mut self, builder: &mut Builder, leaf: i64) -> Result<Option<u32>, ImportError> {
        let (mut above, mut next) = (Vec::new(), Some(leaf));
        let mut number = 0;
        while let Some(id) = next {
            let Some((at, node)) = usize::try_from(id).ok().and_then(|at| Some((at, self.nodes.get(at)?)))
            else {
                return Ok(None);
            };
            if let Some(known) = self.known.get(at).copied().flatten() {
                number = known;
                break;
            }
            above.push(at);
            next = node.parent;
            if next.is_some_and(|parent| parent >= id) {
                return Ok(None);
            }
        }
        for at in above.into_iter().rev() {
            let name = self.nodes[at].text.as_str();
            let frame =
                builder.frame(if self.is_regions { Frame::region(name) } else { Frame::function(name) });
            number = builder.node(number, frame)?;
            self.known[at] = Some(number);
        }
        Ok(Some(number))
    }
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
