//! The parallelism profile over a window of time: running intervals, and on top of them what was ready and did not
//! run, by the kind of edge that made it ready. Each cell is the exact mean over it.

use crosscut_scene::{
    Align, Area, Axis, Brush, Camera, Ink, Label, LegendItem, Mark, Plot, Rect, Scene, Side, TextStyle, Unit,
};
use crosscut_tasks::schema::Edge;
use crosscut_tasks::{Profile, Tasks};

use crate::format::{count, three};
use crate::tasks::styles;
use crate::tasks::timeline::{FOOT, LEFT, RIGHT, time_axis};
use crate::tasks::views::ready_words;
use crosscut_scene::palette::slot;

/// Above the plot.
const HEAD: f32 = 6.0;
/// Beside the plot where there are no texts.
const BARE: f32 = 8.0;

/// How to draw the profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileOptions {
    /// Width of the pane.
    pub width: f32,
    /// Height of the pane.
    pub height: f32,
    /// Without room for texts beside it.
    pub bare: bool,
}

/// Draws the window `from..to`.
pub fn profile(tasks: &Tasks, from: i64, to: i64, options: &ProfileOptions) -> Scene {
    let sides = if options.bare { (BARE, BARE) } else { (LEFT, RIGHT) };
    let x_axis = time_axis(tasks, (from, to), options.width, sides);
    let profile = tasks.profile(from, to, x_axis.length() as usize);
    let workers = tasks.workers();
    let highest = stack_height(&profile);
    let top = top_of(highest, workers);
    let foot = options.height.max(HEAD + FOOT + 8.0) - FOOT;
    let y = |value: f64| (f64::from(foot) - (value / top).min(1.0) * f64::from(foot - HEAD)) as f32;

    let mut scene = Scene {
        title: format!("{} · parallelism", tasks.run().name()),
        width: options.width,
        height: foot + FOOT,
        ..Scene::default()
    };
    let x = x_axis.pixel(profile.from as f64);
    let cell = (profile.cell as f64 / (x_axis.to() - x_axis.from()) * f64::from(x_axis.length())) as f32;
    let mut y_axis = Axis::linear((top, 0.0), HEAD, foot - HEAD, Unit::Count, "running and ready intervals");
    y_axis.side = if options.bare { Side::None } else { Side::Start };
    scene.begin(Plot {
        rect: Rect { x: x_axis.start(), y: HEAD, w: x_axis.length(), h: foot - HEAD },
        title: "parallelism".to_owned(),
        x: Some(x_axis.clone()),
        y: Some(y_axis),
        camera: Camera::X,
        brush: Brush::Time,
        ..Plot::default()
    });
    let style = scene.styles.put(&styles::LAYER);
    let mut below = vec![0.0; profile.running.len()];
    for (name, fill, values) in layers(&profile) {
        if values.iter().all(|&value| value == 0.0) && fill != slot::RUNNING {
            continue;
        }
        let mark = Mark::none().looks(style, fill);
        let mut area = Area { name: name.clone(), mark, x, cell, y0: Vec::new(), y1: Vec::new() };
        for (below, &value) in below.iter_mut().zip(values) {
            area.y0.push(y(*below));
            *below += value.max(0.0);
            area.y1.push(y(*below));
        }
        scene.areas.push(area);
        scene.legend.push(LegendItem::new(fill, name));
    }
    worker_line(workers, y(workers as f64), &x_axis, &mut scene);
    if highest > top {
        scene.note = Some(format!("cut at {}: up to {} were running or ready", three(top), three(highest)));
    }
    scene
}

fn layers(profile: &Profile) -> impl Iterator<Item = (String, u16, &Vec<f64>)> {
    let ready = Edge::ALL.into_iter().zip(&profile.ready);
    std::iter::once(("running".to_owned(), slot::RUNNING, &profile.running)).chain(
        ready.map(|(edge, values)| {
            (format!("ready: {}", ready_words(edge)), slot::READY + edge as u16, values)
        }),
    )
}

fn stack_height(profile: &Profile) -> f64 {
    (0..profile.running.len())
        .map(|i| profile.running[i] + profile.ready.iter().map(|layer| layer[i]).sum::<f64>())
        .fold(0.0, f64::max)
}

/// The upper end of the axis. What matters is whether workers lack work, not how many thousand wait: at most four
/// times the workers are shown.
fn top_of(highest: f64, workers: usize) -> f64 {
    let workers = workers.max(1) as f64;
    highest.clamp(workers * 1.05, workers * 4.0).ceil().max(1.0)
}

fn worker_line(workers: usize, y: f32, axis: &Axis, scene: &mut Scene) {
    let (from, to) = (axis.start(), axis.start() + axis.length());
    let style = scene.styles.put(&styles::LEVEL);
    scene.links.push([from, y, to, y], Mark::none().looks(style, slot::TEXT));
    let text = format!("{} worker{}", count(workers as i64), if workers == 1 { "" } else { "s" });
    let style = TextStyle { align: Align::End, ink: Ink::Slot(slot::TEXT), ..TextStyle::PLAIN };
    scene.labels.push(Label::new((to - 4.0, y - 3.0), axis.length(), text, style));
}
