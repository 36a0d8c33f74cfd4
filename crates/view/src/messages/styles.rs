//! The styles of the pictures of messages: what is told by form, and in which words.

use std::borrow::Cow;

use crosscut_scene::palette::{CATEGORIES, slot};
use crosscut_scene::{Align, Fill, Ink, Press, Shape, Stroke, Style, TextStyle, rank};

/// Roles of marks: they tell apart several marks of one node.
pub mod role {
    /// The node itself.
    pub const OWN: u8 = 0;
    /// A flat part of the curve.
    pub const CURVE: u8 = 1;
    /// A bar of waiting.
    pub const WAIT: u8 = 2;
    /// A bracket of what repeats.
    pub const BRACKET: u8 = 3;
    /// From the strip to the columns.
    pub const FUNNEL: u8 = 4;
    /// The head of a column.
    pub const HEAD: u8 = 5;
    /// The plate of a collective.
    pub const PLATE: u8 = 6;
    /// A sign that closes.
    pub const SHUT: u8 = 7;
    /// The sign of a late rank.
    pub const LATE: u8 = 8;
    /// The first of the columns: each has a few of its own.
    pub const COLUMN: u8 = 16;
}

/// The slot of a pattern's colour.
pub fn pattern(number: usize) -> u16 {
    // The fourth colour is too near to the first when printed in grey: letters tell them apart.
    const ORDER: [u16; 8] = [0, 1, 3, 14, 8, 6, 9, 11];
    ORDER.get(number).copied().unwrap_or((number % CATEGORIES) as u16)
}

/// A cell of the strip, or anything of a phase that can be opened.
pub fn phase(what: &'static str, opens: bool) -> Style {
    let press = if opens { Press::Open } else { Press::None };
    Style { press, meaning: Cow::Borrowed(what), ..Style::BOX }
}

/// The same when it is open.
pub fn open_phase(what: &'static str) -> Style {
    Style { press: Press::Close, meaning: Cow::Borrowed(what), ..Style::BOX }
}

/// A flat part of the curve.
pub const CURVE: Style = Style {
    hit: true,
    meaning: Cow::Borrowed("how far its groups are from those of the first phase"),
    ..Style::BOX
};

/// A stem of the curve.
pub const STEM: Style = Style { stroke: Stroke::Slot(slot::TEXT), width: 1.25, ..Style::LINK };

/// A ring at the change from one phase to the next.
pub const RING: Style = Style {
    fill: Fill::Surface,
    stroke: Stroke::Slot(slot::TEXT),
    width: 1.5,
    rank: rank::PART,
    meaning: Cow::Borrowed("share of ranks that change their group here"),
    ..Style::POINT
};

/// A bracket over what repeats.
pub fn bracket(focused: bool) -> Style {
    let slot = if focused { slot::ACCENT } else { slot::EDGE };
    Style { shape: Shape::Line, fill: Fill::None, stroke: Stroke::Slot(slot), width: 1.5, ..Style::LINK }
}

/// From the cells of the strip to their column.
pub const FUNNEL: Style = Style {
    opacity: 0.12,
    hit: false,
    rank: rank::BACK,
    meaning: Cow::Borrowed("these phases"),
    ..Style::BOX
};

/// A ground behind a group: the stronger, the more of what it sends stays inside.
pub fn lane(inside: f64) -> Style {
    let opacity = (0.02 + 0.10 * steps(inside, 8)) as f32;
    Style { opacity, hit: false, rank: rank::BACK, ..Style::BOX }
}

/// Senders of a group.
pub fn block(opens: bool) -> Style {
    let what = if opens { "senders of a group" } else { "sender" };
    Style { press: if opens { Press::Open } else { Press::None }, meaning: Cow::Borrowed(what), ..Style::BOX }
}

/// What one group sent to another: the stronger, the more of the largest.
pub fn ribbon(share: f64) -> Style {
    let opacity = (0.22 + 0.38 * steps(share.max(0.0).sqrt(), 8)) as f32;
    Style { opacity, meaning: Cow::Borrowed("sent from one group to another"), ..Style::RIBBON }
}

/// Ranks that go from one group to another when the pattern changes.
pub fn regroup(stay: bool) -> Style {
    let (opacity, what) = match stay {
        true => (0.34, "ranks that stay together"),
        false => (0.10, "ranks that change their group"),
    };
    Style { opacity, meaning: Cow::Borrowed(what), ..Style::RIBBON }
}

/// Flows that are too small to draw one by one.
pub const REST: Style =
    Style { opacity: 0.6, rank: rank::BAND, meaning: Cow::Borrowed("smaller flows, together"), ..Style::BOX };

/// A collective: all ranks at once.
pub const PLATE: Style = Style { fill: Fill::Tint, meaning: Cow::Borrowed("collective"), ..Style::BOX };

/// A bar of waiting.
pub const WAIT: Style = Style { meaning: Cow::Borrowed("how long a rank waited, on average"), ..Style::BOX };

