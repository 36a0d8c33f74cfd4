//! Two runs of one program: whether they have the same structure, which grains and groups work longer.

use crosscut_scene::format::{count, three};
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Deviation, Grains, Growth, Kernel, Problem, ProblemReport, growth};
use crosscut_tree::{NodeId, Unit};
use crosscut_workbench::sheet::Tone;
use crosscut_workbench::{Block, Cell, Fact, Refusal, Row, RowState, Selection};
use serde::Serialize;

use super::forest_grains::TREE;
use super::opened::Opened;
use super::sheets::{counted, head, table, text, wordy};
use super::words::{self, grain_id, many, share, time_text};

/// Groups that are named.
const NAMED: usize = 8;

/// How a run differs from another one.
#[derive(Debug)]
pub struct Comparison<'a> {
    here: (&'a Tasks, &'a Grains),
    there: (&'a Tasks, &'a Grains),
    /// How alike the graphs are, 0…1.
    pub alike: f64,
    /// Work of each grain against that of its counterpart.
    pub deviation: Deviation,
    /// Groups that work longer, most first.
    pub grown: Vec<Growth>,
    /// Grains over the threshold of work deviation, the threshold, and what they lose.
    pub problem: (usize, f64, i64),
}

/// `crosscut compare --json`.
#[derive(Debug, Serialize)]
pub struct Compared {
    baseline: Side,
    run: Side,
    same_structure: bool,
    similarity: f64,
    matched: usize,
    work_ratio: f64,
    work_deviation: Deviated,
    noted: bool,
    grown: Vec<Grown>,
}

#[derive(Debug, Serialize)]
struct Side {
    run: String,
    workers: u32,
    grains: usize,
    elapsed_ns: i64,
    work_ns: i64,
    span_ns: i64,
}

#[derive(Debug, Serialize)]
struct Deviated {
    threshold: f64,
    grains: usize,
    time_lost_ns: i64,
}

#[derive(Debug, Serialize)]
struct Grown {
    group: u32,
    #[serde(rename = "where")]
    place: Option<String>,
    work_ns: i64,
    baseline_work_ns: i64,
}

impl<'a> Comparison<'a> {
    /// Of a run with another one; refused where their clocks differ.
    pub fn new(here: &'a Opened, there: &'a Opened) -> Result<Self, Refusal> {
        let (a, b) = ((&here.tasks, &here.grains().grains), (&there.tasks, &there.grains().grains));
        if a.0.clock() != b.0.clock() {
            return Err(Refusal::new(format!(
                "{} counts in {}, {} in {}: their times cannot be compared",
                b.0.run().path().display(),
                b.0.clock().unit(),
                a.0.run().path().display(),
                a.0.clock().unit()
            )));
        }
        let deviation = Deviation::new(a, b);
        let threshold = here.thresholds.of(Problem::WorkDeviation, a.1);
        let set = a.1.problem(Problem::WorkDeviation, threshold, Some(&deviation));
        let lost = a.1.time_lost(a.0, &set, Some(&deviation));
        Ok(Comparison {
            here: a,
            there: b,
            alike: Kernel::new(a.1, NodeId::ROOT).value(&Kernel::new(b.1, NodeId::ROOT)),
            grown: Growth::deepest(a.1, growth(a, b, usize::MAX), NAMED),
            problem: (set.grains, threshold, lost),
            deviation,
        })
    }

    /// A run of another program is no baseline: in one of the same, most grains have a counterpart.
    pub fn is_one_program(&self) -> bool {
        2 * self.deviation.matched > self.here.1.grain_count()
    }

    /// Workers of the run, and of the other one.
    pub fn workers(&self) -> (u32, u32) {
        (self.here.1.workers(), self.there.1.workers())
    }

    fn ratio(&self) -> f64 {
        self.deviation.work.0 as f64 / self.deviation.work.1.max(1) as f64
    }

    fn time(&self, value: i64) -> String {
        time_text(value, self.here.0.clock())
    }

