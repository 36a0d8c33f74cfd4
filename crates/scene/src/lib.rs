//! A picture as plain marks that carry node ids, and everything that turns one into something to look at: styles,
//! palettes, the formatter of numbers, axes and their ticks, SVG, PNG, and the bytes that the page decodes.
//!
//! Comes in: marks that a layout pushed into a [`Scene`]. Goes out: the same picture for the page, print and scripts.
//! No domain is known here: what a mark means is said by its [`Style`], in words.

pub mod format;
pub mod limits;
pub mod marks;
pub mod page;
pub mod palette;
pub mod plot;
pub mod png;
pub mod printable;
pub mod scene;
pub mod style;
pub mod svg;
pub mod text;
pub mod ticks;
pub mod wire;

pub use format::Unit;
pub use marks::{Area, Boxes, Cells, Grid, Links, Mark, NONE, Points, Polygons, Ribbons, Show};
pub use plot::{Axis, Brush, Camera, Plot, Rect, Side, Stop};
pub use scene::{LegendItem, Scene};
pub use style::{Curve, Dash, Fill, Inner, Press, Shape, Stroke, Style, Styles, rank};
pub use text::{Align, Ink, Label, Plate, TextStyle};
