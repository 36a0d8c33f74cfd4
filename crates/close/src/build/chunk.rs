//! Chunks of loops. One that opens no section is an interval. One that does is a section of its own around them, so that
//! what it created belongs to it; its last interval stands at the end.

use crosscut_events::{Event, Joined};
use crosscut_tasks::schema::{self, Chunk, Depend, Kind};

use super::{Builder, By, Open, Walk};
use crate::clock::Clock;

impl Builder<'_, '_> {
    /// The chunk that runs opens a section: stands around it, unless it does already. A section that was open before the
    /// chunk takes what it creates: a wait in the chunk is for all of them.
    #[cold]
    pub(super) fn open_chunk(&mut self, walk: &Walk) {
        let own = self.open.get(walk.sections..).unwrap_or(&[]);
        if own.iter().any(|open| open.by != By::Group) {
            return;
        }
        let code = walk.more.as_ref().map_or(0, |more| more.loop_code);
        let site = self.sites.site(walk.process, code, code);
        let node = self.grow.open_chunk(walk.edge, site);
        self.open.push(Open { by: By::Chunk, node, code, last_end: 0 });
    }

    /// Where among the open sections that of the chunk is.
    fn chunk_section(&self, walk: &Walk) -> Option<usize> {
        let own = self.open.get(walk.sections..)?;
        own.iter().rposition(|open| open.by == By::Chunk).map(|at| walk.sections + at)
    }

    /// Ends a chunk of a loop, or what came before the first.
    pub(super) fn end_chunk(&mut self, walk: &mut Walk, time: i64) {
        let code = walk.more().loop_code;
        let Some(joined) = walk.take_chunk() else {
            self.interval(walk, Kind::Other, time, code);
            return;
        };
        let section = self.chunk_section(walk);
        if let Some(section) = section {
            // Nobody waited for these in the chunk.
            while self.open.len() > section + 1 {
                self.close_section();
            }
        }
        let node = self.interval(walk, Kind::Chunk, time, code);
        self.chunks.push(Chunk { node, first: joined.first as i64, count: joined.iterations as i64 });
        if joined.chunks > 1 {
            let clock = self.processes[walk.process as usize].clock;
            self.joined.push(joined_in(node, &joined, &clock, time));
        }
        if section.is_some() {
            self.close_section();
        }
    }

    /// A wait for all tasks of the task, in a section that was opened last: it also waits for those that were created in
    /// chunks before that section, which the tree does not say.
    pub(super) fn wait_for_chunks(&mut self, walk: &mut Walk, wait: u32) {
        let Some(more) = walk.more.as_mut().filter(|more| !more.left_in_chunks.is_empty()) else { return };
        let left = std::mem::take(&mut more.left_in_chunks);
        let Some(open) = self.open.last_mut() else { return };
        for &from in left.iter().filter(|&&from| from < open.node) {
            self.depends.push(Depend { to: wait, from });
            open.last_end = open.last_end.max(self.grow.end_of(from));
        }
    }
}

/// What an event says of a chunk.
pub(super) fn of(event: &Event<'_>) -> Joined {
    Joined::from_words(event.payload).unwrap_or_else(|| Joined {
        first: event.word(),
        iterations: event.payload.get(1).copied().unwrap_or(0),
        chunks: 1,
        ..Joined::default()
    })
}

/// The chunks of a node, the last of which ended at this time.
fn joined_in(node: u32, joined: &Joined, clock: &Clock, end: i64) -> schema::Joined {
    let small = |value: u64| value.min(i64::MAX as u64 >> 8) as i64;
    let last = (end - clock.time(joined.last_start)).max(0);
    let (least, most) = (clock.length(joined.least).min(last), clock.length(joined.most).max(last));
    schema::Joined { node, chunks: small(joined.chunks), least, most, past: joined.past as i64 }
}
