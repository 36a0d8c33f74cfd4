//! From the node table to what is needed of each node, in the order of the file. Pieces of the table are read and
//! checked in parallel; each numbers the places and sites that it meets by itself.

use std::hash::Hash;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use bytemuck::Zeroable;
use crosscut_run::{NO_SITE, SEVERAL};
use crosscut_tasks::schema::{Collapsed, Edge, Kind, Mark};
use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use crate::error::ImportError;
use crate::input::Input;
use crate::limits::{MAX_VALUE, MAX_WORKERS};
use crate::ticks::Ticks;

use super::format::{Fault, Header, NODE_BYTES, RawNode, field, node_at};

/// Nodes per piece: much more work than starting on a piece costs, and few enough that both cores end together. Local
/// numbers of places need to fit into 16 bits.
pub const PIECE: usize = 1 << 13;
/// Nodes per read: what is read stays in the cache until it is decoded.
const BATCH: usize = 1 << 9;

/// The kinds of nodes that a file holds, by their numbers.
const KINDS: [Kind; 6] = [Kind::Create, Kind::Wait, Kind::Other, Kind::End, Kind::Section, Kind::Task];

/// How a node hangs in the tree.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The created task, or the first node inside; a number in the file.
    pub first: u32,
    /// How many nodes are inside. When the mark says collapsed: the number of its row within the piece.
    pub count: u32,
    /// [`Mark`], and [`Link::SEEN`].
    pub mark: u8,
}

impl Link {
    /// The walk has been here.
    pub const SEEN: u8 = 0x80;

    /// Its mark.
    pub fn mark(&self) -> Mark {
        Mark(self.mark & !Self::SEEN)
    }

    /// Whether there are nodes inside.
    pub fn is_open(&self) -> bool {
        self.mark().kind().is_collective() && !self.mark().is_collapsed()
    }
}

/// What a leaf or a collapsed node carries. Nothing for nodes with something inside: they follow from it.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub start: i64,
    pub end: i64,
    /// Number within the piece, or [`NO_SITE`].
    pub site: u32,
    /// Number within the piece, or [`SEVERAL`].
    pub place: u32,
}

/// A collapsed node.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// `node` is its number in the file.
    pub collapsed: Collapsed,
    pub span: i64,
}

/// File and line of the start and of the end.
pub type SiteKey = [i64; 4];
/// Worker and core.
pub type PlaceKey = [i32; 2];

/// What a piece found beside its links and values.
#[derive(Debug, Default)]
pub struct Piece {
    /// Sites by local number, each with the first node that has it.
    pub sites: Vec<(SiteKey, u32)>,
    /// Places likewise.
    pub places: Vec<(PlaceKey, u32)>,
    /// Collapsed nodes.
    pub rows: Vec<Row>,
    /// The largest worker.
    pub max_worker: i32,
    /// The largest time.
    pub max_time: i64,
    /// All times and counts that will be added up somewhere.
    pub sum: u128,
}

/// All nodes.
pub struct Table {
    pub links: Vec<Link>,
    pub values: Vec<Value>,
    pub pieces: Vec<Piece>,
}

impl Table {
    /// What is known of a collapsed node.
    pub fn row(&self, node: usize) -> Option<&Row> {
        self.pieces.get(node / PIECE)?.rows.get(self.links.get(node)?.count as usize)
    }
}

/// Numbers keys in the order in which they come. Nearly all nodes have one of a few keys, so a small table in front of
/// the hash map answers nearly always.
struct Numbering<K> {
    recent: [(K, u32); 64],
    ids: HashMap<K, u32>,
    list: Vec<(K, u32)>,
}

impl<K: Copy + Eq + Hash + Default> Numbering<K> {
    fn new() -> Self {
        Numbering { recent: [(K::default(), u32::MAX); 64], ids: HashMap::new(), list: Vec::new() }
    }

