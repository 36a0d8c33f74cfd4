//! Finishing a task tree: what readers, recorders and generators all share after they have filled the columns.

use crosscut_run::tasks::{Collapsed, Kind, Mark, TaskWriter};
use crosscut_run::{ColumnMut, Places, RunWriter};
use crosscut_tree::{BLOCK, Tree, WideBuf, block_sums};
use rayon::prelude::*;

use crate::complete::{check_depends, complete, fill_spans, leaves_tasks};
use crate::dag::{Dag, Depends};
use crate::error::TasksError;
use crate::frame::NO_TAIL;
use crate::order::{fill_order, reach, row, row_borders};
use crate::profile::{LAYERS, fill_bins};
use crate::spine::{Released, spine};
use crate::summary::{Grid, Migration, Summary};
use crate::sweep::account;
use crate::timeline::{NONE, fill_grid};

/// Nodes per block of the sums by worker: wide enough that they stay small beside the tree.
pub fn mix_block(rows: usize) -> usize {
    (8 * rows).next_power_of_two().max(256)
}

/// Work of a block: its elapsed time, or what the recorder said of a collapsed node.
pub fn block_work(mark: u8, elapsed: i64, node: u32, collapsed: &[Collapsed]) -> i64 {
    if !Mark(mark).is_collapsed() {
        return elapsed;
    }
    match collapsed.binary_search_by_key(&node, |c| c.node) {
        Ok(at) => collapsed[at].work,
        Err(_) => elapsed,
    }
}

/// Completes inner nodes, adds all indexes and puts the task tree with its places into the run. The number of workers
/// that delay and no-work are counted for is the fact `workers` if the reader has set it, else that of the places.
pub fn finish(run: &mut RunWriter, mut tasks: TaskWriter, places: &Places) -> Result<(), TasksError> {
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
    let wide = WideBuf::build(&tasks.len, &tasks.parent);
    let depth = complete(&mut tasks, places, wide.view())?;
    let frames = check_depends(&tasks)?;
    let (to, from): (Vec<u32>, Vec<u32>) = tasks.depends.iter().map(|d| (d.to, d.from)).unzip();
    let depends = Depends { to: &to, from: &from };
    let mut tail: Option<ColumnMut<i64>> =
        if leaves_tasks(&tasks) { Some(run.column("tasks/tail", n)?) } else { None };
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

    // In time. The sweep is one long merge: it runs beside everything that goes node by node.
    let borders = row_borders(&tasks, places);
    let mut order = run.column::<u32>("tasks/order", borders[borders.len() - 1])?;
    let (_, found) =
        rayon::join(|| fill_order(&tasks, places, &borders, &mut order), || spine(&tasks, &dag, places));
    let (accounting, summary) = rayon::join(
        || account(&tasks, workers as i64, &order, &borders, &found.released),
        || put_indexes(run, &tasks, places, (&order, &borders), &found.released),
    );
    let mut summary = summary?;
    summary.span = tail.iter().fold(summary.span, |span, tail| span.max(tail[0]));
    summary.workers = workers as u32;
    summary.depth = depth as u32;
    summary.delay = accounting.delay;
    summary.no_work = accounting.no_work;
    let migrations = found.migrations();
    for migration in &migrations {
        for (sum, count) in summary.edges.iter_mut().zip(migration.counts) {
            *sum += count;
        }
    }
    let values: Vec<i64> = migrations.iter().flat_map(Migration::values).collect();
    run.put_slice("tasks/migrations", &values)?;
    summary.gaps = found.gaps.trimmed();
    let json = serde_json::to_value(&summary).map_err(|e| TasksError::Broken(e.to_string()))?;
    run.manifest().facts.insert("tasks".into(), json);
    let borders: Vec<i64> = borders.iter().map(|&b| b as i64).collect();
    run.put_slice("tasks/order_first", &borders)?;
    run.put_slice("tasks/wide_node", &wide.node)?;
    run.put_slice("tasks/wide_count", &wide.count)?;
    run.put_slice("tasks/wide_first", &wide.first)?;
    run.put_slice("tasks/wide_skip", &wide.skip)?;
    run.put_slice("tasks/depend_frame", &frames)?;
    run.put(order)?;
    if let Some(mut tail) = tail {
        tail.iter_mut().filter(|tail| **tail == NO_TAIL).for_each(|tail| *tail = 0);
        run.put(tail)?;
    }
    for (name, column) in &tasks.counters {
        let sums = block_sums(n, |i| column[i]);
        run.put_slice(&format!("tasks/sum_counter_{}", name.replace('-', "_")), &sums)?;
    }
    let counters: Vec<&str> = tasks.counters.iter().map(|(name, _)| name.as_str()).collect();
    if !counters.is_empty() {
        run.manifest().facts.insert("counters".into(), counters.into());
    }
    tasks.put(run)?;
    run.put_places(places)?;
    Ok(())
}

