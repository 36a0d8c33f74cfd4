//! The matrix: what each rank sent to each, by world rank or by groups. A cell stands for a block of ranks where they are many.

use crosscut_scene::palette::Ramp;
use crosscut_scene::{
    Align, Axis, Cells, Grid, Label, LegendItem, Mark, Plot, Rect, Scene, Side, TextStyle, Unit,
};
use crosscut_workbench::{Drawn, Job, Look, Refusal};

use super::gram;
use super::opened::{ClockKey, Opened};
use super::over;
use super::phases::{self, PhaseForest};
use super::ranks::by_groups;
use super::styles::{self, FAINT, FAINT_END};
use crate::format::{count, quantity};

/// Cells on a side at most.
const SIDE: u32 = 240;
/// Left of the plot, above and below it.
const MARGIN: (f32, f32, f32) = (72.0, 28.0, 34.0);
/// Room for the name of a rank.
const NAME: (f32, f32) = (40.0, 22.0);
/// Number of the tree of places in the view.
const PLACES: u8 = 1;

/// What a cell says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Bytes,
    Messages,
    Time,
}

/// Draws a look.
pub fn draw(opened: &Opened, look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    let messages = &opened.messages;
    let key = ClockKey::of(&look.tree(phases::TREE).with)?;
    let window = over::window(messages, look.scope.time)?;
    let (value, unit, words) = match look.option("value") {
        Some("messages") => (Value::Messages, Unit::Count, "messages"),
        Some("time") => (Value::Time, Unit::Ns, "time from send to receive"),
        _ => (Value::Bytes, Unit::Bytes, "bytes"),
    };
    let ranks = opened.ranks().max(1);
    let order = order(opened, look, job)?;
    let mut row_of: Vec<u32> = (0..ranks).collect();
    for (row, &rank) in order.iter().enumerate() {
        if let Some(own) = row_of.get_mut(rank as usize) {
            *own = row as u32;
        }
    }
    let at = |rank: u32| row_of.get(rank as usize).copied().unwrap_or(rank);
    let block = ranks.div_ceil(SIDE);
    let side = ranks.div_ceil(block) as usize;
    let mut sums = vec![0.0f64; side * side];
    for row in over::rows(messages, &key, window) {
        let (from, to) = (at(messages.source.at(row)) / block, at(messages.destination.at(row)) / block);
        if let Some(sum) = sums.get_mut(from as usize * side + to as usize) {
            *sum += match value {
                Value::Bytes => messages.bytes[row].max(0) as f64,
                Value::Messages => 1.0,
                Value::Time => {
                    messages.receive_end[row].saturating_sub(messages.send_start[row]).max(0) as f64
                }
            };
        }
    }
    let size = look.size.sound();
    let mut scene = Scene {
        title: format!("{} · who sent to whom", messages.run().name()),
        width: size.w,
        height: size.h,
        ..Scene::default()
    };
    let room = (size.w - MARGIN.0 - 20.0).min(size.h - MARGIN.1 - MARGIN.2).max(40.0);
    // Whole pixels for each cell: no cell is wider than another.
    let pixel = (room / side as f32).floor().max(1.0);
    let w = if pixel * side as f32 <= room { pixel * side as f32 } else { room };
    let rect = Rect { x: MARGIN.0, y: MARGIN.1, w, h: w };
    let in_groups = look.option("order") == Some("groups");
    axes(rect, (ranks, block * side as u32), in_groups, &mut scene);
    if in_groups {
        names(rect, (&order, side, block), &mut scene);
    }
    let used = sums.iter().filter(|sum| **sum > 0.0).count();
    fill(opened, &sums, (&order, side, block), rect, words, &mut scene);
    scene.end();
    let (low, high) = ends(&sums);
    let ends = (quantity(low, unit), quantity(high, unit));
    scene.legend.push(LegendItem::ramp(Ramp::MORE, ends, format!("{words}, by the logarithm")));
    let cell = match block {
        1 => "a cell is a pair of ranks".to_owned(),
        block => format!("a cell is {block} × {block} ranks, named by the first"),
    };
    let by = if in_groups { "ranks by groups" } else { "by rank" };
    let title = format!("Rows send, columns receive, {by} · {cell}");
    scene.labels.push(Label::new((rect.x, 16.0), size.w - rect.x, title, FAINT));
    let cells = format!("{} of {} cells have messages", count(used as i64), count(sums.len() as i64));
    let left_out = over::left_out(messages, &key, window);
    scene.note = Some([Some(cells), left_out].into_iter().flatten().collect::<Vec<_>>().join(" · "));
    Ok(Drawn::scene(scene, used))
}

