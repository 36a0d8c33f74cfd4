//! Every question about the tree of grains on small runs, and what broken ones get.

use crate::bench;

use bench::{Bench, act, merge, node, number, over, scene, start};
use crosscut_tasks::grain::{Grains, Problem};
use crosscut_tree::NodeId;
use crosscut_workbench::{
    Block, Cell, Chosen, Forest, LensSpec, Look, Nodes, Scope, Selection, Settings, Sheet, TreeRef,
};
use serde_json::{Value, json};

fn forest<T>(
    bench: &Bench,
    run: usize,
    ask: impl FnOnce(&dyn Forest, &crosscut_workbench::Job<'_>) -> T,
) -> T {
    bench.bench.job(run, |job| ask(&*bench.bench.forest(&TreeRef::named("grains"), job).unwrap(), job))
}

fn lens(bench: &Bench, name: &str, value: Option<f64>) -> Chosen {
    forest(bench, 0, |forest, job| forest.lens(&LensSpec { name: name.to_owned(), value }, job)).unwrap()
}

fn about(bench: &Bench, selection: &Selection, lens: Option<&Chosen>) -> Sheet {
    forest(bench, 0, |forest, job| forest.about(selection, lens, &Scope::default(), job)).unwrap()
}

fn of_node(node: u32) -> Selection {
    Selection::node(0, "grains", NodeId(node))
}

fn value(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Number { value, .. } => Some(*value),
        _ => None,
    }
}

/// A fact of a sheet by its name.
fn fact(sheet: &Sheet, name: &str) -> Option<f64> {
    let rows = sheet.blocks.iter().filter_map(|block| match block {
        Block::Facts { rows } => Some(rows),
        _ => None,
    });
    rows.flatten().find(|fact| fact.name == name).and_then(|fact| value(&fact.value))
}

/// The rows of the table after a heading that begins so.
fn rows<'a>(sheet: &'a Sheet, heading: &str) -> &'a [crosscut_workbench::Row] {
    let at = sheet.blocks.iter().position(
        |block| matches!(block, Block::Head { text } if text.starts_with(heading) || text.contains(heading)),
    );
    let after = at.map_or(&[][..], |at| &sheet.blocks[at..]);
    let table = after.iter().find_map(|block| match block {
        Block::Table { table } => Some(&table.rows[..]),
        _ => None,
    });
    table.unwrap_or(&[])
}

/// A look with this state of the tree of grains.
fn state(state: Value) -> Value {
    json!({"trees": {"grains": state}})
}

fn problem(name: &str) -> Value {
    json!({"lens": {"name": name}})
}

fn table(bench: &Bench, look: &Value, more: Value) -> Value {
    let mut ask = json!({"ask": "table", "look": look, "tree": "grains", "count": 1000});
    merge(&mut ask, &more);
    bench.ok(ask)
}

fn column(table: &Value, name: &str) -> Vec<Option<f64>> {
    let columns = table["columns"].as_array().unwrap();
    let at = columns.iter().position(|column| column["name"] == name).unwrap_or_else(|| panic!("{name}"));
    let rows = table["rows"].as_array().unwrap();
    rows.iter().map(|row| row["cells"][at]["value"].as_f64()).collect()
}

fn sum(table: &Value, name: &str) -> f64 {
    column(table, name).into_iter().flatten().sum()
}

