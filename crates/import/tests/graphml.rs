//! Grain graphs as GraphML: what is read of a graph is what the definitions find in the run.

use crate::grain_costs;

use std::fmt::Write;
use std::time::Instant;

use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;
use grain_costs::{check, creation, members, nodes, open, sync, work};
use proptest::prelude::*;

fn read(text: &str) -> (tempfile::TempDir, Tasks) {
    open("graph.graphml", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text:.2000}"))
}

fn refused(text: &str) -> String {
    let error = open("graph.graphml", text.as_bytes()).expect_err("it is broken");
    assert!(error.path().is_some() && error.offset().is_some(), "{error}");
    error.to_string()
}

/// A graph in the making.
#[derive(Default)]
struct Graph {
    body: String,
    edges: String,
    count: usize,
}

impl Graph {
    fn node(&mut self, kind: &str, data: &[(&str, String)]) -> usize {
        let id = self.count;
        self.count += 1;
        write!(self.body, "<node id=\"n{id}\"><data key=\"v_kind\">{kind}</data>").unwrap();
        for (name, value) in data {
            write!(self.body, "<data key=\"v_{name}\">{value}</data>").unwrap();
        }
        self.body.push_str("</node>\n");
        id
    }

    fn edge(&mut self, from: usize, to: usize, kind: &str) {
        writeln!(
            self.edges,
            "<edge source=\"n{from}\" target=\"n{to}\"><data key=\"e_type\">{kind}</data></edge>"
        )
        .unwrap();
    }

    fn text(&self) -> String {
        let keys = [
            "kind",
            "work",
            "creation",
            "sync",
            "source",
            "core",
            "worker",
            "start",
            "chunk_first",
            "chunk_count",
        ];
        let keys: String = keys
            .iter()
            .map(|key| {
                format!("<key id=\"v_{key}\" for=\"node\" attr.name=\"{key}\" attr.type=\"string\"/>\n")
            })
            .collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n{keys}\
             <key id=\"e_type\" for=\"edge\" attr.name=\"type\" attr.type=\"string\"/>\n\
             <graph id=\"G\" edgedefault=\"directed\">\n{}{}</graph>\n</graphml>\n",
            self.body, self.edges
        )
    }
}

