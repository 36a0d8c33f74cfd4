//! Shares out the time of free workers: one pass over time.
//!
//! At any time r intervals run, and of w workers that have a processor w − r are free. What is ready and does not run is to
//! blame for one free worker each; the others are the fault of what runs, in equal parts, because that is what keeps more
//! from being ready. While a task creates many others, it alone is: what it has created so far is done or running. A member of a
//! team that has nothing to do while another one works is late for nobody.
//! Where nothing runs and nothing is ready, nobody is to blame.
//!
//! Each part is the difference of two values of an integral over time, so an interval costs two steps, whatever its length.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use crosscut_run::NO_SITE;

use super::groups::{Group, Lengths, NOBODY, Role};
use super::processor::Shares;
use super::roles::Roles;
use crate::tasks::Tasks;

/// Cells of time for which is kept how the integrals grow.
pub const CELLS: usize = 1024;

/// What the pass finds, beside what it adds to groups.
#[derive(Debug)]
pub struct Blame {
    /// Workers that can have a processor at the same time.
    pub workers: i64,
    /// How much of its time each worker had a processor.
    pub shares: Vec<Shares>,
    /// Time of processors that nobody used, where the recorder saw that.
    pub idle: Option<i64>,
    /// When it began to look.
    pub idle_from: i64,
    /// Time of intervals that ran while all processors were taken by others of the same run.
    pub over: i64,
    /// By cell of time: how much each of the integrals grows.
    pub cells: Vec<Parts>,
    pub cell: i64,
    /// Intervals of tasks that are to blame for much.
    pub long: Vec<Long>,
    /// Intervals of code that runs alone, and what each is to blame for.
    pub serial: Vec<(u32, i64)>,
    /// By the line that creates tasks: how long a worker that was done took to go on with one that was ready.
    pub picks: HashMap<u32, Lengths>,
}

/// An interval of a task that is to blame for much by itself.
#[derive(Clone, Copy, Debug)]
pub struct Long {
    pub node: u32,
    /// The line that created the task.
    pub line: u32,
    pub cost: i64,
}

/// The part of P × elapsed that is much for one interval.
const MUCH: i64 = 2000;

/// What one more interval is to blame for, from time 0 on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts {
    /// One that runs.
    pub run: f64,
    /// One that creates many others.
    pub spawn: f64,
    /// One that is ready, while who is free has a processor.
    pub ready: f64,
    /// One that is ready, while who is free has none.
    pub held: f64,
    /// The same two of one that has nothing to do.
    pub idle_ready: f64,
    pub idle_held: f64,
}

impl Parts {
    fn plus(self, other: Parts) -> Parts {
        Parts {
            run: self.run + other.run,
            spawn: self.spawn + other.spawn,
            ready: self.ready + other.ready,
            held: self.held + other.held,
            idle_ready: self.idle_ready + other.idle_ready,
            idle_held: self.idle_held + other.idle_held,
        }
    }
}

/// What is going on.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    now: i64,
    running: i64,
    /// Processors that they have.
    taken: f64,
    spawning: i64,
    ready: i64,
    /// Those of them that have nothing to do.
    idle: i64,
    /// Of all workers that are free: the share of their gaps that they have a processor, summed up.
    on: f64,
    gaps: i64,
    sum: Parts,
    over: i64,
}

impl State {
    /// What the time until then adds.
    fn parts(&self, workers: i64, until: i64) -> Parts {
        let passed = (until - self.now).max(0);
        let free = (workers as f64 - self.taken).max(0.0);
        let mut parts = Parts::default();
        if free == 0.0 || passed == 0 {
            return parts;
        }
        // Who has nothing to do keeps nobody waiting while others run.
        let counts = if self.running > 0 { self.ready - self.idle } else { self.ready };
        let delayed = if self.running > 0 { (counts.max(0) as f64).min(free) } else { free };
        let time = |count: f64, among: i64| count * passed as f64 / among as f64;
        if counts > 0 {
            let on = if self.gaps > 0 { (self.on / self.gaps as f64).clamp(0.0, 1.0) } else { 1.0 };
            let all = time(delayed, counts);
            (parts.ready, parts.held) = (all * on, all * (1.0 - on));
        }
        if self.running == 0 {
            (parts.idle_ready, parts.idle_held) = (parts.ready, parts.held);
        }
        match (self.running, self.spawning) {
            (0, _) => {}
            (running, 0) => parts.run = time(free - delayed, running),
            (_, spawning) => parts.spawn = time(free - delayed, spawning),
        }
        parts
    }
}

