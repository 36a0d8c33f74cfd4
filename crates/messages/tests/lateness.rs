//! Lateness beside a slow version that looks at everything for every wait.

use crate::program;

use crosscut_chance::Chance;
use crosscut_messages::causes::{Cause, Causes};
use crosscut_messages::lateness::{Explained, Lateness, Origin, Part, history};
use crosscut_messages::waits::Waits;
use crosscut_messages::{Collective, Messages, NONE};
use program::{Program, TEST, random};

struct Slow<'a> {
    messages: &'a Messages,
    waits: &'a Waits,
    /// Of each call.
    steps: Vec<(Option<u16>, u16, usize)>,
}

impl<'a> Slow<'a> {
    fn new(messages: &'a Messages, waits: &'a Waits) -> Slow<'a> {
        let mut slow = Slow { messages, waits, steps: Vec::new() };
        slow.steps = (0..messages.calls.start.len()).map(|call| slow.step(call)).collect();
        slow
    }

    fn rank(&self, call: usize) -> u32 {
        self.messages.calls.rank(call as u32)
    }

    fn first(&self, call: usize) -> usize {
        self.messages.calls.of(self.rank(call)).start
    }

    /// When that was there which a call waited for.
    fn until(&self, call: usize) -> i64 {
        self.messages.calls.start[self.waits.cause[call] as usize]
    }

    /// The calls that waited for the same thing, up to this one.
    fn together(&self, call: usize) -> Vec<usize> {
        let is_it = |at: &usize| self.waits.lost[*at] > 0 && self.waits.event[*at] == self.waits.event[call];
        (self.first(call)..=call).filter(is_it).collect()
    }

    /// How long they waited.
    fn lost(&self, call: usize) -> i64 {
        self.together(call).into_iter().map(|at| self.waits.lost[at]).sum()
    }

    /// From which function to which one, and for the how many-th time.
    fn step(&self, call: usize) -> (Option<u16>, u16, usize) {
        let function = |at: usize| self.messages.calls.function[at];
        let kind = |at: usize| ((at > self.first(at)).then(|| function(at - 1)), function(at));
        let before = (self.first(call)..call).filter(|&at| kind(at) == kind(call)).count();
        (kind(call).0, kind(call).1, before)
    }

    fn work(&self, call: usize) -> i64 {
        let calls = &self.messages.calls;
        if call == self.first(call) { 0 } else { (calls.start[call] - calls.end[call - 1]).max(0) }
    }

    fn inside(&self, call: usize) -> i64 {
        let calls = &self.messages.calls;
        (calls.end[call] - calls.start[call] - self.waits.lost[call]).max(0)
    }

    /// What a call has beyond the quickest quarter of those that do the same for the same n-th time.
    fn excess(&self, call: usize, time: impl Fn(usize) -> i64) -> i64 {
        let all = 0..self.messages.calls.start.len();
        let mut peers: Vec<i64> =
            all.filter(|&other| self.steps[other] == self.steps[call]).map(&time).collect();
        peers.sort_unstable();
        let usual = if peers.len() < 3 { 0 } else { peers[peers.len() / 4] };
        (time(call) - usual).max(0)
    }

    fn is_meeting(&self, call: usize) -> bool {
        let function = usize::from(self.messages.calls.function[call]);
        let ranks = self.messages.summary().ranks as usize;
        let all = &self.messages.collectives;
        self.messages.functions()[function].name == "MPI_Finalize"
            || (0..all.kind.len()).any(|number| {
                let done = all.done(number);
                Collective(all.kind[number]).is_synchronising()
                    && done.len() == ranks
                    && done.contains(&(call as u32))
            })
    }

    fn own(&self, cause: usize, waiting: usize) -> (i64, Option<Origin>) {
        let calls = &self.messages.calls;
        let mut parts: Vec<(i64, usize, Part)> = Vec::new();
        let enough =
            |parts: &[(i64, usize, Part)]| parts.iter().map(|part| part.0).sum::<i64>() >= self.lost(waiting);
        let since = calls.start[self.together(waiting)[0]];
        for at in (self.first(cause) + 1..=cause).rev() {
            parts.push((self.excess(at, |call| self.work(call)), at, Part::Work));
            if enough(&parts) || calls.end[at - 1] <= since || self.is_meeting(at - 1) {
                break;
            }
            parts.push((self.excess(at - 1, |call| self.inside(call)), at - 1, Part::Inside));
            if enough(&parts) || self.waits.lost[at - 1] > 0 {
                break;
            }
        }
        let most = parts.iter().map(|part| part.0).max().unwrap_or(0);
        let origin = parts.iter().find(|part| part.0 == most && most > 0).map(|part| Origin {
            call: part.1 as u32,
            part: part.2,
            why: self.waits.why[waiting],
        });
        (parts.iter().map(|part| part.0).sum(), origin)
    }

    fn explained(&self) -> Vec<Explained> {
        let mut order: Vec<usize> =
            (0..self.waits.lost.len()).filter(|&call| self.waits.lost[call] > 0).collect();
        order.sort_by_key(|&call| (self.until(call), call));
        let mut known: Vec<(usize, (i64, Option<Origin>))> = Vec::new();
        let mut told = Vec::new();
        for &call in &order {
            let cause = self.waits.cause[call] as usize;
            let own = self.own(cause, call);
            // The last wait of the culprit that was over before this one, unless all have met since.
            let last = known.iter().rev().find(|(other, _)| {
                self.rank(*other) == self.rank(cause) && self.until(*other) < self.until(call)
            });
            let inherited = match last {
                Some((other, late)) if !(*other..cause).any(|at| self.is_meeting(at)) => *late,
                _ => (0, None),
            };
            let late = if own.0 >= self.lost(call) / 2 || own.0 >= inherited.0 { own } else { inherited };
            // Of what was told of the calls before, nothing is told again.
            let before = self.together(call);
            let already: i64 = told
                .iter()
                .filter(|other: &&Explained| before.contains(&(other.call as usize)))
                .map(|other| other.cost)
                .sum();
            told.push(Explained {
                call: call as u32,
                origin: late.1,
                cost: (late.0.min(self.lost(call)) - already).max(0),
            });
            known.push((call, if own.0 >= inherited.0 { own } else { inherited }));
        }
        told
    }
}

