//! The distribution of the gap between two consecutive intervals of a spine, on logarithmic axes: where the same worker
//! went on and where another one did, side by side, so that the price of stealing can be read off.

use std::borrow::Cow;

use crosscut_scene::format::count;
use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Axis, Fill, LegendItem, Mark, Plot, Scene, Side, Stop, Style, Unit};
use crosscut_tasks::{Summary, Tasks};
use crosscut_workbench::Size;

use super::{note, within};
use crate::tasks::words::time_text;

const MARGINS: [f32; 4] = [48.0, 8.0, 12.0, 24.0];
/// Bars at most this wide.
const WIDEST: f32 = 14.0;
/// Texts below bars need this much.
const TEXT: f32 = 64.0;

/// A bin with gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// Lower border.
    pub from: i64,
    /// Upper border.
    pub to: i64,
    /// Gaps after which the same worker went on.
    pub same: i64,
    /// Gaps after which another worker went on.
    pub moved: i64,
}

/// The bins from the first that holds a gap to the last.
pub fn bins(summary: &Summary) -> Vec<Bin> {
    let gaps = &summary.gaps;
    let count = gaps.from.len().min(gaps.same.len()).min(gaps.moved.len());
    let bin = |bin: usize| Bin {
        from: gaps.from[bin],
        to: gaps.from.get(bin + 1).copied().unwrap_or(2 * gaps.from[bin].max(1)),
        same: gaps.same[bin],
        moved: gaps.moved[bin],
    };
    let mut bins: Vec<Bin> = (0..count).map(bin).collect();
    let filled = |bin: &Bin| bin.same + bin.moved > 0;
    while bins.pop_if(|bin| !filled(bin)).is_some() {}
    let first = bins.iter().position(filled).unwrap_or(0);
    bins.split_off(first)
}

/// Draws it.
pub fn draw(tasks: &Tasks, size: Size) -> Scene {
    let bins = bins(tasks.summary());
    let title = format!("{} · gaps between intervals", tasks.run().name());
    let mut scene = Scene { title, width: size.w, height: size.h, ..Scene::default() };
    if bins.is_empty() {
        note(&mut scene, (8.0, 20.0), size.w - 16.0, "No gaps were recorded.", Align::Start);
        return scene;
    }
    let frame = within(size.w, size.h, MARGINS);
    let most = bins.iter().map(|bin| bin.same.max(bin.moved)).max().unwrap_or(1).max(1) as f64;
    let y = Axis {
        stops: vec![
            Stop { value: most * 1.1, at: frame.y, folded: false },
            Stop { value: 0.7, at: frame.y + frame.h, folded: false },
        ],
        log: true,
        side: Side::Start,
        ..Axis::linear((most * 1.1, 0.7), frame.y, frame.h, Unit::Count, "gaps")
    };
    scene.begin(Plot { rect: frame, title: "gaps".to_owned(), y: Some(y.clone()), ..Plot::default() });
    let sides = [
        ("the same worker went on", Fill::Solid, slot::RUNNING),
        ("another worker went on", Fill::Rising, slot::READY + 1),
    ];
    let styles = sides.map(|(meaning, fill, _)| {
        scene.styles.put(&Style { fill, meaning: Cow::Borrowed(meaning), ..Style::BOX })
    });
    let slot = frame.w / bins.len() as f32;
    let wide = (slot * 0.42).min(WIDEST);
    let foot = frame.y + frame.h;
    for (i, bin) in bins.iter().enumerate() {
        let middle = frame.x + slot * (i as f32 + 0.5);
        for (side, value) in [bin.same, bin.moved].into_iter().enumerate().filter(|side| side.1 > 0) {
            let top = y.pixel(value as f64);
            let x = if side == 0 { middle - wide } else { middle };
            let mark = Mark::none().role(side as u8).id(i as u32).looks(styles[side], sides[side].2);
            scene.boxes.push([x, top, (wide - 1.0).max(1.0), (foot - top).max(0.0)], mark);
        }
    }
    let every = (TEXT / slot).ceil().max(1.0) as usize;
    for (i, bin) in bins.iter().enumerate().step_by(every) {
        let text = time_text(bin.from, tasks.clock());
        note(&mut scene, (frame.x + slot * i as f32, foot + 16.0), TEXT, text, Align::Start);
    }
    let total = |of: fn(&Bin) -> i64| bins.iter().map(of).sum::<i64>();
    let totals = [total(|bin| bin.same), total(|bin| bin.moved)];
    for (side, total) in totals.into_iter().enumerate() {
        let text = format!("{}: {}", sides[side].0, count(total));
        scene.legend.push(LegendItem::of(styles[side], sides[side].2, text));
    }
    scene
}
