//! The tree of source lines: what its columns say of single lines and of functions, against the long way round.

use crate::bench;

use std::collections::HashMap;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type};
use arrow_array::{RecordBatch, StringArray};
use bench::Bench;
use crosscut_run::{Places, Run, RunWriter, Source, SourcesBuilder};
use crosscut_tasks::grain::GrainKind;
use crosscut_tasks::schema::{Edge, Kind, Lock, LockKind, LockUse, Mark, TaskWriter};
use crosscut_tree::NodeId;
use crosscut_workbench::{Scope, Settings, TreeKey, TreeRef, Which};
use serde_json::json;

/// A task of 100 beside its creator, which is done after 40 and waits at line 4 until it goes on; line 6 only acquires a
/// lock. Lines up to 2 are in one function, the others in another.
fn made(path: &Path) -> Run {
    let mut run = RunWriter::create(path).unwrap();
    let rows = [
        (7, 0, Kind::Task, 0, 120, 0, (1, 5)),
        (5, 0, Kind::Section, 0, 110, 0, (1, 4)),
        (1, 1, Kind::Create, 0, 10, 0, (1, 2)),
        (2, 1, Kind::Task, 10, 110, 1, (3, 3)),
        (1, 3, Kind::End, 10, 110, 1, (3, 3)),
        (1, 1, Kind::Wait, 12, 52, 0, (2, 4)),
        (1, 0, Kind::End, 112, 120, 0, (4, 5)),
    ];
    let mut sources = SourcesBuilder::new();
    for line in 0..7 {
        let function = if line < 3 { "first" } else { "second" };
        sources.source(Source { file: "made.c".into(), line, function: function.into() });
    }
    let mut places = Places::workers(2).unwrap();
    let mut tasks = TaskWriter::new(&run, rows.len()).unwrap();
    for (i, (len, parent, kind, start, end, worker, (from, to))) in rows.into_iter().enumerate() {
        (tasks.len[i], tasks.parent[i], tasks.site[i]) = (len, parent, sources.site(from, to));
        (tasks.start[i], tasks.end[i]) = (start, end);
        tasks.mark[i] = Mark::new(kind, Edge::Create, false).0;
        tasks.place[i] = places.intern(worker, -1).unwrap();
    }
    tasks.beside.locks.push(Lock { kind: LockKind::Critical, process: 0, address: 64 });
    let used =
        LockUse { lock: 0, source: 6, worker: 1, count: 3, waits: 2, waited: 25, held: 30, longest: 20 };
    tasks.beside.lock_uses.push(used);
    run.put_sources(&sources.finish()).unwrap();
    crosscut_tasks::finish(&mut run, tasks, &places).unwrap();
    run.finish().unwrap()
}

fn frame(bench: &Bench, run: usize, by: &str) -> RecordBatch {
    let with = [("by".to_owned(), by.to_owned())].into();
    let tree = TreeRef { key: TreeKey::named("lines"), with };
    bench.bench.tree_frame(run, &tree, &Which::All, &Scope::default(), None).unwrap()
}

/// A column by the names of its rows; rows without a value are not in it.
fn column(frame: &RecordBatch, name: &str) -> HashMap<String, f64> {
    let names = frame.column_by_name("name").unwrap().as_dictionary::<UInt32Type>();
    let names = names.downcast_dict::<StringArray>().unwrap();
    let values = frame.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
    let values = values.as_primitive::<Float64Type>().values();
    let rows = names.into_iter().zip(values).filter(|(_, value)| !value.is_nan());
    rows.map(|(name, value)| (name.unwrap().to_owned(), *value)).collect()
}

