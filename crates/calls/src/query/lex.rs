//! The words and signs of a query.

use super::QueryError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or a word of the language.
    Word(String),
    /// In quotes.
    Text(String),
    Number(f64),
    /// A sign of one or two letters.
    Sign(&'static str),
}

const SIGNS: [&str; 20] =
    ["->", "<=", ">=", "!=", "(", ")", "{", "}", ",", ".", "=", "<", ">", "~", "*", "+", "∧", "∨", "⊕", "¬"];

/// Tokens with their columns, from 1; the last column is that behind the text.
pub(super) fn tokens(text: &str) -> Result<(Vec<(usize, Token)>, usize), QueryError> {
    let letters: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let column = at + 1;
        if letter.is_whitespace() {
            at += 1;
        } else if letter == '"' || letter == '\'' {
            let (token, next) = quoted(&letters, at, letter)?;
            out.push((column, token));
            at = next;
        } else if letter.is_ascii_digit()
            || (letter == '-' && letters.get(at + 1).is_some_and(char::is_ascii_digit))
        {
            let (token, next) = number(&letters, at)?;
            out.push((column, token));
            at = next;
        } else if letter.is_alphabetic() || letter == '_' {
            let end =
                (at..letters.len()).find(|&end| !(letters[end].is_alphanumeric() || letters[end] == '_'));
            let end = end.unwrap_or(letters.len());
            out.push((column, Token::Word(letters[at..end].iter().collect())));
            at = end;
        } else {
            let starts = |sign: &&str| sign.chars().enumerate().all(|(i, c)| letters.get(at + i) == Some(&c));
            let sign = SIGNS.iter().copied().find(|sign| starts(sign));
            let sign =
                sign.ok_or_else(|| QueryError { column, why: format!("`{letter}` means nothing here") })?;
            out.push((column, Token::Sign(sign)));
            at += sign.chars().count();
        }
    }
    Ok((out, letters.len() + 1))
}

/// A quote stands for itself after a `\`; so does a `\` before a quote or another one.
fn quoted(letters: &[char], from: usize, quote: char) -> Result<(Token, usize), QueryError> {
    let mut text = String::new();
    let mut at = from + 1;
    while let Some(&letter) = letters.get(at) {
        match (letter, letters.get(at + 1)) {
            ('\\', Some(&next)) if next == quote || next == '\\' => {
                text.push(next);
                at += 2;
            }
            (letter, _) if letter == quote => return Ok((Token::Text(text), at + 1)),
            (letter, _) => {
                text.push(letter);
                at += 1;
            }
        }
    }
    Err(QueryError { column: from + 1, why: "this quote is never closed".to_owned() })
}

fn number(letters: &[char], from: usize) -> Result<(Token, usize), QueryError> {
    let mut end = from + 1;
    while let Some(&letter) = letters.get(end) {
        let sign = matches!(letter, '+' | '-') && matches!(letters[end - 1], 'e' | 'E');
        // A dot belongs to the number only before a digit: `3.` is none.
        let dot = letter == '.' && letters.get(end + 1).is_some_and(char::is_ascii_digit);
        if !(letter.is_ascii_digit() || matches!(letter, 'e' | 'E') || sign || dot) {
            break;
        }
        end += 1;
    }
    let text: String = letters[from..end].iter().collect();
    let number =
        text.parse().map_err(|_| QueryError { column: from + 1, why: format!("`{text}` is no number") })?;
    Ok((Token::Number(number), end))
}
