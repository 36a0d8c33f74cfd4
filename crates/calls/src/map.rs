//! By what call paths are merged: each frame gets a label. Loops and lines have none: they belong to what they are in.

use foldhash::{HashMap, HashMapExt};
use regex::Regex;

use crate::schema::{Frame, NONE};

/// What a frame is labelled by, from coarse to fine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum By {
    /// The part of the program: its library; where none is known the outermost name space, else the file, else the function.
    #[default]
    Module,
    /// The program or library that it was loaded from.
    Library,
    /// Its source file.
    File,
    /// Its name.
    Function,
}

impl By {
    /// All, from coarse to fine.
    pub const ALL: [By; 4] = [By::Module, By::Library, By::File, By::Function];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            By::Module => "module",
            By::Library => "library",
            By::File => "file",
            By::Function => "function",
        }
    }

    /// From its word.
    pub fn from_word(word: &str) -> Option<Self> {
        By::ALL.into_iter().find(|by| by.word() == word)
    }

    fn label(self, frame: &Frame) -> String {
        let library = last_part(&frame.module);
        let file = last_part(&frame.file);
        let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let label = match self {
            By::Module => known(library).or_else(|| name_space(&frame.name)).or_else(|| known(file)),
            By::Library => known(library).or_else(|| Some("(unknown library)".to_owned())),
            By::File => known(&frame.file)
                .or_else(|| known(library).map(|library| format!("[{library}]")))
                .or_else(|| Some("(unknown file)".to_owned())),
            By::Function => None,
        };
        label.or_else(|| known(&frame.name)).unwrap_or_else(|| frame.kind.word().to_owned())
    }
}

fn last_part(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// `hypre` of `hypre::solve(int)`; nothing of names that only have `::` in their arguments.
fn name_space(name: &str) -> Option<String> {
    let (before, _) = name.split_once("::")?;
    let plain = |letter: char| letter.is_alphanumeric() || letter == '_';
    (!before.is_empty() && before.chars().all(plain)).then(|| before.to_owned())
}

/// What of a frame a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Name,
    Library,
    File,
}

#[derive(Clone, Debug)]
struct Rule {
    field: Field,
    pattern: Regex,
    label: String,
}

/// By what call paths are merged: rules of one's own first, in their order, then one of the four.
#[derive(Clone, Debug, Default)]
pub struct Map {
    by: By,
    rules: Vec<Rule>,
}

/// Which rule is wrong, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {rule}: {why}")]
pub struct MapError {
    /// Its number, from 1.
    pub rule: usize,
    /// What is wrong with it.
    pub why: String,
}

impl From<By> for Map {
    fn from(by: By) -> Self {
        Map { by, rules: Vec::new() }
    }
}

impl Map {
    /// Rules as text, one in a line: `PATTERN => LABEL`, where the pattern is a regular expression that is looked for in the
    /// function's name, or with `library:` or `file:` before it in these. `$1` in a label is what the first group matched.
    /// What no rule matches is labelled by `by`.
    ///
    /// ```
    /// use crosscut_calls::{By, Frame, Map};
    /// let map = Map::with_rules(By::Module, "^MPI_ => mpi\nlibrary:psm2 => network").unwrap();
    /// assert_eq!(map.label(&Frame::function("MPI_Waitall")), "mpi");
    /// assert_eq!(map.label(&Frame::function("hypre::solve")), "hypre");
    /// assert!(Map::with_rules(By::Module, "( => mpi").is_err());
    /// ```
    pub fn with_rules(by: By, text: &str) -> Result<Self, MapError> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let rules = lines.enumerate().map(|(at, line)| rule(at + 1, line)).collect::<Result<_, _>>()?;
        Ok(Map { by, rules })
    }

    /// The label of a frame.
    pub fn label(&self, frame: &Frame) -> String {
        for rule in &self.rules {
            let text = match rule.field {
                Field::Name => &frame.name,
                Field::Library => &frame.module,
                Field::File => &frame.file,
            };
            if let Some(found) = rule.pattern.captures(text) {
                let mut label = String::new();
                found.expand(&rule.label, &mut label);
                return label;
            }
        }
        self.by.label(frame)
    }

    /// The labels of some frames.
    pub fn labels(&self, frames: &[Frame]) -> Labels {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut names = Vec::new();
        let of = frames.iter().map(|frame| {
            if frame.kind.is_inner() {
                return NONE;
            }
            let label = self.label(frame);
            *numbers.entry(label).or_insert_with_key(|label| {
                names.push(label.clone());
                names.len() as u32 - 1
            })
        });
        let of = of.collect();
        Labels { of, names }
    }
}

fn rule(number: usize, line: &str) -> Result<Rule, MapError> {
    let wrong = |why: String| MapError { rule: number, why };
    let parts = line.rsplit_once("=>");
    let (pattern, label) = parts.ok_or_else(|| wrong("write PATTERN => LABEL".to_owned()))?;
    let (pattern, label) = (pattern.trim(), label.trim());
    if pattern.is_empty() || label.is_empty() {
        return Err(wrong("pattern or label is empty".to_owned()));
    }
    let fields = [("library:", Field::Library), ("file:", Field::File), ("name:", Field::Name)];
    let named = fields.iter().find_map(|(word, field)| Some((pattern.strip_prefix(word)?, *field)));
    let (pattern, field) = named.unwrap_or((pattern, Field::Name));
    let pattern = Regex::new(pattern).map_err(|error| wrong(error.to_string()))?;
    Ok(Rule { field, pattern, label: label.to_owned() })
}

/// Labels of frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// By frame: its label; [`NONE`] of what belongs to what it is in.
    pub of: Vec<u32>,
    /// The labels.
    pub names: Vec<String>,
}
