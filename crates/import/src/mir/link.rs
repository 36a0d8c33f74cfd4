//! What one row says about another: parents, shares of the parents' overhead, and when a task can have started.

use crate::error::ImportError;
use crate::grains::{Families, Grain, GrainKind, UNKNOWN};
use crate::input::Input;

use super::csv::line_broken;
use super::rows::{Row, Table};

/// Looks up parents, and fills what follows from them.
pub fn link(input: &Input<'_>, table: &mut Table) -> Result<(), ImportError> {
    find_parents(input, table)?;
    let families = Families::new(&table.grains.list);
    let order = families.downwards();
    check_tree(input, table, &order)?;
    for &grain in &order {
        share_overhead(table, grain, families.of(grain));
    }
    let list = &mut table.grains.list;
    for &grain in order.iter().rev() {
        start_before_children(list, grain, families.of(grain));
    }
    // The program began where its first task did.
    if table.rows[0].line == 0
        && let Some(&first) = families.of(0).first()
    {
        list[0].spot = list[first as usize].spot;
    }
    Ok(())
}

fn at_row(input: &Input<'_>, row: &Row, what: String) -> ImportError {
    line_broken(input, row.offset, row.line, what)
}

fn find_parents(input: &Input<'_>, table: &mut Table) -> Result<(), ImportError> {
    for (row, grain) in table.rows.iter().zip(&mut table.grains.list).skip(1) {
        let Some(&parent) = table.numbers.get(&row.parent) else {
            let what = format!(
                "task {} has the parent {}, which is not in the file; the file may be cut short",
                row.task, row.parent
            );
            return Err(at_row(input, row, what));
        };
        grain.parent = parent;
    }
    Ok(())
}

/// Every task must be reached from the root, and chunks create nothing.
fn check_tree(input: &Input<'_>, table: &Table, order: &[u32]) -> Result<(), ImportError> {
    let list = &table.grains.list;
    let with_parent = table.rows.iter().zip(list).skip(1);
    for (row, grain) in with_parent {
        if list[grain.parent as usize].kind == GrainKind::Chunk {
            let what = format!("task {} has the parent {}, which is a chunk of a loop", row.task, row.parent);
            return Err(at_row(input, row, what));
        }
    }
    if order.len() == list.len() {
        return Ok(());
    }
    let mut reached = vec![false; list.len()];
    order.iter().for_each(|&grain| reached[grain as usize] = true);
    let lost = reached.iter().position(|reached| !reached).unwrap_or(0);
    let row = &table.rows[lost];
    let what = format!("the parents of task {} lead in a circle, not to the root", row.task);
    Err(at_row(input, row, what))
}

/// What a parent's overhead leaves when its children are created is the cost of waiting for them, shared among them.
fn share_overhead(table: &mut Table, parent: u32, family: &[u32]) {
    let list = &mut table.grains.list;
    let creation: i128 = family.iter().map(|&child| i128::from(list[child as usize].creation)).sum();
    let sync = (i128::from(table.rows[parent as usize].overhead) - creation).max(0);
    let count = family.len() as i128;
    for (at, &child) in (0i128..).zip(family) {
        // Shares in whole units that add up, whichever way the children fall into sections.
        list[child as usize].sync = (sync * (at + 1) / count - sync * at / count) as i64;
    }
}

/// A task ran before it created others: not later than any of them, less what it had run until then.
fn start_before_children(list: &mut [Grain], grain: u32, family: &[u32]) {
    let before = family.iter().map(|&child| &list[child as usize]).filter_map(|child| {
        let known = child.start != UNKNOWN && child.created != UNKNOWN;
        known.then(|| child.start.saturating_sub(child.created))
    });
    let grain_start = list[grain as usize].start;
    let start = before.chain(Some(grain_start).filter(|&start| start != UNKNOWN)).min();
    list[grain as usize].start = start.unwrap_or(UNKNOWN);
}
