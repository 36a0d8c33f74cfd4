//! Comma-separated values as a stream of records. Fields may be quoted, a quote inside is doubled, lines may end in CRLF.
//! Empty lines and lines that begin with `#` are passed over.

use std::io::{BufRead, BufReader};

use crate::error::{ImportError, Record};
use crate::input::Input;
use crate::stream::{Stream, failed};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The fields of the present record.
#[derive(Debug, Default)]
struct Fields {
    text: Vec<u8>,
    ends: Vec<usize>,
    quoted: bool,
}

impl Fields {
    fn get(&self, field: usize) -> &[u8] {
        let from = if field == 0 { 0 } else { self.ends.get(field - 1).copied().unwrap_or(usize::MAX) };
        let to = self.ends.get(field).copied().unwrap_or(0);
        self.text.get(from..to).unwrap_or_default()
    }

    /// Takes one more line. The record ends with it, unless it ends within quotes.
    fn take(&mut self, line: &[u8]) {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let mut bytes = content.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' if self.quoted => match bytes.next_if_eq(&b'"') {
                    Some(quote) => self.text.push(quote),
                    None => self.quoted = false,
                },
                b'"' if self.text.len() == self.ends.last().copied().unwrap_or(0) => self.quoted = true,
                b',' if !self.quoted => self.ends.push(self.text.len()),
                _ => self.text.push(byte),
            }
        }
        if self.quoted {
            self.text.push(b'\n');
        } else {
            self.ends.push(self.text.len());
        }
    }
}

/// Whether a line is no record.
fn is_blank(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || line.starts_with(b"#")
}

/// The fields of the first record in these bytes.
pub fn first_record(bytes: &[u8]) -> Option<Vec<String>> {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let line = bytes.split_inclusive(|&byte| byte == b'\n').find(|line| !is_blank(line))?;
    let mut fields = Fields::default();
    fields.take(line);
    Some(names(&fields))
}

fn names(fields: &Fields) -> Vec<String> {
    let count = fields.ends.len();
    (0..count).map(|field| String::from_utf8_lossy(fields.get(field)).trim().to_owned()).collect()
}

/// A file, record by record.
pub struct Csv<'a, 'b> {
    input: &'a Input<'b>,
    bytes: BufReader<Stream<'a, 'b>>,
    line: Vec<u8>,
    fields: Fields,
    /// Where the record begins: its byte, and its line from 1.
    pub offset: u64,
    pub line_number: u64,
    next_offset: u64,
    next_line: u64,
}

impl<'a, 'b> Csv<'a, 'b> {
    /// From the beginning of the file.
    pub fn new(input: &'a Input<'b>) -> Self {
        Csv {
            input,
            bytes: Stream::new(input),
            line: Vec::new(),
            fields: Fields::default(),
            offset: 0,
            line_number: 1,
            next_offset: 0,
            next_line: 1,
        }
    }

    /// Reads the next record; false at the end of the file.
    pub fn advance(&mut self) -> Result<bool, ImportError> {
        self.fields.text.clear();
        self.fields.ends.clear();
        loop {
            (self.offset, self.line_number) = (self.next_offset, self.next_line);
            if !self.read_line()? {
                return Ok(false);
            }
            let bom = self.offset == 0 && self.line.starts_with(BOM);
            let line = if bom { self.line.get(BOM.len()..).unwrap_or_default() } else { &self.line };
            if !is_blank(line) {
                self.fields.take(line);
                break;
            }
        }
        while self.fields.quoted {
            if !self.read_line()? {
                return Err(self.broken("a quote that is not closed before the file ends"));
            }
            self.fields.take(&self.line);
        }
        Ok(true)
    }

    fn read_line(&mut self) -> Result<bool, ImportError> {
        self.line.clear();
        let count =
            self.bytes.read_until(b'\n', &mut self.line).map_err(|error| failed(self.input, error))?;
        self.next_offset += count as u64;
        self.next_line += 1;
        Ok(count > 0)
    }

    /// How many fields the record has.
    pub fn len(&self) -> usize {
        self.fields.ends.len()
    }

    /// A field of the record; empty when it has not so many.
    pub fn field(&self, field: usize) -> &[u8] {
        self.fields.get(field)
    }

    /// All fields as text.
    pub fn names(&self) -> Vec<String> {
        names(&self.fields)
    }

    /// An error in this record.
    pub fn broken(&self, what: impl Into<String>) -> ImportError {
        line_broken(self.input, self.offset, self.line_number, what)
    }
}

/// An error in the record that begins there.
pub fn line_broken(input: &Input<'_>, offset: u64, line: u64, what: impl Into<String>) -> ImportError {
    input.broken_record(offset, Record { what: "line", number: line }, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(lines: &[&str]) -> Vec<String> {
        let mut fields = Fields::default();
        for line in lines {
            fields.take(line.as_bytes());
        }
        assert!(!fields.quoted);
        names(&fields)
    }

    #[test]
    fn fields_of_a_record() {
        assert_eq!(fields(&["a,b,,c\n"]), ["a", "b", "", "c"]);
        assert_eq!(fields(&["\"a,b\",\"c\"\"d\",e\"f\r\n"]), ["a,b", "c\"d", "e\"f"]);
        assert_eq!(fields(&["\"a\n", "b\",c"]), ["a\nb", "c"]);
        assert_eq!(fields(&[","]), ["", ""]);
        assert_eq!(
            first_record(b"\xef\xbb\xbf# note\r\n\r\ntask,\"parent\"\r\n1,2").unwrap(),
            ["task", "parent"]
        );
        assert_eq!(first_record(b"\n\n"), None);
    }
}
