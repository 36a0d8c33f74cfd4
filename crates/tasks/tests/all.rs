//! All tests of this crate as one program: it is built and linked once. `cargo xtask lint test-files` says which file is missing here.

mod account;
mod causes;
mod collapsed;
mod critical;
mod cuts;
mod damaged;
mod format;
mod gains;
mod grain;
mod grow;
mod many_places;
mod model;
mod nodes;
mod profile;
mod shapes;
mod spine;
mod timeline;
mod versions;
mod waits;
mod whatif;
