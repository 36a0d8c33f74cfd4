//! What stands beside the lines of source code: work, solid in the colour of the line; lost time, hatched by cause, with the
//! number of its finding. All bars of a run are on one scale.

use std::collections::BTreeMap;

use crosscut_scene::Fill;
use crosscut_scene::format::quantity;
use crosscut_workbench::sheet::{Bar, Beside, Code};
use crosscut_workbench::{Cell, Found, Lost};

use super::colour::source_slots;
use super::opened::Opened;
use super::words::unit;

/// Adds to some lines of code what they did and, where that is known, what they lost.
pub fn beside(opened: &Opened, found: Option<&Found>, mut code: Code) -> Code {
    let (tasks, lines) = (&opened.tasks, &opened.lines().lines);
    let unit = unit(tasks.clock());
    let lost = || found.into_iter().flat_map(|found| &found.lost);
    let most_work = lines.iter().map(|line| line.work as f64).fold(0.0, f64::max);
    let most = lost().filter(|lost| lost.line.is_some()).map(|lost| lost.cost).fold(most_work, f64::max);
    let shown = code.first..code.first.saturating_add(code.lines.len() as u32);
    let bar = |fill: Fill, slot: u16, time: f64, number: Option<u32>, what: &str| Bar {
        fill,
        slot,
        share: (time / most.max(1.0)) as f32,
        number,
        text: format!("{what}: {}", quantity(time, unit)),
    };
    let mut beside: BTreeMap<u32, Vec<Bar>> = BTreeMap::new();
    let slots = source_slots(tasks.sources());
    for (id, line) in lines.iter().enumerate().filter(|(_, line)| line.work > 0) {
        let Some(source) = tasks.sources().get(id as u32).filter(|source| source.file == code.file) else {
            continue;
        };
        let Some(at) = u32::try_from(source.line).ok().filter(|at| shown.contains(at)) else { continue };
        let slot = slots.get(id).copied().unwrap_or(crosscut_scene::palette::slot::MUTED);
        let what = if source.function.is_empty() { "work" } else { &format!("work, in {}", source.function) };
        beside.entry(at).or_default().push(bar(Fill::Solid, slot, line.work as f64, None, what));
    }
    let at = |lost: &Lost| match &lost.line {
        Some(Cell::Line { file, line, .. }) if *file == code.file && shown.contains(line) => Some(*line),
        _ => None,
    };
    for (line, lost) in lost().filter_map(|lost| Some((at(lost)?, lost))) {
        let what = format!("lost, {}", lost.what.to_lowercase());
        let (fill, slot) = lost.hatch;
        beside.entry(line).or_default().push(bar(fill, slot, lost.cost, lost.number, &what));
    }
    if !beside.is_empty() {
        code.scale = quantity(most, unit);
    }
    code.beside = beside.into_iter().map(|(line, bars)| Beside { line, bars }).collect();
    code
}
