//! Connections: who has not shown a token has little room and little time. Places are counted per user of this machine (all
//! of them have the same address on loopback), so that nobody else's connections keep the owner of the server out. Who shows
//! a token gets a place among those who are let in. An answer that nobody reads ends its connection.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{Instant, Sleep};

use crate::owner;

/// Connections that have shown no token: in all, and of one user.
pub const STRANGERS: usize = 64;
/// Of one user; a browser opens six, some of them before it knows what for.
pub const STRANGERS_EACH: usize = 16;
/// Connections that have shown a token.
pub const KNOWN: usize = 256;
/// Time to show a token, and time between the requests of who has shown one.
pub const HEADER_TIME: Duration = Duration::from_secs(5);
/// Time without a byte taken after which an answer is not sent any further.
pub const STALLED: Duration = Duration::from_secs(30);
/// Bytes of a request without its body: a look is part of the address of its picture.
const HEADER_BYTES: usize = 128 << 10;

/// Who is connected.
#[derive(Default)]
pub struct Doors {
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    strangers: HashMap<Option<u32>, usize>,
    known: usize,
}

/// One connection.
pub struct Visitor {
    doors: Arc<Doors>,
    /// The user who made it, where that is known.
    pub user: Option<u32>,
    place: Mutex<Place>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Stranger,
    Known,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Doors {
    /// Lets a connection stand in the doorway, if there is room.
    fn enter(self: &Arc<Self>, user: Option<u32>) -> Option<Arc<Visitor>> {
        let mut open = lock(&self.open);
        let all: usize = open.strangers.values().sum();
        let of_user = open.strangers.get(&user).copied().unwrap_or(0);
        if all >= STRANGERS || of_user >= STRANGERS_EACH {
            return None;
        }
        open.strangers.insert(user, of_user + 1);
        Some(Arc::new(Visitor { doors: self.clone(), user, place: Mutex::new(Place::Stranger) }))
    }
}

impl Open {
    fn leave(&mut self, user: Option<u32>, place: Place) {
        match place {
            Place::Known => self.known -= 1,
            Place::Stranger => {
                let of_user = self.strangers.entry(user).or_default();
                *of_user -= 1;
                if *of_user == 0 {
                    self.strangers.remove(&user);
                }
            }
        }
    }
}

impl Visitor {
    /// It has shown a token: says whether there is a place for it.
    pub fn is_let_in(&self) -> bool {
        let mut place = lock(&self.place);
        if *place == Place::Known {
            return true;
        }
        let mut open = lock(&self.doors.open);
        if open.known >= KNOWN {
            return false;
        }
        open.leave(self.user, Place::Stranger);
        open.known += 1;
        *place = Place::Known;
        true
    }

    fn is_known(&self) -> bool {
        *lock(&self.place) == Place::Known
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        lock(&self.doors.open).leave(self.user, *lock(&self.place));
    }
}

/// Bytes that the system keeps of an answer that is not read; it would keep megabytes of each.
const SEND_BUFFER: u32 = 256 << 10;
/// Bytes that it keeps of questions that are not read yet.
const RECEIVE_BUFFER: u32 = 64 << 10;
/// Connections that wait to be taken.
const BACKLOG: u32 = 1024;

/// Takes a port.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?; // a port that was just left can be had again
    socket.set_send_buffer_size(SEND_BUFFER)?; // both hold for all connections
    socket.set_recv_buffer_size(RECEIVE_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Takes connections for ever. They end with the future.
pub async fn serve(listener: TcpListener, here: SocketAddr, router: Router) {
    let doors = Arc::new(Doors::default());
    let mut connections = tokio::task::JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    // Who finds no room is hung up on.
                    if let Some(visitor) = doors.enter(owner::of(peer, here)) {
                        connections.spawn(connection(stream, visitor, router.clone()));
                    }
                }
                // Out of descriptors, most likely: others end, and then there are some.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(stream: TcpStream, visitor: Arc<Visitor>, router: Router) {
    let _ = stream.set_nodelay(true); // an answer is written whole
    let service = TowerToHyperService::new(router.layer(Extension(visitor.clone())));
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(Patient::new(stream)), service)
        .with_upgrades();
    let mut serving = std::pin::pin!(serving);
    tokio::select! {
        _ = &mut serving => return, // what went wrong concerns the other end
        () = tokio::time::sleep(HEADER_TIME) => {}
    }
    if visitor.is_known() {
        let _ = serving.await;
    }
}

/// A connection that gives up when nobody takes what is written for too long.
struct Patient {
    stream: TcpStream,
    until: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream) -> Self {
        Patient { stream, until: None }
    }

    /// What a write came to, with an end to waiting.
    fn waited<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.until = None;
            return written;
        }
        let until =
            self.until.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + STALLED)));
        until.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.waited(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.waited(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_are_few() {
        let doors = Arc::new(Doors::default());
        let mut of_one: Vec<_> = (0..STRANGERS_EACH).map(|_| doors.enter(Some(7)).unwrap()).collect();
        assert!(doors.enter(Some(7)).is_none());
        assert!(doors.enter(Some(8)).is_some(), "one user does not keep another out");
        // Who shows a token makes room for the next.
        assert!(of_one[0].is_let_in() && of_one[0].is_let_in());
        of_one.push(doors.enter(Some(7)).unwrap());
        let others: Vec<_> = (100..).map_while(|user| doors.enter(Some(user))).collect();
        assert_eq!(others.len(), STRANGERS - STRANGERS_EACH);
        drop((of_one, others));
        let open = lock(&doors.open);
        assert_eq!((open.strangers.len(), open.known), (0, 0));
    }

    #[test]
    fn even_the_known_are_counted() {
        let doors = Arc::new(Doors::default());
        let enter = |_| {
            let visitor = doors.enter(None).unwrap();
            visitor.is_let_in().then_some(visitor)
        };
        let known: Vec<_> = (0..).map_while(enter).collect();
        assert_eq!(known.len(), KNOWN);
        assert!(!doors.enter(None).unwrap().is_let_in());
    }
}
