//! What costs time between ranks, and who caused it: the waits of a run by the work that was late, and the time in calls that
//! move data. Each wait is told once: what explains it goes to its origin, the rest to the kind of waiting.

mod spent;

use std::collections::hash_map::Entry;

use foldhash::HashMap;
use rayon::prelude::*;

use crate::lateness::{Lateness, Part, Step};
use crate::messages::Messages;
use crate::schema::NONE;
use crate::waits::{Waits, Why};
use spent::{Spent, small_calls, spent};

/// Why time was lost. The words are a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// Receivers wait for ranks that compute too long before they send.
    LateSender,
    /// Senders wait for ranks that compute too long before they receive.
    LateReceiver,
    /// All wait for a few that compute longer than the others, which are alike.
    LateRank,
    /// Ranks have different amounts of work, all wait for the one with most.
    RankImbalance,
    /// Ranks meet in collectives, another one is last each time.
    CollectiveWait,
    /// The same at barriers.
    BarrierWait,
    /// Many small messages to the same rank, one right after the other.
    SmallMessages,
    /// Moving data.
    Transfer,
}

impl Cause {
    /// The stable word for it.
    pub fn id(self) -> &'static str {
        match self {
            Cause::LateSender => "late-sender",
            Cause::LateReceiver => "late-receiver",
            Cause::LateRank => "late-rank",
            Cause::RankImbalance => "rank-imbalance",
            Cause::CollectiveWait => "collective-wait",
            Cause::BarrierWait => "barrier-wait",
            Cause::SmallMessages => "small-messages",
            Cause::Transfer => "transfer",
        }
    }
}

/// One thing that costs time.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Why.
    pub cause: Cause,
    /// Time of ranks that it costs.
    pub cost: i64,
    /// Who caused it, the worst first; few, or none where nobody in particular did.
    pub ranks: Vec<u32>,
    /// The step of the worst rank that took too long, or led to the call that did.
    pub step: Option<Step>,
    /// How often somebody waited, or how many messages it is about.
    pub times: u64,
    /// Where it is seen best: the worst wait.
    pub worst: Option<Worst>,
    /// Who lost it when: rank, from, to; by rank and time.
    pub stretches: Vec<(u32, i64, i64)>,
    /// What the work in question took.
    pub work: Work,
    /// The wait calls that it explains at least in part.
    pub calls: Vec<u32>,
}

/// A wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worst {
    /// The call that waited.
    pub call: u32,
    /// The call before or in which lateness began; [`NONE`] where nothing is known of it.
    pub origin: u32,
    /// What of the wait it explains.
    pub cost: i64,
}

/// What a step takes the ranks that do it, on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// The ranks that caused it.
    pub culprits: f64,
    /// All others.
    pub others: f64,
    /// How often each does it, at most.
    pub times: u64,
    /// Ranks that do it.
    pub ranks: u32,
}

/// Where the time of all ranks went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Ranks times elapsed.
    pub capacity: i64,
    /// Between calls, or outside of all of them.
    pub work: i64,
    /// Waiting in calls.
    pub waiting: i64,
    /// In calls behind their waits.
    pub inside: i64,
    /// Before the first call of a rank, and after the last one of a rank that did not end as it should: nothing is known of it.
    pub absent: i64,
}

/// All that costs time between ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Causes {
    /// Worst first.
    pub findings: Vec<Finding>,
    /// Where the time went.
    pub account: Account,
}

/// Culprits are those who cause so much of a cost, in percent.
const MOST_OF_IT: i64 = 75;
/// At most so many ranks are named.
pub const MANY: usize = 8;
/// Nobody is named who causes less than this part of what the worst one causes…
const PART_OF_WORST: i64 = 8;
/// …nor, where more ranks than this cause something, who causes less than so many times what is usual among them.
const NOISE: (usize, i64) = (2 * MANY, 8);

