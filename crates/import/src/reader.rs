//! What a reader of a foreign format is, and what it is given to recognise its files.

use crosscut_run::RunWriter;

use crate::error::ImportError;
use crate::inputs::Inputs;

/// Reads one foreign format.
pub trait Reader: Sync {
    /// The name for `--format`.
    fn name(&self) -> &'static str;

    /// The name for people.
    fn title(&self) -> &'static str;

    /// How sure it is that the files are of its format, from which there are and how they begin.
    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError>;

    /// Whether files that were named one by one make one run, such as those of all ranks.
    fn gathers(&self, _: &Inputs<'_>) -> bool {
        false
    }

    /// Reads the files into the run: puts in what all domains share, and hands the rest to the builder of its domain. Must
    /// not trust a byte of them.
    fn read(&self, inputs: &Inputs<'_>, options: &Options, run: &mut RunWriter) -> Result<(), ImportError>;
}

/// What is known of a file before it is read.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// File name without directories.
    pub name: &'a str,
    /// Size in bytes.
    pub size: u64,
    /// The first bytes, as many as [`crate::Input::HEAD`] unless the file is shorter.
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
