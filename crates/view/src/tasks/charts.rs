//! Small pictures of a run for its overview, and the picture of predictions. Each is a few marks in one plot.

pub mod account;
pub mod gaps;
pub mod ladder;
pub mod lengths;
pub mod migrations;
pub mod speedup;
pub mod strip;
pub mod whatif;
pub mod workers;

use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Ink, Label, Rect, Scene, TextStyle};

/// A text that belongs to no mark, in the colour of texts.
pub(crate) fn note(scene: &mut Scene, at: (f32, f32), w: f32, text: impl Into<String>, align: Align) {
    let style = TextStyle { align, ink: Ink::Slot(slot::TEXT), ..TextStyle::PLAIN };
    scene.labels.push(Label::new(at, w, text, style));
}

/// What is left of a pane within these margins: left, top, right, bottom.
pub(crate) fn within(w: f32, h: f32, [left, top, right, bottom]: [f32; 4]) -> Rect {
    Rect { x: left, y: top, w: (w - left - right).max(1.0), h: (h - top - bottom).max(1.0) }
}
