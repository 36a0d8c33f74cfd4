//! Sheets and tables: everything that is read rather than seen. Inspector, overview, compare and `report` print Sheets.
//! Numbers carry their text, made by the one formatter, beside their value.

use crosscut_scene::Fill;
use crosscut_tree::Unit;
use serde::Serialize;
use ts_rs::TS;

use crate::look::Look;
use crate::selection::{Selection, Span};

/// A page of blocks about something.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Sheet {
    /// One line that names it.
    pub title: String,
    /// What it is, in a word or two; "" where that says nothing.
    pub kind: String,
    /// What is around it, outermost first, without itself.
    pub crumbs: Vec<Crumb>,
    /// What it is about.
    pub selection: Option<Selection>,
    /// When it began and ended.
    pub time: Option<Span>,
    /// The sibling before and the one after.
    pub siblings: (Option<Selection>, Option<Selection>),
    /// What it says, in order.
    pub blocks: Vec<Block>,
    /// What can be done with it.
    pub offers: Vec<Offer>,
}

/// Something with a name that can be selected.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Crumb {
    /// A short name.
    pub title: String,
    /// What it stands for.
    pub selection: Selection,
}

/// A button: another look, or an act in a view.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Offer {
    /// What it says.
    pub title: String,
    /// The view it leads to.
    pub view: String,
    /// What is done there; "reveal" shows the selection.
    pub act: String,
}

/// How loud a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Tone {
    /// What is to be read.
    Plain,
    /// An aside.
    Note,
    /// Something is wrong or missing.
    Warning,
    /// The one line that matters.
    Headline,
}

/// A part of a sheet.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(tag = "is", rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Block {
    /// A heading.
    Head {
        /// What it says.
        text: String,
    },
    /// A paragraph.
    Text {
        /// What it says.
        text: String,
        /// How loud.
        tone: Tone,
    },
    /// Names with values.
    Facts {
        /// In the order to show them.
        rows: Vec<Fact>,
    },
    /// Something that costs time.
    Finding(Box<Finding>),
    /// Rows and columns.
    Table {
        /// The rows.
        table: Table,
    },
    /// A picture, drawn when it comes into sight; a slow one when it is asked for.
    Show {
        /// What it says above.
        title: String,
        /// Which picture; its width is that of the sheet.
        look: Box<Look>,
        /// Height in CSS pixels.
        height: f32,
        /// It is drawn on demand.
        slow: bool,
    },
    /// Lines of a source file.
    Code(Code),
}

/// A name with a value.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Fact {
    /// What.
    pub name: String,
    /// How much.
    pub value: Cell,
    /// What it means, for a tooltip.
    pub about: String,
}

impl Fact {
    /// Without an explanation.
    pub fn new(name: impl Into<String>, value: Cell) -> Self {
        Fact { name: name.into(), value, about: String::new() }
    }
}

/// One value of a table or a fact.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(tag = "is", rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Cell {
    /// Not available.
    None,
    /// A number with its text.
    Number {
        /// Its value.
        value: f64,
        /// As people read it, three digits.
        text: String,
        /// All its digits, for a tooltip.
        exact: String,
        /// Share of something from 0 to 1, drawn as a bar behind it.
        share: Option<f32>,
    },
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A source line.
    Line {
        /// As people write it: "sort.c:120".
        text: String,
        /// The whole name of the file.
        file: String,
        /// The number of the line.
        line: u32,
        /// The function, where it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        function: Option<String>,
        /// Of a stretch of work that ends there: behind which position it begins, "src/sort.c:112".
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        after: Option<String>,
    },
    /// A small histogram.
    Bins {
        /// Heights from 0 to 1.
        bins: Vec<f32>,
        /// What it says.
        text: String,
    },
    /// Shares of something, as a bar in several colours.
    Shares {
        /// Each with its palette slot, share and name.
        parts: Vec<Share>,
    },
    /// Two values and how they differ.
    Difference {
        /// Here.
        here: f64,
        /// There.
        there: f64,
        /// Both and the difference, in words.
        text: String,
    },
}

