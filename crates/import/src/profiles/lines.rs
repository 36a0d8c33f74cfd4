//! The lines of a text file, each with the byte that it begins at. A line has an end: what is longer than any is refused.

use super::plain::Text;
use crate::error::ImportError;
use crate::input::Input;

/// A line that is longer is none: some other kind of file.
const LONGEST: usize = 16 << 20;

/// Lines without their ends.
pub struct Lines<'a, 'b> {
    text: Text<'a, 'b>,
    bytes: Vec<u8>,
}

/// A line.
pub struct Line<'l> {
    /// Where it begins in the text.
    pub offset: u64,
    /// What is not text in it is replaced.
    pub text: std::borrow::Cow<'l, str>,
    /// It has an end: the last line of a file that was cut has none.
    pub is_whole: bool,
}

impl<'a, 'b> Lines<'a, 'b> {
    pub fn open(input: &'a Input<'b>) -> Result<Self, ImportError> {
        Ok(Lines { text: Text::open(input)?, bytes: Vec::new() })
    }

    /// The next one.
    pub fn next(&mut self) -> Result<Option<Line<'_>>, ImportError> {
        self.bytes.clear();
        let offset = self.text.offset();
        loop {
            let piece = self.text.fill()?;
            if piece.is_empty() {
                break;
            }
            let end = piece.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
            let count = end.unwrap_or(piece.len());
            self.bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
            self.text.consume(count);
            if end.is_some() {
                break;
            }
            if self.bytes.len() >= LONGEST {
                return Err(self.text.broken(offset, format!("a line of more than {LONGEST} bytes")));
            }
        }
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let ends = |byte: &u8| !matches!(byte, b'\n' | b'\r');
        let end = self.bytes.iter().rposition(ends).map_or(0, |last| last + 1);
        let bytes = self.bytes.get(..end).unwrap_or_default();
        Ok(Some(Line { offset, text: String::from_utf8_lossy(bytes), is_whole: end < self.bytes.len() }))
    }

    /// An error at this byte.
    pub fn broken(&self, offset: u64, what: impl Into<String>) -> ImportError {
        self.text.broken(offset, what)
    }
}
