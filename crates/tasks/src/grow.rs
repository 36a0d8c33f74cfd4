//! A task tree that is written in pre-order: nodes are opened, get intervals and other nodes, and are closed. Values of inner
//! nodes, sums, and who followed whom on a spine are found on the way, while a node is at hand. Closing a recording writes its
//! tree so; one whose columns were filled otherwise is written over itself by [`crate::pass`].

use crate::schema::{Collapsed, Edge, Kind, Mark, TaskWriter};
use crosscut_run::{NO_SITE, SEVERAL};
use crosscut_tree::{BLOCK, WIDE};

use crate::spine::{Exit, First, Spine};
use crate::sums::{Mix, NodeSums};

/// An interval, or a node whose inside was collapsed.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// What it is.
    pub mark: Mark,
    /// When it started.
    pub start: i64,
    /// When it ended, not before it started.
    pub end: i64,
    /// Where it ran.
    pub place: u32,
    /// The worker of that place.
    pub worker: u32,
    /// Its code.
    pub site: u32,
}

/// What was gathered while a tree grew.
pub struct Grown {
    /// Largest depth of any node.
    pub(crate) depth: usize,
    /// Nodes with so many children that they need an index, ascending.
    pub(crate) wide: Vec<u32>,
    /// Whether some task is not waited for by the section that created it.
    pub(crate) leaves_tasks: bool,
    /// Whether `spine` is whole: not when a wait is not the last of its section.
    pub(crate) is_plain: bool,
    /// Who followed whom, in a tree without dependences whose sections wait for all their tasks.
    pub(crate) spine: Spine,
    /// Work and intervals by kind.
    pub(crate) sums: NodeSums,
    /// Work by row.
    pub(crate) mix: Mix,
    /// The blocks of each row, in no order.
    pub(crate) blocks: Vec<Vec<u32>>,
}

/// A node that is not closed yet. It is written and read field by field: what was just written in parts cannot be read as a
/// whole without waiting for it, and most tasks are closed right after they were opened.
struct Open {
    node: u32,
    is_task: bool,
    /// Whether the child before was a wait: when it is the last, the node waits for its tasks.
    waits: bool,
    has_tasks: bool,
    children: u32,
    start: i64,
    end: i64,
    /// The spine, and the longest path that leaves it by a task.
    spine: i64,
    beside: i64,
    place: u32,
    row: u32,
    site: u32,
    /// Where it stands in the program, when that is not where its first block began.
    own_site: u32,
    /// Where the ends of its tasks begin in `ends`.
    ends: usize,
    /// For a task: what comes before the next block of the task around it.
    around: Before,
}

/// What a node hands up to its parent.
#[derive(Clone, Copy)]
struct Whole {
    start: i64,
    end: i64,
    span: i64,
    place: u32,
    row: u32,
    site: u32,
}

/// What comes before the next block of a task.
struct Before {
    /// Where its spine goes on from; for its first block, the create. No edge when there is nothing.
    edge: Option<Edge>,
    row: u32,
    at: i64,
    /// Where the ends of tasks that lead to the next block begin in `joined`.
    joined: usize,
}

impl Before {
    /// Field by field, as above.
    #[inline(always)]
    fn set(&mut self, other: &Before) {
        self.joined = other.joined;
        self.at = other.at;
        self.row = other.row;
        self.edge = other.edge;
    }
}

/// The columns of a tree in the making.
struct Columns<'w> {
    len: &'w mut [u32],
    parent: &'w mut [u32],
    mark: &'w mut [u8],
    place: &'w mut [u32],
    site: &'w mut [u32],
    start: &'w mut [i64],
    end: &'w mut [i64],
    span: &'w mut [i64],
}

/// A task tree in the making.
pub struct Grow<'w> {
    columns: Columns<'w>,
    /// Columns of counters, to be filled for intervals.
    pub counters: Vec<&'w mut [i64]>,
    next: u32,
    limit: u32,
    open: Vec<Open>,
    before: Before,
    /// The rows of the ends of tasks in open sections, innermost last.
    ends: Vec<u32>,
    /// The same of tasks that were waited for, until the next block of the task that waited.
    joined: Vec<u32>,
    last_end: i64,
    several: u32,
    found: Grown,
}

