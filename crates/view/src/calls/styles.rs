//! The styles of the pictures of calls: what is told by form, and in which words.

use std::borrow::Cow;

use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Dash, Fill, Ink, Plate, Press, Shape, Stroke, Style, TextStyle, rank};

/// Roles of marks: they tell apart several marks of one node.
pub mod role {
    /// The node itself.
    pub const OWN: u8 = 0;
    /// Others beside it that are too small to draw.
    pub const OTHERS: u8 = 1;
    /// A caller of what is looked at.
    pub const ABOVE: u8 = 2;
    /// What of a bar is spent itself.
    pub const ITSELF: u8 = 3;
    /// What is folded into a bar.
    pub const FOLDED: u8 = 4;
    /// The part of a band that belongs to the selection.
    pub const TRACED: u8 = 5;
    /// The strip over a bar.
    pub const STRIP: u8 = 6;
    /// The column of a run in a bar.
    pub const RUN: u8 = 7;
    /// What of it is spent itself.
    pub const RUN_ITSELF: u8 = 8;
    /// The line to a call path.
    pub const LANE: u8 = 9;
    /// Where two stretches of a band meet.
    pub const JOINT: u8 = 10;
}

/// A call path that spends most in what it calls, or most itself.
pub fn path(itself: bool) -> Style {
    let (fill, what) = match itself {
        true => (Fill::Solid, "call path that spends most itself"),
        false => (Fill::Tint, "call path that spends most in what it calls"),
    };
    Style { fill, press: Press::Focus, meaning: Cow::Borrowed(what), ..Style::BOX }
}

/// A call path in a ramp.
pub const SHADED: Style = Style { press: Press::Focus, meaning: Cow::Borrowed("call path"), ..Style::BOX };

/// Callers of what is looked at.
pub const CALLER: Style = Style {
    fill: Fill::Faint,
    press: Press::Focus,
    meaning: Cow::Borrowed("caller of what is shown"),
    ..Style::BOX
};

/// Siblings that are too narrow to draw one by one.
pub fn others(count: usize) -> Style {
    let said = match count {
        1 => "1 other, too narrow to draw".to_owned(),
        count => format!("{} others, too narrow to draw", crosscut_scene::format::count(count as i64)),
    };
    Style { fill: Fill::Rising, meaning: Cow::Owned(said), ..Style::BOX }
}

/// A mark that says what it is.
pub fn said(said: String) -> Style {
    Style { meaning: Cow::Owned(said), ..Style::BOX }
}

/// The mean, or a line that fits.
pub const MEAN: Style =
    Style { stroke: Stroke::Slot(slot::TEXT), dash: Dash::Dashed, rank: rank::RIM, ..Style::LINK };

/// From a bin to its places: the more there are, the paler.
pub fn band(out: bool, bands: usize) -> Style {
    let step = usize::from(bands >= 12) + usize::from(bands >= 48);
    let opacity = if out { [0.55, 0.32, 0.16] } else { [0.22, 0.10, 0.05] };
    let what = if out { "places of a bin that stands out" } else { "places of a bin" };
    Style { opacity: opacity[step], hit: false, rank: rank::BAND, meaning: Cow::Borrowed(what), ..Style::BOX }
}

/// What was spent at a place.
pub const AT_PLACE: Style = Style { meaning: Cow::Borrowed("what was spent at this place"), ..Style::GROUND };

/// A place.
pub const POINT: Style = Style { opacity: 0.8, meaning: Cow::Borrowed("place"), ..Style::POINT };

/// A layer of a stack.
pub const LAYER: Style = Style { meaning: Cow::Borrowed("spent in the module itself"), ..Style::GROUND };

/// A super node; one of several copies has a broken border.
pub fn bar(copied: bool) -> Style {
    let (dash, what) = match copied {
        true => (Dash::Dashed, "super node, one of several copies"),
        false => (Dash::Solid, "super node"),
    };
    let stroke = Stroke::Slot(slot::EDGE);
    Style { stroke, dash, press: Press::Split, meaning: Cow::Borrowed(what), ..Style::BOX }
}

