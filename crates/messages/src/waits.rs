//! Wait states: in which calls ranks waited, for how long, for whom and why.
//!
//! A call waits for what it needs before it can go on. A receive needs that its send has begun (late sender); a send that is
//! too large to be buffered needs that its receive is posted (late receiver); a collective needs its root, or all others.
//! What only begins a collective waits for nothing: the call that completes it does. Ranks that are done wait for the last one
//! in MPI_Finalize, where nobody leaves it before all are there. A call that completes several messages waits for the last of them. So each call has at most one wait: from its start
//! to when the last thing that it needs was there. Calls that wait for nothing have none.
//!
//! A rank that asks again and again whether something is there waits as well as one that waits for it: calls right before the one
//! that completes something, or that receives what was probed for, have waited if they only asked and what is needed was not
//! there yet. Such a call is no wait for what was there when it began; time between them is the rank's own.
//!
//! Whether a send was buffered no trace says. Sizes of which sends were over before their receives were posted can be
//! buffered, so no send of such a size waits. Synchronous sends always wait for their receives, buffered ones never do.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use crate::gram::Clock;
use crate::messages::{Calls, Messages};
use crate::schema::{Asks, Collective, Mode, NONE};

/// Why a call waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Why {
    /// It did not.
    #[default]
    Nothing = 0,
    /// A receive was there before its send.
    LateSender = 1,
    /// A send was there before its receive, and could not be buffered.
    LateReceiver = 2,
    /// The root of a collective that gathers was there before others.
    EarlyRoot = 3,
    /// A rank was there before the root of a collective that spreads.
    LateRoot = 4,
    /// All need all, and this rank was not the last.
    Collective = 5,
    /// The same where nothing is exchanged.
    Barrier = 6,
}

impl Why {
    /// All reasons to wait.
    pub const ALL: [Why; 6] =
        [Why::LateSender, Why::LateReceiver, Why::EarlyRoot, Why::LateRoot, Why::Collective, Why::Barrier];

    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Why::Nothing => "nothing",
            Why::LateSender => "late-sender",
            Why::LateReceiver => "late-receiver",
            Why::EarlyRoot => "early-root",
            Why::LateRoot => "late-root",
            Why::Collective => "collective-wait",
            Why::Barrier => "barrier-wait",
        }
    }
}

/// The waits of all calls of a run, as columns by the number of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// How long it waited, from its start on; 0 for most calls.
    pub lost: Vec<i64>,
    /// Why.
    pub why: Vec<Why>,
    /// The call of another rank that it waited for: the send, the post of the receive, the part in the collective;
    /// [`NONE`].
    pub cause: Vec<u32>,
    /// What it waited in: a message by its number, a collective by its number after all messages, or the end of MPI by the
    /// number after all collectives; [`NONE`].
    pub event: Vec<u32>,
}

/// One wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Who waited.
    pub rank: u32,
    /// From when to when.
    pub span: (i64, i64),
    /// Why.
    pub why: Why,
    /// For whom.
    pub culprit: u32,
    /// For which of its calls.
    pub cause: u32,
}

/// What one call needs: when it was there, in which message or collective, and by which call.
struct Need {
    call: u32,
    /// It is needed by the calls right before that one, which asked for it.
    is_asked: bool,
    since: i64,
    event: u32,
    cause: u32,
    why: Why,
}

impl Waits {
    /// The waits of a run. Every message and every part of a collective is looked at twice, in parallel: for when the last need
    /// of each call was met, then for what that was, the first of several.
    pub fn of(messages: &Messages) -> Waits {
        let calls = &messages.calls;
        let held = held_sizes(messages);
        let asking = Asking::of(messages);
        let by_call = Last::new(&calls.start);
        // Of calls that ask, the one that they stand before knows what they need.
        let asked = Last::new(if asking.what.is_empty() { &[] } else { &calls.start });
        let of = |need: &Need| if need.is_asked { &asked } else { &by_call };
        each_need(messages, &held, &asking, &|need: Need| of(&need).raise(&need));
        each_need(messages, &held, &asking, &|need: Need| of(&need).name(&need));
        each_need(messages, &held, &asking, &|need: Need| of(&need).blame(&need));
        let mut waits = by_call.waits(&calls.start);
        asking.spread(messages, &asked.waits(&calls.start), &mut waits);
        waits
    }

