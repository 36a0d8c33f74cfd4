//! What cost time between ranks, as losses: each cause with who lost the time when, a sentence that proves it and an advice that
//! follows from its numbers.

use std::collections::{HashMap, HashSet};

use crosscut_messages::causes::{Cause, Causes, Finding};
use crosscut_messages::lateness::{self, Part, Step};
use crosscut_messages::{Messages, NONE};
use crosscut_run::Sources;
use crosscut_scene::Fill;
use crosscut_scene::format::{many, quantity, share, three};
use crosscut_scene::palette::slot;
use crosscut_tree::Unit;
use crosscut_workbench::{Cell, Hatch, How, Look, Loss, Span};

use super::evidence;
use super::judged::Judged;
use super::opened::{ClockKey, Opened};
use super::worked::{self, Long};
use crate::tasks::words::line;

/// All causes, worst first. No two of them claim the same time of a rank.
pub fn losses(opened: &Opened, judged: &Judged, key: (ClockKey, Option<usize>), run: usize) -> Vec<Loss> {
    let messages = &*opened.messages;
    let causes = judged.causes(messages);
    // Without sources nothing is named.
    let sources = messages.run().sources().ok();
    let phases = Phases::new(opened, key);
    let teller = Teller { opened, judged, causes, sources: sources.as_ref(), phases };
    let told = causes.findings.iter().enumerate();
    told.map(|(at, finding)| Loss { picture: Some(evidence::look(at, run)), ..teller.loss(finding, run) })
        .collect()
}

/// Which phase a message or collective is in.
struct Phases {
    of_event: Vec<u16>,
    count: usize,
}

impl Phases {
    fn new(opened: &Opened, (key, phases): (ClockKey, Option<usize>)) -> Phases {
        let messages = &opened.messages;
        let timed = opened.timed(key);
        let gram = timed.cut(phases);
        let mut of_event = vec![u16::MAX; messages.len() + messages.collectives.kind.len()];
        for (number, phase) in gram.phases.iter().enumerate() {
            for message in timed.clock.messages(phase.points.clone()) {
                of_event[message as usize] = number as u16;
            }
            for collective in timed.clock.collectives(phase.points.clone()) {
                of_event[messages.len() + collective] = number as u16;
            }
        }
        Phases { of_event, count: gram.phases.len() }
    }

    /// " in phase 9" of an event, where there are several.
    fn of(&self, event: Option<u32>) -> String {
        let phase = event.and_then(|event| self.of_event.get(event as usize).copied());
        match phase.filter(|&phase| phase != u16::MAX && self.count > 1) {
            Some(phase) => format!(" in phase {}", phase + 1),
            None => String::new(),
        }
    }
}

/// From when to when.
type Stretch = (i64, i64);

/// What, evidence, advice.
type Told = (String, String, String);

struct Teller<'a> {
    opened: &'a Opened,
    judged: &'a Judged,
    causes: &'a Causes,
    sources: Option<&'a Sources>,
    phases: Phases,
}