/// Writes the sums per block of nodes and the grids of time; returns the totals that come out on the way.
fn put_indexes(
    run: &mut RunWriter,
    tasks: &TaskWriter,
    places: &Places,
    (order, borders): (&[u32], &[usize]),
    released: &Released,
) -> Result<Summary, TasksError> {
    let n = tasks.node_count();
    let rows = places.worker_count() + 1;
    let (len, mark, start, end) = (&tasks.len[..], &tasks.mark[..], &tasks.start[..], &tasks.end[..]);
    let work_of = |i: usize| match len[i] {
        1 => block_work(mark[i], end[i] - start[i], i as u32, &tasks.collapsed),
        _ => 0,
    };
    let sums = node_sums(tasks, work_of);
    let work = sums.total[0];
    run.put_slice("tasks/sum_work", &sums.column(0))?;
    let mut counts = [0; Kind::LEAVES.len()];
    for (k, kind) in Kind::LEAVES.into_iter().enumerate() {
        counts[k] = sums.total[1 + k];
        run.put_slice(&format!("tasks/sum_{}", kind.word()), &sums.column(1 + k))?;
    }
    let mut busy_by_row = put_mix(run, tasks, places, work_of)?;
    busy_by_row.truncate(rows - 1);

    run.put_slice("tasks/reach", &reach(order, end))?;
    let elapsed = end[0];
    let blocks = order.len();
    let cells = Grid::over(elapsed, (blocks / (16 * rows)).clamp(256, 1 << 22), rows);
    let mut busy = run.column::<i64>("tasks/cell_busy", cells.len())?;
    let mut top = run.column::<u32>("tasks/cell_top", cells.len())?;
    top.fill(NONE);
    for r in 0..rows {
        let blocks = &order[borders[r]..borders[r + 1]];
        fill_grid(tasks, cells, r, blocks, |i| work_of(i as usize), &mut busy, &mut top);
    }
    run.put(busy)?;
    run.put(top)?;
    let bins = Grid::over(elapsed, (blocks / 16).clamp(1 << 12, 1 << 20), LAYERS);
    let mut column = run.column::<i64>("tasks/bins", bins.len())?;
    fill_bins(tasks, released, bins, &mut column);
    let mut ready = [0; 5];
    for (edge, sum) in ready.iter_mut().enumerate() {
        let at = (1 + edge) * bins.count as usize;
        *sum = column[at..at + bins.count as usize].iter().sum();
    }
    run.put(column)?;

    let intervals = counts.iter().sum::<i64>();
    Ok(Summary {
        tasks: counts[Kind::Create as usize],
        intervals,
        nodes: n as u32,
        dag_nodes: n as i64 + tasks.collapsed.iter().map(|c| hidden(c, mark[c.node as usize])).sum::<i64>(),
        elapsed,
        work,
        span: tasks.span[0],
        counts,
        ready,
        busy: busy_by_row,
        intervals_by_worker: borders.windows(2).take(rows - 1).map(|b| (b[1] - b[0]) as i64).collect(),
        cells,
        bins,
        ..Summary::default()
    })
}

/// Work, and intervals by kind: what is summed up over nodes.
const SUMS: usize = 1 + Kind::LEAVES.len();

/// Cumulative sums at the borders of blocks, and after the last node.
struct NodeSums {
    before: Vec<[i64; SUMS]>,
    total: [i64; SUMS],
}

impl NodeSums {
    fn column(&self, k: usize) -> Vec<i64> {
        self.before.iter().chain([&self.total]).map(|sums| sums[k]).collect()
    }
}

/// Sums up all values in one pass over the nodes.
fn node_sums(tasks: &TaskWriter, work_of: impl Fn(usize) -> i64 + Sync) -> NodeSums {
    let n = tasks.node_count();
    let mark = &tasks.mark[..];
    let of_block = |b: usize| {
        let mut sums = [0i64; SUMS];
        let nodes = b * BLOCK..((b + 1) * BLOCK).min(n);
        for (i, m) in nodes.clone().zip(mark[nodes].iter().map(|&m| Mark(m))) {
            sums[0] = sums[0].wrapping_add(work_of(i));
            if !m.is_collapsed() {
                if let Some(leaf) = m.kind().leaf() {
                    sums[1 + leaf] += 1;
                }
            } else if let Ok(at) = tasks.collapsed.binary_search_by_key(&(i as u32), |c| c.node) {
                for (sum, count) in sums[1..].iter_mut().zip(tasks.collapsed[at].nodes) {
                    *sum = sum.wrapping_add(count);
                }
            }
        }
        sums
    };
    let mut before: Vec<[i64; SUMS]> =
        (0..n.div_ceil(BLOCK)).into_par_iter().with_min_len(64).map(of_block).collect();
    let mut total = [0; SUMS];
    for block in &mut before {
        let sums = std::mem::replace(block, total);
        for (sum, own) in total.iter_mut().zip(sums) {
            *sum = sum.wrapping_add(own);
        }
    }
    NodeSums { before, total }
}

/// Nodes below a collapsed one: its intervals, a section for each wait, a task for each create.
fn hidden(collapsed: &Collapsed, mark: u8) -> i64 {
    let [creates, waits, ..] = collapsed.nodes;
    let itself = i64::from(Mark(mark).kind() == Kind::Section);
    collapsed.nodes.iter().sum::<i64>() + waits + creates - itself
}

/// Writes the cumulative work by row at block borders; returns the totals.
fn put_mix(
    run: &mut RunWriter,
    tasks: &TaskWriter,
    places: &Places,
    work_of: impl Fn(usize) -> i64,
) -> Result<Vec<i64>, TasksError> {
    let n = tasks.node_count();
    let rows = places.worker_count() + 1;
    let block = mix_block(rows);
    let mut column = run.column::<i64>("tasks/mix", (n / block + 1) * rows)?;
    let mut sum = vec![0; rows];
    for i in 0..n {
        if i % block == 0 {
            column[i / block * rows..][..rows].copy_from_slice(&sum);
        }
        let work = work_of(i);
        if work != 0 {
            sum[row(places, tasks.place[i])] += work;
        }
    }
    if n.is_multiple_of(block) {
        column[n / block * rows..][..rows].copy_from_slice(&sum);
    }
    run.put(column)?;
    Ok(sum)
}
