//! What stands beside the lines of source code: work, solid in the colour of the line; lost time, hatched by cause, with the
//! number of its finding. All bars of a run are on one scale.

use std::collections::BTreeMap;

use crosscut_scene::Fill;
use crosscut_scene::format::quantity;
use crosscut_scene::palette::slot;
use crosscut_workbench::sheet::{Bar, Beside, Code};
use crosscut_workbench::{Cell, Found};

use super::colour::source_slots;
use super::opened::Opened;
use super::words::unit;

/// Adds to some lines of code what they did and, where that is known, what they lost.
pub fn beside(opened: &Opened, found: Option<&Found>, mut code: Code) -> Code {
    let (tasks, unit) = (&opened.tasks, unit(opened.tasks.clock()));
    let slots = source_slots(tasks.sources());
    let mut beside: BTreeMap<(&str, u32), Vec<(f64, Bar)>> = BTreeMap::new();
    let mut add = |file, line, time: f64, bar: Bar| beside.entry((file, line)).or_default().push((time, bar));
    let bar = |(fill, slot), time: f64, number: Option<u32>, what: &str| {
        let text = format!("{what}: {}", quantity(time, unit));
        Bar { fill, slot, share: 0.0, number, text }
    };
    for (id, line) in opened.lines().lines.iter().enumerate().filter(|(_, line)| line.work > 0) {
        let Some(source) = tasks.sources().get(id as u32) else { continue };
        let Some(at) = u32::try_from(source.line).ok().filter(|&at| at > 0) else { continue };
        let looks = (Fill::Solid, slots.get(id).copied().unwrap_or(slot::MUTED));
        let what = if source.function.is_empty() { "work" } else { &format!("work, in {}", source.function) };
        add(&source.file, at, line.work as f64, bar(looks, line.work as f64, None, what));
    }
    for lost in found.into_iter().flat_map(|found| &found.lost) {
        if let Some(Cell::Line { file, line, .. }) = &lost.line {
            let what = format!("lost, {}", lost.what.to_lowercase());
            add(file, *line, lost.cost, bar(lost.hatch, lost.cost, lost.number, &what));
        }
    }
    let sum = |bars: &Vec<(f64, Bar)>| bars.iter().map(|bar| bar.0).sum::<f64>();
    let most = beside.values().map(sum).fold(1.0, f64::max);
    let shown = code.first..code.first.saturating_add(code.lines.len() as u32);
    code.beside = beside
        .into_iter()
        .filter(|((file, line), _)| *file == code.file && shown.contains(line))
        .map(|((_, line), bars)| {
            let share = |(time, bar): (f64, Bar)| Bar { share: (time / most) as f32, ..bar };
            Beside { line, bars: bars.into_iter().map(share).collect() }
        })
        .collect();
    if !code.beside.is_empty() {
        code.scale = quantity(most, unit);
    }
    code
}
