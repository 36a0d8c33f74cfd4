//! The walk through all steps: when each rank calls what, and when it comes back.

use crosscut_chance::{mix, scale};

use super::MessageOptions;
use super::exchange::{Exchange, Partners};
use crate::error::SynthError;

/// Time to post a receive.
const POST: i64 = 200;
/// Time to begin a send.
const BEGIN: i64 = 300;
/// Time to begin, and to come back from, a call that waits.
const ENTER: i64 = 250;
/// From when a message is sent until its first byte arrives.
const LATENCY: i64 = 1_500;
/// Bytes in a nanosecond.
const SPEED: i64 = 10;
/// When the first clock begins.
const BEGINNING: i64 = 10_000_000_000;

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Init,
    Irecv {
        from: u32,
        tag: i32,
        bytes: i64,
        request: i32,
    },
    Isend {
        to: u32,
        tag: i32,
        bytes: i64,
        request: i32,
    },
    /// Completes the last `requests` requests, of which the last has this number.
    Waitall {
        requests: i32,
        last: i32,
    },
    Send {
        to: u32,
        tag: i32,
        bytes: i64,
    },
    Recv {
        from: u32,
        tag: i32,
        bytes: i64,
    },
    Allreduce {
        bytes: i64,
    },
    Barrier,
    Finalize,
}

/// What takes all calls, those of a rank in their order.
pub trait Sink {
    fn call(&mut self, rank: u32, op: Op, start: i64, end: i64) -> Result<(), SynthError>;
}

/// Numbers of requests are those of a rank, from 2 on, and are used again in each step.
const FIRST_REQUEST: i32 = 2;

/// How many calls each rank will do.
pub fn counts(options: &MessageOptions) -> Vec<usize> {
    let each = |rank: u32| -> usize {
        let calls = |step: u32| match options.exchange(step) {
            Exchange::Allreduce | Exchange::Barrier => 1,
            Exchange::MasterWorker if rank == 0 => 2 * (options.ranks as usize - 1),
            Exchange::MasterWorker => 2,
            Exchange::Pipeline => 2 - usize::from(rank == 0) - usize::from(rank + 1 == options.ranks),
            exchange => {
                let stage = options.stage(step);
                let partners = exchange.partners(rank, options.ranks, stage, options.bytes, options.seed);
                match partners.to.len() + partners.from.len() {
                    0 => 0,
                    calls => calls + 1,
                }
            }
        };
        2 + (0..options.steps).map(calls).sum::<usize>()
    };
    (0..options.ranks).map(each).collect()
}

/// Walks through all steps.
pub fn simulate(
    options: &MessageOptions,
    sink: &mut dyn Sink,
    progress: &dyn Fn(u64, u64),
) -> Result<(), SynthError> {
    let mut walk = Walk { options, now: vec![BEGINNING; options.ranks as usize], sink };
    for rank in 0..options.ranks {
        walk.call(rank, Op::Init, 100_000)?;
    }
    for step in 0..options.steps {
        let exchange = options.exchange(step);
        // Who passes work on has to get it first.
        for rank in (0..options.ranks).filter(|_| exchange != Exchange::Pipeline) {
            walk.now[rank as usize] += walk.work(rank, step);
        }
        match exchange {
            Exchange::Allreduce => walk.meet(Op::Allreduce { bytes: options.bytes.max(1) })?,
            Exchange::Barrier => walk.meet(Op::Barrier)?,
            Exchange::MasterWorker => walk.share_out(step)?,
            Exchange::Pipeline => walk.pass_on(step)?,
            exchange => walk.exchange(exchange, step)?,
        }
        progress(u64::from(step) + 1, options.steps.into());
    }
    for rank in 0..options.ranks {
        walk.call(rank, Op::Finalize, 50_000)?;
    }
    Ok(())
}

struct Walk<'a> {
    options: &'a MessageOptions,
    /// The true time of each rank.
    now: Vec<i64>,
    sink: &'a mut dyn Sink,
}