#[test]
fn lenses_of_a_run() {
    let bench = start();
    let answer = bench.ok(json!({"ask": "tree", "run": 0, "tree": "grains"}));
    let graph = &bench.opened(0).grains().grains;
    let fact = |name: &str| {
        let facts = answer["facts"].as_array().unwrap();
        number(&facts.iter().find(|fact| fact["name"] == name).unwrap()["value"]["value"])
    };
    let grains = fact("grains");
    assert!(grains > 100.0);
    assert_eq!(fact("nodes"), grains + 2.0 * fact("fork-joins") + 2.0);
    assert_eq!(fact("in sight at most"), graph.theta(None).most as f64);
    assert!(fact("in sight at most") < fact("nodes"));
    let lenses = answer["lenses"].as_array().unwrap();
    assert_eq!(lenses.len(), 7);
    let of = |word: &str| lenses.iter().find(|lens| lens["name"] == word).unwrap();
    for word in ["work-deviation", "memory-stall", "chunk-imbalance"] {
        assert!(of(word)["missing"].as_str().unwrap().len() > 20, "{word}");
    }
    let low = of("low-parallelism");
    assert_eq!(number(&low["usual"]), 3.0); // workers
    assert!(number(&low["count"]) > 0.0 && number(&low["count"]) < grains);
    assert!(low["worst"].is_object() && low["advice"].as_str().unwrap().len() > 10);
    // Those that cost most come first, those that are not available last.
    let missing: Vec<bool> = lenses.iter().map(|lens| !lens["missing"].is_null()).collect();
    assert!(missing.is_sorted());
    let cost = |lens: &Value| {
        let facts = lens["facts"].as_array().unwrap();
        facts.iter().find(|fact| fact["name"] == "time lost").unwrap()["value"]["value"]
            .as_f64()
            .unwrap_or(0.0)
    };
    let available = lenses.iter().filter(|lens| lens["missing"].is_null());
    assert!(available.clone().map(cost).is_sorted_by(|a, b| a >= b));
    // A threshold that everything is beyond, and one that nothing is.
    for (value, expected) in [(1e9, grains), (-1.0, 0.0)] {
        let asked = json!([{"name": "low-parallelism", "value": value}]);
        let answer = bench.ok(json!({"ask": "tree", "run": 0, "tree": "grains", "lenses": asked}));
        let lenses = answer["lenses"].as_array().unwrap().clone();
        let low = lenses.iter().find(|lens| lens["name"] == "low-parallelism").unwrap();
        assert_eq!((number(&low["count"]), number(&low["value"])), (expected, value));
        assert_eq!(number(&low["usual"]), 3.0);
    }
}

/// What a lens chooses and costs is what the analysis says.
#[test]
fn lenses_say_what_the_analysis_says() {
    let bench = start();
    let opened = bench.opened(0);
    let (tasks, graph) = (&opened.tasks, &opened.grains().grains);
    for problem in opened.grains().available() {
        let chosen = lens(&bench, problem.word(), None);
        let set = graph.problem(problem, chosen.value, None);
        assert_eq!(chosen.lens.chosen().len(), set.grains, "{problem}");
        assert_eq!(chosen.cost, graph.time_lost(tasks, &set, None) as f64, "{problem}");
        assert_eq!(chosen.name, problem.word());
        let worst = graph.worst_grains(&set, None, 1);
        assert_eq!(chosen.worst, worst.first().map(|worst| worst.0), "{problem}");
    }
}

#[test]
fn everything_about_a_grain_and_a_group() {
    let bench = start();
    let graph = bench.opened(0).grains();
    let root = about(&bench, &of_node(0), None);
    assert_eq!((root.kind.as_str(), root.crumbs.len()), ("linear group", 0));
    let notes = |sheet: &Sheet, words: &str| {
        sheet.blocks.iter().any(|block| matches!(block, Block::Text { text, .. } if text.contains(words)))
    };
    assert!(notes(&root, "On the path of grains"));
    assert_eq!(fact(&root, "grains"), Some(graph.grains.grain_count() as f64));
    assert_eq!(fact(&root, "work"), Some(graph.grains.work(NodeId::ROOT) as f64));
    let members = rows(&root, "member");
    assert_eq!(members.len(), graph.grains.tree().child_count(NodeId::ROOT).min(64));
    assert!(members.iter().map(|row| value(&row.cells[2])).is_sorted_by(|a, b| a >= b));
    assert!(members.iter().all(|row| row.selection.is_some()));
    let all = lens(&bench, "low-parallelism", Some(1e9));
    let grain = about(&bench, &of_node(1), Some(&all));
    assert_eq!(grain.crumbs[0].selection, of_node(0));
    assert!(rows(&grain, "member").is_empty());
    for name in ["work", "path of grains", "parallelism, median"] {
        assert!(fact(&grain, name).is_some(), "{name}");
    }
    let problems = rows(&grain, "Problems");
    let low = problems.iter().find(|row| row.cells[0].plain() == "low parallelism").unwrap();
    assert_eq!((low.state.lit, value(&low.cells[3])), (true, Some(1.0)));
    assert!(low.cells[2].plain().starts_with("< 1"));
    assert_eq!(problems.len(), graph.available().count());
    // A prediction is about the task with all below it.
    let whatif = grain.blocks.iter().find_map(|block| match block {
        Block::Show { look, slow: true, .. } => Some(look),
        _ => None,
    });
    assert_eq!(whatif.unwrap().option("nodes"), Some("0"));
    assert!(notes(&root, "tasks, lanes and chunks"));
    assert!(grain.time.is_some() && !grain.offers.is_empty());
}

