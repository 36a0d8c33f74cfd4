//! The run that has every part, and everything that can be asked of it: those of the tests.

#[path = "../../crates/view/tests/stranger/mod.rs"]
mod shared;

pub use shared::{BODY, ask, ask_everything, calls, messages, open, questions, whole};
