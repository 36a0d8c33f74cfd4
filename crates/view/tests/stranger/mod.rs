//! A run from a stranger: any column may hold any values. A small run that has every column there is, ways to spoil one,
//! and everything that can be asked of it.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

use crosscut_run::{Places, Run, RunWriter, Source, SourcesBuilder};
use crosscut_tasks::schema::{
    Chunk, Depend, Joined, Kind, Lock, LockKind, LockUse, LockWait, NO_SOURCE, Stretch, TaskWriter,
};
use crosscut_view::REGISTRY;
use crosscut_workbench::{Client, OpenRun, Settings, Sink, Workbench};
use serde_json::{Value, json};

/// Where the values of a column begin in its file.
pub const BODY: usize = 1024;

/// A run that has every part: dependences, chunks, locks, counters, collapsed nodes and tasks that outlive their section.
pub fn whole(work: &Path) -> PathBuf {
    let path = work.join("whole.crosscut");
    let mut run = RunWriter::create(&path).unwrap();
    let mut sources = SourcesBuilder::new();
    let ids: Vec<u32> = (1..9)
        .map(|line| sources.source(Source { file: "sort.c".into(), line, function: "sort".into() }))
        .collect();
    let sites: Vec<u32> = ids.windows(2).map(|pair| sources.site(pair[0], pair[1])).collect();
    run.put_sources(&sources.finish()).unwrap();
    let mut places = Places::workers(3).unwrap();
    let with_core = places.intern(1, 5).unwrap();
    let tasks = fill(&run, &sites, with_core);
    crosscut_tasks::finish(&mut run, tasks, &places).unwrap();
    run.finish().unwrap();
    path
}

/// Nodes as (kind, subtree length): a task that creates a few hundred others in sections, one of them wide.
struct Made {
    len: Vec<u32>,
    parent: Vec<u32>,
    kind: Vec<(Kind, bool)>,
}

impl Made {
    fn open(&mut self, parent: u32, kind: Kind) -> u32 {
        self.leaf(parent, kind, false)
    }

    fn leaf(&mut self, parent: u32, kind: Kind, collapsed: bool) -> u32 {
        self.len.push(1);
        self.parent.push(parent);
        self.kind.push((kind, collapsed));
        self.len.len() as u32 - 1
    }

    fn close(&mut self, node: u32) {
        self.len[node as usize] = self.len.len() as u32 - node;
    }
}

/// The tree, then times one after the other on three workers.
fn fill(run: &RunWriter, sites: &[u32], with_core: u32) -> TaskWriter {
    let mut made = Made { len: Vec::new(), parent: Vec::new(), kind: Vec::new() };
    let root = made.open(0, Kind::Task);
    let (mut created, mut chunks, mut folded) = (Vec::new(), Vec::new(), Vec::new());
    for part in 0..3 {
        let section = made.open(root, Kind::Section);
        for k in 0..[3, 150, 7][part] {
            made.leaf(section, if part == 2 { Kind::Fork } else { Kind::Create }, false);
            if k % 40 == 5 {
                folded.push(made.leaf(section, Kind::Task, true));
                continue;
            }
            let task = made.open(section, Kind::Task);
            created.push(task);
            if k % 3 == 0 {
                let inner = made.open(task, Kind::Section);
                made.leaf(inner, Kind::Create, false);
                let below = made.open(inner, Kind::Task);
                chunks.push(made.leaf(below, Kind::Chunk, false));
                made.leaf(below, Kind::End, false);
                made.close(below);
                if k % 2 == 0 {
                    made.leaf(inner, Kind::Wait, false); // the others leave their task behind
                }
                made.close(inner);
            }
            made.leaf(task, Kind::Other, false);
            made.leaf(task, Kind::End, false);
            made.close(task);
        }
        made.leaf(section, Kind::Wait, false);
        made.close(section);
    }
    made.leaf(root, Kind::End, false);
    made.close(root);
    columns(run, &made, sites, with_core, (&created, &chunks, &folded))
}

