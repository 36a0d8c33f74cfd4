//! The two traits that a domain implements. Calls are per question and take parts, ranges and sets, never single nodes:
//! a call per node would cost more than the answer. Layouts use their domain's own types.

use std::any::Any;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use crosscut_run::Run;
use crosscut_scene::Scene;
use crosscut_tree::{Cut, Folds, Lens, Metric, NodeId, NodeSet, Part, Tree, fold};
use serde_json::{Map, Value};

use crate::declare::{LensDecl, TreeDecl, View};
use crate::error::Refusal;
use crate::frame::{Frame, FrameDecl};
use crate::job::Job;
use crate::look::{LensSpec, Look, Options, Scope, TreeLook};
use crate::loss::{Found, Loss};
use crate::question::{ActCall, Choice};
use crate::selection::{Nodes, Selection, Span, TreeKey};
use crate::sheet::{Block, Cell, Column, Fact, RowState, Sheet};
use crate::text;

/// One line of the registry: how a domain is opened.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The domain's word, such as "tasks".
    pub word: &'static str,
    /// Its views, whatever the run: their options are flags of the command line.
    pub views: &'static [View],
    /// Words of problems whose thresholds may be set, as "threshold.WORD".
    pub thresholds: &'static [&'static str],
    /// Forms that it writes for other tools.
    pub exports: &'static [Export],
    /// Opens it; none where the run does not hold it.
    pub open: Open,
}

/// Opens a domain of a run, with the options that the command line gives to domains ("baseline", thresholds).
pub type Open = fn(&Arc<Run>, &Settings) -> Result<Option<Arc<dyn Domain>>, Refusal>;

/// A form that other tools read.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    /// The word for it, such as "dot".
    pub word: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
}

/// Something for other tools, ready to be written.
pub struct Exported<'a> {
    /// What is left out, and why.
    pub notes: Vec<String>,
    /// Writes it.
    pub write: Writer<'a>,
}

/// Writes once.
pub type Writer<'a> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a>;

/// What the command line tells domains when they are opened: by name, as text. "baseline" is the path of a run to compare
/// with, "threshold.WORD" a number, "asked" the words of thresholds that were asked for one by one, with spaces between,
/// "source" folders with source text, one in a line, "check" is "later" where small runs are opened unchecked, too.
pub type Settings = BTreeMap<String, String>;

/// A tree with the options that make its nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeRef {
    /// Which tree.
    pub key: TreeKey,
    /// Its options, without those that are usual.
    pub with: Options,
}

impl TreeRef {
    /// A tree without parameter and options.
    pub fn named(name: &str) -> Self {
        TreeRef { key: TreeKey::named(name), with: Options::new() }
    }
}

/// What a view shows.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one for each answer")]
pub enum Shown {
    /// A picture.
    Scene(Scene),
    /// A sheet.
    Sheet(Sheet),
}

/// A picture or a sheet with what was decided on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// What is shown.
    pub shown: Shown,
    /// What "auto" became, by option.
    pub settled: Options,
    /// Number of visible items of the first tree.
    pub visible: usize,
    /// Trees with a parameter that its marks name, after those of the view, in order.
    pub trees: Vec<TreeKey>,
}

impl Drawn {
    /// A picture of so many visible items.
    pub fn scene(scene: Scene, visible: usize) -> Self {
        Drawn { shown: Shown::Scene(scene), settled: Options::new(), visible, trees: Vec::new() }
    }

    /// A sheet.
    pub fn sheet(sheet: Sheet) -> Self {
        Drawn { shown: Shown::Sheet(sheet), settled: Options::new(), visible: 0, trees: Vec::new() }
    }
}

/// What an act did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Did {
    /// Where it leads.
    pub select: Option<Selection>,
    /// It stopped before its end: there is no room for more.
    pub stopped: bool,
    /// What to tell the person.
    pub notice: Option<String>,
}

/// What the command line wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// What is inside, as `crosscut info`.
    Info,
    /// What costs time, as `crosscut report`; findings are not in it.
    Report,
}

/// What a domain says in plain text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// The one line that matters, without the name of the run.
    pub line: String,
    /// Names with what is to be said.
    pub facts: Vec<Fact>,
    /// What stands below.
    pub lines: Vec<String>,
}

