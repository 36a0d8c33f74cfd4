//! Global definitions: what the numbers in events stand for.

use crosscut_calls::Kind;
use foldhash::{HashMap, HashSet};

use super::bytes::{Bytes, Wrong};
use super::chunks::{Chunks, END_OF_CHUNK, END_OF_FILE, Ended, Next, walk};
use crate::error::ImportError;
use crate::input::Input;

/// The paradigm of MPI.
const MPI: u8 = 4;
/// What users mark themselves.
const USER: u8 = 1;
/// The role of loops.
const LOOP: u8 = 3;
/// The role of regions that read or write files.
const FILE: u8 = 27;
/// Locations of measured values.
const METER: u8 = 3;
/// No reference.
pub const UNDEFINED: u32 = u32::MAX;

/// A function or another stretch of the program.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Its name, a string.
    pub name: u32,
    /// Its source file, a string.
    pub file: u32,
    /// Where in it; 0 when not known.
    pub line: i64,
    role: u8,
    paradigm: u8,
}

impl Region {
    /// What it is in a call tree.
    pub fn kind(&self) -> Kind {
        match (self.role, self.paradigm) {
            (LOOP, _) => Kind::Loop,
            (_, USER) => Kind::Region,
            _ => Kind::Function,
        }
    }

    /// Whether it reads or writes files.
    pub fn is_file(&self) -> bool {
        self.role == FILE
    }
}

/// The function of MPI that a region is, by its name: writers name the paradigm of other regions so, too, and some write
/// `MPI_Send()`. What is called by its second name is the same function.
pub fn mpi_name(region: &str) -> Option<&str> {
    let name = region.trim();
    let name = name.strip_suffix("()").unwrap_or(name).trim_end();
    let name = name.strip_prefix('P').unwrap_or(name);
    let word = name.strip_prefix("MPI_")?;
    word.starts_with(|first: char| first.is_ascii_uppercase()).then_some(name)
}

/// A thread of the program, or something else with events of its own.
#[derive(Clone, Copy, Debug)]
pub struct Location {
    /// Its number.
    pub id: u64,
    /// Its process.
    pub group: u32,
}

/// What kind of group it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// The locations of all ranks.
    World,
    /// Ranks.
    Ranks,
    /// Each rank by itself.
    Itself,
    /// Something else.
    Other,
}

/// A group.
#[derive(Clone, Debug)]
pub struct Group {
    /// What kind.
    pub kind: GroupKind,
    /// Its members.
    pub members: Vec<u64>,
    /// Events name its members by their world ranks.
    pub global: bool,
}

/// A communicator.
#[derive(Clone, Copy, Debug)]
pub struct Comm {
    /// Its number.
    pub id: u32,
    /// Its name, a string.
    pub name: u32,
    /// Its group.
    pub group: u32,
    /// The other side, where it has two.
    pub other: Option<u32>,
    /// Of which it was made.
    pub parent: u32,
}

/// All that is used of the definitions.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// Ticks per second.
    pub ticks: u64,
    /// The first time.
    pub first: u64,
    /// Texts by number.
    pub strings: HashMap<u32, String>,
    /// Regions by number.
    pub regions: HashMap<u32, Region>,
    /// Locations, in the order of the file.
    pub locations: Vec<Location>,
    /// Their numbers: the files of each are read once.
    location_ids: HashSet<u64>,
    /// By number of a process: the node of the machine it ran on.
    pub processes: HashMap<u32, u32>,
    /// By number of an accelerator: the process that uses it.
    pub accelerators: HashMap<u32, u32>,
    /// Locations of measured values alone, without anything that ran.
    pub meters: u64,
    /// Groups by number.
    pub groups: HashMap<u32, Group>,
    /// Communicators, in the order of the file.
    pub comms: Vec<Comm>,
    /// By number of a window: its communicator.
    pub windows: HashMap<u32, u32>,
    /// By number of a calling context: its region, and the context that it is in.
    pub contexts: HashMap<u32, (u32, u32)>,
    /// Definitions that are not known.
    pub unknown: u64,
}

impl Definitions {
    /// Reads the file of global definitions, which must be whole.
    pub fn read(input: &Input<'_>, chunk: Chunks) -> Result<Self, ImportError> {
        let mut all = Definitions { ticks: 1_000_000_000, ..Definitions::default() };
        match walk(input, chunk, |bytes| all.records(bytes))? {
            Ended::Whole => Ok(all),
            Ended::Cut(at) => {
                Err(input.broken(at, "the definitions end without their mark: the file is cut short"))
            }
        }
    }

    /// A text.
    pub fn text(&self, string: u32) -> &str {
        self.strings.get(&string).map_or("", String::as_str)
    }

