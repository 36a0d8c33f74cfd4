//! The string table: source files by number.

use crate::error::{ImportError, Record};
use crate::input::Input;

use super::format::{Header, STRINGS_HEADER};

/// A longer name is not one of a file (PATH_MAX).
const MAX_NAME: usize = 4096;

/// All names, by number.
pub struct Strings {
    bytes: Vec<u8>,
    /// Where each begins and ends.
    names: Vec<(usize, usize)>,
}

impl Strings {
    /// How many.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The name with this number; "" when there is none.
    pub fn get(&self, number: usize) -> String {
        let bytes = self.names.get(number).and_then(|&(from, to)| self.bytes.get(from..to));
        String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
    }
}

/// Reads and checks the table, which fills the file to its end.
pub fn read(input: &Input<'_>, header: &Header) -> Result<Strings, ImportError> {
    let at = header.strings_at;
    let room = input.size() - at;
    let mut words = [0i64; 4];
    input.read_at(at, bytemuck::bytes_of_mut(&mut words))?;
    let [count, total, _, _] = words;
    if u64::try_from(total) != Ok(room) {
        let what = format!("a string table of {total} bytes, but {room} bytes remain in the file");
        return Err(input.broken(at + 8, what));
    }
    let index_bytes = u64::try_from(count)
        .ok()
        .and_then(|count| count.checked_mul(8))
        .filter(|&bytes| bytes <= room - STRINGS_HEADER)
        .ok_or_else(|| input.broken(at, format!("{count} strings do not fit into {room} bytes")))?;

    let mut offsets = vec![0i64; count as usize];
    input.read_at(at + STRINGS_HEADER, bytemuck::cast_slice_mut(&mut offsets))?;
    let bytes_at = at + STRINGS_HEADER + index_bytes;
    let mut bytes = vec![0u8; (input.size() - bytes_at) as usize];
    input.read_at(bytes_at, &mut bytes)?;

    let mut names = Vec::with_capacity(offsets.len());
    for (number, &offset) in offsets.iter().enumerate() {
        let wrong = |what: String| {
            let record = Record { what: "string", number: number as u64 };
            input.broken_record(at + STRINGS_HEADER + 8 * number as u64, record, what)
        };
        let from = usize::try_from(offset)
            .ok()
            .filter(|&from| from < bytes.len())
            .ok_or_else(|| wrong(format!("begins at {offset}, outside the {} bytes of text", bytes.len())))?;
        let text = bytes.get(from..).unwrap_or_default();
        let text = text.get(..=MAX_NAME).unwrap_or(text);
        let length = text.iter().position(|&byte| byte == 0).ok_or_else(|| {
            wrong(if text.len() > MAX_NAME {
                format!("longer than {MAX_NAME} bytes")
            } else {
                "not ended by a zero byte".to_owned()
            })
        })?;
        names.push((from, from + length));
    }
    Ok(Strings { bytes, names })
}