#[test]
fn several_grains_an_edge_and_nothing() {
    let bench = start();
    let grains = &bench.opened(0).grains().grains;
    // A group and what lies in it counts once.
    let both = Selection { nodes: Nodes::of([0..1, 1..3]), ..of_node(0) };
    let sheet = about(&bench, &both, None);
    assert_eq!(fact(&sheet, "nodes"), Some(3.0));
    assert_eq!(fact(&sheet, "work"), Some(grains.work(NodeId::ROOT) as f64));
    let edge = Selection { to: Some(Nodes::one(NodeId(2))), ..of_node(1) };
    assert!(about(&bench, &edge, None).title.contains('→'));
    let none = Selection { nodes: Nodes::none(), ..of_node(0) };
    let low = lens(&bench, "low-parallelism", None);
    let whole = about(&bench, &none, Some(&low));
    assert_eq!(fact(&whole, "grains"), Some(grains.grain_count() as f64));
    assert!(!rows(&whole, "What recurs").is_empty());
    assert_eq!(rows(&whole, "Worst").len(), low.lens.chosen().len().min(8));
}

/// The fast way from a task to its grain finds what the plain one finds; and back.
#[test]
fn every_task_has_its_grain() {
    let bench = start();
    let opened = bench.opened(0);
    let plain = Grains::new(&opened.tasks);
    bench.bench.job(0, |job| {
        let tasks = bench.bench.forest(&TreeRef::named("tasks"), job).unwrap();
        let grains = bench.bench.forest(&TreeRef::named("grains"), job).unwrap();
        for node in (0..opened.tasks.tree().node_count() as u32).step_by(37) {
            let selection = Selection::node(0, "tasks", NodeId(node));
            let found = grains.find(&tasks.reach(&selection), job);
            assert_eq!(found.single(), Some(plain.of_task(&opened.tasks, NodeId(node))), "{node}");
            let back = tasks.find(&grains.reach(&Selection { nodes: found.clone(), ..of_node(0) }), job);
            assert_eq!(back.single(), Some(plain.task(found.single().unwrap())), "{node}");
        }
    });
}

