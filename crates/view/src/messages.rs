//! Messages: who sent what to whom and when.

pub mod domain;
pub mod info;

pub use domain::{ENTRY, MessagesDomain};