    /// The wait of a call, if it waited.
    pub fn of_call(&self, calls: &Calls, call: u32) -> Option<Wait> {
        let at = call as usize;
        let lost = *self.lost.get(at).filter(|lost| **lost > 0)?;
        let start = *calls.start.get(at)?;
        let cause = self.cause[at];
        Some(Wait {
            rank: calls.rank(call),
            span: (start, start.saturating_add(lost)),
            why: self.why[at],
            culprit: calls.rank(cause),
            cause,
        })
    }

    /// All waiting.
    pub fn total(&self) -> i64 {
        self.lost.par_iter().copied().reduce(|| 0, i64::saturating_add)
    }

    /// How long each rank waited within a stretch of time.
    pub fn by_rank(&self, calls: &Calls, within: Range<i64>) -> Vec<i64> {
        let ranks = calls.first.len().saturating_sub(1) as u32;
        let inside = |call: usize| {
            let (from, lost) = (calls.start[call], self.lost[call]);
            let to = from.saturating_add(lost).min(within.end);
            to.saturating_sub(from.max(within.start)).max(0)
        };
        (0..ranks)
            .into_par_iter()
            .map(|rank| calls.of(rank).map(inside).fold(0, i64::saturating_add))
            .collect()
    }

    /// How long each rank waited in each phase, a row of all ranks for each phase. A phase is some points of a clock and its
    /// span in time; a wait belongs to the phase of the message or collective that it waited in. Barriers are points of
    /// no clock: they belong to the phase that was entered last when the first rank entered them, the end to the last one.
    pub fn by_phase(
        &self,
        messages: &Messages,
        clock: &Clock,
        phases: &[(Range<usize>, (i64, i64))],
    ) -> Vec<Vec<i64>> {
        let events = messages.len() + messages.collectives.kind.len() + 1;
        let mut phase_of = vec![NONE; events];
        for (at, (points, _)) in phases.iter().enumerate() {
            clock.messages(points.clone()).for_each(|message| phase_of[message as usize] = at as u32);
            let collectives = clock.collectives(points.clone());
            collectives.for_each(|number| phase_of[messages.len() + number] = at as u32);
        }
        let mut starts: Vec<(i64, u32)> =
            phases.iter().enumerate().map(|(at, (_, span))| (span.0, at as u32)).collect();
        starts.sort_unstable();
        let phase = |at: usize| starts.get(at).map_or(NONE, |start| start.1);
        for (number, &kind) in messages.collectives.kind.iter().enumerate() {
            if Collective(kind) == Collective::BARRIER {
                let start = messages.collectives.start[number];
                let entered = starts.partition_point(|(from, _)| *from <= start).saturating_sub(1);
                phase_of[messages.len() + number] = phase(entered);
            }
        }
        phase_of[end_of(messages) as usize] = phase(starts.len().saturating_sub(1));
        let ranks = messages.calls.first.len().saturating_sub(1);
        let mut rows = vec![vec![0i64; ranks]; phases.len()];
        for rank in 0..ranks {
            for call in messages.calls.of(rank as u32).filter(|&call| self.lost[call] > 0) {
                let phase = phase_of.get(self.event[call] as usize).copied().unwrap_or(NONE);
                if let Some(row) = rows.get_mut(phase as usize) {
                    row[rank] = row[rank].saturating_add(self.lost[call]);
                }
            }
        }
        rows
    }
}

/// What calls need last, by call, while all needs are told.
struct Last {
    until: Vec<AtomicI64>,
    event: Vec<AtomicU32>,
    cause: Vec<AtomicU32>,
    why: Vec<AtomicU8>,
}

impl Last {
    fn new(starts: &[i64]) -> Last {
        let none = || starts.par_iter().map(|_| AtomicU32::new(NONE)).collect();
        Last {
            until: starts.par_iter().map(|_| AtomicI64::new(i64::MIN)).collect(),
            event: none(),
            cause: none(),
            why: starts.par_iter().map(|_| AtomicU8::new(0)).collect(),
        }
    }

