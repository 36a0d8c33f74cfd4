//! Outlines of boxes and points, and the patterns of hatches.

use std::fmt::Write as _;

use super::{Writer, number, polygon};
use crate::palette::{Colour, Theme, slot};
use crate::style::{Fill, HATCH_TILE, Inner, Shape, Stroke, Style, share};

type Rect = (f32, f32, f32, f32);

/// Boxes with a smaller side have no second border.
const INNER_FROM: f32 = 8.0;

/// The name of a hatch in a colour.
pub(super) fn pattern_name(fill: Fill, slot: u16) -> String {
    format!("{}-{slot}", format!("{fill:?}").to_lowercase())
}

/// The pattern of a hatch: a pale ground with lines of the colour.
pub(super) fn pattern(fill: Fill, theme: &Theme, slot: u16) -> String {
    let solid = theme.slot(slot);
    let (ground, ink) =
        (theme.surface.towards(solid, share::FAINT), theme.surface.towards(solid, share::HATCH));
    let ink = ink.hex();
    let line = |d: &str| format!("<path d=\"{d}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"1\"/>");
    let inside = match fill {
        Fill::Dots => format!(
            "<circle cx=\"1.5\" cy=\"1.5\" r=\"0.9\" fill=\"{ink}\"/><circle cx=\"4.5\" cy=\"4.5\" r=\"0.9\" fill=\"{ink}\"/>"
        ),
        Fill::Level => line("M0 1.5H6M0 4.5H6"),
        Fill::Upright => line("M1.5 0V6M4.5 0V6"),
        Fill::Chevrons => line("M0 4.5L3 1.5L6 4.5"),
        Fill::Cross => line("M0 0L6 6M6 0L0 6"),
        Fill::Rising => line("M-1 1L1 -1M0 6L6 0M5 7L7 5"),
        Fill::Falling => line("M-1 5L1 7M0 0L6 6M5 -1L7 1"),
        Fill::Rings => format!(
            "<circle cx=\"3\" cy=\"3\" r=\"1.7\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"0.9\"/>"
        ),
        _ => String::new(),
    };
    format!(
        "<pattern id=\"{}\" patternUnits=\"userSpaceOnUse\" width=\"{HATCH_TILE}\" height=\"{HATCH_TILE}\"><rect width=\"{HATCH_TILE}\" height=\"{HATCH_TILE}\" fill=\"{}\"/>{inside}</pattern>\n",
        pattern_name(fill, slot),
        ground.hex(),
    )
}

/// Radius of the corners.
fn corners(shape: Shape, w: f32, h: f32) -> f32 {
    match shape {
        Shape::Soft | Shape::Minus => 1.0,
        Shape::Round => 7f32.min(w / 3.0).min(h / 3.0),
        Shape::Envelope => 5.0,
        _ => 0.0,
    }
}

/// The outline of a shape that is no rectangle.
fn outline(shape: Shape, (x, y, w, h): Rect) -> Option<String> {
    let slant = w * 0.28;
    let (mx, my, right, foot) = (x + w / 2.0, y + h / 2.0, x + w, y + h);
    Some(match shape {
        Shape::Notch => {
            let tip = (h / 4.0).min(w / 3.0).min(8.0);
            let half = tip.min(w / 4.0);
            let low = foot - tip;
            polygon(
                [(x, y), (right, y), (right, low), (mx + half, low), (mx, foot), (mx - half, low), (x, low)],
                true,
            )
        }
        Shape::Funnel => polygon([(x, y), (right, y), (right - slant, foot), (x + slant, foot)], true),
        Shape::Slant => polygon([(x + slant, y), (right, y), (right - slant, foot), (x, foot)], true),
        Shape::TriangleDown => polygon([(x, y), (right, y), (mx, foot)], true),
        Shape::TriangleUp => polygon([(mx, y), (right, foot), (x, foot)], true),
        Shape::TriangleRight => polygon([(x, y), (right, my), (x, foot)], true),
        Shape::Diamond => polygon([(mx, y), (right, my), (mx, foot), (x, my)], true),
        Shape::Dot | Shape::Alert | Shape::Check => {
            let (rx, ry) = (number(w / 2.0), number(h / 2.0));
            let (left, right, my) = (number(x), number(right), number(my));
            format!("M{left} {my}A{rx} {ry} 0 1 1 {right} {my}A{rx} {ry} 0 1 1 {left} {my}Z")
        }
        _ => return None,
    })
}

