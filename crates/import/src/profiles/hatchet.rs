//! Hatchet's own forms: the literal, a tree of frames with their metrics as Python or JSON writes it, and the JSON of a whole
//! graph frame: a list of nodes and a table of values.

mod frames;
mod table;

use crosscut_calls::{Given, Unit};
use crosscut_run::RunWriter;
use foldhash::HashSet;

use super::json::{Json, Kind, Style};
use super::nested::nested;
use super::{MOST_RANKS, builder, holds, plain};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Head, Options, Reader};
use frames::{Fields, frame, number_fields};

/// What Hatchet adds to the name of a metric that includes what was called.
const INCLUSIVE: &str = " (inc)";
/// Columns that say where, not how much.
const PLACES: [&str; 2] = ["rank", "thread"];
/// Columns that are names, not values.
const NAMES: [&str; 5] = ["nid", "line", "_hatchet_nid", "node", "module_id"];

/// The reader.
pub struct Hatchet;

impl Reader for Hatchet {
    fn name(&self) -> &'static str {
        "hatchet"
    }

    fn title(&self) -> &'static str {
        "Hatchet, literal or JSON"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let json = &mut Json::open(input, Style::Python)?;
        let nodes = match json.kind()? {
            Kind::Array => literal(json)?,
            _ => table::read(json)?,
        };
        json.end()?;
        if nodes.list.is_empty() {
            return Err(input.broken(0, "it has no nodes"));
        }
        let columns = nodes.columns();
        if columns.is_empty() {
            return Err(input.broken(0, "no node has a metric"));
        }
        let mut builder = builder(self.title());
        let metrics: Vec<u32> = columns
            .iter()
            .map(|(name, given)| {
                let title = name.strip_suffix(INCLUSIVE).unwrap_or(name);
                builder.metric(title, Unit::Micro, *given)
            })
            .collect();
        let mut numbers: Vec<u32> = Vec::with_capacity(nodes.list.len());
        for node in &nodes.list {
            let parent = node.parent.and_then(|parent| numbers.get(parent)).copied().unwrap_or(0);
            let frame = builder.frame(node.frame.clone());
            let number = builder.node(parent, frame)?;
            numbers.push(number);
            for row in &node.rows {
                let place = builder.place(row.place(input, PLACES[0])?, row.place(input, PLACES[1])?);
                for ((name, _), &metric) in columns.iter().zip(&metrics) {
                    if let Some(value) = row.get(name) {
                        builder.add(metric, place, number, Unit::Micro.whole(value, 1e6));
                    }
                }
            }
        }
        if nodes.again > 0 {
            builder.note(format!(
                "{} nodes stand below several others: each has its values where it comes first",
                nodes.again
            ));
        }
        builder.note("Hatchet's files do not name units: values are as they are in the file");
        Ok(builder.finish(run)?)
    }
}

/// All nodes, parents first.
#[derive(Default)]
struct Nodes {
    list: Vec<Node>,
    /// Those that stand in several places.
    again: u64,
    /// Metrics that are said to be so.
    inclusive: Vec<String>,
    exclusive: Vec<String>,
}

struct Node {
    parent: Option<usize>,
    frame: crosscut_calls::Frame,
    rows: Vec<Row>,
}

/// Values of a node at a place.
#[derive(Clone, Debug, Default)]
struct Row {
    values: Vec<(String, f64)>,
    offset: u64,
}

impl Row {
    fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    fn place(&self, input: &Input<'_>, name: &str) -> Result<i64, ImportError> {
        let number = self.get(name).unwrap_or(0.0);
        match (0.0..MOST_RANKS as f64).contains(&number) && number.fract() == 0.0 {
            true => Ok(number as i64),
            false => Err(input.broken(self.offset, format!("a row of {name} {number}"))),
        }
    }
}

impl Nodes {
    /// The metrics to keep, `time` first, then as they come: own values, and inclusive ones where no own ones tell the same.
    fn columns(&self) -> Vec<(String, Given)> {
        let mut seen = HashSet::default();
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.list.iter().flat_map(|node| &node.rows).flat_map(|row| &row.values) {
            if !NAMES.contains(&name.as_str())
                && !PLACES.contains(&name.as_str())
                && seen.insert(name.as_str())
            {
                names.push(name);
            }
        }
        let is_inclusive = |name: &str| {
            let is_said = |list: &[String]| list.iter().any(|other| other == name);
            is_said(&self.inclusive) || (name.ends_with(INCLUSIVE) && !is_said(&self.exclusive))
        };
        let has_own = |name: &str| {
            let own = name.strip_suffix(INCLUSIVE).unwrap_or_default();
            names.contains(&own)
        };
        let mut columns: Vec<(String, Given)> = Vec::new();
        for name in &names {
            match is_inclusive(name) {
                true if has_own(name) => {}
                true => columns.push(((*name).to_owned(), Given::Inclusive)),
                false => columns.push(((*name).to_owned(), Given::Own)),
            }
        }
        columns.sort_by_key(|(name, _)| name != "time" && name != "time (inc)");
        columns
    }
}

/// A node as the literal has it.
#[derive(Default)]
struct Literal {
    fields: Fields,
    row: Row,
    is_duplicate: bool,
}

/// The tree, as one list with what is inside it.
fn literal(json: &mut Json<'_, '_>) -> Result<Nodes, ImportError> {
    let read = nested(json, "children", |json, key, node: &mut Literal| {
        match key {
            "frame" => node.fields = Fields::read(json)?,
            // As it was before frames had several fields.
            "name" => node.fields = Fields::named(json.text()?.unwrap_or_default()),
            "metrics" => node.row = number_fields(json)?,
            "duplicate" => node.is_duplicate = json.flag()?.unwrap_or(false),
            _ => json.skip()?,
        }
        Ok(())
    })?;
    let (mut nodes, mut seen) = (Nodes::default(), HashSet::default());
    for node in read {
        let Literal { fields, row, is_duplicate } = node.value;
        let id = row.get("_hatchet_nid").map(f64::to_bits);
        // The same node below another parent: its values count once.
        let is_again = is_duplicate || id.is_some_and(|id| !seen.insert(id));
        nodes.again += u64::from(is_again);
        let rows = if is_again { Vec::new() } else { vec![row] };
        let frame = frame(fields).ok_or_else(|| json.broken_at(node.offset, "a node without a `frame`"))?;
        nodes.list.push(Node { parent: node.parent, frame, rows });
    }
    Ok(nodes)
}

fn detect(head: &Head<'_>) -> Confidence {
    let first = head.bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let has = |key: &str| {
        [b'"', b'\''].iter().any(|&quote| {
            let quoted = [&[quote][..], key.as_bytes(), &[quote]].concat();
            holds(head.bytes, &quoted)
        })
    };
    match first {
        Some(b'[') if has("frame") && has("metrics") => Confidence::percent(90),
        Some(b'[') if has("name") && has("metrics") && has("children") => Confidence::percent(80),
        Some(b'{') if has("graph") && (has("dataframe") || (has("data") && has("children"))) => {
            Confidence::percent(80)
        }
        _ => Confidence::NONE,
    }
}
