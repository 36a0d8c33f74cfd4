//! DUMPI traces: one binary file for each rank, `PREFIX-0000.bin` and so on, and `PREFIX.meta`.
//!
//! Files are read twice, in parallel and as streams: first for how many calls there are and which communicators were made, then for
//! the calls themselves, which go straight into the run. What is in memory meanwhile is told in `crosscut_messages`.

mod decode;
#[cfg(test)]
mod dump_test;
mod file;
mod fill;
mod handles;
mod records;
mod scan;
mod trace;
mod types;

use crosscut_messages::communicators::resolve;
use crosscut_messages::{Builder, Done, Function, Whole};
use crosscut_run::RunWriter;
use foldhash::HashMap;
use rayon::prelude::*;

use self::decode::Version;
use self::file::About;
use self::records::RECORDS;
use self::scan::Scanned;
use self::trace::{RankFile, Trace};
use crate::error::ImportError;
use crate::inputs::Inputs;
use crate::partial;
use crate::reader::{Confidence, Options, Reader};

/// No machine has more; a file that says so is damaged.
const MOST_RANKS: u32 = 1 << 22;
/// What is read when neither a header nor a description says who wrote the files.
const NEWEST: Version = [u8::MAX; 3];
/// So many ranks are listed.
const FEW: usize = 8;

/// The reader.
pub struct Dumpi;

/// Decodes all records of a trace, one file after the other, and says how many there are: what reading costs before
/// anything is made of it.
pub fn decode(inputs: &Inputs<'_>) -> Result<u64, ImportError> {
    let trace = Trace::find(inputs)?;
    let mut calls = 0;
    for file in &trace.files {
        let input = file.open(inputs)?;
        let about = About::read(&input)?;
        let version = versions(&trace, std::slice::from_ref(&about)).first().copied().unwrap_or(NEWEST);
        file::walk(&input, &about, version, |_, _, _, _| {
            calls += 1;
            Ok(())
        })?;
    }
    Ok(calls)
}

impl Reader for Dumpi {
    fn name(&self) -> &'static str {
        "dumpi"
    }

    fn title(&self) -> &'static str {
        "DUMPI, the files of all ranks or their .meta file"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        Ok(if Trace::is_in(inputs)? { Confidence::CERTAIN } else { Confidence::NONE })
    }

    fn gathers(&self, inputs: &Inputs<'_>) -> bool {
        Trace::is_one(inputs.paths())
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let trace = Trace::find(inputs)?;
        let abouts: Vec<About> =
            trace.files.par_iter().map(|file| About::read(&file.open(inputs)?)).collect::<Result<_, _>>()?;
        let versions = versions(&trace, &abouts);
        let scanned: Vec<Scanned> = (&trace.files, &abouts, &versions)
            .into_par_iter()
            .map(|(file, about, &version)| {
                scan::scan(&file.open(inputs)?, about, version, file.rank as usize)
            })
            .collect::<Result<_, _>>()?;
        let world = world(&trace, &scanned)?;
        let mut steps = vec![Vec::new(); world];
        let mut calls = vec![0; world];
        let mut clocks = Clocks::default();
        let mut clock_of: Vec<u32> = vec![0; world];
        let (mut missing, mut notes) = (missing_ranks(&trace, world), trace.notes.clone());
        for ((file, about), found) in trace.files.iter().zip(&abouts).zip(scanned) {
            let rank = file.rank as usize;
            calls[rank] = found.calls;
            steps[rank] = found.steps;
            clock_of[rank] = clocks.of(&about.host, file.rank);
            missing.extend(found.missing);
            notes.extend(found.notes);
            if found.timeless > 0 {
                notes.push(format!("{} calls of rank {rank} have no time", found.timeless));
            }
            if found.threads {
                notes.push(format!("several threads of rank {rank} called MPI; they count as one"));
            }
        }
        let resolved = resolve(&steps);
        drop(steps);
        notes.extend(resolved.notes.iter().cloned());
        let mut builder = Builder::new(run, &calls)?;
        let mut writers: Vec<Option<_>> = builder.ranks().into_iter().map(Some).collect();
        let jobs: Vec<_> = trace
            .files
            .iter()
            .zip(abouts.iter().zip(&versions))
            .filter_map(|(file, about)| Some((file, about, writers[file.rank as usize].take()?)))
            .collect();
        let filled: Vec<(u32, Done)> = jobs
            .into_par_iter()
            .map(|(file, (about, &version), writer)| {
                let input = file.open(inputs)?;
                let done = fill::fill(&input, (about, version), file.rank, &resolved, writer)?;
                Ok((file.rank, done))
            })
            .collect::<Result<_, ImportError>>()?;
        drop(writers);
        let mut done = vec![Done::default(); world];
        for (rank, of_rank) in filled {
            done[rank as usize] = of_rank;
        }
        let functions = RECORDS.iter().map(|record| Function::named(record.name)).collect();
        run.manifest().partial = partial::label(&missing, inputs);
        notes.extend(missing);
        let notes = partial::few(notes);
        let whole = Whole { comms: resolved.comms, functions, clocks: clock_of, notes, ..Whole::default() };
        let doubt = builder.finish(run, done, whole)?;
        partial::doubted(doubt, run, inputs);
        Ok(())
    }
}

