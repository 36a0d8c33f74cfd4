//! Lateness: which work made a rank late, for every wait of a run. Waiting is the effect; here it is traced back along the chain
//! of those who waited for each other to the rank that was late first, so that its neighbours do not get the blame.
//!
//! What a rank did before a call is its work between two calls. Peers of it are the ranks that came from the same kind of call
//! to the same kind of call for the same n-th time; what the quickest quarter of them needs is usual, and what is more is an
//! excess. With fewer than three peers nothing is usual. The same holds for the time in a call behind its wait: moving data.
//!
//! Waits are looked at in the order in which what was waited for was there. A wait is explained by the excess of its culprit, since that one last
//! waited and since somebody waited for it, if that is at least half of the wait; else by how late those were for whom the
//! culprit had waited. After a wait a rank is as late as its culprit, for the same reason. After a collective of all ranks
//! nobody is late.

use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::messages::{Calls, Messages};
use crate::schema::{Class, Collective, NONE};
use crate::waits::{Waits, Why};

/// What made a rank late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The work before a call, since the call before it.
    Work,
    /// The call itself, behind its wait.
    Inside,
}

/// Where lateness began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The call.
    pub call: u32,
    /// Before it, or in it.
    pub part: Part,
    /// Why others waited for that call, or for the next one that others need.
    pub why: Why,
}

/// A wait with what explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The call that waited.
    pub call: u32,
    /// What made it wait; none where nobody did more than is usual.
    pub origin: Option<Origin>,
    /// How much of the wait that explains: no more than the excess.
    pub cost: i64,
}

/// The lateness of all ranks.
#[derive(Clone, Debug, Default)]
pub struct Lateness {
    /// All waits, in the order in which what was waited for was there.
    pub waits: Vec<Explained>,
    /// By call: by how much the work before it is more than is usual.
    pub excess: Vec<i64>,
}

/// So many ranks have to do the same for it to be usual.
const PEERS: usize = 3;

/// An amount of lateness and where it comes from.
#[derive(Clone, Copy, Default)]
struct Late {
    amount: i64,
    origin: Option<Origin>,
}

/// What was told of the calls of a rank that waited in one event.
#[derive(Clone, Copy)]
struct Asked {
    event: u32,
    since: i64,
    lost: i64,
    cost: i64,
}

impl Asked {
    fn new(event: u32, since: i64) -> Asked {
        Asked { event, since, lost: 0, cost: 0 }
    }
}

impl Lateness {
    /// Traces all waits of a run back.
    pub fn of(messages: &Messages, waits: &Waits) -> Lateness {
        let calls = &messages.calls;
        // Who asked again and again may have stopped before; what counts is when that was there which was waited for.
        let met =
            |call: u32| calls.start.get(waits.cause[call as usize] as usize).copied().unwrap_or(i64::MAX);
        let mut ends: Vec<u32> = (0..waits.lost.len() as u32)
            .into_par_iter()
            .filter(|&call| waits.lost[call as usize] > 0)
            .collect();
        ends.par_sort_unstable_by_key(|&call| (met(call), call));
        let mut walk = Walk::new(messages, waits);
        let mut explained = Vec::with_capacity(ends.len());
        let mut after: Vec<(u32, Late)> = Vec::new();
        let mut asked = vec![Asked::new(NONE, 0); walk.last.len()];
        // Those who are let go at one time are let go by what was known before.
        for group in ends.chunk_by(|&a, &b| met(a) == met(b)) {
            for &call in group {
                let at = call as usize;
                let (lost, why, cause) = (waits.lost[at], waits.why[at], waits.cause[at]);
                let culprit = calls.rank(cause);
                // Calls that asked for one thing are one wait: what explains it is told of once.
                let rank = calls.rank(call) as usize;
                let before = match asked[rank] {
                    before if before.event == waits.event[at] => before,
                    _ => Asked::new(waits.event[at], calls.start[at]),
                };
                let lost = before.lost.saturating_add(lost);
                let own = walk.own(culprit, cause as usize, before.since, lost, why);
                let inherited = walk.inherited(culprit, cause as usize);
                let late = match own.amount >= lost / 2 || own.amount >= inherited.amount {
                    true => own,
                    false => inherited,
                };
                let cost = late.amount.min(lost);
                asked[rank] = Asked { lost, cost: before.cost.max(cost), ..before };
                let cost = cost.saturating_sub(before.cost).max(0);
                explained.push(Explained { call, origin: late.origin, cost });
                after.push((call, if own.amount >= inherited.amount { own } else { inherited }));
            }
            for (call, late) in after.drain(..) {
                if let Some(last) = walk.last.get_mut(calls.rank(call) as usize) {
                    *last = (call, late);
                }
            }
        }
        Lateness { waits: explained, excess: walk.work }
    }

