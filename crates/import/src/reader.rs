//! What a reader of a foreign format is, what it is given to recognise a file, and what it hands back.

use crosscut_run::{Places, RunWriter};
use crosscut_tasks::schema::TaskWriter;

use crate::error::ImportError;
use crate::input::Input;

/// Reads one foreign format.
pub trait Reader: Sync {
    /// The name for `--format`.
    fn name(&self) -> &'static str;

    /// The name for people.
    fn title(&self) -> &'static str;

    /// How sure it is that the file is of its format, from how the file begins.
    fn detect(&self, head: &Head<'_>) -> Confidence;

    /// Reads the file into the run. Must not trust a byte of it.
    fn read(
        &self,
        input: &Input<'_>,
        options: &Options,
        run: &mut RunWriter,
    ) -> Result<Contents, ImportError>;
}

/// What is known of a file before it is read.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// File name without directories.
    pub name: &'a str,
    /// Size in bytes.
    pub size: u64,
    /// The first bytes, as many as [`Input::HEAD`] unless the file is shorter.
    pub bytes: &'a [u8],
}

/// How sure a reader is, from 0 (not mine) to 100 (mine without doubt).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Confidence(u8);

impl Confidence {
    /// Not mine.
    pub const NONE: Confidence = Confidence(0);
    /// Mine without doubt.
    pub const CERTAIN: Confidence = Confidence(100);

    /// So many per cent, 100 at most.
    pub const fn percent(value: u8) -> Self {
        Confidence(if value > 100 { 100 } else { value })
    }

    /// As a number from 0 to 100.
    pub fn value(self) -> u8 {
        self.0
    }
}

/// What the user asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The name of the reader to use, whatever the content looks like.
    pub format: Option<String>,
    /// Ticks per second, for formats that count ticks and do not say how long one is. Times become nanoseconds.
    pub clock_hz: Option<f64>,
}

impl Options {
    pub(crate) fn check(&self) -> Result<(), ImportError> {
        match self.clock_hz {
            Some(hz) if !(1.0..=1e15).contains(&hz) => Err(ImportError::Option(format!(
                "a clock of {hz} ticks per second: expected a number from 1 to 1e15"
            ))),
            _ => Ok(()),
        }
    }
}

/// What a reader found. It has put its sources into the run already.
#[derive(Debug, Default)]
pub struct Contents {
    /// The tool that wrote the file, and its version.
    pub tool: Option<(String, String)>,
    /// A task tree.
    pub tasks: Option<TaskContents>,
}

/// A task tree with its places, to be completed by `crosscut_tasks::finish`.
#[derive(Debug)]
pub struct TaskContents {
    /// The tree.
    pub writer: TaskWriter,
    /// Where its intervals ran.
    pub places: Places,
}
