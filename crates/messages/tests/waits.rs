//! Wait states beside a reference that gathers all needs of a call in a list, and of small programs where they are known.

use std::sync::Arc;

use crosscut_chance::Chance;
use crosscut_messages::gram::{Clock, Grams, Time};
use crosscut_messages::waits::{Waits, Why};
use crosscut_messages::{
    Builder, Call, Collective, Comm, Comms, Done, Function, Joined, Messages, NONE, Receive, Send, Whole,
};
use crosscut_run::RunWriter;

/// Calls of each rank with their start and end, and what they do.
#[derive(Default)]
struct Program {
    ranks: Vec<(Vec<(i64, i64)>, Done)>,
}

impl Program {
    fn new(ranks: usize) -> Program {
        Program { ranks: (0..ranks).map(|_| Default::default()).collect() }
    }

    /// A call of a rank: its number on that rank.
    fn call(&mut self, rank: u32, start: i64, end: i64) -> u32 {
        let calls = &mut self.ranks[rank as usize].0;
        calls.push((start, end));
        calls.len() as u32 - 1
    }

    /// A message: rank, first and last call on both sides.
    fn message(&mut self, from: (u32, u32, u32), to: (u32, u32, u32), tag: i32, bytes: i64) {
        let send = Send { comm: 0, to: to.0, tag, call: from.1, done: from.2, bytes };
        self.ranks[from.0 as usize].1.sends.push(send);
        let receive = Receive { comm: 0, from: from.0, tag, call: to.1, done: to.2 };
        self.ranks[to.0 as usize].1.receives.push(receive);
    }

    fn collective(&mut self, kind: &str, root: u32, calls: &[u32]) {
        let kind = Collective::of(&format!("MPI_{kind}")).unwrap();
        for (rank, &call) in calls.iter().enumerate() {
            self.ranks[rank].1.collectives.push(Joined { comm: 0, call, root, kind });
        }
    }

    fn build(mut self) -> Messages {
        let folder = tempfile::tempdir().unwrap();
        let mut run = RunWriter::create(&folder.path().join("a.crosscut")).unwrap();
        let counts: Vec<usize> = self.ranks.iter().map(|rank| rank.0.len()).collect();
        let mut builder = Builder::new(&run, &counts).unwrap();
        let mut done = Vec::new();
        let mut first = 0;
        for (mut writer, (calls, mut of_rank)) in builder.ranks().into_iter().zip(self.ranks.drain(..)) {
            calls.iter().for_each(|&(start, end)| {
                writer.call(Call::new(0, start, end)).unwrap();
            });
            of_rank.sends.iter_mut().for_each(|s| (s.call, s.done) = (s.call + first, s.done + first));
            of_rank.receives.iter_mut().for_each(|r| (r.call, r.done) = (r.call + first, r.done + first));
            of_rank.collectives.iter_mut().for_each(|joined| joined.call += first);
            first += calls.len() as u32;
            done.push(of_rank);
        }
        let comms = Comms { list: vec![Comm::world(counts.len()), Comm::of_itself()] };
        let whole = Whole { comms, functions: vec![Function::named("MPI_Wait")], ..Whole::default() };
        builder.finish(&mut run, done, whole).unwrap();
        Messages::open(Arc::new(run.finish().unwrap())).unwrap()
    }
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
            let Some(me) = members.iter().position(|&member| member as usize == call) else { continue };
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
        needs.retain(|&need| start < need && need <= end);
        *lost = needs.iter().max().map_or(0, |need| need - start);
    }
    lost
}

fn random(chance: &mut Chance) -> Program {
    let ranks = 2 + chance.index(5);
    let mut program = Program::new(ranks);
    let mut now = vec![0i64; ranks];
    for step in 0..chance.index(30) {
        let mut call = |program: &mut Program, rank: usize, least: i64, chance: &mut Chance| {
            let start = now[rank] + chance.below(20) as i64;
            let end = (start + 1 + chance.below(5) as i64).max(least);
            now[rank] = end;
            (start, program.call(rank as u32, start, end))
        };
        if chance.index(4) > 0 {
            let a = chance.index(ranks);
            let b = (a + 1 + chance.index(ranks - 1)) % ranks;
            let bytes = [10, 100, 10_000][chance.index(3)];
            let (sent, first) = call(&mut program, a, 0, chance);
            let (posted, post) = call(&mut program, b, 0, chance);
            // Large sends end after the receive is posted, others when they like.
            let (_, wait) = call(&mut program, a, if bytes > 1_000 { posted + 1 } else { 0 }, chance);
            let (_, done) = call(&mut program, b, sent + 1, chance);
            program.message((a as u32, first, wait), (b as u32, post, done), step as i32, bytes);
        } else {
            let kinds = ["Barrier", "Bcast", "Reduce", "Allreduce", "Scan", "Gather", "Scatter", "Alltoall"];
            let kind = kinds[chance.index(kinds.len())];
            let root = if matches!(kind, "Bcast" | "Reduce" | "Gather" | "Scatter") {
                chance.index(ranks) as u32
            } else {
                NONE
            };
            let all = now.iter().max().unwrap() + 30;
            let mut call = |rank: usize| {
                let start = now[rank] + chance.below(20) as i64;
                now[rank] = all + chance.below(5) as i64;
                program.call(rank as u32, start, now[rank])
            };
            let calls: Vec<u32> = (0..ranks).map(&mut call).collect();
            program.collective(kind, root, &calls);
        }
    }
    program
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
