//! JSON, read piece by piece and as deep as it goes: nothing of it is kept but which objects and arrays are open. A reader
//! walks it in the order of the file and takes what it needs.
//!
//! Beyond JSON: `NaN` and the like are read as `null`, and Python's way of writing the same values where it is asked for.

mod letters;

use super::plain::Text;
use crate::error::ImportError;
use crate::input::Input;

/// A text that is longer is none: some other kind of file.
const LONGEST: usize = 16 << 20;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Object,
    Array,
    Text,
    Number,
    /// `true`, `false`, `null`, and words that stand for no number.
    Word,
}

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Json,
    /// JSON whose last array or object may lack its end: of programs that write until they are stopped.
    OpenEnded,
    /// Literals of Python: other quotes, tuples, `None`, a comma after the last item.
    Python,
}

/// Something open: an object or an array.
struct Level {
    is_object: bool,
    is_empty: bool,
}

/// A walk through a file.
pub struct Json<'a, 'b> {
    text: Text<'a, 'b>,
    style: Style,
    open: Vec<Level>,
    word: Vec<u8>,
    /// Whether the file ended within an array or object that may lack its end.
    is_cut: bool,
}

type Result<T> = std::result::Result<T, ImportError>;

impl<'a, 'b> Json<'a, 'b> {
    pub fn open(input: &'a Input<'b>, style: Style) -> Result<Self> {
        let text = Text::open(input)?;
        Ok(Json { text, style, open: Vec::new(), word: Vec::new(), is_cut: false })
    }

    /// An error at what comes next.
    pub fn broken(&self, what: impl Into<String>) -> ImportError {
        self.text.broken(self.text.offset(), what)
    }

    /// An error at a byte.
    pub fn broken_at(&self, offset: u64, what: impl Into<String>) -> ImportError {
        self.text.broken(offset, what)
    }

    /// Where what comes next begins, or the blanks before it.
    pub fn offset(&self) -> u64 {
        self.text.offset()
    }

