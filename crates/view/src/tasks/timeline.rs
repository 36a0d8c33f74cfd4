//! The timeline: rows by worker over a window of time. Few intervals are drawn as they are; many are drawn as cells on
//! a fixed grid of time, each exactly as full as the worker was busy, so that panning never makes them flicker. Behind them
//! lies what was lost: hatched by cause, with the number of its finding.

use crosscut_scene::{
    Align, Axis, Brush, Camera, Cells as Nodes, Grid, Ink, Label, LegendItem, Mark, Plot, Rect, Scene,
    TextStyle,
};
use crosscut_tasks::{Cells, Interval, Tasks, Timeline};
use crosscut_tree::NodeId;
use crosscut_workbench::{Found, Span, place_nodes};

use crate::format::{count, file_name, text_width, time, unit};
use crate::tasks::colour::{ColourBy, Painter};
use crate::tasks::lost::{Patch, Steps, patches};
use crate::tasks::profile::{ProfileOptions, profile};
use crate::tasks::styles::{self, role};
use crosscut_scene::palette::slot;

/// Left of the plot, for the rows' names. The profile has the same, so that both can stand above each other.
pub const LEFT: f32 = 72.0;
/// Left of a small picture.
const SMALL_LEFT: f32 = 26.0;
/// Right of the plot.
pub const RIGHT: f32 = 12.0;
/// Below the plot, for the axis.
pub const FOOT: f32 = 22.0;
/// Number of the tree of places in the view.
const PLACES: u8 = 1;
/// Between the profile and the rows below it.
const BETWEEN: f32 = 8.0;

/// Up to so many intervals are drawn one by one.
const INTERVALS: usize = 3000;
/// Height of a row at least and at most.
const PITCH: (f32, f32) = (4.0, 220.0);
/// Up to so many patches of lost time are drawn.
const PATCHES: usize = 8000;
/// From this height on a row says how busy it was.
const TALL: f32 = 34.0;

/// How to draw the timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimelineOptions {
    /// Width of the pane.
    pub width: f32,
    /// Height of the pane.
    pub height: f32,
    /// What decides colour.
    pub colour: ColourBy,
    /// A small picture: rows as thin as needed, named by their numbers.
    pub small: bool,
}

/// The axis of time for a pane of this width, within these margins.
pub(crate) fn time_axis(
    tasks: &Tasks,
    (from, to): (i64, i64),
    width: f32,
    (left, right): (f32, f32),
) -> Axis {
    let span = (from as f64, to.max(from.saturating_add(1)) as f64);
    Axis::linear(span, left, (width - left - right).max(1.0), unit(tasks.clock()), "time")
}

/// The axis of time, and the height of a row.
pub(crate) fn frame(tasks: &Tasks, window: (i64, i64), options: &TimelineOptions) -> (Axis, f32) {
    let left = if options.small { SMALL_LEFT } else { LEFT };
    let pitch = match (options.height - FOOT) / tasks.rows().max(1) as f32 {
        pitch if options.small => pitch.max(0.1),
        pitch => pitch.floor().clamp(PITCH.0, PITCH.1),
    };
    (time_axis(tasks, window, options.width, (left, RIGHT)), pitch)
}

/// Draws the window `from..to`; `found` is what was lost, where that is known.
pub fn timeline(
    tasks: &Tasks,
    (from, to): (i64, i64),
    options: &TimelineOptions,
    found: Option<&Found>,
) -> Scene {
    let (axis, pitch) = frame(tasks, (from, to), options);
    let rows = tasks.rows();
    let mut scene = Scene {
        title: format!("{} · timeline", tasks.run().name()),
        width: options.width,
        height: rows as f32 * pitch + FOOT,
        ..Scene::default()
    };
    scene.begin(Plot {
        rect: Rect { x: axis.start(), y: 0.0, w: axis.length(), h: rows as f32 * pitch },
        title: "timeline".to_owned(),
        x: Some(axis.clone()),
        camera: Camera::X,
        brush: Brush::Time,
        ..Plot::default()
    });
    if options.small {
        row_numbers(tasks.workers(), pitch, &mut scene);
    } else {
        row_labels(tasks, rows, pitch, &mut scene);
    }
    row_grounds(tasks, pitch, &axis, &mut scene);
    let painter = Painter::new(tasks, options.colour);
    let busy = vec![0; rows];
    let mut drawing = Drawing { tasks, painter, pitch, axis: &axis, busy, scene };
    if let Some(found) = found {
        drawing.lost(found, rows);
    }
    // At most one cell per pixel: what is finer could not be seen, and would shimmer.
    match tasks.timeline(from, to, axis.length() as usize, INTERVALS) {
        Timeline::Cells(cells) => drawing.cells(&cells, rows),
        Timeline::Intervals(list) => drawing.intervals(&list),
    }
    if !options.small {
        drawing.busy_labels((from, to));
    }
    let mut scene = drawing.scene;
    if options.small {
        scene.note = None;
    }
    let lost = std::mem::take(&mut scene.legend);
    scene.legend = drawing.painter.legend();
    scene.legend.extend(lost);
    scene
}

