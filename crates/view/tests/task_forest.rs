//! Every question about the tree of tasks on small runs: pictures, acts, sheets, tables, searches, what reaches what.

use crate::bench;

use bench::{Bench, act, merge, node, number, scene, start};
use crosscut_tree::NodeId;
use crosscut_workbench::{
    Block, Cell, Forest, Job, Nodes, Reach, Scope, Selection, Sheet, Span, TreeKey, TreeRef,
};
use serde_json::{Value, json};

fn forest<T>(bench: &Bench, ask: impl FnOnce(&dyn Forest, &Job<'_>) -> T) -> T {
    bench.bench.job(0, |job| ask(&*bench.bench.forest(&TreeRef::named("tasks"), job).unwrap(), job))
}

fn about(bench: &Bench, selection: &Selection) -> Sheet {
    forest(bench, |forest, job| forest.about(selection, None, &Scope::default(), job)).unwrap()
}

fn of_node(node: u32) -> Selection {
    Selection::node(0, "tasks", NodeId(node))
}

fn facts(sheet: &Sheet) -> Vec<(String, Cell)> {
    let rows = sheet.blocks.iter().filter_map(|block| match block {
        Block::Facts { rows } => Some(rows),
        _ => None,
    });
    rows.flatten().map(|fact| (fact.name.clone(), fact.value.clone())).collect()
}

fn fact(sheet: &Sheet, name: &str) -> Option<f64> {
    facts(sheet).into_iter().find(|fact| fact.0 == name).and_then(|fact| match fact.1 {
        Cell::Number { value, .. } => Some(value),
        _ => None,
    })
}

fn table(bench: &Bench, look: &Value, more: Value) -> Value {
    let mut ask = json!({"ask": "table", "look": look, "tree": "tasks", "count": 1000});
    merge(&mut ask, &more);
    bench.ok(ask)
}

#[test]
fn pictures_show_marks() {
    let bench = start();
    for view in ["tasks.dag", "tasks.timeline", "tasks.profile"] {
        let has = |name: &str| view == "tasks.dag" || (name == "colour" && view == "tasks.timeline");
        for (run, options) in [
            (0, json!({})),
            (1, json!({"colour": "source", "scale": "even", "critical": "true"})),
            (0, json!({"colour": "kind", "scale": "linear"})),
            (0, json!({"colour": "core"})),
        ] {
            let options: serde_json::Map<String, Value> =
                options.as_object().unwrap().clone().into_iter().filter(|(name, _)| has(name)).collect();
            let reply = bench.ask(scene(view, json!({"run": run, "options": options})));
            let last = reply.last();
            assert!(last["error"].is_null(), "{view}: {last}");
            let head = &last["ok"]["shown"]["head"];
            assert!(!head["legend"].as_array().unwrap().is_empty(), "{view}");
            assert!(reply.columns > 0 && !head["plots"].as_array().unwrap().is_empty(), "{view}");
        }
    }
    let window = json!({"scope": {"time": [10000, 20000]}});
    let timeline = bench.ok(scene("tasks.timeline", window));
    let axis = &timeline["shown"]["head"]["plots"][1]["x"];
    assert_eq!(number(&axis["stops"][0]["value"]), 10000.0);
    assert_eq!(number(&axis["stops"][1]["value"]), 20000.0);
}

#[test]
fn acts_change_the_cut() {
    let bench = start();
    let first = bench.ok(scene("tasks.dag", json!({})));
    let root = || Some(node("tasks", 0));
    let closed = bench.ok(act(&first["look"], "close", root(), &[]));
    assert_eq!(closed["visible"], 1);
    let look = &closed["look"];
    let opened = bench.ok(act(look, "open", root(), &[]));
    assert!(number(&opened["visible"]) > 1.0);
    let below = bench.ok(act(look, "below", root(), &[100.0]));
    assert!((10.0..=100.0).contains(&number(&below["visible"])));
    let deep = bench.ok(act(look, "depth", None, &[4.0]));
    assert!(number(&deep["visible"]) > number(&opened["visible"]));
    assert_eq!(bench.ok(act(look, "depth", None, &[0.0]))["visible"], 1);
    let revealed = bench.ok(act(look, "reveal", Some(node("tasks", 1500)), &[]));
    let rows = table(&bench, &revealed["look"], json!({}));
    let is = |row: &Value| row["selection"]["nodes"] == "1500";
    assert!(rows["rows"].as_array().unwrap().iter().any(is));
    let critical = bench.ok(act(look, "critical", None, &[]));
    assert!(number(&critical["visible"]) > number(&opened["visible"]));
    assert_eq!(critical["look"]["options"]["critical"], "true");
    let wide = bench.ok(scene("tasks.dag", json!({"run": 1})));
    let on = json!({"run": 1, "tree": "tasks", "nodes": "1"});
    let windowed = bench.ok(act(&wide["look"], "window", Some(on), &[1000.0, 20.0]));
    assert!(number(&windowed["visible"]) > number(&wide["visible"]));
}

#[test]
fn sheets_of_nodes() {
    let bench = start();
    let tasks = &bench.opened(0).tasks;
    let root = about(&bench, &of_node(0));
    assert_eq!((root.kind.as_str(), root.crumbs.len()), ("task", 0));
    let summary = tasks.summary();
    for (name, value) in
        [("work", summary.work), ("elapsed", summary.elapsed), ("tasks inside", summary.tasks)]
    {
        assert_eq!(fact(&root, name), Some(value as f64), "{name}");
    }
    assert_eq!(fact(&root, "critical path"), Some(tasks.critical_path(NodeId::ROOT) as f64));
    assert_eq!(fact(&root, "intervals inside"), Some(summary.intervals as f64));
    let says = |sheet: &Sheet, words: &str| {
        sheet.blocks.iter().any(|block| matches!(block, Block::Text { text, .. } if text.contains(words)))
    };
    assert!(says(&root, "On the critical path"));
    let child = about(&bench, &of_node(100));
    assert_eq!(child.crumbs[0].selection, of_node(0));
    assert_eq!(child.title, tasks.title(NodeId(100)));
    assert_eq!(says(&child, "On the critical path"), tasks.is_critical(NodeId(100)));
    // Who ran it adds up to all of it.
    let workers = facts(&root).into_iter().find(|fact| fact.0 == "workers").unwrap().1;
    let Cell::Shares { parts } = workers else { panic!("shares") };
    assert_eq!(parts.len(), 3);
    assert!((parts.iter().map(|part| part.share).sum::<f32>() - 1.0).abs() < 1e-5);
    // Two nodes of which one lies in the other count once.
    let both = Selection { nodes: Nodes::of([0..1, 100..101]), ..of_node(0) };
    assert_eq!(fact(&about(&bench, &both), "work"), Some(summary.work as f64));
    let edge = Selection { to: Some(Nodes::one(NodeId(2))), ..of_node(1) };
    let edge = about(&bench, &edge);
    assert!(edge.title.contains('→') && !facts(&edge).is_empty());
    assert!(!facts(&about(&bench, &Selection { nodes: Nodes::none(), ..of_node(0) })).is_empty());
}

#[test]
fn titles_and_values_are_those_of_the_run() {
    let bench = start();
    let tasks = &bench.opened(0).tasks;
    let first = bench.ok(scene("tasks.dag", json!({})));
    let deep = bench.ok(act(&first["look"], "depth", None, &[16.0]));
    let rows = table(&bench, &deep["look"], json!({}));
    let columns = rows["columns"].as_array().unwrap();
    let at = |name: &str| columns.iter().position(|column| column["name"] == name).unwrap();
    let rows = rows["rows"].as_array().unwrap();
    assert!(rows.len() > 100);
    let mut work = 0.0;
    for row in rows {
        let node = NodeId(row["selection"]["nodes"].as_str().unwrap().parse().unwrap());
        let value = |name: &str| row["cells"][at(name)]["value"].as_f64();
        work += value("work").unwrap();
        if row["cells"][at("kind")]["text"] == "folded" {
            assert_eq!(value("elapsed"), None);
            continue;
        }
        assert_eq!(row["cells"][at("kind")]["text"], tasks.word(node));
        assert_eq!(row["state"]["critical"], tasks.is_critical(node), "{node:?}");
        assert_eq!(value("work"), Some(tasks.work(node) as f64));
        assert_eq!(value("elapsed"), Some(tasks.elapsed(node) as f64));
        assert_eq!(value("span"), Some(tasks.critical_path(node) as f64));
        assert_eq!(value("start"), Some(tasks.start(node) as f64));
    }
    assert_eq!(work, tasks.summary().work as f64);
}

#[test]
fn tables_are_sorted_and_filtered() {
    let bench = start();
    let look = bench.ok(scene("tasks.dag", json!({})))["look"].clone();
    let ask = |sort: &str, filter: &str| {
        table(
            &bench,
            &look,
            json!({"sort": sort, "filter": filter, "descending": true, "from": 1, "count": 3}),
        )
    };
    for sort in ["", "name", "kind", "worker", "start", "elapsed", "work", "span", "tasks"] {
        assert_eq!(ask(sort, "")["rows"].as_array().unwrap().len(), 3, "{sort}");
    }
    let works = ask("work", "");
    let at = works["columns"].as_array().unwrap().iter().position(|c| c["name"] == "work").unwrap();
    let work = |row: usize| number(&works["rows"][row]["cells"][at]["value"]);
    assert!(work(0) >= work(1));
    let waits = ask("", "wait");
    let is_wait = |row: &Value| row["cells"][1]["text"] == "wait";
    assert!(waits["rows"].as_array().unwrap().iter().all(is_wait));
    assert!(number(&waits["total"]) < number(&works["total"]));
}

#[test]
fn searches() {
    let bench = start();
    let search = |words: &str, limit: usize| {
        let answer = bench.ok(json!({"ask": "search", "run": 0, "words": words, "limit": limit}));
        answer["trees"].as_array().unwrap().clone()
    };
    let of = |trees: &[Value], tree: &str| trees.iter().find(|hits| hits["tree"] == tree).cloned();
    // A search for words never waits for a tree that takes long to make; a number of that tree asks for it.
    assert!(of(&search("fork-join fib", 3), "grains").is_none());
    assert!(of(&search("g1", 10), "grains").is_some());
    bench.ok(json!({"ask": "tree", "run": 0, "tree": "grains"}));
    let found = search("#100", 10);
    let hits = of(&found, "tasks").unwrap();
    assert_eq!((number(&hits["total"]), &hits["hits"][0]["selection"]["nodes"]), (1.0, &json!("100")));
    let found = search("g1", 10);
    let hits = of(&found, "grains").unwrap();
    assert_eq!((number(&hits["total"]), &hits["hits"][0]["selection"]["nodes"]), (1.0, &json!("1")));
    let waits = of(&search("WAIT fib", 3), "tasks").unwrap();
    assert_eq!(waits["hits"].as_array().unwrap().len(), 3);
    assert!(number(&waits["total"]) > 3.0);
    let groups = of(&search("fork-join fib", 3), "grains").unwrap();
    assert_eq!(number(&groups["total"]), bench.opened(0).grains().grains.fork_joins() as f64);
    for nothing in ["", "   ", "#", "#-1", "#99999999999", "g99999999", "no such thing", "🦀"] {
        let all = search(nothing, 5);
        let own = all.iter().filter(|hits| hits["tree"] == "tasks" || hits["tree"] == "grains");
        assert_eq!(own.map(|hits| number(&hits["total"])).sum::<f64>(), 0.0, "{nothing}");
    }
}

/// By time and place what ran there, and by line what began there.
#[test]
fn what_something_outside_means_here() {
    let bench = start();
    let tasks = &bench.opened(0).tasks;
    let elapsed = tasks.summary().elapsed as f64;
    let (from, to) = (elapsed * 0.4, elapsed * 0.5);
    forest(&bench, |forest, job| {
        let at = |worker: u32| Reach { stretches: vec![(worker, Span(from, to))], ..Reach::default() };
        for worker in 0..3u32 {
            let found = forest.find(&at(worker), job);
            assert!(!found.is_empty());
            for node in found.iter() {
                assert_eq!(tasks.worker(node), Some(worker as usize));
                assert!((tasks.start(node) as f64) < to && tasks.end(node) as f64 > from);
            }
        }
        let site = tasks.sources().site(tasks.site(NodeId(100))).unwrap();
        let found = forest.find(&Reach { lines: vec![site.from], ..Reach::default() }, job);
        assert!(found.contains(NodeId(100)));
        let begins = |node: NodeId| tasks.sources().site(tasks.site(node)).map(|site| site.from);
        assert!(found.iter().all(|node| begins(node) == Some(site.from)));
        let all = (1..tasks.tree().node_count() as u32).map(NodeId);
        assert_eq!(found.len(), all.filter(|&node| begins(node) == Some(site.from)).count());
        // The same tree comes first.
        let both = Reach { same: vec![(TreeKey::named("tasks"), Nodes::one(NodeId(3)))], ..at(0) };
        assert_eq!(forest.find(&both, job).single(), Some(NodeId(3)));
        // Out of it: the interval itself, and its line.
        let leaf = (0..).map(NodeId).find(|&node| tasks.tree().is_leaf(node)).unwrap();
        let reach = forest.reach(&Selection { nodes: Nodes::one(leaf), ..of_node(0) });
        let span = Span(tasks.start(leaf) as f64, tasks.end(leaf) as f64);
        assert_eq!(reach.stretches, [(tasks.worker(leaf).unwrap() as u32, span)]);
        assert_eq!(reach.lines.len(), 1);
    });
}

/// Twins of two runs of one shape have the same names.
#[test]
fn keys_survive() {
    let bench = bench::over(&[("fib", 2000), ("fib", 2001)]);
    let keys = |run: usize, tree: &str| {
        bench.bench.job(run, |job| {
            let forest = bench.bench.forest(&TreeRef::named(tree), job).unwrap();
            let nodes: Vec<NodeId> = (0..100.min(forest.tree().node_count() as u32)).map(NodeId).collect();
            forest.keys(&nodes)
        })
    };
    for tree in ["tasks", "grains"] {
        let here = keys(0, tree);
        assert_eq!(here, keys(1, tree), "{tree}");
        let mut once = here.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), here.len(), "{tree}");
    }
}