#[test]
fn waits_are_explained_as_a_slow_version_explains_them() {
    let mut chance = Chance::new(73);
    let (mut explained, mut inherited) = (0, 0);
    for _ in 0..150 {
        let messages = random(&mut chance).build();
        let waits = Waits::of(&messages);
        let lateness = Lateness::of(&messages, &waits);
        let slow = Slow::new(&messages, &waits);
        assert_eq!(lateness.waits, slow.explained());
        let excess: Vec<i64> =
            (0..lateness.excess.len()).map(|call| slow.excess(call, |at| slow.work(at))).collect();
        assert_eq!(lateness.excess, excess);
        for wait in &lateness.waits {
            let cause = waits.cause[wait.call as usize];
            explained += usize::from(wait.origin.is_some());
            inherited += usize::from(
                wait.origin
                    .is_some_and(|origin| messages.calls.rank(origin.call) != messages.calls.rank(cause)),
            );
            assert_ne!(cause, NONE);
        }
    }
    assert!(explained > 500 && inherited > 20, "{explained} {inherited}");
}

#[test]
fn who_waited_for_the_late_one_is_not_blamed() {
    // Rank 0 computes until 100 and sends to 1, which waits since 10 and then sends to 2, which waits since 10, too.
    let mut program = Program::new(3);
    for rank in 0..3 {
        program.call(rank, 0, 1);
    }
    let send = program.call_of(1, 0, 100, 101);
    let receive = program.call_of(2, 1, 10, 102);
    program.message((0, send, send), (1, receive, receive), 0, 8);
    let send = program.call_of(1, 1, 104, 105);
    let receive = program.call_of(2, 2, 10, 106);
    program.message((1, send, send), (2, receive, receive), 0, 8);
    let messages = program.build();
    let waits = Waits::of(&messages);
    let lateness = Lateness::of(&messages, &waits);
    let blamed: Vec<u32> =
        lateness.waits.iter().filter_map(|wait| Some(messages.calls.rank(wait.origin?.call))).collect();
    assert_eq!(blamed, [0, 0]);
}

/// Ranks that pass work on: each takes what the one before made, computes as long as all others, and sends.
#[test]
fn asking_in_pieces_is_one_wait() {
    // Rank 1 asks four times, for 90 in all, for what rank 0 sends after 100 of work; three times over.
    let mut program = Program::new(2);
    for step in 0..3i64 {
        let at = 200 * step;
        program.call(0, at, at + 1);
        let begun = program.call(1, at, at + 1);
        let send = program.call_of(1, 0, at + 100, at + 101);
        for piece in 0..4 {
            program.call_of(TEST, 1, at + 2 + 25 * piece, at + 25 + 25 * piece);
        }
        let done = program.call_of(TEST, 1, at + 103, at + 104);
        program.message((0, send, send), (1, begun, done), 0, 8);
    }
    let messages = program.build();
    let waits = Waits::of(&messages);
    let lateness = Lateness::of(&messages, &waits);
    let causes = Causes::of(&messages, &waits, &lateness);
    let first = &causes.findings[0];
    assert_eq!((first.cause, &first.ranks[..], first.times), (Cause::LateSender, &[0][..], 3), "{causes:?}");
    assert_eq!(first.cost, waits.total());
    assert_eq!(waits.total(), 3 * 4 * 23);
}

