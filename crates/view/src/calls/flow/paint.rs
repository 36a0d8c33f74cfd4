//! Draws a flow that was laid out: bars, what of them is spent itself, bands, names, small strips over places.

use crosscut_calls::graph::Split;
use crosscut_scene::format::{fit_end, fit_start, percent, quantity, text_width};
use crosscut_scene::palette::{Ramp, slot};
use crosscut_scene::{Grid, Label, LegendItem, Mark, NONE, Plot, Rect, Scene, Stroke, Style, rank};
use crosscut_workbench::Look;

use super::super::info;
use super::super::merged::{self, SuperForest};
use super::super::opened::Opened;
use super::super::styles::{self, ALARM, FAINT_HALO, NAME_BOLD, NAME_HALO, role};
use super::laid::{Laid, SIDE};
use super::shown::{Shown, traced};
use super::sides_beside;

/// Number of the tree of super nodes in the view.
pub const SUPER: u8 = 2;
/// Itself is told and seen from this share of the program on.
const TOLD: f64 = 0.002;
/// A strip is drawn from this share on, and where ranks differ by so much.
const STRIP: (f64, f64) = (0.004, 0.1);
/// Size of a strip.
const SMALL: (f32, f32) = (40.0, 12.0);
/// Height of the two lines above a bar.
const NAMED: f32 = 30.0;
/// Imbalance is told from this ratio on, and this share of the program.
const UNEVEN: (f64, f64) = (1.25, 0.01);
/// Where the colour of a difference ends, as a share of a rank's time.
const CLIP: f64 = 0.12;
/// Differences that are told, as a share of a rank's time.
const MUCH: f64 = 0.0025;

/// Strips over places, and what is told of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AtPlaces {
    /// They are there.
    Drawn,
    /// They come with the next picture.
    Later,
}

/// Whether anything is told of places: not of what is compared, nor of a part of the run.
pub fn tells_of_places(shown: &Shown) -> bool {
    shown.sides.len() == 1 && shown.part.is_empty()
}

/// Draws.
pub fn paint(
    opened: &Opened,
    look: &Look,
    forest: &SuperForest,
    shown: &Shown,
    laid: &Laid,
    places: AtPlaces,
) -> Scene {
    let size = look.size.sound();
    let mut scene = Scene {
        title: format!("{} · flow of calls", opened.calls.run().name()),
        width: size.w,
        height: size.h,
        ..Scene::default()
    };
    let on = look.selected.as_ref().filter(|on| on.run == look.run && on.tree.name == merged::TREE);
    let selected =
        on.and_then(|on| on.nodes.first()).map(|node| forest.super_node(node)).filter(|&node| node > 0);
    let rect = Rect { x: 0.0, y: 0.0, w: size.w, h: size.h };
    scene.begin(Plot { rect, title: "flow of calls".to_owned(), ..Plot::default() });
    let painter = Painter {
        forest,
        shown,
        laid,
        places,
        bar: if shown.sides.len() > 2 { 40.0 } else { 14.0 },
        // What is traced is known of the whole run only.
        trace: selected
            .filter(|_| shown.part.is_empty())
            .map(|node| traced(forest, shown, node))
            .unwrap_or_default(),
    };
    let beside = sides_beside(look, shown);
    for side in 0..beside {
        let left = side as f32 * size.w / beside as f32;
        painter.bands(side, left, &mut scene);
        painter.bars(side, (left, size.w / beside as f32), &mut scene);
        if beside > 1 {
            let title = &shown.sides[side].title;
            scene.labels.push(Label::new(
                (left + SIDE, size.h - 6.0),
                size.w / 2.0,
                title.clone(),
                styles::FAINT,
            ));
        }
    }
    scene.end();
    painter.legend(&mut scene);
    scene.note = Some(painter.note());
    scene
}

struct Painter<'a> {
    forest: &'a SuperForest,
    shown: &'a Shown,
    laid: &'a Laid,
    places: AtPlaces,
    bar: f32,
    /// By band: the part that belongs to the selection.
    trace: Vec<f64>,
}

