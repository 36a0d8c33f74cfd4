//! What can be asked for.

use std::fmt;
use std::str::FromStr;

use crate::error::SynthError;
use crate::shape::{self, Shape, Use};

/// The most nodes that a tree can have: the largest two ids are left free as marks.
const MAX_NODES: u64 = u32::MAX as u64 - 1;
/// The most workers: a run counts migrations from every worker to every other.
const MAX_WORKERS: usize = 1_024;

/// The programs that can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShapeName {
    /// Binary recursion in the golden ratio.
    Fib,
    /// Random branching, depth, nesting and work.
    Random,
    /// One section with very many tasks: a serial spawn loop.
    Wide,
    /// One task with very many small sections, one after the other.
    Chain,
    /// Every task creates one task and waits for it: as deep as can be.
    Deep,
    /// Every section has one task that is much larger than its siblings.
    Skewed,
    /// Merge sort with a serial copy at the end of each merge.
    Sort,
}

impl ShapeName {
    /// All of them.
    pub const ALL: [ShapeName; 7] = [
        ShapeName::Fib,
        ShapeName::Random,
        ShapeName::Wide,
        ShapeName::Chain,
        ShapeName::Deep,
        ShapeName::Skewed,
        ShapeName::Sort,
    ];

    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            ShapeName::Fib => "fib",
            ShapeName::Random => "random",
            ShapeName::Wide => "wide",
            ShapeName::Chain => "chain",
            ShapeName::Deep => "deep",
            ShapeName::Skewed => "skewed",
            ShapeName::Sort => "sort",
        }
    }

    /// What it is, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            ShapeName::Fib => "binary recursion",
            ShapeName::Random => "random branching, depth, nesting and work",
            ShapeName::Wide => "one section with very many tasks: a serial spawn loop",
            ShapeName::Chain => "one task with very many fork-joins, one after the other",
            ShapeName::Deep => "every task creates one task and waits for it",
            ShapeName::Skewed => "one task of each section is much larger than its siblings",
            ShapeName::Sort => "merge sort with a serial copy after each merge",
        }
    }
}

impl fmt::Display for ShapeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for ShapeName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        ShapeName::ALL.into_iter().find(|shape| shape.word() == text).ok_or_else(|| {
            format!("no shape `{text}`; there are {}", ShapeName::ALL.map(ShapeName::word).join(", "))
        })
    }
}

/// What a worker does when it has created a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// It goes on with its own task; the new one can be stolen (OpenMP, TBB).
    HelpFirst,
    /// It runs the new task; the rest of its own can be stolen (Cilk).
    WorkFirst,
}

impl Policy {
    /// All of them.
    pub const ALL: [Policy; 2] = [Policy::HelpFirst, Policy::WorkFirst];

    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Policy::HelpFirst => "help-first",
            Policy::WorkFirst => "work-first",
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Policy::ALL.into_iter().find(|policy| policy.word() == text).ok_or_else(|| {
            format!("no policy `{text}`; there are {}", Policy::ALL.map(Policy::word).join(", "))
        })
    }
}

/// A wish for a run of tasks. Equal options make equal runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The program.
    pub shape: ShapeName,
    /// Number of nodes; the run has the nearest number that the shape allows.
    pub nodes: u64,
    /// Number of workers; worker i runs on core i.
    pub workers: usize,
    /// Where chance starts: the work of each interval, the victims of thieves, the shape of `random`.
    pub seed: u64,
    /// What a worker does when it has created a task.
    pub policy: Policy,
    /// Work of a leaf task, in nanoseconds; other intervals are in proportion.
    pub grain: u32,
    /// By how many percent the work of an interval may be more or less.
    pub jitter: u32,
    /// Time to create a task, in nanoseconds.
    pub create: u32,
    /// Time to steal, in nanoseconds, whether it succeeds or not.
    pub steal: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            shape: ShapeName::Fib,
            nodes: 1_000_000,
            workers: 8,
            seed: 1,
            policy: Policy::HelpFirst,
            grain: 4_000,
            jitter: 50,
            create: 100,
            steal: 1_000,
        }
    }
}

impl Options {
    /// The number of nodes that the run will have; an error when it cannot be made.
    pub fn node_count(&self) -> Result<u64, SynthError> {
        struct Count;
        impl Use for Count {
            type Output = u64;
            fn with<S: Shape>(self, shape: S) -> u64 {
                u64::from(shape.size(shape.root()))
            }
        }
        self.check()?;
        Ok(shape::choose(self, Count))
    }

    pub(crate) fn check(&self) -> Result<(), SynthError> {
        if self.nodes == 0 {
            return Err(SynthError::NoNodes);
        }
        if self.nodes > MAX_NODES {
            return Err(SynthError::TooManyNodes { asked: self.nodes, limit: MAX_NODES });
        }
        if !(1..=MAX_WORKERS).contains(&self.workers) {
            return Err(SynthError::Workers { asked: self.workers, limit: MAX_WORKERS });
        }
        if self.jitter > 100 {
            return Err(SynthError::Jitter(self.jitter));
        }
        Ok(())
    }
}
