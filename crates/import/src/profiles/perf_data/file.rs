//! The file as a list of records: in a file that perf wrote to disk they are in the middle, in one that it wrote into a pipe they
//! are all there is. Packed records are unpacked on the way.

use crosscut_run::unpack;
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::SWAPPED;
use crate::error::ImportError;
use crate::input::Input;
use crate::profiles::bytes::Bytes;

/// A record that says what was measured, in a pipe.
pub const ATTR: u32 = 64;
const TRACING_DATA: u32 = 66;
const AUXTRACE: u32 = 71;
const FEATURE: u32 = 80;
const COMPRESSED: u32 = 81;
const COMPRESSED2: u32 = 83;
/// Features.
const BUILD_IDS: u64 = 2;
const EVENTS: u64 = 12;
/// Bytes of a record's header.
const HEADER: u64 = 8;
/// Bytes per read.
const PIECE: u64 = 1 << 20;

/// A part of the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Section {
    pub at: u64,
    pub size: u64,
}

/// An open file.
pub struct File<'a> {
    pub input: &'a Input<'a>,
    pub big: bool,
    /// In a file: what was measured, and the size of each entry.
    pub attrs: Section,
    pub attr_size: u64,
    data: Section,
    features: Vec<(u64, Section)>,
}

/// A record.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    pub input: &'a Input<'a>,
    pub kind: u32,
    pub misc: u16,
    /// What it says, without its header.
    pub body: &'a [u8],
    pub big: bool,
    /// Where it is in the file; of a packed one, where what it is packed in is.
    pub at: u64,
}

impl Record<'_> {
    /// Bytes at a place in the body.
    pub fn slice(&self, at: usize, len: usize) -> Result<&[u8], ImportError> {
        let range = at.checked_add(len).map(|end| at..end);
        range.and_then(|range| self.body.get(range)).ok_or_else(|| {
            let what = format!("a record {} that ends before its byte {}", self.kind, at.saturating_add(len));
            self.broken(what)
        })
    }

    fn number(&self, at: usize, len: usize) -> Result<u64, ImportError> {
        let bytes = self.slice(at, len)?;
        let join = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
        Ok(if self.big { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) })
    }

    /// A number of four bytes.
    pub fn u32(&self, at: usize) -> Result<u32, ImportError> {
        Ok(self.number(at, 4)? as u32)
    }

    /// A number of eight bytes.
    pub fn u64(&self, at: usize) -> Result<u64, ImportError> {
        self.number(at, 8)
    }

    /// A text up to a zero byte or the end.
    pub fn text(&self, at: usize) -> String {
        let rest = self.body.get(at..).unwrap_or_default();
        String::from_utf8_lossy(rest.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned()
    }

    /// An error in the record.
    pub fn broken(&self, what: impl Into<String>) -> ImportError {
        self.input.broken(self.at, what)
    }
}

impl<'a> File<'a> {
    /// Reads the header.
    pub fn open(input: &'a Input<'a>) -> Result<Self, ImportError> {
        let head = Bytes::part(input, 0, input.size().min(104))?;
        let big = head.slice(0, 8)? == SWAPPED;
        let head = head.big_endian(big);
        let size = head.u64(8)?;
        if size == 16 {
            let data = Section { at: 16, size: input.size() - 16 };
            return Ok(File {
                input,
                big,
                attrs: Section::default(),
                attr_size: 0,
                data,
                features: Vec::new(),
            });
        }
        if size < 104 {
            return Err(input.broken(8, format!("a header of {size} bytes")));
        }
        let section = |at: u64| -> Result<Section, ImportError> {
            let section = Section { at: head.u64(at)?, size: head.u64(at + 8)? };
            let is_inside = section.at.checked_add(section.size).is_some_and(|end| end <= input.size());
            if !is_inside {
                let what = format!("a part of {} bytes at byte {}, behind the end", section.size, section.at);
                return Err(input.broken(at, what));
            }
            Ok(section)
        };
        let (attrs, data) = (section(24)?, section(40)?);
        if data.size == 0 {
            return Err(input.broken(48, "there are no records in it: perf did not end as it should"));
        }
        let mut file = File { input, big, attrs, attr_size: head.u64(16)?, data, features: Vec::new() };
        let mut next = data.at + data.size;
        for bit in 0..256 {
            if head.u64(72 + bit / 64 * 8)? >> (bit % 64) & 1 == 1 {
                let entry = Bytes::part(input, next, 16)?.big_endian(big);
                file.features.push((bit, Section { at: entry.u64(next)?, size: entry.u64(next + 8)? }));
                next += 16;
            }
        }
        Ok(file)
    }

