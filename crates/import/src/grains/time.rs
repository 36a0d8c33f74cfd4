//! When everything ran. The costs of the grains are kept to the tick; the moments that a file has are kept as far as they
//! agree with that. A task starts when it is created, or when the file says if that is later. On its parent's worker it
//! starts after its parent waits, and it never runs together with a sibling on the same worker. Where a file has no
//! moments at all, each worker does one thing after the other.

use crosscut_tasks::schema::{Edge, Mark, TaskWriter};

use crate::error::ImportError;
use crate::input::Input;
use crate::limits::MAX_VALUE;

use super::families::section_end;
use super::shares::{Shares, wait_instant};
use super::spots::Spot;
use super::tree::Nodes;
use super::{CHECK, Families, Grain, GrainKind, Grains, UNKNOWN};

/// Fills start and end of all intervals. Gives the grain with which times become too large to be added up, if there is one.
pub fn fill(
    input: &Input<'_>,
    grains: &mut Grains,
    families: &mut Families,
    nodes: &[Nodes],
    spots: &[Spot],
    writer: &mut TaskWriter,
) -> Result<Option<usize>, ImportError> {
    let has_starts = begin_at_zero(&mut grains.list);
    if let Some(grain) = too_large(&grains.list) {
        return Ok(Some(grain));
    }
    let workers = spots.iter().map(|spot| spot.worker as usize + 1).max().unwrap_or(1);
    let free = if has_starts { Vec::new() } else { vec![0; workers] };
    let mut clock = Clock { grains, families, nodes, spots, writer, free, order: Vec::new() };
    let mut open = vec![clock.open(0, 0)];
    let mut steps = 0usize;
    let mut elapsed = 0;
    while let Some(top) = open.last_mut() {
        steps += 1;
        if steps.is_multiple_of(CHECK) {
            input.check_cancelled()?;
        }
        match clock.step(top) {
            Step::Down(child) => open.push(child),
            Step::On => {}
            Step::Up(end) => {
                elapsed = end;
                let done = open.pop();
                let spine = done.filter(|done| clock.is_on_spine(done.grain));
                if let (Some(done), Some(above)) = (spine, open.last_mut()) {
                    (above.now, above.edge) = (end, done.edge);
                } else if let Some(section) = open.last_mut().and_then(|above| above.section.as_mut()) {
                    section.last = section.last.max(end);
                    section.sibling = end;
                }
            }
        }
    }
    let is_too_long = i128::from(elapsed) * workers as i128 > i128::from(MAX_VALUE);
    let end = |&(_, grain): &(usize, &Grain)| grain.start.saturating_add(grain.work);
    let last = || grains.list.iter().enumerate().max_by_key(end).map(|(number, _)| number);
    Ok(if is_too_long { last() } else { None })
}

/// Counts the starts from the first one on. Says whether any is known.
fn begin_at_zero(list: &mut [Grain]) -> bool {
    let Some(first) = list.iter().map(|grain| grain.start).filter(|&start| start != UNKNOWN).min() else {
        return false;
    };
    for grain in list.iter_mut().filter(|grain| grain.start != UNKNOWN) {
        grain.start = grain.start.saturating_sub(first);
    }
    true
}

/// The first grain at which the sum is too large. Nothing ends later than the last start and the sum of all costs.
fn too_large(list: &[Grain]) -> Option<usize> {
    let costs = |grain: &Grain| [grain.work, grain.creation, grain.sync].map(i128::from).iter().sum::<i128>();
    let (mut sum, mut last) = (0i128, 0i128);
    list.iter().position(|grain| {
        sum += costs(grain);
        last = last.max(i128::from(grain.start));
        sum + last > i128::from(MAX_VALUE)
    })
}

/// A grain whose spine is being laid.
struct Open {
    grain: u32,
    next: usize,
    /// When its next interval starts, and what makes that ready.
    now: i64,
    edge: Edge,
    section: Option<Section>,
    shares: Shares,
}

