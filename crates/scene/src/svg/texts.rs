//! Texts of a scene.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::{Writer, number, text};
use crate::format::text_width;
use crate::palette::Colour;
use crate::style::{Fill, Shape};
use crate::text::{Align, Ink, Label, Plate, TextStyle};

/// Boxes by what they stand for.
type Owners = HashMap<(u8, u32, u8), usize>;

impl Writer<'_> {
    pub(super) fn labels(&mut self) {
        let scene = self.scene;
        let wanted = scene.labels.iter().any(|label| label.style.ink == Ink::On && label.owner().is_some());
        let mut owners = Owners::new();
        if wanted {
            let b = &scene.boxes;
            for i in (0..b.len()).rev().filter(|&i| !scene.styles.at(b.style[i]).moves) {
                owners.insert((b.tree[i], b.node[i], b.role[i]), i);
            }
        }
        for label in &scene.labels {
            let colour = self.ink(label, &owners);
            self.label(label, colour);
        }
    }

    /// Text on a solid mark must stand out from it; other marks are only tinted.
    fn ink(&self, label: &Label, owners: &Owners) -> Colour {
        let theme = self.theme;
        if let Ink::Slot(slot) = label.style.ink {
            return theme.slot(slot);
        }
        let owner = label.owner().and_then(|node| owners.get(&(label.tree, node, label.role)));
        let Some(&i) = owner else { return theme.text };
        let style = self.scene.styles.at(self.scene.boxes.style[i]);
        match style.fill {
            Fill::Solid if style.shape != Shape::Envelope => {
                theme.text_on(theme.slot(self.scene.boxes.fill[i]))
            }
            Fill::Faint => theme.faint,
            _ => theme.text,
        }
    }

    fn label(&mut self, label: &Label, colour: Colour) {
        let TextStyle { align, size, bold, plate, turned, .. } = label.style;
        let mut more = String::new();
        if size != TextStyle::PLAIN.size {
            let _ = write!(more, " font-size=\"{}\"", number(size));
        }
        if bold {
            more.push_str(" font-weight=\"600\"");
        }
        if turned {
            let _ = write!(more, " transform=\"rotate(-90 {} {})\"", number(label.x), number(label.y));
        }
        match plate {
            Plate::None => {}
            Plate::Halo => {
                let surface = self.theme.surface.hex();
                let _ = write!(
                    more,
                    " stroke=\"{surface}\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\""
                );
            }
            Plate::Frame | Plate::Plain => self.plate(label, colour),
        }
        text(&mut self.out, (label.x, label.y), align, colour, &label.text, &more);
    }

    fn plate(&mut self, label: &Label, colour: Colour) {
        let TextStyle { align, size, bold, plate, turned, .. } = label.style;
        let wide = text_width(&label.text) * size / 11.0 * if bold { 1.07 } else { 1.0 };
        let left = match align {
            Align::Start => 0.0,
            Align::Middle => -wide / 2.0,
            Align::End => -wide,
        };
        let surface = self.theme.surface.hex();
        let mut paint = match plate {
            Plate::Frame => format!("fill=\"{surface}\" stroke=\"{}\"", colour.hex()),
            _ => format!("fill=\"{surface}\""),
        };
        if turned {
            let _ = write!(paint, " transform=\"rotate(-90 {} {})\"", number(label.x), number(label.y));
        }
        self.rect((label.x + left - 4.0, label.y - size, wide + 8.0, size + 5.0), 2.0, &paint);
    }
}