/// A row whose intervals are taken in their order.
struct Rows<'a> {
    rows: Vec<&'a [u32]>,
    start: &'a [i64],
    /// The next start of each row.
    next: BinaryHeap<Reverse<(i64, usize)>>,
}

impl<'a> Rows<'a> {
    fn new(tasks: &'a Tasks) -> Self {
        let blocks = tasks.blocks();
        let mut rows = Rows {
            rows: (0..tasks.rows()).map(|row| blocks.row(row)).collect(),
            start: tasks.starts(),
            next: BinaryHeap::new(),
        };
        (0..rows.rows.len()).for_each(|row| rows.ask(row));
        rows
    }

    fn ask(&mut self, row: usize) {
        if let Some(&block) = self.rows[row].first() {
            self.next.push(Reverse((self.start[block as usize], row)));
        }
    }

    fn time(&self) -> i64 {
        self.next.peek().map_or(i64::MAX, |Reverse(next)| next.0)
    }

    /// When the next one of a row starts.
    fn next_of(&self, row: usize) -> i64 {
        self.rows[row].first().map_or(i64::MAX, |&block| self.start[block as usize])
    }

    /// The next one, and its row.
    fn take(&mut self) -> Option<(u32, usize)> {
        let Reverse((_, row)) = self.next.pop()?;
        let (&block, rest) = self.rows[row].split_first()?;
        self.rows[row] = rest;
        self.ask(row);
        Some((block, row))
    }
}

/// Intervals that were ready before they started, by when.
fn waited(tasks: &Tasks, roles: &Roles) -> Vec<u32> {
    let start = tasks.starts();
    let nodes = 0..roles.ready.len() as u32;
    let mut waited: Vec<u32> =
        nodes.filter(|&node| roles.ready[node as usize] < start[node as usize]).collect();
    waited.par_sort_unstable_by_key(|&node| roles.ready[node as usize]);
    waited
}

/// Processors that the program could use, as far as its recorder said so.
fn processors(tasks: &Tasks) -> u32 {
    fact(tasks, "processors").map_or(u32::MAX, |count| count.try_into().unwrap_or(u32::MAX))
}

/// A number that the recorder left.
fn fact(tasks: &Tasks, name: &str) -> Option<u64> {
    tasks.run().manifest().facts.get(name).and_then(|number| number.as_u64())
}

/// An interval that runs: when it ends, its node, its row, and the integral when it began.
type Running = Reverse<(i64, u32, usize, i64)>;

struct Pass<'a> {
    tasks: &'a Tasks,
    roles: &'a mut Roles,
    workers: i64,
    state: State,
    running: BinaryHeap<Running>,
    /// By node that is ready: the integrals when it became so.
    since: Vec<(i64, i64)>,
    /// By worker that is free: the share of its gap that it has a processor.
    gaps: Vec<Option<f64>>,
    shares: Vec<Shares>,
    off: Group,
    cells: Vec<Parts>,
    cell: i64,
    long: Vec<Long>,
    serial: Vec<(u32, i64)>,
    much: i64,
    picks: HashMap<u32, Lengths>,
    /// By row: when its last interval ended.
    ended: Vec<i64>,
}

impl Blame {
    /// Adds to each group what its intervals are to blame for.
    pub fn of(tasks: &Tasks, roles: &mut Roles) -> Self {
        let summary = tasks.summary();
        let workers = i64::from(summary.workers.min(processors(tasks)).max(1));
        let cell = (summary.elapsed / CELLS as i64 + 1).max(1);
        let waited = waited(tasks, roles);
        let off = roles.groups.of(Role::Off, NO_SITE);
        let since = vec![(0, 0); roles.ready.len()];
        let mut pass = Pass {
            tasks,
            roles,
            workers,
            state: State::default(),
            running: BinaryHeap::new(),
            since,
            gaps: vec![None; tasks.rows()],
            shares: (0..tasks.workers()).map(|worker| Shares::of(tasks, worker)).collect(),
            off,
            cells: vec![Parts::default(); CELLS],
            cell,
            long: Vec::new(),
            serial: Vec::new(),
            much: (workers * summary.elapsed / MUCH).max(1),
            picks: HashMap::new(),
            ended: vec![0; tasks.rows()],
        };
        pass.run(&waited);
        let Pass { state, shares, cells, long, serial, picks, .. } = pass;
        let number = |name: &str| fact(tasks, name).map(|fact| i64::try_from(fact).unwrap_or(i64::MAX));
        let (idle, idle_from) = (number("idle_ns"), number("idle_from_ns").unwrap_or(0));
        Blame { workers, shares, idle, idle_from, over: state.over, cells, cell, long, serial, picks }
    }