    /// By how much each rank's work was more than is usual, in sum.
    pub fn by_rank(&self, calls: &Calls) -> Vec<i64> {
        let ranks = calls.first.len().saturating_sub(1) as u32;
        let of_rank = |rank: u32| {
            let work = self.excess.get(calls.of(rank)).unwrap_or_default();
            work.iter().copied().fold(0, i64::saturating_add)
        };
        (0..ranks).into_par_iter().map(of_rank).collect()
    }
}

struct Walk<'a> {
    calls: &'a Calls,
    waits: &'a Waits,
    work: Vec<i64>,
    inside: Vec<i64>,
    /// Calls in which all ranks meet, in order.
    meetings: Vec<u32>,
    /// By rank: the last call that waited, and how late it was then; [`NONE`] before the first.
    last: Vec<(u32, Late)>,
}

impl<'a> Walk<'a> {
    fn new(messages: &'a Messages, waits: &'a Waits) -> Walk<'a> {
        let calls = &messages.calls;
        let (work, inside) = excesses(messages, waits);
        let ranks = calls.first.len().saturating_sub(1);
        let last = vec![(NONE, Late::default()); ranks];
        Walk { calls, waits, work, inside, meetings: meetings(messages), last }
    }

    /// What a rank did beyond what is usual before it came to a call: since it last waited or met all others, and since
    /// somebody began to wait for it. As soon as that is as much as was lost, nothing more is looked for.
    fn own(&self, rank: u32, call: usize, since: i64, lost: i64, why: Why) -> Late {
        let first = self.calls.of(rank).start;
        let (mut sum, mut most) = (0i64, 0);
        let mut origin = None;
        let mut add = |amount: i64, call: usize, part: Part| {
            sum = sum.saturating_add(amount);
            if amount > most {
                most = amount;
                origin = Some(Origin { call: call as u32, part, why });
            }
            sum >= lost
        };
        for at in (first + 1..=call).rev() {
            let before = at - 1;
            let enough = add(self.work[at], at, Part::Work);
            if enough || self.calls.end[before] <= since || self.is_meeting(before) {
                break;
            }
            if add(self.inside[before], before, Part::Inside) || self.waits.lost[before] > 0 {
                break;
            }
        }
        Late { amount: sum, origin }
    }

    /// How late those were for whom a rank waited last, before it came to a call; nobody is late after all have met.
    fn inherited(&self, rank: u32, call: usize) -> Late {
        let Some(&(waited, late)) = self.last.get(rank as usize) else { return Late::default() };
        let met = self.meetings[..self.meetings.partition_point(|&met| (met as usize) < call)].last();
        match met.is_none_or(|&met| met < waited) && waited != NONE {
            true => late,
            false => Late::default(),
        }
    }

    fn is_meeting(&self, call: usize) -> bool {
        self.meetings.binary_search(&(call as u32)).is_ok()
    }
}

/// The calls in which all ranks meet: collectives of all, and those that begin and end the use of MPI; in order.
fn meetings(messages: &Messages) -> Vec<u32> {
    let ranks = messages.summary().ranks as usize;
    let is_setup = |function: &u16| {
        messages.functions().get(usize::from(*function)).is_some_and(|known| known.class == Class::Setup)
    };
    let functions = messages.calls.function.iter().enumerate();
    let mut meetings: Vec<u32> =
        functions.filter(|(_, function)| is_setup(function)).map(|(call, _)| call as u32).collect();
    for (number, &kind) in messages.collectives.kind.iter().enumerate() {
        let members = messages.collectives.done(number);
        if Collective(kind).is_synchronising() && members.len() >= ranks && !members.contains(&NONE) {
            meetings.extend(members);
        }
    }
    meetings.par_sort_unstable();
    meetings
}

