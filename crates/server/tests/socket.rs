//! Every question on a small run of tasks, and what broken ones get.

mod support;

use crosscut_scene::wire;
use serde_json::{Value, json};
use support::{Reply, encoded, look, scene, start, with};
use tokio_tungstenite::tungstenite::Message;

/// Bytes that the columns of a scene must have, from its head.
fn columns(head: &Value, bytes: &[u8]) -> usize {
    wire::find(head, bytes).unwrap().1
}

fn acted(look: Value, name: &str, node: u32, numbers: Value) -> Value {
    let on = json!({"run": look["run"], "tree": "tasks", "nodes": node.to_string()});
    json!({"ask": "scene", "look": look, "act": {"name": name, "on": on, "numbers": numbers}})
}

#[tokio::test]
async fn hello_and_overview() {
    let server = start().await;
    let mut socket = server.socket().await;
    let hello = socket.ok(json!({"ask": "hello"})).await;
    assert_eq!(hello["runs"][0]["name"], "fib");
    assert_eq!(hello["runs"][1]["places"], 3);
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&hello["runs"][0]["trees"]), ["tasks", "grains", "places", "lines"]);
    assert_eq!(names(&hello["runs"][0]["views"])[..3], ["overview", "lines", "tasks.dag"]);
    let overview = socket.ok(json!({"ask": "overview", "run": 0})).await;
    let blocks = overview["blocks"].as_array().unwrap();
    assert!(blocks.iter().any(|block| block["is"] == "facts"));
    for show in blocks.iter().filter(|block| block["is"] == "show" && block["slow"] == false) {
        let drawn = socket.ok(json!({"ask": "scene", "look": show["look"]})).await;
        assert_eq!(drawn["shown"]["is"], "scene", "{}", show["title"]);
    }
}

#[tokio::test]
async fn scenes_carry_what_their_heads_say() {
    let server = start().await;
    let mut socket = server.socket().await;
    for view in ["tasks.dag", "tasks.grains", "tasks.timeline", "tasks.profile"] {
        for more in [
            json!({}),
            json!({"run": 1}),
            json!({"size": {"w": 300.0, "h": 200.0}}),
            json!({"scope": {"time": [100.0, 5000.0]}}),
        ] {
            let question = json!({"ask": "scene", "look": with(look(view), more)});
            let Reply { json: reply, columns: bytes } = socket.ask(question).await;
            let head = &reply["ok"]["shown"]["head"];
            assert_eq!(bytes.len(), columns(head, &bytes), "{view}: {head}");
            assert!(!head["legend"].as_array().unwrap().is_empty());
            let list = |kind: &str| head[kind].as_array().unwrap().len() as u64;
            assert!(head["boxes"]["n"].as_u64().unwrap() + list("grids") + list("areas") > 0);
        }
    }
    let window = with(look("tasks.timeline"), json!({"scope": {"time": [10000.0, 20000.0]}}));
    let timeline = socket.ok(json!({"ask": "scene", "look": window})).await;
    let plots = timeline["shown"]["head"]["plots"].as_array().unwrap();
    let stops: Vec<f64> = plots[0]["x"]["stops"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stop| stop["value"].as_f64().unwrap())
        .collect();
    assert_eq!((stops.first(), stops.last()), (Some(&10000.0), Some(&20000.0)));
}

#[tokio::test]
async fn acts_change_the_cut() {
    let server = start().await;
    let mut socket = server.socket().await;
    let visible = |answer: &Value| answer["visible"].as_u64().unwrap();
    let closed = socket.ok(acted(look("tasks.dag"), "close", 0, json!([]))).await;
    assert_eq!(visible(&closed), 1);
    let from = closed["look"].clone();
    let opened = socket.ok(acted(from.clone(), "open", 0, json!([]))).await;
    assert!(visible(&opened) > 1);
    let below = socket.ok(acted(from.clone(), "below", 0, json!([100]))).await;
    assert!((10..=100).contains(&visible(&below)));
    let deep = socket.ok(acted(from.clone(), "depth", 0, json!([4]))).await;
    assert!(visible(&deep) > visible(&opened));
    assert_eq!(visible(&socket.ok(acted(from.clone(), "depth", 0, json!([0]))).await), 1);
    let revealed = socket.ok(acted(from.clone(), "reveal", 1500, json!([]))).await;
    let table = json!({"ask": "table", "look": revealed["look"], "tree": "tasks", "count": 1000});
    let rows = socket.ok(table).await["rows"].as_array().unwrap().clone();
    assert!(rows.iter().any(|row| row["selection"]["nodes"] == "1500"));
    let critical = socket.ok(json!({"ask": "scene", "look": from, "act": {"name": "critical"}})).await;
    assert!(visible(&critical) > visible(&opened));
    let wide = with(look("tasks.dag"), json!({"run": 1}));
    let windowed = socket.ok(acted(wide.clone(), "window", 1, json!([1000, 20]))).await;
    let plain = socket.ok(json!({"ask": "scene", "look": wide})).await;
    assert!(visible(&windowed) > visible(&plain));
}

