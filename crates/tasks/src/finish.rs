//! Finishing a task tree: what readers, recorders and generators all share after they have filled the columns.

use crate::schema::{Collapsed, Edge, Kind, Mark, TaskWriter, TimeWriter};
use crosscut_run::{ColumnMut, Places, RunWriter};
use crosscut_tree::{Tree, Wide, WideBuf, block_sums};

use crate::complete::{check_depends, fill_spans};
use crate::dag::{Dag, Depends};
use crate::error::TasksError;
use crate::frame::NO_TAIL;
use crate::grow::Grown;
use crate::order::{fill_order, row_borders};
use crate::overrun::overrun;
use crate::pass::pass;
use crate::profile::{Bins, LAYERS};
use crate::spine::{Released, spine};
use crate::summary::{Grid, Migration, Summary};
use crate::sums::{Mix, NodeSums};
use crate::sweep::{Accounting, Timed, sweep};
use crate::timeline::{GridRow, NONE, fill_levels};

/// Completes inner nodes, adds all indexes and puts the task tree with its places into the run. The number of workers
/// that delay and no-work are counted for is the fact `workers` if the reader has set it, else that of the places.
pub fn finish(run: &mut RunWriter, mut tasks: TaskWriter, places: &Places) -> Result<(), TasksError> {
    check_lists(&tasks)?;
    let grown = pass(&mut tasks, places)?;
    complete(run, tasks, places, grown)
}

/// The same for a tree that was written by [`crate::Grow`].
pub fn finish_grown(
    run: &mut RunWriter,
    tasks: TaskWriter,
    places: &Places,
    grown: Grown,
) -> Result<(), TasksError> {
    check_lists(&tasks)?;
    complete(run, tasks, places, grown)
}

/// Checks that there are nodes, and that the lists of what only few have are in order.
fn check_lists(tasks: &TaskWriter) -> Result<(), TasksError> {
    let n = tasks.node_count();
    if n == 0 {
        return Err(TasksError::Broken("it has no nodes".into()));
    }
    if !tasks.collapsed.is_sorted_by(|a, b| a.node < b.node) {
        return Err(TasksError::Broken("collapsed nodes are not in order".into()));
    }
    if !tasks.chunks.is_sorted_by(|a, b| a.node < b.node)
        || tasks.chunks.last().is_some_and(|chunk| chunk.node as usize >= n)
    {
        return Err(TasksError::Broken("chunks are not in order, or not among the nodes".into()));
    }
    tasks.beside.check(n)
}

