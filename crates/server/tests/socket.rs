//! Every question on a small run, and what broken ones get.

mod support;

use crosscut_scene::palette::SLOTS;
use crosscut_scene::wire;
use serde_json::{Value, json};
use support::{Reply, start};
use tokio_tungstenite::tungstenite::Message;

fn scene(view: &str) -> Value {
    json!({"op": "scene", "run": 0, "view": view, "colour": "worker", "scale": "even", "width": 1000, "height": 400})
}

fn with(mut request: Value, more: Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        request[key] = value.clone();
    }
    request
}

/// Bytes that the columns of a scene must have, from its head.
fn columns(head: &Value, bytes: &[u8]) -> usize {
    wire::find(head, bytes).unwrap().1
}

#[tokio::test]
async fn hello_and_overview() {
    let server = start().await;
    let mut socket = server.socket().await;
    let hello = socket.ok(json!({"op": "hello"})).await;
    assert_eq!(hello["runs"][0]["name"], "fib");
    assert_eq!(hello["runs"][1]["workers"], 3);
    assert_eq!(hello["palette"]["light"].as_array().unwrap().len(), SLOTS);
    assert_eq!(hello["palette"]["dark"].as_array().unwrap().len(), SLOTS);
    let overview = socket.ok(json!({"op": "overview", "run": 0})).await;
    let a = &overview["accounting"];
    let number = |name: &str| a[name].as_f64().unwrap();
    let whole = number("work") + number("delay") + number("no_work");
    assert!((whole - 3.0 * number("elapsed")).abs() < 1.0);
    assert_eq!(overview["workers"].as_array().unwrap().len(), 3);
    assert_eq!(overview["migrations"].as_array().unwrap().len(), 5);
    assert_eq!(overview["migrations"][0]["count"].as_array().unwrap().len(), 9);
    let speedup = overview["speedup"].as_array().unwrap();
    assert!(speedup.iter().all(|p| p["low"].as_f64() <= p["high"].as_f64()));
    assert!(speedup.iter().any(|p| p["workers"] == 3));
}

#[tokio::test]
async fn scenes_carry_what_their_heads_say() {
    let server = start().await;
    let mut socket = server.socket().await;
    for view in ["dag", "timeline", "profile"] {
        for more in [
            json!({}),
            json!({"run": 1, "colour": "source", "scale": "log", "critical": true}),
            json!({"colour": "kind", "scale": "linear"}),
            json!({"colour": "core"}),
        ] {
            let Reply { json: reply, columns: bytes } = socket.ask(with(scene(view), more)).await;
            let head = &reply["ok"]["scene"];
            assert_eq!(bytes.len(), columns(head, &bytes), "{view}: {head}");
            assert!(reply["ok"]["visible"].as_u64().unwrap() > 1);
            assert!(!head["legend"].as_array().unwrap().is_empty());
            let list = |kind: &str| head[kind].as_array().unwrap().len() as u64;
            assert!(head["boxes"]["n"].as_u64().unwrap() + list("grids") + list("areas") > 0);
        }
    }
    let timeline = socket.ok(with(scene("timeline"), json!({"window": [10000, 20000], "focus": 5}))).await;
    assert_eq!(timeline["scene"]["plots"][0]["x"]["stops"][0]["value"], 10000.0);
    assert_eq!(timeline["scene"]["plots"][0]["x"]["stops"][1]["value"], 20000.0);
}

#[tokio::test]
async fn actions_change_the_cut() {
    let server = start().await;
    let mut socket = server.socket().await;
    let first = socket.ok(scene("dag")).await;
    let act = |cut: &Value, action: Value| with(scene("dag"), json!({"cut": cut, "action": action}));
    let closed = socket.ok(act(&first["cut"], json!({"do": "close", "node": 0}))).await;
    assert_eq!(closed["visible"], 1);
    let opened = socket.ok(act(&closed["cut"], json!({"do": "open", "node": 0}))).await;
    assert!(opened["visible"].as_u64().unwrap() > 1);
    let below = socket.ok(act(&closed["cut"], json!({"do": "below", "node": 0, "limit": 100}))).await;
    assert!((10..=100).contains(&below["visible"].as_u64().unwrap()));
    let deep = socket.ok(act(&closed["cut"], json!({"do": "depth", "depth": 4}))).await;
    assert!(deep["visible"].as_u64() > opened["visible"].as_u64());
    let flat = socket.ok(act(&closed["cut"], json!({"do": "depth", "depth": 0}))).await;
    assert_eq!(flat["visible"], 1);
    let revealed = socket.ok(act(&closed["cut"], json!({"do": "reveal", "node": 1500}))).await;
    let table = socket.ok(json!({"op": "table", "run": 0, "cut": revealed["cut"], "sort": "", "descending": false, "filter": "", "offset": 0, "limit": 2000})).await;
    assert!(table["rows"].as_array().unwrap().iter().any(|row| row["node"] == 1500));
    let critical = socket.ok(act(&closed["cut"], json!({"do": "critical"}))).await;
    assert!(critical["visible"].as_u64() > opened["visible"].as_u64());
    let window = with(
        act(&Value::from(""), json!({"do": "window", "node": 1, "first": 1000, "count": 20})),
        json!({"run": 1}),
    );
    let windowed = socket.ok(window).await;
    let plain = socket.ok(with(scene("dag"), json!({"run": 1}))).await;
    assert!(windowed["visible"].as_u64() > plain["visible"].as_u64());
}