/// Lines on top of a shape: an exclamation mark, a tick, a minus sign.
fn sign(shape: Shape, (x, y, w, h): Rect) -> Option<String> {
    let (cx, cy, r) = (x + w / 2.0, y + h / 2.0, w.min(h) / 2.0);
    let lines: &[&[(f32, f32)]] = match shape {
        Shape::Alert => &[&[(0.0, -0.6), (0.0, 0.12)], &[(0.0, 0.42), (0.0, 0.62)]],
        Shape::Check => &[&[(-0.45, 0.0), (-0.1, 0.4), (0.5, -0.4)]],
        Shape::Minus => &[&[(-0.5, 0.0), (0.5, 0.0)]],
        _ => return None,
    };
    Some(
        lines
            .iter()
            .map(|line| polygon(line.iter().map(|(dx, dy)| (cx + dx * r, cy + dy * r)), false))
            .collect(),
    )
}

impl Writer<'_> {
    /// The colour of a border or line, if there is one.
    pub(super) fn stroke_of(&self, style: &Style, slot: u16) -> Option<Colour> {
        let solid = self.theme.slot(slot);
        match style.stroke {
            Stroke::None => None,
            // A line is the mark itself; a border must stand out from its fill.
            Stroke::Own if style.fill == Fill::None => Some(solid),
            Stroke::Own => Some(solid.towards(self.theme.text, share::BORDER)),
            Stroke::Slot(slot) => Some(self.theme.slot(slot)),
        }
    }

    /// A box or a point in its rectangle.
    pub(super) fn outlined(&mut self, style: &Style, slot: u16, rect: Rect) {
        let (x, y, w, h) = rect;
        let theme = self.theme;
        let border = self.stroke_of(style, slot);
        let fill = self.fill_of(style, slot, w.min(h));
        let opacity = opacity(style);
        if style.shape == Shape::Envelope {
            let line = border.map_or_else(String::new, |colour| format!(" stroke=\"{}\"", colour.hex()));
            return self.rect(rect, corners(style.shape, w, h), &format!("fill=\"{fill}\"{line}{opacity}"));
        }
        let mut edge = String::new();
        if let Some(colour) = border {
            let _ =
                write!(edge, " stroke=\"{}\" stroke-width=\"{}\"{}", colour.hex(), style.width, dash(style));
        }
        let round = corners(style.shape, w, h);
        let mut back = edge.clone();
        if let Some(colour) = border.filter(|_| style.stroke == Stroke::Own) {
            back = format!(" stroke=\"{}\"", colour.hex());
        }
        for sheet in (1..=style.sheets.min(3)).rev() {
            let off = 2.5 * f32::from(sheet);
            let paint = format!("fill=\"{}\"{back}", theme.surface.hex());
            self.rect((x + off, y + off, w, h), round, &paint);
        }
        match outline(style.shape, rect) {
            Some(d) => self.path(&d, &format!("fill=\"{fill}\"{edge} stroke-linejoin=\"round\"{opacity}")),
            None => self.rect(rect, round, &format!("fill=\"{fill}\"{edge}{opacity}")),
        }
        if let Some(d) = sign(style.shape, rect) {
            let colour = match style.fill {
                Fill::Solid => theme.text_on(theme.slot(slot)),
                _ => border.unwrap_or(theme.text),
            };
            self.path(&d, &format!("fill=\"none\" stroke=\"{}\" stroke-width=\"1.2\"", colour.hex()));
        }
        if style.foot {
            let colour = border.unwrap_or(theme.edge);
            let paint = format!("fill=\"{}\"", colour.hex());
            self.rect((x - 1.0, y + h - 2.0, w + 2.0, 2.0), 0.0, &paint);
        }
        self.inner(style, slot, rect, round);
    }

    fn inner(&mut self, style: &Style, slot: u16, (x, y, w, h): Rect, round: f32) {
        if style.inner == Inner::None || w < INNER_FROM || h < INNER_FROM {
            return;
        }
        let theme = self.theme;
        let line = theme.surface.towards(theme.slot(slot), share::INNER);
        let (inset, paint) = match style.inner {
            // The second border says that there is something inside.
            Inner::Line => (2.0, format!("fill=\"none\" stroke=\"{}\"", line.hex())),
            Inner::Dots => {
                let edge = theme.slot(slot::EDGE).hex();
                (2.0, format!("fill=\"none\" stroke=\"{edge}\" stroke-dasharray=\"1 2\""))
            }
            _ => {
                let inset = style.width / 2.0 + 0.5;
                (inset, format!("fill=\"none\" stroke=\"{}\" stroke-width=\"1\"", theme.surface.hex()))
            }
        };
        self.rect((x + inset, y + inset, w - 2.0 * inset, h - 2.0 * inset), (round - 2.0).max(0.0), &paint);
    }
}

pub(super) fn dash(style: &Style) -> String {
    style.dash.lengths().map_or_else(String::new, |(ink, gap)| format!(" stroke-dasharray=\"{ink} {gap}\""))
}

pub(super) fn opacity(style: &Style) -> String {
    if style.opacity < 1.0 {
        format!(" opacity=\"{}\"", number(style.opacity.max(0.0)))
    } else {
        String::new()
    }
}
