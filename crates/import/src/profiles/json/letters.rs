//! The letters of JSON: blanks, words, texts in quotes.

use super::{Json, LONGEST, Result, Style, shown};

impl Json<'_, '_> {
    /// The next byte that is no blank; it is not taken.
    pub(super) fn next_letter(&mut self) -> Result<Option<u8>> {
        loop {
            let piece = self.text.fill()?;
            let Some(&first) = piece.first() else { return Ok(None) };
            let blanks = piece.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
            if blanks == 0 {
                if first == b'#' && self.style == Style::Python {
                    self.skip_line()?;
                    continue;
                }
                return Ok(Some(first));
            }
            self.text.consume(blanks);
        }
    }

    fn skip_line(&mut self) -> Result<()> {
        while let Some(byte) = self.byte()? {
            if byte == b'\n' {
                break;
            }
        }
        Ok(())
    }

    fn byte(&mut self) -> Result<Option<u8>> {
        let byte = self.text.fill()?.first().copied();
        self.text.consume(1);
        Ok(byte)
    }

    /// A number or a word, as it is written; it must be one.
    pub(super) fn read_word(&mut self) -> Result<()> {
        let at = self.text.offset();
        self.take_word()?;
        let is_wrapped = self.style == Style::Python && self.word.starts_with(b"np.");
        if is_wrapped && self.text.fill()?.first() == Some(&b'(') {
            self.text.consume(1);
            return self.wrapped();
        }
        if is_value(&self.word, self.style) {
            return Ok(());
        }
        let word = String::from_utf8_lossy(&self.word);
        Err(self.text.broken(at, format!("not JSON: `{word:.40}` is neither a number nor a word of it")))
    }

    /// What NumPy wraps in its type: `np.float64(1.5)`, `np.str_('a')`.
    fn wrapped(&mut self) -> Result<()> {
        match self.next_letter()? {
            Some(b'"' | b'\'') => self.read_text()?,
            _ => {
                let at = self.text.offset();
                self.take_word()?;
                if !is_value(&self.word, self.style) {
                    return Err(self.text.broken(at, "not a number or text in a type of NumPy"));
                }
            }
        }
        match self.next_letter()? {
            Some(b')') => {
                self.text.consume(1);
                Ok(())
            }
            _ => Err(self.broken("a type of NumPy without its closing bracket")),
        }
    }

    /// As many letters as can be of one number or word.
    fn take_word(&mut self) -> Result<()> {
        self.word.clear();
        loop {
            let piece = self.text.fill()?;
            let count = piece.iter().take_while(|byte| is_part(byte)).count();
            let is_over = count < piece.len() || piece.is_empty();
            self.word.extend_from_slice(piece.get(..count).unwrap_or_default());
            self.text.consume(count);
            if is_over || self.word.len() > 400 {
                return Ok(());
            }
        }
    }

    /// A number that stands in what was read already as a whole, as nearly all do: it is not copied. None, and nothing is
    /// taken, where it is something else.
    pub(super) fn plain_number(&mut self) -> Result<Option<f64>> {
        self.next_letter()?;
        let piece = self.text.fill()?;
        let count = piece.iter().take_while(|byte| is_part(byte)).count();
        // At the end of a piece it may go on.
        if count == 0 || count >= piece.len() {
            return Ok(None);
        }
        let word = piece.get(..count).unwrap_or_default();
        let digits = match word.first() {
            Some(b'-' | b'+') => word.get(1..).unwrap_or_default(),
            _ => word,
        };
        if !digits.first().is_some_and(|first| first.is_ascii_digit() || *first == b'.') {
            return Ok(None);
        }
        let number = std::str::from_utf8(word).ok().and_then(|word| word.parse::<f64>().ok());
        let number = number.filter(|number| number.is_finite());
        if number.is_some() {
            self.text.consume(count);
        }
        Ok(number)
    }

    /// A text in quotes: what stands for other letters is undone.
    pub(super) fn read_text(&mut self) -> Result<()> {
        self.word.clear();
        let at = self.text.offset();
        let Some(quote) = self.byte()? else { return Err(self.cut()) };
        loop {
            let piece = self.text.fill()?;
            let plain = piece.iter().position(|&byte| byte == quote || byte == b'\\');
            let count = plain.unwrap_or(piece.len());
            self.word.extend_from_slice(piece.get(..count).unwrap_or_default());
            let is_empty = piece.is_empty();
            self.text.consume(count);
            if is_empty || self.word.len() > LONGEST {
                let what = if is_empty { "a text has no end" } else { "a text is longer than any" };
                return Err(self.text.broken(at, format!("not JSON: {what}")));
            }
            if plain.is_some() && self.byte()? == Some(b'\\') {
                self.escaped()?;
            } else if plain.is_some() {
                return Ok(());
            }
        }
    }

    /// What follows a backslash.
    fn escaped(&mut self) -> Result<()> {
        let python = self.style == Style::Python;
        let Some(letter) = self.byte()? else { return Err(self.cut()) };
        let letter = match letter {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' | b'\'' => char::from(letter),
            b'u' => return self.unit(),
            b'x' if python => char::from_u32(self.hexadecimal(2)?).unwrap_or_default(),
            b'\n' if python => return Ok(()),
            other => return Err(self.broken(format!("not JSON: a backslash before {}", shown(other)))),
        };
        self.push(letter);
        Ok(())
    }

    /// A letter by its number: half of it, where its other half follows in the same way.
    fn unit(&mut self) -> Result<()> {
        let first = self.hexadecimal(4)?;
        let is_first = (0xd800..0xdc00).contains(&first);
        if !is_first || !self.text.fill()?.starts_with(b"\\") {
            self.push(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
            return Ok(());
        }
        self.text.consume(1);
        if self.text.fill()?.first() != Some(&b'u') {
            self.push(char::REPLACEMENT_CHARACTER);
            return self.escaped();
        }
        self.text.consume(1);
        let second = self.hexadecimal(4)?;
        let both = 0x10000 + ((first - 0xd800) << 10) + second.wrapping_sub(0xdc00);
        match (0xdc00..0xe000).contains(&second) {
            true => self.push(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER)),
            false => {
                self.push(char::REPLACEMENT_CHARACTER);
                self.push(char::from_u32(second).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        Ok(())
    }

    fn hexadecimal(&mut self, digits: usize) -> Result<u32> {
        let mut number = 0;
        for _ in 0..digits {
            let digit = self.byte()?.and_then(|byte| char::from(byte).to_digit(16));
            let digit = digit.ok_or_else(|| self.broken(format!("not JSON: expected {digits} digits")))?;
            number = number * 16 + digit;
        }
        Ok(number)
    }

    fn push(&mut self, letter: char) {
        let mut bytes = [0; 4];
        self.word.extend_from_slice(letter.encode_utf8(&mut bytes).as_bytes());
    }
}

/// Whether a byte can be part of a number or a word.
fn is_part(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')
}

/// Whether a word is a number or one of those that are known. Some writers print numbers that are none.
fn is_value(word: &[u8], style: Style) -> bool {
    let Ok(word) = std::str::from_utf8(word) else { return false };
    let known = ["true", "false", "null", "nan", "inf", "infinity"];
    let bare = word.trim_start_matches(['-', '+']);
    let is_known = match style {
        Style::Python => matches!(word, "True" | "False" | "None" | "np.True_" | "np.False_"),
        Style::Json | Style::OpenEnded => false,
    };
    let begins = bare.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    is_known
        || known.iter().any(|known| bare.eq_ignore_ascii_case(known))
        || (begins && word.parse::<f64>().is_ok())
}