    /// The number of the key; `slot` is some small hash of it, `node` is who has it.
    #[inline]
    fn number(&mut self, key: K, slot: u64, node: usize) -> u32 {
        // A multiplicative hash: its high bits depend on all bits of the slot.
        let slot = (slot.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize & 63;
        if let Some((recent, id)) = self.recent.get(slot)
            && *id != u32::MAX
            && *recent == key
        {
            return *id;
        }
        let list = &mut self.list;
        let id = *self.ids.entry(key).or_insert_with(|| {
            list.push((key, node as u32));
            list.len() as u32 - 1
        });
        if let Some(recent) = self.recent.get_mut(slot) {
            *recent = (key, id);
        }
        id
    }
}

/// Reads the node table.
pub fn read(input: &Input<'_>, header: &Header, strings: usize, ticks: Ticks) -> Result<Table, ImportError> {
    let n = header.nodes;
    let mut links = vec![Link { first: 0, count: 0, mark: 0 }; n];
    let mut values = vec![Value { start: 0, end: 0, site: 0, place: 0 }; n];
    let done = AtomicU64::new(0);
    // The lowest piece with an error decides, whichever thread is first: pieces after it need not be read.
    let worst = AtomicUsize::new(usize::MAX);
    let results: Vec<Result<Piece, ImportError>> = links
        .par_chunks_mut(PIECE)
        .zip(values.par_chunks_mut(PIECE))
        .enumerate()
        .map_init(
            || vec![RawNode::zeroed(); BATCH.min(n)],
            |buffer, (number, (links, values))| {
                if worst.load(Ordering::Relaxed) < number {
                    return Ok(Piece::default());
                }
                let mut decoder = Decoder::new(*header, strings, ticks);
                let result = input
                    .check_cancelled()
                    .and_then(|()| decoder.piece(input, number * PIECE, buffer, links, values));
                if result.is_err() {
                    worst.fetch_min(number, Ordering::Relaxed);
                }
                let bytes = (links.len() * NODE_BYTES) as u64;
                input.advance(done.fetch_add(bytes, Ordering::Relaxed) + bytes);
                result.map(|()| decoder.finish())
            },
        )
        .collect();
    let pieces = results.into_iter().collect::<Result<Vec<_>, _>>()?;
    let table = Table { links, values, pieces };
    check_sums(input, header, &table)?;
    Ok(table)
}

/// What is added up later must fit into 63 bits.
fn check_sums(input: &Input<'_>, header: &Header, table: &Table) -> Result<(), ImportError> {
    let mut sum = 0u128;
    for (number, piece) in table.pieces.iter().enumerate() {
        sum = sum.saturating_add(piece.sum);
        let elapsed = piece.max_time as u128 * header.workers as u128;
        if sum > u128::from(MAX_VALUE) || elapsed > u128::from(MAX_VALUE) {
            let what = "times and counts up to here are too large: their sum does not fit into 63 bits";
            return Err(Fault::new(number * PIECE, field::START, what).at(input));
        }
    }
    Ok(())
}

/// Decodes the nodes of one piece.
struct Decoder {
    header: Header,
    strings: i64,
    ticks: Ticks,
    sites: Numbering<SiteKey>,
    places: Numbering<PlaceKey>,
    piece: Piece,
}

impl Decoder {
    fn new(header: Header, strings: usize, ticks: Ticks) -> Self {
        let piece = Piece { max_worker: -1, ..Piece::default() };
        let strings = strings as i64;
        Decoder { header, strings, ticks, sites: Numbering::new(), places: Numbering::new(), piece }
    }

    fn finish(self) -> Piece {
        Piece { sites: self.sites.list, places: self.places.list, ..self.piece }
    }

    /// Reads and decodes the nodes from `first` on.
    fn piece(
        &mut self,
        input: &Input<'_>,
        first: usize,
        buffer: &mut [RawNode],
        links: &mut [Link],
        values: &mut [Value],
    ) -> Result<(), ImportError> {
        let mut at = first;
        for (links, values) in links.chunks_mut(BATCH).zip(values.chunks_mut(BATCH)) {
            let Some(buffer) = buffer.get_mut(..links.len()) else { break };
            input.read_at(node_at(at), bytemuck::cast_slice_mut(buffer))?;
            for ((raw, link), value) in buffer.iter().zip(links).zip(values) {
                self.node(at, raw, link, value).map_err(|fault| fault.at(input))?;
                at += 1;
            }
        }
        Ok(())
    }

