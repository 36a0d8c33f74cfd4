//! Ranks over time. Few rows have their calls, with what they waited in them, and lines for messages; stretches without any call
//! are folded. Many rows are pixels, as dark as the rank that waits most of those in a row, with how many ranks wait above.

use std::collections::HashMap;

use crosscut_messages::NONE;
use crosscut_messages::waits::Why;
use crosscut_scene::palette::{Ramp, slot};
use crosscut_scene::{
    Align, Axis, Brush, Camera, Cells, Grid, Label, LegendItem, Mark, Plot, Rect, Scene, Side, Stop,
    TextStyle, Unit,
};
use crosscut_workbench::{Drawn, Job, Look, Refusal, TreeRef};
use rayon::prelude::*;

use super::communities::CommunityForest;
use super::gram::phases_of;
use super::over::{self, FOOT, LEFT, RIGHT};
use super::phases::{self, PhaseForest};
use super::styles::{self, FAINT, FAINT_END};
use super::volume::bars;
use crate::format::{count, many, quantity};

/// Height of a row with calls at least and at most.
const ROW: (f32, f32) = (6.0, 34.0);
/// Height of the critical path below a row, and at least on it.
const UNDER: f32 = 2.0;
/// Calls that are drawn one by one at most.
const CALLS: usize = 6000;
/// Lines of messages at most.
const LINES: usize = 500;
/// Above the rows: bars of phases.
const HEAD: f32 = 18.0;
/// Height of how many ranks wait.
const WAITING: f32 = 46.0;
/// A folded stretch is so wide, and at least so many times as long as it would be then.
const FOLDED: (f32, f64) = (30.0, 2.0);
/// Folded stretches at most.
const FOLDS: usize = 12;
/// Number of the tree of places in the view.
const PLACES: u8 = 1;

struct Rows<'a> {
    forest: &'a PhaseForest,
    /// Ranks from top to bottom.
    ranks: Vec<u32>,
    window: (i64, i64),
    size: (f32, f32),
    /// The critical path is shown.
    path: bool,
}

/// Draws a look.
pub fn draw(look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    let made = PhaseForest::of(job, &look.tree(phases::TREE).with)?;
    let forest = phases_of(&made)?;
    let messages = &forest.opened.messages;
    let window = over::window(messages, look.scope.time)?;
    let size = look.size.sound();
    let ranks = ordered(forest, look, job)?;
    let path = look.option("path") != Some("false");
    let rows = Rows { forest, ranks, window, size: (size.w, size.h), path };
    let mut scene = Scene {
        title: format!("{} · ranks over time", messages.run().name()),
        width: size.w,
        height: size.h,
        ..Scene::default()
    };
    if rows.ranks.is_empty() {
        scene.note = Some("no ranks to show".to_owned());
        return Ok(Drawn::scene(scene, 0));
    }
    let pitch = ((size.h - HEAD - FOOT - 8.0) / rows.ranks.len() as f32).min(ROW.1);
    let calls = if pitch >= ROW.0 { rows.calls() } else { None };
    match calls {
        Some(calls) => {
            let folds = look.option("gaps") != Some("false");
            let lines = look.option("messages") != Some("false");
            rows.few(&calls, pitch, (folds, lines), &mut scene);
        }
        None => {
            let rows_shown = rows.many(&mut scene);
            let all = count(rows.ranks.len() as i64);
            scene.note = Some(match pitch >= ROW.0 {
                true => format!(
                    "{all} ranks; more than {} calls: choose a shorter window to see calls and messages",
                    count(CALLS as i64)
                ),
                false => format!(
                    "{all} ranks in {} rows: choose fewer ranks and a shorter window to see calls and messages",
                    count(rows_shown as i64)
                ),
            });
        }
    }
    Ok(Drawn::scene(scene, rows.ranks.len()))
}

/// The ranks to show, in the order that is asked for.
fn ordered(forest: &PhaseForest, look: &Look, job: &Job<'_>) -> Result<Vec<u32>, Refusal> {
    let mut ranks = match look.option("order") {
        Some("groups") => by_groups(forest, job)?,
        _ => (0..forest.opened.ranks()).collect(),
    };
    if let Some(places) = &look.scope.places {
        // Places of a scope are numbers of places.
        let meant = |rank: &u32| {
            let place = forest.opened.first_place.get(*rank as usize);
            place.is_some_and(|&place| places.contains(crosscut_tree::NodeId(place)))
        };
        ranks.retain(meant);
    }
    Ok(ranks)
}

