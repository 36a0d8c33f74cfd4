//! The styles of the pictures of calls: what is told by form, and in which words.

use std::borrow::Cow;

use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Dash, Fill, Ink, Press, Stroke, Style, TextStyle, rank};

/// Roles of marks: they tell apart several marks of one node.
pub mod role {
    /// The node itself.
    pub const OWN: u8 = 0;
    /// Others beside it that are too small to draw.
    pub const OTHERS: u8 = 1;
    /// A caller of what is looked at.
    pub const ABOVE: u8 = 2;
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

/// Small text of less weight.
pub const FAINT: TextStyle = TextStyle { ink: Ink::Slot(slot::FAINT), ..TextStyle::PLAIN };
/// Text on a box.
pub const ON: TextStyle = TextStyle::PLAIN;
/// The same, ending at its anchor.
pub const ON_END: TextStyle = TextStyle { align: Align::End, ..TextStyle::PLAIN };
/// A name.
pub const NAME: TextStyle =
    TextStyle { ink: Ink::Slot(slot::TEXT), bold: true, size: 12.0, ..TextStyle::PLAIN };
