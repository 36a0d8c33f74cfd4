//! Trees of timemory as JSON: for each component and rank a tree, each node with its inclusive and exclusive value; or a list of
//! calls with their depths and inclusive values.

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;

use super::json::{Json, Style, begins};
use super::nested::{Nested, nested};
use super::{MOST_RANKS, builder, plain};
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
    lists: Vec<List>,
}

/// The calls of a rank in the order of a walk through their tree.
#[derive(Default)]
struct List {
    rank: i64,
    calls: Vec<Call>,
}

#[derive(Default)]
struct Call {
    prefix: String,
    depth: usize,
    inclusive: Option<f64>,
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
                _ if key == "ranks" => component.lists = lists(json)?,
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
        if !self.lists.is_empty() {
            return add_lists(builder, name, &self.unit, &self.lists);
        }
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

fn lists(json: &mut Json<'_, '_>) -> Result<Vec<List>, ImportError> {
    let (mut lists, mut key) = (Vec::new(), String::new());
    if !json.array()? {
        return Ok(lists);
    }
    while json.item()? {
        let mut list = List::default();
        if json.object()? {
            while json.key(&mut key)? {
                match key.as_str() {
                    "rank" => list.rank = json.whole()?.unwrap_or(0),
                    "graph" if json.array()? => {
                        while json.item()? {
                            list.calls.push(call(json)?);
                        }
                    }
                    "graph" => {}
                    _ => json.skip()?,
                }
            }
        }
        if !(0..MOST_RANKS).contains(&list.rank) {
            return Err(json.broken(format!("a rank {}", list.rank)));
        }
        lists.push(list);
    }
    Ok(lists)
}

fn call(json: &mut Json<'_, '_>) -> Result<Call, ImportError> {
    let (mut call, mut key) = (Call::default(), String::new());
    let at = json.offset();
    if !json.object()? {
        return Err(json.broken_at(at, "a call that is no object"));
    }
    while json.key(&mut key)? {
        match key.as_str() {
            "prefix" => call.prefix = json.text()?.unwrap_or_default(),
            "depth" => {
                let depth = json.whole()?.unwrap_or(0);
                let wrong = || json.broken_at(at, format!("a call of depth {depth}"));
                call.depth = usize::try_from(depth).map_err(|_| wrong())?;
            }
            "entry" => call.inclusive = repr_data(json)?,
            _ => json.skip()?,
        }
    }
    Ok(call)
}

/// Each call is inside the last one before it that is less deep.
fn add_lists(builder: &mut Builder, name: &str, unit: &str, lists: &[List]) -> Result<(), ImportError> {
    let (unit, one) = unit_of(unit);
    let metric = builder.metric(name, unit, Given::Inclusive);
    let mut without = 0u64;
    for list in lists {
        let place = builder.place(list.rank, 0);
        let mut open: Vec<(usize, u32)> = Vec::new();
        for call in &list.calls {
            while open.last().is_some_and(|&(depth, _)| depth >= call.depth) {
                open.pop();
            }
            let frame = builder.frame(frame(bare(&call.prefix)));
            let node = builder.node(open.last().map_or(0, |&(_, node)| node), frame)?;
            open.push((call.depth, node));
            without += u64::from(call.inclusive.is_none());
            builder.add(metric, place, node, unit.whole(call.inclusive.unwrap_or(0.0), one));
        }
    }
    if without > 0 {
        builder.note(format!("{name}: {without} calls have no single value and count as nothing"));
    }
    Ok(())
}

/// `|0>>> |_name`: what stands before a name is a drawing of the tree.
fn bare(prefix: &str) -> &str {
    let text = prefix.split_once(">>>").map_or(prefix, |(_, rest)| rest).trim();
    text.trim_start_matches([' ', '|']).strip_prefix('_').map_or(text, str::trim)
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
        match key.as_str() {
            "entry" => own = repr_data(json)?,
            _ => json.skip()?,
        }
    }
    Ok(own)
}

/// The value of an entry, in the unit that is shown; none where it has several.
fn repr_data(json: &mut Json<'_, '_>) -> Result<Option<f64>, ImportError> {
    let (mut value, mut key) = (None, String::new());
    if json.object()? {
        while json.key(&mut key)? {
            match key.as_str() {
                "repr_data" => value = json.number()?,
                _ => json.skip()?,
            }
        }
    }
    Ok(value)
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