/// Waits of one origin: what took too long, and why others waited for it.
#[derive(Clone, Debug, Default)]
struct Group {
    cost: i64,
    by_rank: HashMap<u32, i64>,
    worst: Option<Worst>,
    /// Rows of the lateness, with what goes to this group: its last part, or its first.
    waits: Vec<(usize, bool)>,
}

impl Group {
    /// One more wait, and who it is due to.
    fn add(&mut self, rank: Option<u32>, row: usize, worst: Worst, last: bool) {
        add(&mut self.cost, worst.cost);
        if let Some(rank) = rank {
            add(self.by_rank.entry(rank).or_default(), worst.cost);
        }
        if self.worst.is_none_or(|before| worst.cost > before.cost) {
            self.worst = Some(worst);
        }
        self.waits.push((row, last));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    Sender,
    Receiver,
    Collective,
    Barrier,
}

impl Kind {
    fn of(why: Why) -> Kind {
        match why {
            Why::LateReceiver => Kind::Receiver,
            Why::Barrier => Kind::Barrier,
            Why::Collective | Why::EarlyRoot | Why::LateRoot => Kind::Collective,
            Why::LateSender | Why::Nothing => Kind::Sender,
        }
    }

    /// What its waits are called where nobody in particular is late.
    fn of_nobody(self) -> Cause {
        match self {
            Kind::Sender => Cause::LateSender,
            Kind::Receiver => Cause::LateReceiver,
            Kind::Barrier => Cause::BarrierWait,
            Kind::Collective => Cause::CollectiveWait,
        }
    }
}

/// What waits are put together by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// The work of a step.
    Work(Step, Kind),
    /// Nobody did more than is usual, or it is the usual part.
    Usual(Kind),
    /// A rank was late because it moved data.
    Moving,
    /// The same with messages that could have gone together.
    Small,
}

impl Causes {
    /// What costs time in a run.
    pub fn of(messages: &Messages, waits: &Waits, lateness: &Lateness) -> Causes {
        let small = small_calls(messages);
        let mut groups = grouped(messages, waits, lateness, &small);
        let mut moving = groups.remove(&Key::Moving).unwrap_or_default();
        let mut little = groups.remove(&Key::Small).unwrap_or_default();
        let spent = spent(messages, waits, &small);
        let mut all: Vec<Finding> = judged(messages, waits, lateness, groups);
        little.cost = little.cost.saturating_add(spent.small);
        moving.cost = moving.cost.saturating_add(spent.moving);
        let told = Told { messages, waits, lateness };
        all.push(told.inside(Cause::SmallMessages, little, &spent));
        all.push(told.inside(Cause::Transfer, moving, &spent));
        all.retain(|finding| finding.cost > 0);
        all.sort_by(|a, b| b.cost.cmp(&a.cost).then(a.cause.cmp(&b.cause)));
        Causes { findings: all, account: account(messages, waits) }
    }
}

fn account(messages: &Messages, waits: &Waits) -> Account {
    let waiting = waits.total();
    let capacity = messages.summary().elapsed.saturating_mul(messages.summary().ranks.into());
    let (there, work) = (0..messages.summary().ranks)
        .into_par_iter()
        .filter_map(|rank| messages.worked(rank))
        .reduce(|| (0, 0), |a, b| (a.0.saturating_add(b.0), a.1.saturating_add(b.1)));
    Account {
        capacity,
        work,
        waiting,
        inside: there.saturating_sub(work).saturating_sub(waiting).max(0),
        absent: capacity.saturating_sub(there).max(0),
    }
}

