//! How long a run would take on other numbers of workers, or if some of it were faster: `crosscut whatif`, as text and for
//! scripts. The picture of it is in `charts`.

use std::str::FromStr;

use crosscut_scene::format::{count, three};
use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Change, Point, Tasks, WhatIf, WhatIfError};
use crosscut_tree::NodeId;
use crosscut_workbench::Refusal;
use serde::Serialize;

use super::opened::Opened;
use super::words::{difference, grain_id, many, parse_grain, share, time_text};

/// The most workers that are predicted.
pub const MOST_WORKERS: u32 = WhatIf::MOST_WORKERS;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Numbers of workers; the usual ones where none are given.
    pub workers: Vec<u32>,
    /// Parts that run so many times as fast.
    pub faster: Vec<(Part, f64)>,
    /// Creating tasks and waiting for them costs what it did.
    pub overhead: bool,
}

/// A part of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A node of the task tree.
    Node(NodeId),
    /// A grain or a group of the grain graph.
    Grain(NodeId),
    /// All intervals that began at a source line: the end of a file's name, and the line.
    Line(String, i64),
}

impl FromStr for Part {
    type Err = ();

    /// `17` is a node, `g17` a grain or a group, `sort.c:26` a source line.
    fn from_str(text: &str) -> Result<Self, ()> {
        if let Some((file, line)) = text.trim().rsplit_once(':') {
            let line: i64 = line.parse().map_err(|_| ())?;
            return if file.is_empty() || line <= 0 {
                Err(())
            } else {
                Ok(Part::Line(file.to_owned(), line))
            };
        }
        match text.trim() {
            id if id.starts_with('g') => parse_grain(id).map(Part::Grain),
            id => id.parse().ok().map(|node| Part::Node(NodeId(node))),
        }
        .ok_or(())
    }
}

/// What `crosscut whatif --json` says. Times are in the clock's unit, whatever their names say.
#[derive(Debug, Serialize)]
pub struct Figures {
    clock: &'static str,
    partial: bool,
    workers: u32,
    elapsed_ns: i64,
    work_ns: i64,
    span_ns: i64,
    changed_work_ns: i64,
    overhead: OverheadFigures,
    faster: Vec<Faster>,
    points: Vec<PointFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<PointFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<PointFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gained_ns: Option<i64>,
}

#[derive(Debug, Serialize)]
struct OverheadFigures {
    counted: bool,
    create_ns: i64,
    sync_ns: i64,
}

#[derive(Debug, Serialize)]
struct Faster {
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<u32>,
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    k: f64,
}

#[derive(Debug, Serialize)]
struct PointFigures {
    workers: u32,
    elapsed_ns: i64,
    speedup: f64,
    efficiency: f64,
    low_ns: i64,
    high_ns: i64,
    exact: bool,
}

/// A prediction that misses what was recorded by this factor is doubtful.
const OFF: f64 = 1.5;

/// What was predicted.
#[derive(Debug)]
pub struct Answer<'a> {
    tasks: &'a Tasks,
    what: WhatIf<'a>,
    change: Change,
    /// What was asked for by `--faster`.
    parts: Vec<(Part, f64)>,
    points: Vec<Point>,
    /// Work with what is faster, without overhead: what a speed-up compares with.
    work: i64,
    /// At the run's own P as it is, and as it would be with what is faster; none when that is too many workers.
    own: Option<(Point, Point)>,
}

/// Predicts it.
pub fn answer<'a>(opened: &'a Opened, wish: &Wish) -> Result<Answer<'a>, Refusal> {
    let tasks = &opened.tasks;
    let what = WhatIf::new(tasks);
    let refused = |error: WhatIfError| Refusal::new(error.to_string());
    let same = Change { overhead: wish.overhead, ..Change::default() };
    let change =
        Change { faster: nodes(opened, &wish.faster)?, lines: lines(opened, &wish.faster)?, ..same.clone() };
    let own = tasks.summary().workers.max(1);
    let own = (own <= WhatIf::MOST_WORKERS).then_some(own);
    let mut workers = if wish.workers.is_empty() { WhatIf::WORKERS.to_vec() } else { wish.workers.clone() };
    workers.extend(own);
    workers.sort_unstable();
    workers.dedup();
    let points = what.speedup_curve(&workers, &change).map_err(refused)?;
    let work = what.bounds(&change.clone().without_overhead()).map_err(refused)?.work;
    let after = own.and_then(|own| points.iter().find(|point| point.workers == own)).copied();
    let own = match after {
        Some(after) if change == same => Some((after, after)),
        // As exact as the others, so that only the change makes a difference.
        Some(after) => {
            let budget = if after.exact { usize::MAX } else { WhatIf::BUDGET / workers.len() };
            let before = what.curve_within(budget, &[after.workers], &same).map_err(refused)?;
            before.first().map(|&before| (before, after))
        }
        None => None,
    };
    let parts = wish.faster.clone();
    Ok(Answer { tasks, what, change, parts, points, work, own })
}

