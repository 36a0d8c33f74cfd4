//! The rows of a tree: what is visible of it, or everything that the lens chooses, with all its metrics. Every tree has
//! a table without a line for it anywhere.

use std::cmp::Ordering;

use crosscut_scene::format::{exact, quantity};
use crosscut_tree::{Metric, NodeId, Part, Tree};

use crate::acts::{Looked, MOST_ITEMS};
use crate::bench::Workbench;
use crate::domain::{Forest, Title};
use crate::error::Refusal;
use crate::job::Job;
use crate::look::Scope;
use crate::question::TableAsk;
use crate::sheet::{Cell, Column, Row, Table};

/// Rows that are sent at most.
const MOST_ROWS: usize = 1000;
/// Rows that are sorted at most, of all that a lens chooses.
const MOST_SORTED: usize = 1_000_000;

/// A number with its text.
pub fn number(value: f64, metric: &Metric) -> Cell {
    if value.is_nan() {
        return Cell::None;
    }
    Cell::Number { value, text: quantity(value, metric.unit), exact: exact(value, metric.unit), share: None }
}

/// Answers [`crate::question::Ask::Table`].
pub fn table(bench: &Workbench, ask: &TableAsk, job: &Job<'_>) -> Result<Table, Refusal> {
    let mut state = Looked::new(bench, &ask.look, &ask.tree, job)?;
    if let Some(scoped) = state.forest.scoped(&ask.look.scope, &ask.look.trees, job)? {
        state.forest = scoped;
    }
    let (forest, lens) = (&*state.forest, state.lens.as_deref());
    let (mut parts, more) = if ask.flat { flat(&state)? } else { (visible(&state, ask)?, false) };
    job.check()?;
    let late = forest.late(job)?;
    let filter: Vec<String> = ask.filter.split_whitespace().map(str::to_lowercase).collect();
    if !filter.is_empty() {
        let titles = forest.titles(&parts, lens);
        let mut keep = titles.iter().map(|title| matches(title, &filter));
        parts.retain(|_| keep.next().unwrap_or(false));
    }
    job.check()?;
    sort(ask, &state, &late, &mut parts)?;
    let total = parts.len();
    let from = ask.from.min(total);
    let to = from.saturating_add(ask.count.min(MOST_ROWS)).min(total);
    let parts = &parts[from..to];

    let titles = forest.titles(parts, lens);
    let words = forest.words(parts);
    let mut columns = vec![text_column("name", "Name"), text_column("kind", "Kind")];
    columns.extend(words.iter().map(|(column, _)| column.clone()));
    let metrics: Vec<&Metric> =
        forest.metrics().iter().chain(late.iter().map(|(metric, _)| metric)).collect();
    columns.extend(metrics.iter().map(|metric| metric_column(metric)));
    let values: Vec<Vec<f64>> =
        metrics.iter().map(|metric| values(forest, &late, &metric.name, parts, &ask.look.scope)).collect();
    let row = |(i, (part, title)): (usize, (&Part, &Title))| {
        let mut cells = vec![name_cell(part, title), Cell::text(title.kind.clone())];
        cells.extend(words.iter().map(|(_, cells)| cells.get(i).cloned().unwrap_or(Cell::None)));
        cells.extend(metrics.iter().zip(&values).map(|(metric, values)| number(values[i], metric)));
        Row {
            cells,
            selection: Some(state.selection(ask.look.run, part.node)),
            depth: part.depth,
            state: title.state,
        }
    };
    let rows = parts.iter().zip(&titles).enumerate().map(row).collect();
    Ok(Table { columns, rows, total, more })
}

/// The values of a metric by its name, of those known at once or of those that take longer.
fn values(
    forest: &dyn Forest,
    late: &[(Metric, Vec<f64>)],
    name: &str,
    parts: &[Part],
    scope: &Scope,
) -> Vec<f64> {
    let mut out = vec![f64::NAN; parts.len()];
    if let Some(metric) = forest.metrics().iter().position(|metric| metric.name == name) {
        forest.values(metric, parts, scope, &mut out);
    } else if let Some((metric, values)) = late.iter().find(|(metric, _)| metric.name == name) {
        let tree = forest.tree();
        out.iter_mut().zip(parts).for_each(|(out, part)| *out = value_of(tree, metric, values, part));
    }
    out
}

/// The value of a part from those of all nodes; what several siblings have together only where that adds up.
pub(crate) fn value_of(tree: Tree<'_>, metric: &Metric, values: &[f64], part: &Part) -> f64 {
    match part.count {
        1 => values.get(part.node.index()).copied().unwrap_or(f64::NAN),
        _ if !metric.is_additive() => f64::NAN,
        _ => part.sum(tree, |range| {
            let nodes =
                std::iter::successors(Some(range.start), |&at| Some(tree.range(NodeId(at as u32)).end));
            let known = nodes.take_while(|&at| at < range.end).map(|at| values[at]);
            known.filter(|value| !value.is_nan()).sum::<f64>()
        }),
    }
}

