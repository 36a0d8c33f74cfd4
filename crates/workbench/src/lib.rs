//! The workbench: the interface between the domains and everything to their right.
//!
//! A [`Look`] is everything that decides one picture. A domain turns it into a Scene or a [`Sheet`]; each mark says which
//! [`Selection`] it stands for. Two traits, two values that travel, one set of [questions](question). No domain is
//! named here, and no sockets: the server, the command line and scripts ask the same questions.

mod acts;
mod ask;
mod bench;
mod cache;
mod carry;
pub mod declare;
mod domain;
mod error;
pub mod frame;
pub mod job;
mod light;
mod lines;
pub mod look;
pub mod loss;
mod overview;
mod picture;
mod places;
pub mod question;
mod rows;
mod search;
pub mod selection;
pub mod sheet;
mod sound;
mod source_text;
mod tell;
pub mod text;

pub use acts::{FIRST_ITEMS, MANY_ITEMS, MOST_ITEMS};
pub use ask::{Asked, Client, Lane, Sink, failure};
pub use bench::{OpenRun, Workbench};
pub use declare::{Act, Compares, LensDecl, On, Opt, OptKind, Pane, TreeDecl, View};
pub use domain::{
    Chosen, Compared, Did, Domain, Drawn, Entry, Export, Exported, Forest, Hits, Open, Reach, Settings,
    Shared, SharedColumn, Shown, Title, Told, Topic, TreeRef, Writer,
};
pub use error::Refusal;
pub use frame::{Frame, FrameDecl, Which};
pub use job::{Cancel, Job, slow_threads};
pub use lines::line_nodes;
pub use look::{Against, LensSpec, Look, Options, Scope, Size, TreeLook};
pub use loss::{Found, Hatch, How, Loss, Lost};
pub use places::place_nodes;
pub use question::{ActCall, Choice};
pub use selection::{Nodes, Selection, Span, TreeKey};
pub use sheet::{Block, Cell, Column, Fact, Finding, Row, RowState, Severity, Sheet, Table};
pub use source_text::SourceRoots;
pub use tell::{object, size};
