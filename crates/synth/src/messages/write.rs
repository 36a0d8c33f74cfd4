//! Calls straight into a run.

use crosscut_messages::{
    Builder, Call, Collective, Comm, Comms, Done, Function, Joined, Mode, NONE, RankWriter, Receive, Send,
    Whole,
};
use crosscut_run::RunWriter;

use super::MessageOptions;
use super::simulate::{self, Op, Sink, counts, host};
use crate::error::SynthError;

/// Functions by the numbers that their calls have.
const FUNCTIONS: [&str; 9] = [
    "MPI_Init",
    "MPI_Irecv",
    "MPI_Isend",
    "MPI_Waitall",
    "MPI_Send",
    "MPI_Recv",
    "MPI_Allreduce",
    "MPI_Barrier",
    "MPI_Finalize",
];

/// The only communicator.
const WORLD: u32 = 0;

/// Fills a run.
pub fn write(
    run: &mut RunWriter,
    options: &MessageOptions,
    progress: &dyn Fn(u64, u64),
) -> Result<(), SynthError> {
    let mut builder = Builder::new(run, &counts(options))?;
    let mut ranks = Ranks {
        writers: builder.ranks(),
        done: vec![Done::default(); options.ranks as usize],
        open: vec![(0, 0); options.ranks as usize],
    };
    simulate::simulate(options, &mut ranks, progress)?;
    let done = ranks.done;
    let whole = Whole {
        comms: Comms { list: vec![Comm::world(options.ranks as usize), Comm::of_itself()] },
        functions: FUNCTIONS.iter().map(|name| Function::named(name)).collect(),
        clocks: (0..options.ranks).map(|rank| host(options, rank)).collect(),
        ..Whole::default()
    };
    builder.finish(run, done, whole)?;
    Ok(())
}

fn send(call: u32, to: u32, tag: i32, bytes: i64, done: u32) -> Send {
    Send { comm: WORLD, to, tag, call, done, bytes, mode: Mode::Standard }
}

struct Ranks<'a> {
    writers: Vec<RankWriter<'a>>,
    done: Vec<Done>,
    /// By rank: the first send and the first receive that is not completed.
    open: Vec<(usize, usize)>,
}

impl Sink for Ranks<'_> {
    fn call(&mut self, rank: u32, op: Op, start: i64, end: i64) -> Result<(), SynthError> {
        let rank = rank as usize;
        let (writer, done, open) = (&mut self.writers[rank], &mut self.done[rank], &mut self.open[rank]);
        let call = writer.next_call();
        let function = |name: &str| FUNCTIONS.iter().position(|known| *known == name).unwrap_or(0) as u16;
        let plain = |name: &str| Call::new(function(name), start, end);
        let moved = |name: &str, bytes: i64, peer: u32| Call { bytes, peer, comm: WORLD, ..plain(name) };
        let begun = |call: Call, request: i32| Call { request: request as u32, ..call };
        let written = match op {
            Op::Init => plain("MPI_Init"),
            Op::Finalize => plain("MPI_Finalize"),
            Op::Irecv { from, tag, bytes, request } => {
                done.receives.push(Receive { comm: WORLD, from, tag, call, done: NONE });
                begun(moved("MPI_Irecv", bytes, from), request)
            }
            Op::Isend { to, tag, bytes, request } => {
                done.sends.push(send(call, to, tag, bytes, NONE));
                begun(moved("MPI_Isend", bytes, to), request)
            }
            Op::Waitall { last, .. } => {
                done.sends[open.0..].iter_mut().for_each(|send| send.done = call);
                done.receives[open.1..].iter_mut().for_each(|receive| receive.done = call);
                begun(plain("MPI_Waitall"), last)
            }
            Op::Send { to, tag, bytes } => {
                done.sends.push(send(call, to, tag, bytes, call));
                moved("MPI_Send", bytes, to)
            }
            Op::Recv { from, tag, bytes } => {
                done.receives.push(Receive { comm: WORLD, from, tag, call, done: call });
                moved("MPI_Recv", bytes, from)
            }
            Op::Allreduce { .. } | Op::Barrier => {
                let (name, bytes) = match op {
                    Op::Allreduce { bytes } => ("MPI_Allreduce", bytes),
                    _ => ("MPI_Barrier", 0),
                };
                let kind = Collective::of(name).unwrap_or(Collective::BARRIER);
                done.collectives.push(Joined { comm: WORLD, call, done: call, root: NONE, kind });
                moved(name, bytes, NONE)
            }
        };
        if !matches!(op, Op::Irecv { .. } | Op::Isend { .. }) {
            *open = (done.sends.len(), done.receives.len());
        }
        writer.call(written)?;
        Ok(())
    }
}
