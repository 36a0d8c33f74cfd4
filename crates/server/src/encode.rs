//! Answers as they are sent: large ones compressed (see `docs/api.md`).

use std::io::Write;

use crosscut_scene::limits;
use crosscut_workbench::failure;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Answers from this size on are compressed: a person may look at a cluster's run through a slow tunnel.
const LARGE: usize = 32 << 10;
/// Stands in place of the JSON's length before a compressed answer.
const COMPRESSED: [u8; 4] = [0xff; 4];

/// The answer to question `id` as it is sent; one that is too large becomes a refusal.
pub fn answer(id: u32, bytes: Vec<u8>) -> Vec<u8> {
    let sent = packed(bytes);
    match limits::check_sent(sent.len()) {
        Ok(()) => sent,
        Err(error) => failure(id, &error.to_string()),
    }
}

fn packed(bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() < LARGE {
        return bytes;
    }
    let mut encoder = GzEncoder::new(COMPRESSED.to_vec(), Compression::fast());
    match encoder.write_all(&bytes).and_then(|()| encoder.finish()) {
        Ok(packed) => packed,
        Err(_) => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_are_too_large_are_refused() {
        let mut chance = crosscut_chance::Chance::new(1);
        let noise: Vec<u8> = (0..=limits::BYTES).map(|_| chance.below(256) as u8).collect();
        let sent = answer(7, noise);
        assert!(sent.len() < 1000, "noise cannot be compressed");
        let text = String::from_utf8_lossy(&sent);
        assert!(text.contains("\"id\":7") && text.contains("2 MiB"), "{text}");
    }

    #[test]
    fn large_answers_are_compressed() {
        let small = vec![7; LARGE - 1];
        assert_eq!(packed(small.clone()), small);
        let large: Vec<u8> = (0..200_000u32).map(|i| (i / 100) as u8).collect();
        let sent = packed(large.clone());
        assert!(sent.len() < large.len() / 4);
        assert_eq!(sent[..4], COMPRESSED);
        let mut back = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&sent[4..]), &mut back).unwrap();
        assert_eq!(back, large);
    }
}
