//! The words between the page and the server: one JSON request per WebSocket text message, one binary answer each.
//! Requests carry the whole view state (run, cut, window): the server keeps nothing per client. `docs/api.md` tells
//! the same in prose; the TypeScript types in `ui/src/protocol` are generated from this file.

mod grain;
mod whatif;

use crosscut_scene::wire::SceneHead;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use grain::*;
pub use whatif::*;

/// A request: an id chosen by the page, echoed in the answer, and what is asked.
#[derive(Debug, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Request {
    /// Echoed in the answer.
    pub id: u32,
    /// What is asked.
    #[serde(flatten)]
    #[ts(flatten)]
    pub op: Op,
}

/// What the page can ask.
#[derive(Debug, Deserialize, TS)]
#[serde(tag = "op", rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Op {
    /// What is open here: runs, palettes, version → [`Hello`].
    Hello,
    /// The first screen of a run → [`Overview`].
    Overview {
        /// Index of the run.
        run: usize,
    },
    /// A picture → [`SceneAnswer`].
    Scene(SceneRequest),
    /// Everything about one node → [`NodeAnswer`].
    Node {
        /// Index of the run.
        run: usize,
        /// The node.
        node: u32,
    },
    /// Nodes whose source position, function or kind matches → [`SearchAnswer`].
    Search {
        /// Index of the run.
        run: usize,
        /// Words to look for, or `#123` for a node id.
        text: String,
        /// How many at most.
        limit: usize,
    },
    /// The table form of a cut → [`TableAnswer`].
    Table {
        /// Index of the run.
        run: usize,
        /// The cut, as text.
        cut: String,
        /// Column to sort by ("" = tree order).
        sort: String,
        /// Largest first.
        descending: bool,
        /// Only rows whose text matches.
        filter: String,
        /// First row.
        offset: usize,
        /// Number of rows.
        limit: usize,
    },
    /// Everything about one node of the grain graph → [`GrainAnswer`].
    Grain {
        /// Index of the run.
        run: usize,
        /// The node.
        node: u32,
        /// The problem that is looked at.
        #[serde(default)]
        lens: Option<LensRequest>,
        /// The node is one of the task tree: the grain or group that it belongs to is meant.
        #[serde(default)]
        of_task: bool,
    },
    /// All problems of a run with what they cost → [`ProblemsAnswer`].
    Problems {
        /// Index of the run.
        run: usize,
        /// Thresholds that differ from the run's own.
        #[serde(default)]
        thresholds: Vec<Threshold>,
    },
    /// The table form of the grain view → [`GrainTableAnswer`].
    GrainTable {
        /// Index of the run.
        run: usize,
        /// The cut, as text.
        #[serde(default)]
        cut: String,
        /// The problem that is looked at.
        #[serde(default)]
        lens: Option<LensRequest>,
        /// Fold groups that are alike.
        #[serde(default)]
        alike: bool,
        /// Not what is visible, but every grain that has the lens's problem.
        #[serde(default)]
        all: bool,
        /// Column to sort by ("" = tree order).
        #[serde(default)]
        sort: String,
        /// Largest first.
        #[serde(default)]
        descending: bool,
        /// Only rows whose text matches.
        #[serde(default)]
        filter: String,
        /// First row.
        #[serde(default)]
        offset: usize,
        /// Number of rows.
        limit: usize,
    },
    /// How long the run would take on other numbers of workers, or if a part of it were faster → [`WhatIfAnswer`].
    WhatIf {
        /// Index of the run.
        run: usize,
        /// Node of the task tree: it and everything in it is supposed to be faster.
        #[serde(default)]
        node: Option<u32>,
        /// So many times as fast, from 0.001 to 1,000,000; below 1 is slower. Means nothing without a node.
        #[serde(default = "unchanged")]
        faster: f64,
    },
}

/// As fast as it was.
fn unchanged() -> f64 {
    1.0
}

