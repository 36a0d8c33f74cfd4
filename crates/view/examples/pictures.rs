//! Draws a run in all views, to look at: `cargo run -p crosscut-view --example pictures -- INPUT OUT [VISIBLE]`.
//! INPUT is a run, a trace that can be imported, or `fib:20000` and the like for a made one.

use std::path::Path;
use std::time::Instant;

use crosscut_import::Quiet;
use crosscut_run::Run;
use crosscut_synth::Options;
use crosscut_tasks::Tasks;
use crosscut_tree::Cut;
use crosscut_view::colour::ColourBy;
use crosscut_view::dag::{DagOptions, Scale, dag};
use crosscut_view::palette::Theme;
use crosscut_view::png::png;
use crosscut_view::profile::{ProfileOptions, profile};
use crosscut_view::scene::Scene;
use crosscut_view::svg::svg;
use crosscut_view::timeline::{TimelineOptions, timeline};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [input, out, rest @ ..] = &args[..] else { return Err("INPUT OUT [VISIBLE]".into()) };
    let visible = rest.first().map_or(Ok(500), |n| n.parse())?;
    let work = tempfile::tempdir()?;
    let tasks = Tasks::open(open(input, work.path())?)?;
    let cut = Cut::fitting(tasks.tree(), visible);
    std::fs::create_dir_all(out)?;
    let write = |name: &str, scene: &Scene, theme: &Theme| -> Outcome<()> {
        std::fs::write(Path::new(out).join(format!("{name}.svg")), svg(scene, theme))?;
        std::fs::write(Path::new(out).join(format!("{name}.png")), png(scene, theme, 1.0)?)?;
        println!(
            "{name}: {} × {}, {} boxes, {} links",
            scene.width,
            scene.height,
            scene.boxes.len(),
            scene.links.len()
        );
        Ok(())
    };
    let began = Instant::now();
    let scene = dag(&tasks, &cut, &DagOptions { critical: true, ..DagOptions::default() });
    println!(
        "{} items in {:?}",
        crosscut_tree::fold::visible(&crosscut_tree::Plain(tasks.tree()), &cut).count(),
        began.elapsed()
    );
    write("dag", &scene, &Theme::LIGHT)?;
    write("dag-dark", &scene, &Theme::DARK)?;
    let options = DagOptions { colour: ColourBy::Source, scale: Scale::Log, critical: false };
    write("dag-log", &dag(&tasks, &cut, &options), &Theme::LIGHT)?;
    let options = DagOptions { colour: ColourBy::Kind, scale: Scale::Linear, critical: false };
    write("dag-linear", &dag(&tasks, &cut, &options), &Theme::LIGHT)?;
    let end = tasks.summary().elapsed;
    let options = TimelineOptions { width: 1200.0, height: 400.0, colour: ColourBy::Worker, focus: None };
    write("timeline", &timeline(&tasks, 0, end, &options), &Theme::LIGHT)?;
    let options = TimelineOptions { colour: ColourBy::Source, ..options };
    write("timeline-zoom", &timeline(&tasks, end / 3, end / 3 + end / 50, &options), &Theme::DARK)?;
    let options = ProfileOptions { width: 1200.0, height: 240.0 };
    write("profile", &profile(&tasks, 0, end, &options), &Theme::LIGHT)?;
    write("profile-dark", &profile(&tasks, 0, end, &options), &Theme::DARK)
}

fn open(input: &str, work: &Path) -> Outcome<Run> {
    let name =
        Path::new(input).file_stem().map_or("made".into(), |name| name.to_string_lossy().replace(':', "-"));
    let target = work.join(format!("{name}.crosscut"));
    if let Some((shape, nodes)) = input.split_once(':') {
        let options =
            Options { shape: shape.parse()?, nodes: nodes.parse()?, workers: 4, ..Options::default() };
        return Ok(crosscut_synth::tasks(&target, &options, &|_, _| {})?);
    }
    if Path::new(input).is_dir() {
        return Ok(Run::open(Path::new(input))?);
    }
    Ok(crosscut_import::import(Path::new(input), &target, &crosscut_import::Options::default(), &Quiet)?)
}
