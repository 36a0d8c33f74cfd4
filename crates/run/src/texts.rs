//! Texts on their way into tables. Names come from files that anybody may have written: long ones are cut, and more than a table
//! can hold is an error.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::RunError;

/// No name, module or file is longer, in bytes.
pub const LONGEST: usize = 4 << 10;

/// A name as it is kept. What is cut off is told by its length and a number that differs for other texts, so that two names with
/// the same beginning stay two.
pub fn kept(text: &mut String) {
    if text.len() <= LONGEST {
        return;
    }
    let end = format!("… ({} bytes, {:016x})", text.len(), xxh3_64(text.as_bytes()));
    text.truncate(text.floor_char_boundary(LONGEST - end.len()));
    text.push_str(&end);
}

/// A column of texts.
pub fn column<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Result<ArrayRef, RunError> {
    // Arrow counts the bytes of a column in 31 bits.
    within(texts, i32::MAX as usize)
}

fn within<'a>(texts: impl Iterator<Item = &'a str> + Clone, limit: usize) -> Result<ArrayRef, RunError> {
    let bytes = texts.clone().fold(0usize, |sum, text| sum.saturating_add(text.len()));
    if bytes > limit {
        return Err(RunError::TooMany { what: "bytes of names", limit });
    }
    Ok(Arc::new(StringArray::from_iter_values(texts)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let cut = |text: &str| {
            let mut text = text.to_owned();
            kept(&mut text);
            text
        };
        let longest = "ä".repeat(LONGEST / 2);
        assert_eq!(cut(&longest), longest);
        let [one, other] = ["a", "b"].map(|end| cut(&(longest.clone() + end)));
        assert_ne!(one, other);
        assert!(one.len() <= LONGEST && one.starts_with("ää") && one.contains("… (4097 bytes, "), "{one}");
        assert_eq!(cut(&one), one);
    }

    #[test]
    fn more_than_a_column_holds_is_an_error() {
        let texts = ["ab", "", "cde"];
        assert_eq!(within(texts.into_iter(), 5).unwrap().len(), 3);
        let error = within(texts.into_iter(), 4).unwrap_err();
        assert_eq!(error.to_string(), "more than 4 bytes of names in one run");
    }
}