/// A problem that the grain view looks at: grains that have it stand out, the others are folded.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct LensRequest {
    /// Its word, such as "low-parallel-benefit".
    pub problem: String,
    /// Where it begins; the run's own threshold when absent.
    #[serde(default)]
    pub threshold: Option<f64>,
}

/// Where a problem begins.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Threshold {
    /// Its word.
    pub problem: String,
    /// The threshold.
    pub value: f64,
}

/// Which picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum ViewName {
    /// The task DAG at the cut.
    Dag,
    /// Rows by worker over the window.
    Timeline,
    /// The parallelism profile over the window.
    Profile,
    /// The aggregated grain graph at its own cut.
    Grain,
}

/// What decides a mark's colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum ColourBy {
    /// The worker that ran it.
    Worker,
    /// Create, wait, end, section, task.
    Kind,
    /// The source position.
    Source,
    /// The core it ran on.
    Core,
}

/// What decides the height of a box in the DAG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Scale {
    /// All boxes alike.
    Even,
    /// By the logarithm of the elapsed time.
    Log,
    /// By the elapsed time.
    Linear,
}

/// A change of the cut, applied before the picture is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "do", rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Action {
    /// Open this node.
    Open {
        /// The node.
        node: u32,
    },
    /// Close this node.
    Close {
        /// The node.
        node: u32,
    },
    /// Open this node and everything below, as far as the mark limit allows.
    Below {
        /// The node.
        node: u32,
        /// Stop at this many visible nodes.
        limit: usize,
    },
    /// Open everything down to this depth (0 = the root closed) and close what is deeper.
    Depth {
        /// The depth.
        depth: u32,
    },
    /// Open all ancestors of this node so that it is visible.
    Reveal {
        /// The node.
        node: u32,
    },
    /// Open along the critical path, as far as the mark limit allows.
    Critical,
    /// Show these members of a wide node (the rest is folded into "× n alike").
    Window {
        /// The node.
        node: u32,
        /// First member shown in the middle.
        first: u32,
        /// How many.
        count: u32,
    },
    /// Grain view: open to the grain that costs most under the lens; without one, under the problem that costs most.
    Worst,
    /// Grain view: open every visible group that is alike to this one the way this one is open.
    Alike {
        /// The group.
        node: u32,
    },
    /// Grain view: show the members of a fold one by one.
    Spread {
        /// The first member of the fold.
        node: u32,
    },
    /// Grain view: fold them again.
    Gather {
        /// The first member of the fold.
        node: u32,
    },
    /// Grain view: open along the group's own critical path, as far as the mark limit allows.
    Path {
        /// The group.
        node: u32,
    },
    /// Grain view: like [`Action::Reveal`] for a node of the task tree.
    RevealTask {
        /// The node of the task tree.
        node: u32,
    },
}

/// Asks for a picture.
#[derive(Clone, Debug, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct SceneRequest {
    /// Index of the run.
    pub run: usize,
    /// Which picture.
    pub view: ViewName,
    /// The cut as text ("" = the cut a run opens with).
    #[serde(default)]
    pub cut: String,
    /// A change of the cut, applied first.
    #[serde(default)]
    pub action: Option<Action>,
    /// What decides colour.
    pub colour: ColourBy,
    /// What decides the height of a box in the DAG.
    pub scale: Scale,
    /// Time window (timeline, profile) in the run's clock unit; the whole run when absent.
    #[serde(default)]
    pub window: Option<(f64, f64)>,
    /// Width of the pane in CSS pixels.
    pub width: f32,
    /// Height of the pane in CSS pixels.
    pub height: f32,
    /// Mark the critical path.
    #[serde(default)]
    pub critical: bool,
    /// Subtree that is highlighted in the timeline: everything outside of it is drawn in the muted slot.
    #[serde(default)]
    pub focus: Option<u32>,
    /// The problem that the grain view looks at.
    #[serde(default)]
    pub lens: Option<LensRequest>,
    /// Fold groups that are alike (grain view).
    #[serde(default)]
    pub alike: bool,
    /// With `critical`: mark the critical path of this group instead of that of the run (grain view).
    #[serde(default)]
    pub path_of: Option<u32>,
}

