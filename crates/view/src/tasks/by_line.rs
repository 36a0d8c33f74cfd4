//! The columns that tasks add to the tree of source lines, for single lines and for those of a function or a file together.

use crosscut_tasks::grain::LineGrains;
use crosscut_tree::{Metric, Rule, Unit, Worse};
use crosscut_workbench::{Cell, Column, SharedColumn};

use super::lines::Line;
use super::opened::Opened;
use super::words;

fn metric(name: &str, title: &str, unit: Unit, rule: Rule, about: &str) -> Metric {
    Metric::new(name, unit, rule).titled(title).about(about)
}

/// What adds up, and what does not.
pub fn columns(opened: &Opened, sets: &[Vec<u32>]) -> Vec<SharedColumn> {
    let clock = words::unit(opened.tasks.clock());
    let lines: Vec<Line> = sets.iter().map(|set| opened.lines().together(set)).collect();
    let own = |metric: Metric, value: fn(&Line) -> Option<f64>| SharedColumn {
        metric,
        values: lines.iter().map(|line| value(line).unwrap_or(f64::NAN)).collect(),
    };
    let time = |name, title, rule, about| metric(name, title, clock, rule, about);
    fn known(value: i64) -> Option<f64> {
        (value > 0).then_some(value as f64)
    }
    let mut columns = vec![
        own(time("work", "work", Rule::Sum, "Work of intervals that began at this line."), |line| {
            (line.intervals > 0).then_some(line.work as f64)
        }),
        own(
            metric("intervals", "count", Unit::Count, Rule::Sum, "Intervals that began at this line."),
            |line| known(line.intervals),
        ),
        own(
            time("median", "median", Rule::Own, "Half of the intervals are shorter; to within 5 %."),
            Line::median,
        ),
        own(time("largest", "largest", Rule::Max, "The longest interval that began at this line."), |line| {
            known(line.largest)
        }),
        own(
            time(
                "critical",
                "critical",
                Rule::Sum,
                "Time of intervals that began at this line and are on the critical path of the run.",
            ),
            |line| known(line.critical),
        ),
        own(
            time(
                "waited",
                "waited",
                Rule::Sum,
                "Time in which workers stood at a wait of this line and had nothing to run, summed over them.",
            ),
            |line| known(line.waited),
        ),
    ];
    if opened.tasks.lock_count() > 0 {
        columns.extend([
            own(
                time(
                    "lock_wait",
                    "for locks",
                    Rule::Sum,
                    "Time that this line waited for locks, summed over workers; a part of the work of whoever waited.",
                ),
                |line| (line.locks > 0).then_some(line.lock_wait as f64),
            ),
            own(
                time(
                    "lock_held",
                    "locks held",
                    Rule::Sum,
                    "Time in which locks that this line acquired were held, summed over workers.",
                ),
                |line| (line.locks > 0).then_some(line.lock_held as f64),
            ),
        ]);
    }
    columns
}

/// What grains of lines work for each unit of what creating and joining them cost: that needs the grain graph.
pub fn benefit(opened: &Opened, sets: &[Vec<u32>]) -> SharedColumn {
    let by_line = opened.grains().grains.by_line(&opened.tasks);
    let benefit = |set: &Vec<u32>| {
        let grains = set.iter().filter_map(|&id| by_line.get(id as usize));
        grains.fold(LineGrains::default(), |all, &line| all.and(line)).benefit().unwrap_or(f64::NAN)
    };
    let about = "Parallel benefit: work of the tasks and chunks that begin at this line, divided by what creating and joining \
                 them cost. Below 1 they cost more than they do.";
    SharedColumn {
        metric: metric("benefit", "benefit", Unit::Ratio, Rule::Own, about).worse(Worse::Low),
        values: sets.iter().map(benefit).collect(),
    }
}

/// How long intervals took, and who ran them, as small pictures. Lengths of all lines are on one logarithmic scale.
pub fn pictures(opened: &Opened, sets: &[Vec<u32>]) -> Vec<(Column, Vec<Cell>)> {
    let (tasks, share) = (&opened.tasks, opened.lines().share);
    let lines: Vec<Line> = sets.iter().map(|set| opened.lines().together(set)).collect();
    let histograms: Vec<(i32, Vec<f64>)> = lines.iter().map(Line::histogram).collect();
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
        let each = if share > 1 { format!("{share} workers each") } else { "worker".to_owned() };
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
            lines.iter().map(workers).collect(),
        ),
    ]
}
