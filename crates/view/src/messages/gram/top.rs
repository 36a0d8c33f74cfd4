//! Above the columns: what repeats, the curve, the strip of all phases, and from which cells of it each column is.

use crosscut_messages::gram::Phase;
use crosscut_messages::patterns::{Expression, Folded, name};
use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Axis, Brush, Ink, Label, Mark, Plot, Rect, Scene, Side, Stop, TextStyle, Unit};
use crosscut_tree::NodeId;

use super::super::phases::PhaseForest;
use super::super::styles::{self, FAINT_END, NAME, role};
use super::{Columns, LEFT, RIGHT, Shown};
use crate::format::{count, many, quantity, text_width};

/// Height of the brackets.
const STRUCTURE: f32 = 28.0;
/// Where the curve begins, and how high it is: in a low pane, in a high one.
const CURVE: (f32, f32, f32) = (38.0, 46.0, 80.0);
/// From this height on a pane is high.
const HIGH: f32 = 900.0;
/// Height of the strip.
const STRIP: f32 = 16.0;
/// Height of the bars of waiting: in a low pane, in a high one.
const WAIT: (f32, f32) = (28.0, 54.0);
/// From the strip to the columns.
const FUNNEL: f32 = 22.0;
/// Height of the heads of columns.
pub const HEAD: f32 = 26.0;
/// Cells from this width on have rings.
const RINGS: f32 = 14.0;
/// From this width on, numbers beside them.
const NUMBERS: f32 = 44.0;
/// From this width on, letters.
const LETTERS: f32 = 12.0;
/// A bracket has its own text from this width on.
const BRACKET: f32 = 40.0;

/// Where the cells of the strip are.
pub struct Strip {
    /// Width of one.
    pub cell: f32,
    /// Top edge.
    pub y: f32,
}

impl Strip {
    /// Left edge of a phase.
    pub fn x(&self, phase: usize) -> f32 {
        LEFT + phase as f32 * self.cell
    }
}

/// Draws everything above the columns; says where they begin.
pub fn draw(shown: &Shown<'_>, columns: &Columns, scene: &mut Scene) -> f32 {
    let forest = shown.forest;
    let phases = &forest.gram.phases;
    let width = (shown.size.w - LEFT - RIGHT).max(1.0);
    let high = if shown.size.h >= HIGH { CURVE.2 } else { CURVE.1 };
    let strip = Strip { cell: width / phases.len() as f32, y: CURVE.0 + high + 6.0 };
    structure(shown, &strip, scene);
    curve(forest, &strip, high, scene);
    cells(shown, &strip, columns, scene);
    let mut y = strip.y + STRIP;
    let wait = if shown.size.h >= HIGH { WAIT.1 } else { WAIT.0 };
    waits(forest, &strip, (y + 4.0, y + 4.0 + wait), scene);
    y += 4.0 + wait;
    funnel(columns, &strip, (y, y + FUNNEL), scene);
    y + FUNNEL + HEAD
}

