//! A task program as nested nodes in pre-order. A task is a list of intervals and sections and then an `end`; a section
//! is a list of creates with their tasks, nested sections and other intervals, and then a `wait`.

use crosscut_run::tasks::{Edge, Kind};

use super::Chance;

#[derive(Clone, Debug)]
pub struct Node {
    pub kind: Kind,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    /// How long an interval takes.
    pub length: i64,
}

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub nodes: Vec<Node>,
    open: Vec<usize>,
}

impl Program {
    pub fn new() -> Self {
        let mut program = Program::default();
        program.open(Kind::Task);
        program
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
        self.nodes.push(Node { kind, parent, children: Vec::new(), length });
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

    /// A create and the task that it creates: one interval. Returns both intervals.
    pub fn spawn(&mut self, create: i64, body: i64) -> (usize, usize) {
        let create = self.leaf(Kind::Create, create);
        self.open(Kind::Task);
        (create, self.close(body))
    }

    /// About `size` intervals, each at most `longest`.
    pub fn random(chance: &mut Chance, size: usize, longest: i64) -> Self {
        let mut program = Program::new();
        while !program.open.is_empty() {
            let depth = program.open.len();
            let in_section = program.nodes[*program.open.last().expect("open")].kind == Kind::Section;
            let length = if chance.tenths(2) { 0 } else { chance.upto(longest) };
            let full = program.nodes.len() >= size || depth > 12;
            match chance.below(10) {
                _ if full => drop(program.close(length)),
                0 | 1 => drop(program.leaf(Kind::Other, length)),
                2 | 3 => drop(program.open(Kind::Section)),
                4..=8 if in_section => {
                    program.leaf(Kind::Create, length);
                    program.open(Kind::Task);
                }
                _ if depth == 1 && !chance.tenths(1) => drop(program.open(Kind::Section)),
                _ => drop(program.close(length)),
            }
        }
        program
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

    /// The explicit DAG: all edges between intervals.
    pub fn edges(&self) -> Vec<(usize, usize, Edge)> {
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
                    let kind = match self.nodes[before].kind {
                        Kind::Create => Edge::CreateCont,
                        Kind::Other => Edge::OtherCont,
                        _ => Edge::WaitCont,
                    };
                    edges.push((self.last_leaf(before), to, kind));
                    for &task in &self.nodes[before].children {
                        if self.nodes[task].kind == Kind::Task {
                            edges.push((self.last_leaf(task), to, Edge::End));
                        }
                    }
                }
                before = Some(child);
            }
        }
        edges
    }
}
