//! What can go wrong with a task tree.

use crosscut_run::RunError;
use crosscut_tree::TreeError;
use thiserror::Error;

/// Why a task tree could not be finished or opened.
#[derive(Debug, Error)]
pub enum TasksError {
    /// The run could not be read or written.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The columns are not a tree.
    #[error("the task tree is broken: {0}")]
    Tree(#[from] TreeError),
    /// Columns that do not fit together.
    #[error("the task tree is broken: {0}")]
    Broken(String),
    /// Totals that no run can have.
    #[error("these totals cannot be: {why}")]
    Impossible {
        /// The totals.
        why: String,
        /// The first node that cannot have been as it is said to be.
        node: u32,
    },
    /// What a check has found, told before.
    #[error("{0}")]
    Checked(String),
    /// A run without tasks.
    #[error("{0}: this run has no tasks")]
    NoTasks(String),
}
