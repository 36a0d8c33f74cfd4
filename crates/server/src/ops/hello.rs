//! What is open here.

use crosscut_view::palette::Theme;

use crate::protocol::{Hello, Palettes, RunInfo};
use crate::{App, OpenRun};

/// Answers [`crate::protocol::Op::Hello`].
pub fn hello(app: &App) -> Hello {
    let colours = |theme: Theme| theme.slots().iter().map(|colour| colour.hex()).collect();
    Hello {
        crosscut: env!("CARGO_PKG_VERSION").to_owned(),
        runs: app.runs.iter().map(run_info).collect(),
        palette: Palettes { light: colours(Theme::LIGHT), dark: colours(Theme::DARK) },
    }
}

fn run_info(run: &OpenRun) -> RunInfo {
    let tasks = &run.tasks;
    let summary = tasks.summary();
    RunInfo {
        name: tasks.run().name(),
        partial: tasks.run().manifest().partial.clone(),
        clock: tasks.clock().unit().to_owned(),
        time: (0.0, summary.elapsed as f64),
        nodes: tasks.tree().node_count() as u32,
        workers: tasks.workers() as u32,
        cut: run.first_cut.to_text(),
        depth: summary.depth,
    }
}
