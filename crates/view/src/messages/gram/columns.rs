//! Which phases are columns, and where: what the cut shows of the period that is open, or the phases of the window.

use std::ops::Range;

use crosscut_tree::{NodeId, Tree};
use crosscut_workbench::{Span, TreeKey};

use super::super::communities::is_few;
use super::super::phases::{Kind, PhaseForest};
use super::{LEFT, RIGHT, Shown};
use crate::format::count;

/// Width of a column with bands at least; with less, bands are strokes upwards.
const NARROW: f32 = 64.0;
/// Width of the plate of a collective.
const PLATE: f32 = 30.0;
/// Where ranks go from old to new groups.
const REGROUP: (f32, f32) = (40.0, 76.0);
/// Between columns of one pattern.
const GAP: f32 = 6.0;
/// Before and after a plate.
const BESIDE: f32 = 14.0;

/// One column.
#[derive(Clone, Debug)]
pub struct Column {
    /// The node of the tree of phases.
    pub node: NodeId,
    /// Its phases.
    pub phases: Range<usize>,
    /// The points of each.
    pub points: Vec<Range<usize>>,
    /// Its pattern; none where its phases differ.
    pub pattern: Option<usize>,
    /// What stands above it.
    pub name: String,
    /// The tree of its groups; none for collectives and for what differs.
    pub key: Option<TreeKey>,
    /// Its ranks are shown one by one, in their order.
    pub few: bool,
    /// Left edge.
    pub x: f32,
    /// Width.
    pub w: f32,
    /// Room before it in which ranks change their groups; 0 where they do not.
    pub regroup: f32,
}

/// A period that is not looked at: only how long its ranks waited.
#[derive(Clone, Debug)]
pub struct Other {
    /// Its node.
    pub node: NodeId,
    /// Its phases.
    pub phases: Range<usize>,
    /// Left edge.
    pub x: f32,
    /// Width.
    pub w: f32,
}

/// All columns.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// From left to right.
    pub list: Vec<Column>,
    /// Other periods beside them.
    pub others: Vec<Other>,
    /// Where all periods are rows, because they are too many to stand side by side: left edge and width.
    pub raster: Option<(f32, f32)>,
    /// What is not shown.
    pub note: Option<String>,
}

impl Columns {
    /// The columns of a look.
    pub fn of(shown: &Shown<'_>) -> Columns {
        let forest = shown.forest;
        let width = (shown.size.w - LEFT - RIGHT).max(1.0);
        let mut list: Vec<Column> =
            visible(shown).into_iter().filter_map(|node| column(forest, node, shown.window)).collect();
        if list.is_empty() {
            // All periods are closed: the usual one is shown.
            let inside = forest.focus().map(|focus| children(forest.figures().tree.view(), focus));
            let nodes = inside.unwrap_or_default().into_iter().rev();
            list = nodes.filter_map(|node| column(forest, node, shown.window)).collect();
        }
        if let Some(window) = shown.window {
            list = unfolded(forest, list, window, width);
        }
        let mut room = (LEFT, width);
        let (mut others, mut raster) = (Vec::new(), None);
        if shown.window.is_none() && forest.has_periods {
            others = beside(shown, &mut room);
            if others.is_empty() {
                raster = rows(shown, &mut room);
            }
        }
        let all = list.len();
        let list = placed(list, room);
        let left = all - list.len();
        let note = (left > 0).then(|| {
            format!(
                "{} more columns do not fit: close some, or drag over a part of the strip",
                count(left as i64)
            )
        });
        Columns { list, others, raster, note }
    }
}

