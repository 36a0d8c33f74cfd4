//! Version 4: `meta.db` has the tree, the names and the metrics; `profile.db` the values of each thread. `cct.db` has the same
//! values the other way round and is not needed.
//!
//! `profile.db` has values of instructions that `meta.db` leaves out; they are part of the inclusive values of what is listed.

use std::path::{Path, PathBuf};

use crosscut_calls::{Builder, Frame, Given, Kind};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::xml::loop_name;
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::{FoundFile, Inputs};
use crate::profiles::bytes::{Bytes, unit_of, whole};

/// Where the list of sections begins.
const SECTIONS: u64 = 0x10;
/// Sections of `meta.db`, by number.
const ID_NAMES: u64 = 1;
const METRICS: u64 = 2;
const CONTEXT: u64 = 3;
/// The scope of values with all that was called.
const EXECUTION: u8 = 2;
/// The profile that sums up all others.
const SUMMARY: u32 = 1;
/// Threads of a GPU are numbered from here on.
const GPU: i64 = 1 << 20;

/// Reads a database.
pub fn read(inputs: &Inputs<'_>, file: &FoundFile, builder: &mut Builder) -> Result<(), ImportError> {
    let input = inputs.open(file)?;
    let bytes = open(&input, b"meta", b"_meta.db")?;
    let mut meta = Meta { bytes, builder, nodes: HashMap::new(), roots: HashSet::new() };
    let metrics = meta.metrics()?;
    let kinds = meta.kinds()?;
    meta.tree()?;
    let (nodes, roots) = (meta.nodes, meta.roots);
    let path = beside(file, "profile.db");
    let input = Input::open(&path, inputs)?;
    let profiles = Profiles {
        bytes: open(&input, b"prof", b"_prof.db")?,
        input: &input,
        metrics: &metrics,
        kinds: &kinds,
        nodes: &nodes,
        roots: &roots,
        gpus: HashMap::new(),
        seen: HashSet::new(),
        left: input.size(),
    };
    profiles.read(builder)
}

fn beside(file: &FoundFile, name: &str) -> PathBuf {
    file.path.parent().unwrap_or(Path::new("")).join(name)
}

/// A file of a database, with its first and last bytes checked.
fn open<'a>(input: &'a Input<'a>, kind: &[u8], end: &[u8]) -> Result<Bytes<'a>, ImportError> {
    let bytes = Bytes::whole(input)?;
    if bytes.slice(0, 10)? != super::MAGIC || bytes.slice(10, 4)? != kind {
        return Err(input.broken(0, "not this file of a database of HPCToolkit: it begins otherwise"));
    }
    let (major, minor) = (bytes.u8(14)?, bytes.u8(15)?);
    if major != 4 {
        let (found, path) = (format!("{major}.{minor}"), input.path().to_owned());
        return Err(ImportError::Version { path, offset: 14, found, reads: "4" });
    }
    if input.size() < 8 || bytes.slice(input.size() - 8, 8)? != end {
        return Err(input.broken(input.size(), "the file does not end as it should: it is cut short"));
    }
    Ok(bytes)
}

/// A metric of the builder, and how many of its units one of the file is.
struct Metric {
    number: u32,
    one: f64,
}

struct Meta<'a, 'b> {
    bytes: Bytes<'a>,
    builder: &'b mut Builder,
    /// Nodes by the numbers of contexts.
    nodes: HashMap<u32, u32>,
    /// Contexts directly below the program.
    roots: HashSet<u32>,
}

/// What a context inherits from what it is in.
#[derive(Clone, Default)]
struct Around {
    node: u32,
    function: String,
    module: String,
}

/// Contexts that stand side by side.
struct Children {
    at: u64,
    end: u64,
    above: Around,
}

impl Meta<'_, '_> {
    fn section(&self, number: u64) -> Result<u64, ImportError> {
        self.bytes.u64(SECTIONS + number * 16 + 8)
    }

