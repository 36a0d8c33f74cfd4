//! The timeline: what each row did in a window of time. Few intervals come as they are; many come as cells on a grid of
//! powers of two, each with its exact busy time and the node that fills most of it, the first of equal ones.

use crosscut_run::tasks::TaskWriter;
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

/// The block that fills most of a cell so far: its overlap, and its place in the order of the row.
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
    let first = ((start - from) >> shift).max(0);
    let last = ((end - 1 - from) >> shift).min(count as i64 - 1);
    let cells = if end > start { first..last + 1 } else { 0..0 };
    cells.map(move |k| {
        let left = from + k * cell;
        (k as usize, end.min(left + cell) - start.max(left))
    })
}

/// Adds blocks, in their order, to a row of cells that begins at `from`. `work` is a block's busy time (less than its
/// elapsed time when it was collapsed); it is spread evenly and rounded so that any cells that cover it add up to it.
pub fn fill_row(
    blocks: impl Iterator<Item = u32>,
    (start, end): (&[i64], &[i64]),
    work: impl Fn(u32) -> i64,
    (from, cell): (i64, i64),
    busy: &mut [i64],
    top: &mut [u32],
    best: &mut Vec<Best>,
) {
    best.clear();
    best.resize(busy.len(), NO_BEST);
    for (at, i) in blocks.enumerate() {
        let (s, e) = (start[i as usize], end[i as usize]);
        let (work, elapsed) = (work(i), e - s);
        let until = |t: i64| (i128::from(t - s) * i128::from(work) / i128::from(elapsed)) as i64;
        for (k, overlap) in overlaps((s, e), (from, cell), busy.len()) {
            let begin = s.max(from + k as i64 * cell);
            busy[k] += if work == elapsed { overlap } else { until(begin + overlap) - until(begin) };
            if overlap > best[k].0 {
                best[k] = (overlap, at);
                top[k] = i;
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
    let (start, end) = (&tasks.start[..], &tasks.end[..]);
    let times = |at: usize| (start[blocks[at] as usize], end[blocks[at] as usize]);
    let fine = grid.count as usize;
    let range = row * fine..(row + 1) * fine;
    let mut best = Vec::new();
    let finest = (0, grid.cell);
    fill_row(
        blocks.iter().copied(),
        (start, end),
        work,
        finest,
        &mut busy[range.clone()],
        &mut top[range],
        &mut best,
    );
    // What lies in one cell of a level lies in one cell of the next; the others are few, and are looked at again.
    let crosses = |at: usize, cell: i64| {
        let (start, end) = times(at);
        end > start && (start ^ (end - 1)) >> cell.trailing_zeros() != 0
    };
    let mut crossing: Vec<usize> = (0..blocks.len()).filter(|&at| crosses(at, grid.cell)).collect();
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
        crossing.retain(|&at| crosses(at, cell));
        for (k, &(_, at)) in above.iter().enumerate() {
            let pair = from + 2 * k..(from + 2 * k + 2).min(from + fine);
            busy[to + k] = pair.map(|c| busy[c]).sum();
            top[to + k] = blocks.get(at).copied().unwrap_or(NONE);
        }
        best = above;
    }
}
