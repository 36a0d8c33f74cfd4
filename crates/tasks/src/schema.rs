//! The columns of a task tree: names, types, and what a row means. Readers, recorders and generators fill
//! [`TaskWriter`]; [`crate::finish`] completes inner nodes and adds indexes, [`crate::Tasks`] reads them again.

use crosscut_run::{ColumnMut, RunError, RunWriter};

pub use crate::beside::{Beside, Joined, Lock, LockKind, LockUse, LockWait, NO_SOURCE, Stretch};

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// An interval that ended by creating a task; the created task is its next sibling.
    Create = 0,
    /// An interval that ended by waiting for the tasks of its section.
    Wait = 1,
    /// An interval that ended otherwise.
    Other = 2,
    /// The last interval of a task.
    End = 3,
    /// A synchronisation scope: creates with their tasks, nested sections, then a wait.
    Section = 4,
    /// A task: sections and intervals, then an end.
    Task = 5,
    /// An interval that ended by starting one member of a team: a thread of a parallel region, or a process. The
    /// member's task is its next sibling; no task of the program was created.
    Fork = 6,
    /// An interval that ran some iterations of a parallel loop.
    Chunk = 7,
}

impl Kind {
    /// All kinds, by number.
    pub const ALL: [Kind; 8] = [
        Kind::Create,
        Kind::Wait,
        Kind::Other,
        Kind::End,
        Kind::Section,
        Kind::Task,
        Kind::Fork,
        Kind::Chunk,
    ];

    /// The kinds of intervals, in the order in which they are counted.
    pub const LEAVES: [Kind; 6] = [Kind::Create, Kind::Wait, Kind::Other, Kind::End, Kind::Fork, Kind::Chunk];

    /// Its place among [`Kind::LEAVES`]; none for what holds other nodes.
    #[inline]
    pub fn leaf(self) -> Option<usize> {
        match self {
            Kind::Create | Kind::Wait | Kind::Other | Kind::End => Some(self as usize),
            Kind::Fork | Kind::Chunk => Some(self as usize - 2),
            Kind::Section | Kind::Task => None,
        }
    }

    /// Whether it starts a task, which is its next sibling.
    #[inline]
    pub fn is_start(self) -> bool {
        matches!(self, Kind::Create | Kind::Fork)
    }

    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Create => "create",
            Kind::Wait => "wait",
            Kind::Other => "other",
            Kind::End => "end",
            Kind::Section => "section",
            Kind::Task => "task",
            Kind::Fork => "fork",
            Kind::Chunk => "chunk",
        }
    }

    /// Whether it can hold other nodes.
    pub fn is_collective(self) -> bool {
        matches!(self, Kind::Section | Kind::Task)
    }
}

/// The kind of edge that made a node ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Edge {
    /// The last task of a section ended.
    End = 0,
    /// It was created.
    Create = 1,
    /// Its task went on after a create.
    CreateCont = 2,
    /// Its task went on after a wait.
    WaitCont = 3,
    /// Its task went on after another interval.
    OtherCont = 4,
}

impl Edge {
    /// All kinds, by number.
    pub const ALL: [Edge; 5] = [Edge::End, Edge::Create, Edge::CreateCont, Edge::WaitCont, Edge::OtherCont];

    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Edge::End => "end",
            Edge::Create => "create",
            Edge::CreateCont => "create-cont",
            Edge::WaitCont => "wait-cont",
            Edge::OtherCont => "other-cont",
        }
    }
}

/// Kind, edge, and whether the inside was collapsed, a wait was deep or a section is a chunk, in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(pub u8);

impl Mark {
    /// Packs it.
    pub fn new(kind: Kind, edge: Edge, collapsed: bool) -> Self {
        Mark(kind as u8 | (edge as u8) << 3 | u8::from(collapsed) << 6)
    }

    /// A wait for all descendants of its section, not only for the tasks created in it: the end of a `taskgroup`, a
    /// barrier.
    pub fn deep_wait(edge: Edge) -> Self {
        Mark(Mark::new(Kind::Wait, edge, false).0 | 1 << 7)
    }

    /// Whether it is a deep wait.
    #[inline]
    pub fn is_deep(self) -> bool {
        self.0 >> 7 == 1 && self.kind() == Kind::Wait
    }

    /// A section that holds all that a chunk of a loop did from its first section on: its sections, other intervals, and as
    /// its last node the chunk itself. Nobody waits at its end.
    pub fn chunk_section(edge: Edge) -> Self {
        Mark(Mark::new(Kind::Section, edge, false).0 | 1 << 7)
    }

