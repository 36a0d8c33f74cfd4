//! The lines of a text file, each with the byte that it begins at. A line has an end: what is longer than any is refused.

use std::io::{BufRead, BufReader, Read};

use crate::error::ImportError;
use crate::input::Input;
use crate::stream::{Stream, failed};

/// A line that is longer is none: some other kind of file.
const LONGEST: u64 = 16 << 20;

/// Lines without their ends.
pub struct Lines<'a, 'b> {
    input: &'a Input<'b>,
    stream: BufReader<Stream<'a, 'b>>,
    bytes: Vec<u8>,
    next: u64,
}

/// A line.
pub struct Line<'l> {
    /// Where it begins in the file.
    pub offset: u64,
    /// What is not text in it is replaced.
    pub text: std::borrow::Cow<'l, str>,
}

impl<'a, 'b> Lines<'a, 'b> {
    pub fn new(input: &'a Input<'b>) -> Self {
        Lines { input, stream: Stream::new(input), bytes: Vec::new(), next: 0 }
    }

    /// The next one.
    pub fn next(&mut self) -> Result<Option<Line<'_>>, ImportError> {
        self.bytes.clear();
        let offset = self.next;
        let mut limited = (&mut self.stream).take(LONGEST);
        let count = limited.read_until(b'\n', &mut self.bytes).map_err(|error| failed(self.input, error))?;
        if count == 0 {
            return Ok(None);
        }
        if count as u64 == LONGEST && !self.bytes.ends_with(b"\n") {
            return Err(self.input.broken(offset, format!("a line of more than {LONGEST} bytes")));
        }
        self.next += count as u64;
        let ends = |byte: &u8| !matches!(byte, b'\n' | b'\r');
        let end = self.bytes.iter().rposition(ends).map_or(0, |last| last + 1);
        let bytes = self.bytes.get(..end).unwrap_or_default();
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").filter(|_| offset == 0).unwrap_or(bytes);
        Ok(Some(Line { offset, text: String::from_utf8_lossy(bytes) }))
    }
}
