//! XML as a stream of elements, with the place of what is wrong. Entities that a document declares itself are never expanded.

use std::borrow::Cow;
use std::io::{self, BufRead, ErrorKind, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::error::ImportError;
use crate::input::Input;

/// A tag with its attributes, a text or a comment has no more bytes.
const MOST: usize = 16 << 20;

/// A document that is read up to so far.
struct Limited<R> {
    document: R,
    left: usize,
}

impl<R: BufRead> Read for Limited<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let piece = self.fill_buf()?;
        let count = piece.len().min(bytes.len());
        bytes[..count].copy_from_slice(&piece[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Limited<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let left = self.left;
        let piece = self.document.fill_buf()?;
        if left == 0 && !piece.is_empty() {
            let what = format!("a tag or a text of more than {MOST} bytes");
            return Err(io::Error::new(ErrorKind::InvalidData, what));
        }
        Ok(&piece[..piece.len().min(left)])
    }

    fn consume(&mut self, count: usize) {
        self.left -= count.min(self.left);
        self.document.consume(count);
    }
}

/// Goes through a document from its beginning to its end. Each event comes with the byte at which it begins. `base` is where
/// in the file the document begins.
pub fn walk<R: BufRead>(
    input: &Input<'_>,
    base: u64,
    document: R,
    mut event: impl FnMut(u64, Event<'_>) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut reader = Reader::from_reader(Limited { document, left: MOST });
    let mut buffer = Vec::new();
    loop {
        let at = base.saturating_add(reader.buffer_position()).min(input.size());
        reader.get_mut().left = MOST;
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => return Ok(()),
            Ok(found) => event(at, found)?,
            Err(quick_xml::Error::Io(source)) => {
                let stopped = input.check_cancelled().err();
                let unreadable = || input.broken(at, format!("it cannot be read: {source}"));
                return Err(stopped.unwrap_or_else(unreadable));
            }
            Err(error) => {
                let at = base.saturating_add(reader.error_position()).min(input.size());
                return Err(input.broken(at, format!("not well-formed XML: {error}")));
            }
        }
        buffer.clear();
    }
}

/// An attribute of an element, or what is wrong with it.
pub fn attribute<'s>(start: &'s BytesStart<'_>, name: &str) -> Result<Option<Cow<'s, str>>, String> {
    let wrong = |what: String| format!("attribute `{name}`: {what}");
    let found = start.try_get_attribute(name).map_err(|error| wrong(error.to_string()))?;
    let Some(found) = found else { return Ok(None) };
    let value = found.unescape_value().map_err(|error| wrong(error.to_string()))?;
    Ok(Some(value))
}

/// The character that a reference such as `&lt;` stands for; none of those that a document declares itself.
pub fn character(reference: &quick_xml::events::BytesRef<'_>) -> Option<char> {
    match reference.as_ref() {
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"amp" => Some('&'),
        b"quot" => Some('"'),
        b"apos" => Some('\''),
        _ => reference.resolve_char_ref().ok().flatten(),
    }
}
