//! Axes: lines at their ticks, texts beside the plot, and what is folded.

use super::{Writer, number, polygon, text};
use crate::format::Unit;
use crate::palette::Colour;
use crate::plot::{Axis, Plot, Side};
use crate::text::Align;
use crate::ticks::{Tick, ticks};

/// Pixels between two ticks at least.
const ACROSS: f32 = 90.0;
const DOWN: f32 = 24.0;

impl Writer<'_> {
    pub(super) fn axes(&mut self, plot: &Plot) {
        if let Some(axis) = plot.y.as_ref().filter(|axis| axis.side != Side::None) {
            self.y_axis(plot, axis);
        }
        if let Some(axis) = plot.x.as_ref().filter(|axis| axis.side != Side::None) {
            self.x_axis(plot, axis);
        }
    }

    fn y_axis(&mut self, plot: &Plot, axis: &Axis) {
        let theme = self.theme;
        let (left, right) = (plot.rect.x, plot.rect.x + plot.rect.w);
        for Tick { at, text: words } in ticks(axis, DOWN) {
            if axis.grid {
                self.line((left, at), (right, at), theme.grid());
            }
            let (x, align) = match axis.side {
                Side::Start => (left - 6.0, Align::End),
                Side::End => (right + 6.0, Align::Start),
                _ => continue,
            };
            text(&mut self.out, (x, at + 4.0), align, theme.faint, &words, "");
        }
    }

    fn x_axis(&mut self, plot: &Plot, axis: &Axis) {
        let theme = self.theme;
        let (top, foot) = (plot.rect.y, plot.rect.y + plot.rect.h);
        let (line, words_y, end) = match axis.side {
            Side::Start => (top, top - 6.0, top - 4.0),
            _ => (foot, foot + 16.0, foot + 4.0),
        };
        let silent = axis.side == Side::Lines;
        for Tick { at, text: words } in ticks(axis, ACROSS) {
            if axis.grid {
                let (from, to) = (top.min(end), foot.max(if silent { foot } else { end }));
                self.line((at, from), (at, to), theme.grid());
            }
            if !silent {
                text(&mut self.out, (at, words_y), Align::Middle, theme.faint, &words, "");
            }
        }
        if silent {
            return;
        }
        self.line((axis.start(), line), (axis.start() + axis.length(), line), theme.line);
        if axis.unit == Unit::Ticks {
            text(&mut self.out, (0.0, words_y), Align::Start, theme.faint, "ticks", "");
        }
    }

    fn line(&mut self, a: (f32, f32), b: (f32, f32), colour: Colour) {
        let (x0, y0, x1, y1) = (number(a.0), number(a.1), number(b.0), number(b.1));
        self.path(
            &format!("M{x0} {y0}L{x1} {y1}"),
            &format!("stroke=\"{}\" stroke-width=\"1\"", colour.hex()),
        );
    }

    /// Where the axis is folded: a strip of surface between two broken lines.
    pub(super) fn folds(&mut self, plot: &Plot) {
        let Some(axis) = &plot.x else { return };
        let (top, foot) = (plot.rect.y, plot.rect.y + plot.rect.h);
        for pair in axis.stops.windows(2).filter(|pair| pair[0].folded) {
            let (a, b) = (pair[0].at, pair[1].at);
            let fill = format!("fill=\"{}\"", self.theme.surface.hex());
            self.rect((a, top, b - a, foot - top), 0.0, &fill);
            for x in [a + 2.0, b - 2.0] {
                let steps = ((foot - top) / 8.0).max(0.0) as usize;
                let corner =
                    |i: usize| (x + if i.is_multiple_of(2) { -2.0 } else { 2.0 }, top + i as f32 * 8.0);
                let d = polygon((0..=steps).map(corner), false);
                self.path(&d, &format!("fill=\"none\" stroke=\"{}\"", self.theme.line.hex()));
            }
        }
    }
}