    /// First: when it was there.
    fn raise(&self, need: &Need) {
        if let Some(until) = self.until.get(need.call as usize) {
            until.fetch_max(need.since, Relaxed);
        }
    }

    /// Then: what it was, the first of several.
    fn name(&self, need: &Need) {
        let at = need.call as usize;
        if self.until.get(at).is_some_and(|until| until.load(Relaxed) == need.since) {
            self.event[at].fetch_min(need.event, Relaxed);
        }
    }

    /// Last: whose call that was.
    fn blame(&self, need: &Need) {
        let at = need.call as usize;
        if self.until.get(at).is_some_and(|until| until.load(Relaxed) == need.since)
            && self.event[at].load(Relaxed) == need.event
        {
            self.cause[at].fetch_min(need.cause, Relaxed);
            self.why[at].store(need.why as u8, Relaxed);
        }
    }

    /// How long after these times that was.
    fn waits(self, starts: &[i64]) -> Waits {
        let until = self.until.into_par_iter().map(AtomicI64::into_inner);
        let waited = |(until, &start): (i64, &i64)| match until {
            i64::MIN => 0,
            until => until.saturating_sub(start),
        };
        Waits {
            lost: until.zip(starts).map(waited).collect(),
            why: self.why.into_par_iter().map(|why| from_number(why.into_inner())).collect(),
            cause: self.cause.into_par_iter().map(AtomicU32::into_inner).collect(),
            event: self.event.into_par_iter().map(AtomicU32::into_inner).collect(),
        }
    }
}

fn from_number(number: u8) -> Why {
    Why::ALL.into_iter().find(|why| *why as u8 == number).unwrap_or_default()
}

/// Which calls only ask, and complete nothing.
#[derive(Default)]
struct Asking {
    /// By call: what it asks for. Empty where no call asks.
    what: Vec<Option<Asks>>,
    /// By call: the first of those that stand right before it without a gap and only ask; itself where there is none.
    first: Vec<u32>,
}

impl Asking {
    fn of(messages: &Messages) -> Asking {
        let calls = &messages.calls;
        let by_function: Vec<Option<Asks>> =
            messages.functions().iter().map(|function| Asks::of(&function.name)).collect();
        let asks = |&function: &u16| by_function.get(usize::from(function)).copied().flatten();
        if !calls.function.par_iter().any(|function| asks(function).is_some()) {
            return Asking::default();
        }
        let completes: Vec<AtomicBool> = calls.start.par_iter().map(|_| AtomicBool::new(false)).collect();
        let mark = |&call: &u32| {
            if let Some(completes) = completes.get(call as usize) {
                completes.store(true, Relaxed);
            }
        };
        messages.send_done.par_iter().chain(&messages.receive_done[..]).for_each(mark);
        let collectives = &messages.collectives;
        collectives.done.as_ref().unwrap_or(&collectives.call).par_iter().for_each(mark);
        let what: Vec<Option<Asks>> = (calls.function.par_iter().zip(completes))
            .map(|(function, completes)| asks(function).filter(|_| !completes.into_inner()))
            .collect();
        let mut first: Vec<u32> = (0..what.len() as u32).collect();
        for rank in 0..messages.summary().ranks {
            for at in calls.of(rank).skip(1) {
                if what[at - 1].is_some() {
                    first[at] = first[at - 1];
                }
            }
        }
        Asking { what, first }
    }

    /// Whether calls right before another one asked for something that was there later than they began.
    fn is_before(&self, calls: &Calls, call: u32, since: i64) -> bool {
        let at = call as usize;
        let first = self.first.get(at).filter(|first| **first < call);
        let start = first.and_then(|&first| calls.start.get(first as usize));
        start.is_some_and(|&start| start < since) && calls.end.get(at).is_some_and(|&end| since <= end)
    }

