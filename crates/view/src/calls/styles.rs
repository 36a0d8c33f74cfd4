//! The styles of the pictures of calls: what is told by form, and in which words.

use std::borrow::Cow;

use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Fill, Ink, Press, Style, TextStyle, rank};

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

/// Small text of less weight.
pub const FAINT: TextStyle = TextStyle { ink: Ink::Slot(slot::FAINT), ..TextStyle::PLAIN };
/// The same, ending at its anchor.
pub const FAINT_END: TextStyle = TextStyle { align: Align::End, ..FAINT };
/// Text on a box.
pub const ON: TextStyle = TextStyle::PLAIN;
/// The same, ending at its anchor.
pub const ON_END: TextStyle = TextStyle { align: Align::End, ..TextStyle::PLAIN };
/// A name.
pub const NAME: TextStyle =
    TextStyle { ink: Ink::Slot(slot::TEXT), bold: true, size: 12.0, ..TextStyle::PLAIN };
/// Drawn over boxes.
pub const OVER: u8 = rank::RIM;
