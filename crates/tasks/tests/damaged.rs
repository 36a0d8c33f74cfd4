//! Runs whose task tree is missing or does not fit together: an error that says so, never a panic.

use crate::model;

use std::path::Path;

use crosscut_run::{Places, Run, RunError, RunWriter};
use crosscut_tasks::grain::{Grains, Thresholds};
use crosscut_tasks::schema::{Chunk, Depend, Kind, TaskWriter};
use crosscut_tasks::{Change, Tasks, TasksError, WhatIf};
use crosscut_tree::NodeId;
use model::{Case, Chance, Folding, Manners, Program, Recording, Schedule, fresh_dir};

fn made(dir: &Path) -> std::path::PathBuf {
    made_at(&dir.join("made.crosscut"))
}

fn made_at(path: &Path) -> std::path::PathBuf {
    let case = Case {
        seed: 3,
        size: 80,
        workers: 3,
        manners: Manners { longest: 40, pause: 10, stay: 6, cores: 2 },
        folding: Folding::OneWorker,
        wild: true,
    };
    case.record().write(path);
    path.to_owned()
}

fn open(path: &Path) -> Result<Tasks, TasksError> {
    Tasks::open(Run::open(path)?)
}

/// As a run is opened that is too large to be checked.
fn open_unchecked(path: &Path) -> Result<Tasks, TasksError> {
    Tasks::open_unchecked(Run::open(path)?)
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
    let tasks = TaskWriter::new(&run, 0).expect("columns");
    let places = Places::workers(1).expect("places");
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
        .all_parts()
        .map(|(n, p)| (n.clone(), p.file(&n)))
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

/// Dependences and chunks that do not fit the tree are refused when the tree is finished.
#[test]
fn depends_must_fit_the_tree() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..3 {
        program.spawn(1, 5);
    }
    let wait = program.close(1) as u32;
    program.open(Kind::Section);
    program.leaf(Kind::Create, 1);
    program.open(Kind::Task);
    let inner = program.open(Kind::Section);
    program.spawn(1, 1);
    program.close(1);
    program.close(1);
    program.close(1);
    program.close(1);
    let (first, second, inner) = (3, 6, inner as u32 + 2);
    let schedule = Schedule::greedy(&program, 1);
    let recording = Recording::whole(program, schedule, 1);
    let dir = fresh_dir();
    let attempt = |name: &str, change: &dyn Fn(&mut TaskWriter)| {
        let mut run = RunWriter::create(&dir.path().join(name)).expect("a new run");
        let mut places = Places::workers(1).expect("places");
        let mut tasks = recording.fill(&run, &mut places);
        change(&mut tasks);
        crosscut_tasks::finish(&mut run, tasks, &places).map_err(|e| e.to_string())
    };
    let depend = |to: u32, from: u32| Depend { to, from };
    let depends = |list: &[Depend]| {
        let list = list.to_vec();
        attempt(&format!("{list:?}"), &move |tasks: &mut TaskWriter| tasks.depends = list.clone())
    };
    assert_eq!(depends(&[depend(second, first), depend(wait, first)]), Ok(()));
    let refused = [
        depends(&[depend(wait, first), depend(second, first)]),
        depends(&[depend(second, first), depend(second, first)]),
        depends(&[depend(first, second)]),
        depends(&[depend(second, second)]),
        depends(&[depend(u32::MAX, first)]),
        depends(&[depend(second, 0)]),
        depends(&[depend(second, first - 1)]),
        depends(&[depend(second + 2, first)]),
        depends(&[depend(inner, first)]),
        attempt("chunks not in order", &|t| t.chunks = vec![chunk(3), chunk(3)]),
        attempt("no such chunk", &|t| t.chunks = vec![chunk(9999)]),
    ];
    for (k, error) in refused.into_iter().enumerate() {
        let text = error.expect_err(&format!("case {k} is refused"));
        assert!(text.starts_with("the task tree is broken: "), "{text}");
    }
}

fn chunk(node: u32) -> Chunk {
    Chunk { node, first: 0, count: 1 }
}

/// Writes a column again with other values, and a manifest that agrees with it.
fn replace(path: &Path, name: &str, values: &[i64], other: &Path) {
    let mut run = RunWriter::create(other).expect("a new run");
    match name {
        "tasks/depend_to" | "tasks/depend_from" | "tasks/depend_frame" | "tasks/chunk_node" | "tasks/len"
        | "tasks/parent" => {
            let values: Vec<u32> = values.iter().map(|&v| v as u32).collect();
            run.put_slice(name, &values).expect("a column");
        }
        _ => run.put_slice(name, values).expect("a column"),
    }
    let part = run.finish().expect("a run").manifest().part(name).expect("a part").clone();
    let file = part.file(name);
    std::fs::copy(other.join(&file), path.join(&file)).expect("copied");
    let manifest = path.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    json["domains"]["tasks"][name.trim_start_matches("tasks/")] = serde_json::to_value(&part).expect("JSON");
    json.as_object_mut().expect("an object").remove("checksum");
    std::fs::write(&manifest, json.to_string()).expect("written");
}

