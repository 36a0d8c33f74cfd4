//! Tasks as a domain: two trees, their views, what they lost, and what scripts may know.

use std::any::Any;
use std::sync::Arc;

use crosscut_run::Run;
use crosscut_tasks::grain::Problem;
use crosscut_tree::{Metric, NodeId, Rule, Unit};
use crosscut_workbench::{
    ActCall, Block, Cell, Column, Compared, Did, Domain, Drawn, Entry, Exported, Forest, Found, Frame,
    FrameDecl, Job, LensSpec, Look, Loss, Nodes, OpenRun, Refusal, Scope, Settings, Shared, SharedColumn,
    Span, Told, Topic, TreeDecl, TreeRef, View,
};
use serde_json::{Map, Value};

use super::forest_grains::{self, GrainForest};
use super::forest_tasks::{self, TaskForest};
use super::opened::Opened;
use super::report::Report;
use super::{
    act, by_line, code, compare, draw, export, frames, gutter, info, json, losses, overview, sheets, unseen,
    views, words,
};

/// The domain's line in the registry.
pub const ENTRY: Entry =
    Entry { word: "tasks", views: views::VIEWS, thresholds: &PROBLEMS, exports: export::EXPORTS, open };

/// The words of all problems of grains.
const PROBLEMS: [&str; Problem::ALL.len()] = {
    let mut words = [""; Problem::ALL.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = Problem::ALL[at].word();
        at += 1;
    }
    words
};

/// Opens the tasks of a run. The baseline is a run of the same program, thresholds are those of problems of grains.
fn open(run: &Arc<Run>, settings: &Settings) -> Result<Option<Arc<dyn Domain>>, Refusal> {
    if !run.manifest().facts.contains_key("tasks") {
        return Ok(None);
    }
    Ok(Some(Arc::new(TasksDomain::new(Opened::open(run, settings)?))))
}

/// The tasks of one run.
#[derive(Clone, Debug)]
pub struct TasksDomain {
    opened: Arc<Opened>,
}

impl TasksDomain {
    /// Of an open run.
    pub fn new(opened: Opened) -> Self {
        TasksDomain { opened: Arc::new(opened) }
    }

    /// The open run.
    pub fn opened(&self) -> &Arc<Opened> {
        &self.opened
    }

    /// The tasks behind a domain, if it is this one.
    pub fn of(domain: &dyn Domain) -> Option<&TasksDomain> {
        domain.as_any().downcast_ref()
    }

    /// The tasks of another run.
    fn like(domain: &dyn Domain) -> Result<&TasksDomain, Refusal> {
        Self::of(domain).ok_or_else(|| Refusal::new("the other run holds no tasks to compare with"))
    }

    /// The tasks of a run, if it has some.
    pub fn in_run(run: &OpenRun) -> Option<&TasksDomain> {
        run.domains.iter().find_map(|domain| Self::of(&**domain))
    }
}

