//! Programs of a few ranks, made call by call.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::sync::Arc;

use crosscut_chance::Chance;
use crosscut_messages::{
    Builder, Call, Collective, Comm, Comms, Done, Function, Joined, Messages, Mode, NONE, Receive, Send,
    Whole,
};
use crosscut_run::RunWriter;

/// What calls are of; the last one ends a rank.
pub const FUNCTIONS: [&str; 8] =
    ["MPI_Wait", "MPI_Send", "MPI_Recv", "MPI_Test", "MPI_Iprobe", "MPI_Ssend", "MPI_Bsend", "MPI_Finalize"];
/// The numbers of some of them.
pub const TEST: u16 = 3;
pub const PROBE: u16 = 4;
pub const SSEND: u16 = 5;
pub const BSEND: u16 = 6;

/// A call: its function, its start and its end.
type Made = (u16, i64, i64);

/// Calls of each rank with their start and end, and what they do.
#[derive(Default)]
pub struct Program {
    ranks: Vec<(Vec<Made>, Done)>,
}

impl Program {
    pub fn new(ranks: usize) -> Program {
        Program { ranks: (0..ranks).map(|_| Default::default()).collect() }
    }

    /// A call of a rank: its number on that rank.
    pub fn call(&mut self, rank: u32, start: i64, end: i64) -> u32 {
        self.call_of(0, rank, start, end)
    }

    /// The call that ends a rank.
    pub fn finalize(&mut self, rank: u32, start: i64, end: i64) -> u32 {
        self.call_of(FUNCTIONS.len() as u16 - 1, rank, start, end)
    }

    /// A call of one of [`FUNCTIONS`].
    pub fn call_of(&mut self, function: u16, rank: u32, start: i64, end: i64) -> u32 {
        let calls = &mut self.ranks[rank as usize].0;
        calls.push((function, start, end));
        calls.len() as u32 - 1
    }

    /// A message: rank, first and last call on both sides.
    pub fn message(&mut self, from: (u32, u32, u32), to: (u32, u32, u32), tag: i32, bytes: i64) {
        let send = Send { comm: 0, to: to.0, tag, call: from.1, done: from.2, bytes, mode: Mode::Standard };
        self.ranks[from.0 as usize].1.sends.push(send);
        let receive = Receive { comm: 0, from: from.0, tag, call: to.1, done: to.2 };
        self.ranks[to.0 as usize].1.receives.push(receive);
    }

    /// Changes the send that a rank was given last.
    pub fn change_last_send(&mut self, rank: u32, change: impl FnOnce(&mut Send)) {
        change(self.ranks[rank as usize].1.sends.last_mut().unwrap());
    }

    pub fn collective(&mut self, kind: &str, root: u32, calls: &[u32]) {
        self.begun(kind, root, calls, calls);
    }

    /// A collective that is begun by some calls and completed by others.
    pub fn begun(&mut self, kind: &str, root: u32, calls: &[u32], done: &[u32]) {
        let kind = Collective::of(&format!("MPI_{kind}")).unwrap();
        for (rank, (&call, &done)) in calls.iter().zip(done).enumerate() {
            self.ranks[rank].1.collectives.push(Joined { comm: 0, call, done, root, kind });
        }
    }

    pub fn build(mut self) -> Messages {
        let folder = tempfile::tempdir().unwrap();
        let mut run = RunWriter::create(&folder.path().join("a.crosscut")).unwrap();
        let counts: Vec<usize> = self.ranks.iter().map(|rank| rank.0.len()).collect();
        let mut builder = Builder::new(&run, &counts).unwrap();
        let mut done = Vec::new();
        let mut first = 0;
        for (mut writer, (calls, mut of_rank)) in builder.ranks().into_iter().zip(self.ranks.drain(..)) {
            calls.iter().for_each(|&(function, start, end)| {
                writer.call(Call::new(function, start, end)).unwrap();
            });
            of_rank.sends.iter_mut().for_each(|s| (s.call, s.done) = (s.call + first, s.done + first));
            of_rank.receives.iter_mut().for_each(|r| (r.call, r.done) = (r.call + first, r.done + first));
            let joined = of_rank.collectives.iter_mut();
            joined.for_each(|j| (j.call, j.done) = (j.call + first, j.done + first));
            first += calls.len() as u32;
            done.push(of_rank);
        }
        let comms = Comms { list: vec![Comm::world(counts.len()), Comm::of_itself()] };
        let whole = Whole { comms, functions: FUNCTIONS.map(Function::named).to_vec(), ..Whole::default() };
        builder.finish(&mut run, done, whole).unwrap();
        Messages::open(Arc::new(run.finish().unwrap())).unwrap()
    }
}