/// By how much the work before each call, and the time in it behind its wait, is more than is usual.
fn excesses(messages: &Messages, waits: &Waits) -> (Vec<i64>, Vec<i64>) {
    let calls = &messages.calls;
    let behind = |call: u32| {
        let at = call as usize;
        if calls.is_none(at) {
            return 0;
        }
        calls.end[at].saturating_sub(calls.start[at]).saturating_sub(waits.lost[at]).max(0)
    };
    let ranks = calls.first.len().saturating_sub(1) as u32;
    // What the same kind of step for the same n-th time is, for all ranks together.
    let mut steps: Vec<(u64, u32, i64)> = (0..ranks)
        .into_par_iter()
        .flat_map_iter(|rank| {
            let of_rank = calls.of(rank);
            let first = of_rank.start;
            let mut times: foldhash::HashMap<Step, u32> = foldhash::HashMap::default();
            of_rank.map(move |at| {
                let step = Step::to(calls, at, first);
                let time = times.entry(step).or_default();
                *time += 1;
                (step.stamp(*time), at as u32, calls.work_before(at, first))
            })
        })
        .collect();
    steps.par_sort_unstable();
    let none = || -> Vec<AtomicI64> { calls.start.par_iter().map(|_| AtomicI64::new(0)).collect() };
    let (work, inside) = (none(), none());
    steps.par_chunk_by(|a, b| a.0 == b.0).for_each(|peers| {
        let usual = |times: &mut Vec<i64>| match times.len() {
            few if few < PEERS => 0,
            many => *times.select_nth_unstable(many / 4).1,
        };
        let usual_work = usual(&mut peers.iter().map(|peer| peer.2).collect());
        let usual_inside = usual(&mut peers.iter().map(|peer| behind(peer.1)).collect());
        for &(_, call, time) in peers {
            work[call as usize].store((time - usual_work).max(0), Relaxed);
            inside[call as usize].store((behind(call) - usual_inside).max(0), Relaxed);
        }
    });
    let plain = |times: Vec<AtomicI64>| times.into_par_iter().map(AtomicI64::into_inner).collect();
    (plain(work), plain(inside))
}

/// What the work before a call takes its rank at other times, as a rule: the median, where it does it often enough.
pub fn history(calls: &Calls, call: usize) -> Option<i64> {
    let of_rank = calls.of(calls.rank(call as u32));
    let first = of_rank.start;
    let step = Step::to(calls, call, first);
    let mut times: Vec<i64> = (of_rank.skip(1))
        .filter(|&at| at != call && Step::to(calls, at, first) == step)
        .map(|at| calls.work_before(at, first))
        .collect();
    let middle = times.len() / 2;
    (times.len() >= PEERS).then(|| *times.select_nth_unstable(middle).1)
}

/// A step of a rank: from one kind of call to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The function and the source line of the call before; the largest numbers where there is none.
    pub from: (u16, u32),
    /// The same of the call.
    pub to: (u16, u32),
}

impl Step {
    /// The step that leads to a call, of a rank whose first call is `first`.
    pub fn to(calls: &Calls, call: usize, first: usize) -> Step {
        let kind = |at: usize| (calls.function.get(at).copied().unwrap_or(u16::MAX), calls.source(at));
        let none = (u16::MAX, NONE);
        Step { from: calls.before(call, first).map_or(none, kind), to: kind(call) }
    }

    /// A number for it and the n-th time.
    fn stamp(&self, time: u32) -> u64 {
        let mut hasher = foldhash::fast::FixedState::default().build_hasher();
        hasher.write_u32(u32::from(self.from.0) << 16 | u32::from(self.to.0));
        hasher.write_u64(u64::from(self.from.1) << 32 | u64::from(self.to.1));
        hasher.write_u32(time);
        hasher.finish()
    }
}
