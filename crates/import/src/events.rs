//! Folders of events, as our recorders leave them when a program was killed or its run could not be made. `crosscut-close`
//! makes the task tree of them.

use crosscut_close::CloseError;
use crosscut_run::{Progress, RunWriter};

use crate::error::ImportError;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Options, Reader};

/// The reader.
pub struct Events;

impl Reader for Events {
    fn name(&self) -> &'static str {
        "events"
    }

    fn title(&self) -> &'static str {
        "events of a recording, a folder"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        let is_events = inputs.folder().is_some_and(crosscut_close::is_events);
        Ok(if is_events { Confidence::CERTAIN } else { Confidence::NONE })
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let Some(folder) = inputs.folder() else {
            return Err(ImportError::Option("events are a folder, as a recorder leaves it".into()));
        };
        let options = crosscut_close::Options::default();
        let about =
            crosscut_close::close_into(folder, run, &options, &InBytes(inputs)).map_err(|e| match e {
                CloseError::Cancelled => ImportError::Cancelled { path: folder.to_owned() },
                error => error.into(),
            })?;
        about.notes.iter().for_each(|note| inputs.progress().note(note));
        Ok(())
    }
}

/// Closing counts nodes; an import is told of in bytes.
struct InBytes<'a>(&'a Inputs<'a>);

impl Progress for InBytes<'_> {
    fn advance(&self, done: u64, total: u64) {
        let bytes = u128::from(self.0.bytes()) * u128::from(done.min(total)) / u128::from(total.max(1));
        self.0.progress().advance(bytes as u64, self.0.bytes());
    }

    fn is_cancelled(&self) -> bool {
        self.0.progress().is_cancelled()
    }
}
