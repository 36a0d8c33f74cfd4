//! A task program as nested nodes in pre-order. A task is a list of intervals and sections and then an `end`; a section
//! is a list of creates with their tasks, nested sections and other intervals, and then a `wait`. A section without a
//! wait leaves its tasks behind, to the next deep wait around it; tasks of one task may depend on each other. A chunk of a loop
//! is an interval, or a section that ends with it and holds other sections.

use std::collections::BTreeMap;

use crosscut_tasks::schema::{Edge, Kind};

use super::Chance;

#[derive(Clone, Debug)]
pub struct Node {
    pub kind: Kind,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    /// How long an interval takes.
    pub length: i64,
    /// A wait for everything below its section, or a section that is a chunk.
    pub deep: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub nodes: Vec<Node>,
    /// (to, from): a task or a wait, and a task that must have ended.
    pub depends: Vec<(usize, usize)>,
    /// By node that has them: the lines where it begins and ends.
    pub lines: BTreeMap<usize, (u32, u32)>,
    open: Vec<usize>,
}

impl Program {
    pub fn new() -> Self {
        let mut program = Program::default();
        program.open(Kind::Task);
        program
    }

    /// Says that a node begins and ends at a line.
    pub fn at(&mut self, node: usize, line: u32) -> usize {
        self.lines.insert(node, (line, line));
        node
    }

    /// Begins a section or a task.
    pub fn open(&mut self, kind: Kind) -> usize {
        let node = self.leaf(kind, 0);
        self.open.push(node);
        node
    }

    /// Adds an interval.
    pub fn leaf(&mut self, kind: Kind, length: i64) -> usize {
        let node = self.nodes.len();
        let parent = self.open.last().copied();
        self.nodes.push(Node { kind, parent, children: Vec::new(), length, deep: false });
        if let Some(parent) = parent {
            self.nodes[parent].children.push(node);
        }
        node
    }

    /// Ends a section with its `wait`, a task with its `end`. Returns that interval.
    pub fn close(&mut self, length: i64) -> usize {
        let node = *self.open.last().expect("something is open");
        let kind = if self.nodes[node].kind == Kind::Section { Kind::Wait } else { Kind::End };
        let last = self.leaf(kind, length);
        self.open.pop();
        last
    }

    /// Ends a section with a wait for everything below it.
    pub fn close_deep(&mut self, length: i64) -> usize {
        let wait = self.close(length);
        self.nodes[wait].deep = true;
        wait
    }

    /// Ends a section without a wait.
    pub fn leave(&mut self) {
        self.open.pop();
    }

    /// Begins a chunk that holds sections.
    pub fn open_chunk(&mut self) -> usize {
        let node = self.open(Kind::Section);
        self.nodes[node].deep = true;
        node
    }

    /// Ends it. Returns its interval.
    pub fn close_chunk(&mut self, length: i64) -> usize {
        let chunk = self.leaf(Kind::Chunk, length);
        self.open.pop();
        chunk
    }

    /// Whether a section is a chunk.
    pub fn is_chunk_section(&self, node: usize) -> bool {
        self.nodes[node].kind == Kind::Section && self.nodes[node].deep
    }

    /// A create and the task that it creates: one interval. Returns both intervals.
    pub fn spawn(&mut self, create: i64, body: i64) -> (usize, usize) {
        let create = self.leaf(Kind::Create, create);
        self.open(Kind::Task);
        (create, self.close(body))
    }

    /// About `size` intervals, each at most `longest`. Wild ones leave tasks behind, fork, and depend on each other.
    pub fn random(chance: &mut Chance, size: usize, longest: i64, wild: bool) -> Self {
        let mut program = Program::new();
        while let Some(&node) = program.open.last() {
            let depth = program.open.len();
            let in_chunk = program.is_chunk_section(node);
            let in_section = program.nodes[node].kind == Kind::Section && !in_chunk;
            let length = if chance.tenths(2) { 0 } else { chance.within(0, longest) };
            let full = program.nodes.len() >= size || depth > 12;
            if full {
                program.close_somehow(chance, wild, length);
                continue;
            }
            match chance.index(10) {
                0 | 1 => {
                    let kind = if wild && !in_chunk && chance.tenths(4) { Kind::Chunk } else { Kind::Other };
                    program.leaf(kind, length);
                }
                2 | 3 if wild && chance.tenths(3) => {
                    program.open_chunk();
                    program.open(Kind::Section);
                }
                2 | 3 => drop(program.open(Kind::Section)),
                4..=8 if in_section => {
                    let kind = if wild && chance.tenths(2) { Kind::Fork } else { Kind::Create };
                    program.leaf(kind, length);
                    program.open(Kind::Task);
                }
                _ if depth == 1 && !chance.tenths(1) => drop(program.open(Kind::Section)),
                _ => program.close_somehow(chance, wild, length),
            }
        }
        if wild {
            program.add_depends(chance);
        }
        program
    }

    fn close_somehow(&mut self, chance: &mut Chance, wild: bool, length: i64) {
        let node = *self.open.last().expect("something is open");
        if self.is_chunk_section(node) {
            self.close_chunk(length);
            return;
        }
        let node = &self.nodes[node];
        let in_section = wild && node.kind == Kind::Section;
        match if in_section { chance.index(10) } else { 9 } {
            0..3 if !node.children.is_empty() => self.leave(),
            0..6 => drop(self.close_deep(length)),
            _ => drop(self.close(length)),
        }
    }