/// What the cut shows, closed periods aside. Where phases are opened, only what is inside of them.
fn visible(shown: &Shown<'_>) -> Vec<NodeId> {
    let (forest, tree) = (shown.forest, shown.forest.figures().tree.view());
    let mut visible = Vec::new();
    let opened = |node: &&NodeId| shown.cut.is_open(**node) && !tree.is_leaf(**node);
    let mut todo: Vec<NodeId> = forest.of_phase.iter().rev().filter(opened).copied().collect();
    if todo.is_empty() {
        todo = children(tree, NodeId::ROOT);
    }
    while let Some(node) = todo.pop() {
        let period = forest.node(node).is_some_and(|node| node.kind == Kind::Period);
        if shown.cut.is_open(node) && !tree.is_leaf(node) {
            todo.extend(children(tree, node));
        } else if !period || shown.window.is_some() {
            visible.push(node);
        }
    }
    visible
}

/// The last one first.
fn children(tree: Tree<'_>, node: NodeId) -> Vec<NodeId> {
    let mut children: Vec<NodeId> = tree.children(node).collect();
    children.reverse();
    children
}

fn column(forest: &PhaseForest, id: NodeId, window: Option<Span>) -> Option<Column> {
    let node = forest.node(id)?;
    let meets = |span: (i64, i64)| window.is_none_or(|w| span.0 as f64 <= w.1 && span.1 as f64 >= w.0);
    if !meets(forest.totals[id.index()].span) {
        return None;
    }
    let phases = forest.gram.phases.get(node.phases.clone()).unwrap_or_default();
    let points = match node.kind {
        Kind::Part => vec![node.points.clone()],
        _ => phases.iter().map(|phase| phase.points.clone()).collect(),
    };
    Some(made(forest, id, node.phases.clone(), points, node.name.clone()))
}

fn made(
    forest: &PhaseForest,
    node: NodeId,
    phases: Range<usize>,
    points: Vec<Range<usize>>,
    name: String,
) -> Column {
    let own = forest.gram.phases.get(phases.clone()).unwrap_or_default();
    let pattern = own.first().map(|first| first.pattern);
    let pattern = pattern.filter(|pattern| own.iter().all(|phase| phase.pattern == *pattern));
    let sends = own.iter().any(|phase| phase.messages > 0);
    let first = pattern.filter(|_| sends).and_then(|pattern| forest.first_of(pattern));
    let key = first.map(|first| forest.communities(&first.points));
    let few = first.is_some_and(|first| is_few(forest.opened.ranks(), &forest.timed.flows(&first.points)));
    Column { node, phases, points, pattern, name, key, few, x: 0.0, w: 0.0, regroup: 0.0 }
}

/// Within a window each phase is a column where that fits; else neighbours of one pattern are one.
fn unfolded(forest: &PhaseForest, list: Vec<Column>, window: Span, width: f32) -> Vec<Column> {
    let meets = |phase: usize| {
        let span = forest.gram.phases[phase].span;
        span.0 as f64 <= window.1 && span.1 as f64 >= window.0
    };
    let inside: usize =
        list.iter().map(|column| column.phases.clone().filter(|&phase| meets(phase)).count()).sum();
    let fits = inside as f32 * (NARROW + REGROUP.1 / 2.0) <= width;
    let mut out = Vec::new();
    for column in list {
        let is_part = forest.node(column.node).is_some_and(|node| node.kind == Kind::Part);
        if is_part {
            out.push(column);
            continue;
        }
        let phases: Vec<usize> = column.phases.clone().filter(|&phase| meets(phase)).collect();
        let one = |&phase: &usize| {
            let node = forest.of_phase[phase];
            let points = vec![forest.gram.phases[phase].points.clone()];
            made(forest, node, phase..phase + 1, points, forest.name(node))
        };
        if fits {
            out.extend(phases.iter().map(one));
            continue;
        }
        let pattern = |phase: usize| forest.gram.phases[phase].pattern;
        for same in phases.chunk_by(|&a, &b| pattern(a) == pattern(b)) {
            let (Some(&first), Some(&last)) = (same.first(), same.last()) else { continue };
            if same.len() == column.phases.len() || same.len() == 1 {
                out.push(if same.len() == 1 { one(&first) } else { column.clone() });
                continue;
            }
            let points = same.iter().map(|&phase| forest.gram.phases[phase].points.clone()).collect();
            let ends = (forest.name(forest.of_phase[first]), forest.name(forest.of_phase[last]));
            out.push(made(forest, column.node, first..last + 1, points, format!("{}–{}", ends.0, ends.1)));
        }
    }
    out
}