/// As the scripts of grain graphs write it: types and names of their own, a start without work, and joins that continue at
/// the join around them.
const SCRIPT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<!-- Created by igraph -->
  <key id="v_name" for="node" attr.name="name" attr.type="string"/>
  <key id="v_type" for="node" attr.name="type" attr.type="string"/>
  <key id="v_exec_cycles" for="node" attr.name="exec_cycles" attr.type="double"/>
  <key id="v_overhead_cycles" for="node" attr.name="overhead_cycles" attr.type="double"/>
  <key id="v_creation_cycles" for="node" attr.name="creation_cycles" attr.type="double"/>
  <key id="v_sync_cycles_per_child" for="node" attr.name="sync_cycles_per_child" attr.type="double"/>
  <key id="v_cpu_id" for="node" attr.name="cpu_id" attr.type="double"/>
  <key id="v_tag" for="node" attr.name="tag" attr.type="string"/>
  <key id="v_source_line" for="node" attr.name="source_line" attr.type="string"/>
  <key id="v_metadata" for="node" attr.name="metadata" attr.type="boolean"/>
  <key id="e_type" for="edge" attr.name="type" attr.type="string"/>
  <graph id="G" edgedefault="directed">
    <node id="n0"><data key="v_name">E</data><data key="v_type">end</data><data key="v_metadata">true</data></node>
    <node id="n1"><data key="v_name">j.0.0</data><data key="v_type">join</data></node>
    <node id="n2"><data key="v_name">j.1.0</data><data key="v_type">join</data></node>
    <node id="n3"><data key="v_name">f.0.0</data><data key="v_type">fork</data><data key="v_tag">NA</data></node>
    <node id="n4"><data key="v_name">f.1.0</data><data key="v_type">fork</data></node>
    <node id="n5"><data key="v_name">0</data><data key="v_type">start</data></node>
    <node id="n6"><data key="v_name">1</data><data key="v_type">task</data><data key="v_exec_cycles">9204</data>
      <data key="v_overhead_cycles">6672</data><data key="v_creation_cycles">4.82e+03</data><data key="v_cpu_id">3</data>
      <data key="v_sync_cycles_per_child">NaN</data><data key="v_source_line">a&lt;b&gt;.c:17</data></node>
    <node id="n7"><data key="v_name">2</data><data key="v_type">task</data><data key="v_exec_cycles">544</data>
      <data key="v_creation_cycles">1520</data><data key="v_sync_cycles_per_child">400.5</data></node>
    <node id="n8"><data key="v_name">3</data><data key="v_type">task</data><data key="v_exec_cycles">228</data>
      <data key="v_creation_cycles">4352</data><data key="v_sync_cycles_per_child">400</data></node>
    <edge source="n3" target="n6"><data key="e_type">create</data></edge>
    <edge source="n4" target="n8"><data key="e_type">create</data></edge>
    <edge source="n4" target="n7"><data key="e_type">create</data></edge>
    <edge source="n5" target="n3"><data key="e_type">scope</data></edge>
    <edge source="n6" target="n4"><data key="e_type">scope</data></edge>
    <edge source="n7" target="n2"><data key="e_type">sync</data></edge>
    <edge source="n8" target="n2"><data key="e_type">sync</data></edge>
    <edge source="n1" target="n0"><data key="e_type">continue</data></edge>
    <edge source="n2" target="n1"><data key="e_type">continue</data></edge>
  </graph>
</graphml>
"#;

#[test]
fn a_graph_of_the_scripts() {
    let (_folder, tasks) = read(SCRIPT);
    check(&tasks);
    let found = nodes(&tasks, Kind::Task);
    let works: Vec<i64> = found.iter().map(|&task| work(&tasks, task)).collect();
    assert_eq!(works, [0, 2532, 228, 544]);
    let creations: Vec<i64> = found[1..].iter().map(|&task| creation(&tasks, task)).collect();
    assert_eq!(creations, [4820, 4352, 1520]);
    let syncs: Vec<i64> = nodes(&tasks, Kind::Section).iter().map(|&section| sync(&tasks, section)).collect();
    assert_eq!(syncs, [0, 801]);
    let source = tasks.source(found[1]).0.unwrap();
    assert_eq!((&*source.file, source.line), ("a<b>.c", 17));
    assert_eq!(tasks.core(found[1]), None, "its children ran elsewhere");
    assert_eq!(tasks.run().manifest().facts["merged_grains"], 0);
}

/// The same graph with its inner fork and join inside two groups, as an editor would fold them.
#[test]
fn nested_graphs_are_flat() {
    let (_folder, expected) = read(SCRIPT);
    let group = |id: &str, inside: &str| {
        format!(
            "<node id=\"{id}\" yfiles.foldertype=\"folder\"><data key=\"v_label\">7</data><data key=\"v_work_cycles\">99</data>\
             <data key=\"d5\"><y:ProxyAutoBoundsNode><y:Realizers active=\"1\"><y:GroupNode><y:NodeLabel>text</y:NodeLabel>\
             </y:GroupNode></y:Realizers></y:ProxyAutoBoundsNode></data>\
             <graph id=\"{id}:\" edgedefault=\"directed\">{inside}</graph></node>"
        )
    };
    let start = SCRIPT.find("    <node id=\"n6\"").unwrap();
    let middle = SCRIPT.find("    <edge source=\"n3\"").unwrap();
    let inside = group("g1n", &group("g2n", &SCRIPT[start..middle]));
    let text = format!("{}{inside}{}", &SCRIPT[..start], &SCRIPT[middle..]);
    let (_folder, tasks) = read(&text);
    let all = |tasks: &Tasks| -> Vec<(i64, i64, Kind)> {
        let nodes = (0..tasks.tree().node_count() as u32).map(NodeId);
        nodes.map(|node| (tasks.start(node), tasks.end(node), tasks.kind(node))).collect()
    };
    assert_eq!(all(&tasks), all(&expected));
    let text = text.replace("target=\"n4\"", "target=\"g2n\"");
    // It leads to what comes first in the group: too much for a node that is no fork.
    assert!(refused(&text).contains("it leads to 3 nodes; only forks do"), "{}", refused(&text));
}