    fn add_depends(&mut self, chance: &mut Chance) {
        let often = chance.index(4) as u8;
        let needy = |&to: &usize| matches!(self.nodes[to].kind, Kind::Task | Kind::Wait) && to > 0;
        let mut found = Vec::new();
        for to in (0..self.nodes.len()).filter(needy) {
            let tasks: Vec<usize> = (1..to)
                .filter(|&from| self.nodes[from].kind == Kind::Task && self.frame(from) == self.frame(to))
                .collect();
            for _ in 0..3 {
                if !tasks.is_empty() && chance.tenths(often) {
                    found.push((to, tasks[chance.index(tasks.len())]));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        self.depends = found;
    }

    /// The task to which a node belongs.
    fn frame(&self, node: usize) -> usize {
        self.ancestors(node).find(|&n| self.nodes[n].kind == Kind::Task).expect("the root is a task")
    }

    /// From the parent up to the root.
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.nodes[node].parent, |&n| self.nodes[n].parent)
    }

    /// The wait at the end of a section.
    pub fn wait(&self, section: usize) -> Option<usize> {
        let last = *self.nodes[section].children.last()?;
        (self.nodes[section].kind == Kind::Section && self.nodes[last].kind == Kind::Wait).then_some(last)
    }

    /// The section that waits for a task: the one that created it, else the innermost deep one around it.
    pub fn joiner(&self, task: usize) -> Option<usize> {
        let own = self.nodes[task].parent?;
        if self.wait(own).is_some() {
            return Some(own);
        }
        self.ancestors(task).find(|&n| self.wait(n).is_some_and(|wait| self.nodes[wait].deep))
    }

    /// By section: the tasks that it waits for.
    pub fn joined(&self) -> Vec<Vec<usize>> {
        let mut joined = vec![Vec::new(); self.nodes.len()];
        // Chains are deep: the innermost deep wait is handed down, not looked for.
        let mut around: Vec<Option<usize>> = Vec::new();
        for (n, node) in self.nodes.iter().enumerate() {
            let is_deep = self.wait(n).is_some_and(|wait| self.nodes[wait].deep);
            let above = node.parent.and_then(|parent| around[parent]);
            around.push(if is_deep { Some(n) } else { above });
            let own = node.parent.filter(|&parent| self.wait(parent).is_some());
            if let (Kind::Task, Some(section)) = (node.kind, own.or(above)) {
                joined[section].push(n);
            }
        }
        joined
    }

    /// The last interval on the spine of a node, and all intervals whose ends what follows it needs, dependences aside.
    pub fn exits(&self, mut node: usize, joined: &[Vec<usize>]) -> (usize, Vec<(usize, Edge)>) {
        // An open section goes on where its last node on the spine does.
        while !self.is_leaf(node) && self.wait(node).is_none() {
            let spine = self.nodes[node].children.iter().rev().find(|&&c| self.nodes[c].kind != Kind::Task);
            node = *spine.expect("a section has a spine");
        }
        if let Some(wait) = self.wait(node) {
            let ends = joined[node].iter().map(|&task| (self.last_leaf(task), Edge::End));
            return (wait, std::iter::once((wait, Edge::WaitCont)).chain(ends).collect());
        }
        let edge = if self.nodes[node].kind.is_start() { Edge::CreateCont } else { Edge::OtherCont };
        (node, vec![(node, edge)])
    }

    pub fn is_leaf(&self, node: usize) -> bool {
        !self.nodes[node].kind.is_collective()
    }

    /// The intervals of a subtree.
    pub fn leaves(&self, node: usize) -> Vec<usize> {
        self.below(node).into_iter().filter(|&n| self.is_leaf(n)).collect()
    }

    /// The subtree in pre-order. Nodes are made in pre-order, so it is a range.
    pub fn below(&self, node: usize) -> Vec<usize> {
        let inside = |mut n: usize| loop {
            if n <= node {
                return n == node;
            }
            n = self.nodes[n].parent.expect("only the root has none");
        };
        (node..self.nodes.len()).take_while(|&n| inside(n)).collect()
    }

    pub fn first_leaf(&self, mut node: usize) -> usize {
        while let Some(&first) = self.nodes[node].children.first() {
            node = first;
        }
        node
    }

    pub fn last_leaf(&self, mut node: usize) -> usize {
        while let Some(&last) = self.nodes[node].children.last() {
            node = last;
        }
        node
    }

    /// The explicit DAG: all edges between intervals, dependences aside.
    pub fn edges(&self) -> Vec<(usize, usize, Edge)> {
        let joined = self.joined();
        let mut edges = Vec::new();
        for node in &self.nodes {
            let mut before: Option<usize> = None;
            for &child in &node.children {
                if self.nodes[child].kind == Kind::Task {
                    edges.push((before.expect("a create"), self.first_leaf(child), Edge::Create));
                    continue;
                }
                if let Some(before) = before {
                    let to = self.first_leaf(child);
                    edges.extend(
                        self.exits(before, &joined).1.into_iter().map(|(from, edge)| (from, to, edge)),
                    );
                }
                before = Some(child);
            }
        }
        edges
    }

    /// The edges of dependences: from the end of a task to the first interval of another, or to what follows a wait.
    pub fn depend_edges(&self, edges: &[(usize, usize, Edge)]) -> Vec<(usize, usize, Edge)> {
        let mut found = Vec::new();
        for &(to, from) in &self.depends {
            let from = self.last_leaf(from);
            if self.nodes[to].kind == Kind::Task {
                found.push((from, self.first_leaf(to), Edge::End));
            } else {
                let after = edges.iter().filter(|e| e.0 == to);
                found.extend(after.map(|&(_, after, _)| (from, after, Edge::End)));
            }
        }
        found
    }

    pub fn all_edges(&self) -> Vec<(usize, usize, Edge)> {
        let mut edges = self.edges();
        if !self.depends.is_empty() {
            edges.extend(self.depend_edges(&edges));
        }
        edges
    }
}
