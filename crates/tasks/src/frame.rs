//! The earliest-start schedule of one task's own nodes: its spine, its sections, and the tasks it created as wholes. A
//! forward scan with the open sections on a stack; dependences stay within such a frame, so a scan sees all that matter.
//!
//! Of every node two lengths are known, both from its start: its *span*, to the point where its spine goes on, and its
//! *tail*, to the last end of any task that it leaves behind.

use crate::schema::{Kind, Mark};

use crate::dag::{Depends, Join, gallop, join};

/// No tail: nothing is left behind.
pub const NO_TAIL: i64 = -1;

/// A task that something waits for, until its own end or until that of what it left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last {
    pub at: i64,
    pub task: u32,
    pub tail: bool,
}

/// The later one; of equal ones the first.
fn later(a: Option<Last>, b: Option<Last>) -> Option<Last> {
    match (a, b) {
        (Some(x), Some(y)) if y.at > x.at => b,
        (None, _) => b,
        _ => a,
    }
}

/// What a scan needs to know of nodes, and what it finds out.
pub trait Lengths {
    fn span(&self, node: usize) -> i64;
    /// Negative when there is none.
    fn tail(&self, node: usize) -> i64;
    /// The lengths of a section of the frame, and at last of its task.
    fn found(&mut self, _node: usize, _span: i64, _tail: i64) {}
    /// A task starts when another one ends, not when it is created.
    fn held(&mut self, _task: u32, _by: u32) {}
    /// The wait of the section whose nodes end here ends with a task.
    fn waited(&mut self, _end: u32, _last: Last) {}
}

/// The tree, and the dependences of one frame; none when it has none.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    pub len: &'a [u32],
    pub parent: &'a [u32],
    pub mark: &'a [u8],
    pub depends: Depends<'a>,
}

/// Memory of scans, kept from one to the next.
#[derive(Debug, Default)]
pub struct Scan {
    levels: Vec<Level>,
    /// Ends of the tasks, if the frame has dependences.
    ended: Vec<(u32, i64)>,
}

/// An open section, or the frame itself.
#[derive(Clone, Copy, Debug)]
struct Level {
    node: usize,
    end: usize,
    start: i64,
    /// The last of the tasks created in it.
    own: Option<Last>,
    /// The last of those that sections and tasks inside leave behind.
    left: Option<Last>,
}

impl Scan {
    /// Scans the frame of a task. Returns how many nodes it has and what its task leaves behind.
    pub fn run(
        &mut self,
        columns: &Columns<'_>,
        frame: usize,
        lengths: &mut impl Lengths,
    ) -> (usize, Option<Last>) {
        let Columns { len, mark, depends, .. } = *columns;
        self.levels.clear();
        self.ended.clear();
        let end = (frame + len[frame] as usize).min(len.len());
        self.levels.push(Level { node: frame, end, start: 0, own: None, left: None });
        let (mut now, mut seen, mut depend) = (0i64, 0, 0);
        let mut i = frame + 1;
        loop {
            while let Some(&level) = self.levels.last().filter(|level| level.end <= i) {
                let left = self.close(columns, level, &mut now, lengths);
                self.levels.pop();
                match self.levels.last_mut() {
                    Some(above) => above.left = later(above.left, left),
                    None => return (seen, left),
                }
            }
            seen += 1;
            let next = i + (len[i].max(1) as usize);
            if Mark(mark[i]).kind() == Kind::Task {
                let mut start = now;
                if !depends.is_empty() {
                    depend = gallop(depends.to, depend, i as u32);
                    start = self.start(i as u32, &depends, depend, now, lengths);
                    self.ended.push((i as u32, start.saturating_add(lengths.span(i))));
                }
                let Some(level) = self.levels.last_mut() else { return (seen, None) };
                let last = |at, tail| Some(Last { at, task: i as u32, tail });
                level.own = later(level.own, last(start.saturating_add(lengths.span(i)), false));
                if lengths.tail(i) >= 0 {
                    level.left = later(level.left, last(start.saturating_add(lengths.tail(i)), true));
                }
                i = next;
            } else if len[i] <= 1 {
                now = now.saturating_add(lengths.span(i));
                i += 1;
            } else {
                self.levels.push(Level { node: i, end: next.min(end), start: now, own: None, left: None });
                i += 1;
            }
        }
    }

    /// When a task starts: `now`, or when the last task that it depends on has ended.
    fn start(
        &self,
        task: u32,
        depends: &Depends<'_>,
        at: usize,
        now: i64,
        lengths: &mut impl Lengths,
    ) -> i64 {
        match self.last_of(task, depends, at).filter(|last| last.at > now) {
            Some(last) => {
                lengths.held(task, last.task);
                last.at
            }
            None => now,
        }
    }

    /// The task that ends last of those that a node depends on; its dependences begin at `at`.
    fn last_of(&self, node: u32, depends: &Depends<'_>, at: usize) -> Option<Last> {
        let own =
            depends.to[at..].iter().zip(depends.from.get(at..).unwrap_or(&[])).take_while(|d| *d.0 == node);
        own.filter_map(|(_, from)| {
            let found = self.ended.binary_search_by_key(from, |ended| ended.0).ok()?;
            Some(Last { at: self.ended[found].1, task: *from, tail: false })
        })
        .fold(None, |a, b| later(a, Some(b)))
    }

    /// Ends a section or the frame: moves the spine past its wait and says what it leaves behind.
    fn close(
        &self,
        columns: &Columns<'_>,
        level: Level,
        now: &mut i64,
        lengths: &mut impl Lengths,
    ) -> Option<Last> {
        let Columns { len, parent, mark, depends } = *columns;
        let join = join(len, parent, mark, level.node);
        let (wait, left) = match join {
            Join::None => (None, later(level.own, level.left)),
            Join::Own => (level.own, level.left),
            Join::All => (later(level.own, level.left), None),
        };
        let by_depend = if depends.is_empty() || join == Join::None {
            None
        } else {
            let block = level.end as u32 - 1;
            self.last_of(block, &depends, gallop(depends.to, 0, block))
        };
        if let Some(last) = later(wait, by_depend).filter(|last| last.at > *now) {
            *now = last.at;
            lengths.waited(level.end as u32, last);
        }
        lengths.found(
            level.node,
            now.saturating_sub(level.start),
            left.map_or(NO_TAIL, |last| last.at.saturating_sub(level.start)),
        );
        left
    }
}
