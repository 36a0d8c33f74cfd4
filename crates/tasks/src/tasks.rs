//! An open task tree: mapped columns, and what can be asked of a node or of a range of nodes.

mod check;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use crate::schema::{COLLAPSED_VALUES, Collapsed, Edge, Kind, Mark};
use crosscut_run::{Clock, Column, Ids, Places, Run, RunError, Source, Sources};
use crosscut_tree::{NodeId, Sums, Tree, Wide};

use crate::beside::{self, Joined, Lock, LockUse, LockWait, Stretch};
use crate::critical::Known;
use crate::dag::{Dag, Depends, Join};
use crate::error::TasksError;
use crate::exact::{ProfileStep, mean_steps};
use crate::order::{Blocks, InWindow, row};
use crate::profile::{LAYERS, Profile};
use crate::spine::inner_edges;
use crate::summary::{GapHistogram, Migration, Summary};
use crate::sums::mix_block;
use crate::timeline::{Cells, Interval, NONE, RowCells, Timeline};

/// Values per chunk in the column `tasks/chunk_values`: first iteration, number of iterations.
const CHUNK_VALUES: usize = 2;

/// The task tree of a run.
#[derive(Debug)]
pub struct Tasks {
    run: Arc<Run>,
    places: Places,
    sources: Sources,
    summary: Summary,
    len: Column<u32>,
    parent: Column<u32>,
    mark: Column<u8>,
    place: Ids,
    site: Column<u32>,
    start: Column<i64>,
    end: Column<i64>,
    span: Column<i64>,
    tail: Option<Column<i64>>,
    wide: [Column<u32>; 4],
    collapsed_node: Column<u32>,
    collapsed_values: Column<i64>,
    depend_to: Column<u32>,
    depend_from: Column<u32>,
    depend_frame: Column<u32>,
    chunk_node: Column<u32>,
    chunk_values: Column<i64>,
    beside: beside::Known,
    sum_work: Column<i64>,
    counters: Vec<Counter>,
    sum_counts: [Column<i64>; Kind::LEAVES.len()],
    mix: Column<i64>,
    order: Column<u32>,
    borders: Vec<u64>,
    reach: Column<i64>,
    cell_busy: Column<i64>,
    cell_top: Column<u32>,
    bins: Column<i64>,
    exact_steps: OnceLock<Vec<ProfileStep>>,
    checked: OnceLock<Result<(), String>>,
    pub(crate) critical_known: Mutex<HashMap<(u32, bool), Known>>,
}

/// What a counter of the processor or the kernel counted.
#[derive(Debug)]
struct Counter {
    name: String,
    value: Column<i64>,
    sum: Column<i64>,
}

/// The counters that a run has.
fn counters(run: &Run) -> Result<Vec<Counter>, TasksError> {
    let names =
        run.manifest().facts.get("counters").and_then(|names| names.as_array()).cloned().unwrap_or_default();
    let names = names.iter().filter_map(|name| name.as_str());
    let open = |name: &str| {
        let part = name.replace('-', "_");
        let value = run.column(&format!("tasks/counter_{part}"))?;
        let sum = run.column(&format!("tasks/sum_counter_{part}"))?;
        Ok(Counter { name: name.to_owned(), value, sum })
    };
    names.map(open).collect()
}

impl Tasks {
    /// Opens the task tree of a run. A small one is checked whole, bytes and structure; of a large one it reads the
    /// manifest, the small tables and nothing else.
    pub fn open(run: impl Into<Arc<Run>>) -> Result<Self, TasksError> {
        let run: Arc<Run> = run.into();
        let is_small = run.is_small();
        if is_small && let Some(damage) = run.check().into_iter().next() {
            let path = run.path().join(&damage.file);
            return Err(RunError::Damaged { path, part: damage.part, why: damage.why }.into());
        }
        let tasks = Self::open_unchecked(run)?;
        if is_small {
            tasks.check()?;
        }
        Ok(tasks)
    }

