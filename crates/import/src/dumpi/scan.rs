//! The first walk through the file of a rank: how many calls there are, what it says of communicators, whether it is what its name
//! says.

use crosscut_messages::communicators::Step;

use super::MOST_RANKS;
use super::decode::Version;
use super::file::{About, Ended, walk};
use super::handles::Handles;
use super::records::{IDS, RECORDS};
use crate::error::ImportError;
use crate::input::Input;

/// What the first walk found.
#[derive(Clone, Debug, Default)]
pub struct Scanned {
    /// Calls.
    pub calls: usize,
    /// What it says of communicators.
    pub steps: Vec<Step>,
    /// The size of the world, if it asked.
    pub world: Option<u32>,
    /// What is wrong with it, but not so that it could not be read.
    pub notes: Vec<String>,
    /// What is missing, if anything.
    pub missing: Option<String>,
    /// Whether some calls have no wall time.
    pub timeless: u64,
    /// Threads other than the first that called.
    pub threads: bool,
}

/// Walks through the file of a rank.
pub fn scan(input: &Input<'_>, about: &About, version: Version, rank: usize) -> Result<Scanned, ImportError> {
    let mut found = Scanned::default();
    let mut handles = Handles::new();
    let mut counts = vec![0u32; IDS];
    let mut ended = false;
    let end = walk(input, about, version, |record, decoded, _, at| {
        found.calls += 1;
        let count = &mut counts[usize::from(record.id)];
        *count = count.wrapping_add(1);
        found.timeless += u64::from(!decoded.has_wall);
        found.threads |= decoded.thread != 0;
        match record.id {
            82 if decoded.int(0) == 2 && decoded.int(1) != rank as i64 => {
                let other = decoded.int(1);
                let what =
                    format!("by its name this is the file of rank {rank}, but it is that of rank {other}");
                return Err(input.broken(at, what));
            }
            81 if decoded.int(0) == 2 => {
                let size = u32::try_from(decoded.int(1)).ok().filter(|size| (1..=MOST_RANKS).contains(size));
                let what = || input.broken(at, format!("a world of {} ranks", decoded.int(1)));
                found.world = Some(size.ok_or_else(what)?);
            }
            125 => ended = true,
            _ => {}
        }
        found.steps.extend(handles.step(decoded));
        Ok(())
    })?;
    let name = input.name();
    match end {
        Ended::Cut(at) => {
            found.missing =
                Some(format!("{name} ends at byte {at}: what rank {rank} did afterwards is missing"));
        }
        Ended::Whole if !about.closed => {
            let size = input.size();
            found.missing =
                Some(format!("{name} ends at byte {size}, behind its last record: its tables are missing"));
        }
        Ended::Whole if !ended => found.notes.push(format!("rank {rank} did not reach MPI_Finalize")),
        Ended::Whole => {}
    }
    if let Some(listed) = &about.counts
        && end == Ended::Whole
    {
        // What stands beside the functions, such as their sum, is not compared.
        let counted = RECORDS.iter().filter_map(|record| {
            let id = usize::from(record.id);
            Some((record.name, *counts.get(id)?, *listed.get(id)?))
        });
        if let Some((function, found_count, count)) =
            counted.into_iter().find(|(_, found, count)| found != count)
        {
            found.missing = Some(format!(
                "{name} has {found_count} records of {function}, but says that there were {count}"
            ));
        }
    }
    Ok(found)
}