impl<'w> Grow<'w> {
    /// Fills the columns of `writer`, which are long enough for all nodes, with a tree whose blocks ran on so many workers.
    pub fn new(writer: &'w mut TaskWriter, workers: usize) -> Self {
        let TaskWriter { len, parent, mark, place, site, start, end, span, counters, .. } = writer;
        let nodes = len.len();
        let rows = workers + 1;
        Grow {
            limit: nodes as u32,
            columns: Columns { len, parent, mark, place, site, start, end, span },
            counters: counters.iter_mut().map(|(_, column)| &mut column[..]).collect(),
            next: 0,
            open: Vec::new(),
            before: Before { edge: None, row: 0, at: 0, joined: 0 },
            ends: Vec::new(),
            joined: Vec::new(),
            last_end: 0,
            several: workers as u32,
            found: Grown {
                depth: 0,
                wide: Vec::new(),
                leaves_tasks: false,
                is_plain: true,
                spine: Spine::empty(rows),
                sums: NodeSums::new(nodes),
                mix: Mix::new(nodes, rows),
                blocks: vec![Vec::new(); rows],
            },
        }
    }

    /// Nodes so far, those included that had no room any more.
    #[inline]
    pub fn nodes(&self) -> u32 {
        self.next
    }

    /// The number of the next node, when there is room for it.
    #[inline(always)]
    fn number(&mut self) -> Option<usize> {
        let at = self.next as usize;
        self.next = self.next.saturating_add(1);
        if at >= self.limit as usize {
            return None;
        }
        if at.is_multiple_of(BLOCK) {
            self.end_block(at);
        }
        Some(at)
    }

    /// A block of sums ends before a node.
    #[cold]
    fn end_block(&mut self, at: usize) {
        if at > 0 {
            self.found.sums.end_block(at / BLOCK - 1);
            self.found.mix.border(at);
        }
    }

    /// A new node, within the one that was opened last and is not closed yet.
    #[inline]
    pub fn open(&mut self, kind: Kind, edge: Edge) -> u32 {
        self.open_marked(Mark::new(kind, edge, false))
    }

    /// A new section of the code at a site: its first interval began before, where the one before it ended.
    #[inline]
    pub fn open_section(&mut self, edge: Edge, site: u32) -> u32 {
        self.open_at(Mark::new(Kind::Section, edge, false), site)
    }

    /// A section that is a chunk of the loop at a site; see [`Mark::chunk_section`].
    pub fn open_chunk(&mut self, edge: Edge, site: u32) -> u32 {
        self.open_at(Mark::chunk_section(edge), site)
    }

    #[inline]
    fn open_at(&mut self, mark: Mark, site: u32) -> u32 {
        let node = self.open_marked(mark);
        if let Some(open) = self.open.last_mut() {
            open.own_site = site;
        }
        node
    }

    /// The same with all that its mark says.
    #[inline]
    pub(crate) fn open_marked(&mut self, mark: Mark) -> u32 {
        let node = self.next;
        let parent = self.open.last().map_or(0, |open| open.node);
        if let Some(at) = self.number() {
            self.columns.parent[at] = parent;
            self.columns.mark[at] = mark.0;
        }
        let Before { edge, row, at, joined } = self.before;
        let is_task = mark.kind() == Kind::Task;
        if is_task {
            self.enter();
        }
        self.open.push(Open {
            node,
            is_task,
            waits: false,
            has_tasks: false,
            children: 0,
            start: i64::MAX,
            end: i64::MIN,
            spine: 0,
            beside: 0,
            place: 0,
            row: 0,
            site: 0,
            own_site: NO_SITE,
            ends: self.ends.len(),
            around: Before { edge, row, at, joined },
        });
        self.found.depth = self.found.depth.max(self.open.len());
        node
    }

