//! Runs of calls: a program of thirty modules as a calling context tree of any size, with values for any number of ranks. One module
//! may take longer on chosen ranks; then all others wait for the slowest in a barrier, as real programs do.
//!
//! Values are made from the numbers of node and rank, straight into the run's columns: memory does not grow with the ranks.

use std::path::Path;

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_chance::{Chance, mix, scale};
use crosscut_run::{Run, RunWriter};

use crate::error::SynthError;

/// A wish for a run of calls. Equal options make equal runs.
#[derive(Clone, Debug, PartialEq)]
pub struct CallOptions {
    /// Number of call paths.
    pub nodes: u64,
    /// Number of ranks.
    pub ranks: u32,
    /// Where chance starts.
    pub seed: u64,
    /// Ranks on which one module takes longer.
    pub slow: Vec<u32>,
    /// The module.
    pub module: String,
    /// By how many percent it takes longer there.
    pub by: u32,
    /// By how many percent values differ from rank to rank.
    pub noise: u32,
}

impl Default for CallOptions {
    fn default() -> Self {
        CallOptions {
            nodes: 10_000,
            ranks: 16,
            seed: 1,
            slow: Vec::new(),
            module: "eos".to_owned(),
            by: 190,
            noise: 3,
        }
    }
}

/// Modules of the program, callers before what they call.
pub const MODULES: [&str; 30] = [
    "app",
    "driver",
    "physics",
    "hydro",
    "eos",
    "transport",
    "turbulence",
    "chemistry",
    "radiation",
    "mesh",
    "geometry",
    "boundary",
    "solver",
    "hypre",
    "struct_ls",
    "struct_mv",
    "linear",
    "fft",
    "blas",
    "lapack",
    "output",
    "restart",
    "hdf5",
    "comm",
    "utilities",
    "timers",
    "memory",
    "libmpi",
    "libpsm2",
    "libc",
];
/// Functions of each.
const FUNCTIONS: usize = 12;
/// Levels of calls at most.
const DEEP: usize = 24;
/// The most ranks.
const MAX_RANKS: u32 = 1 << 20;
/// The most nodes: their ids have 32 bits.
const MAX_NODES: u64 = 1 << 31;

impl CallOptions {
    fn check(&self) -> Result<(), SynthError> {
        if self.nodes == 0 {
            return Err(SynthError::NoNodes);
        }
        if self.nodes > MAX_NODES {
            return Err(SynthError::TooManyNodes { asked: self.nodes, limit: MAX_NODES });
        }
        if !(1..=MAX_RANKS).contains(&self.ranks) {
            return Err(SynthError::CallRanks { asked: self.ranks, limit: MAX_RANKS });
        }
        if self.noise > 100 {
            return Err(SynthError::Jitter(self.noise));
        }
        if let Some(&rank) = self.slow.iter().find(|&&rank| rank >= self.ranks) {
            return Err(SynthError::LateRank { rank, ranks: self.ranks });
        }
        if !MODULES.contains(&self.module.as_str()) {
            return Err(SynthError::Module { asked: self.module.clone() });
        }
        Ok(())
    }
}

/// What each node takes on a rank without noise, and whether its module is the slow one.
struct Program {
    weight: Vec<(i64, bool)>,
    /// The node in which ranks wait for the slowest.
    barrier: u32,
}

/// Makes a run of calls under this name. `progress` hears how many ranks of how many are done.
pub fn calls(target: &Path, options: &CallOptions, progress: &dyn Fn(u64, u64)) -> Result<Run, SynthError> {
    options.check()?;
    let mut run = RunWriter::create(target)?;
    let mut builder = Builder::new("made by crosscut synth");
    builder.metric("time", Unit::Ns, Given::Own);
    for rank in 0..options.ranks {
        builder.place(i64::from(rank), 0);
    }
    let program = program(&mut builder, options)?;
    let mut slow = vec![false; options.ranks as usize];
    for &rank in &options.slow {
        slow[rank as usize] = true;
    }
    let spent =
        |rank: u32| (0..program.weight.len()).map(|node| value(&program, options, &slow, node, rank)).sum();
    let spent: Vec<i64> = (0..options.ranks).map(spent).collect();
    let slowest = spent.iter().copied().max().unwrap_or(0);
    builder.finish_filled(&mut run, &mut |_, rank, values| {
        for (node, slot) in values.iter_mut().enumerate() {
            *slot = value(&program, options, &slow, node, rank);
        }
        if let (Some(slot), Some(spent)) =
            (values.get_mut(program.barrier as usize), spent.get(rank as usize))
        {
            *slot += slowest - spent;
        }
        progress(u64::from(rank) + 1, u64::from(options.ranks));
    })?;
    Ok(run.finish()?)
}

fn value(program: &Program, options: &CallOptions, slow: &[bool], node: usize, rank: u32) -> i64 {
    let Some(&(weight, of_module)) = program.weight.get(node).filter(|(weight, _)| *weight > 0) else {
        return 0;
    };
    let random = mix(options.seed ^ (node as u64) << 24 ^ u64::from(rank));
    let noise = scale(random, u64::from(2 * options.noise + 1)) as i64 - i64::from(options.noise);
    let more = if of_module && slow.get(rank as usize) == Some(&true) { i64::from(options.by) } else { 0 };
    weight * (100 + noise) * (100 + more) / 10_000
}

/// A random walk through calls: back up some levels, then down into a function of the same module, of one below it, or, as callbacks
/// do, of one above it. A call path that is there already is walked again.
fn program(builder: &mut Builder, options: &CallOptions) -> Result<Program, SynthError> {
    let frames: Vec<u32> = (0..MODULES.len() * FUNCTIONS)
        .map(|function| {
            let module = MODULES[function / FUNCTIONS];
            let name = if function == 0 {
                "main".to_owned()
            } else {
                format!("{module}::f{}", function % FUNCTIONS)
            };
            builder.frame(Frame {
                module: module.to_owned(),
                file: format!("{module}.cpp"),
                ..Frame::function(name)
            })
        })
        .collect();
    let of = |module: &str, name: &str| Frame { module: module.to_owned(), ..Frame::function(name) };
    let [barrier, poll] = [of("libmpi", "MPI_Barrier"), of("libpsm2", "psm2_mq_ipeek_poll")];
    let main = builder.node(0, frames[0])?;
    let (barrier, poll) = (builder.frame(barrier), builder.frame(poll));
    let barrier = builder.node(main, barrier)?;
    let barrier = builder.node(barrier, poll)?;
    let mut chance = Chance::new(options.seed);
    let mut weight: Vec<(i64, bool)> = vec![(0, false), (1_000, false), (0, false), (0, false)];
    let mut path = vec![(main, 0usize)];
    while (weight.len() as u64) <= options.nodes {
        let up = chance.index(path.len().min(4) + 1).min(path.len() - 1);
        path.truncate((path.len() - up).min(DEEP));
        let (above, module) = path[path.len() - 1];
        let next = match chance.below(100) {
            0..60 => module,
            60..97 => module + 1 + chance.index((MODULES.len() - module - 1).clamp(1, 6)),
            _ => chance.index(module + 1),
        };
        let next = next.min(MODULES.len() - 1);
        let function = next * FUNCTIONS + chance.index(FUNCTIONS);
        let node = builder.node(above, frames[function])?;
        if node as usize == weight.len() {
            let of_module = MODULES[next] == options.module;
            weight.push((chance.within(1_000, 100_000), of_module));
        }
        if path.len() < DEEP {
            path.push((node, next));
        }
    }
    Ok(Program { weight, barrier })
}
