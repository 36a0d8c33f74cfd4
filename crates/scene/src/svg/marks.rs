//! Links, points, ribbons, polygons, areas and grids.

use std::fmt::Write as _;

use super::outline::{dash, opacity};
use super::{Chosen, Writer, number, polygon};
use crate::marks::{Area, Grid, Show};
use crate::style::{Curve, Shape, Style};

/// A triangle at the end of a link.
fn arrowhead((x0, y0): (f32, f32), (x1, y1): (f32, f32)) -> String {
    const LENGTH: f32 = 8.0;
    let (dx, dy) = (x1 - x0, y1 - y0);
    let length = dx.hypot(dy);
    if length.is_nan() || length < 1.0 {
        return String::new();
    }
    let head = LENGTH.min(length);
    let (ux, uy) = (dx / length * head, dy / length * head);
    let (left, right) = ((x1 - ux - uy / 2.0, y1 - uy + ux / 2.0), (x1 - ux + uy / 2.0, y1 - uy - ux / 2.0));
    polygon([(x1, y1), left, right], true)
}

/// From one point to another.
fn way(curve: Curve, (x0, y0): (f32, f32), (x1, y1): (f32, f32)) -> String {
    let middle = number((x0 + x1) / 2.0);
    let (x0, y0, x1, y1) = (number(x0), number(y0), number(x1), number(y1));
    match curve {
        Curve::Straight => format!("M{x0} {y0}L{x1} {y1}"),
        Curve::Smooth => format!("M{x0} {y0}C{middle} {y0} {middle} {y1} {x1} {y1}"),
    }
}

