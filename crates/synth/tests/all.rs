//! All tests of this crate as one program: it is built and linked once. `cargo xtask lint test-files` says which file is missing here.

mod calls;
mod messages;
mod messages_path;
mod messages_sound;
mod schedule;
