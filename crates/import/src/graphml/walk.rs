//! From the edges to tasks and their sections. A task is a grain and the fork-joins that follow it; the tasks of a fork all
//! lead to one join, and the walk goes on behind it.

use crate::error::ImportError;
use crate::grains::{Grain, GrainKind, Grains, NONE};
use crate::input::Input;

use super::node::{Node, NodeKind};
use super::xml::Graph;

/// Steps between two looks at whether to stop.
const CHECK: usize = 1 << 16;

/// What the walk finds.
pub struct Found {
    pub grains: Grains,
    /// Grains that continue the grain before them, and are one with it.
    pub merged: u64,
    /// No grain stands for the root.
    pub made_up_root: bool,
}

/// Walks from the start to the end.
pub fn walk(input: &Input<'_>, graph: &Graph) -> Result<Found, ImportError> {
    let edges = Edges::new(input, graph)?;
    let mut walk = Walk {
        input,
        graph,
        edges,
        seen: vec![false; graph.nodes.len()],
        // Only dependences ask for it.
        owner: if graph.depends.is_empty() { Vec::new() } else { vec![NONE; graph.nodes.len()] },
        sync_at_joins: graph
            .nodes
            .iter()
            .any(|node| matches!(node.kind, Some(NodeKind::Fork | NodeKind::Join)) && node.sync > 0),
        found: Found { grains: Grains::default(), merged: 0, made_up_root: true },
    };
    let mut open = vec![walk.enter()?];
    let mut steps = 0usize;
    while let Some(top) = open.last_mut() {
        steps += 1;
        if steps.is_multiple_of(CHECK) {
            input.check_cancelled()?;
        }
        match walk.step(top)? {
            Step::Down(child) => open.push(child),
            Step::On => {}
            Step::Up(join) => {
                let done = open.pop();
                match (open.last_mut(), join, done) {
                    (Some(above), Some(join), Some(done)) => walk.arrive(above, join, done.at)?,
                    (None, None, _) => {}
                    (_, Some(join), _) => return Err(graph.broken(input, join, "a join without a fork")),
                    (_, None, done) => {
                        let at = done.map_or(0, |done| done.at);
                        return Err(graph.broken(input, at, "it leads nowhere; expected a join"));
                    }
                }
            }
        }
    }
    walk.finish()
}

/// Edges by where they begin.
struct Edges {
    first: Vec<u32>,
    to: Vec<u32>,
    /// How many lead to each node.
    arriving: Vec<u32>,
}