/// Chunks of a loop, a lane that creates a task, and a root that does work.
#[test]
fn lanes_and_chunks() {
    let number = |value: i64| value.to_string();
    let mut graph = Graph::default();
    let start = graph.node("start", &[]);
    let root =
        graph.node("root", &[("work", number(70)), ("worker", number(0)), ("source", "main".to_owned())]);
    let fork = graph.node("fork", &[]);
    graph.edge(start, root, "continue");
    graph.edge(root, fork, "continue");
    let join = graph.node("join", &[("sync", number(13))]);
    for (at, worker) in [(0, 0), (1, 1), (2, 0)] {
        let data = [
            ("work", number(100 * (at + 1))),
            ("creation", number(at + 1)),
            ("worker", number(worker)),
            ("core", number(40 + worker)),
            ("chunk_first", number(8 * at)),
            ("chunk_count", number(8)),
        ];
        let chunk = graph.node("chunk", &data);
        graph.edge(fork, chunk, "create");
        graph.edge(chunk, join, "sync");
    }
    let lane = graph.node("lane", &[("work", number(5)), ("worker", number(1))]);
    let (inner, task) =
        (graph.node("fork", &[]), graph.node("task", &[("work", number(30)), ("creation", number(4))]));
    let inner_join = graph.node("join", &[("sync", number(2))]);
    graph.edge(fork, lane, "create");
    graph.edge(lane, inner, "continue");
    graph.edge(inner, task, "create");
    graph.edge(task, inner_join, "sync");
    graph.edge(inner_join, join, "sync");
    let (next, other, last) =
        (graph.node("fork", &[]), graph.node("task", &[("work", number(1))]), graph.node("join", &[]));
    graph.edge(join, next, "continue");
    graph.edge(next, other, "create");
    graph.edge(other, last, "sync");
    let end = graph.node("end", &[]);
    graph.edge(last, end, "continue");
    let (_folder, tasks) = read(&graph.text());
    check(&tasks);

    assert_eq!(work(&tasks, NodeId::ROOT), 70);
    assert_eq!(tasks.source(NodeId::ROOT).0.unwrap().function, "main");
    assert_eq!(tasks.summary().work, 70 + 600 + 5 + 30 + 1);
    let sections = nodes(&tasks, Kind::Section);
    assert_eq!(sections.len(), 3, "as many as there are forks");
    let syncs: Vec<i64> = sections.iter().map(|&section| sync(&tasks, section)).collect();
    assert_eq!(syncs, [13, 2, 0]);
    let words: Vec<&str> = members(&tasks, sections[0]).iter().map(|&task| tasks.word(task)).collect();
    assert_eq!(words, ["lane", "lane", "lane"]);
    let chunks: Vec<_> = nodes(&tasks, Kind::Chunk)
        .iter()
        .map(|&chunk| (tasks.elapsed(chunk), tasks.chunk(chunk), tasks.core(chunk)))
        .collect();
    let expected =
        [(100, Some((0, 8)), Some(40)), (300, Some((16, 8)), Some(40)), (200, Some((8, 8)), Some(41))];
    assert_eq!(chunks, expected);
}

