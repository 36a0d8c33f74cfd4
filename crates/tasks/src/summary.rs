//! The results about a whole run that are computed once, when the run is made, and kept in its manifest.

use crate::schema::Kind;
use serde::{Deserialize, Serialize};

/// Totals of a task run. Times are in the run's clock unit and begin at 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Tasks that the program created (the root is not one).
    pub tasks: i64,
    /// Intervals, those inside collapsed nodes included.
    pub intervals: i64,
    /// P: workers that the run was configured with.
    pub workers: u32,
    /// Nodes in the tree.
    pub nodes: u32,
    /// Nodes that the tree would have if nothing had been collapsed.
    pub dag_nodes: i64,
    /// Largest depth of the tree.
    pub depth: u32,
    /// From time 0 to the last end.
    pub elapsed: i64,
    /// T1.
    pub work: i64,
    /// T∞: until the last end, also of tasks that nobody waits for.
    pub span: i64,
    /// ∫ min(ready, P − running) dt + overhead inside collapsed nodes.
    pub delay: i64,
    /// ∫ (P − running − ready)⁺ dt.
    pub no_work: i64,
    /// Intervals by kind, in the order of [`Kind::LEAVES`].
    pub counts: [i64; Kind::LEAVES.len()],
    /// Edges by kind.
    pub edges: [i64; 5],
    /// Time that intervals were ready and not running, by the kind of edge that made them ready.
    pub ready: [i64; 5],
    /// Work by worker.
    pub busy: Vec<i64>,
    /// Intervals by worker.
    pub intervals_by_worker: Vec<i64>,
    /// Edges from row to row, in the order of rows; only pairs that occur. Kept in a column of its own.
    #[serde(skip)]
    pub migrations: Vec<Migration>,
    /// Time between consecutive intervals of a spine.
    pub gaps: GapHistogram,
    /// Grid of the timeline's cells.
    pub cells: Grid,
    /// Grid of the profile's bins.
    pub bins: Grid,
}

impl Summary {
    /// Says why these totals cannot be those of a run: more work than `workers` had time for, or times below zero.
    /// `beside` is the work of folded nodes beyond their time.
    pub(crate) fn check_possible(&self, workers: usize, beside: i64) -> Result<(), String> {
        let capacity = i128::from(self.elapsed) * workers as i128;
        if i128::from(self.work) > capacity {
            let (work, elapsed) = (self.work, self.elapsed);
            return Err(format!("{work} of work in {elapsed} of time on {workers} workers"));
        }
        let totals = [
            ("work", self.work),
            ("critical path", self.span),
            // What was folded on several workers did more than it had time for on one: that much less is delay.
            ("delay", self.delay.saturating_add(beside)),
            ("no work", self.no_work),
            ("elapsed time", self.elapsed),
        ];
        match totals.iter().find(|(_, value)| *value < 0) {
            Some((name, value)) => Err(format!("{name} of {value}")),
            None => Ok(()),
        }
    }
}

/// Edges from one row to another: a row is a worker, the one after the last stands for several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Migration {
    /// Row of the interval before.
    pub from: u32,
    /// Row of the interval after.
    pub to: u32,
    /// Number of edges by [`crate::schema::Edge`].
    pub counts: [i64; 5],
}

impl Migration {
    /// Values per row of the column `tasks/migrations`: from, to, counts.
    pub(crate) const VALUES: usize = 7;

    pub(crate) fn values(&self) -> [i64; Self::VALUES] {
        let [a, b, c, d, e] = self.counts;
        [i64::from(self.from), i64::from(self.to), a, b, c, d, e]
    }

    pub(crate) fn from_values(row: &[i64]) -> Option<Self> {
        let [from, to, counts @ ..] = row else { return None };
        Some(Migration {
            from: u32::try_from(*from).ok()?,
            to: u32::try_from(*to).ok()?,
            counts: counts.try_into().ok()?,
        })
    }
}

