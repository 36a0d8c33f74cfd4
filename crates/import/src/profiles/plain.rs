//! A foreign file as plain bytes or plain text, whatever it is wrapped in: gzip is recognised by its first bytes and undone,
//! UTF-16 becomes UTF-8, a byte order mark goes. Read piece by piece; offsets are those of the text that comes out.

use std::io::{self, BufReader, Read};

use crosscut_run::unpack::Bounded;
use flate2::bufread::MultiGzDecoder;

use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Head};
use crate::stream::{Stream, failed};

/// How much of a text a reader sees to recognise its format: keys of JSON come in any order.
const HEAD: usize = 1 << 16;
/// Bytes per read.
const PIECE: usize = 1 << 16;
/// How gzip begins.
const GZIP: &[u8] = b"\x1f\x8b";

/// The bytes of a file, unpacked where it is packed.
pub struct Unpacked<'a, 'b> {
    input: &'a Input<'b>,
    bytes: Bytes<'a, 'b>,
}

enum Bytes<'a, 'b> {
    AsTheyAre(BufReader<Stream<'a, 'b>>),
    Gzip(Box<Bounded<MultiGzDecoder<BufReader<Stream<'a, 'b>>>>>),
}

impl<'a, 'b> Unpacked<'a, 'b> {
    /// From the first byte.
    pub fn open(input: &'a Input<'b>) -> Result<Self, ImportError> {
        let mut first = [0; GZIP.len()];
        let is_packed = input.size() > first.len() as u64 && {
            input.read_at(0, &mut first)?;
            first == GZIP
        };
        let stream = Stream::new(input);
        let bytes = match is_packed {
            true => Bytes::Gzip(Box::new(Bounded::new(MultiGzDecoder::new(stream), input.size()))),
            false => Bytes::AsTheyAre(stream),
        };
        Ok(Unpacked { input, bytes })
    }

    /// An error at this byte of what was unpacked.
    pub fn broken(&self, offset: u64, what: impl Into<String>) -> ImportError {
        let what = what.into();
        match self.bytes {
            Bytes::AsTheyAre(_) => self.input.broken(offset, what),
            Bytes::Gzip(_) => self.input.broken(offset, format!("{what} (bytes counted after unpacking)")),
        }
    }

    /// What it means that reading failed after so many unpacked bytes.
    pub fn failed(&self, offset: u64, error: io::Error) -> ImportError {
        match (&self.bytes, error.kind()) {
            (Bytes::Gzip(_), io::ErrorKind::UnexpectedEof) => {
                self.broken(offset, "the packed file is cut short")
            }
            (Bytes::Gzip(_), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => {
                self.broken(offset, format!("the packed file is damaged: {error}"))
            }
            _ => failed(self.input, error),
        }
    }
}

impl Read for Unpacked<'_, '_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match &mut self.bytes {
            Bytes::AsTheyAre(stream) => stream.read(bytes),
            Bytes::Gzip(stream) => stream.read(bytes),
        }
    }
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Unknown,
    Utf8,
    Utf16(Order),
}

/// Which of two bytes comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// A text, piece by piece.
pub struct Text<'a, 'b> {
    unpacked: Unpacked<'a, 'b>,
    coding: Coding,
    /// Read and not decoded yet: at most a few bytes between two pieces.
    raw: Vec<u8>,
    piece: Vec<u8>,
    at: usize,
    /// Where the piece begins in the text.
    begin: u64,
    is_over: bool,
}

impl<'a, 'b> Text<'a, 'b> {
    /// From the first letter.
    pub fn open(input: &'a Input<'b>) -> Result<Self, ImportError> {
        let unpacked = Unpacked::open(input)?;
        let (raw, piece) = (Vec::new(), Vec::new());
        Ok(Text { unpacked, coding: Coding::Unknown, raw, piece, at: 0, begin: 0, is_over: false })
    }

    /// Where the next byte stands.
    pub fn offset(&self) -> u64 {
        self.begin + self.at as u64
    }

    /// What comes next: never empty before the end.
    pub fn fill(&mut self) -> Result<&[u8], ImportError> {
        while self.at >= self.piece.len() && !self.is_over {
            self.next_piece()?;
        }
        Ok(self.piece.get(self.at..).unwrap_or_default())
    }

    /// So many bytes of it were used.
    pub fn consume(&mut self, count: usize) {
        self.at = (self.at + count).min(self.piece.len());
    }

    /// An error at this byte.
    pub fn broken(&self, offset: u64, what: impl Into<String>) -> ImportError {
        self.unpacked.broken(offset, what)
    }

