//! Local definitions of a location: how its numbers and its clock are to be read.

use foldhash::{HashMap, HashMapExt};

use super::bytes::{Bytes, Wrong};
use super::chunks::{Chunks, END_OF_CHUNK, END_OF_FILE, Ended, Next, walk};
use crate::error::ImportError;
use crate::input::Input;

/// Kinds of numbers that have tables of their own.
const KINDS: usize = 15;
/// Regions among them.
pub const REGION: usize = 3;
/// Communicators among them.
pub const COMM: usize = 6;
/// Windows among them.
pub const WINDOW: usize = 8;
/// Calling contexts among them.
pub const CONTEXT: usize = 10;

/// From a location's numbers to those of the global definitions; what is not listed stays.
#[derive(Clone, Debug, Default)]
enum Table {
    #[default]
    Same,
    Dense(Vec<u32>),
    Sparse(HashMap<u64, u32>),
}

/// What is known of a location's numbers and clock.
#[derive(Clone, Debug, Default)]
pub struct Local {
    tables: [Table; KINDS],
    /// Times with what is to be added there.
    offsets: Vec<(u64, i64)>,
}

impl Local {
    /// Reads the local definitions of a location.
    pub fn read(input: &Input<'_>, chunk: Chunks) -> Result<Self, ImportError> {
        let mut local = Local::default();
        match walk(input, chunk, |bytes| local.records(bytes))? {
            Ended::Whole => Ok(local),
            Ended::Cut(at) => {
                Err(input.broken(at, "the definitions end without their mark: the file is cut short"))
            }
        }
    }

    fn records(&mut self, bytes: &mut Bytes<'_>) -> Result<Next, Wrong> {
        loop {
            let at = bytes.at();
            let code = bytes.u8()?;
            match code {
                END_OF_CHUNK => return Ok(Next::Chunk),
                END_OF_FILE => return Ok(Next::Nothing),
                _ => {}
            }
            let mut body = bytes.body()?;
            let read = match code {
                5 => self.table(&mut body),
                6 => self.offset(&mut body),
                _ => Ok(()),
            };
            read.map_err(|wrong| Wrong { at, what: format!("local definition {code}: {}", wrong.what) })?;
        }
    }

    fn table(&mut self, body: &mut Bytes<'_>) -> Result<(), Wrong> {
        let (kind, count, mode) = (body.u8()?, body.long()?, body.u8()?);
        let table = match mode {
            0 => {
                let mut list = Vec::new();
                for _ in 0..count {
                    list.push(body.long()? as u32);
                }
                Table::Dense(list)
            }
            1 => {
                let mut map = HashMap::new();
                for _ in 0..count {
                    let own = body.long()?;
                    map.insert(own, body.long()? as u32);
                }
                Table::Sparse(map)
            }
            _ => return body.wrong(format!("a table of the unknown mode {mode}")),
        };
        if let Some(entry) = self.tables.get_mut(usize::from(kind)) {
            *entry = table;
        }
        Ok(())
    }

    fn offset(&mut self, body: &mut Bytes<'_>) -> Result<(), Wrong> {
        let (time, offset) = (body.u64()?, body.long()? as i64);
        if self.offsets.last().is_some_and(|&(last, _)| last >= time) {
            return body.wrong("offsets of the clock that are not in the order of time");
        }
        self.offsets.push((time, offset));
        Ok(())
    }

    /// The global number that a number of this location stands for.
    #[inline]
    pub fn global(&self, kind: usize, own: u32) -> u32 {
        match &self.tables[kind] {
            Table::Same => own,
            Table::Dense(list) => list.get(own as usize).copied().unwrap_or(own),
            Table::Sparse(map) => map.get(&own.into()).copied().unwrap_or(own),
        }
    }

    /// The time by the clock that all locations share.
    #[inline]
    pub fn time(&self, time: u64) -> u64 {
        if self.offsets.len() < 2 { time } else { self.corrected(time) }
    }

    /// A line between two offsets: the first pair that ends at this time or later, else the last one.
    fn corrected(&self, time: u64) -> u64 {
        let last = self.offsets.len() - 1;
        let end = self.offsets[1..].partition_point(|&(end, _)| end < time) + 1;
        let end = end.min(last);
        let ((t0, o0), (t1, o1)) = (self.offsets[end - 1], self.offsets[end]);
        let slope = (o1.wrapping_sub(o0)) as f64 / t1.wrapping_sub(t0) as f64;
        let since = if time >= t0 { (time - t0) as f64 } else { -((t0 - time) as f64) };
        let shift = (slope * since).round_ties_even() as i64;
        time.wrapping_add(o0 as u64).wrapping_add(shift as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_corrected_by_lines_between_its_offsets() {
        let offsets = vec![(100, 10), (200, 30), (300, 30)];
        let local = Local { offsets, ..Local::default() };
        // Before, between and behind the offsets; halves are rounded to even.
        let corrected = [0, 100, 101, 150, 200, 250, 300, 900].map(|time| local.time(time));
        assert_eq!(corrected, [u64::MAX - 9, 110, 111, 170, 230, 280, 330, 930]);
        let one = Local { offsets: vec![(100, 10)], ..Local::default() };
        assert_eq!(one.time(500), 500);
    }
}
