//! Speed-up against the number of workers: the band between what every greedy schedule reaches and what none can exceed,
//! the ideal, the run itself as a point, and curves that were predicted. Both axes are logarithmic, so that the ideal is
//! a straight line.

use std::borrow::Cow;

use crosscut_scene::format::three;
use crosscut_scene::palette::slot;
use crosscut_scene::{
    Align, Axis, Dash, Fill, LegendItem, Mark, Plot, Rect, Scene, Shape, Side, Stop, Stroke, Style, Unit,
    rank,
};
use crosscut_tasks::Tasks;
use crosscut_workbench::Size;

use super::{note, within};
use crate::tasks::predict::counts;
use crate::tasks::words::ratio;

/// Room around the plot: left, top, right, bottom.
const MARGINS: [f32; 4] = [44.0, 8.0, 16.0, 26.0];

/// Bounds of the speed-up with a greedy scheduler on some number of workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Number of workers.
    pub workers: u32,
    /// No greedy scheduler is slower.
    pub low: f64,
    /// Nothing is faster.
    pub high: f64,
}

/// A curve that was predicted.
#[derive(Clone, Debug)]
pub struct Curve<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Workers with their speed-up.
    pub points: Vec<(u32, f64)>,
    /// Palette slot.
    pub fill: u16,
    /// How the line is broken.
    pub dash: Dash,
}

/// work / (work / P + span) and min(P, work / span), at the numbers of workers that are predicted.
pub fn bounds(tasks: &Tasks) -> Vec<Bound> {
    let summary = tasks.summary();
    let parallelism = ratio(summary.work, summary.span).max(1.0);
    let (work, span) = (summary.work.max(1) as f64, summary.span.max(1) as f64);
    let bound = |workers: u32| Bound {
        workers,
        low: work / (work / f64::from(workers) + span),
        high: f64::from(workers).min(parallelism),
    };
    counts(summary.workers.max(1)).into_iter().map(bound).collect()
}

/// Draws the bounds alone.
pub fn draw(tasks: &Tasks, size: Size) -> Scene {
    chart(tasks, &bounds(tasks), &[], Rect { x: 0.0, y: 0.0, w: size.w, h: size.h })
}

