//! Grain graphs for other tools and back again: `crosscut export` and `import`.

use crate::support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;
use support::grain::{fixture, having, number, report, synth};
use support::{fails, folder, ok};

/// What is well-formed in a GraphML file: ids of nodes, ends of edges, and the text of one kind of data.
#[derive(Default)]
struct GraphMl {
    nodes: BTreeSet<String>,
    folders: usize,
    edges: Vec<(String, String)>,
    kinds: Vec<String>,
    borders: BTreeSet<String>,
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.try_get_attribute(name).unwrap()?;
    Some(found.unescape_value().unwrap().into_owned())
}

impl GraphMl {
    fn read(text: &str) -> Self {
        let mut graph = GraphMl::default();
        let mut reader = Reader::from_str(text);
        let mut depth = 0;
        let mut in_kind = false;
        loop {
            match reader.read_event().unwrap() {
                Event::Start(start) => {
                    depth += 1;
                    graph.begin(&start);
                    in_kind = attribute(&start, "key").as_deref() == Some("v_kind");
                }
                Event::Empty(start) => graph.begin(&start),
                Event::End(_) => {
                    depth -= 1;
                    in_kind = false;
                }
                Event::Text(text) if in_kind => graph.kinds.push(text.decode().unwrap().into_owned()),
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(depth, 0);
        for (from, to) in &graph.edges {
            assert!(graph.nodes.contains(from) && graph.nodes.contains(to), "{from} → {to}");
        }
        graph
    }

    fn begin(&mut self, start: &BytesStart<'_>) {
        match start.name().as_ref() {
            b"node" => {
                let id = attribute(start, "id").unwrap();
                assert!(self.nodes.insert(id.clone()), "{id} twice");
                self.folders +=
                    usize::from(attribute(start, "yfiles.foldertype").as_deref() == Some("folder"));
            }
            b"edge" => {
                let end = |name| attribute(start, name).unwrap();
                self.edges.push((end("source"), end("target")));
            }
            b"y:BorderStyle" => self.borders.extend(attribute(start, "color")),
            _ => {}
        }
    }

    fn count(&self, kind: &str) -> usize {
        self.kinds.iter().filter(|have| *have == kind).count()
    }
}

#[test]
fn nested_graphs() {
    let folder = folder();
    let path = folder.path();
    synth(path, "random", "3", "run");
    let json = report(path, "run", &[]);
    let grain = &json["grain"];
    for problem in ["low-parallelism", "sibling-imbalance"] {
        let text = ok(path, &["export", "run", "--to", "graphml", "--problem", problem]);
        let graph = GraphMl::read(&text);
        let groups = number(grain, "groups") as usize + graph.count("aside");
        assert_eq!(graph.folders, groups, "{problem}");
        assert!(graph.count("aside") > 0, "{problem}");
        assert_eq!(graph.count("fork-join"), number(grain, "fork_joins") as usize);
        assert_eq!(graph.count("fork"), graph.count("join"));
        assert_eq!(graph.count("task") + graph.count("root"), number(grain, "grains") as usize);
        assert_eq!(
            graph.nodes.len(),
            groups + 2 * graph.count("fork-join") + number(grain, "grains") as usize
        );
        assert!(text.contains(r#"<y:State closed="true""#));
        let borders: Vec<&str> = graph.borders.iter().map(String::as_str).collect();
        assert!(borders.contains(&"#c8102e") && borders.contains(&"#1a7f37"), "{borders:?}");
    }
    // Where nothing has the problem, nothing is separated.
    let none = [
        "export",
        "run",
        "--to",
        "graphml",
        "--problem",
        "low-parallelism",
        "--threshold",
        "low-parallelism=0",
    ];
    let graph = GraphMl::read(&ok(path, &none));
    assert_eq!((graph.count("aside"), graph.folders), (0, number(grain, "groups") as usize));
    ok(path, &["export", "run", "--to", "graphml", "-o", "run.graphml"]);
    assert_eq!(
        fs::read_to_string(path.join("run.graphml")).unwrap(),
        ok(path, &["export", "run", "--to", "graphml"])
    );
}

#[test]
fn dot_graphs() {
    let folder = folder();
    let path = folder.path();
    synth(path, "sort", "3", "run");
    ok(path, &["import", &fixture("grains/small.csv"), "-o", "small"]);
    for run in ["run", "small"] {
        let json = report(path, run, &[]);
        let text = ok(path, &["export", run, "--to", "dot"]);
        assert!(text.starts_with("digraph ") && text.ends_with("}\n"));
        let mut nodes = BTreeSet::new();
        let mut edges = 0;
        for line in text.lines().skip(3).take_while(|line| *line != "}") {
            let line = line.trim();
            let (head, rest) = line.split_once(" [").expect(line);
            assert!(rest.ends_with("];"), "{line}");
            let quotes = rest.replace("\\\\", "").replace("\\\"", "").matches('"').count();
            assert_eq!(quotes % 2, 0, "{line}");
            match head.split_once(" -> ") {
                None => assert!(nodes.insert(head.to_owned()), "{head} twice"),
                Some((from, to)) => {
                    edges += 1;
                    assert!(nodes.contains(from) && nodes.contains(to), "{line}");
                }
            }
        }
        assert_eq!(nodes.len() as i64, number(&json["grain"], "raw_nodes"), "{run}");
        assert!(edges >= nodes.len() - 1, "{run}");
    }
}

/// What a graph must keep when it leaves and comes back.
const KEPT: [&str; 7] = ["grains", "fork_joins", "raw_nodes", "groups", "depth", "theta_max", "work_ns"];

/// Exports a run, imports what was written; gives both reports.
fn there_and_back(path: &Path, run: &str) -> (Value, Value) {
    let (file, back) = (format!("{run}.graphml"), format!("{run}-back"));
    ok(path, &["export", run, "--to", "plain-graphml", "-o", &file]);
    let graph = GraphMl::read(&fs::read_to_string(path.join(&file)).unwrap());
    ok(path, &["import", &file, "-o", &back]);
    let (before, after) = (report(path, run, &[]), report(path, &back, &[]));
    assert_eq!(graph.nodes.len() as i64, number(&before["grain"], "raw_nodes"), "{run}");
    assert_eq!(before["clock"], after["clock"], "{run}");
    assert_eq!(before["tasks"]["workers"], after["tasks"]["workers"], "{run}");
    for key in KEPT {
        assert_eq!(before["grain"][key], after["grain"][key], "{run}: {key}");
    }
    (before, after)
}

#[test]
fn synthetic_graphs_there_and_back() {
    let folder = folder();
    let path = folder.path();
    for shape in ["fib", "sort", "random", "wide", "chain", "deep", "skewed"] {
        synth(path, shape, "4", shape);
        let (before, after) = there_and_back(path, shape);
        assert_eq!(before["tasks"]["work_ns"], after["tasks"]["work_ns"], "{shape}");
        for key in ["low-parallel-benefit", "low-parallelism", "sibling-imbalance"] {
            assert_eq!(having(&before, key), having(&after, key), "{shape}: {key}");
        }
        assert_eq!(before["grain"]["critical_path_ns"], after["grain"]["critical_path_ns"], "{shape}");
    }
}

#[test]
fn recorded_graphs_there_and_back() {
    let folder = folder();
    let path = folder.path();
    for (file, run) in [
        ("dag/fib25_mth4.dag", "folded"),
        ("dag/sort_mth4.dag", "sort"),
        ("dag/nested_sections.dag", "sections"),
        ("dag/omp_other.dag", "omp"),
        ("dag/depchain.dag", "depend"),
        ("grains/small.csv", "mir"),
        ("grains/small.graphml", "graphml"),
    ] {
        ok(path, &["import", &fixture(file), "-o", run]);
        there_and_back(path, run);
    }
}

/// Members of teams that are no grains, teams in teams, chunks beside tasks, what was folded.
const TEAMS: [(&str, &str); 15] = [
    ("s", "start"),
    ("f1", "fork"),
    ("f2", "fork"),
    ("c1", "chunk"),
    ("c2", "chunk"),
    ("j2", "join"),
    ("f3", "fork"),
    ("x1", "folded"),
    ("j3", "join"),
    ("l1", "lane"),
    ("f4", "fork"),
    ("t1", "task"),
    ("j4", "join"),
    ("j1", "join"),
    ("e", "end"),
];
const TEAM_EDGES: [(&str, &str); 17] = [
    ("s", "f1"),
    ("f1", "f2"),
    ("f2", "c1"),
    ("f2", "c2"),
    ("c1", "j2"),
    ("c2", "j2"),
    ("j2", "f3"),
    ("f3", "x1"),
    ("x1", "j3"),
    ("j3", "j1"),
    ("f1", "l1"),
    ("l1", "f4"),
    ("f4", "t1"),
    ("t1", "j4"),
    ("j4", "j1"),
    ("f1", "c3"),
    ("c3", "j1"),
];

#[test]
fn teams_in_teams_there_and_back() {
    let folder = folder();
    let path = folder.path();
    let mut text = "<graphml><graph edgedefault=\"directed\">\n".to_owned();
    let nodes = TEAMS.into_iter().chain([("c3", "chunk")]);
    for (i, (id, kind)) in nodes.enumerate() {
        let data =
            format!(r#"<data key="v_work">{}</data><data key="v_worker">{}</data>"#, 100 * (i + 1), i % 3);
        let data =
            if ["c", "x", "l", "t"].iter().any(|first| id.starts_with(first)) { data } else { String::new() };
        text += &format!("<node id=\"{id}\"><data key=\"v_kind\">{kind}</data>{data}</node>\n");
    }
    for (from, to) in TEAM_EDGES.into_iter().chain([("j1", "e")]) {
        text += &format!("<edge source=\"{from}\" target=\"{to}\"/>\n");
    }
    fs::write(path.join("teams.graphml"), text + "</graph></graphml>\n").unwrap();
    ok(path, &["import", "teams.graphml", "-o", "teams"]);
    let grain = &report(path, "teams", &[])["grain"];
    assert_eq!((number(grain, "grains"), number(grain, "fork_joins")), (6, 4), "{grain:#}");
    assert_eq!((number(grain, "raw_nodes"), number(grain, "outside_ns")), (16, 0), "{grain:#}");
    assert_eq!(number(grain, "work_ns"), 400 + 500 + 800 + 1000 + 1200 + 1600);
    there_and_back(path, "teams");
}

/// Tasks a, b, c and d of one task: b and c wait for a, d for c; c works longest. b creates a task itself.
fn depending(path: &Path) {
    let mut text = "<graphml><graph edgedefault=\"directed\">\n".to_owned();
    let node = |id: &str, kind: &str, work: u32| {
        format!(
            "<node id=\"{id}\"><data key=\"v_kind\">{kind}</data><data key=\"v_work\">{work}</data></node>\n"
        )
    };
    for (id, kind, work) in [("s", "start", 0), ("r", "task", 10), ("f", "fork", 0), ("j", "join", 0)] {
        text += &node(id, kind, work);
    }
    for (id, work) in [("a", 100), ("b", 50), ("c", 400), ("d", 30), ("x", 70)] {
        text += &node(id, "task", work);
    }
    text += &(node("f2", "fork", 0) + &node("j2", "join", 0) + &node("e", "end", 0));
    for (from, to) in [
        ("s", "r"),
        ("r", "f"),
        ("f", "a"),
        ("f", "b"),
        ("f", "c"),
        ("f", "d"),
        ("a", "j"),
        ("b", "f2"),
        ("f2", "x"),
        ("x", "j2"),
        ("j2", "j"),
        ("c", "j"),
        ("d", "j"),
        ("j", "e"),
    ] {
        text += &format!("<edge source=\"{from}\" target=\"{to}\"/>\n");
    }
    for (from, to) in [("a", "b"), ("a", "c"), ("c", "d"), ("j2", "d")] {
        text +=
            &format!("<edge source=\"{from}\" target=\"{to}\"><data key=\"e_type\">depend</data></edge>\n");
    }
    fs::write(path.join("depend.graphml"), text + "</graph></graphml>\n").unwrap();
}

#[test]
fn dependences_there_and_back() {
    let folder = folder();
    let path = folder.path();
    depending(path);
    ok(path, &["import", "depend.graphml", "-o", "depend"]);
    let (before, after) = there_and_back(path, "depend");
    // The program, a, c and d, one after the other.
    assert_eq!(number(&before["grain"], "critical_path_ns"), 10 + 100 + 400 + 30);
    assert_eq!(before["grain"]["critical_path_ns"], after["grain"]["critical_path_ns"]);
    assert_eq!(before["tasks"]["span_ns"], after["tasks"]["span_ns"]);
    for problem in ["low-parallelism", "sibling-imbalance"] {
        assert_eq!(having(&before, problem), having(&after, problem), "{problem}");
    }
    let dot = ok(path, &["export", "depend", "--to", "dot"]);
    let edges: Vec<&str> = dot.lines().filter(|line| line.contains(" -> ")).collect();
    let depends = edges.iter().filter(|line| line.contains("e_type=depend")).count();
    assert_eq!((edges.len(), depends), (14 + 4, 4), "{dot}");
    // s → r → f → a → c → d → j → e
    let critical = edges.iter().filter(|line| line.contains("penwidth=2")).count();
    assert_eq!(critical, 7, "{dot}");
    assert_eq!(dot, ok(path, &["export", "depend-back", "--to", "dot"]));
    assert_eq!(
        fs::read_to_string(path.join("depend.graphml")).unwrap(),
        ok(path, &["export", "depend-back", "--to", "plain-graphml"])
    );
}

#[test]
fn what_a_graph_says_of_itself_is_checked() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "2", "fib");
    ok(path, &["export", "fib", "--to", "plain-graphml", "-o", "fib.graphml"]);
    let error = fails(path, &["import", "fib.graphml", "-o", "run", "--clock-hz", "1e9"]);
    assert!(error.contains("fib.graphml") && error.contains("nanoseconds"), "{error}");
    let text = fs::read_to_string(path.join("fib.graphml")).unwrap();
    for workers in ["0", "-1", "many", "5000", ""] {
        let wrong = text.replace(r#""g_workers">2<"#, &format!(r#""g_workers">{workers}<"#));
        fs::write(path.join("wrong.graphml"), wrong).unwrap();
        let error = fails(path, &["import", "wrong.graphml", "-o", "run"]);
        assert!(error.contains("g_workers") && error.contains("1 to 4096"), "{error}");
    }
    ok(path, &["export", "fib", "--to", "graphml", "-o", "nested.graphml"]);
    let nested = fs::read_to_string(path.join("nested.graphml")).unwrap();
    fs::write(path.join("wrong.graphml"), nested.replace("target=\"n", "target=\"m")).unwrap();
    let error = fails(path, &["import", "wrong.graphml", "-o", "run"]);
    assert!(error.contains("wrong.graphml: byte "), "{error}");
    assert!(!path.join("run").exists());
    ok(path, &["import", "nested.graphml", "-o", "run"]);
}

#[test]
fn a_pipe_is_written_into_and_not_replaced() {
    let folder = folder();
    let path = folder.path();
    synth(path, "fib", "2", "fib");
    let pipe = path.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    ok(path, &["export", "fib", "--to", "dot", "-o", "pipe"]);
    assert!(!fs::metadata(&pipe).unwrap().is_file());
    assert_eq!(reader.join().unwrap(), ok(path, &["export", "fib", "--to", "dot"]));
}
