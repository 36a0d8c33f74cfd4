//! Pictures of calls: as wide as what was spent, the places that stand out are named, what is brushed counts everywhere.

use crate::bench;
use crate::profile;

use crosscut_calls::{Builder, Calls, Frame, Given, Unit};
use crosscut_run::RunWriter;
use crosscut_scene::{Scene, limits};
use crosscut_tree::NodeId;
use crosscut_view::calls::CallsDomain;
use crosscut_workbench::{Against, Look, Nodes, Selection, Settings, Shown, Size};
use profile::LATE;
use std::sync::Arc;

struct Asked(bench::Bench);

/// Two runs of a program; in the second one `evaluate` takes half as long.
fn opened() -> Asked {
    let folder = tempfile::tempdir().unwrap();
    let before = profile::write(folder.path(), "before", |_, value| value);
    let after = profile::write(
        folder.path(),
        "after",
        |name, value| if name == "evaluate" { value / 2 } else { value },
    );
    Asked(bench::of(vec![before, after], &Settings::new(), folder))
}

impl Asked {
    fn look(&self, view: &str) -> Look {
        Look { size: Size { w: 928.0, h: 640.0 }, ..Look::of(view, 0) }
    }

    fn scene(&self, look: &Look) -> Scene {
        match self.0.bench.draw(look).unwrap().shown {
            Shown::Scene(scene) => scene,
            Shown::Sheet(_) => panic!("{} is no picture", look.view),
        }
    }

    fn calls(&self) -> Arc<Calls> {
        let domain = self.0.bench.runs[0].domains.iter().find_map(|domain| CallsDomain::of(&**domain));
        domain.unwrap().calls().clone()
    }

    fn named(&self, name: &str) -> NodeId {
        let calls = self.calls();
        let is = |node: &NodeId| calls.frame(*node).is_some_and(|frame| frame.name == name);
        (1..calls.node_count() as u32).map(NodeId).find(is).unwrap()
    }

    fn act(&self, look: &Look, act: serde_json::Value) -> Look {
        let ask = serde_json::json!({ "ask": "scene", "look": look, "act": act });
        let answer = self.0.ok(ask);
        serde_json::from_value(answer["look"].clone()).unwrap()
    }
}

fn with_option(mut look: Look, name: &str, value: &str) -> Look {
    look.options.insert(name.to_owned(), value.to_owned());
    look
}

fn selecting(mut look: Look, node: NodeId) -> Look {
    look.selected = Some(Selection::node(0, "calls", node));
    look
}

/// The place of each node's box.
fn boxes(scene: &Scene) -> std::collections::HashMap<u32, [f32; 4]> {
    let at = |i: usize| [scene.boxes.x[i], scene.boxes.y[i], scene.boxes.w[i], scene.boxes.h[i]];
    (0..scene.boxes.len())
        .filter(|&i| scene.boxes.role[i] == 0)
        .map(|i| (scene.boxes.node[i], at(i)))
        .collect()
}

/// What `import` and `synth` print of a new run.
#[test]
fn a_profile_in_a_line_says_how_much_was_measured_where() {
    let line = opened().0.bench.line(0).unwrap();
    assert!(line.contains("s of time in "), "{line}");
    assert!(line.contains("call paths at ") && line.contains(" takes "), "{line}");
}

#[test]
fn call_paths_are_as_wide_as_what_they_spend() {
    let asked = opened();
    let scene = asked.scene(&asked.look("calls.icicle"));
    let (calls, boxes) = (asked.calls(), boxes(&scene));
    let whole = calls.inclusive(0, NodeId::ROOT) as f64;
    let width = f64::from(boxes[&0][2] + 1.0);
    for (&node, &[x, y, w, _]) in &boxes {
        let share = calls.inclusive(0, NodeId(node)) as f64 / whole;
        assert!((f64::from(w + 1.0) - share * width).abs() < 1.5, "{node}: {w} of {width}, {share}");
        if let Some(above) = calls.tree().parent(NodeId(node)) {
            let [left, top, wide, _] = boxes[&above.0];
            assert!(y > top && x >= left - 0.1 && x + w <= left + wide + 0.6, "{node} is under its caller");
        }
    }
    assert_eq!(boxes.len(), calls.node_count());
    assert_eq!(scene, asked.scene(&asked.look("calls.icicle")), "the same look is the same picture");
    limits::check(&scene).unwrap();
}