/// Adds all indexes to a tree that is sound and whose inner nodes are complete.
fn complete(
    run: &mut RunWriter,
    mut tasks: TaskWriter,
    places: &Places,
    grown: Grown,
) -> Result<(), TasksError> {
    let n = tasks.node_count();
    let wide = WideBuf::of(Tree::new(&tasks.len, &tasks.parent, Wide::default()), grown.wide);
    let frames = check_depends((&tasks.len, &tasks.parent, &tasks.mark), &tasks.depends)?;
    let (to, from): (Vec<u32>, Vec<u32>) = tasks.depends.iter().map(|d| (d.to, d.from)).unzip();
    let depends = Depends { to: &to, from: &from };
    let mut tail: Option<ColumnMut<i64>> =
        if grown.leaves_tasks { Some(run.column("tasks/tail", n)?) } else { None };
    if tail.is_some() || !frames.is_empty() {
        fill_spans(&mut tasks, depends, &frames, tail.as_deref_mut().unwrap_or_default());
    }
    let dag = Dag {
        tree: Tree::new(&tasks.len, &tasks.parent, wide.view()),
        mark: &tasks.mark,
        end: &tasks.end,
        depends,
        tail: tail.as_deref().unwrap_or_default(),
    };
    let workers = run
        .manifest()
        .facts
        .get("workers")
        .and_then(|w| w.as_u64())
        .map_or(places.worker_count(), |w| w as usize);

    let is_plain = grown.is_plain && tail.is_none() && depends.is_empty();
    let mut found = if is_plain { grown.spine } else { spine(&tasks, &dag, places) };
    found.add_collapsed(&tasks, places);
    let borders = row_borders(&grown.blocks);
    let mut order = run.column::<u32>("tasks/order", borders[borders.len() - 1])?;
    fill_order(&tasks, grown.blocks, &mut order);

    let mut summary = put_sums(run, &grown.sums, &grown.mix)?;
    summary.nodes = n as u32;
    summary.depth = grown.depth as u32;
    summary.workers = workers as u32;
    summary.span = tail.iter().fold(tasks.span[0], |span, tail| span.max(tail[0]));
    let migrations = found.migrations();
    for migration in &migrations {
        for (sum, count) in summary.edges.iter_mut().zip(migration.counts) {
            *sum += count;
        }
    }
    let values: Vec<i64> = migrations.iter().flat_map(Migration::values).collect();
    run.put_slice("tasks/migrations", &values)?;
    summary.gaps = found.gaps.trimmed();
    run.put_slice("tasks/wide_node", &wide.node)?;
    run.put_slice("tasks/wide_count", &wide.count)?;
    run.put_slice("tasks/wide_first", &wide.first)?;
    run.put_slice("tasks/wide_skip", &wide.skip)?;
    run.put_slice("tasks/depend_frame", &frames)?;
    if let Some(mut tail) = tail {
        tail.iter_mut().filter(|tail| **tail == NO_TAIL).for_each(|tail| *tail = 0);
        run.put(tail)?;
    }
    put_counters(run, &tasks)?;

    // What is not read any more is written beside the rest.
    let (nodes, times) = tasks.split();
    let mut grids = Grids::new(run, times.end[0], borders.len() - 1, order.len())?;
    let (put, accounting) = rayon::join(
        || nodes.put(run),
        || grids.fill(&times, (&order, &borders), &found.released, workers as i64),
    );
    put?;
    summary.delay = accounting.delay;
    summary.no_work = accounting.no_work;
    summary.intervals_by_worker =
        borders.windows(2).take(borders.len() - 2).map(|b| (b[1] - b[0]) as i64).collect();
    let hidden = |c: &Collapsed| hidden(c, times.mark[c.node as usize]);
    summary.dag_nodes = n as i64 + times.collapsed.iter().map(hidden).sum::<i64>();
    grids.put(run, &mut summary)?;
    let time = |c: &Collapsed| times.end[c.node as usize] - times.start[c.node as usize];
    let beside = times.collapsed.iter().map(|c| (c.work - time(c)).max(0)).fold(0, i64::saturating_add);
    let most = places.worker_count().max(workers);
    summary
        .check_possible(most, beside)
        .map_err(|why| TasksError::Impossible { why, node: overrun(&times, most) })?;
    let borders: Vec<i64> = borders.iter().map(|&b| b as i64).collect();
    run.put_slice("tasks/order_first", &borders)?;
    run.put(order)?;
    times.put(run)?;
    let json = serde_json::to_value(&summary).map_err(|e| TasksError::Broken(e.to_string()))?;
    run.manifest().facts.insert("tasks".into(), json);
    run.manifest().cover(0, summary.elapsed);
    run.put_places(places)?;
    Ok(())
}

/// Writes the sums of what counters counted.
fn put_counters(run: &mut RunWriter, tasks: &TaskWriter) -> Result<(), TasksError> {
    for (name, column) in &tasks.counters {
        let sums = block_sums(column.len(), |i| column[i]);
        run.put_slice(&format!("tasks/sum_counter_{}", name.replace('-', "_")), &sums)?;
    }
    let counters: Vec<&str> = tasks.counters.iter().map(|(name, _)| name.as_str()).collect();
    if !counters.is_empty() {
        run.manifest().facts.insert("counters".into(), counters.into());
    }
    Ok(())
}

/// Writes the sums per block of nodes; returns the totals.
fn put_sums(run: &mut RunWriter, sums: &NodeSums, mix: &Mix) -> Result<Summary, TasksError> {
    run.put_slice("tasks/sum_work", &sums.column(0))?;
    let mut counts = [0; Kind::LEAVES.len()];
    for (k, kind) in Kind::LEAVES.into_iter().enumerate() {
        counts[k] = sums.total(1 + k);
        run.put_slice(&format!("tasks/sum_{}", kind.word()), &sums.column(1 + k))?;
    }
    run.put_slice("tasks/mix", mix.column())?;
    let (_, busy) = mix.totals().split_last().unwrap_or((&0, &[]));
    Ok(Summary {
        tasks: counts[Kind::Create as usize],
        intervals: counts.iter().sum::<i64>(),
        work: sums.total(0),
        counts,
        busy: busy.to_vec(),
        ..Summary::default()
    })
}

