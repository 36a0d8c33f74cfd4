//! Wait states beside a reference that gathers all needs of a call in a list, and of small programs where they are known.

use crate::program;

use crosscut_chance::Chance;
use crosscut_messages::Collective;
use crosscut_messages::gram::{Clock, Grams, Time};
use crosscut_messages::waits::{Waits, Why};
use crosscut_messages::{Asks, Messages, Mode, NONE};
use program::{BSEND, PROBE, Program, SSEND, TEST, random};

fn is_end(messages: &Messages, call: usize) -> bool {
    messages.functions()[usize::from(messages.calls.function[call])].name == "MPI_Finalize"
}

/// What each call asks for; nothing where it completes something.
fn all_asks(messages: &Messages) -> Vec<Option<Asks>> {
    (0..messages.calls.start.len()).map(|call| asks(messages, call)).collect()
}

fn asks(messages: &Messages, call: usize) -> Option<Asks> {
    let completes = |done: &[u32]| done.contains(&(call as u32));
    let is_done = completes(&messages.send_done)
        || completes(&messages.receive_done)
        || (0..messages.collectives.kind.len()).any(|number| completes(messages.collectives.done(number)));
    let name = &messages.functions()[usize::from(messages.calls.function[call])].name;
    Asks::of(name).filter(|_| !is_done)
}

fn is_in(messages: &Messages, call: usize, time: i64) -> bool {
    messages.calls.start[call] < time && time <= messages.calls.end[call]
}

/// A run with what its calls ask for.
struct Asked<'a>(&'a Messages, Vec<Option<Asks>>);

impl Asked<'_> {
    /// Whether a call stands before another one of its rank, and they and all between them only ask.
    fn is_before(&self, call: usize, then: usize) -> bool {
        call < then
            && self.0.calls.rank(call as u32) == self.0.calls.rank(then as u32)
            && (call..then).all(|at| self.1[at].is_some())
    }

    /// Until when a call waited for something that was begun and completed by two others, and was there at a time.
    fn waited(&self, call: usize, (begun, done): (usize, usize), time: i64) -> Option<i64> {
        if call == done && is_in(self.0, done, time) {
            return Some(time);
        }
        self.asked(call, done, time, Asks::Begun).filter(|_| begun < call)
    }

    /// Until when a call asked in vain for something that another one, before which it stands, completed or received.
    fn asked(&self, call: usize, then: usize, time: i64, what: Asks) -> Option<i64> {
        let asks = self.1[call] == Some(what) && self.is_before(call, then) && time <= self.0.calls.end[then];
        asks.then(|| time.min(self.0.calls.end[call])).filter(|&until| self.0.calls.start[call] < until)
    }
}

