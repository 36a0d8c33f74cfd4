//! Stands between a program and its MPI: `crosscut record` loads this library with `LD_PRELOAD`, in front of the MPI that
//! the program brings along, and it tells the recorder (`crates/record`) which functions are called.
//!
//! One library serves all. MPI lets tools stand in the way: a function has a second name (`PMPI_Send`), which is called
//! here. Arguments are passed on as they came, as machine words, so it does not matter what a handle is; where one has to be
//! looked at, [`kinds`] knows how each MPI stores it. Fortran has entry points of its own, with everything by reference.
//!
//! It must never harm the program: no thread, no lock, no output, nothing of the program's heap where messages are sent;
//! without a recorder every call goes straight on.

mod arguments;
mod calls;
mod comms;
mod complete;
mod entry;
mod kinds;
mod real;
mod recorder;
mod room;
mod setup;
