//! What is inside a profile, as text and for scripts: totals, the functions that take most, the hot path.

use crosscut_calls::{Calls, Frame, Functions, Kind, Measured, Peers, Row as FlatRow, hot_path};
use crosscut_scene::format::{count, exact, many, percent, quantity};
use crosscut_tree::{NodeId, Unit};
use crosscut_workbench::{
    Block, Cell, Column, Fact, Found, Nodes, Refusal, Row, RowState, Selection, Table, TreeKey, object,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::modules;
use super::opened::Opened;

/// Places that a sheet lists.
const PLACES: usize = 8;
/// Functions that are listed.
const TOP: usize = 12;
/// Call paths of a function that a click on it selects at most.
const SELECTED: usize = 1000;

/// A value of a metric: the number to show, and its unit.
pub fn value(metric: &Measured, value: i64) -> (f64, Unit) {
    match metric.unit {
        crosscut_calls::Unit::Ns => (value as f64, Unit::Ns),
        crosscut_calls::Unit::Count => (value as f64, Unit::Count),
        crosscut_calls::Unit::Bytes => (value as f64, Unit::Bytes),
        crosscut_calls::Unit::Micro => (value as f64 / 1e6, Unit::Ratio),
    }
}

/// The same as text.
pub fn text(metric: &Measured, of: i64) -> String {
    let (number, unit) = value(metric, of);
    quantity(number, unit)
}

pub(super) fn cell(metric: &Measured, of: i64, whole: i64) -> Cell {
    let (number, unit) = value(metric, of);
    let share = (whole > 0).then(|| (of as f64 / whole as f64) as f32);
    Cell::Number { value: number, text: quantity(number, unit), exact: exact(number, unit), share }
}

/// What a frame is called.
pub fn name(frame: Option<&Frame>) -> String {
    match frame {
        None => "program".to_owned(),
        Some(frame) if frame.name.is_empty() => frame.kind.word().to_owned(),
        Some(frame) if matches!(frame.kind, Kind::Loop | Kind::Line) && frame.line > 0 => {
            let file = frame.file.rsplit('/').next().unwrap_or_default();
            format!("{} {file}:{}", frame.kind.word(), frame.line)
        }
        Some(frame) => frame.name.clone(),
    }
}

/// Where a frame is: module, file and line, as far as they are known.
pub fn whereabouts(frame: &Frame) -> Vec<Fact> {
    let file = match (frame.file.as_str(), frame.line) {
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    };
    let known = [("module", frame.module.clone()), ("file", file)];
    let known = known.into_iter().filter(|(_, text)| !text.is_empty());
    known.map(|(name, text)| Fact::new(name, Cell::text(text))).collect()
}

/// "Rank 3", "Ranks 64–95", "Ranks 3, 7 and 2 more": neighbours as one stretch.
pub fn who(word: &str, ranks: &[u32]) -> String {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let mut stretches: Vec<(u32, u32)> = Vec::new();
    for rank in sorted {
        match stretches.last_mut() {
            Some(last) if last.1 + 1 == rank => last.1 = rank,
            _ => stretches.push((rank, rank)),
        }
    }
    let texts: Vec<String> = stretches
        .iter()
        .map(|&(from, to)| if from == to { from.to_string() } else { format!("{from}–{to}") })
        .collect();
    let word = match word.chars().next() {
        Some(first) => format!("{}{}", first.to_uppercase(), &word[first.len_utf8()..]),
        None => String::new(),
    };
    match (&texts[..], ranks.len()) {
        ([one], 1) => format!("{word} {one}"),
        ([one], _) => format!("{word}s {one}"),
        ([one, two], _) => format!("{word}s {one} and {two}"),
        ([one, two, rest @ ..], _) => format!("{word}s {one}, {two} and {} more", rest.len()),
        ([], _) => format!("No {word}"),
    }
}

/// The same inside of a sentence.
pub fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// What some places have, of values by place.
pub fn over(values: &[i64], places: &Nodes) -> i64 {
    let all = places.ranges().flat_map(|range| values.get(range.start..range.end.min(values.len())));
    all.flatten().fold(0, |sum, &value| sum.wrapping_add(value))
}

/// The ranks with the most, or places where there is one rank, and the mean of all.
pub fn at_places(calls: &Calls, number: usize, values: &[i64]) -> Vec<Fact> {
    let Some(metric) = calls.summary().metrics.get(number) else { return Vec::new() };
    let peers = Peers::of(calls, number, None);
    let Some(spread) = peers.imbalance(values) else { return Vec::new() };
    let values = peers.sums(values);
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|&peer| (std::cmp::Reverse(values[peer]), peer));
    let mut facts = vec![Fact::new(
        format!("mean of {}s", peers.each().word()),
        Cell::text(text(metric, spread.mean.round() as i64)),
    )];
    if spread.mean > 0.0 {
        facts.push(Fact::new("most ÷ mean", Cell::text(format!("{:.2}", spread.ratio))));
    }
    facts.extend(
        order
            .into_iter()
            .take(PLACES)
            .map(|peer| Fact::new(peers.title(peer), Cell::text(text(metric, values[peer])))),
    );
    facts
}