/// The ranks from top to bottom and from left to right.
fn order(opened: &Opened, look: &Look, job: &Job<'_>) -> Result<Vec<u32>, Refusal> {
    if look.option("order") != Some("groups") {
        return Ok((0..opened.ranks().max(1)).collect());
    }
    let made = PhaseForest::of(job, &look.tree(phases::TREE).with)?;
    by_groups(gram::phases_of(&made)?, job)
}

/// Axes of ranks; by groups they have no numbers, because a place there is no rank.
fn axes(rect: Rect, (ranks, shown): (u32, u32), in_groups: bool, scene: &mut Scene) {
    let axis = |start: f32, title: &str, side: Side| Axis {
        side: if in_groups { Side::None } else { side },
        grid: false,
        ..Axis::linear((0.0, f64::from(shown.max(ranks))), start, rect.w, Unit::Count, title)
    };
    scene.begin(Plot {
        rect,
        title: "who sent to whom".to_owned(),
        x: Some(axis(rect.x, "receiver", Side::End)),
        y: Some(axis(rect.y, "sender", Side::Start)),
        ..Plot::default()
    });
}

/// Which rank stands where, of as many rows and columns as there is room for.
fn names(rect: Rect, (order, side, block): (&[u32], usize, u32), scene: &mut Scene) {
    let cell = rect.w / side.max(1) as f32;
    let middle = TextStyle { align: Align::Middle, ..FAINT };
    let every = |room: f32| ((room / cell).ceil() as usize).max(1);
    let rank = |at: usize| order.get(at * block as usize).map(u32::to_string);
    for (at, name) in (0..side).step_by(every(NAME.1)).filter_map(|at| Some((at, rank(at)?))) {
        let y = rect.y + (at as f32 + 0.5) * cell + 4.0;
        scene.labels.push(Label::new((rect.x - 6.0, y), rect.x - 10.0, name, FAINT_END));
    }
    for (at, name) in (0..side).step_by(every(NAME.0)).filter_map(|at| Some((at, rank(at)?))) {
        let at = (rect.x + (at as f32 + 0.5) * cell, rect.y + rect.h + 14.0);
        scene.labels.push(Label::new(at, NAME.0, name, middle));
    }
}

/// The least value that there is, and the largest.
fn ends(sums: &[f64]) -> (f64, f64) {
    let used = || sums.iter().copied().filter(|sum| *sum > 0.0);
    let low = used().fold(f64::INFINITY, f64::min);
    (if low.is_finite() { low } else { 0.0 }, used().fold(0.0, f64::max))
}

fn fill(
    opened: &Opened,
    sums: &[f64],
    (order, side, block): (&[u32], usize, u32),
    rect: Rect,
    words: &'static str,
    scene: &mut Scene,
) {
    let (low, high) = ends(sums);
    let span = (high / low.max(1e-300)).ln().max(1e-9);
    let style = scene.styles.put(&styles::cell(words));
    let mark = Mark::none().tree(PLACES).looks(style, Ramp::MORE.first);
    let at = [rect.x, rect.y, rect.w, rect.h];
    let mut grid = Grid::new(at, side as u32, side as u32, mark).ramp(Ramp::MORE);
    let level = |&sum: &f64| {
        if sum <= 0.0 { 0 } else { 1 + ((sum / low).ln() / span * 254.0).clamp(0.0, 254.0) as u8 }
    };
    grid.level = sums.iter().map(level).collect();
    let node = |at: usize| {
        let rank = order.get(at * block as usize).copied();
        rank.and_then(|rank| opened.places.get(rank as usize)).copied().unwrap_or(crosscut_scene::NONE)
    };
    let nodes: Vec<u32> = (0..side).map(node).collect();
    grid.cells = Cells::Lines { rows: nodes.clone(), columns: nodes };
    scene.grids.push(grid);
}
