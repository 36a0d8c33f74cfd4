//! Calls: what was spent in which call path, at which places. Three kinds of tree (call paths, callers,
//! super graphs), and everything that the workbench asks of a domain.

pub mod account;
pub mod act;
pub mod bins;
pub mod callers;
pub mod domain;
pub mod draw;
pub mod evidence;
pub mod flow;
pub mod forest;
pub mod frames;
pub mod icicle;
pub mod info;
pub mod lens;
pub mod losses;
pub mod merged;
pub mod modules;
pub mod opened;
pub mod ranks;
pub mod scatter;
pub mod scoped;
pub mod strip;
pub mod styles;
pub mod subject;
pub mod tree;
pub mod trees;
pub mod values;
pub mod views;
pub mod within;

pub use domain::{CallsDomain, ENTRY};