fn columns(
    run: &RunWriter,
    made: &Made,
    sites: &[u32],
    with_core: u32,
    (created, chunks, folded): (&[u32], &[u32], &[u32]),
) -> TaskWriter {
    let n = made.len.len();
    let mut tasks = TaskWriter::new(run, n).unwrap();
    tasks.add_counter(run, "instructions").unwrap();
    for i in 0..n {
        let (kind, collapsed) = made.kind[i];
        let edge = crosscut_tasks::schema::Edge::ALL[i % 5];
        tasks.len[i] = made.len[i];
        tasks.parent[i] = made.parent[i];
        tasks.mark[i] = crosscut_tasks::schema::Mark::new(kind, edge, collapsed).0;
        tasks.start[i] = 10 * i as i64;
        tasks.end[i] = 10 * i as i64 + 7 + (i % 3) as i64;
        tasks.span[i] = 5;
        tasks.place[i] = [0, 1, 2, with_core][i % 4];
        tasks.site[i] = sites[i % sites.len()];
        tasks.counters[0].1[i] = if made.len[i] == 1 { i as i64 } else { 0 };
    }
    let folded = folded.iter().map(|&node| crosscut_tasks::schema::Collapsed {
        node,
        work: 6,
        first_ready: 10 * i64::from(node) - 3,
        last_start: 10 * i64::from(node) + 2,
        ready: [1, 2, 1, 0, 1],
        nodes: [2, 1, 0, 3],
        edges: [1, 2, 2, 1, 0],
    });
    tasks.collapsed = folded.collect();
    tasks.depends =
        vec![Depend { to: created[1], from: created[0] }, Depend { to: created[2], from: created[1] }];
    tasks.chunks = chunks.iter().map(|&node| Chunk { node, first: i64::from(node), count: 4 }).collect();
    let joined = |&node: &u32| Joined { node, chunks: 2, least: 1, most: 5, past: i64::from(node) + 4 };
    let beside = &mut tasks.beside;
    beside.joined = chunks.iter().step_by(2).map(joined).collect();
    beside.locks =
        [LockKind::Critical, LockKind::Mutex].map(|kind| Lock { kind, process: 0, address: 4096 }).to_vec();
    beside.lock_names = vec![(0, "queue".into())];
    let wait = |node: usize| LockWait {
        node: node as u32,
        lock: node as u32 % 2,
        worker: [0, 1, 2, 1][node % 4],
        asked: 10 * node as i64 + 1,
        got: 10 * node as i64 + 4,
        freed: 10 * node as i64 + 6,
        source: 1,
        holder: if node.is_multiple_of(2) { 2 } else { NO_SOURCE },
    };
    beside.lock_waits = (0..n).filter(|&i| made.len[i] == 1).step_by(3).map(wait).collect();
    let used = |k: u32| LockUse {
        lock: k / 2,
        source: 1,
        worker: k % 2,
        count: 90,
        waits: 40,
        waited: 120,
        held: 200,
        longest: 9,
    };
    beside.lock_uses = (0..4).map(used).collect();
    let stretch = |k: i64| Stretch {
        worker: (k / 4) as u32,
        from: 500 * (k % 4),
        to: 500 * (k % 4) + 400,
        processor: 300,
        voluntary: 3,
        involuntary: 2,
    };
    beside.stretches = (0..12).map(stretch).collect();
    tasks
}

/// A copy of a run.
pub fn copy(from: &Path, to: &Path) -> PathBuf {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
    to.to_owned()
}

/// A run of messages between some ranks, with collectives.
pub fn messages(work: &Path) -> PathBuf {
    let path = work.join("messages.crosscut");
    let options = crosscut_synth::MessageOptions {
        exchanges: crosscut_synth::exchanges("halo*2,allreduce,ring,barrier").unwrap(),
        ranks: 6,
        steps: 10,
        ..crosscut_synth::MessageOptions::default()
    };
    crosscut_synth::messages(&path, &options, &|_, _| {}).unwrap();
    path
}