    /// A task begins: its first block was created by what stands before it, if that is within the same node.
    #[inline]
    fn enter(&mut self) {
        let has_create = self.open.last().is_some_and(|open| open.children > 0);
        let is_created = has_create && self.before.edge == Some(Edge::CreateCont);
        self.before.edge = is_created.then_some(Edge::Create);
        self.before.joined = self.joined.len();
    }

    /// An interval within the node that was opened last and is not closed yet.
    #[inline]
    pub fn leaf(&mut self, block: Block) -> u32 {
        let length = block.end - block.start;
        let node = self.next;
        if self.block(block, length, length).is_some() {
            self.found.sums.count(block.mark.kind());
        }
        node
    }

    /// A node whose inside was collapsed, with its critical path and work.
    pub fn collapsed(&mut self, block: Block, span: i64, inside: &Collapsed) -> u32 {
        let Before { edge, row, at, joined } = self.before;
        let is_task = block.mark.kind() == Kind::Task;
        if is_task {
            self.enter();
        }
        let node = self.next;
        if let Some(at) = self.block(block, span, inside.work) {
            self.found.sums.count_inside(at, inside);
        }
        if is_task {
            self.before = Before { edge, row, at, joined };
        }
        node
    }

    /// Writes a block when there is room.
    #[inline(always)]
    fn block(&mut self, block: Block, span: i64, work: i64) -> Option<usize> {
        let parent = self.open.last().map_or(0, |open| open.node);
        let at = self.number()?;
        self.columns.parent[at] = parent;
        self.columns.mark[at] = block.mark.0;
        self.put(at, block, span, work);
        Some(at)
    }

    /// Writes a block; its parent and mark are there.
    #[inline(always)]
    fn put(&mut self, at: usize, block: Block, span: i64, work: i64) {
        let Block { mark, start, end, place, worker, site } = block;
        let columns = &mut self.columns;
        columns.len[at] = 1;
        columns.place[at] = place;
        columns.site[at] = site;
        columns.start[at] = start;
        columns.end[at] = end;
        columns.span[at] = span;
        self.last_end = end;
        let row = worker.min(self.several);
        self.found.sums.work(work);
        self.found.mix.work(row as usize, work);
        self.found.blocks[row as usize].push(at as u32);
        self.follow(First { start, row, edge: mark.edge() });
        let kind = mark.kind();
        let exit = Exit::of_block(kind, end, row);
        self.before.at = exit.at;
        self.before.row = exit.row;
        self.before.edge = Some(exit.edge);
        let whole = Whole { start, end, span, place, row, site };
        match kind {
            Kind::Task => self.hand_up_task(whole, row),
            _ => self.hand_up(whole, kind == Kind::Wait),
        }
    }

    /// The spine of the task goes on with a block.
    #[inline(always)]
    fn follow(&mut self, first: First) {
        let Before { edge, row, at, joined } = self.before;
        while self.joined.len() > joined
            && let Some(end) = self.joined.pop()
        {
            self.found.spine.edge(Edge::End, end, first.row);
        }
        let Some(edge) = edge else { return };
        let exit = Exit { at, row, edge };
        if edge == Edge::Create {
            self.found.spine.edge(Edge::Create, row, first.row);
        } else if !exit.is_open() {
            // Else a wait is not the last of its section, and this is not a plain spine.
            self.found.spine.follow(exit, first);
        }
    }

    /// Gives a node on the spine to its parent.
    #[inline(always)]
    fn hand_up(&mut self, child: Whole, is_wait: bool) {
        let several = self.several;
        let Some(open) = self.open.last_mut() else { return };
        open.spine += child.span;
        open.add(child, several);
        self.found.is_plain &= !open.waits;
        open.waits = is_wait;
    }

    /// Gives a task to its parent. It runs beside what follows it there; its last block ran on this row.
    #[inline(always)]
    fn hand_up_task(&mut self, child: Whole, row: u32) {
        let several = self.several;
        let Some(open) = self.open.last_mut() else { return };
        open.beside = open.beside.max(open.spine + child.span);
        open.add(child, several);
        self.found.is_plain &= !open.waits;
        open.waits = false;
        open.has_tasks = true;
        self.ends.push(row);
    }