/// All ranks in the order of the groups of the pattern that moves most.
pub fn by_groups(forest: &PhaseForest, job: &Job<'_>) -> Result<Vec<u32>, Refusal> {
    let heaviest =
        forest.gram.phases.iter().filter(|phase| phase.messages > 0).max_by_key(|phase| phase.bytes);
    if let Some(first) = heaviest.and_then(|phase| forest.first_of(phase.pattern)) {
        let key = forest.communities(&first.points);
        let made = job.forest(&TreeRef { key, with: Default::default() })?;
        if let Some(groups) = made.as_any().downcast_ref::<CommunityForest>() {
            return Ok(groups.ranks.clone());
        }
    }
    Ok((0..forest.opened.ranks()).collect())
}

impl Rows<'_> {
    /// Calls of the shown ranks in the window; none where they are too many to draw one by one.
    fn calls(&self) -> Option<Vec<(usize, usize)>> {
        let calls = &self.forest.opened.messages.calls;
        let mut all = Vec::new();
        for (row, &rank) in self.ranks.iter().enumerate() {
            let of = calls.of(rank);
            let starts = calls.start.get(of.clone()).unwrap_or_default();
            let last = starts.partition_point(|&start| start < self.window.1);
            // Calls of a rank do not overlap, so ends ascend, too.
            let ends = calls.end.get(of.clone()).unwrap_or_default();
            let first = ends.partition_point(|&end| end < self.window.0);
            all.extend((first..last).map(|at| (row, of.start + at)));
            if all.len() > CALLS {
                return None;
            }
        }
        Some(all)
    }

    fn begin(&self, axis: &Axis, top: f32, h: f32, scene: &mut Scene) {
        scene.begin(Plot {
            rect: Rect { x: axis.start(), y: top, w: axis.length(), h },
            title: "ranks over time".to_owned(),
            x: Some(axis.clone()),
            camera: Camera::X,
            brush: Brush::Time,
            ..Plot::default()
        });
    }

    fn place(&self, rank: u32) -> u32 {
        self.forest.opened.places.get(rank as usize).copied().unwrap_or(NONE)
    }

    /// Calls and lines.
    fn few(&self, calls: &[(usize, usize)], pitch: f32, (folds, lines): (bool, bool), scene: &mut Scene) {
        let messages = &self.forest.opened.messages;
        let waits = self.forest.opened.waits();
        let gaps = if folds { self.gaps(calls) } else { Vec::new() };
        let axis = folded(over::axis(self.window, self.size.0, (LEFT, RIGHT)), &gaps);
        let h = pitch * self.ranks.len() as f32;
        self.begin(&axis, 0.0, HEAD + h, scene);
        bars(self.forest, &axis, (3.0, HEAD - 8.0), false, scene);
        let ground = scene.styles.put(&styles::ROW);
        let bar = (pitch * 0.5).clamp(4.0, 12.0);
        let y = |row: usize| HEAD + row as f32 * pitch + (pitch - bar) / 2.0;
        for (row, &rank) in self.ranks.iter().enumerate() {
            let mark = Mark::of(self.place(rank)).tree(PLACES).looks(ground, slot::GRID);
            scene.boxes.push([axis.start(), y(row), axis.length(), bar], mark);
        }
        let (left, right) = (axis.start(), axis.start() + axis.length());
        let across = |from: i64, to: i64| {
            let x = axis.pixel(from as f64).clamp(left, right);
            (x, (axis.pixel(to as f64).clamp(left, right) - x).max(0.5))
        };
        let functions = messages.functions();
        for &(row, call) in calls {
            let name =
                functions.get(usize::from(messages.calls.function[call])).map_or("call", |f| f.name.as_str());
            let node = self.place(self.ranks[row]);
            let (from, to) = (messages.calls.start[call], messages.calls.end[call]);
            let style = scene.styles.put(&styles::call(name, None));
            let (x, w) = across(from, to);
            let mark = Mark::of(node).tree(PLACES).role(1);
            scene.boxes.push([x, y(row), w, bar], mark.looks(style, slot::SEVERAL));
            let lost = waits.lost.get(call).copied().unwrap_or(0);
            if lost > 0 {
                let style = scene.styles.put(&styles::call(name, Some(why(waits.why[call]))));
                let (x, w) = across(from, from.saturating_add(lost));
                scene.boxes.push([x, y(row), w, bar], mark.role(2).looks(style, Ramp::GREY.slot(0.8)));
            }
        }
        let drawn = if lines { self.lines(&axis, (&y, bar), scene) } else { Some(0) };
        self.path(&axis, &|row| (y(row) + bar + 1.0, UNDER), scene);
        self.zigzags(&axis, &gaps, HEAD + h, scene);
        scene.end();
        self.names(pitch, scene);
        scene.legend.push(LegendItem::new(Ramp::GREY.slot(0.8), "waiting"));
        scene.legend.push(LegendItem::new(slot::SEVERAL, "in a call"));
        scene.legend.push(LegendItem::new(slot::GRID, "outside"));
        scene.note = Some(match drawn {
            Some(drawn) => format!("{}, {}", many(calls.len(), "call"), many(drawn, "line")),
            None => format!("{}; lines from {LINES} messages down: zoom in", many(calls.len(), "call")),
        });
    }

    /// A line for each message between two shown ranks; none where they are too many.
    fn lines(&self, axis: &Axis, (y, bar): (&dyn Fn(usize) -> f32, f32), scene: &mut Scene) -> Option<usize> {
        let messages = &self.forest.opened.messages;
        let row_of: HashMap<u32, usize> =
            self.ranks.iter().enumerate().map(|(row, &rank)| (rank, row)).collect();
        let long = (self.window.1 - self.window.0).max(1);
        let rows = over::sent_in(messages, (self.window.0.saturating_sub(long), self.window.1));
        let mut found = Vec::new();
        for row in rows {
            let ends = (messages.source.at(row), messages.destination.at(row));
            let (Some(&from), Some(&to)) = (row_of.get(&ends.0), row_of.get(&ends.1)) else { continue };
            let known = self.forest.timed.key.has(messages, row);
            if known && messages.receive_end[row] >= self.window.0 && from != to {
                found.push((row, from, to));
                if found.len() > LINES {
                    return None;
                }
            }
        }
        let style = scene.styles.put(&styles::MESSAGE);
        let patterns = self.forest.pattern_of_messages();
        let (left, right) = (axis.start(), axis.start() + axis.length());
        for &(row, from, to) in &found {
            let x0 = axis.pixel(messages.send_start[row] as f64).clamp(left, right);
            let x1 = axis.pixel(messages.receive_end[row] as f64).clamp(left, right);
            let fill = patterns.get(row).map_or(slot::EDGE, |&pattern| styles::pattern(pattern.into()));
            let (a, b) = (self.place(self.ranks[from]), self.place(self.ranks[to]));
            let mark = Mark::pair(a, b).tree(PLACES).looks(style, fill).id(row as u32);
            scene.links.push([x0, y(from) + bar / 2.0, x1, y(to) + bar / 2.0], mark);
        }
        Some(found.len())
    }

    /// The critical path: each stretch under its rank, or on it where rows are pixels, and lines where it goes to another rank. Of each
    /// pixel the stretch that begins there first is drawn, so marks are no more than pixels. `row` says where a row is, and how high
    /// its mark.
    fn path(&self, axis: &Axis, row: &dyn Fn(usize) -> (f32, f32), scene: &mut Scene) {
        if !self.path {
            return;
        }
        let row_of: HashMap<u32, usize> =
            self.ranks.iter().enumerate().map(|(row, &rank)| (rank, row)).collect();
        let (left, right) = (axis.start(), axis.start() + axis.length());
        let (style, jump) = (scene.styles.put(&styles::PATH), scene.styles.put(&styles::JUMP));
        let mut before: Option<usize> = None;
        let mut drawn = f32::MIN;
        let mut any = false;
        for stretch in self.forest.opened.path().within(self.window.0, self.window.1) {
            let from = axis.pixel(stretch.from as f64).clamp(left, right);
            let to = axis.pixel(stretch.to as f64).clamp(left, right);
            if to.floor() <= drawn {
                continue;
            }
            drawn = to.floor();
            let at = row_of.get(&stretch.rank).copied();
            let Some(at_row) = at else {
                before = None;
                continue;
            };
            let (y, h) = row(at_row);
            let mark = Mark::of(self.place(stretch.rank)).tree(PLACES).role(3).looks(style, slot::ACCENT);
            scene.boxes.push([from, y, (to - from).max(1.0), h], mark);
            any = true;
            if let Some(last) = before.filter(|&last| last != at_row) {
                let (a, b) = (self.place(self.ranks[last]), self.place(stretch.rank));
                let mark = Mark::pair(a, b).tree(PLACES).role(3).looks(jump, slot::ACCENT);
                let ((above, high), y) = (row(last), y + h / 2.0);
                scene.links.push([from, above + high / 2.0, from, y], mark);
            }
            before = Some(at_row);
        }
        if any {
            scene.legend.push(LegendItem::new(slot::ACCENT, "critical path"));
        }
    }

    /// Stretches in which no shown rank is in a call, the longest ones.
    fn gaps(&self, calls: &[(usize, usize)]) -> Vec<(i64, i64)> {
        let of = &self.forest.opened.messages.calls;
        let mut spans: Vec<(i64, i64)> =
            calls.iter().map(|&(_, call)| (of.start[call], of.end[call])).collect();
        spans.sort_unstable();
        let mut gaps = Vec::new();
        let mut until = self.window.0;
        for (from, to) in spans.into_iter().chain([(self.window.1, self.window.1)]) {
            let from = from.min(self.window.1);
            if from > until {
                gaps.push((until, from));
            }
            // In a damaged run a call may end before it begins.
            until = until.max(to).max(from);
        }
        // Worth it only where the stretch would be much wider than its fold.
        let width = f64::from((self.size.0 - LEFT - RIGHT).max(1.0));
        let per = (self.window.1 - self.window.0).max(1) as f64 / width;
        gaps.retain(|gap| (gap.1 - gap.0) as f64 / per > FOLDED.1 * f64::from(FOLDED.0));
        gaps.sort_by_key(|gap| std::cmp::Reverse(gap.1 - gap.0));
        gaps.truncate(FOLDS);
        gaps.sort_unstable();
        gaps
    }

    /// A folded stretch is two broken lines with its length between them.
    fn zigzags(&self, axis: &Axis, gaps: &[(i64, i64)], bottom: f32, scene: &mut Scene) {
        let style = scene.styles.put(&styles::GAP);
        for gap in gaps {
            let (x0, x1) = (axis.pixel(gap.0 as f64), axis.pixel(gap.1 as f64));
            for x in [x0 + 6.0, x1 - 6.0] {
                let steps = ((bottom - HEAD) / 8.0).max(2.0) as usize;
                let point = |at: usize| {
                    let side = if at.is_multiple_of(2) { -2.0 } else { 2.0 };
                    (x + side, HEAD + (bottom - HEAD) * at as f32 / steps as f32)
                };
                scene.polygons.push((0..=steps).map(point), Mark::none().looks(style, slot::LINE));
            }
            let text = format!("no MPI for {}", quantity((gap.1 - gap.0) as f64, Unit::Ns));
            let style = TextStyle { align: Align::Middle, turned: true, ..FAINT };
            let at = ((x0 + x1) / 2.0 + 4.0, (HEAD + bottom) / 2.0);
            scene.labels.push(Label::new(at, bottom - HEAD, text, style));
        }
    }

    fn names(&self, pitch: f32, scene: &mut Scene) {
        let every = (12.0 / pitch).ceil().max(1.0) as usize;
        for (row, &rank) in self.ranks.iter().enumerate().step_by(every) {
            let y = HEAD + row as f32 * pitch + pitch / 2.0 + 4.0;
            let label = Label::new((LEFT - 8.0, y), LEFT - 12.0, format!("rank {rank}"), FAINT_END);
            scene.labels.push(label);
        }
    }

    /// Pixels, as dark as the rank that waits most of those in a row.
    fn many(&self, scene: &mut Scene) -> usize {
        let axis = over::axis(self.window, self.size.0, (LEFT, RIGHT));
        let top = HEAD + WAITING + 10.0;
        let bottom = (self.size.1 - FOOT).max(top + 8.0);
        let nx = axis.length().clamp(1.0, 4000.0) as usize;
        let ny = self.ranks.len().min((bottom - top) as usize).max(1);
        self.begin(&axis, 0.0, bottom, scene);
        bars(self.forest, &axis, (3.0, HEAD - 8.0), false, scene);
        let rows = self.shares(nx);
        let mut level = vec![0u8; nx * ny];
        let mut nodes = vec![NONE; ny];
        let mut waiting = vec![0.0f64; nx];
        for (at, share) in rows.iter().enumerate() {
            let row = (at * ny / self.ranks.len()).min(ny - 1);
            if nodes[row] == NONE {
                nodes[row] = self.place(self.ranks[at]);
            }
            for (cell, &share) in share.iter().enumerate() {
                let dark = if share > 0 { 40 + (u16::from(share) * 215 / 255) as u8 } else { 1 };
                let own = &mut level[row * nx + cell];
                *own = (*own).max(dark);
                waiting[cell] += f64::from(share) / 255.0;
            }
        }
        let style = scene.styles.put(&styles::HEAT);
        let mark = Mark::none().tree(PLACES).looks(style, Ramp::GREY.first);
        let at = [axis.start(), top, axis.length(), bottom - top];
        let mut grid = Grid::new(at, nx as u32, ny as u32, mark).ramp(Ramp::GREY);
        grid.level = level;
        grid.cells = Cells::Lines { rows: nodes, columns: vec![NONE; nx] };
        scene.grids.push(grid);
        let pitch = (bottom - top) / ny as f32;
        let row =
            |at: usize| (top + (at * ny / self.ranks.len()).min(ny - 1) as f32 * pitch, pitch.max(UNDER));
        self.path(&axis, &row, scene);
        let all = self.ranks.len() as f64;
        let mut y = Axis::linear((all, 0.0), HEAD, WAITING, Unit::Count, "ranks waiting");
        y.side = Side::None;
        let layer = scene.styles.put(&styles::WAITING);
        let mark = Mark::none().looks(layer, slot::SEVERAL);
        over::layer(scene, ("ranks waiting".to_owned(), mark), &waiting, &mut vec![0.0; nx], (&axis, &y));
        scene.end();
        scene.labels.push(Label::new((LEFT - 8.0, HEAD + 10.0), LEFT, "100 %", FAINT_END));
        scene.labels.push(Label::new((LEFT - 8.0, HEAD + 32.0), LEFT, "ranks waiting", FAINT_END));
        let every = ny.div_ceil(20).max(1);
        for row in (0..ny).step_by(every) {
            let rank = self.ranks[row * self.ranks.len() / ny];
            let y = top + (row as f32 + 0.5) * (bottom - top) / ny as f32 + 4.0;
            scene.labels.push(Label::new((LEFT - 8.0, y), LEFT - 12.0, format!("rank {rank}"), FAINT_END));
        }
        let ends = ("0".to_owned(), "100 %".to_owned());
        scene.legend.push(LegendItem::ramp(Ramp::GREY, ends, "waiting, the most of the ranks in a row"));
        ny
    }

    /// By row: how much of each cell of time its rank waited, 0…255.
    fn shares(&self, nx: usize) -> Vec<Vec<u8>> {
        let messages = &self.forest.opened.messages;
        let waits = self.forest.opened.waits();
        let per = (self.window.1 - self.window.0).max(1) as f64 / nx as f64;
        let of = |&rank: &u32| {
            let mut bins = over::Bins::new(self.window, nx);
            let calls = messages.calls.of(rank);
            let starts = messages.calls.start.get(calls.clone()).unwrap_or_default();
            let ends = messages.calls.end.get(calls.clone()).unwrap_or_default();
            let first = ends.partition_point(|&end| end < self.window.0);
            let last = starts.partition_point(|&start| start < self.window.1);
            for call in calls.start + first..calls.start + last.max(first) {
                let lost = waits.lost.get(call).copied().unwrap_or(0);
                if lost > 0 {
                    let from = messages.calls.start[call];
                    bins.add((from, from.saturating_add(lost)), lost as f64);
                }
            }
            bins.sums().iter().map(|time| (time / per * 255.0).clamp(0.0, 255.0).ceil() as u8).collect()
        };
        self.ranks.par_iter().map(of).collect()
    }
}

