//! The call profile of a run: one node for each call path, and for each node and place what was spent in it.
//!
//! [`Builder`] takes call paths and values in any order, as readers find them, and puts them into the run; [`Calls`] opens it
//! again. Values are whole numbers of a metric's unit, so the values of all nodes always add up to those of the roots.

mod build;
mod by_call;
mod callers;
mod calls;
pub mod causes;
mod error;
mod finish;
mod flat;
mod functions;
pub mod graph;
mod hot;
mod map;
mod own;
mod paths;
mod peers;
mod profile;
mod prune;
mod query;
mod samples;
pub mod schema;
pub mod spread;
mod union;
mod waits;

pub use build::{Builder, Given};
pub use by_call::ByCall;
pub use callers::{Callers, MOST as MOST_CALLERS};
pub use calls::Calls;
pub use error::CallsError;
pub use flat::{Row, flat};
pub use functions::Functions;
pub use graph::{Making, SuperGraph};
pub use hot::hot_path;
pub use map::{By, Labels, Map, MapError};
pub use own::Own;
pub use paths::Paths;
pub use peers::{Each, Peers};
pub use profile::{Group, LeftOut, Profile, group, squash, subtree_sums};
pub use prune::{Pruned, Surrogate, USUAL_K, prune, prune_to};
pub use query::{MOST_STEPS, Query, QueryError};
pub use samples::{Samples, Stretch};
pub use schema::{Frame, Kind, Likeness, Measured, NONE, Summary, Unit};
pub use union::{Arithmetic, Combined, Union, combine, ensemble, join};
