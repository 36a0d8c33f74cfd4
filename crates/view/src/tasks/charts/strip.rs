//! The strip at the foot of the page: the parallelism of the whole run at a glance, and the brush that every view of time
//! follows.

use crosscut_scene::{Brush, Camera, Scene};
use crosscut_tasks::Tasks;
use crosscut_workbench::Size;

use crate::tasks::profile::{ProfileOptions, profile};

/// Draws it.
pub fn draw(tasks: &Tasks, size: Size) -> Scene {
    let elapsed = tasks.summary().elapsed.max(1);
    let mut scene = profile(tasks, 0, elapsed, &ProfileOptions { width: size.w, height: size.h });
    for plot in &mut scene.plots {
        plot.camera = Camera::None;
        plot.brush = Brush::Time;
    }
    scene
}