impl Teller<'_> {
    fn loss(&self, finding: &Finding, run: usize) -> Loss {
        let (what, evidence, advice) = self.told(finding);
        let place = |rank: u32| self.messages().place(rank);
        let stretch = |&(rank, from, to): &(u32, i64, i64)| (place(rank), Span(from as f64, to as f64));
        Loss {
            cause: finding.cause.id(),
            claim: claim(finding.cause),
            line: self.line_of(finding),
            cost: finding.cost as f64,
            without: Some(self.without(finding.cost) as f64),
            how: How::Bound,
            behind: finding.cause == Cause::Transfer || self.is_noise(finding),
            hatch: hatch(finding.cause),
            stretches: finding.stretches.iter().map(stretch).collect(),
            ranks: finding.ranks.clone(),
            what,
            evidence,
            advice,
            picture: None,
            show: self.show(finding, run),
        }
    }

    fn messages(&self) -> &Messages {
        &self.opened.messages
    }

    /// No run of the same work without this loss is shorter.
    fn without(&self, cost: i64) -> i64 {
        let summary = self.messages().summary();
        let ranks = i64::from(summary.ranks.max(1));
        (summary.elapsed - cost / ranks).max(self.causes.account.work / ranks).max(0)
    }

    /// Where it is seen best: the time of the worst wait, with as much before it.
    fn show(&self, finding: &Finding, run: usize) -> Look {
        let mut look = Look::of("messages.gram", run);
        if let Some(worst) = finding.worst {
            let (calls, elapsed) = (&self.messages().calls, self.messages().summary().elapsed);
            let (from, to) = (calls.start[worst.call as usize], calls.end[worst.call as usize]);
            let more = to.saturating_sub(from).max(elapsed / 100);
            let span =
                Span(from.saturating_sub(more).max(0) as f64, to.saturating_add(more).min(elapsed) as f64);
            look.scope.time = Some(span).filter(|span| span.is_sound());
        }
        look
    }

    fn line(&self, source: u32) -> Option<Cell> {
        self.sources?.get(source).map(line)
    }

    fn time(&self, value: i64) -> String {
        quantity(value as f64, Unit::Ns)
    }

    /// "180 ms → 40 ms at best".
    fn then(&self, cost: i64) -> String {
        let elapsed = self.messages().summary().elapsed;
        format!("{} → {} at best", self.time(elapsed), self.time(self.without(cost)))
    }

    fn told(&self, finding: &Finding) -> Told {
        match finding.cause {
            Cause::LateSender if is_chain(finding) => self.chain(finding, "senders"),
            Cause::LateReceiver if is_chain(finding) => self.chain(finding, "receivers"),
            Cause::LateSender => self.late(finding, "send", "before it sends", SENDS),
            Cause::LateReceiver => self.late(finding, "receive", "before it receives", RECEIVES),
            Cause::LateRank => self.late_rank(finding),
            Cause::RankImbalance => self.imbalance(finding),
            Cause::CollectiveWait => self.meetings(finding, "collectives", COLLECTIVES),
            Cause::BarrierWait => self.meetings(finding, "barriers", BARRIERS),
            Cause::SmallMessages => self.small(finding),
            Cause::Transfer => self.transfer(finding),
        }
    }

    /// "Rank 3", "Ranks 3, 7 and 2 more".
    fn who(&self, finding: &Finding) -> String {
        match &finding.ranks[..] {
            [] => "Another rank each time".to_owned(),
            [one] => format!("Rank {one}"),
            [one, two] => format!("Ranks {one} and {two}"),
            [one, two, rest @ ..] => format!("Ranks {one}, {two} and {} more", rest.len()),
        }
    }

    /// The work that took too long: how long at worst, what is usual, and where.
    fn work(&self, finding: &Finding) -> (i64, i64, String) {
        let calls = &self.messages().calls;
        let origin = finding.worst.map(|worst| worst.origin).filter(|&origin| origin != NONE);
        let Some(origin) = origin.map(|origin| origin as usize).filter(|&origin| origin > 0) else {
            return (0, 0, String::new());
        };
        let work = calls.work_before(origin, calls.of(calls.rank(origin as u32)).start);
        let excess = self.judged.lateness().excess[origin];
        let usual = match work.saturating_sub(excess) {
            0 => {
                lateness::history(calls, origin).filter(|&usual| usual.saturating_mul(2) < work).unwrap_or(0)
            }
            usual => usual,
        };
        (work, usual, finding.step.map_or_else(String::new, |step| self.between(step)))
    }

    /// "between a.c:20 and a.c:31", or by the functions.
    fn between(&self, step: Step) -> String {
        worked::between(self.sources, self.messages(), step.from, step.to)
    }

    /// Where it happens: of work the line that took too long where something knows it, else the two calls around it; of
    /// calls their line.
    fn line_of(&self, finding: &Finding) -> Option<Cell> {
        let step = finding.step?;
        let end = self.line(step.to.1);
        if matches!(finding.cause, Cause::SmallMessages | Cause::Transfer) {
            return end;
        }
        let near = self.sources.and_then(|sources| sources.get(step.to.1)).map_or("", |source| &source.file);
        let known = self
            .long(finding)
            .and_then(|long| self.judged.worked(self.messages()).line(self.messages(), &long, near));
        match (known, end) {
            (Some(source), _) => Some(line(&source)),
            (None, Some(Cell::Line { file, line, function, .. })) => Some(Cell::Line {
                text: self.between(step),
                file,
                line,
                function,
                after: self.line(step.from.1).map(|from| from.position()),
            }),
            (None, end) => end,
        }
    }

    /// The work that took too long, as a stretch of a rank.
    fn long(&self, finding: &Finding) -> Option<Long> {
        let calls = &self.messages().calls;
        let origin = finding.worst.map(|worst| worst.origin).filter(|&origin| origin != NONE)?;
        let rank = calls.rank(origin);
        let before = calls.before(origin as usize, calls.of(rank).start)?;
        let span = (*calls.end.get(before)?, *calls.start.get(origin as usize)?);
        let waiting = finding.stretches.chunk_by(|a, b| a.0 == b.0).count().max(1) as i64;
        let (all, peers) = match self.judged.worked(self.messages()).has_times() {
            true => self.alike(finding, rank),
            false => (Vec::new(), Vec::new()),
        };
        Some(Long { rank, span, excess: finding.cost / waiting, all, peers })
    }

    /// All work of a rank in which lateness of a finding began, and what other ranks did for the same n-th time.
    fn alike(&self, finding: &Finding, rank: u32) -> (Vec<Stretch>, Vec<(u32, Stretch)>) {
        let calls = &self.messages().calls;
        let waits: HashSet<u32> = finding.calls.iter().copied().collect();
        let began = self.judged.lateness().waits.iter().filter(|wait| waits.contains(&wait.call));
        let began = began.filter_map(|wait| wait.origin.filter(|origin| origin.part == Part::Work));
        let origins: HashSet<u32> =
            began.map(|origin| origin.call).filter(|&call| calls.rank(call) == rank).collect();
        let steps = |rank: u32| {
            let of = calls.of(rank);
            let first = of.start;
            let mut times: HashMap<Step, u32> = HashMap::new();
            of.filter_map(move |at| {
                let step = Step::to(calls, at, first);
                let time = times.entry(step).or_default();
                *time += 1;
                let before = calls.before(at, first)?;
                Some(((step, *time), at as u32, (calls.end[before], calls.start[at])))
            })
        };
        let (mut all, mut wanted) = (Vec::new(), HashSet::new());
        for (step, _, span) in steps(rank).filter(|(_, call, _)| origins.contains(call)) {
            wanted.insert(step);
            all.push(span);
        }
        let others = (0..self.messages().summary().ranks).filter(|&other| other != rank);
        let peers = others.flat_map(|other| {
            let same = steps(other).filter(|(step, ..)| wanted.contains(step));
            same.map(move |(_, _, span)| (other, span)).collect::<Vec<_>>()
        });
        let peers = peers.collect();
        (all, peers)
    }

    /// "rank 0 waits for it 20 times" or "3 ranks wait for it, 60 times".
    fn waiting(&self, finding: &Finding) -> String {
        let mut ranks: Vec<u32> = finding.stretches.iter().map(|stretch| stretch.0).collect();
        ranks.dedup();
        let who = match &ranks[..] {
            [one] => format!("rank {one} waits"),
            many_ranks => format!("{} wait", many(many_ranks.len(), "rank")),
        };
        let most = finding.worst.map_or(0, |worst| worst.cost);
        let whom = match finding.ranks.len() {
            0 => "such a rank",
            1 => "it",
            _ => "one of them",
        };
        format!("{who} for {whom}, {}, {} at worst", times(finding.times), self.time(most))
    }

    /// Who computes how long.
    fn computes(&self, finding: &Finding, until: &str) -> String {
        let (work, usual, between) = self.work(finding);
        let origin = finding.worst.map(|worst| worst.origin).filter(|&origin| origin != NONE);
        let who = match origin.map(|origin| self.messages().calls.rank(origin)) {
            Some(rank) => format!("Rank {rank}"),
            None => "A rank".to_owned(),
        };
        let usual = match usual {
            0 => String::new(),
            usual => format!(", {} is usual", self.time(usual)),
        };
        format!("{who} computes {} {until}, {between}{usual}", self.time(work))
    }

    /// Nobody in particular is late: there is nothing to look at, so what somebody caused is told before it. Ranks that wait in
    /// a chain can be helped, so that comes behind only where others cost as much.
    fn is_noise(&self, finding: &Finding) -> bool {
        let many = |other: &Finding| {
            !other.ranks.is_empty() && other.cost.saturating_mul(MUCH) >= finding.cost.max(1)
        };
        match finding.cause {
            Cause::LateSender | Cause::LateReceiver if is_chain(finding) => {
                self.causes.findings.iter().any(many)
            }
            Cause::LateSender | Cause::LateReceiver => finding.ranks.is_empty(),
            _ => false,
        }
    }

    /// Nobody did more than is usual, and still each waited for another.
    fn chain(&self, finding: &Finding, what: &str) -> Told {
        let capacity = self.causes.account.capacity as f64;
        let evidence = format!(
            "Ranks wait for {what} {}, {} of their time; each waits for work that is usual: a chain of dependences.",
            times(finding.times),
            share(finding.cost as f64, capacity),
        );
        let advice = format!(
            "Cut the work into smaller pieces that are passed on sooner (pipeline), or do something else while it comes \
             (MPI_Irecv before, MPI_Wait behind it): {}.",
            self.then(finding.cost)
        );
        (format!("Ranks wait for {what} in a chain"), evidence, advice)
    }

    fn late(&self, finding: &Finding, verb: &str, until: &str, advice: &str) -> Told {
        let event = self.judged.first_event(finding);
        let ending = if finding.ranks.len() > 1 { "" } else { "s" };
        let what = format!("{} {verb}{ending} late{}", self.who(finding), self.phases.of(event));
        let evidence = format!("{}: {}.", self.computes(finding, until), self.waiting(finding));
        (what, evidence, format!("{advice}: {}.", self.then(finding.cost)))
    }

    fn late_rank(&self, finding: &Finding) -> Told {
        let event = self.judged.first_event(finding);
        let is = if finding.ranks.len() > 1 { "are" } else { "is" };
        let what = format!("{} {is} late{}", self.who(finding), self.phases.of(event));
        let evidence = format!("{}: {}.", self.computes(finding, "before all meet"), self.waiting(finding));
        let advice = format!(
            "Look at what only this rank does there; share it out, or let it be done while others compute: {}.",
            self.then(finding.cost)
        );
        (what, evidence, advice)
    }

    fn imbalance(&self, finding: &Finding) -> Told {
        let work = finding.work;
        let ranks = f64::from(work.ranks.max(1));
        let few = finding.ranks.len().min(work.ranks as usize) as f64;
        let mean = (work.culprits * few + work.others * (ranks - few)) / ranks;
        let between = finding.step.map_or_else(String::new, |step| self.between(step));
        let evidence = format!(
            "{} computes {} {between}, the mean of {} is {} ({}×): {}.",
            self.who(finding),
            self.time(work.culprits as i64),
            many(work.ranks as usize, "rank"),
            self.time(mean as i64),
            three(work.culprits / mean.max(1.0)),
            self.waiting(finding),
        );
        let advice = format!("Give all ranks the same work: {}.", self.then(finding.cost));
        ("Ranks have different amounts of work".to_owned(), evidence, advice)
    }

    fn meetings(&self, finding: &Finding, what: &str, advice: &str) -> Told {
        let capacity = self.causes.account.capacity as f64;
        let evidence = format!(
            "Ranks wait in {what} {}, {} of their time, for no rank in particular.",
            times(finding.times),
            share(finding.cost as f64, capacity),
        );
        (format!("Waiting at {what}"), evidence, format!("{advice}: {}.", self.then(finding.cost)))
    }

    fn small(&self, finding: &Finding) -> Told {
        let each = finding.cost / (finding.times as i64).max(1);
        let from = match &finding.ranks[..] {
            [] => String::new(),
            [one] => format!(", most of them from rank {one}"),
            [one, two] => format!(", most of them from ranks {one} and {two}"),
            [one, two, rest @ ..] => {
                format!(", most of them from ranks {one}, {two} and {} more", rest.len())
            }
        };
        let evidence = format!(
            "{} of up to 1 KiB follow another one to the same rank at once{from}; one costs {} of ranks' time.",
            many(finding.times as usize, "message"),
            self.time(each),
        );
        let advice = format!(
            "Join what goes to one rank into one message: as many calls fewer, {}.",
            self.then(finding.cost)
        );
        ("Many small messages".to_owned(), evidence, advice)
    }

    fn transfer(&self, finding: &Finding) -> Told {
        let summary = self.messages().summary();
        let evidence = format!(
            "{}, {}, {}: ranks are in their calls for {} without waiting for somebody who is late.",
            many(summary.messages as usize, "message"),
            quantity(summary.bytes as f64, Unit::Bytes),
            many(summary.collective_operations as usize, "collective"),
            self.time(finding.cost),
        );
        let advice = "Nothing to change where the data is needed at once; elsewhere begin to send and to receive before the \
                      work (MPI_Isend, MPI_Irecv) and wait behind it.";
        ("Moving data".to_owned(), evidence, advice.to_owned())
    }
}

