//! Python's marshal: values as its interpreter writes them, of Python 2 and 3. Of code, which the module `profile` writes in place
//! of a name, the name is taken.

use std::io::{BufReader, Read};
use std::sync::Arc;

use super::super::plain::Unpacked;
use crate::error::ImportError;
use crate::input::Input;

/// Values inside values: profiles have four levels, code in them has two for each function inside another.
const DEEPEST: usize = 64;
/// Numbers with which code begins: four of Python 2, up to six of Python 3.
const FEWEST_NUMBERS: usize = 4;
const MOST_NUMBERS: usize = 6;
/// No function has more bytes of code.
const MOST_CODE: usize = 1 << 24;
/// Bit of a type: the value is kept, to be named again by its number.
const KEPT: u8 = 0x80;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// `None`, `True`, `False`, and what is of no use here.
    Nothing,
    Whole(i64),
    Real(f64),
    Text(Arc<str>),
    Tuple(Arc<[Value]>),
    Dictionary(Arc<[(Value, Value)]>),
}

impl Value {
    /// The items of a tuple.
    pub fn items(&self) -> Option<&[Value]> {
        match self {
            Value::Tuple(items) => Some(items),
            _ => None,
        }
    }
}

/// Reads values in the order of the file.
pub struct Marshal<'a, 'b> {
    bytes: BufReader<Unpacked<'a, 'b>>,
    at: u64,
    /// Values that may be named again: of Python 3, and texts of Python 2.
    kept: Vec<Value>,
    interned: Vec<Value>,
}

type Result<T> = std::result::Result<T, ImportError>;

impl<'a, 'b> Marshal<'a, 'b> {
    pub fn open(input: &'a Input<'b>) -> Result<Self> {
        let bytes = BufReader::new(Unpacked::open(input)?);
        Ok(Marshal { bytes, at: 0, kept: Vec::new(), interned: Vec::new() })
    }

    /// The dictionary that is the whole file.
    pub fn begin_dictionary(&mut self) -> Result<()> {
        let kind = self.byte()?;
        if kind & !KEPT != b'{' {
            return Err(self.broken(0, "it does not begin with a dictionary"));
        }
        if kind & KEPT != 0 {
            self.kept.push(Value::Nothing);
        }
        Ok(())
    }

    /// The next key and where it begins; none at the dictionary's end.
    pub fn key(&mut self) -> Result<Option<(u64, Value)>> {
        let at = self.at;
        Ok(self.any(0)?.map(|key| (at, key)))
    }

    /// The next value.
    pub fn value(&mut self) -> Result<Value> {
        let at = self.at;
        self.any(0)?.ok_or_else(|| self.broken(at, "a key without a value"))
    }

