//! How long ranks waited, beside the bands: for each step of a column a strip of ranks. Other periods are such strips alone;
//! many periods are rows of a raster.

use std::ops::Range;

use crosscut_messages::patterns::name;
use crosscut_scene::palette::{Ramp, slot};
use crosscut_scene::{Align, Cells, Grid, Ink, Label, LegendItem, Mark, NONE, Scene, TextStyle, Unit};
use crosscut_tree::NodeId;
use crosscut_workbench::TreeKey;

use super::super::phases::{Kind, PhaseForest};
use super::super::styles::{self, FAINT, FAINT_END, NAME, role};
use super::groups::Groups;
use super::top::HEAD;
use super::{Column, Columns, Shown};
use crate::format::{count, quantity, text_width};

/// Width of a step, in a narrow pane and in a wide one.
const STEP: (f32, f32) = (6.0, 14.0);
/// From this width on a pane is wide.
const WIDE: f32 = 1600.0;
/// Steps that are drawn one by one; of more, so many columns with the longest wait of those they stand for.
const STEPS: usize = 12;
/// Little waiting is shown paler than its share: noise is no waiting.
const GAMMA: f64 = 0.85;
/// What stands below the raster may reach so far beyond it.
const BESIDE: f32 = 60.0;
/// A phase that waits so many times as long as is usual is black in the raster.
const BLACK: f64 = 4.0;

/// What the strips of a picture share.
pub struct Heat<'a> {
    shown: &'a Shown<'a>,
    /// The longest wait of any rank that is shown.
    most: i64,
    /// By column: waits by rank of what is no whole phase.
    parts: Vec<Option<Vec<i64>>>,
    nodes: Vec<NodeId>,
}

impl<'a> Heat<'a> {
    /// For these columns.
    pub fn of(shown: &'a Shown<'a>, columns: &Columns) -> Heat<'a> {
        let forest = shown.forest;
        let parts: Vec<Option<Vec<i64>>> =
            columns.list.iter().map(|column| part_waits(forest, column.node)).collect();
        let nodes = columns.list.iter().map(|column| column.node).collect();
        let phases = columns.list.iter().zip(&parts).filter(|(_, part)| part.is_none());
        let phases = phases.flat_map(|(column, _)| column.phases.clone());
        let others = columns.others.iter().flat_map(|other| other.phases.clone());
        let most = forest.waiting.most(phases.chain(others));
        let inside = parts.iter().flatten().flat_map(|row| row.iter().max()).copied().max().unwrap_or(0);
        Heat { shown, most: most.max(inside), parts, nodes }
    }

    fn step(&self) -> f32 {
        if self.shown.size.w >= WIDE { STEP.1 } else { STEP.0 }
    }

    /// Width of the strips of a column.
    pub fn width(&self, column: &Column) -> f32 {
        column.points.len().clamp(1, STEPS) as f32 * self.step()
    }

    fn level(&self, wait: i64) -> u8 {
        if self.most <= 0 {
            return 1;
        }
        let share = (wait as f64 / self.most as f64).clamp(0.0, 1.0).powf(GAMMA);
        1 + (share * 254.0).round() as u8
    }

    /// The strips of a column.
    pub fn column(
        &self,
        column: &Column,
        groups: &Groups<'_>,
        room: (f32, f32),
        (x, w): (f32, f32),
        scene: &mut Scene,
    ) {
        let part =
            self.nodes.iter().position(|&node| node == column.node).and_then(|at| self.parts[at].as_ref());
        let waiting = &self.shown.forest.waiting;
        let rows: Vec<Vec<&[i64]>> = match part {
            Some(row) => vec![vec![&row[..]]],
            None => {
                let phases: Vec<usize> = column.phases.clone().collect();
                let each = phases.len().div_ceil(STEPS).max(1);
                let of = |phase: &usize| waiting.by_phase.get(*phase).map(Vec::as_slice);
                phases.chunks(each).map(|steps| steps.iter().filter_map(of).collect()).collect()
            }
        };
        self.grid(&rows, groups, room, (x, w), scene);
    }

    /// Pixel rows with the longest wait of the ranks in each.
    fn grid(
        &self,
        rows: &[Vec<&[i64]>],
        groups: &Groups<'_>,
        (top, bottom): (f32, f32),
        (x, w): (f32, f32),
        scene: &mut Scene,
    ) {
        let ny = (bottom - top).floor().clamp(1.0, 2000.0) as usize;
        let nx = rows.len().max(1);
        let style = scene.styles.put(&styles::HEAT);
        let mark = Mark::none().tree(groups.tree).looks(style, Ramp::GREY.first);
        let mut grid = Grid::new([x, top, w, bottom - top], nx as u32, ny as u32, mark).ramp(Ramp::GREY);
        grid.gap_x = if w / nx as f32 >= 5.0 { 0.6 } else { 0.0 };
        grid.level = vec![0; nx * ny];
        let mut nodes = vec![NONE; nx * ny];
        let leaves = groups.forest.figures().tree.view();
        for y in 0..ny {
            let at = top + (y as f32 + 0.5) * (bottom - top) / ny as f32;
            let slot = groups.slots.partition_point(|slot| slot.y <= at).checked_sub(1);
            let Some(slot) = slot.map(|slot| &groups.slots[slot]).filter(|slot| at < slot.y + slot.h) else {
                continue;
            };
            let ranks = groups.forest.ranks_of(slot.node);
            let per = ranks.len() as f32 / slot.h.max(1e-3);
            let first = (((at - slot.y - 0.5) * per).max(0.0) as usize).min(ranks.len().saturating_sub(1));
            let last =
                (((at - slot.y + 0.5) * per).ceil() as usize).clamp(first + 1, ranks.len().max(first + 1));
            let members = ranks.get(first..last).unwrap_or_default();
            for (column, steps) in rows.iter().enumerate() {
                let wait = |rank: u32| {
                    steps.iter().filter_map(|row| row.get(rank as usize)).copied().max().unwrap_or(0)
                };
                let most =
                    members.iter().enumerate().max_by_key(|&(at, &rank)| (wait(rank), usize::MAX - at));
                let Some((within, &rank)) = most else { continue };
                grid.level[y * nx + column] = self.level(wait(rank));
                nodes[y * nx + column] = match leaves.is_leaf(slot.node) {
                    true => slot.node.0,
                    false => leaf(groups, slot.node, first + within),
                };
            }
        }
        grid.cells = Cells::Each(nodes);
        scene.grids.push(grid);
    }

    /// What grey means.
    pub fn legend(&self, scene: &mut Scene) {
        if self.most > 0 {
            let ends = ("0".to_owned(), quantity(self.most as f64, Unit::Ns));
            scene.legend.push(LegendItem::ramp(Ramp::GREY, ends, "wait"));
        }
    }
}