#[test]
fn broken_questions_get_words() {
    let bench = start();
    let look = scene("tasks.dag", json!({}))["look"].clone();
    for broken in [
        json!({"ask": "overview", "run": 2}),
        json!({"ask": "about", "selection": node("tasks", 4_000_000_000)}),
        scene("tasks.nothing", json!({})),
        scene("tasks.dag", json!({"trees": {"tasks": {"cut": "garbage"}}})),
        scene("tasks.dag", json!({"trees": {"tasks": {"cut": "0.zzzzzzzzzzzz"}}})),
        scene("tasks.dag", json!({"trees": {"tasks": {"cut": "0~1-2"}}})),
        scene("tasks.dag", json!({"options": {"colour": "beauty"}})),
        scene("tasks.timeline", json!({"scope": {"time": [5, 1]}})),
        act(&look, "open", Some(node("tasks", 4_000_000_000)), &[]),
        act(&look, "jump", None, &[]),
        json!({"ask": "table", "look": look, "tree": "tasks", "count": 1, "sort": "beauty"}),
        json!({"ask": "tree", "run": 0, "tree": "tasks/3"}),
    ] {
        let words = bench.refused(broken.clone());
        assert!(words.len() > 10, "{broken}: {words}");
    }
}

#[test]
fn strange_sizes_are_brought_into_range() {
    let bench = start();
    for view in
        ["tasks.dag", "tasks.timeline", "tasks.profile", "tasks.workers", "tasks.migrations", "tasks.gaps"]
    {
        for more in [
            json!({"size": {"w": -5, "h": -1}}),
            json!({"size": {"w": 0, "h": 0}}),
            json!({"size": {"w": 1e30, "h": 1e30}}),
            json!({"scope": {"time": [-1e300, 1e300]}}),
            json!({"scope": {"time": [1e18, 1e19]}}),
            json!({"scope": {"time": [7, 7]}}),
        ] {
            let answer = bench.ok(scene(view, more.clone()));
            for side in ["width", "height"] {
                let length = number(&answer["shown"]["head"][side]);
                assert!(length > 0.0 && length < 1e6, "{view} {more}: {length}");
            }
        }
    }
}
