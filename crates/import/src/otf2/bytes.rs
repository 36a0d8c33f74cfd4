//! Bytes of an OTF2 file in order: numbers of fixed width in the order that the file has, and numbers that are stored in as few bytes
//! as they need.

/// What is wrong, and where within the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Bytes from the beginning.
    pub at: usize,
    /// What.
    pub what: String,
}

/// Bytes in order.
#[derive(Clone, Debug)]
pub struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
    big: bool,
}

/// The mark of a file whose numbers have their smallest byte first.
const LITTLE: u8 = 0x42;
/// The mark of a file whose numbers have their largest byte first.
const BIG: u8 = 0x23;

/// Whether a mark says that the largest byte comes first; none when it is no mark.
pub fn is_big(mark: u8) -> Option<bool> {
    match mark {
        LITTLE => Some(false),
        BIG => Some(true),
        _ => None,
    }
}

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8], big: bool) -> Self {
        Bytes { bytes, at: 0, big }
    }

    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub fn wrong<T>(&self, what: impl Into<String>) -> Result<T, Wrong> {
        Err(Wrong { at: self.at, what: what.into() })
    }

    #[inline]
    pub fn u8(&mut self) -> Result<u8, Wrong> {
        match self.bytes.get(self.at) {
            Some(&byte) => {
                self.at += 1;
                Ok(byte)
            }
            None => self.wrong("it ends here"),
        }
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Wrong> {
        let end = self.at.checked_add(count);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(taken) => {
                self.at += count;
                Ok(taken)
            }
            None => self.wrong(format!("it ends within the {count} bytes that begin here")),
        }
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Wrong> {
        match self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) {
            Some(&array) => {
                self.at += N;
                Ok(array)
            }
            None => self.wrong(format!("it ends within the {N} bytes that begin here")),
        }
    }

    /// A number of eight bytes.
    #[inline]
    pub fn u64(&mut self) -> Result<u64, Wrong> {
        let bytes = self.array()?;
        Ok(if self.big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
    }

    /// A number of four bytes.
    pub fn u32(&mut self) -> Result<u32, Wrong> {
        let bytes = self.array()?;
        Ok(if self.big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    /// A number of up to eight bytes, with its length in front.
    #[inline]
    pub fn long(&mut self) -> Result<u64, Wrong> {
        self.compressed(8)
    }

    /// A number of up to four bytes, with its length in front.
    #[inline]
    pub fn short(&mut self) -> Result<u32, Wrong> {
        Ok(self.compressed(4)? as u32)
    }

    #[inline]
    fn compressed(&mut self, most: u8) -> Result<u64, Wrong> {
        let length = self.u8()?;
        if length == 0xff {
            return Ok(u64::MAX);
        }
        if length > most {
            self.at -= 1;
            return self.wrong(format!("a number of {length} bytes, where {most} are the most"));
        }
        // Eight bytes at once, of which those behind the number are cut off: all but the last few numbers of a chunk.
        if let Some(&eight) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            self.at += usize::from(length);
            let beyond = 64 - 8 * u32::from(length);
            let value = if self.big {
                u64::from_be_bytes(eight).checked_shr(beyond)
            } else {
                Some(u64::from_le_bytes(eight) & u64::MAX.checked_shr(beyond).unwrap_or(0))
            };
            return Ok(value.unwrap_or(0));
        }
        let mut value = 0;
        for (nth, &byte) in self.take(length.into())?.iter().enumerate() {
            value =
                if self.big { value << 8 | u64::from(byte) } else { value | u64::from(byte) << (8 * nth) };
        }
        Ok(value)
    }

    /// Text up to a zero byte.
    pub fn text(&mut self) -> Result<String, Wrong> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(end) = rest.iter().position(|&byte| byte == 0) else {
            return self.wrong("a text without end");
        };
        let text = String::from_utf8_lossy(&rest[..end]).into_owned();
        self.at += end + 1;
        Ok(text)
    }

    /// The body of a record, whose length stands in front.
    #[inline]
    pub fn body(&mut self) -> Result<Bytes<'a>, Wrong> {
        let length = match self.u8()? {
            0xff => usize::try_from(self.u64()?).unwrap_or(usize::MAX),
            length => length.into(),
        };
        let big = self.big;
        Ok(Bytes { bytes: self.take(length)?, at: 0, big })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Byte by byte, as the format says it.
    fn plainly(bytes: &[u8], big: bool) -> u64 {
        let number =
            |bytes: &mut dyn Iterator<Item = &u8>| bytes.fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        if big { number(&mut bytes.iter()) } else { number(&mut bytes.iter().rev()) }
    }

    #[test]
    fn numbers_are_the_same_in_the_middle_and_at_the_end() {
        let digits = [0x91, 0x02, 0xf3, 0x44, 0x85, 0x06, 0xc7, 0xf8];
        for big in [false, true] {
            for length in 0..=8u8 {
                let number = &digits[..usize::from(length)];
                for behind in 0..10 {
                    let mut bytes = vec![length];
                    bytes.extend(number);
                    bytes.extend(vec![0xee; behind]);
                    let mut read = Bytes::new(&bytes, big);
                    assert_eq!(read.long(), Ok(plainly(number, big)), "{length} bytes, {behind} behind them");
                    assert_eq!(read.at(), 1 + usize::from(length));
                }
                // Cut within the number.
                let mut cut = vec![length];
                cut.extend(&number[..usize::from(length.saturating_sub(1))]);
                assert_eq!(Bytes::new(&cut, big).long().is_err(), length > 0);
            }
        }
        assert_eq!(Bytes::new(&[0xff, 1], false).long(), Ok(u64::MAX));
        assert!(Bytes::new(&[5, 0, 0, 0, 0, 0, 0, 0, 0, 0], false).short().is_err());
        assert!(Bytes::new(&[9, 0, 0, 0, 0, 0, 0, 0, 0, 0], false).long().is_err());
    }
}