#[test]
fn one_call_path_fills_the_picture_and_gives_way_again() {
    let asked = opened();
    let look = asked.look("calls.icicle");
    let node = asked.named("advance");
    let on = Selection::node(0, "calls", node);
    let focused = asked.act(&look, serde_json::json!({ "name": "focus", "on": on, "numbers": [] }));
    assert_eq!(focused.option("root"), Some(node.0.to_string().as_str()));
    let boxes = boxes(&asked.scene(&focused));
    assert!(boxes[&node.0][2] > 880.0, "{:?}", boxes[&node.0]);
    let back = asked.act(&focused, serde_json::json!({ "name": "focus", "on": on, "numbers": [] }));
    assert_eq!(back.option("root"), Some(asked.named("step").0.to_string().as_str()));
}

#[test]
fn of_some_places_only_those_count() {
    let asked = opened();
    let mut look = asked.look("calls.icicle");
    look.scope.places = Some(LATE.map(|rank| NodeId(rank as u32)).collect::<Nodes>());
    let (eos, wait) = (asked.named("evaluate"), asked.named("exchange"));
    let wide = |look: &Look, node: NodeId| boxes(&asked.scene(look))[&node.0][2];
    let all = asked.look("calls.icicle");
    assert!(wide(&look, eos) > 1.5 * wide(&all, eos));
    assert!(wide(&look, wait) < 0.5 * wide(&all, wait));
}

#[test]
fn differences_of_runs_and_of_places_are_coloured() {
    let asked = opened();
    let mut look = asked.look("calls.icicle");
    let slot = |look: &Look, node: NodeId| {
        let scene = asked.scene(look);
        let at = (0..scene.boxes.len()).find(|&i| scene.boxes.node[i] == node.0).unwrap();
        scene.boxes.fill[at] - crosscut_scene::palette::Ramp::DIFFERENCE.first
    };
    look.against = Some(Against::Runs(vec![1]));
    assert!(slot(&look, asked.named("evaluate")) > 7, "it takes more here than in the other run");
    assert_eq!(slot(&look, asked.named("dump")), 7, "nothing changed");
    look.against = Some(Against::Rest);
    look.scope.places = Some(LATE.map(|rank| NodeId(rank as u32)).collect::<Nodes>());
    assert!(slot(&look, asked.named("evaluate")) > 7);
    assert!(slot(&look, asked.named("exchange")) < 7);
}

/// Of another build, in which everything stands a line lower and `work` is there once instead of twice.
#[test]
fn call_paths_of_two_builds_are_the_same_though_lines_move() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, moved: i64, nodes: [i64; 3]| {
        let mut run = RunWriter::create(&folder.path().join(format!("{name}.crosscut"))).unwrap();
        let mut builder = Builder::new("made");
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let place = builder.place(0, 0);
        let mut put = |parent: u32, name: &str, line: i64, value: i64| {
            let frame = Frame {
                module: format!("/builds/{moved}/app"),
                file: "a.c".to_owned(),
                line: line + moved,
                ..Frame::function(name)
            };
            let frame = builder.frame(frame);
            let node = builder.node(parent, frame).unwrap();
            builder.add(metric, place, node, value);
            node
        };
        let main = put(0, "main", 1, 0);
        for (line, value) in [(10, nodes[0]), (20, nodes[1])] {
            if value > 0 {
                let work = put(main, "work", line, 0);
                put(work, "inside", 30, value);
            }
        }
        put(main, "other", 40, nodes[2]);
        builder.finish(&mut run).unwrap();
        run.finish().unwrap()
    };
    let runs = vec![write("before", 0, [3000, 1000, 4000]), write("after", 1, [4000, 0, 5000])];
    let asked = Asked(bench::of(runs, &Settings::new(), folder));
    let mut look = asked.look("calls.icicle");
    look.against = Some(Against::Runs(vec![1]));
    let scene = asked.scene(&look);
    let said = |name: &str| -> Vec<String> {
        let calls = asked.calls();
        let of = |node: u32| calls.frame(NodeId(node)).is_some_and(|frame| frame.name == name);
        let all = scene.labels.iter().filter(|label| of(label.node) && label.text.starts_with(['+', '−']));
        all.map(|label| label.text.chars().filter(|c| !c.is_whitespace()).collect()).collect()
    };
    assert_eq!(said("main"), ["−1.00µs"]);
    assert_eq!(said("work"), ["+0ns", "+0ns"]);
    assert_eq!(said("inside"), ["+0ns", "+0ns"]);
    assert_eq!(said("other"), ["−1.00µs"]);
}

