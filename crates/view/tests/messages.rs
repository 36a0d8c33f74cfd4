//! Pictures of messages: bands as wide as their bytes, nothing outside of its plot, the same picture for the same look, and
//! trees that open and close.

use crate::bench;

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
    Cell, Drawn, Forest, Look, Refusal, Selection, Settings, Shown, Size, Span, TreeKey, TreeRef,
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
        late: late.into_iter().collect(),
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
        let fast = Waiting::of(&messages, (&waited(&messages, &waits), &[]), &clock, &gram);
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

/// In a long run chance costs more than one late rank: what somebody caused is told first all the same.
#[test]
fn who_is_late_is_told_before_noise() {
    let late = Late { rank: 37, step: Some(95), by: 8_000_000 };
    let bench = made(64, 300, "halo*8,radix-4,allreduce", Some(late));
    let found = bench.0.bench.job(0, |job| job.found()).unwrap();
    let [first, second, ..] = &found.findings[..] else { panic!("{:?}", found.findings) };
    assert_eq!((first.id.as_str(), &first.ranks[..]), ("late-sender", &[37][..]));
    assert_eq!((second.id.as_str(), &second.ranks[..]), ("late-sender", &[][..]));
    let cost = |cell: &Cell| if let Cell::Number { value, .. } = cell { *value } else { f64::NAN };
    assert!(cost(&second.cost) > cost(&first.cost), "{:?} beside {:?}", second.cost, first.cost);
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

#[test]
fn what_was_unfolded_and_selected_follows_another_number_of_phases() {
    let bench = made(25, 27, PROGRAM, None);
    let (few, many) =
        (bench.forest("phases", &[("k", "3")]).unwrap(), bench.forest("phases", &[("k", "27")]).unwrap());
    let is_in = |forest: &PhaseForest, points: &std::ops::Range<usize>| {
        forest.nodes.iter().position(|node| node.points == *points).map(|at| NodeId(at as u32))
    };
    // Something that opens in both: the whole, and a stretch of phases that is a node of each.
    let both = |forest: &PhaseForest| {
        let inner = (1..forest.nodes.len() as u32).map(NodeId).filter(|&node| !forest.tree().is_leaf(node));
        inner.collect::<Vec<_>>()
    };
    let (old, new) = (phases(&few), phases(&many));
    let kept =
        both(old).into_iter().find_map(|node| Some((node, is_in(new, &old.nodes[node.index()].points)?)));
    let gone = (0..old.nodes.len()).find(|&at| is_in(new, &old.nodes[at].points).is_none());
    let mut cut = crosscut_tree::Cut::closed();
    cut.open(few.tree(), NodeId::ROOT);
    if let Some((node, _)) = kept {
        cut.open(few.tree(), node);
    }
    let selected = kept.map_or(NodeId::ROOT, |kept| kept.0);
    let ask = |nodes: String| {
        bench.0.ok(serde_json::json!({
            "ask": "carry", "run": 0, "tree": "phases", "was": { "k": "3" }, "with": { "k": "27" },
            "cut": cut.to_text(), "nodes": nodes,
        }))
    };
    let answer = ask(selected.0.to_string());
    let carried = crosscut_tree::Cut::from_text(many.tree(), answer["cut"].as_str().unwrap()).unwrap();
    assert!(carried.is_open(NodeId::ROOT));
    let found = kept.map_or(NodeId::ROOT, |kept| kept.1);
    assert!(carried.is_open(found) || many.tree().is_leaf(found));
    let first = |points: &std::ops::Range<usize>| is_in(new, points).unwrap().0.to_string();
    assert_eq!(answer["nodes"], first(&old.nodes[selected.index()].points));
    if let Some(gone) = gone {
        assert_eq!(ask(gone.to_string())["nodes"], "");
    }
}

#[test]
fn every_finding_has_a_picture_that_shows_it() {
    let late = Late { rank: 21, step: Some(5), by: 40_000_000 };
    let bench = made(64, 27, PROGRAM, Some(late));
    let found = bench.0.bench.job(0, |job| job.found()).unwrap();
    assert!(!found.findings.is_empty());
    for (number, finding) in found.findings.iter().enumerate() {
        let look = finding.picture.as_ref().unwrap();
        assert_eq!(look.view, "messages.evidence");
        let drawn = scene(bench.draw(look));
        limits::check(&drawn).unwrap();
        let note = drawn.note.clone().unwrap();
        assert!(note.starts_with("outlined: rank "), "{note}");
        let b = &drawn.boxes;
        let inside = |at: usize| {
            b.x[at] >= 0.0 && b.y[at] >= -1.0 && b.x[at] + b.w[at] <= 401.0 && b.y[at] + b.h[at] <= 119.0
        };
        assert!((0..b.len()).all(inside), "{note}");
        if number == 0 {
            assert!(note.starts_with("outlined: rank 21 computes 4"), "{note}");
        }
    }
}

#[test]
fn the_matrix_by_groups_holds_the_same() {
    let bench = made(64, 27, PROGRAM, None);
    let grid = |order: &str| {
        let mut look = bench.look("messages.matrix");
        look.options.insert("order".to_owned(), order.to_owned());
        scene(bench.draw(&look)).grids.remove(0)
    };
    let (by_rank, by_groups) = (grid("rank"), grid("groups"));
    let cells = |grid: &crosscut_scene::Grid| {
        let Cells::Lines { rows, columns } = &grid.cells else { panic!("no lines") };
        let mut cells: Vec<(u32, u32, u8)> = (0..rows.len() * columns.len())
            .map(|at| (rows[at / columns.len()], columns[at % columns.len()], grid.level[at]))
            .collect();
        cells.sort_unstable();
        cells
    };
    assert_eq!(cells(&by_rank), cells(&by_groups));
    assert_ne!(by_rank.level, by_groups.level);
}

#[test]
fn what_differs_most_between_two_runs_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, late: Option<Late>| {
        let exchanges = exchanges("halo").unwrap();
        let options = MessageOptions {
            exchanges,
            ranks: 16,
            steps: 9,
            late: late.into_iter().collect(),
            ..MessageOptions::default()
        };
        crosscut_synth::messages(&folder.path().join(name), &options, &|_, _| {}).unwrap()
    };
    let late = Late { rank: 3, step: Some(5), by: 50_000_000 };
    let runs = vec![run("late.crosscut", Some(late)), run("plain.crosscut", None)];
    let settings = Settings::from([("phases".to_owned(), "9".to_owned())]);
    let both = bench::of(runs, &settings, folder);
    let sheet = both.ok(serde_json::json!({ "ask": "overview", "run": 0, "against": 1 }));
    let blocks = sheet["blocks"].as_array().unwrap();
    let tables: Vec<_> = blocks.iter().filter(|block| block["is"] == "table").collect();
    let of = |column: &str| {
        let has = |block: &&&serde_json::Value| {
            block["table"]["columns"].as_array().unwrap().iter().any(|c| c["name"] == column)
        };
        tables.iter().filter(has).map(|block| block["table"].clone()).collect::<Vec<_>>()
    };
    // The first row is that of what was made late: a cause with ranks at work, and the phase in which it is late.
    let first = |table: &serde_json::Value, at: usize| table["rows"][0]["cells"][at].clone();
    let cause = first(&of("cause")[0], 0)["text"].as_str().unwrap().to_owned();
    assert!(cause.starts_with("late-") || cause == "rank-imbalance", "{cause}");
    // Of phases, how long they take, and how long ranks wait in them.
    let [takes, waits] = &of("phase")[..] else { panic!("two tables of phases") };
    let change = first(takes, 4);
    assert!(change["here"].as_f64().unwrap() > change["there"].as_f64().unwrap() + 4e7, "{change}");
    let change = first(waits, 4);
    assert!(change["here"].as_f64().unwrap() > change["there"].as_f64().unwrap() + 4e7, "{change}");
    // Both send the same.
    let says = |text: &str| blocks.iter().any(|block| block["text"] == text);
    assert!(says("Every rank sends every other the same"));
}

