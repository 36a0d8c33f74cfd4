//! Readers of foreign traces and profiles, and of what our recorders leave. A file or a folder of files comes in; its format
//! is recognised by its content; a run comes out, whole or not at all.
//!
//! One module per format. To add one: write the module, implement [`Reader`], and add one line to [`READERS`].

mod chunk_range;
mod dag_recorder;
mod dumpi;
mod error;
mod events;
mod grains;
mod graphml;
mod input;
mod inputs;
mod limits;
mod mir;
mod number;
mod otf2;
mod partial;
mod profiles;
mod reader;
mod refused;
mod stream;
mod task_tree;
mod ticks;
mod window;
mod xml;

use std::path::Path;

use crosscut_run::{Run, RunWriter};

pub use crosscut_run::{Progress, Quiet, Watch};
pub use dumpi::decode as decode_dumpi;
pub use error::{ImportError, Record};
pub use input::Input;
pub use inputs::{FoundFile, Inputs};
pub use otf2::decode as decode_otf2;
pub use reader::{Confidence, Head, Options, Reader};

/// All readers.
pub static READERS: &[&dyn Reader] = &[
    &events::Events,
    &dag_recorder::DagRecorder,
    &mir::Mir,
    &graphml::GraphMl,
    &dumpi::Dumpi,
    &otf2::Otf2,
    &profiles::Hpctoolkit,
    &profiles::Cube,
    &profiles::PerfData,
    &profiles::Pprof,
    &profiles::Gperftools,
    &profiles::Gmon,
    &profiles::Cali,
    &profiles::CaliperJson,
    &profiles::PerfScript,
    &profiles::PyInstrument,
    &profiles::Tau,
    &profiles::TimeMemory,
    &profiles::Callgrind,
    &profiles::Gprof,
    &profiles::PStats,
    &profiles::Speedscope,
    &profiles::Chrome,
    &profiles::Firefox,
    &profiles::Hatchet,
    &profiles::Folded,
];

/// The readers that recognise the file or folder, most confident first.
pub fn detect(path: &Path) -> Result<Vec<(&'static dyn Reader, Confidence)>, ImportError> {
    recognise(&Inputs::find(&[path], &Quiet)?)
}

/// Whether several files are one trace, such as those of all ranks, and not a run each.
pub fn belong_together(paths: &[&Path], format: Option<&str>) -> Result<bool, ImportError> {
    let inputs = Inputs::find(paths, &Quiet)?;
    let asked = READERS.iter().filter(|reader| format.is_none_or(|name| name == reader.name()));
    Ok(asked.into_iter().any(|reader| reader.gathers(&inputs)))
}

fn recognise(inputs: &Inputs<'_>) -> Result<Vec<(&'static dyn Reader, Confidence)>, ImportError> {
    let mut found = Vec::new();
    for &reader in READERS {
        let confidence = reader.detect(inputs)?;
        if confidence > Confidence::NONE {
            found.push((reader, confidence));
        }
    }
    found.sort_by_key(|(_, confidence)| std::cmp::Reverse(*confidence));
    Ok(found)
}

/// Reads a file, or the files of a folder, into a new run at `target`. On an error, or when cancelled, nothing appears
/// there.
pub fn import(
    path: &Path,
    target: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Run, ImportError> {
    import_set(&[path], target, options, progress)
}

/// The same for several files and folders that belong together, such as the files of all ranks.
pub fn import_set(
    paths: &[&Path],
    target: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Run, ImportError> {
    options.check()?;
    let inputs = Inputs::find(paths, progress)?;
    let reader = choose(&inputs, options)?;
    let mut run = RunWriter::create(target)?;
    run.manifest().origin.inputs = inputs.named();
    run.set_made_of(inputs.opened());
    reader.read(&inputs, options, &mut run)?;
    inputs.check_cancelled()?;
    let run = run.finish()?;
    inputs.finish();
    Ok(run)
}

/// The reader that was asked for, or else the one that knows the content best.
fn choose(inputs: &Inputs<'_>, options: &Options) -> Result<&'static dyn Reader, ImportError> {
    if let Some(name) = &options.format {
        return READERS
            .iter()
            .copied()
            .find(|reader| reader.name() == name)
            .ok_or_else(|| ImportError::NoSuchFormat { name: name.clone(), known: known_formats() });
    }
    if let Some((reader, _)) = recognise(inputs)?.first() {
        return Ok(*reader);
    }
    if let Some(refused) = refused::by_name(inputs)? {
        return Err(refused);
    }
    match inputs.files() {
        files if files.len() != 1 => Err(inputs.not_a_file()),
        _ => Err(ImportError::Unknown {
            path: inputs.path().to_owned(),
            begins: error::first_bytes(&inputs.one()?.head()?),
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