#[test]
fn pictures_and_acts() {
    let bench = start();
    for more in [
        json!({}),
        json!({"run": 1, "options": {"alike": "true", "scale": "even", "colour": "worker", "critical": "true"}}),
        json!({"options": {"scale": "linear", "colour": "core"}, "trees": {"grains": problem("low-parallelism")}}),
        json!({"options": {"alike": "true", "path": "0"},
            "trees": {"grains": {"lens": {"name": "low-parallel-benefit", "value": 1e6}}}}),
    ] {
        let reply = bench.ask(scene("tasks.grains", more.clone()));
        assert!(reply.last()["ok"]["visible"].as_u64().is_some_and(|n| n > 1), "{more}: {}", reply.last());
        assert!(reply.columns > 0);
    }
    let first = bench.ok(scene("tasks.grains", json!({})));
    let closed = bench.ok(act(&first["look"], "close", Some(node("grains", 0)), &[]));
    assert_eq!(closed["visible"], 1);
    let look = &closed["look"];
    let opened = bench.ok(act(look, "open", Some(node("grains", 0)), &[]));
    assert!(number(&opened["visible"]) > 1.0);
    let deep = bench.ok(act(look, "depth", None, &[6.0]));
    assert!(number(&deep["visible"]) > number(&opened["visible"]));
    let below = bench.ok(act(look, "below", Some(node("grains", 0)), &[100.0]));
    assert!((10.0..=100.0).contains(&number(&below["visible"])));
    for (name, on) in [("critical", None), ("path", Some(node("grains", 0)))] {
        let path = bench.ok(act(look, name, on, &[]));
        assert!(number(&path["visible"]) > number(&opened["visible"]));
    }
    let revealed = bench.ok(act(look, "reveal", Some(node("grains", 200)), &[]));
    assert_eq!(revealed["select"]["nodes"], "200");
    let task = bench.ok(act(look, "reveal", Some(node("tasks", 1500)), &[]));
    let opened = bench.opened(0);
    let meant = opened.grains().of_task(&opened.tasks, NodeId(1500));
    assert_eq!(task["select"]["nodes"], meant.0.to_string());
}

/// Where most of the worst line is is selected and visible, with a lens and without; again, and the next line is.
#[test]
fn the_worst_one_after_the_other() {
    let bench = start();
    for more in [
        json!({}),
        state(problem("low-parallelism")),
        json!({"trees": {"grains": problem("low-parallelism")}, "options": {"alike": "true"}}),
    ] {
        let first = bench.ok(scene("tasks.grains", more.clone()));
        let mut look = first["look"].clone();
        let mut seen = Vec::new();
        for _ in 0..3 {
            let worst = bench.ok(act(&look, "worst", None, &[]));
            let rows = table(&bench, &worst["look"], json!({}));
            let selected = |row: &Value| row["selection"]["nodes"] == worst["select"]["nodes"];
            assert!(rows["rows"].as_array().unwrap().iter().any(selected), "{more}");
            assert!(worst["notice"].as_str().unwrap().contains(", worst first: "));
            seen.push((worst["notice"].clone(), worst["select"]["nodes"].clone()));
            look = worst["look"].clone();
            look["selected"] = worst["select"].clone();
        }
        let back = bench.ok(act(&look, "worst", None, &[-1.0]));
        assert_eq!(back["select"]["nodes"], seen[1].1);
        // One line after the other: the same node never stands for two of them.
        seen.sort_by_key(|step| step.0.to_string());
        seen.dedup();
        let mut nodes: Vec<&Value> = seen.iter().map(|step| &step.1).collect();
        nodes.dedup();
        assert_eq!(nodes.len(), seen.len(), "{more}");
    }
}

/// What the worst line leads to holds half of what the line costs, and nothing inside of it does; by adding up every grain.
#[test]
fn the_worst_line_is_where_most_of_it_is() {
    for shape in ["fib", "wide", "random", "skewed", "sort"] {
        let bench = over(&[(shape, 3000)]);
        let opened = bench.opened(0);
        let (tasks, graph) = (&opened.tasks, opened.grains());
        for known in graph.all_known() {
            let lines = graph.grains.worst_lines(tasks, &known.set, graph.deviation.as_ref(), 8);
            let priced = graph.grains.worst_grains(&known.set, graph.deviation.as_ref(), usize::MAX);
            let line = |node: NodeId| {
                tasks.sources().site(tasks.site(graph.grains.task(node))).map(|site| site.from)
            };
            for (i, worst) in lines.iter().enumerate() {
                let of_line = || priced.iter().filter(|(node, _)| line(*node) == Some(worst.source));
                let inside = |above: NodeId| {
                    let range = graph.grains.tree().range(above);
                    of_line()
                        .filter(|(node, _)| range.contains(&node.index()))
                        .map(|grain| grain.1.max(1))
                        .sum::<i64>()
                };
                assert_eq!((worst.grains, worst.cost), (of_line().count(), inside(NodeId::ROOT)));
                assert!(
                    i == 0
                        || worst.cost <= lines[i - 1].cost && lines[..i].iter().all(|l| l.node != worst.node)
                );
                if i == 0 {
                    assert!(2 * inside(worst.node) >= worst.cost, "{shape}");
                    let smaller =
                        graph.grains.tree().children(worst.node).all(|child| 2 * inside(child) <= worst.cost);
                    assert!(smaller, "{shape}: {worst:?}");
                }
            }
        }
    }
}