    fn next_piece(&mut self) -> Result<(), ImportError> {
        let before = self.raw.len();
        self.raw.resize(before + PIECE, 0);
        let space = self.raw.get_mut(before..).unwrap_or_default();
        let read = self.unpacked.read(space);
        let at = self.offset();
        let count = read.map_err(|error| self.unpacked.failed(at, error))?;
        self.raw.truncate(before + count);
        self.is_over = count == 0;
        if self.coding == Coding::Unknown && (self.is_over || self.raw.len() >= 3) {
            let (coding, mark) = coding(&self.raw);
            self.coding = coding;
            self.raw.drain(..mark);
            // The mark of UTF-8 stands in the file as offsets count it.
            self.begin += if coding == Coding::Utf8 { mark as u64 } else { 0 };
        }
        self.begin += self.piece.len() as u64;
        self.piece.clear();
        self.at = 0;
        match self.coding {
            Coding::Unknown => {}
            Coding::Utf8 => std::mem::swap(&mut self.piece, &mut self.raw),
            Coding::Utf16(order) => self.decode(order)?,
        }
        Ok(())
    }

    fn decode(&mut self, order: Order) -> Result<(), ImportError> {
        let (pairs, odd) = self.raw.as_chunks::<2>();
        if self.is_over && !odd.is_empty() {
            return Err(self.unpacked.broken(self.begin, "UTF-16 text that ends within a letter"));
        }
        let unit = |&pair: &[u8; 2]| match order {
            Order::Little => u16::from_le_bytes(pair),
            Order::Big => u16::from_be_bytes(pair),
        };
        let mut units: Vec<u16> = pairs.iter().map(unit).collect();
        // The first half of a letter waits for its other half.
        let is_half = units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) && !self.is_over;
        if is_half {
            units.pop();
        }
        let mut letter = [0; 4];
        for decoded in char::decode_utf16(units.iter().copied()) {
            let decoded = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.piece.extend_from_slice(decoded.encode_utf8(&mut letter).as_bytes());
        }
        self.raw.drain(..2 * units.len());
        Ok(())
    }
}

/// How a text is written, by its first bytes, and how many of them say so.
fn coding(first: &[u8]) -> (Coding, usize) {
    match first {
        [0xef, 0xbb, 0xbf, ..] => (Coding::Utf8, 3),
        [0xff, 0xfe, ..] => (Coding::Utf16(Order::Little), 2),
        [0xfe, 0xff, ..] => (Coding::Utf16(Order::Big), 2),
        _ => (Coding::Utf8, 0),
    }
}

/// How sure a reader of texts is, from how the only file begins when it is unpacked.
pub fn detect(
    inputs: &Inputs<'_>,
    detect: impl FnOnce(&Head<'_>) -> Confidence,
) -> Result<Confidence, ImportError> {
    let [file] = inputs.files() else { return Ok(Confidence::NONE) };
    let input = inputs.open(file)?;
    let (bytes, is_whole) = head(&input)?;
    // What is left of a packed file is not known: more than was seen.
    let size = if is_whole { bytes.len() as u64 } else { input.size().max(bytes.len() as u64 + 1) };
    Ok(detect(&Head { name: input.name(), size, bytes: &bytes }))
}

/// The first bytes, unpacked and decoded, and whether these are all. Of a damaged file, what can be read.
pub fn head(input: &Input<'_>) -> Result<(Vec<u8>, bool), ImportError> {
    let mut text = Text::open(input)?;
    let mut bytes = Vec::new();
    while bytes.len() < HEAD {
        let piece = match text.fill() {
            Ok(piece) => piece,
            Err(cancelled @ ImportError::Cancelled { .. }) => return Err(cancelled),
            Err(_) => return Ok((bytes, false)),
        };
        let count = piece.len().min(HEAD - bytes.len());
        if count == 0 {
            return Ok((bytes, true));
        }
        bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
        text.consume(count);
    }
    let is_whole = text.fill().is_ok_and(<[u8]>::is_empty);
    Ok((bytes, is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscut_run::{Quiet, unpack};
    use std::io::Write;

    #[test]
    fn what_unpacks_to_far_more_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("packed");
        let piece = vec![b' '; 1 << 20];
        let packed = |pieces: u64| {
            let mut encoder = flate2::write::GzEncoder::new(
                std::fs::File::create(&path).unwrap(),
                flate2::Compression::best(),
            );
            (0..pieces).for_each(|_| encoder.write_all(&piece).unwrap());
            encoder.finish().unwrap();
            let paths = [path.as_path()];
            let inputs = Inputs::find(&paths, &Quiet).unwrap();
            let input = inputs.one().unwrap();
            (input.size(), io::copy(&mut Unpacked::open(&input).unwrap(), &mut io::sink()))
        };
        // Repeats itself a hundred times and more: still a file.
        let (size, read) = packed(100);
        assert_eq!(read.unwrap(), 100 << 20);
        assert!(size < 2 << 20, "{size}");
        let (size, read) = packed(450);
        assert!(450 << 20 > unpack::most(size), "{size}");
        assert!(read.unwrap_err().to_string().contains("packed bytes become more than"));
    }
}