    /// Lets the calls that asked wait for what the call behind them was told to need.
    fn spread(&self, messages: &Messages, asked: &Waits, waits: &mut Waits) {
        let calls = &messages.calls;
        for call in (0..asked.event.len()).filter(|&call| asked.event[call] != NONE) {
            let event = asked.event[call];
            let since = calls.start[call].saturating_add(asked.lost[call]);
            // What was received by the call itself was probed for, from its sender or from anybody.
            let row = event as usize;
            let sender =
                (messages.receive_call.get(row) == Some(&(call as u32))).then(|| messages.source.at(row));
            for at in self.first[call] as usize..call {
                let is_it = match (sender, self.what[at]) {
                    (Some(sender), Some(Asks::Message)) => [NONE, sender].contains(&calls.peer.at(at)),
                    (None, Some(Asks::Begun)) => true,
                    _ => false,
                };
                if is_it && calls.start[at] < since {
                    waits.lost[at] = since.min(calls.end[at]).saturating_sub(calls.start[at]);
                    waits.why[at] = asked.why[call];
                    waits.cause[at] = asked.cause[call];
                    waits.event[at] = event;
                }
            }
        }
    }
}

/// Whether a call was under way at a time, and had begun before.
fn contains(calls: &Calls, call: u32, time: i64) -> bool {
    let at = call as usize;
    calls.start.get(at).zip(calls.end.get(at)).is_some_and(|(&start, &end)| start < time && time <= end)
}

/// Tells every need of every call, in parallel and in any order. Needs that were met when a rank was in no call that waits or asks
/// for them are none.
fn each_need(messages: &Messages, held: &[bool; 64], asking: &Asking, tell: &(impl Fn(Need) + Sync)) {
    let calls = &messages.calls;
    // In the call that completes something, and in those right before it that asked for what was begun.
    let needs = |begun: u32, done: u32, tell_of: &dyn Fn(u32, bool), since: i64| {
        if contains(calls, done, since) {
            tell_of(done, false);
        }
        // Who asked before it was begun asked for something else.
        if begun < done && asking.is_before(calls, done, since) {
            tell_of(done, true);
        }
    };
    (0..messages.len()).into_par_iter().for_each(|row| {
        let (from, to) = (messages.source.at(row), messages.destination.at(row));
        if from == to {
            return;
        }
        let event = row as u32;
        let (begun, done, cause) =
            (messages.receive_call[row], messages.receive_done[row], messages.send_call[row]);
        let since = messages.send_start[row];
        let late = |call: u32, is_asked: bool| {
            tell(Need { call, is_asked, since, event, cause, why: Why::LateSender })
        };
        needs(begun, done, &late, since);
        // Those who receive may have probed before.
        if asking.is_before(calls, begun, since) {
            late(begun, true);
        }
        let is_held = match messages.mode(row) {
            Mode::Standard => held[size_class(messages.bytes[row])],
            mode => mode == Mode::Synchronous,
        };
        let (begun, done, cause) =
            (messages.send_call[row], messages.send_done[row], messages.receive_call[row]);
        let since = messages.receive_start[row];
        if is_held {
            let why = Why::LateReceiver;
            let late = |call: u32, is_asked: bool| tell(Need { call, is_asked, since, event, cause, why });
            needs(begun, done, &late, since);
        }
    });
    let collectives = &messages.collectives;
    (0..collectives.kind.len()).into_par_iter().for_each(|number| {
        let event = (messages.len() + number) as u32;
        each_need_of(messages, number, &mut |(begun, done), cause, why| {
            if let Some(&since) = calls.start.get(cause as usize) {
                let late =
                    |call: u32, is_asked: bool| tell(Need { call, is_asked, since, event, cause, why });
                needs(begun, done, &late, since);
            }
        });
    });
    let ends = last_calls(messages);
    let last = ends.iter().copied().max_by_key(|&call| calls.start.get(call as usize).copied());
    if let Some((cause, &since)) = last.and_then(|last| Some((last, calls.start.get(last as usize)?))) {
        let event = end_of(messages);
        let waiting = ends.iter().filter(|&&call| contains(calls, call, since));
        let why = Why::Barrier;
        waiting.for_each(|&call| tell(Need { call, is_asked: false, since, event, cause, why }));
    }
}

/// The number of the event that is the end of MPI.
fn end_of(messages: &Messages) -> u32 {
    (messages.len() + messages.collectives.kind.len()) as u32
}