/// Draws bounds and curves into a rectangle of a scene of their own.
pub fn chart(tasks: &Tasks, bounds: &[Bound], curves: &[Curve<'_>], room: Rect) -> Scene {
    let summary = tasks.summary();
    let observed = ratio(summary.work, summary.elapsed);
    let own = summary.workers.max(1);
    let frame = within(room.w, room.h, MARGINS);
    let frame = Rect { x: frame.x + room.x, y: frame.y + room.y, ..frame };
    let points = || curves.iter().flat_map(|curve| curve.points.iter().map(|&(_, speedup)| speedup));
    let most = bounds.iter().map(|bound| bound.workers).chain([own, 2]).max().map_or(2.0, f64::from);
    let limit = bounds.iter().map(|bound| bound.high).fold(1.0, f64::max);
    let top = points().fold(limit.max(observed).max(2.0), f64::max) * 1.15;
    let lowest =
        bounds.iter().map(|bound| bound.low).chain(points()).fold(1.0f64.min(observed.max(1e-9)), f64::min);
    let low = (lowest / 1.1).max(1.0 / 1024.0);
    let x = log_axis((1.0, most), frame.x, frame.w, "workers");
    let y = Axis { side: Side::Start, ..log_axis((top, low), frame.y, frame.h, "speed-up") };
    let title = format!("{} · speed-up by number of workers", tasks.run().name());
    let mut scene = Scene { title, width: room.x + room.w, height: room.y + room.h, ..Scene::default() };
    scene.begin(Plot {
        rect: frame,
        title: "speed-up".to_owned(),
        x: Some(x.clone()),
        y: Some(y.clone()),
        ..Plot::default()
    });
    let at = |workers: f64, speedup: f64| (x.pixel(workers), y.pixel(speedup.max(low)));
    // min(P, work / span) has its corner where it need not be a number of workers.
    let corner = limit.min(most);
    let ceiling = [at(1.0, 1.0), at(corner, corner), at(most, corner)];
    let floor: Vec<(f32, f32)> = bounds.iter().map(|bound| at(bound.workers.into(), bound.low)).collect();
    band(&mut scene, &ceiling, &floor);
    let ideal = most.min(top);
    line(&mut scene, &[at(1.0, 1.0), at(ideal, ideal)], Dash::Dotted, slot::FAINT, "ideal");
    line(&mut scene, &ceiling, Dash::Solid, slot::EDGE, "nothing is faster");
    line(&mut scene, &floor, Dash::Dashed, slot::EDGE, "no greedy schedule is slower");
    for curve in curves {
        let through: Vec<(f32, f32)> =
            curve.points.iter().map(|&(workers, speedup)| at(workers.into(), speedup)).collect();
        let style = line(&mut scene, &through, curve.dash, curve.fill, "predicted");
        scene.legend.push(LegendItem::of(style, curve.fill, curve.name));
        dots(&mut scene, &through, curve);
    }
    recorded(&mut scene, at(own.into(), observed), observed, frame);
    scene
}

fn log_axis((from, to): (f64, f64), start: f32, length: f32, title: &str) -> Axis {
    let stops = vec![
        Stop { value: from, at: start, folded: false },
        Stop { value: to, at: start + length, folded: false },
    ];
    let linear = Axis::linear((from, to), start, length, Unit::Ratio, title);
    Axis { stops, log: true, ..linear }
}

fn band(scene: &mut Scene, ceiling: &[(f32, f32)], floor: &[(f32, f32)]) {
    let style = Style {
        fill: Fill::Faint,
        hit: false,
        rank: rank::BAND,
        meaning: Cow::Borrowed("between what every greedy schedule reaches and what none can exceed"),
        ..Style::BOX
    };
    let style = scene.styles.put(&style);
    let around = ceiling.iter().chain(floor.iter().rev()).copied();
    scene.polygons.push(around, Mark::none().looks(style, slot::RUNNING));
    scene.legend.push(LegendItem::of(style, slot::RUNNING, "bounds from work and critical path"));
}

/// A line through points; its style.
fn line(scene: &mut Scene, points: &[(f32, f32)], dash: Dash, fill: u16, meaning: &'static str) -> u16 {
    let style = Style {
        shape: Shape::Line,
        fill: Fill::None,
        stroke: Stroke::Slot(fill),
        width: 1.5,
        dash,
        hit: false,
        rank: rank::LINK,
        meaning: Cow::Borrowed(meaning),
        ..Style::BOX
    };
    let style = scene.styles.put(&style);
    scene.polygons.push(points.iter().copied(), Mark::none().looks(style, fill));
    style
}

fn dots(scene: &mut Scene, through: &[(f32, f32)], curve: &Curve<'_>) {
    let style = scene.styles.put(&Style { meaning: Cow::Borrowed("predicted"), ..Style::POINT });
    for &(x, y) in through {
        scene.points.push([x, y, 2.5], Mark::none().looks(style, curve.fill));
    }
}

/// The run itself.
fn recorded(scene: &mut Scene, (x, y): (f32, f32), observed: f64, frame: Rect) {
    let style = Style {
        shape: Shape::Diamond,
        stroke: Stroke::Slot(slot::TEXT),
        meaning: Cow::Borrowed("recorded"),
        rank: rank::SIGN,
        ..Style::POINT
    };
    let style = scene.styles.put(&style);
    scene.points.push([x, y, 5.0], Mark::none().looks(style, slot::ACCENT));
    let text = format!("recorded {}×", three(observed));
    let left = x > frame.x + frame.w / 2.0;
    let (anchor, align) = if left { (x - 9.0, Align::End) } else { (x + 9.0, Align::Start) };
    note(scene, (anchor, y + 4.0), frame.w / 2.0, text, align);
    scene.legend.push(LegendItem::of(style, slot::ACCENT, "recorded"));
}