    /// Metrics by the number that their inclusive values have.
    fn metrics(&mut self) -> Result<HashMap<u16, Metric>, ImportError> {
        let bytes = &self.bytes;
        let at = self.section(METRICS)?;
        let (list, count) = (bytes.u64(at)?, bytes.u32(at + 8)?);
        let (size, scope_size) = (u64::from(bytes.u8(at + 12)?), u64::from(bytes.u8(at + 13)?));
        let mut metrics = HashMap::new();
        for number in 0..u64::from(count) {
            let metric = place(bytes, list, number, size)?;
            let name = bytes.text(bytes.u64(metric)?)?.into_owned();
            let (scopes, of_scopes) = (bytes.u64(metric + 8)?, u64::from(bytes.u16(metric + 24)?));
            let mut found = false;
            for scope in 0..of_scopes {
                let scope = place(bytes, scopes, scope, scope_size)?;
                if bytes.u8(bytes.u64(scope)?.saturating_add(8))? == EXECUTION {
                    let (unit, one) = unit_of(&name);
                    let id = bytes.u16(scope + 8)?;
                    let number = self.builder.metric(&name, unit, Given::Inclusive);
                    if metrics.insert(id, Metric { number, one }).is_some() {
                        return Err(bytes.broken(scope + 8, format!("a second metric with the number {id}")));
                    }
                    found = true;
                }
            }
            if !found {
                self.builder.note(format!("{name}: has no inclusive values and was left out"));
            }
        }
        Ok(metrics)
    }

    /// The names of the kinds of identifiers.
    fn kinds(&self) -> Result<Vec<String>, ImportError> {
        let at = self.section(ID_NAMES)?;
        let (list, count) = (self.bytes.u64(at)?, self.bytes.u8(at + 8)?);
        let name = |number: u64| {
            Ok(self.bytes.text(self.bytes.u64(place(&self.bytes, list, number, 8)?)?)?.into_owned())
        };
        (0..u64::from(count)).map(name).collect()
    }

    /// All contexts become nodes.
    fn tree(&mut self) -> Result<(), ImportError> {
        let at = self.section(CONTEXT)?;
        let (list, count) = (self.bytes.u64(at)?, self.bytes.u16(at + 8)?);
        let size = u64::from(self.bytes.u8(at + 10)?);
        let mut open = Vec::new();
        for number in 0..u64::from(count) {
            let at = place(&self.bytes, list, number, size)?;
            let name = self.bytes.text(self.bytes.u64(at + 24)?)?.into_owned();
            let frame = Frame { kind: Kind::Entry, name, ..Frame::default() };
            let node = self.node(at, 0, frame)?;
            open.extend(self.children(at, Around { node, ..Around::default() })?);
        }
        // Siblings in the order of the file: what stands first is looked at first.
        open.reverse();
        while let Some(mut children) = open.pop() {
            if children.at >= children.end {
                continue;
            }
            let at = children.at;
            let (above, flex) = (children.above.clone(), u64::from(self.bytes.u8(at + 0x17)?));
            children.at = at + 32 + 8 * flex;
            if children.at > children.end {
                return Err(self.bytes.broken(at, "a context that is longer than the list that it is in"));
            }
            open.push(children);
            let (frame, around) = self.frame(at, &above)?;
            let node = self.node(at, above.node, frame)?;
            open.extend(self.children(at, Around { node, ..around })?);
        }
        Ok(())
    }

    fn children(&self, at: u64, above: Around) -> Result<Option<Children>, ImportError> {
        let (size, at) = (self.bytes.u64(at)?, self.bytes.u64(at + 8)?);
        if size == 0 {
            return Ok(None);
        }
        self.bytes.slice(at, size)?;
        Ok(Some(Children { at, end: at + size, above }))
    }

    fn node(&mut self, at: u64, parent: u32, frame: Frame) -> Result<u32, ImportError> {
        let id = self.bytes.u32(at + 0x10)?;
        let frame = self.builder.frame(frame);
        let node = self.builder.new_node(parent, frame)?;
        // Also what leads in a circle ends here.
        if id == 0 || self.nodes.insert(id, node).is_some() {
            return Err(self.bytes.broken(at + 0x10, format!("a second context with the number {id}")));
        }
        if parent == 0 {
            self.roots.insert(id);
        }
        Ok(node)
    }

