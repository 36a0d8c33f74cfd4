//! A writer of DAG Recorder files, for odd cases and for measurements. Self-contained.
//!
//! A [`Shape`] is a task tree in the order in which the recorder writes one: the nodes inside a node stand together;
//! then, one after the other, what hangs on each of them.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io::{self, Write};

/// Kinds of nodes.
pub const CREATE: u8 = 0;
pub const WAIT: u8 = 1;
pub const OTHER: u8 = 2;
pub const END: u8 = 3;
pub const SECTION: u8 = 4;
pub const TASK: u8 = 5;

/// The first line of a file.
pub const MAGIC: &[u8; 45] = b"DAG_RECORDER FORMAT VERSION  1.24 2014/09/18\n";
/// Where the nodes begin, and how long one is.
pub const NODES_AT: usize = 77;
pub const NODE_BYTES: usize = 432;

/// A node. Leaves have `t_1 = t_inf = end − start`; nodes with something inside carry no totals of their own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Node {
    pub kind: u8,
    pub edge: u8,
    pub worker: i16,
    pub line: u32,
    pub start: u64,
    pub end: u64,
    /// The created task, or the first node inside, counted from this node; 0: none.
    pub first: u32,
    /// How many nodes are inside.
    pub count: u32,
}

impl Node {
    /// As it stands in the file.
    pub fn bytes(&self) -> [u8; NODE_BYTES] {
        let mut bytes = [0; NODE_BYTES];
        let mut put = |at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        put(0, self.start);
        put(64, u64::from(self.line));
        put(72, self.end);
        put(136, u64::from(self.line) + 1);
        if self.count == 0 {
            let work = self.end - self.start;
            put(152, work);
            put(160, work);
            put(168, self.start);
            put(176, self.start);
            if self.kind < SECTION {
                put(224 + 8 * self.kind as usize, 1);
            } else {
                put(248, 1); // collapsed: one end inside
            }
        }
        put(416, u64::from(self.first));
        if self.count > 0 {
            put(424, u64::from(self.first + self.count));
        }
        let mut put = |at: usize, value: i32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        put(40, i32::from(self.worker));
        put(112, i32::from(self.worker));
        put(320, i32::from(self.worker));
        put(328, i32::from(self.kind));
        put(332, i32::from(self.edge));
        bytes
    }
}

/// Writes a file: header, nodes, `edges` zeroed edges, one string.
pub fn write_dag(out: &mut impl Write, workers: i64, nodes: &[Node], edges: usize) -> io::Result<()> {
    out.write_all(MAGIC)?;
    for word in [nodes.len() as i64, edges as i64, 0, workers] {
        out.write_all(&word.to_le_bytes())?;
    }
    for node in nodes {
        out.write_all(&node.bytes())?;
    }
    for _ in 0..edges {
        out.write_all(&[0; 24])?;
    }
    let name = b"synthetic.c\0";
    for word in [1, 32 + 8 + name.len() as i64, 0, 0, 0] {
        out.write_all(&word.to_le_bytes())?;
    }
    out.write_all(name)
}

/// The same in memory.
pub fn dag_bytes(workers: i64, nodes: &[Node]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_dag(&mut bytes, workers, nodes, 0).expect("writing into memory");
    bytes
}

/// A binary task tree of about two thirds of `size` nodes: a task is a section of two creates and a wait, then an end, as
/// long as its share of `size` allows. One interval runs after the other, each create directly before the task that it
/// created; about one task in eight moves to another worker.
pub fn binary_tree(size: usize, workers: i16) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::with_capacity(size);
    nodes.push(Node { kind: TASK, edge: 1, ..Node::default() });
    // (task, its share, its worker), the last one first.
    let mut open = vec![(0usize, size, 0i16)];
    while let Some((task, share, worker)) = open.pop() {
        let at = nodes.len();
        nodes[task].first = (at - task) as u32;
        let leaf = |kind, edge, line| Node { kind, edge, worker, line, ..Node::default() };
        if share < 10 {
            nodes[task].count = 1;
            nodes.push(leaf(END, 1, 40));
            continue;
        }
        // The task's nodes, then the section's, then the created tasks, whose own nodes come when it is their turn.
        nodes[task].count = 2;
        nodes.push(Node { kind: SECTION, edge: 1, first: 2, count: 3, ..Node::default() });
        nodes.extend([leaf(END, 3, 16), leaf(CREATE, 1, 13), leaf(CREATE, 2, 14), leaf(WAIT, 2, 15)]);
        let larger = (share - 6) * 5 / 8;
        for (create, share) in [(at + 2, larger), (at + 3, share - 6 - larger)] {
            let child = nodes.len();
            nodes[create].first = (child - create) as u32;
            nodes.push(Node { kind: TASK, edge: 1, ..Node::default() });
            let moved = if share % 8 == 3 { (worker + 1) % workers.max(1) } else { worker };
            open.push((child, share, moved));
        }
    }
    run_serially(&mut nodes);
    nodes
}

/// Gives all leaves their times as if one ran after the other, in pre-order.
pub fn run_serially(nodes: &mut [Node]) {
    let mut clock = 1000;
    let mut open = vec![(0, 1)];
    while let Some((next, end)) = open.last_mut() {
        if next == end {
            open.pop();
            continue;
        }
        let at = *next;
        *next += 1;
        let node = &mut nodes[at];
        let first = at + node.first as usize;
        if node.count > 0 {
            open.push((first, first + node.count as usize));
            continue;
        }
        node.start = clock + 20;
        node.end = node.start + 50 + clock % 61;
        clock = node.end;
        if node.kind == CREATE {
            open.push((first, first + 1));
        }
    }
}
