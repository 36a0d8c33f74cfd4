//! Hatchet's JSON of a whole graph frame: `graph`, a list of nodes by number, and `dataframe`, a row for each node and place.

use foldhash::HashMap;

use super::super::json::{Json, Kind};
use super::frames::{Fields, frame, number_fields};
use super::{Node, Nodes, Row};
use crate::error::ImportError;

/// A node of the graph.
#[derive(Default)]
struct Read {
    fields: Fields,
    children: Vec<i64>,
    offset: u64,
}

/// Reads it into a tree: a node that stands below several others stands below the first of them.
pub fn read(json: &mut Json<'_, '_>) -> Result<Nodes, ImportError> {
    let (mut nodes, mut graph, mut rows) = (Nodes::default(), HashMap::default(), Vec::new());
    let (mut key, mut order) = (String::new(), Vec::new());
    if json.object()? {
        while json.key(&mut key)? {
            match key.as_str() {
                "graph" => read_graph(json, &mut graph, &mut order)?,
                "dataframe" if json.kind()? == Kind::Array => {
                    json.array()?;
                    while json.item()? {
                        rows.push(number_fields(json)?);
                    }
                }
                "inclusive_metrics" => nodes.inclusive = texts(json)?,
                "exclusive_metrics" => nodes.exclusive = texts(json)?,
                _ => json.skip()?,
            }
        }
    }
    let mut of: HashMap<i64, Vec<Row>> = HashMap::default();
    for row in rows {
        let id = row.get("node").map(|id| id as i64);
        let id = id.filter(|id| graph.contains_key(id));
        let id = id.ok_or_else(|| json.broken_at(row.offset, "a row of a node that is not in the graph"))?;
        of.entry(id).or_default().push(row);
    }
    let mut is_child: HashMap<i64, bool> = HashMap::default();
    for read in graph.values() {
        for &child in &read.children {
            if !graph.contains_key(&child) {
                return Err(json.broken_at(read.offset, format!("node {child} is not in the graph")));
            }
            is_child.insert(child, true);
        }
    }
    let mut open: Vec<(Option<usize>, i64)> =
        order.iter().rev().filter(|id| !is_child.contains_key(id)).map(|&id| (None, id)).collect();
    while let Some((parent, id)) = open.pop() {
        let Some(read) = graph.remove(&id) else {
            nodes.again += 1;
            continue;
        };
        let frame = frame(read.fields).ok_or_else(|| json.broken_at(read.offset, "a node without `data`"))?;
        let number = nodes.list.len();
        nodes.list.push(Node { parent, frame, rows: of.remove(&id).unwrap_or_default() });
        open.extend(read.children.iter().rev().map(|&child| (Some(number), child)));
    }
    if let Some(read) = graph.values().next() {
        return Err(json.broken_at(read.offset, "nodes that are below each other in a circle"));
    }
    Ok(nodes)
}

/// A list of objects, or one object: nodes by their numbers.
fn read_graph(
    json: &mut Json<'_, '_>,
    graph: &mut HashMap<i64, Read>,
    order: &mut Vec<i64>,
) -> Result<(), ImportError> {
    if json.kind()? == Kind::Object {
        return read_nodes(json, graph, order);
    }
    if json.array()? {
        while json.item()? {
            read_nodes(json, graph, order)?;
        }
    }
    Ok(())
}

fn read_nodes(
    json: &mut Json<'_, '_>,
    graph: &mut HashMap<i64, Read>,
    order: &mut Vec<i64>,
) -> Result<(), ImportError> {
    let (mut id, mut key) = (String::new(), String::new());
    if !json.object()? {
        return Ok(());
    }
    while json.key(&mut id)? {
        let number: i64 =
            id.parse().map_err(|_| json.broken(format!("a node without a number: {id:.40}")))?;
        let mut read = Read { offset: json.offset(), ..Read::default() };
        if json.object()? {
            while json.key(&mut key)? {
                match key.as_str() {
                    "data" => read.fields = Fields::read(json)?,
                    "children" if json.kind()? == Kind::Array => {
                        json.array()?;
                        while json.item()? {
                            read.children.extend(json.whole()?);
                        }
                    }
                    _ => json.skip()?,
                }
            }
        }
        if graph.insert(number, read).is_some() {
            return Err(json.broken(format!("node {number} stands there twice")));
        }
        order.push(number);
    }
    Ok(())
}

fn texts(json: &mut Json<'_, '_>) -> Result<Vec<String>, ImportError> {
    let mut texts = Vec::new();
    if json.array()? {
        while json.item()? {
            texts.extend(json.text()?);
        }
    }
    Ok(texts)
}