#[tokio::test]
async fn nodes_searches_and_tables() {
    let server = start().await;
    let mut socket = server.socket().await;
    let root = socket.ok(json!({"op": "node", "run": 0, "node": 0})).await;
    assert_eq!(root["kind"], "task");
    assert_eq!(root["critical"], true);
    assert_eq!(root["path"].as_array().unwrap().len(), 0);
    let child = socket.ok(json!({"op": "node", "run": 0, "node": 100})).await;
    assert_eq!(child["path"][0]["node"], 0);
    let found = socket.ok(json!({"op": "search", "run": 0, "text": "#100", "limit": 10})).await;
    assert_eq!((found["total"].as_u64(), &found["hits"][0]["node"]), (Some(1), &Value::from(100)));
    assert_eq!(found["hits"][0]["grain"], Value::Null);
    let found = socket.ok(json!({"op": "search", "run": 0, "text": "g1", "limit": 10})).await;
    assert_eq!((found["total"].as_u64(), &found["hits"][0]["grain"]), (Some(1), &Value::from(1)));
    let waits = socket.ok(json!({"op": "search", "run": 0, "text": "WAIT fib", "limit": 3})).await;
    assert_eq!(waits["hits"].as_array().unwrap().len(), 3);
    assert!(waits["total"].as_u64().unwrap() > 3);
    assert!(waits["hits"][0]["title"].as_str().unwrap().starts_with("wait"));
    for nothing in ["", "   ", "#", "#-1", "#99999999999", "g", "g99999999", "no such thing", "🦀"] {
        let found = socket.ok(json!({"op": "search", "run": 0, "text": nothing, "limit": 5})).await;
        assert_eq!(found["total"], 0, "{nothing}");
    }
    let table = |sort: &str, filter: &str| json!({"op": "table", "run": 0, "cut": "", "sort": sort, "descending": true, "filter": filter, "offset": 1, "limit": 3});
    for sort in ["", "node", "depth", "kind", "source", "worker", "start", "elapsed", "work", "span", "tasks"]
    {
        let answer = socket.ok(table(sort, "")).await;
        assert_eq!(answer["rows"].as_array().unwrap().len(), 3, "{sort}");
    }
    let works = socket.ok(table("work", "")).await;
    assert!(works["rows"][0]["work"].as_f64() >= works["rows"][1]["work"].as_f64());
    let waits = socket.ok(table("", "wait")).await;
    assert!(waits["rows"].as_array().unwrap().iter().all(|row| row["kind"] == "wait"));
    assert!(waits["total"].as_u64() < works["total"].as_u64());
}

