//! Runs whose task tree is missing or does not fit together: an error that says so, never a panic.

mod model;

use std::path::Path;

use crosscut_run::{Run, RunError, RunWriter};
use crosscut_tasks::{Tasks, TasksError};
use model::{Case, Folding, Manners, fresh_dir};

fn made(dir: &Path) -> std::path::PathBuf {
    let case = Case {
        seed: 3,
        size: 80,
        workers: 3,
        manners: Manners { longest: 40, pause: 10, stay: 6, cores: 2 },
        folding: Folding::OneWorker,
    };
    let path = dir.join("made.crosscut");
    case.record().write(&path);
    path
}

fn open(path: &Path) -> Result<Tasks, TasksError> {
    Tasks::open(Run::open(path)?)
}

#[test]
fn a_run_without_tasks_says_so() {
    let dir = fresh_dir();
    let run = RunWriter::create(&dir.path().join("none.crosscut")).expect("new").finish().expect("a run");
    let error = Tasks::open(run).expect_err("no tasks");
    assert!(matches!(error, TasksError::NoTasks(_)), "{error}");
    assert!(error.to_string().contains("none.crosscut"), "{error}");
}

#[test]
fn an_empty_tree_is_refused() {
    let dir = fresh_dir();
    let mut run = RunWriter::create(&dir.path().join("empty.crosscut")).expect("new");
    let tasks = crosscut_run::tasks::TaskWriter::new(&run, 0).expect("columns");
    let places = crosscut_run::Places::workers(1).expect("places");
    let error = crosscut_tasks::finish(&mut run, tasks, &places).expect_err("no nodes");
    assert_eq!(error.to_string(), "the task tree is broken: it has no nodes");
}

/// Every part in turn: one bit of it changed, or its file gone. The error names it.
#[test]
fn a_damaged_part_is_named() {
    let dir = fresh_dir();
    let path = made(dir.path());
    let parts: Vec<(String, String)> = Run::open(&path)
        .expect("a run")
        .manifest()
        .parts
        .iter()
        .map(|(n, p)| (n.clone(), p.file(n)))
        .collect();
    assert!(parts.len() > 25);
    for (name, file) in parts {
        let file = path.join(file);
        let bytes = std::fs::read(&file).expect("a part");
        let mut changed = bytes.clone();
        changed[bytes.len() / 2] ^= 4;
        std::fs::write(&file, changed).expect("written");
        match open(&path) {
            Err(TasksError::Run(RunError::Damaged { part, .. })) => assert_eq!(part, name),
            other => panic!("{name}: {other:?}"),
        }
        std::fs::remove_file(&file).expect("removed");
        match open(&path) {
            Err(TasksError::Run(RunError::Damaged { part, .. })) => assert_eq!(part, name),
            other => panic!("{name}: {other:?}"),
        }
        std::fs::write(&file, bytes).expect("written");
    }
    assert!(open(&path).is_ok());
}

/// Absurd facts in the manifest: grids of any size, counts that do not fit the columns.
#[test]
fn absurd_facts_are_refused() {
    let dir = fresh_dir();
    let path = made(dir.path());
    let manifest = path.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let sound: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let absurd = [0u64, 1, 3, 1 << 20, 1 << 40, i64::MAX as u64];
    let mut tried = 0;
    for grid in ["cells", "bins"] {
        for field in ["cell", "count", "levels", "rows"] {
            for value in absurd {
                let mut facts = sound.clone();
                let slot = &mut facts["facts"]["tasks"][grid][field];
                if slot.as_u64() == Some(value) {
                    continue;
                }
                *slot = value.into();
                std::fs::write(&manifest, facts.to_string()).expect("written");
                let error = open(&path).expect_err(&format!("{grid}.{field} = {value}"));
                assert!(error.to_string().starts_with("the task tree is broken: "), "{error}");
                tried += 1;
            }
        }
    }
    assert!(tried > 40);
    for (field, value) in [("nodes", 7u64.into()), ("elapsed", (1u64 << 50).into()), ("work", "much".into())]
    {
        let mut facts = sound.clone();
        facts["facts"]["tasks"][field] = value;
        std::fs::write(&manifest, facts.to_string()).expect("written");
        let error = open(&path).expect_err(field);
        assert!(error.to_string().starts_with("the task tree is broken: "), "{error}");
    }
    std::fs::write(&manifest, text).expect("written");
    assert!(open(&path).is_ok());
}
