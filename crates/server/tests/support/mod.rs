//! A server over a small made run, and a client that can misbehave. Each test file uses a part of it.
#![allow(dead_code)]

use std::net::SocketAddr;

use crosscut_server::{Options, Server};
use crosscut_workbench::{OpenRun, Settings, Workbench};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// The usual look of a view of run 0.
pub fn look(view: &str) -> Value {
    json!({"v": 1, "view": view, "run": 0, "size": {"w": 1000.0, "h": 400.0}})
}

/// Asks for it.
pub fn scene(view: &str) -> Value {
    json!({"ask": "scene", "look": look(view)})
}

/// With some fields changed.
pub fn with(mut request: Value, more: Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        request[key] = value.clone();
    }
    request
}

/// As a part of an address.
pub fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// A running server.
pub struct Running {
    pub address: SocketAddr,
    pub token: String,
    /// What the launch link gave: name and value.
    pub cookie: String,
    _stop: oneshot::Sender<()>,
    _work: tempfile::TempDir,
}

/// A run of a shape with about so many nodes.
pub fn made(work: &std::path::Path, shape: &str, nodes: u64) -> OpenRun {
    let options = crosscut_synth::Options {
        shape: shape.parse().unwrap(),
        nodes,
        workers: 3,
        ..crosscut_synth::Options::default()
    };
    let target = work.join(format!("{shape}.crosscut"));
    let run = crosscut_synth::tasks(&target, &options, &|_, _| {}).unwrap();
    OpenRun::open(run, crosscut_view::REGISTRY, &Settings::new()).unwrap()
}

/// Serves fib as run 0 and a spawn loop as run 1.
pub async fn start() -> Running {
    let work = tempfile::tempdir().unwrap();
    let runs = vec![made(work.path(), "fib", 2000), made(work.path(), "wide", 5000)];
    serve(runs, work).await
}

/// Serves these runs, which lie in a folder that is kept as long.
pub async fn serve(runs: Vec<OpenRun>, work: tempfile::TempDir) -> Running {
    let server = Server::bind(Workbench::new(runs, "test"), Options { port: 0 }).await.unwrap();
    let address = server.address();
    let token = server.link().split_once("token=").unwrap().1.to_owned();
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    let mut running = Running { address, token, cookie: String::new(), _stop: stop, _work: work };
    let page = running.get(&format!("/?token={}", running.token), &[("Host", &running.host())]).await;
    running.cookie = page.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    running
}

/// An answer over plain HTTP.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl Running {
    /// Sends these bytes and reads what comes back until the connection is closed.
    pub async fn raw(&self, request: &str) -> Answer {
        self.raw_bytes(request.as_bytes()).await
    }

    /// The same with bytes that are no text.
    pub async fn raw_bytes(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // Who is refused early is not read to the end.
        let _ = stream.write_all(request).await;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        let split = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..split]).into_owned();
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        Answer { status, head, body: bytes.get(split + 4..).unwrap_or_default().to_vec() }
    }

    /// GET with these headers (`Host` must be among them).
    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        self.raw(&format!("GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n")).await
    }

    /// GET as the page would.
    pub async fn get_in(&self, path: &str) -> Answer {
        self.get(path, &[("Host", &self.host()), ("Cookie", &self.cookie), ("Authorization", &self.bearer())])
            .await
    }

    pub fn host(&self) -> String {
        self.address.to_string()
    }

    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// What a page offers as the protocols of its socket.
    pub fn protocols(&self) -> String {
        format!("crosscut, token.{}", self.token)
    }

    pub async fn socket(&self) -> Socket {
        let mut request = format!("ws://{}/api/socket", self.address).into_client_request().unwrap();
        request.headers_mut().insert("Sec-WebSocket-Protocol", self.protocols().parse().unwrap());
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (socket, _) = tokio_tungstenite::client_async(request, stream).await.unwrap();
        Socket { socket, next: 1 }
    }
}

/// The socket, seen from the page.
pub struct Socket {
    socket: WebSocketStream<TcpStream>,
    next: u32,
}

/// A decoded answer.
pub struct Reply {
    pub json: Value,
    pub columns: Vec<u8>,
}

impl Socket {
    pub async fn send(&mut self, text: String) {
        let _ = self.socket.send(Message::text(text)).await;
    }

    pub async fn send_message(&mut self, message: Message) {
        let _ = self.socket.send(message).await;
    }

    /// The next answer; none when the server closed the socket.
    pub async fn receive(&mut self) -> Option<Reply> {
        loop {
            match self.socket.next().await? {
                Ok(Message::Binary(bytes)) => {
                    let bytes = unpacked(&bytes);
                    let n = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
                    assert_eq!(n % 4, 0);
                    let json = serde_json::from_slice(&bytes[4..4 + n]).unwrap();
                    return Some(Reply { json, columns: bytes[4 + n..].to_vec() });
                }
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Asks, with a new id.
    pub async fn ask(&mut self, mut request: Value) -> Reply {
        let id = self.next;
        self.next += 1;
        request["id"] = id.into();
        self.send(request.to_string()).await;
        loop {
            let reply = self.receive().await.expect("an answer");
            assert_eq!(reply.json["id"], id);
            // How far it is comes before the answer.
            if reply.json["progress"].is_null() {
                return reply;
            }
        }
    }

    /// Asks and expects an answer.
    pub async fn ok(&mut self, request: Value) -> Value {
        let reply = self.ask(request.clone()).await;
        assert!(reply.json["ok"].is_object(), "{request}: {}", reply.json);
        reply.json["ok"].clone()
    }

    /// Asks and expects a refusal; gives its words.
    pub async fn refused(&mut self, request: Value) -> String {
        let reply = self.ask(request.clone()).await;
        let words = reply.json["error"].as_str();
        words.unwrap_or_else(|| panic!("{request}: {}", reply.json)).to_owned()
    }
}

/// An answer as it was before it was compressed.
fn unpacked(bytes: &[u8]) -> Vec<u8> {
    if bytes[..4] != [0xff; 4] {
        return bytes.to_vec();
    }
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[4..]), &mut plain).unwrap();
    plain
}
