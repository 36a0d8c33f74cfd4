//! Tables for scripts: what they hold is what the domains say, with the columns that are asked for.

use crate::bench;

use std::collections::BTreeSet;
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use bench::Bench;
use crosscut_calls::Frame;
use crosscut_import::Quiet;
use crosscut_synth::{MessageOptions, exchanges};
use crosscut_tree::NodeId;
use crosscut_view::calls::CallsDomain;
use crosscut_view::messages::MessagesDomain;
use crosscut_workbench::{LensSpec, Scope, Settings, TreeKey, TreeRef, Which};

fn names(batch: &RecordBatch) -> Vec<String> {
    batch.schema().fields().iter().map(|field| field.name().clone()).collect()
}

fn sum(batch: &RecordBatch, column: &str) -> i64 {
    batch.column_by_name(column).unwrap().as_primitive::<Int64Type>().iter().flatten().sum()
}

fn messages() -> Bench {
    let work = tempfile::tempdir().unwrap();
    let options = MessageOptions {
        exchanges: exchanges("halo*2,allreduce").unwrap(),
        ranks: 8,
        steps: 3,
        ..MessageOptions::default()
    };
    let run = crosscut_synth::messages(&work.path().join("m.crosscut"), &options, &|_, _| {}).unwrap();
    bench::of(vec![run], &Settings::new(), work)
}

fn calls() -> Bench {
    let work = tempfile::tempdir().unwrap();
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/profiles/pyspy.folded");
    let target = work.path().join("c.crosscut");
    let run = crosscut_import::import(&file, &target, &crosscut_import::Options::default(), &Quiet).unwrap();
    bench::of(vec![run], &Settings::new(), work)
}

#[test]
fn tasks_are_the_tree() {
    let open = bench::start();
    let tasks = &open.opened(0).tasks;
    let table = open.bench.frame(0, "tasks", None).unwrap();
    assert_eq!(names(&table), ["parent", "len", "kind", "place", "start", "end", "span", "line"]);
    assert_eq!(table.num_rows(), tasks.tree().node_count());
    let parents = table.column(0).as_primitive::<UInt32Type>();
    assert!(parents.is_null(0));
    for node in 1..table.num_rows() {
        let parent = tasks.tree().parent(NodeId(node as u32)).unwrap();
        assert_eq!(parents.value(node), parent.0);
    }
    // Somebody ran all of it.
    assert!(sum(&table, "end") > sum(&table, "start"));
}

#[test]
fn only_what_is_asked_for_in_its_order() {
    let open = bench::start();
    let wanted = ["end".to_owned(), "start".to_owned()];
    let table = open.bench.frame(0, "tasks", Some(&wanted)).unwrap();
    assert_eq!(names(&table), wanted);
    let unknown = open.bench.frame(0, "tasks", Some(&["colour".to_owned()])).unwrap_err();
    assert!(unknown.0.contains("no column `colour`; there are parent, len"), "{}", unknown.0);
    let unknown = open.bench.frame(0, "weather", None).unwrap_err();
    assert_eq!(unknown.0, "there is no table `weather`; there are tasks, findings");
}

#[test]
fn messages_and_calls_of_mpi_add_up() {
    let open = messages();
    let domain = MessagesDomain::of(&*open.bench.runs[0].domains[0]).unwrap().messages().clone();
    let table = open.bench.frame(0, "messages", None).unwrap();
    assert_eq!(table.num_rows(), domain.len());
    assert_eq!(sum(&table, "bytes"), domain.bytes.iter().sum::<i64>());
    let calls = open.bench.frame(0, "mpi", None).unwrap();
    assert_eq!(calls.num_rows(), domain.calls.start.len());
    let ranks = calls.column_by_name("rank").unwrap().as_primitive::<UInt32Type>();
    for call in [0, calls.num_rows() / 2, calls.num_rows() - 1] {
        assert_eq!(ranks.value(call), domain.calls.rank(call as u32));
    }
}

