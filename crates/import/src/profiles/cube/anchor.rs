//! `anchor.xml`: metrics, regions, call paths and the threads that there were.

use std::borrow::Cow;
use std::io::{BufRead, BufReader};

use crosscut_calls::Frame;
use crosscut_run::unpack::Bounded;
use flate2::read::MultiGzDecoder;
use foldhash::{HashMap, HashSet};
use quick_xml::events::{BytesStart, Event};

use super::tar::Member;
use crate::error::ImportError;
use crate::input::Input;
use crate::profiles::MOST_RANKS;
use crate::profiles::bytes::Bytes;
use crate::xml::{attribute, character, walk};

/// No name is longer.
const MOST_TEXT: usize = 1 << 16;

/// A metric.
#[derive(Debug, Default)]
pub struct Metric {
    pub id: u64,
    /// `INCLUSIVE`, `EXCLUSIVE` or a formula.
    pub kind: String,
    pub name: String,
    pub dtype: String,
    pub unit: String,
}

/// A function or region.
#[derive(Debug, Default)]
pub struct Region {
    pub frame: Frame,
}

/// A call path.
#[derive(Debug)]
pub struct Path {
    /// Its place among all call paths.
    pub parent: Option<usize>,
    pub region: u64,
}

/// A thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Location {
    pub id: u64,
    pub rank: i64,
    pub thread: i64,
}

/// What the file says.
#[derive(Debug, Default)]
pub struct Anchor {
    pub metrics: Vec<Metric>,
    pub regions: HashMap<u64, Region>,
    /// In the order of the document: parents before their children.
    pub nodes: Vec<Path>,
    /// By number, as values stand in rows.
    pub locations: Vec<Location>,
}

impl Anchor {
    /// Call paths in the order in which rows of inclusive metrics are numbered: the root, then all children of each path
    /// together, path by path in the order of the document.
    pub fn wide_order(&self) -> Vec<usize> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (at, path) in self.nodes.iter().enumerate() {
            if let Some(list) = path.parent.and_then(|parent| children.get_mut(parent)) {
                list.push(at);
            }
        }
        let mut order = Vec::with_capacity(self.nodes.len());
        for (at, (path, children)) in self.nodes.iter().zip(children).enumerate() {
            if path.parent.is_none() {
                order.push(at);
            }
            order.extend(children);
        }
        order
    }
}

/// Reads it, packed or not.
pub fn read(input: &Input<'_>, member: Member) -> Result<Anchor, ImportError> {
    let bytes = Bytes::part(input, member.at, member.size)?;
    let bytes = bytes.slice(member.at, member.size)?;
    let document: Box<dyn BufRead + '_> = match bytes.starts_with(&[0x1f, 0x8b]) {
        true => Box::new(BufReader::new(Bounded::new(MultiGzDecoder::new(bytes), member.size))),
        false => Box::new(bytes),
    };
    let mut parser = Parser {
        input,
        anchor: Anchor::default(),
        open: Vec::new(),
        metrics: Vec::new(),
        ids: HashSet::default(),
        paths: Vec::new(),
        region: None,
        rank: None,
        location: None,
        text: String::new(),
        at: 0,
    };
    walk(input, member.at, document, |at, event| {
        parser.at = at;
        parser.event(event)
    })?;
    if !parser.open.is_empty() {
        return Err(input.broken(member.at + member.size, "anchor.xml ends within its elements"));
    }
    let mut anchor = parser.anchor;
    anchor.locations.sort_by_key(|location| location.id);
    if let Some(twice) = anchor.locations.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return Err(input.broken(member.at, format!("anchor.xml: a second location {}", twice[0].id)));
    }
    Ok(anchor)
}

struct Parser<'a, 'b> {
    input: &'a Input<'b>,
    anchor: Anchor,
    /// Names of the elements that are open.
    open: Vec<Vec<u8>>,
    /// Metrics and call paths that are open, by their places in the lists.
    metrics: Vec<usize>,
    /// Numbers of the metrics so far: the values of each are read once.
    ids: HashSet<u64>,
    paths: Vec<usize>,
    region: Option<(u64, Region)>,
    /// The rank of the process that is open.
    rank: Option<i64>,
    location: Option<Location>,
    text: String,
    at: u64,
}

impl Parser<'_, '_> {
    fn broken(&self, what: impl Into<String>) -> ImportError {
        self.input.broken(self.at, format!("anchor.xml: {}", what.into()))
    }