/// The source line where there is one, else the name.
fn name_cell(part: &Part, title: &Title) -> Cell {
    match &title.line {
        Some(line) if part.count == 1 && title.name.is_empty() => line.clone(),
        _ => Cell::text(title.name.clone()),
    }
}

fn text_column(name: &str, title: &str) -> Column {
    Column { name: name.to_owned(), title: title.to_owned(), about: String::new(), unit: None, sorts: true }
}

fn metric_column(metric: &Metric) -> Column {
    Column {
        name: metric.name.clone(),
        title: metric.title.clone(),
        about: metric.about.clone(),
        unit: Some(metric.unit),
        sorts: true,
    }
}

/// What is visible, open nodes left out unless they stand for more than what is inside.
fn visible(state: &Looked, ask: &TableAsk) -> Result<Vec<Part>, Refusal> {
    let parts = state.forest.parts(&ask.look, &state.cut, state.lens.as_deref(), MOST_ITEMS);
    let mut parts = parts.ok_or_else(too_many)?;
    if !state.forest.keeps_open() {
        parts.retain(|part| !part.open || part.count > 1);
    }
    Ok(parts)
}

/// Why a cut is not drawn.
pub fn too_many() -> Refusal {
    Refusal::new("more than 20 000 things would be visible: close some first")
}

/// Everything that the lens chooses; all nodes without one.
fn flat(state: &Looked) -> Result<(Vec<Part>, bool), Refusal> {
    let tree = state.forest.tree();
    let part = |node| Part { depth: 0, ..Part::one(node) };
    match &state.lens {
        Some(lens) => {
            let chosen = lens.lens.chosen();
            Ok((chosen.iter().take(MOST_SORTED).map(part).collect(), chosen.len() > MOST_SORTED))
        }
        None => {
            let nodes = (0..tree.node_count().min(MOST_SORTED) as u32).map(NodeId);
            Ok((nodes.map(part).collect(), tree.node_count() > MOST_SORTED))
        }
    }
}

/// Whether all words are in the texts of a row.
fn matches(title: &Title, words: &[String]) -> bool {
    let line = title.line.as_ref().map(Cell::plain).unwrap_or_default();
    let text = format!("{} {} {line}", title.kind, title.name).to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

/// Sorts parts by a column; what has no value comes last, whichever way.
fn sort(
    ask: &TableAsk,
    state: &Looked,
    late: &[(Metric, Vec<f64>)],
    parts: &mut Vec<Part>,
) -> Result<(), Refusal> {
    if ask.sort.is_empty() {
        if ask.descending {
            parts.reverse();
        }
        return Ok(());
    }
    let forest = &*state.forest;
    let turn = |order: Ordering| if ask.descending { order.reverse() } else { order };
    let mut metrics = forest.metrics().iter().chain(late.iter().map(|(metric, _)| metric));
    let order: Vec<usize> = if metrics.any(|metric| metric.name == ask.sort) {
        let values = values(forest, late, &ask.sort, parts, &ask.look.scope);
        sorted(parts.len(), |&a, &b| {
            let (a, b) = (values[a], values[b]);
            a.is_nan().cmp(&b.is_nan()).then_with(|| turn(a.total_cmp(&b)))
        })
    } else {
        let texts: Vec<String> = texts(ask, state, parts)?;
        sorted(parts.len(), |&a, &b| {
            let (a, b) = (&texts[a], &texts[b]);
            // Short before long: worker 2 before worker 10.
            a.is_empty().cmp(&b.is_empty()).then_with(|| turn(a.len().cmp(&b.len()).then_with(|| a.cmp(b))))
        })
    };
    let mut taken: Vec<Option<Part>> = std::mem::take(parts).into_iter().map(Some).collect();
    parts.extend(order.into_iter().filter_map(|i| taken[i].take()));
    Ok(())
}

fn sorted(count: usize, compare: impl Fn(&usize, &usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(compare);
    order
}

/// The texts of a column of words.
fn texts(ask: &TableAsk, state: &Looked, parts: &[Part]) -> Result<Vec<String>, Refusal> {
    let forest = &*state.forest;
    let titles = || forest.titles(parts, state.lens.as_deref());
    match ask.sort.as_str() {
        "name" => {
            let cells = parts.iter().zip(titles());
            Ok(cells.map(|(part, title)| name_cell(part, &title).plain()).collect())
        }
        "kind" => Ok(titles().into_iter().map(|title| title.kind).collect()),
        name => {
            let mut words = forest.words(parts);
            match words.iter().position(|(column, _)| column.name == name) {
                Some(at) => Ok(words.swap_remove(at).1.iter().map(Cell::plain).collect()),
                None => {
                    let known = ["name", "kind"].into_iter().map(str::to_owned);
                    let words = words.into_iter().map(|(column, _)| column.name);
                    let metrics = forest.metrics().iter().map(|metric| metric.name.clone());
                    let all: Vec<String> = known.chain(words).chain(metrics).collect();
                    let short: String = name.chars().take(40).collect();
                    Err(Refusal::new(format!("the table has no column `{short}`; it has {}", all.join(", "))))
                }
            }
        }
    }
}
