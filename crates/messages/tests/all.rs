//! All tests of this crate as one program: it is built and linked once. `cargo xtask lint test-files` says which file is missing here.

mod clocks;
mod communicators;
mod communities;
mod lateness;
mod matching;
mod program;
mod steps;
mod waits;