    /// Time of intervals in which their workers had no processor.
    pub fn off(&self) -> i64 {
        self.shares.iter().map(|shares| shares.off).fold(0, i64::saturating_add)
    }

    /// Time of intervals in which their workers slept in the system.
    pub fn blocked(&self) -> i64 {
        self.shares.iter().map(|shares| shares.blocked).fold(0, i64::saturating_add)
    }

    /// Time of processors that workers did not get and that, as far as that is known, was not idle: what others than the
    /// workers have taken, at most.
    pub fn taken(&self, elapsed: i64) -> i64 {
        let got: i64 = self.shares.iter().map(|shares| shares.processor).fold(0, i64::saturating_add);
        // Before anybody looked, the program ran alone.
        let seen = elapsed.saturating_sub(if self.idle.is_some() { self.idle_from } else { 0 }).max(0);
        self.workers.saturating_mul(seen).saturating_sub(got).saturating_sub(self.idle.unwrap_or(0)).max(0)
    }
}

impl Pass<'_> {
    fn run(&mut self, waited: &[u32]) {
        let elapsed = self.tasks.summary().elapsed;
        let mut rows = Rows::new(self.tasks);
        let mut waited = waited.iter().copied().peekable();
        (0..self.gaps.len()).for_each(|row| self.becomes_free(row, 0, rows.next_of(row)));
        loop {
            let ends = self.running.peek().map_or(i64::MAX, |Reverse(next)| next.0);
            let ready = waited.peek().map_or(i64::MAX, |&node| self.roles.ready[node as usize]);
            let starts = rows.time();
            let now = ends.min(ready).min(starts);
            if now == i64::MAX {
                break;
            }
            self.advance(now.min(elapsed));
            if ends == now {
                if let Some(row) = self.end() {
                    self.becomes_free(row, now, rows.next_of(row));
                }
            } else if ready == now {
                waited.next().into_iter().for_each(|node| self.becomes_ready(node));
            } else {
                rows.take().into_iter().for_each(|(node, row)| self.start(node, row));
            }
        }
        self.advance(elapsed);
    }

    /// Time passes, cell by cell.
    fn advance(&mut self, until: i64) {
        while self.state.now < until {
            let cell = (self.state.now.max(0) / self.cell) as usize;
            let border = until.min((cell as i64 + 1) * self.cell);
            let parts = self.state.parts(self.workers, border);
            if let Some(slot) = self.cells.get_mut(cell) {
                *slot = slot.plus(parts);
            }
            self.state.sum = self.state.sum.plus(parts);
            self.state.over += (self.state.running - self.workers).max(0) * (border - self.state.now);
            self.state.now = border;
        }
    }

    fn spawns(&self, node: u32) -> bool {
        self.roles.groups.role(self.roles.run[node as usize]) == Some(Role::Spawn)
    }

    /// What one that runs is to blame for so far.
    fn so_far(&self, spawns: bool) -> i64 {
        let Parts { run, spawn, .. } = self.state.sum;
        (if spawns { spawn } else { run }).round() as i64
    }

    fn start(&mut self, node: u32, row: usize) {
        let spawns = self.spawns(node);
        let (ready, start) = (self.roles.ready[node as usize], self.tasks.starts()[node as usize]);
        if ready < start {
            let is_idle = self.roles.is_idle(node);
            self.state.ready -= 1;
            self.state.idle -= i64::from(is_idle);
            let (on, off) = self.waiting(is_idle);
            let since = self.since[node as usize];
            self.charge(self.roles.hand[node as usize], node, on - since.0, off - since.1, start - ready);
        }
        self.picked(node, row, ready, start);
        if let Some(share) = self.gaps.get_mut(row).and_then(Option::take) {
            self.state.on -= share;
            self.state.gaps -= 1;
        }
        let end = self.tasks.ends()[node as usize];
        self.state.running += 1;
        self.state.taken += self.processors(row, start, end);
        self.state.spawning += i64::from(spawns);
        self.running.push(Reverse((end, node, row, self.so_far(spawns))));
    }

    /// How much of a processor an interval has. Where each worker has one, that it was taken away is told as such; where there
    /// are more workers than processors, those that have work and no processor keep nobody from anything.
    fn processors(&self, row: usize, start: i64, end: i64) -> f64 {
        match self.shares.get(row) {
            Some(shares) if i64::from(self.tasks.summary().workers) > self.workers => shares.busy(start, end),
            _ => 1.0,
        }
    }

    /// The next interval ends: says which row is free now.
    fn end(&mut self) -> Option<usize> {
        let Reverse((end, node, row, before)) = self.running.pop()?;
        let spawns = self.spawns(node);
        let start = self.tasks.starts()[node as usize];
        self.state.running -= 1;
        self.state.taken -= self.processors(row, start, end);
        if self.state.running == 0 {
            // Differences of shares leave crumbs.
            self.state.taken = 0.0;
        }
        self.state.spawning -= i64::from(spawns);
        if let Some(ended) = self.ended.get_mut(row) {
            *ended = end.max(*ended);
        }
        let share = self.shares.get(row).map_or(1.0, |shares| shares.busy(start, end));
        let cost = self.so_far(spawns) - before;
        let own = (cost as f64 * share).round() as i64;
        self.charge(self.roles.run[node as usize], node, own, cost - own, end - start);
        Some(row)
    }

    /// A worker goes on with something of a task that was ready already: how long did it take from when it could? A worker
    /// that slept before tells how long it takes to wake up, which no larger task would change.
    fn picked(&mut self, node: u32, row: usize, ready: i64, start: i64) {
        let hand =
            self.roles.groups.known.get(self.roles.hand[node as usize] as usize).map(|known| known.key);
        if let (Some(key), Some(&ended)) = (hand, self.ended.get(row))
            && key.role == Role::HandTask
            && (ready..start).contains(&ended)
        {
            self.picks.entry(key.line).or_default().add(start - ended);
        }
    }

    /// A worker has nothing to run until then.
    fn becomes_free(&mut self, row: usize, from: i64, to: i64) {
        let to = to.min(self.tasks.summary().elapsed);
        if let (Some(shares), Some(slot)) = (self.shares.get(row), self.gaps.get_mut(row))
            && slot.is_none()
        {
            let share = shares.free(from, to.max(from));
            *slot = Some(share);
            self.state.on += share;
            self.state.gaps += 1;
        }
    }

    /// What one that is ready is to blame for so far: with and without a processor for who is free.
    fn waiting(&self, is_idle: bool) -> (i64, i64) {
        let Parts { ready, held, idle_ready, idle_held, .. } = self.state.sum;
        let (on, off) = if is_idle { (idle_ready, idle_held) } else { (ready, held) };
        (on.round() as i64, off.round() as i64)
    }

    fn becomes_ready(&mut self, node: u32) {
        let is_idle = self.roles.is_idle(node);
        self.state.ready += 1;
        self.state.idle += i64::from(is_idle);
        self.since[node as usize] = self.waiting(is_idle);
    }

    /// Charges a group, and what is lost because somebody had no processor.
    fn charge(&mut self, group: Group, node: u32, own: i64, off: i64, time: i64) {
        if group == NOBODY {
            return;
        }
        self.roles.groups.blame(self.off, node, off, time);
        self.roles.groups.blame(group, node, own, time);
        let Some(known) = self.roles.groups.known.get(group as usize) else { return };
        match known.key.role {
            Role::Serial if own > 0 => self.serial.push((node, own)),
            Role::Task | Role::Narrow | Role::Depend | Role::Lane if own >= self.much => {
                self.long.push(Long { node, line: known.key.line, cost: own });
            }
            _ => {}
        }
    }
}
