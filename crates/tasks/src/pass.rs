//! Completing a tree whose columns were filled: they are checked, and the nodes are written once more, over themselves, by
//! [`Grow`], which completes start, end, critical path, place and site of inner nodes and sums up.

use crate::schema::TaskWriter;
use crosscut_run::{Places, SEVERAL};
use crosscut_tree::{Tree, Wide};

use crate::error::TasksError;
use crate::grow::{Block, Grow, Grown};
use crate::order::Rows;

/// Checks the columns and fills in inner nodes; leaves and collapsed nodes must be there. Leaves get their span, inner nodes
/// the one that they have when sections wait for all they create. Refuses what does not fit together: structure, marks and
/// list of collapsed nodes, times, places.
pub fn pass(tasks: &mut TaskWriter, places: &Places) -> Result<Grown, TasksError> {
    Tree::new(&tasks.len, &tasks.parent, Wide::default()).check()?;
    let n = tasks.len.len();
    let collapsed = std::mem::take(&mut tasks.collapsed);
    if let Some(last) = collapsed.last().filter(|c| c.node as usize >= n) {
        return Err(broken(last.node as usize, "is listed as collapsed, but there is no such node"));
    }
    let rows = Rows::new(places);
    let mut listed = collapsed.iter().peekable();
    let mut grow = Grow::new(tasks, places.worker_count());
    // Where the nodes end that are open.
    let mut ends: Vec<usize> = Vec::new();
    for i in 0..n {
        while ends.pop_if(|end| *end == i).is_some() {
            grow.close();
        }
        let (len, span, block) = grow.filled(i);
        let inside = listed.next_if(|c| c.node as usize == i);
        if inside.is_some() != block.mark.is_collapsed() {
            return Err(broken(i, "is marked as collapsed or listed so, but not both"));
        }
        if len > 1 {
            if inside.is_some() {
                return Err(broken(i, COLLAPSED));
            }
            grow.open_marked(block.mark);
            ends.push(i + len);
            continue;
        }
        let block = Block { worker: check(i, &block, &rows)?, ..block };
        match inside {
            None => grow.leaf(block),
            Some(_) if !block.mark.kind().is_collective() => return Err(broken(i, COLLAPSED)),
            Some(inside) => grow.collapsed(block, span, inside),
        };
    }
    ends.iter().for_each(|_| grow.close());
    let grown = grow.finish();
    tasks.collapsed = collapsed;
    Ok(grown)
}

/// The row of a block, when its place and times make sense.
#[inline]
fn check(i: usize, block: &Block, rows: &Rows) -> Result<u32, TasksError> {
    let &Block { start, end, place, .. } = block;
    if place != SEVERAL && !rows.has(place) {
        return Err(broken(i, "ran at a place that is not in the list"));
    }
    if end < start {
        return Err(TasksError::Broken(format!("node {i} ends before it starts ({end} < {start})")));
    }
    Ok(rows.of(place) as u32)
}

pub fn broken(node: usize, what: &str) -> TasksError {
    TasksError::Broken(format!("node {node} {what}"))
}

pub const COLLAPSED: &str = "is collapsed, but is not a section or task without children";