/// How much was measured, of what, where.
fn total(calls: &Calls) -> String {
    let summary = calls.summary();
    let Some(metric) = summary.metrics.first() else { return "no metric".to_owned() };
    // "26.2 s of time", but "184 samples".
    let of = if metric.unit == crosscut_calls::Unit::Count { "" } else { "of " };
    format!(
        "{} {of}{} in {} at {}",
        text(metric, calls.inclusive(0, NodeId::ROOT)),
        metric.name,
        many(summary.nodes as usize, "call path"),
        many(summary.places as usize, "place"),
    )
}

/// "26.2 s of time in 1 474 call paths at 20 places; what costs most: module eos takes longer on ranks 16–23".
pub fn headline(opened: &Opened, found: Option<&Found>) -> String {
    match found.and_then(|found| found.findings.first()) {
        Some(first) => format!("{}; what costs most: {}", total(&opened.calls), lower(&first.what)),
        None => line(opened),
    }
}

/// The one line that matters.
pub fn line(opened: &Opened) -> String {
    let calls = &*opened.calls;
    let mut line = total(calls);
    let whole = calls.inclusive(0, NodeId::ROOT);
    if let Some(top) = opened.flat().first().filter(|top| top.own > 0) {
        let frame = calls.frames().get(top.frame as usize);
        let share = percent(top.own as f64, whole as f64);
        line.push_str(&format!("; {} takes {share} itself", name(frame)));
    }
    line
}

/// The facts of a profile.
pub fn facts(calls: &Calls) -> Vec<Fact> {
    let summary = calls.summary();
    let fact = |name: &str, text: String| Fact::new(name, Cell::text(text));
    let mut facts: Vec<Fact> = (summary.metrics.iter().enumerate())
        .map(|(number, metric)| {
            fact(&metric.name, format!("{} in all", text(metric, calls.inclusive(number, NodeId::ROOT))))
        })
        .collect();
    let depth = many(summary.depth as usize, "level");
    facts.push(fact("call paths", format!("{}, {depth} deep", count(summary.nodes as i64))));
    facts.push(fact("functions", count(summary.frames as i64)));
    let empty = summary.places.saturating_sub(summary.used_places);
    let places = match empty {
        0 => count(summary.places as i64),
        empty => {
            format!("{}, {} of them without any value", count(summary.places as i64), count(empty as i64))
        }
    };
    facts.push(fact("places", places));
    facts.push(fact("format", summary.format.clone()));
    facts.extend(summary.notes.iter().map(|note| fact("note", note.clone())));
    facts
}

/// The functions that take most, whoever calls them.
pub fn top(opened: &Opened, run: usize) -> Option<Block> {
    let calls = &*opened.calls;
    let metric = calls.summary().metrics.first()?;
    let whole = calls.inclusive(0, NodeId::ROOT);
    let (rows, total) = (listed(opened), opened.flat().len());
    let cells = |row: &FlatRow| {
        let frame = calls.frames().get(row.frame as usize);
        let module =
            frame.map(|frame| frame.module.rsplit('/').next().unwrap_or_default()).unwrap_or_default();
        vec![
            Cell::text(name(frame)),
            cell(metric, row.own, whole),
            cell(metric, row.inclusive, whole),
            Cell::Number {
                value: row.paths as f64,
                text: count(row.paths as i64),
                exact: count(row.paths as i64),
                share: None,
            },
            Cell::text(module),
        ]
    };
    let row = |(row, selection): (&FlatRow, Selection)| Row {
        cells: cells(row),
        selection: Some(selection),
        depth: 0,
        state: RowState::default(),
    };
    let rows = rows.iter().zip(nodes_of(calls, run, rows)).map(row).collect();
    let unit = Some(value(metric, 0).1);
    let paths = format!("Call paths that end in it; a click selects them, the {SELECTED} heaviest at most.");
    let columns = vec![
        column("name", "function", "What was called.", None),
        column("own", "itself", "Spent in it, without what it called.", unit),
        column(
            "inclusive",
            "with callees",
            "With all that it called; where it calls itself, counted once.",
            unit,
        ),
        column("paths", "call paths", &paths, Some(Unit::Count)),
        column("module", "module", "The program or library that it is part of.", None),
    ];
    Some(Block::Table { table: Table { columns, rows, total, more: false } })
}

/// A column that nothing is sorted by.
pub(super) fn column(name: &str, title: &str, about: &str, unit: Option<Unit>) -> Column {
    Column { name: name.to_owned(), title: title.to_owned(), about: about.to_owned(), unit, sorts: false }
}

/// Functions that take anything, the first few.
fn listed(opened: &Opened) -> &[FlatRow] {
    let rows = opened.flat();
    let some = rows.iter().take(TOP).take_while(|row| row.own > 0).count();
    rows.get(..some).unwrap_or_default()
}

