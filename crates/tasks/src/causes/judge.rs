//! From the parts that intervals played to causes: each group of blame becomes a loss under the most specific cause whose
//! test it passes. What is lost inside of intervals comes on top: waiting for locks, fetching chunks, no processor. The
//! sentences are in [`super::sentences`].

use crosscut_run::{Clock, NO_SITE};
use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::Cause;
use super::blame::{Blame, Long};
use super::chains::Chains;
use super::counted::slowed;
use super::cutoff::Cutoff;
use super::groups::{Key, Known, Lengths, Role};
use super::inflation::{Grown, grown};
use super::locks::{Locks, Waits};
use super::phases::{Team, Teams, works};
use super::roles::{Roles, Sites, Steps, made_at};
use crate::schema::{Kind, LockKind};
use crate::tasks::Tasks;

/// A task that is not so many times as long as what it costs is too small: a tenth of its time is lost.
pub const WORTH_IT: i64 = 10;
/// A chunk that is not so many times as long as fetching one takes at least is too small: a twentieth of its time is lost, or more.
pub const FINE: i64 = 20;
/// Fewer tasks or chunks of a line are not judged by their size.
const SOME: u64 = 16;
/// A task repeats a section when it has so many of it.
const REPEATED: u64 = 4;
/// So many tasks in a row are a chain.
const CHAIN: u64 = 3;
/// A late task is so many times as long as the others of its section, on average.
const LONG: i64 = 2;
/// Teams of one line that are enough to see who is last.
const STEPS: u64 = 8;
/// Fetching a chunk is a call of the runtime and an update of a counter that another core has changed last: about so many
/// nanoseconds at least. Recorders see chunks follow one another without a gap.
pub const FETCH: i64 = 100;
/// Creating a task takes less than so many nanoseconds: what a creator runs from one to the next beyond that is its own.
const CREATES: i64 = 2_000;

/// Time lost for one cause at one line.
#[derive(Clone, Debug)]
pub struct Loss {
    pub cause: Cause,
    /// The construct, by number of its source.
    pub line: u32,
    pub cost: i64,
    /// The interval that is to blame for most, with how much.
    pub worst: (i64, u32),
    /// Intervals that are to blame, and their time.
    pub blamed: u64,
    pub time: i64,
    /// The line of the tasks or of the loop, where that is another one.
    pub about: u32,
}

/// All losses of a run.
pub struct Judged {
    pub losses: Vec<Loss>,
    /// By group of blame: its loss.
    pub of_group: Vec<Option<usize>>,
    pub facts: Facts,
    /// Time of intervals that is no work: locks, chunks, no processor.
    pub inside: i64,
    /// Time that workers lost to one another.
    pub shared: i64,
}

/// What was measured to judge.
pub struct Facts {
    /// By line: what having a task costs, as a rule.
    costs: HashMap<u32, i64>,
    /// By line: how much of that is in what a creator runs from one task to the next.
    within: HashMap<u32, i64>,
    /// The share of their time in which intervals had a processor.
    on: f64,
    /// By line of a barrier, or of a region at whose end there is one: the line of the region, and what handing over its
    /// steps costs.
    pub handed: HashMap<u32, (u32, i64)>,
    pub chains: Chains,
    pub teams: Teams,
    pub locks: Locks,
    /// Lines that take longer than with one worker, or than alone.
    pub grown: Vec<Grown>,
}

