//! One record of a DUMPI file, from its bytes to its values.

use super::records::{Field, IDS, Kind, MOST_FIELDS, RECORDS, Record};

/// The version of the library that wrote a file.
pub type Version = [u8; 3];

/// What stands before the records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offsets {
    /// Added to the seconds of the processor's clock.
    pub cpu: i32,
    /// Added to the seconds of the wall clock.
    pub wall: i32,
}

/// A time, as it is stored: seconds, without those that wrapped, and nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// Seconds.
    pub sec: u16,
    /// Nanoseconds.
    pub nsec: u32,
}

/// How a receive went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Bytes that came.
    pub bytes: i32,
    /// The sender, a rank of the communicator.
    pub source: i32,
    /// Whether it was cancelled.
    pub cancelled: u8,
    /// An error.
    pub error: u8,
    /// The tag; −1 before version 0.6.3, which did not store it.
    pub tag: i32,
}

/// A value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// The field is not there: only the root has it, or statuses were not recorded.
    #[default]
    Absent,
    /// A number or handle.
    Int(i64),
    /// A part of the numbers.
    Ints(u32, u32),
    /// A part of the texts.
    Texts(u32, u32),
    /// A part of the statuses.
    Statuses(u32, u32),
}

/// A record. It is filled again and again, so that its lists keep their memory.
#[derive(Clone, Debug, Default)]
pub struct Decoded {
    /// The number of its function.
    pub id: u16,
    /// The thread that called it.
    pub thread: u16,
    /// When it was entered and left, by the processor's clock.
    pub cpu: [Time; 2],
    /// When it was entered and left.
    pub wall: [Time; 2],
    /// Whether it has wall times.
    pub has_wall: bool,
    values: [Value; MOST_FIELDS],
    ints: Vec<i32>,
    texts: Vec<Vec<u8>>,
    statuses: Vec<Status>,
}

/// Why a record could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// More bytes are needed.
    Short,
    /// It contradicts the format, at so many bytes from its beginning.
    Wrong(usize, String),
}

/// Numbers of records to records.
pub struct Table([Option<&'static Record>; IDS]);

impl Table {
    /// All of them.
    pub fn new() -> Self {
        let mut table = [None; IDS];
        for record in RECORDS {
            if let Some(entry) = table.get_mut(usize::from(record.id)) {
                *entry = Some(record);
            }
        }
        Table(table)
    }

    /// The record of this number.
    pub fn get(&self, id: u16) -> Option<&'static Record> {
        self.0.get(usize::from(id)).copied().flatten()
    }
}

/// Bytes in order.
pub struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Bytes { bytes, at: 0 }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Stop> {
        let end = self.at.checked_add(count).ok_or(Stop::Short)?;
        let taken = self.bytes.get(self.at..end).ok_or(Stop::Short)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()).ok_or(Stop::Short)?;
        self.at += N;
        Ok(*taken)
    }

    pub fn u8(&mut self) -> Result<u8, Stop> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u16, Stop> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32, Stop> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub fn i32(&mut self) -> Result<i32, Stop> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64, Stop> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    /// A length of an array.
    fn length(&mut self) -> Result<usize, Stop> {
        let at = self.at;
        let length = self.i32()?;
        usize::try_from(length).map_err(|_| Stop::Wrong(at, format!("an array of {length} elements")))
    }

    fn time(&mut self) -> Result<Time, Stop> {
        let at = self.at;
        let time = Time { sec: self.u16()?, nsec: self.u32()? };
        match time.nsec < 1_000_000_000 {
            true => Ok(time),
            false => Err(Stop::Wrong(at, format!("a time with {} nanoseconds", time.nsec))),
        }
    }
}

/// Bits of the mask that stands in each record.
const STATUSES: u8 = 0x03;
const CPU: u8 = 0x04;
const WALL: u8 = 0x08;
const THREAD: u8 = 0x40;
const COUNTERS: u8 = 0x80;

impl Decoded {
    /// Reads what stands behind the number of a record; returns how many bytes that takes.
    pub fn read(&mut self, record: &'static Record, bytes: &[u8], version: Version) -> Result<usize, Stop> {
        let mut bytes = Bytes::new(bytes);
        self.id = record.id;
        self.ints.clear();
        self.texts.clear();
        self.statuses.clear();
        let mask = bytes.u8()?;
        if mask & 0x30 != 0 {
            return Err(Stop::Wrong(0, format!("{} with the unknown mask {mask:#04x}", record.name)));
        }
        self.thread = if mask & THREAD != 0 { bytes.u16()? } else { 0 };
        self.cpu = if mask & CPU != 0 { [bytes.time()?, bytes.time()?] } else { Default::default() };
        self.has_wall = mask & WALL != 0;
        self.wall = if self.has_wall { [bytes.time()?, bytes.time()?] } else { Default::default() };
        if mask & COUNTERS != 0 {
            let count = usize::from(bytes.u8()?);
            bytes.take(16 * count)?;
        }
        self.values = Default::default();
        let is_root = self.root_test(record);
        for (number, field) in record.fields.iter().enumerate() {
            if field.root && !is_root(&self.values) {
                continue;
            }
            let value = self.value(field, number, &mut bytes, mask, version)?;
            self.values[number] = value;
        }
        Ok(bytes.at())
    }

    /// Whether this rank is the root, by the fields before.
    fn root_test(&self, record: &'static Record) -> impl Fn(&[Value; MOST_FIELDS]) -> bool + use<> {
        let has_root = record.fields.iter().any(|field| field.root);
        let index = |name: &str| if has_root { record.index(name) } else { None };
        let own = index("commrank").or_else(|| index("oldcommrank"));
        let root = index("root");
        move |values| match (own, root) {
            (Some(own), Some(root)) => values[own] == values[root],
            _ => false,
        }
    }