    fn place(&self, node: NodeId) -> Option<String> {
        let (tasks, grains) = self.here;
        tasks.source(grains.task(node)).0.map(ToString::to_string)
    }

    /// For scripts; `noted` says whether the baseline is noted in the run now.
    pub fn json(&self, noted: bool) -> Compared {
        let side = |(tasks, grains): (&Tasks, &Grains)| Side {
            run: tasks.run().name(),
            workers: grains.workers(),
            grains: grains.grain_count(),
            elapsed_ns: tasks.summary().elapsed,
            work_ns: tasks.summary().work,
            span_ns: tasks.summary().span,
        };
        let grown = |growth: &Growth| Grown {
            group: growth.node.0,
            place: self.place(growth.node),
            work_ns: growth.work.0,
            baseline_work_ns: growth.work.1,
        };
        let (grains, threshold, time_lost_ns) = self.problem;
        Compared {
            baseline: side(self.there),
            run: side(self.here),
            same_structure: self.deviation.same_structure,
            similarity: self.alike,
            matched: self.deviation.matched,
            work_ratio: self.ratio(),
            work_deviation: Deviated { threshold, grains, time_lost_ns },
            noted,
            grown: self.grown.iter().map(grown).collect(),
        }
    }

    /// Names with what is to be said, in order: elapsed, structure, matched; then, if anything matched, work and deviation.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let ((tasks, grains), (other, others)) = (self.here, self.there);
        let elapsed = |tasks: &Tasks| tasks.summary().elapsed;
        let mut facts = vec![
            (
                "elapsed",
                format!(
                    "{} on {}, {} on {}: {}",
                    self.time(elapsed(tasks)),
                    many(grains.workers() as usize, "worker"),
                    self.time(elapsed(other)),
                    count(others.workers().into()),
                    words::speed(elapsed(other) as f64 / elapsed(tasks).max(1) as f64)
                ),
            ),
            ("structure", self.structure()),
            (
                "matched",
                format!(
                    "{} of {}",
                    count(self.deviation.matched as i64),
                    many(grains.grain_count(), "grain")
                ),
            ),
        ];
        if self.deviation.matched == 0 {
            return facts;
        }
        let work = format!(
            "{} against {}: × {}",
            self.time(self.deviation.work.0),
            self.time(self.deviation.work.1),
            three(self.ratio())
        );
        facts.push(("work", work));
        let (over, threshold, lost) = self.problem;
        let deviation = format!(
            "{} ({}) {} more than {} times as long, and {} {}",
            many(over, "grain"),
            share(over as f64, grains.grain_count() as f64),
            if over == 1 { "works" } else { "work" },
            ProblemReport::threshold_text(threshold),
            if over == 1 { "loses" } else { "lose" },
            self.time(lost)
        );
        facts.push(("work deviation", deviation));
        facts
    }

    fn structure(&self) -> String {
        let same = self.deviation.same_structure;
        let structure = if same { "the same" } else { "not the same" };
        format!("{structure}; similarity {}", words::similarity(same, self.alike))
    }

    /// What grew, in the order of the tree, each with how many of the others it stands in.
    pub fn grown_in_order(&self) -> Vec<(usize, &Growth)> {
        let tree = self.here.1.tree();
        let mut grown: Vec<&Growth> = self.grown.iter().collect();
        grown.sort_unstable_by_key(|growth| growth.node);
        let mut around: Vec<NodeId> = Vec::new();
        let mut out = Vec::new();
        for growth in grown {
            while around.pop_if(|above| tree.range(*above).end <= growth.node.index()).is_some() {}
            out.push((around.len(), growth));
            around.push(growth.node);
        }
        out
    }

    /// What grew as text, further in what stands in a group that is told of.
    pub fn grown_lines(&self) -> Vec<String> {
        let grains = self.here.1;
        let line = |(depth, growth): (usize, &Growth)| {
            let node = growth.node;
            let place = self.place(node).unwrap_or_else(|| format!("#{}", grains.task(node).0));
            format!(
                "  + {:<14}{}{} {} at {place}: {} → {}",
                self.time(growth.by()),
                "  ".repeat(depth),
                grains.kind(node).word(),
                grain_id(node),
                self.time(growth.work.1),
                self.time(growth.work.0),
            )
        };
        self.grown_in_order().into_iter().map(line).collect()
    }

    fn grown_row(&self, (depth, growth): (usize, &Growth), run: usize) -> Row {
        let (tasks, grains) = self.here;
        let unit = words::unit(tasks.clock());
        let (after, before) = (growth.work.0 as f64, growth.work.1 as f64);
        let line = tasks.source(grains.task(growth.node)).0.map_or(Cell::None, words::line);
        let cells = vec![
            Cell::text(format!("{} {}", grains.kind(growth.node).word(), grain_id(growth.node))),
            line,
            words::number(growth.by() as f64, unit),
            words::number(before, unit),
            words::number(after, unit),
        ];
        Row {
            cells,
            selection: Some(Selection::node(run, TREE, growth.node)),
            depth: depth as u32,
            state: RowState::default(),
        }
    }
}