    /// What a context is: its optional words say it.
    fn frame(&self, at: u64, above: &Around) -> Result<(Frame, Around), ImportError> {
        let bytes = &self.bytes;
        let (flags, lexical) = (bytes.u8(at + 0x14)?, bytes.u8(at + 0x16)?);
        let (mut word, mut around) = (at + 32, above.clone());
        let (mut file, mut line, mut offset) = (String::new(), 0i64, None);
        if flags & 1 != 0 {
            let function = bytes.u64(word)?;
            word += 8;
            let name = bytes.u64(function)?;
            around.function = if name == 0 { String::new() } else { bytes.text(name)?.into_owned() };
            around.module = self.path(bytes.u64(function.saturating_add(8))?)?;
            if around.function.is_empty() {
                let at = bytes.u64(function.saturating_add(16))?;
                around.function = unnamed(&around.module, at);
            }
            if lexical == 0 {
                file = self.path(bytes.u64(function.saturating_add(0x18))?)?;
                line = i64::from(bytes.u32(function.saturating_add(0x20))?);
            }
        }
        if flags & 2 != 0 {
            file = self.path(bytes.u64(word)?)?;
            line = i64::from(bytes.u32(word + 8)?);
            word += 16;
        }
        if flags & 4 != 0 {
            around.module = self.path(bytes.u64(word)?)?;
            offset = Some(bytes.u64(word + 8)?);
        }
        let inside = match (around.function.is_empty(), offset) {
            (false, _) => around.function.clone(),
            (true, Some(offset)) => unnamed(&around.module, offset),
            (true, None) => "(unknown)".to_owned(),
        };
        let (kind, name) = match lexical {
            0 => (Kind::Function, inside),
            1 => (Kind::Loop, loop_name(&file, line)),
            2 => (Kind::Line, inside),
            3 => (Kind::Instruction, inside),
            other => {
                return Err(bytes.broken(at + 0x16, format!("a context of the unknown kind {other}")));
            }
        };
        Ok((Frame { kind, name, module: around.module.clone(), file, line }, around))
    }

    /// The path of a module or file; none is "".
    fn path(&self, at: u64) -> Result<String, ImportError> {
        if at == 0 {
            return Ok(String::new());
        }
        Ok(self.bytes.text(self.bytes.u64(at.saturating_add(8))?)?.into_owned())
    }
}

/// Code without a name.
fn unnamed(module: &str, offset: u64) -> String {
    let name = module.rsplit('/').next().unwrap_or(module);
    if name.is_empty() { format!("0x{offset:x}") } else { format!("0x{offset:x} [{name}]") }
}

/// Where an entry of a list is. Entries take room, so that a file has no more of them than bytes.
fn place(bytes: &Bytes<'_>, list: u64, number: u64, size: u64) -> Result<u64, ImportError> {
    if size == 0 {
        return Err(bytes.broken(list, "a list of entries without a size"));
    }
    let at = number.checked_mul(size).and_then(|offset| list.checked_add(offset));
    let at = at.ok_or_else(|| bytes.broken(list, "a list that reaches beyond any file"))?;
    bytes.slice(at, size)?;
    Ok(at)
}

fn add(sums: &mut HashMap<u16, i64>, id: u16, value: i64) {
    let sum = sums.entry(id).or_default();
    *sum = sum.saturating_add(value);
}

struct Profiles<'a> {
    bytes: Bytes<'a>,
    input: &'a Input<'a>,
    metrics: &'a HashMap<u16, Metric>,
    kinds: &'a [String],
    nodes: &'a HashMap<u32, u32>,
    roots: &'a HashSet<u32>,
    /// Numbers of the streams of GPUs.
    gpus: HashMap<Vec<(u8, u32)>, i64>,
    seen: HashSet<(i64, i64)>,
    /// Bytes of lists and values that no profile had yet: each has its own.
    left: u64,
}

