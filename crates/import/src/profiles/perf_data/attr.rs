//! What was measured: for each event what its samples hold, and what it is called.

use crosscut_calls::Unit;
use foldhash::{HashMap, HashMapExt};

use super::file::{File, Record};
use super::sample;
use crate::error::ImportError;
use crate::profiles::bytes::Bytes;

/// The first version of the description of an event has so many bytes.
const LEAST: usize = 64;
const FREQUENCY: u64 = 1 << 10;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const INHERIT: u64 = 1 << 1;

/// An event.
#[derive(Clone, Debug, Default)]
pub struct Attr {
    pub name: String,
    kind: u32,
    config: u64,
    /// So much is between two samples, or so many there are in a second.
    pub period: u64,
    pub sample_type: u64,
    pub read_format: u64,
    flags: u64,
    pub branch_type: u64,
    pub user_registers: u64,
}

impl Attr {
    /// From its description.
    fn read(record: &Record<'_>) -> Result<(Self, usize), ImportError> {
        let size = record.u32(4)? as usize;
        if size < LEAST || !size.is_multiple_of(8) {
            return Err(record.broken(format!("a description of an event of {size} bytes")));
        }
        record.slice(0, size)?;
        let later = |at: usize| if at + 8 <= size { record.u64(at) } else { Ok(0) };
        let mut attr = Attr {
            name: String::new(),
            kind: record.u32(0)?,
            config: record.u64(8)?,
            period: record.u64(0x10)?,
            sample_type: record.u64(0x18)?,
            read_format: record.u64(0x20)?,
            flags: record.u64(0x28)?,
            branch_type: later(0x48)?,
            user_registers: later(0x50)?,
        };
        attr.name = attr.known_name();
        Ok((attr, size))
    }

    /// What perf calls it.
    fn known_name(&self) -> String {
        const HARDWARE: [&str; 10] = [
            "cycles",
            "instructions",
            "cache-references",
            "cache-misses",
            "branches",
            "branch-misses",
            "bus-cycles",
            "stalled-cycles-frontend",
            "stalled-cycles-backend",
            "ref-cycles",
        ];
        const SOFTWARE: [&str; 10] = [
            "cpu-clock",
            "task-clock",
            "page-faults",
            "context-switches",
            "cpu-migrations",
            "minor-faults",
            "major-faults",
            "alignment-faults",
            "emulation-faults",
            "dummy",
        ];
        let names: &[&str] = match self.kind {
            0 => &HARDWARE,
            1 => &SOFTWARE,
            _ => &[],
        };
        let known = usize::try_from(self.config).ok().and_then(|config| names.get(config));
        known.map_or_else(|| format!("event {}:0x{:x}", self.kind, self.config), |name| (*name).to_owned())
    }

    /// What it counts: times are in nanoseconds.
    pub fn unit(&self) -> Unit {
        match (self.kind, self.config) {
            (1, 0 | 1) if self.has_period() => Unit::Ns,
            _ => Unit::Count,
        }
    }

    /// What a sample stands for, where it does not say so itself; each counts as one where that is not known.
    pub fn weight(&self) -> u64 {
        if self.flags & FREQUENCY == 0 { self.period.max(1) } else { 1 }
    }

    fn has_period(&self) -> bool {
        self.sample_type & sample::PERIOD != 0 || self.flags & FREQUENCY == 0 || self.has_counters()
    }

    /// Whether samples hold what counters say, and of which.
    fn has_counters(&self) -> bool {
        self.sample_type & sample::READ != 0 && self.read_format & sample::READ_ID != 0
    }

    /// Whether threads that are made later are counted too, each by a counter of its own under the same number.
    pub fn is_inherited(&self) -> bool {
        self.flags & INHERIT != 0
    }

    /// Whether other records end with the time and so on.
    pub fn has_times(&self) -> bool {
        self.flags & SAMPLE_ID_ALL != 0
    }
}

/// All events.
#[derive(Default)]
pub struct Attrs {
    pub list: Vec<Attr>,
    /// By the numbers that samples name them by.
    pub ids: HashMap<u64, usize>,
}

impl Attrs {
    /// Of a file; in a pipe they come later.
    pub fn of_file(file: &File<'_>) -> Result<Self, ImportError> {
        let mut attrs = Attrs { list: Vec::new(), ids: HashMap::new() };
        // Each event has its own numbers.
        let mut left = file.input.size();
        let count = file.attrs.size.checked_div(file.attr_size).unwrap_or(0);
        for number in 0..count {
            let at = file.attrs.at + number * file.attr_size;
            let bytes = Bytes::part(file.input, at, file.attr_size)?.big_endian(file.big);
            let body = bytes.slice(at, file.attr_size)?;
            let record =
                Record { input: file.input, kind: super::file::ATTR, misc: 0, body, big: file.big, at };
            let (attr, size) = Attr::read(&record)?;
            // Entries are as long as what perf knew, and end with where the numbers are.
            let place = body.len().checked_sub(16).filter(|place| *place >= size);
            let Some(place) = place else { return Err(record.broken("an event without its numbers")) };
            let (ids, len) = (record.u64(place)?, record.u64(place + 8)?);
            left = left.checked_sub(len).ok_or_else(|| record.broken("events that share their numbers"))?;
            let numbers = Bytes::part(file.input, ids, len)?.big_endian(file.big);
            for number in 0..len / 8 {
                attrs.ids.insert(numbers.u64(ids + number * 8)?, attrs.list.len());
            }
            attrs.list.push(attr);
        }
        for (name, ids) in file.event_names()? {
            let at = ids.iter().find_map(|id| attrs.ids.get(id)).copied();
            if let Some(attr) = at.and_then(|at| attrs.list.get_mut(at)).filter(|_| !name.is_empty()) {
                attr.name = name;
            }
        }
        Ok(attrs)
    }

    /// One more, in a pipe.
    pub fn add_record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let (attr, mut at) = Attr::read(record)?;
        while at + 8 <= record.body.len() {
            self.ids.insert(record.u64(at)?, self.list.len());
            at += 8;
        }
        self.list.push(attr);
        Ok(())
    }

    /// The event of a number; the only one where there is no number.
    pub fn get(&self, id: Option<u64>) -> Option<usize> {
        match id {
            Some(id) if self.list.len() > 1 => self.ids.get(&id).copied(),
            _ => Some(0).filter(|_| !self.list.is_empty()),
        }
    }
}
