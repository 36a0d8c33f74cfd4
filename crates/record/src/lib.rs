//! The recorder: a library that `crosscut record` loads into somebody's program with `LD_PRELOAD`. It is an OpenMP tool
//! (OMPT), stands between GCC's code and its OpenMP runtime, and serves `crosscut.h` and `crosscut-rayon`; what they tell
//! goes into event files (`crates/events`), one for each thread, that survive the death of the program.
//!
//! It must never harm the program: no thread, no lock and no allocation where tasks run, nothing of the program's heap, no
//! panic, no output; when something fails the program goes on and the record says what is missing. Without the environment that `crosscut record`
//! sets, it does nothing.

mod alarm;
mod api;
mod chunks;
mod clock;
mod counters;
mod failure;
mod files;
mod fold;
#[cfg(test)]
mod fold_tests;
mod gomp;
mod idle;
mod lend;
mod locks;
mod memory;
mod mutexes;
mod ompt;
mod ops;
mod options;
mod process;
mod samples;
mod sampling;
mod slot;
mod starts;
mod sys;
mod thread;
mod walk;
