//! Pictures of messages: bands as wide as their bytes, nothing outside of its plot, the same picture for the same look, and
//! trees that open and close.

mod bench;

use std::path::PathBuf;
use std::sync::Arc;

use crosscut_import::Quiet;
use crosscut_messages::gram::{Clock, Grams, Time};
use crosscut_messages::waits::Waits;
use crosscut_run::Run;
use crosscut_scene::{Cells, NONE, Scene, limits};
use crosscut_synth::{Late, MessageOptions, exchanges};
use crosscut_tree::NodeId;
use crosscut_view::messages::communities::CommunityForest;
use crosscut_view::messages::opened::{ClockKey, waited};
use crosscut_view::messages::phases::{Kind, PhaseForest};
use crosscut_view::messages::waiting::Waiting;
use crosscut_view::messages::{MessagesDomain, Opened, views};
use crosscut_workbench::{
    Drawn, Forest, Look, Refusal, Selection, Settings, Shown, Size, Span, TreeKey, TreeRef,
};

/// What a test asks of a run.
struct Asked(bench::Bench);

fn opened(run: Run, folder: tempfile::TempDir) -> Asked {
    Asked(bench::of(vec![run], &Settings::new(), folder))
}

/// A program of ranks.
fn made(ranks: u32, steps: u32, program: &str, late: Option<Late>) -> Asked {
    let folder = tempfile::tempdir().unwrap();
    let options = MessageOptions {
        exchanges: exchanges(program).unwrap(),
        ranks,
        steps,
        late,
        ..MessageOptions::default()
    };
    let target = folder.path().join("made.crosscut");
    let run = crosscut_synth::messages(&target, &options, &|_, _| {}).unwrap();
    opened(run, folder)
}

/// A recorded trace.
fn recorded(name: &str) -> Asked {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/messages/dumpi");
    let files = folder.path().join(name);
    std::fs::create_dir(&files).unwrap();
    let packed = fixtures.join(format!("{name}.tar.gz"));
    let done = std::process::Command::new("tar").arg("xzf").arg(packed).arg("-C").arg(&files).status();
    assert!(done.unwrap().success());
    let options = crosscut_import::Options::default();
    let target = folder.path().join("recorded.crosscut");
    let run = crosscut_import::import(&files, &target, &options, &Quiet).unwrap();
    opened(run, folder)
}

impl Asked {
    fn look(&self, view: &str) -> Look {
        Look { size: Size { w: 928.0, h: 640.0 }, ..Look::of(view, 0) }
    }

    fn draw(&self, look: &Look) -> Drawn {
        self.0.bench.draw(look).unwrap()
    }

    fn forest(&self, key: &str, with: &[(&str, &str)]) -> Result<Arc<dyn Forest>, Refusal> {
        let with = with.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let tree = TreeRef { key: TreeKey::from(key.to_owned()), with };
        self.0.bench.job(0, |job| self.0.bench.forest(&tree, job))
    }

    fn messages(&self) -> Arc<crosscut_messages::Messages> {
        let domain = self.0.bench.runs[0].domains.iter().find_map(|domain| MessagesDomain::of(&**domain));
        domain.unwrap().messages().clone()
    }

    /// The look after an act.
    fn act(&self, look: &Look, name: &str, tree: &TreeKey, node: NodeId) -> Look {
        let look = serde_json::to_value(look).unwrap();
        let on = bench::node(&tree.to_string(), node.0);
        let answer = self.0.ok(bench::act(&look, name, Some(on), &[]));
        serde_json::from_value(answer["look"].clone()).unwrap()
    }
}

fn scene(drawn: Drawn) -> Scene {
    let Shown::Scene(scene) = drawn.shown else { panic!("a sheet") };
    scene
}

fn phases(forest: &Arc<dyn Forest>) -> &PhaseForest {
    forest.as_any().downcast_ref().unwrap()
}

fn groups(forest: &Arc<dyn Forest>) -> &CommunityForest {
    forest.as_any().downcast_ref().unwrap()
}

const PROGRAM: &str = "halo*8,butterfly";

