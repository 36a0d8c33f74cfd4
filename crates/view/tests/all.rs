//! All tests of this crate as one program: it is built and linked once. `cargo xtask lint test-files` says which file is missing here.

mod bench;
mod call_trees;
mod calls;
mod depend;
mod flow;
mod flow_compared;
mod frames;
mod grain;
mod grain_forest;
mod layout;
mod lines;
mod messages;
mod pictures;
mod profile;
mod stranger;
mod strangers;
mod task_domain;
mod task_forest;