    #[inline]
    fn node(&mut self, node: usize, raw: &RawNode, link: &mut Link, value: &mut Value) -> Result<(), Fault> {
        let wrong = |field, what: String| Err(Fault::new(node, field, what));
        let Some(&kind) = usize::try_from(raw.kind).ok().and_then(|kind| KINDS.get(kind)) else {
            return wrong(field::KIND, format!("kind {}; expected 0 to 5", raw.kind));
        };
        let Some(&edge) = usize::try_from(raw.in_edge).ok().and_then(|edge| Edge::ALL.get(edge)) else {
            return wrong(field::IN_EDGE, format!("kind of edge {}; expected 0 to 4", raw.in_edge));
        };
        if raw.end.t < raw.start.t {
            return wrong(field::END, format!("ends at {}, before it starts at {}", raw.end.t, raw.start.t));
        }
        let files = 0..self.strings;
        if !files.contains(&raw.start.file) || !files.contains(&raw.end.file) {
            let (field, file) = match files.contains(&raw.start.file) {
                true => (field::END_FILE, raw.end.file),
                false => (field::START_FILE, raw.start.file),
            };
            return wrong(field, format!("source file {file}, but there are {} strings", self.strings));
        }
        if raw.worker < -1 || i64::from(raw.worker) >= MAX_WORKERS {
            return wrong(
                field::WORKER,
                format!("worker {}; expected −1 to {}", raw.worker, MAX_WORKERS - 1),
            );
        }
        if raw.cpu < -1 {
            return wrong(field::CPU, format!("core {}; expected −1 or more", raw.cpu));
        }
        // Checked in every node, kept in those with nothing inside.
        value.start = self.time(node, field::START, raw.start.t)?;
        value.end = self.time(node, field::END, raw.end.t)?;

        let collapsed = match kind {
            Kind::Section | Kind::Task if raw.begin == raw.end_inside => true,
            Kind::Section | Kind::Task => {
                let inside = self.forward(node, raw.begin).zip(raw.end_inside.checked_sub(1)).and_then(
                    |(first, last)| Some((first, self.forward(node, last)?)).filter(|(a, b)| a <= b),
                );
                let Some((first, last)) = inside else {
                    return wrong(field::BEGIN, self.outside("its inside", node, raw));
                };
                link.first = first as u32;
                link.count = (last - first) as u32 + 1;
                link.mark = Mark::new(kind, edge, false).0;
                return Ok(());
            }
            Kind::Create => {
                let Some(child) = self.forward(node, raw.begin) else {
                    return wrong(field::BEGIN, self.outside("the created task", node, raw));
                };
                link.first = child as u32;
                false
            }
            _ => false,
        };
        // An interval runs without a break. The task tree has no room for one that does not.
        let elapsed = raw.end.t - raw.start.t;
        if !kind.is_collective() && raw.t_1 != elapsed {
            return wrong(field::T_1, format!("an interval with work {} that lasts {elapsed}", raw.t_1));
        }
        link.mark = Mark::new(kind, edge, collapsed).0;
        if collapsed {
            link.count = self.piece.rows.len() as u32;
            let row = self.row(node, raw)?;
            self.piece.rows.push(row);
        }
        self.piece.max_time = self.piece.max_time.max(value.end);
        self.piece.max_worker = self.piece.max_worker.max(raw.worker);
        self.piece.sum += (value.end - value.start) as u128 + 1;
        value.place = match raw.worker {
            -1 => SEVERAL,
            worker => {
                let slot = (worker as u64) << 32 | u64::from(raw.cpu as u32);
                self.places.number([worker, raw.cpu], slot, node)
            }
        };
        // A line that the recorder does not know is 0.
        let site = [raw.start.file, raw.start.line.max(0), raw.end.file, raw.end.line.max(0)];
        let slot = (raw.start.line as u64) << 32 ^ raw.end.line as u64;
        value.site = self.sites.number(site, slot, node);
        debug_assert!(value.site != NO_SITE);
        Ok(())
    }

