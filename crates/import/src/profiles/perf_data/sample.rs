//! A sample: what the bits of its event say that it holds, in the order of the kernel.

use super::attr::{Attr, Attrs};
use super::file::Record;
use crate::error::ImportError;

const IP: u64 = 1;
const TID: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const ADDR: u64 = 1 << 3;
pub const READ: u64 = 1 << 4;
const CALLCHAIN: u64 = 1 << 5;
const ID: u64 = 1 << 6;
const CPU: u64 = 1 << 7;
pub const PERIOD: u64 = 1 << 8;
const STREAM: u64 = 1 << 9;
const RAW: u64 = 1 << 10;
const BRANCHES: u64 = 1 << 11;
const USER_REGISTERS: u64 = 1 << 12;
const USER_STACK: u64 = 1 << 13;
const IDENTIFIER: u64 = 1 << 16;
/// Of what is read with a sample: counters say of which events they are.
pub const READ_ID: u64 = 1 << 2;
/// Numbers from here on are no addresses: they say in which mode the next ones are.
const MARKS: u64 = u64::MAX - 4095;
const MARK_KERNEL: u64 = (-128i64) as u64;
const MARK_USER: u64 = (-512i64) as u64;

/// Where code ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Kernel,
    User,
    /// A hypervisor or a guest.
    Other,
}

impl Mode {
    /// By the lowest bits of a record.
    fn of(misc: u16) -> Self {
        match misc & 7 {
            1 => Mode::Kernel,
            2 => Mode::User,
            _ => Mode::Other,
        }
    }
}

/// A sample.
pub struct Sample {
    pub attr: usize,
    pub pid: u32,
    pub tid: u32,
    /// The latest there is where it has none.
    pub time: u64,
    pub weight: i64,
    /// Counters that were read with it: the numbers of their events, and what they had counted since they were opened.
    pub counters: Vec<(u64, u64)>,
    /// Addresses, the innermost first, with their modes and whether calls return there.
    pub stack: Vec<(u64, Mode, bool)>,
    /// It has a copy of its stack instead of a call chain.
    pub copy: Option<Copied>,
}

/// A copy of a stack, with the registers that it begins with.
pub struct Copied {
    pub code: u64,
    pub pointer: u64,
    pub frame: u64,
    /// Where in the record it stands.
    bytes: std::ops::Range<usize>,
}

impl Copied {
    /// Its words, from the stack pointer on.
    pub fn words(&self, record: &Record<'_>) -> Result<Vec<u64>, ImportError> {
        self.bytes.clone().step_by(8).filter(|at| at + 8 <= self.bytes.end).map(|at| record.u64(at)).collect()
    }
}

/// Goes through the body of a record.
struct Cursor<'r, 'a> {
    record: &'r Record<'a>,
    at: usize,
}

impl Cursor<'_, '_> {
    fn u64(&mut self) -> Result<u64, ImportError> {
        let value = self.record.u64(self.at)?;
        self.at += 8;
        Ok(value)
    }

    fn pair(&mut self) -> Result<(u32, u32), ImportError> {
        let pair = (self.record.u32(self.at)?, self.record.u32(self.at + 4)?);
        self.at += 8;
        Ok(pair)
    }

    fn skip(&mut self, count: u64, size: u64) -> Result<(), ImportError> {
        let bytes = count.checked_mul(size).and_then(|bytes| usize::try_from(bytes).ok());
        let bytes = bytes.unwrap_or(usize::MAX);
        self.record.slice(self.at, bytes)?;
        self.at += bytes;
        Ok(())
    }
}

impl Sample {
    /// Reads a sample.
    pub fn read(record: &Record<'_>, attrs: &Attrs) -> Result<Self, ImportError> {
        let at = attrs.get(number(record, attrs)?);
        let Some((number, attr)) = at.and_then(|at| Some((at, attrs.list.get(at)?))) else {
            return Err(record.broken("a sample of an event that is not described"));
        };
        let has = |bit: u64| attr.sample_type & bit != 0;
        let mut cursor = Cursor { record, at: if has(IDENTIFIER) { 8 } else { 0 } };
        let ip = if has(IP) { Some(cursor.u64()?) } else { None };
        let (pid, tid) = if has(TID) { cursor.pair()? } else { (0, 0) };
        let time = if has(TIME) { cursor.u64()? } else { u64::MAX };
        for _ in [ADDR, ID, STREAM, CPU].into_iter().filter(|&bit| has(bit)) {
            cursor.u64()?;
        }
        let weight = if has(PERIOD) { cursor.u64()? } else { attr.weight() };
        let weight = i64::try_from(weight).ok().filter(|weight| *weight < 1 << 62);
        let weight = weight.ok_or_else(|| record.broken("a period that is too large"))?;
        let counters = if has(READ) { counters(&mut cursor, attr)? } else { Vec::new() };
        let mode = Mode::of(record.misc);
        let mut stack = Vec::new();
        if has(CALLCHAIN) {
            chain(&mut cursor, mode, &mut stack)?;
        }
        let copy = if has(USER_STACK) { copied(&mut cursor, attr)? } else { None };
        // Chains of copied stacks have no user's part.
        let has_user = stack.iter().any(|(_, mode, _)| *mode == Mode::User);
        if let Some(ip) = ip.filter(|_| stack.is_empty() || (mode == Mode::User && !has_user)) {
            stack.insert(0, (ip, mode, false));
        }
        Ok(Sample { attr: number, pid, tid, time, weight, counters, stack, copy })
    }
}

