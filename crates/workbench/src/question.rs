//! The one set of questions, and their answers. The page, the command line and scripts ask the same; the protocol has no
//! versions, because page and server are one build.

use crosscut_tree::Unit;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::declare::{LensDecl, TreeDecl, View};
use crate::look::{LensSpec, Look, Options, Scope};
use crate::selection::{Nodes, Selection, Span, TreeKey};
use crate::sheet::{Cell, Fact};

/// A question with the number that its answers carry.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Question {
    /// Chosen by who asks, echoed in every answer.
    pub id: u32,
    /// What is asked.
    #[serde(flatten)]
    pub ask: Ask,
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "ask", rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Ask {
    /// What is open: runs with their trees and views, palettes → [`Hello`].
    Hello,
    /// A picture or a sheet, after an act if there is one → [`SceneAnswer`], the marks behind it.
    Scene {
        /// What decides it.
        look: Box<Look>,
        /// What is done first.
        #[serde(default)]
        #[ts(optional)]
        act: Option<ActCall>,
    },
    /// What the selection means in a look, without a new layout → [`LightAnswer`].
    Light {
        /// The look; its `selected` is what is meant.
        look: Box<Look>,
    },
    /// Everything about a selection → [`crate::sheet::Sheet`].
    About {
        /// What.
        selection: Selection,
        /// Options of its tree.
        #[serde(default)]
        #[ts(type = "Record<string, string>")]
        with: Options,
        /// The lens that the tree is seen through.
        #[serde(default)]
        #[ts(optional)]
        lens: Option<LensSpec>,
        /// Which data counts.
        #[serde(default)]
        scope: Scope,
    },
    /// The rows of a tree → [`crate::sheet::Table`].
    Table(TableAsk),
    /// Things by name → [`SearchAnswer`].
    Search {
        /// Index of the run.
        run: usize,
        /// Words, or a sign and a number such as "#12".
        words: String,
        /// Hits of each tree at most.
        limit: usize,
    },
    /// Everything about a tree → [`TreeAnswer`].
    Tree {
        /// Index of the run.
        run: usize,
        /// Which.
        tree: TreeKey,
        /// Its options.
        #[serde(default)]
        #[ts(type = "Record<string, string>")]
        with: Options,
        /// Lenses whose value differs from the usual one: they are counted and costed at this value.
        #[serde(default)]
        lenses: Vec<LensSpec>,
    },
    /// What was unfolded and selected of a tree before its options changed → [`Carried`].
    Carry(CarryAsk),
    /// The first sheet of a run → [`crate::sheet::Sheet`].
    Overview {
        /// Index of the run.
        run: usize,
        /// A run to compare with.
        #[serde(default)]
        #[ts(optional)]
        against: Option<usize>,
    },
    /// Gives up a question that is under way: it gets a failure as its last answer.
    Cancel {
        /// Its id.
        question: u32,
    },
}

/// An act by its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct ActCall {
    /// Shared by all trees: "open", "close", "below" (numbers: most items), "depth" (numbers: depth), "reveal", "window"
    /// (numbers: first, count), "spread", "gather". Others are declared by the view.
    pub name: String,
    /// What it is done on; "reveal" takes a selection of any tree.
    #[serde(default)]
    #[ts(optional)]
    pub on: Option<Selection>,
    /// Its numbers.
    #[serde(default)]
    pub numbers: Vec<f64>,
}

/// A tree whose options changed, and what was unfolded and selected of it.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct CarryAsk {
    /// Index of the run.
    pub run: usize,
    /// The tree.
    pub tree: TreeKey,
    /// Its options before.
    #[ts(type = "Record<string, string>")]
    pub was: Options,
    /// Its options now.
    #[ts(type = "Record<string, string>")]
    pub with: Options,
    /// The cut before.
    #[serde(default)]
    pub cut: String,
    /// The nodes that were selected.
    #[serde(default)]
    pub nodes: Nodes,
}

/// Answer to [`Ask::Carry`]: what is still there.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Carried {
    /// The cut now; "" where nothing is left of it.
    pub cut: String,
    /// The selected nodes now; none where they are gone.
    pub nodes: Nodes,
}

/// Rows of a tree.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct TableAsk {
    /// Run, tree state (cut, lens, options), scope; the view's options where they fold.
    pub look: Box<Look>,
    /// The tree.
    pub tree: TreeKey,
    /// Column to sort by; "" is tree order.
    #[serde(default)]
    pub sort: String,
    /// Largest first.
    #[serde(default)]
    pub descending: bool,
    /// Only rows whose text has these words.
    #[serde(default)]
    pub filter: String,
    /// Not what is visible, but every node that the lens chooses.
    #[serde(default)]
    pub flat: bool,
    /// First row.
    #[serde(default)]
    pub from: usize,
    /// Number of rows.
    pub count: usize,
}

/// What every message back looks like: progress and drafts, then one last answer or failure.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Reply<T> {
    /// The question's id.
    pub id: u32,
    /// The answer, or a draft of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub ok: Option<T>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<String>,
    /// Not the last one: how far it is, 0…1, or how much was done where the end is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub progress: Option<Progress>,
}

/// How far a slow answer is.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Progress {
    /// From 0 to 1.
    pub share: f32,
    /// What is being done.
    pub what: String,
}

