//! A flow, laid out: where bars stand and how bands run.

use std::collections::HashMap;

use crosscut_scene::format::text_width;
use crosscut_workbench::Look;

use super::levels::Levelled;
use super::order;
use super::place::{self, Room};
use super::shown::Shown;

/// Left of the first bar, right of the last one, above and below all.
pub const SIDE: f32 = 20.0;
/// See [`SIDE`].
pub const TOP: f32 = 8.0;
const FOOT: f32 = 12.0;
/// Above a bar: its name and its share.
const GAP: f64 = 32.0;
/// The same where there is little room: only its name.
const TIGHT: f64 = 26.0;
const NARROW: f64 = 5.0;
/// Room at the right for the names of the last level.
const NAMES: f32 = 130.0;
/// Height that is left for what a split adds.
const SPARE: f64 = 0.92;

/// The room of one flow.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Width of one flow.
    pub width: f32,
    /// Height for bars and names.
    pub height: f32,
    /// Width of bars.
    pub bar: f32,
}

impl Page {
    /// So many flows beside each other.
    pub fn of(look: &Look, shown: &Shown, beside: usize) -> Self {
        let size = look.size.sound();
        let bar = if shown.sides.len() > 2 { 40.0 } else { 14.0 };
        Page { width: size.w / beside as f32, height: size.h, bar }
    }
}

/// A stretch of a band between two levels: where it begins and ends, and how high it is there, in the unit of bars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Which band.
    pub band: usize,
    /// Item on its left: a bar where it is less than the number of bars.
    pub from: usize,
    /// Item on its right.
    pub to: usize,
    /// Its left and right end.
    pub x: (f32, f32),
    /// Its tops.
    pub top: (f32, f32),
}

/// A flow, laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct Laid {
    /// Pixels for a unit.
    pub scale: f64,
    /// By bar.
    pub x: Vec<f32>,
    /// By bar.
    pub top: Vec<f32>,
    /// Bands in stretches.
    pub stretches: Vec<Stretch>,
    /// Levels.
    pub levels: usize,
    /// Pairs of bands that cross.
    pub crossings: usize,
    /// Tops of all items by their names: what a split is laid out from.
    tops: HashMap<String, f64>,
}

impl Laid {
    /// Lays out what is shown; `before` is how it stood before the last split.
    pub fn of(shown: &Shown, page: Page, before: Option<(&Shown, &Laid)>) -> Self {
        let graph = Levelled::new(&shown.graph);
        let names = names(shown, &graph);
        let height = f64::from((page.height - TOP - FOOT).max(60.0));
        let most = graph.by_level().iter().map(|level| bars_in(&graph, level)).max().unwrap_or(1);
        let gap = if height / most.max(1) as f64 > 64.0 { GAP } else { TIGHT };
        let room = Room { height, gap, narrow: NARROW };
        let fits = place::scale(&graph, Room { height: height * SPARE, ..room });
        let old: Vec<Option<f64>> = match before {
            Some((_, laid)) => names.iter().map(|name| laid.tops.get(name).copied()).collect(),
            None => vec![None; graph.items.len()],
        };
        // What stays keeps its height, unless there is no room for that.
        let scale = before.map_or(fits, |(_, laid)| laid.scale.min(place::scale(&graph, room)));
        let order = match before {
            Some(_) => order::insert(&graph, &old),
            None => order::order(&graph),
        };
        let tops = place::tops(&graph, &order, scale, room, &old);
        let ports = place::ports(&graph, &tops, scale);
        let starts = columns(shown, &graph, page);
        let mut laid = Laid {
            scale,
            x: Vec::new(),
            top: Vec::new(),
            stretches: Vec::new(),
            levels: graph.levels,
            crossings: order::crossed(&graph, &order).count,
            tops: names.into_iter().zip(tops.iter().copied()).collect(),
        };
        for (item, &top) in graph.items.iter().zip(&tops).take(shown.bars.len()) {
            laid.x.push(SIDE + starts[item.level]);
            laid.top.push(TOP + top as f32);
        }
        for (piece, port) in graph.pieces.iter().zip(ports) {
            let passes = |item: usize| graph.items[item].passes.is_some();
            let x = |item: usize| SIDE + starts[graph.items[item].level];
            let left = x(piece.from) + if passes(piece.from) { page.bar / 2.0 } else { page.bar };
            let right = x(piece.to) + if passes(piece.to) { page.bar / 2.0 } else { 0.0 };
            laid.stretches.push(Stretch {
                band: piece.flow,
                from: piece.from,
                to: piece.to,
                x: (left, right),
                top: (TOP + (tops[piece.from] + port.0) as f32, TOP + (tops[piece.to] + port.1) as f32),
            });
        }
        laid
    }
}

fn bars_in(graph: &Levelled, level: &[usize]) -> usize {
    level.iter().filter(|&&item| graph.items[item].passes.is_none()).count()
}

/// Names of all items that stay whatever else is split.
fn names(shown: &Shown, graph: &Levelled) -> Vec<String> {
    let name = |at: usize| {
        let item = graph.items[at];
        match item.passes {
            None => shown.bars[at].name.clone(),
            Some(flow) => {
                let (from, to) = shown.bands[flow];
                format!("{} > {} @{}", shown.bars[from].name, shown.bars[to].name, item.level)
            }
        }
    };
    (0..graph.items.len()).map(name).collect()
}

fn columns(shown: &Shown, graph: &Levelled, page: Page) -> Vec<f32> {
    let by_level = graph.by_level();
    let bars: Vec<usize> = by_level.iter().map(|level| bars_in(graph, level)).collect();
    let wide = |level: &Vec<usize>| {
        let bars = level.iter().filter(|&&item| graph.items[item].passes.is_none());
        // Very long names are cut: they must not push everything else together.
        bars.map(|&bar| text_width(&shown.bars[bar].title()) * 1.1).fold(84.0, f32::max).min(140.0)
    };
    let names: Vec<f32> = by_level.iter().map(wide).collect();
    let last = names.last().copied().unwrap_or(0.0).min(NAMES);
    let width = (page.width - 2.0 * SIDE - last.max(page.bar)).max(80.0);
    place::columns(graph, &bars, &names, width)
}
