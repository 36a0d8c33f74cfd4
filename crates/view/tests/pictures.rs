//! Pictures of real and made runs: reviewed snapshots, hostile names, sizes, and that they do not flicker.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crosscut_import::Quiet;
use crosscut_run::{NO_SITE, Places, RunWriter, Source, SourcesBuilder};
use crosscut_scene::palette::{SLOTS, Theme, slot};
use crosscut_scene::png::png;
use crosscut_scene::scene::Scene;
use crosscut_scene::svg::{escape, svg};
use crosscut_scene::{Cells, Label, Press};
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Grains, Problem};
use crosscut_tasks::schema::{Edge, Kind, Mark, TaskWriter};
use crosscut_tree::open::fitting;
use crosscut_tree::{Cut, NodeId};
use crosscut_view::tasks::colour::ColourBy;
use crosscut_view::tasks::dag::{DagOptions, Scale, dag};
use crosscut_view::tasks::grains::{GrainOptions, Seen, grain};
use crosscut_view::tasks::profile::{ProfileOptions, profile};
use crosscut_view::tasks::styles::{CRITICAL, PROBLEM, WITHOUT, role};
use crosscut_view::tasks::timeline::{TimelineOptions, timeline, with_profile};
use proptest::prelude::*;
use resvg::usvg;

fn sample(name: &str, work: &Path) -> Tasks {
    let input =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/dag").join(format!("{name}.dag"));
    let target = work.join(format!("{name}.crosscut"));
    let options = crosscut_import::Options::default();
    Tasks::open(crosscut_import::import(&input, &target, &options, &Quiet).unwrap()).unwrap()
}

fn made(shape: &str, nodes: u64, work: &Path) -> Tasks {
    let options = crosscut_synth::Options {
        shape: shape.parse().unwrap(),
        nodes,
        workers: 3,
        ..crosscut_synth::Options::default()
    };
    let target = work.join(format!("{shape}.crosscut"));
    Tasks::open(crosscut_synth::tasks(&target, &options, &|_, _| {}).unwrap()).unwrap()
}

/// A task that creates one task, with this file name everywhere.
fn named(file: &str, work: &Path) -> Tasks {
    let mut run = RunWriter::create(&work.join("named.crosscut")).unwrap();
    let mut sources = SourcesBuilder::new();
    let source = sources.source(Source { file: file.to_owned(), line: 7, function: file.to_owned() });
    let site = sources.site(source, source);
    run.put_sources(&sources.finish()).unwrap();
    let rows = [
        (7, 0, Kind::Task),
        (5, 0, Kind::Section),
        (1, 1, Kind::Create),
        (2, 1, Kind::Task),
        (1, 3, Kind::End),
        (1, 1, Kind::Wait),
        (1, 0, Kind::End),
    ];
    let mut tasks = TaskWriter::new(&run, rows.len()).unwrap();
    for (i, (len, parent, kind)) in rows.into_iter().enumerate() {
        tasks.len[i] = len;
        tasks.parent[i] = parent;
        tasks.mark[i] = Mark::new(kind, Edge::Create, false).0;
        tasks.place[i] = 0;
        tasks.site[i] = if kind.is_collective() { NO_SITE } else { site };
        tasks.start[i] = i as i64 * 1000;
        tasks.end[i] = i as i64 * 1000 + 900;
    }
    crosscut_tasks::finish(&mut run, tasks, &Places::workers(1).unwrap()).unwrap();
    Tasks::open(run.finish().unwrap()).unwrap()
}

/// What a box is, in a word.
fn word(scene: &Scene, i: usize) -> &str {
    let b = &scene.boxes;
    let meaning = scene.styles.at(b.style[i]).meaning.as_ref();
    match (b.role[i], meaning.split(',').next().unwrap_or(meaning)) {
        (role::FORK, _) => "fork-node",
        (role::JOIN, _) => "join-node",
        (_, "closed section") => "section",
        (_, "closed task") => "task",
        (_, "folded siblings") => "repeat",
        (_, "grains alike") => "grain",
        (_, "closed group" | "closed groups alike" | "folded members") => "group",
        (_, "" | "interval") => "plain",
        (_, what) if what.starts_with("open ") => "envelope",
        (_, what) => what,
    }
}

fn says(scene: &Scene, i: usize, what: &str) -> bool {
    scene.styles.at(scene.boxes.style[i]).meaning.contains(what)
}