#[test]
fn waiting_in_a_chain_is_waiting_and_no_moving_of_data() {
    let mut program = Program::new(6);
    for rank in 0..6 {
        program.call(rank, 0, 1);
    }
    let mut sends: Vec<u32> = Vec::new();
    for rank in 0..6u32 {
        let at = 10_000 * i64::from(rank);
        if rank > 0 {
            let receive = program.call_of(2, rank, 2, at + 5);
            let sent = (rank - 1, sends[rank as usize - 1], sends[rank as usize - 1]);
            program.message(sent, (rank, receive, receive), 0, 8);
        }
        sends.push(program.call_of(1, rank, at + 10_000, at + 10_001));
    }
    let messages = program.build();
    let waits = Waits::of(&messages);
    let causes = Causes::of(&messages, &waits, &Lateness::of(&messages, &waits));
    let first = &causes.findings[0];
    // Ranks 1 to 5 wait 1, 2, … 5 times the work; what rank 0 does before it sends nobody else does, so nothing says it is usual.
    assert_eq!((first.cause, &first.ranks[..], first.step), (Cause::LateSender, &[][..], None));
    assert!((95_000..105_000).contains(&first.cost), "{first:?}");
    let moving = causes.findings.iter().find(|finding| finding.cause == Cause::Transfer);
    assert!(moving.is_none_or(|moving| moving.cost < 100), "{moving:?}");
}

#[test]
fn a_rank_is_there_from_its_first_call_to_its_last_one() {
    let mut program = Program::new(4);
    for rank in 0..2 {
        program.call(rank, 10 + i64::from(rank), 20);
        program.finalize(rank, 1_000, 1_010);
    }
    // Killed at 200, in a call inside of another one; rank 3 never called.
    program.call(2, 10, 20);
    program.call(2, 100, 200);
    program.call(2, 150, 180);
    let messages = program.build();
    // The run begins with its first call, at 10.
    let all: Vec<_> = (0..4).map(|rank| messages.worked(rank)).collect();
    assert_eq!(all, [Some((1_000, 980)), Some((999, 980)), Some((190, 80)), None]);
    let waits = Waits::of(&messages);
    let account = Causes::of(&messages, &waits, &Lateness::of(&messages, &waits)).account;
    assert_eq!((account.capacity, account.work, account.absent), (4_000, 2_040, 1 + 810 + 1_000));
    assert_eq!(account.work + account.waiting + account.inside + account.absent, account.capacity);
}

/// Two ranks meet twenty times; one of them computes too long once, or always.
fn meetings(long: impl Fn(usize) -> i64) -> Causes {
    let mut program = Program::new(2);
    let mut now = 0;
    for rank in 0..2 {
        program.call(rank, 0, 1);
    }
    for step in 0..20 {
        let came = [now + 10_000, now + long(step)];
        let left = came[0].max(came[1]) + 10;
        let calls = [0, 1].map(|rank| program.call_of(1, rank as u32, came[rank], left));
        program.collective("Allreduce", u32::MAX, &calls);
        now = left;
    }
    let messages = program.build();
    let waits = Waits::of(&messages);
    let lateness = Lateness::of(&messages, &waits);
    if let Some(wait) = lateness.waits.iter().max_by_key(|wait| wait.cost) {
        let origin = wait.origin.unwrap().call as usize;
        assert_eq!(history(&messages.calls, origin), Some(long(3)));
    }
    Causes::of(&messages, &waits, &lateness)
}

#[test]
fn late_once_is_late_and_late_always_is_an_imbalance() {
    let first = |causes: Causes| (causes.findings[0].cause, causes.findings[0].ranks.clone());
    let once = meetings(|step| if step == 7 { 300_000 } else { 10_001 });
    assert_eq!(first(once), (Cause::LateRank, vec![1]));
    let always = meetings(|_| 50_000);
    assert_eq!(first(always), (Cause::RankImbalance, vec![1]));
}
