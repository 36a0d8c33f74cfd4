//! Flows beside each other: chosen places and the rest, two runs, several runs. What each side has is what the super graph of that
//! side has; what only one run has is drawn, and said.

use crate::bench;
use crate::profile;

use crosscut_calls::{Builder, Frame, Given, Making, SuperGraph, Unit};
use crosscut_run::RunWriter;
use crosscut_scene::{Scene, limits};
use crosscut_tree::NodeId;
use crosscut_view::calls::CallsDomain;
use crosscut_view::calls::flow::laid::{Laid, Page};
use crosscut_view::calls::flow::paint::{AtPlaces, paint};
use crosscut_view::calls::flow::shown::{Other, Shown, Side};
use crosscut_view::calls::merged::SuperForest;
use crosscut_view::calls::opened::Opened;
use crosscut_workbench::{Against, Look, Nodes, Settings, Shown as Drawn, Size, TreeRef};
use profile::LATE;

/// The second run has `tables.so` instead of `eos.so`; in the third `advance` takes twice as long.
fn runs() -> bench::Bench {
    let folder = tempfile::tempdir().unwrap();
    let before = profile::write(folder.path(), "before", |_, value| value);
    let after =
        profile::write_as(
            folder.path(),
            "after",
            |module| if module == "eos.so" { "tables.so" } else { module },
        );
    let third = profile::write(
        folder.path(),
        "third",
        |name, value| if name == "advance" { 2 * value } else { value },
    );
    bench::of(vec![before, after, third], &Settings::new(), folder)
}

fn look(against: Option<Against>, w: f32) -> Look {
    Look { size: Size { w, h: 700.0 }, against, ..Look::of("calls.flow", 0) }
}

fn late(mut look: Look) -> Look {
    look.scope.places = Some(LATE.map(|rank| NodeId(rank as u32)).collect::<Nodes>());
    look
}

fn scene(bench: &bench::Bench, look: &Look) -> Scene {
    match bench.bench.draw(look).unwrap().shown {
        Drawn::Scene(scene) => scene,
        Drawn::Sheet(_) => panic!("{} is no picture", look.view),
    }
}

fn says(scene: &Scene, words: &str) -> bool {
    scene.labels.iter().any(|label| label.text.contains(words))
}

/// What is shown of the first run beside others, without a picture.
fn shown(bench: &bench::Bench, look: &Look, others: &[usize]) -> Shown {
    let calls = |run: usize| {
        let domain = bench.bench.runs[run].domains.iter().find_map(|domain| CallsDomain::of(&**domain));
        domain.unwrap().calls().clone()
    };
    let tree = TreeRef { key: "super/module".to_owned().into(), with: Default::default() };
    let forest = bench.bench.job(0, |job| bench.bench.forest(&tree, job)).unwrap();
    let forest: &SuperForest = forest.as_any().downcast_ref().unwrap();
    let other = |&run: &usize| {
        let graph = SuperGraph::of(&*calls(run), &Making::default());
        Other { name: format!("run {run}"), calls: calls(run), graph, metric: 0 }
    };
    Shown::of(forest, look, &others.iter().map(other).collect::<Vec<_>>(), None)
}

/// A large profile is drawn without what is told of places first: all else stands where it stays.
#[test]
fn a_draft_lacks_only_what_is_told_of_places() {
    let bench = runs();
    let look = look(None, 1280.0);
    let shown = shown(&bench, &look, &[]);
    let laid = Laid::of(&shown, Page::of(&look, &shown, 1), None);
    let tree = TreeRef { key: "super/module".to_owned().into(), with: Default::default() };
    let forest = bench.bench.job(0, |job| bench.bench.forest(&tree, job)).unwrap();
    let forest: &SuperForest = forest.as_any().downcast_ref().unwrap();
    let opened = Opened::new(forest.calls().clone());
    let drawn = |places| paint(&opened, &look, forest, &shown, &laid, places);
    let (draft, whole) = (drawn(AtPlaces::Later), drawn(AtPlaces::Drawn));
    assert_eq!(format!("{whole:?}"), format!("{:?}", scene(&bench, &look)));
    assert!(draft.grids.is_empty() && !whole.grids.is_empty() && says(&whole, "▲×") && !says(&draft, "▲×"));
    assert_eq!(format!("{:?}", draft.boxes), format!("{:?}", whole.boxes));
    assert_eq!(format!("{:?}", draft.ribbons), format!("{:?}", whole.ribbons));
}

