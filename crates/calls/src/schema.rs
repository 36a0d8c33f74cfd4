//! What the calls part of a run holds.
//!
//! The tree stands in pre-order below one root, which stands for the program and has no frame. `frame` says what each node
//! is; frames are a table, since most occur in many call paths. Each metric has a column by node and place of what was spent
//! in the node itself, and one of running sums over the nodes for all places together. `places` is there where the threads
//! of a rank have numbers or names of their own: a row for each place.

use serde::{Deserialize, Serialize};

/// No frame, no source.
pub const NONE: u32 = u32::MAX;

/// What a frame is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A function, or what a program calls so.
    #[default]
    Function = 0,
    /// A loop in one.
    Loop = 1,
    /// A statement or line in one.
    Line = 2,
    /// A machine instruction.
    Instruction = 3,
    /// A region that the program named.
    Region = 4,
    /// What was spent outside any frame.
    Outside = 5,
    /// Where threads begin.
    Entry = 6,
}

impl Kind {
    /// All kinds, by number.
    pub const ALL: [Kind; 7] =
        [Kind::Function, Kind::Loop, Kind::Line, Kind::Instruction, Kind::Region, Kind::Outside, Kind::Entry];

    /// From its number; a function when it is none.
    pub fn from_number(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// Whether it is part of a function, and what was spent in it is the function's.
    pub fn is_inner(self) -> bool {
        matches!(self, Kind::Loop | Kind::Line | Kind::Instruction)
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Function => "function",
            Kind::Loop => "loop",
            Kind::Line => "line",
            Kind::Instruction => "instruction",
            Kind::Region => "region",
            Kind::Outside => "outside",
            Kind::Entry => "entry",
        }
    }
}

/// What a node of the tree stands for, whatever called it. Two frames are the same if all of this is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// What it is.
    pub kind: Kind,
    /// Its name, as people write it.
    pub name: String,
    /// The program or library that it is part of; empty when not known.
    pub module: String,
    /// Its source file; empty when not known.
    pub file: String,
    /// Where in it; 0 when not known.
    pub line: i64,
}

/// What is the same of a frame in all builds of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Likeness<'f> {
    kind: Kind,
    name: &'f str,
    /// The last part of its path.
    module: &'f str,
    /// Of loops, lines and instructions.
    line: Option<i64>,
}

impl Frame {
    /// A function of which nothing but the name is known.
    pub fn function(name: impl Into<String>) -> Self {
        Frame { name: name.into(), ..Frame::default() }
    }

    /// A region of which nothing but the name is known.
    pub fn region(name: impl Into<String>) -> Self {
        Frame { kind: Kind::Region, name: name.into(), ..Frame::default() }
    }

    /// What makes it the same as a frame of another build. Lines of functions move when somebody edits a program, and
    /// programs and libraries lie elsewhere; only what is part of a function is told apart by its line.
    pub fn likeness(&self) -> Likeness<'_> {
        let module = self.module.rsplit('/').next().unwrap_or_default();
        Likeness {
            kind: self.kind,
            name: &self.name,
            module,
            line: self.kind.is_inner().then_some(self.line),
        }
    }

    /// What was spent outside any frame.
    pub fn outside() -> Self {
        Frame { kind: Kind::Outside, name: "(outside)".to_owned(), ..Frame::default() }
    }
}

/// What a metric counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Things: samples, calls, instructions.
    #[default]
    Count,
    /// Bytes.
    Bytes,
    /// Millionths of something that the file does not name.
    Micro,
}

impl Unit {
    /// A value as the file has it, in units of `one`, as a whole number of this unit. What no number can hold is cut off.
    pub fn whole(self, value: f64, one: f64) -> i64 {
        (value * one).round() as i64
    }
}

/// A metric of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measured {
    /// As the file names it.
    pub name: String,
    /// What it counts.
    pub unit: Unit,
    /// Nodes whose own value is below zero: the file has more inside them than in them.
    pub negative: u64,
}

/// Totals, kept in the manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// The format that it was read from, for people.
    pub format: String,
    /// Nodes, the root not counted.
    pub nodes: u64,
    /// Frames.
    pub frames: u64,
    /// Places: ranks and threads.
    pub places: u64,
    /// Places with any value.
    pub used_places: u64,
    /// Levels below the root.
    pub depth: u64,
    /// The metrics, the one to look at first first.
    pub metrics: Vec<Measured>,
    /// What is to be known of this profile: what was left out, what did not fit together.
    pub notes: Vec<String>,
}