    fn feature(&self, bit: u64) -> Result<Option<(Section, Bytes<'a>)>, ImportError> {
        let Some(&(_, section)) = self.features.iter().find(|(other, _)| *other == bit) else {
            return Ok(None);
        };
        let bytes = Bytes::part(self.input, section.at, section.size)?.big_endian(self.big);
        Ok(Some((section, bytes)))
    }

    /// The names of the events, each with the numbers that samples name it by.
    pub fn event_names(&self) -> Result<Vec<(String, Vec<u64>)>, ImportError> {
        let Some((section, bytes)) = self.feature(EVENTS)? else { return Ok(Vec::new()) };
        let (count, size) = (bytes.u32(section.at)?, u64::from(bytes.u32(section.at + 4)?));
        let (mut at, mut events) = (section.at + 8, Vec::new());
        for _ in 0..count {
            at = at.saturating_add(size);
            let (ids, len) = (u64::from(bytes.u32(at)?), u64::from(bytes.u32(at.saturating_add(4))?));
            let name = bytes.slice(at + 8, len)?.split(|&byte| byte == 0).next().unwrap_or_default();
            let name = String::from_utf8_lossy(name).into_owned();
            at += 8 + len;
            let numbers = (0..ids).map(|number| bytes.u64(at.saturating_add(8 * number)));
            events.push((name, numbers.collect::<Result<_, _>>()?));
            at = at.saturating_add(8 * ids);
        }
        Ok(events)
    }

    /// Build ids of files: kind of the entry, name, id.
    pub fn build_ids(&self) -> Result<Vec<(String, Vec<u8>)>, ImportError> {
        let Some((section, bytes)) = self.feature(BUILD_IDS)? else { return Ok(Vec::new()) };
        let (mut at, end, mut list) = (section.at, section.at + section.size, Vec::new());
        while at < end {
            let (kind, misc, size) = (bytes.u32(at)?, bytes.u16(at + 4)?, u64::from(bytes.u16(at + 6)?));
            if size < HEADER {
                return Err(self.input.broken(at, "a build id of no size"));
            }
            let body = bytes.slice(at + HEADER, size - HEADER)?;
            let record = Record { input: self.input, kind, misc, body, big: self.big, at };
            list.push(build_id(&record)?);
            at += size;
        }
        Ok(list)
    }

    /// All records in the order of the file.
    pub fn walk(
        &self,
        mut each: impl FnMut(Record<'_>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let end = self.data.at + self.data.size;
        let mut window = Window {
            input: self.input,
            big: self.big,
            end,
            bytes: Bytes::part(self.input, 0, 0)?,
            from: 0,
            to: 0,
        };
        let mut unpacking = None;
        let mut at = self.data.at;
        while at < end {
            let (kind, misc, size) = window.header(at)?;
            let body = window.body(at, size)?;
            let record = Record { input: self.input, kind, misc, body, big: self.big, at };
            let mut next = at + size;
            match kind {
                COMPRESSED => unpacked(&mut unpacking, record.body, &record, &mut each)?,
                COMPRESSED2 => {
                    let len = usize::try_from(record.u64(0)?).unwrap_or(usize::MAX);
                    unpacked(&mut unpacking, record.slice(8, len)?, &record, &mut each)?;
                }
                TRACING_DATA => next = next.saturating_add(u64::from(record.u32(0)?).next_multiple_of(8)),
                AUXTRACE => next = next.saturating_add(record.u64(0)?),
                FEATURE => {}
                _ => each(record)?,
            }
            if next > end {
                return Err(self.input.broken(at, "a record that reaches behind the end of the records"));
            }
            at = next;
        }
        match unpacking.filter(|unpacking: &Unpacking| !unpacking.rest.is_empty()) {
            Some(_) => Err(self.input.broken(end, "the packed records end within one")),
            None => Ok(()),
        }
    }
}

/// Name and build id of an entry of the list, or of a record in a pipe.
pub fn build_id(record: &Record<'_>) -> Result<(String, Vec<u8>), ImportError> {
    // With the mark, the id has a size; else 20 bytes.
    let size = match record.misc & 0x8000 != 0 {
        true => usize::from(record.slice(24, 1)?.first().copied().unwrap_or(20)).min(20),
        false => 20,
    };
    Ok((record.text(28), record.slice(4, size)?.to_vec()))
}

/// The piece of the file that is in memory.
struct Window<'a> {
    input: &'a Input<'a>,
    big: bool,
    end: u64,
    bytes: Bytes<'a>,
    from: u64,
    to: u64,
}

