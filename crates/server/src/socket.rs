//! The WebSocket: one question as JSON in, its answers as binary messages out. Questions are worked on side by side, away
//! from the threads that serve connections: quick ones in one lane, slow ones in another, so that no click waits for a
//! prediction. A question counts from being read until its answer is sent: who does not read is not read from.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use crosscut_scene::printable::printable;
use crosscut_workbench::{Asked, Client, Lane, Sink, failure};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

use crate::App;
use crate::desk::{Held, Seat, Turn};
use crate::doors::Visitor;
use crate::encode;

/// Longest question in bytes.
const LONGEST: usize = 1 << 20;
/// Questions from this size on are read on another thread.
const LONG: usize = 16 << 10;
/// Quick questions of one socket under way; the next one is read when an answer was sent.
const AT_ONCE: usize = 8;
/// Slow questions of one socket under way; more are refused.
const WAITING: usize = 16;
/// Of these, so many are not taken by quick questions that turn out to be slow.
const BY_HAND: usize = 4;
/// Drafts of one socket that are not sent; who is behind does without more.
const DRAFTS: usize = 2;
/// Drafts and words on how far an answer is that are not sent.
const NOTES: usize = 8;
/// What the page and the server speak; the token is offered beside it.
const PROTOCOL: &str = "crosscut";

/// Upgrades the connection, which keeps its place among those who are let in.
pub async fn open(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Arc<Visitor>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(LONGEST).max_frame_size(LONGEST);
    upgrade.on_upgrade(move |socket| async move {
        talk(app.clone(), socket).await;
        app.left.store(true, Ordering::Relaxed);
        drop(visitor);
    })
}

/// Gives up what is under way when the page is gone.
struct Asking {
    client: Arc<Client>,
    seat: Arc<Seat>,
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.client.cancel_all();
        self.seat.leave();
    }
}

/// A message on its way out, with what it counts for until it is sent.
struct Sent {
    bytes: Vec<u8>,
    counts: Counts,
}

enum Counts {
    /// The last answer to a question.
    Answer { _held: Option<Held>, _place: OwnedSemaphorePermit },
    /// A draft, or how far it is.
    Note(Arc<AtomicUsize>),
}