    /// Whether the file ended before its last array or object did.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// What the next value is.
    pub fn kind(&mut self) -> Result<Kind> {
        let python = self.style == Style::Python;
        match self.next_letter()? {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'(') if python => Ok(Kind::Array),
            Some(b'"') => Ok(Kind::Text),
            Some(b'\'') if python => Ok(Kind::Text),
            Some(b'0'..=b'9' | b'-' | b'+' | b'.') => Ok(Kind::Number),
            Some(b'a'..=b'z' | b'A'..=b'Z') => Ok(Kind::Word),
            Some(other) => Err(self.broken(format!("not JSON: a value cannot begin with {}", shown(other)))),
            None => Err(self.cut()),
        }
    }

    /// Enters an object; what is something else is passed over, and the answer is no.
    pub fn object(&mut self) -> Result<bool> {
        self.enter(Kind::Object)
    }

    /// Enters an array; what is something else is passed over, and the answer is no.
    pub fn array(&mut self) -> Result<bool> {
        self.enter(Kind::Array)
    }

    fn enter(&mut self, kind: Kind) -> Result<bool> {
        if self.kind()? != kind {
            self.skip()?;
            return Ok(false);
        }
        self.text.consume(1);
        self.open.push(Level { is_object: kind == Kind::Object, is_empty: true });
        Ok(true)
    }

    /// The key of the next value of the object that was entered last; no when there is none, and the object is left.
    pub fn key(&mut self, key: &mut String) -> Result<bool> {
        if !self.more(true)? {
            return Ok(false);
        }
        self.read_key()?;
        key.clear();
        key.push_str(&String::from_utf8_lossy(&self.word));
        Ok(true)
    }

    /// Whether the array that was entered last has another item; when not, it is left.
    pub fn item(&mut self) -> Result<bool> {
        self.more(false)
    }

    /// Passes over a value.
    pub fn skip(&mut self) -> Result<()> {
        let depth = self.open.len();
        self.skip_one()?;
        while self.open.len() > depth {
            let is_object = self.open.last().is_some_and(|level| level.is_object);
            if self.more(is_object)? {
                if is_object {
                    self.read_key()?;
                }
                self.skip_one()?;
            }
        }
        Ok(())
    }

    /// A text; none, and passed over, when it is something else.
    pub fn text(&mut self) -> Result<Option<String>> {
        match self.kind()? {
            Kind::Text => self.read_text()?,
            Kind::Number => self.read_word()?,
            _ => {
                self.skip()?;
                return Ok(None);
            }
        }
        Ok(Some(String::from_utf8_lossy(&self.word).into_owned()))
    }

    /// A number, also where it is quoted; none, and passed over, when it is something else.
    pub fn number(&mut self) -> Result<Option<f64>> {
        if let Some(number) = self.plain_number()? {
            return Ok(Some(number));
        }
        Ok(self.digits()?.and_then(|digits| digits.parse().ok()).filter(|number: &f64| number.is_finite()))
    }

    /// A whole number, also where it is quoted or written with a point.
    pub fn whole(&mut self) -> Result<Option<i64>> {
        let Some(digits) = self.digits()? else { return Ok(None) };
        let whole = digits.parse().ok();
        let real = || digits.parse::<f64>().ok().filter(|real| real.fract() == 0.0 && real.abs() < 9e15);
        Ok(whole.or_else(|| real().map(|real| real as i64)))
    }

    /// Whether it is `true`; none, and passed over, when it is neither that nor `false`.
    pub fn flag(&mut self) -> Result<Option<bool>> {
        if self.kind()? != Kind::Word {
            self.skip()?;
            return Ok(None);
        }
        self.read_word()?;
        Ok(match self.word.as_slice() {
            b"true" | b"True" | b"np.True_" => Some(true),
            b"false" | b"False" | b"np.False_" => Some(false),
            _ => None,
        })
    }

    /// Nothing may follow.
    pub fn end(&mut self) -> Result<()> {
        match self.next_letter()? {
            None => Ok(()),
            Some(other) => {
                Err(self.broken(format!("not JSON: {} follows where it should end", shown(other))))
            }
        }
    }

    /// Whether a comma and another value follow, where several stand side by side.
    pub fn another(&mut self) -> Result<bool> {
        if self.next_letter()? == Some(b',') {
            self.text.consume(1);
        }
        Ok(self.next_letter()?.is_some())
    }

    fn digits(&mut self) -> Result<Option<&str>> {
        match self.kind()? {
            Kind::Number | Kind::Word => self.read_word()?,
            Kind::Text => self.read_text()?,
            Kind::Object | Kind::Array => {
                self.skip()?;
                return Ok(None);
            }
        }
        // What is not even text is no number.
        Ok(Some(std::str::from_utf8(&self.word).unwrap_or_default().trim()))
    }

    /// Goes to the next item or key, or leaves.
    fn more(&mut self, in_object: bool) -> Result<bool> {
        let Some(level) = self.open.last() else { return Ok(false) };
        if level.is_object != in_object {
            return Err(self.broken("not JSON: an object and an array are mixed up"));
        }
        let (is_empty, lax) = (level.is_empty, self.style != Style::Json);
        let mut next = self.next_letter()?;
        let has_comma = !is_empty && next == Some(b',');
        if has_comma {
            self.text.consume(1);
            next = self.next_letter()?;
        }
        match next {
            Some(letter) if ends(letter, in_object, self.style) => {
                if has_comma && !lax {
                    return Err(self.broken("not JSON: nothing follows a comma"));
                }
                self.text.consume(1);
                self.open.pop();
                Ok(false)
            }
            None if self.style == Style::OpenEnded && self.open.len() <= 2 && !in_object => {
                self.is_cut = true;
                self.open.pop();
                Ok(false)
            }
            None if self.style == Style::OpenEnded && self.is_cut => {
                self.open.pop();
                Ok(false)
            }
            None => Err(self.cut()),
            Some(letter) if !is_empty && !has_comma => {
                Err(self.broken(format!("not JSON: expected a comma, not {}", shown(letter))))
            }
            Some(_) => {
                if let Some(level) = self.open.last_mut() {
                    level.is_empty = false;
                }
                Ok(true)
            }
        }
    }

    fn read_key(&mut self) -> Result<()> {
        match self.kind()? {
            Kind::Text => self.read_text()?,
            Kind::Number if self.style == Style::Python => self.read_word()?,
            _ => return Err(self.broken("not JSON: expected a key in quotes")),
        }
        match self.next_letter()? {
            Some(b':') => {
                self.text.consume(1);
                Ok(())
            }
            Some(other) => Err(self.broken(format!("not JSON: expected a colon, not {}", shown(other)))),
            None => Err(self.cut()),
        }
    }

    /// A value without what is inside it, which is entered.
    fn skip_one(&mut self) -> Result<()> {
        match self.kind()? {
            kind @ (Kind::Object | Kind::Array) => {
                self.text.consume(1);
                self.open.push(Level { is_object: kind == Kind::Object, is_empty: true });
                Ok(())
            }
            Kind::Text => self.read_text(),
            Kind::Number | Kind::Word => self.read_word(),
        }
    }

    fn cut(&self) -> ImportError {
        self.broken("not JSON: the file ends in the middle of it")
    }
}

fn ends(letter: u8, object: bool, style: Style) -> bool {
    match object {
        true => letter == b'}',
        false => letter == b']' || (letter == b')' && style == Style::Python),
    }
}

/// A byte for people.
fn shown(byte: u8) -> String {
    match byte.is_ascii_graphic() {
        true => format!("`{}`", char::from(byte)),
        false => format!("`{}`", byte.escape_ascii()),
    }
}

/// Whether the first bytes are those of JSON with this word as a key.
pub fn begins(bytes: &[u8], key: &str) -> bool {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'[')) && super::holds(bytes, format!("\"{key}\"").as_bytes())
}