#[test]
fn the_places_that_stand_out_are_named_and_can_be_chosen() {
    let asked = opened();
    let look = selecting(asked.look("calls.places"), asked.named("evaluate"));
    let scene = asked.scene(&look);
    let said = |text: &str| scene.labels.iter().any(|label| label.text.contains(text));
    assert!(said("ranks 4–6"), "{:?}", scene.labels);
    let axis = scene.plots[0].x.clone().unwrap();
    let (low, high) = ((axis.from() + axis.to()) / 2.0, axis.to());
    let brushed = asked.act(&look, serde_json::json!({ "name": "brush", "numbers": [low, high] }));
    assert_eq!(String::from(brushed.scope.places.clone().unwrap()), "4-6");
    let all = asked.act(&brushed, serde_json::json!({ "name": "all", "numbers": [] }));
    assert_eq!(all.scope.places, None);
    let none = asked.act(&brushed, serde_json::json!({ "name": "brush", "numbers": [-5.0, -4.0] }));
    assert_eq!(none.scope.places, None);
}

/// Texts of a picture of a run whose ranks have two threads each that do nothing.
fn with_helpers(view: &str, each: &str) -> (Scene, Look, Asked) {
    let folder = tempfile::tempdir().unwrap();
    let run = profile::write_with_helpers(folder.path(), "helpers", 2);
    let asked = Asked(bench::of(vec![run], &Settings::new(), folder));
    let look = selecting(asked.look(view), asked.named("evaluate"));
    let look = with_option(look, "each", each);
    (asked.scene(&look), look, asked)
}

#[test]
fn threads_that_do_nothing_are_no_ranks() {
    let (scene, look, asked) = with_helpers("calls.places", "auto");
    let texts: Vec<&str> = scene.labels.iter().map(|label| label.text.as_str()).collect();
    let said = |text: &str| texts.iter().any(|label| label.contains(text));
    // 3 × 3 ms + 13 × 1 ms on 16 ranks is 1.375 ms.
    assert!(said("16 ranks") && said("most 2.18 × mean") && said("ranks 4–6"), "{texts:?}");
    assert!(said("2 ranks without any value are left out"), "{texts:?}");
    let axis = scene.plots[0].x.clone().unwrap();
    let numbers = [(axis.from() + axis.to()) / 2.0, axis.to()];
    let brushed = asked.act(&look, serde_json::json!({ "name": "brush", "numbers": numbers }));
    assert_eq!(String::from(brushed.scope.places.clone().unwrap()), "12-20", "with all their threads");
    let chosen: Vec<bool> = (0..16).map(|rank| (4..=6).contains(&rank)).collect();
    let strip = asked.scene(&brushed);
    let places = strip.plots.iter().find(|plot| plot.brush == crosscut_scene::Brush::Places).unwrap();
    let x = places.x.clone().unwrap();
    // Each rank is as wide as the others, and stands where its places are.
    for rank in 0..16u32 {
        let middle = x.pixel(f64::from(3 * rank) + 1.5);
        let cell = ((middle - x.start()) / (x.length() / 16.0)) as u32;
        assert_eq!(cell, rank, "{:?} {chosen:?}", x.stops);
    }
}

#[test]
fn single_threads_can_be_compared() {
    let (scene, look, asked) = with_helpers("calls.places", "place");
    let said = |text: &str| scene.labels.iter().any(|label| label.text.contains(text));
    assert!(said("16 places") && said("most 2.18 × mean"), "{:?}", scene.labels);
    assert!(said("38 places without any value are left out"), "{:?}", scene.labels);
    let numbers = [2.5e6, 4e6];
    let brushed = asked.act(&look, serde_json::json!({ "name": "brush", "numbers": numbers }));
    assert_eq!(String::from(brushed.scope.places.clone().unwrap()), "12,15,18");
    let (points, ..) = with_helpers("calls.scatter", "auto");
    assert_eq!(points.points.len(), 16);
}

#[test]
fn modules_are_compared_by_rank() {
    let folder = tempfile::tempdir().unwrap();
    let run = profile::write_with_helpers(folder.path(), "helpers", 2);
    let asked = Asked(bench::of(vec![run], &Settings::new(), folder));
    let told = asked.0.ok(serde_json::json!({"ask": "overview", "run": 0})).to_string();
    assert!(told.contains("× 2.18 at rank 4"), "{told}");
    let mut look = asked.look("calls.flow");
    look.against = Some(Against::Rest);
    look.scope.places = Some((12..=20).map(NodeId).collect::<Nodes>());
    look.size = Size { w: 1280.0, h: 700.0 };
    let scene = asked.scene(&look);
    let said = |text: &str| scene.labels.iter().any(|label| label.text.contains(text));
    assert!(said("+2.00 ms itself") && said("the rest, mean of 13 ranks"), "{:?}", scene.labels);
}