/// What is known by time, in the making.
struct Grids {
    elapsed: i64,
    cells: Grid,
    busy: ColumnMut<i64>,
    top: ColumnMut<u32>,
    bins: Grid,
    ready: ColumnMut<i64>,
    reach: Vec<i64>,
}

/// Finest cells of the timeline that all rows have together, however few blocks there are; no row has less than 16.
const FEWEST_CELLS: usize = 1 << 22;

impl Grids {
    fn new(run: &RunWriter, elapsed: i64, rows: usize, blocks: usize) -> Result<Self, TasksError> {
        let fewest = (FEWEST_CELLS / rows).clamp(16, 256);
        let cells = Grid::over(elapsed, (blocks / (16 * rows)).clamp(fewest, 1 << 22), rows);
        let bins = Grid::over(elapsed, (blocks / 16).clamp(1 << 12, 1 << 20), LAYERS);
        Ok(Grids {
            elapsed,
            cells,
            busy: run.column("tasks/cell_busy", cells.len())?,
            top: run.column("tasks/cell_top", cells.len())?,
            bins,
            ready: run.column("tasks/bins", bins.len())?,
            reach: Vec::new(),
        })
    }

    /// Sweeps over the run in the order of time. Returns the accounting for so many workers.
    fn fill(
        &mut self,
        times: &TimeWriter,
        (order, borders): (&[u32], &[usize]),
        released: &Released,
        workers: i64,
    ) -> Accounting {
        let (mark, start, end) = (&times.mark[..], &times.start[..], &times.end[..]);
        let (busy, top) = (&mut self.busy[..], &mut self.top[..]);
        top.fill(NONE);
        let mut cells = GridRow::rows(self.cells, busy, top);
        let timed = Timed { mark, start, end, collapsed: &times.collapsed, order, borders };
        let (grid, ready) = (self.bins, &mut self.ready[..]);
        let (accounting, reach) = sweep(timed, workers, released, &mut cells, |width| {
            Bins::new(grid, first_edge(mark), width, ready)
        });
        let cells: Vec<_> = cells.into_iter().map(GridRow::into_parts).collect();
        for (r, parts) in cells.into_iter().enumerate() {
            let blocks = &order[borders[r]..borders[r + 1]];
            fill_levels(parts, self.cells, r, blocks, (start, end), busy, top);
        }
        self.reach = reach;
        accounting
    }

    /// Takes the columns into the run; adds what the summary says of them.
    fn put(self, run: &mut RunWriter, summary: &mut Summary) -> Result<(), TasksError> {
        summary.elapsed = self.elapsed;
        summary.cells = self.cells;
        summary.bins = self.bins;
        let layer = self.bins.count as usize;
        for (edge, sum) in summary.ready.iter_mut().enumerate() {
            *sum = self.ready[(1 + edge) * layer..][..layer].iter().sum();
        }
        run.put(self.busy)?;
        run.put(self.top)?;
        run.put(self.ready)?;
        Ok(run.put_slice("tasks/reach", &self.reach)?)
    }
}

/// The kind of edge that made the first interval ready.
fn first_edge(mark: &[u8]) -> Edge {
    let is_block = |mark: &Mark| mark.is_collapsed() || !mark.kind().is_collective();
    mark.iter().map(|&mark| Mark(mark)).find(is_block).map_or(Edge::Create, Mark::edge)
}

/// Nodes below a collapsed one: its intervals, a section for each wait, a task for each create.
fn hidden(collapsed: &Collapsed, mark: u8) -> i64 {
    let [creates, waits, ..] = collapsed.nodes;
    let itself = i64::from(Mark(mark).kind() == Kind::Section);
    collapsed.nodes.iter().sum::<i64>() + waits + creates - itself
}
