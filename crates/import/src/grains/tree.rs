//! The nodes of the task tree in pre-order: for each grain its sections, each with a create and a task for every child,
//! and a wait; its chunks; an end. A chunk that creates tasks is a section around theirs, with itself at the end.

use crosscut_tasks::schema::{Edge, Kind, Mark, TaskWriter};

use crate::error::ImportError;
use crate::input::Input;

use super::families::section_end;
use super::spots::Spot;
use super::{CHECK, Families, Grain, GrainKind};

/// Where a grain stands in the tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nodes {
    /// Its task; of a chunk itself.
    pub node: u32,
    /// Its first interval.
    pub first: u32,
    /// Its last interval.
    pub last: u32,
}

/// How many nodes there will be.
pub fn node_count(input: &Input<'_>, list: &[Grain], families: &Families) -> Result<usize, ImportError> {
    let mut count = 0;
    for (number, grain) in list.iter().enumerate() {
        count += match grain.kind {
            // One with children is a section that ends with it.
            GrainKind::Chunk | GrainKind::LaneChunk => {
                1 + usize::from(!families.of(number as u32).is_empty())
            }
            // A task, its end, the create before it.
            GrainKind::Task | GrainKind::Lane => 3 - usize::from(number == 0),
            GrainKind::Inner => 0,
        };
        let family = families.of(number as u32);
        let mut from = 0;
        while from < family.len() {
            let to = section_end(list, family, from);
            // A section and its wait.
            count += 2 * usize::from(list[family[from] as usize].kind != GrainKind::LaneChunk);
            from = to;
        }
    }
    if count >= u32::MAX as usize {
        return Err(input.broken(0, format!("{count} nodes; a tree holds at most {}", u32::MAX - 1)));
    }
    Ok(count)
}

/// A grain whose inside is being written.
struct Open {
    grain: u32,
    node: u32,
    /// The next of its children.
    next: usize,
    /// Its open section, and where that ends among its children.
    section: Option<(u32, usize)>,
    /// What made its next interval ready.
    edge: Edge,
}

/// Fills structure, marks, places and sites. Says where the grains stand.
pub fn write(
    input: &Input<'_>,
    list: &[Grain],
    families: &Families,
    spots: &[Spot],
    writer: &mut TaskWriter,
) -> Result<Vec<Nodes>, ImportError> {
    let mut walk = Walk { list, families, spots, writer, next: 0, nodes: vec![Nodes::default(); list.len()] };
    let mut open = Vec::new();
    open.push(walk.open(0, 0));
    let mut steps = 0usize;
    while let Some(top) = open.last_mut() {
        steps += 1;
        if steps.is_multiple_of(CHECK) {
            input.check_cancelled()?;
        }
        match walk.step(top) {
            Step::Down(child) => open.push(child),
            Step::On => {}
            Step::Up => _ = open.pop(),
        }
    }
    Ok(walk.nodes)
}

enum Step {
    Down(Open),
    On,
    Up,
}

struct Walk<'a> {
    list: &'a [Grain],
    families: &'a Families,
    spots: &'a [Spot],
    writer: &'a mut TaskWriter,
    next: u32,
    nodes: Vec<Nodes>,
}

