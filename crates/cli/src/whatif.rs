//! `crosscut whatif`: how long a run would take on other numbers of workers, or if some of it were faster.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use crosscut_run::{Clock, Run};
use crosscut_tasks::{Change, Point, Tasks, WhatIf};
use crosscut_tree::NodeId;
use crosscut_view::format::{count, percent, three, time};
use serde_json::{Value, json};

use crate::output;

/// Predict how long a run would take on other numbers of workers, or if some of it were faster.
#[derive(clap::Args)]
pub struct Args {
    /// The run.
    run: PathBuf,
    /// Numbers of workers, such as 1,2,4,8 [default: 1 to 256]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = workers)]
    workers: Vec<u32>,
    /// Let a node of the task tree, with all that is in it, run K times as fast, such as 17=2; may be given again.
    #[arg(long, value_name = "NODE=K", value_parser = faster)]
    faster: Vec<(NodeId, f64)>,
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

fn faster(text: &str) -> Result<(NodeId, f64), String> {
    let parts = text.split_once('=').and_then(|(node, k)| Some((node.parse().ok()?, k.parse().ok()?)));
    match parts {
        Some((node, k)) if k > 0.0 => Ok((NodeId(node), k)),
        Some(_) => Err("K must be above 0; 2 means twice as fast, 0.5 half as fast".to_owned()),
        None => Err("give the number of a node and how many times as fast it runs, such as 17=2".to_owned()),
    }
}

/// Says it.
pub fn run(args: Args) -> Result<()> {
    let run = Run::open(&args.run)?;
    if !run.manifest().facts.contains_key("tasks") {
        let name = args.run.display();
        bail!("{name}: this run has no tasks to replay; record or import a program that has some");
    }
    let tasks = Tasks::open(run)?;
    let answer = answer(&tasks, &args).with_context(|| args.run.display().to_string())?;
    output::line(&if args.json { format!("{:#}", answer.json()) } else { answer.lines().join("\n") })
}

struct Answer<'a> {
    tasks: &'a Tasks,
    what: WhatIf<'a>,
    change: Change,
    points: Vec<Point>,
    /// Work with what is faster, without overhead: what a speed-up compares with.
    work: i64,
    /// At the run's own P as it is, and as it would be with what is faster; none when that is too many workers.
    own: Option<(Point, Point)>,
}

fn answer<'a>(tasks: &'a Tasks, args: &Args) -> Result<Answer<'a>> {
    let what = WhatIf::new(tasks);
    let same = Change { faster: Vec::new(), overhead: !args.no_overhead };
    let change = Change { faster: args.faster.clone(), ..same.clone() };
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
    Ok(Answer { tasks, what, change, points, work, own })
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
            "{}: {} tasks, recorded in {} on {}",
            self.tasks.run().path().display(),
            count(summary.tasks),
            self.time(summary.elapsed),
            on(summary.workers),
        )];
        let overhead = self.what.overhead();
        lines.push(if self.change.overhead {
            let (create, sync) = (self.time(overhead.create), self.time(overhead.sync));
            format!("  overhead    {create} to create a task, {sync} to wait for it, as measured in this run")
        } else {
            "  overhead    none counted".to_owned()
        });
        for &(node, k) in &self.change.faster {
            let k =
                if k == 1.0 { "as fast as it is".to_owned() } else { format!("{} times as fast", three(k)) };
            lines.push(format!("  what if     node {} ({}) were {k}", node.0, self.tasks.title(node)));
        }
        lines.push(String::new());
        lines.extend(self.table());
        lines.push(String::new());
        lines.extend(self.verdict());
        lines
    }

    fn table(&self) -> Vec<String> {
        let titles = ["workers", "predicted", "speed-up", "efficiency", "at best", "at worst"];
        let mut rows = vec![titles.map(str::to_owned)];
        rows.extend(self.points.iter().map(|point| {
            let speedup = self.speedup(point.elapsed);
            [
                point.workers.to_string(),
                self.time(point.elapsed),
                three(speedup),
                percent(speedup, f64::from(point.workers)),
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
    if workers == 1 { "1 worker".to_owned() } else { format!("{workers} workers") }
}

/// By how much one time differs from another.
fn difference(from: i64, to: i64) -> String {
    let share = percent((to - from).abs() as f64, from as f64);
    match to.cmp(&from) {
        std::cmp::Ordering::Less => format!("{share} less"),
        std::cmp::Ordering::Equal => "the same".to_owned(),
        std::cmp::Ordering::Greater => format!("{share} more"),
    }
}
