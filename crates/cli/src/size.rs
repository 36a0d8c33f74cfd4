//! Sizes as people write them: `100000`, `100_000`, `1e6`, `10M`, `1.5k`.

use std::str::FromStr;

/// Above this not every whole number is an `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Reads a size.
pub fn parse(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size; write it like 100000, 100_000, 1e6 or 10M");
    let plain = text.replace('_', "");
    if let Ok(size) = plain.parse() {
        return Ok(size);
    }
    let (number, unit) = match plain.char_indices().last() {
        Some((at, 'k' | 'K')) => (&plain[..at], 1e3),
        Some((at, 'M')) => (&plain[..at], 1e6),
        Some((at, 'G')) => (&plain[..at], 1e9),
        _ => (&plain[..], 1.0),
    };
    // `parse` would also take "inf", "NaN" and signs.
    if !number.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(wrong());
    }
    let size = number.parse::<f64>().map_err(|_| wrong())? * unit;
    // 1.1M is a whole number for a person, and almost one for an f64.
    let whole = size.round();
    if whole > EXACT || (size - whole).abs() > 1e-6 {
        return Err(wrong());
    }
    Ok(whole as u64)
}

/// Reads a whole number.
pub fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a whole number from 0 on, or too large"))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn as_people_write_them() {
        for (text, size) in [
            ("0", 0),
            ("100000", 100_000),
            ("100_000", 100_000),
            ("1e6", 1_000_000),
            ("1E8", 100_000_000),
            ("10M", 10_000_000),
            ("1.5k", 1_500),
            ("1.1M", 1_100_000),
            ("2G", 2_000_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(size), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in
            ["", "_", "M", "-1", "+-1", "1.5", "1e-3", "inf", "NaN", "ten", "10 M", "10MB", "1e300", "0x10"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
