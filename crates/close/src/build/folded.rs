//! What was folded while recording: one node with its totals.

use crosscut_events::{Event, Folded};
use crosscut_run::tasks::{Collapsed, Edge, Kind, Mark};

use super::{Builder, State, Walk};
use crate::clock::Clock;
use crate::error::CloseError;

impl Builder<'_, '_> {
    /// A section that was folded while recording.
    pub(super) fn folded_section(
        &mut self,
        walk: &mut Walk,
        event: &Event<'_>,
        time: i64,
    ) -> Result<(), CloseError> {
        let Some(folded) = Folded::from_words(event.payload) else { return Ok(()) };
        let holder = self.holder(walk);
        let node = self.node(holder, Kind::Section, walk.edge)?;
        let place = self.place(walk.thread, walk.core)?;
        let code = self.code(walk, folded.code);
        let site = self.sites.site(walk.process, walk.from, code);
        let clock = &self.processes[walk.process as usize].clock;
        let mark = Mark::new(Kind::Section, walk.edge, true);
        self.folded(clock, mark, node, &folded, (walk.start, time), (place, site));
        walk.start = time;
        walk.from = code;
        walk.edge = Edge::WaitCont;
        walk.state = State::Runs;
        walk.last_end = walk.last_end.max(time);
        Ok(())
    }

    /// Writes a node whose inside was folded. It was ready, and ended, at these times.
    pub(super) fn folded(
        &mut self,
        clock: &Clock,
        mark: Mark,
        node: u32,
        folded: &Folded,
        (ready, end): (i64, i64),
        (place, site): (u16, u32),
    ) {
        let start = clock.time(folded.start).min(end);
        let at = node as usize;
        let columns = &mut self.columns;
        columns.len[at] = 1;
        columns.mark[at] = mark.0;
        columns.place[at] = place;
        columns.site[at] = site;
        columns.start[at] = start;
        columns.end[at] = end;
        columns.span[at] = clock.length(folded.span);
        let small = |value: u64| value.min(i64::MAX as u64 >> 16) as i64;
        self.collapsed.push(Collapsed {
            node,
            work: clock.length(folded.work),
            first_ready: ready.min(start),
            last_start: clock.time(folded.last_start).clamp(start, end),
            ready: folded.ready.map(|ticks| clock.length(ticks)),
            nodes: folded.nodes.map(small),
            edges: folded.edges.map(small),
        });
    }
}