/// Parts as nodes of the task tree: of a grain or a group that of its task.
fn nodes(opened: &Opened, faster: &[(Part, f64)]) -> Result<Vec<(NodeId, f64)>, Refusal> {
    let node = |(part, k): &(Part, f64)| match part {
        Part::Line(..) => Ok(None),
        Part::Node(node) => Ok(Some((*node, *k))),
        // Only an id of the grain graph asks for that.
        &Part::Grain(id) => {
            let grains = &opened.grains().grains;
            let (count, id_text) = (grains.tree().node_count(), grain_id(id));
            if id.index() >= count {
                let last = count - 1;
                return Err(Refusal::new(format!(
                    "there is no {id_text}: the run has grains and groups g0 to g{last}"
                )));
            }
            Ok(Some((grains.task(id), *k)))
        }
    };
    faster.iter().filter_map(|part| node(part).transpose()).collect()
}

/// Source lines by their numbers: every function that has something on that line.
fn lines(opened: &Opened, faster: &[(Part, f64)]) -> Result<Vec<(u32, f64)>, Refusal> {
    let sources = opened.tasks.sources();
    let mut found = Vec::new();
    for (part, k) in faster {
        let Part::Line(file, line) = part else { continue };
        let is = |id: &u32| {
            sources.get(*id).is_some_and(|source| {
                source.line == *line && (source.file == *file || source.file.ends_with(&format!("/{file}")))
            })
        };
        let before = found.len();
        found.extend((0..sources.source_count() as u32).filter(is).map(|id| (id, *k)));
        if found.len() == before {
            return Err(Refusal::new(format!(
                "nothing began at {file}:{line}; `crosscut report` names lines"
            )));
        }
    }
    Ok(found)
}