/// A profile of calls at two places, with the samples that it is made of.
pub fn calls(work: &Path) -> PathBuf {
    let path = work.join("calls.crosscut");
    let mut run = RunWriter::create(&path).unwrap();
    let mut builder = crosscut_calls::Builder::new("samples");
    builder.metric("time", crosscut_calls::Unit::Ns, crosscut_calls::Given::Own);
    builder.metric("samples", crosscut_calls::Unit::Count, crosscut_calls::Given::Own);
    let frame = |number: u32| crosscut_calls::Frame {
        file: "sort.c".to_owned(),
        line: i64::from(number),
        ..crosscut_calls::Frame::function(format!("sort{number}"))
    };
    for sample in 0..200u32 {
        let place = builder.place(i64::from(sample % 2), 0);
        let mut node = 0;
        for level in 0..sample % 7 {
            let number = builder.frame(frame((sample * 31 + level * 17) % 5));
            node = builder.node(node, number).unwrap();
        }
        builder.sample(place, 10 * i64::from(sample), node, [i64::from(sample) + 1, 1]);
    }
    builder.finish(&mut run).unwrap();
    run.finish().unwrap();
    path
}

/// Opens a run as a large one is opened: nothing but sizes is checked before it is shown. What refuses it says why.
pub fn open(path: &Path) -> Result<Workbench, String> {
    let settings = Settings::from([("check".to_owned(), "later".to_owned())]);
    let run = Run::open(path).map_err(|error| error.to_string())?;
    let open = OpenRun::open(run, REGISTRY, &settings).map_err(|refusal| refusal.0)?;
    Ok(Workbench::new(vec![open], "test"))
}

struct Deaf;

impl Sink for Deaf {
    fn send(&self, _message: Vec<u8>) {}
}

/// Asks the workbench, whatever it answers.
pub fn ask(bench: &Workbench, text: &str) {
    if let Ok(asked) = bench.read(text) {
        bench.answer(&asked, &Client::default(), &Deaf);
    }
}

/// Everything that can be asked of a run: every view, tree, table and sheet, and what the commands print.
pub fn questions(bench: &Workbench) -> Vec<Value> {
    let run = &bench.runs[0];
    let mut all = vec![json!({"ask": "hello"}), json!({"ask": "overview", "run": 0})];
    for view in run.views() {
        let look = json!({"v": 1, "view": view.name, "run": 0, "size": {"w": 900, "h": 400}});
        all.push(json!({"ask": "scene", "look": look}));
        for (name, numbers) in [("below", json!([200])), ("depth", json!([4]))] {
            all.push(json!({"ask": "scene", "look": look, "act": {"name": name, "numbers": numbers}}));
        }
        let mut part = look.clone();
        part["scope"] = json!({"time": [100.0, 900.0]});
        for tree in run.trees().iter().filter(|tree| !tree.parameter) {
            part["selected"] = json!({"run": 0, "tree": tree.name, "nodes": "7"});
            all.push(json!({"ask": "light", "look": part}));
        }
        all.push(json!({"ask": "scene", "look": part}));
    }
    for tree in run.trees().iter().filter(|tree| !tree.parameter) {
        all.push(json!({"ask": "tree", "run": 0, "tree": tree.name}));
        let look = json!({"v": 1, "view": "table", "run": 0});
        all.push(json!({"ask": "table", "look": look, "tree": tree.name, "sort": "work", "count": 200}));
        for node in [0, 1, 7, 40, 120, 900, u32::MAX] {
            let selection = json!({"run": 0, "tree": tree.name, "nodes": node.to_string()});
            all.push(json!({"ask": "about", "selection": selection}));
        }
    }
    all.push(json!({"ask": "search", "run": 0, "words": "sort", "limit": 50}));
    all
}

/// Asks everything, each through `each`, which runs what it is given.
pub fn ask_everything(bench: &Workbench, each: &mut dyn FnMut(&str, &dyn Fn())) {
    for mut question in questions(bench) {
        question["id"] = json!(1);
        let text = question.to_string();
        each(&text, &|| ask(bench, &text));
    }
    each("info", &|| drop(bench.info(0)));
    each("info --json", &|| drop(bench.info_json(0)));
    each("report", &|| drop(bench.report(0)));
    each("report --json", &|| drop(bench.report_json(0)));
    for domain in &bench.runs[0].domains {
        let entry = REGISTRY.iter().find(|entry| entry.word == domain.word());
        for form in entry.map_or(&[][..], |entry| entry.exports) {
            each(form.word, &|| {
                if let Ok(exported) = domain.export(form.word, None) {
                    let _ = (exported.write)(&mut std::io::sink());
                }
            });
        }
    }
}
