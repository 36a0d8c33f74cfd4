//! How marks look: a table of styles that marks point into. A style says what a mark means, in words, and how that is
//! told by form as well as by colour; the palette slot of the mark is its colour. Layouts make the styles they use.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use ts_rs::TS;

/// The outline of a box, a point or a polygon. Links, ribbons, areas and grids have their own form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Shape {
    /// A rectangle; a polygon that is closed.
    #[default]
    Rect,
    /// A rectangle with slightly broken corners.
    Soft,
    /// A rectangle with round corners.
    Round,
    /// A pale frame behind its members: its fill is faint, and only a border is left of it when it is small.
    Envelope,
    /// A rectangle with a point at its foot.
    Notch,
    /// Narrow at the bottom.
    Funnel,
    /// Leaning to the right.
    Slant,
    /// A triangle that points down.
    TriangleDown,
    /// A triangle that points up.
    TriangleUp,
    /// A triangle that points right.
    TriangleRight,
    /// A disc or an ellipse.
    Dot,
    /// A square on its corner.
    Diamond,
    /// A disc with an exclamation mark.
    Alert,
    /// A ring with a tick mark.
    Check,
    /// A square with a minus sign.
    Minus,
    /// A polygon that is not closed: a line through its points.
    Line,
}

impl Shape {
    /// All of them.
    pub const ALL: [Shape; 16] = [
        Shape::Rect,
        Shape::Soft,
        Shape::Round,
        Shape::Envelope,
        Shape::Notch,
        Shape::Funnel,
        Shape::Slant,
        Shape::TriangleDown,
        Shape::TriangleUp,
        Shape::TriangleRight,
        Shape::Dot,
        Shape::Diamond,
        Shape::Alert,
        Shape::Check,
        Shape::Minus,
        Shape::Line,
    ];
}

/// How a mark is filled with the colour of its slot. Hatches are a pale ground with a pattern of the colour; where a mark
/// is lower or narrower than [`HATCH_FROM`] pixels they are flat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Fill {
    /// The colour itself.
    #[default]
    Solid,
    /// Mixed with the surface, so that texts can be read on it and solid parts stand out.
    Tint,
    /// Almost gone into the surface.
    Faint,
    /// The surface, whatever the slot: covers what is behind.
    Surface,
    /// Nothing: what is behind shows.
    None,
    /// Dots.
    Dots,
    /// Level lines.
    Level,
    /// Upright lines.
    Upright,
    /// Chevrons.
    Chevrons,
    /// Lines that cross.
    Cross,
    /// Lines that rise to the right.
    Rising,
    /// Lines that fall to the right.
    Falling,
    /// Rings.
    Rings,
}

impl Fill {
    /// The hatches.
    pub const HATCHES: [Fill; 8] = [
        Fill::Dots,
        Fill::Level,
        Fill::Upright,
        Fill::Chevrons,
        Fill::Cross,
        Fill::Rising,
        Fill::Falling,
        Fill::Rings,
    ];

    /// All of them.
    pub const ALL: [Fill; 13] = [
        Fill::Solid,
        Fill::Tint,
        Fill::Faint,
        Fill::Surface,
        Fill::None,
        Fill::Dots,
        Fill::Level,
        Fill::Upright,
        Fill::Chevrons,
        Fill::Cross,
        Fill::Rising,
        Fill::Falling,
        Fill::Rings,
    ];

    /// Whether it is a pattern.
    pub fn is_hatch(self) -> bool {
        Fill::HATCHES.contains(&self)
    }
}

/// Below this many pixels a hatch is flat: it would flicker.
pub const HATCH_FROM: f32 = 8.0;
/// Side of the square that a hatch repeats, in pixels.
pub const HATCH_TILE: f32 = 6.0;
/// How much of the slot's colour each fill has; the rest is surface.
pub mod share {
    /// [`super::Fill::Tint`].
    pub const TINT: f64 = 0.28;
    /// [`super::Fill::Faint`], and the ground of a hatch.
    pub const FAINT: f64 = 0.16;
    /// The lines of a hatch.
    pub const HATCH: f64 = 0.6;
    /// A flat hatch.
    pub const FLAT: f64 = 0.38;
    /// How far the border of a mark goes from its slot to the colour of text.
    pub const BORDER: f64 = 0.35;
    /// The second border, from the surface to the slot.
    pub const INNER: f64 = 0.7;
}

/// The colour of a border or a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stroke {
    /// None.
    #[default]
    None,
    /// The mark's own colour: of a filled mark a darker one.
    Own,
    /// That of a slot, such as [`crate::palette::slot::EDGE`] or [`crate::palette::slot::RED`].
    Slot(u16),
}

impl Stroke {
    /// As it is sent: a slot, or one of these.
    pub const SENT_NONE: i32 = -1;
    /// See [`Stroke::SENT_NONE`].
    pub const SENT_OWN: i32 = -2;

    /// The number that is sent.
    pub fn sent(self) -> i32 {
        match self {
            Stroke::None => Stroke::SENT_NONE,
            Stroke::Own => Stroke::SENT_OWN,
            Stroke::Slot(slot) => i32::from(slot),
        }
    }
}

impl Serialize for Stroke {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i32(self.sent())
    }
}

/// How a border or a line is broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Dash {
    /// Not at all.
    #[default]
    Solid,
    /// Dashes.
    Dashed,
    /// Short dashes close together.
    Fine,
    /// Dots.
    Dotted,
}