/// The leaf of a rank of a group, by its place in it.
fn leaf(groups: &Groups<'_>, node: NodeId, at: usize) -> u32 {
    let members = &groups.forest.members;
    let Some(place) = members.get(node.index()).map(|range| range.start + at) else { return NONE };
    groups.forest.leaves.get(place).map_or(NONE, |leaf| leaf.0)
}

/// Waits by rank of a sub-phase; none for what is made of whole phases.
fn part_waits(forest: &PhaseForest, id: NodeId) -> Option<Vec<i64>> {
    let node = forest.node(id).filter(|node| node.kind == Kind::Part)?;
    let span = forest.totals[id.index()].span;
    // Barriers before and after it are not its own.
    let phases = [
        (0..0, (i64::MIN, i64::MIN)),
        (node.points.clone(), span),
        (0..0, (span.1.saturating_add(1), i64::MAX)),
    ];
    let messages = &forest.opened.messages;
    forest.opened.waits().by_phase(messages, &forest.timed.clock, &phases).into_iter().nth(1)
}

/// Trees of groups that other periods need.
pub fn keys(forest: &PhaseForest, columns: &Columns) -> Vec<TreeKey> {
    let mut patterns: Vec<usize> = columns
        .others
        .iter()
        .flat_map(|other| &forest.gram.phases[other.phases.clone()])
        .map(|p| p.pattern)
        .collect();
    patterns.sort_unstable();
    patterns.dedup();
    let first = patterns.into_iter().filter_map(|pattern| forest.first_of(pattern));
    first.filter(|phase| phase.messages > 0).map(|phase| forest.communities(&phase.points)).collect()
}