/// The marks of the critical path: x, y, width.
fn on_path(scene: &Scene) -> Vec<(f32, f32, f32)> {
    let boxes = &scene.boxes;
    let is_path = |at: &usize| boxes.role[*at] == 3 && boxes.tree[*at] == 1;
    (0..boxes.len()).filter(is_path).map(|at| (boxes.x[at], boxes.y[at], boxes.w[at])).collect()
}

#[test]
fn the_critical_path_is_seen_among_ranks() {
    // Few ranks with their calls, and many as pixels.
    for (ranks, steps) in [(8, 6), (300, 12)] {
        let late = Late { rank: 5, step: Some(3), by: 20_000_000 };
        let bench = made(ranks, steps, "halo", Some(late));
        let mut look = bench.look("messages.ranks");
        look.options.insert("gaps".to_owned(), "false".to_owned());
        let with = scene(bench.draw(&look));
        let marks = on_path(&with);
        // It leads through the whole window without a gap, one rank at a time.
        let (first, last) = (marks.first().unwrap(), marks.last().unwrap());
        assert!(first.0 < 93.0 && last.0 + last.2 > 911.0, "{first:?} … {last:?}");
        assert!(marks.windows(2).all(|pair| (pair[1].0 - pair[0].0 - pair[0].2).abs() < 2.1), "{marks:?}");
        // The late rank is on it longest.
        let late = Opened::new(bench.messages()).places[5];
        let is_path = |at: &usize| with.boxes.role[*at] == 3 && with.boxes.tree[*at] == 1;
        let widest = |a: &usize, b: &usize| with.boxes.w[*a].total_cmp(&with.boxes.w[*b]);
        let longest = (0..with.boxes.len()).filter(is_path).max_by(widest).unwrap();
        assert_eq!(with.boxes.node[longest], late, "{ranks} ranks");
        assert!(!with.links.is_empty() && with.legend.iter().any(|item| item.text == "critical path"));
        look.options.insert("path".to_owned(), "false".to_owned());
        assert_eq!(on_path(&scene(bench.draw(&look))), []);
    }
}