impl Facts {
    fn of(tasks: &Tasks, roles: &Roles, blame: &Blame) -> Self {
        let median = |of: &HashMap<u32, Lengths>, line: &u32| of.get(line).map_or(0, Lengths::median);
        let (mut costs, mut within) = (HashMap::new(), HashMap::new());
        for &line in roles.tasks.keys() {
            // Where the runtime says when a task is created, its creator goes on after a gap. Where it does not, creating is
            // in what the creator runs from one task to the next: as much of that as there is each time.
            let gap = median(&roles.creations, &line);
            let between = roles.between.get(&line).map_or(0, Lengths::quartile);
            let is_short = tasks.clock() == Clock::Ns && between < CREATES;
            let inside = if is_short && between > gap { between } else { 0 };
            costs.insert(line, gap.max(inside) + median(&blame.picks, &line));
            within.insert(line, inside);
        }
        let (chains, teams) = (Chains::of(tasks), Teams::of(tasks, &roles.phases));
        let locks = Locks::of(tasks, &blame.shares);
        let work = tasks.summary().work.max(1) as f64;
        let on = (1.0 - blame.off() as f64 / work).clamp(0.01, 1.0);
        Facts { costs, within, on, handed: HashMap::new(), chains, teams, locks, grown: Vec::new() }
    }

    /// Whether what is waited for at a line is the turn of an iteration.
    pub fn is_ordered(&self, tasks: &Tasks, line: u32) -> bool {
        let lock = self.locks.of_line(line).and_then(|waits| tasks.lock(waits.lock));
        lock.is_some_and(|lock| lock.kind == LockKind::Ordered)
    }

    /// Where to stop creating tasks of a line.
    pub fn cutoff(&self, roles: &Roles, line: u32, workers: i64) -> Option<Cutoff> {
        roles.depths.cutoff(line, |line| self.cost_of_task(line), (workers, self.on))
    }

    /// How much of what a task of a line costs is in what its creator runs from one to the next.
    pub fn cost_within(&self, line: u32) -> i64 {
        self.within.get(&line).copied().unwrap_or(0)
    }

    /// What it costs to have a task of a line, as a rule: until its creator went on, and until a free worker took it up.
    pub fn cost_of_task(&self, line: u32) -> i64 {
        self.costs.get(&line).copied().unwrap_or(0)
    }
}

/// Whether what has these lengths is too small for what each costs.
fn too_small(lengths: Option<&Lengths>, cost: i64) -> bool {
    is_below(lengths, WORTH_IT.saturating_mul(cost))
}

/// Whether most of some are shorter.
fn is_below(lengths: Option<&Lengths>, length: i64) -> bool {
    lengths.is_some_and(|lengths| lengths.count >= SOME && lengths.median() < length)
}

struct Judge<'a> {
    tasks: &'a Tasks,
    roles: &'a Roles,
    blame: &'a Blame,
    sites: Sites,
    facts: Facts,
    losses: Vec<Loss>,
    by_key: HashMap<(Cause, u32), usize>,
    shared: i64,
}

/// What is lost, worst first.
pub fn judge(tasks: &Tasks, roles: &Roles, blame: &Blame, baseline: Option<&Tasks>) -> Judged {
    let mut facts = Facts::of(tasks, roles, blame);
    facts.grown = baseline.map_or_else(|| slowed(tasks), |baseline| grown(tasks, baseline));
    let mut judge = Judge {
        tasks,
        roles,
        blame,
        sites: Sites::new(tasks),
        facts,
        losses: Vec::new(),
        by_key: HashMap::new(),
        shared: 0,
    };
    let of_group: Vec<Option<usize>> = roles.groups.known.iter().map(|known| judge.group(known)).collect();
    judge.place_delay(&of_group);
    // Each takes what the ones before have left of the work: clocks and counts are not exact, and nothing is lost twice.
    let work = tasks.summary().work.max(0);
    let mut inside = judge.off().clamp(0, work);
    inside += judge.locks(work - inside);
    inside += judge.chunks(work - inside);
    inside += judge.grown(work - inside);
    Judged { losses: judge.losses, of_group, facts: judge.facts, inside, shared: judge.shared }
}