/// A bar of waiting that stands out.
pub const LONG: Style = Style {
    meaning: Cow::Borrowed("ranks waited more than twice as long as is usual for this pattern"),
    ..Style::BOX
};

/// Waiting by rank and step.
pub const HEAT: Style = Style { meaning: Cow::Borrowed("the longest wait of these ranks"), ..Style::GROUND };

/// Waiting of a phase beside what is usual at its place.
pub const BESIDE_USUAL: Style =
    Style { meaning: Cow::Borrowed("waiting beside what is usual at this place"), ..Style::GROUND };

/// A rim around what stands out.
pub const OUT: Style = Style {
    fill: Fill::None,
    stroke: Stroke::Slot(slot::RED),
    width: 1.5,
    hit: false,
    rank: rank::RIM,
    ..Style::BOX
};

/// Who was late.
pub const LATE: Style = Style {
    shape: Shape::TriangleRight,
    rank: rank::SIGN,
    meaning: Cow::Borrowed("a rank that others waited for"),
    ..Style::BOX
};

/// A layer of a stack.
pub const LAYER: Style = Style { meaning: Cow::Borrowed("under way between ranks"), ..Style::GROUND };

/// How many ranks wait.
pub const WAITING: Style = Style { meaning: Cow::Borrowed("ranks waiting"), ..Style::GROUND };

/// What a rank sent.
pub const SENT: Style = Style { meaning: Cow::Borrowed("sent by this rank"), ..Style::BOX };

/// What a rank received.
pub const RECEIVED: Style = Style { meaning: Cow::Borrowed("received by this rank"), ..Style::BOX };

/// A bar that says what it is.
pub fn bar(said: String) -> Style {
    Style { meaning: Cow::Owned(said), ..Style::BOX }
}

/// A cell of the matrix.
pub fn cell(words: &'static str) -> Style {
    Style { meaning: Cow::Borrowed(words), ..Style::GROUND }
}

/// A call of a rank, or the part of it in which it waited.
pub fn call(function: &str, why: Option<&str>) -> Style {
    let said = why.map_or_else(|| function.to_owned(), |why| format!("{function}, {why}"));
    let rank = if why.is_some() { rank::PART } else { rank::MARK };
    Style { meaning: Cow::Owned(said), rank, ..Style::BOX }
}

/// A message from one rank to another.
pub const MESSAGE: Style = Style {
    fill: Fill::None,
    stroke: Stroke::Own,
    width: 1.0,
    hit: true,
    rank: rank::RIM,
    meaning: Cow::Borrowed("message"),
    ..Style::BOX
};

/// A stretch of a rank that decided how long the run took.
pub const PATH: Style =
    Style { rank: rank::SIGN, meaning: Cow::Borrowed("on the critical path"), ..Style::BOX };

/// From the rank that was waited for to the one that waited.
pub const JUMP: Style = Style {
    stroke: Stroke::Slot(slot::ACCENT),
    width: 1.5,
    meaning: Cow::Borrowed("the critical path goes on with the rank that waited"),
    ..Style::LINK
};

/// The row of a rank.
pub const ROW: Style = Style { rank: rank::BACK, meaning: Cow::Borrowed("rank"), ..Style::BOX };

/// A stretch without calls that is left out.
pub const GAP: Style = Style {
    shape: Shape::Line,
    fill: Fill::None,
    stroke: Stroke::Slot(slot::LINE),
    hit: false,
    ..Style::BOX
};

/// A hair line.
pub const RULE: Style = Style { stroke: Stroke::Slot(slot::GRID), ..Style::LINK };

/// A rim around what is looked at.
pub const RIM: Style = Style {
    fill: Fill::None,
    stroke: Stroke::Slot(slot::ACCENT),
    width: 2.0,
    hit: false,
    rank: rank::RIM,
    ..Style::BOX
};

/// The sign that closes an open group.
pub const SHUT: Style = Style {
    shape: Shape::Minus,
    fill: Fill::Surface,
    stroke: Stroke::Slot(slot::ACCENT),
    press: Press::Close,
    live: true,
    rank: rank::SIGN,
    meaning: Cow::Borrowed("closes this group"),
    ..Style::BOX
};

/// Small text of less weight.
pub const FAINT: TextStyle = TextStyle { ink: Ink::Slot(slot::FAINT), ..TextStyle::PLAIN };
/// The same, ending at its anchor.
pub const FAINT_END: TextStyle = TextStyle { align: Align::End, ..FAINT };
/// A name.
pub const NAME: TextStyle =
    TextStyle { ink: Ink::Slot(slot::TEXT), bold: true, size: 12.0, ..TextStyle::PLAIN };

/// A share in a few steps: a picture has few styles.
fn steps(share: f64, steps: u32) -> f64 {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    (share * f64::from(steps)).round() / f64::from(steps)
}