/// Answer to [`Op::Hello`].
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Hello {
    /// Version of the program.
    pub crosscut: String,
    /// The runs, in the order of the command line.
    pub runs: Vec<RunInfo>,
    /// Colours of the palette slots, as "#rrggbb".
    pub palette: Palettes,
}

/// Colours by slot. Slots 0…23 are categories; the named ones follow.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Palettes {
    /// On a light surface.
    pub light: Vec<String>,
    /// On a dark surface.
    pub dark: Vec<String>,
}

/// One run.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct RunInfo {
    /// Name of the directory without its ending.
    pub name: String,
    /// What is missing, when the run is partial.
    pub partial: Option<String>,
    /// Unit of all times: "ns" or "ticks".
    pub clock: String,
    /// First and last time of the run.
    pub time: (f64, f64),
    /// Number of nodes in the task tree.
    pub nodes: u32,
    /// Number of workers.
    pub workers: u32,
    /// The cut that a run opens with, as text.
    pub cut: String,
    /// Largest depth of the tree.
    pub depth: u32,
}

/// Answer to [`Op::Overview`].
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Overview {
    /// Where P × elapsed went.
    pub accounting: Accounting,
    /// Counted things, in the order to show them.
    pub facts: Vec<Fact>,
    /// Busy, delayed and idle time per worker.
    pub workers: Vec<WorkerRow>,
    /// Predicted speed-up by number of workers: bounds from work and span.
    pub speedup: Vec<SpeedupPoint>,
    /// The speed-up that was seen: work / elapsed.
    pub observed: f64,
    /// Transfers of control between workers by edge kind; `count[from][to]` flattened, workers × workers.
    pub migrations: Vec<Migration>,
    /// Distribution of the gap between consecutive intervals of a spine.
    pub gaps: Vec<GapBin>,
    /// Worst first.
    pub findings: Vec<Finding>,
}

/// work + delay + no_work = workers × elapsed.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Accounting {
    /// Number of workers.
    pub workers: u32,
    /// From the first start to the last end.
    pub elapsed: f64,
    /// Time in the program's own code.
    pub work: f64,
    /// Something was ready, a worker was not running it.
    pub delay: f64,
    /// Nothing was ready for an idle worker.
    pub no_work: f64,
    /// The critical path.
    pub span: f64,
}

/// A named value with its unit ("" = a count).
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Fact {
    /// What.
    pub name: String,
    /// How much.
    pub value: f64,
    /// "ns", "ticks", "" (count), "ratio", "number", "cores".
    pub unit: String,
}

/// A worker's share.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct WorkerRow {
    /// Name of the place.
    pub name: String,
    /// Palette slot.
    pub fill: u16,
    /// Time in intervals.
    pub busy: f64,
    /// Number of intervals.
    pub intervals: f64,
}

/// Bounds of the speed-up with a greedy scheduler.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct SpeedupPoint {
    /// Number of workers.
    pub workers: u32,
    /// work / (work / P + span): no greedy scheduler is slower.
    pub low: f64,
    /// min(P, work / span): nothing is faster.
    pub high: f64,
}

/// Transfers along one kind of edge.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Migration {
    /// "create", "create-cont", "wait-cont", "end", "other-cont".
    pub edge: String,
    /// workers × workers, row = from.
    pub count: Vec<f64>,
}

/// One bin of the gap distribution.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct GapBin {
    /// Lower border, in the clock's unit.
    pub from: f64,
    /// Upper border.
    pub to: f64,
    /// Gaps where the same worker went on.
    pub same: f64,
    /// Gaps where another worker went on.
    pub moved: f64,
}