impl Judge<'_> {
    /// Charges what a group is to blame for.
    fn group(&mut self, known: &Known) -> Option<usize> {
        if known.cost <= 0 {
            return None;
        }
        let Key { role, line, other } = known.key;
        match role {
            Role::Task | Role::Narrow | Role::Depend => self.tasks_of(known),
            Role::Lane => self.members_of(known),
            Role::HandTeam => Some(self.hand_over(known)),
            // What shows it best is the one that creates, not one that waits.
            Role::HandTask if self.is_starved(line) => {
                let who = Who { worst: (0, u32::MAX), blamed: 0, time: 0 };
                Some(self.charge(Cause::SerialSpawn, line, line, known.cost, who))
            }
            Role::Spawn if self.creates_small(known) => {
                Some(self.charge(Cause::SmallTasks, line, line, known.cost, known.into()))
            }
            _ => {
                let (cause, at) = self.cause(role, line, other);
                Some(self.charge(cause, at, line, known.cost, known.into()))
            }
        }
    }

    /// Whether a task is too slow to create others because they are small: it has less to do for each than that costs.
    fn creates_small(&self, known: &Known) -> bool {
        let (line, cost) = (known.key.line, self.facts.cost_of_task(known.key.line));
        // Where creating is in what it runs, more than usual is still creating: others hold the runtime's lock, or are woken up.
        let creating = if self.facts.cost_within(line) > 0 { CREATES } else { 0 };
        let own = known.time / known.blamed.max(1) as i64 - creating;
        own < cost && too_small(self.roles.tasks.get(&line), cost)
    }

    /// Whether one task has so much to do for each task of a line that the workers beside it have nothing to do most of the time,
    /// whatever a task costs. Each then waits until somebody wakes up for it.
    fn is_starved(&self, line: u32) -> bool {
        let spawns = self.roles.groups.find(Role::Spawn, line);
        let spawns = spawns.filter(|known| known.cost > 0 && !self.creates_small(known));
        let (Some(spawns), Some(lengths)) = (spawns, self.roles.tasks.get(&line)) else { return false };
        let between = spawns.time / spawns.blamed.max(1) as i64;
        let length = lengths.sum / lengths.count.max(1) as i64;
        let feeds_all = length >= between.saturating_mul((self.blame.workers - 1).max(1));
        2 * spawns.blamed >= lengths.count && !feeds_all
    }

    /// A task of a line that is not longer is too small.
    fn short_task(&self, line: u32) -> i64 {
        WORTH_IT.saturating_mul(self.facts.cost_of_task(line))
    }

    fn is_fine(&self, line: u32) -> bool {
        // Chunks take longer where their workers have no processor.
        let work = self.tasks.summary().work.max(1);
        let stretched = work as f64 / (work - self.blame.off()).max(1) as f64;
        let fetch = (FETCH as f64 * stretched) as i64;
        self.tasks.clock() == Clock::Ns && is_below(self.roles.chunks.get(&line), FINE.saturating_mul(fetch))
    }

    /// Waiting for locks, by the line that waits; of the work that is `left` when workers had a processor. Short waits have no
    /// times of their own, so some of theirs may have been without a processor: all lines then lose the same share of it.
    fn locks(&mut self, left: i64) -> i64 {
        let waits: Vec<(u32, Waits)> =
            self.facts.locks.by_line().filter(|(_, waits)| waits.cost > 0).collect();
        let all = waits.iter().map(|(_, waits)| waits.cost).fold(0, i64::saturating_add);
        // Of running sums, so that all parts together are exactly what is left.
        let within = |sum: i64| match all > left {
            true => (i128::from(sum) * i128::from(left) / i128::from(all)) as i64,
            false => sum,
        };
        let mut before = 0i64;
        let charge = |(line, waits): &(u32, Waits)| {
            let who = Who { worst: waits.worst, blamed: waits.waits.max(0) as u64, time: waits.held };
            // Who waits for its turn waits for the iteration before.
            let is_ordered = self.facts.is_ordered(self.tasks, *line);
            let cause = if is_ordered { Cause::DependenceChain } else { Cause::Lock };
            let sum = before.saturating_add(waits.cost);
            let cost = within(sum) - within(before);
            before = sum;
            self.charge(cause, *line, *line, cost, who);
            cost
        };
        waits.iter().map(charge).sum()
    }

    /// Fetching chunks that are too small for it; of the work that is `left` when the worker had a processor and no lock
    /// to wait for.
    fn chunks(&mut self, mut left: i64) -> i64 {
        let mut lines: Vec<u32> =
            self.roles.chunks.keys().copied().filter(|&line| self.is_fine(line)).collect();
        lines.sort_unstable();
        let charge = |line: u32| {
            let lengths = &self.roles.chunks[&line];
            let cost = FETCH
                .saturating_mul(i64::try_from(lengths.count).unwrap_or(i64::MAX))
                .clamp(0, lengths.sum.clamp(0, left));
            left -= cost;
            let who = Who { worst: (0, u32::MAX), blamed: lengths.count, time: lengths.sum };
            self.charge(Cause::FineChunks, line, line, cost, who);
            cost
        };
        lines.into_iter().map(charge).sum()
    }

    /// Code that takes longer than in a run with one worker, or than alone, as far as locks and processors do not explain it;
    /// of the work that is `rest`.
    fn grown(&mut self, mut rest: i64) -> i64 {
        let lines = self.facts.grown.clone();
        let locks = self.losses.iter().filter(|loss| loss.cause == Cause::Lock).map(|loss| loss.cost);
        let explained = locks.fold(0, i64::saturating_add).saturating_add(self.blame.off());
        let all: i64 =
            lines.iter().map(|line| line.work.saturating_sub(line.before)).fold(0, i64::saturating_add);
        let left = all.saturating_sub(explained).max(0) as f64 / all.max(1) as f64;
        let charge = |line: Grown| {
            let cost = ((line.work.saturating_sub(line.before) as f64 * left) as i64).clamp(0, rest);
            rest -= cost;
            if cost > 0 {
                let who = Who { worst: (cost, line.node), blamed: 1, time: line.work };
                self.charge(Cause::WorkInflation, line.line, line.line, cost, who);
            }
            cost
        };
        lines.into_iter().map(charge).fold(0, i64::saturating_add)
    }

    /// Intervals whose workers had no processor. While more of them run than there are processors, that cannot be
    /// otherwise; beyond that somebody else took one. Returns both.
    fn off(&mut self) -> i64 {
        let off = self.blame.off();
        let cost = off - self.blame.over;
        if cost > 0 {
            let who = Who { worst: (0, u32::MAX), blamed: 0, time: 0 };
            self.charge(Cause::Preempted, NO_SITE, NO_SITE, cost, who);
        }
        // Where there are more of them than processors, workers that take processors from one another lose nothing that the
        // machine could have given them. Where each could have had its own, they do: another one was idle.
        let taken = match self.is_crowded() {
            true => self.blame.taken(self.tasks.summary().elapsed),
            false => i64::MAX,
        };
        if let Some(loss) = self.losses.iter_mut().find(|loss| loss.cause == Cause::Preempted) {
            self.shared += (loss.cost - taken).max(0);
            loss.cost = loss.cost.min(taken);
        }
        off
    }

    /// Whether there are more workers than processors.
    fn is_crowded(&self) -> bool {
        i64::from(self.tasks.summary().workers) > self.blame.workers
    }

    /// The cause of what a part is to blame for, where nothing but the part decides, and its line.
    fn cause(&self, role: Role, line: u32, other: u32) -> (Cause, u32) {
        let small = || too_small(self.roles.tasks.get(&line), self.facts.cost_of_task(line));
        match role {
            Role::Serial => (Cause::SerialPart, line),
            Role::Spawn => (Cause::SerialSpawn, line),
            Role::HandTask if small() => (Cause::SmallTasks, line),
            Role::HandChunk if self.is_fine(line) => (Cause::FineChunks, line),
            Role::Off => (Cause::Preempted, NO_SITE),
            Role::Narrow => (Cause::WaitInLoop, if other == NO_SITE { line } else { other }),
            Role::Depend => (Cause::DependenceChain, line),
            Role::Task | Role::Lane => (Cause::Imbalance, line),
            // A free worker that has no processor cannot take what is ready, whatever the runtime does.
            Role::HandTask | Role::HandTeam | Role::HandChunk | Role::HandOther if self.is_crowded() => {
                (Cause::Preempted, NO_SITE)
            }
            Role::HandTask | Role::HandTeam | Role::HandChunk | Role::HandOther => {
                (Cause::RuntimeDelay, NO_SITE)
            }
        }
    }

    /// Starting the members of teams, and going on after them: a cost of their barriers, where all wait for another one
    /// each time, or where there are many steps and each is short.
    fn hand_over(&mut self, known: &Known) -> usize {
        let line = known.key.line;
        let waits = |team: &&Team| is_at_barriers(team) && team.wait().saturating_mul(10) >= team.step();
        let at = self.facts.teams.of_region(line).find(waits).map(|team| team.barrier);
        if let Some(at) = at {
            return self.charge(Cause::BarrierWait, at, line, known.cost, known.into());
        }
        let steps = self.roles.steps.get(&line).copied().unwrap_or_default();
        let is_short = self.hand_over_of_step(steps, known.cost).saturating_mul(10) >= step(steps);
        if steps.count < STEPS || !is_short {
            let (cause, at) = self.cause(Role::HandTeam, line, NO_SITE);
            return self.charge(cause, at, line, known.cost, known.into());
        }
        let at = self.facts.teams.of_line(line).map_or(line, |team| team.barrier);
        self.facts.handed.insert(at, (line, known.cost));
        self.charge(Cause::BarrierWait, at, line, known.cost, known.into())
    }

    /// What a worker waits in a step for being started, or for going on.
    fn hand_over_of_step(&self, steps: Steps, cost: i64) -> i64 {
        cost / self.blame.workers.max(1) / steps.count.max(1) as i64
    }

    /// A delay that nothing explains is shown at the line that has most of it.
    fn place_delay(&mut self, of_group: &[Option<usize>]) {
        let Some(at) = self.losses.iter().position(|loss| loss.cause == Cause::RuntimeDelay) else { return };
        let groups = self.roles.groups.known.iter().zip(of_group);
        let delayed = groups.filter(|(_, loss)| **loss == Some(at)).map(|(known, _)| known);
        if let Some(most) = delayed.max_by_key(|known| known.cost) {
            self.losses[at].line = most.key.line;
        }
    }

    /// Members of teams that work while others wait for them. Who is in no such team may wait too: because of members that
    /// have unequal work, or because what their team is a part of is longer than what others have to do.
    fn members_of(&mut self, known: &Known) -> Option<usize> {
        let line = known.key.line;
        let team = self.facts.teams.of_line(line);
        let (around, outside) = team.map_or((None, 0), |team| (team.around, self.outside(team, known.cost)));
        let Some(around) = around.filter(|&around| around != line && outside > 0) else {
            return self.members(known, known.cost);
        };
        let first = self.members(known, known.cost - outside);
        let (cause, at) = match self.waits_at_barriers(around) {
            Some(team) => (Cause::BarrierWait, team.barrier),
            None => (Cause::Imbalance, around),
        };
        let who = Who { worst: (outside, self.longest_of(around)), blamed: known.blamed, time: known.time };
        let second = self.charge(cause, at, around, outside, who);
        if 2 * outside > known.cost { Some(second) } else { first.or(Some(second)) }
    }

    /// The first interval of the longest member of the worst team of a line.
    fn longest_of(&self, line: u32) -> u32 {
        let worst = self.facts.teams.of_line(line).map(|team| team.worst.node);
        let longest = worst.and_then(|section| works(self.tasks, section).max_by_key(|member| member.1));
        longest.map_or(u32::MAX, |(member, _)| self.tasks.dag().first_block(member).0)
    }

    /// Of what members of teams are to blame for: what would be lost if they had equal work. Members wait for the longest;
    /// others, which have as long nothing to do as the team is longer than theirs, wait for the team.
    fn outside(&self, team: &Team, cost: i64) -> i64 {
        let others = self.blame.workers - i64::from(team.members);
        let rest = cost.saturating_sub(team.lost).max(0);
        if others <= 0 || rest == 0 {
            return 0;
        }
        let time = (rest / others).max(1);
        let uneven = (team.excess() as f64 / time as f64).clamp(0.0, 1.0);
        (rest as f64 * (1.0 - uneven)) as i64
    }

    /// Members of one team: a long chunk that came last, barriers, or unequal work.
    fn members(&mut self, known: &Known, cost: i64) -> Option<usize> {
        if cost <= 0 {
            return None;
        }
        let line = known.key.line;
        let long = self.blame.long.iter().filter(|long| long.line == line && self.is_late_chunk(long.node));
        let late = long.map(|long| long.cost).fold(0, i64::saturating_add);
        if 2 * late > known.cost {
            return Some(self.charge(Cause::LateTask, line, line, cost, known.into()));
        }
        let (cause, at) = match self.waits_at_barriers(line) {
            Some(team) => (Cause::BarrierWait, team.barrier),
            None => (Cause::Imbalance, line),
        };
        Some(self.charge(cause, at, line, cost, known.into()))
    }

    /// The teams of a line, where another member is last in each of many steps.
    fn waits_at_barriers(&self, line: u32) -> Option<&Team> {
        self.facts.teams.of_line(line).filter(|team| is_at_barriers(team))
    }

    /// Tasks that run while others have nothing to do: why is there nothing else?
    fn tasks_of(&mut self, known: &Known) -> Option<usize> {
        let Key { role, line, other } = known.key;
        let small = too_small(self.roles.tasks.get(&line), self.facts.cost_of_task(line));
        // In a loop, or one after the other wherever it is.
        let repeats = known.sections >= REPEATED
            && (known.sections >= REPEATED * known.frames || known.bare == known.sections);
        let is_chain = self.facts.chains.of_line(line);
        let is_chain = is_chain.is_some_and(|chain| chain.tasks >= CHAIN && chain.fills_its_span(self.tasks));
        // Not one that is long among many short ones.
        let are_short = small && known.time / known.blamed.max(1) as i64 <= self.short_task(line);
        if role == Role::Narrow && repeats && small || role != Role::Depend && are_short {
            return Some(self.charge(Cause::SmallTasks, line, line, known.cost, known.into()));
        }
        if role == Role::Narrow && repeats || role == Role::Depend && is_chain {
            let (cause, at) = self.cause(role, line, other);
            return Some(self.charge(cause, at, line, known.cost, known.into()));
        }
        let long = self.blame.long.iter().filter(|long| long.line == line && self.is_late(long));
        let late = long.map(|long| long.cost).fold(0, i64::saturating_add).min(known.cost);
        let rest = known.cost - late;
        let first = (late > 0).then(|| self.charge(Cause::LateTask, line, line, late, known.into()));
        let second = (rest > 0).then(|| self.charge(Cause::Imbalance, line, line, rest, known.into()));
        if late >= rest { first.or(second) } else { second.or(first) }
    }

    /// Whether a task that runs while others have nothing to do should have started first: it is long, the others of its
    /// section were done by then, and the section would have ended sooner.
    fn is_late(&self, long: &Long) -> bool {
        let tree = self.tasks.tree();
        let Some(task) = task_of(self.tasks, long.node) else { return false };
        // What a creator runs beside its tasks begins when they are created.
        if made_at(self.tasks, &self.sites, task.index()) != long.line {
            return false;
        }
        let Some(section) = tree.parent(task) else { return false };
        let siblings = self.roles.made_in(section).saturating_sub(1);
        self.starts_late(section, task, siblings.into())
    }

    /// The same of a chunk of a loop that is handed out in parts.
    fn is_late_chunk(&self, block: u32) -> bool {
        let tree = self.tasks.tree();
        let Some(section) = task_of(self.tasks, block).and_then(|lane| tree.parent(lane)) else {
            return false;
        };
        let chunks = self.tasks.count(tree.range(section), Kind::Chunk);
        let members = i64::from(self.roles.made_in(section));
        self.tasks.kind(NodeId(block)) == Kind::Chunk
            && chunks >= 2 * members
            && self.starts_late(section, NodeId(block), chunks - 1)
    }

    fn starts_late(&self, section: NodeId, node: NodeId, siblings: i64) -> bool {
        let begin = self.tasks.start(section);
        let (start, end) = (self.tasks.start(node), self.tasks.end(node));
        let length = end - start;
        let others = self.tasks.work(section) - self.tasks.work(node);
        if siblings <= 0 || length < LONG * others / siblings {
            return false;
        }
        let workers = i64::from(self.tasks.summary().workers.max(1));
        let at_best = length.max(self.tasks.work(section) / workers);
        let gain = end - begin - at_best;
        let done = 2 * (start - begin).saturating_mul(workers) >= others;
        // What it runs alone at the end is at most what it takes.
        done && 4 * gain >= length.min(end - begin - others / workers)
    }

    fn charge(&mut self, cause: Cause, line: u32, about: u32, cost: i64, who: Who) -> usize {
        let losses = &mut self.losses;
        let at = *self.by_key.entry((cause, line)).or_insert_with(|| {
            let worst = (0, u32::MAX);
            losses.push(Loss { cause, line, cost: 0, worst, blamed: 0, time: 0, about });
            losses.len() - 1
        });
        let loss = &mut self.losses[at];
        loss.cost = loss.cost.saturating_add(cost);
        loss.blamed += who.blamed;
        loss.time = loss.time.saturating_add(who.time);
        if who.worst.0 > loss.worst.0 {
            (loss.worst, loss.about) = (who.worst, about);
        }
        at
    }
}

