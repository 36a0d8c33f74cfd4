//! Plots: rectangles of a scene with axes, a camera and a brush, and the marks that belong to them.

use serde::Serialize;
use ts_rs::TS;

use crate::format::Unit;

/// A rectangle in scene units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Rect {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub w: f32,
    /// Height.
    pub h: f32,
}

/// A value of an axis and where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Stop {
    /// The value.
    pub value: f64,
    /// Pixel along the axis, in scene units.
    pub at: f32,
    /// What follows, up to the next stop, is folded: shorter than the rest, without ticks.
    pub folded: bool,
}

/// Where the texts of an axis stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Side {
    /// Nowhere: values can be asked for, nothing is drawn.
    None,
    /// Above or left of the plot.
    Start,
    /// Below or right of the plot.
    #[default]
    End,
    /// Only lines in the plot.
    Lines,
}

/// An axis: piecewise linear between its stops, in values or in their logarithms.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Axis {
    /// At least two, pixels ascending.
    pub stops: Vec<Stop>,
    /// By the logarithm of the value.
    pub log: bool,
    /// What values are measured in.
    pub unit: Unit,
    /// What it measures.
    pub title: String,
    /// Where its texts stand.
    pub side: Side,
    /// Lines through the plot at its ticks.
    pub grid: bool,
}

impl Axis {
    /// A linear axis from one value to another.
    pub fn linear((from, to): (f64, f64), start: f32, length: f32, unit: Unit, title: &str) -> Self {
        let stops = vec![
            Stop { value: from, at: start, folded: false },
            Stop { value: to, at: start + length, folded: false },
        ];
        Axis { stops, log: false, unit, title: title.to_owned(), side: Side::End, grid: true }
    }

    /// The first value; 0 without stops.
    pub fn from(&self) -> f64 {
        self.stops.first().map_or(0.0, |stop| stop.value)
    }

    /// The last value.
    pub fn to(&self) -> f64 {
        self.stops.last().map_or(0.0, |stop| stop.value)
    }

    /// The first pixel.
    pub fn start(&self) -> f32 {
        self.stops.first().map_or(0.0, |stop| stop.at)
    }

    /// Pixels from the first stop to the last.
    pub fn length(&self) -> f32 {
        self.stops.last().map_or(0.0, |stop| stop.at - self.start())
    }

    fn scaled(&self, value: f64) -> f64 {
        if self.log { value.max(f64::MIN_POSITIVE).log10() } else { value }
    }

    /// Pixel of a value; beyond the ends the outer stretches go on.
    pub fn pixel(&self, value: f64) -> f32 {
        let falls = self.to() < self.from();
        let inside = |pair: &[Stop]| if falls { value >= pair[1].value } else { value <= pair[1].value };
        let Some(pair) = self.stretch(inside) else { return self.start() };
        let (a, b) = (self.scaled(pair[0].value), self.scaled(pair[1].value));
        let (from, to) = (f64::from(pair[0].at), f64::from(pair[1].at));
        if a == b { pair[0].at } else { (from + (self.scaled(value) - a) / (b - a) * (to - from)) as f32 }
    }

    /// Value at a pixel.
    pub fn value(&self, pixel: f32) -> f64 {
        let Some(pair) = self.stretch(|pair| pixel <= pair[1].at) else { return self.from() };
        let (a, b) = (self.scaled(pair[0].value), self.scaled(pair[1].value));
        let length = f64::from(pair[1].at - pair[0].at);
        if length == 0.0 {
            return pair[0].value;
        }
        let value = a + f64::from(pixel - pair[0].at) / length * (b - a);
        if self.log { 10f64.powf(value) } else { value }
    }

    /// The first pair of stops of which this is true; else the last.
    fn stretch(&self, inside: impl Fn(&[Stop]) -> bool) -> Option<&[Stop]> {
        self.stops.windows(2).find(|pair| inside(pair)).or_else(|| self.stops.windows(2).last())
    }

    /// The same axis further right or down.
    pub fn shifted(mut self, by: f32) -> Self {
        self.stops.iter_mut().for_each(|stop| stop.at += by);
        self
    }
}

/// How a plot can be moved under its frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, rename = "PlotCamera", export_to = "../../../ui/src/protocol/")]
pub enum Camera {
    /// Not at all.
    #[default]
    None,
    /// Along x: another window of the x axis, for which another scene is asked.
    X,
    /// Panned and zoomed: the whole layout is in the scene.
    Xy,
}

/// What dragging over a plot chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Brush {
    /// Nothing.
    #[default]
    None,
    /// A stretch of the x axis, which is time.
    Time,
    /// Places along the x axis.
    Places,
    /// Nodes of the marks that are touched.
    Nodes,
    /// A stretch of the x axis, given to the view's own act "brush".
    Values,
}

/// From where to where the marks of a plot stand in the scene's columns; open at the end while it is being filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Ranges {
    /// Boxes.
    pub boxes: (u32, u32),
    /// Links.
    pub links: (u32, u32),
    /// Points.
    pub points: (u32, u32),
    /// Ribbons.
    pub ribbons: (u32, u32),
    /// Polygons.
    pub polygons: (u32, u32),
    /// Areas.
    pub areas: (u32, u32),
    /// Grids.
    pub grids: (u32, u32),
    /// Labels.
    pub labels: (u32, u32),
}

/// A rectangle with axes of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Plot {
    /// Where it is: what lies outside of it is cut off. Of a graph the whole layout.
    pub rect: Rect,
    /// What it shows; may be empty.
    pub title: String,
    /// Horizontal axis.
    pub x: Option<Axis>,
    /// Vertical axis.
    pub y: Option<Axis>,
    /// How it can be moved.
    pub camera: Camera,
    /// Height of its content where that is more than the rectangle's.
    pub scroll: Option<f32>,
    /// What dragging chooses.
    pub brush: Brush,
    /// The option that the wheel steps, if any.
    pub wheel: Option<String>,
    /// Its marks.
    pub marks: Ranges,
}

impl Plot {
    /// A graph: one plot over the whole scene with a camera.
    pub fn graph(width: f32, height: f32) -> Self {
        let rect = Rect { x: 0.0, y: 0.0, w: width, h: height };
        Plot { rect, camera: Camera::Xy, brush: Brush::Nodes, ..Plot::default() }
    }
}
