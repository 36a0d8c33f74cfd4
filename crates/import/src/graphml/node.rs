//! What a node of the graph is, from its data. Programs name the same thing differently: several names are known.

use crosscut_run::{NO_SITE, Source, SourcesBuilder};

use crate::chunk_range::range;
use crate::grains::UNKNOWN;
use crate::number::{Number, number};
use crate::ticks::Ticks;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    Start,
    End,
    Fork,
    Join,
    Task,
    Lane,
    Chunk,
    /// Several tasks that were folded into one while recording.
    Folded,
    /// It holds other nodes and is itself nothing.
    Group,
}

impl NodeKind {
    /// Whether work is done there.
    pub fn is_grain(self) -> bool {
        matches!(self, NodeKind::Task | NodeKind::Lane | NodeKind::Chunk | NodeKind::Folded)
    }
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Where it begins in the file.
    pub offset: u64,
    /// None when only edges speak of it.
    pub kind: Option<NodeKind>,
    pub work: i64,
    pub creation: i64,
    /// Of a grain its share, of a fork or join that of all its grains.
    pub sync: i64,
    pub start: i64,
    pub worker: i64,
    pub core: i64,
    pub site: u32,
    /// First iteration and number of iterations.
    pub chunk: Option<(i64, i64)>,
}

impl Node {
    /// A node that an edge speaks of.
    pub fn named_at(offset: u64) -> Self {
        Node {
            offset,
            kind: None,
            work: 0,
            creation: 0,
            sync: 0,
            start: UNKNOWN,
            worker: -1,
            core: -1,
            site: NO_SITE,
            chunk: None,
        }
    }
}

/// The data of a node as they are found.
#[derive(Debug, Default)]
pub struct Data {
    pub is_group: bool,
    kind: Option<String>,
    name: Option<String>,
    label: Option<String>,
    work: Option<i64>,
    exec: Option<i64>,
    overhead: Option<i64>,
    creation: Option<i64>,
    sync: Option<i64>,
    start: Option<i64>,
    end: Option<i64>,
    worker: Option<i64>,
    core: Option<i64>,
    source: Option<String>,
    function: Option<String>,
    tag: Option<String>,
    chunk_first: Option<i64>,
    chunk_count: Option<i64>,
    range: Option<(i64, i64)>,
}

impl Data {
    /// Takes one value. Its name is without `v_`.
    pub fn take(&mut self, name: &str, value: &str, ticks: Ticks) -> Result<(), String> {
        match name {
            "kind" | "type" | "node_type" | "group_type" => self.kind = text(value).or(self.kind.take()),
            "name" => self.name = text(value),
            "label" => self.label = text(value),
            "work" | "work_cycles" => self.work = cost(name, value, ticks)?,
            "exec_cycles" => self.exec = cost(name, value, ticks)?,
            "overhead_cycles" => self.overhead = cost(name, value, ticks)?,
            "creation" | "creation_cycles" => self.creation = cost(name, value, ticks)?,
            "sync" | "sync_cycles_per_child" => self.sync = cost(name, value, ticks)?,
            "start" => self.start = cost(name, value, ticks)?,
            "exec_end_instant" => self.end = cost(name, value, ticks)?,
            "worker" | "thread" => self.worker = count(name, value)?,
            "core" | "cpu_id" | "cpu" => self.core = count(name, value)?,
            "source" | "source_line" => self.source = text(value),
            "outline_function" | "function" => self.function = text(value),
            "tag" => self.tag = text(value),
            "chunk_first" => self.chunk_first = number(value.as_bytes()).rounded(),
            "chunk_count" => self.chunk_count = count(name, value)?,
            "metadata" => self.range = range(value.as_bytes()),
            _ => {}
        }
        Ok(())
    }

