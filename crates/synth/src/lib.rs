//! Runs of any shape and size, for tests and benchmarks.
//!
//! A [`ShapeName`] names a program, such as `fib`; a discrete-event simulation runs it on P workers that steal work
//! from each other, and every interval goes straight to its slot in the run's mapped columns. Nothing is held in
//! memory but the tasks in flight, so the number of nodes is limited by the disk and by 32-bit node ids.
//!
//! A run of messages is that of ranks that compute and exchange, step by step ([`messages()`], [`dumpi()`]).
//!
//! A run of calls is a call profile of ranks of which some may take longer ([`calls()`]).
//!
//! ```
//! use crosscut_synth::{Options, ShapeName};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let options = Options { shape: ShapeName::Fib, nodes: 1_000, workers: 4, ..Options::default() };
//! let run = crosscut_synth::tasks(&folder.path().join("fib.crosscut"), &options, &|_, _| {}).unwrap();
//! assert_eq!(options.node_count().unwrap(), 1_002); // as near to 1,000 as this shape comes
//! # let _ = run;
//! ```

mod calls;
mod error;
mod messages;
mod options;
mod schedule;
mod shape;
mod structure;
mod tasks;

pub use calls::{CallOptions, MODULES, calls};
pub use error::SynthError;
pub use messages::{Exchange, Late, MessageOptions, dumpi, exchanges, messages};
pub use options::{Options, Policy, ShapeName};
pub use tasks::tasks;
