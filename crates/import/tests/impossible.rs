//! Totals that cannot be: each record is sound, all of them together are more work than the workers had time for. Every
//! reader of tasks names the file and the byte of the record that found no worker.

use crate::dag_writer;
use crate::grain_costs;

use std::fmt::Write;

use crosscut_import::ImportError;
use dag_writer::{CREATE, END, NODE_BYTES, NODES_AT, Node, SECTION, TASK, WAIT};
use grain_costs::open;

/// The byte at which a file is refused.
fn refused(name: &str, bytes: &[u8]) -> (u64, String) {
    let error: ImportError = open(name, bytes).expect_err("no run can be like that");
    assert_eq!(error.path().and_then(|path| path.file_name()), Some(name.as_ref()), "{error}");
    let text = error.to_string();
    assert!(text.contains("it runs when all workers are busy"), "{text}");
    (error.offset().expect("a byte"), text)
}

/// Two tasks that one worker runs at the same time.
#[test]
fn dag_recorder() {
    let leaf = |kind, start, end| Node { kind, start, end, ..Node::default() };
    let inside = |kind, first, count| Node { kind, first, count, edge: 1, end: 1010, ..Node::default() };
    let nodes = |second: u64| {
        [
            inside(TASK, 1, 2),
            inside(SECTION, 2, 3),
            leaf(END, 1000, 1010),
            Node { first: 3, ..leaf(CREATE, 0, 10) },
            Node { first: 3, ..leaf(CREATE, 10, 10) },
            leaf(WAIT, 10, 10),
            inside(TASK, 3, 1),
            Node { edge: 1, first: 1, count: 1, kind: TASK, start: 0, end: 1010, ..Node::default() },
            leaf(END, second, 1000),
            leaf(END, 10, 900),
        ]
    };
    let text = refused("two.dag", &dag_writer::dag_bytes(1, &nodes(20)));
    assert_eq!(text.0, (NODES_AT + 8 * NODE_BYTES) as u64, "{}", text.1);
    assert!(text.1.contains("node 8"), "{}", text.1);
    // On two workers it can be, and so it can when the second begins when the first has ended.
    assert!(open("two.dag", &dag_writer::dag_bytes(2, &nodes(20))).is_ok());
    assert!(open("two.dag", &dag_writer::dag_bytes(1, &nodes(900))).is_ok());
}

/// Four tasks of two parents that two workers run at the same time.
#[test]
fn mir() {
    let header = "task,parent,joins_at,cpu_id,child_number,exec_cycles,creation_cycles,overhead_cycles,exec_end_instant\n";
    let table = |length: i64| {
        let mut text = header.to_owned();
        for (task, parent, cpu, exec, end) in [
            (1, 0, 0, 2, 12),
            (2, 0, 1, 2, 12),
            (3, 1, 0, length, 100 + length),
            (4, 1, 1, length, 101 + length),
            (6, 2, 1, length, 103 + length),
            (5, 2, 0, length, 102 + length),
        ] {
            writeln!(text, "{task},{parent},0,{cpu},1,{exec},0,0,{end}").unwrap();
        }
        text
    };
    let text = table(1000);
    let (offset, told) = refused("stats.csv", text.as_bytes());
    assert_eq!(offset, text.find("5,2,0").unwrap() as u64, "{told}");
    assert!(told.contains("line 7") && told.contains("task 5"), "{told}");
    assert!(open("stats.csv", table(1).as_bytes()).is_ok());
}

/// The same as a graph.
#[test]
fn graphml() {
    let graph = |length: i64| {
        let mut text = String::from("<graphml>\n");
        for key in ["kind", "work", "worker", "start"] {
            writeln!(text, "<key id=\"v_{key}\" for=\"node\" attr.name=\"{key}\" attr.type=\"string\"/>")
                .unwrap();
        }
        text.push_str("<graph id=\"G\" edgedefault=\"directed\">\n");
        for (id, kind) in [("s", "start"), ("f", "fork"), ("f1", "fork"), ("f2", "fork"), ("j1", "join")] {
            writeln!(text, "<node id=\"{id}\"><data key=\"v_kind\">{kind}</data></node>").unwrap();
        }
        for (id, worker, work, start) in [
            ("a", 0, 2, 10),
            ("b", 1, 2, 10),
            ("c", 0, length, 100),
            ("d", 1, length, 101),
            ("h", 1, length, 103),
            ("g", 0, length, 102),
        ] {
            let data =
                [("kind", "task".to_owned()), ("worker", worker.to_string()), ("start", start.to_string())];
            write!(text, "<node id=\"{id}\"><data key=\"v_work\">{work}</data>").unwrap();
            for (key, value) in data {
                write!(text, "<data key=\"v_{key}\">{value}</data>").unwrap();
            }
            text.push_str("</node>\n");
        }
        for (id, kind) in [("j2", "join"), ("j", "join"), ("e", "end")] {
            writeln!(text, "<node id=\"{id}\"><data key=\"v_kind\">{kind}</data></node>").unwrap();
        }
        let edges =
            "s f, f a, f b, a f1, b f2, f1 c, f1 d, f2 g, f2 h, c j1, d j1, g j2, h j2, j1 j, j2 j, j e";
        for edge in edges.split(", ") {
            let (from, to) = edge.split_once(' ').unwrap();
            writeln!(text, "<edge source=\"{from}\" target=\"{to}\"/>").unwrap();
        }
        text + "</graph>\n</graphml>\n"
    };
    let text = graph(1000);
    let (offset, told) = refused("graph.graphml", text.as_bytes());
    assert_eq!(offset, text.find("<node id=\"g\"").unwrap() as u64, "{told}");
    assert!(told.contains("node `g`"), "{told}");
    assert!(open("graph.graphml", graph(1).as_bytes()).is_ok());
}
