//! The timeline: what each row did in a window of time. Few intervals come as they are; many come as cells on a grid of
//! powers of two, each with its exact busy time and the node that fills most of it.

use std::cmp::Reverse;

use crosscut_run::tasks::TaskWriter;
use crosscut_tree::NodeId;

use crate::order::overlapping;
use crate::summary::Grid;

/// No node.
pub const NONE: u32 = u32::MAX;

/// What a window of time shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Timeline {
    /// Too many intervals to draw one by one.
    Cells(Cells),
    /// All intervals that overlap the window.
    Intervals(Vec<Interval>),
}

/// Rows of equal cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Where the first cell begins: a multiple of `cell`.
    pub from: i64,
    /// Width of a cell, a power of two.
    pub cell: i64,
    /// Cells per row.
    pub count: usize,
    /// Busy time, row after row.
    pub busy: Vec<i64>,
    /// The node that fills most of the cell, `u32::MAX` where there is none.
    pub top: Vec<u32>,
}

/// One interval or collapsed node on its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Row.
    pub worker: u32,
    /// The node.
    pub node: NodeId,
    /// Its start.
    pub start: i64,
    /// Its end.
    pub end: i64,
}

/// The blocks of a run by time, borrowed from columns.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    pub order: &'a [u32],
    pub borders: &'a [u64],
    pub start: &'a [i64],
    pub end: &'a [i64],
}

impl<'a> Blocks<'a> {
    /// The blocks of a row.
    pub fn row(&self, row: usize) -> &'a [u32] {
        match (self.borders.get(row), self.borders.get(row + 1)) {
            (Some(&from), Some(&to)) => self.order.get(from as usize..to as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// The blocks of a row that overlap the window.
    pub fn in_window(&self, row: usize, from: i64, to: i64) -> &'a [u32] {
        let blocks = self.row(row);
        &blocks[overlapping(blocks, self.start, self.end, from, to)]
    }
}

/// Adds blocks to a row of cells that begins at `from`. `work` is a block's busy time (less than its elapsed time when it
/// was collapsed); it is spread evenly.
pub fn fill_row(
    blocks: &[u32],
    (start, end): (&[i64], &[i64]),
    work: impl Fn(u32) -> i64,
    (from, cell): (i64, i64),
    busy: &mut [i64],
    top: &mut [u32],
    best: &mut Vec<i64>,
) {
    let count = busy.len() as i64;
    best.clear();
    best.resize(busy.len(), 0);
    for &i in blocks {
        let (s, e) = (start[i as usize], end[i as usize]);
        let first = ((s - from).div_euclid(cell)).max(0);
        let last = ((e - 1 - from).div_euclid(cell)).min(count - 1);
        let elapsed = e - s;
        let work = work(i);
        for k in first..=last {
            let left = from + k * cell;
            let overlap = e.min(left + cell) - s.max(left);
            if overlap <= 0 {
                continue;
            }
            let share = if work == elapsed {
                overlap
            } else {
                (overlap as i128 * work as i128 / elapsed as i128) as i64
            };
            busy[k as usize] += share;
            if overlap > best[k as usize] {
                best[k as usize] = overlap;
                top[k as usize] = i;
            }
        }
    }
}

/// Fills the stored cells of one row, all levels; `busy` and `top` are the columns of the whole grid.
pub fn fill_grid(
    tasks: &TaskWriter,
    grid: Grid,
    row: usize,
    blocks: &[u32],
    work: impl Fn(u32) -> i64,
    busy: &mut [i64],
    top: &mut [u32],
) {
    let fine = grid.count as usize;
    let at = row * fine;
    let mut best = Vec::new();
    fill_row(
        blocks,
        (&tasks.start, &tasks.end),
        work,
        (0, grid.cell),
        &mut busy[at..at + fine],
        &mut top[at..at + fine],
        &mut best,
    );
    for level in 1..grid.levels {
        let (fine, coarse) = (grid.count(level - 1), grid.count(level));
        let from = grid.offset(level - 1) + row * fine;
        let to = grid.offset(level) + row * coarse;
        let mut above = Vec::with_capacity(coarse);
        for k in 0..coarse {
            let pair = from + 2 * k..(from + 2 * k + 2).min(from + fine);
            let winner = pair.clone().max_by_key(|&c| (best[c - from], Reverse(c))).unwrap_or(pair.start);
            busy[to + k] = pair.clone().map(|c| busy[c]).sum();
            top[to + k] = top[winner];
            above.push(best[winner - from]);
        }
        best = above;
    }
}
