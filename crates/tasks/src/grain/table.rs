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

/// Nobody knows where it ran.
pub const NO_CORE: u16 = u16::MAX;

/// What is known of each grain.
#[derive(Debug, Default)]
pub struct GrainTable {
    /// Its node in the task tree.
    pub task: Vec<u32>,
    /// [`super::GrainKind`] as a number.
    pub kind: Vec<u8>,
    /// Time in its own code.
    pub work: Vec<i64>,
    /// The core that it began on, or the worker where cores are not known; [`NO_CORE`] where that is not either.
    pub core: Vec<u16>,
    /// What creating and joining it cost.
    pub cost: Vec<u32>,
    /// Among the grains of its join, or the chunks of its loop; not a number where it is alone.
    pub balance: Vec<f32>,
    /// Among the grains of its join; not a number where it is alone or its core is not known.
    pub scatter: Vec<f32>,
    /// Median number of grains in progress beside it.
    pub parallelism: Vec<f32>,
    /// Share of its cycles in which it waited for memory; empty where nobody counted.
    pub stall: Vec<f32>,
}

impl GrainTable {
    pub fn with_capacity(grains: usize) -> Self {
        GrainTable {
            task: Vec::with_capacity(grains),
            kind: Vec::with_capacity(grains),
            work: Vec::with_capacity(grains),
            core: Vec::with_capacity(grains),
            cost: Vec::with_capacity(grains),
            balance: Vec::with_capacity(grains),
            scatter: Vec::with_capacity(grains),
            parallelism: Vec::new(),
            stall: Vec::new(),
        }
    }

    /// work / cost; infinite where it cost nothing.
    #[inline]
    pub fn benefit(&self, grain: usize) -> f32 {
        match self.cost[grain] {
            0 => f32::INFINITY,
            cost => (self.work[grain] as f64 / f64::from(cost)) as f32,
        }
    }

    #[inline]
    pub fn push(&mut self, task: u32, kind: super::GrainKind, work: i64, cost: u32, core: u16) {
        self.task.push(task);
        self.kind.push(kind as u8);
        self.work.push(work);
        self.core.push(core);
        self.cost.push(cost);
        self.balance.push(f32::NAN);
        self.scatter.push(f32::NAN);
    }
}

/// What is known of each group.
#[derive(Debug, Default)]
pub struct GroupTable {
    /// Its node in the task tree.
    pub task: Vec<u32>,
    /// [`super::GrainKind`] as a number.
    pub kind: Vec<u8>,
    /// Longest way through it.
    pub path: Vec<i64>,
    /// Equal for groups of equal structure.
    pub shape: Vec<u64>,
}

impl GroupTable {
    pub fn with_capacity(groups: usize) -> Self {
        GroupTable {
            task: Vec::with_capacity(groups),
            kind: Vec::with_capacity(groups),
            path: Vec::with_capacity(groups),
            shape: Vec::with_capacity(groups),
        }
    }

    #[inline]
    pub fn push(&mut self, task: u32, kind: super::GrainKind) {
        self.task.push(task);
        self.kind.push(kind as u8);
        self.path.push(0);
        self.shape.push(0);
    }

    pub fn pop(&mut self) {
        self.task.pop();
        self.kind.pop();
        self.path.pop();
        self.shape.pop();
    }
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
