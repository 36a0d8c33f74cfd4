//! The container that event and definition files share: chunks of one size, each with a header, records back to back.

use super::bytes::{Bytes, Wrong, is_big};
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

/// Calls `records` with the records of each chunk. It reads them up to a mark and says which; where a chunk ends without one it says what
/// is wrong.
pub fn walk(
    input: &Input<'_>,
    size: u64,
    mut records: impl FnMut(&mut Bytes<'_>) -> Result<Next, Wrong>,
) -> Result<Ended, ImportError> {
    let mut chunk = Vec::new();
    let mut start = 0;
    while start < input.size() {
        input.check_cancelled()?;
        let length = (input.size() - start).min(size) as usize;
        chunk.resize(length, 0);
        input.read_at(start, &mut chunk)?;
        let big = match chunk.get(..HEADER) {
            Some([0x03, mark, ..]) => is_big(*mark),
            Some(_) => None,
            None => return Ok(Ended::Cut(start)),
        };
        let Some(big) = big else { return Err(input.broken(start, "no header of a chunk")) };
        let mut bytes = Bytes::new(&chunk, big);
        let read = bytes.take(HEADER).and_then(|_| records(&mut bytes));
        input.advance(start + length as u64);
        match read {
            Ok(Next::Nothing) => return Ok(Ended::Whole),
            Ok(Next::Chunk) => start += size,
            // The last chunk of a file that was cut ends within a record.
            Err(wrong) if wrong.at >= length || is_cut(&wrong, length, size) => {
                return Ok(Ended::Cut(start + wrong.at as u64));
            }
            Err(wrong) => return Err(input.broken(start + wrong.at as u64, wrong.what)),
        }
    }
    Ok(Ended::Cut(input.size()))
}

/// Whether a record did not fit because its chunk is shorter than chunks are.
fn is_cut(wrong: &Wrong, length: usize, size: u64) -> bool {
    (length as u64) < size && wrong.what.starts_with("it ends")
}
