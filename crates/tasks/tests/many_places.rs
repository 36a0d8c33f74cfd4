//! A task tree on more workers than 16 bits can tell apart: every process of a large machine is one.

use std::path::Path;

use crosscut_run::{Ids, Places, Run, RunWriter, SEVERAL};
use crosscut_tasks::schema::{Edge, Kind, Mark, TaskWriter};
use crosscut_tasks::{Tasks, finish};
use crosscut_tree::NodeId;

const PROCESSES: usize = 100_000;

/// The first process starts all others; process w works for 10 + w % 7.
fn write(target: &Path, processes: usize) -> Run {
    let mut run = RunWriter::create(target).expect("a new run");
    let nodes = 2 + 3 * processes + 2;
    let places = Places::processes(&vec![1; processes]).expect("places");
    let mut tasks = TaskWriter::new(&run, nodes).expect("columns");
    let mut at = 0;
    let mut put = |kind, edge, len: usize, parent: usize, place: usize, (start, end): (i64, i64)| {
        tasks.len[at] = len as u32;
        tasks.parent[at] = parent as u32;
        tasks.mark[at] = Mark::new(kind, edge, false).0;
        tasks.place[at] = place as u32;
        tasks.site[at] = crosscut_run::NO_SITE;
        (tasks.start[at], tasks.end[at]) = (start, end);
        at += 1;
        at - 1
    };
    let root = put(Kind::Task, Edge::Create, nodes, 0, 0, (0, 0));
    let section = put(Kind::Section, Edge::Create, nodes - 2, root, 0, (0, 0));
    let forked = processes as i64;
    for worker in 0..processes {
        let now = worker as i64;
        let edge = if worker == 0 { Edge::Create } else { Edge::CreateCont };
        put(Kind::Fork, edge, 1, section, 0, (now, now + 1));
        let task = put(Kind::Task, Edge::Create, 2, section, worker, (0, 0));
        let begin = if worker == 0 { forked } else { now + 1 };
        put(Kind::End, Edge::Create, 1, task, worker, (begin, begin + 10 + now % 7));
    }
    put(Kind::Wait, Edge::CreateCont, 1, section, 0, (forked + 20, forked + 20));
    put(Kind::End, Edge::WaitCont, 1, root, 0, (forked + 30, forked + 31));
    finish(&mut run, tasks, &places).expect("finished");
    run.finish().expect("a run")
}

#[test]
fn a_hundred_thousand_workers() {
    let dir = tempfile::tempdir().expect("a folder");
    let run = write(&dir.path().join("many.crosscut"), PROCESSES);
    assert!(matches!(run.ids("tasks/place"), Ok(Ids::Wide(_))));
    let tasks = Tasks::open(run).expect("tasks");
    let s = tasks.summary();
    assert_eq!((s.workers as usize, s.busy.len()), (PROCESSES, PROCESSES));
    let own = |worker: usize| 10 + (worker % 7) as i64;
    let forks = PROCESSES as i64;
    assert_eq!(s.busy[0], own(0) + forks + 1);
    assert!((1..PROCESSES).all(|worker| s.busy[worker] == own(worker)));
    assert_eq!(s.work, s.busy.iter().sum::<i64>());
    assert_eq!(tasks.run().manifest().time.map(|time| (time.first, time.last)), Some((0, forks + 31)));
    // Two workers that 16 bits would mix up.
    let task = |worker: usize| NodeId(2 + 3 * worker as u32 + 1);
    for worker in [1, 70_000, 70_000 - 65_536, PROCESSES - 1] {
        assert_eq!((tasks.place(task(worker)), tasks.worker(task(worker))), (worker as u32, Some(worker)));
    }
    assert_eq!((tasks.place(NodeId::ROOT), tasks.worker(NodeId::ROOT)), (SEVERAL, None));
}

/// What it costs on disk: two bytes a node, and only then.
#[test]
fn few_workers_cost_no_more_than_before() {
    let dir = tempfile::tempdir().expect("a folder");
    let run = write(&dir.path().join("few.crosscut"), 65_534);
    assert!(matches!(run.ids("tasks/place"), Ok(Ids::Narrow(_))));
    let tasks = Tasks::open(run).expect("tasks");
    assert_eq!(tasks.worker(NodeId(2 + 3 * 65_533 + 1)), Some(65_533));
    assert_eq!(tasks.place(NodeId::ROOT), SEVERAL);
}
