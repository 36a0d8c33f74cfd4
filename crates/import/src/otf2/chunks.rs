//! The container that event and definition files share: chunks of one size, each with a header, records back to back.

use super::bytes::{Bytes, Wrong, is_big};
use super::packed;
use crate::error::ImportError;
use crate::input::Input;

/// Bytes of a chunk's header.
const HEADER: usize = 18;
/// Marks among the records.
pub const END_OF_CHUNK: u8 = 0;
/// See there.
pub const END_OF_FILE: u8 = 2;

/// How the records of a chunk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// More follow in the next chunk.
    Chunk,
    /// No more follow.
    Nothing,
}

/// How a file ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With its mark.
    Whole,
    /// At this byte.
    Cut(u64),
}

/// How the chunks of a file are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// The size of a chunk.
    pub size: u64,
    /// Each chunk is packed by zlib.
    pub packed: bool,
}

/// Calls `records` with the records of each chunk. It reads them up to a mark and says which; where a chunk ends without one it says what
/// is wrong. Of packed files, the byte is that of the chunk as it is packed.
pub fn walk(
    input: &Input<'_>,
    chunks: Chunks,
    mut records: impl FnMut(&mut Bytes<'_>) -> Result<Next, Wrong>,
) -> Result<Ended, ImportError> {
    let mut chunk = Vec::new();
    let mut start = 0;
    while start < input.size() {
        input.check_cancelled()?;
        let next = match chunks.packed {
            true => match packed::unpack(input, start, chunks.size, &mut chunk)? {
                Some(next) => next,
                None => return Ok(Ended::Cut(start)),
            },
            false => {
                chunk.resize((input.size() - start).min(chunks.size) as usize, 0);
                input.read_at(start, &mut chunk)?;
                start + chunks.size
            }
        };
        let big = match chunk.get(..HEADER) {
            Some([0x03, mark, ..]) => is_big(*mark),
            Some(_) => None,
            None => return Ok(Ended::Cut(start)),
        };
        let Some(big) = big else { return Err(input.broken(start, "no header of a chunk")) };
        let mut bytes = Bytes::new(&chunk, big);
        let read = bytes.take(HEADER).and_then(|_| records(&mut bytes));
        input.advance(next);
        let place = |at: usize| if chunks.packed { start } else { start + at as u64 };
        match read {
            Ok(Next::Nothing) => return Ok(Ended::Whole),
            Ok(Next::Chunk) => start = next,
            // The last chunk of a file that was cut ends within a record.
            Err(wrong)
                if !chunks.packed
                    && (wrong.at >= chunk.len() || is_cut(&wrong, chunk.len(), chunks.size)) =>
            {
                return Ok(Ended::Cut(place(wrong.at)));
            }
            Err(wrong) => return Err(input.broken(place(wrong.at), wrong.what)),
        }
    }
    Ok(Ended::Cut(input.size()))
}

/// Whether a record did not fit because its chunk is shorter than chunks are.
fn is_cut(wrong: &Wrong, length: usize, size: u64) -> bool {
    (length as u64) < size && wrong.what.starts_with("it ends")
}