/// An axis on which some stretches are short.
fn folded(axis: Axis, gaps: &[(i64, i64)]) -> Axis {
    if gaps.is_empty() {
        return axis;
    }
    let whole = axis.to() - axis.from();
    let cut: f64 = gaps.iter().map(|gap| (gap.1 - gap.0) as f64).sum();
    let room = f64::from(axis.length()) - f64::from(FOLDED.0) * gaps.len() as f64;
    let per = (room / (whole - cut).max(1.0)).max(0.0);
    let mut stops = vec![Stop { value: axis.from(), at: axis.start(), folded: false }];
    let mut at = f64::from(axis.start());
    let mut value = axis.from();
    for gap in gaps {
        at += (gap.0 as f64 - value) * per;
        if gap.0 as f64 > value {
            stops.push(Stop { value: gap.0 as f64, at: at as f32, folded: true });
        } else if let Some(last) = stops.last_mut() {
            last.folded = true;
        }
        at += f64::from(FOLDED.0);
        value = gap.1 as f64;
        stops.push(Stop { value, at: at as f32, folded: false });
    }
    if value < axis.to() {
        stops.push(Stop { value: axis.to(), at: axis.start() + axis.length(), folded: false });
    }
    Axis { stops, ..axis }
}

fn why(why: Why) -> &'static str {
    match why {
        Why::LateSender => "waits for a late sender",
        Why::LateReceiver => "waits for a late receiver",
        Why::EarlyRoot | Why::LateRoot | Why::Collective => "waits in a collective",
        Why::Barrier => "waits at a barrier",
        Why::Nothing => "waits",
    }
}