impl Answer<'_> {
    fn time(&self, value: i64) -> String {
        time_text(value, self.tasks.clock())
    }

    /// Against the same work on one worker, without any overhead.
    fn speedup(&self, elapsed: i64) -> f64 {
        if elapsed == 0 { 0.0 } else { self.work as f64 / elapsed as f64 }
    }

    /// For people on a terminal.
    pub fn lines(&self) -> Vec<String> {
        let summary = self.tasks.summary();
        let mut lines = vec![format!(
            "{}: {}, recorded in {} on {}",
            self.tasks.run().path().display(),
            many(summary.tasks as usize, "task"),
            self.time(summary.elapsed),
            on(summary.workers),
        )];
        if let Some(missing) = &self.tasks.run().manifest().partial {
            lines.push(format!("  partial     {missing}; all numbers are those of what was recorded"));
        }
        let overhead = self.what.overhead();
        lines.push(if summary.tasks == 0 {
            "  overhead    none: no tasks were created".to_owned()
        } else if self.change.overhead {
            let (create, sync) = (self.time(overhead.create), self.time(overhead.sync));
            format!("  overhead    {create} to create a task, {sync} to wait for it, as measured in this run")
        } else {
            "  overhead    none counted".to_owned()
        });
        if self.has_chunks() {
            lines.push(
                "  loops       chunks stay with the workers that ran them: more workers do not shorten a loop"
                    .to_owned(),
            );
        }
        let mut nodes = self.change.faster.iter();
        for (part, k) in &self.parts {
            let k = if *k == 1.0 {
                "as fast as it is".to_owned()
            } else {
                format!("{} times as fast", three(*k))
            };
            let what = match part {
                Part::Line(file, line) => format!("{file}:{line}"),
                part => {
                    let Some(&(node, _)) = nodes.next() else { continue };
                    let of = match part {
                        Part::Grain(id) => format!(", the task of {},", grain_id(*id)),
                        _ => String::new(),
                    };
                    format!("node {} ({}){of}", node.0, self.tasks.title(node))
                }
            };
            lines.push(format!("  what if     {what} were {k}"));
        }
        lines.push(String::new());
        lines.extend(self.table());
        lines.push(String::new());
        lines.extend(self.verdict());
        lines
    }

    fn faster(&self) -> impl Iterator<Item = Faster> {
        let nodes = self.change.faster.iter().map(|&(node, k)| Faster { node: Some(node.0), line: None, k });
        let lines = self.parts.iter().filter_map(|(part, k)| match part {
            Part::Line(file, line) => {
                Some(Faster { node: None, line: Some(format!("{file}:{line}")), k: *k })
            }
            _ => None,
        });
        nodes.chain(lines)
    }

    fn has_chunks(&self) -> bool {
        self.tasks.count(self.tasks.tree().range(NodeId::ROOT), Kind::Chunk) > 0
    }

    /// Why the prediction misses what was recorded, if it does by more than a half.
    fn doubt(&self, recorded: i64, predicted: i64) -> Option<String> {
        let (recorded, predicted) = (recorded as f64, predicted as f64);
        let summary = self.tasks.summary();
        if recorded > OFF * predicted {
            let all = recorded * f64::from(summary.workers.max(1));
            let delay = summary.delay as f64;
            let reason = if delay >= all / 10.0 {
                format!(
                    "work was ready for {} of the workers' time and did not run (threads that slept or were \
                     preempted, tasks that are bound to threads or held back), and a replay has nothing of that",
                    share(delay, all)
                )
            } else {
                "the gaps between intervals, in which nothing was recorded, are not replayed".to_owned()
            };
            return Some(format!("That is far off, so take the table as what could be at best: {reason}."));
        }
        if predicted > OFF * recorded {
            let reason = if self.change.overhead && summary.tasks > 0 {
                "the overhead that is counted for each task is more than what most of them cost; --no-overhead \
                 leaves it out"
            } else {
                "in the file, workers did several things at once, which a replay does not"
            };
            return Some(format!("That is far off, so compare rows with each other only: {reason}."));
        }
        None
    }

    fn table(&self) -> Vec<String> {
        let titles = ["workers", "predicted", "speed-up", "efficiency", "at best", "at worst"];
        let mut rows = vec![titles.map(str::to_owned)];
        rows.extend(self.points.iter().map(|point| {
            let speedup = self.speedup(point.elapsed);
            [
                count(point.workers.into()),
                self.time(point.elapsed),
                three(speedup),
                share(speedup, f64::from(point.workers)),
                self.time(point.low),
                self.time(point.high),
            ]
        }));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; 6] = std::array::from_fn(width);
        let mut lines: Vec<String> = Vec::new();
        for (row, point) in rows.iter().zip(std::iter::once(None).chain(self.points.iter().map(Some))) {
            let mine = point.is_some_and(|point| self.own.is_some_and(|own| own.1.workers == point.workers));
            let cells: Vec<String> =
                row.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
            let estimate = point.is_some_and(|point| !point.exact);
            lines.push(format!(
                "{} {}{}",
                if mine { "→" } else { " " },
                cells.join("  "),
                if estimate { "  estimate" } else { "" }
            ));
        }
        lines
    }

    fn verdict(&self) -> Vec<String> {
        let Some((before, after)) = self.own else {
            return vec![format!(
                "The run had more than {} workers: its own number is not predicted.",
                WhatIf::MOST_WORKERS
            )];
        };
        let recorded = self.tasks.summary().elapsed;
        let mut lines = vec![format!(
            "Recorded on {}: {}. Predicted for it as it is: {}, {}.",
            on(before.workers),
            self.time(recorded),
            self.time(before.elapsed),
            difference(recorded, before.elapsed),
        )];
        lines.extend(self.doubt(recorded, before.elapsed));
        if !self.parts.is_empty() {
            lines.push(format!(
                "With what is faster: {} instead of {}, {}; a gain of {}.",
                self.time(after.elapsed),
                self.time(before.elapsed),
                difference(before.elapsed, after.elapsed),
                self.time(before.elapsed - after.elapsed),
            ));
        }
        lines
    }

    /// For scripts.
    pub fn figures(&self) -> Figures {
        let (summary, overhead) = (self.tasks.summary(), self.what.overhead());
        let own = self.own.as_ref();
        Figures {
            clock: self.tasks.clock().unit(),
            partial: self.tasks.run().manifest().partial.is_some(),
            workers: summary.workers,
            elapsed_ns: summary.elapsed,
            work_ns: summary.work,
            span_ns: summary.span,
            changed_work_ns: self.work,
            overhead: OverheadFigures {
                counted: self.change.overhead,
                create_ns: overhead.create,
                sync_ns: overhead.sync,
            },
            faster: self.faster().collect(),
            points: self.points.iter().map(|point| self.point(point)).collect(),
            before: own.map(|(before, _)| self.point(before)),
            after: own.map(|(_, after)| self.point(after)),
            gained_ns: own.map(|(before, after)| before.elapsed - after.elapsed),
        }
    }

    fn point(&self, point: &Point) -> PointFigures {
        let speedup = self.speedup(point.elapsed);
        PointFigures {
            workers: point.workers,
            elapsed_ns: point.elapsed,
            speedup,
            efficiency: speedup / f64::from(point.workers),
            low_ns: point.low,
            high_ns: point.high,
            exact: point.exact,
        }
    }
}

fn on(workers: u32) -> String {
    many(workers as usize, "worker")
}
