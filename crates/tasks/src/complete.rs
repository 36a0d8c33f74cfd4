//! Critical paths where tasks outlive the section that created them, or depend on each other: their lengths are found frame
//! by frame.

use crate::schema::{Depend, Kind, Mark, TaskWriter};

use crate::dag::Depends;
use crate::error::TasksError;
use crate::frame::{Columns, Lengths, NO_TAIL, Scan};
use crate::pass::broken;

/// Checks the dependences of a tree that is sound: in order, between tasks of one task, or from one to a wait of it.
/// Returns the tasks that have any among what they created, in order.
pub fn check_depends(
    (len, parent, mark): (&[u32], &[u32], &[u8]),
    depends: &[Depend],
) -> Result<Vec<u32>, TasksError> {
    if depends.is_empty() {
        return Ok(Vec::new());
    }
    if !depends.is_sorted_by(|a, b| a < b) {
        return Err(TasksError::Broken("dependences are not in order".into()));
    }
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
