//! The workbench: the interface between the domains and everything to their right.
//!
//! A [`Look`] is everything that decides one picture. A domain turns it into a Scene or a [`Sheet`]; each mark says which
//! [`Selection`] it stands for. Two traits, two values that travel, one set of [questions](question). No domain is
//! named here, and no sockets: the server, the command line and scripts ask the same questions.

pub mod declare;
mod error;
pub mod look;
pub mod loss;
pub mod question;
pub mod selection;
pub mod sheet;

pub use error::Refusal;
pub use look::{Against, LensSpec, Look, Options, Scope, Size, TreeLook};
pub use selection::{Nodes, Selection, Span, TreeKey};
pub use sheet::{Block, Cell, Column, Fact, Finding, Row, RowState, Severity, Sheet, Table};