/// The calls of MPI_Finalize, where all ranks end with it and nobody leaves it before the last one has entered; else none.
fn last_calls(messages: &Messages) -> Vec<u32> {
    let calls = &messages.calls;
    let is_end = |call: &usize| {
        let function = calls.function.get(*call).and_then(|&f| messages.functions().get(usize::from(f)));
        function.is_some_and(|function| function.name == "MPI_Finalize")
    };
    let ranks = messages.summary().ranks;
    let ends: Option<Vec<u32>> =
        (0..ranks).map(|rank| calls.of(rank).next_back().filter(is_end).map(|call| call as u32)).collect();
    let Some(ends) = ends else { return Vec::new() };
    let last = ends.iter().map(|&call| calls.start[call as usize]).max();
    match ends.iter().all(|&call| last.is_some_and(|last| last <= calls.end[call as usize])) {
        true => ends,
        false => Vec::new(),
    }
}

/// What the calls that begin and complete a collective need: each with the call that it needs last.
fn each_need_of(messages: &Messages, number: usize, tell: &mut dyn FnMut((u32, u32), u32, Why)) {
    let (calls, collectives) = (&messages.calls, &messages.collectives);
    let kind = Collective(collectives.kind[number]);
    let (members, done) = (collectives.calls(number), collectives.done(number));
    let start = |call: u32| calls.start.get(call as usize).copied().unwrap_or(i64::MIN);
    let later = |a: u32, b: u32| if b == NONE || a != NONE && start(a) >= start(b) { a } else { b };
    let root = root_of(messages, number);
    let parts = || members.iter().copied().zip(done.iter().copied()).filter(|&(call, _)| call != NONE);
    if kind.is_synchronising() {
        let last = members.iter().copied().fold(NONE, later);
        let why = if kind == Collective::BARRIER { Why::Barrier } else { Why::Collective };
        parts().filter(|&(call, _)| call != last).for_each(|part| tell(part, last, why));
    } else if kind.gathers() && root != NONE {
        let last = members.iter().copied().filter(|&call| call != root).fold(NONE, later);
        parts().filter(|&(call, _)| call == root).for_each(|part| tell(part, last, Why::EarlyRoot));
    } else if kind.spreads() && root != NONE {
        parts().filter(|&(call, _)| call != root).for_each(|part| tell(part, root, Why::LateRoot));
    } else if kind.is_scan() {
        let mut last = NONE;
        for part in parts() {
            if last != NONE {
                tell(part, last, Why::Collective);
            }
            last = later(last, part.0);
        }
    }
}

/// The call of the root of a collective.
fn root_of(messages: &Messages, number: usize) -> u32 {
    let root = messages.collectives.root[number];
    if root == NONE {
        return NONE;
    }
    let of_root = messages.calls.of(root);
    let mut calls = messages.collectives.calls(number).iter().copied();
    calls.find(|&call| call != NONE && of_root.contains(&(call as usize))).unwrap_or(NONE)
}

/// The power of two below a number of bytes.
fn size_class(bytes: i64) -> usize {
    (64 - bytes.max(0).leading_zeros() as usize).min(63)
}

/// A size is held until its receive is posted if at most so many of a hundred sends of it were over before.
const BUFFERED: u64 = 5;

/// Of which sizes sends wait for their receives.
fn held_sizes(messages: &Messages) -> [bool; 64] {
    let none = || [(0u64, 0u64); 64];
    let counts = (0..messages.len())
        .into_par_iter()
        .filter(|&row| messages.mode(row) == Mode::Standard)
        .fold(none, |mut counts, row| {
            let done = messages.send_done[row] as usize;
            let posted = messages.receive_start[row];
            let (over, held) = &mut counts[size_class(messages.bytes[row])];
            let start = messages.calls.start.get(done).copied().unwrap_or(i64::MAX);
            *over += u64::from(messages.send_end[row] < posted);
            *held += u64::from(start < posted && posted <= messages.send_end[row]);
            counts
        })
        .reduce(none, |mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = (a.0 + b.0, a.1 + b.1));
            a
        });
    counts.map(|(over, held)| over * 100 <= (over + held) * BUFFERED)
}
