//! Words about the grain graph: one grain or group, the problems of a run, the table of grains.

use serde::Serialize;
use ts_rs::TS;

use super::{Crumb, Fact, MixPart};

/// Answer to [`Op::Grain`].
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct GrainAnswer {
    /// The node of the grain graph.
    pub node: u32,
    /// Its node in the task tree.
    pub task: u32,
    /// "task", "lane", "program", "chunk", "folded tasks", "linear group", "fork-join group".
    pub kind: String,
    /// One line that names it.
    pub title: String,
    /// The groups around it from the root, for the breadcrumbs.
    pub path: Vec<Crumb>,
    /// Metrics in the order to show them.
    pub facts: Vec<Fact>,
    /// Every problem that the run can tell.
    pub problems: Vec<ProblemValue>,
    /// The first members, those with most work first.
    pub members: Vec<Member>,
    /// How many members there are.
    pub member_count: f64,
    /// How many are like it.
    pub alike: Alike,
    /// Tasks, lanes and chunks in its node of the task tree, all below it among them: what a prediction for it includes.
    pub includes: f64,
    /// The node of the task tree that created it, when that is not where it is drawn.
    pub creator: Option<Crumb>,
    /// What it depends on beside what the graph shows as its fork: nodes of the grain graph.
    pub after: Vec<Crumb>,
    /// Source position where it began and ended ("file:line", or the function where the line is not known).
    pub source: (Option<String>, Option<String>),
    /// The lines around where it began, if the file can be read.
    pub code: Option<Code>,
    /// First start and last end.
    pub time: (f64, f64),
    /// Workers that ran it with their share of its work, largest first.
    pub mix: Vec<MixPart>,
    /// On the critical path of the grain graph.
    pub critical: bool,
    /// Previous and next sibling.
    pub siblings: (Option<u32>, Option<u32>),
    /// The recorder folded its inside.
    pub collapsed: bool,
}

/// What a problem's metric says about a node.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct ProblemValue {
    /// The problem's word.
    pub problem: String,
    /// The metric that decides, in words.
    pub metric: String,
    /// Its value; of a group the worst. Absent where it has no meaning.
    pub value: Option<f64>,
    /// Where the problem begins.
    pub threshold: f64,
    /// Small values are bad.
    pub below: bool,
    /// The grain has the problem, or a grain of the group.
    pub has: bool,
    /// How many grains of the node have it.
    pub grains: f64,
}

/// A member of a group.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Member {
    /// The node.
    pub node: u32,
    /// What it is.
    pub kind: String,
    /// A short name.
    pub title: String,
    /// Its work in the clock's unit.
    pub work: f64,
    /// Grains in it.
    pub grains: f64,
    /// It has, or holds, the lens's problem.
    pub problem: bool,
}

/// How many nodes have the structure of one.
#[derive(Clone, Copy, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Alike {
    /// Of so many siblings, itself included, so many are alike: (same, of).
    pub siblings: (f64, f64),
    /// Groups of the run that are alike, itself included; 0 for a grain.
    pub groups: f64,
}

/// A few lines of a source file.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Code {
    /// The file.
    pub file: String,
    /// Number of the first line.
    pub first: u32,
    /// The lines.
    pub lines: Vec<String>,
    /// Number of the line that is meant.
    pub mark: u32,
}

/// Answer to [`Op::Problems`].
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct ProblemsAnswer {
    /// Grains of the run.
    pub grains: f64,
    /// Fork-join groups.
    pub fork_joins: f64,
    /// Nodes of the graph before reduction.
    pub raw_nodes: f64,
    /// Groups.
    pub groups: f64,
    /// Largest depth of the grain graph.
    pub depth: u32,
    /// What must be seen at most to find any grain.
    pub theta: f64,
    /// How much less that is than the whole graph, 0…1.
    pub savings: f64,
    /// Work that is in no grain.
    pub outside: f64,
    /// The cut that the grain view opens with, as text.
    pub cut: String,
    /// All problems, those that cost most first, those that cannot be told last.
    pub problems: Vec<ProblemRow>,
    /// Shapes that many groups have.
    pub classes: Vec<ClassRow>,
}

/// A problem of the run.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct ProblemRow {
    /// Its word.
    pub problem: String,
    /// The metric that decides, in words.
    pub metric: String,
    /// Small values are bad.
    pub below: bool,
    /// Where it begins.
    pub threshold: f64,
    /// Where it begins when nobody says otherwise.
    pub default: f64,
    /// Sensible ends for a slider.
    pub range: (f64, f64),
    /// The run knows what it takes to tell it.
    pub available: bool,
    /// What is missing and what to do, when not.
    pub why: Option<String>,
    /// Grains that have it.
    pub grains: f64,
    /// Share of all work that is in these grains, 0…1.
    pub work: f64,
    /// Time that it costs, summed over workers, in the clock's unit; 0 where that cannot be told.
    pub time_lost: f64,
    /// What must be seen at most to find any grain that has it.
    pub theta: f64,
    /// How much less that is than the whole graph, 0…1.
    pub savings: f64,
    /// What to try.
    pub advice: String,
    /// The grains that cost most.
    pub worst: Vec<WorstGrain>,
}

/// A grain that costs much.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct WorstGrain {
    /// The grain.
    pub node: u32,
    /// One line that names it.
    pub title: String,
    /// Source position, if known.
    pub place: Option<String>,
    /// What it costs, in the clock's unit.
    pub cost: f64,
}

/// Groups of one shape.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct ClassRow {
    /// The first of them.
    pub node: u32,
    /// One line that names it.
    pub title: String,
    /// How many there are.
    pub count: f64,
}

/// Answer to [`Op::GrainTable`].
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct GrainTableAnswer {
    /// Rows after the filter.
    pub total: usize,
    /// The rows asked for.
    pub rows: Vec<GrainRow>,
}

/// One visible thing of the grain view, or a grain, as a row.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct GrainRow {
    /// The node; of folded siblings the first.
    pub node: u32,
    /// Depth in the grain graph.
    pub depth: u32,
    /// What it is; "others", "alike" or "more" for folded siblings.
    pub kind: String,
    /// Source position; of folded siblings how many there are.
    pub source: String,
    /// The core that it began on.
    pub core: Option<f64>,
    /// First start.
    pub start: f64,
    /// Work.
    pub work: f64,
    /// Critical path.
    pub path: Option<f64>,
    /// Parallel benefit; of a group the smallest.
    pub benefit: Option<f64>,
    /// Work balance; of a group the largest.
    pub balance: Option<f64>,
    /// Sibling scatter; of a group the largest.
    pub scatter: Option<f64>,
    /// Instantaneous parallelism; of a group the smallest.
    pub parallelism: Option<f64>,
    /// Work deviation of a grain.
    pub deviation: Option<f64>,
    /// Grains in it.
    pub grains: f64,
    /// It has, or holds, the lens's problem.
    pub problem: bool,
    /// On the critical path of the grain graph.
    pub critical: bool,
}
