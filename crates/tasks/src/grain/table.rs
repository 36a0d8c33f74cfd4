//! Columns of the aggregation tree: what is known of grains, in their order; what is known of groups, in theirs.

use std::ops::Range;

/// Where the rest of a node is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The number of a grain.
    Grain(u32),
    /// The number of a group.
    Group(u32),
}

/// A [`Slot`] in four bytes: groups have the highest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed(u32);

impl Packed {
    const GROUP: u32 = 1 << 31;

    #[inline]
    pub fn new(slot: Slot) -> Self {
        match slot {
            Slot::Grain(number) => Packed(number),
            Slot::Group(number) => Packed(number | Self::GROUP),
        }
    }

    #[inline]
    pub fn get(self) -> Slot {
        if self.0 & Self::GROUP == 0 { Slot::Grain(self.0) } else { Slot::Group(self.0 & !Self::GROUP) }
    }
}

/// Room for many values. Large columns ask for large pages: a page fault for every four kilobytes would take a fifth of the
/// time of the whole reduction.
pub fn room<T>(count: usize) -> Vec<T> {
    let column: Vec<T> = Vec::with_capacity(count);
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        const LARGE: usize = 2 << 20;
        let begin = (column.as_ptr() as usize).next_multiple_of(PAGE);
        let end = column.as_ptr() as usize + count * size_of::<T>();
        if end > begin + LARGE {
            // SAFETY: a hint about whole pages of memory that is ours; that it may be refused does not matter.
            unsafe { libc::madvise(begin as *mut libc::c_void, end - begin, libc::MADV_HUGEPAGE) };
        }
    }
    column
}

/// Nobody knows where it ran.
pub const NO_CORE: u16 = u16::MAX;

/// What is known of each grain, in rows of what is written together.
#[derive(Debug, Default)]
pub struct GrainTable {
    pub row: Vec<GrainRow>,
    /// Time in its own code.
    pub work: Vec<i64>,
    pub beside: Vec<Beside>,
    /// Median number of grains in progress beside it.
    pub parallelism: Vec<f32>,
    /// Share of its cycles in which it waited for memory; empty where nobody counted.
    pub stall: Vec<f32>,
}

/// What a grain is.
#[derive(Clone, Copy, Debug)]
pub struct GrainRow {
    /// Its node in the task tree.
    pub task: u32,
    /// What creating and joining it cost.
    pub cost: u32,
    /// The core that it began on, or the worker where cores are not known; [`NO_CORE`] where that is not either.
    pub core: u16,
    pub kind: super::GrainKind,
}

/// How a grain compares with those of its join.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// Among the grains of its join, or the chunks of its loop; not a number where it is alone.
    pub balance: f32,
    /// Among the grains of its join; not a number where it is alone or its core is not known.
    pub scatter: f32,
}

impl GrainTable {
    pub fn with_capacity(grains: usize) -> Self {
        GrainTable {
            row: room(grains),
            work: room(grains),
            beside: room(grains),
            parallelism: Vec::new(),
            stall: Vec::new(),
        }
    }

    /// work / cost; infinite where it cost nothing.
    #[inline]
    pub fn benefit(&self, grain: usize) -> f32 {
        match self.row[grain].cost {
            0 => f32::INFINITY,
            cost => self.work[grain] as f32 / cost as f32,
        }
    }

    #[inline]
    pub fn push(&mut self, row: GrainRow, work: i64) {
        self.row.push(row);
        self.work.push(work);
        self.beside.push(Beside { balance: f32::NAN, scatter: f32::NAN });
    }
}

/// What is known of each group.
#[derive(Clone, Copy, Debug)]
pub struct GroupRow {
    /// Longest way through it.
    pub path: i64,
    /// Equal for groups of equal structure.
    pub shape: u64,
    /// Its node in the task tree.
    pub task: u32,
    pub kind: super::GrainKind,
}

/// Values per block of [`Extremes`].
const BLOCK: usize = 64;

/// The worst value of any range of a column at once, from the worst of each block of it.
#[derive(Debug, Default)]
pub struct Extremes {
    block: Vec<f32>,
    largest: bool,
}

impl Extremes {
    /// Answers with the largest or smallest of `value(0..count)`.
    pub fn new(count: usize, largest: bool, value: impl Fn(usize) -> f32) -> Self {
        let ends = (0..count.div_ceil(BLOCK)).map(|b| b * BLOCK..((b + 1) * BLOCK).min(count));
        Extremes { block: ends.map(|range| worst(range.map(&value), largest)).collect(), largest }
    }

    /// The worst value of a range; not a number if there is none.
    pub fn over(&self, range: Range<usize>, value: impl Fn(usize) -> f32) -> f32 {
        let (first, last) = (range.start.div_ceil(BLOCK), range.end / BLOCK);
        if first >= last {
            return worst(range.map(value), self.largest);
        }
        let parts = [
            worst((range.start..first * BLOCK).map(&value), self.largest),
            worst(self.block[first..last].iter().copied(), self.largest),
            worst((last * BLOCK..range.end).map(&value), self.largest),
        ];
        worst(parts.into_iter(), self.largest)
    }
}

/// The largest or smallest value; those that are not numbers have no say.
fn worst(values: impl Iterator<Item = f32>, largest: bool) -> f32 {
    values.fold(f32::NAN, |a, b| if largest { a.max(b) } else { a.min(b) })
}
