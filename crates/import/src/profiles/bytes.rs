//! Numbers and texts at any place of a binary file. Every place is checked; what is not there is an error with its byte.

use std::borrow::Cow;

use crosscut_calls::Unit;

use crate::error::ImportError;
use crate::input::Input;
use crate::limits::MAX_VALUE;

/// A part of a file, in memory.
pub struct Bytes<'a> {
    input: &'a Input<'a>,
    bytes: Vec<u8>,
    /// Where in the file it begins: places are those of the file.
    base: u64,
    big: bool,
}

impl<'a> Bytes<'a> {
    /// The bytes of a file from `base` on.
    pub fn part(input: &'a Input<'a>, base: u64, len: u64) -> Result<Self, ImportError> {
        let inside = base.checked_add(len).is_some_and(|end| end <= input.size());
        let Some(len) = usize::try_from(len).ok().filter(|_| inside) else {
            let what = format!("{len} bytes should begin here, but the file ends at byte {}", input.size());
            return Err(input.broken(base.min(input.size()), what));
        };
        input.check_cancelled()?;
        let bytes = input.part(base, len)?;
        input.advance(base + len as u64);
        Ok(Bytes { input, bytes, base, big: false })
    }

    /// A whole file.
    pub fn whole(input: &'a Input<'a>) -> Result<Self, ImportError> {
        Self::part(input, 0, input.size())
    }

    /// The same with the most significant byte of each number first.
    pub fn big_endian(mut self, big: bool) -> Self {
        self.big = big;
        self
    }

    /// So many bytes at a place.
    pub fn slice(&self, at: u64, len: u64) -> Result<&[u8], ImportError> {
        let from = at.checked_sub(self.base).and_then(|from| usize::try_from(from).ok());
        let range = from.and_then(|from| Some(from..from.checked_add(usize::try_from(len).ok()?)?));
        range.and_then(|range| self.bytes.get(range)).ok_or_else(|| {
            self.input.broken(at.min(self.input.size()), format!("{len} bytes should be at byte {at}"))
        })
    }

    fn array<const N: usize>(&self, at: u64) -> Result<[u8; N], ImportError> {
        let mut array = [0; N];
        array.copy_from_slice(self.slice(at, N as u64)?);
        if self.big {
            array.reverse();
        }
        Ok(array)
    }

    /// A number of one byte.
    pub fn u8(&self, at: u64) -> Result<u8, ImportError> {
        Ok(u8::from_le_bytes(self.array(at)?))
    }

    /// A number of two bytes.
    pub fn u16(&self, at: u64) -> Result<u16, ImportError> {
        Ok(u16::from_le_bytes(self.array(at)?))
    }

    /// A number of four bytes.
    pub fn u32(&self, at: u64) -> Result<u32, ImportError> {
        Ok(u32::from_le_bytes(self.array(at)?))
    }

    /// A number of eight bytes.
    pub fn u64(&self, at: u64) -> Result<u64, ImportError> {
        Ok(u64::from_le_bytes(self.array(at)?))
    }

    /// A floating-point number of eight bytes.
    pub fn f64(&self, at: u64) -> Result<f64, ImportError> {
        Ok(f64::from_le_bytes(self.array(at)?))
    }

    /// A text that ends with a zero byte.
    pub fn text(&self, at: u64) -> Result<Cow<'_, str>, ImportError> {
        let end = self.base.saturating_add(self.bytes.len() as u64);
        let rest = self.slice(at, end.saturating_sub(at))?;
        match rest.split(|&byte| byte == 0).next().filter(|text| text.len() < rest.len()) {
            Some(text) => Ok(String::from_utf8_lossy(text)),
            None => Err(self.input.broken(at, "a text without an end")),
        }
    }

    /// An error at this byte.
    pub fn broken(&self, at: u64, what: impl Into<String>) -> ImportError {
        self.input.broken(at.min(self.input.size()), what)
    }
}

/// A value of the file as a whole number; what no run can hold is an error.
pub fn whole(value: f64, one: f64) -> Result<i64, String> {
    if value.is_finite() && (value * one).abs() < MAX_VALUE as f64 {
        return Ok(Unit::Ns.whole(value, one));
    }
    Err(format!("a value of {value}"))
}

/// What a metric counts, by the unit in brackets in its name, and how many of that one of the file is.
pub fn unit_of(name: &str) -> (Unit, f64) {
    let holds = |unit: &str| name.to_ascii_lowercase().contains(unit);
    if holds("(usec)") || holds("(us)") {
        (Unit::Ns, 1e3)
    } else if holds("(sec)") || holds("(s)") {
        (Unit::Ns, 1e9)
    } else if holds("(msec)") || holds("(ms)") {
        (Unit::Ns, 1e6)
    } else if holds("(nsec)") || holds("(ns)") {
        (Unit::Ns, 1.0)
    } else if holds("(bytes)") || holds("(b)") {
        (Unit::Bytes, 1.0)
    } else {
        (Unit::Count, 1.0)
    }
}