const SENDS: &str = "Send before what the message does not need, or give this rank less work";
const RECEIVES: &str = "Post the receive before the work (MPI_Irecv), or give this rank less work";
const COLLECTIVES: &str =
    "Join collectives, or begin them before and complete them behind work that does not need them";
const BARRIERS: &str = "Leave out barriers that no data needs";

fn times(number: u64) -> String {
    if number == 1 { "once".to_owned() } else { many(number as usize, "time") }
}

/// What somebody caused comes before a chain that costs up to so many times as much.
const MUCH: i64 = 4;

/// Waits for messages where nobody did more than is usual.
fn is_chain(finding: &Finding) -> bool {
    finding.ranks.is_empty() && finding.step.is_none()
}

/// Waiting for other ranks is more specific than anything that tasks can say of the same time.
fn claim(cause: Cause) -> u8 {
    match cause {
        Cause::SmallMessages => 34,
        Cause::LateSender | Cause::LateReceiver | Cause::LateRank | Cause::RankImbalance => 33,
        Cause::CollectiveWait | Cause::BarrierWait => 32,
        Cause::Transfer => 31,
    }
}

/// How lost time of a cause is drawn: grey where ranks wait, amber where the runtime works.
pub fn hatch(cause: Cause) -> Hatch {
    match cause {
        Cause::RankImbalance | Cause::BarrierWait | Cause::CollectiveWait => (Fill::Dots, slot::LOST),
        Cause::LateSender | Cause::LateReceiver | Cause::LateRank => (Fill::Cross, slot::LOST),
        Cause::SmallMessages => (Fill::Rising, slot::LOST + 1),
        Cause::Transfer => (Fill::Tint, slot::LOST + 1),
    }
}
