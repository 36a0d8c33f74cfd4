//! Texts of a scene: where they stand, how much room they have, what they belong to.

use serde::{Serialize, Serializer};
use ts_rs::TS;

use crate::marks::NONE;

/// Horizontal alignment of a text at its anchor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Align {
    /// Text begins at the anchor.
    #[default]
    Start,
    /// Text is centred on the anchor.
    Middle,
    /// Text ends at the anchor.
    End,
}

/// The colour of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ink {
    /// What can be read on the box that it belongs to.
    #[default]
    On,
    /// That of a slot.
    Slot(u16),
}

impl Ink {
    /// [`Ink::On`] as it is sent; else the slot.
    pub const SENT_ON: i32 = -2;

    /// The number that is sent.
    pub fn sent(self) -> i32 {
        match self {
            Ink::On => Ink::SENT_ON,
            Ink::Slot(slot) => i32::from(slot),
        }
    }
}

impl Serialize for Ink {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i32(self.sent())
    }
}

/// What is behind a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Plate {
    /// Nothing.
    #[default]
    None,
    /// A halo of the surface around the letters.
    Halo,
    /// A plate of the surface with a border in the text's colour.
    Frame,
    /// A plate of the surface without a border.
    Plain,
}

/// How a text is set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct TextStyle {
    /// Where the anchor is.
    pub align: Align,
    /// Height of the letters in pixels.
    pub size: f32,
    /// Bold.
    pub bold: bool,
    /// Colour: a slot, or −2 for what can be read on the box it belongs to.
    #[ts(type = "number")]
    pub ink: Ink,
    /// What is behind it.
    pub plate: Plate,
    /// Upright, read from below.
    pub turned: bool,
}

impl TextStyle {
    /// Small text that begins at its anchor.
    pub const PLAIN: TextStyle = TextStyle {
        align: Align::Start,
        size: 11.0,
        bold: false,
        ink: Ink::On,
        plate: Plate::None,
        turned: false,
    };
}

impl Default for TextStyle {
    fn default() -> Self {
        TextStyle::PLAIN
    }
}

/// A text, shown where it fits into `w` at the current zoom.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Anchor.
    pub x: f32,
    /// Baseline; of a turned text the anchor's y.
    pub y: f32,
    /// Room for it, in the scene's units.
    pub w: f32,
    /// The text.
    pub text: String,
    /// How it is set.
    pub style: TextStyle,
    /// Tree of its node.
    pub tree: u8,
    /// The node whose box it belongs to, or [`NONE`].
    pub node: u32,
    /// Role of that box.
    pub role: u8,
}

impl Label {
    /// A text that belongs to nothing.
    pub fn new((x, y): (f32, f32), w: f32, text: impl Into<String>, style: TextStyle) -> Self {
        Label { x, y, w, text: text.into(), style, tree: 0, node: NONE, role: 0 }
    }

    /// It belongs to the box of this node in this role.
    pub fn of(self, node: u32, role: u8) -> Self {
        Label { node, role, ..self }
    }

    /// The node, if it belongs to one.
    pub fn owner(&self) -> Option<u32> {
        (self.node != NONE).then_some(self.node)
    }
}