/// For each bar of each side: with callees = itself + folded + what leaves it.
fn adds_up(shown: &Shown) {
    let out = |side: &Side, bar: usize| {
        let leaving = shown.bands.iter().zip(&side.flow).filter(|(band, _)| band.0 == bar);
        side.own[bar] + side.folded[bar] + leaving.map(|(_, flow)| flow).sum::<f64>()
    };
    for side in &shown.sides {
        assert_eq!(side.flow.len(), shown.bands.len());
        for bar in 0..shown.bars.len() {
            let (whole, parts) = (side.inclusive[bar], out(side, bar));
            assert!(
                (whole - parts).abs() <= 1e-6 * whole.max(1.0),
                "{}: {whole}, {parts}",
                shown.bars[bar].name
            );
        }
    }
}

#[test]
fn each_side_adds_up() {
    let bench = runs();
    adds_up(&shown(&bench, &look(None, 1280.0), &[]));
    adds_up(&shown(&bench, &late(look(None, 1280.0)), &[]));
    adds_up(&shown(&bench, &late(look(Some(Against::Rest), 1280.0)), &[]));
    adds_up(&shown(&bench, &look(Some(Against::Runs(vec![1])), 1280.0), &[1]));
    adds_up(&shown(&bench, &look(Some(Against::Runs(vec![1, 2])), 1280.0), &[1, 2]));
}

#[test]
fn chosen_places_and_the_rest_are_means_of_their_places() {
    let bench = runs();
    let shown = shown(&bench, &late(look(Some(Against::Rest), 1280.0)), &[]);
    let eos = shown.bars.iter().position(|bar| bar.name == "eos.so").unwrap();
    let own: Vec<f64> = shown.sides.iter().map(|side| side.own[eos]).collect();
    assert_eq!(own, [3e6, 1e6], "thrice as long on the ranks that are chosen");
    let wide = scene(&bench, &late(look(Some(Against::Rest), 1280.0)));
    assert!(
        says(&wide, "chosen ranks, mean of 3 ranks") && says(&wide, "the rest, mean of 13 ranks"),
        "{:?}",
        wide.labels
    );
    assert!(says(&wide, "+2.00 ms itself"), "{:?}", wide.labels);
    let narrow = scene(&bench, &late(look(Some(Against::Rest), 700.0)));
    assert!(narrow.boxes.len() < wide.boxes.len(), "one flow where there is no room for two");
}

#[test]
fn what_only_the_other_run_has_is_drawn_and_said() {
    let bench = runs();
    let two = shown(&bench, &look(Some(Against::Runs(vec![1])), 1280.0), &[1]);
    let bar = |name: &str| two.bars.iter().position(|bar| bar.name == name).unwrap();
    let (here, there) = (bar("eos.so"), bar("tables.so"));
    assert_eq!((two.bars[here].node.is_some(), two.bars[there].node), (true, None));
    assert_eq!((two.sides[0].inclusive[there], two.sides[1].inclusive[here]), (0.0, 0.0));
    assert_eq!(two.sides[0].inclusive[here], two.sides[1].inclusive[there]);
    let to: Vec<&str> =
        two.bands.iter().filter(|band| band.1 == there).map(|band| two.bars[band.0].name.as_str()).collect();
    assert_eq!(to, ["physics.so"]);
    let wide = scene(&bench, &look(Some(Against::Runs(vec![1])), 1280.0));
    assert!(says(&wide, "tables.so") && says(&wide, "only in after"), "{:?}", wide.labels);
    assert!(wide.note.as_deref().unwrap().contains("1 that only other runs have"), "{:?}", wide.note);
    limits::check(&wide).unwrap();
}

