//! The file's layout: the header, a node as it stands in the file, and where everything begins. Little-endian.

use bytemuck::{Pod, Zeroable};

use crate::error::{ImportError, Record};
use crate::input::Input;
use crate::limits::MAX_WORKERS;

#[cfg(target_endian = "big")]
compile_error!("nodes are read as they stand in the file, which is little-endian");

/// How a file begins.
pub const MAGIC: &[u8; 45] = b"DAG_RECORDER FORMAT VERSION  1.24 2014/09/18\n";
/// What all versions have in common.
pub const PREFIX: &[u8] = b"DAG_RECORDER FORMAT VERSION";
/// The version that is read here.
pub const VERSION: &str = "1.24";

/// Where the nodes begin.
pub const NODES_AT: u64 = 77;
/// Size of a node.
pub const NODE_BYTES: usize = size_of::<RawNode>();
const EDGE_BYTES: u64 = 24;
/// Size of the string table's own header.
pub const STRINGS_HEADER: u64 = 32;
const N_AT: u64 = 45;
const M_AT: u64 = 53;
const WORKERS_AT: u64 = 69;

/// A moment: time, counters, worker, core, source position.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct RawMoment {
    pub t: u64,
    counters: [i64; 4],
    worker: i32,
    cpu: i32,
    pointer: u64,
    pub file: i64,
    pub line: i64,
}

/// A node as it stands in the file.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct RawNode {
    pub start: RawMoment,
    pub end: RawMoment,
    est: u64,
    /// Work.
    pub t_1: u64,
    /// Critical path.
    pub t_inf: u64,
    pub first_ready: u64,
    pub last_start: u64,
    /// Time ready and not running, by kind of edge.
    pub ready: [u64; 5],
    /// Intervals by kind: create, wait, other, end.
    pub nodes: [i64; 4],
    /// Edges by kind.
    pub edges: [i64; 5],
    current_nodes: i64,
    minimum_nodes: i64,
    child_tasks: i64,
    /// −1: several.
    pub worker: i32,
    /// −1: several.
    pub cpu: i32,
    pub kind: i32,
    pub in_edge: i32,
    counters_1: [i64; 4],
    counters_inf: [i64; 4],
    edges_begin: i64,
    edges_end: i64,
    /// The created task, or the first node inside; in nodes, from this one.
    pub begin: i64,
    /// One past the last node inside.
    pub end_inside: i64,
}

const _: () = assert!(size_of::<RawMoment>() == 72 && size_of::<RawNode>() == 432);

/// Where a field stands within a node, for messages.
pub mod field {
    pub const START: usize = 0;
    pub const START_FILE: usize = 56;
    pub const END: usize = 72;
    pub const END_FILE: usize = 128;
    pub const T_1: usize = 152;
    pub const T_INF: usize = 160;
    pub const FIRST_READY: usize = 168;
    pub const LAST_START: usize = 176;
    pub const READY: usize = 184;
    pub const NODES: usize = 224;
    pub const EDGES: usize = 256;
    pub const WORKER: usize = 320;
    pub const CPU: usize = 324;
    pub const KIND: usize = 328;
    pub const IN_EDGE: usize = 332;
    pub const BEGIN: usize = 416;
}

/// What is wrong with a node.
#[derive(Debug)]
pub struct Fault {
    /// Which one.
    pub node: usize,
    /// Where in it.
    pub field: usize,
    /// What is wrong.
    pub what: String,
}

impl Fault {
    pub fn new(node: usize, field: usize, what: impl Into<String>) -> Self {
        Fault { node, field, what: what.into() }
    }

    /// The error for the user.
    pub fn at(self, input: &Input<'_>) -> ImportError {
        let offset = node_at(self.node) + self.field as u64;
        input.broken_record(offset, Record { what: "node", number: self.node as u64 }, self.what)
    }
}

/// Where a node stands.
pub fn node_at(node: usize) -> u64 {
    NODES_AT + node as u64 * NODE_BYTES as u64
}

/// The header, checked against the size of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Number of nodes, from 1 to what a tree can hold.
    pub nodes: usize,
    /// Number of workers that the recorder saw.
    pub workers: i64,
    /// Where the string table begins; its header is inside the file.
    pub strings_at: u64,
}

impl Header {
    /// Reads and checks it.
    pub fn read(input: &Input<'_>) -> Result<Self, ImportError> {
        check_version(input)?;
        if input.size() < NODES_AT {
            return Err(
                input.broken(input.size(), format!("the file ends within its {NODES_AT}-byte header"))
            );
        }
        let mut words = [0i64; 4];
        input.read_at(N_AT, bytemuck::bytes_of_mut(&mut words))?;
        let [nodes, edges, _start_clock, workers] = words;

        let room = input.size() - NODES_AT;
        let too_many = |at, count, what, bytes, room| {
            input.broken(at, format!("{count} {what} of {bytes} bytes each, but only {room} bytes follow"))
        };
        let node_bytes = table_bytes(nodes, NODE_BYTES as u64, room)
            .ok_or_else(|| too_many(N_AT, nodes, "nodes", NODE_BYTES as u64, room))?;
        if nodes == 0 {
            return Err(input.broken(N_AT, "no nodes"));
        }
        if nodes > i64::from(u32::MAX - 1) {
            return Err(input.broken(N_AT, format!("{nodes} nodes; a tree holds at most {}", u32::MAX - 1)));
        }
        let room = room - node_bytes;
        let edge_bytes = table_bytes(edges, EDGE_BYTES, room)
            .ok_or_else(|| too_many(M_AT, edges, "edges", EDGE_BYTES, room))?;
        let strings_at = NODES_AT + node_bytes + edge_bytes;
        if room - edge_bytes < STRINGS_HEADER {
            return Err(input.broken(strings_at, "the file ends before its string table"));
        }
        if !(1..=MAX_WORKERS).contains(&workers) {
            let what = format!("{workers} workers; expected 1 to {MAX_WORKERS}");
            return Err(input.broken(WORKERS_AT, what));
        }
        Ok(Header { nodes: nodes as usize, workers, strings_at })
    }

    /// Where a node that is named by number stands, if there is such a node.
    pub fn node(&self, from: usize, offset: i64) -> Option<usize> {
        let node = usize::try_from(offset).ok()?.checked_add(from)?;
        (node < self.nodes).then_some(node)
    }
}

/// Bytes of a table, when it fits into the room that there is.
fn table_bytes(count: i64, bytes: u64, room: u64) -> Option<u64> {
    u64::try_from(count).ok()?.checked_mul(bytes).filter(|&all| all <= room)
}

fn check_version(input: &Input<'_>) -> Result<(), ImportError> {
    let head = input.head()?;
    if head.starts_with(MAGIC) {
        return Ok(());
    }
    if let Some(rest) = head.strip_prefix(PREFIX) {
        if MAGIC.starts_with(&head) {
            return Err(input.broken(input.size(), "the file ends within its first line"));
        }
        let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = line.get(..32).unwrap_or(line);
        return Err(ImportError::Version {
            path: input.path().to_owned(),
            offset: PREFIX.len() as u64,
            found: line.escape_ascii().to_string().trim().to_owned(),
            reads: VERSION,
        });
    }
    let same = MAGIC.iter().zip(&head).take_while(|(a, b)| a == b).count();
    let what = if same == head.len() {
        "the file ends within its first line".to_owned()
    } else {
        format!("not a DAG Recorder file: expected its first line to be \"{}\"", MAGIC.escape_ascii())
    };
    Err(input.broken(same as u64, what))
}
