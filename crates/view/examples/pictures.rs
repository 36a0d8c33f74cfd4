//! Draws a run in all views, to look at: `cargo run -p crosscut-view --example pictures -- INPUT OUT [VISIBLE]`.
//! INPUT is a run, a trace that can be imported, or `fib:20000` and the like for a made one.

use std::path::Path;
use std::time::Instant;

use crosscut_import::Quiet;
use crosscut_run::Run;
use crosscut_scene::palette::Theme;
use crosscut_scene::png::png;
use crosscut_scene::svg::svg;
use crosscut_synth::Options;
use crosscut_view::REGISTRY;
use crosscut_workbench::{Look, OpenRun, Settings, Shown, Size, TreeKey, Workbench};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [input, out, rest @ ..] = &args[..] else { return Err("INPUT OUT [VISIBLE]".into()) };
    let visible = rest.first().map_or(Ok(500), |n| n.parse())?;
    let work = tempfile::tempdir()?;
    let run = OpenRun::open(open(input, work.path())?, REGISTRY, &Settings::new())?;
    let bench = Workbench::new(vec![run], "pictures");
    std::fs::create_dir_all(out)?;
    for view in REGISTRY.iter().flat_map(|entry| entry.views) {
        let mut look = Look::of(view.name, 0);
        look.size = Size { w: 1200.0, h: if view.hidden { 240.0 } else { 480.0 } };
        for tree in view.trees {
            // What a tree opens with is small; here it may fill the picture.
            let reached = bench.to_depth(&mut look, tree, 64, visible)?;
            if reached == 0 {
                look.trees.remove(&TreeKey::named(tree));
            }
        }
        let began = Instant::now();
        let Shown::Scene(scene) = bench.draw(&look)?.shown else { continue };
        println!(
            "{}: {} × {}, {} boxes, {} links, {:?}",
            view.name,
            scene.width,
            scene.height,
            scene.boxes.len(),
            scene.links.len(),
            began.elapsed()
        );
        for (theme, ending) in [(Theme::LIGHT, ""), (Theme::DARK, "-dark")] {
            let name = Path::new(out).join(format!("{}{ending}", view.name));
            let with = |kind: &str| format!("{}.{kind}", name.display());
            std::fs::write(with("svg"), svg(&scene, &theme))?;
            std::fs::write(with("png"), png(&scene, &theme, 1.0)?)?;
        }
    }
    Ok(())
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
