//! Trees of timemory as JSON: for each component and rank a tree, each node with its inclusive and exclusive value.

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;

use super::json::{Json, Style, begins};
use super::nested::{Nested, nested};
use super::{builder, plain};
use crate::error::ImportError;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Options, Reader};

/// The reader.
pub struct TimeMemory;

impl Reader for TimeMemory {
    fn name(&self) -> &'static str {
        "timemory"
    }

    fn title(&self) -> &'static str {
        "timemory tree"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, |head| match begins(head.bytes, "timemory") {
            true => Confidence::CERTAIN,
            false => Confidence::NONE,
        })
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let json = &mut Json::open(input, Style::Json)?;
        let mut builder = builder(self.title());
        let (mut key, mut component, mut found) = (String::new(), String::new(), false);
        if json.object()? {
            while json.key(&mut key)? {
                if key != "timemory" {
                    json.skip()?;
                } else if json.object()? {
                    while json.key(&mut component)? {
                        found = true;
                        Component::read(json)?.add_to(&mut builder, &component)?;
                    }
                }
            }
        }
        json.end()?;
        match found {
            true => Ok(builder.finish(run)?),
            false => Err(input.broken(0, "it has no components")),
        }
    }
}

/// Where the trees of all ranks may stand, the first that is there counts.
const TREES: [&str; 3] = ["mpi", "upcxx", "graph"];

/// What was measured in one way: the unit, and for each rank its trees.
#[derive(Default)]
struct Component {
    unit: String,
    ranks: [Option<Vec<Vec<Nested<Node>>>>; TREES.len()],
}

/// A node of a tree. A dummy stands for its parent.
#[derive(Default)]
struct Node {
    is_there: bool,
    is_dummy: bool,
    prefix: String,
    own: Option<f64>,
}

impl Component {
    fn read(json: &mut Json<'_, '_>) -> Result<Self, ImportError> {
        let (mut component, mut key) = (Component::default(), String::new());
        if !json.object()? {
            return Ok(component);
        }
        while json.key(&mut key)? {
            match TREES.iter().position(|name| *name == key) {
                _ if key == "unit_repr" => component.unit = json.text()?.unwrap_or_default(),
                Some(at) if json.array()? => {
                    let mut ranks = Vec::new();
                    while json.item()? {
                        // A rank is a list of trees, or a tree.
                        ranks.push(nested(json, "children", field)?);
                    }
                    if let Some(of) = component.ranks.get_mut(at) {
                        *of = Some(ranks);
                    }
                }
                Some(_) => {}
                None => json.skip()?,
            }
        }
        Ok(component)
    }

    fn add_to(self, builder: &mut Builder, name: &str) -> Result<(), ImportError> {
        let Some(ranks) = self.ranks.into_iter().flatten().next() else {
            builder.note(format!("{name} has no tree and was left out"));
            return Ok(());
        };
        let (unit, one) = unit_of(&self.unit);
        let metric = builder.metric(name, unit, Given::Own);
        let mut without = 0u64;
        for (rank, trees) in ranks.into_iter().enumerate() {
            let place = builder.place(rank as i64, 0);
            let mut nodes: Vec<u32> = Vec::with_capacity(trees.len());
            for node in trees {
                let parent = node.parent.and_then(|parent| nodes.get(parent)).copied().unwrap_or(0);
                let of = node.value;
                if !of.is_there || of.is_dummy {
                    nodes.push(parent);
                    continue;
                }
                let frame = builder.frame(frame(&of.prefix));
                let node = builder.node(parent, frame)?;
                without += u64::from(of.own.is_none());
                builder.add(metric, place, node, unit.whole(of.own.unwrap_or(0.0), one));
                nodes.push(node);
            }
        }
        if without > 0 {
            builder.note(format!("{name}: {without} nodes have no single value and count as nothing"));
        }
        Ok(())
    }
}

/// A field of an object of the tree: all is below `node`.
fn field(json: &mut Json<'_, '_>, key: &str, node: &mut Node) -> Result<(), ImportError> {
    if key != "node" {
        return json.skip();
    }
    if !json.object()? {
        return Ok(());
    }
    node.is_there = true;
    let mut key = String::new();
    while json.key(&mut key)? {
        match key.as_str() {
            "hash" => node.is_dummy |= json.number()? == Some(0.0),
            "is_dummy" => node.is_dummy |= json.flag()? == Some(true),
            "prefix" => node.prefix = json.text()?.unwrap_or_default(),
            "exclusive" => node.own = own(json)?,
            _ => json.skip()?,
        }
    }
    Ok(())
}

/// `entry.repr_data`.
fn own(json: &mut Json<'_, '_>) -> Result<Option<f64>, ImportError> {
    let (mut own, mut key) = (None, String::new());
    if !json.object()? {
        return Ok(None);
    }
    while json.key(&mut key)? {
        if key != "entry" {
            json.skip()?;
        } else if json.object()? {
            while json.key(&mut key)? {
                match key.as_str() {
                    "repr_data" => own = json.number()?,
                    _ => json.skip()?,
                }
            }
        }
    }
    Ok(own)
}

/// `function@file:line/label`, `function/label` or `[function][file]`: the whole is the name.
fn frame(prefix: &str) -> Frame {
    let place = prefix.split_once('@').map_or("", |(_, rest)| rest.split('/').next().unwrap_or_default());
    match place.rsplit_once(':') {
        Some((file, line)) => {
            Frame { file: file.to_owned(), line: line.parse().unwrap_or(0), ..Frame::region(prefix) }
        }
        None => Frame::region(prefix),
    }
}

fn unit_of(unit: &str) -> (Unit, f64) {
    match unit.trim() {
        "sec" | "s" => (Unit::Ns, 1e9),
        "ms" | "msec" => (Unit::Ns, 1e6),
        "us" | "usec" => (Unit::Ns, 1e3),
        "ns" | "nsec" => (Unit::Ns, 1.0),
        "B" => (Unit::Bytes, 1.0),
        "KB" => (Unit::Bytes, 1e3),
        "MB" => (Unit::Bytes, 1e6),
        "GB" => (Unit::Bytes, 1e9),
        _ => (Unit::Micro, 1e6),
    }
}
