//! A part of a file that moves on, for binary formats whose records have no length in front: what is not read yet is in one piece.

use crate::error::ImportError;
use crate::input::Input;

/// Bytes that are read at once.
const PIECE: usize = 256 << 10;
/// More than any sound record takes.
const MOST: usize = 256 << 20;

/// The part of a file that is looked at.
pub struct Window<'a, 'b> {
    input: &'a Input<'b>,
    bytes: Vec<u8>,
    /// Where the rest begins in `bytes`.
    at: usize,
    /// Where `bytes` ends in the file.
    end: u64,
}

impl<'a, 'b> Window<'a, 'b> {
    /// From this byte of the file on.
    pub fn new(input: &'a Input<'b>, from: u64) -> Self {
        Window { input, bytes: Vec::new(), at: 0, end: from.min(input.size()) }
    }

    /// What was read of the rest.
    #[inline]
    pub fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Where the rest begins in the file.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.end - self.rest().len() as u64
    }

    /// Goes on by so many bytes.
    #[inline]
    pub fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.bytes.len());
    }

    /// Reads more. Says whether there was more; more than one record can take is an error.
    pub fn more(&mut self) -> Result<bool, ImportError> {
        self.input.check_cancelled()?;
        let left = self.input.size().saturating_sub(self.end);
        if left == 0 {
            return Ok(false);
        }
        if self.rest().len() > MOST {
            let what = format!("a record of more than {} MiB", MOST >> 20);
            return Err(self.input.broken(self.offset(), what));
        }
        self.bytes.drain(..self.at);
        self.at = 0;
        let kept = self.bytes.len();
        // As much again as there is, so that a long record is not copied again and again.
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(PIECE.max(kept));
        self.bytes.resize(kept + count, 0);
        if let Some(new) = self.bytes.get_mut(kept..) {
            self.input.read_at(self.end, new)?;
        }
        self.end += count as u64;
        self.input.advance(self.end);
        Ok(true)
    }
}
