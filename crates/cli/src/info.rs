//! `crosscut info`: what is inside a run, for people in about ten lines, for scripts as JSON.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use crosscut_run::{Clock, Damage, Manifest, Run};
use crosscut_tasks::{Summary, Tasks};
use crosscut_tree::NodeId;
use crosscut_view::format::{THIN, count, three, time};
use serde_json::{Value, json};

use crate::words::{many, share};
use crate::{output, runs};

/// Say what is inside a run.
#[derive(clap::Args)]
pub struct Args {
    /// The run.
    run: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// Read every byte and name the parts that are damaged.
    #[arg(long)]
    check: bool,
}

/// Says it; a damaged run is an error.
pub fn run(args: Args) -> Result<()> {
    let run = runs::open(&args.run)?;
    let damages = if args.check { run.check() } else { Vec::new() };
    if !damages.is_empty() {
        if args.json {
            let damages: Vec<Value> = damages.iter().map(damage_json).collect();
            let json = json!({ "crosscut": run.manifest().crosscut, "damaged": damages });
            output::line(&format!("{json:#}"))?;
        }
        let name = args.run.display();
        let list: Vec<String> =
            damages.iter().map(|d| format!("\n  {} ({}): {}", d.part, d.file, d.why)).collect();
        bail!(
            "{name}: damaged; record or import it again. These parts are not as they were written:{}",
            list.concat()
        );
    }
    let checked = args.check.then(|| run.manifest().all_parts().count());
    let contents = Contents::of(run)?;
    let text =
        if args.json { format!("{:#}", contents.json(checked)) } else { contents.lines(checked).join("\n") };
    output::line(&text)
}

/// What `info --json` says, for the commands that say more.
pub fn json(run: &Path) -> Result<Value> {
    Ok(Contents::of(runs::open(run)?)?.json(None))
}

/// A new run in a line, for the commands that make one.
pub fn one_line(run: Run) -> Result<String> {
    let name = run.path().display().to_string();
    let contents = Contents::of(run)?;
    Ok(match contents.tasks() {
        None => format!("{name}: no tasks"),
        Some(s) => format!(
            "{name}: {}, {} on {}, {} elapsed",
            many(s.nodes as usize, "node"),
            many(s.tasks as usize, "task"),
            many(s.workers as usize, "worker"),
            time(s.elapsed as f64, contents.run().manifest().clock),
        ),
    })
}

/// A recorded run in a line: with what it takes on disk.
pub fn recorded_line(run: Run) -> Result<String> {
    let size = bytes(run.bytes());
    Ok(format!("{}, {size} on disk", one_line(run)?))
}

/// An open run: with its tasks, or without any.
enum Contents {
    Tasks(Box<Tasks>),
    Nothing(Box<Run>),
}

impl Contents {
    fn of(run: Run) -> Result<Self> {
        Ok(if run.manifest().facts.contains_key("tasks") {
            Contents::Tasks(Box::new(Tasks::open(run)?))
        } else {
            Contents::Nothing(Box::new(run))
        })
    }

    fn run(&self) -> &Run {
        match self {
            Contents::Tasks(tasks) => tasks.run(),
            Contents::Nothing(run) => run,
        }
    }

    fn tasks(&self) -> Option<&Summary> {
        match self {
            Contents::Tasks(tasks) => Some(tasks.summary()),
            Contents::Nothing(_) => None,
        }
    }

    /// Workers of all processes; that one of them ran on several cores does not make it several places.
    fn places(&self) -> usize {
        match self {
            Contents::Tasks(tasks) => tasks.places().worker_count(),
            Contents::Nothing(_) => 0,
        }
    }

    /// The keys that scripts rely on (`docs`: the JSON of `info`).
    fn json(&self, checked: Option<usize>) -> Value {
        let manifest = self.run().manifest();
        let mut json = json!({
            "crosscut": manifest.crosscut,
            "partial": manifest.partial.is_some(),
            "places": self.places(),
            "clock": manifest.clock.unit(),
        });
        if let Some(summary) = self.tasks() {
            json["tasks"] = tasks_json(summary, manifest);
        }
        if checked.is_some() {
            json["damaged"] = json!([]);
        }
        json
    }

