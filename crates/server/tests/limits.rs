//! Clients that take without giving: silent ones, slow ones, deaf ones, greedy ones. Others are answered all the same.

mod support;

use serde_json::{Value, json};
use support::{Running, look, made, serve, start, with};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Duration, timeout};

/// Longer than anything here should take, on the slowest machine: what takes longer has stopped.
const FOR_EVER: Duration = Duration::from_secs(60);

/// Whether the server has hung up, or does so within this time.
async fn ends(stream: &mut TcpStream, within: Duration) -> bool {
    let mut byte = [0; 1024];
    let read = async { while !matches!(stream.read(&mut byte).await, Ok(0) | Err(_)) {} };
    timeout(within, read).await.is_ok()
}

#[tokio::test]
async fn the_silent_are_few_and_short_lived() {
    let server = start().await;
    let mut friend = server.socket().await;
    let mut silent = Vec::new();
    for _ in 0..200 {
        silent.push(TcpStream::connect(server.address).await.unwrap());
    }
    // All but a few are hung up on at once, the others before long.
    let mut kept = Vec::new();
    for mut stream in silent {
        if !ends(&mut stream, Duration::from_millis(20)).await {
            kept.push(stream);
        }
    }
    assert!(kept.len() < 100, "{} silent connections are kept", kept.len());
    friend.ok(json!({"ask": "hello"})).await;
    for stream in &mut kept {
        assert!(ends(stream, FOR_EVER).await, "a silent connection stays");
    }
    assert_eq!(server.get_in("/").await.status, 200);
}

#[tokio::test]
async fn a_request_must_come_in_time() {
    let server = start().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let drip = async {
        stream.write_all(b"GET / HTTP/1.1\r\n").await?;
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            stream.write_all(b"X: 1\r\n").await?;
        }
    };
    let ended: Result<std::io::Result<()>, _> = timeout(FOR_EVER, drip).await;
    assert!(ended.is_ok_and(|ended| ended.is_err()), "a request without an end is listened to");
}

/// A picture of about 20,000 marks.
async fn large(server: &Running) -> Value {
    let mut socket = server.socket().await;
    let on = json!({"run": 0, "tree": "tasks", "nodes": "0"});
    let act = json!({"name": "below", "on": on, "numbers": [9_000]});
    let answer = socket.ok(json!({"ask": "scene", "look": look("tasks.dag"), "act": act})).await;
    assert!(answer["visible"].as_u64().unwrap() > 5_000, "{}", answer["visible"]);
    answer["look"].clone()
}

async fn large_run() -> Running {
    let work = tempfile::tempdir().unwrap();
    let runs = vec![made(work.path(), "fib", 60_000)];
    serve(runs, work).await
}

#[tokio::test]
async fn the_deaf_hold_up_nobody() {
    let server = large_run().await;
    let look = large(&server).await;
    let mut deaf = Vec::new();
    for _ in 0..40 {
        let mut socket = server.socket().await;
        for id in 0..20 {
            let question = json!({"id": id, "ask": "scene", "look": look}).to_string();
            // Once the server does not read any more, this would wait for ever.
            if timeout(Duration::from_millis(200), socket.send(question)).await.is_err() {
                break;
            }
        }
        deaf.push(socket);
    }
    let mut friend = server.socket().await;
    for _ in 0..10 {
        let asked = timeout(FOR_EVER, friend.ok(json!({"ask": "hello"}))).await;
        assert!(asked.is_ok(), "a small question waits for those who do not read");
    }
    let picture =
        timeout(FOR_EVER, friend.ok(json!({"ask": "scene", "look": support::look("tasks.timeline")})));
    assert!(picture.await.is_ok(), "a picture waits for those who do not read");
    drop(deaf);
    timeout(FOR_EVER, friend.ok(json!({"ask": "overview", "run": 0}))).await.unwrap();
}

/// One who asks for 20,000 marks 200 times is served in turn with one who asks for little.
#[tokio::test]
async fn the_greedy_wait_for_their_turn() {
    let server = large_run().await;
    let look = large(&server).await;
    let mut greedy = server.socket().await;
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let asking = tokio::spawn(async move {
        for id in 0..200 {
            // Another width each time: none is answered from memory.
            let look = with(look.clone(), json!({"size": {"w": 1000 + id, "h": 400}}));
            let question = json!({"id": id, "ask": "scene", "look": look}).to_string();
            greedy.send(question).await;
            if id >= 8 {
                let _ = told.send(greedy.receive().await.is_some());
            }
        }
    });
    heard.recv().await.unwrap();
    let mut friend = server.socket().await;
    let mut between = 0;
    for _ in 0..10 {
        friend.ok(json!({"ask": "hello"})).await;
        while heard.try_recv().is_ok() {
            between += 1;
        }
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    assert!(between <= 10 * (processors + 8), "{between} large answers before ten small ones");
    asking.abort();
}