/// Whether another member is last in each of many steps.
fn is_at_barriers(team: &Team) -> bool {
    team.steps >= STEPS && team.rotating() > team.systematic()
}

/// Who is to blame for a loss.
#[derive(Clone, Copy)]
struct Who {
    worst: (i64, u32),
    blamed: u64,
    time: i64,
}

impl From<&Known> for Who {
    fn from(known: &Known) -> Self {
        Who { worst: known.worst, blamed: known.blamed, time: known.time }
    }
}

/// What a step takes, with starting and ending it.
pub fn step(steps: Steps) -> i64 {
    steps.time / steps.count.max(1) as i64
}

/// The task that an interval belongs to. The only member of a team belongs to the task around it.
pub fn task_of(tasks: &Tasks, block: u32) -> Option<NodeId> {
    let above = std::iter::once(NodeId(block)).chain(tasks.tree().ancestors(NodeId(block)));
    above.into_iter().find(|&node| tasks.kind(node) == Kind::Task && !is_alone(tasks, node))
}

/// Whether a task is the only member of its team.
fn is_alone(tasks: &Tasks, task: NodeId) -> bool {
    let section = tasks.tree().parent(task).filter(|_| tasks.is_lane(task));
    section.is_some_and(|section| works(tasks, section).take(2).count() == 1)
}

/// What others wait for: the task that an interval belongs to, or, of what a creator runs beside its tasks, the interval.
pub fn part_of(tasks: &Tasks, block: u32) -> Option<NodeId> {
    let tree = tasks.tree();
    let node = NodeId(block);
    let section = tree.parent(node).filter(|&parent| tasks.kind(parent) == Kind::Section);
    let is_beside = matches!(tasks.kind(node), Kind::Wait | Kind::Other)
        && section.is_some_and(|section| {
            tree.children(section).any(|child| tasks.kind(child) == Kind::Task && !tasks.is_lane(child))
        });
    if is_beside { Some(node) } else { task_of(tasks, block) }
}
