//! The inner end of a stack, as [`EventKind::Stack`] holds it: only words that may be addresses, of code or of the stack itself,
//! since nothing else leads outwards. Each event has six of them behind a word that says where they stand.

use crate::EventKind;

/// Words of a stack that are looked at, from its pointer on: 8 KB.
pub const STACK_WORDS: usize = 1 << POSITION_BITS;

const POSITION_BITS: usize = 10;
/// Words in one event, beside the one with their positions.
const IN_EVENT: usize = EventKind::FRAMES - 1;

/// Whether a word may be an address: none is in the first 64 KB, none in the upper half.
fn is_address(word: u64) -> bool {
    (1 << 16..1 << 47).contains(&word)
}

/// The payloads for a stack.
pub fn pack_stack(words: impl Iterator<Item = u64>) -> impl Iterator<Item = [u64; EventKind::FRAMES]> {
    let mut kept = words.take(STACK_WORDS).enumerate().filter(|&(_, word)| is_address(word));
    std::iter::from_fn(move || {
        let mut payload = [0; EventKind::FRAMES];
        for slot in 1..=IN_EVENT {
            let Some((at, word)) = kept.next() else { break };
            payload[0] |= (at as u64) << (POSITION_BITS * (slot - 1));
            payload[slot] = word;
        }
        (payload[1] != 0).then_some(payload)
    })
}

/// The words of a payload, with where they stand.
pub fn unpack_stack(payload: &[u64]) -> impl Iterator<Item = (usize, u64)> {
    let (positions, words) = payload.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
    let position = move |slot: usize| (positions >> (POSITION_BITS * slot)) as usize % STACK_WORDS;
    let words = words.iter().take(IN_EVENT).enumerate().filter(|&(_, &word)| word != 0);
    words.map(move |(slot, &word)| (position(slot), word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(words: &[u64]) -> Vec<(usize, u64)> {
        pack_stack(words.iter().copied())
            .flat_map(|payload| unpack_stack(&payload).collect::<Vec<_>>())
            .collect()
    }

    #[test]
    fn addresses_come_back_where_they_were() {
        let mut words = vec![0u64; 3 * STACK_WORDS];
        let mut wanted = Vec::new();
        // The first, the last, some between, and what is none.
        for at in [0, 1, 5, 64, 65, 66, 67, 700, STACK_WORDS - 1] {
            words[at] = 0x7f00_0000_0000 + at as u64;
            wanted.push((at, words[at]));
        }
        (words[2], words[3], words[STACK_WORDS]) = (0xffff, 1 << 47, 0x7f00_0000_0000);
        assert_eq!(round(&words), wanted);
        assert_eq!(round(&[]), []);
        assert_eq!(round(&[1, 2, 3]), []);
        // Every length, also those that fill an event.
        for length in 0..20 {
            let words: Vec<u64> = (0..length).map(|at| 1 << 20 | at).collect();
            let wanted: Vec<(usize, u64)> = words.iter().copied().enumerate().collect();
            assert_eq!(round(&words), wanted);
        }
    }

    #[test]
    fn any_payload_stays_inside() {
        for payload in [&[][..], &[u64::MAX], &[u64::MAX; 7], &[u64::MAX; 9]] {
            assert!(unpack_stack(payload).all(|(at, _)| at < STACK_WORDS));
        }
    }
}
