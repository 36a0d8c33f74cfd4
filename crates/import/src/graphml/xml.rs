//! The elements of the file: keys, nodes with their data, edges. What programs add for drawing is passed over. Entities that
//! a document declares itself are not expanded.

use std::borrow::Cow;

use crosscut_run::SourcesBuilder;
use foldhash::{HashMap, HashMapExt};
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::error::ImportError;
use crate::input::Input;
use crate::limits::MAX_WORKERS;
use crate::stream::Stream;
use crate::ticks::Ticks;
use crate::xml;

use super::groups::{self, OUTSIDE};
use super::node::{Data, Node, NodeKind};

/// More nodes than a tree can hold.
const MAX_NODES: usize = u32::MAX as usize / 8;
/// No value that is read is longer.
const MAX_TEXT: usize = 1 << 16;

/// What the file says.
pub struct Graph {
    pub nodes: Vec<Node>,
    /// Nodes by their ids.
    ids: HashMap<String, u32>,
    /// From, to.
    pub edges: Vec<(u32, u32)>,
    /// Dependences beside them: from, to.
    pub depends: Vec<(u32, u32)>,
    pub sources: SourcesBuilder,
    /// Its times are nanoseconds.
    pub is_ns: bool,
    /// Workers of the run, if the file says it.
    pub workers: Option<i64>,
}

impl Graph {
    /// An error at a node.
    pub fn broken(&self, input: &Input<'_>, node: u32, what: impl std::fmt::Display) -> ImportError {
        let id = self.name(node);
        let offset = self.nodes.get(node as usize).map_or(0, |node| node.offset);
        input.broken(offset, format!("node `{id}`: {what}"))
    }

    /// The id of a node, for messages.
    pub fn name(&self, node: u32) -> &str {
        self.ids.iter().find(|(_, number)| **number == node).map_or("?", |(id, _)| id)
    }

    fn number(&mut self, id: &str, offset: u64) -> u32 {
        if let Some(&number) = self.ids.get(id) {
            return number;
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(Node::named_at(offset));
        self.ids.insert(id.to_owned(), number);
        number
    }
}

/// Reads the file.
pub fn read(input: &Input<'_>, ticks: Ticks) -> Result<Graph, ImportError> {
    let graph = Graph {
        nodes: Vec::new(),
        ids: HashMap::new(),
        edges: Vec::new(),
        depends: Vec::new(),
        sources: SourcesBuilder::new(),
        is_ns: false,
        workers: None,
    };
    let mut parser = Parser {
        input,
        ticks,
        graph,
        keys: HashMap::new(),
        open: Vec::new(),
        nodes: Vec::new(),
        parents: Vec::new(),
        closed: Vec::new(),
        key: None,
        text: String::new(),
        at: 0,
    };
    xml::walk(input, 0, Stream::new(input), |at, event| {
        parser.at = at;
        parser.event(event)
    })?;
    parser.finish()
}

/// Elements that mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    Graph,
    Node,
    Edge,
    Data,
    Other,
}

struct Parser<'a, 'b> {
    input: &'a Input<'b>,
    ticks: Ticks,
    graph: Graph,
    /// Names of values by the ids of their keys.
    keys: HashMap<String, String>,
    open: Vec<Element>,
    /// Nodes that are open.
    nodes: Vec<(u32, u64, Data)>,
    /// The group of each node.
    parents: Vec<u32>,
    /// Groups in the order in which they end.
    closed: Vec<u32>,
    /// The value that is open, if it is one of a node, of an edge or of the graph.
    key: Option<String>,
    text: String,
    at: u64,
}

impl Parser<'_, '_> {
    fn broken(&self, what: impl Into<String>) -> ImportError {
        self.input.broken(self.at.min(self.input.size()), what)
    }