/// Answer to [`Ask::Hello`].
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Hello {
    /// Version of the program.
    pub crosscut: String,
    /// Changes with every build: a page of another build reloads itself.
    pub build: String,
    /// The runs.
    pub runs: Vec<RunInfo>,
    /// Colours by palette slot, "#rrggbb".
    pub palettes: Palettes,
}

/// Colours by slot.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Palettes {
    /// On a light surface.
    pub light: Vec<String>,
    /// On a dark surface.
    pub dark: Vec<String>,
}

/// An open run.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct RunInfo {
    /// Name of the directory without its ending.
    pub name: String,
    /// What is missing, when the run is partial.
    pub partial: Option<String>,
    /// Whether it is still being checked, as large runs are while they are shown: ask again.
    pub checking: bool,
    /// What the check has found to be wrong.
    pub damaged: Option<String>,
    /// Unit of all times.
    pub clock: Unit,
    /// First and last time; absent when nothing in the run has a time.
    pub time: Option<Span>,
    /// Number of places.
    pub places: usize,
    /// Its trees.
    pub trees: Vec<TreeDecl>,
    /// Its views, in the order to list them; the first one is what a run opens with.
    pub views: Vec<View>,
    /// The strip at the foot of the page: a hidden view that is brushed.
    pub strip: Option<String>,
}

/// Answer to [`Ask::Scene`]; of a picture the marks follow as columns.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct SceneAnswer {
    /// The look after the act.
    pub look: Look,
    /// What "auto" became, by option.
    #[ts(type = "Record<string, string>")]
    pub settled: Options,
    /// Where the act leads.
    pub select: Option<Selection>,
    /// The act stopped before its end: there is no room for more.
    pub stopped: bool,
    /// What to tell the person about the act.
    pub notice: Option<String>,
    /// Number of visible items of the first tree.
    pub visible: usize,
    /// The trees whose nodes its marks name, in the order of their numbers.
    pub trees: Vec<TreeKey>,
    /// Time it took to answer, in milliseconds.
    pub ms: f64,
    /// A picture without its columns, or a sheet.
    pub shown: ShownHead,
}

/// What is shown, without the columns of its marks.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(tag = "is", rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum ShownHead {
    /// A picture: the head of its wire form.
    Scene {
        /// The head.
        #[ts(type = "import(\"./SceneHead\").SceneHead")]
        head: serde_json::Value,
    },
    /// A sheet.
    Sheet {
        /// The sheet.
        sheet: Box<crate::sheet::Sheet>,
    },
}

/// Answer to [`Ask::Light`].
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct LightAnswer {
    /// For each tree of the view that the selection means something in.
    pub trees: Vec<Lit>,
    /// The stretch of time that is meant, if any.
    pub time: Option<Span>,
    /// How it was found: "same tree", "time and place", "source line"; "" when nothing was.
    pub by: String,
}

/// What is lit in one tree.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Lit {
    /// Number of the tree in the view.
    pub tree: u8,
    /// The nodes that are meant.
    pub nodes: Nodes,
    /// The other end, of a pair.
    pub to: Option<Nodes>,
    /// All nodes below them, themselves included.
    pub inside: Nodes,
    /// Ancestors of the first of them from the root: the last one that has a mark stands in when it has none.
    pub above: Vec<u32>,
}

/// Answer to [`Ask::Search`].
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct SearchAnswer {
    /// By tree.
    pub trees: Vec<TreeHits>,
}

/// What was found in a tree.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct TreeHits {
    /// The tree.
    pub tree: TreeKey,
    /// What people call it.
    pub title: String,
    /// The first ones.
    pub hits: Vec<Hit>,
    /// How many there are.
    pub total: usize,
    /// There are more than were counted.
    pub more: bool,
}

/// Something found.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Hit {
    /// What it stands for.
    pub selection: Selection,
    /// One line that names it.
    pub title: String,
    /// The first metric of the tree.
    pub value: Cell,
}

/// Answer to [`Ask::Tree`].
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct TreeAnswer {
    /// The tree.
    pub tree: TreeKey,
    /// Number of nodes.
    pub nodes: usize,
    /// Largest depth.
    pub depth: usize,
    /// The cut that it opens with.
    pub cut: String,
    /// Its metrics.
    pub metrics: Vec<MetricInfo>,
    /// Its lenses with what they choose, those that cost most first, those that are not available last.
    pub lenses: Vec<LensInfo>,
    /// What there is to say of the tree as a whole.
    pub facts: Vec<Fact>,
    /// Values of its options that are worth a look, the best first.
    pub choices: Vec<Choice>,
}

/// A value of an option that is worth a look.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Choice {
    /// Name of the option.
    pub option: String,
    /// The value.
    pub value: String,
    /// What it shows, in a few words.
    pub title: String,
}

/// A metric.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct MetricInfo {
    /// Its name.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// Unit of its values.
    pub unit: Unit,
    /// What it means.
    pub about: String,
}

/// A lens with what it chooses.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct LensInfo {
    /// Its declaration.
    #[serde(flatten)]
    pub lens: LensDecl,
    /// Where it begins now.
    pub value: f64,
    /// How many nodes it chooses.
    pub count: usize,
    /// What it says of itself at this value: count, share, cost.
    pub facts: Vec<Fact>,
    /// What to try against it.
    pub advice: String,
    /// The worst of what it chooses.
    pub worst: Option<Selection>,
}