/// How two runs differ, as `crosscut compare` says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// How alike they are.
    pub facts: Vec<Fact>,
    /// How they differ.
    pub differences: Vec<Fact>,
    /// What differs most, a line each.
    pub lines: Vec<String>,
    /// For scripts.
    pub json: Map<String, Value>,
    /// Why the other run is no baseline of this one; none where it is one.
    pub no_baseline: Option<String>,
}

/// A tree of the workbench's own to which every domain adds columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shared {
    /// Processes, threads, workers, cores.
    Places,
    /// Files and source lines.
    Lines,
}

/// A column that a domain adds to a shared tree: one value for each set of places or lines, NaN where there is none.
#[derive(Clone, Debug)]
pub struct SharedColumn {
    /// What it is called and measured in.
    pub metric: Metric,
    /// By set that was asked for.
    pub values: Vec<f64>,
}

impl SharedColumn {
    /// Of values by the id of a place or line: each set has the sum of those that are known.
    pub fn sums(metric: Metric, of: &[f64], sets: &[Vec<u32>]) -> Self {
        let sum = |set: &Vec<u32>| {
            let known = set.iter().filter_map(|&id| of.get(id as usize)).copied();
            known.filter(|value| !value.is_nan()).reduce(|a, b| a + b).unwrap_or(f64::NAN)
        };
        SharedColumn { metric, values: sets.iter().map(sum).collect() }
    }
}