/// A section whose tasks are running.
struct Section {
    node: u32,
    /// What its creator does before it waits: the next of the children, and one past the last.
    inner: usize,
    inner_end: usize,
    /// The next of the children to run, and one past the last.
    next: usize,
    end: usize,
    /// When its creator began to wait, once that is known.
    waited: Option<i64>,
    /// Of its wait, where the file has it.
    instant: Option<i64>,
    sync: i64,
    /// When the last of its tasks ended.
    last: i64,
    /// When the sibling before ended, and its worker.
    sibling: i64,
    worker: Option<u32>,
}

enum Step {
    Down(Open),
    On,
    Up(i64),
}

struct Clock<'a> {
    grains: &'a mut Grains,
    families: &'a mut Families,
    nodes: &'a [Nodes],
    spots: &'a [Spot],
    writer: &'a mut TaskWriter,
    /// When each worker has done what it was given; empty when the file has starts.
    free: Vec<i64>,
    /// The tasks of a section with their workers and starts, while they are put in order.
    order: Vec<(u32, i64, u32)>,
}

impl Clock<'_> {
    fn step(&mut self, top: &mut Open) -> Step {
        if let Some(section) = &mut top.section {
            if section.inner < section.inner_end {
                let child = self.families.of(top.grain)[section.inner];
                section.inner += 1;
                return Step::Down(Open { edge: top.edge, ..self.open(child, top.now) });
            }
            let Some(waited) = section.waited else {
                self.lay_wait(top);
                return Step::On;
            };
            if section.next < section.end {
                let child = self.families.of(top.grain)[section.next];
                section.next += 1;
                let start = self.start(top.grain, child, waited, section);
                return Step::Down(self.open(child, start));
            }
            let ended = section.last > waited;
            top.now = section.last.max(waited) + section.sync;
            top.edge = if ended { Edge::End } else { Edge::WaitCont };
            top.section = None;
        }
        match self.families.of(top.grain).get(top.next) {
            None if self.is_inner(top.grain) => Step::Up(top.now),
            None => {
                let end = self.lay_end(top);
                if self.is_chunk(top.grain) {
                    top.edge = Edge::OtherCont;
                }
                Step::Up(end)
            }
            Some(&child) if self.is_chunk(child) && !self.families.of(child).is_empty() => {
                top.next += 1;
                let edge = std::mem::replace(&mut top.edge, Edge::OtherCont);
                self.set_edge(self.nodes[child as usize].node, edge);
                let start = top.now + self.grains.list[child as usize].creation;
                Step::Down(Open { edge, ..self.open(child, start) })
            }
            Some(&child) if self.is_chunk(child) => {
                self.lay_chunk(top, child);
                Step::On
            }
            Some(_) => {
                self.lay_section(top);
                Step::On
            }
        }
    }

    fn open(&self, grain: u32, start: i64) -> Open {
        let shares = Shares::new(self.grains, self.families.of(grain), grain);
        Open { grain, next: 0, now: start, edge: Edge::Create, section: None, shares }
    }

    /// When a task starts that was created before.
    fn start(&self, parent: u32, child: u32, waited: i64, section: &mut Section) -> i64 {
        let worker = self.worker(child);
        let mut start = self.grains.list[child as usize].start;
        if let Some(&free) = self.free.get(worker as usize) {
            start = start.max(free);
        }
        if worker == self.worker(parent) {
            start = start.max(waited);
        }
        if section.worker == Some(worker) {
            start = start.max(section.sibling);
        }
        // Of those that have run; the others begin when the file says.
        for &(_, from) in self.grains.depends_of(child) {
            start = start.max(self.writer.end[self.nodes[from as usize].last as usize]);
        }
        section.worker = Some(worker);
        start
    }

    fn is_inner(&self, grain: u32) -> bool {
        self.grains.list[grain as usize].kind == GrainKind::Inner
    }

    fn is_chunk(&self, grain: u32) -> bool {
        self.grains.list[grain as usize].kind == GrainKind::LaneChunk
    }

    /// Whether what stands above it goes on when it is over.
    fn is_on_spine(&self, grain: u32) -> bool {
        self.is_inner(grain) || self.is_chunk(grain)
    }

    /// The creates of a section.
    fn lay_section(&mut self, top: &mut Open) {
        let (from, end) = (top.next, section_end(&self.grains.list, self.families.of(top.grain), top.next));
        let to =
            from + self.families.of(top.grain)[from..end].partition_point(|&child| !self.is_inner(child));
        let first = self.families.of(top.grain)[from];
        let node = self.nodes[first as usize].node - 2;
        self.set_edge(node, top.edge);
        self.set_edge(node + 1, top.edge);
        let mut sync = 0;
        for at in from..to {
            let child = self.families.of(top.grain)[at];
            let grain = self.grains.list[child as usize];
            let length = top.shares.create(&grain);
            let created = self.lay(self.nodes[child as usize].node - 1, top.now, length);
            top.now = created + grain.creation;
            self.order.push((self.worker(child), grain.start, child));
            self.grains.list[child as usize].start = grain.start.max(top.now);
            sync += grain.sync;
        }
        let section = self.grains.list[first as usize].section;
        let instant = wait_instant(self.grains, top.grain, section);
        // Those of a worker run one after the other, in the order in which they started; without that, as they are created.
        if self.free.is_empty() {
            self.order.sort_by_key(|&(worker, start, _)| (worker, start));
        }
        let family = &mut self.families.of_mut(top.grain)[from..to];
        family.iter_mut().zip(self.order.drain(..)).for_each(|(slot, (.., child))| *slot = child);
        (top.next, top.edge) = (end, Edge::CreateCont);
        top.section = Some(Section {
            node,
            inner: to,
            inner_end: end,
            next: from,
            end: to,
            waited: None,
            instant,
            sync,
            last: 0,
            sibling: 0,
            worker: None,
        });
    }

    /// The wait of a section; then its tasks can start.
    fn lay_wait(&mut self, top: &mut Open) {
        let Some(section) = &mut top.section else { return };
        let wait = section.node + self.writer.len[section.node as usize] - 1;
        let length = top.shares.wait(section.instant, section.sync);
        let waited = top.now + length;
        section.waited = Some(waited);
        if section.inner_end > section.end {
            self.set_edge(wait, top.edge);
        }
        self.lay(wait, top.now, length);
        self.occupy(top.grain, waited);
    }

    fn lay_chunk(&mut self, top: &mut Open, chunk: u32) {
        let Grain { work, creation, .. } = self.grains.list[chunk as usize];
        let node = self.nodes[chunk as usize].node;
        self.set_edge(node, top.edge);
        top.now = self.lay(node, top.now + creation, work);
        self.occupy(top.grain, top.now);
        (top.next, top.edge) = (top.next + 1, Edge::OtherCont);
    }

    fn lay_end(&mut self, top: &mut Open) -> i64 {
        let node = self.nodes[top.grain as usize].last;
        self.set_edge(node, top.edge);
        let end = self.lay(node, top.now, top.shares.rest());
        self.occupy(top.grain, end);
        end
    }

    /// Gives an interval its time; returns its end.
    fn lay(&mut self, node: u32, start: i64, length: i64) -> i64 {
        self.writer.start[node as usize] = start;
        self.writer.end[node as usize] = start + length;
        start + length
    }

    fn occupy(&mut self, grain: u32, until: i64) {
        let worker = self.worker(grain);
        if let Some(free) = self.free.get_mut(worker as usize) {
            *free = until;
        }
    }

    fn worker(&self, grain: u32) -> u32 {
        self.spots[self.grains.list[grain as usize].spot as usize].worker
    }

    fn set_edge(&mut self, node: u32, edge: Edge) {
        let mark = &mut self.writer.mark[node as usize];
        *mark = match Mark(*mark).is_chunk_section() {
            true => Mark::chunk_section(edge).0,
            false => Mark::new(Mark(*mark).kind(), edge, false).0,
        };
    }
}
