//! Waits: what they close, and what they leave open.

use crosscut_events::{Event, Events, WaitKind, tag_of};
use crosscut_run::tasks::{Edge, Kind, Mark};

use super::{Builder, Open, State, Walk};
use crate::depends::Depends;
use crate::error::CloseError;
use crate::index::Point;

impl Builder<'_, '_> {
    /// A wait begins. Says whether the walk ends here, at a barrier.
    pub(super) fn wait(
        &mut self,
        walk: &mut Walk,
        event: &Event<'_>,
        events: &mut Events<'_>,
        time: i64,
    ) -> Result<bool, CloseError> {
        let kind = WaitKind::from_number(tag_of(event.word())).unwrap_or(WaitKind::Tasks);
        let code = self.code(walk, event.word());
        let inside = self.open.len() > walk.sections;
        let top_is_group = inside && self.open[self.open.len() - 1].group;
        match kind {
            WaitKind::Barrier | WaitKind::LastBarrier if walk.lane().is_some() => {
                if let Some(lane) = walk.lane().filter(|_| kind == WaitKind::Barrier) {
                    let point = Point::new(walk.thread as usize, walk.position, walk.core);
                    self.lanes[walk.process as usize][lane] = (point, time);
                }
                self.finish(walk, time)?;
                return Ok(true);
            }
            WaitKind::Group | WaitKind::Section if self.has_group(walk) => {
                // Sections inside of the group that nobody waited for stay as they are.
                while !self.open[self.open.len() - 1].group {
                    self.close_section();
                }
                let mark = match kind {
                    WaitKind::Group => Mark::deep_wait(walk.edge),
                    _ => Mark::new(Kind::Wait, walk.edge, false),
                };
                let holder = self.holder(walk);
                self.interval_in(walk, holder, mark, time, code)?;
                walk.state = State::Waits(kind, time);
            }
            WaitKind::Depend => {
                let holder = self.holder(walk);
                let node = self.node(holder, Kind::Section, walk.edge)?;
                self.open.push(Open { node, group: false, code: 0, last_end: 0 });
                let wait = self.interval(walk, Kind::Wait, time, code)?;
                let from = self.depends.len();
                self.depend(walk, &events.from(events.position()), wait, true);
                *events = events.from(walk.position);
                // What it waits for decides by which edge the next interval is ready.
                let last = self.depends[from..].iter().map(|d| self.end_of(d.from)).max().unwrap_or(0);
                if let Some(open) = self.open.last_mut() {
                    open.last_end = last;
                }
                walk.state = State::Waits(kind, time);
            }
            _ if inside && !top_is_group => {
                self.interval(walk, Kind::Wait, time, code)?;
                walk.state = State::Waits(WaitKind::Tasks, time);
                if let Some(more) = &mut walk.more {
                    more.depends = Depends::default();
                }
            }
            _ => walk.state = State::Pauses(time, false),
        }
        Ok(false)
    }

    /// When a task that is written already ended itself.
    fn end_of(&self, task: u32) -> i64 {
        let at = task as usize;
        // Collapsed, or its end is its last node.
        let last = if self.columns.len[at] <= 1 { at } else { at + self.columns.len[at] as usize - 1 };
        self.columns.end[last]
    }

    fn has_group(&self, walk: &Walk) -> bool {
        self.open[walk.sections..].iter().any(|open| open.group)
    }

    pub(super) fn close_section(&mut self) {
        if let Some(open) = self.open.pop() {
            self.close(open.node);
        }
    }

    pub(super) fn wait_end(&mut self, walk: &mut Walk, time: i64) -> Result<(), CloseError> {
        match walk.state {
            State::Waits(WaitKind::Barrier, _) => {
                walk.start = time;
                walk.edge = Edge::Create;
            }
            State::Waits(_, since) => {
                if let Some(open) = self.open.pop() {
                    self.close(open.node);
                    walk.edge = if open.last_end > since { Edge::End } else { Edge::WaitCont };
                }
                walk.start = time;
            }
            State::Pauses(since, true) => {
                self.interval(walk, Kind::Other, since, 0)?;
                walk.start = time;
            }
            State::Pauses(_, false) | State::Runs | State::Fresh | State::Serial => {}
        }
        if !matches!(walk.state, State::Pauses(_, false)) {
            walk.restart_counts();
        }
        walk.state = State::Runs;
        Ok(())
    }
}