/// One domain of one open run.
pub trait Domain: Any + Send + Sync {
    /// Its word, such as "tasks".
    fn word(&self) -> &'static str;
    /// First and last time, where it has one.
    fn time(&self) -> Option<Span>;
    /// Number of places that it covers, of which each could have worked all the time.
    fn places(&self) -> usize;
    /// What all its places could have done, in the clock's unit: their number times the time of the run. A domain without a time of
    /// its own may know it from elsewhere.
    fn capacity(&self) -> Option<f64> {
        self.time().map(|time| (time.1 - time.0) * self.places() as f64)
    }
    /// Trees that it can make.
    fn trees(&self) -> &[TreeDecl];
    /// Makes a tree; the workbench keeps it.
    fn forest(&self, tree: &TreeRef, job: &Job<'_>) -> Result<Arc<dyn Forest>, Refusal>;
    /// Whether what the run holds of it fits together: structure and totals. Looks at every value.
    fn sound(&self) -> Result<(), Refusal> {
        Ok(())
    }
    /// Its views, in the order to list them.
    fn views(&self) -> &[View];
    /// Draws a look of one of its views; `with` are the domains of the runs that it is compared with.
    fn draw(&self, look: &Look, with: &[&dyn Domain], job: &Job<'_>) -> Result<Drawn, Refusal>;
    /// Does one of the view's own acts.
    fn act(&self, call: &ActCall, look: &mut Look, job: &Job<'_>) -> Result<Did, Refusal>;
    /// Makes beforehand what somebody may ask for after the first pictures; behind everything else, once.
    fn prepare(&self, _job: &Job<'_>) {}
    /// What it lost, worst first or not. It does not ask the job for what was found: that is made of this.
    fn losses(&self, scope: &Scope, job: &Job<'_>) -> Result<Vec<Loss>, Refusal>;
    /// Whether it looks for losses at all: where no domain of a run does, nothing is said of them.
    fn looks_for_losses(&self) -> bool {
        true
    }
    /// Time of its places that nobody could have had, such as that of workers beyond the number of processors.
    fn beyond(&self, _job: &Job<'_>) -> f64 {
        0.0
    }
    /// Why what it lost says nothing of the program, such as "20 tasks in 312 µs"; none where there is enough to judge.
    fn too_little(&self) -> Option<String> {
        None
    }
    /// What it could not look for in this run, and why, a sentence each: who reads that nothing was found should know.
    fn not_looked_for(&self) -> Vec<String> {
        Vec::new()
    }
    /// How good the run was, in a sentence, and where the time of all places went, as a bar: the top of the overview, which the first
    /// domain that has one gives. Without what was found it says what it can, as [`Domain::overview`].
    fn account(&self, _found: Option<&Found>, _job: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        Ok(Vec::new())
    }
    /// What else it has to say on the overview, below what costs most: facts, charts.
    /// Without what was found it says at once what it can: that is shown until the rest is known.
    fn overview(&self, found: Option<&Found>, job: &Job<'_>) -> Result<Vec<Block>, Refusal>;
    /// How it differs from another run of the same domain.
    fn compare(&self, with: &dyn Domain, job: &Job<'_>) -> Result<Vec<Block>, Refusal>;
    /// Columns that it adds to a shared tree, with a value for each set of places or lines: single ones, and those that the
    /// tree puts together.
    fn columns(&self, of: Shared, sets: &[Vec<u32>], job: &Job<'_>) -> Vec<SharedColumn>;
    /// Columns that take longer to know: a table has them, a search does not wait for them.
    fn late_columns(&self, _of: Shared, _sets: &[Vec<u32>], _job: &Job<'_>) -> Vec<SharedColumn> {
        Vec::new()
    }
    /// Columns of small pictures and words that it adds to a shared tree: one cell for each set.
    fn cells(&self, _of: Shared, _sets: &[Vec<u32>], _job: &Job<'_>) -> Vec<(Column, Vec<Cell>)> {
        Vec::new()
    }
    /// What it has to say of some source lines, by their ids, beside its columns.
    fn about_lines(&self, _lines: &[u32], _job: &Job<'_>) -> Vec<Block> {
        Vec::new()
    }
    /// What it has to say of some places, or of two of them, beside its columns.
    fn about_places(&self, _selection: &Selection, _job: &Job<'_>) -> Vec<Block> {
        Vec::new()
    }
    /// What it has to say of what ran in a selection of another domain, whose tree was made with these options, by who ran when.
    fn ran(
        &self,
        _selection: &Selection,
        _with: &Options,
        _reach: &Reach,
        _job: &Job<'_>,
    ) -> Result<Vec<Block>, Refusal> {
        Ok(Vec::new())
    }
    /// For scripts; each topic is typed inside.
    fn json(&self, topic: Topic, job: &Job<'_>) -> Result<Map<String, Value>, Refusal>;
    /// For people on a terminal: what the overview says, unless it has more to say there.
    fn told(&self, topic: Topic, job: &Job<'_>) -> Result<Told, Refusal> {
        let found = job.found()?;
        let mut blocks = self.account(Some(&*found), job)?;
        blocks.extend(self.overview(Some(&*found), job)?);
        Ok(text::told(self.word(), &blocks, topic))
    }
    /// How it differs from another run of the same domain, on a terminal and for scripts.
    fn compared(&self, with: &dyn Domain, job: &Job<'_>) -> Result<Compared, Refusal> {
        text::compared(self.word(), &self.compare(with, job)?)
    }
    /// Refuses what it was opened with and cannot use, such as a baseline of another program. May take long.
    fn check(&self) -> Result<(), Refusal> {
        Ok(())
    }
    /// Makes one of the forms that its [`Entry`] lists ready for other tools; a lens says what is set apart.
    fn export(&self, form: &str, _lens: Option<&LensSpec>) -> Result<Exported<'_>, Refusal> {
        Err(Refusal::new(format!("{} cannot be written as {form}", self.word())))
    }
    /// Tables that it has for scripts.
    fn frames(&self) -> &'static [FrameDecl] {
        &[]
    }
    /// Puts the columns of one of them.
    fn frame(&self, name: &str, _frame: &mut Frame<'_>, _job: &Job<'_>) -> Result<(), Refusal> {
        Err(Refusal::new(format!("{} has no table `{name}`", self.word())))
    }
    /// For those who know what it is.
    fn as_any(&self) -> &dyn Any;
}

/// One line that names a part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Title {
    /// What it is: "task", "fork-join group".
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its source line, as a cell.
    pub line: Option<Cell>,
    /// What stands out.
    pub state: RowState,
}

/// A lens, settled.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Its word.
    pub name: String,
    /// The nodes.
    pub lens: Arc<Lens>,
    /// Where it begins.
    pub value: f64,
    /// What it says of itself: count, share, cost.
    pub facts: Vec<Fact>,
    /// What it costs, in the clock's unit; 0 where that is not available.
    pub cost: f64,
    /// What to try against it.
    pub advice: String,
    /// The worst of what it chooses.
    pub worst: Option<NodeId>,
}

/// What a selection means outside of its tree: first the same things in other trees, then who ran when, then source lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reach {
    /// The same things in other trees.
    pub same: Vec<(TreeKey, Nodes)>,
    /// Who ran when: place and time.
    pub stretches: Vec<(u32, Span)>,
    /// Source ids.
    pub lines: Vec<u32>,
}

/// What was found by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The first ones, in tree order.
    pub nodes: Vec<NodeId>,
    /// How many there are.
    pub total: usize,
    /// There are more than were counted.
    pub more: bool,
}

/// A tree under a lens, without anything else to fold by.
struct Looked<'a> {
    tree: Tree<'a>,
    lens: Option<&'a Chosen>,
}

impl Folds for Looked<'_> {
    fn tree(&self) -> Tree<'_> {
        self.tree
    }