    fn value(
        &mut self,
        field: &Field,
        number: usize,
        bytes: &mut Bytes<'_>,
        mask: u8,
        version: Version,
    ) -> Result<Value, Stop> {
        Ok(match field.kind {
            Kind::I32 => Value::Int(bytes.i32()?.into()),
            Kind::I16 => Value::Int(i16::from_be_bytes(bytes.array()?).into()),
            Kind::U8 => Value::Int(bytes.u8()?.into()),
            Kind::I64 => Value::Int(i64::from_be_bytes(bytes.array()?)),
            Kind::Statuses if mask & STATUSES == 0 => Value::Absent,
            Kind::Statuses => self.read_statuses(bytes, version)?,
            Kind::I32s => self.read_ints(bytes)?,
            Kind::I32sSince068 if version < [0, 6, 8] => Value::Int(bytes.i32()?.into()),
            Kind::I32sSince069 if version < [0, 6, 9] => Value::Int(bytes.i32()?.into()),
            Kind::I32sSince068 | Kind::I32sSince069 => self.read_ints(bytes)?,
            Kind::U8s => {
                let count = bytes.length()?;
                let from = self.ints.len();
                self.ints.extend(bytes.take(count)?.iter().map(|&byte| i32::from(byte)));
                Value::Ints(from as u32, self.ints.len() as u32)
            }
            Kind::I16s => {
                let count = bytes.length()?;
                let from = self.ints.len();
                let halves = bytes.take(count.saturating_mul(2))?.chunks_exact(2);
                self.ints.extend(halves.map(|half| i32::from(i16::from_be_bytes([half[0], half[1]]))));
                Value::Ints(from as u32, self.ints.len() as u32)
            }
            Kind::I32ss => {
                let from = self.ints.len();
                for _ in 0..bytes.length()? {
                    self.read_ints(bytes)?;
                }
                Value::Ints(from as u32, self.ints.len() as u32)
            }
            Kind::Text => self.read_texts(bytes, 1)?,
            Kind::Texts => {
                let count = bytes.length()?;
                self.read_texts(bytes, count)?
            }
            Kind::Textss => {
                let from = self.texts.len();
                for _ in 0..bytes.length()? {
                    let count = bytes.length()?;
                    self.read_texts(bytes, count)?;
                }
                Value::Texts(from as u32, self.texts.len() as u32)
            }
            Kind::Argc => {
                if version < [0, 6, 2] {
                    bytes.i32()?;
                }
                Value::Int(bytes.i32()?.into())
            }
            Kind::Args => {
                let count = number.checked_sub(1).map_or(0, |before| self.int(before));
                let at = bytes.at();
                let count = usize::try_from(count)
                    .map_err(|_| Stop::Wrong(at, format!("{count} arguments of the program")))?;
                self.read_texts(bytes, count)?
            }
        })
    }

    fn read_ints(&mut self, bytes: &mut Bytes<'_>) -> Result<Value, Stop> {
        let count = bytes.length()?;
        let from = self.ints.len();
        let words = bytes.take(count.saturating_mul(4))?.chunks_exact(4);
        self.ints.extend(words.map(|w| i32::from_be_bytes([w[0], w[1], w[2], w[3]])));
        Ok(Value::Ints(from as u32, self.ints.len() as u32))
    }

    fn read_texts(&mut self, bytes: &mut Bytes<'_>, count: usize) -> Result<Value, Stop> {
        let from = self.texts.len();
        for _ in 0..count {
            let length = bytes.length()?;
            self.texts.push(bytes.take(length)?.to_vec());
        }
        Ok(Value::Texts(from as u32, self.texts.len() as u32))
    }

    fn read_statuses(&mut self, bytes: &mut Bytes<'_>, version: Version) -> Result<Value, Stop> {
        let count = bytes.length()?;
        let from = self.statuses.len();
        for _ in 0..count {
            let mut status = Status {
                bytes: bytes.i32()?,
                source: bytes.i32()?,
                cancelled: bytes.u8()?,
                error: bytes.u8()?,
                tag: -1,
            };
            if version >= [0, 6, 3] {
                status.tag = bytes.i32()?;
            }
            self.statuses.push(status);
        }
        Ok(Value::Statuses(from as u32, self.statuses.len() as u32))
    }

    /// The value of a field.
    #[inline]
    pub fn field(&self, number: usize) -> Value {
        self.values.get(number).copied().unwrap_or_default()
    }

    /// A number; 0 where the field is none.
    #[inline]
    pub fn int(&self, number: usize) -> i64 {
        match self.field(number) {
            Value::Int(value) => value,
            _ => 0,
        }
    }

    /// An array of numbers; empty where the field is none.
    #[inline]
    pub fn ints(&self, number: usize) -> &[i32] {
        match self.field(number) {
            Value::Ints(from, to) => self.ints.get(from as usize..to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Statuses; empty where the caller ignored them.
    #[inline]
    pub fn statuses(&self, number: usize) -> &[Status] {
        match self.field(number) {
            Value::Statuses(from, to) => self.statuses.get(from as usize..to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Texts; only tests look at them.
    #[cfg(test)]
    pub fn texts(&self, number: usize) -> &[Vec<u8>] {
        match self.field(number) {
            Value::Texts(from, to) => self.texts.get(from as usize..to as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}
