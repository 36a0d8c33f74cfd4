//! A viewer without a screen: starts `crosscut view`, asks for pictures over its WebSocket, and reads its memory.

use std::io::{BufRead, BufReader, Read};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use crosscut_scene::wire;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// A running server with one connection to it.
pub struct Client {
    child: Child,
    door: Door,
    talk: Talk,
    begin: Instant,
}

/// How to connect to a server.
#[derive(Clone)]
pub struct Door {
    host: String,
    token: String,
}

/// One connection.
pub struct Talk {
    socket: WebSocket<TcpStream>,
    next: u32,
    /// Milliseconds from the last question to the first thing that could be shown: a draft, or the answer.
    first: f64,
}

/// A picture as far as the walk needs it.
pub struct Picture {
    /// The cut after the action.
    pub cut: String,
    /// Server time in milliseconds.
    pub ms: f64,
    /// Visible nodes that can be opened.
    pub closed: Vec<u32>,
    /// Open nodes.
    pub open: Vec<u32>,
    /// Milliseconds from the request to the whole answer.
    pub round: f64,
    /// Number of boxes.
    pub boxes: usize,
    /// Size of the answer.
    pub bytes: usize,
}

/// An act on a node: its name, the node, its numbers; none leaves the cut as it is.
pub type Act = Option<(&'static str, u32, Vec<f64>)>;

impl Client {
    /// Starts the server on a run and connects.
    pub fn start(crosscut: &Path, run: &Path) -> Result<Self> {
        let begin = Instant::now();
        let mut child = Command::new(crosscut)
            .args(["view", "--port", "0", "--no-open"])
            .arg(run)
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{}", crosscut.display()))?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no stdout")?).read_line(&mut line)?;
        let link = line.trim();
        let (host, token) = link
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once("/?token="))
            .with_context(|| format!("not a link: {link}"))?;
        let door = Door { host: host.to_owned(), token: token.to_owned() };
        let talk = door.connect()?;
        Ok(Client { child, door, talk, begin })
    }

    /// How others connect to it.
    pub fn door(&self) -> &Door {
        &self.door
    }

    /// Milliseconds since the server was started.
    pub fn since_start(&self) -> f64 {
        self.begin.elapsed().as_secs_f64() * 1e3
    }

    /// Closes its own connection.
    pub fn leave(&mut self) {
        // Who has gone already has left, too.
        let _ = self.talk.socket.close(None);
        let _ = self.talk.socket.flush();
        let _ = self.talk.socket.get_ref().shutdown(Shutdown::Both);
    }

    /// Milliseconds from the last question to the first thing that could be shown.
    pub fn first(&self) -> f64 {
        self.talk.first
    }

    /// Asks over its own connection.
    pub fn ask(&mut self, request: Value) -> Result<(Value, Vec<u8>, usize)> {
        self.talk.ask(request)
    }

    /// Asks for the DAG at a cut, after an act.
    pub fn dag(&mut self, cut: &str, act: Act) -> Result<Picture> {
        self.graph("tasks.dag", "tasks", json!({ "cut": cut }), act)
    }

    /// Asks for the grain graph at a cut, after an act, with a problem to look for.
    pub fn grains(&mut self, cut: &str, act: Act, problem: Option<&str>) -> Result<Picture> {
        let mut state = json!({ "cut": cut });
        if let Some(problem) = problem {
            state["lens"] = json!({ "name": problem });
        }
        self.graph("tasks.grains", "grains", state, act)
    }

    fn graph(&mut self, view: &str, tree: &str, state: Value, act: Act) -> Result<Picture> {
        let mut request = json!({
            "ask": "scene",
            "look": {
                "view": view, "run": 0, "trees": { tree: state }, "size": { "w": 1280.0, "h": 800.0 },
                "options": { "scale": "even", "critical": "true" }
            }
        });
        if let Some((name, node, numbers)) = act {
            let on = json!({ "run": 0, "tree": tree, "nodes": node.to_string() });
            request["act"] = json!({ "name": name, "on": on, "numbers": numbers });
        }
        let begin = Instant::now();
        let (answer, columns, bytes) = self.ask(request)?;
        let round = begin.elapsed().as_secs_f64() * 1e3;
        let head = &answer["shown"]["head"];
        let (found, _) = wire::find(head, &columns).context("no scene")?;
        let boxes = found["boxes.node"].n;
        let (mut closed, mut open) = (Vec::new(), Vec::new());
        for b in 0..boxes {
            let value = |column: &str| found[column].get(&columns, b).context("a column ends early");
            let style = &head["styles"][value("boxes.style")? as usize];
            let id = value("boxes.node")? as u32;
            match (style["press"].as_str(), style["shape"].as_str()) {
                (_, Some("envelope")) => open.push(id),
                // Closed tasks, sections and groups, without folds.
                (Some("open"), _) if style["sheets"] == 0 => closed.push(id),
                _ => {}
            }
        }
        let cut = answer["look"]["trees"][tree]["cut"].as_str().unwrap_or_default().to_owned();
        let ms = answer["ms"].as_f64().context("no ms")?;
        Ok(Picture { cut, ms, round, closed, open, boxes, bytes })
    }

    /// Asks for a window of the timeline or profile; says the milliseconds until there is a picture, and the server time of the last one,
    /// which also has what costs time.
    pub fn window(&mut self, view: &str, from: f64, to: f64) -> Result<(f64, f64)> {
        let scope = json!({ "time": [from, to] });
        let look = json!({ "view": view, "run": 0, "scope": scope, "size": { "w": 1280.0, "h": 400.0 } });
        let (answer, _, _) = self.ask(json!({ "ask": "scene", "look": look }))?;
        Ok((self.first(), answer["ms"].as_f64().context("no ms")?))
    }

    /// Asks what is open: (first, last) time of the run.
    pub fn time(&mut self) -> Result<(f64, f64)> {
        let (answer, _, _) = self.ask(json!({"ask": "hello"}))?;
        let time = &answer["runs"][0]["time"];
        Ok((time[0].as_f64().unwrap_or(0.0), time[1].as_f64().unwrap_or(1.0)))
    }

    /// Resident memory of the server that is not mapped from files, in bytes.
    pub fn private_memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|l| l.starts_with("RssAnon:")).context("no RssAnon")?;
        let kib: u64 = line.split_whitespace().nth(1).context("no number")?.parse()?;
        Ok(kib * 1024)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Door {
    /// A new connection.
    pub fn connect(&self) -> Result<Talk> {
        let mut request = format!("ws://{}/api/socket", self.host).into_client_request()?;
        let offered = format!("crosscut, token.{}", self.token);
        request.headers_mut().insert("Sec-WebSocket-Protocol", offered.parse()?);
        let stream = TcpStream::connect(&self.host)?;
        stream.set_nodelay(true)?;
        let (socket, _) = tungstenite::client(request, stream).map_err(|e| anyhow::anyhow!("{e}"))?;
        Ok(Talk { socket, next: 0, first: 0.0 })
    }
}

