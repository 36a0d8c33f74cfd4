//! The columns of the run, in pre-order, from what was kept of each node.

use crosscut_tasks::schema::{Collapsed, Mark, TaskWriter};
use rayon::prelude::*;

use crate::error::ImportError;
use crate::input::Input;

use super::decode::Table;
use super::names::Names;

/// Nodes per parallel piece.
const PIECE: usize = 1 << 14;

/// Fills marks, places, sites and times of leaves and collapsed nodes, and the rows of collapsed nodes.
pub fn fill(
    input: &Input<'_>,
    table: &Table,
    names: &Names,
    order: &[u32],
    writer: &mut TaskWriter,
) -> Result<(), ImportError> {
    let TaskWriter { mark, place, site, start, end, span, .. } = writer;
    (
        order.par_chunks(PIECE),
        (mark.par_chunks_mut(PIECE), place.par_chunks_mut(PIECE), site.par_chunks_mut(PIECE)),
        (start.par_chunks_mut(PIECE), end.par_chunks_mut(PIECE), span.par_chunks_mut(PIECE)),
    )
        .into_par_iter()
        .try_for_each(|(order, (mark, place, site), (start, end, span))| {
            input.check_cancelled()?;
            let names_out = mark.iter_mut().zip(place).zip(site);
            let times_out = start.iter_mut().zip(end).zip(span);
            for ((&node, ((mark, place), site)), ((start, end), span)) in
                order.iter().zip(names_out).zip(times_out)
            {
                let node = node as usize;
                let (Some(link), Some(value)) = (table.links.get(node), table.values.get(node)) else {
                    continue;
                };
                *mark = link.mark().0;
                if link.is_open() {
                    continue;
                }
                *place = names.place(node, value.place);
                *site = names.site(node, value.site);
                *start = value.start;
                *end = value.end;
                if link.mark().is_collapsed() {
                    *span = table.row(node).map_or(0, |row| row.span);
                }
            }
            Ok::<(), ImportError>(())
        })?;
    writer.collapsed.reserve_exact(table.pieces.iter().map(|piece| piece.rows.len()).sum());
    for (position, (&mark, &node)) in writer.mark.iter().zip(order).enumerate() {
        if Mark(mark).is_collapsed()
            && let Some(row) = table.row(node as usize)
        {
            writer.collapsed.push(Collapsed { node: position as u32, ..row.collapsed });
        }
    }
    Ok(())
}