/// All waits by what explains them.
fn grouped(messages: &Messages, waits: &Waits, lateness: &Lateness, small: &[bool]) -> HashMap<Key, Group> {
    let calls = &messages.calls;
    let kinds = kinds(lateness);
    let mut groups: HashMap<Key, Group> = HashMap::default();
    let mut add = |key: Key, rank: Option<u32>, row: usize, worst: Worst, last: bool| {
        groups.entry(key).or_default().add(rank, row, worst, last);
    };
    for (row, wait) in lateness.waits.iter().enumerate() {
        let at = wait.call as usize;
        if let Some(origin) = wait.origin.filter(|_| wait.cost > 0) {
            let rank = calls.rank(origin.call);
            let key = match origin.part {
                Part::Work => {
                    let step = Step::to(calls, origin.call as usize, calls.of(rank).start);
                    Key::Work(step, kinds.get(&origin.call).copied().unwrap_or(Kind::of(origin.why)))
                }
                Part::Inside if small.get(origin.call as usize) == Some(&true) => Key::Small,
                Part::Inside => Key::Moving,
            };
            let worst = Worst { call: wait.call, origin: origin.call, cost: wait.cost };
            add(key, Some(rank), row, worst, true);
        }
        let rest = waits.lost[at].saturating_sub(wait.cost);
        if rest > 0 {
            // What is waited for is work: the time that data needs is not part of a wait.
            let key = Key::Usual(Kind::of(waits.why[at]));
            add(key, None, row, Worst { call: wait.call, origin: NONE, cost: rest }, false);
        }
    }
    groups
}

/// By the call that ends too long work: why others waited most for it. So work that made others wait for several reasons is
/// told once.
fn kinds(lateness: &Lateness) -> HashMap<u32, Kind> {
    const KINDS: [Kind; 4] = [Kind::Sender, Kind::Receiver, Kind::Collective, Kind::Barrier];
    let mut costs: HashMap<u32, [i64; 4]> = HashMap::default();
    for wait in &lateness.waits {
        if let Some(origin) = wait.origin.filter(|origin| origin.part == Part::Work) {
            let cost = &mut costs.entry(origin.call).or_default()[Kind::of(origin.why) as usize];
            *cost = cost.saturating_add(wait.cost);
        }
    }
    let most = |costs: &[i64; 4]| KINDS.into_iter().max_by_key(|&kind| costs[kind as usize]);
    costs.iter().filter_map(|(&call, costs)| Some((call, most(costs)?))).collect()
}

/// Groups of waits as findings.
fn judged(
    messages: &Messages,
    waits: &Waits,
    lateness: &Lateness,
    groups: HashMap<Key, Group>,
) -> Vec<Finding> {
    let told = Told { messages, waits, lateness };
    // What is far below a finding is not worth a pass through all calls.
    let summary = messages.summary();
    let least = summary.elapsed.saturating_mul(summary.ranks.into()) / 1_000;
    let steps: Vec<Step> = groups
        .iter()
        .filter(|(_, group)| group.cost >= least)
        .filter_map(|(key, _)| if let Key::Work(step, _) = key { Some(*step) } else { None })
        .collect();
    let works = works(messages, &steps);
    let none = HashMap::default();
    let mut findings: HashMap<(Cause, Where, u8), Finding> = HashMap::default();
    let mut tell = |cause: Cause, step: Option<Step>, group: Group, level: u8| {
        let alone = !matches!(cause, Cause::CollectiveWait | Cause::BarrierWait);
        let work = step.and_then(|step| works.get(&step)).unwrap_or(&none);
        let finding = told.finding(cause, step.filter(|_| alone), group, work);
        match findings.entry((finding.cause, Where::of(&finding), if alone { level } else { 0 })) {
            Entry::Occupied(known) => join(known.into_mut(), finding),
            Entry::Vacant(new) => drop(new.insert(finding)),
        }
    };
    // The worst first: what is joined to it does not depend on chance.
    let mut groups: Vec<(Key, Group)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, group)| (std::cmp::Reverse(group.cost), group.worst.map(|worst| worst.call)));
    for (key, group) in groups {
        match key {
            Key::Work(step, kind) => {
                let cause = told.cause(kind, &group, works.get(&step).unwrap_or(&none));
                // The worst, then those who are late without being much beside them, then nobody in particular.
                let (worst, rest) = told.split(cause, group);
                tell(cause, Some(step), worst, 0);
                let (lesser, rest) = rest.map_or((None, None), |rest| {
                    let (lesser, rest) = told.split(cause, rest);
                    (Some(lesser), rest)
                });
                if let Some(lesser) = lesser {
                    let cause = if named(&lesser.by_rank).is_empty() { kind.of_nobody() } else { cause };
                    tell(cause, Some(step), lesser, 1);
                }
                if let Some(rest) = rest {
                    tell(kind.of_nobody(), Some(step), rest, 2);
                }
            }
            Key::Usual(kind) => tell(kind.of_nobody(), None, group, 3),
            Key::Moving | Key::Small => {}
        }
    }
    let mut findings: Vec<Finding> = findings.into_values().collect();
    findings.iter_mut().for_each(|finding| finding.stretches.sort_unstable());
    findings
}

