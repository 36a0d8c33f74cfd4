//! The table form of a cut: what is visible, as rows.

use std::cmp::Ordering;
use std::ops::Range;

use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Kind;
use crosscut_tree::{Cut, Members, Part, Plain, fold};
use crosscut_view::format::count;

use super::{short_source, visible, worker_name};
use crate::answer::Refusal;
use crate::protocol::{TableAnswer, TableRow};

/// Rows that are sent at most.
const MOST_ROWS: usize = 2000;

/// How rows are ordered.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// Name of a column; "" is tree order.
    pub sort: &'a str,
    /// Largest first.
    pub descending: bool,
}

/// Answers [`crate::protocol::Op::Table`].
pub fn table(
    tasks: &Tasks,
    cut: &Cut,
    order: Order<'_>,
    filter: &str,
    range: Range<usize>,
) -> Result<TableAnswer, Refusal> {
    let compare = column(order.sort)?;
    visible(tasks, cut)?;
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let mut rows: Vec<TableRow> = fold::visible(&Plain(tasks.tree()), cut)
        .map(|part| row(tasks, &part))
        .filter(|row| {
            let text = format!("{} {} {}", row.kind, row.source, row.worker).to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        })
        .collect();
    if let Some(compare) = compare {
        rows.sort_by(|a, b| if order.descending { compare(b, a) } else { compare(a, b) });
    } else if order.descending {
        rows.reverse();
    }
    let total = rows.len();
    let start = range.start.min(total);
    let end = range.end.clamp(start, total).min(start + MOST_ROWS);
    let mut rows: Vec<TableRow> = rows.drain(start..end).collect();
    for row in &mut rows {
        row.critical = tasks.is_critical(crosscut_tree::NodeId(row.node));
    }
    Ok(TableAnswer { total, rows })
}

type Compare = fn(&TableRow, &TableRow) -> Ordering;

fn column(name: &str) -> Result<Option<Compare>, Refusal> {
    let compare: Compare = match name {
        "" => return Ok(None),
        "node" => |a, b| a.node.cmp(&b.node),
        "depth" => |a, b| a.depth.cmp(&b.depth),
        "kind" => |a, b| a.kind.cmp(&b.kind),
        "source" => |a, b| a.source.cmp(&b.source),
        "worker" => |a, b| a.worker.len().cmp(&b.worker.len()).then_with(|| a.worker.cmp(&b.worker)),
        "start" => |a, b| a.start.total_cmp(&b.start),
        "elapsed" => |a, b| a.elapsed.total_cmp(&b.elapsed),
        "work" => |a, b| a.work.total_cmp(&b.work),
        "span" => |a, b| a.span.total_cmp(&b.span),
        "tasks" => |a, b| a.tasks.total_cmp(&b.tasks),
        _ => {
            let name: String = name.chars().take(40).collect();
            return Err(format!(
                "the table has no column `{name}`; it has node, depth, kind, source, worker, start, elapsed, work, span, tasks"
            ));
        }
    };
    Ok(Some(compare))
}

fn row(tasks: &Tasks, part: &Part) -> TableRow {
    let tree = tasks.tree();
    let nodes = match &part.members {
        Members::Run(nodes) => nodes.clone(),
        _ => tree.range(part.node),
    };
    let tasks_inside = |own: bool| {
        // Members of teams end like tasks, but no program created them.
        let ends = tasks.count(nodes.clone(), Kind::End) - tasks.count(nodes.clone(), Kind::Fork);
        (ends - i64::from(own)).max(0) as f64
    };
    let parent = tree.parent(part.node).unwrap_or(part.node);
    match part.fold {
        None => TableRow {
            node: part.node.0,
            depth: tree.depth(part.node) as u32,
            kind: tasks.word(part.node).to_owned(),
            source: short_source(tasks, part.node),
            worker: worker_name(tasks, part.node),
            start: tasks.start(part.node) as f64,
            elapsed: tasks.elapsed(part.node) as f64,
            work: tasks.work(part.node) as f64,
            span: tasks.critical_path(part.node) as f64,
            tasks: if tasks.kind(part.node).is_collective() {
                tasks_inside(tasks.kind(part.node) == Kind::Task)
            } else {
                0.0
            },
            critical: false,
        },
        // Folded siblings: their totals are exact, times and path are those of the node that holds them.
        Some(_) => TableRow {
            node: parent.0,
            depth: tree.depth(parent) as u32 + 1,
            kind: "folded".to_owned(),
            source: format!("× {} more", count(i64::from(part.count))),
            worker: "several".to_owned(),
            start: tasks.start(parent) as f64,
            elapsed: tasks.elapsed(parent) as f64,
            work: tasks.work_of(nodes.clone()) as f64,
            span: 0.0,
            tasks: tasks_inside(false),
            critical: false,
        },
    }
}
