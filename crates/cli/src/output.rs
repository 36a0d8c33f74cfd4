//! What is printed, all of it: names from files that nobody here wrote are in every line, so each line is written out
//! (`crosscut_scene::printable`) before it leaves. A reader that has seen enough (`crosscut info … | head -1`) is no error.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use anyhow::{Context, Result, bail};
use crosscut_scene::printable::{is_hidden, printable, printable_json, printable_lines};
use serde::Serialize;

/// Prints a line, and makes sure that it has left.
pub fn line(text: &str) -> Result<()> {
    print(&printable(text))
}

/// Prints lines.
pub fn lines(lines: &[String]) -> Result<()> {
    print(&lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n"))
}

fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done.context("standard output"),
    }
}

/// Prints an answer for scripts.
pub fn json(answer: &impl Serialize) -> Result<()> {
    // Keys in the order of the alphabet, whatever the order in which they were made.
    let value = serde_json::to_value(answer).context("an answer for scripts")?;
    print(&printable_json(&format!("{value:#}")))
}

/// Streams to standard output; a reader that has seen enough is no error.
pub fn stream(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done.context("standard output"),
    }
}

/// Writes a file beside its name and renames it: it is there whole or not at all. A device or a pipe is written into, not
/// replaced.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    if path.is_dir() {
        bail!("a directory");
    }
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Ok(write(&mut std::fs::OpenOptions::new().write(true).open(path)?)?);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        bail!("there is no directory {}", folder.display());
    }
    let mut file = tempfile::Builder::new().permissions(readable()).tempfile_in(folder)?;
    write(file.as_file_mut())?;
    file.persist(path)?;
    Ok(())
}

/// What a new file usually has; a temporary one is for its owner alone unless told otherwise.
fn readable() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666) // less what the umask takes away
}

/// A word of a command line, as it can be typed into a shell.
pub fn quoted(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref().to_string_lossy().into_owned();
    let plain = |c: char| c.is_alphanumeric() || "-_./+:=@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word
    } else if word.contains(is_hidden) {
        // Shells have a form for that, with the escapes of C.
        let hidden = |c: char| format!("\\U{:08x}", u32::from(c));
        let part = |c: char| match c {
            '\\' | '\'' => format!("\\{c}"),
            c if is_hidden(c) => hidden(c),
            c => c.to_string(),
        };
        format!("$'{}'", word.chars().map(part).collect::<String>())
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Says something on standard error, where nobody needs to listen.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "crosscut: {}", printable(text));
}

/// Says something in several lines, which are ours.
pub fn say_lines(text: &str) {
    let _ = writeln!(std::io::stderr(), "crosscut: {}", printable_lines(text));
}

/// A name for a file, made from a name that may be anybody's.
pub fn file_name(name: &OsStr) -> OsString {
    match name.to_str() {
        Some(text) => text.replace(is_hidden, "_").into(),
        // Not text at all.
        None => {
            let bytes = name.as_bytes().iter().map(|&byte| if byte.is_ascii_control() { b'_' } else { byte });
            OsString::from_vec(bytes.collect())
        }
    }
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
        assert_eq!(quoted("a\x1b'b"), r"$'a\U0000001b\'b'");
    }
}