impl Walk<'_> {
    /// How long a rank computes before a step.
    fn work(&self, rank: u32, step: u32) -> i64 {
        let options = self.options;
        let random = mix(options.seed ^ mix(u64::from(rank) << 32 | u64::from(step)));
        let most = options.work / 100 * i64::from(options.noise);
        let noise = scale(random, 2 * most as u64 + 1) as i64 - most;
        let is_late = |late: &super::Late| late.rank == rank && late.step.is_none_or(|late| late == step);
        let late = options.late.iter().filter(|late| is_late(late)).map(|late| late.by);
        options.work + noise + late.sum::<i64>()
    }

    /// A call of a rank from now on, for so long.
    fn call(&mut self, rank: u32, op: Op, takes: i64) -> Result<(), SynthError> {
        let start = self.now[rank as usize];
        self.now[rank as usize] = start + takes;
        let clock = Clock::of(self.options, rank);
        self.sink.call(rank, op, clock.at(start), clock.at(start + takes))
    }

    /// All receives are posted, all sends begun, one wait completes them.
    fn exchange(&mut self, exchange: Exchange, step: u32) -> Result<(), SynthError> {
        let (ranks, seed, stage) = (self.options.ranks, self.options.seed, self.options.stage(step));
        let mut arrived = vec![i64::MIN; ranks as usize];
        for rank in 0..ranks {
            let Partners { to, from } = exchange.partners(rank, ranks, stage, self.options.bytes, seed);
            let mut sent = self.now[rank as usize] + POST * from.len() as i64;
            for (to, bytes) in to {
                let there = &mut arrived[to as usize];
                *there = (*there).max(sent + LATENCY + bytes / SPEED);
                sent += BEGIN;
            }
        }
        for rank in 0..ranks {
            let Partners { to, from } = exchange.partners(rank, ranks, stage, self.options.bytes, seed);
            if to.is_empty() && from.is_empty() {
                continue;
            }
            let (tag, mut request) = (tag(step), FIRST_REQUEST);
            for (from, bytes) in from {
                self.call(rank, Op::Irecv { from, tag, bytes, request }, POST)?;
                request += 1;
            }
            for (to, bytes) in to {
                self.call(rank, Op::Isend { to, tag, bytes, request }, BEGIN)?;
                request += 1;
            }
            let waits = (arrived[rank as usize] - self.now[rank as usize]).max(0) + ENTER;
            let op = Op::Waitall { requests: request - FIRST_REQUEST, last: request - 1 };
            self.call(rank, op, waits)?;
        }
        Ok(())
    }

    /// Nobody leaves before everybody is there.
    fn meet(&mut self, op: Op) -> Result<(), SynthError> {
        let last = self.now.iter().copied().max().unwrap_or(0);
        let stages = i64::from(32 - (self.options.ranks - 1).leading_zeros());
        for rank in 0..self.options.ranks {
            let takes = last - self.now[rank as usize] + stages * LATENCY;
            self.call(rank, op, takes)?;
        }
        Ok(())
    }

    /// Rank 0 sends to each of the others; each computes once more and sends back; rank 0 receives as they come.
    fn share_out(&mut self, step: u32) -> Result<(), SynthError> {
        let (tag, bytes, ranks) = (tag(step), self.options.bytes, self.options.ranks);
        let mut given = Vec::with_capacity(ranks as usize);
        for to in 1..ranks {
            given.push(self.now[0] + LATENCY + bytes / SPEED);
            self.call(0, Op::Send { to, tag, bytes }, BEGIN)?;
        }
        let mut back = Vec::with_capacity(ranks as usize);
        for (rank, came) in (1..ranks).zip(given) {
            let waits = (came - self.now[rank as usize]).max(0) + ENTER;
            self.call(rank, Op::Recv { from: 0, tag, bytes }, waits)?;
            self.now[rank as usize] += self.work(rank, step);
            back.push((self.now[rank as usize] + LATENCY + bytes / SPEED, rank));
            self.call(rank, Op::Send { to: 0, tag, bytes }, BEGIN)?;
        }
        back.sort_unstable();
        for (came, from) in back {
            let waits = (came - self.now[0]).max(0) + ENTER;
            self.call(0, Op::Recv { from, tag, bytes }, waits)?;
        }
        Ok(())
    }

    /// Each rank takes what the one before made, computes and gives it to the next.
    fn pass_on(&mut self, step: u32) -> Result<(), SynthError> {
        let (tag, bytes, ranks) = (tag(step), self.options.bytes, self.options.ranks);
        let mut came = 0;
        for rank in 0..ranks {
            if rank > 0 {
                let waits = (came - self.now[rank as usize]).max(0) + ENTER;
                self.call(rank, Op::Recv { from: rank - 1, tag, bytes }, waits)?;
            }
            self.now[rank as usize] += self.work(rank, step);
            if rank + 1 < ranks {
                came = self.now[rank as usize] + LATENCY + bytes / SPEED;
                self.call(rank, Op::Send { to: rank + 1, tag, bytes }, BEGIN)?;
            }
        }
        Ok(())
    }
}

/// Tags are small everywhere.
fn tag(step: u32) -> i32 {
    (step % 32_768) as i32
}

/// The clock of a host: ahead or behind, too fast or too slow.
#[derive(Clone, Copy, Debug)]
struct Clock {
    offset: i64,
    /// Nanoseconds that it gains in a millisecond.
    drift: i64,
}

impl Clock {
    fn of(options: &MessageOptions, rank: u32) -> Clock {
        if options.skew == 0 {
            return Clock { offset: 0, drift: 0 };
        }
        let random = mix(options.seed.wrapping_add(77) ^ mix(u64::from(host(options, rank))));
        let offset = scale(random, 2 * options.skew as u64 + 1) as i64 - options.skew;
        // Quartz is wrong by a few parts in a hundred thousand.
        Clock { offset, drift: (random % 41) as i64 - 20 }
    }

    fn at(self, time: i64) -> i64 {
        let since = time - BEGINNING;
        // Whatever the offset, no time of a file is below zero.
        (time + self.offset + since * self.drift / 1_000_000).max(0)
    }
}

/// The host of a rank.
pub fn host(options: &MessageOptions, rank: u32) -> u32 {
    rank / options.hosts_of.max(1)
}