    fn chosen(&self) -> Option<&NodeSet> {
        self.lens.map(|lens| lens.lens.chosen())
    }

    fn is_parallel(&self, _: NodeId) -> bool {
        true
    }
}

/// One tree that can be looked at.
pub trait Forest: Any + Send + Sync {
    /// The tree.
    fn tree(&self) -> Tree<'_>;
    /// What stands in its table, in order; the first one is what hits and members are listed with.
    fn metrics(&self) -> &[Metric];
    /// Lenses that it offers; usually none.
    fn lenses(&self) -> Vec<LensDecl> {
        Vec::new()
    }
    /// Settles a lens.
    fn lens(&self, lens: &LensSpec, _job: &Job<'_>) -> Result<Chosen, Refusal> {
        let name: String = lens.name.chars().take(40).collect();
        Err(Refusal::new(format!("this tree has no lens `{name}`")))
    }
    /// The cut that it opens with, with at most so many items.
    fn first_cut(&self, most: usize) -> Cut {
        Cut::fitting(self.tree(), most)
    }
    /// What the one fold must know of this tree under a look.
    fn folds<'a>(&'a self, _look: &Look, lens: Option<&'a Chosen>) -> Box<dyn Folds + 'a> {
        Box::new(Looked { tree: self.tree(), lens })
    }
    /// What is visible of it; none when there is more than `most`.
    fn parts(&self, look: &Look, cut: &Cut, lens: Option<&Chosen>, most: usize) -> Option<Vec<Part>> {
        fold::parts(&*self.folds(look, lens), cut, most)
    }
    /// Whether an open node is something of its own beside what is inside of it, as a function is beside what it calls: then a
    /// table lists it, too.
    fn keeps_open(&self) -> bool {
        false
    }
    /// The same tree with values of a part of the run alone, where a scope leaves one that is more than a choice of places: time, or what is
    /// inside of a selection. `trees` says with which options that selection's tree was made.
    fn scoped(
        &self,
        _scope: &Scope,
        _trees: &BTreeMap<TreeKey, TreeLook>,
        _job: &Job<'_>,
    ) -> Result<Option<Arc<dyn Forest>>, Refusal> {
        Ok(None)
    }
    /// Names of parts.
    fn titles(&self, parts: &[Part], lens: Option<&Chosen>) -> Vec<Title>;
    /// Values of a metric for parts; NaN where there is none.
    fn values(&self, metric: usize, parts: &[Part], scope: &Scope, out: &mut [f64]);
    /// Metrics that take longer to know, with a value for each node: a table has them, a search does not wait for them.
    fn late(&self, _job: &Job<'_>) -> Result<Vec<(Metric, Vec<f64>)>, Refusal> {
        Ok(Vec::new())
    }
    /// Columns of words beside the metrics: name, and one cell for each part.
    fn words(&self, _parts: &[Part]) -> Vec<(Column, Vec<Cell>)> {
        Vec::new()
    }
    /// Nodes by name.
    fn search(&self, words: &str, limit: usize, job: &Job<'_>) -> Hits;
    /// Everything about a selection; pairs too.
    fn about(
        &self,
        selection: &Selection,
        lens: Option<&Chosen>,
        scope: &Scope,
        job: &Job<'_>,
    ) -> Result<Sheet, Refusal>;
    /// What there is to say of the tree as a whole.
    fn facts(&self, _job: &Job<'_>) -> Vec<Fact> {
        Vec::new()
    }
    /// Values of its options that are worth a look.
    fn choices(&self, _job: &Job<'_>) -> Vec<Choice> {
        Vec::new()
    }
    /// What a selection means outside.
    fn reach(&self, selection: &Selection) -> Reach;
    /// What something outside means here.
    fn find(&self, reach: &Reach, job: &Job<'_>) -> Nodes;
    /// Names of nodes that survive other options and other runs.
    fn keys(&self, nodes: &[NodeId]) -> Vec<u64>;
    /// Memory that it takes.
    fn bytes(&self) -> usize;
    /// For its own domain.
    fn as_any(&self) -> &dyn Any;
}