impl Edges {
    fn new(input: &Input<'_>, graph: &Graph) -> Result<Self, ImportError> {
        let count = graph.nodes.len();
        let (mut first, mut arriving) = (vec![0u32; count + 1], vec![0u32; count]);
        for &(from, to) in graph.edges.iter().chain(&graph.depends) {
            for end in [from, to] {
                match graph.nodes[end as usize].kind {
                    Some(NodeKind::Group) => {
                        return Err(graph.broken(input, end, "an edge leads from or to a group of nodes; only graphs whose edges join grains, forks and joins are read"));
                    }
                    None => {
                        return Err(graph.broken(input, end, "an edge names it, but there is no such node"));
                    }
                    _ => {}
                }
            }
        }
        for &(from, to) in &graph.edges {
            first[from as usize + 1] += 1;
            arriving[to as usize] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut next = first.clone();
        let mut targets = vec![0; graph.edges.len()];
        for &(from, to) in &graph.edges {
            let slot = &mut next[from as usize];
            targets[*slot as usize] = to;
            *slot += 1;
        }
        Ok(Edges { first, to: targets, arriving })
    }

    fn from(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.to[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

/// A task whose spine is being walked.
struct Open {
    grain: u32,
    /// The task that it is part of: itself, unless it is a branch that runs on beside tasks.
    task: u32,
    /// The node on its spine that was passed last.
    at: u32,
    /// The node that follows.
    to: Option<u32>,
    section: u32,
    fork: Option<Fork>,
    /// Whether the graph has a grain for it: a program or a member of a team that creates no tasks has none.
    is_grain: bool,
    /// Whether it is a loop in a region: its chunks are those of the region.
    is_loop: bool,
}

/// A fork whose tasks are being walked.
struct Fork {
    node: u32,
    next: usize,
    /// Whether it creates tasks; else it starts a team.
    creates: bool,
    /// The first of its grains, if it has any.
    first: Option<u32>,
    join: Option<u32>,
    /// How many of its tasks have come to the join.
    arrived: u32,
}

enum Step {
    Down(Open),
    On,
    /// The task is over, at this join; without one at the end of the program.
    Up(Option<u32>),
}

struct Walk<'a, 'b> {
    input: &'a Input<'b>,
    graph: &'a Graph,
    edges: Edges,
    seen: Vec<bool>,
    /// The task on whose spine each node lies; empty without dependences.
    owner: Vec<u32>,
    /// Whether forks or joins have the sync cost of all their grains; else each grain has its share.
    sync_at_joins: bool,
    found: Found,
}

impl Walk<'_, '_> {
    fn broken(&self, node: u32, what: impl std::fmt::Display) -> ImportError {
        self.graph.broken(self.input, node, what)
    }

    fn node(&self, node: u32) -> &Node {
        &self.graph.nodes[node as usize]
    }

    fn kind(&self, node: u32) -> NodeKind {
        self.node(node).kind.unwrap_or(NodeKind::Group)
    }

    /// The root: the grain behind the start, or nothing but the start.
    fn enter(&mut self) -> Result<Open, ImportError> {
        let start = self.start()?;
        let is_start = self.kind(start) == NodeKind::Start;
        let (at, to) = match is_start {
            true => {
                self.visit(start)?;
                (start, self.follow(start)?)
            }
            false => (start, Some(start)),
        };
        self.found.grains.list.push(Grain::root());
        if let Some(root) =
            to.filter(|&to| matches!(self.kind(to), NodeKind::Task | NodeKind::Lane | NodeKind::Folded))
        {
            self.visit(root)?;
            self.found.made_up_root = false;
            let grain = self.grain(root);
            self.found.grains.list[0] = Grain { kind: GrainKind::Task, creation: 0, sync: 0, ..grain };
            self.own(root, 0);
            let to = self.follow(root)?;
            return Ok(Open {
                grain: 0,
                task: 0,
                at: root,
                to,
                section: 0,
                fork: None,
                is_grain: true,
                is_loop: false,
            });
        }
        Ok(Open { grain: 0, task: 0, at, to, section: 0, fork: None, is_grain: false, is_loop: false })
    }

    /// The node that is a start, or the only one to which nothing leads.
    fn start(&self) -> Result<u32, ImportError> {
        let all = || (0..self.graph.nodes.len() as u32).filter(|&node| self.kind(node) != NodeKind::Group);
        let marked: Vec<u32> = all().filter(|&node| self.kind(node) == NodeKind::Start).take(2).collect();
        let firsts = || all().filter(|&node| self.edges.arriving[node as usize] == 0);
        let found = if marked.is_empty() { firsts().take(2).collect() } else { marked };
        match found[..] {
            [start] => Ok(start),
            [one, other] => {
                let what = format!("a second start beside node `{}`", self.graph.name(one));
                Err(self.broken(other, what))
            }
            _ => {
                Err(self
                    .broken(all().next().unwrap_or(0), "its graph has no start: every node follows another"))
            }
        }
    }

    fn own(&mut self, node: u32, task: u32) {
        if let Some(owner) = self.owner.get_mut(node as usize) {
            *owner = task;
        }
    }

    /// Dependences between tasks instead of nodes.
    fn depends(&mut self) -> Result<(), ImportError> {
        for &(from, to) in &self.graph.depends {
            let task = |node: u32| self.owner.get(node as usize).copied().filter(|&task| task != NONE);
            let (Some(first), Some(second)) = (task(from), task(to)) else {
                let lost = if task(from).is_none() { from } else { to };
                return Err(self.broken(lost, "a dependence from or to something that is no part of a task"));
            };
            let list = &self.found.grains.list;
            let (a, b) = (list[first as usize], list[second as usize]);
            let tasks = a.kind == GrainKind::Task && b.kind == GrainKind::Task;
            if !tasks
                || a.parent != b.parent
                || a.parent == NONE
                || (a.section, a.order) >= (b.section, b.order)
            {
                let what = format!(
                    "it cannot depend on `{}`: a task depends on one that the same task created before it",
                    self.graph.name(from)
                );
                return Err(self.broken(to, what));
            }
            self.found.grains.depends.push((second, first));
        }
        self.found.grains.depends.sort_unstable();
        self.found.grains.depends.dedup();
        Ok(())
    }

    fn visit(&mut self, node: u32) -> Result<(), ImportError> {
        if std::mem::replace(&mut self.seen[node as usize], true) {
            return Err(self.broken(node, "two ways lead to it; only joins have several nodes before them"));
        }
        Ok(())
    }

    /// The node behind a node.
    fn follow(&self, node: u32) -> Result<Option<u32>, ImportError> {
        match *self.edges.from(node) {
            [] => Ok(None),
            [next] => Ok(Some(next)),
            ref many => Err(self.broken(node, format!("it leads to {} nodes; only forks do", many.len()))),
        }
    }

    fn step(&mut self, top: &mut Open) -> Result<Step, ImportError> {
        if let Some(fork) = &mut top.fork {
            return match self.edges.from(fork.node).get(fork.next) {
                Some(&child) => {
                    fork.next += 1;
                    self.start_task(top, child)
                }
                None => self.join(top).map(|()| Step::On),
            };
        }
        let Some(to) = top.to.take() else { return Ok(Step::Up(None)) };
        match self.kind(to) {
            NodeKind::Join => return Ok(Step::Up(Some(to))),
            NodeKind::Fork => {
                self.visit(to)?;
                let creates = self.edges.from(to).iter().any(|&child| match self.kind(child) {
                    NodeKind::Task => true,
                    NodeKind::Folded => top.is_grain,
                    _ => false,
                });
                top.fork = Some(Fork { node: to, next: 0, creates, first: None, join: None, arrived: 0 });
                return Ok(Step::On);
            }
            NodeKind::End if top.grain == 0 => self.visit(to)?,
            NodeKind::Task | NodeKind::Lane | NodeKind::Folded => {
                self.visit(to)?;
                self.own(to, top.task);
                let work = self.node(to).work;
                let grain = &mut self.found.grains.list[top.task as usize];
                grain.work = grain.work.saturating_add(work);
                self.found.merged += 1;
            }
            NodeKind::Chunk if top.grain != top.task => {
                return Err(self.broken(to, "a chunk of a loop beside tasks that were created before"));
            }
            NodeKind::Chunk => {
                self.visit(to)?;
                self.add(to, GrainKind::LaneChunk, top.grain, top.section, 0);
                top.section += 1;
            }
            NodeKind::End => {
                return Err(self.broken(top.at, "it leads to the end, but its fork has no join yet"));
            }
            NodeKind::Start | NodeKind::Group => {
                return Err(self.broken(top.at, "it leads back to the start"));
            }
        }
        (top.at, top.to) = (to, self.follow(to)?);
        Ok(Step::On)
    }

    /// A node behind a fork: a task that it starts.
    fn start_task(&mut self, top: &mut Open, child: u32) -> Result<Step, ImportError> {
        let Some(fork) = &mut top.fork else { return Ok(Step::On) };
        let (node, order) = (fork.node, fork.next as u32 - 1);
        let kind = match self.kind(child) {
            NodeKind::Task => GrainKind::Task,
            // Whoever creates a task is a grain, and a member of a team is none without tasks; a chunk is always one.
            NodeKind::Folded if top.is_grain => GrainKind::Task,
            NodeKind::Folded => GrainKind::Chunk,
            NodeKind::Lane if self.leads_to_join(child) => GrainKind::Chunk,
            NodeKind::Lane => GrainKind::Lane,
            NodeKind::Chunk => GrainKind::Chunk,
            NodeKind::Join => {
                self.arrive(top, child, node)?;
                return Ok(Step::On);
            }
            NodeKind::Fork if fork.creates => return Ok(Step::Down(self.start_inner(top, child))),
            NodeKind::Fork if self.is_busy_loop(child) => return Ok(Step::Down(self.start_loop(top, child))),
            NodeKind::Fork => return Ok(Step::Down(self.start_bare_lane(top, child))),
            _ => return Err(self.broken(node, "a fork that leads to something else than grains")),
        };
        let grain = self.found.grains.list.len() as u32;
        fork.first.get_or_insert(grain);
        self.visit(child)?;
        self.add(child, kind, top.grain, top.section, order);
        self.own(child, grain);
        let to = self.follow(child)?;
        let is_plain = kind == GrainKind::Chunk && !self.is_busy_chunk(child);
        if is_plain && to.is_none_or(|to| self.kind(to) != NodeKind::Join) {
            return Err(self.broken(child, "a chunk of a loop that does not lead to a join"));
        }
        Ok(Step::Down(Open {
            grain,
            task: grain,
            at: child,
            to,
            section: 0,
            fork: None,
            is_grain: true,
            is_loop: false,
        }))
    }

    fn leads_to_join(&self, node: u32) -> bool {
        matches!(*self.edges.from(node), [next] if self.kind(next) == NodeKind::Join)
    }

    /// A chunk that creates tasks: they are joined before its loop is.
    fn is_busy_chunk(&self, node: u32) -> bool {
        let leads_to_fork = || matches!(*self.edges.from(node), [next] if self.kind(next) == NodeKind::Fork);
        self.kind(node) == NodeKind::Chunk && leads_to_fork()
    }

    /// A fork of chunks, some of which create tasks.
    fn is_busy_loop(&self, fork: u32) -> bool {
        let chunks = self.edges.from(fork);
        chunks.iter().all(|&chunk| self.kind(chunk) == NodeKind::Chunk)
            && chunks.iter().any(|&chunk| self.is_busy_chunk(chunk))
    }

    /// A fork beside tasks: what their creator does before it waits for them.
    fn start_inner(&mut self, top: &mut Open, inner: u32) -> Open {
        let list = &mut self.found.grains.list;
        let grain = list.len() as u32;
        let around = list[top.grain as usize];
        // It follows all that was created, in whatever order the file has them.
        let order = top.fork.as_ref().map_or(0, |fork| (self.edges.from(fork.node).len() + fork.next) as u32);
        list.push(Grain {
            kind: GrainKind::Inner,
            parent: top.grain,
            section: top.section,
            order,
            spot: around.spot,
            site: around.site,
            ..Grain::root()
        });
        Open {
            grain,
            task: top.task,
            at: inner,
            to: Some(inner),
            section: 0,
            fork: None,
            is_grain: true,
            is_loop: false,
        }
    }

    /// A loop in a region, some chunks of which create tasks.
    fn start_loop(&self, region: &mut Open, fork: u32) -> Open {
        let next = self.found.grains.list.len() as u32;
        let &mut Open { grain, task, section, .. } = region;
        if let Some(fork) = &mut region.fork {
            fork.first.get_or_insert(next);
        }
        Open { grain, task, at: fork, to: Some(fork), section, fork: None, is_grain: false, is_loop: true }
    }

    /// A fork behind a fork: a member of a team that is no grain, as it only has teams of its own.
    fn start_bare_lane(&mut self, top: &mut Open, inner: u32) -> Open {
        let grain = self.found.grains.list.len() as u32;
        let order = top.fork.as_mut().map_or(0, |fork| {
            fork.first.get_or_insert(grain);
            fork.next as u32 - 1
        });
        let lane =
            Grain { kind: GrainKind::Lane, parent: top.grain, section: top.section, order, ..Grain::root() };
        self.found.grains.list.push(lane);
        Open {
            grain,
            task: grain,
            at: inner,
            to: Some(inner),
            section: 0,
            fork: None,
            is_grain: false,
            is_loop: false,
        }
    }

    /// A task of a fork has come to a join.
    fn arrive(&self, top: &mut Open, join: u32, from: u32) -> Result<(), ImportError> {
        let Some(fork) = &mut top.fork else { return Ok(()) };
        fork.arrived += 1;
        match *fork.join.get_or_insert(join) {
            first if first == join => Ok(()),
            first => {
                let (fork, first) = (self.graph.name(fork.node), self.graph.name(first));
                let what = format!(
                    "it leads to join `{}`, but others of fork `{fork}` to `{first}`",
                    self.graph.name(join)
                );
                Err(self.broken(from, what))
            }
        }
    }

    /// All tasks of a fork have come to its join.
    fn join(&mut self, top: &mut Open) -> Result<(), ImportError> {
        let Some(fork) = top.fork.take() else { return Ok(()) };
        let Some(join) = fork.join else { return Err(self.broken(fork.node, "a fork that leads nowhere")) };
        self.visit(join)?;
        let arriving = self.edges.arriving[join as usize];
        if arriving != fork.arrived {
            let name = self.graph.name(fork.node);
            let what = format!("{arriving} edges lead to it, but {} from its fork `{name}`", fork.arrived);
            return Err(self.broken(join, what));
        }
        if let Some(first) = fork.first {
            if self.is_busy_loop(fork.node) && !top.is_loop {
                self.put_on_spine(top, first);
            }
            if !top.is_grain && !top.is_loop {
                // It ran where the first of its grains did.
                let spot = self.found.grains.list[first as usize].spot;
                self.found.grains.list[top.grain as usize].spot = spot;
            }
            if self.sync_at_joins {
                let sync = self.node(join).sync.max(self.node(fork.node).sync);
                self.found.grains.list[first as usize].sync = sync;
            }
            top.section += 1;
        }
        self.own(join, top.task);
        (top.at, top.to) = (join, self.follow(join)?);
        if top.is_loop && top.to.is_none_or(|to| self.kind(to) != NodeKind::Join) {
            return Err(self.broken(join, "the end of a loop that does not lead to the join of its region"));
        }
        Ok(())
    }

    /// A loop with busy chunks that no team ran: where one worker ran them all, they follow each other on its spine.
    fn put_on_spine(&mut self, top: &mut Open, first: u32) {
        let Grains { list, spots, .. } = &mut self.found.grains;
        let (worker, section) = (spots.worker(list[top.grain as usize].spot), top.section);
        let is_chunk = |grain: &Grain| (grain.parent, grain.section) == (top.grain, section);
        let chunks = || (first as usize..).zip(&list[first as usize..]).filter(|(_, grain)| is_chunk(grain));
        if chunks().any(|(_, chunk)| spots.worker(chunk.spot) != worker) {
            return;
        }
        let mut chunks: Vec<usize> = chunks().map(|(number, _)| number).collect();
        chunks.sort_by_key(|&chunk| (list[chunk].start, list[chunk].order));
        for chunk in chunks {
            (list[chunk].kind, list[chunk].section) = (GrainKind::LaneChunk, top.section);
            top.section += 1;
        }
    }

    fn add(&mut self, node: u32, kind: GrainKind, parent: u32, section: u32, order: u32) {
        let grain = self.grain(node);
        let grains = &mut self.found.grains;
        if let Some((first, count)) = self.graph.nodes[node as usize].chunk {
            grains.ranges.push((grains.list.len() as u32, first, count));
        }
        grains.list.push(Grain { kind, parent, section, order, ..grain });
    }

    fn grain(&mut self, node: u32) -> Grain {
        let Node { work, creation, sync, start, worker, core, site, .. } = *self.node(node);
        let spot = self.found.grains.spots.number(worker, core);
        let sync = if self.sync_at_joins { 0 } else { sync };
        Grain { work, creation, sync, start, spot, site, record: node, ..Grain::root() }
    }

    fn finish(mut self) -> Result<Found, ImportError> {
        let unseen = |node: &u32| {
            let kind = self.kind(*node);
            !self.seen[*node as usize] && (kind.is_grain() || matches!(kind, NodeKind::Fork | NodeKind::Join))
        };
        if let Some(lost) = (0..self.graph.nodes.len() as u32).find(unseen) {
            return Err(self.broken(lost, "it cannot be reached from the start"));
        }
        self.depends()?;
        let mut found = self.found;
        found.grains.spots.fill_up(self.graph.workers.unwrap_or(0));
        Ok(found)
    }
}