/// Columns of the extra edges, the chunks and the tails with any values: refused, or answered without a panic.
#[test]
fn absurd_links_do_no_harm() {
    let dir = fresh_dir();
    let path = made(dir.path());
    let whole = open(&path).expect("sound");
    let (n, depends) = (whole.tree().node_count(), whole.depends_into(0..usize::MAX).len());
    assert!(depends > 3, "the run has dependences");
    drop(whole);
    let columns = ["depend_to", "depend_from", "depend_frame", "chunk_node", "chunk_values", "tail"];
    let mut chance = Chance::new(8);
    let mut opened = 0;
    for round in 0..120 {
        let fresh = made_at(&dir.path().join(format!("made-{round}.crosscut")));
        let column = columns[round % columns.len()];
        let length = match column {
            "tail" => n,
            "depend_to" | "depend_from" => depends,
            _ => chance.index(2 * n),
        };
        let length = if chance.tenths(2) { chance.index(2 * n) } else { length };
        let mut values: Vec<i64> =
            (0..length).map(|_| chance.within(0, 2 * n as i64) - chance.within(0, 3)).collect();
        if chance.tenths(5) {
            values.sort_unstable();
        }
        replace(
            &fresh,
            &format!("tasks/{column}"),
            &values,
            &dir.path().join(format!("other-{round}.crosscut")),
        );
        match open_unchecked(&fresh) {
            Err(error) => assert!(error.to_string().starts_with("the task tree is broken: "), "{error}"),
            Ok(tasks) => {
                opened += 1;
                for node in (0..n as u32 + 2).map(NodeId) {
                    tasks.is_critical(node);
                    tasks.ready(node);
                    tasks.edges(node);
                    tasks.gaps(node);
                    tasks.depends_on(node);
                    tasks.chunk(node);
                    tasks.title(node);
                }
                tasks.heaviest_critical();
                tasks.exact_profile();
                tasks.causes();
                replay(&tasks);
                aggregate(&tasks);
            }
        }
        std::fs::remove_dir_all(&fresh).expect("removed");
    }
    assert!(opened > 60, "{opened} were opened");
}

fn replay(tasks: &Tasks) {
    let what = WhatIf::new(tasks);
    for change in [Change::default(), Change::default().without_overhead()] {
        what.bounds(&change).expect("bounds");
        what.replay(3, &change).expect("a replay");
        what.curve_within(tasks.tree().node_count(), &[1, 5], &change).expect("a curve");
    }
}

fn aggregate(tasks: &Tasks) {
    let grains = Grains::new(tasks);
    grains.theta(None);
    grains.problems(tasks, &Thresholds::default(), None);
    for node in (0..grains.tree().node_count() as u32 + 2).map(NodeId) {
        grains.metrics(tasks, node);
        grains.path(tasks, node);
        grains.in_progress(tasks, node);
        grains.siblings_alike(node);
        grains.of_task(tasks, grains.task(node));
    }
}

/// Trees that are none, and times that cannot be: a replay of them ends, with whatever answer.
#[test]
fn absurd_trees_are_replayed_to_an_end() {
    let dir = fresh_dir();
    let n = open(&made(dir.path())).expect("sound").tree().node_count();
    let mut chance = Chance::new(9);
    for round in 0..90 {
        let fresh = made_at(&dir.path().join(format!("made-{round}.crosscut")));
        let column = ["len", "parent", "start", "end", "span", "collapsed_values"][round % 6];
        let most = if round % 6 < 2 { 2 * n as i64 } else { i64::MAX };
        let length = if column == "collapsed_values" {
            let part = open(&fresh).expect("sound").run().manifest().part("tasks/collapsed_values").cloned();
            part.expect("a part").rows as usize
        } else {
            n
        };
        let values: Vec<i64> = (0..length)
            .map(|_| if chance.tenths(3) { chance.within(0, most - 1) } else { chance.within(0, 3) })
            .collect();
        let other = dir.path().join(format!("other-{round}.crosscut"));
        replace(&fresh, &format!("tasks/{column}"), &values, &other);
        let tasks = open_unchecked(&fresh).expect("not looked at yet");
        replay(&tasks);
        aggregate(&tasks);
    }
}

/// Absurd facts in the manifest: grids of any size, counts that do not fit the columns.
#[test]
fn absurd_facts_are_refused() {
    let dir = fresh_dir();
    let path = made(dir.path());
    let manifest = path.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let mut sound: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    sound.as_object_mut().expect("an object").remove("checksum");
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