/// The scene as text: shapes where they are, edges, texts. Signs to press are no part of the picture.
fn text(scene: &Scene) -> String {
    let mut out = format!("{} × {}: {}\n", scene.width, scene.height, scene.title);
    let b = &scene.boxes;
    for i in (0..b.len()).filter(|&i| !scene.styles.at(b.style[i]).live) {
        let joint = [role::FORK, role::JOIN].contains(&b.role[i]);
        let red = says(scene, i, CRITICAL) || joint && b.fill[i] == slot::RED;
        let critical = if red { " critical" } else { "" };
        let part = if scene.styles.at(b.style[i]).moves { " part" } else { "" };
        let lens = match i {
            i if says(scene, i, PROBLEM) => " problem",
            i if says(scene, i, WITHOUT) => " dimmed",
            _ => "",
        };
        let (x, y, w, h) = (b.x[i], b.y[i], b.w[i], b.h[i]);
        let (shape, node, fill) = (word(scene, i), b.node[i], b.fill[i]);
        let _ = writeln!(out, "{shape} #{node} at {x} {y}, {w} × {h}, slot {fill}{critical}{part}{lens}");
    }
    let p = &scene.points;
    for i in 0..p.len() {
        let shape = scene.styles.at(p.style[i]).shape;
        let _ = writeln!(out, "{shape:?} #{} around {} {}, {}", p.node[i], p.x[i], p.y[i], p.r[i]);
    }
    let l = &scene.links;
    for i in 0..l.len() {
        let kind = ["create", "continue", "sync", "depend"][l.role[i] as usize];
        let red = scene.styles.at(l.style[i]).meaning.contains(CRITICAL);
        let critical = if red { " critical" } else { "" };
        let _ = writeln!(
            out,
            "{kind} #{} → #{}: {} {} → {} {}{critical}",
            l.node[i], l.to[i], l.x0[i], l.y0[i], l.x1[i], l.y1[i]
        );
    }
    for label in &scene.labels {
        let _ = writeln!(out, "\"{}\" at {} {}", label.text, label.x, label.y);
    }
    for item in &scene.legend {
        let _ = writeln!(out, "slot {}: {}", item.fill, item.text);
    }
    out
}

/// Sees only what is there: all marks, edges and texts are numbers that can be drawn.
fn check(scene: &Scene) {
    let b = &scene.boxes;
    for column in [&b.x, &b.y, &b.w, &b.h, &scene.links.x0, &scene.links.y0, &scene.links.x1, &scene.links.y1]
    {
        assert!(column.iter().all(|v| v.is_finite()));
    }
    assert!(b.w.iter().chain(&b.h).all(|&side| side >= 0.0));
    assert!(b.fill.iter().all(|&fill| (fill as usize) < SLOTS));
    let document = svg(scene, &Theme::LIGHT);
    assert!(usvg::roxmltree::Document::parse(&document).is_ok(), "{document}");
}

#[test]
fn nested_sections_as_a_dag() {
    let work = tempfile::tempdir().unwrap();
    let tasks = sample("nested_sections", work.path());
    let cut = Cut::fitting(tasks.tree(), 500);
    let scene = dag(&tasks, &cut, &DagOptions { critical: true, ..DagOptions::default() });
    insta::assert_snapshot!(text(&scene));
}

#[test]
fn a_spawn_loop_is_folded() {
    let work = tempfile::tempdir().unwrap();
    let tasks = made("wide", 1000, work.path());
    let cut = Cut::fitting(tasks.tree(), 20);
    let options = DagOptions { colour: ColourBy::Kind, ..DagOptions::default() };
    insta::assert_snapshot!(text(&dag(&tasks, &cut, &options)));
}

/// The grain graph of a run, looked at for a problem or not.
fn grains(
    tasks: &Tasks,
    lens: Option<(Problem, f64)>,
    alike: bool,
    limit: usize,
    options: &GrainOptions,
) -> Scene {
    let grains = Grains::new(tasks);
    let set = lens.map(|(problem, threshold)| grains.problem(problem, threshold, None));
    let look = Seen { lens: set.as_ref(), alike, ..Seen::plain(tasks, &grains) };
    grain(&look, &fitting(&look, limit), 20_000, options).unwrap()
}

