//! Messages: who sent what to whom and when. Two trees (phases, and the groups of each), their views, and everything that the
//! workbench asks of a domain.

pub mod about;
pub mod account;
pub mod act;
pub mod communities;
pub mod compare;
pub mod domain;
pub mod draw;
pub mod evidence;
pub mod figures;
pub mod frames;
pub mod gram;
pub mod info;
pub mod judged;
pub mod losses;
pub mod matrix;
pub mod opened;
pub mod order;
pub mod over;
pub mod overview;
pub mod phases;
pub mod ranks;
pub mod report;
pub mod sizes;
pub mod styles;
pub mod views;
pub mod volume;
pub mod waiting;
pub mod worked;

pub use domain::{ENTRY, MessagesDomain};
pub use opened::Opened;
