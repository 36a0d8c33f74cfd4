//! Domains as the workbench asks for them: a folder for each, with its layouts and its `impl Domain`, and the registry.
//!
//! Comes in: an open run. Goes out: trees, pictures as plain marks that carry node ids, sheets, losses. The cost of an
//! answer grows with what it shows, never with the run.

mod account;
pub mod calls;
pub mod format;
pub mod messages;
pub mod tasks;

use crosscut_workbench::Entry;

/// All domains, in the order in which a run lists them.
pub static REGISTRY: &[Entry] = &[tasks::ENTRY, messages::ENTRY, calls::ENTRY];
