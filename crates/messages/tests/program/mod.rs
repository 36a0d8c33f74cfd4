//! Programs of a few ranks, made call by call.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::sync::Arc;

use crosscut_chance::Chance;
use crosscut_messages::{
    Builder, Call, Collective, Comm, Comms, Done, Function, Joined, Messages, NONE, Receive, Send, Whole,
};
use crosscut_run::RunWriter;

/// What calls are of; the last one ends a rank.
pub const FUNCTIONS: [&str; 4] = ["MPI_Wait", "MPI_Send", "MPI_Recv", "MPI_Finalize"];

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
        let send = Send { comm: 0, to: to.0, tag, call: from.1, done: from.2, bytes };
        self.ranks[from.0 as usize].1.sends.push(send);
        let receive = Receive { comm: 0, from: from.0, tag, call: to.1, done: to.2 };
        self.ranks[to.0 as usize].1.receives.push(receive);
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

/// A program of messages and collectives at any times.
pub fn random(chance: &mut Chance) -> Program {
    let ranks = 2 + chance.index(5);
    let mut program = Program::new(ranks);
    let mut now = vec![0i64; ranks];
    for step in 0..chance.index(30) {
        let mut call = |program: &mut Program, rank: usize, least: i64, chance: &mut Chance| {
            let start = now[rank] + chance.below(20) as i64;
            let end = (start + 1 + chance.below(5) as i64).max(least);
            now[rank] = end;
            (start, program.call_of(chance.index(3) as u16, rank as u32, start, end))
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
            let is_begun = chance.index(3) == 0;
            let mut begin = |rank: usize| {
                let start = now[rank] + chance.below(20) as i64;
                now[rank] = start + 1;
                program.call(rank as u32, start, now[rank])
            };
            let begun: Vec<u32> = if is_begun { (0..ranks).map(&mut begin).collect() } else { Vec::new() };
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
