//! A workbench over small made runs, and one who asks it as the page does. Each test file uses a part of it.
#![allow(dead_code)]

use std::path::Path;
use std::sync::Mutex;

use crosscut_run::Run;
use crosscut_view::REGISTRY;
use crosscut_view::tasks::{Opened, TasksDomain};
use crosscut_workbench::{Client, OpenRun, Settings, Sink, Workbench};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A run of a shape with about so many nodes, on three workers.
pub fn made(work: &Path, shape: &str, nodes: u64) -> Run {
    made_on(work, shape, nodes, 3)
}

/// The same on so many workers.
pub fn made_on(work: &Path, shape: &str, nodes: u64, workers: usize) -> Run {
    let options = crosscut_synth::Options {
        shape: shape.parse().unwrap(),
        nodes,
        workers: workers as _,
        ..crosscut_synth::Options::default()
    };
    let target = work.join(format!("{shape}-{nodes}-{workers}.crosscut"));
    crosscut_synth::tasks(&target, &options, &|_, _| {}).unwrap()
}

/// A workbench over runs that lie in a folder, which is kept as long.
pub struct Bench {
    pub bench: Workbench,
    _work: TempDir,
}

/// What came back for a question.
pub struct Reply {
    /// All messages, the last one last.
    pub messages: Vec<Value>,
    /// What follows the JSON of the last one.
    pub columns: usize,
}

impl Reply {
    pub fn last(&self) -> &Value {
        self.messages.last().unwrap()
    }
}

/// Opens fib as run 0 and a spawn loop as run 1.
pub fn start() -> Bench {
    over(&[("fib", 2000), ("wide", 5000)])
}

/// Opens runs of these shapes.
pub fn over(shapes: &[(&str, u64)]) -> Bench {
    let work = tempfile::tempdir().unwrap();
    let runs = shapes.iter().map(|&(shape, nodes)| made(work.path(), shape, nodes)).collect();
    of(runs, &Settings::new(), work)
}

/// Opens these runs.
pub fn of(runs: Vec<Run>, settings: &Settings, work: TempDir) -> Bench {
    let open = |run: Run| OpenRun::open(run, REGISTRY, settings).unwrap();
    Bench { bench: Workbench::new(runs.into_iter().map(open).collect(), "test"), _work: work }
}

#[derive(Default)]
struct Heard(Mutex<Vec<Vec<u8>>>);

impl Sink for Heard {
    fn send(&self, message: Vec<u8>) {
        self.0.lock().unwrap().push(message);
    }
}

impl Bench {
    /// The tasks of a run.
    pub fn opened(&self, run: usize) -> &Opened {
        TasksDomain::of(&*self.bench.runs[run].domains[0]).unwrap().opened()
    }

    /// Asks as the page does.
    pub fn ask(&self, mut question: Value) -> Reply {
        question["id"] = json!(7);
        let heard = Heard::default();
        match self.bench.read(&question.to_string()) {
            Ok(asked) => self.bench.answer(&asked, &Client::default(), &heard),
            Err(message) => heard.send(message),
        }
        let mut columns = 0;
        let decode = |bytes: Vec<u8>| {
            let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
            columns = bytes.len() - 4 - length;
            serde_json::from_slice(&bytes[4..4 + length]).unwrap()
        };
        let messages: Vec<Value> = heard.0.into_inner().unwrap().into_iter().map(decode).collect();
        Reply { messages, columns }
    }

    /// Asks, and expects an answer.
    pub fn ok(&self, question: Value) -> Value {
        let reply = self.ask(question.clone());
        let last = reply.last();
        assert!(last.get("error").is_none(), "{question}: {last}");
        last["ok"].clone()
    }

    /// Asks, and expects words why there is no answer.
    pub fn refused(&self, question: Value) -> String {
        let reply = self.ask(question.clone());
        let words = reply.last()["error"].as_str().unwrap_or_else(|| panic!("{question} was answered"));
        words.to_owned()
    }
}

/// A question for a picture.
pub fn scene(view: &str, more: Value) -> Value {
    let mut look = json!({"v": 1, "view": view, "run": 0, "size": {"w": 1000, "h": 400}});
    merge(&mut look, &more);
    json!({"ask": "scene", "look": look})
}

/// A question for a picture after an act.
pub fn act(look: &Value, name: &str, on: Option<Value>, numbers: &[f64]) -> Value {
    let mut call = json!({"name": name, "numbers": numbers});
    if let Some(on) = on {
        call["on"] = on;
    }
    json!({"ask": "scene", "look": look, "act": call})
}

/// One node of run 0.
pub fn node(tree: &str, node: u32) -> Value {
    json!({"run": 0, "tree": tree, "nodes": node.to_string()})
}

pub fn merge(into: &mut Value, more: &Value) {
    for (key, value) in more.as_object().unwrap() {
        into[key] = value.clone();
    }
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}
