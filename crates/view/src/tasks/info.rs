//! What is inside a run, as text: tasks, the account of time, counters.

use crosscut_scene::format::{count, three};
use crosscut_tasks::{Summary, Tasks};
use crosscut_tree::NodeId;
use crosscut_workbench::{Cell, Fact, Told};

use super::json::dropped_events;
use super::words::{many, share, time_text};

/// What `crosscut info` says of tasks.
pub fn told(tasks: &Tasks) -> Told {
    let s = tasks.summary();
    let line = format!(
        "{}, {} on {}, {} elapsed",
        many(s.nodes as usize, "node"),
        many(s.tasks as usize, "task"),
        many(s.workers as usize, "worker"),
        time_text(s.elapsed, tasks.clock()),
    );
    let fact = |(name, text): (&str, String)| Fact::new(name, Cell::text(text));
    let mut facts: Vec<Fact> = figures(tasks, s).into_iter().map(fact).collect();
    let counters = tasks.counters(tasks.tree().range(NodeId::ROOT));
    facts.extend(counters.map(|(name, value)| fact((name, count(value)))));
    if let dropped @ 1.. = dropped_events(tasks.run().manifest()) {
        let events = many(dropped as usize, "event");
        facts.push(fact(("dropped", format!("{events}, which could not be stored while recording"))));
    }
    Told { line, facts, lines: Vec::new() }
}

fn figures(tasks: &Tasks, s: &Summary) -> [(&'static str, String); 8] {
    let time = |value: i64| time_text(value, tasks.clock());
    let all = s.elapsed as f64 * f64::from(s.workers);
    let ratio = |whole: i64| if whole == 0 { "?".to_owned() } else { three(s.work as f64 / whole as f64) };
    let part = |value: i64| format!("{}, {}", time(value), share(value as f64, all));
    [
        ("tasks", format!("{} created, {}", count(s.tasks), many(s.intervals as usize, "interval"))),
        ("tree", format!("{}, {} deep", many(s.nodes as usize, "node"), many(s.depth as usize, "level"))),
        ("workers", format!("{}, {} of them at work on average", count(s.workers.into()), ratio(s.elapsed))),
        ("elapsed", time(s.elapsed)),
        ("work", format!("{} of the workers' time", part(s.work))),
        ("delay", format!("{}: work was ready, workers did not run it", part(s.delay))),
        ("no work", format!("{}: nothing was ready", part(s.no_work))),
        ("critical path", format!("{}, so at most {} workers are of use", time(s.span), ratio(s.span))),
    ]
}