    /// Closes the node that was opened last.
    #[inline]
    pub fn close(&mut self) {
        let Some(open) = self.open.last() else { return };
        if open.children == 0 {
            return self.close_empty();
        }
        let span = open.spine.max(open.beside);
        let &Open { start, end, place, row, site, ends, is_task, .. } = open;
        let whole = Whole { start, end, span, place, row, site };
        let at = open.node as usize;
        if at < self.limit as usize {
            let columns = &mut self.columns;
            columns.len[at] = self.next - open.node;
            columns.place[at] = place;
            columns.site[at] = if open.own_site == NO_SITE { site } else { open.own_site };
            columns.start[at] = start;
            columns.end[at] = end;
            columns.span[at] = span;
        }
        if open.children as usize >= WIDE {
            self.found.wide.push(open.node);
        }
        let joins = open.waits && !is_task;
        self.found.leaves_tasks |= open.has_tasks && !joins;
        if is_task {
            let row = self.before.row;
            self.joined.truncate(self.before.joined);
            self.before.set(&open.around);
            self.ends.truncate(ends);
            self.open.truncate(self.open.len() - 1);
            self.hand_up_task(whole, row);
        } else {
            let mut exit = Exit { at: self.before.at, row, edge: Edge::End };
            exit.resolve(end);
            self.before.at = exit.at;
            if joins {
                self.joined.extend_from_slice(&self.ends[ends..]);
            }
            self.ends.truncate(ends);
            self.open.truncate(self.open.len() - 1);
            self.hand_up(whole, false);
        }
    }

    /// A node without anything in it is a block that takes no time.
    #[cold]
    fn close_empty(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let (row, at) = (self.before.row, open.node as usize);
        if let Some(&mark) = self.columns.mark.get(at) {
            let (start, end) = (self.last_end, self.last_end);
            let block = Block { mark: Mark(mark), start, end, place: row, worker: row, site: NO_SITE };
            self.put(at, block, 0, 0);
        }
        if open.is_task {
            self.before = open.around;
        }
    }

    /// A node as its columns have it before it is written: its length, its span, and all but its worker.
    #[inline]
    pub(crate) fn filled(&self, at: usize) -> (usize, i64, Block) {
        let columns = &self.columns;
        let block = Block {
            mark: Mark(columns.mark[at]),
            start: columns.start[at],
            end: columns.end[at],
            place: columns.place[at],
            worker: self.several,
            site: columns.site[at],
        };
        (columns.len[at] as usize, columns.span[at], block)
    }

    /// When the block that was written last ended.
    #[inline]
    pub fn last_end(&self) -> i64 {
        self.last_end
    }

    /// When a task that is closed ended itself.
    pub fn end_of(&self, task: u32) -> i64 {
        let at = task as usize;
        // Collapsed, or its end is its last node.
        let last = at + (self.columns.len.get(at).map_or(1, |&len| len.max(1)) as usize) - 1;
        self.columns.end.get(last).copied().unwrap_or(0)
    }

    /// The tree is whole, unless it had no room.
    pub fn finish(mut self) -> Grown {
        let nodes = self.next.min(self.limit) as usize;
        if let Some(last) = nodes.checked_sub(1) {
            self.found.sums.end_block(last / BLOCK);
        }
        self.found.sums.truncate(nodes);
        self.found.mix.truncate(nodes);
        self.found.sums.accumulate();
        self.found.mix.accumulate();
        self.found.wide.sort_unstable();
        self.found
    }
}

impl Open {
    #[inline(always)]
    fn add(&mut self, child: Whole, several: u32) {
        if self.children == 0 {
            self.place = child.place;
            self.row = child.row;
            self.site = child.site;
        }
        self.children += 1;
        self.start = self.start.min(child.start);
        self.end = self.end.max(child.end);
        if self.place != child.place {
            // What both have in common: the worker, or nothing. The first places are those of the workers.
            let is_same = self.row == child.row && self.row != several;
            self.place = if is_same { self.row } else { SEVERAL };
            self.row = if is_same { self.row } else { several };
        }
    }
}