    fn event(&mut self, event: Event<'_>) -> Result<(), ImportError> {
        match event {
            Event::Start(start) => {
                let element = self.begin(&start)?;
                self.open.push(element);
            }
            Event::Empty(start) => {
                let element = self.begin(&start)?;
                self.end(element)?;
            }
            Event::End(_) => {
                let element = self.open.pop().unwrap_or(Element::Other);
                self.end(element)?;
            }
            Event::Text(text) => self.take_text(&text),
            Event::CData(text) => self.take_text(&text),
            Event::GeneralRef(reference) => self.take_reference(&reference)?,
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, start: &BytesStart<'_>) -> Result<Element, ImportError> {
        let element = match start.local_name().as_ref() {
            b"key" => {
                self.begin_key(start)?;
                Element::Other
            }
            b"graph" => {
                if let Some((_, _, data)) = self.nodes.last_mut() {
                    data.is_group = true;
                }
                Element::Graph
            }
            b"node" => {
                self.begin_node(start)?;
                Element::Node
            }
            b"edge" => {
                self.begin_edge(start)?;
                Element::Edge
            }
            b"data" if matches!(self.open.last(), Some(Element::Node | Element::Edge | Element::Graph)) => {
                let key = self.attribute(start, "key")?;
                let named = key.map(|key| self.keys.get(&*key).cloned().unwrap_or_else(|| plain_name(&key)));
                self.key = named;
                self.text.clear();
                Element::Data
            }
            _ => Element::Other,
        };
        Ok(element)
    }

    fn begin_key(&mut self, start: &BytesStart<'_>) -> Result<(), ImportError> {
        let (id, name) = (self.attribute(start, "id")?, self.attribute(start, "attr.name")?);
        if let Some(id) = id {
            let name = plain_name(name.as_deref().unwrap_or(&id));
            self.keys.insert(id.into_owned(), name);
        }
        Ok(())
    }

    fn begin_node(&mut self, start: &BytesStart<'_>) -> Result<(), ImportError> {
        let Some(id) = self.attribute(start, "id")? else {
            return Err(self.broken("a node without an id"));
        };
        let number = self.node_number(&id)?;
        // Nothing is known of it yet but that it is there.
        let before = self.graph.nodes[number as usize].kind.replace(NodeKind::Group);
        if before.is_some() {
            return Err(self.broken(format!("node `{}`: a second node of this id", self.graph.name(number))));
        }
        let parent = self.nodes.last().map_or(OUTSIDE, |(group, ..)| *group);
        if self.parents.len() <= number as usize {
            self.parents.resize(number as usize + 1, OUTSIDE);
        }
        self.parents[number as usize] = parent;
        self.nodes.push((number, self.at, Data::default()));
        Ok(())
    }

    fn begin_edge(&mut self, start: &BytesStart<'_>) -> Result<(), ImportError> {
        let (from, to) = (self.attribute(start, "source")?, self.attribute(start, "target")?);
        let (Some(from), Some(to)) = (from, to) else {
            return Err(self.broken("an edge without a source or without a target"));
        };
        let edge = (self.node_number(&from)?, self.node_number(&to)?);
        self.graph.edges.push(edge);
        Ok(())
    }

    fn node_number(&mut self, id: &str) -> Result<u32, ImportError> {
        if self.graph.nodes.len() >= MAX_NODES {
            return Err(self.broken(format!("more than {MAX_NODES} nodes; a run cannot hold so many")));
        }
        Ok(self.graph.number(id, self.at))
    }

    fn end(&mut self, element: Element) -> Result<(), ImportError> {
        match element {
            Element::Data => self.end_data(),
            Element::Node => self.end_node(),
            Element::Graph | Element::Edge | Element::Other => Ok(()),
        }
    }

    fn end_data(&mut self) -> Result<(), ImportError> {
        let Some(key) = self.key.take() else { return Ok(()) };
        if self.open.last() == Some(&Element::Edge) {
            // All other types follow from the ends of the edge.
            if key == "type" && self.text.trim() == "depend" {
                self.graph.depends.extend(self.graph.edges.pop());
            }
            return Ok(());
        }
        let of_node = self.open.last() == Some(&Element::Node);
        let Some((node, offset, data)) = self.nodes.last_mut().filter(|_| of_node) else {
            return self.take_of_graph(&key);
        };
        let taken = data.take(&key, &self.text, self.ticks);
        taken.map_err(|what| node_broken(self.input, &self.graph, *node, *offset, &what))
    }

    /// What a file of `crosscut export` says of the whole graph.
    fn take_of_graph(&mut self, key: &str) -> Result<(), ImportError> {
        match key {
            "g_clock" => self.graph.is_ns = self.text.trim() == "ns",
            "g_workers" => {
                let workers =
                    self.text.trim().parse().ok().filter(|workers| (1..=MAX_WORKERS).contains(workers));
                if workers.is_none() {
                    return Err(self.broken(format!("g_workers: expected a number from 1 to {MAX_WORKERS}")));
                }
                self.graph.workers = workers;
            }
            _ => {}
        }
        Ok(())
    }

    fn end_node(&mut self) -> Result<(), ImportError> {
        let Some((number, offset, data)) = self.nodes.pop() else { return Ok(()) };
        let node = data
            .node(offset, &mut self.graph.sources)
            .map_err(|what| node_broken(self.input, &self.graph, number, offset, &what))?;
        if node.kind == Some(NodeKind::Group) {
            self.closed.push(number);
        }
        self.graph.nodes[number as usize] = node;
        Ok(())
    }

    /// Text counts when it stands in a value, and not in what a program has put into one for drawing.
    fn take_text(&mut self, text: &[u8]) {
        if self.open.last() == Some(&Element::Data) && self.text.len() + text.len() <= MAX_TEXT {
            self.text.push_str(&String::from_utf8_lossy(text));
        }
    }

    fn take_reference(&mut self, reference: &BytesRef<'_>) -> Result<(), ImportError> {
        if self.open.last() != Some(&Element::Data) {
            return Ok(());
        }
        let resolved = xml::character(reference);
        let Some(character) = resolved else {
            let name = String::from_utf8_lossy(reference).into_owned();
            return Err(self.broken(format!("the entity `&{name};`: a document's own entities are not read")));
        };
        self.text.push(character);
        Ok(())
    }

    fn attribute<'s>(
        &self,
        start: &'s BytesStart<'_>,
        name: &str,
    ) -> Result<Option<Cow<'s, str>>, ImportError> {
        xml::attribute(start, name).map_err(|what| self.broken(what))
    }

    fn finish(self) -> Result<Graph, ImportError> {
        if !self.open.is_empty() {
            return Err(self.input.broken(self.input.size(), "the file ends within its elements"));
        }
        let mut graph = self.graph;
        if graph.nodes.iter().all(|node| matches!(node.kind, None | Some(NodeKind::Group))) {
            return Err(self.input.broken(0, "no nodes: the file has no grain graph"));
        }
        groups::resolve(self.input, &mut graph, &self.parents, &self.closed)?;
        Ok(graph)
    }
}

fn node_broken(input: &Input<'_>, graph: &Graph, node: u32, offset: u64, what: &str) -> ImportError {
    input.broken(offset.min(input.size()), format!("node `{}`: {what}", graph.name(node)))
}

/// A value's name without what R puts before it.
fn plain_name(name: &str) -> String {
    name.strip_prefix("v_").or(name.strip_prefix("e_")).unwrap_or(name).to_owned()
}