/// A lane's chunks one behind the other; and a grain that continues another.
#[test]
fn grains_behind_each_other() {
    let mut graph = Graph::default();
    let work = |value: i64| [("work", value.to_string())];
    let start = graph.node("start", &[]);
    let (fork, lane, join, end) = (
        graph.node("fork", &[]),
        graph.node("lane", &work(7)),
        graph.node("join", &[]),
        graph.node("end", &[]),
    );
    let (first, second) = (graph.node("chunk", &work(10)), graph.node("chunk", &work(20)));
    let last = graph.node("task", &work(5));
    let path = [start, fork, lane, first, second, join, last, end];
    path.windows(2).for_each(|pair| graph.edge(pair[0], pair[1], "continue"));
    let (_folder, tasks) = read(&graph.text());
    check(&tasks);
    assert_eq!(tasks.summary().counts, [0, 1, 0, 2, 1, 2]);
    assert_eq!(tasks.summary().work, 42);
    assert_eq!(grain_costs::work(&tasks, NodeId::ROOT), 5);
    assert_eq!(tasks.run().manifest().facts["merged_grains"], 1);
}

#[test]
fn what_is_wrong_is_named() {
    let with = |from: &str, to: &str| {
        assert!(SCRIPT.contains(from), "{from}");
        refused(&SCRIPT.replacen(from, to, 1))
    };
    let edge = |from: &str, to: &str| format!("source=\"{from}\" target=\"{to}\"");
    let text = with(&edge("n7", "n2"), &edge("n7", "n1"));
    assert!(text.contains("node `n7`: it leads to join `n1`, but others of fork `n4` to `n2`"), "{text}");
    let text = with(&edge("n4", "n7"), &edge("n3", "n7"));
    assert!(text.contains("node `n2`: 2 edges lead to it, but 1 from its fork `n4`"), "{text}");
    let text = with(&edge("n2", "n1"), &edge("n2", "n4"));
    assert!(text.contains("node `n4`: two ways lead to it"), "{text}");
    let text = with(&edge("n6", "n4"), &edge("n6", "n1"));
    assert!(text.contains("node `n1`: 2 edges lead to it, but 1 from its fork `n3`"), "{text}");
    let text = with(&edge("n2", "n1"), &edge("n2", "n0"));
    assert!(text.contains("node `n2`: it leads to the end, but its fork has no join yet"), "{text}");
    let text = with(&edge("n7", "n2"), &edge("n8", "n2"));
    assert!(text.contains("node `n8`: it leads to 2 nodes; only forks do"), "{text}");
    let text = with(&edge("n1", "n0"), &edge("n1", "n99"));
    assert!(text.contains("node `n99`: an edge names it, but there is no such node"), "{text}");
    let text = with(&edge("n5", "n3"), &edge("n5", "n0"));
    assert!(text.contains("it cannot be reached from the start"), "{text}");
    assert!(
        with(">fork<", ">spork<").contains("node `n3`: a node of kind `spork`; expected start, end, fork")
    );
    assert!(with("\"v_type\">task", "\"v_type\">fragment").contains("node `n6`: a fragment of a task"));
    assert!(with(">9204<", ">-1<").contains("node `n6`: exec_cycles is `-1`; expected a number from 0 on"));
    assert!(with(">9204<", ">9000000000000000000<").contains("node `n6`: exec_cycles: a time of"));
    assert!(with("id=\"n8\"", "id=\"n7\"").contains("node `n7`: a second node of this id"));
    assert!(with("<node id=\"n8\"", "<node").contains("a node without an id"));
    assert!(with("source=\"n3\"", "").contains("an edge without a source"));
    assert!(with("</graph>", "").contains("not well-formed XML"));
    assert!(with("&lt;", "&mine;").contains("the entity `&mine;`: a document's own entities are not read"));
    let text =
        refused("<graphml><key id=\"e_type\"/><graph><node id=\"a\"/><node id=\"b\"/></graph></graphml>");
    assert!(text.contains("node `a`: neither its data nor its name says what it is"), "{text}");
    assert!(refused("<graphml><graph/></graphml>").contains("no nodes"));
    assert!(refused(&SCRIPT[..SCRIPT.len() - 30]).contains("the file ends within its elements"));
    // A document that would grow without end when its entities were expanded.
    let bomb = "<!DOCTYPE g [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<graphml>";
    assert!(
        refused(
            &SCRIPT
                .replacen("<graphml", &format!("{}<graphml", &bomb[..bomb.len() - 9]), 1)
                .replace("a&lt;b", "&b;")
        )
        .contains("the entity `&b;`")
    );
}

