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
    /// Completes the tree and puts it into the run. `broken` makes an error at the record that a node was made of.
    pub fn finish(
        self,
        input: &Input<'_>,
        run: &mut RunWriter,
        broken: impl FnOnce(u32, String) -> ImportError,
    ) -> Result<(), ImportError> {
        input.check_cancelled()?;
        crosscut_tasks::finish(run, self.writer, &self.places).map_err(|error| match error {
            // Each record may be sound: it is all of them together that cannot be.
            TasksError::Impossible { why, node } => {
                broken(node, format!("it runs when all workers are busy: {why} cannot be"))
            }
            error => error.into(),
        })
    }
}