impl Domain for TasksDomain {
    fn word(&self) -> &'static str {
        ENTRY.word
    }

    fn time(&self) -> Option<Span> {
        Some(Span(0.0, self.opened.tasks.summary().elapsed as f64))
    }

    fn places(&self) -> usize {
        self.opened.tasks.summary().workers as usize
    }

    fn trees(&self) -> &[TreeDecl] {
        views::TREES
    }

    fn forest(&self, tree: &TreeRef, job: &Job<'_>) -> Result<Arc<dyn Forest>, Refusal> {
        job.check()?;
        match (tree.key.name.as_str(), &tree.key.parameter) {
            (forest_tasks::TREE, None) => Ok(Arc::new(TaskForest::new(self.opened.clone()))),
            (forest_grains::TREE, None) => {
                job.progress(0.0, "making the grain graph")?;
                Ok(Arc::new(GrainForest::new(self.opened.clone())))
            }
            _ => Err(Refusal::new(format!("tasks have no tree {}; they have tasks and grains", tree.key))),
        }
    }

    fn views(&self) -> &[View] {
        views::VIEWS
    }

    fn draw(&self, look: &Look, _with: &[&dyn Domain], job: &Job<'_>) -> Result<Drawn, Refusal> {
        draw::draw(&self.opened, look, job)
    }

    fn act(&self, call: &ActCall, look: &mut Look, _job: &Job<'_>) -> Result<Did, Refusal> {
        act::act(&self.opened, call, look)
    }

    fn losses(&self, _scope: &Scope, job: &Job<'_>) -> Result<Vec<Loss>, Refusal> {
        job.progress(0.0, "looking for what costs time")?;
        losses::losses(&self.opened, job)
    }

    fn beyond(&self, _job: &Job<'_>) -> f64 {
        self.opened.causes().account.shared as f64
    }

    fn too_little(&self) -> Option<String> {
        overview::too_little(&self.opened.tasks)
    }

    fn not_looked_for(&self) -> Vec<String> {
        unseen::not_looked_for(&self.opened)
    }

    fn account(&self, found: Option<&Found>, job: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        Ok(overview::account(&self.opened, found, job.run))
    }

    fn overview(&self, found: Option<&Found>, job: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        Ok(overview::overview(&self.opened, found, job.run))
    }

    fn compare(&self, with: &dyn Domain, job: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        let with = TasksDomain::like(with)?;
        job.progress(0.0, "matching grains")?;
        compare::blocks(&self.opened, &with.opened, (job.run, job.other))
    }

    fn columns(&self, of: Shared, sets: &[Vec<u32>], _job: &Job<'_>) -> Vec<SharedColumn> {
        match of {
            Shared::Places => by_place(&self.opened, sets),
            Shared::Lines => by_line::columns(&self.opened, sets),
        }
    }

    fn late_columns(&self, of: Shared, sets: &[Vec<u32>], _job: &Job<'_>) -> Vec<SharedColumn> {
        match of {
            Shared::Places => Vec::new(),
            Shared::Lines => vec![by_line::benefit(&self.opened, sets)],
        }
    }

    fn cells(&self, of: Shared, sets: &[Vec<u32>], _job: &Job<'_>) -> Vec<(Column, Vec<Cell>)> {
        match of {
            Shared::Places => Vec::new(),
            Shared::Lines => by_line::pictures(&self.opened, sets),
        }
    }

    fn about_lines(&self, lines: &[u32], job: &Job<'_>) -> Vec<Block> {
        let sources = self.opened.tasks.sources();
        let &[line] = lines else { return Vec::new() };
        let found = job.found_already();
        let beside = |code| gutter::beside(&self.opened, found.as_deref(), code);
        let code = sources
            .get(line)
            .and_then(|source| code::code(source, &self.opened.roots))
            .map(beside)
            .map(Block::Code);
        let node = crosscut_workbench::line_nodes(sources).get(line as usize).map(|&node| NodeId(node));
        let whatif = node.map(|node| sheets::whatif(job.run, "lines", Nodes::one(node)));
        code.into_iter().chain(whatif).collect()
    }

    fn sound(&self) -> Result<(), Refusal> {
        self.opened.tasks.check().map_err(|error| Refusal::new(error.to_string()))
    }

    fn json(&self, topic: Topic, job: &Job<'_>) -> Result<Map<String, Value>, Refusal> {
        job.check()?;
        match topic {
            Topic::Info => json::info(&self.opened.tasks),
            Topic::Report => json::report(&self.opened),
        }
    }

    fn told(&self, topic: Topic, job: &Job<'_>) -> Result<Told, Refusal> {
        job.check()?;
        Ok(match topic {
            Topic::Info => info::told(&self.opened.tasks),
            Topic::Report => Report::of(&self.opened).told(&self.opened.asked),
        })
    }

    fn compared(&self, with: &dyn Domain, job: &Job<'_>) -> Result<Compared, Refusal> {
        job.check()?;
        compare::compared(&self.opened, &TasksDomain::like(with)?.opened)
    }

    fn check(&self) -> Result<(), Refusal> {
        self.opened.check()
    }

    fn export(&self, form: &str, lens: Option<&LensSpec>) -> Result<Exported<'_>, Refusal> {
        export::export(&self.opened, form, lens)
    }

    fn frames(&self) -> &'static [FrameDecl] {
        frames::FRAMES
    }

    fn frame(&self, _: &str, frame: &mut Frame<'_>, _: &Job<'_>) -> Result<(), Refusal> {
        frames::put(&self.opened.tasks, frame)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The first places are the workers themselves.
fn by_place(opened: &Opened, sets: &[Vec<u32>]) -> Vec<SharedColumn> {
    let (summary, clock) = (opened.tasks.summary(), words::unit(opened.tasks.clock()));
    let busy = Metric::new("busy", clock, Rule::Sum).about("Time in intervals of tasks.");
    let intervals =
        Metric::new("intervals", Unit::Count, Rule::Sum).about("Intervals of tasks that ran here.");
    let column = |metric, values: &[i64]| {
        let values: Vec<f64> = values.iter().map(|&value| value as f64).collect();
        SharedColumn::sums(metric, &values, sets)
    };
    vec![column(busy, &summary.busy), column(intervals, &summary.intervals_by_worker)]
}