/// A random program: each task with the costs of its sections and their tasks.
#[derive(Clone, Debug)]
struct Program {
    work: i64,
    creation: i64,
    sections: Vec<(i64, Vec<Program>)>,
}

fn programs() -> impl Strategy<Value = Program> {
    let leaf =
        (0..1000i64, 0..50i64).prop_map(|(work, creation)| Program { work, creation, sections: Vec::new() });
    leaf.prop_recursive(5, 60, 4, |inner| {
        let sections = prop::collection::vec((0..90i64, prop::collection::vec(inner, 1..4)), 0..3);
        (0..1000i64, 0..50i64, sections).prop_map(|(work, creation, sections)| Program {
            work,
            creation,
            sections,
        })
    })
}

#[derive(Debug, Default, PartialEq)]
struct Costs {
    work: Vec<i64>,
    creation: Vec<i64>,
    sync: Vec<i64>,
    sizes: Vec<usize>,
}

/// Writes a task behind `before` and what follows it; says where it ended, and notes the costs.
fn put(graph: &mut Graph, program: &Program, before: usize, costs: &mut Costs, start: &mut i64) -> usize {
    *start += 37;
    let data = [
        ("work", program.work.to_string()),
        ("creation", program.creation.to_string()),
        ("worker", (program.work % 3).to_string()),
        ("start", start.to_string()),
    ];
    let mut at = graph.node(if costs.work.is_empty() { "root" } else { "task" }, &data);
    graph.edge(before, at, "create");
    costs.work.push(program.work);
    costs.creation.push(program.creation);
    for (sync, tasks) in &program.sections {
        let (fork, join) = (graph.node("fork", &[]), graph.node("join", &[("sync", sync.to_string())]));
        graph.edge(at, fork, "continue");
        costs.sync.push(*sync);
        costs.sizes.push(tasks.len());
        for task in tasks {
            let last = put(graph, task, fork, costs, start);
            graph.edge(last, join, "sync");
        }
        at = join;
    }
    at
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn costs_are_kept(program in programs()) {
        let (mut graph, mut expected) = (Graph::default(), Costs::default());
        let start = graph.node("start", &[]);
        let last = put(&mut graph, &program, start, &mut expected, &mut 0);
        let end = graph.node("end", &[]);
        graph.edge(last, end, "continue");
        expected.creation.remove(0);
        let (_folder, run) = read(&graph.text());
        check(&run);
        let found = nodes(&run, Kind::Task);
        let sections = nodes(&run, Kind::Section);
        let costs = Costs {
            work: found.iter().map(|&task| work(&run, task)).collect(),
            creation: found[1..].iter().map(|&task| creation(&run, task)).collect(),
            sync: sections.iter().map(|&section| sync(&run, section)).collect(),
            sizes: sections.iter().map(|&section| members(&run, section).len()).collect(),
        };
        prop_assert_eq!(costs, expected);
    }
}

fn timed(what: &str, text: &str) -> Tasks {
    let clock = Instant::now();
    let (_folder, tasks) = read(text);
    let seconds = clock.elapsed().as_secs_f64();
    println!("{what}: {seconds:.2} s for {} MB", text.len() / 1_000_000);
    assert!(seconds < 60.0, "{what}: {seconds} s");
    tasks
}

/// A million in release builds.
const MANY: usize = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };

