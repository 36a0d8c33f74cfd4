//! Inner nodes from their children. Read backwards, pre-order meets every child before its parent and the last child
//! first, so one loop completes start, end, critical path, place and site of all collective nodes.

use crosscut_run::tasks::{Collapsed, Kind, Mark, TaskWriter};
use crosscut_run::{Places, SEVERAL};
use crosscut_tree::{Tree, Wide};

use crate::error::TasksError;

/// Checks that the columns are a tree and, beside that, fills in inner nodes; leaves and collapsed nodes must be there.
/// Leaves get their span. Refuses what does not fit together: marks and list of collapsed nodes, times, places. Says how
/// deep the tree is.
pub fn complete(tasks: &mut TaskWriter, places: &Places, wide: Wide<'_>) -> Result<usize, TasksError> {
    let tree = Tree::new(&tasks.len, &tasks.parent, wide);
    let given =
        Given { len: &tasks.len, parent: &tasks.parent, mark: &tasks.mark, collapsed: &tasks.collapsed };
    let filled = Filled {
        start: &mut tasks.start,
        end: &mut tasks.end,
        span: &mut tasks.span,
        place: &mut tasks.place,
        site: &mut tasks.site,
    };
    let depth = || tree.check().map(|()| tree.max_depth());
    let (depth, values) = rayon::join(depth, || fill(given, filled, places));
    let depth = depth?;
    values?;
    Ok(depth)
}

struct Given<'a> {
    len: &'a [u32],
    parent: &'a [u32],
    mark: &'a [u8],
    collapsed: &'a [Collapsed],
}

struct Filled<'a> {
    start: &'a mut [i64],
    end: &'a mut [i64],
    span: &'a mut [i64],
    place: &'a mut [u16],
    site: &'a mut [u32],
}

/// The loop. It trusts the structure no further than it can see, since that is being checked meanwhile.
fn fill(given: Given<'_>, filled: Filled<'_>, places: &Places) -> Result<(), TasksError> {
    let Given { len, parent, mark, collapsed } = given;
    let Filled { start, end, span, place, site } = filled;
    let n = len.len();
    let broken = |node: usize, what: &str| TasksError::Broken(format!("node {node} {what}"));
    let mut collapsed = collapsed.iter().rev().peekable();
    if let Some(last) = collapsed.peek().filter(|c| c.node as usize >= n) {
        return Err(broken(last.node as usize, "is listed as collapsed, but there is no such node"));
    }
    for i in (0..n).rev() {
        let m = Mark(mark[i]);
        if collapsed.next_if(|c| c.node as usize == i).is_some() != m.is_collapsed() {
            return Err(broken(i, "is marked as collapsed or listed so, but not both"));
        }
        if m.is_collapsed() && (len[i] != 1 || !m.kind().is_collective()) {
            return Err(broken(i, "is collapsed, but is no section or task without an inside"));
        }
        if len[i] == 1 && place[i] != SEVERAL && places.get(place[i]).is_none() {
            return Err(broken(i, "ran at a place that is not in the list"));
        }
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
