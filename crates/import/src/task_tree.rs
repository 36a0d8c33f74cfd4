//! What readers of task graphs and grain graphs end in.

use crosscut_run::{Places, RunWriter};
use crosscut_tasks::TasksError;
use crosscut_tasks::schema::TaskWriter;

use crate::error::ImportError;
use crate::input::Input;

/// A task tree with its places, to be completed.
#[derive(Debug)]
pub struct TaskTree {
    /// The tree.
    pub writer: TaskWriter,
    /// Where its intervals ran.
    pub places: Places,
}

impl TaskTree {
    /// Completes the tree and puts it into the run.
    pub fn finish(self, input: &Input<'_>, run: &mut RunWriter) -> Result<(), ImportError> {
        input.check_cancelled()?;
        crosscut_tasks::finish(run, self.writer, &self.places).map_err(|error| match error {
            // Each record may be sound: it is all of them together that cannot be.
            TasksError::Impossible(why) => input.broken(0, format!("totals that cannot be: {why}")),
            error => error.into(),
        })
    }
}