    /// Nothing may follow.
    pub fn end(&mut self) -> Result<()> {
        let mut more = [0];
        match self.bytes.read(&mut more) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.broken(self.at, "something follows the profile")),
            Err(error) => Err(self.bytes.get_ref().failed(self.at, error)),
        }
    }

    fn broken(&self, at: u64, what: impl Into<String>) -> ImportError {
        self.bytes.get_ref().broken(at, what)
    }

    fn fill<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        match self.bytes.read_exact(&mut bytes) {
            Ok(()) => {
                self.at += N as u64;
                Ok(bytes)
            }
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(self.broken(self.at, "the file ends here, within a value"))
            }
            Err(error) => Err(self.bytes.get_ref().failed(self.at, error)),
        }
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.fill::<1>()?[0])
    }

    fn count(&mut self) -> Result<usize> {
        Ok(u32::from_le_bytes(self.fill()?) as usize)
    }

    /// So many bytes; memory grows only with those that are there.
    fn bytes(&mut self, count: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let at = self.at;
        let read = (&mut self.bytes).take(count as u64).read_to_end(&mut bytes);
        let read = read.map_err(|error| self.bytes.get_ref().failed(at, error))?;
        self.at += read as u64;
        if read < count {
            return Err(self.broken(at, format!("the file ends within a text of {count} bytes")));
        }
        Ok(bytes)
    }

    fn text(&mut self, count: usize) -> Result<Value> {
        let bytes = self.bytes(count)?;
        Ok(Value::Text(String::from_utf8_lossy(&bytes).into()))
    }

    /// A value; none where a dictionary ends.
    fn any(&mut self, depth: usize) -> Result<Option<Value>> {
        let at = self.at;
        if depth > DEEPEST {
            return Err(self.broken(at, "values inside values, deeper than any profile"));
        }
        let kind = self.byte()?;
        // Containers take their number before what is inside them.
        let slot = (kind & KEPT != 0).then(|| {
            self.kept.push(Value::Nothing);
            self.kept.len() - 1
        });
        let value = match kind & !KEPT {
            b'0' => return Ok(None),
            b'N' | b'T' | b'F' | b'.' | b'S' => Value::Nothing,
            b'i' => Value::Whole(i64::from(i32::from_le_bytes(self.fill()?))),
            b'I' => Value::Whole(i64::from_le_bytes(self.fill()?)),
            b'l' => self.long()?,
            b'g' => Value::Real(f64::from_le_bytes(self.fill()?)),
            b'f' => self.written_real()?,
            b'y' => {
                self.fill::<16>()?;
                Value::Nothing
            }
            b's' | b'u' | b'a' | b'A' => {
                let count = self.count()?;
                self.text(count)?
            }
            b't' => {
                let count = self.count()?;
                let text = self.text(count)?;
                self.interned.push(text.clone());
                text
            }
            b'z' | b'Z' => {
                let count = usize::from(self.byte()?);
                self.text(count)?
            }
            b'R' => self.named(at, false)?,
            b'r' => self.named(at, true)?,
            b'(' | b'>' => {
                let count = self.count()?;
                self.tuple(count, depth)?
            }
            b')' => {
                let count = usize::from(self.byte()?);
                self.tuple(count, depth)?
            }
            b'{' => self.dictionary(depth)?,
            b'c' => self.code(depth)?,
            other => {
                let other = other.escape_ascii();
                return Err(
                    self.broken(at, format!("a value of the kind `{other}`, which profiles have not"))
                );
            }
        };
        if let Some(kept) = slot.and_then(|slot| self.kept.get_mut(slot)) {
            kept.clone_from(&value);
        }
        Ok(Some(value))
    }

    /// The name of a function's code. What stands around it differs from version to version, and the version is not said: how
    /// many numbers come first follows from where the bytes of code begin, and the rest from what kinds of values there are.
    fn code(&mut self, depth: usize) -> Result<Value> {
        let at = self.at;
        self.begin_code()?;
        let next = |marshal: &mut Self| {
            let at = marshal.at;
            marshal.any(depth + 1)?.ok_or_else(|| marshal.broken(at, "code with an end inside it"))
        };
        // Constants, names, variables; then names of free variables, or since 3.11 the kinds of all, as bytes.
        for _ in 0..3 {
            next(self)?;
        }
        let is_new = matches!(next(self)?, Value::Text(_));
        if !is_new {
            next(self)?;
        }
        let (_file, name) = (next(self)?, next(self)?);
        if is_new {
            next(self)?;
        }
        let _line: [u8; 4] = self.fill()?;
        for _ in 0..1 + usize::from(is_new) {
            next(self)?;
        }
        match name {
            Value::Text(_) => Ok(name),
            _ => Err(self.broken(at, "code without a name")),
        }
    }

    /// The numbers that code begins with, and its bytes: a text of some length, or one that was there before.
    fn begin_code(&mut self) -> Result<()> {
        let at = self.at;
        for _ in 0..FEWEST_NUMBERS {
            self.fill::<4>()?;
        }
        let mut head: [u8; 5] = self.fill()?;
        for _ in FEWEST_NUMBERS..=MOST_NUMBERS {
            let [kind, a, b, c, d] = head;
            let number = u32::from_le_bytes([a, b, c, d]) as usize;
            match kind & !KEPT {
                b's' if (1..MOST_CODE).contains(&number) => {
                    self.bytes(number)?;
                    if kind & KEPT != 0 {
                        self.kept.push(Value::Nothing);
                    }
                    return Ok(());
                }
                b'r' if number < self.kept.len() => return Ok(()),
                // A number of four bytes: what is behind it may be the code.
                _ => {
                    let [e, f, g, h] = self.fill()?;
                    head = [d, e, f, g, h];
                }
            }
        }
        Err(self.broken(at, "code that has no bytes"))
    }

    fn named(&mut self, at: u64, is_kept: bool) -> Result<Value> {
        let number = self.count()?;
        let list = if is_kept { &self.kept } else { &self.interned };
        let value = list.get(number).cloned();
        value.ok_or_else(|| self.broken(at, format!("value {number} is not there yet")))
    }

    fn tuple(&mut self, count: usize, depth: usize) -> Result<Value> {
        let mut items = Vec::new();
        for _ in 0..count {
            let at = self.at;
            let item = self.any(depth + 1)?;
            items.push(item.ok_or_else(|| self.broken(at, "a tuple with an end inside it"))?);
        }
        Ok(Value::Tuple(items.into()))
    }

    fn dictionary(&mut self, depth: usize) -> Result<Value> {
        let mut items = Vec::new();
        while let Some(key) = self.any(depth + 1)? {
            let at = self.at;
            let value = self.any(depth + 1)?;
            items.push((key, value.ok_or_else(|| self.broken(at, "a key without a value"))?));
        }
        Ok(Value::Dictionary(items.into()))
    }

    /// A large whole number: digits of 15 bits, their number says the sign. One of more than 64 bits is a constant in code.
    fn long(&mut self) -> Result<Value> {
        let count = i32::from_le_bytes(self.fill()?);
        let mut number = 0i128;
        for digit in 0..count.unsigned_abs() {
            let value = i128::from(u16::from_le_bytes(self.fill()?) & 0x7fff);
            if digit < 5 {
                number |= value << (15 * digit);
            }
        }
        let number = if count < 0 { -number } else { number };
        let number = i64::try_from(number).ok().filter(|_| count.unsigned_abs() <= 5);
        Ok(number.map_or(Value::Nothing, Value::Whole))
    }

    /// A number in digits, as old versions write them.
    fn written_real(&mut self) -> Result<Value> {
        let at = self.at;
        let count = usize::from(self.byte()?);
        let bytes = self.bytes(count)?;
        let number = std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok());
        number.map(Value::Real).ok_or_else(|| self.broken(at, "a number that is none"))
    }
}