/// What of it is spent itself.
pub const ITSELF: Style = Style { meaning: Cow::Borrowed("spent itself"), ..Style::PART };

/// Small super nodes that it calls.
pub fn folded(count: u32) -> Style {
    let said = format!(
        "{} that it calls, too small to draw",
        crosscut_scene::format::many(count as usize, "super node")
    );
    Style { shape: Shape::Round, fill: Fill::Tint, meaning: Cow::Owned(said), ..Style::BOX }
}

/// What one super node calls of another.
pub const BAND: Style = Style {
    fill: Fill::Faint,
    stroke: Stroke::Slot(slot::SURFACE),
    width: 0.8,
    meaning: Cow::Borrowed("calls from one super node to another"),
    ..Style::RIBBON
};

/// The same in the colour of a difference.
pub const BAND_DIFFERS: Style = Style { fill: Fill::Tint, ..BAND };

/// The part of it that belongs to the selection.
pub const TRACED: Style = Style {
    opacity: 0.55,
    hit: false,
    rank: rank::BAND + 2,
    meaning: Cow::Borrowed("belongs to the selection"),
    ..Style::RIBBON
};

/// What is spent itself at each place.
pub const SMALL: Style =
    Style { meaning: Cow::Borrowed("spent itself at each place, in their order"), ..Style::GROUND };

/// A run in a bar.
pub fn run(said: String) -> Style {
    Style { meaning: Cow::Owned(said), rank: rank::PART, ..Style::BOX }
}

/// The line to a call path: the more was spent in it, the wider.
pub fn lane(share: f64) -> Style {
    let width = (0.8 + 3.2 * (share * 8.0).round() / 8.0) as f32;
    Style { width, ..Style::LINK }
}

/// A call path as a point; one that stands out has a ring.
pub fn path_point(out: bool) -> Style {
    let (stroke, what) = match out {
        true => (Stroke::Slot(slot::TEXT), "call path that stands out"),
        false => (Stroke::Slot(slot::EDGE), "call path"),
    };
    let width = if out { 1.7 } else { 0.8 };
    Style { stroke, width, meaning: Cow::Borrowed(what), ..Style::POINT }
}

/// What else a call path calls.
pub fn surrogate(said: String) -> Style {
    Style { fill: Fill::Surface, stroke: Stroke::Slot(slot::EDGE), meaning: Cow::Owned(said), ..Style::BOX }
}

/// The same in the shade of what it takes.
pub fn surrogate_shaded(said: String) -> Style {
    Style { stroke: Stroke::Slot(slot::EDGE), meaning: Cow::Owned(said), ..Style::BOX }
}

/// The same where that took nothing.
pub fn nothing(said: String) -> Style {
    Style { meaning: Cow::Owned(said), ..Style::POINT }
}

/// Small text of less weight.
pub const FAINT: TextStyle = TextStyle { ink: Ink::Slot(slot::FAINT), ..TextStyle::PLAIN };
/// Text on a box.
pub const ON: TextStyle = TextStyle::PLAIN;
/// The same, ending at its anchor.
pub const ON_END: TextStyle = TextStyle { align: Align::End, ..TextStyle::PLAIN };
/// A name.
pub const NAME: TextStyle =
    TextStyle { ink: Ink::Slot(slot::TEXT), bold: true, size: 12.0, ..TextStyle::PLAIN };
/// The name of a bar.
pub const NAME_HALO: TextStyle =
    TextStyle { ink: Ink::Slot(slot::TEXT), size: 12.0, plate: Plate::Halo, ..TextStyle::PLAIN };
/// The name of one that stands out.
pub const NAME_BOLD: TextStyle = TextStyle { bold: true, ..NAME_HALO };
/// Small text over bands.
pub const FAINT_HALO: TextStyle = TextStyle { plate: Plate::Halo, ..FAINT };
/// A sign of imbalance.
pub const ALARM: TextStyle = TextStyle { ink: Ink::Slot(slot::RED), plate: Plate::Halo, ..TextStyle::PLAIN };
/// A number in a small mark.
pub const TINY: TextStyle = TextStyle { size: 9.0, ..FAINT };
