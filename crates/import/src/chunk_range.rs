//! The range of iterations in a chunk's metadata.

/// First iteration and number of iterations. MIR writes `chunk_0_8` for the iterations 0 to 7; so the end is one past the
/// last in all forms: `chunk_0_8`, `chunk_start=0;chunk_end=8`, `[0-8]`, `0-8`. Anything else is no chunk.
pub fn range(metadata: &[u8]) -> Option<(i64, i64)> {
    let text = std::str::from_utf8(metadata).ok()?.trim();
    let (first, end) = match text.strip_prefix("chunk_start") {
        Some(rest) => {
            let (first, end) = rest.split_once(['=', ':']).and_then(|(_, rest)| rest.split_once(';'))?;
            (first, end.trim().strip_prefix("chunk_end")?.trim_start_matches([' ', '=', ':']))
        }
        None => match text.strip_prefix("chunk_") {
            Some(rest) => rest.split_once('_')?,
            None => {
                let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
                // The sign of a negative first iteration is no dash.
                let dash = inside.get(1..)?.find('-')? + 1;
                (inside.get(..dash)?, inside.get(dash + 1..)?)
            }
        },
    };
    let first: i64 = first.trim().parse().ok()?;
    let end: i64 = end.trim().parse().ok()?;
    end.checked_sub(first).filter(|&count| count >= 0).map(|count| (first, count))
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn forms_of_ranges() {
        let ranges = [
            ("chunk_0_8", Some((0, 8))),
            ("chunk_start=16;chunk_end=24", Some((16, 8))),
            ("chunk_start = 16; chunk_end = 24", Some((16, 8))),
            ("[4-5]", Some((4, 1))),
            ("-4-5", Some((-4, 9))),
            (" 7-7 ", Some((7, 0))),
            ("chunk_start", None),
            ("chunk_start=3", None),
            ("8-7", None),
            ("NA", None),
            ("", None),
            ("-", None),
            ("é-3", None),
            ("[1-2", None),
            ("chunk_-9223372036854775808_9223372036854775807", None),
        ];
        for (text, expected) in ranges {
            assert_eq!(range(text.as_bytes()), expected, "{text}");
        }
    }
}
