//! Trees of calls as the page asks for them: callers, super graphs with filter and splits, what stands out.

use crate::bench;

use bench::{Bench, node};
use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;
use crosscut_scene::format::count;
use crosscut_scene::palette::slot;
use crosscut_tree::{NodeId, Part};
use crosscut_workbench::{Look, Nodes, Scope, Settings, Shown, Size, TreeRef};
use serde_json::{Value, json};

/// Four ranks: `main` calls `solve` and `write`, both call libmpi; `solve` takes three times as long on rank 2.
fn made() -> Bench {
    let work = tempfile::tempdir().unwrap();
    let mut run = RunWriter::create(&work.path().join("made.crosscut")).unwrap();
    let mut builder = Builder::new("made");
    let metric = builder.metric("time", Unit::Ns, Given::Own);
    let at = |module: &str, name: &str| Frame { module: module.to_owned(), ..Frame::function(name) };
    let frames = [at("app", "main"), at("solver", "solve"), at("hdf5", "write"), at("libmpi", "MPI_Wait")];
    let [main, solve, write, wait] = frames.map(|frame| builder.frame(frame));
    let tiny = builder.frame(at("solver", "tiny"));
    let main = builder.node(0, main).unwrap();
    let solve = builder.node(main, solve).unwrap();
    let write = builder.node(main, write).unwrap();
    let [solve_wait, write_wait] = [solve, write].map(|node| builder.node(node, wait).unwrap());
    let tiny = builder.node(write, tiny).unwrap();
    for rank in 0..4 {
        let place = builder.place(rank, 0);
        let slow = if rank == 2 { 3 } else { 1 };
        for (node, value) in
            [(main, 10), (solve, 1000 * slow), (solve_wait, 300), (write, 100), (write_wait, 90)]
        {
            builder.add(metric, place, node, value * 1000);
        }
        builder.add(metric, place, tiny, 1);
    }
    builder.finish(&mut run).unwrap();
    let run = run.finish().unwrap();
    bench::of(vec![run], &Settings::new(), work)
}

fn table(bench: &Bench, tree: &str, state: Value) -> Vec<(String, Vec<String>)> {
    let look = json!({"v": 1, "view": "calls.table", "run": 0, "trees": {tree: state}, "size": {"w": 100, "h": 100}});
    let answer = bench.ok(json!({"ask": "table", "look": look, "tree": tree, "count": 100}));
    let text = |cell: &Value| cell["text"].as_str().unwrap_or_default().to_owned();
    let rows = answer["rows"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            let cells = row["cells"].as_array().unwrap();
            (text(&cells[0]), cells[1..].iter().map(text).collect())
        })
        .collect()
}

