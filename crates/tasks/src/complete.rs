//! Inner nodes from their children. Read backwards, pre-order meets every child before its parent and the last child
//! first, so one loop completes start, end, critical path, place and site of all collective nodes. Where tasks outlive
//! the section that created them, or depend on each other, the lengths of critical paths are found frame by frame.

use crosscut_run::tasks::{Collapsed, Depend, Kind, Mark, TaskWriter};
use crosscut_run::{Places, SEVERAL};
use crosscut_tree::{Tree, Wide};
use rayon::prelude::*;

use crate::dag::{Depends, Join, join};
use crate::error::TasksError;
use crate::frame::{Columns, Lengths, NO_TAIL, Scan};

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

fn broken(node: usize, what: &str) -> TasksError {
    TasksError::Broken(format!("node {node} {what}"))
}

/// The loop. It trusts the structure no further than it can see, since that is being checked meanwhile. Spans are those of
/// sections that wait for all they create.
fn fill(given: Given<'_>, filled: Filled<'_>, places: &Places) -> Result<(), TasksError> {
    let Given { len, parent, mark, collapsed } = given;
    let Filled { start, end, span, place, site } = filled;
    let n = len.len();
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

/// Whether some task is not waited for by the section that created it.
pub fn leaves_tasks(tasks: &TaskWriter) -> bool {
    let (len, parent, mark) = (&tasks.len[..], &tasks.parent[..], &tasks.mark[..]);
    (1..len.len()).into_par_iter().with_min_len(1 << 16).any(|i| {
        Mark(mark[i]).kind() == Kind::Task && join(len, parent, mark, parent[i] as usize) == Join::None
    })
}

/// Checks the dependences of a tree that is sound: in order, between tasks of one task, or from one to a wait of it.
/// Returns the tasks that have any among what they created, in order.
pub fn check_depends(tasks: &TaskWriter) -> Result<Vec<u32>, TasksError> {
    let depends = &tasks.depends;
    if depends.is_empty() {
        return Ok(Vec::new());
    }
    if !depends.is_sorted_by(|a, b| a < b) {
        return Err(TasksError::Broken("dependences are not in order".into()));
    }
    let (len, parent, mark) = (&tasks.len[..], &tasks.parent[..], &tasks.mark[..]);
    let kind = |node: u32| Mark(mark[node as usize]).kind();
    // The task on whose spine each node lies or was created.
    let mut frame = vec![0u32; len.len()];
    for i in 1..frame.len() {
        let above = parent[i];
        frame[i] = if kind(above) == Kind::Task { above } else { frame[above as usize] };
    }
    let mut frames = Vec::new();
    for &Depend { to, from } in depends {
        let wrong = |what: &str| Err(broken(to as usize, &format!("cannot depend on node {from}: {what}")));
        if to as usize >= len.len() || from >= to {
            return wrong("there is no such node before it");
        }
        let is_wait = || {
            let above = parent[to as usize] as usize;
            kind(to) == Kind::Wait
                && above + len[above] as usize == to as usize + 1
                && Mark(mark[above]).kind() == Kind::Section
        };
        if kind(from) != Kind::Task || from == 0 || !(kind(to) == Kind::Task || is_wait()) {
            return wrong("only tasks and the waits of sections depend, on tasks");
        }
        if frame[to as usize] != frame[from as usize] {
            return wrong("they do not belong to one task");
        }
        frames.push(frame[to as usize]);
    }
    frames.sort_unstable();
    frames.dedup();
    Ok(frames)
}

/// Finds the spans and tails of all nodes anew, as the earliest-start schedule has them; `frames` are the tasks with
/// dependences.
pub fn fill_spans(tasks: &mut TaskWriter, depends: Depends<'_>, frames: &[u32], tail: &mut [i64]) {
    let (len, parent, mark) = (&tasks.len[..], &tasks.parent[..], &tasks.mark[..]);
    tail.fill(NO_TAIL);
    let mut lengths = Spans { span: &mut tasks.span, tail };
    let mut scan = Scan::default();
    let mut frames = frames.iter().rev().peekable();
    for i in (0..len.len()).rev() {
        if len[i] == 1 || i > 0 && Mark(mark[i]).kind() != Kind::Task {
            continue;
        }
        let has_depends = frames.next_if(|&&frame| frame as usize == i).is_some();
        let depends = if has_depends { within(depends, i as u32, len[i]) } else { Depends::default() };
        scan.run(&Columns { len, parent, mark, depends }, i, &mut lengths);
    }
}

/// The dependences into the nodes of a subtree.
pub fn within<'a>(depends: Depends<'a>, node: u32, len: u32) -> Depends<'a> {
    let first = depends.to.partition_point(|&to| to < node);
    let last = depends.to.partition_point(|&to| to < node.saturating_add(len)).max(first);
    Depends { to: &depends.to[first..last], from: depends.from.get(first..last).unwrap_or(&[]) }
}

struct Spans<'a> {
    span: &'a mut [i64],
    /// Empty when no task is left behind anywhere.
    tail: &'a mut [i64],
}

impl Lengths for Spans<'_> {
    fn span(&self, node: usize) -> i64 {
        self.span[node]
    }

    fn tail(&self, node: usize) -> i64 {
        self.tail.get(node).copied().unwrap_or(NO_TAIL)
    }

    fn found(&mut self, node: usize, span: i64, tail: i64) {
        self.span[node] = span;
        if let Some(slot) = self.tail.get_mut(node) {
            *slot = tail;
        }
    }
}