impl Window<'_> {
    fn hold(&mut self, at: u64, len: u64) -> Result<(), ImportError> {
        if at < self.from || at + len > self.to {
            let len = PIECE.max(len).min(self.end.saturating_sub(at));
            self.bytes = Bytes::part(self.input, at, len)?.big_endian(self.big);
            (self.from, self.to) = (at, at + len);
        }
        Ok(())
    }

    /// Kind, misc and size of a record.
    fn header(&mut self, at: u64) -> Result<(u32, u16, u64), ImportError> {
        self.hold(at, HEADER)?;
        let size = u64::from(self.bytes.u16(at + 6)?);
        if size < HEADER {
            return Err(self.input.broken(at, format!("a record of {size} bytes")));
        }
        Ok((self.bytes.u32(at)?, self.bytes.u16(at + 4)?, size))
    }

    fn body(&mut self, at: u64, size: u64) -> Result<&[u8], ImportError> {
        self.hold(at, size)?;
        self.bytes.slice(at + HEADER, size - HEADER)
    }
}

/// One stream over all packed records; what comes out is records, which may begin in one and end in another.
struct Unpacking {
    decoder: Decoder<'static>,
    rest: Vec<u8>,
    /// Bytes that went in, and that came out.
    packed: u64,
    unpacked: u64,
}

fn unpacked(
    unpacking: &mut Option<Unpacking>,
    packed: &[u8],
    record: &Record<'_>,
    each: &mut impl FnMut(Record<'_>) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let wrong = |error: std::io::Error| record.broken(format!("packed records: {error}"));
    let stream = match unpacking {
        Some(stream) => stream,
        None => unpacking.insert(Unpacking {
            decoder: Decoder::new().map_err(wrong)?,
            rest: Vec::new(),
            packed: 0,
            unpacked: 0,
        }),
    };
    stream.packed += packed.len() as u64;
    let mut piece = vec![0; PIECE as usize / 8];
    let mut from = InBuffer::around(packed);
    loop {
        let mut to = OutBuffer::around(&mut piece[..]);
        stream.decoder.run(&mut from, &mut to).map_err(wrong)?;
        let written = to.pos();
        stream.unpacked += written as u64;
        if stream.unpacked > unpack::most(stream.packed) {
            return Err(record.broken(unpack::too_much(stream.packed)));
        }
        stream.rest.extend_from_slice(piece.get(..written).unwrap_or_default());
        let mut used = 0;
        while let Some(header) = stream.rest.get(used..used + HEADER as usize) {
            let head = Record { body: header, ..*record };
            let (kind, misc, size) = (head.u32(0)?, head.number(4, 2)? as u16, head.number(6, 2)? as usize);
            if size < HEADER as usize {
                return Err(record.broken(format!("a packed record of {size} bytes")));
            }
            let Some(body) = stream.rest.get(used + HEADER as usize..used + size) else { break };
            each(Record { kind, misc, body, ..*record })?;
            used += size;
        }
        stream.rest.drain(..used);
        // Until it takes no more and gives no more.
        if written < PIECE as usize / 8 && from.pos() >= packed.len() {
            return Ok(());
        }
        if written == 0 && from.pos() < packed.len() {
            return Err(record.broken("packed records that cannot be unpacked"));
        }
    }
}
