//! Comma-separated values as a stream of records. Fields may be quoted, a quote inside is doubled, lines may end in CRLF.
//! Empty lines and lines that begin with `#` are passed over.
//!
//! The parser is that of the csv crate. Its reader is not used: after lines that it passed over it does not know where the
//! record began, and it takes whatever memory a quote needs that is never closed.

use std::io::{self, BufRead, BufReader};

use csv_core::ReadRecordResult;

use crate::error::{ImportError, Record};
use crate::input::Input;
use crate::stream::{Stream, failed};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Bytes and fields of a record at most. A task that waits often has a long list of waits; more is a quote that nobody closed.
const MAX_BYTES: usize = 64 << 20;
const MAX_FIELDS: usize = 1 << 16;

/// Why there is no next record.
enum Trouble {
    Io(io::Error),
    Unclosed,
    TooLong,
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble::Io(error)
    }
}

/// Records, one after the other.
struct Records<R> {
    bytes: R,
    parser: csv_core::Reader,
    /// Fields of the present record: their text, and where each ends in that.
    text: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
    /// Where the record begins: its byte, and its line from 1.
    offset: u64,
    line: u64,
    next_offset: u64,
}

impl<R: BufRead> Records<R> {
    fn new(bytes: R) -> Self {
        Records {
            bytes,
            parser: csv_core::Reader::new(),
            text: vec![0; 1 << 12],
            ends: vec![0; 64],
            count: 0,
            offset: 0,
            line: 1,
            next_offset: 0,
        }
    }

    /// Reads the next record; false at the end.
    fn advance(&mut self) -> Result<bool, Trouble> {
        self.count = 0;
        self.pass_over()?;
        (self.offset, self.line) = (self.next_offset, self.parser.line());
        if self.bytes.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let mut length = 0;
        loop {
            let bytes = self.bytes.fill_buf()?;
            // Whatever the last line ends with, it ends.
            let (at_end, bytes) = if bytes.is_empty() { (true, &b"\n"[..]) } else { (false, bytes) };
            let (text, ends) = (&mut self.text[length..], &mut self.ends[self.count..]);
            let (result, read, written, fields) = self.parser.read_record(bytes, text, ends);
            length += written;
            self.count += fields;
            if !at_end {
                self.bytes.consume(read);
                self.next_offset += read as u64;
            }
            match result {
                ReadRecordResult::Record | ReadRecordResult::End => return Ok(true),
                ReadRecordResult::InputEmpty if at_end => return Err(Trouble::Unclosed),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => widen(&mut self.text, MAX_BYTES)?,
                ReadRecordResult::OutputEndsFull => widen(&mut self.ends, MAX_FIELDS)?,
            }
        }
    }

    /// Comes to where the next record begins. Blanks before it belong to no field.
    fn pass_over(&mut self) -> Result<(), Trouble> {
        let mut in_comment = false;
        loop {
            let bytes = self.bytes.fill_buf()?;
            let bom = if self.next_offset == 0 && bytes.starts_with(BOM) { BOM.len() } else { 0 };
            let Some(&byte) = bytes.get(bom) else { return Ok(()) };
            if byte == b'\n' {
                in_comment = false;
                self.parser.set_line(self.parser.line() + 1);
            } else if byte == b'#' {
                in_comment = true;
            } else if !in_comment && !byte.is_ascii_whitespace() {
                self.bytes.consume(bom);
                self.next_offset += bom as u64;
                return Ok(());
            }
            self.bytes.consume(bom + 1);
            self.next_offset += bom as u64 + 1;
        }
    }

    /// A field of the record; empty when it has not so many.
    fn field(&self, field: usize) -> &[u8] {
        let ends = &self.ends[..self.count];
        let from = field.checked_sub(1).map_or(Some(0), |before| ends.get(before).copied());
        let range = from.zip(ends.get(field).copied()).map(|(from, to)| from..to);
        range.and_then(|range| self.text.get(range)).unwrap_or_default()
    }

    fn names(&self) -> Vec<String> {
        let name = |field| String::from_utf8_lossy(self.field(field)).trim().to_owned();
        (0..self.count).map(name).collect()
    }
}

/// Makes more room, as long as there may be more.
fn widen<T: Clone + Default>(room: &mut Vec<T>, most: usize) -> Result<(), Trouble> {
    if room.len() >= most {
        return Err(Trouble::TooLong);
    }
    room.resize((2 * room.len()).min(most), T::default());
    Ok(())
}

/// The fields of the first record in these bytes.
pub fn first_record(bytes: &[u8]) -> Option<Vec<String>> {
    let mut records = Records::new(bytes);
    records.advance().ok()?.then(|| records.names())
}

/// A file, record by record.
pub struct Csv<'a, 'b> {
    input: &'a Input<'b>,
    records: Records<BufReader<Stream<'a, 'b>>>,
}

impl<'a, 'b> Csv<'a, 'b> {
    /// From the beginning of the file.
    pub fn new(input: &'a Input<'b>) -> Self {
        Csv { input, records: Records::new(Stream::new(input)) }
    }

