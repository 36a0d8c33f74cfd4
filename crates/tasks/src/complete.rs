//! Inner nodes from their children. Read backwards, pre-order meets every child before its parent and the last child
//! first, so one loop completes start, end, critical path, place and site of all collective nodes.

use crosscut_run::Places;
use crosscut_run::tasks::{Kind, Mark, TaskWriter};

use crate::error::TasksError;

/// Fills in inner nodes; leaves and collapsed nodes must be there. Leaves get their span.
pub fn complete(tasks: &mut TaskWriter, places: &Places) -> Result<(), TasksError> {
    let n = tasks.node_count();
    let (len, parent, mark) = (&tasks.len[..], &tasks.parent[..], &tasks.mark[..]);
    let (start, end, span) = (&mut tasks.start[..], &mut tasks.end[..], &mut tasks.span[..]);
    let (place, site) = (&mut tasks.place[..], &mut tasks.site[..]);
    for i in (0..n).rev() {
        let m = Mark(mark[i]);
        if len[i] == 1 && !m.is_collapsed() {
            span[i] = end[i] - start[i];
        }
        if end[i] < start[i] {
            return Err(TasksError::Broken(format!(
                "node {i} ends before it starts ({} < {})",
                end[i], start[i]
            )));
        }
        if i == 0 {
            break;
        }
        let p = parent[i] as usize;
        if p >= i {
            return Err(TasksError::Broken(format!("node {i} stands before its parent {p}")));
        }
        let last = i + len[i] as usize == p + len[p] as usize;
        if last {
            start[p] = start[i];
            end[p] = end[i];
            span[p] = span[i];
            place[p] = place[i];
            site[p] = site[i];
            continue;
        }
        start[p] = start[p].min(start[i]);
        end[p] = end[p].max(end[i]);
        place[p] = places.common(place[p], place[i]);
        site[p] = site[i];
        span[p] = match m.kind() {
            // A created task runs beside what follows it; everything else is on the spine.
            Kind::Task => span[p].max(span[i]),
            _ => span[p] + span[i],
        };
    }
    Ok(())
}