#[test]
fn call_paths_add_up_whichever_way() {
    let open = calls();
    let calls = CallsDomain::of(&*open.bench.runs[0].domains[0]).unwrap().calls().clone();
    let metric = calls.summary().metrics[0].name.clone();
    let paths = open.bench.frame(0, "calls", None).unwrap();
    let places = open.bench.frame(0, "calls_by_place", None).unwrap();
    let total = calls.inclusive(0, NodeId(0));
    assert_eq!(sum(&paths, &metric), total);
    assert_eq!(sum(&places, &metric), total);
    let inclusive = paths.column_by_name(&format!("{metric} (inc)")).unwrap();
    assert_eq!(inclusive.as_primitive::<Int64Type>().value(0), total);
    // What scripts find a call path by.
    let columns = ["node", "parent", "len", "depth", "name", "module", "file", "line", "kind"];
    assert_eq!(names(&paths)[..9], columns);
    let depths = paths.column_by_name("depth").unwrap().as_primitive::<UInt32Type>();
    let lines = paths.column_by_name("line").unwrap().as_primitive::<Int64Type>();
    for node in 0..paths.num_rows() {
        let line = calls.frame(NodeId(node as u32)).map_or(0, |frame| frame.line);
        assert_eq!(depths.value(node) as usize, calls.tree().ancestors(NodeId(node as u32)).count());
        assert_eq!(lines.is_valid(node).then(|| lines.value(node)), Some(line).filter(|&line| line != 0));
    }
    // Words are there once, and lead back to the frames.
    let name: fn(&Frame) -> String = |frame| frame.name.clone();
    let module: fn(&Frame) -> String = |frame| frame.module.clone();
    for (column, read) in [("name", name), ("module", module)] {
        let column = paths.column_by_name(column).unwrap().as_dictionary::<UInt32Type>();
        let words: Vec<&str> = column.values().as_string::<i32>().iter().flatten().collect();
        assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len());
        for node in 0..paths.num_rows() {
            let word =
                column.keys().is_valid(node).then(|| words[column.keys().value(node) as usize].to_owned());
            assert_eq!(word, calls.frame(NodeId(node as u32)).map(read));
        }
    }
}

#[test]
fn every_tree_is_a_table_and_a_lens_leaves_what_it_chooses() {
    let open = bench::start();
    let grains = TreeRef::named("grains");
    let scope = Scope::default();
    let all = open.bench.tree_frame(0, &grains, &Which::All, &scope, None).unwrap();
    let forest = open.bench.job(0, |job| open.bench.forest(&grains, job)).unwrap();
    assert_eq!(all.num_rows(), forest.tree().node_count());
    assert_eq!(names(&all)[..6], ["node", "parent", "depth", "kind", "name", "line"]);
    let depths = all.column_by_name("depth").unwrap().as_primitive::<UInt32Type>();
    let parents = all.column_by_name("parent").unwrap().as_primitive::<UInt32Type>();
    for node in 1..all.num_rows() {
        assert_eq!(depths.value(node), depths.value(parents.value(node) as usize) + 1);
    }
    for lens in forest.lenses() {
        let lens = LensSpec { name: lens.name.to_string(), value: None };
        let some = open.bench.tree_frame(0, &grains, &Which::Lens(lens.clone()), &scope, None);
        match open.bench.job(0, |job| open.bench.lens(&grains, &lens, job)) {
            Ok(chosen) => assert_eq!(some.unwrap().num_rows(), chosen.lens.chosen().len(), "{}", lens.name),
            // Such as a comparison without a run to compare with.
            Err(why) => assert_eq!(some.unwrap_err().0, why.0),
        }
    }
    let these = Which::These(vec![NodeId(2), NodeId(1)]);
    let some = open.bench.tree_frame(0, &grains, &these, &scope, None).unwrap();
    assert_eq!(some.column(0).as_primitive::<UInt32Type>().values()[..], [2, 1]);
    let beyond = Which::These(vec![NodeId(u32::MAX)]);
    let refused = open.bench.tree_frame(0, &grains, &beyond, &scope, None).unwrap_err();
    assert!(refused.0.starts_with("there is no node 4294967295 in grains"), "{}", refused.0);
    for tree in ["places", "lines"] {
        let tree = TreeRef { key: TreeKey::named(tree), with: Default::default() };
        assert!(open.bench.tree_frame(0, &tree, &Which::All, &scope, None).unwrap().num_rows() > 0);
    }
}

#[test]
fn findings_are_those_of_the_report() {
    let open = bench::over(&[("wide", 5000)]);
    let table = open.bench.frame(0, "findings", None).unwrap();
    let report = open.bench.report_json(0).unwrap();
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(table.num_rows(), findings.len());
    let ids = table.column_by_name("id").unwrap().as_string::<i32>();
    for (row, finding) in findings.iter().enumerate() {
        assert_eq!(ids.value(row), finding["id"].as_str().unwrap());
    }
}
