//! The Scene: plain marks that carry node ids. Every view ends in one, and the page, the SVG and the PNG writer
//! all draw the same one. Coordinates are CSS pixels at zoom 1; colours are slots of a [`crate::palette`], so that
//! light, dark and print resolve them at the last moment.

use serde::Serialize;
use ts_rs::TS;

/// What a box stands for, told by its shape as well as by its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Shape {
    /// A leaf interval that ended by creating a task: a rounded box with a notch towards the created task.
    Create = 0,
    /// A leaf interval that ended by waiting: a trapezium, narrow at the bottom.
    Wait = 1,
    /// A leaf interval that ended otherwise: a plain box.
    Other = 2,
    /// The last interval of a task: a box with a flat foot line.
    End = 3,
    /// A closed section: a box with double border.
    Section = 4,
    /// A closed task: a rounded box with double border.
    Task = 5,
    /// An opened task or section: an envelope drawn behind its members.
    Envelope = 6,
    /// Several alike siblings drawn as one ("× 4,096").
    Repeat = 7,
    /// A plain rectangle (timeline interval, bar of a mix).
    Plain = 8,
    /// A leaf interval that ended by starting a member of a team: drawn like a create.
    Fork = 9,
    /// A leaf interval that ran iterations of a loop: a slanted box.
    Chunk = 10,
    /// A grain: a box whose height tells how long it ran.
    Grain = 11,
    /// A closed group of grains: a rounded box without fill.
    Group = 12,
    /// Where the members of a fork-join group begin: a triangle that points down, or a dot.
    ForkNode = 13,
    /// Where they end: the same turned round.
    JoinNode = 14,
}

/// Bits of [`Boxes::flags`].
pub mod flag {
    /// The node can be opened.
    pub const CLOSED: u8 = 1;
    /// The node lies on the critical path.
    pub const CRITICAL: u8 = 2;
    /// The recorder collapsed the inside: it cannot be opened, its aggregates are exact.
    pub const COLLAPSED: u8 = 4;
    /// Several workers ran it.
    pub const MIXED: u8 = 8;
    /// Several things are merged into this mark because they are too small to draw.
    pub const MERGED: u8 = 16;
    /// A part of another mark (a bar of its mix): not hit by the pointer, moves with the mark of the same node.
    pub const PART: u8 = 32;
    /// A grain has the problem that is looked at, or a group holds such grains.
    pub const PROBLEM: u8 = 64;
    /// A problem is looked at and this has nothing of it: grains are drawn faint, groups with a green border.
    pub const DIMMED: u8 = 128;
}

/// Rectangular marks, one entry per column per mark. Drawn in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boxes {
    /// Left edge.
    pub x: Vec<f32>,
    /// Top edge.
    pub y: Vec<f32>,
    /// Width.
    pub w: Vec<f32>,
    /// Height.
    pub h: Vec<f32>,
    /// The node it stands for.
    pub node: Vec<u32>,
    /// Palette slot.
    pub fill: Vec<u16>,
    /// [`Shape`] as a number.
    pub shape: Vec<u8>,
    /// Bits of [`flag`].
    pub flags: Vec<u8>,
}

impl Boxes {
    /// Appends one mark.
    #[allow(clippy::too_many_arguments)]
    pub fn push(&mut self, x: f32, y: f32, w: f32, h: f32, node: u32, fill: u16, shape: Shape, flags: u8) {
        self.x.push(x);
        self.y.push(y);
        self.w.push(w);
        self.h.push(h);
        self.node.push(node);
        self.fill.push(fill);
        self.shape.push(shape as u8);
        self.flags.push(flags);
    }

    /// Number of marks.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }
}

/// What an edge of the DAG says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum LinkKind {
    /// create → first interval of the child.
    Create = 0,
    /// The same task goes on.
    Continue = 1,
    /// Last interval of a child → the interval after the wait.
    Sync = 2,
    /// A dependence between tasks that the tree does not hold.
    Depend = 3,
}