/// How long each call waited, by looking at everything for every call. Sends of a size that was ever over before its
/// receive was posted are taken as buffered: in the random programs below one in twenty decides.
fn reference(messages: &Messages) -> Vec<i64> {
    let calls = &messages.calls;
    let asked = Asked(messages, all_asks(messages));
    let class = |bytes: i64| (0..).find(|&power| bytes < 1i64 << power).unwrap();
    let is_standard = |row: usize| messages.mode(row) == Mode::Standard;
    let is_held = |row: usize| -> bool {
        match messages.mode(row) {
            Mode::Synchronous => return true,
            Mode::Buffered => return false,
            Mode::Standard => {}
        }
        let bytes = messages.bytes[row];
        let alike =
            (0..messages.len()).filter(|&row| is_standard(row) && class(messages.bytes[row]) == class(bytes));
        let (mut over, mut held) = (0, 0);
        for row in alike {
            let done = messages.send_done[row] as usize;
            let posted = calls.start[messages.receive_call[row] as usize];
            over += usize::from(calls.end[done] < posted);
            held += usize::from(calls.start[done] < posted && posted <= calls.end[done]);
        }
        over * 100 <= (over + held) * 5
    };
    let held: Vec<bool> = (0..messages.len()).map(is_held).collect();
    let mut lost = vec![0; calls.start.len()];
    for (call, lost) in lost.iter_mut().enumerate() {
        let (start, end) = (calls.start[call], calls.end[call]);
        let mut needs: Vec<i64> = Vec::new();
        for (row, &held) in held.iter().enumerate() {
            let at = (messages.receive_call[row] as usize, messages.receive_done[row] as usize);
            let since = calls.start[messages.send_call[row] as usize];
            needs.extend(asked.waited(call, at, since));
            needs.extend(asked.asked(call, at.0, since, Asks::Message));
            let at = (messages.send_call[row] as usize, messages.send_done[row] as usize);
            let since = calls.start[messages.receive_call[row] as usize];
            if held {
                needs.extend(asked.waited(call, at, since));
            }
        }
        for number in 0..messages.collectives.kind.len() {
            let members = messages.collectives.calls(number);
            let done = messages.collectives.done(number);
            let start = |rank: usize| calls.start[members[rank] as usize];
            let root = messages.collectives.root[number] as usize;
            for me in 0..members.len() {
                let all = 0..members.len();
                let last = match Collective(messages.collectives.kind[number]).word() {
                    "bcast" | "scatter" => Some(start(root)),
                    "reduce" | "gather" if me == root => all.filter(|&rank| rank != me).map(start).max(),
                    "reduce" | "gather" => None,
                    "scan" => (0..me).map(start).max(),
                    _ => all.map(start).max(),
                };
                let at = (members[me] as usize, done[me] as usize);
                needs.extend(last.and_then(|last| asked.waited(call, at, last)));
            }
        }
        if is_end(messages, call) {
            let ends = (0..calls.start.len()).filter(|&end| is_end(messages, end));
            needs.extend(ends.map(|end| calls.start[end]));
        }
        needs.retain(|&need| start < need && need <= end);
        *lost = needs.iter().max().map_or(0, |need| need - start);
    }
    lost
}

#[test]
fn calls_wait_for_the_last_that_they_need() {
    let mut chance = Chance::new(71);
    let (mut waited, mut polled) = ([0; 7], 0);
    for _ in 0..80 {
        let messages = random(&mut chance).build();
        if messages.calls.start.is_empty() {
            continue;
        }
        let waits = Waits::of(&messages);
        assert_eq!(waits.lost, reference(&messages));
        for call in 0..waits.lost.len() as u32 {
            let Some(wait) = waits.of_call(&messages.calls, call) else {
                assert_eq!(waits.why[call as usize], Why::Nothing);
                continue;
            };
            waited[wait.why as usize] += 1;
            let only_asks = asks(&messages, call as usize).is_some();
            polled += usize::from(only_asks);
            // The one who is waited for came when the waiting or the asking ended, and is another rank.
            let end = messages.calls.end[call as usize];
            let came = messages.calls.start[wait.cause as usize];
            assert_eq!(if only_asks { came.min(end) } else { came }, wait.span.1);
            assert_ne!(wait.rank, wait.culprit);
        }
    }
    assert!(waited[1..].iter().all(|&count| count > 8) && polled > 20, "{waited:?} {polled}");
}

#[test]
fn waits_of_ranks_and_phases_add_up() {
    let mut chance = Chance::new(72);
    for _ in 0..20 {
        let messages = random(&mut chance).build();
        let waits = Waits::of(&messages);
        let calls = &messages.calls;
        let total: i64 = waits.by_rank(calls, 0..i64::MAX).iter().sum();
        assert_eq!(total, waits.total());
        let half = messages.summary().elapsed / 2;
        let parts = [waits.by_rank(calls, 0..half), waits.by_rank(calls, half..i64::MAX)];
        assert_eq!(parts.iter().flatten().sum::<i64>(), total);
        for time in [Time::Wall, Time::Logical] {
            let clock = Clock::of(&messages, time);
            let gram = Grams::new(&messages, &clock).cut(clock.all(), 4);
            let phases: Vec<_> = gram.phases.iter().map(|p| (p.points.clone(), p.span)).collect();
            let rows = waits.by_phase(&messages, &clock, &phases);
            if !phases.is_empty() {
                assert_eq!(rows.iter().flatten().sum::<i64>(), total);
            }
        }
    }
}

