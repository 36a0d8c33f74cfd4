//! Layouts from what a cut or a time window shows to a [`crosscut_scene::Scene`].
//!
//! Comes in: [`crosscut_tasks::Tasks`] and a cut or a window. Goes out: plain marks that carry node ids, or the same
//! as SVG or PNG. The cost of a picture grows with what it shows, never with the run.

pub mod colour;
pub mod dag;
pub mod format;
pub mod grain;
pub mod graph;
pub mod profile;
pub mod styles;
pub mod timeline;

pub use crosscut_scene::{palette, png, scene, svg, ticks};