/// The number of the event that a sample is of.
fn number(record: &Record<'_>, attrs: &Attrs) -> Result<Option<u64>, ImportError> {
    let Some(first) = attrs.list.first().filter(|_| attrs.list.len() > 1) else { return Ok(None) };
    if first.sample_type & IDENTIFIER != 0 {
        return record.u64(0).map(Some);
    }
    if first.sample_type & ID == 0 {
        return Err(record.broken("several events, but samples do not say of which they are"));
    }
    let before = [IP, TID, TIME, ADDR].into_iter().filter(|bit| first.sample_type & bit != 0).count();
    record.u64(before * 8).map(Some)
}

/// Counters that were read with the sample, where it says of which events they are: those of its group, or its own.
fn counters(cursor: &mut Cursor<'_, '_>, attr: &Attr) -> Result<Vec<(u64, u64)>, ImportError> {
    const ENABLED: u64 = 1;
    const RUNNING: u64 = 1 << 1;
    const GROUP: u64 = 1 << 3;
    const LOST: u64 = 1 << 4;
    let has = |bit: u64| attr.read_format & bit != 0;
    let times = u64::from(has(ENABLED)) + u64::from(has(RUNNING));
    let mut counters = Vec::new();
    // A group says how many there are and has its times first; a single counter has them behind its value.
    let count = if has(GROUP) { cursor.u64()? } else { 1 };
    if has(GROUP) {
        cursor.skip(times, 8)?;
    }
    for _ in 0..count {
        let value = cursor.u64()?;
        if !has(GROUP) {
            cursor.skip(times, 8)?;
        }
        if has(READ_ID) {
            counters.push((cursor.u64()?, value));
        }
        cursor.skip(u64::from(has(LOST)), 8)?;
    }
    Ok(counters)
}

/// The call chain: addresses, with marks of where they are.
fn chain(
    cursor: &mut Cursor<'_, '_>,
    mode: Mode,
    stack: &mut Vec<(u64, Mode, bool)>,
) -> Result<(), ImportError> {
    let count = cursor.u64()?;
    let (mut mode, mut is_return) = (mode, false);
    for _ in 0..count {
        let address = cursor.u64()?;
        if address >= MARKS {
            mode = match address {
                MARK_KERNEL => Mode::Kernel,
                MARK_USER => Mode::User,
                _ => Mode::Other,
            };
            is_return = false;
            continue;
        }
        stack.push((address, mode, is_return));
        is_return = true;
    }
    Ok(())
}

/// The copy of the stack, if there is one.
fn copied(cursor: &mut Cursor<'_, '_>, attr: &Attr) -> Result<Option<Copied>, ImportError> {
    /// Numbers of registers of x86.
    const FRAME: u32 = 6;
    const POINTER: u32 = 7;
    const CODE: u32 = 8;
    let has = |bit: u64| attr.sample_type & bit != 0;
    if has(RAW) {
        let size = u64::from(cursor.record.u32(cursor.at)?);
        cursor.skip(size + 4, 1)?;
    }
    if has(BRANCHES) {
        let count = cursor.u64()?;
        cursor.skip(attr.branch_type >> 17 & 1, 8)?;
        cursor.skip(count, 24)?;
    }
    let mut registers = [0; 3];
    if has(USER_REGISTERS) && cursor.u64()? != 0 {
        for number in (0..u64::BITS).filter(|number| attr.user_registers >> number & 1 == 1) {
            let value = cursor.u64()?;
            if let Some(at) = [CODE, POINTER, FRAME].iter().position(|&wanted| wanted == number) {
                registers[at] = value;
            }
        }
    }
    let size = cursor.u64()?;
    if size == 0 {
        return Ok(None);
    }
    let from = cursor.at;
    cursor.skip(size, 1)?;
    // What of it was filled.
    let filled = usize::try_from(cursor.u64()?.min(size)).unwrap_or(0);
    let [code, pointer, frame] = registers;
    Ok(Some(Copied { code, pointer, frame, bytes: from..from + filled }))
}

/// The time of a record that is no sample: it ends with what samples hold, too.
pub fn time_of(record: &Record<'_>, attrs: &Attrs) -> Result<u64, ImportError> {
    let Some(attr) = attrs.list.first().filter(|attr| attr.has_times() && attr.sample_type & TIME != 0)
    else {
        return Ok(0);
    };
    let after =
        [TIME, ID, STREAM, CPU, IDENTIFIER].into_iter().filter(|bit| attr.sample_type & bit != 0).count();
    match record.body.len().checked_sub(8 * after) {
        Some(at) => record.u64(at),
        None => Ok(0),
    }
}
