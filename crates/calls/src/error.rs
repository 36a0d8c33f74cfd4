//! What can be wrong with a call profile.

use crosscut_run::RunError;

/// Why a call profile could not be written or opened.
#[derive(Debug, thiserror::Error)]
pub enum CallsError {
    /// The run refused it.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The tree is none.
    #[error("its tree of calls is damaged: {0}")]
    Tree(#[from] crosscut_tree::TreeError),
    /// Its parts do not fit together.
    #[error("its calls are damaged: {0}")]
    Broken(String),
}