    /// Whether it is such a section.
    #[inline]
    pub fn is_chunk_section(self) -> bool {
        self.0 >> 7 == 1 && self.kind() == Kind::Section
    }

    /// Its kind; a damaged byte reads as `Other`.
    #[inline]
    pub fn kind(self) -> Kind {
        *Kind::ALL.get((self.0 & 7) as usize).unwrap_or(&Kind::Other)
    }

    /// Its edge; a damaged byte reads as `OtherCont`.
    #[inline]
    pub fn edge(self) -> Edge {
        *Edge::ALL.get((self.0 >> 3 & 7) as usize).unwrap_or(&Edge::OtherCont)
    }

    /// Whether the inside was collapsed while recording.
    #[inline]
    pub fn is_collapsed(self) -> bool {
        self.0 >> 6 & 1 == 1
    }
}

/// What is known of a node whose inside was collapsed while recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collapsed {
    /// The node.
    pub node: u32,
    /// Total work inside.
    pub work: i64,
    /// When its first interval became ready.
    pub first_ready: i64,
    /// When its last interval started.
    pub last_start: i64,
    /// Time that intervals inside were ready and not running, by [`Edge`].
    pub ready: [i64; 5],
    /// Intervals inside by [`Kind`]: create, wait, other, end.
    pub nodes: [i64; 4],
    /// Edges inside by [`Edge`].
    pub edges: [i64; 5],
}

/// Number of values per row in the collapsed table.
pub const COLLAPSED_VALUES: usize = 17;

impl Collapsed {
    /// As a row of the column `tasks/collapsed_values`.
    pub fn values(&self) -> [i64; COLLAPSED_VALUES] {
        let mut row = [0; COLLAPSED_VALUES];
        row[0] = self.work;
        row[1] = self.first_ready;
        row[2] = self.last_start;
        row[3..8].copy_from_slice(&self.ready);
        row[8..12].copy_from_slice(&self.nodes);
        row[12..17].copy_from_slice(&self.edges);
        row
    }

    /// From a row.
    pub fn from_values(node: u32, row: &[i64; COLLAPSED_VALUES]) -> Self {
        let mut collapsed =
            Collapsed { node, work: row[0], first_ready: row[1], last_start: row[2], ..Default::default() };
        collapsed.ready.copy_from_slice(&row[3..8]);
        collapsed.nodes.copy_from_slice(&row[8..12]);
        collapsed.edges.copy_from_slice(&row[12..17]);
        collapsed
    }
}

/// A task tree in the making. A section that nobody waited for has no wait as its last child: its tasks are joined by the
/// next deep wait around it. Fill structure (`len`, `parent`, `mark`) for every node; `start`, `end`, `place` and
/// `site` for leaves and collapsed nodes; `span` for collapsed nodes. [`crate::finish`] does the rest.
#[derive(Debug)]
pub struct TaskWriter {
    /// Nodes in the subtree, itself included.
    pub len: ColumnMut<u32>,
    /// Parent; the root is its own.
    pub parent: ColumnMut<u32>,
    /// [`Mark`].
    pub mark: ColumnMut<u8>,
    /// Place, or [`crosscut_run::SEVERAL`].
    pub place: ColumnMut<u32>,
    /// Site, or [`crosscut_run::NO_SITE`].
    pub site: ColumnMut<u32>,
    /// First start.
    pub start: ColumnMut<i64>,
    /// Last end.
    pub end: ColumnMut<i64>,
    /// Critical path.
    pub span: ColumnMut<i64>,
    /// Collapsed nodes, ascending.
    pub collapsed: Vec<Collapsed>,
    /// Dependences between tasks beside the tree, ascending by `to`, then by `from`.
    pub depends: Vec<Depend>,
    /// Iterations of the chunks, ascending by node.
    pub chunks: Vec<Chunk>,
    /// Locks, joined chunks, processor time.
    pub beside: Beside,
    /// What counters counted in each interval, 0 for other nodes; see [`TaskWriter::add_counter`].
    pub counters: Vec<(String, ColumnMut<i64>)>,
}

/// A dependence: `to` may go on only when the task `from` has ended. Both belong to the same task, `from` stands before
/// `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Depend {
    /// A task that waits before its first interval, or a wait that is released.
    pub to: u32,
    /// The task whose end it needs.
    pub from: u32,
}

/// Which iterations of its loop a chunk ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The node.
    pub node: u32,
    /// The first iteration.
    pub first: i64,
    /// How many, over all chunks that were joined.
    pub count: i64,
}

