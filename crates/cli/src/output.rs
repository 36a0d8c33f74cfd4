//! What is printed. A reader that has seen enough (`crosscut info … | head -1`) is no error.

use std::ffi::OsStr;
use std::io::{ErrorKind, Write};

use anyhow::{Context, Result};

/// Prints a line, and makes sure that it has left.
pub fn line(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done.context("standard output"),
    }
}

/// A word of a command line, as it can be typed into a shell.
pub fn quoted(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref().to_string_lossy().into_owned();
    let plain = |c: char| c.is_alphanumeric() || "-_./+:=@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Says something on standard error, where nobody needs to listen.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "crosscut: {text}");
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_can_be_typed() {
        assert_eq!(quoted("fib-2.crosscut"), "fib-2.crosscut");
        assert_eq!(quoted("/a b/c"), "'/a b/c'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
