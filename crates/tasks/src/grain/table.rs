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

/// A [`Slot`] in four bytes, and of a group which kind it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed(u32);

impl Packed {
    const GROUP: u32 = 1 << 31;
    const JOIN: u32 = 1 << 30;
    const NUMBER: u32 = Self::JOIN - 1;
    /// There can be no more grains than this, and no more groups.
    pub const MOST: usize = Self::JOIN as usize;

    #[inline]
    pub fn grain(number: u32) -> Self {
        Packed(number & Self::NUMBER)
    }

    #[inline]
    pub fn group(number: u32, is_join: bool) -> Self {
        Packed(number & Self::NUMBER | Self::GROUP | if is_join { Self::JOIN } else { 0 })
    }

    #[inline]
    pub fn get(self) -> Slot {
        if self.is_group() { Slot::Group(self.number()) } else { Slot::Grain(self.number()) }
    }

    /// The number among grains, or among groups.
    #[inline]
    pub fn number(self) -> u32 {
        self.0 & Self::NUMBER
    }

    #[inline]
    pub fn is_group(self) -> bool {
        self.0 & Self::GROUP != 0
    }

    /// Whether it is a fork-join.
    #[inline]
    pub fn is_join(self) -> bool {
        self.0 & Self::JOIN != 0
    }
}

/// Room for many values. Large columns ask for large pages: a page fault for every four kilobytes would take a fifth of the
/// time of the whole reduction (`report` of 10⁷ nodes: 1.08 to 1.18 times the processor's time without).
pub fn room<T>(count: usize) -> Vec<T> {
    let column = Vec::with_capacity(count);
    advise(&column);
    column
}

/// The same, filled with zeros, which costs nothing: the system gives pages of them.
pub fn zeros(count: usize) -> Vec<i64> {
    let column = vec![0; count];
    advise(&column);
    column
}

fn advise<T>(column: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        const LARGE: usize = 2 << 20;
        let begin = (column.as_ptr() as usize).next_multiple_of(PAGE);
        let end = column.as_ptr() as usize + column.capacity() * size_of::<T>();
        if end > begin + LARGE {
            // SAFETY: a hint about whole pages of memory that is ours; that it may be refused does not matter.
            unsafe { libc::madvise(begin as *mut libc::c_void, end - begin, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = column;
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
#[derive(Clone, Copy, Debug, Default)]
pub struct GroupRow {
    /// Longest way through it.
    pub path: i64,
    /// Equal for groups of equal structure.
    pub shape: u64,
}

/// Values per block of [`Extremes`].
pub const BLOCK: usize = 64;

/// The worst value of any range of a column at once, from the worst of each block of it.
#[derive(Debug, Default)]
pub struct Extremes {
    block: Vec<f32>,
    largest: bool,
}

impl Extremes {
    /// Answers with the largest or the smallest of so many values, which come block by block.
    pub fn new(count: usize, largest: bool) -> Self {
        Extremes { block: Vec::with_capacity(count.div_ceil(BLOCK)), largest }
    }

    /// Adds the next [`BLOCK`] values, or as many as are left.
    #[inline]
    pub fn push(&mut self, values: impl Iterator<Item = f32>) {
        self.block.push(worst(values, self.largest));
    }

    /// The worst of each block that a range touches: nothing in the range is worse.
    #[inline]
    pub fn around(&self, range: Range<usize>) -> impl Iterator<Item = f32> {
        self.block[range.start / BLOCK..range.end.div_ceil(BLOCK)].iter().copied()
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

/// The largest or smallest value; those that are not numbers have no say. In lanes, so that one need not wait for the
/// other.
#[inline]
fn worst(mut values: impl Iterator<Item = f32>, largest: bool) -> f32 {
    let of = |a: f32, b: f32| if largest { a.max(b) } else { a.min(b) };
    let mut lanes = [f32::NAN; 4];
    'all: loop {
        for lane in &mut lanes {
            let Some(value) = values.next() else { break 'all };
            *lane = of(*lane, value);
        }
    }
    lanes.into_iter().fold(f32::NAN, of)
}