impl Profiles<'_> {
    fn read(mut self, builder: &mut Builder) -> Result<(), ImportError> {
        let at = self.bytes.u64(SECTIONS + 8)?;
        let (list, count) = (self.bytes.u64(at)?, self.bytes.u32(at + 8)?);
        let size = u64::from(self.bytes.u8(at + 12)?);
        for number in 0..u64::from(count) {
            let at = place(&self.bytes, list, number, size)?;
            let flags = self.bytes.u32(at + 0x28)?;
            let tuple = self.bytes.u64(at + 0x20)?;
            if flags & SUMMARY == 0 && tuple != 0 {
                let (rank, thread) = self.place(tuple)?;
                if !self.seen.insert((rank, thread)) {
                    let what = format!("a second profile of thread {thread} of rank {rank}");
                    return Err(self.bytes.broken(tuple, what));
                }
                let place = builder.place(rank, thread);
                self.values(at, place, builder)?;
            }
        }
        if !self.gpus.is_empty() {
            builder.note(format!("{} streams of GPUs are places behind the threads", self.gpus.len()));
        }
        Ok(())
    }

    /// Rank and thread of a profile. Nodes and cores are ignored.
    fn place(&mut self, at: u64) -> Result<(i64, i64), ImportError> {
        let (mut rank, mut thread, mut gpu) = (0, 0, Vec::new());
        let count = u64::from(self.bytes.u16(at)?);
        for number in 0..count {
            let at = place(&self.bytes, at.saturating_add(8), number, 16)?;
            let (kind, logical) = (self.bytes.u8(at)?, self.bytes.u32(at + 4)?);
            match self.kinds.get(usize::from(kind)).map(String::as_str) {
                Some("RANK") => rank = i64::from(logical),
                Some("THREAD") => thread = i64::from(logical),
                Some("GPUDEVICE" | "GPUCONTEXT" | "GPUSTREAM") => gpu.push((kind, logical)),
                _ => {}
            }
        }
        if !gpu.is_empty() {
            gpu.push((u8::MAX, thread as u32));
            let next = GPU + self.gpus.len() as i64;
            thread = *self.gpus.entry(gpu).or_insert(next);
        }
        Ok((rank, thread))
    }

    /// The values of a profile: for each context a run of them, each with the number of its metric.
    fn values(&mut self, at: u64, place_number: u32, builder: &mut Builder) -> Result<(), ImportError> {
        let bytes = &self.bytes;
        let (count, values) = (bytes.u64(at)?, bytes.u64(at + 8)?);
        let (contexts, index) = (u64::from(bytes.u32(at + 16)?), bytes.u64(at + 24)?);
        let size = count.saturating_mul(10).saturating_add(contexts.saturating_mul(12));
        self.left = self.left.checked_sub(size).ok_or_else(|| {
            bytes.broken(at, "profiles that share their values: they have more than there are in the file")
        })?;
        // What is spent in the program and not in what is listed below it.
        let mut left: HashMap<u16, i64> = HashMap::new();
        let mut before = None;
        for number in 0..contexts {
            let entry = place(bytes, index, number, 12)?;
            let (context, from) = (bytes.u32(entry)?, bytes.u64(entry + 4)?);
            if before.is_some_and(|before| before >= context) {
                return Err(bytes.broken(entry, "contexts that are not in the order of their numbers"));
            }
            before = Some(context);
            let to = match number + 1 < contexts {
                true => bytes.u64(place(bytes, index, number + 1, 12)? + 4)?,
                false => count,
            };
            if from > to || to > count {
                return Err(bytes.broken(entry + 4, format!("values {from} to {to} of {count}")));
            }
            for value in from..to {
                let at = place(bytes, values, value, 10)?;
                let id = bytes.u16(at)?;
                let Some(metric) = self.metrics.get(&id) else { continue };
                let value =
                    whole(bytes.f64(at + 2)?, metric.one).map_err(|what| bytes.broken(at + 2, what))?;
                if context == 0 {
                    add(&mut left, id, value);
                } else if let Some(&node) = self.nodes.get(&context) {
                    builder.add(metric.number, place_number, node, value);
                    if self.roots.contains(&context) {
                        add(&mut left, id, -value);
                    }
                }
            }
        }
        self.input.check_cancelled()?;
        let rounded = self.roots.len() as i64;
        for (id, left) in left.into_iter().filter(|(_, left)| left.saturating_abs() > rounded) {
            let Some(metric) = self.metrics.get(&id) else { continue };
            let frame = builder.frame(Frame::outside());
            let node = builder.node(0, frame)?;
            builder.add(metric.number, place_number, node, left);
        }
        Ok(())
    }
}