fn names(rows: &[(String, Vec<String>)]) -> Vec<&str> {
    rows.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn super_nodes_are_rows_with_their_functions() {
    let bench = made();
    let rows = table(&bench, "super/module", json!({}));
    let got = names(&rows);
    for name in ["program", "app", "solver", "libmpi", "hdf5"] {
        assert!(got.contains(&name), "{got:?}");
    }
    // 0.000025 % of the program: it stays in its caller, until it is brought back.
    assert_eq!(rows.iter().filter(|(name, _)| name == "solver" || name == "solver ↻2").count(), 1, "{got:?}");
    let back = table(&bench, "super/module", json!({"with": {"back": "tiny"}}));
    assert_eq!(back.iter().filter(|(name, _)| name.starts_with("tiny")).count(), 1, "{:?}", names(&back));
}

#[test]
fn splits_live_in_the_options_of_the_tree() {
    let bench = made();
    let rows = table(&bench, "super/module", json!({"with": {"split": "caller libmpi"}}));
    let got = names(&rows);
    assert!(got.contains(&"libmpi ⟵ solver") && got.contains(&"libmpi ⟵ hdf5"), "{got:?}");
    let rows = table(&bench, "super/module", json!({"with": {"rules": "^MPI_ => waiting"}}));
    assert!(names(&rows).contains(&"waiting"), "{:?}", names(&rows));
    let tree = |map: &str, with: Value| json!({"ask": "tree", "run": 0, "tree": map, "with": with});
    assert!(bench.refused(tree("super/colour", json!({}))).contains("module, library, file, function"));
    assert!(bench.refused(tree("super/module", json!({"split": "wrong"}))).contains("caller NAME"));
    assert!(bench.refused(tree("super/module", json!({"rules": "("}))).contains("rule 1"));
}

#[test]
fn a_sheet_names_callers_entry_functions_and_places() {
    let bench = made();
    let found = bench.ok(json!({"ask": "search", "run": 0, "words": "solve", "limit": 5}));
    assert!(found.to_string().contains("solve"), "{found}");
    // Program, then super nodes in the order in which they were made: app, solver.
    let tree = bench.ok(json!({"ask": "tree", "run": 0, "tree": "super/module"}));
    assert!(tree.to_string().contains("super nodes"), "{tree}");
    let about = |node: Value| bench.ok(json!({"ask": "about", "selection": node})).to_string();
    let sheets: Vec<String> = (1..8).map(|at| about(node("super/module", at))).collect();
    let solver = sheets.iter().find(|sheet| sheet.contains("\"title\":\"solver\"")).unwrap();
    for words in ["called by", "app,", "entered by", "solve,", "most ÷ mean", "2.00", "rank 2"] {
        assert!(solver.contains(words), "{words}: {solver}");
    }
}

#[test]
fn callers_are_below_what_they_call() {
    let bench = made();
    let rows = table(&bench, "callers", json!({}));
    let got = names(&rows);
    assert_eq!(got[..2], ["program", "solve"], "{got:?}");
    let at = got.iter().position(|&name| name == "MPI_Wait").unwrap();
    assert_eq!(got[at + 1..at + 3], ["solve", "main"], "{got:?}");
}

#[test]
fn callers_at_some_places_are_not_available() {
    let bench = made();
    let values = |places: Option<Nodes>| {
        let forest = bench.bench.job(0, |job| bench.bench.forest(&TreeRef::named("callers"), job)).unwrap();
        let mut out = [0.0];
        let scope = Scope { places, ..Scope::default() };
        forest.values(1, &[Part::one(NodeId::ROOT)], &scope, &mut out);
        out[0]
    };
    assert!(values(None) > 0.0);
    assert!(values(Some(Nodes::one(NodeId(2)))).is_nan());
}

#[test]
fn what_stands_out_is_a_lens() {
    let bench = made();
    let tree = bench.ok(json!({"ask": "tree", "run": 0, "tree": "calls"}));
    let lenses = tree["lenses"].as_array().unwrap();
    let outliers = lenses.iter().find(|lens| lens["name"] == "outliers").unwrap();
    assert!(outliers["count"].as_u64().unwrap() >= 1, "{outliers}");
    let rows = table(&bench, "calls", json!({"lens": {"name": "outliers", "value": 0.5}}));
    assert!(names(&rows).contains(&"solve"), "{:?}", names(&rows));
    assert!(bench.refused(json!({"ask": "tree", "run": 0, "tree": "calls/x"})).len() > 3);
}

#[test]
fn a_query_is_an_option_of_the_tree_and_a_search() {
    let bench = made();
    let query = r#"("*") -> (q) where q.module = "libmpi""#;
    let tree = bench.ok(json!({"ask": "tree", "run": 0, "tree": "calls", "with": {"query": query}}));
    let lenses = tree["lenses"].as_array().unwrap();
    // Both waits and all above them, with the program itself.
    let lens = lenses.iter().find(|lens| lens["name"] == "query").unwrap();
    assert_eq!(lens["count"], 6, "{lens}");
    let narrow = json!({"with": {"query": r#"(q) where q.name = "MPI_Wait""#}, "lens": {"name": "query"}});
    let rows = table(&bench, "calls", narrow.clone());
    let got = names(&rows);
    assert_eq!(got.iter().filter(|name| **name == "MPI_Wait").count(), 2, "{got:?}");
    let found = bench.ok(json!({"ask": "search", "run": 0, "words": query, "limit": 9}));
    let calls = found["trees"].as_array().unwrap().iter().find(|hits| hits["tree"] == "calls").unwrap();
    assert_eq!(calls["total"], 6, "{found}");
    let wrong = json!({"ask": "tree", "run": 0, "tree": "calls", "with": {"query": "(q) where q.name ="}});
    assert!(bench.refused(wrong).contains("column 19"));
    let look = json!({"v": 1, "view": "calls.tree", "run": 0, "trees": {"calls": narrow}, "size": {"w": 900, "h": 600}});
    let drawn = bench.ok(json!({"ask": "scene", "look": look}));
    assert!(drawn.to_string().contains("2 call paths found"), "{drawn}");
}

#[test]
fn what_stands_out_at_one_place_is_asked_for_by_its_number_or_name() {
    let bench = made();
    let outliers_at = |place: &str, k: f64| {
        let with = json!({"place": place});
        let lenses = json!([{"name": "outliers", "value": k}]);
        let tree =
            bench.ok(json!({"ask": "tree", "run": 0, "tree": "calls", "with": with, "lenses": lenses}));
        let lens = tree["lenses"].as_array().unwrap().iter().find(|lens| lens["name"] == "outliers").cloned();
        lens.unwrap()["facts"].clone()
    };
    assert_eq!(outliers_at("2", 1.5), outliers_at("rank 2", 1.5));
    // Itself `solve` is 3.4 × the distance of the quartiles above them on the other ranks, 12.5 × on rank 2.
    let stand_out = |place: &str| outliers_at(place, 8.0)[0]["value"]["text"].as_str().map(str::to_owned);
    assert_eq!(stand_out("rank 2").as_deref(), Some("1"), "{}", outliers_at("rank 2", 8.0));
    assert_eq!(stand_out("rank 1").as_deref(), Some("nothing: the hot path is shown"));
    let with = json!({"place": "rank 9"});
    let refused = bench.refused(json!({"ask": "tree", "run": 0, "tree": "calls", "with": with}));
    assert!(refused.contains("no place"), "{refused}");
}

#[test]
fn modules_are_told_with_what_they_take() {
    let bench = made();
    let told = bench.ok(json!({"ask": "overview", "run": 0})).to_string();
    assert!(told.contains("\"Modules\"") && told.contains("× 2.00 at rank 2"), "{told}");
}

/// Call paths with two metrics that go against each other: the hottest has the fewest misses. `idle` calls take nothing.
fn two_metrics() -> Bench {
    let work = tempfile::tempdir().unwrap();
    let mut run = RunWriter::create(&work.path().join("two.crosscut")).unwrap();
    let mut builder = Builder::new("two");
    let time = builder.metric("time", Unit::Ns, Given::Own);
    let misses = builder.metric("misses", Unit::Count, Given::Own);
    let place = builder.place(0, 0);
    let main = builder.frame(Frame::function("main"));
    let main = builder.node(0, main).unwrap();
    for number in 0..20i64 {
        let frame = builder.frame(Frame::function(format!("work{number}")));
        let work = builder.node(main, frame).unwrap();
        // Two stand out by time, two others by misses.
        let [ns, count] = match number {
            0 | 1 => [90_000 + 9_000 * number, 3],
            2 | 3 => [100, 9_000 + 900 * number],
            _ => [100 + number, 4 + number],
        };
        builder.add(time, place, work, ns);
        builder.add(misses, place, work, count);
        let idle = builder.frame(Frame::function("idle"));
        builder.node(work, idle).unwrap();
    }
    builder.finish(&mut run).unwrap();
    bench::of(vec![run.finish().unwrap()], &Settings::new(), work)
}

#[test]
fn two_metrics_at_once_are_the_shade_and_the_size() {
    let bench = two_metrics();
    let scene = |options: &[(&str, &str)]| {
        let mut look = Look { size: Size { w: 900.0, h: 600.0 }, ..Look::of("calls.tree", 0) };
        look.options = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        match bench.bench.draw(&look).unwrap().shown {
            Shown::Scene(scene) => scene,
            Shown::Sheet(_) => panic!("no picture"),
        }
    };
    let usual = scene(&[("metric", "time")]);
    let sized = scene(&[("metric", "time"), ("size", "misses")]);
    // The size says something else, the shade and the places say the same.
    assert_eq!((&sized.points.x, &sized.points.y), (&usual.points.x, &usual.points.y));
    assert_eq!(sized.points.fill, usual.points.fill);
    assert_ne!(sized.points.r, usual.points.r);
    // The first metric says which call paths stand out, the second does not.
    let shaded = scene(&[("metric", "misses"), ("size", "misses")]);
    assert_ne!(shaded.points.node, sized.points.node);
    let main = |scene: &crosscut_scene::Scene| {
        let at = scene.boxes.node.iter().zip(&scene.boxes.role).position(|(_, &role)| role == 1);
        let at = at.expect("a surrogate that takes something");
        (scene.boxes.w[at], scene.boxes.fill[at])
    };
    // 18 others of `main` take little time, but nearly all misses: wide and pale.
    let (plain, pale) = (main(&usual), main(&sized));
    let narrow = main(&scene(&[("metric", "time"), ("size", "time")]));
    assert!(pale.0 > narrow.0 && pale.1 == narrow.1, "{pale:?} {narrow:?}");
    assert_ne!(plain, pale);
    // What stands out calls `idle`, which takes nothing: three dots for each.
    let dots = |scene: &crosscut_scene::Scene| {
        let of = scene.points.role.iter().zip(&scene.points.fill);
        of.filter(|&(&role, &fill)| role == 1 && fill == slot::FAINT).count()
    };
    assert_eq!((dots(&usual), dots(&sized)), (6, 6));
    let legend: Vec<&str> = sized.legend.iter().map(|item| item.text.as_str()).collect();
    let most = format!("stands out; size: misses itself, up to {}", count(11_700));
    assert_eq!(legend, [most.as_str(), "time itself"]);
    let refused = bench.bench.draw(&Look {
        options: [("size".to_owned(), "colour".to_owned())].into(),
        ..Look::of("calls.tree", 0)
    });
    assert_eq!(refused.unwrap_err().0, "the profile has no metric `colour`");
}
