//! Flows of super graphs: laid out in the same way each time, with no more crossings than d3-sankey has. The graphs and our crossings
//! are in `fixtures/flows.json`, which `ui/src/panes/calls/flows.test.ts` lays out by d3-sankey; `UPDATE=1` writes it again.

use std::path::PathBuf;
use std::sync::Arc;

use crosscut_calls::{Builder, By, Calls, Frame, Given, Making, SuperGraph, Unit};
use crosscut_run::RunWriter;
use crosscut_view::calls::flow::levels::{Flow, Graph, Levelled};
use crosscut_view::calls::flow::order::{crossed, order};
use serde_json::{Value, json};

/// A profile of random call paths through so many modules, which call those that come later.
fn profile(mut seed: u64, modules: u64, paths: usize) -> (tempfile::TempDir, Calls) {
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let work = tempfile::tempdir().unwrap();
    let mut run = RunWriter::create(&work.path().join("calls.crosscut")).unwrap();
    let mut builder = Builder::new("made");
    let metric = builder.metric("time", Unit::Ns, Given::Own);
    let place = builder.place(0, 0);
    let mut nodes = vec![(0u32, 0u64)];
    while nodes.len() < paths {
        let (parent, module) = nodes[next(nodes.len().min(60) as u64) as usize];
        let to = (module + next(5)).min(modules - 1);
        let frame = Frame { module: format!("lib{to}.so"), ..Frame::function(format!("f{to}_{}", next(4))) };
        let frame = builder.frame(frame);
        let node = builder.new_node(parent, frame).unwrap();
        builder.add(metric, place, node, 1 + next(1000) as i64);
        nodes.push((node, to));
    }
    builder.finish(&mut run).unwrap();
    let run = run.finish().unwrap();
    (work, Calls::open(Arc::new(run)).unwrap())
}

/// The super graph of a profile as bars and bands.
fn flow(calls: &Calls) -> Graph {
    let making = Making { map: By::Library.into(), ..Making::default() };
    let graph = SuperGraph::of(calls, &making);
    let weight = graph.inclusive(0).iter().map(|&value| value as f64).collect();
    let flows = graph.edges().iter().zip(graph.flow(0)).map(|(edge, &value)| Flow {
        from: edge.from as usize,
        to: edge.to as usize,
        weight: value as f64,
    });
    Graph { weight, flows: flows.collect() }
}

fn described(seed: u64, modules: u64, paths: usize) -> Value {
    let (_work, calls) = profile(seed, modules, paths);
    let graph = flow(&calls);
    let levelled = Levelled::new(&graph);
    let first = order(&levelled);
    assert_eq!(first, order(&Levelled::new(&graph)), "the same graph has the same order");
    let flows: Vec<Value> = graph.flows.iter().map(|flow| json!([flow.from, flow.to, flow.weight])).collect();
    json!({ "name": format!("{modules} modules, seed {seed}"), "bars": graph.weight.len(), "flows": flows,
        "crossings": crossed(&levelled, &first).count })
}

#[test]
fn crossings_are_those_that_are_compared_with_d3() {
    let sizes = [
        (4, 40),
        (6, 60),
        (8, 120),
        (10, 200),
        (12, 300),
        (16, 400),
        (20, 600),
        (24, 800),
        (29, 900),
        (40, 1500),
    ];
    let all: Vec<Value> = sizes
        .iter()
        .enumerate()
        .flat_map(|(at, &(modules, paths))| {
            [described(at as u64, modules, paths), described(at as u64 + 100, modules, paths)]
        })
        .collect();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/flows.json");
    let text = all.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n");
    let text = format!("[{text}]\n");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "UPDATE=1 writes fixtures/flows.json again");
}
