//! The files inside of a plain archive. Sums over headers are not looked at: some versions of Cube wrote wrong ones.

use foldhash::{HashMap, HashMapExt};

use crate::error::ImportError;
use crate::input::Input;

/// Headers and contents begin at multiples of this.
const BLOCK: u64 = 512;

/// Where a file inside is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its first byte in the archive.
    pub at: u64,
    /// Its size.
    pub size: u64,
}

/// Whether a file begins like an archive: with the header of a file of a known size.
pub fn begins(head: &[u8]) -> bool {
    let Some(header) = head.get(..BLOCK as usize) else { return false };
    let is_text = header.iter().take_while(|&&byte| byte != 0).all(|byte| byte.is_ascii_graphic());
    header.first().is_some_and(|&byte| byte != 0) && is_text && size(header).is_some()
}

/// All files inside, by their names without folders.
pub fn members(input: &Input<'_>) -> Result<HashMap<String, Member>, ImportError> {
    let mut found = HashMap::new();
    let mut header = [0; BLOCK as usize];
    let mut at = 0;
    while at + BLOCK <= input.size() {
        input.check_cancelled()?;
        input.read_at(at, &mut header)?;
        if header.iter().all(|&byte| byte == 0) {
            return Ok(found);
        }
        let size = size(&header).ok_or_else(|| input.broken(at + 124, "a file of no size"))?;
        let from = at + BLOCK;
        if size > input.size() - from {
            let what = format!("a file of {size} bytes, but the archive ends at byte {}", input.size());
            return Err(input.broken(at + 124, what));
        }
        let name = text(header.get(..100));
        // Folders, links and long names of other files are passed over.
        if matches!(header.get(156), Some(b'0' | 0)) {
            let name = name.rsplit('/').next().unwrap_or_default().to_owned();
            if found.insert(name.clone(), Member { at: from, size }).is_some() {
                return Err(input.broken(at, format!("a second file `{name}`")));
            }
        }
        at = from + size.div_ceil(BLOCK) * BLOCK;
    }
    Err(input.broken(input.size(), "the archive ends without its mark: it is cut short"))
}

fn text(field: Option<&[u8]>) -> String {
    let bytes = field.unwrap_or_default().split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(bytes).into_owned()
}

/// The size of a file: octal digits, or a number whose first bit is set.
fn size(header: &[u8]) -> Option<u64> {
    let field = header.get(124..136)?;
    if field.first()? & 0x80 != 0 {
        let (high, low) = field.split_at_checked(4)?;
        let is_small = high == [0x80, 0, 0, 0];
        return Some(u64::from_be_bytes(low.try_into().ok()?)).filter(|size| is_small && *size < 1 << 62);
    }
    let digits = text(Some(field));
    u64::from_str_radix(digits.trim(), 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_both_forms() {
        let mut header = [0u8; 512];
        header[124..136].copy_from_slice(b"00000000017\0");
        assert_eq!(size(&header), Some(15));
        header[124..136].copy_from_slice(&[0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1]);
        assert_eq!(size(&header), Some((2 << 32) + 1));
        header[124..136].copy_from_slice(&[0xff; 12]);
        assert_eq!(size(&header), None);
        header[124..136].copy_from_slice(b"no number\0\0\0");
        assert_eq!(size(&header), None);
    }
}
