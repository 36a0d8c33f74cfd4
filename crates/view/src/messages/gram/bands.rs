//! The columns: heads, groups of senders, bands of what groups sent each other, where ranks change their groups, collectives.

use std::sync::Arc;

use crosscut_messages::flows::Flow;
use crosscut_messages::partition::{self, Overlap};
use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Ink, Label, Mark, Plate, Scene, TextStyle};
use crosscut_workbench::TreeKey;

use super::super::about::collective_words;
use super::super::communities;
use super::super::styles::{self, FAINT, FAINT_END, NAME, role};
use super::groups::Groups;
use super::heat::Heat;
use super::top::HEAD;
use super::{Column, Columns, LEFT, Shown};
use crate::format::{Unit, count, percent, quantity, text_width};

/// Width of the blocks of senders.
const BLOCK: f32 = 8.0;
/// The busiest block is so full of bands.
const FULL: f64 = 0.92;
/// Smaller shares of what goes between groups are not drawn one by one.
const SHARE: f64 = 0.004;
/// Bands of a column at most; when something is opened.
const MOST: (usize, usize) = (64, 256);
/// A band is so high at least.
const THIN: f32 = 0.8;
/// Length of the wedge of what is not drawn one by one.
const WEDGE: f32 = 14.0;
/// Room for the arrow of who is late.
const LATE: f32 = 8.0;
/// A block is named from this height on.
const NAMED: f32 = 11.0;

/// What the visible groups of a column sent each other, on average over its phases.
struct Sent {
    slots: usize,
    /// Bytes by sender and receiver.
    bytes: Vec<f64>,
    messages: f64,
    all: f64,
    inside: f64,
    /// Ranks that half of the senders send to at least.
    partners: f64,
}

impl Sent {
    fn of(shown: &Shown<'_>, column: &Column, groups: &Groups<'_>) -> Sent {
        let slots = groups.slots.len();
        let mut sent = Sent {
            slots,
            bytes: vec![0.0; slots * slots],
            messages: 0.0,
            all: 0.0,
            inside: 0.0,
            partners: 0.0,
        };
        let times = column.points.len().max(1) as f64;
        for points in &column.points {
            let flows: Arc<Vec<Flow>> = shown.forest.timed.flows(points);
            for flow in flows.iter() {
                let (Some(from), Some(to)) = (groups.slot(flow.from), groups.slot(flow.to)) else { continue };
                let bytes = flow.bytes.max(0) as f64 / times;
                sent.bytes[from * slots + to] += bytes;
                sent.messages += flow.messages as f64 / times;
                sent.all += bytes;
                if from == to {
                    sent.inside += bytes;
                }
            }
            sent.partners += partners(&flows) / times;
        }
        sent
    }

    /// Between different groups, the largest first.
    fn between(&self) -> Vec<(usize, usize, f64)> {
        let cell = |(at, &bytes): (usize, &f64)| (at / self.slots, at % self.slots, bytes);
        let mut all: Vec<(usize, usize, f64)> = self.bytes.iter().enumerate().map(cell).collect();
        all.retain(|&(from, to, bytes)| from != to && bytes > 0.0);
        all.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        all
    }

    /// Pixels for a byte such that the busiest block is nearly full.
    fn scale(&self, groups: &Groups<'_>) -> f64 {
        let mut ends = vec![(0.0f64, 0.0f64); self.slots];
        for (from, to, bytes) in self.between() {
            ends[from].0 += bytes;
            ends[to].1 += bytes;
        }
        let per = |(slot, (out, into)): (&super::groups::Slot, &(f64, f64))| {
            FULL * f64::from(slot.h) / out.max(*into).max(1e-9)
        };
        groups
            .slots
            .iter()
            .zip(&ends)
            .filter(|(_, ends)| ends.0 + ends.1 > 0.0)
            .map(per)
            .fold(f64::INFINITY, f64::min)
    }
}

