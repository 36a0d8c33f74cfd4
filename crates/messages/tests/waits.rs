//! Wait states beside a reference that gathers all needs of a call in a list, and of small programs where they are known.

mod program;

use crosscut_chance::Chance;
use crosscut_messages::Collective;
use crosscut_messages::Messages;
use crosscut_messages::gram::{Clock, Grams, Time};
use crosscut_messages::waits::{Waits, Why};
use program::{Program, random};

fn is_end(messages: &Messages, call: usize) -> bool {
    messages.functions()[usize::from(messages.calls.function[call])].name == "MPI_Finalize"
}

/// How long each call waited, by looking at everything for every call. Sends of a size that was ever over before its
/// receive was posted are taken as buffered: in the random programs below one in twenty decides.
fn reference(messages: &Messages) -> Vec<i64> {
    let calls = &messages.calls;
    let class = |bytes: i64| (0..).find(|&power| bytes < 1i64 << power).unwrap();
    let is_held = |bytes: i64| -> bool {
        let alike = (0..messages.len()).filter(|&row| class(messages.bytes[row]) == class(bytes));
        let (mut over, mut held) = (0, 0);
        for row in alike {
            let done = messages.send_done[row] as usize;
            let posted = calls.start[messages.receive_call[row] as usize];
            over += usize::from(calls.end[done] < posted);
            held += usize::from(calls.start[done] < posted && posted <= calls.end[done]);
        }
        over * 100 <= (over + held) * 5
    };
    let held: Vec<bool> = messages.bytes.iter().map(|&bytes| is_held(bytes)).collect();
    let mut lost = vec![0; calls.start.len()];
    for (call, lost) in lost.iter_mut().enumerate() {
        let (start, end) = (calls.start[call], calls.end[call]);
        let mut needs: Vec<i64> = Vec::new();
        for (row, &held) in held.iter().enumerate() {
            if messages.receive_done[row] as usize == call {
                needs.push(calls.start[messages.send_call[row] as usize]);
            }
            if messages.send_done[row] as usize == call && held {
                needs.push(calls.start[messages.receive_call[row] as usize]);
            }
        }
        for number in 0..messages.collectives.kind.len() {
            let members = messages.collectives.calls(number);
            let done = messages.collectives.done(number);
            let Some(me) = done.iter().position(|&member| member as usize == call) else { continue };
            let root = messages.collectives.root[number] as usize;
            let start = |rank: usize| calls.start[members[rank] as usize];
            match Collective(messages.collectives.kind[number]).word() {
                "bcast" | "scatter" => needs.push(start(root)),
                "reduce" | "gather" if me == root => needs.extend((0..members.len()).map(start)),
                "reduce" | "gather" => {}
                "scan" => needs.extend((0..me).map(start)),
                _ => needs.extend((0..members.len()).map(start)),
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
    let mut waited = [0; 7];
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
            // The one who is waited for came when the waiting ended, and is another rank.
            assert_eq!(messages.calls.start[wait.cause as usize], wait.span.1);
            assert_ne!(wait.rank, wait.culprit);
        }
    }
    assert!(waited[1..].iter().all(|&count| count > 8), "{waited:?}");
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
