//! A foreign file from its beginning to its end, for formats that are text.

use std::io::{self, BufReader, Read};

use crate::error::ImportError;
use crate::input::Input;

/// Bytes per read, and between two looks at whether to stop.
const PIECE: usize = 1 << 16;

/// Reads the file in order, and says how far it is.
pub struct Stream<'a, 'b> {
    input: &'a Input<'b>,
    at: u64,
}

impl<'a, 'b> Stream<'a, 'b> {
    /// From the first byte.
    pub fn new(input: &'a Input<'b>) -> BufReader<Self> {
        BufReader::with_capacity(PIECE, Stream { input, at: 0 })
    }
}

impl Read for Stream<'_, '_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.input.check_cancelled().map_err(io::Error::other)?;
        let left = usize::try_from(self.input.size() - self.at).unwrap_or(usize::MAX);
        let count = left.min(bytes.len());
        if let Some(bytes) = bytes.get_mut(..count) {
            self.input.read_at(self.at, bytes).map_err(io::Error::other)?;
        }
        self.at += count as u64;
        self.input.advance(self.at);
        Ok(count)
    }
}

/// What [`Stream`] had to say when reading failed.
pub fn failed(input: &Input<'_>, error: io::Error) -> ImportError {
    match error.downcast::<ImportError>() {
        Ok(error) => error,
        Err(source) => ImportError::Io { path: input.path().to_owned(), source },
    }
}
