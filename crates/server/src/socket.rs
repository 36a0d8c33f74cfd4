//! The WebSocket: one JSON request in, one binary answer out. Requests are worked on side by side, away from the
//! threads that serve connections; answers go out as they get ready.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use tokio::sync::{Semaphore, mpsc, watch};

use crate::App;
use crate::answer::{answer, failure};
use crate::encode::packed;

/// Longest request in bytes.
const LONGEST: usize = 1 << 20;
/// Requests of one socket that are worked on at a time; the others wait.
const AT_ONCE: usize = 8;

/// Upgrades the connection.
pub async fn open(State(app): State<Arc<App>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.max_message_size(LONGEST).max_frame_size(LONGEST).on_upgrade(move |socket| talk(app, socket))
}

async fn talk(app: Arc<App>, mut socket: WebSocket) {
    let (ready, mut answers) = mpsc::channel::<Vec<u8>>(AT_ONCE);
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut stop = app.stop.clone();
    loop {
        tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    let Ok(place) = places.clone().acquire_owned().await else { return };
                    let (app, ready) = (app.clone(), ready.clone());
                    tokio::spawn(async move {
                        let bytes = work(app, text.as_str().to_owned()).await;
                        drop(place);
                        let _ = ready.send(bytes).await;
                    });
                }
                Some(Ok(Message::Binary(_))) => {
                    let bytes = failure(0, "requests are text messages");
                    if socket.send(Message::Binary(bytes.into())).await.is_err() {
                        return;
                    }
                }
                Some(Ok(_)) => {} // pings are answered by the protocol itself
                Some(Err(_)) | None => return, // the page is gone
            },
            Some(bytes) = answers.recv() => {
                if socket.send(Message::Binary(bytes.into())).await.is_err() {
                    return;
                }
            }
            () = stopped(&mut stop) => return,
        }
    }
}

async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|&stop| stop).await;
}

/// Works on one request.
async fn work(app: Arc<App>, text: String) -> Vec<u8> {
    guarded(request_id(&text), move || packed(answer(&app, &text))).await
}

/// Runs `make` on a thread of its own. A panic there is a bug of ours, but only this request's problem.
async fn guarded(id: u32, make: impl FnOnce() -> Vec<u8> + Send + 'static) -> Vec<u8> {
    match tokio::task::spawn_blocking(make).await {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("crosscut: a request failed: {error}");
            failure(id, "this request met a bug in crosscut; please report it with what you did")
        }
    }
}

/// The id of a request as far as it can be read.
pub fn request_id(text: &str) -> u32 {
    #[derive(serde::Deserialize)]
    struct Id {
        id: u32,
    }
    serde_json::from_str::<Id>(text).map_or(0, |request| request.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_becomes_an_answer() {
        let bytes = guarded(7, || panic!("a bug")).await;
        let answer: serde_json::Value = serde_json::from_slice(&bytes[4..]).unwrap();
        assert_eq!(answer["id"], 7);
        assert!(answer["error"]["error"].as_str().unwrap().contains("bug"));
    }

    #[test]
    fn ids_of_broken_requests() {
        assert_eq!(request_id("{\"id\": 5, \"op\": \"nothing\"}"), 5);
        assert_eq!(request_id("{\"id\": -5}"), 0);
        assert_eq!(request_id("garbage"), 0);
    }
}
