//! What the overview of a run says about its tasks: where the time of all workers went, figures, small charts.

use crosscut_run::Clock;
use crosscut_scene::format::{count, three};
use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Summary, Tasks};
use crosscut_tree::Unit;
use crosscut_workbench::sheet::Tone;
use crosscut_workbench::{Block, Fact, Found, Look};

use super::charts;
use super::forest_tasks::CRITICAL_PATH;
use super::opened::Opened;
use super::sheets::{head, text};
use super::words::{fact, figure, many, number, ratio, time, time_text};
use crate::account::HEIGHT;

/// The blocks below what costs most, in order.
pub fn overview(opened: &Opened, found: Option<&Found>, run: usize) -> Vec<Block> {
    let tasks = &opened.tasks;
    let mut blocks = Vec::new();
    let show = |title: &str, view: &str, height: f32| Block::Show {
        title: title.to_owned(),
        look: Box::new(Look::of(view, run)),
        height,
        slow: false,
    };
    let rows = tasks.workers().clamp(1, 64) as f32;
    let counted = || [head("Counted"), Block::Facts { rows: facts(tasks) }];
    if found.is_some_and(|found| found.too_little.is_some()) {
        // The picture is all there is: what could be predicted of it would be chance.
        blocks.push(whole_timeline(run, (rows * 40.0 + 24.0).clamp(96.0, 400.0)));
        blocks.extend(counted());
        return blocks;
    }
    if let Some(found) = found.filter(|found| !found.findings.is_empty()) {
        let height = charts::ladder::height(found.findings.len());
        blocks.push(show("Without what costs most", "tasks.ladder", height));
    }
    blocks.push(parts(tasks));
    blocks.push(show("Speed-up by number of workers: bounds", "tasks.speedup", 220.0));
    blocks.push(Block::Show {
        title: "Speed-up by number of workers: predicted".to_owned(),
        look: Box::new(Look::of("tasks.whatif", run)),
        height: 260.0,
        slow: true,
    });
    blocks.push(show("Workers", "tasks.workers", (rows * 18.0 + 8.0).clamp(60.0, 320.0)));
    blocks.push(show("Gaps between intervals", "tasks.gaps", 200.0));
    blocks.push(show("Migrations", "tasks.migrations", 260.0));
    blocks.extend(counted());
    blocks
}

/// All that the workers did, as a small picture that proves nothing.
fn whole_timeline(run: usize, height: f32) -> Block {
    let mut look = Look::of("tasks.evidence", run);
    look.options.insert(super::losses::LOSS.to_owned(), "0".to_owned());
    Block::Show { title: "What the workers did".to_owned(), look: Box::new(look), height, slow: false }
}

/// How busy the workers were and what costs most, as a sentence; where their time went, as a bar.
pub fn account(opened: &Opened, found: Option<&Found>, run: usize) -> Vec<Block> {
    let tasks = &opened.tasks;
    let (s, clock) = (tasks.summary(), tasks.clock());
    let capacity = capacity(s);
    // What a worker does without a processor is no work; who that is takes longer to know.
    let work = if found.is_some() { opened.causes().account.work } else { s.work };
    let unit = super::words::unit(clock);
    let more = format!(
        "{} × {} elapsed = {} of workers' time · busy = work ÷ elapsed · critical path {} · parallelism {}",
        many(s.workers as usize, "worker"),
        time_text(s.elapsed, clock),
        crosscut_scene::format::quantity(capacity, unit),
        time_text(s.span, clock),
        three(ratio(s.work, s.span)),
    );
    vec![
        text(headline(s, work, found), Tone::Headline),
        text(more, Tone::Note),
        Block::Show {
            title: String::new(),
            look: Box::new(Look::of("tasks.account", run)),
            height: HEIGHT,
            slow: false,
        },
    ]
}

/// Work, delay and no work of all workers.
fn parts(tasks: &Tasks) -> Block {
    let s = tasks.summary();
    let (unit, capacity) = (super::words::unit(tasks.clock()), capacity(s));
    let part = |name: &str, value: i64, about: &str| {
        fact(name, super::words::part(value as f64, unit, capacity), about)
    };
    Block::Facts {
        rows: vec![
            part("work", s.work, "In the program's own code."),
            part("delay", s.delay, "Something was ready, a worker did not run it."),
            part("no work", s.no_work, "Nothing was ready for an idle worker."),
        ],
    }
}

