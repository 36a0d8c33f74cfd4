//! Calls of MPI that recorders saw: they become the messages of the run. The events of a process are walked through twice: first for
//! how many calls there are and which communicators the rank knows, then for the calls themselves.

mod comms;
mod fill;
mod walk;

use crosscut_events::mpi::FUNCTIONS;
use crosscut_messages::{Builder, Done, Function, Whole};
use crosscut_run::RunWriter;
use rayon::prelude::*;

use crate::build::Recorded;
use crate::error::CloseError;
use crate::files::Process;
use crate::sources::Sites;
use comms::{Known, Scanned};

/// The processes of a run that are ranks of one world.
pub struct World {
    /// By rank: the number of its process; none where it left no events.
    ranks: Vec<Option<usize>>,
    /// What is to be known of it.
    notes: Vec<String>,
}

/// No machine has more; a process that says so is damaged.
const MOST_RANKS: usize = 1 << 22;

/// The rank that a process says it has, and the size of its world.
pub fn rank_of(process: &Process) -> Option<(usize, usize)> {
    let number = |key: &str| process.get(key)?.parse::<usize>().ok();
    let (rank, size) = (number("mpi-rank")?, number("mpi-size")?);
    (rank < size && size <= MOST_RANKS).then_some((rank, size))
}

impl World {
    /// Finds the world: the first that began, when there are several. Its processes come first from then on, in the order of
    /// ranks.
    pub fn find(processes: &mut [&Process]) -> Option<World> {
        let of = |process: &Process| process.get("mpi-world").unwrap_or_default().to_owned();
        let (world, size) = processes.iter().find_map(|process| Some((of(process), rank_of(process)?.1)))?;
        let mut there = vec![false; size];
        let mut others = 0;
        // In the order in which they began; a second process of a rank is none of this world.
        let mut place = |process: &&Process| match rank_of(process) {
            Some((rank, own_size)) => {
                let is_ours = own_size == size && of(process) == world && !there[rank];
                if is_ours {
                    there[rank] = true;
                } else {
                    others += 1;
                }
                if is_ours { rank } else { usize::MAX }
            }
            None => usize::MAX,
        };
        let keys: Vec<usize> = processes.iter().map(&mut place).collect();
        let mut sorted: Vec<(usize, &Process)> = keys.into_iter().zip(processes.iter().copied()).collect();
        sorted.sort_by_key(|(rank, _)| *rank);
        processes.iter_mut().zip(&sorted).for_each(|(slot, (_, process))| *slot = process);
        let mut ranks = vec![None; size];
        for (at, &(rank, _)) in sorted.iter().enumerate().filter(|(_, (rank, _))| *rank < size) {
            ranks[rank] = Some(at);
        }
        let mut notes = Vec::new();
        if others > 0 {
            notes.push(format!(
                "{others} processes called MPI in another world than the first (MPI_Init was called by more than one \
                 program, or processes were spawned): their messages are not kept"
            ));
        }
        let missing: Vec<String> =
            (0..size).filter(|&rank| ranks[rank].is_none()).map(|rank| rank.to_string()).collect();
        match missing.len() {
            0 => {}
            1..=8 => notes.push(format!("nothing was recorded of rank {}", missing.join(", "))),
            count => notes.push(format!(
                "nothing was recorded of {count} of {size} ranks, the first of them rank {}",
                missing[0]
            )),
        }
        Some(World { ranks, notes })
    }

    /// The threads of all processes, and one for each rank of which nothing was recorded: it has a place, too.
    pub fn threads(&self, recorded: &[usize]) -> Vec<usize> {
        let missing = self.ranks.iter().filter(|process| process.is_none()).count();
        recorded.iter().copied().chain(std::iter::repeat_n(1, missing)).collect()
    }

    /// By rank: its place, that of the first thread of its process.
    fn places(&self, recorded: &[Recorded<'_>]) -> Vec<u32> {
        let mut next = recorded.iter().map(|process| process.threads.len()).sum::<usize>();
        let mut place = |process: &Option<usize>| match process.and_then(|at| recorded.get(at)) {
            Some(process) => process.first_thread as u32,
            None => {
                next += 1;
                next as u32 - 1
            }
        };
        self.ranks.iter().map(&mut place).collect()
    }

    /// What is to be known of it.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Fills the messages of a run.
    pub fn write(
        &self,
        run: &mut RunWriter,
        processes: &[&Process],
        recorded: &[Recorded<'_>],
        sites: &Sites,
    ) -> Result<(), CloseError> {
        let scanned: Vec<Scanned> = self
            .ranks
            .par_iter()
            .map(|process| process.and_then(|at| recorded.get(at)).map(comms::scan).unwrap_or_default())
            .collect();
        let known = comms::join(&scanned)?;
        let calls: Vec<usize> = scanned.iter().map(|scanned| scanned.calls).collect();
        let mut builder = Builder::new(run, &calls)?.with_sources(run)?;
        let sources = sites.by_process();
        let filled: Vec<Done> = builder
            .ranks()
            .into_par_iter()
            .enumerate()
            .map(|(rank, writer)| {
                match self.ranks[rank].and_then(|at| recorded.get(at).zip(sources.get(at))) {
                    Some((process, sources)) => fill::fill(process, rank as u32, &known, sources, writer),
                    None => Ok(Done::default()),
                }
            })
            .collect::<Result<_, _>>()?;
        let functions = FUNCTIONS.iter().map(|function| Function::named(function.plain_name())).collect();
        let (clocks, places) = (self.clocks(processes), self.places(recorded));
        let Known { comms, .. } = known;
        let whole = Whole { comms, functions, clocks, places, notes: self.notes.clone() };
        // What is missing of a recording is told by its threads.
        builder.finish(run, filled, whole)?;
        Ok(())
    }

    /// By rank: which clock it has. Ranks of one host share one.
    fn clocks(&self, processes: &[&Process]) -> Vec<u32> {
        let mut hosts: Vec<(Option<&str>, Option<&str>)> = Vec::new();
        let mut clock = |process: &Option<usize>| {
            let Some(process) = process.and_then(|at| processes.get(at)) else { return 0 };
            let host = (process.get("host"), process.get("boot"));
            match hosts.iter().position(|known| *known == host) {
                Some(at) => at as u32,
                None => {
                    hosts.push(host);
                    hosts.len() as u32 - 1
                }
            }
        };
        self.ranks.iter().map(&mut clock).collect()
    }
}
