//! Readers of foreign traces and profiles. A file comes in; its format is recognised by its content; a run comes out,
//! whole or not at all.
//!
//! One module per format. To add one: write the module, implement [`Reader`], and add one line to [`READERS`].

mod chunk_range;
mod dag_recorder;
mod error;
mod grains;
mod graphml;
mod input;
mod limits;
mod mir;
mod number;
mod progress;
mod reader;
mod stream;
mod ticks;

use std::path::Path;

use crosscut_run::{Run, RunWriter};

pub use error::{ImportError, Record};
pub use input::Input;
pub use progress::{Progress, Quiet, Watch};
pub use reader::{Confidence, Contents, Head, Options, Reader, TaskContents};

/// All readers.
pub static READERS: &[&dyn Reader] = &[&dag_recorder::DagRecorder, &mir::Mir, &graphml::GraphMl];

/// The readers that recognise the file, most confident first.
pub fn detect(path: &Path) -> Result<Vec<(&'static dyn Reader, Confidence)>, ImportError> {
    recognise(&Input::open(path, &Quiet)?)
}

fn recognise(input: &Input<'_>) -> Result<Vec<(&'static dyn Reader, Confidence)>, ImportError> {
    let bytes = input.head()?;
    let head = Head { name: input.name(), size: input.size(), bytes: &bytes };
    let mut found: Vec<_> = READERS
        .iter()
        .map(|&reader| (reader, reader.detect(&head)))
        .filter(|(_, confidence)| *confidence > Confidence::NONE)
        .collect();
    found.sort_by_key(|(_, confidence)| std::cmp::Reverse(*confidence));
    Ok(found)
}

/// Reads `input` into a new run at `target`. On an error, or when cancelled, nothing appears there.
pub fn import(
    input: &Path,
    target: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Run, ImportError> {
    options.check()?;
    let input = Input::open(input, progress)?;
    let reader = choose(&input, options)?;
    let mut run = RunWriter::create(target)?;
    let contents = reader.read(&input, options, &mut run)?;
    let origin = &mut run.manifest().origin;
    origin.inputs.push((input.path().display().to_string(), input.size()));
    origin.tools.extend(contents.tool);
    input.check_cancelled()?;
    if let Some(TaskContents { writer, places }) = contents.tasks {
        crosscut_tasks::finish(&mut run, writer, &places)?;
    }
    input.check_cancelled()?;
    let run = run.finish()?;
    input.advance(input.size());
    Ok(run)
}

/// The reader that was asked for, or else the one that knows the content best.
fn choose(input: &Input<'_>, options: &Options) -> Result<&'static dyn Reader, ImportError> {
    if let Some(name) = &options.format {
        return READERS
            .iter()
            .copied()
            .find(|reader| reader.name() == name)
            .ok_or_else(|| ImportError::NoSuchFormat { name: name.clone(), known: known_formats() });
    }
    match recognise(input)?.first() {
        Some((reader, _)) => Ok(*reader),
        None => Err(ImportError::Unknown {
            path: input.path().to_owned(),
            begins: error::first_bytes(&input.head()?),
            known: known_formats(),
        }),
    }
}

/// The formats in one line, for messages.
fn known_formats() -> String {
    let names: Vec<String> =
        READERS.iter().map(|reader| format!("{} ({})", reader.name(), reader.title())).collect();
    names.join(", ")
}
