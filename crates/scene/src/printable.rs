//! Text from files that nobody here wrote, made fit to be shown: names of functions, paths, tasks and runs may hold anything,
//! also what moves a terminal's cursor, ends a line that is not over, or turns the direction of what follows. Everything
//! that is printed, logged or drawn passes here.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does something else than stand for itself.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Spaces of no width, marks and turns of direction.
            '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            // Ends of lines and paragraphs, the mark of byte order, notes between lines, what is no character.
            | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            // Tags.
            | '\u{e0000}'..='\u{e0fff}')
}

/// A text in one line, with everything hidden written out: `\n`, `\x1b`, `\u{202e}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        let _ = match c {
            '\n' => out.write_str("\\n"),
            '\r' => out.write_str("\\r"),
            '\t' => out.write_str("\\t"),
            c if is_hidden(c) && u32::from(c) < 0x80 => write!(out, "\\x{:02x}", u32::from(c)),
            c if is_hidden(c) => write!(out, "\\u{{{:x}}}", u32::from(c)),
            c => out.write_char(c),
        };
    }
    Cow::Owned(out)
}

/// Several lines, each as [`printable`] has it.
pub fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// JSON that is laid out in lines: strings keep their value, and what is hidden in them is written as `\u` and a number.
pub fn printable_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut units = [0; 2];
    for c in text.chars() {
        if c == '\n' || !is_hidden(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{printable, printable_json, printable_lines};

    #[test]
    fn what_is_hidden_is_written_out() {
        assert_eq!(printable("sort.c:12 µ→…"), "sort.c:12 µ→…");
        assert_eq!(printable("a\x1b[2Jb\nc\td\u{7f}"), "a\\x1b[2Jb\\nc\\td\\x7f");
        assert_eq!(printable("\u{9b}31m\u{202e}cba\u{2028}"), "\\u{9b}31m\\u{202e}cba\\u{2028}");
        assert_eq!(printable_lines("one\ntwo\r\x07"), "one\ntwo\\r\\x07");
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::json!({ "name\u{202e}": ["a\x1b\n\u{9b}\u{e0041}\u{7f}"] });
        let text = printable_json(&format!("{value:#}"));
        assert!(!text.replace('\n', "").contains(super::is_hidden), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
