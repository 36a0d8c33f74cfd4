//! A tree that grew node by node is the tree that was filled and passed over: every file of the run is the same.

use crate::model;

use std::collections::BTreeMap;
use std::path::Path;

use crosscut_run::{Places, RunWriter, SEVERAL};
use crosscut_tasks::schema::{Mark, TaskWriter};
use crosscut_tasks::{Block, Grow, Grown};
use model::{Recording, any_run, cases};
use proptest::prelude::*;

/// Writes the nodes of a filled tree one after the other into another.
fn grow(from: &TaskWriter, to: &mut TaskWriter, places: &Places) -> Grown {
    let mut grow = Grow::new(to, places.worker_count());
    let mut open: Vec<usize> = Vec::new();
    for i in 0..from.len.len() {
        while open.pop_if(|end| *end == i).is_some() {
            grow.close();
        }
        let mark = Mark(from.mark[i]);
        let worker = places.worker(from.place[i]).unwrap_or(places.worker_count()) as u32;
        let block = Block {
            mark,
            start: from.start[i],
            end: from.end[i],
            place: from.place[i],
            worker,
            site: from.site[i],
        };
        assert!(worker < places.worker_count() as u32 || from.place[i] == SEVERAL);
        let node = match from.collapsed.iter().find(|c| c.node as usize == i) {
            Some(inside) => grow.collapsed(block, from.span[i], inside),
            None if from.len[i] == 1 => grow.leaf(block),
            None => {
                open.push(i + from.len[i] as usize);
                match mark.is_chunk_section() {
                    true => grow.open_chunk(mark.edge(), crosscut_run::NO_SITE),
                    false => grow.open(mark.kind(), mark.edge()),
                }
            }
        };
        assert_eq!(node as usize, i);
    }
    open.iter().for_each(|_| grow.close());
    grow.finish()
}

/// All files of a run; of the manifest what does not depend on when it was made.
fn files(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(run.join("tasks")).expect("a run with tasks") {
        let path = entry.expect("an entry").path();
        files.insert(path.display().to_string().replace(&run.display().to_string(), ""), read(&path));
    }
    let manifest: serde_json::Value =
        serde_json::from_slice(&read(&run.join("manifest.json"))).expect("JSON");
    files.insert("facts".into(), manifest["facts"].to_string().into_bytes());
    for list in ["parts", "domains"] {
        files.insert(list.into(), manifest[list].to_string().into_bytes());
    }
    files
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("a file")
}

fn check(recording: &Recording) -> Result<(), TestCaseError> {
    let dir = model::fresh_dir();
    let paths = ["filled", "grown"].map(|name| dir.path().join(name));
    let mut places = Places::workers(recording.workers).expect("places");
    let mut run = RunWriter::create(&paths[0]).expect("a new run");
    let filled = recording.fill(&run, &mut places);
    let mut other = RunWriter::create(&paths[1]).expect("a new run");
    // As a recorder does it: there is room for more than will be needed.
    let mut tasks = TaskWriter::new(&other, filled.len.len() + 100).expect("columns");
    let grown = grow(&filled, &mut tasks, &places);
    tasks.truncate(filled.len.len());
    tasks.collapsed = filled.collapsed.clone();
    tasks.depends = filled.depends.clone();
    tasks.chunks = filled.chunks.clone();
    crosscut_tasks::finish(&mut run, filled, &places).expect("finished");
    crosscut_tasks::finish_grown(&mut other, tasks, &places, grown).expect("finished");
    run.finish().expect("a run");
    other.finish().expect("a run");
    let [filled, grown] = paths.map(|path| files(&path));
    prop_assert_eq!(filled.keys().collect::<Vec<_>>(), grown.keys().collect::<Vec<_>>());
    for (name, content) in &filled {
        prop_assert!(content == &grown[name], "{} differs", name);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn a_grown_tree_is_a_filled_one(case in any_run()) {
        check(&case.record())?;
    }
}

/// A node without anything in it, as of a program that was stopped, and more nodes than there is room for.
#[test]
fn what_is_cut_short_does_not_stop_the_growth() {
    use crosscut_run::NO_SITE;
    use crosscut_tasks::schema::{Edge, Kind};
    let dir = model::fresh_dir();
    let end = Block {
        mark: Mark::new(Kind::End, Edge::Create, false),
        start: 3,
        end: 7,
        place: 0,
        worker: 0,
        site: NO_SITE,
    };
    let plant = |grow: &mut Grow<'_>, leaves: usize| {
        grow.open(Kind::Task, Edge::Create);
        grow.open(Kind::Section, Edge::Create);
        grow.close();
        for _ in 0..leaves {
            grow.leaf(end);
        }
        grow.close();
    };
    let mut run = RunWriter::create(&dir.path().join("empty.crosscut")).expect("a new run");
    let mut tasks = TaskWriter::new(&run, 3).expect("columns");
    let places = Places::workers(1).expect("places");
    let mut grow = Grow::new(&mut tasks, 1);
    plant(&mut grow, 1);
    assert_eq!((grow.nodes(), grow.last_end()), (3, 7));
    let grown = grow.finish();
    crosscut_tasks::finish_grown(&mut run, tasks, &places, grown).expect("finished");
    let tasks = crosscut_tasks::Tasks::open(run.finish().expect("a run")).expect("tasks");
    assert_eq!((tasks.summary().work, tasks.summary().elapsed), (4, 7));

    let run = RunWriter::create(&dir.path().join("small.crosscut")).expect("a new run");
    let mut tasks = TaskWriter::new(&run, 70).expect("columns");
    let mut grow = Grow::new(&mut tasks, 1);
    plant(&mut grow, 500);
    assert_eq!(grow.nodes(), 502);
    grow.finish();
}
