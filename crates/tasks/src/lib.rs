//! The task DAG of a run: work, critical path, parallelism profile, accounting, migrations, timeline.
//!
//! [`finish`] completes a task tree that a reader, a recorder or a generator has filled, adds its indexes and puts it
//! into the run; [`Tasks`] opens it again. Every answer costs what is looked at, never the size of the run.

mod beside;
mod causes;
mod complete;
mod critical;
mod dag;
mod error;
mod exact;
mod finish;
mod frame;
pub mod grain;
mod grow;
mod order;
mod overrun;
mod pass;
mod profile;
pub mod schema;
mod serial;
mod spine;
mod summary;
mod sums;
mod sweep;
mod tasks;
mod timeline;
mod waits;
mod whatif;

pub use causes::{Account, Cause, Causes, Counters, Finding, Gains, Sizes};
pub use critical::{FramePath, Inside, Way};
pub use error::TasksError;
pub use exact::ProfileStep;
pub use finish::{finish, finish_grown};
pub use grow::{Block, Grow, Grown};
pub use profile::Profile;
pub use serial::SerialPart;
pub use summary::{GapHistogram, Grid, Migration, Summary};
pub use tasks::Tasks;
pub use timeline::{Cells, Interval, Timeline};
pub use whatif::{Bounds, Change, Overhead, Point, Replay, Step, WhatIf, WhatIfError};
