//! MIR task statistics: a table of comma-separated values with one row for each task, as the MIR runtime writes it and as
//! the scripts of grain graphs extend it.
//!
//! The rows are read one by one (`csv`, `columns`, `rows`). Then parents are looked up, the parents' overhead is shared out
//! among their children, and it is estimated when each task started (`link`). `grains` makes the tree.

mod columns;
mod csv;
mod link;
mod rows;

use crosscut_run::{Clock, RunWriter};

use crate::error::ImportError;
use crate::grains;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Head, Options, Reader};
use crate::ticks::Ticks;

use columns::Columns;

/// The reader.
pub struct Mir;

impl Reader for Mir {
    fn name(&self) -> &'static str {
        "mir"
    }

    fn title(&self) -> &'static str {
        "MIR task statistics, CSV"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        inputs.detect_one(detect)
    }

    fn read(&self, inputs: &Inputs<'_>, options: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let mut table = rows::read(input, Ticks::new(options.clock_hz))?;
        let has_root = table.rows.first().is_some_and(|root| root.line != 0);
        link::link(input, &mut table)?;
        run.put_sources(&table.sources.finish())?;
        let rows = table.rows;
        let broken = |row: u32, what: String| match rows.get(row as usize).filter(|row| row.line != 0) {
            Some(row) => csv::line_broken(input, row.offset, row.line, format!("task {}: {what}", row.task)),
            None => input.broken(0, what),
        };
        let (tasks, records) = grains::build(input, table.grains, run, &broken)?;
        let manifest = run.manifest();
        manifest.clock = if options.clock_hz.is_some() { Clock::Ns } else { Clock::Ticks };
        manifest.facts.insert("background_tasks".to_owned(), table.background.into());
        if !has_root {
            // The tree needs one; no row says that it did anything.
            manifest.facts.insert("made_up_root".to_owned(), true.into());
        }
        if let Some(hz) = options.clock_hz {
            manifest.facts.insert("clock_hz".to_owned(), hz.into());
        }
        tasks.finish(input, run, |node, what| broken(records.of(node), what))
    }
}

/// How sure it is of a file, from how that begins.
fn detect(head: &Head<'_>) -> Confidence {
    let Some(names) = csv::first_record(head.bytes) else { return Confidence::NONE };
    match Columns::missing(&names) {
        0 => Confidence::CERTAIN,
        // Very likely meant: reading it will say what is missing.
        1 => Confidence::percent(50),
        _ => Confidence::NONE,
    }
}