#[test]
fn a_long_chain() {
    let mut graph = Graph::default();
    let start = graph.node("start", &[]);
    let mut joins = vec![graph.node("end", &[])];
    let mut at = start;
    for _ in 0..MANY {
        let (fork, task) = (graph.node("f", &[]), graph.node("task", &[("work", "3".to_owned())]));
        graph.edge(at, fork, "continue");
        graph.edge(fork, task, "create");
        joins.push(graph.node("j", &[("sync", "2".to_owned())]));
        at = task;
    }
    for &join in joins.iter().rev() {
        graph.edge(at, join, "sync");
        at = join;
    }
    let tasks = timed("chain", &graph.text());
    let summary = tasks.summary();
    assert_eq!(
        (summary.tasks, summary.work, summary.elapsed),
        (MANY as i64, 3 * MANY as i64, 5 * MANY as i64)
    );
}

#[test]
fn a_wide_fork() {
    let mut graph = Graph::default();
    let (fork, join) = (graph.node("fork", &[]), graph.node("join", &[]));
    for at in 0..MANY {
        let task = graph.node("task", &[("work", "3".to_owned()), ("worker", (at % 5).to_string())]);
        graph.edge(fork, task, "create");
        graph.edge(task, join, "sync");
    }
    let tasks = timed("fork", &graph.text());
    assert_eq!((tasks.summary().tasks, tasks.workers()), (MANY as i64, 5));
}

/// Groups in groups cost no stack.
#[test]
fn groups_may_be_deep() {
    let depth = 100_000;
    let opened: String = (0..depth)
        .map(|at| format!("<node id=\"g{at}\"><graph id=\"h{at}\" edgedefault=\"directed\">"))
        .collect();
    let closed = "</graph></node>".repeat(depth);
    let start = SCRIPT.find("    <node id=\"n6\"").unwrap();
    let middle = SCRIPT.find("    <edge source=\"n3\"").unwrap();
    let text = format!("{}{opened}{}{closed}{}", &SCRIPT[..start], &SCRIPT[start..middle], &SCRIPT[middle..]);
    let tasks = timed("groups", &text);
    assert_eq!(tasks.summary().tasks, 3);
    assert_eq!(tasks.tree().node_count(), 2 + 2 * 2 + 3 * 3);
}

/// A task that forks two; a dependence between two of the nodes: start, program, fork, first, second, join, end.
fn with_dependence(from: usize, to: usize) -> String {
    let mut graph = Graph::default();
    let kinds = ["start", "task", "fork", "task", "task", "join", "end"];
    let ids = kinds.map(|kind| graph.node(kind, &[("work", "100".to_owned())]));
    for (from, to) in [(0, 1), (1, 2), (2, 3), (2, 4), (3, 5), (4, 5), (5, 6)] {
        graph.edge(ids[from], ids[to], "");
    }
    graph.edge(ids[from], ids[to], "depend");
    graph.text()
}

#[test]
fn dependences_between_siblings_are_read() {
    let (_folder, tasks) = read(&with_dependence(3, 4));
    let all: Vec<(NodeId, NodeId)> = tasks.depends_into(0..tasks.tree().node_count()).collect();
    let [(to, from)] = all[..] else { panic!("{all:?}") };
    assert_eq!((tasks.kind(to), tasks.kind(from)), (Kind::Task, Kind::Task));
    assert!(tasks.start(to) >= tasks.end(from), "one after the other");
    assert_eq!(tasks.summary().span, 300);
}

#[test]
fn dependences_that_cannot_be_are_refused() {
    let created = "a task depends on one that the same task created before it";
    for (from, to, says) in [
        (4, 3, created),
        (3, 3, created),
        (1, 3, created),
        (5, 4, created),
        (2, 4, "no part of a task"),
        (3, 2, "no part of a task"),
        (3, 6, "no part of a task"),
    ] {
        let error = refused(&with_dependence(from, to));
        assert!(error.contains(says), "{from} → {to}: {error}");
    }
}
