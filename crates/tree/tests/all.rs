//! All tests of this crate as one program: it is built and linked once. `cargo xtask lint test-files` says which file is missing here.

mod build;
mod cut;
mod damaged;
mod domains;
mod lens;
mod metric;
mod naive;
mod set;
mod walk;