/// Findings of one cause that are told apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Where {
    /// Work that ends at one source line is one finding, wherever it began.
    Line((u16, u32)),
    /// Where no line is known, lateness of the same ranks is one.
    Ranks(Vec<u32>),
    /// How work is shared out is a matter of each step.
    Step(Step),
}

impl Where {
    fn of(finding: &Finding) -> Where {
        match finding.step {
            Some(step) if step.to.1 != NONE => Where::Line(step.to),
            Some(step) if finding.cause == Cause::RankImbalance => Where::Step(step),
            Some(_) => Where::Ranks(finding.ranks.clone()),
            None => Where::Ranks(Vec::new()),
        }
    }
}

/// The larger one says what the work is, and who caused it; the other only if it is not little beside it.
fn join(known: &mut Finding, mut more: Finding) {
    if more.cost > known.cost {
        std::mem::swap(known, &mut more);
    }
    if more.cost >= known.cost / 4 {
        let new: Vec<u32> = more.ranks.into_iter().filter(|rank| !known.ranks.contains(rank)).collect();
        known.ranks.extend(new);
        known.ranks.truncate(MANY);
    }
    known.cost = known.cost.saturating_add(more.cost);
    known.times += more.times;
    known.stretches.extend(more.stretches);
    known.calls.extend(more.calls);
}

/// Time and number of some steps, for each rank.
type Works = HashMap<u32, (i64, u64)>;

/// What some steps take each rank.
fn works(messages: &Messages, steps: &[Step]) -> HashMap<Step, Works> {
    let calls = &messages.calls;
    if steps.is_empty() {
        return HashMap::default();
    }
    let wanted: foldhash::HashSet<Step> = steps.iter().copied().collect();
    let each: Vec<(Step, u32, i64, u64)> = (0..messages.summary().ranks)
        .into_par_iter()
        .flat_map_iter(|rank| {
            let of_rank = calls.of(rank);
            let first = of_rank.start;
            let mut sums: HashMap<Step, (i64, u64)> = HashMap::default();
            for at in of_rank.skip(1).filter(|&at| !calls.is_none(at)) {
                let step = Step::to(calls, at, first);
                if wanted.contains(&step) {
                    let sum = sums.entry(step).or_default();
                    let work = calls.work_before(at, first);
                    *sum = (sum.0.saturating_add(work), sum.1 + 1);
                }
            }
            sums.into_iter().map(move |(step, (work, times))| (step, rank, work, times))
        })
        .collect();
    let mut all: HashMap<Step, Works> = HashMap::default();
    for (step, rank, work, times) in each {
        all.entry(step).or_default().insert(rank, (work, times));
    }
    all
}

/// What each causes, the worst first.
fn worst_first(by_rank: &HashMap<u32, i64>) -> Vec<(i64, u32)> {
    let mut ranks: Vec<(i64, u32)> = by_rank.iter().map(|(&rank, &cost)| (cost, rank)).collect();
    ranks.sort_unstable_by_key(|&(cost, rank)| (std::cmp::Reverse(cost), rank));
    ranks
}

