//! T1 and T∞ of a subtree under any costs: its earliest-start schedule in one forward pass. Pre-order meets a created task
//! before the rest of its creator's spine, and what a task depends on before the task, so every start is known in time.

use crate::schema::{Kind, Mark};

use super::cost::{Cost, Known};
use super::links::Links;
use crate::dag::{Join, join};
use crate::frame::{Columns, NO_TAIL};

/// Before everything.
const NEVER: i64 = i64::MIN;

/// Memory of scans, kept from one to the next. It grows with depth, and with the tasks that others depend on.
#[derive(Debug, Default)]
pub struct Scan {
    levels: Vec<Level>,
    /// When the tasks ended that others depend on, in the order of [`Links::needed`] inside the subtree.
    ended: Vec<i64>,
}

/// A task or section whose nodes are being looked at.
#[derive(Clone, Copy, Debug)]
struct Level {
    node: usize,
    end: usize,
    /// Of a task, where the spine of its creator goes on.
    back: Option<i64>,
    /// The tasks created in it.
    own: Behind,
    /// What sections and tasks inside leave behind.
    left: Behind,
}

/// Tasks that somebody may wait for: their last end, and what it costs to wait for them.
#[derive(Clone, Copy, Debug)]
struct Behind {
    until: i64,
    sync: i64,
}

impl Behind {
    const NOTHING: Behind = Behind { until: NEVER, sync: 0 };

    fn and(self, other: Behind) -> Behind {
        Behind { until: self.until.max(other.until), sync: self.sync.saturating_add(other.sync) }
    }
}

impl Scan {
    /// Looks at a subtree, except where its costs are known already.
    pub fn run(&mut self, columns: &Columns<'_>, links: &Links, cost: &impl Cost, root: usize) -> Known {
        let Columns { len, mark, depends, .. } = *columns;
        let end_of = |node: usize| (node + len[node].max(1) as usize).min(len.len());
        let last = end_of(root);
        let needed = links.needed_in(root..last);
        self.ended.clear();
        self.ended.resize(needed.len(), NEVER);
        self.levels.clear();
        let level = |node, end, back| Level { node, end, back, own: Behind::NOTHING, left: Behind::NOTHING };
        // Around the root: receives what that leaves behind.
        self.levels.push(level(root, usize::MAX, None));
        let (mut work, mut now, mut i) = (0i64, 0i64, root);
        loop {
            while let Some(inner) = self.levels.pop_if(|level| level.end <= i) {
                work = work.saturating_add(self.close(columns, needed, &inner, &mut now));
                if let Some(back) = inner.back {
                    self.end_task(inner.node, now, needed, cost);
                    now = back;
                }
            }
            if i >= last {
                break;
            }
            let (node, kind, back) = (i, Mark(mark[i]).kind(), now);
            let is_task = kind == Kind::Task;
            if is_task {
                now = self.released(depends.of(node as u32), needed, now);
            }
            // Dependences lead in and out of sections, not of tasks.
            let known =
                if is_task || depends.is_empty() && kind == Kind::Section { cost.known(node) } else { None };
            if known.is_none() && kind.is_collective() && len[node] > 1 {
                let above = self.levels.last().map_or(last, |level| level.end);
                let end = end_of(node).min(above).min(last);
                self.levels.push(level(node, end, is_task.then_some(back)));
                i += 1;
                continue;
            }
            let found = known.unwrap_or_else(|| {
                let (work, span) = match kind.is_collective() {
                    true => cost.block(node),
                    false => [cost.length(node); 2].into(),
                };
                Known::closed(work, span)
            });
            work = work.saturating_add(found.work);
            if found.tail >= 0 {
                self.leave(Behind { until: now.saturating_add(found.tail), sync: found.sync });
            }
            now = now.saturating_add(found.span);
            if is_task {
                self.end_task(node, now, needed, cost);
                now = back;
            }
            i = end_of(node);
        }
        let around =
            self.levels.first().map_or((NEVER, Behind::NOTHING), |level| (level.own.until, level.left));
        let span = if Mark(mark[root]).kind() == Kind::Task { around.0 } else { now };
        Known { work, span, tail: around.1.until.max(NO_TAIL), sync: around.1.sync }
    }

    fn leave(&mut self, behind: Behind) {
        if let Some(level) = self.levels.last_mut() {
            level.left = level.left.and(behind);
        }
    }

    /// `now`, or when the last of these tasks has ended.
    fn released(&self, from: &[u32], needed: &[u32], now: i64) -> i64 {
        let ends = from.iter().filter_map(|from| needed.binary_search(from).ok());
        ends.fold(now, |now, at| now.max(self.ended[at]))
    }

    fn end_task(&mut self, task: usize, now: i64, needed: &[u32], cost: &impl Cost) {
        if let Ok(at) = needed.binary_search(&(task as u32)) {
            self.ended[at] = now;
        }
        if let Some(level) = self.levels.last_mut() {
            level.own = level.own.and(Behind { until: now, sync: cost.sync(task) });
        }
    }

    /// Ends a level: moves the spine past its wait, hands up what it leaves behind. Returns the work of waiting.
    fn close(&mut self, columns: &Columns<'_>, needed: &[u32], level: &Level, now: &mut i64) -> i64 {
        let Columns { len, parent, mark, depends } = *columns;
        let join = join(len, parent, mark, level.node);
        let (joined, left) = match join {
            Join::None => (Behind::NOTHING, level.own.and(level.left)),
            Join::Own => (level.own, level.left),
            Join::All => (level.own.and(level.left), Behind::NOTHING),
        };
        self.leave(left);
        if join != Join::None {
            *now = self.released(depends.of(level.end as u32 - 1), needed, *now);
        }
        *now = joined.until.max(*now).saturating_add(joined.sync);
        joined.sync
    }
}
