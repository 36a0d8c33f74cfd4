//! `crosscut whatif`: how long a run would take on other numbers of workers, or if some of it were faster.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use crosscut_run::Clock;
use crosscut_tasks::grain::Grains;
use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Change, Point, Tasks, WhatIf};
use crosscut_tree::NodeId;
use crosscut_view::format::{count, three, time};
use serde_json::{Value, json};

use crate::words::{grain_id, many, parse_grain, share};
use crate::{output, runs};

/// Predict how long a run would take on other numbers of workers, or if some of it were faster.
#[derive(clap::Args)]
pub struct Args {
    /// The run.
    run: PathBuf,
    /// Numbers of workers, such as 1,2,4,8 [default: 1 to 256]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = workers, allow_negative_numbers = true)]
    workers: Vec<u32>,
    /// Let a node of the task tree, with all that is in it, run K times as fast, such as 17=2; g17=2 is the task of grain or
    /// group g17, as `report` and `compare` name them; may be given again.
    #[arg(long, value_name = "NODE=K", value_parser = faster, allow_negative_numbers = true)]
    faster: Vec<(Part, f64)>,
    /// Let creating tasks and waiting for them cost nothing.
    #[arg(long)]
    no_overhead: bool,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

fn workers(text: &str) -> Result<u32, String> {
    let most = WhatIf::MOST_WORKERS;
    let right = text.trim().parse().ok().filter(|workers| (1..=most).contains(workers));
    right.ok_or_else(|| format!("give numbers of workers from 1 to {most}, such as 1,2,4,8"))
}

/// A part of the run.
#[derive(Clone, Copy)]
enum Part {
    /// A node of the task tree.
    Node(NodeId),
    /// A grain or a group of the grain graph.
    Grain(NodeId),
}

fn faster(text: &str) -> Result<(Part, f64), String> {
    let part = |id: &str| match id.trim() {
        id if id.starts_with('g') => parse_grain(id).map(Part::Grain),
        id => id.parse().ok().map(|node| Part::Node(NodeId(node))),
    };
    let parts = text.split_once('=').and_then(|(id, k)| Some((part(id)?, k.trim().parse().ok()?)));
    match parts {
        Some((part, k)) if k > 0.0 => Ok((part, k)),
        Some(_) => Err("K must be above 0; 2 means twice as fast, 0.5 half as fast".to_owned()),
        None => Err("give a node of the task tree, or a grain or group, and how many times as fast it runs, such as 17=2 or g17=2".to_owned()),
    }
}

/// Parts as nodes of the task tree: of a grain or a group that of its task.
fn nodes(tasks: &Tasks, faster: &[(Part, f64)]) -> Result<Vec<(NodeId, f64)>> {
    // Only an id of the grain graph asks for that.
    let needs = faster.iter().any(|(part, _)| matches!(part, Part::Grain(_)));
    let grains = needs.then(|| Grains::new(tasks));
    let node = |&(part, k): &(Part, f64)| match (part, &grains) {
        (Part::Node(node), _) | (Part::Grain(node), None) => Ok((node, k)),
        (Part::Grain(id), Some(grains)) => {
            let count = grains.tree().node_count();
            if id.index() >= count {
                bail!("there is no {}: the run has grains and groups g0 to g{}", grain_id(id), count - 1);
            }
            Ok((grains.task(id), k))
        }
    };
    faster.iter().map(node).collect()
}

/// Says it.
pub fn run(args: Args) -> Result<()> {
    let run = runs::open(&args.run)?;
    if !run.manifest().facts.contains_key("tasks") {
        let name = args.run.display();
        bail!("{name}: this run has no tasks to replay; record or import a program that has some");
    }
    let tasks = Tasks::open(run)?;
    let answer = answer(&tasks, &args).with_context(|| args.run.display().to_string())?;
    output::line(&if args.json { format!("{:#}", answer.json()) } else { answer.lines().join("\n") })
}

/// A prediction that misses what was recorded by this factor is told to be doubtful.
const OFF: f64 = 1.5;

struct Answer<'a> {
    tasks: &'a Tasks,
    what: WhatIf<'a>,
    change: Change,
    /// What was asked for by `--faster`.
    parts: Vec<Part>,
    points: Vec<Point>,
    /// Work with what is faster, without overhead: what a speed-up compares with.
    work: i64,
    /// At the run's own P as it is, and as it would be with what is faster; none when that is too many workers.
    own: Option<(Point, Point)>,
}