/// Those of the culprits whose own part is material, the worst first: the others are noise beside them. Nobody where all are.
fn named(by_rank: &HashMap<u32, i64>) -> Vec<u32> {
    let ranks = worst_first(by_rank);
    let worst = ranks.first().map_or(0, |worst| worst.0);
    let usual = if ranks.len() > NOISE.0 { ranks[ranks.len() / 2].0 } else { 0 };
    let least = (worst / PART_OF_WORST).max(usual.saturating_mul(NOISE.1));
    let mut named = culprits(by_rank);
    named.retain(|rank| by_rank.get(rank).is_some_and(|&cost| cost >= least));
    named.truncate(MANY);
    named
}

/// Those who cause most of a cost, the worst first.
fn culprits(by_rank: &HashMap<u32, i64>) -> Vec<u32> {
    let ranks = worst_first(by_rank);
    let all: i64 = ranks.iter().map(|rank| rank.0).fold(0, i64::saturating_add);
    let mut sum = 0i64;
    let most = |&(cost, rank): &(i64, u32)| {
        let before = sum;
        sum = sum.saturating_add(cost);
        (before.saturating_mul(100) < all.saturating_mul(MOST_OF_IT)).then_some(rank)
    };
    ranks.iter().map_while(most).collect()
}

struct Told<'a> {
    messages: &'a Messages,
    waits: &'a Waits,
    lateness: &'a Lateness,
}