/// Brackets over periods, and what repeats.
fn structure(shown: &Shown<'_>, strip: &Strip, scene: &mut Scene) {
    let forest = shown.forest;
    let tree = forest.figures().tree.view();
    let periods: Vec<NodeId> =
        if forest.has_periods { tree.children(NodeId::ROOT).collect() } else { Vec::new() };
    let times = match periods.len() {
        0 => many(forest.gram.phases.len(), "phase"),
        times => format!("{} ×", count(times as i64)),
    };
    scene.labels.push(Label::new((8.0, 14.0), LEFT - 12.0, times, NAME));
    if !periods.is_empty() {
        let text = many(forest.gram.phases.len(), "phase");
        scene.labels.push(Label::new((8.0, 29.0), LEFT - 12.0, text, styles::FAINT));
    }
    let inner = match &forest.gram.expression.parts[..] {
        [Folded::Repeat { of, .. }] if forest.has_periods => Expression { parts: of.clone() },
        _ => forest.gram.expression.clone(),
    };
    let text = inner.to_string();
    let wide = (text_width(&text) * 1.15).max(BRACKET);
    let spans: Vec<(NodeId, std::ops::Range<usize>)> = match periods.is_empty() {
        true => vec![(NodeId::ROOT, 0..forest.gram.phases.len())],
        false => periods.iter().filter_map(|&id| Some((id, forest.node(id)?.phases.clone()))).collect(),
    };
    let each = spans.first().map_or(0.0, |(_, phases)| phases.len() as f32 * strip.cell);
    let few = each >= wide + 24.0;
    for (id, phases) in spans {
        let (x0, x1) = (strip.x(phases.start) + 1.0, strip.x(phases.end) - 1.0);
        let focused = id != NodeId::ROOT && shown.cut.is_open(id);
        let style = scene.styles.put(&styles::bracket(focused));
        let mark = Mark::of(id.0).role(role::BRACKET).looks(style, slot::EDGE);
        if few {
            let (a, b) = ((x0 + x1 - wide) / 2.0, (x0 + x1 + wide) / 2.0);
            scene.polygons.push([(x0, 22.0), (x0, 12.0), (a, 12.0)], mark);
            scene.polygons.push([(b, 12.0), (x1, 12.0), (x1, 22.0)], mark);
        } else if focused || each >= 8.0 {
            scene.polygons.push([(x0, 24.0), (x0, 20.0), (x1, 20.0), (x1, 24.0)], mark);
        }
        let hit = scene.styles.put(&crosscut_scene::Style {
            fill: crosscut_scene::Fill::None,
            ..match focused {
                true => styles::open_phase("what repeats, once"),
                false => styles::phase("what repeats, once", id != NodeId::ROOT),
            }
        });
        let mark = Mark::of(id.0).role(role::OWN).looks(hit, slot::EDGE);
        scene.boxes.push([x0, 4.0, (x1 - x0).max(1.0), STRUCTURE - 6.0], mark);
        if few {
            let ink = Ink::Slot(if focused { slot::ACCENT } else { slot::TEXT });
            let style = TextStyle { align: Align::Middle, ink, ..NAME };
            scene.labels.push(Label::new(((x0 + x1) / 2.0, 16.0), x1 - x0, text.clone(), style));
        }
    }
    if !few {
        let x = LEFT + (shown.size.w - LEFT - RIGHT) / 2.0;
        let style = TextStyle { align: Align::Middle, ..NAME };
        scene.labels.push(Label::new((x, 14.0), shown.size.w - LEFT - RIGHT, text, style));
    }
}

/// Flat while the groups stay, a stem where they change; a ring says how far they are from those before.
fn curve(forest: &PhaseForest, strip: &Strip, high: f32, scene: &mut Scene) {
    let phases = &forest.gram.phases;
    let (top, bottom) = (CURVE.0, CURVE.0 + high);
    let width = strip.cell * phases.len() as f32;
    let stop = |value: f64, at: f32| Stop { value, at, folded: false };
    let y = Axis {
        stops: vec![stop(1.0, top), stop(0.0, bottom)],
        log: false,
        unit: Unit::Ratio,
        title: String::new(),
        side: Side::Start,
        grid: true,
    };
    scene.begin(Plot {
        rect: Rect { x: LEFT, y: top - 6.0, w: width, h: high + 8.0 },
        title: "distance from the first phase".to_owned(),
        y: Some(y.clone()),
        wheel: Some("k".to_owned()),
        ..Plot::default()
    });
    let flat = scene.styles.put(&styles::CURVE);
    let stem = scene.styles.put(&styles::STEM);
    let ring = scene.styles.put(&styles::RING);
    for at in 0..phases.len() {
        let level = y.pixel(phases[at].height);
        let mark = Mark::of(forest.of_phase[at].0).role(role::CURVE);
        scene.boxes.push(
            [strip.x(at), level - 2.0, strip.cell, 4.0],
            mark.looks(flat, styles::pattern(phases[at].pattern)),
        );
        if at > 0 && phases[at].pattern != phases[at - 1].pattern {
            let before = y.pixel(phases[at - 1].height);
            let change = y.pixel(phases[at].change);
            let (x, low) = (strip.x(at), level.max(before).max(change));
            let none = Mark::none().looks(stem, slot::TEXT);
            scene.links.push([x, level.min(before).min(change), x, low], none);
            if strip.cell >= RINGS {
                scene.points.push([x, change, 3.0], mark.looks(ring, slot::SURFACE));
            }
            if strip.cell >= NUMBERS && phases[at].change > 0.0 {
                let text = format!("{:.2}", phases[at].change);
                scene.labels.push(Label::new((x - 6.0, change + 11.0), strip.cell, text, FAINT_END));
            }
        }
    }
    scene.end();
    scene.labels.push(Label::new((8.0, top + high / 2.0 - 2.0), 58.0, "distance", styles::FAINT));
    scene.labels.push(Label::new((8.0, top + high / 2.0 + 11.0), 58.0, "from first", styles::FAINT));
}