#[test]
fn a_late_sender_and_a_late_receiver() {
    let mut program = Program::new(2);
    // Rank 1 receives from 10 on; rank 0 sends at 50.
    let receive = program.call(1, 10, 60);
    let send = program.call(0, 50, 55);
    program.message((0, send, send), (1, receive, receive), 1, 8);
    // Rank 0 sends much at 100; rank 1 posts its receive at 170.
    let send = program.call(0, 100, 190);
    let receive = program.call(1, 170, 195);
    program.message((0, send, send), (1, receive, receive), 2, 1 << 20);
    let messages = program.build();
    let waits = Waits::of(&messages);
    let all: Vec<_> = (0..4).filter_map(|call| waits.of_call(&messages.calls, call)).collect();
    // The run begins with its first call, at 10.
    let told: Vec<_> = all.iter().map(|wait| (wait.rank, wait.span, wait.why, wait.culprit)).collect();
    assert_eq!(told, [(0, (90, 160), Why::LateReceiver, 1), (1, (0, 40), Why::LateSender, 0)]);
    assert_eq!(waits.by_rank(&messages.calls, 20..100), [10, 20]);
}

#[test]
fn small_sends_that_were_over_before_did_not_wait() {
    let mut program = Program::new(2);
    for at in 0..40 {
        let send = program.call(0, 100 * at, 100 * at + 5);
        // Nearly all receives are posted long after; one while the send was under way.
        let posted = if at == 7 { 3 } else { 50 };
        let receive = program.call(1, 100 * at + posted, 100 * at + 60);
        program.message((0, send, send), (1, receive, receive), 0, 8);
    }
    assert_eq!(Waits::of(&program.build()).total(), 0);
}

/// The waits of a program: who, from when to when, why, for whom.
fn told(program: Program) -> Vec<(u32, (i64, i64), Why, u32)> {
    let messages = program.build();
    let waits = Waits::of(&messages);
    let all = (0..waits.lost.len() as u32).filter_map(|call| waits.of_call(&messages.calls, call));
    all.map(|wait| (wait.rank, wait.span, wait.why, wait.culprit)).collect()
}

#[test]
fn who_asks_until_a_message_is_there_waits_for_it() {
    // Rank 1 asks from 10 to 60 whether something is there, then takes it; rank 0 sends at 50.
    let probed = |asks: u16, between: bool| {
        let mut program = Program::new(2);
        let send = program.call(0, 0, 1).max(program.call_of(1, 0, 50, 55));
        let begun = (asks == TEST).then(|| program.call(1, 0, 1));
        program.call_of(asks, 1, 10, 60);
        if between {
            program.call(1, 60, 61);
        }
        let done = program.call_of(if asks == TEST { TEST } else { 2 }, 1, 61, 62);
        program.message((0, send, send), (1, begun.unwrap_or(done), done), 0, 8);
        told(program)
    };
    for asks in [TEST, PROBE] {
        assert_eq!(probed(asks, false), [(1, (10, 50), Why::LateSender, 0)]);
        // What stands between is more than asking.
        assert_eq!(probed(asks, true), []);
    }
    // Asking in pieces is waiting in all of them, but not between them, up to when the message is sent.
    for sent in [50, 55] {
        let mut program = Program::new(2);
        let send = program.call(0, 0, 1).max(program.call_of(1, 0, sent, 60));
        let begun = program.call(1, 0, 1);
        for start in [10, 30, 40, 57] {
            program.call_of(TEST, 1, start, start + 10);
        }
        let done = program.call_of(TEST, 1, 70, 71);
        program.message((0, send, send), (1, begun, done), 0, 8);
        let late = |from: i64, to: i64| (1, (from, to), Why::LateSender, 0);
        assert_eq!(told(program), [late(10, 20), late(30, 40), late(40, 50)]);
    }
    // A collective that was begun is asked for until the last rank begins it.
    let mut program = Program::new(2);
    let begun = [program.call(0, 0, 2), program.call(1, 70, 71)];
    program.call_of(TEST, 0, 30, 75);
    let done = [program.call_of(TEST, 0, 76, 77), program.call(1, 80, 82)];
    program.begun("Iallreduce", NONE, &begun, &done);
    assert_eq!(told(program), [(0, (30, 70), Why::Collective, 1)]);
}

