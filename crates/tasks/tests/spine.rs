//! What follows what: edges between workers, and the time between consecutive intervals of a spine.

use crate::model;

use crosscut_tasks::GapHistogram;
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;
use model::{Recording, any_run, cases};
use proptest::prelude::*;

/// The block that an interval is part of, and its row.
fn row_of(recording: &Recording, leaf: usize) -> usize {
    recording.place(recording.kept_as[leaf]).0.unwrap_or(recording.workers)
}

/// The matrices from the explicit DAG. Edges inside a collapsed node stay on its row; so do the end edges of a collapsed
/// section's own tasks, of which the recorder only knows the number.
fn naive_migrations(recording: &Recording) -> Vec<Vec<i64>> {
    let rows = recording.workers + 1;
    let mut matrices = vec![vec![0; rows * rows]; 5];
    for (from, to, edge) in recording.program.edges() {
        let (a, mut b) = (row_of(recording, from), row_of(recording, to));
        let task = recording.program.nodes[from].parent.expect("a task");
        let section = recording.program.nodes[task].parent;
        let lost = edge as usize == 0
            && section.is_some_and(|s| {
                let kept = recording.kept[recording.kept_as[s]];
                kept.collapsed && kept.model == s
            });
        if lost {
            b = a;
        }
        matrices[edge as usize][a * rows + b] += 1;
    }
    matrices
}

/// (gap, moved) between consecutive children on the spine of a kept node.
fn naive_gaps(recording: &Recording, joined: &[Vec<usize>], node: usize) -> Vec<(i64, bool)> {
    let spine: Vec<usize> =
        recording.children(node).into_iter().filter(|&c| recording.kind(c) != Kind::Task).collect();
    let gap = |pair: &[usize]| {
        let (before, after) = (pair[0], pair[1]);
        // What follows a node needs the ends of all that it waits for.
        let program = &recording.program;
        let (last, needed) = program.exits(recording.kept[before].model, joined);
        let depend = program.depends.iter().filter(|d| d.0 == last).map(|d| program.last_leaf(d.1));
        let needed = needed.into_iter().map(|(leaf, _)| leaf).chain(depend);
        let end = needed.map(|leaf| recording.schedule.end[leaf]).max().expect("an interval");
        let first = recording.program.first_leaf(recording.kept[after].model);
        let start = recording.block(recording.kept_as[first]).start;
        (start - end, row_of(recording, last) != row_of(recording, first))
    };
    spine.windows(2).map(gap).collect()
}

fn check_histogram(found: &GapHistogram, gaps: &[(i64, bool)]) -> Result<(), TestCaseError> {
    let bins = found.from.len();
    prop_assert_eq!((found.same.len(), found.moved.len()), (bins, bins));
    let total: i64 = found.same.iter().chain(&found.moved).sum();
    prop_assert_eq!(total, gaps.len() as i64);
    for (b, &from) in found.from.iter().enumerate() {
        let until = if from == 0 { 1 } else { 2 * from };
        let count =
            |moved: bool| gaps.iter().filter(|g| g.1 == moved && (from..until).contains(&g.0)).count() as i64;
        prop_assert_eq!((found.same[b], found.moved[b]), (count(false), count(true)));
    }
    let ends = [0, bins.wrapping_sub(1)];
    prop_assert!(bins == 0 || ends.iter().all(|&b| found.same[b] + found.moved[b] > 0), "trimmed");
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn edges_between_workers_are_those_of_the_dag(case in any_run()) {
        let recording = case.record();
        let opened = recording.open();
        let rows = recording.workers + 1;
        let mut found = vec![vec![0; rows * rows]; 5];
        for migration in &opened.tasks.summary().migrations {
            prop_assert!(migration.counts != [0; 5]);
            for (matrix, count) in found.iter_mut().zip(migration.counts) {
                matrix[migration.from as usize * rows + migration.to as usize] += count;
            }
        }
        prop_assert_eq!(found, naive_migrations(&recording));
    }

    #[test]
    fn gaps_are_those_of_the_spine(case in any_run()) {
        let recording = case.record();
        let opened = recording.open();
        let mut all = Vec::new();
        let joined = recording.program.joined();
        for node in 0..recording.kept.len() {
            let gaps = naive_gaps(&recording, &joined, node);
            check_histogram(&opened.tasks.gaps(NodeId(node as u32)), &gaps)?;
            all.extend(gaps);
        }
        check_histogram(&opened.tasks.summary().gaps, &all)?;
    }
}