#[tokio::test]
async fn broken_requests_get_words() {
    let server = start().await;
    let mut socket = server.socket().await;
    for broken in [
        json!({"op": "nothing"}),
        json!({"op": "overview"}),
        json!({"op": "overview", "run": 2}),
        json!({"op": "overview", "run": u64::MAX}),
        json!({"op": "overview", "run": -1}),
        json!({"op": "overview", "run": 0.5}),
        json!({"op": "node", "run": 0, "node": 4_000_000_000u32}),
        json!({"op": "node", "run": 0, "node": 1u64 << 40}),
        with(scene("nothing"), json!({})),
        with(scene("dag"), json!({"cut": "garbage"})),
        with(scene("dag"), json!({"cut": "0.zzzzzzzzzzzz"})),
        with(scene("dag"), json!({"cut": "0~1-2"})),
        with(scene("dag"), json!({"action": {"do": "open", "node": 4_000_000_000u32}})),
        with(scene("dag"), json!({"action": {"do": "jump"}})),
        with(scene("dag"), json!({"width": "wide"})),
        with(scene("timeline"), json!({"window": [5, 1]})),
        with(scene("timeline"), json!({"window": [null, 1]})),
        with(scene("timeline"), json!({"focus": 4_000_000_000u32})),
        json!({"op": "table", "run": 0, "cut": "", "sort": "beauty", "descending": false, "filter": "", "offset": 0, "limit": 1}),
    ] {
        let words = socket.refused(broken.clone()).await;
        assert!(words.len() > 10, "{broken}: {words}");
    }
    for text in [
        "",
        "{",
        "null",
        "[]",
        "\u{0}",
        "{\"id\":1}",
        &"[".repeat(100_000),
        &format!("{{\"id\":3,\"op\":\"scene\",\"width\":{}}}", "9".repeat(500)),
    ] {
        socket.send(text.to_owned()).await;
        let reply = socket.receive().await.unwrap();
        assert!(reply.json["error"]["error"].is_string(), "{text}");
    }
    // It still answers.
    socket.ok(json!({"op": "hello"})).await;
}

#[tokio::test]
async fn strange_sizes_are_brought_into_range() {
    let server = start().await;
    let mut socket = server.socket().await;
    for view in ["dag", "timeline", "profile"] {
        for more in [
            json!({"width": -5, "height": -1}),
            json!({"width": 0, "height": 0}),
            json!({"width": 1e30, "height": 1e30}),
            json!({"window": [-1e300, 1e300]}),
            json!({"window": [1e18, 1e19]}),
            json!({"window": [7, 7]}),
        ] {
            let answer = socket.ok(with(scene(view), more.clone())).await;
            for side in ["width", "height"] {
                let length = answer["scene"][side].as_f64().unwrap();
                assert!(length > 0.0 && length < 1e6, "{view} {more}: {length}");
            }
        }
    }
    let limits = json!({"op": "table", "run": 0, "cut": "", "sort": "", "descending": false, "filter": "", "offset": u64::MAX, "limit": u64::MAX});
    assert_eq!(socket.ok(limits).await["rows"].as_array().unwrap().len(), 0);
    socket.ok(json!({"op": "search", "run": 0, "text": "fib", "limit": u64::MAX})).await;
    let action = json!({"action": {"do": "below", "node": 0, "limit": u64::MAX}});
    socket.ok(with(scene("dag"), action)).await;
    let action = json!({"action": {"do": "depth", "depth": u32::MAX}});
    socket.ok(with(scene("dag"), action)).await;
}

#[tokio::test]
async fn an_oversize_message_ends_the_socket_only() {
    let server = start().await;
    let mut socket = server.socket().await;
    socket.send_message(Message::binary(vec![1, 2, 3])).await;
    assert!(socket.receive().await.unwrap().json["error"].is_object());
    socket.send(format!("{{\"id\":1,\"op\":\"{}\"}}", "x".repeat(2 << 20))).await;
    assert!(socket.receive().await.is_none());
    server.socket().await.ok(json!({"op": "hello"})).await;
}

#[tokio::test]
async fn many_requests_at_once_are_all_answered() {
    let server = start().await;
    let mut socket = server.socket().await;
    for id in 0..50 {
        socket.send(with(scene("dag"), json!({"id": id})).to_string()).await;
    }
    let mut ids: Vec<u64> = Vec::new();
    for _ in 0..50 {
        ids.push(socket.receive().await.unwrap().json["id"].as_u64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, (0..50).collect::<Vec<u64>>());
}

#[tokio::test]
async fn pictures() {
    let server = start().await;
    for view in ["dag", "timeline", "profile"] {
        let svg = server
            .get_in(&format!("/api/picture?run=0&view={view}&format=svg&colour=source&critical=1&theme=dark"))
            .await;
        assert_eq!(svg.status, 200);
        assert!(svg.header("content-type").unwrap().starts_with("image/svg+xml"));
        assert!(String::from_utf8_lossy(&svg.body).contains("</svg>"));
    }
    let png = server
        .get_in("/api/picture?view=timeline&format=png&width=400&height=200&from=0&to=20000&zoom=1")
        .await;
    assert_eq!(png.header("content-type"), Some("image/png"));
    for wrong in [
        "",
        "?view=x",
        "?view=dag&run=9",
        "?view=dag&cut=x",
        "?view=timeline&from=NaN",
        "?view=timeline&width=inf",
        "?view=dag&run=-1",
    ] {
        assert_eq!(server.get_in(&format!("/api/picture{wrong}")).await.status, 400, "{wrong}");
    }
}
