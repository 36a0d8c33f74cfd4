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
use super::lines::Line;
use super::opened::Opened;
use super::report::Report;
use super::{
    act, code, compare, draw, export, frames, gutter, info, json, losses, overview, sheets, unseen, views,
    words,
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

    fn columns(&self, of: Shared, _job: &Job<'_>) -> Vec<SharedColumn> {
        match of {
            Shared::Places => by_place(&self.opened),
            Shared::Lines => by_line(&self.opened),
        }
    }

    fn cells(&self, of: Shared, _job: &Job<'_>) -> Vec<(Column, Vec<Cell>)> {
        match of {
            Shared::Places => Vec::new(),
            Shared::Lines => line_pictures(&self.opened),
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

fn column(metric: Metric, values: impl Iterator<Item = i64>) -> SharedColumn {
    SharedColumn { metric, values: values.map(|value| value as f64).collect() }
}

/// The first places are the workers themselves.
fn by_place(opened: &Opened) -> Vec<SharedColumn> {
    let (summary, clock) = (opened.tasks.summary(), words::unit(opened.tasks.clock()));
    let busy = Metric::new("busy", clock, Rule::Sum).about("Time in intervals of tasks.");
    let intervals =
        Metric::new("intervals", Unit::Count, Rule::Sum).about("Intervals of tasks that ran here.");
    vec![
        column(busy, summary.busy.iter().copied()),
        column(intervals, summary.intervals_by_worker.iter().copied()),
    ]
}

fn by_line(opened: &Opened) -> Vec<SharedColumn> {
    let (lines, clock) = (&opened.lines().lines, words::unit(opened.tasks.clock()));
    let metric = |name: &str, title: &str, unit, rule, about: &str| {
        Metric { title: title.to_owned(), ..Metric::new(name, unit, rule) }.about(about)
    };
    let own = |metric: Metric, value: fn(&Line) -> Option<f64>| SharedColumn {
        metric,
        values: lines.iter().map(|line| value(line).unwrap_or(f64::NAN)).collect(),
    };
    vec![
        own(metric("work", "work", clock, Rule::Sum, "Work of intervals that began at this line."), |line| {
            (line.intervals > 0).then_some(line.work as f64)
        }),
        own(
            metric("intervals", "count", Unit::Count, Rule::Sum, "Intervals that began at this line."),
            |line| (line.intervals > 0).then_some(line.intervals as f64),
        ),
        own(
            metric("median", "median", clock, Rule::Own, "Half of the intervals are shorter; to within 5 %."),
            Line::median,
        ),
        own(
            metric("largest", "largest", clock, Rule::Max, "The longest interval that began at this line."),
            |line| (line.largest > 0).then_some(line.largest as f64),
        ),
        own(
            metric(
                "critical",
                "on the critical path",
                clock,
                Rule::Sum,
                "Time of intervals that began at this line and are on the critical path of the run.",
            ),
            |line| (line.critical > 0).then_some(line.critical as f64),
        ),
    ]
}

/// How long intervals took, and who ran them, as small pictures. Lengths of all lines are on one logarithmic scale.
fn line_pictures(opened: &Opened) -> Vec<(Column, Vec<Cell>)> {
    let (tasks, lines) = (&opened.tasks, opened.lines());
    let histograms: Vec<(i32, Vec<f64>)> = lines.lines.iter().map(Line::histogram).collect();
    let used = || histograms.iter().filter(|(_, bins)| !bins.is_empty());
    let first = used().map(|(first, _)| *first).min().unwrap_or(0);
    let last = used().map(|(first, bins)| first + bins.len() as i32).max().unwrap_or(first);
    let length = |bin: i32| words::time_text((f64::from(bin) / 2.0).exp2() as i64, tasks.clock());
    let scale = format!("from {} to {}, logarithmic", length(first), length(last));
    let histogram = |(from, bins): &(i32, Vec<f64>)| {
        if bins.is_empty() {
            return Cell::None;
        }
        let most = bins.iter().copied().fold(1.0, f64::max);
        let mut heights = vec![0.0; (last - first).max(1) as usize];
        for (i, &count) in bins.iter().enumerate() {
            // What is there at all is seen.
            heights[(from - first) as usize + i] =
                if count > 0.0 { (count / most).max(0.08) as f32 } else { 0.0 };
        }
        let text =
            format!("{} to {}; the scale goes {scale}", length(*from), length(from + bins.len() as i32));
        Cell::Bins { bins: heights, text }
    };
    let workers = |line: &Line| {
        let most = line.by_worker.iter().copied().max().unwrap_or(0);
        if most <= 0 {
            return Cell::None;
        }
        let each =
            if lines.share > 1 { format!("{} workers each", lines.share) } else { "worker".to_owned() };
        let text = format!("work by {each}, at most {}", words::time_text(most, tasks.clock()));
        Cell::Bins { bins: line.by_worker.iter().map(|&work| work as f32 / most as f32).collect(), text }
    };
    let column = |name: &str, title: &str, about: String| Column {
        name: name.to_owned(),
        title: title.to_owned(),
        about,
        unit: None,
        sorts: false,
    };
    vec![
        (
            column("lengths", "how long", format!("How many intervals of each length, {scale}.")),
            histograms.iter().map(histogram).collect(),
        ),
        (
            column("workers", "workers", "Work by worker, from the first to the last.".to_owned()),
            lines.lines.iter().map(workers).collect(),
        ),
    ]
}