    /// Opens it as a large run is opened: whatever its columns hold, questions about it come to an end and do not panic, but
    /// what they answer is worth only as much as [`Tasks::check`] says.
    pub fn open_unchecked(run: impl Into<Arc<Run>>) -> Result<Self, TasksError> {
        let run: Arc<Run> = run.into();
        let Some(summary) = run.manifest().facts.get("tasks") else {
            return Err(TasksError::NoTasks(run.path().display().to_string()));
        };
        let mut summary: Summary = serde_json::from_value(summary.clone())
            .map_err(|e| TasksError::Broken(format!("manifest.json, facts of the tasks: {e}")))?;
        summary.migrations = run
            .column::<i64>("tasks/migrations")?
            .chunks(Migration::VALUES)
            .map(Migration::from_values)
            .collect::<Option<_>>()
            .ok_or_else(|| TasksError::Broken("`tasks/migrations` does not hold migrations".into()))?;
        let borders: Vec<u64> =
            run.column::<i64>("tasks/order_first")?.iter().map(|&b| b.max(0) as u64).collect();
        let tasks = Tasks {
            places: run.places()?,
            sources: run.sources()?,
            len: run.column("tasks/len")?,
            parent: run.column("tasks/parent")?,
            mark: run.column("tasks/mark")?,
            place: run.ids("tasks/place")?,
            site: run.column("tasks/site")?,
            start: run.column("tasks/start")?,
            end: run.column("tasks/end")?,
            span: run.column("tasks/span")?,
            tail: if run.has("tasks/tail") { Some(run.column("tasks/tail")?) } else { None },
            wide: [
                run.column("tasks/wide_node")?,
                run.column("tasks/wide_count")?,
                run.column("tasks/wide_first")?,
                run.column("tasks/wide_skip")?,
            ],
            collapsed_node: run.column("tasks/collapsed_node")?,
            collapsed_values: run.column("tasks/collapsed_values")?,
            depend_to: run.column("tasks/depend_to")?,
            depend_from: run.column("tasks/depend_from")?,
            depend_frame: run.column("tasks/depend_frame")?,
            chunk_node: run.column("tasks/chunk_node")?,
            chunk_values: run.column("tasks/chunk_values")?,
            beside: beside::Known::open(&run)?,
            sum_work: run.column("tasks/sum_work")?,
            counters: counters(&run)?,
            sum_counts: [
                run.column("tasks/sum_create")?,
                run.column("tasks/sum_wait")?,
                run.column("tasks/sum_other")?,
                run.column("tasks/sum_end")?,
                run.column("tasks/sum_fork")?,
                run.column("tasks/sum_chunk")?,
            ],
            mix: run.column("tasks/mix")?,
            order: run.column("tasks/order")?,
            borders,
            reach: run.column("tasks/reach")?,
            cell_busy: run.column("tasks/cell_busy")?,
            cell_top: run.column("tasks/cell_top")?,
            bins: run.column("tasks/bins")?,
            exact_steps: OnceLock::new(),
            checked: OnceLock::new(),
            critical_known: Mutex::default(),
            summary,
            run,
        };
        tasks.check_shape()?;
        Ok(tasks)
    }

