//! Messages: who sent what to whom and when. Two trees (phases, and the groups of each), their views, and everything that the
//! workbench asks of a domain.

pub mod about;
pub mod communities;
pub mod domain;
pub mod draw;
pub mod figures;
pub mod gram;
pub mod info;
pub mod opened;
pub mod order;
pub mod phases;
pub mod styles;
pub mod views;

pub use domain::{ENTRY, MessagesDomain};
pub use opened::Opened;