/// The profile above the timeline, under one axis of time.
pub fn with_profile(
    tasks: &Tasks,
    (from, to): (i64, i64),
    options: &TimelineOptions,
    profile_height: f32,
    found: Option<&Found>,
) -> Scene {
    let above = ProfileOptions { width: options.width, height: profile_height, bare: false };
    let rows = TimelineOptions { height: (options.height - profile_height).max(1.0), ..*options };
    let title = format!("{} · parallelism and timeline", tasks.run().name());
    let (mut above, rows) = (profile(tasks, from, to, &above), timeline(tasks, (from, to), &rows, found));
    // What the rows show comes first in the legend.
    let legend: Vec<LegendItem> = std::mem::take(&mut above.legend);
    // The axis of the profile is that of the rows: the room for its texts is not needed twice.
    let mut both = above.stack(rows, BETWEEN - FOOT);
    both.legend.extend(legend);
    Scene { title, ..both }
}

fn row_labels(tasks: &Tasks, rows: usize, pitch: f32, scene: &mut Scene) {
    const TEXT: f32 = 12.0;
    let every = (TEXT / pitch).ceil().max(1.0) as usize;
    for row in (0..rows).step_by(every) {
        let text = if row < tasks.workers() { format!("worker {row}") } else { "several".to_owned() };
        let middle = pitch.max(TEXT) / 2.0 + if pitch >= TALL { -3.0 } else { 4.0 };
        let y = row as f32 * pitch + middle.min(pitch.max(TEXT) - 1.0);
        let style = TextStyle { align: Align::End, ink: Ink::Slot(slot::TEXT), ..TextStyle::PLAIN };
        scene.labels.push(Label::new((LEFT - 6.0, y), LEFT - 8.0, text, style));
    }
}

/// The numbers of the first and the last worker.
fn row_numbers(workers: usize, pitch: f32, scene: &mut Scene) {
    let style = TextStyle { align: Align::End, ink: Ink::Slot(slot::FAINT), ..TextStyle::PLAIN };
    let last = workers.saturating_sub(1);
    for row in [0, last].into_iter().take(workers.min(2)) {
        let y = if row == 0 { pitch.min(10.0) } else { workers as f32 * pitch - 1.0 };
        scene.labels.push(Label::new((SMALL_LEFT - 5.0, y), SMALL_LEFT, row.to_string(), style));
    }
}

/// What lies behind a row stands for its worker, a place: the second tree of the view.
fn row_grounds(tasks: &Tasks, pitch: f32, axis: &Axis, scene: &mut Scene) {
    let style = scene.styles.put(&styles::ROW);
    for (row, &node) in place_nodes(tasks.places()).iter().take(tasks.workers()).enumerate() {
        let mark = Mark::of(node).tree(PLACES).role(role::ROW).looks(style, slot::SURFACE);
        scene.boxes.push([axis.start(), row as f32 * pitch, axis.length(), pitch], mark);
    }
}

/// Height of a mark in a row: thin rows have no space between them.
pub(crate) fn bar(pitch: f32) -> f32 {
    match pitch {
        p if p >= 8.0 => p - 2.0,
        p if p >= 5.0 => p - 1.0,
        p => p,
    }
}

struct Drawing<'a> {
    tasks: &'a Tasks,
    painter: Painter<'a>,
    pitch: f32,
    axis: &'a Axis,
    /// Busy time in the window, by row.
    busy: Vec<i64>,
    scene: Scene,
}