#[test]
fn splits_that_change_nothing_are_said() {
    let bench = runs();
    let split = |text: &str| {
        let mut look = look(None, 1200.0);
        let with = &mut look.trees.entry("super/module".to_owned().into()).or_default().with;
        with.insert("split".to_owned(), text.to_owned());
        scene(&bench, &look).note.unwrap()
    };
    assert!(!split("caller libmpi.so").contains("nothing to split"), "{}", split("caller libmpi.so"));
    let said = split("caller libmpi.so | caller nobody | entry eos.so > nothing");
    assert!(said.ends_with("nothing to split: caller nobody|entry eos.so > nothing"), "{said}");
}

#[test]
fn names_keep_their_beginning() {
    let bench = runs();
    for width in [1000.0, 1280.0, 1600.0] {
        let scene = scene(&bench, &look(Some(Against::Runs(vec![2])), width));
        let cut: Vec<&str> = scene
            .labels
            .iter()
            .map(|label| label.text.as_str())
            .filter(|text| text.starts_with('…'))
            .collect();
        assert!(cut.is_empty(), "{width}: {cut:?}");
    }
}

#[test]
fn of_several_runs_each_bar_has_a_column_for_each() {
    let bench = runs();
    let several = scene(&bench, &look(Some(Against::Runs(vec![1, 2])), 1280.0));
    for run in ["before: ", "after: ", "third: "] {
        let has = (0..several.boxes.len())
            .any(|at| several.styles.at(several.boxes.style[at]).meaning.starts_with(run));
        assert!(has, "{run}");
    }
    assert_eq!(several, scene(&bench, &look(Some(Against::Runs(vec![1, 2])), 1280.0)), "the same each time");
}

/// What only leads to where the program really begins is one bar with it: `_start` of the loader, libc, the front of a library.
#[test]
fn what_only_leads_on_is_one_bar() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, spent_in_front: i64| {
        let mut run = RunWriter::create(&folder.path().join(format!("{name}.crosscut"))).unwrap();
        let mut builder = Builder::new("made");
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let place = builder.place(0, 0);
        let mut put = |parent: u32, module: &str, value: i64| {
            let frame = Frame { module: module.to_owned(), ..Frame::function(format!("f of {module}")) };
            let frame = builder.frame(frame);
            let node = builder.node(parent, frame).unwrap();
            builder.add(metric, place, node, value);
            node
        };
        put(0, "loader", 10_000);
        let front = put(0, "front", spent_in_front);
        let libc = put(front, "libc.so.6", 0);
        put(libc, "other", 5_000);
        let app = put(libc, "app", 0);
        put(app, "solver", 600_000);
        put(app, "io", 385_000);
        builder.finish(&mut run).unwrap();
        run.finish().unwrap()
    };
    let runs = vec![write("before", 0), write("after", 200_000)];
    let bench = bench::of(runs, &Settings::new(), folder);
    let made = shown(&bench, &look(None, 1280.0), &[]);
    adds_up(&made);
    let names: Vec<String> = made.bars.iter().map(|bar| bar.title()).collect();
    assert_eq!(names[0], "program › front › libc.so.6");
    assert!(names[1..].iter().any(|name| name == "app"), "{names:?}");
    assert!(!names[1..].iter().any(|name| name == "front" || name == "libc.so.6"), "{names:?}");
    assert_eq!(made.whole(0), 1_000_000.0);
    assert!(says(&scene(&bench, &look(None, 1280.0)), "program › front"));
    // In the other run a part of it spends something itself: that is not hidden.
    let made = shown(&bench, &look(Some(Against::Runs(vec![1])), 1280.0), &[1]);
    adds_up(&made);
    assert!(made.bars.iter().any(|bar| bar.name == "front"));
}
