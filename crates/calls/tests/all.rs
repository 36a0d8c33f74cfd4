//! All tests of this crate as one program: it is built and linked once. `cargo xtask lint test-files` says which file is missing here.

mod callers;
mod causes;
mod made;
mod operations;
mod peers;
mod profiles;
mod samples;
mod super_graph;