#[test]
fn nested_sections_as_grains() {
    let work = tempfile::tempdir().unwrap();
    let tasks = sample("nested_sections", work.path());
    let options = GrainOptions { path_of: Some(NodeId::ROOT), ..GrainOptions::default() };
    let scene = grains(&tasks, None, false, 60, &options);
    check(&scene);
    insta::assert_snapshot!(text(&scene));
}

#[test]
fn a_spawn_loop_of_grains_under_a_lens() {
    let work = tempfile::tempdir().unwrap();
    let tasks = made("wide", 2000, work.path());
    let scene = grains(&tasks, Some((Problem::SiblingImbalance, 1.0)), true, 60, &GrainOptions::default());
    check(&scene);
    insta::assert_snapshot!(text(&scene));
}

/// Whoever looks through a problem looks for the grains that have it: each of them says where it is from and what it took.
#[test]
fn grains_with_the_problem_keep_their_texts() {
    let work = tempfile::tempdir().unwrap();
    let tasks = made("fib", 4000, work.path());
    for limit in [60, 2000] {
        let lens = Some((Problem::LowParallelism, 4.0));
        let scene = grains(&tasks, lens, false, limit, &GrainOptions::default());
        let flagged =
            (0..scene.boxes.len()).filter(|&i| word(&scene, i) == "grain" && says(&scene, i, PROBLEM));
        let mut seen = 0;
        for i in flagged {
            let node = scene.boxes.node[i];
            let texts: Vec<&str> =
                scene.labels.iter().filter(|l| l.node == node).map(|l| l.text.as_str()).collect();
            assert!(texts.len() == 2 && texts[0].contains("fib.c"), "#{node}: {texts:?}");
            seen += 1;
        }
        assert!((1..=160).contains(&seen), "{seen} grains have the problem");
    }
}

/// What is closed tells how much is in it: a name, grains and time, and a bar.
#[test]
fn closed_groups_tell_what_is_inside() {
    let work = tempfile::tempdir().unwrap();
    let tasks = made("sort", 4000, work.path());
    let scene = grains(&tasks, None, false, 60, &GrainOptions::default());
    let b = &scene.boxes;
    let closed: Vec<usize> =
        (0..b.len()).filter(|&i| scene.styles.at(b.style[i]).press == Press::Open).collect();
    assert!(closed.len() > 2);
    for i in closed {
        let texts: Vec<&Label> = scene.labels.iter().filter(|l| l.node == b.node[i]).collect();
        assert!(texts.len() == 2 && texts[1].text.contains(" grains · "), "{texts:?}");
        let bars = (0..b.len()).filter(|&j| {
            b.node[j] == b.node[i] && scene.styles.at(b.style[j]).moves && b.h[j] == 3.0 && b.w[j] >= 1.0
        });
        assert_eq!(bars.count(), 1, "#{}", b.node[i]);
    }
}

#[test]
fn grains_of_every_shape() {
    let work = tempfile::tempdir().unwrap();
    for shape in ["fib", "sort", "chain", "wide", "random", "skewed", "deep"] {
        let tasks = made(shape, 3000, work.path());
        for lens in [None, Some((Problem::LowParallelism, 3.0)), Some((Problem::SiblingImbalance, 1.5))] {
            for scale in [Scale::Even, Scale::Log, Scale::Linear] {
                let options = GrainOptions { scale, path_of: Some(NodeId::ROOT), colour: ColourBy::Worker };
                let scene = grains(&tasks, lens, lens.is_some(), 300, &options);
                check(&scene);
                assert!(scene.boxes.len() > 2, "{shape}");
                let marked = |what: &str| (0..scene.boxes.len()).any(|i| says(&scene, i, what));
                assert!(lens.is_some() || !marked(PROBLEM) && !marked(WITHOUT));
                usvg::Tree::from_str(&svg(&scene, &Theme::DARK), &usvg::Options::default()).unwrap();
            }
        }
    }
}

