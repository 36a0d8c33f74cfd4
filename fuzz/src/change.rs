//! Changes of an input: bits, bytes, numbers that are often special, pieces moved, doubled, cut, or taken from another one.

use crosscut_chance::Chance;

/// The largest input.
const LARGEST: usize = 1 << 20;

/// Numbers that programs trip over, in all widths.
const SPECIAL: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    i64::MAX as u64,
    i64::MIN as u64,
    u64::MAX,
];

/// One of the inputs, changed a few times.
pub fn changed(kept: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = kept[chance.index(kept.len())].clone();
    for _ in 0..1 + chance.below(6) {
        change(&mut bytes, kept, chance);
    }
    bytes.truncate(LARGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, kept: &[Vec<u8>], chance: &mut Chance) {
    let at = chance.index(bytes.len().max(1));
    let length = 1 + chance.index(64);
    let piece = at..(at + length).min(bytes.len());
    match chance.below(9) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << chance.below(8),
        1 if !bytes.is_empty() => bytes[at] = chance.any() as u8,
        2 | 3 => {
            let width = [1, 2, 4, 8][chance.index(4)];
            let value = match chance.below(3) {
                0 => chance.below(1 << 10),
                _ => SPECIAL[chance.index(SPECIAL.len())],
            };
            let value = &value.to_le_bytes()[..width];
            if let Some(slot) = bytes.get_mut(at..at + width) {
                slot.copy_from_slice(value);
            }
        }
        4 => bytes.truncate(at),
        5 if !piece.is_empty() => drop(bytes.drain(piece)),
        6 if !piece.is_empty() => {
            let copy = bytes[piece].to_vec();
            let to = chance.index(bytes.len());
            bytes.splice(to..to, copy);
        }
        7 => {
            let other = &kept[chance.index(kept.len())];
            let from = chance.index(other.len().max(1));
            let part = other.get(from..(from + length).min(other.len())).unwrap_or(&[]);
            bytes.splice(at.min(bytes.len())..piece.end.max(at.min(bytes.len())), part.iter().copied());
        }
        _ => {
            // A number in a text.
            if let Some(digit) = bytes.iter_mut().skip(at).find(|byte| byte.is_ascii_digit()) {
                *digit = b"0123456789-."[chance.index(12)];
            }
        }
    }
}
