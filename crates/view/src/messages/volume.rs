//! How much was under way over time, by the pattern of its phase; and the strip at the foot of the page.

use crosscut_messages::patterns::name;
use crosscut_scene::palette::slot;
use crosscut_scene::{
    Align, Axis, Brush, Camera, Label, LegendItem, Mark, Plot, Rect, Scene, Side, TextStyle, Unit,
};
use crosscut_workbench::{Drawn, Job, Look, Refusal};

use super::gram::phases_of;
use super::over::{self, Bins, FOOT, LEFT, RIGHT};
use super::phases::{self, PhaseForest};
use super::styles::{self, role};
use crate::format::{count, quantity};

/// Above the plot.
const HEAD: f32 = 26.0;
/// Height of the bars of phases.
const PHASE: f32 = 12.0;
/// Patterns with a layer of their own; the others share one.
const LAYERS: usize = 12;

/// Draws a look; as a strip it has no texts.
pub fn draw(look: &Look, job: &Job<'_>, strip: bool) -> Result<Drawn, Refusal> {
    let made = PhaseForest::of(job, &look.tree(phases::TREE).with)?;
    let forest = phases_of(&made)?;
    let messages = &forest.opened.messages;
    let asked = if strip { None } else { look.scope.time };
    let window = over::window(messages, asked)?;
    let size = look.size.sound();
    let sides = if strip { (8.0, 8.0) } else { (LEFT, RIGHT) };
    let x = over::axis(window, size.w, sides);
    let top = if strip { 8.0 } else { HEAD };
    let foot = (size.h - FOOT - PHASE).max(top + 8.0);
    let mut scene = Scene {
        title: format!("{} · volume over time", messages.run().name()),
        width: size.w,
        height: size.h,
        ..Scene::default()
    };
    let counted = look.option("value") == Some("messages");
    let mut layers: Vec<(Layer, Vec<f64>)> = layers(forest, window, x.length() as usize, counted);
    layers.extend(of_collectives(forest, window, x.length() as usize, counted));
    let mut most = vec![0.0; layers.first().map_or(1, |layer| layer.1.len())];
    for (_, values) in &layers {
        most.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    let seconds = (window.1 - window.0) as f64 / 1e9 / most.len().max(1) as f64;
    let highest = most.iter().copied().fold(0.0, f64::max) / seconds.max(1e-12);
    let (unit, title) =
        if counted { (Unit::Count, "messages per second") } else { (Unit::Bytes, "bytes per second") };
    let mut y = Axis::linear((highest.max(1.0), 0.0), top, foot - top, unit, title);
    y.side = if strip { Side::None } else { Side::Start };
    scene.begin(Plot {
        rect: Rect { x: x.start(), y: top, w: x.length(), h: foot - top + PHASE },
        title: title.to_owned(),
        x: Some(x.clone()),
        y: Some(y.clone()),
        camera: if strip { Camera::None } else { Camera::X },
        brush: Brush::Time,
        ..Plot::default()
    });
    let style = scene.styles.put(&styles::LAYER);
    let mut below = vec![0.0; most.len()];
    for (pattern, values) in layers {
        let rates: Vec<f64> = values.iter().map(|value| value / seconds.max(1e-12)).collect();
        let (fill, name) = match pattern {
            Layer::Pattern(at) => (styles::pattern(at), format!("pattern {}", name(at))),
            Layer::Others => (slot::MUTED, "other patterns".to_owned()),
            Layer::Collectives => (slot::SEVERAL, "collectives, while they last".to_owned()),
        };
        scene.legend.push(LegendItem::new(fill, name.clone()));
        over::layer(&mut scene, (name, Mark::none().looks(style, fill)), &rates, &mut below, (&x, &y));
    }
    bars(forest, &x, (foot + 2.0, PHASE - 4.0), strip, &mut scene);
    scene.end();
    if !strip {
        let text = format!("{} at most", quantity(highest, unit));
        let style = TextStyle { align: Align::Start, ..styles::FAINT };
        scene.labels.push(Label::new((x.start(), 16.0), x.length(), format!("{title} · {text}"), style));
        let rows = over::sent_in(messages, window).len();
        scene.note = Some(format!("{} messages sent in this window", count(rows as i64)));
    }
    Ok(Drawn::scene(scene, forest.gram.phases.len()))
}

/// What a layer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    /// Messages of a pattern.
    Pattern(usize),
    /// Those of all patterns without a layer of their own.
    Others,
    /// What ranks put into collectives.
    Collectives,
}

/// Collectives, each from when its first rank entered until its last one left; none where there are none.
fn of_collectives(
    forest: &PhaseForest,
    window: (i64, i64),
    cells: usize,
    counted: bool,
) -> Option<(Layer, Vec<f64>)> {
    let messages = &forest.opened.messages;
    let all = &messages.collectives;
    let mut bins = Bins::new(window, cells);
    let mut any = false;
    for number in over::collectives(messages, &forest.timed.key, (i64::MIN, window.1)) {
        let span = (all.start[number], all.end[number].max(all.start[number]));
        any |= span.1 >= window.0;
        bins.add(span, if counted { 1.0 } else { all.bytes[number].max(0) as f64 });
    }
    any.then(|| (Layer::Collectives, bins.sums()))
}

/// By pattern, the first ones first.
fn layers(forest: &PhaseForest, window: (i64, i64), cells: usize, counted: bool) -> Vec<(Layer, Vec<f64>)> {
    let messages = &forest.opened.messages;
    let patterns = forest.gram.patterns.len().clamp(1, LAYERS + 1);
    let mut bins: Vec<Bins> = (0..patterns).map(|_| Bins::new(window, cells)).collect();
    let of = forest.pattern_of_messages();
    // A message may have been sent before the window; few are under way longer than it lasts.
    let long = (window.1 - window.0).max(1);
    let rows = over::sent_in(messages, (window.0.saturating_sub(long), window.1));
    for row in rows {
        let Some(pattern) = of.get(row).copied().filter(|&pattern| pattern != u16::MAX) else { continue };
        let value = if counted { 1.0 } else { messages.bytes[row].max(0) as f64 };
        let span = (messages.send_start[row], messages.receive_end[row].max(messages.send_start[row]));
        bins[usize::from(pattern).min(patterns - 1)].add(span, value);
    }
    let named = |at: usize| if at < LAYERS { Layer::Pattern(at) } else { Layer::Others };
    bins.into_iter().enumerate().map(|(at, bins)| (named(at), bins.sums())).collect()
}

/// When phases were.
pub fn bars(forest: &PhaseForest, x: &Axis, (top, h): (f32, f32), strip: bool, scene: &mut Scene) {
    let (left, right) = (x.start(), x.start() + x.length());
    let tree = forest.figures().tree.view();
    for (phase, &node) in forest.gram.phases.iter().zip(&forest.of_phase) {
        let from = x.pixel(phase.span.0 as f64).max(left);
        let to = x.pixel(phase.span.1 as f64).min(right);
        if to < left || from > right {
            continue;
        }
        let style = scene.styles.put(&styles::phase("phase", !strip && !tree.is_leaf(node)));
        let mark = Mark::of(node.0).role(role::OWN).looks(style, styles::pattern(phase.pattern));
        scene.boxes.push([from, top, (to - from).max(1.5), h], mark);
    }
}