impl Walk<'_> {
    /// One more node below a grain, or its end.
    fn step(&mut self, top: &mut Open) -> Step {
        let family = self.families.of(top.grain);
        if let Some((section, _)) = top.section.filter(|&(_, to)| to == top.next) {
            let deep = family[..top.next].last().is_some_and(|&last| self.has_lanes(family, last, top.next));
            let mark = if deep { Mark::deep_wait(top.edge) } else { Mark::new(Kind::Wait, top.edge, false) };
            self.leaf(section, mark, top.grain);
            self.close(section);
            (top.section, top.edge) = (None, Edge::WaitCont);
            return Step::On;
        }
        let Some(&child) = family.get(top.next) else {
            if self.list[top.grain as usize].kind == GrainKind::Inner {
                return Step::Up;
            }
            let is_chunk = self.list[top.grain as usize].kind == GrainKind::LaneChunk;
            let kind = if is_chunk { Kind::Chunk } else { Kind::End };
            let end = self.leaf(top.node, Mark::new(kind, top.edge, false), top.grain);
            self.nodes[top.grain as usize].last = end;
            self.close(top.node);
            return Step::Up;
        };
        let kind = self.list[child as usize].kind;
        if kind == GrainKind::LaneChunk {
            if !self.families.of(child).is_empty() {
                let edge = std::mem::replace(&mut top.edge, Edge::OtherCont);
                top.next += 1;
                return Step::Down(self.open_chunk(child, top.node, edge));
            }
            let node = self.leaf(top.node, Mark::new(Kind::Chunk, top.edge, false), child);
            self.nodes[child as usize] = Nodes { node, first: node, last: node };
            (top.next, top.edge) = (top.next + 1, Edge::OtherCont);
            return Step::On;
        }
        let section = match top.section {
            Some((section, _)) => section,
            None => {
                let section = self.node(top.node, Mark::new(Kind::Section, top.edge, false));
                top.section = Some((section, section_end(self.list, family, top.next)));
                section
            }
        };
        if kind == GrainKind::Inner {
            top.next += 1;
            let edge = std::mem::replace(&mut top.edge, Edge::WaitCont);
            return Step::Down(Open { grain: child, node: section, next: 0, section: None, edge });
        }
        let start = if kind == GrainKind::Lane { Kind::Fork } else { Kind::Create };
        self.leaf(section, Mark::new(start, top.edge, false), top.grain);
        (top.next, top.edge) = (top.next + 1, Edge::CreateCont);
        Step::Down(self.open(child, section))
    }

    /// Whether a lane is among the children up to `to` that are of the same section as `of`.
    fn has_lanes(&self, family: &[u32], of: u32, to: usize) -> bool {
        let section = self.list[of as usize].section;
        let members = family[..to].iter().rev().map(|&child| &self.list[child as usize]);
        members.take_while(|grain| grain.section == section).any(|grain| grain.kind == GrainKind::Lane)
    }

    fn open(&mut self, grain: u32, parent: u32) -> Open {
        let node = self.node(parent, Mark::new(Kind::Task, Edge::Create, false));
        let inside = self.families.of(grain).first().map(|&child| self.list[child as usize].kind);
        // Behind a section stands its first create.
        let first = node + 1 + u32::from(inside.is_some_and(|kind| kind != GrainKind::LaneChunk));
        self.nodes[grain as usize] = Nodes { node, first, last: first };
        Open { grain, node, next: 0, section: None, edge: Edge::Create }
    }

    /// A chunk with tasks of its own.
    fn open_chunk(&mut self, chunk: u32, parent: u32, edge: Edge) -> Open {
        let node = self.node(parent, Mark::chunk_section(edge));
        self.nodes[chunk as usize] = Nodes { node, first: node + 2, last: node + 2 };
        Open { grain: chunk, node, next: 0, section: None, edge }
    }

    fn node(&mut self, parent: u32, mark: Mark) -> u32 {
        let (node, i) = (self.next, self.next as usize);
        self.next += 1;
        self.writer.len[i] = 1;
        self.writer.parent[i] = parent;
        self.writer.mark[i] = mark.0;
        node
    }

    /// An interval of a grain.
    fn leaf(&mut self, parent: u32, mark: Mark, grain: u32) -> u32 {
        let node = self.node(parent, mark);
        let Grain { spot, site, .. } = self.list[grain as usize];
        self.writer.place[node as usize] = self.spots[spot as usize].place;
        self.writer.site[node as usize] = site;
        node
    }

    fn close(&mut self, node: u32) {
        self.writer.len[node as usize] = self.next - node;
    }
}
