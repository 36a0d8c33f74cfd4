//! What was folded while recording: one node with its totals.

use crosscut_events::{Event, Folded};
use crosscut_tasks::Block;
use crosscut_tasks::schema::{Collapsed, Edge, Kind, Mark};

use super::{Builder, State, Walk};
use crate::index::{Point, folded_at};

/// By how many nanoseconds the work of a folded node may be above its time without being wrong.
const ROUNDED: i64 = 64;

impl Builder<'_, '_> {
    /// A section that was folded while recording.
    pub(super) fn folded_section(&mut self, walk: &mut Walk, event: &Event<'_>, time: i64) {
        let Some(folded) = Folded::from_words(event.payload) else { return };
        if walk.is_in_chunk() {
            self.open_chunk(walk);
        }
        let place = self.place(walk.thread, walk.core);
        let code = self.user_code(walk, folded_at(folded.code));
        let site = self.sites.site(walk.process, code, code);
        let mark = Mark::new(Kind::Section, walk.edge, true);
        let block = Block { mark, start: walk.start, end: time, place, worker: walk.thread, site };
        self.folded(walk.process, &folded, block);
        walk.start = time;
        walk.from = code;
        walk.edge = Edge::WaitCont;
        walk.state = State::Runs;
        walk.last_end = walk.last_end.max(time);
    }

    /// A task that was folded while recording, created at this time. Says whether it could be read.
    pub(super) fn folded_task(
        &mut self,
        walk: &mut Walk,
        first: &Event<'_>,
        begin: Point,
        code: u64,
        time: i64,
    ) -> bool {
        let Some(folded) = Folded::from_words(first.payload) else { return false };
        let thread = begin.thread() as u32;
        let place = self.place(thread, begin.core());
        let site = self.sites.site(walk.process, code, code);
        let end = self.processes[walk.process as usize].clock.time(first.ticks);
        let mark = Mark::new(Kind::Task, Edge::Create, true);
        self.folded(walk.process, &folded, Block { mark, start: time, end, place, worker: thread, site });
        walk.last_end = walk.last_end.max(end);
        if let Some(open) = self.open.last_mut() {
            open.last_end = open.last_end.max(end);
        }
        true
    }

    /// Writes a node whose inside was folded. The block says when it was ready, not when it started.
    fn folded(&mut self, process: u32, folded: &Folded, block: Block) {
        let clock = &self.processes[process as usize].clock;
        let (ready, end) = (block.start, block.end);
        let start = clock.time(folded.start).min(end);
        let small = |value: u64| value.min(i64::MAX as u64 >> 16) as i64;
        // It ran on one thread alone. Sums of ticks and times are rounded, each by itself.
        let (work, most) = (clock.length(folded.work), end - start);
        self.gaps.overfull += u64::from(work > most + ROUNDED);
        let inside = Collapsed {
            node: self.grow.nodes(),
            work: work.min(most),
            first_ready: ready.min(start),
            last_start: clock.time(folded.last_start).clamp(start, end),
            ready: folded.ready.map(|ticks| clock.length(ticks)),
            nodes: folded.nodes.map(small),
            edges: folded.edges.map(small),
        };
        self.grow.collapsed(Block { start, ..block }, clock.length(folded.span).min(inside.work), &inside);
        self.collapsed.push(inside);
    }
}
