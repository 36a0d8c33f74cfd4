//! What the sheets of tasks and of grains have in common: crumbs, the mix of workers, source lines, what if it were faster.

use std::ops::Range;

use crosscut_scene::palette::slot;
use crosscut_tasks::Tasks;
use crosscut_tree::{NodeId, Tree};
use crosscut_workbench::sheet::{Crumb, Offer, Tone};
use crosscut_workbench::{Block, Cell, Column, Fact, Found, Look, Nodes, Row, RowState, Selection, Table};

use super::code::{code, long_source};
use super::colour::worker_slot;
use super::opened::Opened;
use super::{gutter, words};

/// Nodes that are named at both ends of a long path.
const CRUMBS: usize = 32;

/// What is around a node, outermost first; of very many the first and the last ones.
pub fn crumbs(tree: Tree<'_>, node: NodeId, crumb: impl Fn(NodeId) -> Crumb) -> Vec<Crumb> {
    let mut nodes: Vec<NodeId> = tree.ancestors(node).collect();
    nodes.reverse();
    if nodes.len() > 2 * CRUMBS {
        nodes.drain(CRUMBS..nodes.len() - CRUMBS);
    }
    nodes.into_iter().map(crumb).collect()
}

/// The sibling before and the one after.
pub fn siblings(tree: Tree<'_>, node: NodeId, of: &Selection) -> (Option<Selection>, Option<Selection>) {
    let select = |node: NodeId| Selection::node(of.run, &of.tree.name, node);
    (tree.previous_sibling(node).map(select), tree.next_sibling(node).map(select))
}

/// A paragraph.
pub fn text(text: impl Into<String>, tone: Tone) -> Block {
    Block::Text { text: text.into(), tone }
}

/// A heading.
pub fn head(text: impl Into<String>) -> Block {
    Block::Head { text: text.into() }
}

/// A button that shows the selection in another view.
pub fn offer(title: &str, view: &str) -> Offer {
    Offer { title: title.to_owned(), view: view.to_owned(), act: "reveal".to_owned() }
}

/// Who ran a range of nodes, largest share first; "several" is what the recorder folded over workers.
pub fn workers(tasks: &Tasks, nodes: Range<usize>) -> Option<Fact> {
    mix(tasks, tasks.mix(nodes))
}

/// The same of times by worker.
pub fn mix(tasks: &Tasks, times: Vec<i64>) -> Option<Fact> {
    let mut times: Vec<(usize, i64)> = times.into_iter().enumerate().filter(|&(_, time)| time > 0).collect();
    times.sort_by_key(|&(worker, time)| (std::cmp::Reverse(time), worker));
    let part = |(worker, time): (usize, i64)| {
        let known = worker < tasks.workers();
        let fill = if known { worker_slot(worker) } else { slot::SEVERAL };
        let name = if known { format!("worker {worker}") } else { "several".to_owned() };
        (fill, name, time)
    };
    let parts: Vec<(u16, String, i64)> = times.into_iter().map(part).collect();
    let name = if parts.len() == 1 { "worker" } else { "workers" };
    let about = "Who ran it, with the share of its work.";
    (!parts.is_empty()).then(|| words::fact(name, words::shares(parts, tasks.clock(), slot::MUTED), about))
}

/// Where a node began and ended in the source, with the lines around its beginning if the file can be read.
pub fn source(opened: &Opened, found: Option<&Found>, node: NodeId) -> Vec<Block> {
    let tasks = &opened.tasks;
    let (from, to) = tasks.source(node);
    let mut blocks = Vec::new();
    let Some(first) = from.or(to) else { return blocks };
    blocks.push(head("Source"));
    let mut rows = Vec::new();
    if let Some(from) = from {
        rows.push(words::fact("from", words::line(from), &long_source(from)));
    }
    if let Some(to) = to.filter(|to| from != Some(to)) {
        rows.push(words::fact("to", words::line(to), &long_source(to)));
    }
    if !first.function.is_empty() {
        rows.push(Fact::new("function", Cell::text(&first.function)));
    }
    blocks.push(Block::Facts { rows });
    let beside = |code| gutter::beside(opened, found, code);
    blocks.extend(from.and_then(|from| code(from, &opened.roots)).map(beside).map(Block::Code));
    blocks
}

/// Height of the picture of predictions in an inspector.
const WHATIF_HEIGHT: f32 = 260.0;

/// How long the run would take if these nodes, of the task tree ("nodes") or of source lines ("lines"), were twice as fast; on
/// demand.
pub fn whatif(run: usize, what: &str, nodes: Nodes) -> Block {
    let mut look = Look::of("tasks.whatif", run);
    look.options.insert(what.to_owned(), String::from(nodes));
    Block::Show {
        title: "What if this were faster".to_owned(),
        look: Box::new(look),
        height: WHATIF_HEIGHT,
        slow: true,
    }
}

/// A row that can be selected.
pub fn row(cells: Vec<Cell>, selection: Option<Selection>, lit: bool) -> Row {
    Row { cells, selection, depth: 0, state: RowState { lit, ..RowState::default() } }
}

/// A table of all of these rows.
pub fn table(columns: Vec<Column>, rows: Vec<Row>) -> Table {
    Table { columns, total: rows.len(), rows, more: false }
}

/// A column of words.
pub fn wordy(name: &str) -> Column {
    Column { name: name.to_owned(), title: name.to_owned(), about: String::new(), unit: None, sorts: false }
}

/// A column of numbers.
pub fn counted(name: &str, unit: crosscut_tree::Unit, about: &str) -> Column {
    Column { about: about.to_owned(), unit: Some(unit), ..wordy(name) }
}
