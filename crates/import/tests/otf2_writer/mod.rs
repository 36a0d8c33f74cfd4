//! OTF2 archives, written record by record: as small as a test needs them.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::fs;
use std::path::Path;

/// No reference.
pub const UNDEFINED: u64 = u32::MAX as u64;
/// The paradigm of MPI.
pub const MPI: u8 = 4;
/// The kinds of locations.
pub const THREAD: u8 = 1;
pub const STREAM: u8 = 2;
pub const METER: u8 = 3;

/// A value of a record.
#[derive(Clone, Copy)]
pub enum Field<'a> {
    /// A compressed number of 32 bits.
    Short(u64),
    /// A compressed number of 64 bits.
    Long(u64),
    /// One byte.
    Byte(u8),
    /// Eight bytes.
    Whole(u64),
    /// A text.
    Text(&'a str),
}

pub use Field::{Byte, Long, Short, Text, Whole};

fn put(bytes: &mut Vec<u8>, field: Field<'_>) {
    let mut compressed = |value: u64, all: u64| match value {
        0 => bytes.push(0),
        value if value == all => bytes.push(0xff),
        value => {
            let count = (8 - value.leading_zeros() as usize / 8).max(1);
            bytes.push(count as u8);
            bytes.extend_from_slice(&value.to_le_bytes()[..count]);
        }
    };
    match field {
        Short(value) => compressed(value, UNDEFINED),
        Long(value) => compressed(value, u64::MAX),
        Byte(value) => bytes.push(value),
        Whole(value) => bytes.extend_from_slice(&value.to_le_bytes()),
        Text(text) => {
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(0);
        }
    }
}

fn record(bytes: &mut Vec<u8>, code: u8, fields: &[Field<'_>]) {
    let mut body = Vec::new();
    fields.iter().for_each(|&field| put(&mut body, field));
    assert!(body.len() < 255);
    bytes.extend_from_slice(&[code, body.len() as u8]);
    bytes.extend(body);
}

/// The events of a location.
#[derive(Default)]
pub struct Events {
    bytes: Vec<u8>,
    count: u64,
}

impl Events {
    /// An event at a time.
    pub fn at(&mut self, time: u64, code: u8, fields: &[Field<'_>]) -> &mut Self {
        self.count += 1;
        self.bytes.push(5);
        put(&mut self.bytes, Whole(time));
        match code {
            12 | 13 | 16 | 17 | 20 | 21 => {
                self.bytes.push(code);
                put(&mut self.bytes, fields[0]);
            }
            _ => record(&mut self.bytes, code, fields),
        }
        self
    }

    /// A region from one time to another.
    pub fn region(&mut self, region: u64, from: u64, to: u64) -> &mut Self {
        self.at(from, 12, &[Short(region)]).at(to, 13, &[Short(region)])
    }

    /// A send or a receive in a region, at its beginning or at its end; nanoseconds from one to the other.
    pub fn message(&mut self, sends: bool, region: u64, (from, to): (u64, u64), peer: u64) -> &mut Self {
        let fields = [Short(peer), Short(0), Short(7), Long(64)];
        self.at(from, 12, &[Short(region)]);
        self.at(if sends { from } else { to }, if sends { 14 } else { 18 }, &fields);
        self.at(to, 13, &[Short(region)])
    }
}

/// An archive of some ranks in a world; each is a process with one thread, whose number is the rank's.
pub struct Archive {
    definitions: Vec<u8>,
    strings: u64,
    regions: u64,
    contexts: u64,
    ranks: u64,
    locations: Vec<(u64, Events)>,
}

impl Archive {
    pub fn new(ranks: u64) -> Archive {
        let mut archive = Archive {
            definitions: Vec::new(),
            strings: 0,
            regions: 0,
            contexts: 0,
            ranks,
            locations: Vec::new(),
        };
        archive.define(5, &[Long(1_000_000_000), Long(0), Long(1 << 30)]);
        let name = archive.text("world");
        for rank in 0..ranks {
            archive.define(13, &[Short(rank), Short(name), Byte(1), Short(0)]);
            archive.location(rank, THREAD, rank);
        }
        let members = |first: Field<'static>| -> Vec<Field<'static>> {
            let mut fields = vec![first, Short(name), Byte(0), Short(ranks)];
            fields.extend((0..ranks).map(Long));
            fields
        };
        let world = [members(Short(0)), vec![Byte(4), Byte(MPI), Short(0)]].concat();
        let group = [members(Short(1)), vec![Byte(5), Byte(MPI), Short(0)]].concat();
        archive.define(18, &world);
        archive.define(18, &group);
        archive.define(22, &[Short(0), Short(name), Short(1), Short(UNDEFINED)]);
        archive
    }

    pub fn define(&mut self, code: u8, fields: &[Field<'_>]) {
        record(&mut self.definitions, code, fields);
    }

    pub fn text(&mut self, text: &str) -> u64 {
        self.strings += 1;
        self.define(10, &[Short(self.strings), Text(text)]);
        self.strings
    }

    /// A location of a process or an accelerator.
    pub fn location(&mut self, id: u64, kind: u8, group: u64) {
        let name = self.text(&format!("location {id}"));
        self.define(14, &[Long(id), Short(name), Byte(kind), Long(0), Short(group)]);
        self.locations.push((id, Events::default()));
    }

    /// A region of a paradigm.
    pub fn region(&mut self, name: &str, paradigm: u8) -> u64 {
        let (id, name) = (self.regions, self.text(name));
        self.regions += 1;
        let none = Short(UNDEFINED);
        let tail = [Short(name), Byte(0), Byte(paradigm), Short(0)];
        let head = [Short(id), Short(name), none, Byte(0), none, Short(0), Short(0)];
        self.define(15, &[&head[..], &tail].concat());
        id
    }

    /// A calling context of a region, in no other.
    pub fn context(&mut self, region: u64) -> u64 {
        let id = self.contexts;
        self.contexts += 1;
        self.define(34, &[Short(id), Short(region), Short(UNDEFINED), Short(UNDEFINED)]);
        id
    }

    pub fn of(&mut self, location: u64) -> &mut Events {
        &mut self.locations.iter_mut().find(|one| one.0 == location).unwrap().1
    }

    /// Writes all files into a folder.
    pub fn write(&self, folder: &Path) {
        let inside = folder.join("traces");
        fs::create_dir_all(&inside).unwrap();
        let mut anchor = vec![3, 0x42];
        anchor.extend_from_slice(b"OTF2\0");
        anchor.extend_from_slice(&[3, 2, 3, 0, 2]);
        for size in [1u64 << 20, 1 << 20] {
            put(&mut anchor, Whole(size));
        }
        anchor.extend_from_slice(&[1, 1]);
        for number in [self.locations.len() as u64, 0] {
            put(&mut anchor, Whole(number));
        }
        anchor.extend_from_slice(b"machine\0creator\0description\0");
        anchor.extend_from_slice(&[0; 4 + 8 + 4 + 4]);
        anchor.extend_from_slice(&[2, 1, 0]);
        fs::write(folder.join("traces.otf2"), anchor).unwrap();
        let file = |bytes: &[u8], last: u64| {
            let mut all = vec![3, 0x42];
            put(&mut all, Whole(1));
            put(&mut all, Whole(last));
            all.extend_from_slice(bytes);
            all.extend_from_slice(&[2, 1]);
            all
        };
        fs::write(folder.join("traces.def"), file(&self.definitions, 0)).unwrap();
        for (id, events) in &self.locations {
            fs::write(inside.join(format!("{id}.evt")), file(&events.bytes, events.count)).unwrap();
        }
    }
}