#[test]
fn bands_are_as_wide_as_their_bytes() {
    for (ranks, steps) in [(16, 18), (64, 27)] {
        let bench = made(ranks, steps, PROGRAM, None);
        let drawn = bench.draw(&bench.look("messages.gram"));
        let keys = drawn.trees.clone();
        let scene = scene(drawn);
        let mut seen = 0;
        for (number, key) in keys.iter().enumerate() {
            let forest = bench.forest(&key.to_string(), &[]).unwrap();
            let forest = groups(&forest);
            let mut scale: Option<f64> = None;
            for at in 0..scene.ribbons.len() {
                let mark = scene.ribbons.mark(at);
                if usize::from(mark.tree) != number + 2 || mark.node == NONE {
                    continue;
                }
                let (from, to) = (forest.ranks_of(NodeId(mark.node)), forest.ranks_of(NodeId(mark.to)));
                let between = |flow: &&crosscut_messages::flows::Flow| {
                    from.contains(&flow.from) && to.contains(&flow.to)
                };
                let bytes: i64 = forest.flows.iter().filter(between).map(|flow| flow.bytes).sum();
                let ends = [
                    scene.ribbons.bottom0[at] - scene.ribbons.top0[at],
                    scene.ribbons.bottom1[at] - scene.ribbons.top1[at],
                ];
                assert!((ends[0] - ends[1]).abs() < 0.01, "both ends are as wide");
                if ends[0] > 0.9 && bytes > 0 {
                    let own = f64::from(ends[0]) / bytes as f64;
                    let scale = *scale.get_or_insert(own);
                    assert!((own / scale - 1.0).abs() < 0.02, "{own} {scale}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 3, "{seen} bands");
    }
}

/// Everything that has a place.
fn corners(scene: &Scene) -> Vec<(f32, f32)> {
    let (b, r, l) = (&scene.boxes, &scene.ribbons, &scene.links);
    let boxes = (0..b.len()).flat_map(|i| [(b.x[i], b.y[i]), (b.x[i] + b.w[i], b.y[i] + b.h[i])]);
    let ribbons = (0..r.len()).flat_map(|i| {
        [(r.x0[i], r.top0[i]), (r.x0[i], r.bottom0[i]), (r.x1[i], r.top1[i]), (r.x1[i], r.bottom1[i])]
    });
    let links = (0..l.len()).flat_map(|i| [(l.x0[i], l.y0[i]), (l.x1[i], l.y1[i])]);
    let grids = scene.grids.iter().flat_map(|g| [(g.x, g.y), (g.x + g.w, g.y + g.h)]);
    let polygons = scene.polygons.x.iter().copied().zip(scene.polygons.y.iter().copied());
    boxes.chain(ribbons).chain(links).chain(grids).chain(polygons).collect()
}

#[test]
fn nothing_lies_outside_and_every_mark_names_something() {
    let late = Late { rank: 5, step: Some(4), by: 20_000_000 };
    let benches =
        [made(16, 18, PROGRAM, None), made(100, 27, "halo*8,allreduce", Some(late)), recorded("coll16")];
    for bench in &benches {
        for view in views::VIEWS {
            for (w, h) in [(300.0, 240.0), (928.0, 640.0), (2400.0, 1300.0)] {
                for time in [None, Some(Span(2e6, 9e6))] {
                    let mut look = Look { size: Size { w, h }, ..bench.look(view.name) };
                    look.scope.time = time;
                    let drawn = bench.draw(&look);
                    let trees: Vec<TreeKey> = (view.trees.iter().filter(|name| !name.ends_with("/*")))
                        .map(|name| TreeKey::named(name))
                        .chain(drawn.trees.iter().cloned())
                        .collect();
                    let scene = scene(drawn);
                    for (x, y) in corners(&scene) {
                        let inside = (-1.5..=w + 1.5).contains(&x) && (-8.0..=h + 40.0).contains(&y);
                        assert!(inside && x.is_finite() && y.is_finite(), "{} {w}×{h}: {x} {y}", view.name);
                    }
                    named(bench, &scene, &trees, view.name);
                }
            }
        }
    }
}

/// Nodes of marks exist in their trees.
fn named(bench: &Asked, scene: &Scene, trees: &[TreeKey], view: &str) {
    let counts: Vec<usize> =
        trees.iter().map(|key| bench.forest(&key.to_string(), &[]).unwrap().tree().node_count()).collect();
    let check = |tree: u8, node: u32| {
        assert!(node == NONE || (node as usize) < counts[usize::from(tree)], "{view}: {node} of tree {tree}");
    };
    for at in 0..scene.boxes.len() {
        check(scene.boxes.tree[at], scene.boxes.node[at]);
    }
    for at in 0..scene.ribbons.len() {
        check(scene.ribbons.tree[at], scene.ribbons.node[at]);
        check(scene.ribbons.tree[at], scene.ribbons.to[at]);
    }
    for grid in &scene.grids {
        match &grid.cells {
            Cells::Each(nodes) => nodes.iter().for_each(|&node| check(grid.mark.tree, node)),
            Cells::Lines { rows, columns } => {
                rows.iter().chain(columns).for_each(|&node| check(grid.mark.tree, node));
            }
            Cells::None => {}
        }
    }
}

#[test]
fn the_same_look_is_the_same_picture_and_marks_are_bounded() {
    let late = Late { rank: 77, step: Some(12), by: 30_000_000 };
    let [one, two] = [0, 1].map(|_| made(400, 36, "halo*8,radix-4*3,allreduce", Some(late)));
    for view in views::VIEWS {
        let look = one.look(view.name);
        let first = scene(one.draw(&look));
        assert_eq!(first, scene(one.draw(&look)), "{}", view.name);
        assert_eq!(first, scene(two.draw(&look)), "{}", view.name);
        assert!(limits::marks(&first) < 6000, "{}: {}", view.name, limits::marks(&first));
    }
}

#[test]
fn groups_open_and_close() {
    let bench = made(64, 18, PROGRAM, None);
    let look = bench.look("messages.gram");
    let drawn = bench.draw(&look);
    let key = drawn.trees[0].clone();
    let before = scene(drawn);
    let forest = bench.forest(&key.to_string(), &[]).unwrap();
    let group = forest.tree().children(NodeId::ROOT).find(|&node| !forest.tree().is_leaf(node)).unwrap();
    let open = bench.act(&look, "open", &key, group);
    let opened = scene(bench.draw(&open));
    let blocks = |scene: &Scene, node: NodeId| {
        (0..scene.boxes.len())
            .filter(|&at| scene.boxes.tree[at] == 2 && scene.boxes.node[at] == node.0)
            .count()
    };
    assert!(blocks(&before, group) > 0);
    for child in forest.tree().children(group) {
        assert!(blocks(&opened, child) > 0, "{child:?}");
    }
    let closed = bench.act(&open, "close", &key, group);
    let plain = |scene: &Scene| (scene.boxes.clone(), scene.ribbons.clone());
    assert_eq!(plain(&scene(bench.draw(&closed))), plain(&before));
}

#[test]
fn phases_add_up_and_what_is_in_them_too() {
    let bench = made(36, 27, PROGRAM, None);
    for with in [&[][..], &[("k", "9")], &[("clock", "logical")], &[("clock", "logical"), ("k", "27")]] {
        let forest = bench.forest("phases", with).unwrap();
        let (tree, of) = (forest.tree(), phases(&forest));
        assert_eq!(of.totals[0].messages, bench.messages().len() as u64);
        for node in (0..tree.node_count() as u32).map(NodeId).filter(|&node| !tree.is_leaf(node)) {
            let sum = |get: fn(&crosscut_view::messages::opened::Totals) -> i64| -> i64 {
                tree.children(node).map(|child| get(&of.totals[child.index()])).sum()
            };
            assert_eq!(sum(|totals| totals.bytes), of.totals[node.index()].bytes);
            assert_eq!(sum(|totals| totals.messages as i64), of.totals[node.index()].messages as i64);
        }
    }
    // The same messages have the same key, whatever else is cut.
    let keys = |k: &str| {
        let forest = bench.forest("phases", &[("k", k), ("clock", "logical")]).unwrap();
        let nodes: Vec<NodeId> = phases(&forest).of_phase.clone();
        forest.keys(&nodes)
    };
    let (few, many) = (keys("9"), keys("10"));
    assert!(few.iter().filter(|key| many.contains(key)).count() >= 8, "{few:?} {many:?}");
    for (name, value) in [("k", "0"), ("k", "x"), ("clock", "moon"), ("other", "1"), ("tag", "-")] {
        assert!(bench.forest("phases", &[(name, value)]).is_err(), "{name}={value}");
    }
    for key in
        ["communities/x", "communities/wall-3-2", "communities/wall-0-99999999", "communities/wall.q1-0-2"]
    {
        assert!(bench.forest(key, &[]).is_err(), "{key}");
    }
}

#[test]
fn what_repeats_is_seen() {
    let bench = made(64, 27, PROGRAM, None);
    let forest = bench.forest("phases", &[("clock", "logical")]).unwrap();
    let of = phases(&forest);
    assert_eq!(of.gram.expression.to_string(), "(A×8 B)×3");
    assert!(of.has_periods);
    let periods = of.nodes.iter().filter(|node| node.kind == Kind::Period).count();
    assert_eq!(periods, 3);
    let choices = bench.0.bench.job(0, |job| forest.choices(job));
    assert_eq!((choices[0].option.as_str(), choices[0].value.as_str()), ("k", "27"));
    assert_eq!(choices[0].title, "27: (A×8 B)×3");
}

#[test]
fn waiting_by_phase_is_that_of_the_slow_way() {
    let late = Late { rank: 3, step: Some(5), by: 10_000_000 };
    for bench in [made(25, 18, "halo*8,allreduce", Some(late)), recorded("coll16")] {
        let messages = bench.messages();
        let clock = Clock::of(&messages, Time::Logical);
        let gram = Grams::new(&messages, &clock).cut(clock.all(), 9);
        let waits = Waits::of(&messages);
        let spans: Vec<_> = gram.phases.iter().map(|phase| (phase.points.clone(), phase.span)).collect();
        let all = 0..gram.phases.len();
        let fast =
            Waiting::of(&messages, &waited(&messages, &waits), &clock, &gram, std::slice::from_ref(&all));
        assert_eq!(fast.by_phase, waits.by_phase(&messages, &clock, &spans));
    }
}

#[test]
fn the_late_rank_is_named() {
    let late = Late { rank: 21, step: Some(5), by: 40_000_000 };
    let bench = made(64, 27, PROGRAM, Some(late));
    let mut look = bench.look("messages.gram");
    let with = [("clock".to_owned(), "logical".to_owned())];
    look.trees.entry(TreeKey::named("phases")).or_default().with = with.into_iter().collect();
    let scene = scene(bench.draw(&look));
    let said = scene.labels.iter().any(|label| label.text.starts_with("rank 21 late"));
    let texts: Vec<&String> = scene.labels.iter().map(|label| &label.text).collect();
    assert!(said, "{texts:?}");
}

#[test]
fn filters_choose_messages() {
    let bench = recorded("coll16");
    let messages = bench.messages();
    let opened = Opened::new(messages.clone());
    for key in [
        ClockKey { tag: Some(messages.tag[0]), ..ClockKey::all(Time::Wall) },
        ClockKey { size: 64, ..ClockKey::all(Time::Wall) },
        ClockKey { comm: Some(messages.comm[0]), ..ClockKey::all(Time::Logical) },
    ] {
        assert_eq!(ClockKey::from_text(&key.text()), Some(key));
        let timed = opened.timed(key);
        let mut rows: Vec<u32> = timed.clock.messages(timed.clock.all()).collect();
        rows.sort_unstable();
        let meant = |row: &u32| {
            let row = *row as usize;
            key.tag.is_none_or(|tag| messages.tag[row] == tag)
                && key.comm.is_none_or(|comm| messages.comm[row] == comm)
                && messages.bytes[row] >= key.size as i64
        };
        let naive: Vec<u32> = (0..messages.len() as u32).filter(meant).collect();
        assert_eq!(rows, naive);
    }
}

#[test]
fn the_matrix_has_every_pair_once() {
    let bench = recorded("bswap8");
    let messages = bench.messages();
    let scene = scene(bench.draw(&bench.look("messages.matrix")));
    let grid = &scene.grids[0];
    assert_eq!((grid.nx, grid.ny), (8, 8));
    for from in 0..8u32 {
        for to in 0..8u32 {
            let pair = |&row: &usize| (messages.source.at(row), messages.destination.at(row)) == (from, to);
            let any = (0..messages.len()).any(|row| pair(&row));
            assert_eq!(grid.level[(from * 8 + to) as usize] > 0, any, "{from} → {to}");
        }
    }
}

#[test]
fn selections_reach_by_time_and_place() {
    let bench = made(16, 18, PROGRAM, None);
    let forest = bench.forest("phases", &[]).unwrap();
    let of = phases(&forest);
    for (number, &node) in of.of_phase.iter().enumerate() {
        let reach = forest.reach(&Selection::node(0, "phases", node));
        assert_eq!(reach.stretches.len(), 16);
        let found = bench.0.bench.job(0, |job| forest.find(&reach, job));
        assert!(found.contains(node), "phase {number}");
    }
    let key = of.communities(&of.gram.phases[0].points);
    let groups = bench.forest(&key.to_string(), &[]).unwrap();
    let leaf = (0..groups.tree().node_count() as u32).map(NodeId).find(|&node| groups.tree().is_leaf(node));
    let on = Selection { tree: key, ..Selection::node(0, "", leaf.unwrap()) };
    let found = bench.0.bench.job(0, |job| groups.find(&groups.reach(&on), job));
    assert_eq!(found.single(), leaf);
}