impl TaskWriter {
    /// Columns for this many nodes.
    pub fn new(run: &RunWriter, nodes: usize) -> Result<Self, RunError> {
        Ok(TaskWriter {
            len: run.column("tasks/len", nodes)?,
            parent: run.column("tasks/parent", nodes)?,
            mark: run.column("tasks/mark", nodes)?,
            place: run.column("tasks/place", nodes)?,
            site: run.column("tasks/site", nodes)?,
            start: run.column("tasks/start", nodes)?,
            end: run.column("tasks/end", nodes)?,
            span: run.column("tasks/span", nodes)?,
            collapsed: Vec::new(),
            depends: Vec::new(),
            chunks: Vec::new(),
            beside: Beside::default(),
            counters: Vec::new(),
        })
    }

    /// A column for one more counter, such as `instructions`.
    pub fn add_counter(&mut self, run: &RunWriter, name: &str) -> Result<(), RunError> {
        let column = run.column(&format!("tasks/counter_{}", name.replace('-', "_")), self.node_count())?;
        self.counters.push((name.to_owned(), column));
        Ok(())
    }

    /// Keeps only the first `nodes` nodes.
    pub fn truncate(&mut self, nodes: usize) {
        self.len.truncate(nodes);
        self.parent.truncate(nodes);
        self.mark.truncate(nodes);
        self.place.truncate(nodes);
        self.site.truncate(nodes);
        self.start.truncate(nodes);
        self.end.truncate(nodes);
        self.span.truncate(nodes);
        self.counters.iter_mut().for_each(|(_, column)| column.truncate(nodes));
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.len.len()
    }

    /// Sets apart the columns that say what happened when: they are still read when the others are in the run.
    pub fn split(self) -> (NodeWriter, TimeWriter) {
        let nodes = NodeWriter {
            columns: (self.len, self.parent, self.place, self.site, self.span),
            collapsed: self.collapsed.clone(),
            depends: self.depends,
            chunks: self.chunks,
            beside: self.beside,
            counters: self.counters,
        };
        let times =
            TimeWriter { mark: self.mark, start: self.start, end: self.end, collapsed: self.collapsed };
        (nodes, times)
    }
}

type NodeColumns = (ColumnMut<u32>, ColumnMut<u32>, ColumnMut<u32>, ColumnMut<u32>, ColumnMut<i64>);

/// What of a task tree nobody reads any more, to be put into the run.
#[derive(Debug)]
pub struct NodeWriter {
    columns: NodeColumns,
    collapsed: Vec<Collapsed>,
    depends: Vec<Depend>,
    chunks: Vec<Chunk>,
    beside: Beside,
    counters: Vec<(String, ColumnMut<i64>)>,
}

impl NodeWriter {
    /// Takes the columns into the run, one by one: each gives its memory back.
    pub fn put(self, run: &mut RunWriter) -> Result<(), RunError> {
        let nodes: Vec<u32> = self.collapsed.iter().map(|c| c.node).collect();
        let values: Vec<i64> = self.collapsed.iter().flat_map(|c| c.values()).collect();
        run.put_slice("tasks/collapsed_node", &nodes)?;
        run.put_slice("tasks/collapsed_values", &values)?;
        let column = |value: fn(&Depend) -> u32| -> Vec<u32> { self.depends.iter().map(value).collect() };
        run.put_slice("tasks/depend_to", &column(|d| d.to))?;
        run.put_slice("tasks/depend_from", &column(|d| d.from))?;
        let nodes: Vec<u32> = self.chunks.iter().map(|c| c.node).collect();
        let values: Vec<i64> = self.chunks.iter().flat_map(|c| [c.first, c.count]).collect();
        run.put_slice("tasks/chunk_node", &nodes)?;
        run.put_slice("tasks/chunk_values", &values)?;
        self.beside.put(run)?;
        let (len, parent, place, site, span) = self.columns;
        run.put(len)?;
        run.put(parent)?;
        run.put_ids(place)?;
        run.put(site)?;
        run.put(span)?;
        for (_, column) in self.counters {
            run.put(column)?;
        }
        Ok(())
    }
}

/// What of a task tree says what happened when.
#[derive(Debug)]
pub struct TimeWriter {
    /// [`Mark`].
    pub mark: ColumnMut<u8>,
    /// First start.
    pub start: ColumnMut<i64>,
    /// Last end.
    pub end: ColumnMut<i64>,
    /// Collapsed nodes, ascending.
    pub collapsed: Vec<Collapsed>,
}

impl TimeWriter {
    /// Takes the columns into the run.
    pub fn put(self, run: &mut RunWriter) -> Result<(), RunError> {
        run.put(self.mark)?;
        run.put(self.start)?;
        run.put(self.end)
    }
}