impl Talk {
    /// Waits for nobody longer than this.
    pub fn with_patience(self, patience: Duration) -> Result<Self> {
        self.socket.get_ref().set_write_timeout(Some(patience))?;
        Ok(self)
    }

    /// Asks in words that are ready, without waiting for an answer; an error when nobody listens.
    pub fn send(&mut self, question: &str) -> Result<()> {
        Ok(self.socket.send(Message::text(question))?)
    }

    /// The answer, its columns, and how many bytes were sent.
    pub fn ask(&mut self, mut request: Value) -> Result<(Value, Vec<u8>, usize)> {
        self.next += 1;
        request["id"] = self.next.into();
        let begin = Instant::now();
        let mut first = None;
        self.socket.send(Message::text(request.to_string()))?;
        loop {
            let Message::Binary(sent) = self.socket.read()? else { continue };
            let mut bytes = sent.to_vec();
            if sent[..4] == [0xff; 4] {
                bytes.clear();
                GzDecoder::new(&sent[4..]).read_to_end(&mut bytes)?;
            }
            let n = u32::from_le_bytes(bytes[..4].try_into()?) as usize;
            let mut answer: Value = serde_json::from_slice(&bytes[4..4 + n])?;
            if let Some(error) = answer.get("error") {
                bail!("{error}");
            }
            if answer.get("ok").is_some() {
                self.first = *first.get_or_insert_with(|| begin.elapsed().as_secs_f64() * 1e3);
            }
            if answer.get("progress").is_some() {
                continue; // not the last one
            }
            return Ok((answer["ok"].take(), bytes[4 + n..].to_vec(), sent.len()));
        }
    }
}