#[tokio::test]
async fn abouts_searches_lights_and_tables() {
    let server = start().await;
    let mut socket = server.socket().await;
    let node = |node: u32| json!({"run": 0, "tree": "tasks", "nodes": node.to_string()});
    let root = socket.ok(json!({"ask": "about", "selection": node(0)})).await;
    assert_eq!(root["crumbs"].as_array().unwrap().len(), 0);
    let child = socket.ok(json!({"ask": "about", "selection": node(100)})).await;
    assert_eq!(child["crumbs"][0]["selection"]["nodes"], "0");
    let search = |words: &str| json!({"ask": "search", "run": 0, "words": words, "limit": 3});
    let found = socket.ok(search("#100")).await;
    assert_eq!(found["trees"][0]["hits"][0]["selection"], node(100));
    assert_eq!(socket.ok(search("g1")).await["trees"][0]["tree"], "grains");
    let waits = socket.ok(search("WAIT fib")).await;
    let of_tasks = waits["trees"].as_array().unwrap().iter().find(|hits| hits["tree"] == "tasks").unwrap();
    assert_eq!(of_tasks["hits"].as_array().unwrap().len(), 3);
    assert!(of_tasks["total"].as_u64().unwrap() > 3);
    for nothing in ["", "   ", "#", "#-1", "#99999999999", "g", "g99999999", "no such thing", "🦀"] {
        let found = socket.ok(search(nothing)).await;
        assert_eq!(found["trees"].as_array().unwrap().len(), 0, "{nothing}");
    }
    // A task is lit in the grain graph, and the other way round.
    let lit = with(look("tasks.grains"), json!({"selected": node(100)}));
    let light = socket.ok(json!({"ask": "light", "look": lit})).await;
    assert!(!light["trees"][0]["nodes"].as_str().unwrap().is_empty(), "{light}");
    let table = |sort: &str, filter: &str| {
        json!({"ask": "table", "look": look("tasks.dag"), "tree": "tasks", "sort": sort, "descending": true,
            "filter": filter, "from": 1, "count": 3})
    };
    let plain = socket.ok(table("", "")).await;
    for column in plain["columns"].as_array().unwrap() {
        let name = column["name"].as_str().unwrap();
        let answer = socket.ok(table(name, "")).await;
        assert_eq!(answer["rows"].as_array().unwrap().len(), 3, "{name}");
    }
    let waits = socket.ok(table("", "wait")).await;
    assert!(waits["total"].as_u64() < plain["total"].as_u64());
}

#[tokio::test]
async fn broken_questions_get_words() {
    let server = start().await;
    let mut socket = server.socket().await;
    let dag = |more: Value| json!({"ask": "scene", "look": with(look("tasks.dag"), more)});
    for broken in [
        json!({"ask": "nothing"}),
        json!({"ask": "overview"}),
        json!({"ask": "overview", "run": 2}),
        json!({"ask": "overview", "run": 0, "against": 9}),
        json!({"ask": "overview", "run": u64::MAX}),
        json!({"ask": "overview", "run": -1}),
        json!({"ask": "overview", "run": 0.5}),
        json!({"ask": "about", "selection": {"run": 0, "tree": "tasks", "nodes": "4000000000"}}),
        json!({"ask": "about", "selection": {"run": 0, "tree": "tasks", "nodes": "1-"}}),
        json!({"ask": "about", "selection": {"run": 0, "tree": "trees", "nodes": "0"}}),
        json!({"ask": "about", "selection": {"run": 7, "tree": "tasks", "nodes": "0"}}),
        json!({"ask": "tree", "run": 0, "tree": "tasks/7"}),
        json!({"ask": "light", "look": {"view": "nothing", "run": 0, "selected": {"run": 0, "tree": "tasks", "nodes": "1"}}}),
        dag(json!({"view": "nothing"})),
        dag(json!({"v": 99})),
        dag(json!({"trees": {"tasks": {"cut": "garbage"}}})),
        dag(json!({"trees": {"tasks": {"cut": "0.zzzzzzzzzzzz"}}})),
        dag(json!({"trees": {"tasks": {"cut": "0~1-2"}}})),
        dag(json!({"options": {"colour": "taste"}})),
        dag(json!({"options": {"taste": "sweet"}})),
        dag(json!({"size": "wide"})),
        dag(json!({"scope": {"time": [5, 1]}})),
        dag(json!({"scope": {"time": [null, 1]}})),
        json!({"ask": "scene", "look": with(look("tasks.grains"), json!({"trees": {"grains": {"lens": {"name": "sadness"}}}}))}),
        acted(look("tasks.dag"), "open", 4_000_000_000, json!([])),
        acted(look("tasks.dag"), "jump", 0, json!([])),
        json!({"ask": "table", "look": look("tasks.dag"), "tree": "tasks", "sort": "beauty", "count": 1}),
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
        &format!("{{\"id\":3,\"ask\":\"scene\",\"width\":{}}}", "9".repeat(500)),
    ] {
        socket.send(text.to_owned()).await;
        let reply = socket.receive().await.unwrap();
        assert!(reply.json["error"].is_string(), "{text}");
    }
    // It still answers.
    socket.ok(json!({"ask": "hello"})).await;
}

