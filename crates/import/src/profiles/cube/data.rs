//! The values of a metric: which call paths have rows, and the rows, packed or not.

use std::io::Read;

use crosscut_run::unpack;
use flate2::read::ZlibDecoder;

use super::tar::Member;
use crate::error::ImportError;
use crate::input::Input;
use crate::profiles::bytes::Bytes;

/// How files begin.
const INDEX: &[u8] = b"CUBEX.INDEX";
const DATA: &[u8] = b"CUBEX.DATA";
const PACKED: &[u8] = b"ZCUBEX.DATA";

/// How values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Float,
    /// Of so many bytes.
    Unsigned(usize),
    Signed(usize),
}

impl Type {
    /// Of types that add up.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "DOUBLE" | "FLOAT" => Type::Float,
            "UINT64" | "UNSIGNED INTEGER" => Type::Unsigned(8),
            "INT64" | "INTEGER" => Type::Signed(8),
            "UINT8" | "CHAR" => Type::Unsigned(1),
            "UINT16" => Type::Unsigned(2),
            "UINT32" => Type::Unsigned(4),
            "INT8" => Type::Signed(1),
            "INT16" => Type::Signed(2),
            "INT32" => Type::Signed(4),
            _ => return None,
        })
    }

    /// A number with a fraction.
    pub fn is_float(self) -> bool {
        self == Type::Float
    }

    fn size(self) -> usize {
        match self {
            Type::Float => 8,
            Type::Unsigned(size) | Type::Signed(size) => size,
        }
    }
}

/// Where a row is in the archive: its first byte and its size; packed or not.
enum Place {
    Plain(u64),
    Packed(u64, u64),
    /// All of it is zero.
    Nothing,
}

/// Bytes of packed rows of an archive: of those that were packed, and of what became of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unpacked {
    from: u64,
    to: u64,
}

/// The rows of a metric, one after the other.
pub struct Rows<'a> {
    unpacked: &'a mut Unpacked,
    input: &'a Input<'a>,
    kind: Type,
    big: bool,
    /// The call path of each row, and where it is.
    rows: Vec<(u32, Place)>,
    next: usize,
    row: Vec<u8>,
    /// All of it is zero, and not stored.
    is_nothing: bool,
    at: u64,
}

impl<'a> Rows<'a> {
    /// Reads which rows there are.
    pub fn open(
        input: &'a Input<'a>,
        index: Member,
        data: Member,
        kind: Type,
        values: usize,
        unpacked: &'a mut Unpacked,
    ) -> Result<Self, ImportError> {
        let row_size = (values as u64).saturating_mul(kind.size() as u64);
        let head = data.size.min(PACKED.len() as u64);
        let is_packed = Bytes::part(input, data.at, head)?.slice(data.at, head)? == PACKED;
        let (paths, big) = paths(input, index, data, (row_size, is_packed))?;
        let places = match is_packed {
            true => packed(input, data, paths.len() as u64, row_size, big)?,
            false => plain(input, data, paths.len() as u64, row_size)?,
        };
        let rows = paths.into_iter().zip(places).collect();
        let row = vec![0; row_size as usize];
        Ok(Rows { unpacked, input, kind, big, rows, next: 0, row, is_nothing: false, at: 0 })
    }

    /// Reads the next row, and says of which call path it is.
    pub fn next(&mut self) -> Result<Option<u32>, ImportError> {
        let Some((path, place)) = self.rows.get(self.next) else { return Ok(None) };
        self.next += 1;
        self.input.check_cancelled()?;
        self.is_nothing = matches!(place, Place::Nothing);
        match *place {
            Place::Nothing => {}
            Place::Plain(at) => {
                self.at = at;
                self.input.read_at(at, &mut self.row)?;
            }
            Place::Packed(at, size) => {
                self.at = at;
                let bytes = Bytes::part(self.input, at, size)?;
                let mut unpacked = ZlibDecoder::new(bytes.slice(at, size)?);
                let wrong = |what| self.input.broken(at, what);
                self.unpacked.from += size;
                self.unpacked.to += self.row.len() as u64;
                if self.unpacked.to > unpack::most(self.unpacked.from) {
                    return Err(wrong(unpack::too_much(self.unpacked.from)));
                }
                unpacked
                    .read_exact(&mut self.row)
                    .map_err(|error| wrong(format!("a packed row: {error}")))?;
                if unpacked.read(&mut [0]).ok() != Some(0) {
                    return Err(wrong("a packed row that is longer than it should be".to_owned()));
                }
            }
        }
        self.input.advance(self.at + self.row.len() as u64);
        Ok(Some(*path))
    }

    /// The row is not stored: all of its values are zero.
    pub fn is_nothing(&self) -> bool {
        self.is_nothing
    }

    /// A value of the row, and where it is.
    pub fn value(&self, number: usize) -> Result<(f64, u64), ImportError> {
        let size = self.kind.size();
        let from = number * size;
        let bytes = self.row.get(from..from + size).unwrap_or_default();
        let mut word = [0; 8];
        for (at, &byte) in bytes.iter().enumerate() {
            word[if self.big { size - 1 - at } else { at }] = byte;
        }
        let at = self.at + from as u64;
        let word = u64::from_le_bytes(word);
        let value = match self.kind {
            Type::Float => f64::from_bits(word),
            Type::Unsigned(_) => exact(i128::from(word), at, self.input)?,
            Type::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                exact(i128::from((word << unused) as i64 >> unused), at, self.input)?
            }
        };
        Ok((value, at))
    }
}