    fn records(&mut self, bytes: &mut Bytes<'_>) -> Result<Next, Wrong> {
        loop {
            let at = bytes.at();
            match bytes.u8()? {
                END_OF_CHUNK => return Ok(Next::Chunk),
                END_OF_FILE => return Ok(Next::Nothing),
                code => {
                    let read = self.record(code, &mut bytes.body()?);
                    read.map_err(|wrong| Wrong { at, what: format!("definition {code}: {}", wrong.what) })?;
                }
            }
        }
    }

    fn record(&mut self, code: u8, body: &mut Bytes<'_>) -> Result<(), Wrong> {
        match code {
            5 => {
                let ticks = body.long()?;
                if ticks == 0 {
                    return body.wrong("a clock without ticks");
                }
                (self.ticks, self.first) = (ticks, body.long()?);
            }
            10 => {
                let id = body.short()?;
                self.strings.insert(id, body.text()?);
            }
            13 => {
                let (id, _name, _kind) = (body.short()?, body.short()?, body.u8()?);
                self.processes.insert(id, body.short()?);
                if !body.is_at_end() {
                    let process = body.short()?;
                    if process != UNDEFINED {
                        self.accelerators.insert(id, process);
                    }
                }
            }
            14 => {
                let (id, _name, kind) = (body.long()?, body.short()?, body.u8()?);
                let (_events, group) = (body.long()?, body.short()?);
                if !self.location_ids.insert(id) {
                    return body.wrong(format!("a second location {id}"));
                }
                match kind {
                    METER => self.meters += 1,
                    _ => self.locations.push(Location { id, group }),
                }
            }
            15 => self.region(body)?,
            18 => self.group(body)?,
            22 => {
                let (id, name, group) = (body.short()?, body.short()?, body.short()?);
                self.comms.push(Comm { id, name, group, other: None, parent: body.short()? });
            }
            43 => {
                let (id, name, group) = (body.short()?, body.short()?, body.short()?);
                let (other, parent) = (Some(body.short()?), body.short()?);
                self.comms.push(Comm { id, name, group, other, parent });
            }
            24 => {
                let (id, _name) = (body.short()?, body.short()?);
                self.windows.insert(id, body.short()?);
            }
            34 => {
                let (id, region, _position) = (body.short()?, body.short()?, body.short()?);
                self.contexts.insert(id, (region, body.short()?));
            }
            // The rest describes machines, metrics, parameters, topologies, files and how samples were taken.
            6..=12 | 16 | 17 | 19..=21 | 23 | 25..=33 | 35..=42 => {}
            _ => self.unknown += 1,
        }
        Ok(())
    }

    fn region(&mut self, body: &mut Bytes<'_>) -> Result<(), Wrong> {
        let (id, name, _description) = (body.short()?, body.short()?, body.short()?);
        let _legacy = body.u8()?;
        let (file, begin, _end) = (body.short()?, body.short()?, body.short()?);
        let line = if begin == UNDEFINED { 0 } else { i64::from(begin) };
        let mut region = Region { name, file, line, ..Region::default() };
        // Before version 1.1 that is all.
        if !body.is_at_end() {
            let _canonical = body.short()?;
            (region.role, region.paradigm) = (body.u8()?, body.u8()?);
        }
        self.regions.insert(id, region);
        Ok(())
    }

    fn group(&mut self, body: &mut Bytes<'_>) -> Result<(), Wrong> {
        let (id, _name, legacy) = (body.short()?, body.short()?, body.u8()?);
        let count = body.short()?;
        let mut members = Vec::new();
        for _ in 0..count {
            members.push(body.long()?);
        }
        let (kind, paradigm, flags) = match body.is_at_end() {
            // The types of before version 1.2.
            true => (
                match legacy {
                    4 => 5,
                    5 => 6,
                    6 => 4,
                    _ => 0,
                },
                MPI,
                0,
            ),
            false => (body.u8()?, body.u8()?, body.short()?),
        };
        let kind = match (kind, paradigm) {
            (4, MPI) => GroupKind::World,
            (5, MPI) => GroupKind::Ranks,
            (6, MPI) => GroupKind::Itself,
            _ => GroupKind::Other,
        };
        self.groups.insert(id, Group { kind, members, global: flags & 1 != 0 });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_defined_once() {
        let mut definitions = Definitions::default();
        // Number, name, kind, events, process: numbers behind their lengths.
        let location = |id| [1, id, 1, 0, 1, 1, 0, 1, 0];
        let mut define = |id| definitions.record(14, &mut Bytes::new(&location(id), false));
        assert!(define(5).is_ok() && define(6).is_ok());
        assert!(define(5).unwrap_err().what.contains("a second location 5"));
    }
}