/// An axis of time on which every phase is as wide as every other.
fn strip_axis(phases: &[Phase], strip: &Strip, elapsed: f64) -> Axis {
    let mut stops = vec![Stop { value: 0.0, at: strip.x(0), folded: false }];
    for (at, pair) in phases.windows(2).enumerate() {
        let middle = (pair[0].span.1 as f64 + pair[1].span.0 as f64) / 2.0;
        let last = stops.last().map_or(0.0, |stop| stop.value);
        stops.push(Stop { value: middle.clamp(last, elapsed.max(last)), at: strip.x(at + 1), folded: false });
    }
    let last = stops.last().map_or(0.0, |stop| stop.value);
    stops.push(Stop { value: elapsed.max(last), at: strip.x(phases.len()), folded: false });
    Axis { stops, log: false, unit: Unit::Ns, title: String::new(), side: Side::None, grid: false }
}

fn cells(shown: &Shown<'_>, strip: &Strip, columns: &Columns, scene: &mut Scene) {
    let forest = shown.forest;
    let (phases, tree) = (&forest.gram.phases, forest.figures().tree.view());
    let elapsed = forest.opened.messages.summary().elapsed as f64;
    scene.begin(Plot {
        rect: Rect { x: LEFT, y: strip.y, w: strip.cell * phases.len() as f32, h: STRIP },
        title: "phases".to_owned(),
        x: Some(strip_axis(phases, strip, elapsed)),
        brush: Brush::Time,
        wheel: Some("k".to_owned()),
        ..Plot::default()
    });
    let gap = if strip.cell >= 5.0 { 1.0 } else { 0.0 };
    for (at, phase) in phases.iter().enumerate() {
        let node = forest.of_phase[at];
        let style = match shown.cut.is_open(node) {
            true => styles::open_phase("phase"),
            false => styles::phase("phase", !tree.is_leaf(node)),
        };
        let style = scene.styles.put(&style);
        let mark = Mark::of(node.0).looks(style, styles::pattern(phase.pattern));
        let w = (strip.cell - gap).max(0.4);
        scene.boxes.push([strip.x(at), strip.y, w, STRIP], mark);
        if strip.cell >= LETTERS {
            let style = TextStyle { align: Align::Middle, bold: true, ..TextStyle::PLAIN };
            let at = (strip.x(at) + w / 2.0, strip.y + 12.0);
            scene.labels.push(Label::new(at, w, name(phase.pattern), style).of(node.0, role::OWN));
        }
    }
    scene.end();
    // What is looked at below.
    if let (Some(first), Some(last)) = (columns.list.first(), columns.list.last()) {
        let rim = scene.styles.put(&styles::RIM);
        let (x0, x1) = (strip.x(first.phases.start), strip.x(last.phases.end));
        let mark = Mark::none().looks(rim, slot::ACCENT);
        scene.boxes.push([x0 - 1.0, strip.y - 1.0, x1 - x0 + 1.0, STRIP + 2.0], mark);
    }
}