impl Drop for Counts {
    fn drop(&mut self) {
        if let Counts::Note(notes) = self {
            notes.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

async fn talk(app: Arc<App>, mut socket: WebSocket) {
    let (ready, mut answers) = mpsc::unbounded_channel::<Sent>(); // as long as what may be under way
    let asking = Asking { client: Arc::default(), seat: Arc::new(app.desk.sit()) };
    let (quick, slow) = (Arc::new(Semaphore::new(AT_ONCE)), Arc::new(Semaphore::new(WAITING)));
    let notes = Arc::new(AtomicUsize::new(0));
    let mut stop = app.stop.clone();
    // A question that was read and waits for its turn: no other is read before, but answers go out.
    let mut next: Option<Asked> = None;
    loop {
        let begin = |asked: Asked, place| {
            let out =
                Out { id: asked.id(), ready: ready.clone(), notes: notes.clone(), last: Mutex::default() };
            let (client, seat) = (asking.client.clone(), asking.seat.clone());
            client.expect(asked.id());
            let work = Work { app: app.clone(), client, seat, slow: slow.clone(), out };
            tokio::spawn(work.answer(asked, place));
        };
        let send = tokio::select! {
            message = socket.recv(), if next.is_none() => match message {
                Some(Ok(Message::Text(text))) => match read(&app, text).await {
                    Ok(asked) if asked.is_cancel() => {
                        app.bench.answer(&asked, &asking.client, &Nowhere);
                        None
                    }
                    Ok(asked) if asked.lane == Lane::Quick => {
                        next = Some(asked);
                        None
                    }
                    Ok(asked) => match slow.clone().try_acquire_owned() {
                        Ok(place) => {
                            begin(asked, place);
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
                    begin(asked, place);
                }
                None
            }
            Some(Sent { bytes, counts }) = answers.recv() => {
                if !sent(&mut socket, bytes, &mut stop).await {
                    return;
                }
                drop(counts);
                None
            }
            () = stopped(&mut stop) => return,
        };
        if let Some(bytes) = send
            && !sent(&mut socket, bytes, &mut stop).await
        {
            return;
        }
    }
}

/// Reads a question; a long one away from the threads that serve connections.
async fn read(app: &Arc<App>, text: Utf8Bytes) -> Result<Asked, Vec<u8>> {
    if text.len() < LONG {
        return app.bench.read(&text);
    }
    let of = app.clone();
    let read = tokio::task::spawn_blocking(move || of.bench.read(&text)).await;
    read.unwrap_or_else(|error| Err(failure(0, &format!("this question cannot be read: {error}"))))
}

/// Sends a message; false when the page is gone or the server stops.
async fn sent(socket: &mut WebSocket, bytes: Vec<u8>, stop: &mut watch::Receiver<bool>) -> bool {
    tokio::select! {
        sent = socket.send(Message::Binary(bytes.into())) => sent.is_ok(),
        () = stopped(stop) => false,
    }
}

async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|&stop| stop).await;
}

/// Answers of one question on their way out. The last one is kept until its place was given back.
struct Out {
    id: u32,
    ready: mpsc::UnboundedSender<Sent>,
    notes: Arc<AtomicUsize>,
    last: Mutex<Option<Vec<u8>>>,
}

impl Out {
    /// Sends what may be dropped, unless so many are not sent yet.
    fn note(&self, most: usize, message: impl FnOnce() -> Vec<u8>) {
        if self.notes.fetch_add(1, Ordering::Relaxed) >= most {
            self.notes.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        // Nobody waits any more when this fails.
        let _ = self.ready.send(Sent { bytes: message(), counts: Counts::Note(self.notes.clone()) });
    }
}

impl Sink for Out {
    fn send(&self, message: Vec<u8>) {
        let message = encode::answer(self.id, message);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
    }

    fn progress(&self, message: Vec<u8>) {
        self.note(NOTES, || message);
    }

    fn draft(&self, message: Vec<u8>) {
        self.note(DRAFTS, || encode::answer(self.id, message));
    }
}

/// What the work on a question needs.
struct Work {
    app: Arc<App>,
    client: Arc<Client>,
    seat: Arc<Seat>,
    slow: Arc<Semaphore>,
    out: Out,
}

/// The bytes of an answer; or the question again, when it belongs to the slow lane after all.
enum Done {
    Answer(Vec<u8>, Held),
    Later(Box<(Work, Asked)>),
}

impl Work {
    /// Waits for its turn, answers, and counts the answer until it is sent. A quick one that would have to wait for what
    /// takes long gives its place to others and goes on in the slow lane.
    async fn answer(mut self, mut asked: Asked, mut place: OwnedSemaphorePermit) {
        let (id, ready) = (asked.id(), self.out.ready.clone());
        let done = loop {
            let Some(turn) = self.seat.turn(asked.lane).await else { return }; // the page is gone
            match tokio::task::spawn_blocking(move || self.work(asked, turn)).await {
                Ok(Done::Answer(bytes, held)) => break Ok((bytes, held)),
                Ok(Done::Later(again)) => (self, asked) = *again,
                Err(error) => break Err(error),
            }
            asked.lane = Lane::Slow;
            // Some places stay for what somebody asks for by hand.
            if self.slow.available_permits() > BY_HAND
                && let Ok(slow) = self.slow.clone().try_acquire_owned()
            {
                place = slow;
            }
        };
        let (bytes, held) = match done {
            Ok((bytes, held)) => (bytes, Some(held)),
            Err(error) => {
                // A panic is a bug of ours, but only this question's problem.
                eprintln!("crosscut: a question failed: {}", printable(&error.to_string()));
                (failure(id, "this question met a bug in crosscut; please report it with what you did"), None)
            }
        };
        let _ = ready.send(Sent { bytes, counts: Counts::Answer { _held: held, _place: place } });
    }

    fn work(self, asked: Asked, mut turn: Turn) -> Done {
        let answer = || match asked.lane {
            Lane::Quick => self.app.bench.answer_quickly(&asked, &self.client, &self.out),
            Lane::Slow => {
                self.app.bench.answer(&asked, &self.client, &self.out);
                true
            }
        };
        if !turn.work(|| self.app.on_lane(asked.lane, answer)) {
            return Done::Later(Box::new((self, asked)));
        }
        let last = self.out.last.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_default();
        let held = turn.done(last.len());
        Done::Answer(last, held)
    }
}

/// The answer to a cancel: the question that was given up says so itself.
struct Nowhere;

impl Sink for Nowhere {
    fn send(&self, _message: Vec<u8>) {}
}
