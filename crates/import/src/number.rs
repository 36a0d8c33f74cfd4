//! Numbers as R, spreadsheets and graph libraries write them.

/// What stands where a number is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Nothing: an empty field, `NA`, `NaN`.
    Missing,
    /// A whole number: `12`, `12.0`, `1.2e+05`.
    Whole(i64),
    /// Another number.
    Real(f64),
    /// Something else.
    Text,
}

/// Reads a number.
pub fn number(text: &[u8]) -> Number {
    let text = text.trim_ascii();
    if text.is_empty() || text.eq_ignore_ascii_case(b"na") || text.eq_ignore_ascii_case(b"nan") {
        return Number::Missing;
    }
    let Ok(text) = std::str::from_utf8(text) else { return Number::Text };
    if let Ok(whole) = text.parse() {
        return Number::Whole(whole);
    }
    // Words that Rust takes for numbers: `inf`, `infinity`.
    if !text.ends_with(|last: char| last.is_ascii_digit() || last == '.') {
        return Number::Text;
    }
    match text.parse::<f64>() {
        // Up to here every whole number has a float of its own.
        Ok(real) if real.fract() == 0.0 && real.abs() <= 9.0e15 => Number::Whole(real as i64),
        Ok(real) if real.is_finite() => Number::Real(real),
        _ => Number::Text,
    }
}

impl Number {
    /// To the nearest whole number; none when it is missing, no number or too large.
    pub fn rounded(self) -> Option<i64> {
        match self {
            Number::Whole(whole) => Some(whole),
            Number::Real(real) if real.abs() <= 9.0e15 => Some(real.round() as i64),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_programs_write_them() {
        let cases: [(&str, Number); 12] = [
            ("12", Number::Whole(12)),
            (" -3 ", Number::Whole(-3)),
            ("12.0", Number::Whole(12)),
            ("1.2e+05", Number::Whole(120_000)),
            ("0.25", Number::Real(0.25)),
            ("1e300", Number::Real(1e300)),
            ("", Number::Missing),
            ("NA", Number::Missing),
            ("nan", Number::Missing),
            ("inf", Number::Text),
            ("0x10", Number::Text),
            ("1e400", Number::Text),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(number(b"9223372036854775807"), Number::Whole(i64::MAX));
        assert_eq!(number(b"2.5").rounded(), Some(3));
    }
}
