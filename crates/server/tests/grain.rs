//! Every question about the grain graph on small runs, and what broken ones get.

mod support;

use serde_json::{Value, json};
use support::{Reply, start};

fn scene(more: Value) -> Value {
    let mut request = json!({"op": "scene", "run": 0, "view": "grain", "colour": "source", "scale": "even", "width": 1000, "height": 400});
    for (key, value) in more.as_object().unwrap() {
        request[key] = value.clone();
    }
    request
}

fn lens(problem: &str) -> Value {
    json!({"problem": problem})
}

fn table(more: Value) -> Value {
    let mut request = json!({"op": "graintable", "run": 0, "limit": 2000});
    for (key, value) in more.as_object().unwrap() {
        request[key] = value.clone();
    }
    request
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn rows(answer: &Value) -> &Vec<Value> {
    answer["rows"].as_array().unwrap()
}

#[tokio::test]
async fn problems_of_a_run() {
    let server = start().await;
    let mut socket = server.socket().await;
    let all = socket.ok(json!({"op": "problems", "run": 0})).await;
    let grains = number(&all["grains"]);
    assert!(grains > 100.0);
    assert_eq!(number(&all["raw_nodes"]), grains + 2.0 * number(&all["fork_joins"]) + 2.0);
    assert!(number(&all["theta"]) < number(&all["raw_nodes"]));
    assert!((0.0..1.0).contains(&number(&all["savings"])));
    assert!(!all["classes"].as_array().unwrap().is_empty());
    let problems = all["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 7);
    let of = |word: &str| problems.iter().find(|p| p["problem"] == word).unwrap().clone();
    for word in ["work-deviation", "memory-stall", "chunk-imbalance"] {
        let row = of(word);
        assert_eq!(row["available"], false);
        assert!(row["why"].as_str().unwrap().len() > 20);
    }
    let low = of("low-parallelism");
    assert_eq!(number(&low["threshold"]), 3.0); // workers
    assert!(number(&low["grains"]) > 0.0 && number(&low["grains"]) < grains);
    assert!((0.0..=1.0).contains(&number(&low["work"])));
    assert!(!low["worst"].as_array().unwrap().is_empty());
    let costs: Vec<f64> = problems.iter().map(|p| number(&p["time_lost"])).collect();
    assert!(problems[0]["available"].as_bool().unwrap() && costs[0] >= costs[1]);
    // A threshold that everything is beyond, and one that nothing is.
    let ask = |value: f64| json!({"op": "problems", "run": 0, "thresholds": [{"problem": "low-parallelism", "value": value}]});
    for (value, expected) in [(1e9, grains), (-1.0, 0.0)] {
        let answer = socket.ok(ask(value)).await;
        let problems = answer["problems"].as_array().unwrap();
        let row = problems.iter().find(|p| p["problem"] == "low-parallelism").unwrap();
        assert_eq!(number(&row["grains"]), expected);
        assert_eq!((number(&row["threshold"]), number(&row["default"])), (value, 3.0));
        assert!(number(&row["range"][0]) <= value && value <= number(&row["range"][1]));
    }
}

#[tokio::test]
async fn everything_about_a_grain_and_a_group() {
    let server = start().await;
    let mut socket = server.socket().await;
    let root = socket.ok(json!({"op": "grain", "run": 0, "node": 0})).await;
    assert_eq!(root["kind"], "linear group");
    assert_eq!(root["path"], json!([]));
    assert_eq!(root["critical"], true);
    assert!(number(&root["member_count"]) >= 2.0);
    let members = root["members"].as_array().unwrap();
    assert!(members.windows(2).all(|w| number(&w[0]["work"]) >= number(&w[1]["work"])));
    let fact = |answer: &Value, name: &str| {
        answer["facts"].as_array().unwrap().iter().find(|f| f["name"] == name).map(|f| number(&f["value"]))
    };
    let all = socket.ok(json!({"op": "problems", "run": 0})).await;
    assert_eq!(fact(&root, "grains"), all["grains"].as_f64());
    let grain = socket.ok(json!({"op": "grain", "run": 0, "node": 1, "lens": {"problem": "low-parallelism", "threshold": 1e9}})).await;
    assert_eq!(grain["path"][0]["node"], 0);
    assert_eq!(grain["members"], json!([]));
    for name in ["work", "path of grains", "parallelism, median"] {
        assert!(fact(&grain, name).is_some(), "{name}: {}", grain["facts"]);
    }
    let value =
        grain["problems"].as_array().unwrap().iter().find(|p| p["problem"] == "low-parallelism").unwrap();
    assert_eq!(
        (&value["has"], number(&value["threshold"]), number(&value["grains"])),
        (&json!(true), 1e9, 1.0)
    );
    // A prediction is about the task with all below it.
    assert_eq!(root["includes"], all["grains"]);
    assert_eq!((&grain["after"], number(&grain["includes"])), (&json!([]), number(&root["includes"])));
    // From the task tree and back.
    let task = number(&grain["task"]) as u32;
    let back = socket.ok(json!({"op": "grain", "run": 0, "node": task, "of_task": true})).await;
    assert_eq!(back["task"], grain["task"]);
    for node in [0, 5, 100, 1500] {
        let found = socket.ok(json!({"op": "grain", "run": 0, "node": node, "of_task": true})).await;
        let again = socket.ok(json!({"op": "grain", "run": 0, "node": found["node"]})).await;
        assert_eq!(found["title"], again["title"]);
    }
}

/// The fast way from a task to its grain finds what the plain one finds.
#[tokio::test]
async fn every_task_has_its_grain() {
    let work = tempfile::tempdir().unwrap();
    let server = start().await;
    let mut socket = server.socket().await;
    let tasks = support::made(work.path(), "fib", 2000);
    let grains = crosscut_tasks::grain::Grains::new(&tasks);
    for node in (0..tasks.tree().node_count() as u32).step_by(37) {
        let found = socket.ok(json!({"op": "grain", "run": 0, "node": node, "of_task": true})).await;
        assert_eq!(found["node"], grains.of_task(&tasks, crosscut_tree::NodeId(node)).0, "{node}");
    }
}

#[tokio::test]
async fn scenes_and_actions() {
    let server = start().await;
    let mut socket = server.socket().await;
    for more in [
        json!({}),
        json!({"run": 1, "alike": true, "scale": "log", "colour": "worker", "critical": true}),
        json!({"lens": lens("low-parallelism"), "scale": "linear", "colour": "core"}),
        json!({"lens": {"problem": "low-parallel-benefit", "threshold": 1e6}, "alike": true, "path_of": 0}),
    ] {
        let Reply { json: reply, columns } = socket.ask(scene(more.clone())).await;
        assert!(reply["ok"]["visible"].as_u64().unwrap() > 1, "{more}");
        assert!(!columns.is_empty());
    }
    let closed = socket.ok(scene(json!({"action": {"do": "close", "node": 0}}))).await;
    assert_eq!(closed["visible"], 1);
    let act = |cut: &Value, action: Value, more: Value| {
        let mut request = scene(json!({"cut": cut, "action": action}));
        for (key, value) in more.as_object().unwrap() {
            request[key] = value.clone();
        }
        request
    };
    let opened = socket.ok(act(&closed["cut"], json!({"do": "open", "node": 0}), json!({}))).await;
    assert!(number(&opened["visible"]) > 1.0);
    let deep = socket.ok(act(&closed["cut"], json!({"do": "depth", "depth": 6}), json!({}))).await;
    assert!(number(&deep["visible"]) > number(&opened["visible"]));
    let below =
        socket.ok(act(&closed["cut"], json!({"do": "below", "node": 0, "limit": 100}), json!({}))).await;
    assert!((10.0..=100.0).contains(&number(&below["visible"])));
    for action in [json!({"do": "critical"}), json!({"do": "path", "node": 0})] {
        let path = socket.ok(act(&closed["cut"], action, json!({"critical": true}))).await;
        assert!(number(&path["visible"]) > number(&opened["visible"]));
    }
    // The worst grain is selected and visible, with a lens and without.
    for more in [
        json!({}),
        json!({"lens": lens("low-parallelism")}),
        json!({"lens": lens("low-parallelism"), "alike": true}),
    ] {
        let worst = socket.ok(act(&closed["cut"], json!({"do": "worst"}), more.clone())).await;
        let mut ask = table(json!({"cut": worst["cut"]}));
        for (key, value) in more.as_object().unwrap() {
            ask[key] = value.clone();
        }
        let table = socket.ok(ask).await;
        assert!(rows(&table).iter().any(|row| row["node"] == worst["select"]), "{more}");
    }
    let revealed = socket.ok(act(&closed["cut"], json!({"do": "reveal", "node": 200}), json!({}))).await;
    assert_eq!(revealed["select"], 200);
    let task = socket.ok(act(&closed["cut"], json!({"do": "revealtask", "node": 1500}), json!({}))).await;
    let found = socket.ok(json!({"op": "grain", "run": 0, "node": 1500, "of_task": true})).await;
    assert_eq!(task["select"], found["node"]);
}

/// An action that opens less than it was asked for says so.
#[tokio::test]
async fn opening_stops_with_a_word() {
    let server = start().await;
    let mut socket = server.socket().await;
    for view in ["grain", "dag"] {
        let close = json!({"do": "close", "node": 0});
        let closed = socket.ok(scene(json!({"view": view, "action": close}))).await;
        for (action, stopped) in [
            (json!({"do": "below", "node": 0, "limit": 20}), true),
            (json!({"do": "below", "node": 0, "limit": 20000}), false),
            (json!({"do": "depth", "depth": 3}), false),
            (json!({"do": "depth", "depth": 60}), false),
            (json!({"do": "critical"}), false),
        ] {
            let answer =
                socket.ok(scene(json!({"view": view, "cut": closed["cut"], "action": action.clone()}))).await;
            assert_eq!(answer["stopped"], stopped, "{view} {action}");
        }
    }
}

#[tokio::test]
async fn folds_are_spread_and_gathered() {
    let server = start().await;
    let mut socket = server.socket().await;
    // Run 1 is wide: one fork-join of very many grains.
    let ask = |cut: &Value, action: Value, alike: bool| {
        scene(json!({"run": 1, "cut": cut, "alike": alike, "action": action}))
    };
    let folded = socket.ok(scene(json!({"run": 1, "alike": true}))).await;
    let plain = socket.ok(scene(json!({"run": 1}))).await;
    assert!(number(&folded["visible"]) < number(&plain["visible"]));
    let table = socket.ok(table(json!({"run": 1, "alike": true}))).await;
    let alike = rows(&table).iter().find(|row| row["kind"] == "alike").unwrap();
    let first = alike["node"].clone();
    let spread = socket.ok(ask(&folded["cut"], json!({"do": "spread", "node": first}), true)).await;
    assert!(spread["cut"].as_str().unwrap().contains('!'));
    assert!(number(&spread["visible"]) > number(&folded["visible"]));
    let gathered = socket.ok(ask(&spread["cut"], json!({"do": "gather", "node": first}), true)).await;
    assert_eq!(gathered["visible"], folded["visible"]);
    assert_eq!(gathered["cut"], folded["cut"]);
    let same = socket.ok(ask(&plain["cut"], json!({"do": "alike", "node": 0}), false)).await;
    assert_eq!(same["visible"], plain["visible"]);
}

#[tokio::test]
async fn tables_add_up() {
    let server = start().await;
    let mut socket = server.socket().await;
    let whole = socket.ok(json!({"op": "grain", "run": 0, "node": 0})).await;
    let facts = whole["facts"].as_array().unwrap();
    let fact = |name: &str| number(&facts.iter().find(|f| f["name"] == name).unwrap()["value"]);
    for more in [
        json!({}),
        json!({"alike": true}),
        json!({"lens": lens("low-parallelism")}),
        json!({"lens": lens("sibling-imbalance"), "alike": true}),
    ] {
        let mut opened = scene(json!({"action": {"do": "depth", "depth": 7}}));
        let mut ask = table(json!({}));
        for (key, value) in more.as_object().unwrap() {
            opened[key] = value.clone();
            ask[key] = value.clone();
        }
        ask["cut"] = socket.ok(opened).await["cut"].clone();
        let answer = socket.ok(ask).await;
        let sum = |column: &str| rows(&answer).iter().map(|row| number(&row[column])).sum::<f64>();
        assert_eq!(answer["total"].as_u64().unwrap() as usize, rows(&answer).len());
        assert_eq!(sum("grains"), fact("grains"), "{more}");
        assert_eq!(sum("work"), fact("work"), "{more}");
    }
    let all = |more: Value| {
        let mut request = table(
            json!({"all": true, "lens": {"problem": "low-parallelism", "threshold": 100}, "sort": "work", "descending": true, "limit": 5}),
        );
        for (key, value) in more.as_object().unwrap() {
            request[key] = value.clone();
        }
        request
    };
    let grains = socket.ok(all(json!({}))).await;
    let works: Vec<f64> = rows(&grains).iter().map(|row| number(&row["work"])).collect();
    assert!(works.len() == 5 && works.windows(2).all(|w| w[0] >= w[1]));
    assert!(rows(&grains).iter().all(|row| row["problem"] == true));
    let none = socket.ok(all(json!({"filter": "no such source"}))).await;
    assert_eq!(none["total"], 0);
    for sort in [
        "",
        "node",
        "depth",
        "kind",
        "source",
        "core",
        "start",
        "path",
        "benefit",
        "balance",
        "scatter",
        "parallelism",
        "deviation",
        "grains",
        "problem",
    ] {
        let answer = socket.ok(all(json!({"sort": sort}))).await;
        assert_eq!(answer["total"], grains["total"], "{sort}");
    }
}

/// The smallest first or the largest first: what is not known comes last.
#[tokio::test]
async fn unknown_values_are_sorted_last() {
    let server = start().await;
    let mut socket = server.socket().await;
    for column in ["benefit", "parallelism", "scatter", "core"] {
        for descending in [false, true] {
            let asked =
                table(json!({"sort": column, "descending": descending, "lens": lens("low-parallelism")}));
            let answer = socket.ok(asked).await;
            let values: Vec<Option<f64>> = rows(&answer).iter().map(|row| row[column].as_f64()).collect();
            let known: Vec<f64> = values.iter().copied().flatten().collect();
            assert!(values[known.len()..].iter().all(Option::is_none), "{column}: {values:?}");
            assert!(known.windows(2).all(|w| if descending { w[0] >= w[1] } else { w[0] <= w[1] }));
        }
    }
}

#[tokio::test]
async fn broken_requests_get_words() {
    let server = start().await;
    let mut socket = server.socket().await;
    for broken in [
        scene(json!({"lens": lens("unhappiness")})),
        scene(json!({"lens": {"problem": "low-parallelism", "threshold": "high"}})),
        scene(json!({"lens": lens("work-deviation")})),
        scene(json!({"cut": "garbage"})),
        scene(json!({"cut": "0!x"})),
        scene(json!({"cut": "0!0.zzzzzzzzzz"})),
        scene(json!({"path_of": 4_000_000_000u32})),
        scene(json!({"action": {"do": "open", "node": 4_000_000_000u32}})),
        scene(json!({"action": {"do": "open", "node": 1}})),
        scene(json!({"action": {"do": "spread", "node": 4_000_000_000u32}})),
        scene(json!({"action": {"do": "revealtask", "node": 4_000_000_000u32}})),
        scene(json!({"action": {"do": "worst"}, "lens": {"problem": "low-parallelism", "threshold": -5}})),
        json!({"op": "grain", "run": 0, "node": 4_000_000_000u32}),
        json!({"op": "grain", "run": 0, "node": 4_000_000_000u32, "of_task": true}),
        json!({"op": "grain", "run": 0, "node": 0, "lens": lens("x")}),
        json!({"op": "grain", "run": 9, "node": 0}),
        json!({"op": "problems", "run": 0, "thresholds": [{"problem": "x", "value": 1}]}),
        json!({"op": "problems", "run": 0, "thresholds": [{"problem": "memory-stall", "value": null}]}),
        table(json!({"sort": "beauty"})),
        table(json!({"all": true})),
        table(json!({"cut": "x"})),
        table(json!({"lens": lens("x")})),
        json!({"op": "scene", "run": 0, "view": "dag", "colour": "worker", "scale": "even", "width": 9, "height": 9, "action": {"do": "worst"}}),
    ] {
        let words = socket.refused(broken.clone()).await;
        assert!(words.len() > 10, "{broken}: {words}");
    }
    socket.send("{\"id\":1,\"op\":\"problems\",\"run\":0,\"thresholds\":[{\"problem\":\"memory-stall\",\"value\":NaN}]}".to_owned()).await;
    assert!(socket.receive().await.unwrap().json["error"].is_object());
    for limit in [json!({"limit": u64::MAX, "offset": u64::MAX}), json!({"limit": 0})] {
        assert!(rows(&socket.ok(table(limit)).await).is_empty());
    }
    let strange = json!({"action": {"do": "window", "node": 2, "first": u32::MAX, "count": u32::MAX}});
    socket.ok(scene(strange)).await;
}

#[tokio::test]
async fn pictures_of_the_grain_graph() {
    let server = start().await;
    for more in
        ["", "&lens=low-parallelism&alike=1", "&lens=low-parallelism&threshold=2&path_of=0&theme=dark"]
    {
        let svg = server.get_in(&format!("/api/picture?run=0&view=grain&format=svg{more}")).await;
        assert_eq!(svg.status, 200, "{more}");
        assert!(String::from_utf8_lossy(&svg.body).contains("grain graph"));
    }
    for wrong in
        ["&lens=x", "&lens=low-parallelism&threshold=NaN", "&path_of=4000000000", "&cut=x", "&path_of=-1"]
    {
        assert_eq!(server.get_in(&format!("/api/picture?view=grain{wrong}")).await.status, 400, "{wrong}");
    }
}

/// With a run to compare with, the work deviation can be told; thresholds given at the start are the run's own.
#[tokio::test]
async fn a_baseline_tells_the_deviation() {
    let work = tempfile::tempdir().unwrap();
    let (one, two) = (work.path().join("one"), work.path().join("two"));
    for folder in [&one, &two] {
        std::fs::create_dir(folder).unwrap();
    }
    let mut thresholds = crosscut_tasks::grain::Thresholds::default();
    thresholds.set(crosscut_tasks::grain::Problem::WorkDeviation, 0.5);
    let run = crosscut_server::Served {
        tasks: support::made(&one, "fib", 2000),
        baseline: Some(support::made(&two, "fib", 2000)),
        thresholds,
    };
    let server = support::serve(vec![run], work).await;
    let mut socket = server.socket().await;
    let all = socket.ok(json!({"op": "problems", "run": 0})).await;
    let row = all["problems"].as_array().unwrap().iter().find(|p| p["problem"] == "work-deviation").unwrap();
    // The same run twice: every grain works as long as its counterpart, which is more than half as long.
    assert_eq!((&row["available"], number(&row["default"])), (&json!(true), 0.5));
    assert_eq!(row["grains"], all["grains"]);
    let grain = socket.ok(json!({"op": "grain", "run": 0, "node": 1})).await;
    let facts = grain["facts"].as_array().unwrap();
    let deviation = facts.iter().find(|fact| fact["name"] == "work deviation").unwrap();
    assert_eq!(number(&deviation["value"]), 1.0);
}