/// "3.6 of 8 workers busy; imbalance in a loop at solve.c:26 costs most".
fn headline(s: &Summary, work: i64, found: Option<&Found>) -> String {
    let busy = ratio(work, s.elapsed);
    let workers = match s.workers {
        1 => format!("{} of 1 worker busy", three(busy)),
        n => format!("{} of {} workers busy", three(busy), count(n.into())),
    };
    if let Some(why) = found.and_then(|found| found.too_little.as_ref()) {
        return format!("{workers}; {why}: too little to judge");
    }
    let Some(first) = found.and_then(|found| found.findings.first()) else { return workers };
    let what = lower(&first.what);
    let costs = if what.ends_with('s') { "cost" } else { "costs" };
    match &first.line {
        Some(line) => format!("{workers}; {what} at {} {costs} most", line.plain()),
        None => format!("{workers}; {what} {costs} most"),
    }
}

/// Runs that are shorter are not judged.
const SHORT: i64 = 1_000_000;
/// Runs with fewer tasks, chunks and members of teams are not judged, unless they work for longer than this.
const FEW: (i64, i64) = (50, 10_000_000);

/// What is too little in a run to judge it by: its time, or what was recorded of it.
pub fn too_little(tasks: &Tasks) -> Option<String> {
    let s = tasks.summary();
    let number = |kind: Kind| kind.leaf().map_or(0, |leaf| s.counts[leaf]);
    let (members, chunks) = (number(Kind::Fork), number(Kind::Chunk));
    let few = s.tasks + members + chunks < FEW.0 && s.work < FEW.1;
    if tasks.clock() != Clock::Ns || !(few || s.elapsed < SHORT) {
        return None;
    }
    let what = match (s.tasks, chunks, members) {
        (0, 0, 0) => "no task".to_owned(),
        (0, 0, members) => many(members as usize, "member"),
        (0, chunks, _) => many(chunks as usize, "chunk"),
        (tasks, ..) => many(tasks as usize, "task"),
    };
    Some(format!("{what} in {}", time_text(s.elapsed, tasks.clock())))
}

/// A sentence's beginning, inside another sentence.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// What all workers could have done.
pub fn capacity(s: &Summary) -> f64 {
    f64::from(s.workers) * s.elapsed as f64
}

/// Counted things, in the order to show them.
pub fn facts(tasks: &Tasks) -> Vec<Fact> {
    let (s, clock) = (tasks.summary(), tasks.clock());
    let ratios = |a: i64, b: i64| number(ratio(a, b), Unit::Ratio);
    let all = i64::from(s.workers).saturating_mul(s.elapsed);
    let counted = |name: &str, value: i64| figure(name, value as f64, Unit::Count);
    let mut facts = vec![
        Fact::new("elapsed", time(s.elapsed, clock)),
        Fact::new("work", time(s.work, clock)),
        fact("critical path", time(s.span, clock), CRITICAL_PATH),
        fact("parallelism", ratios(s.work, s.span), "Work / critical path (work / T∞)."),
        fact("busy workers", ratios(s.work, s.elapsed), "Work / elapsed."),
        fact("utilisation", ratios(s.work, all), "Work / (workers × elapsed)."),
        counted("tasks", s.tasks),
        counted("intervals", s.intervals),
        fact(
            "work per task",
            number(ratio(s.work, s.tasks.saturating_add(1)), super::words::unit(clock)),
            "The program itself counts as one.",
        ),
        counted("depth", s.depth.into()),
        counted("nodes in the file", s.nodes.into()),
    ];
    for (name, kind) in [("lanes", Kind::Fork), ("chunks", Kind::Chunk)] {
        let count = kind.leaf().map_or(0, |leaf| s.counts[leaf]);
        if count > 0 {
            facts.push(counted(name, count));
        }
    }
    if s.dag_nodes != i64::from(s.nodes) {
        facts.push(counted("nodes before collapsing", s.dag_nodes));
    }
    facts
}
