//! Calls: what was spent in which call path, at which places. One tree, and everything that the workbench asks of a domain.

pub mod domain;
pub mod forest;
pub mod frames;
pub mod info;

pub use domain::{CallsDomain, ENTRY};