    /// Reads the next record; false at the end of the file.
    pub fn advance(&mut self) -> Result<bool, ImportError> {
        self.records.advance().map_err(|trouble| match trouble {
            Trouble::Io(error) => failed(self.input, error),
            Trouble::Unclosed => self.broken("a quote that is not closed before the file ends"),
            Trouble::TooLong => self.broken(format!(
                "a record of more than {} MiB or {MAX_FIELDS} fields; is a quote not closed?",
                MAX_BYTES >> 20
            )),
        })
    }

    /// Where the record begins: its byte.
    pub fn offset(&self) -> u64 {
        self.records.offset
    }

    /// Where the record begins: its line, from 1.
    pub fn line(&self) -> u64 {
        self.records.line
    }

    /// How many fields the record has.
    pub fn len(&self) -> usize {
        self.records.count
    }

    /// A field of the record; empty when it has not so many.
    pub fn field(&self, field: usize) -> &[u8] {
        self.records.field(field)
    }

    /// All fields as text.
    pub fn names(&self) -> Vec<String> {
        self.records.names()
    }

    /// An error in this record.
    pub fn broken(&self, what: impl Into<String>) -> ImportError {
        line_broken(self.input, self.offset(), self.line(), what)
    }
}

/// An error in the record that begins there.
pub fn line_broken(input: &Input<'_>, offset: u64, line: u64, what: impl Into<String>) -> ImportError {
    input.broken_record(offset, Record { what: "line", number: line }, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Line = (u64, u64, Vec<String>);

    /// Reads so many bytes at a time; what was read, and whether there was trouble.
    fn read(text: &[u8], piece: usize) -> (Vec<Line>, Option<Trouble>) {
        let mut records = Records::new(BufReader::with_capacity(piece, text));
        let mut lines = Vec::new();
        loop {
            match records.advance() {
                Ok(true) => lines.push((records.offset, records.line, records.names())),
                Ok(false) => return (lines, None),
                Err(trouble) => return (lines, Some(trouble)),
            }
        }
    }

    fn line(offset: u64, line: u64, fields: &[&str]) -> Line {
        (offset, line, fields.iter().map(|field| field.to_string()).collect())
    }

    #[test]
    fn fields_of_records() {
        let one = |text: &str| first_record(text.as_bytes()).unwrap();
        assert_eq!(one("a,b,,c\n"), ["a", "b", "", "c"]);
        assert_eq!(one("\"a,b\",\"c\"\"d\",e\"f\r\n"), ["a,b", "c\"d", "e\"f"]);
        assert_eq!(one("\"a\nb\",c"), ["a\nb", "c"]);
        assert_eq!(one(","), ["", ""]);
        assert_eq!(one("\u{feff}# note\r\n\r\ntask,\"parent\"\r\n1,2"), ["task", "parent"]);
        assert_eq!(one("\u{feff}task,parent"), ["task", "parent"]);
        assert_eq!(first_record(b"\n\n"), None);
    }

    #[test]
    fn records_know_where_they_begin() {
        let text = b"# one\r\n\r\na,b\r\n  \n # \"two\n1,\"x\ny\"\n\n  2,3\r\n4,5";
        let expected = [
            line(9, 3, &["a", "b"]),
            line(25, 6, &["1", "x\ny"]),
            line(36, 9, &["2", "3"]),
            line(41, 10, &["4", "5"]),
        ];
        for piece in [3, 4, 7, 100] {
            let (lines, trouble) = read(text, piece);
            assert!(trouble.is_none());
            assert_eq!(lines, expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn a_quote_that_is_not_closed() {
        for text in ["a,b\n\"1,2\n3,4", "a,b\n1,\"2", "a,b\n1,\"2\n", "a,b\n\"\"\""] {
            let (lines, trouble) = read(text.as_bytes(), 5);
            assert_eq!(lines, [line(0, 1, &["a", "b"])], "{text}");
            assert!(matches!(trouble, Some(Trouble::Unclosed)), "{text}");
        }
        let (lines, trouble) = read(b"a\n\"1\"", 5);
        assert!(lines.len() == 2 && trouble.is_none());
    }

    /// An endless field is refused, and takes no more memory than it may.
    #[test]
    fn what_is_too_long_is_refused() {
        struct Endless(&'static [u8]);
        impl io::Read for Endless {
            fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
                let count = bytes.len() / self.0.len() * self.0.len();
                bytes[..count].chunks_exact_mut(self.0.len()).for_each(|some| some.copy_from_slice(self.0));
                Ok(count)
            }
        }
        for pattern in [&b"x"[..], b"\"\"", b"\"\",", b",,,,"] {
            let mut records = Records::new(BufReader::with_capacity(1 << 16, Endless(pattern)));
            assert!(matches!(records.advance(), Err(Trouble::TooLong)), "{pattern:?}");
            assert!(records.text.len() <= MAX_BYTES && records.ends.len() <= MAX_FIELDS);
            assert!(records.next_offset <= 4 * MAX_BYTES as u64);
        }
    }
}