impl Dash {
    /// All of them.
    pub const ALL: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::Fine, Dash::Dotted];

    /// Lengths of ink and gap in pixels; none for a solid line.
    pub fn lengths(self) -> Option<(u8, u8)> {
        match self {
            Dash::Solid => None,
            Dash::Dashed => Some((4, 2)),
            Dash::Fine => Some((3, 2)),
            Dash::Dotted => Some((1, 2)),
        }
    }
}

/// A second border inside of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Inner {
    /// None.
    #[default]
    None,
    /// A line in the mark's colour: there is something inside.
    Line,
    /// Dots: there was something inside.
    Dots,
    /// A thin line of the surface, which tells a strong border from a fill that is near to it.
    Light,
}

/// The way of links and ribbons from one end to the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Curve {
    /// Straight.
    #[default]
    Straight,
    /// A cubic curve that leaves and arrives level.
    Smooth,
}

/// What pressing a mark does to its tree's cut, where that is told by the mark alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Press {
    /// Nothing.
    #[default]
    None,
    /// Opens the node.
    Open,
    /// Closes the node.
    Close,
    /// Shows what is folded into it.
    Spread,
    /// Looks at it alone: the view's own act "focus".
    Focus,
    /// Splits it: the view's own act "split".
    Split,
}

/// Drawing order: lower ranks first. Marks of one rank must not cover each other.
pub mod rank {
    /// Frames behind their members.
    pub const BACK: u8 = 10;
    /// Ribbons, areas, grids and other grounds.
    pub const BAND: u8 = 20;
    /// Edges; stronger ones a little higher.
    pub const LINK: u8 = 30;
    /// Boxes and points.
    pub const MARK: u8 = 40;
    /// Parts of boxes.
    pub const PART: u8 = 50;
    /// Borders over everything.
    pub const RIM: u8 = 60;
    /// Signs over borders.
    pub const SIGN: u8 = 70;
}

/// How a mark looks, and what that means.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Style {
    /// Outline.
    pub shape: Shape,
    /// Fill with the colour of the mark's slot.
    pub fill: Fill,
    /// Border, or the line itself: a slot, −1 for none, −2 for the mark's own.
    #[ts(type = "number")]
    pub stroke: Stroke,
    /// Width of border or line in pixels, whatever the zoom.
    pub width: f32,
    /// How the border or line is broken.
    pub dash: Dash,
    /// 0…1, of the whole mark.
    pub opacity: f32,
    /// Second border.
    pub inner: Inner,
    /// A strong line at its foot.
    pub foot: bool,
    /// Sheets behind it: it stands for several.
    pub sheets: u8,
    /// A head at the end of a link.
    pub arrow: bool,
    /// Way of links and ribbons.
    pub curve: Curve,
    /// The pointer finds it.
    pub hit: bool,
    /// A part of the box of the same tree and node (and, if it has one, the same `to`): moves with it, and a press on it is
    /// one on that.
    pub moves: bool,
    /// Only drawn where it can be pressed: not in SVG and PNG.
    pub live: bool,
    /// What pressing it does.
    pub press: Press,
    /// Drawing order, see [`rank`].
    pub rank: u8,
    /// What the mark is, in plain words: "closed task, on the critical path".
    #[ts(type = "string")]
    pub meaning: Cow<'static, str>,
}

impl Style {
    /// A solid rectangle that the pointer finds.
    pub const BOX: Style = Style {
        shape: Shape::Rect,
        fill: Fill::Solid,
        stroke: Stroke::None,
        width: 1.0,
        dash: Dash::Solid,
        opacity: 1.0,
        inner: Inner::None,
        foot: false,
        sheets: 0,
        arrow: false,
        curve: Curve::Straight,
        hit: true,
        moves: false,
        live: false,
        press: Press::None,
        rank: rank::MARK,
        meaning: Cow::Borrowed(""),
    };

    /// A part of a box: moves with it, not found by the pointer.
    pub const PART: Style = Style { hit: false, moves: true, rank: rank::PART, ..Style::BOX };

    /// A line in the colour of edges.
    pub const LINK: Style = Style {
        fill: Fill::None,
        stroke: Stroke::Slot(crate::palette::slot::EDGE),
        rank: rank::LINK,
        hit: false,
        ..Style::BOX
    };

    /// A solid disc.
    pub const POINT: Style = Style { shape: Shape::Dot, ..Style::BOX };

    /// A smooth band.
    pub const RIBBON: Style = Style { curve: Curve::Smooth, rank: rank::BAND, ..Style::BOX };

    /// A filled curve, a grid or another ground that the pointer finds.
    pub const GROUND: Style = Style { rank: rank::BAND, ..Style::BOX };
}

/// The styles of a scene: each once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Styles {
    list: Vec<Style>,
}

impl Styles {
    /// The number of a style in the table; put there if it is new.
    pub fn put(&mut self, style: &Style) -> u16 {
        // Pictures have a dozen styles; the last ones are asked for again.
        match self.list.iter().rposition(|known| known == style) {
            Some(at) => at as u16,
            None => {
                debug_assert!(self.list.len() < usize::from(u16::MAX));
                self.list.push(style.clone());
                (self.list.len() - 1) as u16
            }
        }
    }

    /// The style of a number; a plain box where there is none.
    pub fn at(&self, number: u16) -> &Style {
        self.list.get(usize::from(number)).unwrap_or(const { &Style::BOX })
    }

    /// All of them in order.
    pub fn all(&self) -> &[Style] {
        &self.list
    }
}