impl Drawing<'_> {
    /// What the workers lost, behind what they did.
    fn lost(&mut self, found: &Found, rows: usize) {
        let (from, to) = (self.axis.from(), self.axis.to());
        let count = ((self.axis.length() / 2.0) as usize).min(PATCHES / rows.max(1)).max(1);
        let steps = Steps { from, cell: (to - from) / count as f64, count };
        let row = |place: u32| self.tasks.places().worker(place);
        let patches = patches(found, row, steps);
        let mut largest: Vec<Option<Patch>> = vec![None; found.lost.len()];
        for patch in &patches {
            let lost = &found.lost[patch.lost];
            let style = self.scene.styles.put(&styles::lost(lost));
            let (x, w) = self.across(patch.span);
            let at = [x, patch.row as f32 * self.pitch, w, bar(self.pitch)];
            self.scene.boxes.push(at, Mark::none().role(role::LOST).looks(style, lost.hatch.1));
            let most = &mut largest[patch.lost];
            let length = |patch: &Patch| patch.span.1 - patch.span.0;
            if most.is_none_or(|most| length(patch) > length(&most)) {
                *most = Some(*patch);
            }
        }
        for (lost, patch) in found.lost.iter().zip(largest) {
            let Some(patch) = patch else { continue };
            let (x, w) = self.across(patch.span);
            let at = (x, patch.row as f32 * self.pitch, w, bar(self.pitch));
            styles::badge(&mut self.scene, lost, at);
            let style = self.scene.styles.put(&styles::lost(lost));
            self.scene.legend.push(LegendItem::of(style, lost.hatch.1, lost.what.clone()));
        }
    }

    /// Left edge and width of a span, within the plot.
    fn across(&self, Span(from, to): Span) -> (f32, f32) {
        let (left, right) = (self.axis.start(), self.axis.start() + self.axis.length());
        let x = self.axis.pixel(from).max(left);
        (x, (self.axis.pixel(to).min(right) - x).max(0.0))
    }

    /// How busy each worker was in the window, where there is room for it.
    fn busy_labels(&mut self, (from, to): (i64, i64)) {
        if self.pitch < TALL {
            return;
        }
        let style = TextStyle { align: Align::End, ink: Ink::Slot(slot::FAINT), ..TextStyle::PLAIN };
        for (row, &busy) in self.busy.iter().enumerate().take(self.tasks.workers()) {
            let text = format!("{:.0} % busy", 100.0 * busy as f64 / (to - from).max(1) as f64);
            let y = row as f32 * self.pitch + self.pitch / 2.0 + 11.0;
            self.scene.labels.push(Label::new((LEFT - 6.0, y), LEFT - 8.0, text, style));
        }
    }

    fn paint(&mut self, node: NodeId) -> u16 {
        self.painter.paint(node, 1)
    }

    fn cells(&mut self, cells: &Cells, rows: usize) {
        let x = self.axis.pixel(cells.from as f64);
        let span = self.axis.to() - self.axis.from();
        let width = cells.count as f64 * cells.cell as f64 / span * f64::from(self.axis.length());
        let style = self.scene.styles.put(&styles::CELLS);
        let mark = Mark::none().looks(style, slot::MUTED);
        let (nx, ny) = (cells.count as u32, rows as u32);
        let mut grid = Grid::new([x, 0.0, width as f32, rows as f32 * self.pitch], nx, ny, mark);
        grid.gap_y = self.pitch - bar(self.pitch);
        let all = rows * cells.count;
        for (row, busy) in cells.busy[..all].chunks(cells.count.max(1)).enumerate() {
            self.busy[row] = busy.iter().copied().fold(0, i64::saturating_add);
        }
        for (&busy, &top) in cells.busy[..all].iter().zip(&cells.top[..all]) {
            grid.level.push(fullness(busy, cells.cell));
            grid.fill.push(if top == u32::MAX { slot::MUTED } else { self.paint(NodeId(top)) } as u8);
        }
        grid.cells = Nodes::Each(cells.top[..all].to_vec());
        self.scene.grids.push(grid);
        let cell = time(cells.cell as f64, self.tasks.clock());
        self.scene.note =
            Some(format!("one cell is {cell}, as high as it is busy, in the colour of its longest interval"));
    }

    fn intervals(&mut self, list: &[Interval]) {
        let (from, to) = (self.axis.start(), self.axis.start() + self.axis.length());
        let style = self.scene.styles.put(&styles::INTERVAL);
        for interval in list {
            let x = self.axis.pixel(interval.start as f64).max(from);
            let w = self.axis.pixel(interval.end as f64).min(to) - x;
            if w < 0.0 {
                continue;
            }
            let inside = |time: i64| (time as f64).clamp(self.axis.from(), self.axis.to()) as i64;
            self.busy[interval.worker as usize] += inside(interval.end) - inside(interval.start);
            let (y, h) = (interval.worker as f32 * self.pitch, bar(self.pitch));
            let node = interval.node;
            let fill = self.paint(node);
            self.scene.boxes.push([x, y, w, h], Mark::of(node.0).looks(style, fill));
            self.interval_label(node, (x, y, w, h));
        }
        self.scene.note = Some(format!("{} intervals", count(list.len() as i64)));
    }

    fn interval_label(&mut self, node: NodeId, (x, y, w, h): (f32, f32, f32, f32)) {
        const SIDE: f32 = 4.0;
        let room = w - 2.0 * SIDE;
        if h < 12.0 || room < 12.0 {
            return;
        }
        let Some(source) = self.tasks.sources().from(self.tasks.site(node)) else { return };
        let texts = [format!("{}:{}", file_name(&source.file), source.line), format!(":{}", source.line)];
        if let Some(text) = texts.into_iter().find(|text| text_width(text) <= room) {
            let y = y + h / 2.0 + 4.0;
            let label = Label::new((x + SIDE, y), room, text, TextStyle::PLAIN);
            self.scene.labels.push(label.of(node.0, role::OWN));
        }
    }
}

/// busy / cell as 0…255, rounded to the nearest; anything busy at all is seen.
fn fullness(busy: i64, cell: i64) -> u8 {
    if busy <= 0 || cell <= 0 {
        return 0;
    }
    let full = (i128::from(busy) * 255 + i128::from(cell) / 2) / i128::from(cell);
    full.clamp(1, 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fullness_is_rounded_once() {
        assert_eq!(fullness(0, 1024), 0);
        assert_eq!(fullness(1, 1 << 40), 1);
        assert_eq!(fullness(512, 1024), 128);
        assert_eq!(fullness(1024, 1024), 255);
        assert_eq!(fullness(4096, 1024), 255);
        assert_eq!(fullness(i64::MAX, i64::MAX), 255);
    }
}