    /// All columns must be as long as they say, so that nothing below needs to check.
    fn check_shape(&self) -> Result<(), TasksError> {
        let n = self.len.len();
        let rows = self.places.worker_count() + 1;
        let s = &self.summary;
        let fits = n > 0
            && n == s.nodes as usize
            && [self.parent.len(), self.mark.len(), self.place.len(), self.site.len()]
                .iter()
                .all(|&l| l == n)
            && [self.start.len(), self.end.len(), self.span.len()].iter().all(|&l| l == n)
            && self.tail.as_ref().is_none_or(|tail| tail.len() == n)
            && self.collapsed_values.len() == self.collapsed_node.len() * COLLAPSED_VALUES
            && self.depend_from.len() == self.depend_to.len()
            && self.chunk_values.len() == self.chunk_node.len() * CHUNK_VALUES
            && self.counters.iter().all(|c| c.value.len() == n)
            && self.mix.len() >= (n / mix_block(rows) + 1) * rows
            && self.borders.len() == rows + 1
            && self.borders[0] == 0
            && self.borders.is_sorted()
            && self.borders[rows] == self.order.len() as u64
            && s.migrations.iter().all(|m| (m.from.max(m.to) as usize) < rows)
            && s.cells.fits(s.elapsed, rows)
            && self.cell_busy.len() == s.cells.len()
            && self.cell_top.len() == s.cells.len()
            && s.bins.fits(s.elapsed, LAYERS)
            && self.bins.len() == s.bins.len();
        if fits { Ok(()) } else { Err(TasksError::Broken("its columns do not fit together".into())) }
    }

    /// The run it belongs to.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Where things ran.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Source positions.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Unit of all times.
    pub fn clock(&self) -> Clock {
        self.run.manifest().clock
    }

