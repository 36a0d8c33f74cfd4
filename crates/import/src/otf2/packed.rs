//! Chunks that are packed by zlib: a mark, three sizes, and a stream that ends without a sum. Writers stored as many bytes as the
//! chunk has unpacked, and not only those that they say: the next mark is behind the one or behind the other.

use flate2::{Decompress, FlushDecompress};

use crate::error::ImportError;
use crate::input::Input;

/// What a chunk begins with, in both byte orders.
const MARKS: [[u8; 8]; 2] = [[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]];
/// Bytes of the mark and of the sizes: packed, unpacked, packed of the chunk before.
const HEADER: u64 = 20;

/// Unpacks the chunk at `start`, and says where the next one begins; none where the file ends within it.
pub fn unpack(
    input: &Input<'_>,
    start: u64,
    most: u64,
    chunk: &mut Vec<u8>,
) -> Result<Option<u64>, ImportError> {
    let mut header = [0; HEADER as usize];
    if input.size() - start < HEADER {
        return Ok(None);
    }
    input.read_at(start, &mut header)?;
    if !is_mark(&header) {
        return Err(input.broken(start, "no mark of a packed chunk"));
    }
    let number = |at: usize| {
        header
            .get(at..at + 4)
            .map_or(0, |bytes| bytes.iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte)))
    };
    let (packed, unpacked) = (number(8), number(12));
    if unpacked > most || packed > most.saturating_mul(2) {
        let what =
            format!("a chunk of {packed} bytes that are {unpacked} unpacked, where chunks have {most}");
        return Err(input.broken(start + 8, what));
    }
    let begin = start + HEADER;
    if input.size() - begin < packed {
        return Ok(None);
    }
    let mut bytes = vec![0; packed as usize];
    input.read_at(begin, &mut bytes)?;
    chunk.clear();
    chunk.resize(unpacked as usize, 0);
    let mut stream = Decompress::new(true);
    let done = stream.decompress(&bytes, chunk, FlushDecompress::Sync);
    if let Err(error) = done {
        return Err(input.broken(begin, format!("a packed chunk: {error}")));
    }
    if stream.total_out() != unpacked {
        let what = format!("a packed chunk of {} bytes, where {unpacked} should be", stream.total_out());
        return Err(input.broken(begin, what));
    }
    Ok(Some(next(input, begin + packed, begin + unpacked)?))
}

/// Where the next chunk begins: behind what is packed, or behind as many bytes as there are unpacked.
fn next(input: &Input<'_>, packed: u64, unpacked: u64) -> Result<u64, ImportError> {
    for at in [packed, unpacked] {
        let mut mark = [0; 8];
        if at < input.size() && input.size() - at >= HEADER {
            input.read_at(at, &mut mark)?;
            if is_mark(&mark) {
                return Ok(at);
            }
        }
    }
    Ok(packed.max(unpacked).min(input.size()))
}

fn is_mark(bytes: &[u8]) -> bool {
    MARKS.iter().any(|mark| bytes.starts_with(mark))
}