/// Something that costs time, with the way to look at it.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Finding {
    /// Stable word, such as "no-work".
    pub id: String,
    /// "high", "medium" or "low".
    pub severity: String,
    /// Time lost, summed over workers, in the clock's unit.
    pub cost: f64,
    /// What was seen.
    pub what: String,
    /// What to try.
    pub advice: String,
    /// Source position, if any.
    pub place: Option<String>,
    /// The view that shows it.
    pub view: ViewName,
    /// The node to select, if any.
    pub node: Option<u32>,
    /// The time window to show, if any.
    pub window: Option<(f64, f64)>,
}

/// Answer to [`Op::Scene`]; the marks follow the JSON as columns (see `docs/api.md`).
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct SceneAnswer {
    /// The cut after the action, as text.
    pub cut: String,
    /// Number of visible nodes of the cut.
    pub visible: usize,
    /// Where the action leads: the worst grain, the revealed one (grain view).
    pub select: Option<u32>,
    /// The action would have opened more than there is room for, and stopped before.
    pub stopped: bool,
    /// Server time in milliseconds.
    pub ms: f64,
    /// The picture without its columns.
    pub scene: SceneHead,
}

/// Answer to [`Op::Node`].
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct NodeAnswer {
    /// The node.
    pub node: u32,
    /// "create", "wait", "other", "end", "section", "task".
    pub kind: String,
    /// One line that names it.
    pub title: String,
    /// Its ancestors from the root, for the breadcrumbs.
    pub path: Vec<Crumb>,
    /// Metrics in the order to show them.
    pub facts: Vec<Fact>,
    /// First start and last end.
    pub time: (f64, f64),
    /// Source position where it began and ended ("file:line").
    pub source: (Option<String>, Option<String>),
    /// Workers that ran it with their share of its work, largest first (palette slot, name, time).
    pub mix: Vec<MixPart>,
    /// Number of children.
    pub children: u32,
    /// The recorder collapsed its inside.
    pub collapsed: bool,
    /// On the critical path of the run.
    pub critical: bool,
    /// Previous and next sibling.
    pub siblings: (Option<u32>, Option<u32>),
}

/// An ancestor.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Crumb {
    /// The node.
    pub node: u32,
    /// A short name.
    pub title: String,
}

/// A worker's share of a node's work.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct MixPart {
    /// Palette slot.
    pub fill: u16,
    /// Name of the place.
    pub name: String,
    /// Time.
    pub time: f64,
}

/// Answer to [`Op::Search`].
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct SearchAnswer {
    /// What was found, in tree order.
    pub hits: Vec<Hit>,
    /// How many there are in all (a lower bound when `more`).
    pub total: usize,
    /// There are more than were counted.
    pub more: bool,
}

/// A found node.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Hit {
    /// The node.
    pub node: u32,
    /// One line that names it.
    pub title: String,
    /// Its work in the clock's unit.
    pub work: f64,
    /// The node of the grain graph, if that was asked for.
    pub grain: Option<u32>,
}

/// Answer to [`Op::Table`].
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct TableAnswer {
    /// Rows after the filter.
    pub total: usize,
    /// The rows asked for.
    pub rows: Vec<TableRow>,
}

/// One visible node of the cut as a row.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct TableRow {
    /// The node.
    pub node: u32,
    /// Depth in the tree.
    pub depth: u32,
    /// Kind.
    pub kind: String,
    /// Source position.
    pub source: String,
    /// Worker, or "several".
    pub worker: String,
    /// First start.
    pub start: f64,
    /// last end − first start.
    pub elapsed: f64,
    /// Work.
    pub work: f64,
    /// Critical path.
    pub span: f64,
    /// Tasks inside.
    pub tasks: f64,
    /// On the critical path of the run.
    pub critical: bool,
}

/// What went wrong, as the answer to any request.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Failure {
    /// In words, with what to do.
    pub error: String,
}
