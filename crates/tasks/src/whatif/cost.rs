//! What everything takes in a replay: the recorded lengths, scaled where something is made faster, and the overhead of
//! each task where it is created and where it is waited for.

use crate::schema::{Kind, Mark};
use crosscut_tree::NodeId;

use super::{Change, Overhead};
use crate::frame::NO_TAIL;
use crate::tasks::Tasks;

/// Lengths by node of a tree, the recorded one or a smaller one that stands for it.
pub trait Cost: Sync {
    /// How long an interval takes its task and worker.
    fn length(&self, node: usize) -> i64;
    /// Work and span of a section or task without an inside; the span is never longer than the work.
    fn block(&self, node: usize) -> (i64, i64);
    /// What whoever waits for a task spends on that.
    fn sync(&self, task: usize) -> i64;
    /// Work, span and tail of a whole subtree, where they are known without looking inside.
    fn known(&self, _node: usize) -> Option<Known> {
        None
    }
}

/// What is known of a subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub work: i64,
    pub span: i64,
    /// To the last end of what it leaves behind; negative when that is nothing.
    pub tail: i64,
    /// What whoever waits for what it leaves behind spends on that.
    pub sync: i64,
}

impl Known {
    /// Leaves nothing behind.
    pub fn closed(work: i64, span: i64) -> Self {
        Known { work, span, tail: NO_TAIL, sync: 0 }
    }
}

/// The recorded lengths under a change.
#[derive(Debug)]
pub struct Recorded<'a> {
    tasks: &'a Tasks,
    mark: &'a [u8],
    start: &'a [i64],
    end: &'a [i64],
    overhead: Overhead,
    /// Where the factor changes: from this node on, lengths are divided by this. Ascending; empty when nothing changes.
    borders: Vec<(usize, f64)>,
    /// By site, what lengths are divided by; empty when no line changes.
    sites: Vec<f64>,
}

impl<'a> Recorded<'a> {
    /// The change must have been checked.
    pub fn new(tasks: &'a Tasks, overhead: Overhead, change: &Change) -> Self {
        let ranges: Vec<_> = change.faster.iter().map(|&(node, k)| (tasks.tree().range(node), k)).collect();
        let mut at: Vec<usize> = ranges.iter().flat_map(|(range, _)| [range.start, range.end]).collect();
        at.sort_unstable();
        at.dedup();
        // What lies in several changed subtrees is faster by all of them.
        let factor = |node: usize| ranges.iter().filter(|(r, _)| r.contains(&node)).map(|(_, k)| k).product();
        let dag = tasks.dag();
        let overhead = if change.overhead { overhead } else { Overhead::default() };
        let borders = at.into_iter().map(|node| (node, factor(node))).collect();
        let sites = by_site(tasks, &change.lines);
        Recorded { tasks, mark: dag.mark, start: tasks.starts(), end: dag.end, overhead, borders, sites }
    }

    fn factor(&self, node: usize) -> f64 {
        let after = self.borders.partition_point(|border| border.0 <= node);
        after.checked_sub(1).map_or(1.0, |at| self.borders[at].1)
    }

    /// What the line divides by, at which an interval or a folded node began.
    fn line(&self, node: usize) -> f64 {
        let site = self.tasks.site(NodeId(node as u32)) as usize;
        self.sites.get(site).copied().unwrap_or(1.0)
    }

    #[inline]
    fn scaled(&self, node: usize, length: i64) -> i64 {
        if self.borders.is_empty() && self.sites.is_empty() {
            return length;
        }
        match self.factor(node) * self.line(node) {
            1.0 => length,
            factor => (length as f64 / factor).round() as i64,
        }
    }

    /// Whether nothing in a subtree differs from what was recorded.
    fn is_unchanged(&self, node: usize) -> bool {
        // Where the lines are nobody knows without looking.
        if self.overhead != Overhead::default() || !self.sites.is_empty() {
            return false;
        }
        if self.borders.is_empty() {
            return true;
        }
        let range = self.tasks.tree().range(NodeId(node as u32));
        let inside = self.borders.partition_point(|border| border.0 <= range.start);
        let next = self.borders.get(inside).map_or(usize::MAX, |border| border.0);
        self.factor(node) == 1.0 && next >= range.end
    }

    #[inline]
    fn recorded(&self, node: usize) -> i64 {
        self.end[node].saturating_sub(self.start[node]).max(0)
    }
}

/// What each site divides by: a line that is named several times by all of them.
fn by_site(tasks: &Tasks, lines: &[(u32, f64)]) -> Vec<f64> {
    if lines.is_empty() {
        return Vec::new();
    }
    let sources = tasks.sources();
    let factor = |site: u32| {
        let from = sources.site(site).map(|site| site.from);
        lines.iter().filter(|&&(line, _)| Some(line) == from).map(|&(_, k)| k).product()
    };
    (0..sources.site_count() as u32).map(factor).collect()
}

impl Cost for Recorded<'_> {
    #[inline]
    fn length(&self, node: usize) -> i64 {
        let length = self.scaled(node, self.recorded(node));
        match Mark(self.mark[node]).kind() {
            Kind::Create => length.saturating_add(self.overhead.create),
            _ => length,
        }
    }

    fn block(&self, node: usize) -> (i64, i64) {
        let Some(inside) = self.tasks.collapsed(NodeId(node as u32)) else {
            let length = self.scaled(node, self.recorded(node));
            return (length, length);
        };
        let given = inside.work.max(0);
        let path = self.tasks.span(NodeId(node as u32)).clamp(0, given);
        // Where inside the overhead is nobody knows any more: the path gets its share of it.
        let tasks = inside.nodes[Kind::Create as usize].max(0);
        let overhead = tasks.saturating_mul(self.overhead.create + self.overhead.sync);
        let share = if given > 0 { path as f64 / given as f64 } else { 1.0 };
        let on_path = (overhead as f64 * share).round() as i64;
        let work = self.scaled(node, given).saturating_add(overhead);
        let span = self.scaled(node, path).saturating_add(on_path);
        (work, span.clamp(work.min(1), work))
    }

    #[inline]
    fn sync(&self, task: usize) -> i64 {
        // A lane stands behind a fork: the program did not create it.
        match task.checked_sub(1).map(|before| Mark(self.mark[before]).kind()) {
            Some(Kind::Create) => self.overhead.sync,
            _ => 0,
        }
    }

    fn known(&self, node: usize) -> Option<Known> {
        if !self.is_unchanged(node) {
            return None;
        }
        let node = NodeId(node as u32);
        let (work, span, tail) = (self.tasks.work(node), self.tasks.span(node), self.tasks.tail(node));
        Some(Known { work, span, tail: if tail > 0 { tail } else { NO_TAIL }, sync: 0 })
    }
}
