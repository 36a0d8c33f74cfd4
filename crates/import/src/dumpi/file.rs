//! The file of one rank: what stands before and behind its records, and walking through them.

use super::decode::{Bytes, Decoded, Offsets, Stop, Table, Version};
use super::records::{END, Record};
use crate::error::{ImportError, Record as Number};
use crate::input::Input;
use crate::window::Window;

/// How a file begins, and its index.
pub const MAGIC: [u8; 8] = [0xff, 0xaa, 0xdd, 0x44, 0x55, 0x4d, 0x50, 0x49];

const FOOTER_MAGIC: u64 = 0xf007_fee7;
/// Functions that the footer counts.
const COUNTED: usize = 291;
/// The index is this long at most: the magic and seven offsets.
const INDEX: usize = 64;
/// The most bytes that header and type sizes are read in.
const TAIL: u64 = 1 << 20;

/// What is known of a file beside its records.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Where the body begins.
    pub body: u64,
    /// Who wrote it.
    pub version: Option<Version>,
    /// The host.
    pub host: String,
    /// When, in seconds since 1970.
    pub started: Option<u64>,
    /// Sizes of types, by handle.
    pub sizes: Vec<i32>,
    /// Calls of each function.
    pub counts: Option<Vec<u32>>,
    /// Whether the index is there: the file was closed.
    pub closed: bool,
}

impl About {
    /// Reads it from the end of the file; what is missing there stays unknown.
    pub fn read(input: &Input<'_>) -> Result<Self, ImportError> {
        let mut magic = [0; 8];
        if input.size() < 16 {
            return Err(input.broken(0, "shorter than the beginning of a DUMPI file"));
        }
        input.read_at(0, &mut magic)?;
        if magic != MAGIC {
            return Err(input.broken(0, "not a DUMPI file: it does not begin with its magic"));
        }
        let mut about = About { body: 8, ..About::default() };
        let Some(offsets) = index(input)? else { return Ok(about) };
        about.closed = true;
        // From the end: older files lack those in front.
        let mut from_end = offsets.iter().rev().copied();
        let (_keys, footer, body, header) =
            (from_end.next(), from_end.next(), from_end.next(), from_end.next());
        let (_labels, _addresses, sizes) = (from_end.next(), from_end.next(), from_end.next());
        let inside = |offset: Option<u64>| offset.filter(|&at| at >= 8 && at < input.size());
        about.body = inside(body).unwrap_or(8);
        if let Some(at) = inside(header) {
            about.read_header(input, at)?;
        }
        if let Some(at) = inside(footer) {
            about.counts = read_footer(input, at)?;
        }
        if let Some(at) = inside(sizes) {
            about.sizes = read_sizes(input, at)?;
        }
        Ok(about)
    }

    fn read_header(&mut self, input: &Input<'_>, at: u64) -> Result<(), ImportError> {
        let bytes = piece(input, at)?;
        let mut bytes = Bytes::new(&bytes);
        let mut read = || -> Result<(), Stop> {
            let version = bytes.take(3)?;
            let started = bytes.u64()?;
            let length = usize::from(bytes.u16()?);
            let host = String::from_utf8_lossy(bytes.take(length)?).into_owned();
            self.version = version.try_into().ok();
            (self.started, self.host) = (Some(started), host);
            Ok(())
        };
        read().map_err(|_| input.broken(at, "the header does not fit into the file"))
    }
}

fn piece(input: &Input<'_>, at: u64) -> Result<Vec<u8>, ImportError> {
    let mut bytes = vec![0; input.size().saturating_sub(at).min(TAIL) as usize];
    input.read_at(at, &mut bytes)?;
    Ok(bytes)
}

