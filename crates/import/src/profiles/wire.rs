//! The wire form of protocol buffers: fields with numbers, one after the other. A message is read into memory, a file is not.

use std::io::Read;

use super::plain::Unpacked;
use crate::error::ImportError;

/// No message of a profile is larger.
const MOST: u64 = 1 << 26;

/// A value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl Value<'_> {
    /// As a number; none when it is something else.
    pub fn number(self) -> Option<u64> {
        match self {
            Value::Number(number) => Some(number),
            Value::Bytes(_) => None,
        }
    }
}

/// The fields of a message in memory. What cannot be read ends it, with the place in the message.
pub struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Where in a message something is wrong.
pub type Wrong = (u64, &'static str);

impl<'a> Fields<'a> {
    /// From its beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Fields { bytes, at: 0 }
    }

    /// The next field with its number.
    pub fn next(&mut self) -> Result<Option<(u64, Value<'a>)>, Wrong> {
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let at = self.at as u64;
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Number(self.varint()?),
            1 => Value::Number(number(self.take(8)?)),
            2 => {
                let len = self.varint()?;
                Value::Bytes(self.take(len)?)
            }
            5 => Value::Number(number(self.take(4)?)),
            _ => return Err((at, "a field of an unknown kind")),
        };
        match key >> 3 {
            0 => Err((at, "a field with the number 0")),
            field => Ok(Some((field, value))),
        }
    }

    fn take(&mut self, len: u64) -> Result<&'a [u8], Wrong> {
        let at = self.at as u64;
        let end = usize::try_from(len).ok().and_then(|len| self.at.checked_add(len));
        let found = end.and_then(|end| self.bytes.get(self.at..end));
        let found = found.ok_or((at, "a field that is longer than what it is in"))?;
        self.at += found.len();
        Ok(found)
    }

    /// A number of up to ten bytes, seven bits in each.
    pub fn varint(&mut self) -> Result<u64, Wrong> {
        let at = self.at as u64;
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let Some(&byte) = self.bytes.get(self.at) else {
                return Err((at, "a number that does not end"));
            };
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err((at, "a number of more than ten bytes"))
    }

    /// Where the next field is.
    pub fn at(&self) -> usize {
        self.at
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Numbers of a field that may come one by one or packed together.
pub fn numbers(value: Value<'_>, into: &mut Vec<u64>) -> Result<(), Wrong> {
    match value {
        Value::Number(number) => into.push(number),
        Value::Bytes(bytes) => {
            let mut packed = Fields::new(bytes);
            while packed.at() < bytes.len() {
                into.push(packed.varint()?);
            }
        }
    }
    Ok(())
}

/// The fields of a whole file.
pub struct Messages<'a, 'b> {
    bytes: Unpacked<'a, 'b>,
    /// Read so far.
    at: u64,
    message: Vec<u8>,
}

/// A field of the file: its number, where its content begins, and a number where it is one.
pub struct Message {
    pub field: u64,
    pub at: u64,
    /// When it is not a message.
    pub number: Option<u64>,
}

impl<'a, 'b> Messages<'a, 'b> {
    /// From the beginning of the file.
    pub fn new(bytes: Unpacked<'a, 'b>) -> Self {
        Messages { bytes, at: 0, message: Vec::new() }
    }

    /// The content of the last message.
    pub fn content(&self) -> &[u8] {
        &self.message
    }

    /// Bytes that were read so far.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// An error at this byte.
    pub fn broken(&self, at: u64, what: impl Into<String>) -> ImportError {
        self.bytes.broken(at, what)
    }

    /// The next field; its content is there until the next call.
    pub fn next(&mut self) -> Result<Option<Message>, ImportError> {
        self.message.clear();
        let begin = self.at;
        let Some(key) = self.varint(true)? else { return Ok(None) };
        let field = key >> 3;
        let number = match key & 7 {
            0 => self.varint(false)?,
            1 => self.read(8)?.map(|()| number(&self.message)),
            2 => {
                let at = self.at;
                let len = self.varint(false)?.unwrap_or(0);
                if len > MOST {
                    return Err(
                        self.broken(at, format!("a message of {len} bytes: more than any profile has"))
                    );
                }
                let at = self.at;
                self.read(len)?;
                return Ok(Some(Message { field, at, number: None }));
            }
            5 => self.read(4)?.map(|()| number(&self.message)),
            _ => return Err(self.broken(begin, "a field of an unknown kind")),
        };
        Ok(Some(Message { field, at: begin, number }))
    }

    fn read(&mut self, len: u64) -> Result<Option<()>, ImportError> {
        // Grows with what is there, not with what the file says.
        let read = (&mut self.bytes).take(len).read_to_end(&mut self.message);
        let read = read.map_err(|error| self.bytes.failed(self.at, error))?;
        if (read as u64) < len {
            return Err(self.broken(self.at, format!("the file ends within the {len} bytes that begin here")));
        }
        self.at += len;
        Ok(Some(()))
    }

    /// A number; none where the file ends, when it may end here.
    fn varint(&mut self, may_end: bool) -> Result<Option<u64>, ImportError> {
        let (begin, mut value, mut byte) = (self.at, 0u64, [0]);
        for shift in (0..64).step_by(7) {
            let read = self.bytes.read(&mut byte).map_err(|error| self.bytes.failed(self.at, error))?;
            if read == 0 {
                return match may_end && shift == 0 {
                    true => Ok(None),
                    false => Err(self.broken(begin, "the file ends within a number")),
                };
            }
            self.at += 1;
            value |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] < 0x80 {
                return Ok(Some(value));
            }
        }
        Err(self.broken(begin, "a number of more than ten bytes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_all_kinds() {
        let bytes = [8, 150, 1, 18, 2, 7, 8, 29, 1, 0, 0, 0, 33, 2, 0, 0, 0, 0, 0, 0, 0];
        let mut fields = Fields::new(&bytes);
        assert_eq!(fields.next(), Ok(Some((1, Value::Number(150)))));
        assert_eq!(fields.next(), Ok(Some((2, Value::Bytes(&[7, 8])))));
        assert_eq!(fields.next(), Ok(Some((3, Value::Number(1)))));
        assert_eq!(fields.next(), Ok(Some((4, Value::Number(2)))));
        assert_eq!(fields.next(), Ok(None));
        let mut list = Vec::new();
        numbers(Value::Bytes(&[1, 0xff, 1]), &mut list).unwrap();
        assert_eq!(list, [1, 255]);
        for broken in
            [&[8][..], &[18, 5, 1], &[3], &[0, 1], &[8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255]]
        {
            assert!(Fields::new(broken).next().is_err(), "{broken:?}");
        }
    }
}