#[test]
fn places_are_drawn_for_any_selection_and_size() {
    let asked = opened();
    for view in ["calls.places", "calls.scatter", "calls.strip", "calls.icicle"] {
        for size in [(32.0, 32.0), (300.0, 200.0), (928.0, 640.0)] {
            let look = Look { size: Size { w: size.0, h: size.1 }, ..asked.look(view) };
            limits::check(&asked.scene(&look)).unwrap();
            for node in 0..asked.calls().node_count() as u32 {
                limits::check(&asked.scene(&selecting(look.clone(), NodeId(node)))).unwrap();
            }
            limits::check(&asked.scene(&selecting(look.clone(), NodeId(999)))).unwrap();
        }
    }
}

#[test]
fn waiting_falls_as_work_rises() {
    let asked = opened();
    let look = selecting(asked.look("calls.scatter"), asked.named("evaluate"));
    let wait = asked.named("psm2_wait").0.to_string();
    let scene = asked.scene(&with_option(look, "beside", &wait));
    assert_eq!(scene.points.len(), profile::RANKS as usize);
    assert!(scene.note.as_deref().unwrap().contains("r = -1.00"), "{:?}", scene.note);
}

/// The picture of each finding, with the id of its cause.
fn pictures(asked: &Asked) -> Vec<(String, Scene)> {
    let found = asked.0.bench.job(0, |job| job.found()).unwrap();
    let picture = |finding: &crosscut_workbench::Finding| {
        let look = finding.picture.as_ref().unwrap();
        assert_eq!(look.view, "calls.evidence");
        let scene = asked.scene(look);
        limits::check(&scene).unwrap();
        let b = &scene.boxes;
        let inside = |at: usize| {
            b.x[at] >= 0.0 && b.y[at] >= 0.0 && b.x[at] + b.w[at] <= 401.0 && b.y[at] + b.h[at] <= 119.0
        };
        assert!((0..b.len()).all(inside), "{:?}", scene.note);
        (finding.id.to_string(), scene)
    };
    found.findings.iter().map(picture).collect()
}

/// The number of red marks.
fn red(scene: &Scene) -> usize {
    scene.boxes.fill.iter().filter(|&&fill| fill == crosscut_scene::palette::slot::RED).count()
}

#[test]
fn every_finding_has_a_picture_that_shows_it() {
    let asked = opened();
    let all = pictures(&asked);
    let of = |cause: &str| &all.iter().find(|(id, _)| id == cause).unwrap_or_else(|| panic!("{cause}")).1;
    let uneven = of("rank-imbalance");
    assert_eq!((uneven.boxes.len(), red(uneven)), (16, 3), "a bar for each rank, ranks 4 to 6 are red");
    let highest = |at: usize| uneven.boxes.h[at];
    assert!((highest(4) - 3.0 * highest(0)).abs() < 1.0, "{} {}", highest(4), highest(0));
    let said = |scene: &Scene, text: &str| scene.labels.iter().any(|label| label.text.contains(text));
    assert!(
        said(uneven, "mean 1.38") && said(uneven, "rank 0") && said(uneven, "rank 15"),
        "{:?}",
        uneven.labels
    );
    assert_eq!(uneven.links.len(), 1);
    let hot = of("hot-function");
    assert_eq!((hot.boxes.len(), red(hot)), (5, 1));
    assert!(said(hot, "evaluate") && said(hot, "advance"), "{:?}", hot.labels);
}

/// With more ranks than there is room for, several share a bar, which is as high as the most of them.
#[test]
fn the_picture_of_many_ranks_keeps_those_that_stand_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = RunWriter::create(&folder.path().join("many.crosscut")).unwrap();
    let mut builder = Builder::new("made");
    let metric = builder.metric("time", Unit::Ns, Given::Own);
    let frame = builder.frame(Frame { module: "app".to_owned(), ..Frame::function("f") });
    let node = builder.node(0, frame).unwrap();
    for rank in 0..1000 {
        let place = builder.place(rank, 0);
        builder.add(metric, place, node, if rank == 777 { 300_000 } else { 1000 });
    }
    builder.finish(&mut run).unwrap();
    let asked = Asked(bench::of(vec![run.finish().unwrap()], &Settings::new(), folder));
    let all = pictures(&asked);
    let scene = &all.iter().find(|(id, _)| id == "rank-imbalance").unwrap().1;
    assert!(scene.boxes.len() <= 200 && red(scene) == 1, "{} {}", scene.boxes.len(), red(scene));
    let at = (0..scene.boxes.len()).max_by(|&a, &b| scene.boxes.h[a].total_cmp(&scene.boxes.h[b])).unwrap();
    assert_eq!(at, 777 * scene.boxes.len() / 1000);
}