    /// What it all says.
    pub fn node(self, offset: u64, sources: &mut SourcesBuilder) -> Result<Node, String> {
        let chunk = self.chunk_first.zip(self.chunk_count).or(self.range);
        let kind = match self.kind()? {
            NodeKind::Task if chunk.is_some() => NodeKind::Chunk,
            kind => kind,
        };
        let exec = self.exec.map(|exec| (exec - self.overhead.unwrap_or(0)).max(0));
        let end = self.end.filter(|&end| end > 0).zip(self.exec).map(|(end, exec)| end - exec);
        Ok(Node {
            kind: Some(kind),
            work: self.work.or(exec).unwrap_or(0),
            creation: self.creation.unwrap_or(0),
            sync: self.sync.unwrap_or(0),
            start: self.start.or(end).unwrap_or(UNKNOWN),
            worker: self.worker.or(self.core).unwrap_or(-1),
            core: self.core.unwrap_or(-1),
            site: self.site(sources),
            chunk: chunk.filter(|_| kind == NodeKind::Chunk),
            ..Node::named_at(offset)
        })
    }

    fn kind(&self) -> Result<NodeKind, String> {
        if self.is_group {
            return Ok(NodeKind::Group);
        }
        if let Some(word) = &self.kind {
            return by_word(&word.to_ascii_lowercase()).ok_or_else(|| match &**word {
                "fragment" => {
                    "a fragment of a task: graphs that are not reduced to grains are not read".to_owned()
                }
                _ => format!("a node of kind `{word}`; expected start, end, fork, join, task, lane or chunk"),
            });
        }
        let name = self.name.as_deref().or(self.label.as_deref()).unwrap_or_default();
        match name {
            "E" | "end" => return Ok(NodeKind::End),
            "0" | "S" | "start" => return Ok(NodeKind::Start),
            _ if name.starts_with("f.") || self.label.as_deref() == Some("^") => return Ok(NodeKind::Fork),
            _ if name.starts_with("j.") || self.label.as_deref() == Some("*") => return Ok(NodeKind::Join),
            _ => {}
        }
        if self.work.or(self.exec).is_some() {
            return Ok(NodeKind::Task);
        }
        Err("neither its data nor its name says what it is (task, fork, join, …); is this a grain graph?"
            .to_owned())
    }

    fn site(&self, sources: &mut SourcesBuilder) -> u32 {
        let is_name = |text: &&String| text.starts_with(|first: char| !first.is_ascii_digit());
        let function = self.function.as_ref().filter(is_name).or(self.tag.as_ref().filter(is_name));
        let function = function.cloned().unwrap_or_default();
        let at = self.source.as_deref().and_then(|source| source.rsplit_once(':'));
        let at = at.and_then(|(file, line)| Some((file, line.trim().parse::<u32>().ok()?)));
        let source = match (at, &self.source) {
            (Some((file, line)), _) => Source { file: file.to_owned(), line: i64::from(line), function },
            (None, Some(source)) => Source { file: String::new(), line: 0, function: source.clone() },
            (None, None) if function.is_empty() => return NO_SITE,
            (None, None) => Source { file: String::new(), line: 0, function },
        };
        let source = sources.source(source);
        sources.site(source, source)
    }
}

fn by_word(word: &str) -> Option<NodeKind> {
    Some(match word {
        "start" | "s" => NodeKind::Start,
        "end" | "e" => NodeKind::End,
        "fork" | "f" => NodeKind::Fork,
        "join" | "j" => NodeKind::Join,
        "task" | "root" | "grain" | "explicit" | "explicit_task" => NodeKind::Task,
        "lane" | "implicit" | "implicit_task" => NodeKind::Lane,
        "chunk" | "loop_chunk" => NodeKind::Chunk,
        "folded" => NodeKind::Folded,
        "group" => NodeKind::Group,
        _ => return None,
    })
}

fn text(value: &str) -> Option<String> {
    let value = value.trim();
    (!value.is_empty() && value != "NA").then(|| value.to_owned())
}

fn count(name: &str, value: &str) -> Result<Option<i64>, String> {
    match (number(value.as_bytes()), number(value.as_bytes()).rounded()) {
        (Number::Missing, _) => Ok(None),
        (_, Some(value)) if value >= 0 => Ok(Some(value)),
        _ => {
            let value: String = value.chars().take(40).collect();
            Err(format!("{name} is `{value}`; expected a number from 0 on"))
        }
    }
}

fn cost(name: &str, value: &str, ticks: Ticks) -> Result<Option<i64>, String> {
    let Some(value) = count(name, value)? else { return Ok(None) };
    match ticks.time(value as u64) {
        Some(time) => Ok(Some(time)),
        None => Err(format!("{name}: a time of {value} is too large")),
    }
}