/// A call of a rank of some function, soon and at least until a time: its start and its number.
fn call(
    program: &mut Program,
    now: &mut i64,
    (rank, function, least): (usize, u16, i64),
    chance: &mut Chance,
) -> (i64, u32) {
    let start = *now + chance.below(20) as i64;
    *now = (start + 1 + chance.below(5) as i64).max(least);
    (start, program.call_of(function, rank as u32, start, *now))
}

/// Asks some times in vain, as a rule for longer where a time is near.
fn ask(program: &mut Program, now: &mut i64, (rank, until): (usize, i64), chance: &mut Chance) {
    let function = [TEST, PROBE][chance.index(2)];
    for _ in 0..chance.index(4) {
        let start = *now + chance.below(4) as i64;
        *now = (start + 1 + chance.below(4) as i64).max(until.min(start + 30));
        program.call_of(function, rank as u32, start, *now);
    }
}

/// A program of messages and collectives at any times.
pub fn random(chance: &mut Chance) -> Program {
    let ranks = 2 + chance.index(5);
    let mut program = Program::new(ranks);
    let mut now = vec![0i64; ranks];
    for step in 0..chance.index(30) {
        if chance.index(4) > 0 {
            let a = chance.index(ranks);
            let b = (a + 1 + chance.index(ranks - 1)) % ranks;
            let bytes = [10, 100, 10_000][chance.index(3)];
            let send = [0, 1, 1, 2, SSEND, BSEND][chance.index(6)];
            let (sent, first) = call(&mut program, &mut now[a], (a, send, 0), chance);
            ask(&mut program, &mut now[b], (b, sent + 1), chance);
            let (posted, post) = call(&mut program, &mut now[b], (b, chance.index(3) as u16, 0), chance);
            ask(&mut program, &mut now[a], (a, posted + 1), chance);
            // Large sends end after the receive is posted, others when they like.
            let least = if bytes > 1_000 { posted + 1 } else { 0 };
            let (_, wait) =
                call(&mut program, &mut now[a], (a, [0, 1, 2, TEST][chance.index(4)], least), chance);
            ask(&mut program, &mut now[b], (b, sent + 1), chance);
            let last = [0, 1, 2, TEST][chance.index(4)];
            let (_, done) = call(&mut program, &mut now[b], (b, last, sent + 1), chance);
            program.message((a as u32, first, wait), (b as u32, post, done), step as i32, bytes);
        } else {
            let kinds = ["Barrier", "Bcast", "Reduce", "Allreduce", "Scan", "Gather", "Scatter", "Alltoall"];
            let kind = kinds[chance.index(kinds.len())];
            let root = if matches!(kind, "Bcast" | "Reduce" | "Gather" | "Scatter") {
                chance.index(ranks) as u32
            } else {
                NONE
            };
            let is_begun = chance.index(3) == 0;
            let mut begin = |rank: usize| {
                let start = now[rank] + chance.below(20) as i64;
                now[rank] = start + 1;
                program.call(rank as u32, start, now[rank])
            };
            let begun: Vec<u32> = if is_begun { (0..ranks).map(&mut begin).collect() } else { Vec::new() };
            let last = *now.iter().max().unwrap();
            for rank in (0..ranks).filter(|_| is_begun) {
                ask(&mut program, &mut now[rank], (rank, last), chance);
            }
            let all = now.iter().max().unwrap() + 30;
            let mut call = |rank: usize| {
                let start = now[rank] + chance.below(20) as i64;
                now[rank] = all + chance.below(5) as i64;
                program.call(rank as u32, start, now[rank])
            };
            let calls: Vec<u32> = (0..ranks).map(&mut call).collect();
            program.begun(kind, root, if is_begun { &begun } else { &calls }, &calls);
        }
    }
    if chance.index(2) == 0 {
        let last = now.iter().max().unwrap() + 20;
        for (rank, now) in now.iter().enumerate() {
            program.finalize(rank as u32, now + chance.below(20) as i64, last);
        }
    }
    program
}
