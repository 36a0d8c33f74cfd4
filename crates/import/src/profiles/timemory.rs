//! Trees of timemory as JSON: for each component and rank a tree, each node with its inclusive and exclusive value.

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;
use serde_json::Value;

use super::json::{begins, number, read};
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
        inputs.detect_one(|head| match begins(head.bytes, "timemory") {
            true => Confidence::CERTAIN,
            false => Confidence::NONE,
        })
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let whole = read(input)?;
        let components = whole.get("timemory").and_then(Value::as_object);
        let components = components.ok_or_else(|| input.broken(0, "it has no components"))?;
        let mut builder = Builder::new(self.title());
        for (name, component) in components {
            let ranks = ["mpi", "upcxx", "graph"].into_iter().find_map(|key| component.get(key)?.as_array());
            let Some(ranks) = ranks else {
                builder.note(format!("{name} has no tree and was left out"));
                continue;
            };
            let unit = component.get("unit_repr").and_then(Value::as_str).unwrap_or_default();
            let (unit, one) = unit_of(unit);
            let metric = builder.metric(name, unit, Given::Own);
            for (rank, trees) in ranks.iter().enumerate() {
                let place = builder.place(rank as i64, 0);
                // A rank is a list of trees, or a tree.
                let mut open: Vec<(u32, &Value)> = vec![(0, trees)];
                while let Some((parent, value)) = open.pop() {
                    if let Some(list) = value.as_array() {
                        open.extend(list.iter().rev().map(|child| (parent, child)));
                        continue;
                    }
                    let node = add(&mut builder, (metric, place, one), parent, value, unit)?;
                    if let Some(children) = value.get("children") {
                        open.push((node, children));
                    }
                }
            }
        }
        Ok(builder.finish(run)?)
    }
}

/// One node; a dummy is its parent.
fn add(
    builder: &mut Builder,
    (metric, place, one): (u32, u32, f64),
    parent: u32,
    value: &Value,
    unit: Unit,
) -> Result<u32, ImportError> {
    let Some(of) = value.get("node") else { return Ok(parent) };
    let is_dummy = of.get("hash").and_then(Value::as_u64) == Some(0)
        || of.get("is_dummy").and_then(Value::as_bool) == Some(true);
    if is_dummy {
        return Ok(parent);
    }
    let prefix = of.get("prefix").and_then(Value::as_str).unwrap_or_default();
    let frame = builder.frame(frame(prefix));
    let node = builder.node(parent, frame)?;
    let own = of.pointer("/exclusive/entry/repr_data").and_then(number);
    builder.add(metric, place, node, unit.whole(own.unwrap_or(0.0), one));
    Ok(node)
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