/// A whole number as a floating-point one: larger ones would not be exact.
fn exact(value: i128, at: u64, input: &Input<'_>) -> Result<f64, ImportError> {
    match value.unsigned_abs() <= 1 << 53 {
        true => Ok(value as f64),
        false => Err(input.broken(at, format!("a value of {value}, which is more than can be kept exactly"))),
    }
}

/// The numbers of the call paths that have rows, and the byte order of index and data.
fn paths(
    input: &Input<'_>,
    index: Member,
    data: Member,
    (row_size, is_packed): (u64, bool),
) -> Result<(Vec<u32>, bool), ImportError> {
    let bytes = Bytes::part(input, index.at, index.size)?;
    let at = index.at;
    if bytes.slice(at, INDEX.len() as u64)? != INDEX {
        return Err(input.broken(at, "not an index of Cube: it begins otherwise"));
    }
    let big = match bytes.slice(at + 11, 4)? {
        [1, 0, 0, 0] => false,
        [0, 0, 0, 1] => true,
        _ => return Err(input.broken(at + 11, "an unknown byte order")),
    };
    let bytes = bytes.big_endian(big);
    match bytes.u8(at + 17)? {
        0 => {
            // All call paths in order; how many is what the data says.
            let rows = match is_packed {
                true => packed_rows(input, data, row_size, big)?,
                false => data.size.saturating_sub(DATA.len() as u64).checked_div(row_size).unwrap_or(0),
            };
            let rows = u32::try_from(rows).map_err(|_| input.broken(data.at, "too many rows"))?;
            Ok(((0..rows).collect(), big))
        }
        1 => {
            let count = u64::from(bytes.u32(at + 18)?);
            if count.saturating_mul(4).saturating_add(22) != index.size {
                return Err(input.broken(at + 18, format!("{count} rows in {} bytes", index.size)));
            }
            let mut paths = Vec::new();
            for number in 0..count {
                paths.push(bytes.u32(at + 22 + number * 4)?);
            }
            let mut sorted = paths.clone();
            sorted.sort_unstable();
            if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(input.broken(at + 22, "two rows of one call path"));
            }
            Ok((paths, big))
        }
        other => Err(input.broken(at + 17, format!("an index of the unknown kind {other}"))),
    }
}

/// How many rows there are up to the last one that is packed.
fn packed_rows(input: &Input<'_>, data: Member, row_size: u64, big: bool) -> Result<u64, ImportError> {
    let begin = data.at + PACKED.len() as u64;
    let bytes = Bytes::part(input, data.at, data.size)?.big_endian(big);
    let count = bytes.u64(begin)?;
    if count > data.size / 24 {
        return Err(input.broken(begin, format!("{count} packed rows in {} bytes", data.size)));
    }
    let mut rows = 0;
    for number in 0..count {
        let unpacked = bytes.u64(begin + 8 + 24 * number)?;
        rows = rows.max(unpacked.checked_div(row_size).unwrap_or(0).saturating_add(1));
    }
    // A list longer than the file can hold is no list.
    match rows <= count {
        true => Ok(rows),
        false => Err(input.broken(begin, format!("row {} of {count} packed rows", rows - 1))),
    }
}

fn plain(input: &Input<'_>, data: Member, rows: u64, row_size: u64) -> Result<Vec<Place>, ImportError> {
    let begin = DATA.len() as u64;
    if data.size < begin || Bytes::part(input, data.at, begin)?.slice(data.at, begin)? != DATA {
        return Err(input.broken(data.at, "not values of Cube: they begin otherwise"));
    }
    let size = rows.saturating_mul(row_size).saturating_add(begin);
    if size != data.size {
        let what = format!("{rows} rows of {row_size} bytes make {size}, but there are {}", data.size);
        return Err(input.broken(data.at, what));
    }
    Ok((0..rows).map(|row| Place::Plain(data.at + begin + row * row_size)).collect())
}

/// Packed rows stand one after the other behind the list of them.
fn packed(
    input: &Input<'_>,
    data: Member,
    rows: u64,
    row_size: u64,
    big: bool,
) -> Result<Vec<Place>, ImportError> {
    let begin = PACKED.len() as u64;
    let bytes = Bytes::part(input, data.at, data.size)?.big_endian(big);
    let count = bytes.u64(data.at + begin)?;
    if count > data.size / 24 || count > rows {
        return Err(input.broken(data.at + begin, format!("{count} packed rows, but {rows} in the index")));
    }
    let mut places: Vec<Place> = (0..rows).map(|_| Place::Nothing).collect();
    let mut next = data.at + begin + 8 + 24 * count;
    for number in 0..count {
        let entry = data.at + begin + 8 + 24 * number;
        let (unpacked, size) = (bytes.u64(entry)?, bytes.u64(entry + 16)?);
        let row = unpacked.checked_div(row_size).filter(|row| row.saturating_mul(row_size) == unpacked);
        let Some(place) = row.and_then(|row| places.get_mut(usize::try_from(row).ok()?)) else {
            return Err(input.broken(entry, format!("a row at byte {unpacked} of the unpacked values")));
        };
        if size > 0 {
            bytes.slice(next, size)?;
            if !matches!(place, Place::Nothing) {
                return Err(input.broken(entry, "a second row at the same place"));
            }
            *place = Place::Packed(next, size);
            next += size;
        }
    }
    Ok(places)
}