/// An act that opens less than it was asked for says so.
#[test]
fn opening_stops_with_a_word() {
    let bench = start();
    for (view, tree) in [("tasks.grains", "grains"), ("tasks.dag", "tasks")] {
        let first = bench.ok(scene(view, json!({})));
        let closed = bench.ok(act(&first["look"], "close", Some(node(tree, 0)), &[]));
        for (name, on, numbers, stopped) in [
            ("below", Some(node(tree, 0)), vec![20.0], true),
            ("below", Some(node(tree, 0)), vec![20_000.0], false),
            ("depth", None, vec![3.0], false),
            ("depth", None, vec![60.0], false),
            ("critical", None, vec![], false),
        ] {
            let answer = bench.ok(act(&closed["look"], name, on, &numbers));
            assert_eq!(answer["stopped"], stopped, "{view} {name} {numbers:?}");
        }
    }
}

#[test]
fn folds_are_spread_and_gathered() {
    let bench = start();
    // Run 1 is wide: one fork-join of very many grains.
    let folded = bench.ok(scene("tasks.grains", json!({"run": 1, "options": {"alike": "true"}})));
    let plain = bench.ok(scene("tasks.grains", json!({"run": 1})));
    assert!(number(&folded["visible"]) < number(&plain["visible"]));
    let rows = table(&bench, &folded["look"], json!({}));
    let kinds = rows["rows"].as_array().unwrap();
    let alike = kinds.iter().find(|row| row["cells"][1]["text"] == "alike").unwrap();
    let first = Some(alike["selection"].clone());
    let spread = bench.ok(act(&folded["look"], "spread", first.clone(), &[]));
    assert!(spread["look"]["trees"]["grains"]["cut"].as_str().unwrap().contains('!'));
    assert!(number(&spread["visible"]) > number(&folded["visible"]));
    let gathered = bench.ok(act(&spread["look"], "gather", first, &[]));
    assert_eq!(gathered["visible"], folded["visible"]);
    let same =
        bench.ok(act(&plain["look"], "alike", Some(json!({"run": 1, "tree": "grains", "nodes": "0"})), &[]));
    assert_eq!(same["visible"], plain["visible"]);
}

#[test]
fn tables_add_up() {
    let bench = start();
    let grains = &bench.opened(0).grains().grains;
    for more in [
        json!({}),
        json!({"options": {"alike": "true"}}),
        state(problem("low-parallelism")),
        json!({"options": {"alike": "true"}, "trees": {"grains": problem("sibling-imbalance")}}),
    ] {
        let first = bench.ok(scene("tasks.grains", more.clone()));
        let deep = bench.ok(act(&first["look"], "depth", None, &[7.0]));
        let rows = table(&bench, &deep["look"], json!({}));
        assert_eq!(rows["total"].as_u64().unwrap() as usize, rows["rows"].as_array().unwrap().len());
        assert_eq!(sum(&rows, "grains"), grains.grain_count() as f64, "{more}");
        assert_eq!(sum(&rows, "work"), grains.work(NodeId::ROOT) as f64, "{more}");
    }
    let low = json!({"lens": {"name": "low-parallelism", "value": 100}});
    let look = bench.ok(scene("tasks.grains", state(low)))["look"].clone();
    let flat = |more: Value| {
        let mut ask = json!({"flat": true, "sort": "work", "descending": true, "count": 5});
        merge(&mut ask, &more);
        table(&bench, &look, ask)
    };
    let all = flat(json!({}));
    let works = column(&all, "work");
    assert!(works.len() == 5 && works.is_sorted_by(|a, b| a >= b));
    assert!(all["rows"].as_array().unwrap().iter().all(|row| row["state"]["lit"] == true));
    assert_eq!(flat(json!({"filter": "no such source"}))["total"], 0);
    let names =
        ["", "name", "kind", "work", "path", "benefit", "balance", "scatter", "parallelism", "deviation"];
    for sort in names.into_iter().chain(["grains", "start", "core"]) {
        assert_eq!(flat(json!({"sort": sort}))["total"], all["total"], "{sort}");
    }
}

