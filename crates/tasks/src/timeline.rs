//! The timeline: what each row did in a window of time. Few intervals come as they are; many come as cells on a grid of
//! powers of two, each with its exact busy time and the node that fills most of it, the first of equal ones.

use crosscut_tree::NodeId;

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

/// The block that fills most of a cell so far: its overlap, and its position in the order of the row.
pub type Best = (i64, usize);
const NO_BEST: Best = (0, usize::MAX);

/// Of equal ones the first in the order stays.
fn better(a: Best, b: Best) -> Best {
    if (b.0, std::cmp::Reverse(b.1)) > (a.0, std::cmp::Reverse(a.1)) { b } else { a }
}

/// The cells, from number 0 to `count`, that a block overlaps, each with its overlap.
fn overlaps(
    (start, end): (i64, i64),
    (from, cell): (i64, i64),
    count: usize,
) -> impl Iterator<Item = (usize, i64)> {
    // Cells are powers of two, and a division takes longer than all the rest.
    let shift = cell.trailing_zeros();
    let first = (start.saturating_sub(from) >> shift).max(0);
    let last = (end.saturating_sub(1).saturating_sub(from) >> shift).min(count as i64 - 1);
    let cells = if end > start { first..last + 1 } else { 0..0 };
    cells.map(move |k| {
        let left = from + k * cell;
        (k as usize, end.min(left + cell) - start.max(left))
    })
}

/// A row of cells that is being filled.
pub struct RowCells<'a> {
    /// Where the first one begins, and how wide each is.
    from: i64,
    cell: i64,
    busy: &'a mut [i64],
    top: &'a mut [u32],
    best: Vec<Best>,
}

impl<'a> RowCells<'a> {
    pub fn new((from, cell): (i64, i64), busy: &'a mut [i64], top: &'a mut [u32]) -> Self {
        let best = vec![NO_BEST; busy.len()];
        RowCells { from, cell, busy, top, best }
    }

    /// Adds the block that is at this position in the order of the row. `work` is its busy time (less than its elapsed time
    /// when it was collapsed); it is spread evenly and rounded so that any cells that cover it add up to it.
    #[inline]
    pub fn add(&mut self, at: usize, node: u32, (start, end): (i64, i64), work: i64) {
        let elapsed = end.saturating_sub(start);
        let until = |t: i64| {
            let passed = i128::from(t) - i128::from(start);
            (passed * i128::from(work) / i128::from(elapsed.max(1))) as i64
        };
        for (k, overlap) in overlaps((start, end), (self.from, self.cell), self.busy.len()) {
            let begin = start.max(self.from + k as i64 * self.cell);
            let busy =
                if work == elapsed { overlap } else { until(begin + overlap).wrapping_sub(until(begin)) };
            self.busy[k] = self.busy[k].wrapping_add(busy);
            if overlap > self.best[k].0 {
                self.best[k] = (overlap, at);
                self.top[k] = node;
            }
        }
    }
}

impl RowCells<'_> {
    /// Adds an interval that lies in one cell.
    #[inline]
    fn add_inside(&mut self, at: usize, node: u32, k: usize, length: i64) {
        if let (Some(busy), Some(best)) = (self.busy.get_mut(k), self.best.get_mut(k)) {
            *busy += length;
            if length > best.0 {
                *best = (length, at);
                self.top[k] = node;
            }
        }
    }
}

/// The stored cells of one row that are being filled.
pub struct GridRow<'a> {
    finest: RowCells<'a>,
    /// Blocks that lie in several cells, by their position in the order of the row.
    crossing: Vec<usize>,
}

/// Whether a block lies in several cells.
#[inline]
fn crosses((start, end): (i64, i64), cell: i64) -> bool {
    end > start && (start ^ (end - 1)) >> cell.trailing_zeros() != 0
}

impl<'a> GridRow<'a> {
    /// All rows of the finest level; `busy` and `top` are the columns of the whole grid.
    pub fn rows(grid: Grid, busy: &'a mut [i64], top: &'a mut [u32]) -> Vec<Self> {
        let fine = grid.count as usize;
        let rows = busy.chunks_mut(fine).zip(top.chunks_mut(fine)).take(grid.rows as usize);
        let row = |(busy, top)| RowCells::new((0, grid.cell), busy, top);
        rows.map(|columns| GridRow { finest: row(columns), crossing: Vec::new() }).collect()
    }

    /// Adds the next block of the row, an interval: nearly all lie in one cell.
    #[inline]
    pub fn add(&mut self, at: usize, node: u32, times: (i64, i64)) {
        let (start, end) = times;
        if end <= start {
            return;
        }
        if start < 0 || crosses(times, self.finest.cell) {
            return self.add_collapsed(at, node, times, end - start);
        }
        self.finest.add_inside(at, node, (start >> self.finest.cell.trailing_zeros()) as usize, end - start);
    }

    /// Adds the next block of the row, a node that was busy for less than it took; see [`RowCells::add`].
    pub fn add_collapsed(&mut self, at: usize, node: u32, times: (i64, i64), work: i64) {
        self.finest.add(at, node, times, work);
        if crosses(times, self.finest.cell) {
            self.crossing.push(at);
        }
    }

    /// What the coarser levels are made of.
    pub fn into_parts(self) -> (Vec<Best>, Vec<usize>) {
        (self.finest.best, self.crossing)
    }
}

/// Fills the coarser cells of one row from the finest; `busy` and `top` are the columns of the whole grid.
pub fn fill_levels(
    (best, crossing): (Vec<Best>, Vec<usize>),
    grid: Grid,
    row: usize,
    blocks: &[u32],
    (start, end): (&[i64], &[i64]),
    busy: &mut [i64],
    top: &mut [u32],
) {
    let times = |at: usize| (start[blocks[at] as usize], end[blocks[at] as usize]);
    let (mut best, mut crossing) = (best, crossing);
    // What lies in one cell of a level lies in one cell of the next; the others are few, and are looked at again.
    for level in 1..grid.levels {
        let (fine, coarse) = (grid.count(level - 1), grid.count(level));
        let from = grid.offset(level - 1) + row * fine;
        let to = grid.offset(level) + row * coarse;
        let mut above: Vec<Best> =
            best.chunks(2).map(|pair| pair.iter().fold(NO_BEST, |a, &b| better(a, b))).collect();
        let cell = grid.cell << level;
        for &at in &crossing {
            for (k, overlap) in overlaps(times(at), (0, cell), coarse) {
                above[k] = better(above[k], (overlap, at));
            }
        }
        crossing.retain(|&at| crosses(times(at), cell));
        for (k, &(_, at)) in above.iter().enumerate() {
            let pair = from + 2 * k..(from + 2 * k + 2).min(from + fine);
            busy[to + k] = pair.map(|c| busy[c]).sum();
            top[to + k] = blocks.get(at).copied().unwrap_or(NONE);
        }
        best = above;
    }
}
