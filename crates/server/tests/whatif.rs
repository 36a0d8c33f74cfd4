//! Predictions over the socket: right and wrong questions.

mod support;

use serde_json::{Value, json};
use support::start;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn points(curve: &Value) -> &Vec<Value> {
    curve.as_array().unwrap()
}

fn on(curve: &Value, workers: u32) -> f64 {
    let point = points(curve).iter().find(|point| point["workers"] == workers);
    number(&point.unwrap_or_else(|| panic!("{workers} workers in {curve}"))["elapsed"])
}

#[tokio::test]
async fn the_curve_of_a_run() {
    let server = start().await;
    let mut socket = server.socket().await;
    for run in [0, 1] {
        let answer = socket.ok(json!({"op": "whatif", "run": run})).await;
        let overview = socket.ok(json!({"op": "overview", "run": run})).await;
        assert_eq!(answer["workers"], 3);
        assert_eq!(answer["observed"], overview["accounting"]["elapsed"]);
        assert!(answer["after"].is_null() && answer["after_limits"].is_null());
        assert!(number(&answer["overhead"]["create"]) >= 0.0 && number(&answer["overhead"]["sync"]) >= 0.0);
        let curve = points(&answer["before"]);
        let workers: Vec<f64> = curve.iter().map(|point| number(&point["workers"])).collect();
        assert!(workers.is_sorted() && workers.contains(&1.0) && workers.contains(&3.0));
        assert_eq!(workers.last(), Some(&256.0));
        for point in curve {
            let [low, elapsed, high] = ["low", "elapsed", "high"].map(|name| number(&point[name]));
            assert!(low <= elapsed && elapsed <= high, "{point}");
            assert_eq!(point["exact"], true);
        }
        // One worker does everything; no number of workers is faster than the critical path.
        assert_eq!(number(&curve[0]["elapsed"]), number(&answer["limits"]["work"]));
        assert!(on(&answer["before"], 256) >= number(&answer["limits"]["span"]));
        // The bounds of the overview are at the same numbers of workers.
        let bounds = overview["speedup"].as_array().unwrap();
        assert_eq!(bounds.iter().map(|p| number(&p["workers"])).collect::<Vec<_>>(), workers);
    }
}

#[tokio::test]
async fn as_fast_as_it_was_changes_nothing() {
    let server = start().await;
    let mut socket = server.socket().await;
    for node in [0, 1, 7, 1234] {
        let answer = socket.ok(json!({"op": "whatif", "run": 0, "node": node, "faster": 1})).await;
        assert_eq!(answer["after"], answer["before"]);
        assert_eq!(answer["after_limits"], answer["limits"]);
    }
    // A node without a factor is as fast as it was, a factor without a node means nothing.
    let plain = socket.ok(json!({"op": "whatif", "run": 0, "node": 5})).await;
    assert_eq!(plain["after"], plain["before"]);
    let nobody = socket.ok(json!({"op": "whatif", "run": 0, "node": null, "faster": -3})).await;
    assert!(nobody["after"].is_null());
}

#[tokio::test]
async fn twice_as_fast_halves_the_work_and_keeps_the_overhead() {
    let server = start().await;
    let mut socket = server.socket().await;
    for run in [0, 1] {
        let overview = socket.ok(json!({"op": "overview", "run": run})).await;
        let work = number(&overview["accounting"]["work"]);
        let answer = socket.ok(json!({"op": "whatif", "run": run, "node": 0, "faster": 2.0})).await;
        let before = on(&answer["before"], 1);
        let overhead = before - work;
        assert!(overhead >= 0.0);
        let after = on(&answer["after"], 1);
        // Each interval is rounded to the clock's unit.
        assert!((after - overhead - work / 2.0).abs() < 0.001 * work + 5000.0, "{before} {after} {overhead}");
        assert!(on(&answer["after"], 3) < 0.8 * on(&answer["before"], 3) + overhead);
        assert!(number(&answer["after_limits"]["span"]) < number(&answer["limits"]["span"]));
        // The same question again has the same answer; more is less.
        let again = socket.ok(json!({"op": "whatif", "run": run, "node": 0, "faster": 2.0})).await;
        assert_eq!(again, answer);
        let most = socket.ok(json!({"op": "whatif", "run": run, "node": 0, "faster": 1e6})).await;
        assert!(on(&most["after"], 1) < after);
        let slower = socket.ok(json!({"op": "whatif", "run": run, "node": 0, "faster": 0.5})).await;
        assert!(on(&slower["after"], 1) > before);
    }
}

#[tokio::test]
async fn a_large_run_answers_on_its_own_workers_only() {
    let work = tempfile::tempdir().unwrap();
    let runs = vec![support::made(work.path(), "wide", 200_000).into()];
    let server = support::serve(runs, work).await;
    let mut socket = server.socket().await;
    let answer = socket.ok(json!({"op": "whatif", "run": 0, "node": 0, "faster": 4})).await;
    assert_eq!(points(&answer["after"]).len(), 1);
    assert!(on(&answer["after"], 3) < on(&answer["before"], 3));
    let same = socket.ok(json!({"op": "whatif", "run": 0, "node": 0, "faster": 1})).await;
    assert_eq!(on(&same["after"], 3), on(&same["before"], 3));
}

#[tokio::test]
async fn what_cannot_be_told_is_refused() {
    let server = start().await;
    let mut socket = server.socket().await;
    let words = socket.refused(json!({"op": "whatif", "run": 0, "node": 4_000_000, "faster": 2})).await;
    assert!(words.contains("no node 4000000"), "{words}");
    for faster in [0.0, -1.0, 0.0009, 1_000_001.0, 1e300] {
        let words = socket.refused(json!({"op": "whatif", "run": 0, "node": 0, "faster": faster})).await;
        assert!(words.contains("from 0.001 to 1000000"), "{words}");
    }
    for faster in ["null", "\"2\"", "1e999", "NaN"] {
        socket.send(format!(r#"{{"id":9,"op":"whatif","run":0,"node":0,"faster":{faster}}}"#)).await;
        let reply = socket.receive().await.unwrap().json;
        assert!(reply["error"]["error"].as_str().unwrap().contains("cannot be read"), "{reply}");
    }
    for node in [json!(-1), json!(1.5), json!("0")] {
        let words = socket.refused(json!({"op": "whatif", "run": 0, "node": node, "faster": 2})).await;
        assert!(words.contains("cannot be read"), "{words}");
    }
    let words = socket.refused(json!({"op": "whatif", "run": 7})).await;
    assert!(words.contains("no run 7"), "{words}");
    // The edges are inside.
    for faster in [0.001, 1e6] {
        socket.ok(json!({"op": "whatif", "run": 0, "node": 0, "faster": faster})).await;
    }
}
