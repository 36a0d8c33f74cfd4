//! Waits: what they close, and what they leave open.

use crosscut_events::{Event, Events, WaitKind, code_of, tag_of};
use crosscut_tasks::schema::{Edge, Kind, Mark};

use super::{Barrier, Builder, By, State, Walk};
use crate::depends::Depends;
use crate::index::Point;
use crate::symbols::{AFTER, BARRIER, marked};

impl Builder<'_, '_> {
    /// A wait begins. Says whether the walk ends here, at a barrier.
    #[inline]
    pub(super) fn wait(
        &mut self,
        walk: &mut Walk,
        event: &Event<'_>,
        events: &Events<'_>,
        time: i64,
    ) -> bool {
        let kind = WaitKind::from_number(tag_of(event.word())).unwrap_or(WaitKind::Tasks);
        let code = self.code(walk, event.word());
        let inside = self.open.len() > walk.sections;
        let takes_tasks = inside && self.open.last().is_some_and(|open| open.by == By::Create);
        let has_left = || walk.more.as_ref().is_some_and(|more| !more.left_in_chunks.is_empty());
        match kind {
            WaitKind::Barrier | WaitKind::LastBarrier if walk.lane().is_some() => {
                let mut at = code;
                if let Some(lane) = walk.lane().filter(|_| kind == WaitKind::Barrier) {
                    let point = Point::new(walk.thread as usize, walk.position, walk.core);
                    let is_known = code == code_of(event.word());
                    let with = |mark: u64| if is_known { marked(code, mark) } else { code };
                    at = with(BARRIER);
                    let code = with(BARRIER | AFTER);
                    self.lanes[walk.process as usize][lane] = Barrier { point, time, code };
                }
                self.finish(walk, time, at);
                return true;
            }
            WaitKind::Group | WaitKind::Section if self.has_group(walk) => {
                // Sections inside of the group that nobody waited for stay as they are.
                while self.open.last().is_some_and(|open| open.by != By::Group) {
                    self.close_section();
                }
                // The directive of a group stands where it begins.
                let begin = self.open.last().map_or(0, |open| open.code);
                let is_known = !self.sites.is_runtime(walk.process, begin);
                let (mark, code) = match kind {
                    WaitKind::Group if is_known => (Mark::deep_wait(walk.edge), begin),
                    WaitKind::Group => (Mark::deep_wait(walk.edge), code),
                    _ => (Mark::new(Kind::Wait, walk.edge, false), code),
                };
                self.interval_marked(walk, mark, time, code);
                walk.state = State::Waits(kind, time);
            }
            WaitKind::Depend => {
                self.open_section(walk, By::Create, code);
                let wait = self.interval(walk, Kind::Wait, time, code);
                let from = self.depends.len();
                self.depend(walk, events, wait, true);
                // What it waits for decides by which edge the next interval is ready.
                let last = self.depends[from..].iter().map(|d| self.grow.end_of(d.from)).max().unwrap_or(0);
                if let Some(open) = self.open.last_mut() {
                    open.last_end = last;
                }
                walk.state = State::Waits(kind, time);
            }
            _ if takes_tasks || has_left() => {
                if !takes_tasks {
                    self.open_section(walk, By::Create, code);
                }
                let wait = self.interval(walk, Kind::Wait, time, code);
                self.wait_for_chunks(walk, wait);
                walk.state = State::Waits(WaitKind::Tasks, time);
                if let Some(more) = &mut walk.more {
                    more.depends = Depends::default();
                }
            }
            _ => walk.state = State::Pauses(time, false),
        }
        false
    }

    fn has_group(&self, walk: &Walk) -> bool {
        self.open[walk.sections..].iter().any(|open| open.by == By::Group)
    }

    #[inline]
    pub(super) fn close_section(&mut self) {
        if self.open.pop().is_some() {
            self.grow.close();
        }
    }

    #[inline]
    pub(super) fn wait_end(&mut self, walk: &mut Walk, time: i64) {
        match walk.state {
            State::Waits(WaitKind::Barrier, _) => {
                walk.start = time;
                walk.edge = Edge::Create;
            }
            State::Waits(_, since) => {
                if let Some(open) = self.open.pop() {
                    self.grow.close();
                    walk.edge = if open.last_end > since { Edge::End } else { Edge::WaitCont };
                }
                walk.start = time;
            }
            State::Pauses(since, true) => {
                self.interval(walk, Kind::Other, since, 0);
                walk.start = time;
            }
            State::Pauses(_, false) | State::Runs | State::Fresh | State::Serial => {}
        }
        if !matches!(walk.state, State::Pauses(_, false)) {
            walk.restart_counts();
        }
        walk.state = State::Runs;
    }
}