/// Edges as straight strokes, one entry per column per stroke. An edge with bends is several strokes with the same
/// nodes, upright or level, none of which goes up; a stretch that edges share (a join) is one stroke of one of them. A
/// dependence is one stroke in any direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links {
    /// Start x.
    pub x0: Vec<f32>,
    /// Start y.
    pub y0: Vec<f32>,
    /// End x.
    pub x1: Vec<f32>,
    /// End y.
    pub y1: Vec<f32>,
    /// Node that the edge leaves.
    pub from: Vec<u32>,
    /// Node that the edge enters.
    pub to: Vec<u32>,
    /// [`LinkKind`] as a number.
    pub kind: Vec<u8>,
    /// [`flag::CRITICAL`] or 0.
    pub flags: Vec<u8>,
}

impl Links {
    /// Appends one edge.
    pub fn push(&mut self, a: (f32, f32), b: (f32, f32), nodes: (u32, u32), kind: LinkKind, flags: u8) {
        self.x0.push(a.0);
        self.y0.push(a.1);
        self.x1.push(b.0);
        self.y1.push(b.1);
        self.from.push(nodes.0);
        self.to.push(nodes.1);
        self.kind.push(kind as u8);
        self.flags.push(flags);
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.x0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.x0.is_empty()
    }
}

/// A text, shown where it fits into `w` at the current zoom.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export_to = "../../../ui/src/protocol/")]
pub struct Label {
    /// Anchor.
    pub x: f32,
    /// Baseline.
    pub y: f32,
    /// Room for it, in the scene's units.
    pub w: f32,
    /// The text.
    pub text: String,
    /// Where the anchor is.
    pub align: Align,
    /// Node it belongs to, if any.
    pub node: Option<u32>,
}

/// Horizontal alignment of a label at its anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export_to = "../../../ui/src/protocol/")]
pub enum Align {
    /// Text begins at the anchor.
    Start,
    /// Text is centred on the anchor.
    Middle,
    /// Text ends at the anchor.
    End,
}

/// A row of equal cells, for what is too dense to draw one by one: each cell says how full it is, exactly, and in
/// which colour most of it was. Cells lie on a grid of powers of two in time, so that panning never changes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strip {
    /// Left edge of the first cell.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width of one cell.
    pub cell: f32,
    /// Height.
    pub h: f32,
    /// Row number (worker).
    pub row: u32,
    /// Fullness of each cell, 0…255.
    pub full: Vec<u8>,
    /// Palette slot of each cell.
    pub fill: Vec<u8>,
    /// The longest node in each cell (`u32::MAX`: none).
    pub node: Vec<u32>,
}

/// A filled step curve over equal cells (a layer of the parallelism profile).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Area {
    /// Name of the layer, as in the legend.
    pub name: String,
    /// Palette slot.
    pub fill: u16,
    /// Left edge of the first cell.
    pub x: f32,
    /// Width of one cell.
    pub cell: f32,
    /// Lower border of each cell, in the scene's y.
    pub y0: Vec<f32>,
    /// Upper border of each cell, in the scene's y.
    pub y1: Vec<f32>,
}

/// One entry of the legend.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export_to = "../../../ui/src/protocol/")]
pub struct LegendItem {
    /// Palette slot.
    pub fill: u16,
    /// What it says.
    pub text: String,
}

/// A linear axis: pixel = x + (value − from) / (to − from) × length.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export_to = "../../../ui/src/protocol/")]
pub struct Axis {
    /// Value at the beginning.
    pub from: f64,
    /// Value at the end.
    pub to: f64,
    /// Pixel at the beginning.
    pub start: f32,
    /// Pixels long.
    pub length: f32,
    /// "ns", "ticks" or "" (a count).
    pub unit: String,
    /// What it measures.
    pub title: String,
}

/// A picture as plain marks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// What it shows, in a line; for writers, the page has its own frame.
    pub title: String,
    /// Extent to the right.
    pub width: f32,
    /// Extent down.
    pub height: f32,
    /// Rectangles.
    pub boxes: Boxes,
    /// Edges.
    pub links: Links,
    /// Texts.
    pub labels: Vec<Label>,
    /// Dense rows.
    pub strips: Vec<Strip>,
    /// Filled curves.
    pub areas: Vec<Area>,
    /// Horizontal axis.
    pub x_axis: Option<Axis>,
    /// Vertical axis.
    pub y_axis: Option<Axis>,
    /// What the colours say.
    pub legend: Vec<LegendItem>,
    /// What was left out or merged, in words.
    pub note: Option<String>,
}