/// The same but for the last digit, which JSON may lose.
fn near(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * a.abs(),
        (a, b) => a == b,
    }
}

/// Every value of a table is that of the analysis.
#[test]
fn values_are_those_of_the_analysis() {
    let bench = start();
    let opened = bench.opened(0);
    let (tasks, grains) = (&opened.tasks, &opened.grains().grains);
    let first = bench.ok(scene("tasks.grains", json!({})));
    let deep = bench.ok(act(&first["look"], "depth", None, &[16.0]));
    let rows = table(&bench, &deep["look"], json!({}));
    let nodes: Vec<NodeId> = rows["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| NodeId(row["selection"]["nodes"].as_str().unwrap().parse().unwrap()))
        .collect();
    assert!(nodes.len() > 50);
    let kinds = rows["rows"].as_array().unwrap().iter().map(|row| row["cells"][1]["text"].as_str().unwrap());
    let alone: Vec<bool> = kinds.map(|kind| kind != "more").collect();
    let path = column(&rows, "path");
    let benefit = column(&rows, "benefit");
    let parallelism = column(&rows, "parallelism");
    for (i, &node) in nodes.iter().enumerate().filter(|(i, _)| alone[*i]) {
        let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
        let worst = |problem| finite(grains.problem_value(problem, node, None));
        let metrics = grains.metrics(tasks, node);
        assert_eq!(path[i], Some(metrics.critical_path as f64));
        let group = grains.kind(node).is_group();
        let own = if group { finite(metrics.benefit) } else { worst(Problem::LowParallelBenefit) };
        assert!(near(benefit[i], own), "{node:?}");
        let own = if group { finite(metrics.parallelism) } else { worst(Problem::LowParallelism) };
        assert!(near(parallelism[i], own), "{node:?}");
    }
}

/// The smallest first or the largest first: what is not available comes last.
#[test]
fn unknown_values_are_sorted_last() {
    let bench = start();
    let look = bench.ok(scene("tasks.grains", state(problem("low-parallelism"))))["look"].clone();
    for name in ["benefit", "parallelism", "scatter", "core"] {
        for descending in [false, true] {
            let rows = table(&bench, &look, json!({"sort": name, "descending": descending}));
            let values = column(&rows, name);
            let known: Vec<f64> = values.iter().copied().flatten().collect();
            assert!(values[known.len()..].iter().all(Option::is_none), "{name}: {values:?}");
            assert!(known.is_sorted_by(|a, b| if descending { a >= b } else { a <= b }), "{name}");
        }
    }
}

#[test]
fn broken_questions_get_words() {
    let bench = start();
    let look = |more: Value| scene("tasks.grains", more)["look"].clone();
    for broken in [
        scene("tasks.grains", state(problem("unhappiness"))),
        scene("tasks.grains", state(json!({"lens": {"name": "low-parallelism", "value": "high"}}))),
        scene("tasks.grains", state(problem("work-deviation"))),
        scene("tasks.grains", state(json!({"cut": "garbage"}))),
        scene("tasks.grains", state(json!({"cut": "0!x"}))),
        scene("tasks.grains", state(json!({"cut": "0!0.zzzzzzzzzz"}))),
        scene("tasks.grains", json!({"options": {"path": "4000000000"}})),
        scene("tasks.grains", json!({"options": {"path": "-1"}})),
        scene("tasks.grains", json!({"options": {"alike": "1"}})),
        scene("tasks.grains", json!({"options": {"beauty": "1"}})),
        act(&look(json!({})), "open", Some(node("grains", 4_000_000_000)), &[]),
        act(&look(json!({})), "open", Some(node("grains", 1)), &[]),
        act(&look(json!({})), "spread", Some(node("grains", 4_000_000_000)), &[]),
        act(&look(json!({})), "reveal", Some(node("tasks", 4_000_000_000)), &[]),
        act(&look(json!({})), "alike", None, &[]),
        act(&look(state(json!({"lens": {"name": "low-parallelism", "value": -5}}))), "worst", None, &[]),
        act(&scene("tasks.dag", json!({}))["look"], "worst", None, &[]),
        json!({"ask": "about", "selection": node("grains", 4_000_000_000)}),
        json!({"ask": "about", "selection": node("grains", 0), "lens": {"name": "x"}}),
        json!({"ask": "tree", "run": 0, "tree": "grains", "lenses": [{"name": "memory-stall", "value": null}, 1]}),
        json!({"ask": "table", "look": look(json!({})), "tree": "grains", "count": 9, "sort": "beauty"}),
        json!({"ask": "table", "look": look(state(json!({"cut": "x"}))), "tree": "grains", "count": 9}),
    ] {
        let words = bench.refused(broken.clone());
        assert!(words.len() > 10, "{broken}: {words}");
    }
    let strange = act(&look(json!({})), "window", Some(node("grains", 2)), &[4e9, 4e9]);
    bench.ok(strange);
    let rows =
        json!({"ask": "table", "look": look(json!({})), "tree": "grains", "count": 9, "from": u64::MAX});
    assert!(bench.ok(rows)["rows"].as_array().unwrap().is_empty());
}

/// With a run to compare with, the work deviation is available; thresholds given at the start are the run's own.
#[test]
fn a_baseline_gives_the_deviation() {
    let work = tempfile::tempdir().unwrap();
    let (one, two) = (work.path().join("one"), work.path().join("two"));
    for folder in [&one, &two] {
        std::fs::create_dir(folder).unwrap();
    }
    let (run, other) = (bench::made(&one, "fib", 2000), bench::made(&two, "fib", 2000));
    let settings = Settings::from([
        ("baseline".to_owned(), other.path().display().to_string()),
        ("threshold.work-deviation".to_owned(), "0.5".to_owned()),
    ]);
    let bench = bench::of(vec![run], &settings, work);
    let chosen = lens(&bench, "work-deviation", None);
    // The same run twice: every grain works as long as its counterpart, which is more than half as long.
    let grains = bench.opened(0).grains().grains.grain_count();
    assert_eq!((chosen.value, chosen.lens.chosen().len()), (0.5, grains));
    assert_eq!(fact(&about(&bench, &of_node(1), None), "work deviation"), Some(1.0));
    let json = bench.bench.report_json(0).unwrap();
    assert_eq!(json["grain"]["baseline"]["matched"], grains);
    assert_eq!(json["grain"]["baseline"]["same_structure"], true);
}

#[test]
fn wrong_settings_get_words() {
    let work = tempfile::tempdir().unwrap();
    let run = bench::made(work.path(), "fib", 200);
    for (name, value) in [
        ("baseline", "no such folder"),
        ("threshold.unhappiness", "1"),
        ("threshold.work-deviation", "-1"),
        ("threshold.work-deviation", "NaN"),
    ] {
        let settings = Settings::from([(name.to_owned(), value.to_owned())]);
        let again = crosscut_run::Run::open(run.path()).unwrap();
        let refusal = crosscut_workbench::OpenRun::open(again, crosscut_view::REGISTRY, &settings).err();
        assert!(refusal.is_some_and(|refusal| refusal.0.len() > 10), "{name} = {value}");
    }
}

/// A picture is the same whoever asks for it.
#[test]
fn a_picture_is_drawn_for_others_too() {
    let bench = start();
    let look: Look = serde_json::from_value(scene("tasks.grains", json!({}))["look"].clone()).unwrap();
    let drawn = bench.bench.draw(&look).unwrap();
    let crosscut_workbench::Shown::Scene(picture) = drawn.shown else { panic!("a picture") };
    assert!(picture.title.contains("grain graph") && picture.boxes.len() > 1);
}
