//! Chunks of loops in the grain graph. A chunk is a grain. One that creates tasks is also the first of a linear group: what
//! it created is joined there, as far as the graph is concerned, though the program may wait for it later.
//!
//! Chunks of a team stand in the fork-join of their region. A loop of which some chunk creates tasks is a fork-join of its
//! own in there, with its chunks in the order of their iterations, whoever ran them.

use crosscut_tree::NodeId;
use foldhash::HashSet;

use super::GrainKind;
use super::measure;
use super::reduce::{Frame, Made, Pass};
use crate::schema::Kind;

/// A loop whose chunks are being put into its group.
pub struct Loop {
    /// How many frames there were when it began.
    frames: usize,
    chunks: Vec<u32>,
    next: usize,
}

impl Pass<'_> {
    /// Whether a loop is to go on next.
    #[inline]
    pub(super) fn is_in_loop(&self) -> bool {
        self.loops.last().is_some_and(|last| last.frames == self.frames.len())
    }

    /// Whether a member of a team has a chunk of its own that creates tasks.
    pub(super) fn has_busy_chunks(&self, member: u32) -> bool {
        let range = member as usize..self.after(member) as usize;
        let has = |kind| self.tasks.count(range.clone(), kind) > 0;
        if !has(Kind::Chunk) || !has(Kind::Create) {
            return false;
        }
        let (mut at, end) = (member + 1, self.after(member));
        while at < end {
            match self.mark(at) {
                mark if mark.is_chunk_section() => return true,
                mark if mark.kind() == Kind::Task => at = self.after(at),
                _ => at += 1,
            }
        }
        false
    }

    /// Chunks that no team ran: a loop of their own.
    pub(super) fn put_loop(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (task, first) = (frame.task, frame.chunks as usize);
        frame.joins += 1;
        self.open_group(task, GrainKind::ForkJoin);
        let chunks = self.chunks.split_off(first);
        if chunks.iter().any(|&chunk| self.is_busy(chunk)) {
            self.begin_loop(chunks);
        } else {
            self.put_plain(&chunks);
            self.close_join(0);
        }
    }

    /// The chunks of members of a team, from the first on, become members of the open group; or one of their loops begins,
    /// as a group in it, and the others still wait.
    pub(super) fn put_chunks(&mut self, first: usize) {
        let all = self.lane_chunks.split_off(first);
        let busy: Vec<u32> = all.iter().copied().filter(|&chunk| self.is_busy(chunk)).collect();
        let Some(&one) = busy.first() else { return self.put_plain(&all) };
        let site = |chunk: u32| self.tasks.site(NodeId(self.interval_of(chunk)));
        let sites: HashSet<u32> = busy.into_iter().map(site).collect();
        let (loops, plain): (Vec<u32>, Vec<u32>) = all.into_iter().partition(|&c| sites.contains(&site(c)));
        let own = site(one);
        let (chunks, rest): (Vec<u32>, Vec<u32>) = loops.into_iter().partition(|&chunk| site(chunk) == own);
        self.put_plain(&plain);
        self.lane_chunks.extend(rest);
        self.open_group(one, GrainKind::ForkJoin);
        self.begin_loop(chunks);
    }

    /// A chunk that creates tasks.
    fn is_busy(&self, chunk: u32) -> bool {
        self.mark(chunk).kind() == Kind::Section
    }

    /// The interval with which a chunk ends.
    fn interval_of(&self, chunk: u32) -> u32 {
        if self.is_busy(chunk) { self.after(chunk) - 1 } else { chunk }
    }

    /// Chunks become grains of the open group.
    fn put_plain(&mut self, chunks: &[u32]) {
        for &chunk in chunks {
            self.put_chunk(chunk);
        }
    }

    fn put_chunk(&mut self, chunk: u32) {
        let work = self.tasks.own_work(chunk as usize);
        self.put_grain(self.made_chunk(chunk), GrainKind::Chunk, work);
    }

    fn made_chunk(&self, chunk: u32) -> Made {
        let cost = measure::chunk_cost(self.parents, self.start, self.end, chunk);
        Made { task: self.interval_of(chunk), ..self.made(chunk, cost) }
    }

    /// The group of a loop is open: its chunks are put into it in the order of their iterations.
    fn begin_loop(&mut self, mut chunks: Vec<u32>) {
        chunks.sort_by_cached_key(|&chunk| {
            let first = self.tasks.chunk(NodeId(self.interval_of(chunk))).map(|(first, _)| first);
            (first, chunk)
        });
        self.loops.push(Loop { frames: self.frames.len(), chunks, next: 0 });
    }

    /// Puts the next chunks of a loop into its group, until one has to be walked through.
    pub(super) fn step_loop(&mut self) {
        while let Some(last) = self.loops.last_mut() {
            let Some(&chunk) = last.chunks.get(last.next) else { break };
            last.next += 1;
            if self.is_busy(chunk) {
                return self.begin_chunk(chunk);
            }
            self.put_chunk(chunk);
        }
        self.loops.pop();
        self.close_join(0);
    }

    fn begin_chunk(&mut self, section: u32) {
        let group = self.open_group(section, GrainKind::Linear);
        let (grain, core) = self.push_grain(self.made_chunk(section), GrainKind::Chunk, 0);
        self.grouping.head();
        self.frames.push(Frame {
            task: section,
            at: section + 1,
            end: self.after(section),
            group,
            grain,
            kind: GrainKind::Chunk,
            core,
            work: 0,
            joins: 0,
            chunks: self.chunks.len() as u32,
        });
    }
}