/// Ranks of one host have one clock.
#[derive(Default)]
struct Clocks(HashMap<String, u32>);

impl Clocks {
    /// The clock of a host; a rank whose host is not known has its own.
    fn of(&mut self, host: &str, rank: u32) -> u32 {
        let name = if host.is_empty() { format!("\0{rank}") } else { host.to_owned() };
        let next = self.0.len() as u32;
        *self.0.entry(name).or_insert(next)
    }
}

/// The version of each file: what its header says, else the description, else the others.
fn versions(trace: &Trace, abouts: &[About]) -> Vec<Version> {
    let other = abouts.iter().find_map(|about| about.version);
    let usual = trace.version.or(other).unwrap_or(NEWEST);
    abouts.iter().map(|about| about.version.unwrap_or(usual)).collect()
}

/// The number of ranks; an error where files do not belong together.
fn world(trace: &Trace, scanned: &[Scanned]) -> Result<usize, ImportError> {
    let last = trace.files.iter().map(|file| file.rank + 1).max().unwrap_or(0);
    let mut world = trace.ranks;
    for (RankFile { path, rank, .. }, found) in trace.files.iter().zip(scanned) {
        let Some(size) = found.world else { continue };
        match world {
            Some(known) if known != size => {
                let what = format!(
                    "rank {rank} counts {size} ranks, but the others count {known}: these files are not of one run"
                );
                return Err(ImportError::Broken { path: path.clone(), offset: 0, record: None, what });
            }
            _ => world = Some(size),
        }
    }
    let world = world.unwrap_or(last);
    match trace.files.iter().find(|file| file.rank >= world) {
        Some(RankFile { path, rank, .. }) => {
            let what = format!("rank {rank} of a run with {world} ranks: these files are not of one run");
            Err(ImportError::Broken { path: path.clone(), offset: 0, record: None, what })
        }
        None => Ok(world as usize),
    }
}

fn missing_ranks(trace: &Trace, world: usize) -> Vec<String> {
    let mut there = vec![false; world];
    for file in &trace.files {
        there[file.rank as usize] = true;
    }
    let missing: Vec<String> =
        there.iter().enumerate().filter(|(_, there)| !**there).map(|(rank, _)| rank.to_string()).collect();
    match missing.len() {
        0 => Vec::new(),
        1..=FEW => vec![format!("no file of rank {}", missing.join(", "))],
        count => vec![format!("no files of {count} of {world} ranks, the first of them rank {}", missing[0])],
    }
}