    fn lines(&self, checked: Option<usize>) -> Vec<String> {
        let (run, manifest) = (self.run(), self.run().manifest());
        let origin = &manifest.origin;
        let mut lines = vec![format!(
            "{}: {} on disk, run format {}, written by crosscut {}",
            run.path().display(),
            bytes(run.bytes()),
            manifest.format,
            manifest.crosscut
        )];
        let mut add = |name: &str, text: String| lines.push(line(name, &text));
        add("made", format!("{} on {}: {}", date(origin.time), origin.host, origin.command.join(" ")));
        for (file, size) in &origin.inputs {
            add("from", format!("{file}, {}", bytes(*size)));
        }
        if let Some(missing) = &manifest.partial {
            add("partial", missing.clone());
        }
        match self.tasks() {
            Some(summary) => task_lines(summary, manifest.clock, &mut add),
            None => add("tasks", "none".into()),
        }
        if let Contents::Tasks(tasks) = self {
            for (name, value) in tasks.counters(tasks.tree().range(NodeId::ROOT)) {
                add(name, count(value));
            }
        }
        if let dropped @ 1.. = dropped_events(manifest) {
            add(
                "dropped",
                format!("{}, which could not be stored while recording", many(dropped as usize, "event")),
            );
        }
        if let Some(parts) = checked {
            add("checked", format!("all {} are as they were written", many(parts, "part")));
        }
        lines
    }
}

fn task_lines(s: &Summary, clock: Clock, add: &mut dyn FnMut(&str, String)) {
    let time = |value: i64| time(value as f64, clock);
    let all = s.elapsed as f64 * f64::from(s.workers);
    let ratio = |whole: i64| if whole == 0 { "?".to_owned() } else { three(s.work as f64 / whole as f64) };
    add("tasks", format!("{} created, {}", count(s.tasks), many(s.intervals as usize, "interval")));
    add("tree", format!("{}, {} deep", many(s.nodes as usize, "node"), many(s.depth as usize, "level")));
    add("workers", format!("{}, {} of them at work on average", count(s.workers.into()), ratio(s.elapsed)));
    add("elapsed", time(s.elapsed));
    add("work", format!("{}, {} of the workers' time", time(s.work), share(s.work as f64, all)));
    add(
        "delay",
        format!("{}, {}: work was ready, workers did not run it", time(s.delay), share(s.delay as f64, all)),
    );
    add("no work", format!("{}, {}: nothing was ready", time(s.no_work), share(s.no_work as f64, all)));
    add("critical path", format!("{}, so at most {} workers are of use", time(s.span), ratio(s.span)));
}

fn tasks_json(s: &Summary, manifest: &Manifest) -> Value {
    let mut json = json!({
        "tasks": s.tasks,
        "intervals": s.intervals,
        "workers": s.workers,
        "elapsed_ns": s.elapsed,
        "work_ns": s.work,
        "span_ns": s.span,
        "delay_ns": s.delay,
        "no_work_ns": s.no_work,
        "dropped_events": dropped_events(manifest),
        "nodes": s.nodes,
        "depth": s.depth,
    });
    // The times above are in a unit of the file's own: say so beside them.
    if manifest.clock != Clock::Ns {
        json["clock"] = json!(manifest.clock.unit());
    }
    json
}

fn dropped_events(manifest: &Manifest) -> u64 {
    manifest.facts.get("dropped_events").and_then(Value::as_u64).unwrap_or(0)
}

/// A name and what is said of it. Names of counters may be longer than the column.
fn line(name: &str, text: &str) -> String {
    format!("  {name:<13} {text}")
}

fn damage_json(damage: &Damage) -> Value {
    json!({ "part": damage.part, "file": damage.file, "why": damage.why })
}

fn bytes(size: u64) -> String {
    let size = size as f64;
    match size {
        s if s >= 1e9 => format!("{}{THIN}GB", three(s / 1e9)),
        s if s >= 1e6 => format!("{}{THIN}MB", three(s / 1e6)),
        s if s >= 1e3 => format!("{}{THIN}kB", three(s / 1e3)),
        s => format!("{s}{THIN}bytes"),
    }
}

/// A day and time in UTC from seconds since 1970 (Howard Hinnant's `civil_from_days`).
fn date(seconds: u64) -> String {
    let days = (seconds / 86_400) as i64 + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (seconds % 86_400 / 3_600, seconds % 3_600 / 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::{date, line};

    #[test]
    fn a_long_name_is_not_glued_to_its_value() {
        assert_eq!(line("work", "1 ms"), "  work          1 ms");
        assert_eq!(line("stalled-cycles-backend", "12"), "  stalled-cycles-backend 12");
    }

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_763_194_440), "2025-11-15 08:14 UTC");
    }
}