/// Other periods: their waits alone, since their bands would be the same.
pub fn others(
    shown: &Shown<'_>,
    columns: &Columns,
    keys: &[TreeKey],
    all: &[Groups<'_>],
    room: (f32, f32),
    heat: &Heat<'_>,
    scene: &mut Scene,
) {
    let forest = shown.forest;
    for other in &columns.others {
        let each = other.w / other.phases.len().max(1) as f32;
        let mut x = other.x;
        let phases: Vec<usize> = other.phases.clone().collect();
        for same in phases.chunk_by(|&a, &b| forest.gram.phases[a].pattern == forest.gram.phases[b].pattern) {
            let w = each * same.len() as f32 - 1.0;
            let pattern = forest.gram.phases[same[0]].pattern;
            let style = scene.styles.put(&styles::phase("these phases", false));
            let mark = Mark::of(other.node.0).role(role::HEAD).looks(style, styles::pattern(pattern));
            scene.boxes.push([x, room.0 - HEAD - 2.0, w, 2.5], mark);
            let letter = TextStyle { align: Align::Middle, ..FAINT };
            let text = name(pattern);
            let at = (x + w / 2.0, room.0 - HEAD + 17.0);
            if w >= text_width(&text) {
                scene.labels.push(Label::new(at, w, text, letter));
            }
            let key = forest.first_of(pattern).map(|first| forest.communities(&first.points));
            let groups = keys.iter().position(|own| Some(own) == key.as_ref()).and_then(|at| all.get(at));
            if let Some(groups) = groups.or_else(|| all.first()) {
                let rows: Vec<Vec<&[i64]>> = (same.iter())
                    .filter_map(|&phase| forest.waiting.by_phase.get(phase))
                    .map(|row| vec![&row[..]])
                    .collect();
                heat.grid(&rows, groups, room, (x, w), scene);
            }
            x += w + 1.0;
        }
        let style = TextStyle { align: Align::Middle, ..FAINT };
        let name = forest.name(other.node);
        let short = name.strip_prefix("iteration ").unwrap_or(&name).to_owned();
        let text = if text_width(&name) <= other.w + 10.0 { name } else { short };
        let at = (other.x + other.w / 2.0, room.1 + 15.0);
        scene.labels.push(Label::new(at, other.w.max(text_width(&text)), text, style));
    }
}

/// All periods as rows: a cell for each phase, as dark as it waits beside what is usual at its place.
pub fn raster(shown: &Shown<'_>, columns: &Columns, (top, bottom): (f32, f32), scene: &mut Scene) {
    let Some((x, w)) = columns.raster else { return };
    let forest = shown.forest;
    let tree = forest.figures().tree.view();
    let periods: Vec<(NodeId, Range<usize>)> = (tree.children(NodeId::ROOT))
        .filter_map(|node| Some((node, forest.node(node)?.phases.clone())))
        .collect();
    let Some(long) = periods.first().map(|(_, phases)| phases.len().max(1)) else { return };
    let row = ((bottom - top) / periods.len() as f32).min(13.0);
    let cell = w / long as f32;
    let mean = |phase: usize| forest.waiting.mean.get(phase).copied().unwrap_or(0.0);
    let usual: Vec<f64> = (0..long)
        .map(|place| {
            let mut all: Vec<f64> =
                periods.iter().filter(|(_, p)| place < p.len()).map(|(_, p)| mean(p.start + place)).collect();
            let middle = all.len() / 2;
            if all.is_empty() { 0.0 } else { *all.select_nth_unstable_by(middle, f64::total_cmp).1 }
        })
        .collect();
    let style = scene.styles.put(&styles::BESIDE_USUAL);
    let h = row * periods.len() as f32;
    let mark = Mark::none().looks(style, Ramp::GREY.first);
    let mut grid = Grid::new([x, top, w, h], long as u32, periods.len() as u32, mark).ramp(Ramp::GREY);
    (grid.gap_x, grid.gap_y) = (if cell >= 6.0 { 1.0 } else { 0.0 }, if row >= 4.0 { 1.0 } else { 0.0 });
    let mut nodes = Vec::with_capacity(long * periods.len());
    let out = scene.styles.put(&styles::OUT);
    for (number, (_, phases)) in periods.iter().enumerate() {
        for (place, &usual) in usual.iter().enumerate() {
            let phase = phases.start + place;
            let known = place < phases.len();
            let more = (mean(phase) / usual.max(1.0) - 1.0) / (BLACK - 1.0);
            grid.level.push(if known { 1 + (more.clamp(0.0, 1.0) * 254.0) as u8 } else { 0 });
            nodes.push(if known { forest.of_phase.get(phase).map_or(NONE, |node| node.0) } else { NONE });
            let far = mean(phase) > 2.0 * usual && mean(phase) - usual > 2e6;
            if known && far {
                let at = [x + place as f32 * cell, top + number as f32 * row, cell - 1.0, row - 1.0];
                scene.boxes.push(at, Mark::none().looks(out, slot::RED));
            }
        }
    }
    grid.cells = Cells::Each(nodes);
    scene.grids.push(grid);
    raster_names(shown, &periods, (x, top, cell, row), scene);
    let texts = [
        "a phase's wait beside the usual at its place; black from 4 times on",
        "beside the usual wait; black from 4×",
    ];
    if let Some(text) = texts.into_iter().find(|text| text_width(text) <= w + BESIDE) {
        scene.labels.push(Label::new((x, top + h + 15.0), w + BESIDE, text, FAINT));
    }
}

fn raster_names(
    shown: &Shown<'_>,
    periods: &[(NodeId, Range<usize>)],
    (x, top, cell, row): (f32, f32, f32, f32),
    scene: &mut Scene,
) {
    let forest = shown.forest;
    let Some((_, first)) = periods.first() else { return };
    let phases: Vec<usize> = first.clone().collect();
    let mut at = x;
    for same in phases.chunk_by(|&a, &b| forest.gram.phases[a].pattern == forest.gram.phases[b].pattern) {
        let pattern = forest.gram.phases[same[0]].pattern;
        let w = cell * same.len() as f32;
        let style = scene.styles.put(&styles::phase("phases at this place", false));
        let mark = Mark::none().looks(style, styles::pattern(pattern));
        scene.boxes.push([at, top - 8.0, w - 1.0, 4.0], mark);
        let text = if same.len() > 1 { format!("{}×{}", name(pattern), same.len()) } else { name(pattern) };
        let style = TextStyle { align: Align::Middle, ..NAME };
        scene.labels.push(Label::new((at + w / 2.0, top - 12.0), w, text, style));
        at += w;
    }
    let every = (14.0 / row).ceil().max(1.0) as usize;
    let rim = scene.styles.put(&styles::RIM);
    for (number, (node, phases)) in periods.iter().enumerate() {
        let y = top + number as f32 * row;
        let open = shown.cut.is_open(*node);
        if open {
            let at = [x - 1.0, y - 1.0, cell * phases.len() as f32 + 1.0, row + 1.0];
            scene.boxes.push(at, Mark::none().looks(rim, slot::ACCENT));
        }
        if open || number == 0 || (number + 1) % (every.max(5)) == 0 {
            let ink = Ink::Slot(if open { slot::ACCENT } else { slot::FAINT });
            let style = TextStyle { ink, bold: open, ..FAINT_END };
            let text = count(number as i64 + 1);
            scene.labels.push(Label::new((x - 6.0, y + row / 2.0 + 4.0), 60.0, text, style));
        }
    }
}

/// Who was late in some phases, if a phase of the same period stands out at or after them: phase, rank, how late.
pub fn late(forest: &PhaseForest, phases: Range<usize>) -> Option<(usize, u32, i64)> {
    let waiting = &forest.waiting;
    let period = forest
        .nodes
        .iter()
        .find(|node| node.kind == Kind::Period && node.phases.contains(&phases.start))
        .map_or(0..forest.gram.phases.len(), |node| node.phases.clone());
    let out = (period.start..period.end).rev().find(|&phase| waiting.stands_out.get(phase) == Some(&true))?;
    // The origin: who was latest by itself in the whole period up to there. By wall time what began before that phase was over may stand
    // behind it.
    let span = |phase: usize| forest.gram.phases.get(phase).map_or((i64::MAX, i64::MAX), |phase| phase.span);
    let is_before = |phase: &usize| *phase <= out || span(*phase).0 < span(out).1;
    let all = period.clone().filter(is_before).filter_map(|phase| {
        let (rank, time) = waiting.late.get(phase).copied().flatten()?;
        Some((phase, rank, time))
    });
    let origin = all.max_by_key(|&(phase, _, time)| (time, std::cmp::Reverse(phase)))?;
    phases.contains(&origin.0).then_some(origin)
}