impl Writer<'_> {
    /// Links of one style and colour are one path.
    pub(super) fn links(&mut self, list: &Chosen) {
        let scene = self.scene;
        let links = &scene.links;
        let mut kinds: Vec<(u16, u16)> = list.iter().map(|&i| (links.style[i], links.fill[i])).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            let style = scene.styles.at(kind.0);
            let (mut d, mut heads) = (String::new(), String::new());
            for &i in list.iter().filter(|&&i| (links.style[i], links.fill[i]) == kind) {
                let (from, to) = ((links.x0[i], links.y0[i]), (links.x1[i], links.y1[i]));
                d.push_str(&way(style.curve, from, to));
                if style.arrow {
                    let leaves =
                        if style.curve == Curve::Smooth { ((from.0 + to.0) / 2.0, to.1) } else { from };
                    heads.push_str(&arrowhead(leaves, to));
                }
            }
            self.lines(style, kind.1, &d, &heads);
        }
    }

    fn lines(&mut self, style: &Style, fill: u16, d: &str, heads: &str) {
        let Some(colour) = self.stroke_of(style, fill).map(|colour| colour.hex()) else { return };
        let (dash, opacity) = (dash(style), opacity(style));
        let width = number(style.width);
        self.path(d, &format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dash}{opacity}"));
        if !heads.is_empty() {
            self.path(heads, &format!("fill=\"{colour}\"{opacity}"));
        }
    }

    /// A line of the legend.
    pub(super) fn sample(&mut self, style: &Style, fill: u16, from: (f32, f32), to: (f32, f32)) {
        let heads = if style.arrow { arrowhead(from, to) } else { String::new() };
        self.lines(style, fill, &way(Curve::Straight, from, to), &heads);
    }

    pub(super) fn point(&mut self, i: usize) {
        let p = &self.scene.points;
        let (x, y, r) = (p.x[i], p.y[i], p.r[i].max(0.0));
        self.outlined(self.scene.styles.at(p.style[i]), p.fill[i], (x - r, y - r, 2.0 * r, 2.0 * r));
    }

    pub(super) fn ribbon(&mut self, i: usize) {
        let r = &self.scene.ribbons;
        let style = self.scene.styles.at(r.style[i]);
        let (x0, x1) = (r.x0[i], r.x1[i]);
        let mut d = way(style.curve, (x0, r.top0[i]), (x1, r.top1[i]));
        let back = way(style.curve, (x1, r.bottom1[i]), (x0, r.bottom0[i]));
        d.push_str(&back.replacen('M', "L", 1));
        d.push('Z');
        let least = (r.bottom0[i] - r.top0[i]).max(r.bottom1[i] - r.top1[i]);
        self.shape(style, r.fill[i], &d, least);
    }

    pub(super) fn polygon(&mut self, i: usize) {
        let p = &self.scene.polygons;
        let style = self.scene.styles.at(p.style[i]);
        let open = style.shape == Shape::Line;
        let d = polygon(p.points(i), !open);
        if open {
            return self.lines(style, p.fill[i], &d, "");
        }
        let (mut low, mut high) = ((f32::MAX, f32::MAX), (f32::MIN, f32::MIN));
        for (x, y) in p.points(i) {
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        self.shape(style, p.fill[i], &d, (high.0 - low.0).min(high.1 - low.1));
    }

    fn shape(&mut self, style: &Style, slot: u16, d: &str, least: f32) {
        let mut paint = format!("fill=\"{}\"", self.fill_of(style, slot, least));
        if let Some(colour) = self.stroke_of(style, slot) {
            let _ =
                write!(paint, " stroke=\"{}\" stroke-width=\"{}\"{}", colour.hex(), style.width, dash(style));
        }
        paint.push_str(&opacity(style));
        self.path(d, &paint);
    }

    /// The upper border from left to right, the lower one back.
    pub(super) fn area(&mut self, area: &Area) {
        let n = area.y0.len().min(area.y1.len());
        if n == 0 {
            return;
        }
        let mut d = String::new();
        let x = |i: usize| area.x + i as f32 * area.cell;
        for i in 0..n {
            let (command, y) = (if i == 0 { 'M' } else { 'L' }, number(area.y1[i]));
            let _ = write!(d, "{command}{} {y}H{}", number(x(i)), number(x(i + 1)));
        }
        for i in (0..n).rev() {
            let y = number(area.y0[i]);
            let _ = write!(d, "L{} {y}H{}", number(x(i + 1)), number(x(i)));
        }
        d.push('Z');
        let high = area.y0.iter().zip(&area.y1).map(|(low, high)| (low - high).abs()).fold(0.0, f32::max);
        self.shape(self.scene.styles.at(area.mark.style), area.mark.fill, &d, high);
    }

    /// Cells of one colour that follow each other are one rectangle.
    pub(super) fn grid(&mut self, grid: &Grid) {
        let (nx, ny) = (grid.nx as usize, grid.ny as usize);
        if nx == 0 || ny == 0 {
            return;
        }
        let (w, h) = (grid.w / nx as f32, grid.h / ny as f32);
        let opacity = opacity(self.scene.styles.at(grid.mark.style));
        let bars = grid.show == Show::Height;
        for row in 0..ny {
            let key = |column: usize| {
                let cell = row * nx + column;
                grid.slot(cell).map(|slot| (slot, if bars { grid.level[cell] } else { 255 }))
            };
            let mut from = 0;
            while from < nx {
                let here = key(from);
                let run =
                    if grid.gap_x > 0.0 { 1 } else { (from..nx).take_while(|&i| key(i) == here).count() };
                if let Some((slot, level)) = here {
                    // Whole pixels: borders between them would let the surface shine through.
                    let x = |i: usize| {
                        if grid.gap_x > 0.0 { grid.x + i as f32 * w } else { (grid.x + i as f32 * w).round() }
                    };
                    let full = (h - grid.gap_y).max(0.0);
                    let high = (full * f32::from(level) / 255.0).max(full.min(1.0));
                    let y = grid.y + row as f32 * h + full - high;
                    let paint = format!(
                        "fill=\"{}\" shape-rendering=\"crispEdges\"{opacity}",
                        self.theme.slot(slot).hex()
                    );
                    self.rect((x(from), y, x(from + run) - x(from) - grid.gap_x, high), 0.0, &paint);
                }
                from += run;
            }
        }
    }
}
