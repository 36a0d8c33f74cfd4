//! What `export` writes, `import` reads: the same grains, forks and joins, whatever the run.

use std::fs;
use std::path::{Path, PathBuf};

use crosscut_import::{Options, Quiet, import};
use crosscut_run::Run;
use crosscut_view::REGISTRY;
use crosscut_workbench::{OpenRun, Settings, Workbench};
use serde_json::Value;

/// Forms that a reader exists for.
const FORMS: [&str; 2] = ["graphml", "plain-graphml"];
const SHAPES: [&str; 7] = ["fib", "sort", "random", "wide", "chain", "deep", "skewed"];

fn bench(path: &Path) -> Workbench {
    let run = OpenRun::open(Run::open(path).unwrap(), REGISTRY, &Settings::new()).unwrap();
    Workbench::new(vec![run], "")
}

/// What both sides must have in common.
fn counts(bench: &Workbench) -> Value {
    let report = Value::Object(bench.report_json(0).unwrap());
    let mut counts = serde_json::Map::new();
    for name in ["grains", "fork_joins", "raw_nodes"] {
        counts.insert(name.to_owned(), report["grain"][name].clone());
    }
    Value::Object(counts)
}

fn agree(path: &Path, work: &Path) -> Vec<String> {
    let bench = bench(path);
    let here = counts(&bench);
    let mut wrong = Vec::new();
    for form in FORMS {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let file = work.join(format!("{name}.{form}.graphml"));
        let exported = bench.runs[0].domains[0].export(form, None).unwrap();
        (exported.write)(&mut fs::File::create(&file).unwrap()).unwrap();
        let target = work.join(format!("{name}-{form}.crosscut"));
        match import(&file, &target, &Options::default(), &Quiet) {
            Err(error) => wrong.push(format!("{name}, {form}: {error}")),
            Ok(_) => {
                let there = counts(&self::bench(&target));
                if here != there {
                    wrong.push(format!("{name}, {form}: {here} became {there}"));
                }
            }
        }
    }
    wrong
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

#[test]
fn graphs_of_fixtures_are_read_again() {
    let work = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for folder in ["dag", "grains"] {
        for entry in fs::read_dir(fixtures().join(folder)).unwrap() {
            let file = entry.unwrap().path();
            let is_sample = |ending: &str| file.extension().is_some_and(|other| other == ending);
            if !["dag", "csv", "graphml"].into_iter().any(is_sample) {
                continue;
            }
            let name = file.file_name().unwrap().to_string_lossy().replace('.', "-");
            let target = work.path().join(format!("{name}.crosscut"));
            import(&file, &target, &Options::default(), &Quiet).unwrap();
            wrong.extend(agree(&target, work.path()));
            seen += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen >= 7, "{seen} fixtures");
}

#[test]
fn graphs_of_all_shapes_are_read_again() {
    let work = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for shape in SHAPES {
        let options = crosscut_synth::Options {
            shape: shape.parse().unwrap(),
            nodes: 2000,
            workers: 3,
            ..crosscut_synth::Options::default()
        };
        let target = work.path().join(format!("{shape}.crosscut"));
        crosscut_synth::tasks(&target, &options, &|_, _| {}).unwrap();
        wrong.extend(agree(&target, work.path()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn chunks_that_create_tasks_are_read_again() {
    let work = tempfile::tempdir().unwrap();
    let target = work.path().join("alignment.crosscut");
    import(&fixtures().join("grains/alignment.graphml"), &target, &Options::default(), &Quiet).unwrap();
    // A chunk for each of 6 sequences, a task for each pair, the program; the region, its loop and 5 chunks with tasks.
    let expected = serde_json::json!({"grains": 22, "fork_joins": 7, "raw_nodes": 38});
    assert_eq!(counts(&bench(&target)), expected);
    let wrong = agree(&target, work.path());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