#[test]
fn collectives_are_told_where_they_are_not_shown() {
    let bench = made(16, 12, "halo*2,allreduce", None);
    for view in ["messages.matrix", "messages.sizes"] {
        let note = scene(bench.draw(&bench.look(view))).note.unwrap();
        assert!(note.contains("4 collectives, 4.00 MiB, are not in this picture"), "{view}: {note}");
    }
    let note = scene(bench.draw(&bench.look("messages.gram"))).note.unwrap();
    assert!(note.contains("collectives carry 4.00 MiB besides"), "{note}");
    let volume = scene(bench.draw(&bench.look("messages.volume")));
    let layer = volume.areas.iter().find(|area| area.name.starts_with("collectives")).unwrap();
    let high = |at: usize| layer.y0[at] - layer.y1[at];
    assert!((0..layer.y0.len()).any(|at| high(at) > 1.0));
    let none = made(16, 4, "halo", None);
    let note = scene(none.draw(&none.look("messages.matrix"))).note.unwrap();
    assert!(!note.contains("collective"), "{note}");
    assert!(
        scene(none.draw(&none.look("messages.volume"))).areas.iter().all(|a| !a.name.starts_with("coll"))
    );
}

/// Four ranks meet twenty times. One is late once, in a function of its own; all the other time it spends more than others in another
/// one, without being late.
#[test]
fn the_line_of_late_work_is_where_it_was_then() {
    use crosscut_calls::{Builder as Profile, Frame, Given, Unit};
    use crosscut_messages::{Builder, Call, Collective, Comm, Comms, Done, Function, Joined, Whole};
    let folder = tempfile::tempdir().unwrap();
    let mut run = crosscut_run::RunWriter::create(&folder.path().join("made.crosscut")).unwrap();
    let mut profile = Profile::new("made");
    profile.metric("time", Unit::Ns, Given::Own);
    profile.metric("samples", Unit::Count, Given::Own);
    let main = profile.frame(Frame { file: "a.c".into(), line: 5, ..Frame::function("main") });
    let main = profile.node(0, main).unwrap();
    let mut function = |name: &str, line: i64| {
        let frame = profile.frame(Frame { file: "a.c".into(), line, ..Frame::function(name) });
        profile.node(main, frame).unwrap()
    };
    let (usual, other, slow) = (function("usual", 10), function("other", 20), function("slow", 42));
    let places: Vec<u32> = (0..4).map(|rank| profile.place(rank, 0)).collect();
    let mut builder = Builder::new(&run, &[21; 4]).unwrap();
    let mut done = vec![Done::default(); 4];
    const MS: i64 = 1_000_000;
    for (rank, (mut writer, done)) in builder.ranks().into_iter().zip(&mut done).enumerate() {
        writer.call(Call::new(0, 0, MS)).unwrap();
        let mut now = MS;
        for step in 0..20 {
            let late = if step == 7 { 100 * MS } else { 0 };
            let own = if rank == 2 { late } else { 0 };
            let mostly = if rank == 2 { other } else { usual };
            for at in 0..10 {
                profile.sample(places[rank], now + at * MS, mostly, [MS, 1]);
            }
            for at in 10..10 + own / MS {
                profile.sample(places[rank], now + at * MS, slow, [MS, 1]);
            }
            let (start, end) = (now + 10 * MS + own, now + 11 * MS + late);
            let call = writer.call(Call { bytes: 8, ..Call::new(1, start, end) }).unwrap();
            let kind = Collective::of("MPI_Allreduce").unwrap();
            done.collectives.push(Joined { comm: 0, call, done: call, root: NONE, kind });
            now = end;
        }
    }
    profile.finish(&mut run).unwrap();
    let comms = Comms { list: vec![Comm::world(4), Comm::of_itself()] };
    let functions = ["MPI_Init", "MPI_Allreduce"].map(Function::named).to_vec();
    let whole = Whole { comms, functions, places: places.clone(), ..Whole::default() };
    builder.finish(&mut run, done, whole).unwrap();
    let bench = opened(run.finish().unwrap(), folder);
    let found = bench.0.bench.job(0, |job| job.found()).unwrap();
    let first = &found.findings[0];
    assert_eq!((first.id.as_str(), &first.ranks[..]), ("late-rank", &[2][..]));
    assert_eq!(first.line.as_ref().unwrap().position(), "a.c:42", "{first:?}");
}
