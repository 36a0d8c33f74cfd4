//! Two runs of one program: whether they have the same structure, which grains and groups work longer.

use std::collections::BTreeMap;

use crosscut_scene::format::{count, three};
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Deviation, Grains, Growth, Kernel, Problem, ProblemReport, growth};
use crosscut_tree::{NodeId, Unit};
use crosscut_workbench::sheet::Tone;
use crosscut_workbench::{
    Block, Cell, Compared, Fact, Look, Refusal, Row, RowState, Selection, Table, line_nodes, object,
};
use serde::Serialize;

use super::forest_grains::TREE;
use super::lines::Line;
use super::opened::Opened;
use super::overview::capacity;
use super::sheets::{counted, head, table, text, wordy};
use super::words::{self, grain_id, many, share, time_text};
use crate::account::HEIGHT;

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

/// What `crosscut compare --json` says.
#[derive(Debug, Serialize)]
pub struct Figures {
    baseline: Side,
    run: Side,
    same_structure: bool,
    similarity: f64,
    matched: usize,
    work_ratio: f64,
    work_deviation: Deviated,
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

/// Refuses runs whose clocks differ.
fn one_clock(here: &Tasks, there: &Tasks) -> Result<(), Refusal> {
    if here.clock() == there.clock() {
        return Ok(());
    }
    Err(Refusal::new(format!(
        "{} counts in {}, {} in {}: their times cannot be compared",
        there.run().path().display(),
        there.clock().unit(),
        here.run().path().display(),
        here.clock().unit()
    )))
}

impl<'a> Comparison<'a> {
    /// Of a run with another one; refused where their clocks differ.
    pub fn new(here: &'a Opened, there: &'a Opened) -> Result<Self, Refusal> {
        let (a, b) = ((&here.tasks, &here.grains().grains), (&there.tasks, &there.grains().grains));
        one_clock(a.0, b.0)?;
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

    /// Why the other run is no baseline of this one; none where it is one.
    fn no_baseline(&self) -> Option<String> {
        let (workers, others) = (self.here.1.workers(), self.there.1.workers());
        if !self.is_one_program() {
            return Some("most grains have no counterpart; is it the same program?".to_owned());
        }
        (others > workers).then(|| {
            format!(
                "it has more workers than the run ({} against {}), so that work deviation would mean little; \
                 --baseline takes it all the same",
                count(others.into()),
                count(workers.into())
            )
        })
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

    /// For scripts.
    pub fn json(&self) -> Figures {
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
        Figures {
            baseline: side(self.there),
            run: side(self.here),
            same_structure: self.deviation.same_structure,
            similarity: self.alike,
            matched: self.deviation.matched,
            work_ratio: self.ratio(),
            work_deviation: Deviated { threshold, grains, time_lost_ns },
            grown: self.grown.iter().map(grown).collect(),
        }
    }

    /// "sort8 takes 12.4 ms on 8 workers, sort1 82.8 ms on 1: 6.68 times as fast".
    pub fn headline(&self) -> String {
        let ((a, here), (b, there)) = (self.here, self.there);
        let elapsed = |tasks: &Tasks| tasks.summary().elapsed;
        format!(
            "{} takes {} on {}, {} {} on {}: {}",
            a.run().name(),
            self.time(elapsed(a)),
            many(here.workers() as usize, "worker"),
            b.run().name(),
            self.time(elapsed(b)),
            count(there.workers().into()),
            words::speed(elapsed(b) as f64 / elapsed(a).max(1) as f64)
        )
    }

    /// How alike they are: elapsed time, structure, grains that match.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let ((tasks, grains), (other, others)) = (self.here, self.there);
        let elapsed = |tasks: &Tasks| tasks.summary().elapsed;
        vec![
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
        ]
    }

    /// How they differ, if anything matches: work and its deviation.
    pub fn differences(&self) -> Vec<(&'static str, String)> {
        let grains = self.here.1;
        if self.deviation.matched == 0 {
            return Vec::new();
        }
        let work = format!(
            "{} against {}: × {}",
            self.time(self.deviation.work.0),
            self.time(self.deviation.work.1),
            three(self.ratio())
        );
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
        vec![("work", work), ("work deviation", deviation)]
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

    /// What grew as text, if anything matches, further in what stands in a group that is named.
    pub fn grown_lines(&self) -> Vec<String> {
        let grains = self.here.1;
        if self.deviation.matched == 0 {
            return Vec::new();
        }
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
pub fn beside(name: &str, here: f64, there: f64, unit: Unit) -> Fact {
    let text = |value: f64| crosscut_scene::format::quantity(value, unit);
    let change = if there > 0.0 { format!(" (× {})", three(here / there)) } else { String::new() };
    let text = format!("{} against {}{change}", text(here), text(there));
    Fact::new(name, Cell::Difference { here, there, text })
}

/// What `crosscut compare` says, as blocks: the sentence, both accounts on one scale, lines and workers that differ most, both
/// runs on one axis of time, then the figures.
pub fn blocks(
    here: &Opened,
    there: &Opened,
    (run, other): (usize, Option<usize>),
) -> Result<Vec<Block>, Refusal> {
    let comparison = Comparison::new(here, there)?;
    let (a, b) = (&here.tasks, &there.tasks);
    let unit = words::unit(a.clock());
    let mut blocks = vec![text(comparison.headline(), Tone::Headline)];
    for tasks in [a, b] {
        if let Some(missing) = &tasks.run().manifest().partial {
            let name = tasks.run().name();
            let note = format!("{name} is partial: {missing}; all numbers are those of what was recorded");
            blocks.push(text(note, Tone::Warning));
        }
    }
    let (x, y) = (a.summary(), b.summary());
    let both = |view: &str, scale: (&str, f64), height: f32| -> Vec<Block> {
        let show = |(run, tasks): (usize, &Tasks)| {
            let mut look = Look::of(view, run);
            look.options.insert(scale.0.to_owned(), format!("{}", scale.1));
            Block::Show { title: tasks.run().name(), look: Box::new(look), height, slow: false }
        };
        let runs = std::iter::once((run, a)).chain(other.map(|other| (other, b)));
        runs.map(show).collect()
    };
    blocks.extend(both("tasks.account", ("whole", capacity(x).max(capacity(y))), HEIGHT));
    blocks.push(head("By source line, largest difference first"));
    blocks.push(Block::Table { table: by_line(here, there, run) });
    if x.workers == y.workers && x.workers > 1 {
        blocks.push(head("By worker"));
        blocks.push(Block::Table { table: by_worker(a, b) });
    }
    blocks.push(head("On one axis of time"));
    blocks.extend(both("tasks.strip", ("until", x.elapsed.max(y.elapsed) as f64), 96.0));
    blocks.push(head("Figures"));
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
    let told = comparison.facts().into_iter().chain(comparison.differences());
    let told = told.filter(|(name, _)| *name != "work");
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

/// Lines and workers that are listed.
const LISTED: usize = 16;

/// A value of both runs, with how they differ.
fn both(here: f64, there: f64, unit: Unit) -> Cell {
    beside("", here, there, unit).value
}

/// Work by source line, the line with the largest difference first. Lines are the same if their files have the same name.
fn by_line(here: &Opened, there: &Opened, run: usize) -> Table {
    let unit = words::unit(here.tasks.clock());
    let nodes = line_nodes(here.tasks.sources());
    let mut lines: BTreeMap<String, [Option<(usize, Line)>; 2]> = BTreeMap::new();
    for (side, opened) in [here, there].into_iter().enumerate() {
        for (id, line) in opened.lines().lines.iter().enumerate().filter(|(_, line)| line.intervals > 0) {
            let Some(source) = opened.tasks.sources().get(id as u32) else { continue };
            // Several functions may have something on one line.
            match &mut lines.entry(source.short()).or_default()[side] {
                Some((_, sum)) => sum.add(line),
                none => *none = Some((id, line.clone())),
            }
        }
    }
    let of = |side: &Option<(usize, Line)>, value: fn(&Line) -> f64| {
        side.as_ref().map_or(0.0, |(_, line)| value(line))
    };
    let apart = |sides: &[Option<(usize, Line)>; 2]| {
        let work = |side| of(side, |line| line.work as f64);
        (work(&sides[0]) - work(&sides[1])).abs()
    };
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_by(|(_, a), (_, b)| apart(b).total_cmp(&apart(a)));
    let rows = lines.into_iter().take(LISTED).map(|(name, [a, b])| {
        let difference = |value: fn(&Line) -> f64, unit| both(of(&a, value), of(&b, value), unit);
        let id = a.as_ref().map(|(id, _)| *id);
        let line = id.and_then(|id| here.tasks.sources().get(id as u32));
        let line = line.map_or_else(|| Cell::text(name.clone()), words::line);
        let selection = id.map(|id| Selection::node(run, "lines", NodeId(nodes[id])));
        let cells = vec![
            line,
            difference(|line| line.work as f64, unit),
            difference(|line| line.intervals as f64, Unit::Count),
            difference(|line| line.median().unwrap_or(0.0), unit),
            difference(|line| line.largest as f64, unit),
        ];
        Row { cells, selection, depth: 0, state: RowState::default() }
    });
    let columns = vec![wordy("line"), wordy("work"), wordy("count"), wordy("median"), wordy("largest")];
    table(columns, rows.collect())
}

/// Busy time by worker, the one with the largest difference first.
fn by_worker(here: &Tasks, there: &Tasks) -> Table {
    let unit = words::unit(here.clock());
    let pairs = here.summary().busy.iter().zip(&there.summary().busy);
    let mut pairs: Vec<(usize, (&i64, &i64))> = pairs.enumerate().collect();
    pairs.sort_by_key(|(_, (a, b))| std::cmp::Reverse(a.abs_diff(**b)));
    let rows = pairs.into_iter().take(LISTED).map(|(worker, (a, b))| {
        let cells = vec![Cell::text(format!("worker {worker}")), both(*a as f64, *b as f64, unit)];
        Row { cells, selection: None, depth: 0, state: RowState::default() }
    });
    table(vec![wordy("worker"), wordy("busy")], rows.collect())
}

/// What `crosscut compare` says, as text and for scripts.
pub fn compared(here: &Opened, there: &Opened) -> Result<Compared, Refusal> {
    if let Some(other) = here.asked.iter().find(|&&problem| problem != Problem::WorkDeviation) {
        return Err(Refusal::new(format!(
            "--threshold {other}: a comparison looks at work-deviation alone; `crosscut report` takes the others"
        )));
    }
    let comparison = Comparison::new(here, there)?;
    let facts = |list: Vec<(&str, String)>| -> Vec<Fact> {
        list.into_iter().map(|(name, text)| Fact::new(name, Cell::text(text))).collect()
    };
    Ok(Compared {
        facts: facts(comparison.facts()),
        differences: facts(comparison.differences()),
        lines: comparison.grown_lines(),
        json: object(&comparison.json())?,
        no_baseline: comparison.no_baseline(),
    })
}

/// Whether two groups have the same structure, and how alike they are.
#[derive(Debug, Serialize)]
pub struct Alike {
    same_structure: bool,
    similarity: f64,
    #[serde(skip)]
    names: [String; 2],
}

impl Alike {
    /// In a line.
    pub fn line(&self) -> String {
        let structure = if self.same_structure { "the same structure" } else { "not the same structure" };
        let [one, other] = &self.names;
        let similarity = words::similarity(self.same_structure, self.similarity);
        format!("{one} and {other}: {structure}, similarity {similarity}")
    }
}

/// How alike two groups are, of one run or of two.
pub fn groups(one: (&Opened, NodeId), other: (&Opened, NodeId)) -> Result<Alike, Refusal> {
    one_clock(&other.0.tasks, &one.0.tasks)?;
    let known = |(opened, node): (&Opened, NodeId)| {
        let (name, nodes) = (opened.tasks.run().name(), opened.grains().grains.tree().node_count());
        if node.index() < nodes {
            return Ok(());
        }
        let id = grain_id(node);
        Err(Refusal::new(format!(
            "{name}: there is no group {id}; groups and grains are g0 to g{}",
            nodes - 1
        )))
    };
    known(one)?;
    known(other)?;
    let name = |(opened, node): (&Opened, NodeId)| {
        let grains = &opened.grains().grains;
        let inside = many(grains.grain_range(node).len(), "grain");
        format!("{} {} of {} ({inside})", grains.kind(node).word(), grain_id(node), opened.tasks.run().name())
    };
    let (a, b) = (&one.0.grains().grains, &other.0.grains().grains);
    Ok(Alike {
        same_structure: a.shape(one.1) == b.shape(other.1),
        similarity: Kernel::new(a, one.1).value(&Kernel::new(b, other.1)),
        names: [name(one), name(other)],
    })
}
