//! The parallelism profile over a window of time: running intervals, and on top of them what was ready and did not
//! run, by the kind of edge that made it ready. Each cell is the exact mean over it.

use crosscut_tasks::schema::Edge;
use crosscut_tasks::{Profile, Tasks};

use crate::format::{count, three};
use crate::palette::slot;
use crate::scene::{Align, Area, Axis, Label, LegendItem, Scene, Shape, flag};
use crate::timeline::{FOOT, at, time_axis};

/// Above the plot.
const HEAD: f32 = 6.0;

/// How to draw the profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileOptions {
    /// Width of the pane.
    pub width: f32,
    /// Height of the pane.
    pub height: f32,
}

/// Draws the window `from..to`.
pub fn profile(tasks: &Tasks, from: i64, to: i64, options: &ProfileOptions) -> Scene {
    let x_axis = time_axis(tasks, from, to, options.width);
    let profile = tasks.profile(from, to, x_axis.length as usize);
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
    let x = at(&x_axis, profile.from);
    let cell = (profile.cell as f64 / (x_axis.to - x_axis.from) * f64::from(x_axis.length)) as f32;
    let mut below = vec![0.0; profile.running.len()];
    for (name, fill, values) in layers(&profile) {
        if values.iter().all(|&value| value == 0.0) && fill != slot::RUNNING {
            continue;
        }
        let mut area = Area { name: name.clone(), fill, x, cell, y0: Vec::new(), y1: Vec::new() };
        for (below, &value) in below.iter_mut().zip(values) {
            area.y0.push(y(*below));
            *below += value.max(0.0);
            area.y1.push(y(*below));
        }
        scene.areas.push(area);
        scene.legend.push(LegendItem { fill, text: name });
    }
    worker_line(workers, y(workers as f64), &x_axis, &mut scene);
    if highest > top {
        scene.note = Some(format!("cut at {}: up to {} were running or ready", three(top), three(highest)));
    }
    scene.y_axis = Some(Axis {
        from: top,
        to: 0.0,
        start: HEAD,
        length: foot - HEAD,
        unit: String::new(),
        title: "running and ready intervals".to_owned(),
    });
    scene.x_axis = Some(x_axis);
    scene
}

fn layers(profile: &Profile) -> impl Iterator<Item = (String, u16, &Vec<f64>)> {
    let ready = Edge::ALL.into_iter().zip(&profile.ready);
    std::iter::once(("running".to_owned(), slot::RUNNING, &profile.running)).chain(
        ready.map(|(edge, values)| (format!("ready: {}", edge.word()), slot::READY + edge as u16, values)),
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
    scene.boxes.push(
        axis.start,
        y - 0.5,
        axis.length,
        1.0,
        u32::MAX,
        slot::SEVERAL,
        Shape::Plain,
        flag::PART,
    );
    let text = format!("{} worker{}", count(workers as i64), if workers == 1 { "" } else { "s" });
    let x = axis.start + axis.length - 4.0;
    scene.labels.push(Label { x, y: y - 3.0, w: axis.length, text, align: Align::End, node: None });
}