impl Painter<'_> {
    fn height(&self, value: f64) -> f32 {
        (value * self.laid.scale) as f32
    }

    /// The node of a bar; none where only another run has it.
    fn node(&self, bar: usize) -> u32 {
        self.shown.bars[bar].node.map_or(NONE, |node| self.forest.node(node).0)
    }

    /// How far a name may run: up to what stands beside it on its right. `x` is the left end of bars.
    fn room(&self, bar: usize, width: f32) -> f32 {
        let (x, top) = (self.laid.x[bar], self.laid.top[bar]);
        let most = |bar: usize| self.shown.graph.weight.get(bar).copied().unwrap_or(0.0);
        let stands_beside = |&other: &usize| {
            let (from, to) = (self.laid.top[other] - NAMED, self.laid.top[other] + self.height(most(other)));
            self.laid.x[other] > x && from < top && to > top - NAMED
        };
        let bars = (0..self.shown.bars.len()).filter(stands_beside).map(|other| self.laid.x[other] - 8.0);
        bars.fold(width - SIDE / 2.0, f32::min) - x
    }

    /// Two sides, and what the first has more than the second.
    fn difference(&self, of: impl Fn(&super::shown::Side) -> f64) -> Option<f64> {
        match &self.shown.sides[..] {
            [a, b] => Some(of(a) - of(b)),
            _ => None,
        }
    }

    fn shade(&self, difference: f64) -> u16 {
        let whole = self.shown.whole(0).max(self.shown.whole(1)).max(f64::MIN_POSITIVE);
        let share = (difference.abs() / whole / CLIP).min(1.0).sqrt().copysign(difference);
        Ramp::DIFFERENCE.slot(0.5 + share / 2.0)
    }

    fn bands(&self, side: usize, left: f32, scene: &mut Scene) {
        let mut order: Vec<usize> = (0..self.laid.stretches.len()).collect();
        let flow = |at: usize| self.mean_flow(self.laid.stretches[at].band, side);
        // Narrow ones over wide ones.
        order.sort_by(|&a, &b| flow(b).total_cmp(&flow(a)).then(a.cmp(&b)));
        let plain = scene.styles.put(&styles::BAND);
        let differs = scene.styles.put(&styles::BAND_DIFFERS);
        let traced = scene.styles.put(&styles::TRACED);
        for at in order {
            let stretch = self.laid.stretches[at];
            let h = self.height(flow(at)).max(0.6);
            let (from, to) = self.shown.bands[stretch.band];
            let name =
                format!("{}>{}@{}", self.shown.bars[from].name, self.shown.bars[to].name, stretch.x.0 as i32);
            let id = stable(&name, side);
            let one = sides_of(self.shown) == 2 && self.shown.sides.len() == 2 && left == 0.0;
            let difference = self.difference(|side| side.flow[stretch.band]).filter(|_| one);
            let (style, fill) = match difference {
                Some(difference) => (differs, self.shade(difference)),
                None => (plain, slot::EDGE),
            };
            let mark = Mark::pair(self.node(from), self.node(to)).tree(SUPER).id(id);
            let (x0, x1) = (left + stretch.x.0, left + stretch.x.1);
            let (a, b) = stretch.top;
            scene.ribbons.push([x0, a, a + h, x1, b, b + h], mark.looks(style, fill));
            if stretch.to >= self.shown.bars.len() && h > 2.0 {
                // Where a band passes a level its two stretches are one.
                let joint = Style {
                    hit: false,
                    stroke: Stroke::None,
                    rank: rank::BAND + 1,
                    ..scene.styles.at(style).clone()
                };
                let joint = mark.role(role::JOINT).looks(scene.styles.put(&joint), fill);
                scene.ribbons.push([x1 - 1.0, b + 0.4, b + h - 0.4, x1 + 1.0, b + 0.4, b + h - 0.4], joint);
            }
            let part = self.trace.get(stretch.band).copied().unwrap_or(0.0);
            if part > 0.0 {
                let h = h * part as f32;
                let mark = mark.role(role::TRACED).looks(traced, slot::ACCENT);
                scene.ribbons.push([x0, a, a + h, x1, b, b + h], mark);
            }
        }
    }

    /// Of many runs the mean, else that of the side.
    fn mean_flow(&self, band: usize, side: usize) -> f64 {
        match self.shown.sides.len() {
            0..=2 => self.shown.sides[side].flow[band],
            runs => self.shown.sides.iter().map(|side| side.flow[band]).sum::<f64>() / runs as f64,
        }
    }

    fn bars(&self, side: usize, (left, width): (f32, f32), scene: &mut Scene) {
        let most = self.shown.sides[side].own.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        for bar in 0..self.shown.bars.len() {
            let (x, top) = (left + self.laid.x[bar], self.laid.top[bar]);
            if self.shown.sides.len() > 2 {
                self.ensemble(bar, (x, top), scene);
            } else {
                self.one(bar, side, (x, top), most, scene);
            }
            self.name(bar, side, (x, top, self.room(bar, width)), scene);
        }
    }

    fn one(&self, bar: usize, side: usize, (x, top): (f32, f32), most: f64, scene: &mut Scene) {
        let of = &self.shown.sides[side];
        let whole = self.shown.whole(side).max(f64::MIN_POSITIVE);
        let h = self.height(of.inclusive[bar]).max(1.5);
        let node = &self.shown.bars[bar];
        let id = stable(&node.name, side);
        let style = match node.node {
            Some(_) => styles::bar(node.copied),
            None => styles::said(format!("{}: only in {}", node.name, self.elsewhere(bar))),
        };
        let style = scene.styles.put(&style);
        let mark = Mark::of(self.node(bar)).tree(SUPER).id(id);
        scene.boxes.push([x, top, self.bar, h], mark.looks(style, slot::RAISED));
        let own = of.own[bar];
        let least = if own >= TOLD * whole { 1.5 } else { 0.0 };
        let own_h = self.height(own).max(least).min(h);
        if own_h > 0.0 {
            let fill = match self.difference(|side| side.own[bar]) {
                Some(difference) => self.shade(difference),
                None => Ramp::MORE.slot(0.15 + 0.85 * (own / most).sqrt()),
            };
            let style = scene.styles.put(&styles::ITSELF);
            let at = [x + 0.5, top + h - own_h, self.bar - 1.0, own_h];
            scene.boxes.push(at, mark.role(role::ITSELF).looks(style, fill));
        }
        let folded = self.height(of.folded[bar]);
        if folded >= 1.0 && node.folded > 0 {
            let style = scene.styles.put(&styles::folded(node.folded));
            let at = [x + self.bar, top + h - own_h - folded, 14.0, folded];
            scene.boxes.push(at, mark.role(role::FOLDED).looks(style, slot::EDGE));
            if folded >= 9.0 {
                let at = (x + self.bar + 2.0, top + h - own_h - folded / 2.0 + 3.0);
                let label = Label::new(at, 14.0, format!("+{}", node.folded), styles::TINY);
                scene.labels.push(label);
            }
        }
    }

    /// One column for each run: with callees pale, itself dark.
    fn ensemble(&self, bar: usize, (x, top): (f32, f32), scene: &mut Scene) {
        let runs = self.shown.sides.len();
        let most = self.shown.graph.weight.get(bar).copied().unwrap_or(0.0);
        let foot = top + self.height(most);
        let w = self.bar / runs as f32;
        let id = stable(&self.shown.bars[bar].name, 0);
        let frame = scene.styles.put(&styles::bar(self.shown.bars[bar].copied));
        let mark = Mark::of(self.node(bar)).tree(SUPER).id(id);
        scene.boxes.push([x, top, self.bar, (foot - top).max(1.5)], mark.looks(frame, slot::RAISED));
        let gap = if w > 3.0 { 1.0 } else { 0.0 };
        for (number, side) in self.shown.sides.iter().enumerate() {
            let part = |value: f64, role: u8, fill: u16, scene: &mut Scene| {
                let h = self.height(value);
                let said = format!("{}: {}", side.title, self.text(value));
                let style = scene.styles.put(&styles::run(said));
                let at = [x + number as f32 * w, foot - h, (w - gap).max(0.5), h];
                scene.boxes.push(at, mark.role(role).id(stable(&side.title, bar)).looks(style, fill));
            };
            part(side.inclusive[bar], role::RUN, slot::SEVERAL, scene);
            part(side.own[bar], role::RUN_ITSELF, Ramp::MORE.slot(1.0), scene);
        }
    }

    fn name(&self, bar: usize, side: usize, (x, top, room): (f32, f32, f32), scene: &mut Scene) {
        let of = &self.shown.sides[side];
        let whole = self.shown.whole(side).max(f64::MIN_POSITIVE);
        let alarm = self.alarm(bar);
        let style = if alarm.is_some() { NAME_BOLD } else { NAME_HALO };
        let named = &self.shown.bars[bar];
        let fit = if named.by_end { fit_end } else { fit_start };
        // 12 px are wider than the 11 px that widths are told for, bold ones still more.
        let wider = if alarm.is_some() { 1.2 } else { 1.1 };
        if let Some(text) = fit(&named.title(), room / wider) {
            scene.labels.push(Label::new((x, top - 17.0), room, text, style));
        }
        let mut at = x;
        let strip = self.strip(bar);
        if let Some(levels) = strip.filter(|_| room > SMALL.0 + 40.0) {
            self.small(bar, (x, top - 15.0), levels, alarm.is_some(), scene);
            at += SMALL.0 + 4.0;
        }
        let room = room - (at - x);
        let share = percent(of.inclusive[bar], whole);
        let own = (of.own[bar] >= TOLD * whole).then(|| percent(of.own[bar], whole));
        let difference = self.difference(|side| side.own[bar]).filter(|d| d.abs() >= MUCH * whole);
        let here = of.inclusive[bar] > 0.0 || self.shown.sides.len() != 2;
        let words = match (&alarm, difference, own) {
            _ if !here => vec![format!("only in {}", self.elsewhere(bar)), "not here".to_owned()],
            (_, Some(difference), _) => {
                let sign = if difference < 0.0 { "−" } else { "+" };
                vec![format!("{share} · {sign}{} itself", self.text(difference.abs())), share]
            }
            (Some(alarm), None, _) => {
                // The sign is never left out.
                let sign = text_width(alarm) + 6.0;
                let fits = text_width(&share) + sign <= room;
                let x = if fits { at + text_width(&share) + 6.0 } else { at };
                scene.labels.push(Label::new((x, top - 5.0), room, alarm.clone(), ALARM));
                if fits { vec![share] } else { Vec::new() }
            }
            (None, None, Some(own)) if own == share => vec![format!("{share} itself"), share],
            (None, None, Some(own)) => vec![format!("{share} · itself {own}"), share],
            (None, None, None) => vec![share],
        };
        if let Some(text) = words.into_iter().find(|text| text_width(text) <= room) {
            scene.labels.push(Label::new((at, top - 5.0), room, text, FAINT_HALO));
        }
    }

    /// The runs that have a bar.
    fn elsewhere(&self, bar: usize) -> String {
        let has = self.shown.sides.iter().filter(|side| side.inclusive[bar] > 0.0);
        has.map(|side| side.title.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn text(&self, value: f64) -> String {
        let metric = self.forest.calls().summary().metrics.get(self.forest.making.metric);
        metric.map_or_else(String::new, |metric| {
            let (one, unit) = info::value(metric, 1_000_000);
            quantity(value * one / 1e6, unit)
        })
    }

    /// What is spent itself at each place.
    fn at_places(&self, bar: usize) -> Option<&[i64]> {
        if !tells_of_places(self.shown) || self.places == AtPlaces::Later {
            return None;
        }
        self.forest.own_at_places(self.shown.bars[bar].node?)
    }

    /// `▲×2.8` where some ranks spend much more itself than the mean.
    fn alarm(&self, bar: usize) -> Option<String> {
        let spread = self.shown.peers.imbalance(self.at_places(bar)?)?;
        let ratio = spread.ratio;
        let lost = spread.mean * (ratio - 1.0) * self.shown.peers.len() as f64;
        let metric = self.forest.making.metric;
        let whole = self.forest.graph.inclusive(metric).first().copied().unwrap_or(0) as f64;
        (ratio >= UNEVEN.0 && lost >= UNEVEN.1 * whole).then(|| format!("▲×{ratio:.1}"))
    }

    /// Itself by rank in a few buckets, 0…1 of the largest, and which are above the mean; none where ranks hardly differ.
    fn strip(&self, bar: usize) -> Option<Vec<(f64, bool)>> {
        let values = self.shown.peers.sums(self.at_places(bar)?);
        let metric = self.forest.making.metric;
        let whole = self.forest.graph.inclusive(metric).first().copied().unwrap_or(0) as f64;
        let mean = values.iter().map(|&value| value as f64).sum::<f64>() / values.len() as f64;
        let far = |value: i64| (value as f64 - mean).abs();
        let differs = values.iter().any(|&value| far(value) > STRIP.1 * mean);
        if !differs || mean * (values.len() as f64) < STRIP.0 * whole {
            return None;
        }
        let cells = values.len().min((SMALL.0 / 2.0) as usize);
        let most = values.iter().copied().max().unwrap_or(0).max(1) as f64;
        let cell = |cell: usize| {
            let range = cell * values.len() / cells..(cell + 1) * values.len() / cells;
            let value = range.filter_map(|at| values.get(at)).copied().max_by_key(|&value| far(value) as i64);
            let value = value.unwrap_or(0) as f64;
            (value / most, value > UNEVEN.0 * mean)
        };
        Some((0..cells).map(cell).collect())
    }

    fn small(
        &self,
        bar: usize,
        (x, y): (f32, f32),
        levels: Vec<(f64, bool)>,
        alarm: bool,
        scene: &mut Scene,
    ) {
        let style = scene.styles.put(&styles::SMALL);
        let id = stable(&self.shown.bars[bar].name, 7);
        let mark = Mark::of(self.node(bar)).tree(SUPER).role(role::STRIP).id(id).looks(style, slot::EDGE);
        let mut grid = Grid::new([x, y, SMALL.0, SMALL.1], levels.len() as u32, 1, mark);
        grid.level = levels.iter().map(|(share, _)| (share * 254.0).clamp(0.0, 254.0) as u8 + 1).collect();
        let strong = if alarm { slot::RED } else { slot::TEXT };
        let fill = |high: bool| if high { strong } else { slot::SEVERAL } as u8;
        grid.fill = levels.iter().map(|&(_, high)| fill(high)).collect();
        scene.grids.push(grid);
    }

    fn legend(&self, scene: &mut Scene) {
        let bar = scene.styles.put(&styles::bar(false));
        scene.legend.push(LegendItem::of(bar, slot::RAISED, "with callees"));
        let word = self.shown.peers.each().word();
        match self.shown.sides.len() {
            2 => {
                let most = self.text(self.shown.whole(0).max(self.shown.whole(1)) * CLIP);
                let ends = (format!("−{most}"), format!("+{most}"));
                let what = format!("itself, difference for each {word}");
                scene.legend.push(LegendItem::ramp(Ramp::DIFFERENCE, ends, what));
            }
            1 => {
                let most = self.shown.sides[0].own.iter().copied().fold(0.0, f64::max);
                let ends = ("0".to_owned(), percent(most, self.shown.whole(0)));
                scene.legend.push(LegendItem::ramp(Ramp::MORE, ends, "itself"));
                scene.legend.push(LegendItem::new(slot::RED, format!("▲ most ≥ 1.25 × mean of {word}s")));
            }
            _ => {
                scene.legend.push(LegendItem::new(slot::SEVERAL, "with callees, a column for each run"));
                scene.legend.push(LegendItem::new(Ramp::MORE.slot(1.0), "itself"));
            }
        }
        if !self.trace.is_empty() {
            scene.legend.push(LegendItem::new(slot::ACCENT, "what belongs to the selection"));
        }
    }

    fn note(&self) -> String {
        let bars = self.shown.bars.len() - 1;
        let all = self.shown.of.saturating_sub(1);
        let each = format!(" for each {}", self.shown.peers.each().word());
        let what = if self.shown.runs || self.shown.sides.len() > 1 { each.as_str() } else { "" };
        let only = self.shown.bars.iter().filter(|bar| bar.node.is_none()).count();
        let alone = if only > 0 { format!(", {only} that only other runs have") } else { String::new() };
        let whole = self.text(self.shown.whole(0));
        let part = if self.shown.part.is_empty() { String::new() } else { format!(" {}", self.shown.part) };
        let idle = self.forest.graph.idle_splits();
        let idle = if idle.is_empty() {
            String::new()
        } else {
            format!("; nothing to split: {}", Split::list_to_text(idle))
        };
        format!("{} of {all} super nodes{alone}; the program is {whole}{what}{part}{idle}", bars - only)
    }
}

/// How many flows there are to tell apart.
fn sides_of(shown: &Shown) -> usize {
    shown.sides.len().min(2)
}

/// A number for a name that stays, whatever else there is.
fn stable(name: &str, side: usize) -> u32 {
    let hash = name
        .bytes()
        .chain([side as u8])
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash & 0x7fff_ffff
}