#[test]
fn synchronous_sends_wait_for_their_receives_and_buffered_ones_never_do() {
    let of = |function: u16| {
        let mut program = Program::new(2);
        // Small sends that were over before their receives were posted: standard ones of this size do not wait.
        for at in 0..40 {
            let send = program.call_of(1, 0, 100 * at, 100 * at + 5);
            let receive = program.call_of(2, 1, 100 * at + 50, 100 * at + 60);
            program.message((0, send, send), (1, receive, receive), 0, 8);
        }
        let send = program.call_of(function, 0, 5_000, 5_060);
        let receive = program.call_of(2, 1, 5_050, 5_070);
        program.message((0, send, send), (1, receive, receive), 0, 8);
        // Large ones that were held.
        let send = program.call_of(function, 0, 6_000, 6_060);
        let receive = program.call_of(2, 1, 6_050, 6_070);
        program.message((0, send, send), (1, receive, receive), 0, 1 << 20);
        told(program).len()
    };
    assert_eq!([1, SSEND, BSEND].map(of), [1, 2, 0]);
}

#[test]
fn a_prepared_send_behaves_as_it_was_prepared() {
    use crosscut_messages::Send;
    for (mode, waits) in [(Mode::Standard, 0), (Mode::Synchronous, 50), (Mode::Buffered, 0)] {
        let mut program = Program::new(2);
        for at in 0..40 {
            let send = program.call_of(1, 0, 100 * at, 100 * at + 5);
            let receive = program.call_of(2, 1, 100 * at + 50, 100 * at + 60);
            program.message((0, send, send), (1, receive, receive), 0, 8);
        }
        // A wait begins and completes it: nothing but how it was prepared says what it is.
        let send = program.call(0, 5_000, 5_060);
        let receive = program.call_of(2, 1, 5_050, 5_070);
        program.message((0, send, send), (1, receive, receive), 0, 8);
        program.change_last_send(0, |send| *send = Send { mode, ..*send });
        assert_eq!(Waits::of(&program.build()).total(), waits, "{mode:?}");
    }
}

#[test]
fn what_begins_a_collective_does_not_wait_but_what_completes_it() {
    let mut program = Program::new(2);
    let begun = [program.call(0, 10, 12), program.call(1, 70, 71)];
    // Rank 0 waits from 30 on until rank 1 begins, at 70; rank 1 finds all there.
    let done = [program.call(0, 30, 75), program.call(1, 80, 82)];
    program.begun("Iallreduce", u32::MAX, &begun, &done);
    let messages = program.build();
    let waits = Waits::of(&messages);
    let told: Vec<_> = (0..4).filter_map(|call| waits.of_call(&messages.calls, call)).collect();
    let told: Vec<_> = told.iter().map(|wait| (wait.rank, wait.span, wait.why, wait.culprit)).collect();
    // The run begins with its first call, at 10.
    assert_eq!(told, [(0, (20, 60), Why::Collective, 1)]);
    assert_eq!(messages.collectives.end[0], 72);
    assert_eq!(messages.unsound(), None);
}

#[test]
fn ranks_wait_for_the_last_one_at_the_end() {
    let ends = |ends: [(i64, i64); 2]| {
        let mut program = Program::new(2);
        for (rank, (start, end)) in ends.into_iter().enumerate() {
            program.call(rank as u32, 0, 1);
            program.finalize(rank as u32, start, end);
        }
        Waits::of(&program.build()).lost
    };
    assert_eq!(ends([(10, 60), (50, 61)]), [0, 40, 0, 0]);
    // Here a rank leaves before the other one comes: nobody waits for all.
    assert_eq!(ends([(10, 40), (50, 61)]), [0, 0, 0, 0]);
}
