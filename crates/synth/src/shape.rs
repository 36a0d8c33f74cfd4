//! Shapes: programs whose task tree is known without being built.
//!
//! A *plan* describes one task or section in a few bytes, and the number of nodes below it is known at once. So the
//! pre-order number of every node is known before anything beside it has run, and intervals can be written in whatever
//! order the simulated workers run them.

mod chain;
mod deep;
mod fib;
mod random;
mod skewed;
mod sort;
mod wide;

use crosscut_run::{Source, Sources, SourcesBuilder};

use crate::options::{Options, ShapeName};

/// A program: how its tasks and sections are made of children.
pub trait Shape: Sync {
    /// Description of a task or a section.
    type Plan: Copy + Send;
    /// The program's file.
    const FILE: &'static str;
    /// Where its intervals run.
    const CODE: &'static [Code];

    /// The whole program.
    fn root(&self) -> Self::Plan;
    /// Whether the plan is a task; otherwise it is a section.
    fn is_task(&self, plan: Self::Plan) -> bool;
    /// Number of nodes of the plan, its own included.
    fn size(&self, plan: Self::Plan) -> u32;
    /// The child with this number in the plan, when `left` nodes of it are still to come.
    fn child(&self, plan: Self::Plan, number: u32, left: u32) -> Child<Self::Plan>;
}

/// One step of a task or section.
#[derive(Clone, Copy, Debug)]
pub enum Child<P> {
    /// An interval that ends by creating this task: two nodes, the interval and the task.
    Spawn(Step, P),
    /// An interval that ends otherwise.
    Other(Step),
    /// A section.
    Section(P),
    /// The last interval: the `end` of a task, the `wait` of a section.
    Close(Step),
}

/// An interval: how much it works, and where.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Work in percent of [`Options::grain`].
    pub work: u32,
    /// Index into [`Shape::CODE`].
    pub code: u32,
}

/// The step with this work at this line of the code.
pub const fn step(work: u32, code: u32) -> Step {
    Step { work, code }
}

/// The lines between which an interval runs.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    function: &'static str,
    from: i64,
    to: i64,
}

/// The lines of a function between which an interval runs.
const fn code(function: &'static str, from: i64, to: i64) -> Code {
    Code { function, from, to }
}

/// The sources of a shape; the site of `CODE[i]` is `i`.
pub fn sources<S: Shape>() -> Sources {
    let mut sources = SourcesBuilder::new();
    for code in S::CODE {
        let mut source = |line| {
            sources.source(Source { file: S::FILE.to_owned(), line, function: code.function.to_owned() })
        };
        let (from, to) = (source(code.from), source(code.to));
        sources.site(from, to);
    }
    sources.finish()
}

/// Something to do with a shape, whichever it is.
pub trait Use {
    /// What comes of it.
    type Output;
    /// Does it.
    fn with<S: Shape>(self, shape: S) -> Self::Output;
}

/// Does something with the shape of the options, in the size that is nearest to what they ask for.
pub fn choose<U: Use>(options: &Options, what: U) -> U::Output {
    let nodes = options.nodes;
    match options.shape {
        ShapeName::Fib => what.with(fib::Fib::nearest(nodes)),
        ShapeName::Random => what.with(random::Random::nearest(nodes, options.seed)),
        ShapeName::Wide => what.with(wide::Wide::nearest(nodes)),
        ShapeName::Chain => what.with(chain::Chain::nearest(nodes)),
        ShapeName::Deep => what.with(deep::Deep::nearest(nodes)),
        ShapeName::Skewed => what.with(skewed::Skewed::nearest(nodes)),
        ShapeName::Sort => what.with(sort::Sort::nearest(nodes)),
    }
}

/// The count for which `base + count · each` is nearest to `nodes` and still a number of nodes.
fn nearest_count(nodes: u64, base: u64, each: u64) -> u32 {
    let most = (u64::from(u32::MAX) - 1 - base) / each;
    ((nodes.saturating_sub(base) + each / 2) / each).min(most) as u32
}
