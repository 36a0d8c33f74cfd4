//! The messages of a run: who sent what to whom and when, and what that says about the program.
//!
//! [`Builder`] takes what each rank did, matches sends with receives, corrects clocks that do not agree and puts everything into the
//! run; [`Messages`] opens it again. Ranks are world ranks everywhere.

mod assignment;
mod build;
pub mod causes;
pub mod clocks;
mod collectives;
pub mod communicators;
pub mod communities;
mod error;
mod finish;
pub mod flows;
pub mod gram;
pub mod lateness;
mod matching;
mod messages;
pub mod partition;
pub mod path;
pub mod patterns;
pub mod schema;
mod sound;
pub mod steps;
pub mod times;
pub mod waits;

pub use build::{Builder, Done, Joined, RankWriter, Receive, Send, Whole};
pub use communicators::{Comm, Comms};
pub use error::MessagesError;
pub use messages::Messages;
pub use schema::{Asks, Call, Class, Collective, Function, Mode, NO_CALLS, NONE, Summary};