/// The figure of two runs beside each other.
fn beside(name: &str, here: f64, there: f64, unit: Unit) -> Fact {
    let text = |value: f64| crosscut_scene::format::quantity(value, unit);
    let change = if there > 0.0 { format!(" (× {})", three(here / there)) } else { String::new() };
    let text = format!("{} against {}{change}", text(here), text(there));
    Fact::new(name, Cell::Difference { here, there, text })
}

/// What `crosscut compare` says, as blocks.
pub fn blocks(here: &Opened, there: &Opened, run: usize) -> Result<Vec<Block>, Refusal> {
    let comparison = Comparison::new(here, there)?;
    let (a, b) = (&here.tasks, &there.tasks);
    let unit = words::unit(a.clock());
    let mut blocks = vec![head(format!("{} against {}", a.run().name(), b.run().name()))];
    for tasks in [a, b] {
        if let Some(missing) = &tasks.run().manifest().partial {
            let name = tasks.run().name();
            let note = format!("{name} is partial: {missing}; all numbers are those of what was recorded");
            blocks.push(text(note, Tone::Warning));
        }
    }
    let (x, y) = (a.summary(), b.summary());
    let pair = |name: &str, here: i64, there: i64| beside(name, here as f64, there as f64, unit);
    let mut rows = vec![
        beside("workers", x.workers.into(), y.workers.into(), Unit::Count),
        pair("elapsed", x.elapsed, y.elapsed),
        pair("work", x.work, y.work),
        pair("critical path", x.span, y.span),
        pair("delay", x.delay, y.delay),
        pair("no work", x.no_work, y.no_work),
        beside("tasks", x.tasks as f64, y.tasks as f64, Unit::Count),
    ];
    let told = comparison.facts().into_iter().filter(|(name, _)| *name != "work");
    rows.extend(
        told.map(|(name, text)| Fact::new(if name == "elapsed" { "speed" } else { name }, Cell::text(text))),
    );
    blocks.push(Block::Facts { rows });
    if !comparison.is_one_program() {
        blocks.push(text("Most grains have no counterpart; is it the same program?", Tone::Warning));
    }
    let grown: Vec<Row> =
        comparison.grown_in_order().into_iter().map(|grown| comparison.grown_row(grown, run)).collect();
    if !grown.is_empty() {
        blocks.push(head("Groups that work longer"));
        let columns = vec![
            wordy("group"),
            wordy("line"),
            counted("more", unit, "Work here less work there."),
            counted("there", unit, ""),
            counted("here", unit, ""),
        ];
        blocks.push(Block::Table { table: table(columns, grown) });
    }
    Ok(blocks)
}

/// How alike two groups are, of one run or of two: whether they have the same structure, and the similarity.
pub fn groups(here: (&Grains, NodeId), there: (&Grains, NodeId)) -> (bool, f64) {
    let same = here.0.shape(here.1) == there.0.shape(there.1);
    (same, Kernel::new(there.0, there.1).value(&Kernel::new(here.0, here.1)))
}