    /// A node that must come later in the file than the one that names it: nothing can then hold itself.
    fn forward(&self, node: usize, offset: i64) -> Option<usize> {
        self.header.node(node, offset).filter(|&other| other > node)
    }

    fn outside(&self, what: &str, node: usize, raw: &RawNode) -> String {
        let at = |offset: i64| node as i128 + i128::from(offset);
        let end = match raw.kind {
            0 => String::new(),
            _ => format!(" to {}", at(raw.end_inside) - 1),
        };
        let last = self.header.nodes - 1;
        format!("{what} is node {}{end}; expected nodes after {node} and up to {last}", at(raw.begin))
    }

    fn time(&self, node: usize, field: usize, ticks: u64) -> Result<i64, Fault> {
        self.ticks
            .time(ticks)
            .ok_or_else(|| Fault::new(node, field, format!("a time of {ticks} ticks is too large")))
    }

    /// What is known of a collapsed node.
    fn row(&mut self, node: usize, raw: &RawNode) -> Result<Row, Fault> {
        if raw.t_inf > raw.t_1 {
            let what = format!("a critical path of {}, longer than the work of {}", raw.t_inf, raw.t_1);
            return Err(Fault::new(node, field::T_INF, what));
        }
        let capacity = u128::from(raw.end.t.saturating_sub(raw.start.t)) * self.header.workers.max(1) as u128;
        if u128::from(raw.t_1) > capacity {
            let workers = self.header.workers;
            let what = format!("work of {}, more than {workers} workers had time for ({capacity})", raw.t_1);
            return Err(Fault::new(node, field::T_1, what));
        }
        let mut collapsed = Collapsed {
            node: node as u32,
            work: self.time(node, field::T_1, raw.t_1)?,
            first_ready: self.time(node, field::FIRST_READY, raw.first_ready)?,
            last_start: self.time(node, field::LAST_START, raw.last_start)?,
            nodes: counts(node, field::NODES, raw.nodes)?,
            edges: counts(node, field::EDGES, raw.edges)?,
            ..Collapsed::default()
        };
        for (k, (ready, &ticks)) in collapsed.ready.iter_mut().zip(&raw.ready).enumerate() {
            *ready = self.time(node, field::READY + 8 * k, ticks)?;
        }
        let span = self.time(node, field::T_INF, raw.t_inf)?;
        self.piece.max_time = self.piece.max_time.max(collapsed.last_start);
        let all = collapsed.ready.iter().chain(&collapsed.nodes).chain(&collapsed.edges);
        self.piece.sum += all.map(|&value| value as u128).sum::<u128>();
        self.piece.sum += collapsed.work as u128;
        Ok(Row { collapsed, span })
    }
}

/// Counts that can be counted.
fn counts<const N: usize>(node: usize, field: usize, counts: [i64; N]) -> Result<[i64; N], Fault> {
    for (k, &count) in counts.iter().enumerate() {
        if !(0..=MAX_VALUE as i64).contains(&count) {
            return Err(Fault::new(node, field + 8 * k, format!("a count of {count}")));
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbering_gives_each_key_one_number_in_order() {
        let mut numbering = Numbering::new();
        let numbers: Vec<u32> =
            (0..1000usize).map(|i| numbering.number([(i * i % 331) as i64], (i % 7) as u64, i)).collect();
        for (i, &number) in numbers.iter().enumerate() {
            assert_eq!(numbering.list[number as usize].0, [(i * i % 331) as i64]);
        }
        let firsts: Vec<u32> = numbering.list.iter().map(|&(_, node)| node).collect();
        assert!(firsts.is_sorted());
    }
}
