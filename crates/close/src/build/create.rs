//! Creating tasks: the section that a task belongs to, and what it depends on.

use crosscut_events::{Event, EventKind, Events, TaskId, code_of, flags, tag_of};
use crosscut_tasks::schema::{Edge, Kind, Mark};

use super::{Builder, By, Entry, State, Walk};

impl Builder<'_, '_> {
    /// A create: its leaf, and its task, which may have to be walked now.
    #[inline]
    pub(super) fn create(&mut self, walk: &mut Walk, event: &Event<'_>, time: i64) -> Option<Entry> {
        let id = TaskId(event.payload.get(1).copied().unwrap_or(0));
        let recorded = &self.processes[walk.process as usize];
        let begin = recorded.index.begin(id);
        let code = self.code(walk, event.word());
        let serial = tag_of(event.word()) & flags::UNDEFERRED != 0;
        if serial || self.needs_section(walk) {
            self.open_section(walk, By::Create, code);
        }
        self.interval(walk, Kind::Create, time, code);
        if walk.is_in_chunk() && !serial {
            walk.more().left_in_chunks.push(self.grow.nodes());
        }
        walk.state = if serial { State::Serial } else { State::Fresh };
        let events = &recorded.threads[walk.thread as usize - recorded.first_thread];
        self.depend(walk, events, self.grow.nodes(), false);
        if !begin.is_some() {
            self.gaps.unstarted += 1;
            let site = self.sites.site(walk.process, code, code);
            self.grow.open(Kind::Task, Edge::Create);
            let mark = Mark::new(Kind::End, Edge::Create, false);
            self.leaf(mark, (time, time), (walk.thread, walk.core), site);
            self.grow.close();
            return None;
        }
        self.visited = self.visited.saturating_add(1);
        let moves = if begin.moves() { self.moves(walk.process, id, 0) } else { u64::MAX };
        let mut entry = Entry { id, begin, position: begin.position(), moves, start: time, from: code };
        if let Some((first, next)) =
            recorded.threads[begin.thread() - recorded.first_thread].at(begin.position())
        {
            if first.kind == EventKind::FoldedTask && self.folded_task(walk, &first, begin, code, time) {
                return None;
            }
            // Nearly always it is just its begin, and need not be read again.
            let is_begin = first.kind == EventKind::Begin && TaskId(first.word()) == id;
            if is_begin && self.grow.counters.is_empty() && first.ticks <= moves {
                entry.position = next;
                entry.start = recorded.clock.time(first.ticks);
            }
        }
        self.grow.open(Kind::Task, Edge::Create);
        Some(entry)
    }

    /// Whether a create has to open a section: no other takes its task.
    #[inline]
    fn needs_section(&self, walk: &Walk) -> bool {
        let own = self.open.get(walk.sections..).unwrap_or(&[]);
        own.last().is_none_or(|top| match top.by {
            By::Create => false,
            By::Group => {
                walk.waits_in_group || walk.is_in_chunk() && own.iter().all(|open| open.by == By::Group)
            }
            By::Chunk => true,
        })
    }

    /// The wait for a task that ran at once, before its creator went on at this time.
    pub(super) fn close_serial(&mut self, walk: &mut Walk, time: i64) {
        self.interval(walk, Kind::Wait, walk.start, 0);
        self.close_section();
        walk.start = time;
        walk.edge = Edge::End;
        walk.state = State::Fresh;
    }

    /// The dependences that follow a create or a wait.
    #[inline(always)]
    pub(super) fn depend(&mut self, walk: &mut Walk, events: &Events<'_>, node: u32, waits: bool) {
        // Nearly always something else follows; 0 is the end of a chunk.
        const ASIDE: u32 = 1
            | 1 << EventKind::Depend as u32
            | 1 << EventKind::Core as u32
            | 1 << EventKind::Count as u32
            | 1 << EventKind::Processor as u32;
        let next = events.words().get(walk.position).map_or(0, |&head| head as u8);
        if next < 32 && ASIDE >> next & 1 == 1 {
            self.read_depends(walk, events, node, waits);
        }
    }

    #[cold]
    fn read_depends(&mut self, walk: &mut Walk, events: &Events<'_>, node: u32, waits: bool) {
        let mut ahead = events.from(walk.position);
        while let Ok(Some(event)) = ahead.step() {
            match event.kind {
                EventKind::Depend => {
                    let depends = &mut walk.more().depends;
                    let (address, how) = (code_of(event.word()), tag_of(event.word()));
                    match waits {
                        true => depends.wait(node, address, how, &mut self.depends),
                        false => depends.add(node, address, how, &mut self.depends),
                    }
                    walk.position = ahead.position();
                }
                EventKind::Core | EventKind::Count | EventKind::Processor => {}
                _ => break,
            }
        }
    }
}
