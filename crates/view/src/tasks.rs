//! Tasks: who created and waited for whom, what ran when, and what that cost. Two trees (tasks and grains), their views, and
//! everything that the workbench asks of a domain.

pub mod about_grain;
pub mod about_task;
pub mod act;
pub mod by_line;
pub mod chain;
pub mod charts;
pub mod code;
pub mod colour;
pub mod compare;
pub mod dag;
pub mod domain;
pub mod draw;
pub mod evidence;
pub mod export;
pub mod find;
pub mod forest_grains;
pub mod forest_tasks;
pub mod frames;
pub mod grains;
pub mod graph;
pub mod gutter;
pub mod info;
pub mod json;
pub mod known;
pub mod lines;
pub mod losses;
pub mod lost;
pub mod opened;
pub mod overview;
pub mod predict;
pub mod profile;
pub mod report;
pub mod room;
pub mod search;
pub mod sheets;
pub mod styles;
pub mod timeline;
mod unseen;
pub mod views;
pub mod whatif;
pub mod words;

pub use domain::{ENTRY, TasksDomain};
pub use opened::Opened;
