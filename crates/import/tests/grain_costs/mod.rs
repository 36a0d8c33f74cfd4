//! The costs of grains, computed from a run the long way: the definitions that any analysis of grain graphs applies.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::Path;

use crosscut_import::{ImportError, Options, Quiet, import};
use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;

/// Imports bytes.
pub fn open(name: &str, bytes: &[u8]) -> Result<(tempfile::TempDir, Tasks), ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let tasks = open_path(&path, &folder.path().join("run.crosscut"))?;
    Ok((folder, tasks))
}

/// Imports a file.
pub fn open_path(path: &Path, target: &Path) -> Result<Tasks, ImportError> {
    let run = import(path, target, &Options::default(), &Quiet)?;
    Ok(Tasks::open(run).unwrap())
}

/// The intervals of a task, in the order in which it ran them.
pub fn spine(tasks: &Tasks, task: NodeId) -> Vec<NodeId> {
    let tree = tasks.tree();
    let mut spine = Vec::new();
    let mut open = vec![task];
    while let Some(node) = open.pop() {
        if tree.is_leaf(node) {
            spine.push(node);
            continue;
        }
        let inside: Vec<NodeId> =
            tree.children(node).filter(|&child| tasks.kind(child) != Kind::Task).collect();
        open.extend(inside.into_iter().rev());
    }
    spine
}

/// Σ of the lengths of a task's own intervals.
pub fn work(tasks: &Tasks, task: NodeId) -> i64 {
    spine(tasks, task).iter().map(|&leaf| tasks.elapsed(leaf)).sum()
}

/// The task that a node belongs to.
fn task_of(tasks: &Tasks, node: NodeId) -> NodeId {
    let mut above = tasks.tree().parent(node).unwrap();
    while tasks.kind(above) != Kind::Task {
        above = tasks.tree().parent(above).unwrap();
    }
    above
}

/// The interval that follows on the spine.
fn next_on_spine(tasks: &Tasks, leaf: NodeId) -> NodeId {
    let spine = spine(tasks, task_of(tasks, leaf));
    spine[spine.iter().position(|&at| at == leaf).unwrap() + 1]
}

/// What it cost to create a task.
pub fn creation(tasks: &Tasks, task: NodeId) -> i64 {
    let create = NodeId(task.0 - 1);
    assert!(tasks.kind(create).is_start());
    let next = next_on_spine(tasks, create);
    let at_once = tasks.start(task) < tasks.start(next)
        && tasks.worker(first_leaf(tasks, task)) == tasks.worker(create);
    let on = if at_once { tasks.start(task) } else { tasks.start(next) };
    on - tasks.end(create)
}

/// What it cost to wait for the tasks of a section.
pub fn sync(tasks: &Tasks, section: NodeId) -> i64 {
    let children: Vec<NodeId> = tasks.tree().children(section).collect();
    let &wait = children.last().unwrap();
    assert_eq!(tasks.kind(wait), Kind::Wait);
    let ended =
        children.iter().filter(|&&child| tasks.kind(child) == Kind::Task).map(|&child| tasks.end(child));
    let over = ended.chain([tasks.end(wait)]).max().unwrap();
    tasks.start(next_on_spine(tasks, wait)) - over
}

fn first_leaf(tasks: &Tasks, mut node: NodeId) -> NodeId {
    while let Some(child) = tasks.tree().children(node).next() {
        node = child;
    }
    node
}

/// All nodes of a kind, in pre-order.
pub fn nodes(tasks: &Tasks, kind: Kind) -> Vec<NodeId> {
    let all = (0..tasks.tree().node_count() as u32).map(NodeId);
    all.filter(|&node| tasks.kind(node) == kind).collect()
}

/// The tasks directly in a section, and the chunks in its lanes.
pub fn members(tasks: &Tasks, section: NodeId) -> Vec<NodeId> {
    tasks.tree().children(section).filter(|&child| tasks.kind(child) == Kind::Task).collect()
}

/// What must hold of every tree: intervals of a spine do not overlap, nothing starts before it is created, a task ends
/// before what waits for it goes on.
pub fn check(tasks: &Tasks) {
    assert!(tasks.run().check().is_empty());
    for task in nodes(tasks, Kind::Task) {
        let spine = spine(tasks, task);
        for pair in spine.windows(2) {
            assert!(tasks.end(pair[0]) <= tasks.start(pair[1]), "{pair:?} overlap");
        }
        if task != NodeId::ROOT {
            assert!(tasks.end(NodeId(task.0 - 1)) <= tasks.start(task), "{task:?} starts before its create");
        }
    }
    for section in nodes(tasks, Kind::Section) {
        assert!(sync(tasks, section) >= 0);
    }
}

/// Intervals of one worker that overlap.
pub fn overlaps(tasks: &Tasks) -> usize {
    let leaves = (0..tasks.tree().node_count() as u32).map(NodeId).filter(|&node| tasks.tree().is_leaf(node));
    let mut times: Vec<(Option<usize>, i64, i64)> = leaves
        .filter(|&leaf| tasks.elapsed(leaf) > 0)
        .map(|leaf| (tasks.worker(leaf), tasks.start(leaf), tasks.end(leaf)))
        .collect();
    times.sort_unstable();
    times.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].2 > pair[1].1).count()
}