#[tokio::test]
async fn strange_sizes_are_brought_into_range() {
    let server = start().await;
    let mut socket = server.socket().await;
    for view in ["tasks.dag", "tasks.timeline", "tasks.profile"] {
        for more in [
            json!({"size": {"w": -5, "h": -1}}),
            json!({"size": {"w": 0, "h": 0}}),
            json!({"size": {"w": 1e30, "h": 1e30}}),
            json!({"scope": {"time": [-1e300, 1e300]}}),
            json!({"scope": {"time": [1e18, 1e19]}}),
            json!({"scope": {"time": [7, 7]}}),
        ] {
            let answer = socket.ok(json!({"ask": "scene", "look": with(look(view), more.clone())})).await;
            for side in ["width", "height"] {
                let length = answer["shown"]["head"][side].as_f64().unwrap();
                assert!(length > 0.0 && length < 1e6, "{view} {more}: {length}");
            }
        }
    }
    let limits = json!({"ask": "table", "look": look("tasks.dag"), "tree": "tasks", "from": u64::MAX, "count": u64::MAX});
    assert_eq!(socket.ok(limits).await["rows"].as_array().unwrap().len(), 0);
    socket.ok(json!({"ask": "search", "run": 0, "words": "fib", "limit": u64::MAX})).await;
    socket.ok(acted(look("tasks.dag"), "below", 0, json!([1e300]))).await;
    socket.ok(acted(look("tasks.dag"), "depth", 0, json!([1e300]))).await;
}

#[tokio::test]
async fn an_oversize_message_ends_the_socket_only() {
    let server = start().await;
    let mut socket = server.socket().await;
    socket.send_message(Message::binary(vec![1, 2, 3])).await;
    assert!(socket.receive().await.unwrap().json["error"].is_string());
    socket.send(format!("{{\"id\":1,\"ask\":\"{}\"}}", "x".repeat(2 << 20))).await;
    assert!(socket.receive().await.is_none());
    server.socket().await.ok(json!({"ask": "hello"})).await;
}

#[tokio::test]
async fn many_questions_at_once_are_all_answered() {
    let server = start().await;
    let mut socket = server.socket().await;
    for id in 0..50 {
        socket.send(with(scene("tasks.dag"), json!({"id": id})).to_string()).await;
    }
    let mut ids: Vec<u64> = Vec::new();
    for _ in 0..50 {
        ids.push(socket.receive().await.unwrap().json["id"].as_u64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, (0..50).collect::<Vec<u64>>());
}

/// A prediction under way does not stand in the way of a click, and can be given up.
#[tokio::test]
async fn slow_answers_do_not_stand_in_the_way() {
    let server = start().await;
    let mut socket = server.socket().await;
    socket.send(with(scene("tasks.whatif"), json!({"id": 77})).to_string()).await;
    socket.send(json!({"id": 78, "ask": "hello"}).to_string()).await;
    let mut last = None;
    for _ in 0..10_000 {
        let reply = socket.receive().await.unwrap();
        if reply.json["id"] == 77 && reply.json["progress"].is_null() {
            last = Some(reply);
            break;
        }
    }
    let last = last.expect("the prediction ends");
    assert_eq!(last.json["ok"]["shown"]["is"], "scene", "{}", last.json);
}

#[tokio::test]
async fn pictures() {
    let server = start().await;
    for view in ["tasks.dag", "tasks.grains", "tasks.timeline", "tasks.profile"] {
        let look = encoded(&look(view).to_string());
        let svg = server.get_in(&format!("/api/picture?look={look}&format=svg&theme=dark")).await;
        assert_eq!(svg.status, 200, "{}", String::from_utf8_lossy(&svg.body));
        assert!(svg.header("content-type").unwrap().starts_with("image/svg+xml"));
        assert!(String::from_utf8_lossy(&svg.body).contains("</svg>"));
    }
    let timeline = with(look("tasks.timeline"), json!({"size": {"w": 400, "h": 200}}));
    let png = server
        .get_in(&format!("/api/picture?look={}&format=png&zoom=1", encoded(&timeline.to_string())))
        .await;
    assert_eq!(png.header("content-type"), Some("image/png"));
    let bad = |more: Value| format!("?look={}", encoded(&with(look("tasks.dag"), more).to_string()));
    for wrong in [
        String::new(),
        "?view=tasks.dag".to_owned(),
        "?look=x".to_owned(),
        bad(json!({"view": "nothing"})),
        bad(json!({"view": "overview"})),
        bad(json!({"run": 9})),
        bad(json!({"run": -1})),
        bad(json!({"trees": {"tasks": {"cut": "x"}}})),
    ] {
        assert_eq!(server.get_in(&format!("/api/picture{wrong}")).await.status, 400, "{wrong}");
    }
}