impl Told<'_> {
    /// What waits for the work of a step are called.
    fn cause(&self, kind: Kind, group: &Group, work: &Works) -> Cause {
        let noise = kind.of_nobody();
        if matches!(kind, Kind::Sender | Kind::Receiver) {
            return noise;
        }
        let blamed = culprits(&group.by_rank);
        let mut means: Vec<(f64, bool)> = work
            .iter()
            .map(|(rank, &(time, times))| (time as f64 / times.max(1) as f64, blamed.contains(rank)))
            .collect();
        means.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(most, _)) = means.last() else { return noise };
        let few = blamed.len() <= (self.messages.summary().ranks as usize / MANY).max(1);
        let steps = work.values().map(|work| work.1).max().unwrap_or(1).max(1);
        // What happens now and then is no share of work: the same rank takes as long as others at other times.
        if few && self.is_rare(group, steps) {
            return Cause::LateRank;
        }
        if means.len() == 2 {
            return if kind == Kind::Barrier { Cause::LateRank } else { Cause::RankImbalance };
        }
        let usual = means[means.len() / 4].0;
        let others = means.iter().rev().find(|mean| !mean.1).map_or(usual, |mean| mean.0);
        if few && (others - usual) * 3.0 < most - usual {
            return Cause::LateRank;
        }
        // What ranks wait in a step, beside what the one with most work would make them wait in every step.
        let mean = means.iter().map(|mean| mean.0).sum::<f64>() / means.len() as f64;
        let waited = group.cost as f64 / means.len() as f64 / steps as f64;
        if most - mean >= waited / 2.0 { Cause::RankImbalance } else { noise }
    }

    /// Whether most of a cost comes from at most one of [`MANY`] times that its step is done.
    fn is_rare(&self, group: &Group, steps: u64) -> bool {
        let mut by_origin: HashMap<u32, i64> = HashMap::default();
        for &(row, _) in &group.waits {
            let wait = &self.lateness.waits[row];
            if let Some(origin) = wait.origin {
                add(by_origin.entry(origin.call).or_default(), wait.cost);
            }
        }
        steps >= MANY as u64 && culprits(&by_origin).len() as u64 <= steps / MANY as u64
    }

    /// What is due to those who are named, and the rest, for which others were late.
    fn split(&self, cause: Cause, group: Group) -> (Group, Option<Group>) {
        let ranks = named(&group.by_rank);
        let shares = matches!(cause, Cause::LateSender | Cause::LateReceiver | Cause::LateRank);
        if !shares || ranks.is_empty() || ranks.len() == group.by_rank.len() {
            return (group, None);
        }
        let (mut kept, mut rest) = (Group::default(), Group::default());
        for (row, last) in group.waits {
            let wait = &self.lateness.waits[row];
            let Some(origin) = wait.origin else { continue };
            let rank = self.messages.calls.rank(origin.call);
            let part = if ranks.contains(&rank) { &mut kept } else { &mut rest };
            let worst = Worst { call: wait.call, origin: origin.call, cost: wait.cost };
            part.add(Some(rank), row, worst, last);
        }
        (kept, Some(rest))
    }

    fn finding(&self, cause: Cause, step: Option<Step>, group: Group, work: &Works) -> Finding {
        let ranks = match cause {
            Cause::CollectiveWait | Cause::BarrierWait if culprits(&group.by_rank).len() > 1 => Vec::new(),
            // Somebody has the most work.
            Cause::RankImbalance if named(&group.by_rank).is_empty() => {
                culprits(&group.by_rank).into_iter().take(1).collect()
            }
            _ => named(&group.by_rank),
        };
        let mean = |among: &dyn Fn(u32) -> bool| {
            let (time, times) = work
                .iter()
                .filter(|(rank, _)| among(**rank))
                .fold((0i64, 0u64), |sum, (_, work)| (sum.0.saturating_add(work.0), sum.1 + work.1));
            time as f64 / times.max(1) as f64
        };
        Finding {
            cause,
            cost: group.cost,
            step,
            times: self.times(&group),
            worst: group.worst,
            work: Work {
                culprits: mean(&|rank| ranks.contains(&rank)),
                others: mean(&|rank| !ranks.contains(&rank)),
                times: work.values().map(|work| work.1).max().unwrap_or(0),
                ranks: work.len() as u32,
            },
            stretches: self.stretches(&group),
            calls: group.waits.iter().map(|&(row, _)| self.lateness.waits[row].call).collect(),
            ranks,
        }
    }

    /// How often somebody waited: calls of a rank that asked for one thing are one wait.
    fn times(&self, group: &Group) -> u64 {
        let of = |&(row, _): &(usize, bool)| {
            let call = self.lateness.waits[row].call;
            (self.messages.calls.rank(call), self.waits.event[call as usize])
        };
        group.waits.chunk_by(|a, b| of(a) == of(b)).count() as u64
    }

    /// When ranks waited for a group: the end of the wait is what an excess explains, its beginning is what is usual.
    fn stretches(&self, group: &Group) -> Vec<(u32, i64, i64)> {
        let calls = &self.messages.calls;
        let stretch = |&(row, last): &(usize, bool)| {
            let wait = &self.lateness.waits[row];
            let (start, lost) = (calls.start[wait.call as usize], self.waits.lost[wait.call as usize]);
            let border = start.saturating_add(lost.saturating_sub(wait.cost));
            let rank = calls.rank(wait.call);
            if last { (rank, border, start.saturating_add(lost)) } else { (rank, start, border) }
        };
        let mut stretches: Vec<_> = group.waits.par_iter().map(stretch).collect();
        stretches.par_sort_unstable();
        stretches
    }

    /// Time in calls that move data, and waits for ranks that moved data.
    fn inside(&self, cause: Cause, group: Group, spent: &Spent) -> Finding {
        let small = cause == Cause::SmallMessages;
        let (times, line) = match small {
            true => (spent.small_messages, spent.small_line),
            false => (self.messages.len() as u64, spent.line),
        };
        let mut finding = self.finding(cause, None, group, &HashMap::default());
        finding.times = times;
        finding.step = line.map(|to| Step { from: (u16::MAX, NONE), to });
        finding.ranks = if small { spent.small_ranks.clone() } else { Vec::new() };
        finding.stretches.extend(spent.stretches.iter().filter(|s| s.1 == small).map(|s| s.0));
        finding.stretches.par_sort_unstable();
        finding
    }
}

/// Adds without overflow: times of a damaged run may be anything.
fn add(sum: &mut i64, time: i64) {
    *sum = sum.saturating_add(time);
}
