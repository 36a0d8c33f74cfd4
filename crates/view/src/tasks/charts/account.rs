//! Where workers × elapsed went: work, delay and no work as one bar. Work is solid, lost time is hatched.

use std::borrow::Cow;

use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Fill, LegendItem, Mark, Plot, Scene, Style};
use crosscut_tasks::Tasks;
use crosscut_workbench::Size;

use super::{note, within};
use crate::tasks::overview::capacity;
use crate::tasks::words::{share, time_text};
use crosscut_scene::format::text_width;

/// Draws it.
pub fn draw(tasks: &Tasks, size: Size) -> Scene {
    let summary = tasks.summary();
    let parts = [
        ("work", summary.work, Fill::Solid, slot::RUNNING, "time in the program's own code"),
        ("delay", summary.delay, Fill::Rising, slot::READY, "something was ready, a worker did not run it"),
        ("no work", summary.no_work, Fill::Dots, slot::SEVERAL, "nothing was ready for an idle worker"),
    ];
    let whole = capacity(summary).max(1.0);
    let rect = within(size.w, size.h, [0.0, 2.0, 0.0, 16.0]);
    let title = format!("{} · where the time of all workers went", tasks.run().name());
    let mut scene = Scene { title, width: size.w, height: size.h, ..Scene::default() };
    scene.begin(Plot { rect: crosscut_scene::Rect { h: size.h, ..rect }, ..Plot::default() });
    let mut x = rect.x;
    for (role, (name, time, fill, slot, meaning)) in parts.into_iter().enumerate() {
        let w = (f64::from(rect.w) * time.max(0) as f64 / whole) as f32;
        let style = Style { fill, meaning: Cow::Borrowed(meaning), ..Style::BOX };
        let style = scene.styles.put(&style);
        if w > 0.0 {
            let mark = Mark::none().role(role as u8).looks(style, slot);
            scene.boxes.push([x, rect.y, w, rect.h], mark);
        }
        let told = share(time as f64, whole);
        let texts = [
            format!("{name} {told} · {}", time_text(time, tasks.clock())),
            format!("{name} {told}"),
            name.to_owned(),
        ];
        if let Some(text) = texts.into_iter().find(|text| text_width(text) <= w) {
            note(&mut scene, (x, rect.y + rect.h + 12.0), w, text, Align::Start);
        }
        scene.legend.push(LegendItem::of(style, slot, format!("{name} {told}")));
        x += w;
    }
    scene
}
