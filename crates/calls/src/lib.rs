//! The call profile of a run: one node for each call path, and for each node and place what was spent in it.
//!
//! [`Builder`] takes call paths and values in any order, as readers find them, and puts them into the run; [`Calls`] opens it
//! again. Values are whole numbers of a metric's unit, so the values of all nodes always add up to those of the roots.

mod build;
mod calls;
mod error;
mod finish;
mod flat;
pub mod graph;
mod hot;
mod map;
mod paths;
pub mod schema;

pub use build::{Builder, Given};
pub use calls::Calls;
pub use error::CallsError;
pub use flat::{Row, flat};
pub use graph::{Making, SuperGraph};
pub use hot::hot_path;
pub use map::{By, Labels, Map, MapError};
pub use paths::Paths;
pub use schema::{Frame, Kind, Measured, NONE, Summary, Unit};
