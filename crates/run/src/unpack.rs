//! Unpacking what somebody else has packed: a few kilobytes may stand for gigabytes. Real files become some ten times as large,
//! those that say the same again and again a hundred times.

use std::io::{self, ErrorKind, Read};

/// So much may come out of anything.
const FREE: u64 = 256 << 20;
/// And so many bytes more for each packed one.
const TIMES: u64 = 256;

/// How many bytes may come out of so many packed ones.
pub fn most(packed: u64) -> u64 {
    TIMES.saturating_mul(packed).saturating_add(FREE)
}

/// Says that more came out.
pub fn too_much(packed: u64) -> String {
    format!("{packed} packed bytes become more than {}: that is no profile", most(packed))
}

/// What comes out of a reader that unpacks, up to the most that may.
#[derive(Debug)]
pub struct Bounded<R> {
    reader: R,
    packed: u64,
    left: u64,
}

impl<R> Bounded<R> {
    /// All that comes out of so many packed bytes.
    pub fn new(reader: R, packed: u64) -> Self {
        Bounded { reader, packed, left: most(packed) }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(bytes)?;
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::new(ErrorKind::InvalidData, too_much(self.packed))),
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_most_is_an_error() {
        let all = most(10);
        let read = |len| io::copy(&mut Bounded::new(io::repeat(0).take(len), 10), &mut io::sink());
        assert_eq!(read(all).unwrap(), all);
        let error = read(all + 1).unwrap_err();
        assert!(error.to_string().contains("10 packed bytes become more than"), "{error}");
    }
}