/// By function: the heaviest call paths that end in it. All call paths are looked at once.
fn nodes_of(calls: &Calls, run: usize, rows: &[FlatRow]) -> Vec<Selection> {
    let functions = Functions::of(calls.frames());
    let mut row_of = vec![None; functions.len()];
    for (at, row) in rows.iter().enumerate() {
        if let Some(slot) = functions.of_frame(row.frame).and_then(|of| row_of.get_mut(of as usize)) {
            *slot = Some(at);
        }
    }
    let by_frame: Vec<Option<usize>> = (0..calls.frames().len() as u32)
        .map(|frame| functions.of_frame(frame).and_then(|of| row_of.get(of as usize).copied().flatten()))
        .collect();
    let mut paths: Vec<Vec<NodeId>> = vec![Vec::new(); rows.len()];
    for (at, &frame) in calls.frame_numbers().iter().enumerate().skip(1) {
        if let Some(Some(row)) = by_frame.get(frame as usize) {
            paths[*row].push(NodeId(at as u32));
        }
    }
    let selection = |mut nodes: Vec<NodeId>| {
        if nodes.len() > SELECTED {
            let heavy = |node: &NodeId| (std::cmp::Reverse(calls.own(0, *node)), *node);
            nodes.select_nth_unstable_by_key(SELECTED, heavy);
            nodes.truncate(SELECTED);
            nodes.sort_unstable();
        }
        let nodes: Nodes = nodes.into_iter().collect();
        Selection { run, tree: TreeKey::named(super::forest::TREE), nodes, to: None, time: None }
    };
    paths.into_iter().map(selection).collect()
}

/// The hot path as one line.
pub fn hot(calls: &Calls) -> Option<String> {
    let path = hot_path(calls, 0, NodeId::ROOT);
    let whole = calls.inclusive(0, NodeId::ROOT);
    let last = *path.last().filter(|_| path.len() > 1)?;
    let names: Vec<String> = path.iter().skip(1).map(|&node| name(calls.frame(node))).collect();
    let share = percent(calls.inclusive(0, last) as f64, whole as f64);
    Some(format!("Hot path, with {share} at its end: {}", names.join(" → ")))
}

#[derive(Debug, Serialize)]
struct Info<'a> {
    calls: Figures<'a>,
}

#[derive(Debug, Serialize)]
struct Figures<'a> {
    format: &'a str,
    nodes: u64,
    functions: u64,
    places: u64,
    used_places: u64,
    depth: u64,
    metrics: Vec<Total<'a>>,
    hot_path: Vec<String>,
    top: Vec<Top>,
    modules: Vec<modules::Module>,
    notes: &'a [String],
}

#[derive(Debug, Serialize)]
struct Total<'a> {
    name: &'a str,
    unit: crosscut_calls::Unit,
    total: i64,
    /// With callees, of all that the program calls first.
    inclusive_roots: i64,
    /// Itself, of all call paths; the same number.
    exclusive_sum: i64,
}

#[derive(Debug, Serialize)]
struct Top {
    name: String,
    module: String,
    own: i64,
    inclusive: i64,
    paths: u64,
}

/// What was spent in all that the program calls first, and in the program itself.
fn roots(calls: &Calls, metric: usize) -> i64 {
    let below = calls.tree().children(NodeId::ROOT).map(|node| calls.inclusive(metric, node));
    below.fold(calls.own(metric, NodeId::ROOT), i64::saturating_add)
}

/// For scripts.
pub fn json(opened: &Opened) -> Result<Map<String, Value>, Refusal> {
    let calls = &*opened.calls;
    let summary = calls.summary();
    let metrics = summary.metrics.iter().enumerate().map(|(number, metric)| Total {
        name: &metric.name,
        unit: metric.unit,
        total: calls.inclusive(number, NodeId::ROOT),
        inclusive_roots: roots(calls, number),
        exclusive_sum: (calls.at_places(number, 0..calls.node_count()).into_iter())
            .fold(0, i64::saturating_add),
    });
    let top = listed(opened).iter().map(|row| {
        let frame = calls.frames().get(row.frame as usize);
        Top {
            name: name(frame),
            module: frame.map(|frame| frame.module.clone()).unwrap_or_default(),
            own: row.own,
            inclusive: row.inclusive,
            paths: row.paths,
        }
    });
    let path = hot_path(calls, 0, NodeId::ROOT);
    object(&Info {
        calls: Figures {
            format: &summary.format,
            nodes: summary.nodes,
            functions: summary.frames,
            places: summary.places,
            used_places: summary.used_places,
            depth: summary.depth,
            metrics: metrics.collect(),
            hot_path: path.iter().skip(1).map(|&node| name(calls.frame(node))).collect(),
            top: top.collect(),
            modules: modules::modules(opened),
            notes: &summary.notes,
        },
    })
}
