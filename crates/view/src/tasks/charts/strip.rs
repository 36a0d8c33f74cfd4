//! The strip at the foot of the page: the time of all workers, unrolled: what they worked on, by source line, and what they
//! lost, by cause. It is also the brush that every view of time follows.

use crosscut_scene::palette::slot;
use crosscut_scene::{Area, Axis, Brush, LegendItem, Mark, Plot, Rect, Scene, Side, Unit};
use crosscut_tasks::{Cells, Timeline};
use crosscut_tree::NodeId;
use crosscut_workbench::{Found, Size};

use crate::tasks::colour::{ColourBy, Painter};
use crate::tasks::lost::{Steps, over_time};
use crate::tasks::opened::Opened;
use crate::tasks::styles;
use crate::tasks::timeline::{FOOT, time_axis};

/// Above the plot and beside it.
const MARGIN: f32 = 8.0;
/// So many source lines have a layer of their own; the others share one.
const LAYERS: usize = 10;

/// Draws it; `found` is what was lost, where that is known. The axis goes on to `until` if that is later than the end.
pub fn draw(opened: &Opened, found: Option<&Found>, until: f64, size: Size) -> Scene {
    let tasks = &opened.tasks;
    let whole = (0, tasks.summary().elapsed.max(1));
    let axis = time_axis(tasks, (0, whole.1.max(until as i64)), size.w, (MARGIN, MARGIN));
    let foot = size.h.max(MARGIN + FOOT + 8.0) - FOOT;
    let mut scene = Scene {
        title: format!("{} · what all workers did", tasks.run().name()),
        width: size.w,
        height: foot + FOOT,
        ..Scene::default()
    };
    let workers = tasks.workers().max(1) as f64;
    let mut y = Axis::linear((workers, 0.0), MARGIN, foot - MARGIN, Unit::Count, "workers");
    y.side = Side::None;
    scene.begin(Plot {
        rect: Rect { x: axis.start(), y: MARGIN, w: axis.length(), h: foot - MARGIN },
        title: "what all workers did".to_owned(),
        x: Some(axis.clone()),
        y: Some(y.clone()),
        brush: Brush::Time,
        ..Plot::default()
    });
    // Without a list of intervals there are always cells, but for a run without any.
    let Timeline::Cells(cells) = tasks.timeline(whole.0, whole.1, axis.length() as usize, 0) else {
        return scene;
    };
    let x = axis.pixel(cells.from as f64);
    let width = (cells.cell as f64 / (axis.to() - axis.from()) * f64::from(axis.length())) as f32;
    let mut stack = Stack { scene, y, x, cell: width, below: vec![0.0; cells.count] };
    let scale = 1.0 / cells.cell as f64;
    let layer = stack.scene.styles.put(&styles::LAYER);
    for (name, fill, values) in work(opened, &cells) {
        stack.add(&name, Mark::none().looks(layer, fill), values.iter().map(|&time| time as f64 * scale));
    }
    let steps = Steps { from: cells.from as f64, cell: cells.cell as f64, count: cells.count };
    for (i, values) in found.map_or_else(Vec::new, |found| over_time(found, steps)) {
        let Some(lost) = found.and_then(|found| found.lost.get(i)) else { continue };
        let style = stack.scene.styles.put(&styles::lost(lost));
        let mark = Mark::none().looks(style, lost.hatch.1);
        let largest = stack.add(&lost.what, mark, values.iter().map(|&time| time * scale));
        styles::badge(&mut stack.scene, lost, largest);
    }
    stack.scene
}

/// Time by source line and cell: each cell of a worker belongs to what took most of it. Lines that worked most first, then
/// all others together.
fn work(opened: &Opened, cells: &Cells) -> Vec<(String, u16, Vec<i64>)> {
    let tasks = &opened.tasks;
    let painter = Painter::new(tasks, ColourBy::Source);
    let mut layers: Vec<(Option<u32>, u16, Vec<i64>)> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for (at, (&busy, &top)) in cells.busy.iter().zip(&cells.top).enumerate() {
        if busy <= 0 || top == u32::MAX {
            continue;
        }
        let source = tasks.sources().site(tasks.site(NodeId(top))).map(|site| site.from);
        let layer = *known.entry(source).or_insert_with(|| {
            layers.push((source, painter.slot(NodeId(top)), vec![0; cells.count]));
            layers.len() - 1
        });
        let slot = &mut layers[layer].2[at % cells.count];
        *slot = busy.saturating_add(*slot);
    }
    layers.sort_by_key(|layer| std::cmp::Reverse(layer.2.iter().copied().fold(0, i64::saturating_add)));
    let others = layers.split_off(layers.len().min(LAYERS));
    let name = |source: Option<u32>| {
        source
            .and_then(|source| tasks.sources().get(source))
            .map_or("source not known".to_owned(), |s| s.short())
    };
    let mut named: Vec<_> =
        layers.into_iter().map(|(source, slot, values)| (name(source), slot, values)).collect();
    if !others.is_empty() {
        let mut sum = vec![0; cells.count];
        for (_, _, values) in &others {
            sum.iter_mut()
                .zip(values)
                .for_each(|(sum, value): (&mut i64, _)| *sum = sum.saturating_add(*value));
        }
        named.push((format!("{} other lines", others.len()), slot::SEVERAL, sum));
    }
    named
}

/// Layers on top of each other.
struct Stack {
    scene: Scene,
    y: Axis,
    x: f32,
    cell: f32,
    below: Vec<f64>,
}

impl Stack {
    /// Adds a layer, and says where it is largest: left, top, width and height of its longest high stretch.
    fn add(
        &mut self,
        name: &str,
        mark: Mark,
        values: impl ExactSizeIterator<Item = f64>,
    ) -> (f32, f32, f32, f32) {
        let mut area =
            Area { name: name.to_owned(), mark, x: self.x, cell: self.cell, y0: Vec::new(), y1: Vec::new() };
        for (below, value) in self.below.iter_mut().zip(values) {
            area.y0.push(self.y.pixel(*below));
            // What workers did beside each other may be counted twice by a fraction of a cell.
            *below = (*below + value.max(0.0)).min(self.y.from());
            area.y1.push(self.y.pixel(*below));
        }
        let largest = self.largest(&area);
        self.scene.legend.push(LegendItem::of(mark.style, mark.fill, name.to_owned()));
        self.scene.areas.push(area);
        largest
    }

    /// The longest run of cells in which a badge has room.
    fn largest(&self, area: &Area) -> (f32, f32, f32, f32) {
        const ROOM: f32 = 17.0;
        let mut best = (0.0, 0.0, 0.0, 0.0);
        let mut first = 0;
        let (mut top, mut foot) = (f32::MIN, f32::MAX);
        for i in 0..area.y0.len() {
            (top, foot) = (top.max(area.y1[i]), foot.min(area.y0[i]));
            if foot - top < ROOM {
                (first, top, foot) = (i + 1, f32::MIN, f32::MAX);
                continue;
            }
            let w = (i + 1 - first) as f32 * area.cell;
            if w > best.2 {
                best = (area.x + first as f32 * area.cell, top, w, foot - top);
            }
        }
        best
    }
}
