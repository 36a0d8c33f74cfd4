//! Layouts from what a cut or a time window shows to a [`scene::Scene`], and writers of scenes.
//!
//! Comes in: [`crosscut_tasks::Tasks`] and a cut or a window. Goes out: plain marks that carry node ids, or the same
//! as SVG or PNG. The cost of a picture grows with what it shows, never with the run.

pub mod colour;
pub mod dag;
pub mod format;
pub mod grain;
pub mod graph;
pub mod palette;
pub mod png;
pub mod profile;
pub mod scene;
pub mod svg;
pub mod ticks;
pub mod timeline;
