//! The Scene: plain marks in columns, the styles they point into, and the plots they belong to. Every view ends in one;
//! the page, the SVG and the PNG writer all draw the same one. Coordinates are CSS pixels at zoom 1; colours are slots of
//! a [`crate::palette`], so that light, dark and print resolve them at the last moment.

use serde::Serialize;
use ts_rs::TS;

use crate::marks::{Area, Boxes, Grid, Links, Points, Polygons, Ribbons};
use crate::palette::Ramp;
use crate::plot::{Axis, Plot, Ranges};
use crate::style::Styles;
use crate::text::Label;

/// One entry of the legend: a swatch, a mark as it looks, or a ramp.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct LegendItem {
    /// Number of a style; without one it is a plain swatch.
    pub style: Option<u16>,
    /// Palette slot; of a ramp the first.
    pub fill: u16,
    /// Slots of a ramp; 1 for a single colour.
    pub steps: u16,
    /// What the ends of a ramp stand for.
    pub ends: Option<(String, String)>,
    /// What it says.
    pub text: String,
}

impl LegendItem {
    /// A swatch.
    pub fn new(fill: u16, text: impl Into<String>) -> Self {
        LegendItem { style: None, fill, steps: 1, ends: None, text: text.into() }
    }

    /// A mark in a style.
    pub fn of(style: u16, fill: u16, text: impl Into<String>) -> Self {
        LegendItem { style: Some(style), ..LegendItem::new(fill, text) }
    }

    /// A ramp.
    pub fn ramp(ramp: Ramp, ends: (String, String), text: impl Into<String>) -> Self {
        LegendItem { steps: ramp.steps, ends: Some(ends), ..LegendItem::new(ramp.first, text) }
    }
}

/// A picture as plain marks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// What it shows, in a line; for writers, the page has its own frame.
    pub title: String,
    /// Extent to the right.
    pub width: f32,
    /// Extent down.
    pub height: f32,
    /// How marks look.
    pub styles: Styles,
    /// Plots; marks that belong to none are drawn as they are.
    pub plots: Vec<Plot>,
    /// Rectangles.
    pub boxes: Boxes,
    /// Edges.
    pub links: Links,
    /// Points.
    pub points: Points,
    /// Bands.
    pub ribbons: Ribbons,
    /// Outlines and lines.
    pub polygons: Polygons,
    /// Filled curves.
    pub areas: Vec<Area>,
    /// Cells.
    pub grids: Vec<Grid>,
    /// Texts.
    pub labels: Vec<Label>,
    /// What colours and styles say.
    pub legend: Vec<LegendItem>,
    /// What was left out or merged, in words.
    pub note: Option<String>,
}

/// The end of a plot's ranges while it is being filled.
const OPEN: u32 = u32::MAX;

impl Scene {
    /// Begins a plot: marks that are pushed from now on belong to it, until the next one begins or it is closed.
    pub fn begin(&mut self, mut plot: Plot) {
        self.end();
        let now = self.counts();
        plot.marks = each(now, now, |from, _| (from.0, OPEN));
        self.plots.push(plot);
    }

    /// Ends the plot that was begun last: marks that follow belong to none.
    pub fn end(&mut self) {
        let now = self.counts();
        if let Some(plot) = self.plots.last_mut() {
            plot.marks =
                each(plot.marks, now, |range, now| if range.1 == OPEN { (range.0, now.1) } else { range });
        }
    }

    /// The marks of a plot.
    pub fn ranges(&self, plot: usize) -> Ranges {
        let now = self.counts();
        let marks = self.plots.get(plot).map_or(Ranges::default(), |plot| plot.marks);
        each(marks, now, |range, now| (range.0.min(now.1), range.1.min(now.1)))
    }

    /// Numbers of marks, as ranges that are empty and end there.
    pub(crate) fn counts(&self) -> Ranges {
        let at = |count: usize| (count as u32, count as u32);
        Ranges {
            boxes: at(self.boxes.len()),
            links: at(self.links.len()),
            points: at(self.points.len()),
            ribbons: at(self.ribbons.len()),
            polygons: at(self.polygons.len()),
            areas: at(self.areas.len()),
            grids: at(self.grids.len()),
            labels: at(self.labels.len()),
        }
    }