/// A part of a whole.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Share {
    /// Palette slot.
    pub fill: u16,
    /// From 0 to 1.
    pub share: f32,
    /// What it is.
    pub name: String,
    /// How much, in words.
    pub text: String,
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Cell::Text { text: text.into() }
    }

    /// A source position for scripts: "src/sort.c:120", the function where the line is not known; of other cells what they
    /// say.
    pub fn position(&self) -> String {
        match self {
            Cell::Line { file, line, .. } if !file.is_empty() && *line > 0 => format!("{file}:{line}"),
            Cell::Line { function: Some(function), .. } => function.clone(),
            Cell::Line { file, .. } if !file.is_empty() => file.clone(),
            _ => self.plain(),
        }
    }

    /// Between which positions a stretch of work lies, for scripts.
    pub fn between(&self) -> Option<[String; 2]> {
        match self {
            Cell::Line { after: Some(after), .. } => Some([after.clone(), self.position()]),
            _ => None,
        }
    }

    /// A source position for people: "src/sort.c:120, in sort"; of a stretch what it says.
    pub fn place(&self) -> String {
        let position = self.position();
        match self {
            Cell::Line { after: Some(_), text, function: Some(function), .. } => {
                format!("{text}, in `{function}`")
            }
            Cell::Line { after: Some(_), text, .. } => text.clone(),
            Cell::Line { function: Some(function), .. } if *function != position => {
                format!("{position}, in {function}")
            }
            _ => position,
        }
    }

    /// Its value, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Number { value, .. } | Cell::Difference { here: value, .. } => Some(*value),
            _ => None,
        }
    }

    /// What it says in plain text.
    pub fn plain(&self) -> String {
        match self {
            Cell::None => "–".to_owned(),
            Cell::Number { text, .. }
            | Cell::Text { text }
            | Cell::Line { text, .. }
            | Cell::Bins { text, .. }
            | Cell::Difference { text, .. } => text.clone(),
            Cell::Shares { parts } => {
                parts.iter().map(|part| format!("{} {}", part.name, part.text)).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// Rows and columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, or the part of them that was asked for.
    pub rows: Vec<Row>,
    /// How many rows there are.
    pub total: usize,
    /// There are more than were counted.
    pub more: bool,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Column {
    /// Its name: what it is sorted by.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// What it means, for a tooltip.
    pub about: String,
    /// Unit of its numbers; absent for words.
    pub unit: Option<Unit>,
    /// Rows can be sorted by it.
    pub sorts: bool,
}

/// What stands out in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct RowState {
    /// The lens chooses it, or something inside.
    pub lit: bool,
    /// On the critical path.
    pub critical: bool,
    /// It is open: its members are rows.
    pub open: bool,
    /// It can be opened.
    pub holds: bool,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Row {
    /// One for each column.
    pub cells: Vec<Cell>,
    /// What it stands for.
    pub selection: Option<Selection>,
    /// How deep in the tree.
    pub depth: u32,
    /// What stands out.
    pub state: RowState,
}

/// Lines of a source file.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Code {
    /// The file.
    pub file: String,
    /// Number of the first line.
    pub first: u32,
    /// The lines.
    pub lines: Vec<String>,
    /// Number of the line that is meant.
    pub mark: u32,
    /// What lines of it did and lost, by line.
    pub beside: Vec<Beside>,
    /// The time that the whole width beside the lines stands for; "" where nothing is known of them.
    pub scale: String,
}

/// What a source line did and lost.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Beside {
    /// Number of the line.
    pub line: u32,
    /// Its work first, then what was lost because of it.
    pub bars: Vec<Bar>,
}

/// A bar beside a source line.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Bar {
    /// Solid for work, hatched for what was lost.
    pub fill: Fill,
    /// Palette slot.
    pub slot: u16,
    /// Of the whole width, 0…1.
    pub share: f32,
    /// Number of its finding.
    pub number: Option<u32>,
    /// What it is and how much.
    pub text: String,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Severity {
    /// Over 20 % of the time of all places.
    High,
    /// Over 5 %.
    Medium,
    /// Less.
    Low,
}

impl Severity {
    /// By the share of the time that all places could have had.
    pub fn of(cost: f64, capacity: f64) -> Self {
        match cost / capacity.max(1.0) {
            share if share > 0.2 => Severity::High,
            share if share > 0.05 => Severity::Medium,
            _ => Severity::Low,
        }
    }

    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Severity::High => "high",
            Severity::Medium => "medium",
            Severity::Low => "low",
        }
    }
}

/// Something that costs time, with its number and its severity.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Finding {
    /// Its number: the same everywhere it shows.
    pub number: u32,
    /// Stable word, such as "no-work".
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// What it costs, with its share of the time of all places.
    pub cost: Cell,
    /// How long the run would take without it, against how long it took.
    pub without: Option<Cell>,
    /// Cost and gain are at most this, not what a replay gained.
    pub bound: bool,
    /// What it costs was spent on work, not lost.
    pub spent: bool,
    /// Where in the program.
    pub line: Option<Cell>,
    /// Processes that caused it, the worst first; none where nobody in particular did.
    pub ranks: Vec<u32>,
    /// What was seen.
    pub what: String,
    /// What shows it, in a sentence.
    pub evidence: String,
    /// What to try.
    pub advice: String,
    /// A small picture that shows it.
    pub picture: Option<Box<Look>>,
    /// Where it is seen best.
    pub show: Box<Look>,
}
