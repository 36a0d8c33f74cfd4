//! The run directory: one execution on disk.
//!
//! `NAME.crosscut/` holds a manifest (JSON), columns (Arrow IPC files of one column each, read in place through a memory
//! map) and tables (Parquet, zstd). [`RunWriter`] makes one beside its final name and renames it when it is whole, so a
//! run appears complete or not at all; [`Run`] opens one, says what is inside and which part is damaged.

mod arrow_file;
mod column;
mod error;
mod manifest;
mod places;
mod prefetch;
mod read;
mod sources;
mod table;
mod upgrade;
mod write;

pub use column::{Column, ColumnMut, SealedColumn, Value};
pub use error::RunError;
pub use manifest::{Clock, FORMAT, Manifest, Origin, Part, PartKind};
pub use places::{Place, Places, SEVERAL};
pub use prefetch::prefetch;
pub use read::{Damage, Run};
pub use sources::{NO_SITE, Site, Source, Sources, SourcesBuilder};
pub use table::{read_table, write_table};
pub use write::RunWriter;