/// Draws all columns between two heights; says what is left out.
pub fn draw(
    shown: &Shown<'_>,
    columns: &Columns,
    keys: &[TreeKey],
    all: &[Groups<'_>],
    room: (f32, f32),
    heat: &Heat<'_>,
    scene: &mut Scene,
) -> Vec<String> {
    let groups_of = |column: &Column| {
        let at = keys.iter().position(|key| Some(key) == column.key.as_ref())?;
        all.get(at).map(|groups| (at, groups))
    };
    let sent: Vec<Option<Sent>> = (columns.list.iter())
        .map(|column| groups_of(column).map(|(_, groups)| Sent::of(shown, column, groups)))
        .collect();
    // One scale for each pattern, or for all.
    let mut scales = vec![f64::INFINITY; all.len()];
    for (column, sent) in columns.list.iter().zip(&sent) {
        if let (Some((at, groups)), Some(sent)) = (groups_of(column), sent) {
            scales[at] = scales[at].min(sent.scale(groups));
        }
    }
    if shown.bytes || columns.list.iter().all(|column| column.few || column.key.is_none()) {
        let least = scales.iter().copied().fold(f64::INFINITY, f64::min);
        scales.fill(least);
    }
    let mut drawing = Drawing { shown, scene, room, heat, drawn: 0, flows: 0, rest: 0.0, between: 0.0 };
    let mut before: Option<(&Column, &Groups<'_>)> = None;
    for (number, column) in columns.list.iter().enumerate() {
        let role = role::COLUMN.saturating_add((number.min(200)) as u8);
        match (groups_of(column), &sent[number]) {
            (Some((at, groups)), Some(sent)) => {
                drawing.head(column, Some(sent));
                if let Some((left, old)) = before.filter(|_| column.regroup > 0.0) {
                    drawing.regroup(left, old, column, groups);
                }
                drawing.column(column, groups, sent, scales[at], role);
                before = Some((column, groups));
            }
            _ => {
                drawing.head(column, None);
                drawing.plate(column);
                before = None;
            }
        }
    }
    if let Some(first) = columns.list.iter().find(|column| column.key.is_some())
        && let Some((_, groups)) = groups_of(first)
    {
        // Beside the rows of all periods they stand before the column; strips of other periods are in the order of its groups.
        let left = if columns.raster.is_some() { first.x - LATE } else { LEFT };
        drawing.names(groups, (left - 8.0, LEFT - 24.0), first.x);
    }
    let Drawing { drawn, flows, rest, between, .. } = drawing;
    if flows == 0 {
        return Vec::new();
    }
    let rest = percent(rest, between.max(1e-9));
    vec![format!("{} of {} flows between groups, rest {rest}", count(drawn as i64), count(flows as i64))]
}

struct Drawing<'a, 's> {
    shown: &'a Shown<'s>,
    scene: &'a mut Scene,
    room: (f32, f32),
    heat: &'a Heat<'a>,
    drawn: usize,
    flows: usize,
    rest: f64,
    between: f64,
}

impl Drawing<'_, '_> {
    fn head(&mut self, column: &Column, sent: Option<&Sent>) {
        let forest = self.shown.forest;
        let top = self.room.0 - HEAD;
        let fill = column.pattern.map_or(slot::EDGE, styles::pattern);
        let tree = forest.figures().tree.view();
        let style = scene_phase(self.scene, !tree.is_leaf(column.node));
        let mark = Mark::of(column.node.0).role(role::HEAD).looks(style, fill);
        self.scene.boxes.push([column.x, top - 2.0, column.w, 2.5], mark);
        let bold = text_width(&column.name) * 1.2 + 4.0;
        if column.w >= bold {
            let at = (column.x, top + 17.0);
            self.scene.labels.push(Label::new(at, column.w, column.name.clone(), NAME));
        }
        let Some(sent) = sent else { return };
        let mut parts = head_parts(column, sent);
        if column.few {
            // Ranks one by one: nothing stays inside.
            parts.remove(1);
        }
        let left = column.w - bold - 6.0;
        // What is least important stands last, and goes first.
        for many in (1..=parts.len()).rev() {
            let text = parts[..many].join(" · ");
            if text_width(&text) <= left {
                self.scene.labels.push(Label::new((column.x + bold + 6.0, top + 17.0), left, text, FAINT));
                return;
            }
        }
    }

    fn column(&mut self, column: &Column, groups: &Groups<'_>, sent: &Sent, scale: f64, role: u8) {
        let fill = column.pattern.map_or(slot::EDGE, styles::pattern);
        let wide = self.heat.width(column).min(column.w * 0.4);
        let (left, right) = (column.x + BLOCK, column.x + column.w - wide);
        for slot in &groups.slots {
            let lane = self.scene.styles.put(&styles::lane(groups.forest.inside(slot.node)));
            let mark = Mark::none().looks(lane, fill);
            self.scene.boxes.push([left, slot.y, (right - left).max(0.0), slot.h], mark);
            let own = self.scene.styles.put(&styles::block(slot.opens));
            let colour = if slot.inside { slot_accent() } else { fill };
            let mark = Mark::of(slot.node.0).tree(groups.tree).looks(own, colour);
            self.scene.boxes.push([column.x, slot.y, BLOCK, slot.h], mark.role(role));
        }
        self.bands(groups, sent, scale, (left, right), fill, role);
        self.heat.column(column, groups, self.room, (right, wide), self.scene);
        self.late(column, groups);
        let text = match column.points.len() {
            1 => "waits".to_owned(),
            steps => format!("waits in {steps} steps"),
        };
        let at = (column.x + column.w, self.room.1 + 15.0);
        if column.w > 160.0 {
            self.scene.labels.push(Label::new(at, column.w / 2.0, text, FAINT_END));
        }
    }

    /// Who was late in this column, if a phase of the period stands out at or after it.
    fn late(&mut self, column: &Column, groups: &Groups<'_>) {
        let forest = self.shown.forest;
        let Some((phase, rank, time)) = super::heat::late(forest, column.phases.clone()) else { return };
        let Some(slot) = groups.slot(rank).map(|slot| &groups.slots[slot]) else { return };
        let ranks = groups.forest.ranks_of(slot.node);
        let at = ranks.iter().position(|&other| other == rank).unwrap_or(0) as f32 + 0.5;
        let y = slot.y + slot.h * at / ranks.len().max(1) as f32;
        let style = self.scene.styles.put(&styles::LATE);
        let mark = Mark::of(slot.node.0).tree(groups.tree).role(role::LATE).looks(style, slot::RED);
        self.scene.boxes.push([column.x - 9.0, y - 5.0, 9.0, 10.0], mark);
        let name = forest.name(forest.of_phase[phase]);
        let step = if column.points.len() > 1 { format!(" in {name}") } else { String::new() };
        let texts = [
            format!("rank {rank} late by {}{step}", quantity(time as f64, Unit::Ns)),
            format!("rank {rank} late"),
        ];
        let plate = Plate::Frame;
        let style = TextStyle { bold: true, ink: Ink::Slot(slot::RED), plate, ..TextStyle::PLAIN };
        let room = column.w - BLOCK - 12.0;
        if let Some(text) = texts.into_iter().find(|text| text_width(text) * 1.1 + 8.0 <= room) {
            let w = text_width(&text) * 1.1 + 8.0;
            self.scene.labels.push(Label::new((column.x + BLOCK + 8.0, y + 4.0), w, text, style));
        }
    }

    fn bands(
        &mut self,
        groups: &Groups<'_>,
        sent: &Sent,
        scale: f64,
        (left, right): (f32, f32),
        fill: u16,
        role: u8,
    ) {
        let all = sent.between();
        let between: f64 = all.iter().map(|band| band.2).sum();
        let many = !groups.open.is_empty() || groups.forest.few;
        let most = if many { MOST.1 } else { MOST.0 };
        let shown = all.iter().take(most).take_while(|band| many || band.2 >= SHARE * between).count();
        let (bands, rest) = all.split_at(shown);
        self.drawn += shown;
        self.flows += all.len();
        self.between += between;
        self.rest += rest.iter().map(|band| band.2).sum::<f64>();
        let slots = groups.slots.len();
        // Ends are stacked in the order of the other side; what is not drawn comes last.
        let (mut out, mut into) = (vec![0.0f64; slots], vec![0.0f64; slots]);
        for &(from, to, bytes) in &all {
            out[from] += bytes;
            into[to] += bytes;
        }
        let start = |ends: &[f64]| -> Vec<f32> {
            let top = |(slot, bytes): (&super::groups::Slot, &f64)| {
                slot.y + ((f64::from(slot.h) - bytes * scale) / 2.0).max(0.0) as f32
            };
            groups.slots.iter().zip(ends).map(top).collect()
        };
        let (mut y0, mut y1) = (start(&out), start(&into));
        let most = bands.first().map_or(1.0, |band| band.2);
        let mut ends: Vec<(f32, f32)> = vec![(0.0, 0.0); bands.len()];
        let mut order: Vec<usize> = (0..bands.len()).collect();
        order.sort_by_key(|&at| (bands[at].0, bands[at].1));
        for &at in &order {
            let (from, _, bytes) = bands[at];
            ends[at].0 = y0[from];
            y0[from] += (bytes * scale) as f32;
        }
        order.sort_by_key(|&at| (bands[at].1, bands[at].0));
        for &at in &order {
            let (_, to, bytes) = bands[at];
            ends[at].1 = y1[to];
            y1[to] += (bytes * scale) as f32;
        }
        for (&(from, to, bytes), (top0, top1)) in bands.iter().zip(ends).rev() {
            let height = ((bytes * scale) as f32).max(THIN);
            let style = self.scene.styles.put(&styles::ribbon(bytes / most));
            let (a, b) = (groups.slots[from].node.0, groups.slots[to].node.0);
            let foreign = !groups.open.is_empty() && !groups.slots[from].inside && !groups.slots[to].inside;
            let fill = if foreign { slot::EDGE } else { fill };
            let mark = Mark::pair(a, b).tree(groups.tree).role(role).looks(style, fill);
            self.scene.ribbons.push([left, top0, top0 + height, right, top1, top1 + height], mark);
        }
        self.wedges(rest, groups, scale, (left, right), (&y0, &y1));
    }

    /// What is not drawn one by one: as high as it is, and short.
    fn wedges(
        &mut self,
        rest: &[(usize, usize, f64)],
        groups: &Groups<'_>,
        scale: f64,
        (left, right): (f32, f32),
        (y0, y1): (&[f32], &[f32]),
    ) {
        let slots = groups.slots.len();
        let (mut out, mut into) = (vec![0.0; slots], vec![0.0; slots]);
        for &(from, to, bytes) in rest {
            out[from] += bytes * scale;
            into[to] += bytes * scale;
        }
        let style = self.scene.styles.put(&styles::REST);
        for at in 0..slots {
            for (height, y, x, tip) in
                [(out[at], y0[at], left, left + WEDGE), (into[at], y1[at], right, right - WEDGE)]
            {
                if height < 0.3 {
                    continue;
                }
                let (top, bottom) = (y, (y + height as f32).min(groups.slots[at].y + groups.slots[at].h));
                let mark = Mark::none().looks(style, slot::EDGE);
                self.scene.polygons.push([(x, top), (x, bottom), (tip, (top + bottom) / 2.0)], mark);
            }
        }
    }

    /// The same ranks in their old and in their new groups.
    fn regroup(&mut self, left: &Column, old: &Groups<'_>, right: &Column, new: &Groups<'_>) {
        let (rows, columns) = (old.slots.len(), new.slots.len());
        let mut shared = vec![0u32; rows * columns];
        for rank in 0..old.slot_of.len() as u32 {
            if let (Some(a), Some(b)) = (old.slot(rank), new.slot(rank)) {
                shared[a * columns + b] += 1;
            }
        }
        let mut all: Vec<(usize, usize, u32)> = (shared.iter().enumerate())
            .filter(|(_, ranks)| **ranks > 0)
            .map(|(at, &ranks)| (at / columns, at % columns, ranks))
            .collect();
        all.sort_by_key(|&(a, b, ranks)| (std::cmp::Reverse(ranks), a, b));
        // Who stays together: by the same matching as the number above.
        let overlap = |&(a, b, ranks): &(usize, usize, u32)| {
            let shared = i64::from(ranks);
            Overlap { a: a as u32, b: b as u32, shared }
        };
        let stay = partition::stay(&all.iter().map(overlap).collect::<Vec<_>>());
        let stay: Vec<bool> = all.iter().map(|one| stay.contains(&overlap(one))).collect();
        let shown = all.len().min(MOST.1);
        let (x0, x1) = (left.x + left.w, right.x);
        let mut ends = vec![(0.0f32, 0.0f32); shown];
        let mut order: Vec<usize> = (0..shown).collect();
        let per = |slot: &super::groups::Slot| slot.h / slot.ranks.max(1) as f32;
        let mut y0: Vec<f32> = old.slots.iter().map(|slot| slot.y).collect();
        let mut y1: Vec<f32> = new.slots.iter().map(|slot| slot.y).collect();
        order.sort_by_key(|&at| (all[at].0, all[at].1));
        for &at in &order {
            let (a, _, ranks) = all[at];
            ends[at].0 = y0[a];
            y0[a] += per(&old.slots[a]) * ranks as f32;
        }
        order.sort_by_key(|&at| (all[at].1, all[at].0));
        for &at in &order {
            let (_, b, ranks) = all[at];
            ends[at].1 = y1[b];
            y1[b] += per(&new.slots[b]) * ranks as f32;
        }
        for at in (0..shown).rev() {
            let (a, b, ranks) = all[at];
            let style = self.scene.styles.put(&styles::regroup(stay[at]));
            let (h0, h1) = (per(&old.slots[a]) * ranks as f32, per(&new.slots[b]) * ranks as f32);
            let (top0, top1) = ends[at];
            let mark = Mark::none().looks(style, slot::EDGE);
            self.scene.ribbons.push([x0, top0, top0 + h0, x1, top1, top1 + h1], mark);
        }
        let change = self.shown.forest.gram.phases.get(right.phases.start).map_or(0.0, |phase| phase.change);
        let middle = TextStyle { align: Align::Middle, ..FAINT };
        let (x, w) = ((x0 + x1) / 2.0, x1 - x0);
        let y = self.room.0 - HEAD;
        self.scene.labels.push(Label::new((x, y + 10.0), w, percent(change, 1.0), middle));
        self.scene.labels.push(Label::new((x, y + 22.0), w, "regroup", middle));
    }

    fn plate(&mut self, column: &Column) {
        let forest = self.shown.forest;
        let fill = column.pattern.map_or(slot::EDGE, styles::pattern);
        let opens = !forest.figures().tree.view().is_leaf(column.node);
        let style = crosscut_scene::Style { press: scene_press(opens), ..styles::PLATE };
        let style = self.scene.styles.put(&style);
        let edge = scene_phase(self.scene, opens);
        let (top, h) = (self.room.0, self.room.1 - self.room.0);
        let mark = Mark::of(column.node.0).role(role::PLATE).looks(style, fill);
        self.scene.boxes.push([column.x + BLOCK, top, column.w - BLOCK, h], mark);
        let mark = Mark::of(column.node.0).role(role::HEAD).looks(edge, fill);
        self.scene.boxes.push([column.x, top, BLOCK, h], mark);
        let words =
            column.points.first().and_then(|points| collective_words(&forest.opened, &forest.timed, points));
        let words = words.unwrap_or_else(|| column.name.clone());
        let style = TextStyle { align: Align::Middle, turned: true, ink: Ink::Slot(slot::TEXT), ..FAINT };
        let at = (column.x + BLOCK + (column.w - BLOCK) / 2.0 + 4.0, top + h / 2.0);
        self.scene.labels.push(Label::new(at, h, words, style));
    }

    /// Names of the groups of the first column, in the gutter; what is open can be closed there.
    fn names(&mut self, groups: &Groups<'_>, (end, wide): (f32, f32), x: f32) {
        let mut free = f32::NEG_INFINITY;
        for slot in &groups.slots {
            let y = slot.y + slot.h / 2.0 + 4.0;
            if slot.h < NAMED && (y - free) < 11.0 {
                continue;
            }
            if y - free < 10.0 {
                continue;
            }
            free = y;
            let text = communities::short(groups.forest.ranks_of(slot.node));
            let ink = Ink::Slot(if slot.inside { slot::ACCENT } else { slot::FAINT });
            let style = TextStyle { ink, ..FAINT_END };
            self.scene.labels.push(Label::new((end, y), wide, text, style));
        }
        for &(node, top, bottom) in &groups.open {
            let style = self.scene.styles.put(&styles::bracket(true));
            let mark = Mark::none().looks(style, slot::ACCENT);
            self.scene.polygons.push([(14.0, top), (9.0, top), (9.0, bottom), (14.0, bottom)], mark);
            let shut = self.scene.styles.put(&styles::SHUT);
            let mark = Mark::of(node.0).tree(groups.tree).role(role::SHUT).looks(shut, slot::ACCENT);
            self.scene.boxes.push([3.0, top - 6.0, 12.0, 12.0], mark);
        }
        let y = self.room.1 + 15.0;
        self.scene.labels.push(Label::new((x, y), 120.0, "senders", FAINT));
    }
}

/// How many ranks a sender sends to: the median.
fn partners(flows: &[Flow]) -> f64 {
    let mut each: Vec<usize> = flows.chunk_by(|a, b| a.from == b.from).map(<[Flow]>::len).collect();
    let middle = each.len() / 2;
    if each.is_empty() { 0.0 } else { *each.select_nth_unstable(middle).1 as f64 }
}

fn slot_accent() -> u16 {
    slot::ACCENT
}

fn scene_press(opens: bool) -> crosscut_scene::Press {
    if opens { crosscut_scene::Press::Open } else { crosscut_scene::Press::None }
}

fn scene_phase(scene: &mut Scene, opens: bool) -> u16 {
    scene.styles.put(&styles::phase("phases of this column", opens))
}

/// What a head says, the most important first.
fn head_parts(column: &Column, sent: &Sent) -> Vec<String> {
    let each = if column.points.len() > 1 { " each" } else { "" };
    vec![
        format!("{}{each}", quantity(sent.all, Unit::Bytes)),
        format!("{} inside", percent(sent.inside, sent.all.max(1e-9))),
        format!("{:.0} partners", sent.partners),
        format!("{} messages", count(sent.messages.round() as i64)),
    ]
}
