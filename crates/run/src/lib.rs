//! The run directory: one execution on disk.
//!
//! `NAME.crosscut/` holds a manifest (JSON), columns (Arrow IPC files of one column each, read in place through a memory
//! map) and tables (Parquet, zstd). What they mean is the business of a domain, which has a folder of its own in the run;
//! places and source positions are shared by all. [`RunWriter`] makes one beside its final name and renames it when it is whole, so a
//! run appears complete or not at all; [`Run`] opens one, says what is inside and which part is damaged.

mod arrow_file;
mod blocks;
mod by_place;
mod column;
mod error;
mod file;
mod ids;
mod manifest;
mod mapped;
mod pages;
mod places;
pub mod plain;
mod progress;
mod read;
mod rows;
mod sources;
mod table;
pub mod texts;
pub mod unpack;
mod upgrade;
mod write;

pub use blocks::{BLOCK, BlockCheck};
pub use by_place::{ByPlace, ByPlaceMut, Summed};
pub use column::{Column, ColumnMut, SealedColumn, Value};
pub use error::RunError;
pub use ids::Ids;
pub use manifest::{Clock, FORMAT, Manifest, Origin, Part, PartKind, Time};
pub use mapped::{Cut, notice_when_cut, noticed, tell_when_cut};
pub use places::{Place, Places, SEVERAL};
pub use progress::{Progress, Quiet, Watch};
pub use read::{Damage, Run};
pub use rows::{Group, Keys, Layout, Pick, TableReader, TableWriter};
pub use sources::{NO_SITE, Site, Source, Sources, SourcesBuilder};
pub use write::RunWriter;
