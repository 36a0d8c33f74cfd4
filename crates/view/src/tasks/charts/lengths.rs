//! How long the tasks or chunks of a line are, as a histogram on a logarithmic axis: those left of the dashed line cost too
//! much for what they do, and are red.

use std::borrow::Cow;

use crosscut_scene::format::count;
use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Axis, Fill, Mark, Plot, Scene, Side, Stop, Style};
use crosscut_tasks::{Cause, Finding};
use crosscut_workbench::Size;

use super::{note, within};
use crate::tasks::colour::source_slots;
use crate::tasks::opened::Opened;
use crate::tasks::styles::{self, role};
use crate::tasks::words::{many, share, time_text, unit};

/// Above the bars, for what the dashed line says.
const HEAD: f32 = 18.0;
const MARGINS: [f32; 4] = [26.0, 6.0, 12.0, 24.0];

/// Draws it; nothing for a finding that is not about lengths.
pub fn draw(opened: &Opened, finding: Option<&Finding>, size: Size) -> Scene {
    let tasks = &opened.tasks;
    let title = format!("{} · how long tasks and chunks are", tasks.run().name());
    let mut scene = Scene { title, width: size.w, height: size.h, ..Scene::default() };
    let sizes = finding.and_then(|finding| Some((finding, finding.sizes.as_ref()?)));
    let Some((finding, sizes)) = sizes.filter(|(_, sizes)| !sizes.bins.is_empty()) else {
        note(&mut scene, (8.0, 20.0), size.w - 16.0, "No lengths are known.", Align::Start);
        return scene;
    };
    let rect = within(size.w, size.h, MARGINS);
    let needed = sizes.needed.max(1) as f64;
    let first = sizes.bins.first().map_or(1.0, |bin| bin.0 as f64);
    let last = sizes.bins.last().map_or(1.0, |bin| 2.0 * bin.0 as f64);
    let (from, to) = (first.min(needed / 2.0).max(1.0), last.max(4.0 * needed));
    let x = Axis {
        stops: vec![
            Stop { value: from, at: rect.x, folded: false },
            Stop { value: to, at: rect.x + rect.w, folded: false },
        ],
        log: true,
        side: Side::End,
        grid: false,
        ..Axis::linear((from, to), rect.x, rect.w, unit(tasks.clock()), "length")
    };
    scene.begin(Plot { rect, x: Some(x.clone()), ..Plot::default() });
    let (foot, border) = (rect.y + rect.h, x.pixel(needed));
    let zone = Style { fill: Fill::Faint, meaning: Cow::Borrowed("too short"), hit: false, ..Style::BOX };
    let zone = scene.styles.put(&zone);
    scene.boxes.push([rect.x, rect.y, border - rect.x, rect.h], Mark::none().looks(zone, slot::RED));
    let most = sizes.bins.iter().map(|bin| bin.1).max().unwrap_or(1).max(1) as f32;
    let own = finding.source.and_then(|source| source_slots(tasks.sources()).get(source as usize).copied());
    let things = if finding.cause == Cause::FineChunks { "chunk" } else { "task" };
    for (i, &(low, number)) in sizes.bins.iter().enumerate().filter(|(_, bin)| bin.1 > 0) {
        let (low, high) = (low as f64, 2.0 * low as f64);
        let (left, right) = (x.pixel(low), x.pixel(high));
        // What is there at all is seen.
        let h = ((rect.h - HEAD) * number as f32 / most).max(1.5);
        let is_short = (low * high).sqrt() < needed;
        let meaning = format!(
            "{} of {} to {}",
            many(number as usize, things),
            time_text(low as i64, tasks.clock()),
            time_text(high as i64, tasks.clock())
        );
        let style = scene.styles.put(&Style { meaning: Cow::Owned(meaning), ..Style::BOX });
        let fill = if is_short { slot::RED } else { own.unwrap_or(slot::SEVERAL) };
        let mark = Mark::none().id(i as u32).looks(style, fill);
        scene.boxes.push([left + 0.5, foot - h, (right - left - 1.0).max(1.0), h], mark);
    }
    let level = scene.styles.put(&styles::LEVEL);
    scene.links.push([border, rect.y, border, foot], Mark::none().role(role::SIGN).looks(level, slot::TEXT));
    let cost = time_text(sizes.needed, tasks.clock());
    let text = match finding.cause {
        Cause::FineChunks => format!("{cost}: 20 × fetching one"),
        _ => format!("{cost}: 10 × having one"),
    };
    let beside = rect.x + rect.w - border - 6.0;
    let left = crosscut_scene::format::text_width(&text) > beside;
    let (at, align) = if left { (border - 5.0, Align::End) } else { (border + 5.0, Align::Start) };
    note(&mut scene, (at, rect.y + 11.0), rect.w, text, align);
    let all: u64 = sizes.bins.iter().map(|bin| bin.1).sum();
    scene.note = Some(format!("{} of {} {things}s are shorter", share(sizes.below, 1.0), count(all as i64)));
    scene
}