/// The periods that are closed, as narrow columns on both sides of what is open; none where they take too much room.
fn beside(shown: &Shown<'_>, (left, width): &mut (f32, f32)) -> Vec<Other> {
    let (forest, tree) = (shown.forest, shown.forest.figures().tree.view());
    let mut open = None;
    let mut others = Vec::new();
    for node in tree.children(NodeId::ROOT) {
        let Some(phases) = forest.node(node).map(|node| node.phases.clone()) else { continue };
        if shown.cut.is_open(node) {
            open = open.or(Some(others.len()));
        } else {
            let w = phases.len() as f32 * STEP;
            others.push(Other { node, phases, x: 0.0, w });
        }
    }
    let all: f32 = others.iter().map(|other| other.w + BETWEEN).sum();
    let Some(open) = open.filter(|_| all <= OTHERS * *width) else { return Vec::new() };
    let before: f32 = others[..open].iter().map(|other| other.w + BETWEEN).sum();
    let mut x = *left;
    for (at, other) in others.iter_mut().enumerate() {
        if at == open {
            x = *left + *width - (all - before) + BETWEEN;
        }
        other.x = x;
        x += other.w + BETWEEN;
    }
    *left += before;
    *width -= all;
    others
}

/// Room for all periods as rows.
fn rows(shown: &Shown<'_>, (left, width): &mut (f32, f32)) -> Option<(f32, f32)> {
    let forest = shown.forest;
    let first = forest.figures().tree.view().children(NodeId::ROOT).next()?;
    let long = forest.node(first)?.phases.len().max(1) as f32;
    let w = (long * CELL).min(RASTER * *width);
    let at = (*left, w);
    *left += w + AFTER;
    *width -= w + AFTER;
    Some(at)
}

/// Width of a phase of another period.
const STEP: f32 = 5.0;
/// Between other periods.
const BETWEEN: f32 = 12.0;
/// The share of the width that other periods take at most.
const OTHERS: f32 = 0.3;
/// Width of a phase where periods are rows, at most.
const CELL: f32 = 30.0;
/// The share of the width that the rows take at most.
const RASTER: f32 = 0.38;
/// Between the rows and the columns.
const AFTER: f32 = 96.0;

/// Gives columns their room; drops those at the end that have none.
fn placed(mut list: Vec<Column>, (left, width): (f32, f32)) -> Vec<Column> {
    let before = |list: &[Column], at: usize, regroup: f32| -> (f32, f32) {
        if at == 0 {
            return (0.0, 0.0);
        }
        match (&list[at - 1].key, &list[at].key) {
            (Some(a), Some(b)) if a == b || list[at - 1].few && list[at].few => (GAP, 0.0),
            (Some(_), Some(_)) => (regroup, regroup),
            _ => (BESIDE, 0.0),
        }
    };
    let fixed = |list: &[Column], regroup: f32| -> f32 {
        let gaps: f32 = (0..list.len()).map(|at| before(list, at, regroup).0).sum();
        gaps + list.iter().filter(|column| column.key.is_none()).count() as f32 * PLATE
    };
    let flows = |list: &[Column]| list.iter().filter(|column| column.key.is_some()).count() as f32;
    let mut regroup = REGROUP.1;
    if fixed(&list, regroup) + flows(&list) * NARROW > width {
        regroup = REGROUP.0;
    }
    while list.len() > 1 && fixed(&list, regroup) + flows(&list) * NARROW > width {
        list.pop();
    }
    let each = ((width - fixed(&list, regroup)) / flows(&list).max(1.0)).max(1.0);
    let mut x = left;
    for at in 0..list.len() {
        let (gap, changes) = before(&list, at, regroup);
        x += gap;
        let w = if list[at].key.is_some() { each } else { PLATE };
        (list[at].x, list[at].w, list[at].regroup) = (x, w, changes);
        x += w;
    }
    list
}