/// A histogram over powers of two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GapHistogram {
    /// Lower border of each bin.
    pub from: Vec<i64>,
    /// Gaps after which the same worker went on.
    pub same: Vec<i64>,
    /// Gaps after which another worker went on.
    pub moved: Vec<i64>,
}

impl GapHistogram {
    pub(crate) const BINS: usize = 64;

    pub(crate) fn empty() -> Self {
        let from = (0..Self::BINS).map(|b| if b == 0 { 0 } else { 1i64 << (b - 1).min(62) }).collect();
        GapHistogram { from, same: vec![0; Self::BINS], moved: vec![0; Self::BINS] }
    }

    #[inline]
    pub(crate) fn add(&mut self, gap: i64, moved: bool) {
        let bin = (64 - gap.max(0).leading_zeros() as usize).min(Self::BINS - 1);
        let side = if moved { &mut self.moved } else { &mut self.same };
        side[bin] += 1;
    }

    pub(crate) fn merge(mut self, other: &GapHistogram) -> Self {
        for (a, b) in self.same.iter_mut().zip(&other.same) {
            *a += b;
        }
        for (a, b) in self.moved.iter_mut().zip(&other.moved) {
            *a += b;
        }
        self
    }

    /// Without the empty bins at both ends.
    pub(crate) fn trimmed(mut self) -> Self {
        let used = |h: &Self, b: usize| h.same[b] + h.moved[b] > 0;
        let bins = self.from.len();
        let first = (0..bins).find(|&b| used(&self, b)).unwrap_or(0);
        let end = (0..bins).rev().find(|&b| used(&self, b)).map_or(first, |b| b + 1);
        self.from = self.from[first..end].to_vec();
        self.same = self.same[first..end].to_vec();
        self.moved = self.moved[first..end].to_vec();
        self
    }
}

/// A pyramid of time cells: level l has cells of `cell << l`, `count(l)` of them from time 0 on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// Width of the finest cell, a power of two.
    pub cell: i64,
    /// Number of finest cells.
    pub count: u64,
    /// Number of levels.
    pub levels: u32,
    /// Rows.
    pub rows: u32,
}

impl Grid {
    /// A grid over `0..elapsed` with at most `most` cells in its finest level.
    pub(crate) fn over(elapsed: i64, most: usize, rows: usize) -> Self {
        let elapsed = elapsed.max(1);
        let cell = (elapsed as u64).div_ceil(most.max(1) as u64).next_power_of_two() as i64;
        let count = (elapsed as u64).div_ceil(cell as u64);
        // Up to the level where everything fits into one cell: no window is so wide that it needs the blocks themselves.
        let levels = 1 + count.next_power_of_two().trailing_zeros();
        Grid { cell, count, levels, rows: rows as u32 }
    }

    /// Whether it is a grid that [`Grid::over`] could have made for a run that takes `elapsed`, for `rows` rows.
    pub(crate) fn fits(&self, elapsed: i64, rows: usize) -> bool {
        self.cell.count_ones() == 1
            && self.cell > 0
            && self.rows as usize == rows
            && u64::try_from(elapsed.max(1)).is_ok_and(|e| self.count == e.div_ceil(self.cell as u64))
            && self.count < 1 << 32
            && self.levels == 1 + self.count.next_power_of_two().trailing_zeros()
            && self.levels < self.cell.leading_zeros()
    }

    /// Number of cells of a level.
    pub fn count(&self, level: u32) -> usize {
        (self.count as usize).div_ceil(1 << level.min(40))
    }

    /// Where a level begins in a column with `rows` values per cell.
    pub(crate) fn offset(&self, level: u32) -> usize {
        (0..level).map(|l| self.count(l) * self.rows as usize).sum()
    }

    /// Length of such a column.
    pub(crate) fn len(&self) -> usize {
        self.offset(self.levels)
    }

    /// The coarsest level whose cells are not wider than asked, or the finest.
    pub(crate) fn level_for(&self, width: i64) -> u32 {
        let mut level = 0;
        while level + 1 < self.levels && self.cell << (level + 1) <= width {
            level += 1;
        }
        level
    }
}