fn answer<'a>(tasks: &'a Tasks, args: &Args) -> Result<Answer<'a>> {
    let what = WhatIf::new(tasks);
    let same = Change { faster: Vec::new(), overhead: !args.no_overhead };
    let change = Change { faster: nodes(tasks, &args.faster)?, ..same.clone() };
    let own = tasks.summary().workers.max(1);
    let own = (own <= WhatIf::MOST_WORKERS).then_some(own);
    let mut workers = if args.workers.is_empty() { WhatIf::WORKERS.to_vec() } else { args.workers.clone() };
    workers.extend(own);
    workers.sort_unstable();
    workers.dedup();
    let points = what.speedup_curve(&workers, &change)?;
    let work = what.bounds(&change.clone().without_overhead())?.work;
    let after = own.and_then(|own| points.iter().find(|point| point.workers == own)).copied();
    let own = match after {
        Some(after) if change == same => Some((after, after)),
        // As exact as the others, so that only the change makes a difference.
        Some(after) => {
            let budget = if after.exact { usize::MAX } else { WhatIf::BUDGET / workers.len() };
            let before = what.curve_within(budget, &[after.workers], &same)?;
            before.first().map(|&before| (before, after))
        }
        None => None,
    };
    let parts = args.faster.iter().map(|&(part, _)| part).collect();
    Ok(Answer { tasks, what, change, parts, points, work, own })
}

impl Answer<'_> {
    fn clock(&self) -> Clock {
        self.tasks.clock()
    }

    fn time(&self, value: i64) -> String {
        time(value as f64, self.clock())
    }

    /// Against the same work on one worker, without any overhead.
    fn speedup(&self, elapsed: i64) -> f64 {
        if elapsed == 0 { 0.0 } else { self.work as f64 / elapsed as f64 }
    }

    fn lines(&self) -> Vec<String> {
        let summary = self.tasks.summary();
        let mut lines = vec![format!(
            "{}: {}, recorded in {} on {}",
            self.tasks.run().path().display(),
            many(summary.tasks as usize, "task"),
            self.time(summary.elapsed),
            on(summary.workers),
        )];
        if let Some(missing) = runs::partial(self.tasks.run()) {
            lines.push(format!("  partial     {missing}"));
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
        for (&(node, k), part) in self.change.faster.iter().zip(&self.parts) {
            let k =
                if k == 1.0 { "as fast as it is".to_owned() } else { format!("{} times as fast", three(k)) };
            let of = match part {
                Part::Grain(id) => format!(", the task of {},", grain_id(*id)),
                Part::Node(_) => String::new(),
            };
            let title = self.tasks.title(node);
            lines.push(format!("  what if     node {} ({title}){of} were {k}", node.0));
        }
        lines.push(String::new());
        lines.extend(self.table());
        lines.push(String::new());
        lines.extend(self.verdict());
        lines
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
        if !self.change.faster.is_empty() {
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

    /// The keys that scripts rely on.
    fn json(&self) -> Value {
        let summary = self.tasks.summary();
        let overhead = self.what.overhead();
        let point = |point: &Point| {
            let speedup = self.speedup(point.elapsed);
            json!({
                "workers": point.workers,
                "elapsed_ns": point.elapsed,
                "speedup": speedup,
                "efficiency": speedup / f64::from(point.workers),
                "low_ns": point.low,
                "high_ns": point.high,
                "exact": point.exact,
            })
        };
        let faster = self.change.faster.iter().map(|(node, k)| json!({ "node": node.0, "k": k }));
        let mut json = json!({
            "clock": self.clock().unit(),
            "partial": self.tasks.run().manifest().partial.is_some(),
            "workers": summary.workers,
            "elapsed_ns": summary.elapsed,
            "work_ns": summary.work,
            "span_ns": summary.span,
            "changed_work_ns": self.work,
            "overhead": {
                "counted": self.change.overhead,
                "create_ns": overhead.create,
                "sync_ns": overhead.sync,
            },
            "faster": faster.collect::<Vec<_>>(),
            "points": self.points.iter().map(point).collect::<Vec<_>>(),
        });
        if let Some((before, after)) = &self.own {
            json["before"] = point(before);
            json["after"] = point(after);
            json["gained_ns"] = json!(before.elapsed - after.elapsed);
        }
        json
    }
}

fn on(workers: u32) -> String {
    many(workers as usize, "worker")
}

/// By how much one time differs from another.
fn difference(from: i64, to: i64) -> String {
    let share = share((to - from).abs() as f64, from as f64);
    match to.cmp(&from) {
        std::cmp::Ordering::Less => format!("{share} less"),
        std::cmp::Ordering::Equal => "the same".to_owned(),
        std::cmp::Ordering::Greater => format!("{share} more"),
    }
}
