//! The anchor file: how the other files are written.

use std::path::{Path, PathBuf};

use super::bytes::{Bytes, Wrong, is_big};
use super::chunks::{Chunks, END_OF_FILE};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;

/// Chunks are this large, at least and at most.
const CHUNKS: std::ops::RangeInclusive<u64> = 256 << 10..=16 << 20;
/// The most bytes of an anchor file.
const MOST: u64 = 16 << 20;

/// What the anchor file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Size of chunks of event files.
    pub event_chunk: Chunks,
    /// Size of chunks of definition files.
    pub definition_chunk: Chunks,
    /// The version of the library that wrote it.
    pub version: String,
    /// The anchor file without its ending: what the other names begin with.
    pub base: PathBuf,
}

/// Whether a file begins like an anchor file.
pub fn is_anchor(head: &[u8]) -> bool {
    matches!(head, [0x03, mark, b'O', b'T', b'F', b'2', 0, ..] if is_big(*mark).is_some())
}

impl Anchor {
    /// Reads an anchor file.
    pub fn read(path: &Path, inputs: &Inputs<'_>) -> Result<Self, ImportError> {
        let input = Input::open(path, inputs)?;
        let mut bytes = vec![0; input.size().min(MOST) as usize];
        input.read_at(0, &mut bytes)?;
        if !is_anchor(&bytes) {
            return Err(input.broken(0, "not an anchor file of OTF2"));
        }
        let big = bytes.get(1).and_then(|&mark| is_big(mark)).unwrap_or(false);
        let mut read = Bytes::new(&bytes, big);
        let parsed = parse(&mut read, path).map_err(|wrong| input.broken(wrong.at as u64, wrong.what))?;
        input.advance(input.size());
        Ok(parsed)
    }

    /// The file of global definitions.
    pub fn definitions(&self) -> PathBuf {
        self.base.with_extension("def")
    }

    /// A file of a location.
    pub fn of_location(&self, location: u64, ending: &str) -> PathBuf {
        self.base.join(format!("{location}.{ending}"))
    }
}

fn parse(bytes: &mut Bytes<'_>, path: &Path) -> Result<Anchor, Wrong> {
    bytes.take(7)?;
    let layout = bytes.u8()?;
    if layout == 0 {
        return bytes.wrong("an anchor file of format 0");
    }
    let format = bytes.u8()?;
    if format == 0 || format > 2 {
        return bytes.wrong(format!("a trace of format {format}; formats 1 and 2 are read"));
    }
    let version = [bytes.u8()?, bytes.u8()?, bytes.u8()?].map(|part| part.to_string()).join(".");
    let (event_chunk, definition_chunk) = (bytes.u64()?, bytes.u64()?);
    for size in [event_chunk, definition_chunk] {
        if !CHUNKS.contains(&size) {
            return bytes.wrong(format!("chunks of {size} bytes"));
        }
    }
    match bytes.u8()? {
        1 => {}
        2 => return bytes.wrong("files of SIONlib, which are not read; write the trace as plain files"),
        other => return bytes.wrong(format!("files of an unknown kind, {other}")),
    }
    let packed = match bytes.u8()? {
        1 => false,
        // As only OTF2 before 3.0 wrote it.
        2 => true,
        other => return bytes.wrong(format!("an unknown compression, {other}")),
    };
    // Numbers of locations and definitions are only a hint; what follows is read to see that the file is whole.
    let (_locations, _definitions) = (bytes.u64()?, bytes.u64()?);
    let (_machine, _creator, _description) = (bytes.text()?, bytes.text()?, bytes.text()?);
    if layout >= 2 {
        for _ in 0..bytes.u32()? {
            let (_name, _value) = (bytes.text()?, bytes.text()?);
        }
        let _id = bytes.u64()?;
    }
    if layout >= 3 {
        let (_snapshots, _thumbnails) = (bytes.u32()?, bytes.u32()?);
    }
    if layout == 3 && bytes.u8()? != END_OF_FILE {
        return bytes.wrong("the anchor file ends without its mark");
    }
    let [event_chunk, definition_chunk] = [event_chunk, definition_chunk].map(|size| Chunks { size, packed });
    Ok(Anchor { event_chunk, definition_chunk, version, base: path.with_extension("") })
}