#[test]
fn the_smallest_svg() {
    let work = tempfile::tempdir().unwrap();
    let tasks = named("loop.c", work.path());
    let mut cut = Cut::closed();
    cut.open(tasks.tree(), NodeId::ROOT);
    insta::assert_snapshot!(svg(&dag(&tasks, &cut, &DagOptions::default()), &Theme::LIGHT));
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "</text><script>alert('x')</script>&amp;\"'\u{0}\u{1b}\u{202e}]]>";
    let work = tempfile::tempdir().unwrap();
    let tasks = named(hostile, work.path());
    let mut cut = Cut::closed();
    cut.open(tasks.tree(), NodeId::ROOT);
    let time = TimelineOptions { width: 1500.0, height: 300.0, colour: ColourBy::Source, small: false };
    let scenes = [
        dag(&tasks, &cut, &DagOptions { colour: ColourBy::Source, ..DagOptions::default() }),
        timeline(&tasks, (0, 8000), &time, None),
    ];
    for scene in &scenes {
        let document = svg(scene, &Theme::DARK);
        let parsed = usvg::roxmltree::Document::parse(&document).unwrap();
        assert!(parsed.descendants().all(|node| node.tag_name().name() != "script"), "{document}");
        let shown: String = parsed.descendants().filter_map(|node| node.text()).collect();
        assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'));
        assert!(png(scene, &Theme::DARK, 1.0).is_ok());
    }
}

proptest! {
    #[test]
    fn any_text_is_well_formed(text in any::<String>()) {
        let document = format!("<a b=\"{0}\">{0}</a>", escape(&text));
        prop_assert!(usvg::roxmltree::Document::parse(&document).is_ok(), "{}", document);
    }
}

#[test]
fn a_png_has_the_size_of_its_svg() {
    let work = tempfile::tempdir().unwrap();
    let tasks = made("fib", 500, work.path());
    let scene = dag(&tasks, &Cut::fitting(tasks.tree(), 60), &DagOptions::default());
    let tree = usvg::Tree::from_str(&svg(&scene, &Theme::LIGHT), &usvg::Options::default()).unwrap();
    for scale in [1.0, 2.0, f32::NAN, -3.0] {
        let pixels =
            resvg::tiny_skia::Pixmap::decode_png(&png(&scene, &Theme::LIGHT, scale).unwrap()).unwrap();
        let used = if scale == 2.0 { 2.0 } else { 1.0 };
        assert_eq!(pixels.width() as f32, (tree.size().width() * used).ceil());
        assert_eq!(pixels.height() as f32, (tree.size().height() * used).ceil());
        let corner = pixels.pixel(0, 0).unwrap();
        assert_eq!((corner.red(), corner.green(), corner.blue(), corner.alpha()), (255, 255, 255, 255));
    }
    // Absurdly large scenes are scaled down, not refused.
    let huge = Scene { width: 1e6, height: 1e5, ..Scene::default() };
    let pixels = resvg::tiny_skia::Pixmap::decode_png(&png(&huge, &Theme::LIGHT, 1.0).unwrap()).unwrap();
    assert!(pixels.width() <= 12_001);
}

#[test]
fn every_view_of_every_sample() {
    let work = tempfile::tempdir().unwrap();
    let runs = [
        sample("nested_sections", work.path()),
        sample("fib25_mth4", work.path()),
        sample("depchain", work.path()),
        made("random", 3000, work.path()),
        made("skewed", 3000, work.path()),
        made("deep", 3000, work.path()),
        made("chain", 3000, work.path()),
    ];
    for tasks in &runs {
        let end = tasks.summary().elapsed;
        for limit in [1, 50, 3000] {
            let cut = Cut::fitting(tasks.tree(), limit);
            for scale in [Scale::Even, Scale::Log, Scale::Linear] {
                for colour in [ColourBy::Worker, ColourBy::Kind, ColourBy::Source, ColourBy::Core] {
                    let options = DagOptions { colour, scale, critical: true };
                    let scene = dag(tasks, &cut, &options);
                    check(&scene);
                    assert_eq!(scene, dag(tasks, &cut, &options));
                }
            }
        }
        for (from, to) in [(0, end), (end / 2, end / 2 + 1), (0, 1), (end / 3, end / 3 + end / 100 + 1)] {
            let time =
                TimelineOptions { width: 900.0, height: 200.0, colour: ColourBy::Source, small: false };
            check(&timeline(tasks, (from, to), &time, None));
            check(&profile(tasks, from, to, &ProfileOptions { width: 900.0, height: 200.0, bare: false }));
        }
    }
}

