//! JSON files: read whole, since what comes first may need what comes last; what is wrong is named with its byte.

use serde_json::Value;

use crate::error::ImportError;
use crate::input::Input;
use crate::stream::Stream;

/// All of it.
pub fn read(input: &Input<'_>) -> Result<Value, ImportError> {
    serde_json::from_reader(Stream::new(input)).map_err(|error| {
        let at = offset(input, error.line(), error.column());
        input.broken(at, format!("no JSON: {error}"))
    })
}

/// The byte of a line and column, as far as the file can be read again.
fn offset(input: &Input<'_>, line: usize, column: usize) -> u64 {
    use std::io::BufRead;
    let mut stream = Stream::new(input);
    let (mut at, mut left, mut bytes) = (0u64, line.saturating_sub(1), Vec::new());
    while left > 0 {
        bytes.clear();
        match stream.read_until(b'\n', &mut bytes) {
            Ok(count) if count > 0 => at += count as u64,
            _ => break,
        }
        left -= 1;
    }
    (at + column.saturating_sub(1) as u64).min(input.size().saturating_sub(1))
}

/// A number, also where it is quoted.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
    .filter(|number: &f64| number.is_finite())
}

/// Whether the first bytes are those of JSON with this word as a key.
pub fn begins(bytes: &[u8], key: &str) -> bool {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace() && !matches!(byte, 0xef | 0xbb | 0xbf));
    matches!(first, Some(b'{' | b'[')) && super::holds(bytes, format!("\"{key}\"").as_bytes())
}