/// How long a rank waited in each phase, on average; red where that stands out.
fn waits(forest: &PhaseForest, strip: &Strip, (top, bottom): (f32, f32), scene: &mut Scene) {
    let waiting = &forest.waiting;
    let most = waiting.mean.iter().copied().fold(0.0, f64::max);
    scene.labels.push(Label::new((8.0, top + 10.0), LEFT - 12.0, "wait", styles::FAINT));
    scene.labels.push(Label::new((8.0, top + 23.0), LEFT - 12.0, "per rank", styles::FAINT));
    let rule = scene.styles.put(&styles::RULE);
    let right = strip.x(waiting.mean.len());
    scene.links.push([LEFT, bottom, right, bottom], Mark::none().looks(rule, slot::GRID));
    if most <= 0.0 {
        return;
    }
    let (grey, red) = (scene.styles.put(&styles::WAIT), scene.styles.put(&styles::LONG));
    let inset = if strip.cell >= 5.0 { strip.cell * 0.2 } else { 0.0 };
    for (at, &mean) in waiting.mean.iter().enumerate() {
        let h = (mean / most) as f32 * (bottom - top);
        let (style, fill) = if waiting.stands_out[at] { (red, slot::RED) } else { (grey, slot::SEVERAL) };
        let mark = Mark::of(forest.of_phase[at].0).role(role::WAIT).looks(style, fill);
        scene.boxes.push([strip.x(at) + inset, bottom - h, (strip.cell - 2.0 * inset).max(0.6), h], mark);
    }
    wait_labels(forest, strip, top, scene);
}

/// What stands out most is said first; others where neither a text nor a bar that stands out is in the way.
fn wait_labels(forest: &PhaseForest, strip: &Strip, top: f32, scene: &mut Scene) {
    let waiting = &forest.waiting;
    let mut out: Vec<usize> = (0..waiting.mean.len()).filter(|&at| waiting.stands_out[at]).collect();
    let bars: Vec<(f32, f32)> = out.iter().map(|&at| (strip.x(at), strip.x(at + 1))).collect();
    let beyond = |at: usize| waiting.mean[at] - waiting.usual[at];
    out.sort_by(|&a, &b| beyond(b).total_cmp(&beyond(a)).then(a.cmp(&b)));
    let right = strip.x(waiting.mean.len());
    let mut taken = bars;
    for at in out {
        let say = |time: f64| quantity(time, Unit::Ns);
        let text = format!("{} · usual {}", say(waiting.mean[at]), say(waiting.usual[at]));
        let w = text_width(&text) * 1.1 + 2.0;
        let free = |x: &f32| {
            let clear = taken.iter().all(|&(from, to)| *x >= to || x + w <= from);
            clear && *x >= LEFT && x + w <= right
        };
        let places = [strip.x(at + 1) + 4.0, strip.x(at) - 4.0 - w];
        let Some(x) = places.into_iter().find(free) else { continue };
        let style = TextStyle { bold: true, ink: Ink::Slot(slot::RED), ..TextStyle::PLAIN };
        scene.labels.push(Label::new((x, top + 10.0), w, text, style));
        taken.push((x, x + w + 6.0));
    }
}

fn funnel(columns: &Columns, strip: &Strip, (top, bottom): (f32, f32), scene: &mut Scene) {
    let style = scene.styles.put(&styles::FUNNEL);
    for column in &columns.list {
        let Some(pattern) = column.pattern else { continue };
        let (x0, x1) = (strip.x(column.phases.start), strip.x(column.phases.end));
        let mark = Mark::of(column.node.0).role(role::FUNNEL).looks(style, styles::pattern(pattern));
        let points = [(x0, top + 2.0), (x1, top + 2.0), (column.x + column.w, bottom), (column.x, bottom)];
        scene.polygons.push(points, mark);
    }
}