/// The busy time that a timeline shows is the work of the run, whether by intervals or by cells.
#[test]
fn cells_are_exact() {
    let work = tempfile::tempdir().unwrap();
    let tasks = made("fib", 40_000, work.path());
    let end = tasks.summary().elapsed;
    let time = TimelineOptions { width: 1284.0, height: 300.0, colour: ColourBy::Worker, small: false };
    let scene = timeline(&tasks, (0, end), &time, None);
    assert_eq!(scene.grids.len(), 1);
    let grid = &scene.grids[0];
    assert_eq!(grid.ny, 3);
    let axis = scene.plots[0].x.as_ref().unwrap();
    let per_pixel = (axis.to() - axis.from()) / f64::from(axis.length());
    let cell = f64::from(grid.w) / f64::from(grid.nx) * per_pixel;
    for (row, &busy) in grid.level.chunks(grid.nx as usize).zip(&tasks.summary().busy) {
        let shown: f64 = row.iter().map(|&full| f64::from(full) / 255.0 * cell).sum();
        // Each cell is rounded to 1/255.
        let slack = row.len() as f64 * cell / 255.0;
        assert!((shown - busy as f64).abs() <= slack, "{shown} {busy}");
    }
    let Cells::Each(nodes) = &grid.cells else { panic!("cells stand for intervals") };
    assert!(nodes.iter().zip(&grid.level).all(|(&node, &full)| (node == u32::MAX) == (full == 0)));
}

/// A pane that grows by a pixel shows the same cells, just a little wider.
#[test]
fn a_pixel_more_changes_nothing() {
    let work = tempfile::tempdir().unwrap();
    let tasks = made("fib", 40_000, work.path());
    let end = tasks.summary().elapsed;
    let draw = |width: f32| {
        let time = TimelineOptions { width, height: 300.0, colour: ColourBy::Worker, small: false };
        let grids = timeline(&tasks, (0, end), &time, None).grids;
        let areas = profile(&tasks, 0, end, &ProfileOptions { width, height: 200.0, bare: false }).areas;
        let grids: Vec<_> = grids.into_iter().map(|g| (g.level, g.fill, g.cells)).collect();
        let areas: Vec<_> = areas.into_iter().map(|a| (a.name, a.y0, a.y1)).collect();
        (grids, areas)
    };
    let changes = (600..1400).filter(|&width| draw(width as f32) != draw(width as f32 + 1.0)).count();
    // Cells halve when there is room for twice as many: a width doubles about once over this range.
    assert!(changes <= 4, "{changes} of 800 steps");
}

/// The profile's areas stack: each begins where the one below ends, and none leaves the plot.
#[test]
fn areas_stack() {
    let work = tempfile::tempdir().unwrap();
    let tasks = made("fib", 5000, work.path());
    let scene = profile(
        &tasks,
        0,
        tasks.summary().elapsed,
        &ProfileOptions { width: 900.0, height: 200.0, bare: false },
    );
    assert_eq!(scene.areas[0].name, "running");
    for pair in scene.areas.windows(2) {
        assert_eq!(pair[0].y1, pair[1].y0);
    }
    for area in &scene.areas {
        assert!(area.y0.iter().zip(&area.y1).all(|(low, high)| low >= high));
        assert!(area.y1.iter().all(|&y| (0.0..=200.0).contains(&y)));
    }
}

/// Profile and rows in one picture: the rows end where they end alone, and both have the same axis of time.
#[test]
fn profile_and_timeline_share_an_axis() {
    let work = tempfile::tempdir().unwrap();
    let tasks = made("fib", 5000, work.path());
    let end = tasks.summary().elapsed;
    let options = TimelineOptions { width: 900.0, height: 400.0, colour: ColourBy::Worker, small: false };
    let both = with_profile(&tasks, (0, end), &options, 150.0, None);
    check(&both);
    assert_eq!(both.plots.len(), 2);
    let (above, below) = (&both.plots[0], &both.plots[1]);
    assert_eq!(above.x.as_ref().unwrap().stops, below.x.as_ref().unwrap().stops);
    assert!(above.rect.y + above.rect.h <= below.rect.y);
    assert!(below.rect.y + below.rect.h <= both.height);
    assert_eq!(both.ranges(0).areas, (0, both.areas.len() as u32));
    assert_eq!(both.ranges(1).grids, (0, both.grids.len() as u32));
    let alone = timeline(&tasks, (0, end), &TimelineOptions { height: 250.0, ..options }, None);
    assert_eq!(both.grids[0].level, alone.grids[0].level);
    assert_eq!(both.grids[0].y, below.rect.y);
    // The ticks have their texts once.
    let texts = |scene: &Scene| svg(scene, &Theme::LIGHT).matches("text-anchor=\"middle\"").count();
    assert_eq!(texts(&both), texts(&alone));
}
