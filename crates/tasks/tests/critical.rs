//! The critical path: what is marked is one longest path through the DAG, from the first interval to the last.

use crate::model;

use std::collections::HashSet;

use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Tasks, Way};
use crosscut_tree::NodeId;
use model::{Program, Recording, Schedule, cases, full, nested};
use proptest::prelude::*;

/// The task through which the path leaves a section that waits for all of its tasks.
fn leaves_by(tasks: &Tasks, section: usize) -> Option<usize> {
    tasks.critical_inside(NodeId(section as u32), &Way::Span).leaves_by().map(NodeId::index)
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn the_marked_intervals_are_a_longest_path(case in full()) {
        let recording = case.record();
        let opened = recording.open();
        let tasks = &opened.tasks;
        let n = recording.kept.len();
        let marked: Vec<usize> =
            (0..n).filter(|&i| recording.is_block(i) && tasks.is_critical(NodeId(i as u32))).collect();
        let sum: i64 = marked.iter().map(|&i| tasks.span(NodeId(i as u32))).sum();
        prop_assert_eq!(sum, tasks.summary().span);
        prop_assert_eq!(marked.first().copied(), Some(recording.program.first_leaf(0)));
        if tasks.tail(NodeId::ROOT) <= tasks.span(NodeId::ROOT) {
            prop_assert_eq!(marked.last().copied(), Some(recording.program.last_leaf(0)));
        }
        let edges: HashSet<(usize, usize)> =
            recording.program.all_edges().into_iter().map(|(from, to, _)| (from, to)).collect();
        for pair in marked.windows(2) {
            prop_assert!(edges.contains(&(pair[0], pair[1])), "no edge {:?}", pair);
        }
        prop_assert!(marked.contains(&tasks.heaviest_critical().index()));
        // What holds something on the path is on it, and nothing else.
        for node in (0..n).filter(|&i| !recording.is_block(i)) {
            let range = tasks.tree().range(NodeId(node as u32));
            let holds = marked.iter().any(|leaf| range.contains(leaf));
            prop_assert_eq!(tasks.is_critical(NodeId(node as u32)), holds, "node {}", node);
        }
    }

    #[test]
    fn of_equal_tasks_the_first_is_critical(case in nested()) {
        let recording = case.record();
        let opened = recording.open();
        let tasks = &opened.tasks;
        let span = |i: usize| tasks.span(NodeId(i as u32));
        for section in (0..recording.kept.len()).filter(|&i| !recording.is_block(i)) {
            let children = recording.children(section);
            let is_task = |i: usize| recording.kind(i) == Kind::Task;
            let spine: i64 = children.iter().filter(|&&c| !is_task(c)).map(|&c| span(c)).sum();
            // How long the path is that leaves the spine through each task.
            let through: Vec<(usize, i64)> = children
                .iter()
                .filter(|&&task| is_task(task))
                .map(|&task| {
                    let before = children.iter().filter(|&&c| c < task && !is_task(c));
                    (task, before.map(|&c| span(c)).sum::<i64>() + span(task))
                })
                .collect();
            let longest = through.iter().map(|t| t.1).max().filter(|&longest| longest > spine);
            let expected = longest.and_then(|longest| through.iter().find(|t| t.1 == longest)).map(|t| t.0);
            prop_assert_eq!(leaves_by(tasks, section), expected);
        }
        let blocks = (0..recording.kept.len()).filter(|&i| recording.is_block(i));
        let marked = blocks.filter(|&i| tasks.is_critical(NodeId(i as u32)));
        prop_assert_eq!(marked.map(span).sum::<i64>(), span(0));
    }
}

/// A section that is remembered answers the same the second time.
#[test]
fn wide_sections_answer_twice() {
    let mut program = Program::new();
    let section = program.open(Kind::Section);
    for i in 0..3000 {
        program.spawn(1, if i == 1234 { 10_000 } else { 5 });
    }
    program.close(1);
    program.close(1);
    let critical = program.nodes[section].children[2 * 1234 + 1];
    let schedule = Schedule::greedy(&program, 2);
    let tasks = Recording::whole(program, schedule, 2).open().tasks;
    for _ in 0..2 {
        assert_eq!(leaves_by(&tasks, section), Some(critical));
    }
}
