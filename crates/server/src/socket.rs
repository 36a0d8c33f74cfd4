//! The WebSocket: one question as JSON in, its answers as binary messages out. Questions are worked on side by side, away
//! from the threads that serve connections: quick ones in one lane, slow ones in another, so that no click waits for a
//! prediction.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use crosscut_workbench::{Asked, Client, Lane, Sink, failure};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

use crate::App;
use crate::encode;

/// Longest question in bytes.
const LONGEST: usize = 1 << 20;
/// Quick questions of one socket that are worked on at a time; the others wait.
const AT_ONCE: usize = 8;
/// Slow questions of one socket that wait at most.
const WAITING: usize = 16;

/// Upgrades the connection.
pub async fn open(State(app): State<Arc<App>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.max_message_size(LONGEST).max_frame_size(LONGEST).on_upgrade(move |socket| talk(app, socket))
}

/// Gives up what is under way when the page is gone.
struct Asking(Arc<Client>);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.cancel_all();
    }
}

async fn talk(app: Arc<App>, mut socket: WebSocket) {
    let (ready, mut answers) = mpsc::channel::<Vec<u8>>(AT_ONCE);
    let asking = Asking(Arc::default());
    let (quick, slow) = (Arc::new(Semaphore::new(AT_ONCE)), Arc::new(Semaphore::new(WAITING)));
    let mut stop = app.stop.clone();
    // A question that was read and waits for its turn: no other is read before, but answers go out.
    let mut next: Option<Asked> = None;
    loop {
        let work = || Work { app: app.clone(), client: asking.0.clone(), ready: ready.clone() };
        let send = tokio::select! {
            message = socket.recv(), if next.is_none() => match message {
                Some(Ok(Message::Text(text))) => match app.bench.read(text.as_str()) {
                    Ok(asked) if asked.is_cancel() => {
                        app.bench.answer(&asked, &asking.0, &Nowhere);
                        None
                    }
                    Ok(asked) if asked.lane == Lane::Quick => {
                        next = Some(asked);
                        None
                    }
                    Ok(asked) => match slow.clone().try_acquire_owned() {
                        Ok(place) => {
                            work().begin(asked, place);
                            None
                        }
                        Err(_) => Some(failure(asked.id(), "too many slow questions are waiting: cancel some first")),
                    },
                    Err(message) => Some(message),
                },
                Some(Ok(Message::Binary(_))) => Some(failure(0, "questions are text messages")),
                Some(Ok(_)) => None, // pings are answered by the protocol itself
                Some(Err(_)) | None => return, // the page is gone
            },
            place = quick.clone().acquire_owned(), if next.is_some() => {
                if let (Some(asked), Ok(place)) = (next.take(), place) {
                    work().begin(asked, place);
                }
                None
            }
            answer = answers.recv() => answer,
            () = stopped(&mut stop) => return,
        };
        if let Some(bytes) = send
            && socket.send(Message::Binary(bytes.into())).await.is_err()
        {
            return;
        }
    }
}

async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|&stop| stop).await;
}

/// What the work on a question needs.
struct Work {
    app: Arc<App>,
    client: Arc<Client>,
    ready: mpsc::Sender<Vec<u8>>,
}

/// Answers of one question on their way out.
struct Out {
    id: u32,
    ready: mpsc::Sender<Vec<u8>>,
}

impl Sink for Out {
    fn send(&self, message: Vec<u8>) {
        // Nobody waits any more when this fails.
        let _ = self.ready.blocking_send(encode::answer(self.id, message));
    }

    fn progress(&self, message: Vec<u8>) {
        // A page that is behind does without it.
        let _ = self.ready.try_send(message);
    }
}

impl Work {
    /// Works on a question that has a place in its lane.
    fn begin(self, asked: Asked, place: OwnedSemaphorePermit) {
        let id = asked.id();
        tokio::spawn(async move {
            let ready = self.ready.clone();
            // One slow answer at a time, on threads of its own.
            let turn = match asked.lane {
                Lane::Slow => self.app.slow.clone().acquire_owned().await.ok(),
                Lane::Quick => None,
            };
            let done = tokio::task::spawn_blocking(move || {
                let out = Out { id, ready: self.ready.clone() };
                let answer = || self.app.bench.answer(&asked, &self.client, &out);
                match (asked.lane, &self.app.slow_threads) {
                    (Lane::Slow, Some(threads)) => threads.install(answer),
                    _ => answer(),
                }
            })
            .await;
            drop((place, turn));
            if let Err(error) = done {
                // A panic is a bug of ours, but only this question's problem.
                eprintln!("crosscut: a question failed: {error}");
                let why = "this question met a bug in crosscut; please report it with what you did";
                let _ = ready.send(failure(id, why)).await;
            }
        });
    }
}

/// The answer to a cancel: the question that was given up says so itself.
struct Nowhere;

impl Sink for Nowhere {
    fn send(&self, _message: Vec<u8>) {}
}