    fn event(&mut self, event: Event<'_>) -> Result<(), ImportError> {
        match event {
            Event::Start(start) => {
                self.begin(&start)?;
                self.open.push(start.local_name().as_ref().to_vec());
            }
            Event::Empty(start) => {
                self.begin(&start)?;
                self.end(start.local_name().as_ref())?;
            }
            Event::End(_) => {
                let name = self.open.pop().unwrap_or_default();
                self.end(&name)?;
            }
            Event::Text(text) => self.take(&String::from_utf8_lossy(&text)),
            Event::CData(text) => self.take(&String::from_utf8_lossy(&text)),
            Event::GeneralRef(reference) => {
                let found = character(&reference).ok_or_else(|| self.broken("an entity that is not read"))?;
                self.take(found.encode_utf8(&mut [0; 4]));
            }
            _ => {}
        }
        Ok(())
    }

    fn take(&mut self, text: &str) {
        if self.text.len() + text.len() <= MOST_TEXT {
            self.text.push_str(text);
        }
    }

    fn attribute<'s>(
        &self,
        start: &'s BytesStart<'_>,
        name: &str,
    ) -> Result<Option<Cow<'s, str>>, ImportError> {
        attribute(start, name).map_err(|what| self.broken(what))
    }

    fn number(&self, start: &BytesStart<'_>, name: &str) -> Result<u64, ImportError> {
        let text = self.attribute(start, name)?.unwrap_or_default();
        text.trim().parse().map_err(|_| self.broken(format!("attribute `{name}`: expected a number")))
    }

    fn begin(&mut self, start: &BytesStart<'_>) -> Result<(), ImportError> {
        self.text.clear();
        match start.local_name().as_ref() {
            b"metric" => {
                let kind = self.attribute(start, "type")?.unwrap_or_default().into_owned();
                // Old files do not say it.
                let kind = if kind.is_empty() { "EXCLUSIVE".to_owned() } else { kind };
                let metric = Metric { id: self.number(start, "id")?, kind, ..Metric::default() };
                if !self.ids.insert(metric.id) {
                    return Err(self.broken(format!("a second metric {}", metric.id)));
                }
                self.metrics.push(self.anchor.metrics.len());
                self.anchor.metrics.push(metric);
            }
            b"region" => {
                let mut region = Region::default();
                region.frame.file = self.attribute(start, "mod")?.unwrap_or_default().into_owned();
                let line = self.attribute(start, "begin")?.unwrap_or_default();
                region.frame.line = line.trim().parse().unwrap_or(0).max(0);
                self.region = Some((self.number(start, "id")?, region));
            }
            b"cnode" => {
                let region = self.number(start, "calleeId")?;
                let parent = self.paths.last().copied();
                self.paths.push(self.anchor.nodes.len());
                self.anchor.nodes.push(Path { parent, region });
            }
            b"locationgroup" | b"process" => self.rank = None,
            b"location" | b"thread" => {
                self.location = Some(Location { id: self.number(start, "Id")?, ..Location::default() });
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &[u8]) -> Result<(), ImportError> {
        let text = std::mem::take(&mut self.text);
        let text = text.trim();
        let in_element = |element: &[u8]| self.open.last().is_some_and(|open| open == element);
        match name {
            b"metric" => {
                self.metrics.pop();
            }
            b"cnode" => {
                self.paths.pop();
            }
            b"region" => {
                if let Some((id, region)) = self.region.take() {
                    self.anchor.regions.insert(id, region);
                }
            }
            b"location" | b"thread" => {
                let mut location = self.location.take().unwrap_or_default();
                location.rank = self.rank.unwrap_or(0);
                self.anchor.locations.push(location);
            }
            b"name" if in_element(b"region") => {
                if let Some((_, region)) = &mut self.region {
                    region.frame.name = text.to_owned();
                }
            }
            b"rank" => {
                let rank: Option<i64> = text.parse().ok().filter(|rank| (0..MOST_RANKS).contains(rank));
                let rank = rank.ok_or_else(|| self.broken(format!("`{text}` is no rank")))?;
                match &mut self.location {
                    Some(location) => location.thread = rank,
                    None => self.rank = Some(rank),
                }
            }
            b"uniq_name" | b"dtype" | b"uom" if in_element(b"metric") => {
                let metric = self.metrics.last().and_then(|&at| self.anchor.metrics.get_mut(at));
                if let Some(metric) = metric {
                    let field = match name {
                        b"uniq_name" => &mut metric.name,
                        b"dtype" => &mut metric.dtype,
                        _ => &mut metric.unit,
                    };
                    *field = text.to_owned();
                }
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_of_a_path_are_numbered_together() {
        // 0 has 1, 4 and 5; 1 has 2 and 3; 6 is another root with 7.
        let parents = [None, Some(0), Some(1), Some(1), Some(0), Some(0), None, Some(6)];
        let nodes = parents.map(|parent| Path { parent, region: 0 }).into_iter().collect();
        let anchor = Anchor { nodes, ..Anchor::default() };
        assert_eq!(anchor.wide_order(), [0, 1, 4, 5, 2, 3, 6, 7]);
    }
}
