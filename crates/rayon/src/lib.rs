//! Rayon's [`join`] and [`scope`] with the same signatures, recorded when the program runs under `crosscut record`.
//!
//! Goes in: closures, as for Rayon. Comes out: what Rayon gives, and a section with its tasks in the recorded run. A program
//! that is not recorded pays one load and one branch for each call.
//!
//! ```
//! fn fib(n: u32) -> u64 {
//!     if n < 2 {
//!         return n.into();
//!     }
//!     let (a, b) = crosscut_rayon::join(|| fib(n - 1), || fib(n - 2));
//!     a + b
//! }
//! assert_eq!(fib(10), 55);
//! ```

mod join;
mod recorder;
mod scope;
#[cfg(test)]
mod sequence;

pub use join::{join, join_context};
pub use rayon::FnContext;
pub use scope::{Scope, scope};

/// The example in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
