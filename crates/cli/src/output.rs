//! What is printed. A reader that has seen enough (`crosscut info … | head -1`) is no error.

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

/// Says something on standard error, where nobody needs to listen.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "crosscut: {text}");
}