    /// Puts another scene into this one, shifted; its plots keep their axes. Legends are joined, so are notes.
    pub fn insert(&mut self, mut other: Scene, dx: f32, dy: f32) {
        self.end();
        other.end();
        let before = self.counts();
        let styles: Vec<u16> = other.styles.all().iter().map(|style| self.styles.put(style)).collect();
        let restyle = |style: &mut u16| *style = styles.get(usize::from(*style)).copied().unwrap_or(*style);
        macro_rules! join {
            ($kind:ident: $($x:ident)* ; $($y:ident)*) => {
                $(other.$kind.$x.iter_mut().for_each(|x| *x += dx); self.$kind.$x.append(&mut other.$kind.$x);)*
                $(other.$kind.$y.iter_mut().for_each(|y| *y += dy); self.$kind.$y.append(&mut other.$kind.$y);)*
                other.$kind.style.iter_mut().for_each(restyle);
                join!(@keys $kind: tree node to role style fill id);
            };
            (@keys $kind:ident: $($key:ident)*) => { $(self.$kind.$key.append(&mut other.$kind.$key);)* };
        }
        let points = self.polygons.x.len() as u32;
        join!(boxes: x; y);
        self.boxes.w.append(&mut other.boxes.w);
        self.boxes.h.append(&mut other.boxes.h);
        join!(links: x0 x1; y0 y1);
        join!(points: x; y);
        self.points.r.append(&mut other.points.r);
        join!(ribbons: x0 x1; top0 bottom0 top1 bottom1);
        join!(polygons: x; y);
        self.polygons.end.extend(other.polygons.end.iter().map(|end| end + points));
        for mut area in other.areas {
            area.x += dx;
            area.y0.iter_mut().chain(&mut area.y1).for_each(|y| *y += dy);
            restyle(&mut area.mark.style);
            self.areas.push(area);
        }
        for mut grid in other.grids {
            (grid.x, grid.y) = (grid.x + dx, grid.y + dy);
            restyle(&mut grid.mark.style);
            self.grids.push(grid);
        }
        for mut label in other.labels {
            (label.x, label.y) = (label.x + dx, label.y + dy);
            self.labels.push(label);
        }
        for mut plot in other.plots {
            plot.rect.x += dx;
            plot.rect.y += dy;
            plot.x = plot.x.map(|axis| axis.shifted(dx));
            plot.y = plot.y.map(|axis| axis.shifted(dy));
            plot.marks = each(plot.marks, before, |range, by| (range.0 + by.0, range.1 + by.0));
            self.plots.push(plot);
        }
        for mut item in other.legend {
            item.style.iter_mut().for_each(restyle);
            if !self.legend.contains(&item) {
                self.legend.push(item);
            }
        }
        self.note = match (self.note.take(), other.note) {
            (Some(a), Some(b)) => Some(format!("{a}; {b}")),
            (a, b) => a.or(b),
        };
        self.width = self.width.max(dx + other.width);
        self.height = self.height.max(dy + other.height);
    }

    /// Puts another scene below this one. Plots above of which one below has the same horizontal axis leave its texts to
    /// that one.
    pub fn stack(mut self, other: Scene, gap: f32) -> Scene {
        let same = |a: &Axis, b: &Axis| (&a.stops, a.log, a.unit) == (&b.stops, b.log, b.unit);
        for plot in &mut self.plots {
            if let Some(axis) = &mut plot.x
                && other.plots.iter().any(|below| below.x.as_ref().is_some_and(|below| same(axis, below)))
            {
                axis.side = crate::plot::Side::Lines;
            }
        }
        let y = self.height + gap;
        self.insert(other, 0.0, y);
        self
    }
}

/// Joins two sets of ranges, kind by kind.
fn each(a: Ranges, b: Ranges, join: impl Fn((u32, u32), (u32, u32)) -> (u32, u32)) -> Ranges {
    Ranges {
        boxes: join(a.boxes, b.boxes),
        links: join(a.links, b.links),
        points: join(a.points, b.points),
        ribbons: join(a.ribbons, b.ribbons),
        polygons: join(a.polygons, b.polygons),
        areas: join(a.areas, b.areas),
        grids: join(a.grids, b.grids),
        labels: join(a.labels, b.labels),
    }
}
