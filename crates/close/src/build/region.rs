//! Teams: a section with a fork and a task for each lane. Barriers cut it into phases, each a section of its own; the lanes
//! of a phase are walked one after the other.

use crosscut_events::{Event, TaskId, WaitKind};
use crosscut_tasks::schema::{Edge, Kind, Mark};

use super::{Barrier, Builder, Entry, State, Step, Walk};
use crate::index::{Lane, Point, Team};

/// A walk through the lanes of a team.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) lanes: std::ops::Range<usize>,
    pub(super) next: usize,
    pub(super) phase: u32,
    pub(super) phases: u32,
    /// Whether there is a section around several phases.
    pub(super) around: bool,
    /// When the phase began, and when its last lane came to the barrier.
    pub(super) release: i64,
    pub(super) arrival: i64,
    pub(super) last_end: i64,
    pub(super) join: Option<Team>,
    pub(super) code: u64,
}

impl Builder<'_, '_> {
    /// A team begins: its lanes are walked before the task goes on.
    pub(super) fn fork(&mut self, walk: &mut Walk, event: &Event<'_>, time: i64) -> Region {
        let recorded = &self.processes[walk.process as usize];
        let team = TaskId(event.payload.get(1).copied().unwrap_or(0));
        let lanes = recorded.index.lanes_of(team);
        let found = &recorded.index.lanes[lanes.clone()];
        let mut phases = found.iter().map(|lane| lane.barriers + 1).max().unwrap_or(1);
        // Nobody does anything between the last barrier inside of a region and that at its end.
        if phases > 1 && found.iter().all(|lane| lane.idle || lane.barriers + 1 < phases) {
            phases -= 1;
        }
        let code = self.code(walk, event.word());
        let site = self.sites.site(walk.process, code, code);
        let around = phases > 1;
        if around {
            self.grow.open_section(walk.edge, site);
        }
        self.grow.open_section(walk.edge, site);
        // The interval of the task ends here, as the fork of the first lane.
        self.interval(walk, Kind::Fork, time, code);
        let join = recorded.index.teams.get(&team).copied();
        walk.state = State::Runs;
        Region {
            next: lanes.start,
            lanes,
            phase: 0,
            phases,
            around,
            release: time,
            arrival: time,
            last_end: time,
            join,
            code,
        }
    }

    /// Walks through the next lane of a team, or on to the next phase, or back to the task.
    pub(super) fn step_region(&mut self, mut region: Region, stack: &mut Vec<Step>) {
        let Some(Step::Walk(walk)) = stack.last() else { return };
        let (process, on) = (walk.process, (walk.thread, walk.core));
        let site = self.sites.site(process, region.code, region.code);
        let recorded = &self.processes[process as usize];
        // Lanes that did not come to this phase have no point to go on from.
        let came = |lane: usize| region.phase == 0 || self.lanes[process as usize][lane].point.is_some();
        while region.next < region.lanes.end && !came(region.next) {
            region.next += 1;
        }
        if region.next < region.lanes.end {
            let number = region.next;
            let lane: Lane = recorded.index.lanes[number];
            let at = (region.release, region.release);
            let first = number == region.lanes.start;
            if !first || region.phase > 0 {
                // The task's own interval was the fork of the first lane.
                let edge = if first { Edge::Create } else { Edge::CreateCont };
                self.leaf(Mark::new(Kind::Fork, edge, false), at, on, site);
            }
            self.grow.open(Kind::Task, Edge::Create);
            let (begin, start, from) = match region.phase {
                0 => (lane.begin, recorded.clock.time(lane.ticks), region.code),
                _ => {
                    let Barrier { point, time, code } =
                        std::mem::take(&mut self.lanes[process as usize][number]);
                    (point, time, code)
                }
            };
            let (id, position) = (lane.id, begin.position());
            let moves = self.moves(process, id, 0);
            let mut walk = self.walk(process, Entry { id, begin, position, moves, start, from });
            walk.more().lane = Some(number);
            walk.more().region = region.code;
            self.set_counts(&mut walk, begin, 3);
            if region.phase > 0 {
                walk.state = State::Waits(WaitKind::Barrier, start);
            }
            region.next += 1;
            stack.push(Step::Region(region));
            stack.push(Step::Walk(walk));
            return;
        }
        let edge = Edge::CreateCont;
        let at = (region.release, region.release);
        self.leaf(Mark::deep_wait(edge), at, on, site);
        self.grow.close();
        region.phase += 1;
        if region.phase < region.phases {
            region.next = region.lanes.start;
            // A barrier ends when all lanes have come and all tasks are done.
            region.release = region.arrival.max(region.last_end);
            self.grow.open_section(Edge::End, site);
            stack.push(Step::Region(region));
            return;
        }
        let point = region.join.map_or(Point::default(), |team| team.join);
        let time = region.join.map_or(region.last_end, |team| recorded.clock.time(team.ticks));
        if region.around {
            self.leaf(Mark::new(Kind::Wait, Edge::End, false), (time, time), on, site);
            self.grow.close();
        }
        if let Some(Step::Walk(walk)) = stack.last_mut() {
            walk.last_end = walk.last_end.max(region.last_end);
            walk.seen = walk.seen.max(region.join.map_or(0, |team| team.ticks));
            walk.position = point.position();
            if point.is_some() {
                walk.core = point.core();
            }
            walk.start = time;
            walk.edge = Edge::End;
            self.set_counts(walk, point, 2);
        }
    }
}