fn is<const N: usize>(rows: [(&str, f64); N]) -> HashMap<String, f64> {
    rows.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn opened() -> Bench {
    let work = tempfile::tempdir().unwrap();
    let run = made(&work.path().join("made.crosscut"));
    bench::of(vec![run], &Settings::new(), work)
}

#[test]
fn waits_and_locks_have_rows() {
    let frame = frame(&opened(), 0, "line");
    // From 52, when the creator has nothing left, to 112, when it goes on.
    assert_eq!(column(&frame, "waited"), is([("all lines", 60.0), ("made.c:4 second", 60.0)]));
    assert_eq!(column(&frame, "lock_wait"), is([("all lines", 25.0), ("made.c:6 second", 25.0)]));
    assert_eq!(column(&frame, "lock_held"), is([("all lines", 30.0), ("made.c:6 second", 30.0)]));
    assert!(!column(&frame, "intervals").contains_key("made.c:6 second"), "nothing began there");
    // The task works 100; creating it took 2, and nobody saw what joining it cost but the 2 until its creator went on.
    let benefit = column(&frame, "benefit");
    assert_eq!(benefit.get("made.c:3 second"), Some(&25.0), "{benefit:?}");
}

#[test]
fn functions_have_what_their_lines_have_together() {
    let frame = frame(&opened(), 0, "function");
    let of = |name: &str| {
        let column = column(&frame, name);
        ["all lines", "first", "second"].map(|row| column.get(row).copied())
    };
    assert_eq!(of("work"), [Some(158.0), Some(50.0), Some(108.0)]);
    assert_eq!(of("intervals"), [Some(4.0), Some(2.0), Some(2.0)]);
    assert_eq!(of("largest"), [Some(100.0), Some(40.0), Some(100.0)]);
    assert_eq!(of("waited"), [Some(60.0), None, Some(60.0)]);
    assert_eq!(of("lock_wait"), [Some(25.0), None, Some(25.0)]);
    assert_eq!(of("benefit"), [Some(25.0), None, Some(25.0)]);
    let [all, first, second] = of("median").map(Option::unwrap);
    assert!((all / 10.0 - 1.0).abs() < 0.07 || (all / 40.0 - 1.0).abs() < 0.07, "{all}");
    assert!((first / 10.0 - 1.0).abs() < 0.07 && (second / 8.0 - 1.0).abs() < 0.07, "{first} {second}");
}

/// What each grain says of itself, added up by the line where it begins.
#[test]
fn benefit_is_that_of_all_grains_of_a_line() {
    let bench = bench::over(&[("fib", 3000), ("wide", 2000), ("skewed", 3000)]);
    for run in 0..3 {
        let opened = bench.opened(run);
        let (tasks, grains) = (&opened.tasks, &opened.grains().grains);
        let mut sums: HashMap<String, (i64, i64)> = HashMap::new();
        let nodes = (0..grains.tree().node_count() as u32).map(NodeId);
        for grain in nodes.filter(|&node| matches!(grains.kind(node), GrainKind::Task | GrainKind::Chunk)) {
            let metrics = grains.metrics(tasks, grain);
            let cost = metrics.creation.unwrap_or(0) + metrics.sync.unwrap_or(0);
            let source = tasks.source(grains.task(grain)).0.expect("a line");
            for name in ["all lines".to_owned(), format!("{} {}", source.short(), source.function)] {
                let sum = sums.entry(name).or_default();
                *sum = (sum.0 + metrics.work, sum.1 + cost);
            }
        }
        let expected: HashMap<String, f64> = sums
            .into_iter()
            .filter(|(_, (_, cost))| *cost > 0)
            .map(|(name, (work, cost))| (name.trim_end().to_owned(), work as f64 / cost as f64))
            .collect();
        assert!(expected.len() > 1, "something was created");
        assert_eq!(column(&frame(&bench, run, "line"), "benefit"), expected);
    }
}

/// Headings of the table are short, and what has no value is an empty cell.
#[test]
fn the_table_shows_them() {
    let bench = opened();
    let look = json!({"v": 1, "view": "lines", "run": 0, "size": {"w": 1000, "h": 400}});
    let table = bench.ok(json!({"ask": "table", "look": look, "tree": "lines", "count": 100}));
    let titles: Vec<&str> =
        table["columns"].as_array().unwrap().iter().map(|column| column["title"].as_str().unwrap()).collect();
    let last = ["critical", "waited", "for locks", "locks held", "benefit", "lost"];
    assert_eq!(titles[titles.len() - last.len()..], last, "{titles:?}");
    let rows = table["rows"].as_array().unwrap();
    let row =
        |line: &str| rows.iter().find(|row| row["cells"][0]["text"].as_str().unwrap().starts_with(line));
    let text = |line: &str, title: &str| {
        let at = titles.iter().position(|have| *have == title).unwrap();
        row(line).unwrap()["cells"][at]["text"].as_str().map(str::to_owned)
    };
    assert_eq!(text("made.c:6", "for locks").as_deref(), Some("25.0 ns"));
    assert_eq!(text("made.c:6", "work"), None);
    assert_eq!(text("made.c:3", "benefit").as_deref(), Some("25.0"));
}