/// The offsets at the end of a file; none when it was not closed.
fn index(input: &Input<'_>) -> Result<Option<Vec<u64>>, ImportError> {
    let length = input.size().min(INDEX as u64) as usize;
    let mut tail = vec![0; length];
    input.read_at(input.size() - length as u64, &mut tail)?;
    let Some(at) = tail.windows(MAGIC.len()).rposition(|window| window == MAGIC) else { return Ok(None) };
    // A file that holds nothing but its beginning has no index.
    if input.size() - length as u64 + at as u64 == 0 {
        return Ok(None);
    }
    let offsets = tail.get(at + MAGIC.len()..).unwrap_or_default().chunks_exact(8);
    Ok(Some(offsets.filter_map(|bytes| bytes.try_into().ok().map(u64::from_be_bytes)).collect()))
}

fn read_footer(input: &Input<'_>, at: u64) -> Result<Option<Vec<u32>>, ImportError> {
    let bytes = piece(input, at)?;
    let mut bytes = Bytes::new(&bytes);
    let mut read = || -> Result<Option<Vec<u32>>, Stop> {
        if bytes.u64()? != FOOTER_MAGIC {
            return Ok(None);
        }
        (0..COUNTED).map(|_| bytes.u32()).collect::<Result<_, _>>().map(Some)
    };
    // Older files count fewer functions: then there is nothing to compare with.
    Ok(read().unwrap_or(None))
}

fn read_sizes(input: &Input<'_>, at: u64) -> Result<Vec<i32>, ImportError> {
    let bytes = piece(input, at)?;
    let mut bytes = Bytes::new(&bytes);
    let mut read = || -> Result<Vec<i32>, Stop> {
        let count = bytes.u32()?;
        let mut sizes = Vec::new();
        for _ in 0..count {
            sizes.push(bytes.i32()?);
        }
        Ok(sizes)
    };
    read().map_err(|_| input.broken(at, "the sizes of types do not fit into the file"))
}

/// How the records of a file ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With their mark.
    Whole,
    /// Within the record that begins at this byte.
    Cut(u64),
}

/// Calls `each` with every record, and where it begins. `decoded` is filled again for each.
pub fn walk(
    input: &Input<'_>,
    about: &About,
    version: Version,
    mut each: impl FnMut(&'static Record, &Decoded, Offsets, u64) -> Result<(), ImportError>,
) -> Result<Ended, ImportError> {
    let table = Table::new();
    let mut window = Window::new(input, about.body);
    let mut decoded = Decoded::default();
    let mut number = 0u64;
    while window.rest().len() < 8 {
        if !window.more()? {
            return Ok(Ended::Cut(about.body));
        }
    }
    let mut head = Bytes::new(window.rest());
    let offsets = Offsets { cpu: head.i32().unwrap_or(0), wall: head.i32().unwrap_or(0) };
    window.skip(8);
    loop {
        let at = window.offset();
        let broken =
            |offset: u64, what: String| input.broken_record(offset, Number { what: "record", number }, what);
        let rest = window.rest();
        let Some((id, rest)) = rest.split_first_chunk::<2>() else {
            if window.more()? {
                continue;
            }
            return cut(input, about, at, number);
        };
        let id = u16::from_be_bytes(*id);
        if id == END {
            return Ok(Ended::Whole);
        }
        let record = table.get(id).ok_or_else(|| broken(at, format!("there is no function {id}")))?;
        match decoded.read(record, rest, version) {
            Ok(length) => {
                each(record, &decoded, offsets, at)?;
                window.skip(2 + length);
                number += 1;
            }
            Err(Stop::Short) => {
                if !window.more()? {
                    return cut(input, about, at, number);
                }
            }
            Err(Stop::Wrong(inside, what)) => return Err(broken(at + 2 + inside as u64, what)),
        }
    }
}

/// A file that was closed ends with a mark; one that was not may end anywhere.
fn cut(input: &Input<'_>, about: &About, at: u64, number: u64) -> Result<Ended, ImportError> {
    if about.closed {
        let what = "the file ends within this record, but it was closed: it is damaged";
        return Err(input.broken_record(at, Number { what: "record", number }, what));
    }
    Ok(Ended::Cut(at))
}
