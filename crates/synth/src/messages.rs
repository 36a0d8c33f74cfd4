//! Runs of messages: programs of ranks that compute and exchange, step by step, simulated with the times of a network.
//!
//! Every rank computes, then does the exchange of the step; a receive is over when its message has arrived. Who is late
//! makes those late who need it, so a late rank spreads as it does in a real program. Nothing is held in memory but one time
//! for each rank and what a run keeps of its messages until it is whole.

mod dumpi;
mod exchange;
mod simulate;
mod write;

use std::path::Path;
use std::str::FromStr;

use crosscut_run::{Run, RunWriter};

pub use exchange::Exchange;

use crate::error::SynthError;

/// A wish for a run of messages. Equal options make equal runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageOptions {
    /// What the ranks do, step by step; begun again when it is through.
    pub exchanges: Vec<Exchange>,
    /// Number of ranks.
    pub ranks: u32,
    /// Number of steps.
    pub steps: u32,
    /// Where chance starts.
    pub seed: u64,
    /// Work of a rank before each step, in nanoseconds.
    pub work: i64,
    /// By how many percent the work may be more or less.
    pub noise: u32,
    /// Size of a message; of collectives, what each rank gives.
    pub bytes: i64,
    /// Ranks that are late.
    pub late: Vec<Late>,
    /// How far the clocks of hosts may be wrong, in nanoseconds.
    pub skew: i64,
    /// Ranks of a host: they share its clock.
    pub hosts_of: u32,
}

/// A rank that is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    /// Which.
    pub rank: u32,
    /// In which step, from 0 on; in all of them where none is named.
    pub step: Option<u32>,
    /// How much longer it computes, in nanoseconds.
    pub by: i64,
}

impl Default for MessageOptions {
    fn default() -> Self {
        MessageOptions {
            exchanges: vec![Exchange::Halo],
            ranks: 64,
            steps: 24,
            seed: 1,
            work: 1_000_000,
            noise: 5,
            bytes: 65_536,
            late: Vec::new(),
            skew: 0,
            hosts_of: 16,
        }
    }
}

/// The most ranks, as the reader of DUMPI has it.
const MAX_RANKS: u32 = 1 << 20;
/// The longest work and the largest message: their sums still fit.
const MAX_NUMBER: i64 = 1 << 40;

impl MessageOptions {
    /// The exchange of a step.
    pub fn exchange(&self, step: u32) -> Exchange {
        let count = self.exchanges.len().max(1);
        self.exchanges.get(step as usize % count).copied().unwrap_or(Exchange::Barrier)
    }

    /// Which stage of its exchange a step is: how many of the same kind stand right before it.
    pub fn stage(&self, step: u32) -> u32 {
        let count = self.exchanges.len().max(1);
        let at = step as usize % count;
        let exchange = self.exchange(step);
        if self.exchanges.iter().all(|&other| other == exchange) || exchange == Exchange::Random {
            return step;
        }
        self.exchanges[..at].iter().rev().take_while(|&&other| other == exchange).count() as u32
    }

    fn check(&self) -> Result<(), SynthError> {
        if !(2..=MAX_RANKS).contains(&self.ranks) {
            return Err(SynthError::Ranks { asked: self.ranks, limit: MAX_RANKS });
        }
        if self.noise > 100 {
            return Err(SynthError::Jitter(self.noise));
        }
        if let Some(late) = self.late.iter().find(|late| late.rank >= self.ranks) {
            return Err(SynthError::LateRank { rank: late.rank, ranks: self.ranks });
        }
        let most = self.late.iter().map(|late| late.by);
        let (least, most) = (most.clone().min().unwrap_or(0), most.fold(0, i64::saturating_add));
        let numbers = [self.work, self.skew, self.bytes, least, most];
        if let Some(&number) = numbers.iter().find(|number| !(0..=MAX_NUMBER).contains(*number)) {
            return Err(SynthError::Number { asked: number, limit: MAX_NUMBER });
        }
        Ok(())
    }
}

/// A sequence of exchanges, such as `halo*8,radix-4,allreduce`.
pub fn exchanges(text: &str) -> Result<Vec<Exchange>, String> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let (word, times) = match part.split_once('*') {
            Some((word, times)) => {
                let times: usize = times.trim().parse().unwrap_or(0);
                if !(1..=10_000).contains(&times) {
                    return Err(format!("`{part}` is not EXCHANGE*TIMES, such as halo*8"));
                }
                (word, times)
            }
            None => (part, 1),
        };
        all.extend(std::iter::repeat_n(Exchange::from_str(word.trim())?, times));
    }
    Ok(all)
}

/// Makes a run of messages under this name. `progress` hears how many steps of how many are done. Fails when something
/// has that name already, and leaves nothing behind when it fails.
pub fn messages(
    target: &Path,
    options: &MessageOptions,
    progress: &dyn Fn(u64, u64),
) -> Result<Run, SynthError> {
    options.check()?;
    let mut run = RunWriter::create(target)?;
    write::write(&mut run, options, progress)?;
    Ok(run.finish()?)
}

/// Writes the same as DUMPI files into a folder, which is made if it is not there: `synth-0000.bin` and so on, `synth.meta`.
pub fn dumpi(folder: &Path, options: &MessageOptions, progress: &dyn Fn(u64, u64)) -> Result<(), SynthError> {
    options.check()?;
    dumpi::write(folder, options, progress)
}
