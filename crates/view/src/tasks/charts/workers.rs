//! Busy time of each worker as a bar of the elapsed time, in the worker's colour. Many workers get thin bars.

use std::borrow::Cow;

use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Axis, Mark, Plot, Rect, Scene, Side, Style, Unit};
use crosscut_tasks::Tasks;
use crosscut_workbench::{Size, place_nodes};

use super::{note, within};
use crate::tasks::colour::worker_slot;
use crate::tasks::words::{share, time_text};

/// Height of a row at most, and of one with texts at least.
const PITCH: (f32, f32) = (18.0, 12.0);
/// Thinner bars cannot be seen: the rest is scrolled to.
const THINNEST: f32 = 2.0;
const LEFT: f32 = 72.0;
const RIGHT: f32 = 120.0;

/// Draws it.
pub fn draw(tasks: &Tasks, size: Size) -> Scene {
    let summary = tasks.summary();
    let elapsed = summary.elapsed.max(1) as f64;
    let rows = summary.busy.len();
    let pitch = (size.h / rows.max(1) as f32).clamp(THINNEST, PITCH.0);
    let frame = within(size.w, size.h, [LEFT, 0.0, RIGHT, 0.0]);
    let height = rows as f32 * pitch;
    let title = format!("{} · workers", tasks.run().name());
    let mut scene = Scene { title, width: size.w, height: size.h, ..Scene::default() };
    let axis = Axis::linear((0.0, 100.0), frame.x, frame.w, Unit::Percent, "busy");
    scene.begin(Plot {
        rect: Rect { x: 0.0, w: size.w, ..frame },
        x: Some(Axis { side: Side::None, grid: false, ..axis }),
        scroll: (height > size.h).then_some(height),
        ..Plot::default()
    });
    let busy_style = Style { meaning: Cow::Borrowed("time in intervals"), ..Style::BOX };
    let busy_style = scene.styles.put(&busy_style);
    let track = scene.styles.put(&Style { hit: false, ..Style::BOX });
    let nodes = place_nodes(tasks.places());
    let of = |worker: usize| nodes.get(worker).map_or(Mark::none(), |&node| Mark::of(node));
    let every = (PITCH.1 / pitch).ceil().max(1.0) as usize;
    let bar = if pitch >= 6.0 { pitch - 2.0 } else { pitch };
    for (worker, &busy) in summary.busy.iter().enumerate() {
        let y = worker as f32 * pitch;
        let w = (f64::from(frame.w) * (busy as f64 / elapsed).clamp(0.0, 1.0)) as f32;
        scene.boxes.push([frame.x, y, frame.w, bar], Mark::none().looks(track, slot::RAISED));
        let mark = of(worker).looks(busy_style, worker_slot(worker));
        scene.boxes.push([frame.x, y, w, bar], mark);
        if worker % every == 0 {
            let y = y + (pitch.max(PITCH.1) / 2.0 + 4.0).min(pitch.max(PITCH.1) - 1.0);
            note(&mut scene, (LEFT - 6.0, y), LEFT - 8.0, format!("worker {worker}"), Align::End);
            let text = format!("{} · {}", share(busy as f64, elapsed), time_text(busy, tasks.clock()));
            note(&mut scene, (frame.x + frame.w + 6.0, y), RIGHT - 8.0, text, Align::Start);
        }
    }
    let ends = (summary.busy.iter().min(), summary.busy.iter().max());
    if let (Some(&least), Some(&most)) = ends
        && rows > 1
    {
        let told = |busy: i64| share(busy as f64, elapsed);
        scene.note = Some(format!("from {} to {} busy", told(least), told(most)));
    }
    scene
}