    /// The tree.
    pub fn tree(&self) -> Tree<'_> {
        let [node, count, first, skip] = &self.wide;
        Tree::new(&self.len, &self.parent, Wide { node, count, first, skip })
    }

    /// Totals of the run.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Rows of the timeline that stand for workers.
    pub fn workers(&self) -> usize {
        self.places.worker_count()
    }

    fn mark(&self, node: NodeId) -> Mark {
        Mark(self.mark.get(node.index()).copied().unwrap_or_default())
    }

    /// What the node is.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.mark(node).kind()
    }

    /// The kind of edge that made it ready.
    pub fn edge(&self, node: NodeId) -> Edge {
        self.mark(node).edge()
    }

    /// Whether its inside was collapsed while recording.
    pub fn is_collapsed(&self, node: NodeId) -> bool {
        self.mark(node).is_collapsed()
    }

    /// First start.
    pub fn start(&self, node: NodeId) -> i64 {
        self.start.get(node.index()).copied().unwrap_or_default()
    }

    /// Last end.
    pub fn end(&self, node: NodeId) -> i64 {
        self.end.get(node.index()).copied().unwrap_or_default()
    }

    /// Last end − first start.
    pub fn elapsed(&self, node: NodeId) -> i64 {
        self.end(node).saturating_sub(self.start(node))
    }

    /// Critical path from its start to where its spine goes on: to its end, or past the wait of a section. Tasks that it
    /// depends on inside count, those that it leaves behind do not.
    pub fn span(&self, node: NodeId) -> i64 {
        self.span.get(node.index()).copied().unwrap_or_default()
    }

    /// Critical path from its start to the end of the last task that it leaves behind; 0 when there is none.
    pub fn tail(&self, node: NodeId) -> i64 {
        self.tail.as_ref().and_then(|tail| tail.get(node.index())).copied().unwrap_or_default()
    }

    /// T∞ of the subtree: until everything inside has ended.
    pub fn critical_path(&self, node: NodeId) -> i64 {
        self.span(node).max(self.tail(node))
    }

    /// The tasks whose ends a task or a wait needed, beside what the tree says; ascending.
    pub fn depends_on(&self, node: NodeId) -> &[u32] {
        self.depends().of(node.0)
    }

    /// The dependences into a range of nodes: (to, from), ascending.
    pub fn depends_into(&self, nodes: Range<usize>) -> impl ExactSizeIterator<Item = (NodeId, NodeId)> + '_ {
        let first = self.depend_to.partition_point(|&to| (to as usize) < nodes.start);
        let last = self.depend_to.partition_point(|&to| (to as usize) < nodes.end).max(first);
        let from = &self.depend_from[first..last];
        self.depend_to[first..last].iter().zip(from).map(|(&to, &from)| (NodeId(to), NodeId(from)))
    }

    /// Which iterations of its loop a chunk ran: the first, and how many.
    pub fn chunk(&self, node: NodeId) -> Option<(i64, i64)> {
        let at = self.chunk_node.binary_search(&node.0).ok()?;
        let row = self.chunk_values.get(at * CHUNK_VALUES..(at + 1) * CHUNK_VALUES)?;
        Some((row[0], row[1]))
    }

    /// The section that a chunk with sections of its own is, from the interval with which it ends; none of other nodes.
    pub fn chunk_section(&self, chunk: NodeId) -> Option<NodeId> {
        if self.kind(chunk) != Kind::Chunk {
            return None;
        }
        let around = self.tree().parent(chunk)?;
        self.marks().get(around.index()).is_some_and(|&mark| Mark(mark).is_chunk_section()).then_some(around)
    }

    /// The chunks that were joined into a node while recording; none when it is a single chunk, or no chunk.
    pub fn joined(&self, node: NodeId) -> Option<Joined> {
        self.joined_in(node.index()..node.index() + 1).next()
    }

    /// The nodes of a range that stand for several chunks, ascending.
    pub fn joined_in(&self, nodes: Range<usize>) -> impl ExactSizeIterator<Item = Joined> {
        self.beside.joined(nodes)
    }

    /// How many locks the recorder has seen.
    pub fn lock_count(&self) -> usize {
        self.beside.lock_count()
    }

    /// A lock, by number.
    pub fn lock(&self, lock: u32) -> Option<Lock> {
        self.beside.lock(lock)
    }

    /// The name of a lock that is a variable of the program, or of a critical section that has one.
    pub fn lock_name(&self, lock: u32) -> Option<&str> {
        self.beside.lock_name(lock)
    }

    /// The waits for locks in a range of nodes, ascending by node, then by time.
    pub fn lock_waits(&self, nodes: Range<usize>) -> impl ExactSizeIterator<Item = LockWait> {
        self.beside.lock_waits(nodes)
    }

    /// What was done with locks over the whole run, ascending by lock, source and worker.
    pub fn lock_uses(&self) -> impl ExactSizeIterator<Item = LockUse> {
        self.beside.lock_uses()
    }

    /// The processor time of a worker, ascending by time; empty when it was not recorded.
    pub fn stretches(&self, worker: usize) -> impl ExactSizeIterator<Item = Stretch> {
        self.beside.stretches(worker)
    }

    /// Whether it is the task of a member of a team, which no program created.
    pub fn is_lane(&self, node: NodeId) -> bool {
        self.kind(node) == Kind::Task
            && node.0 > 0
            && self.kind(NodeId(node.0 - 1)) == Kind::Fork
            && self.tree().parent(node) == self.tree().parent(NodeId(node.0 - 1))
    }

    /// The one word for a node: that of its kind, or "lane" for a member of a team.
    pub fn word(&self, node: NodeId) -> &'static str {
        if self.is_lane(node) { "lane" } else { self.kind(node).word() }
    }

    /// Whether the end of a section waits for the tasks created in it.
    pub fn joins(&self, section: NodeId) -> bool {
        self.is_collapsed(section) || self.dag().join(section) != Join::None
    }

    pub(crate) fn dag(&self) -> Dag<'_> {
        Dag {
            tree: self.tree(),
            mark: &self.mark,
            end: &self.end,
            depends: Depends { to: &self.depend_to, from: &self.depend_from },
            tail: self.tail.as_deref().unwrap_or_default(),
        }
    }

    pub(crate) fn marks(&self) -> &[u8] {
        &self.mark
    }

    /// When each node started first.
    pub(crate) fn starts(&self) -> &[i64] {
        &self.start
    }

    /// When each node ended last.
    pub(crate) fn ends(&self) -> &[i64] {
        &self.end
    }

    /// Where each node ran.
    pub(crate) fn place_ids(&self) -> &Ids {
        &self.place
    }

    /// Whether anything depends on a task beside what the tree says.
    pub(crate) fn has_depends(&self) -> bool {
        !self.depend_to.is_empty()
    }

    /// Tasks among whose own nodes are dependences, ascending.
    pub(crate) fn depend_frames(&self) -> &[u32] {
        &self.depend_frame
    }

    /// Where it ran, or [`crosscut_run::SEVERAL`].
    pub fn place(&self, node: NodeId) -> u32 {
        self.place.at(node.index())
    }

    /// The worker that ran all of it.
    pub fn worker(&self, node: NodeId) -> Option<usize> {
        self.places.worker(self.place(node))
    }

    /// The core that ran all of it.
    pub fn core(&self, node: NodeId) -> Option<i64> {
        self.places.get(self.place(node)).map(|place| place.core).filter(|&core| core >= 0)
    }

    /// Site of a leaf, or of the first leaf of an inner node.
    pub fn site(&self, node: NodeId) -> u32 {
        self.site.get(node.index()).copied().unwrap_or(crosscut_run::NO_SITE)
    }

    /// Where it began and where it ended in the source.
    pub fn source(&self, node: NodeId) -> (Option<&Source>, Option<&Source>) {
        if !self.tree().contains(node) {
            return (None, None);
        }
        let last = self.dag().last_block(node);
        (self.sources.from(self.site(node)), self.sources.to(self.site(last)))
    }

    /// One line that names the node.
    pub fn title(&self, node: NodeId) -> String {
        let kind = self.word(node);
        match self.source(node) {
            (Some(from), Some(to)) if from.file == to.file && from.line != to.line => {
                format!("{kind} {from} → {}", to.line)
            }
            (Some(from), _) => format!("{kind} {from}"),
            _ => format!("{kind} #{}", node.0),
        }
    }

    /// What the recorder kept of a collapsed node.
    pub fn collapsed(&self, node: NodeId) -> Option<Collapsed> {
        let at = self.collapsed_node.binary_search(&node.0).ok()?;
        let row = self.collapsed_values.get(at * COLLAPSED_VALUES..(at + 1) * COLLAPSED_VALUES)?;
        Some(Collapsed::from_values(node.0, row.try_into().ok()?))
    }

    /// The time of an interval, or the work that a collapsed node stands for; 0 for other nodes.
    #[inline]
    pub(crate) fn own_work(&self, i: usize) -> i64 {
        if self.len[i] != 1 {
            return 0;
        }
        if Mark(self.mark[i]).is_collapsed()
            && let Some(collapsed) = self.collapsed(NodeId(i as u32))
        {
            return collapsed.work;
        }
        self.end[i].saturating_sub(self.start[i])
    }

    /// What each counter counted in a range of nodes, with its name.
    pub fn counters(&self, nodes: Range<usize>) -> impl Iterator<Item = (&str, i64)> {
        self.counters.iter().map(move |counter| {
            let sum =
                Sums::new(&counter.sum).over(nodes.clone(), |i| counter.value.get(i).copied().unwrap_or(0));
            (counter.name.as_str(), sum)
        })
    }

    /// The names of the counters.
    pub(crate) fn counter_names(&self) -> Vec<String> {
        self.counters.iter().map(|counter| counter.name.clone()).collect()
    }

    /// What a counter, by number, counted in one interval.
    pub(crate) fn counter_value(&self, counter: usize, node: usize) -> i64 {
        self.counters.get(counter).and_then(|counter| counter.value.get(node)).copied().unwrap_or(0)
    }

    /// T1 of the subtree.
    pub fn work(&self, node: NodeId) -> i64 {
        self.work_of(self.tree().range(node))
    }

    /// T1 of a range of nodes.
    pub fn work_of(&self, nodes: Range<usize>) -> i64 {
        Sums::new(&self.sum_work).over(nodes, |i| self.own_work(i))
    }

    /// Intervals in a range of nodes, by kind, in the order of [`Kind::LEAVES`].
    pub fn counts(&self, nodes: Range<usize>) -> [i64; Kind::LEAVES.len()] {
        Kind::LEAVES.map(|kind| self.count(nodes.clone(), kind))
    }

    /// Intervals of one kind in a range of nodes; tasks are counted by their ends.
    pub fn count(&self, nodes: Range<usize>, kind: Kind) -> i64 {
        let Some(leaf) = kind.leaf() else { return 0 };
        Sums::new(&self.sum_counts[leaf]).over(nodes, |i| self.own_count(i, kind))
    }

    /// Whether a node is an interval of this kind, or how many it stands for if it was collapsed.
    fn own_count(&self, i: usize, kind: Kind) -> i64 {
        let (mark, Some(leaf)) = (Mark(self.mark[i]), kind.leaf()) else { return 0 };
        if mark.is_collapsed() {
            self.collapsed(NodeId(i as u32)).map_or(0, |c| c.nodes.get(leaf).copied().unwrap_or(0))
        } else {
            i64::from(mark.kind() == kind)
        }
    }

    /// Edges inside a node, by kind, without dependences. Looks at all of its nodes if it is an open section, or if tasks
    /// outlive their sections in this run.
    pub fn edges(&self, node: NodeId) -> [i64; 5] {
        if let Some(collapsed) = self.collapsed(node) {
            let mut edges = [0; 5];
            for (edge, count) in inner_edges(&collapsed, self.kind(node)) {
                edges[edge as usize] = count;
            }
            if self.kind(node) == Kind::Section {
                edges[Edge::End as usize] = collapsed.edges[Edge::End as usize];
            }
            return edges;
        }
        let tree = self.tree();
        if tree.is_leaf(node) {
            return [0; 5];
        }
        if self.tail.is_some() || self.kind(node) == Kind::Section && !self.joins(node) {
            return self.walked_edges(node);
        }
        // Every create has a create, a continuation and, once its section has ended, an end edge; every section but the
        // node itself has a continuation.
        let [creates, waits, others, _, forks, chunks] = self.counts(tree.range(node));
        let starts = creates + forks;
        let (own_starts, own_wait) = match self.kind(node) {
            Kind::Section => {
                let own = tree.children(node).filter(|&c| self.kind(c).is_start()).count();
                (own as i64, 1)
            }
            _ => (0, 0),
        };
        [starts - own_starts, starts, starts, waits - own_wait, others + chunks]
    }

    /// The edges inside a node, counted one by one.
    fn walked_edges(&self, node: NodeId) -> [i64; 5] {
        let (tree, dag) = (self.tree(), self.dag());
        let whole = tree.range(node);
        let mut edges = [0; 5];
        // Sections around that wait for all tasks below them, with their ends.
        let mut deep: Vec<NodeId> = Vec::new();
        for at in whole.clone().map(|i| NodeId(i as u32)) {
            while deep.last().is_some_and(|&section| !tree.is_below(at, section)) {
                deep.pop();
            }
            if let Some(collapsed) = self.collapsed(at) {
                let ends_inside = dag.follow(at).is_some_and(|next| whole.contains(&next.index()));
                let kind = if ends_inside { self.kind(at) } else { Kind::Task };
                for (edge, count) in inner_edges(&collapsed, kind) {
                    edges[edge as usize] += count;
                }
                continue;
            }
            if dag.join(at) == Join::All {
                deep.push(at);
            }
            let waits = if dag.join(at) == Join::Own { Some(at) } else { deep.last().copied() };
            let leads_inside = waits
                .and_then(|section| dag.follow(section))
                .is_some_and(|next| whole.contains(&next.index()));
            let mut before = None;
            for child in tree.children(at) {
                if self.kind(child) == Kind::Task {
                    edges[Edge::Create as usize] += i64::from(before.is_some());
                    edges[Edge::End as usize] += i64::from(leads_inside);
                    continue;
                }
                if let Some(before) = before {
                    edges[dag.exit(before).edge as usize] += 1;
                }
                before = Some(child);
            }
        }
        edges
    }

    /// Work in a range of nodes by row: the workers, then "several".
    pub fn mix(&self, nodes: Range<usize>) -> Vec<i64> {
        let rows = self.places.worker_count() + 1;
        let block = mix_block(rows);
        let mut sum = vec![0i64; rows];
        let mut add = |range: Range<usize>| {
            for i in range {
                let work = self.own_work(i);
                if work != 0 {
                    let slot = &mut sum[row(&self.places, self.place.at(i))];
                    *slot = work.wrapping_add(*slot);
                }
            }
        };
        let (first, last) = (nodes.start.div_ceil(block), nodes.end / block);
        if first >= last {
            add(nodes);
            return sum;
        }
        add(nodes.start..first * block);
        add(last * block..nodes.end);
        for (r, slot) in sum.iter_mut().enumerate() {
            let inside = self.mix[last * rows + r].wrapping_sub(self.mix[first * rows + r]);
            *slot = slot.wrapping_add(inside);
        }
        sum
    }

    /// The blocks by row and time.
    pub(crate) fn blocks(&self) -> Blocks<'_> {
        Blocks {
            order: &self.order,
            borders: &self.borders,
            reach: &self.reach,
            start: &self.start,
            end: &self.end,
        }
    }

    /// Rows of the timeline: the workers, and one more when collapsed nodes were run by several.
    pub fn rows(&self) -> usize {
        let several = !self.blocks().row(self.workers()).is_empty();
        self.workers() + usize::from(several)
    }

    /// What each row did in a window of time: all intervals when there are at most `max_intervals`, else cells, at most
    /// about `max_cells` per row.
    pub fn timeline(&self, from: i64, to: i64, max_cells: usize, max_intervals: usize) -> Timeline {
        let (from, to) = self.clamp(from, to);
        let blocks = self.blocks();
        let rows = self.rows();
        let in_window: Vec<InWindow<'_>> = (0..rows).map(|r| blocks.in_window(r, from, to)).collect();
        if in_window.iter().map(InWindow::len).sum::<usize>() <= max_intervals {
            let list = in_window.iter().enumerate().flat_map(|(r, blocks)| {
                blocks.iter().map(move |i| Interval {
                    worker: r as u32,
                    node: NodeId(i),
                    start: self.start[i as usize],
                    end: self.end[i as usize],
                })
            });
            return Timeline::Intervals(list.collect());
        }
        let grid = self.summary.cells;
        let width = (to - from).div_euclid(max_cells.max(1) as i64).max(1);
        let cell = (width as u64).next_power_of_two() as i64;
        let first = from.div_euclid(cell);
        let count = ((to - 1).div_euclid(cell) - first + 1) as usize;
        let mut cells = Cells {
            from: first * cell,
            cell,
            count,
            busy: vec![0; rows * count],
            top: vec![NONE; rows * count],
        };
        let level = grid.level_for(cell);
        if grid.cell << level == cell {
            let stored = grid.count(level);
            for r in 0..rows {
                let at = grid.offset(level) + r * stored + first as usize;
                let n = count.min(stored.saturating_sub(first as usize));
                cells.busy[r * count..][..n].copy_from_slice(&self.cell_busy[at..at + n]);
                cells.top[r * count..][..n].copy_from_slice(&self.cell_top[at..at + n]);
            }
            return Timeline::Cells(cells);
        }
        for (r, (busy, top)) in cells.busy.chunks_mut(count).zip(cells.top.chunks_mut(count)).enumerate() {
            // All of the first and the last cell, so that a cell is the same in every window.
            let whole = blocks.in_window(r, first * cell, (first + count as i64) * cell);
            let mut row = RowCells::new((first * cell, cell), busy, top);
            for (at, i) in whole.iter().enumerate() {
                let times = (self.start[i as usize], self.end[i as usize]);
                row.add(at, i, times, self.own_work(i as usize));
            }
        }
        Timeline::Cells(cells)
    }

    fn clamp(&self, from: i64, to: i64) -> (i64, i64) {
        let elapsed = self.summary.elapsed.max(1);
        let from = from.clamp(0, elapsed - 1);
        (from, to.clamp(from + 1, elapsed))
    }

    /// Mean parallelism over a window in cells of time, at most about `max_cells`. In cells finer than the run keeps,
    /// `running` is exact for every run, and so is `ready` in a run of up to [`Tasks::EXACT`] intervals; in a larger one
    /// it is the mean over the finest cell kept, a millionth of the run.
    pub fn profile(&self, from: i64, to: i64, max_cells: usize) -> Profile {
        let (from, to) = self.clamp(from, to);
        let grid = self.summary.bins;
        let width = ((to - from) / max_cells.max(1) as i64).max(1);
        let cell = (width as u64).next_power_of_two() as i64;
        if cell < grid.cell {
            return self.fine_profile(from, to, cell);
        }
        let level = grid.level_for(cell);
        let cell = grid.cell << level;
        let stored = grid.count(level);
        let first = ((from / cell) as usize).min(stored.saturating_sub(1));
        let last = (((to - 1) / cell) as usize).min(stored.saturating_sub(1));
        let layer = |layer: usize| -> Vec<f64> {
            let at = grid.offset(level) + layer * stored;
            self.bins[at + first..=at + last]
                .iter()
                .enumerate()
                .map(|(k, &integral)| integral as f64 / self.width((first + k) as i64 * cell, cell) as f64)
                .collect()
        };
        Profile {
            from: first as i64 * cell,
            cell,
            running: layer(0),
            ready: std::array::from_fn(|edge| layer(1 + edge)),
        }
    }

    /// Up to this many intervals the exact profile is made once and kept.
    pub const EXACT: usize = 1 << 16;

    /// The width of a cell within the run: the last one may be cut short by its end.
    fn width(&self, left: i64, cell: i64) -> i64 {
        cell.min(self.summary.elapsed - left).max(1)
    }

    /// A profile in cells finer than those that the run keeps.
    fn fine_profile(&self, from: i64, to: i64, cell: i64) -> Profile {
        let first = from / cell * cell;
        let count = ((to - 1) / cell - from / cell + 1) as usize;
        if self.order.len() <= Self::EXACT {
            let steps = self.exact_steps.get_or_init(|| self.exact_profile());
            return mean_steps(steps, first, cell, count, |left| self.width(left, cell));
        }
        let mut running = vec![0.0; count];
        let width = count as i64 * cell;
        if let Timeline::Cells(cells) = self.timeline(first, first + width, count, 0) {
            for row in cells.busy.chunks(cells.count.max(1)) {
                for (k, (mean, &busy)) in running.iter_mut().zip(row).enumerate() {
                    *mean += busy as f64 / self.width(first + k as i64 * cell, cell) as f64;
                }
            }
        }
        let grid = self.summary.bins;
        let layer = |edge: usize| -> Vec<f64> {
            let at = (1 + edge) * grid.count(0);
            let mean = |left: i64| {
                let bin = left / grid.cell;
                self.bins[at + bin as usize] as f64 / self.width(bin * grid.cell, grid.cell) as f64
            };
            (0..count as i64).map(|k| mean(first + k * cell)).collect()
        };
        Profile { from: first, cell, running, ready: std::array::from_fn(layer) }
    }

    /// Time between consecutive intervals of this node's spine.
    pub fn gaps(&self, node: NodeId) -> GapHistogram {
        let dag = self.dag();
        let mut gaps = GapHistogram::empty();
        let mut before: Option<NodeId> = None;
        for child in self.tree().children(node).filter(|&c| self.kind(c) != Kind::Task) {
            if let Some(before) = before {
                let (exit, to) = (dag.exit(before), dag.first_block(child));
                gaps.add(self.start(to).saturating_sub(exit.at), self.worker(exit.block) != self.worker(to));
            }
            before = Some(child);
        }
        gaps.trimmed()
    }
}
