//! The timeline: intervals are those that overlap the window; cells hold exact busy times and a node that fills most of
//! them, the same for every window.

use crate::model;

use std::collections::HashMap;

use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Cells, Timeline};
use model::{Block, Chance, Program, Recording, Schedule, any_run, cases};
use proptest::prelude::*;

fn overlap(block: &Block, from: i64, to: i64) -> i64 {
    (block.end.min(to) - block.start.max(from)).max(0)
}

/// Busy time of a block up to `t` when its work is spread evenly, in whole units.
fn busy_until(block: &Block, t: i64) -> i64 {
    let done = t.clamp(block.start, block.end) - block.start;
    if done == 0 {
        return 0;
    }
    (i128::from(done) * i128::from(block.work) / i128::from(block.end - block.start)) as i64
}

fn check_cells(blocks: &[Block], rows: usize, cells: &Cells) -> Result<(), TestCaseError> {
    prop_assert!(cells.cell.count_ones() == 1 && cells.from % cells.cell == 0);
    prop_assert_eq!(cells.busy.len(), rows * cells.count);
    prop_assert_eq!(cells.top.len(), rows * cells.count);
    for row in 0..rows {
        for k in 0..cells.count {
            let from = cells.from + k as i64 * cells.cell;
            let to = from + cells.cell;
            let here: Vec<&Block> =
                blocks.iter().filter(|b| b.row == row && overlap(b, from, to) > 0).collect();
            let busy: i64 = here.iter().map(|b| busy_until(b, to) - busy_until(b, from)).sum();
            let at = row * cells.count + k;
            prop_assert_eq!(cells.busy[at], busy, "busy in row {} at {}..{}", row, from, to);
            let most = here.iter().map(|b| overlap(b, from, to)).max();
            let top = here.iter().find(|b| b.node == cells.top[at] as usize);
            prop_assert_eq!(
                top.map(|b| overlap(b, from, to)),
                most,
                "top of row {} at {}..{}",
                row,
                from,
                to
            );
            if most.is_none() {
                prop_assert_eq!(cells.top[at], u32::MAX);
            }
        }
    }
    Ok(())
}

/// What cells have shown so far, by (width, row, start).
type Seen = HashMap<(i64, usize, i64), (i64, u32)>;

fn check_stable(seen: &mut Seen, rows: usize, cells: &Cells) -> Result<(), TestCaseError> {
    for row in 0..rows {
        for k in 0..cells.count {
            let at = row * cells.count + k;
            let content = (cells.busy[at], cells.top[at]);
            let key = (cells.cell, row, cells.from + k as i64 * cells.cell);
            let before = *seen.entry(key).or_insert(content);
            prop_assert_eq!(before, content, "cell {:?} changed", key);
        }
    }
    Ok(())
}

fn check(recording: &Recording, seed: u64) -> Result<(), TestCaseError> {
    let opened = recording.open();
    let tasks = &opened.tasks;
    let blocks = recording.blocks();
    let rows = recording.workers + usize::from(blocks.iter().any(|b| b.row == recording.workers));
    prop_assert_eq!(tasks.rows(), rows);
    let elapsed = recording.elapsed();
    let mut chance = Chance::new(seed ^ 3);
    let mut seen = Seen::new();
    for round in 0..30 {
        let (from, to) = match round {
            0..6 => (0, elapsed),
            _ => {
                let from = chance.within(0, elapsed);
                (from, from + chance.within(0, elapsed))
            }
        };
        let max_cells = [1, 3, 50, 300, 1000, 1 + chance.index(100)][round % 6];
        // The window as the answer understands it: inside the run, not empty.
        let whole = elapsed.max(1);
        let (inside, until) = (from.clamp(0, whole - 1), to.clamp(from.clamp(0, whole - 1) + 1, whole));
        let mut expected: Vec<&Block> =
            blocks.iter().filter(|b| b.start < until && (b.end > inside || b.start >= inside)).collect();
        expected.sort_by_key(|b| (b.row, b.start, b.end, b.node));
        match tasks.timeline(from, to, max_cells, usize::MAX) {
            Timeline::Intervals(list) => {
                let found: Vec<_> =
                    list.iter().map(|i| (i.worker as usize, i.start, i.end, i.node.index())).collect();
                let expected: Vec<_> = expected.iter().map(|b| (b.row, b.start, b.end, b.node)).collect();
                prop_assert_eq!(found, expected, "intervals in {}..{}", inside, until);
            }
            Timeline::Cells(_) => prop_assert!(false, "asked for intervals"),
        }
        match tasks.timeline(from, to, max_cells, 0) {
            Timeline::Cells(cells) => {
                prop_assert!(cells.from <= inside && until <= cells.from + cells.count as i64 * cells.cell);
                prop_assert!(cells.count <= 2 * max_cells + 1, "{} cells for {}", cells.count, max_cells);
                check_cells(&blocks, rows, &cells)?;
                check_stable(&mut seen, rows, &cells)?;
            }
            Timeline::Intervals(list) => prop_assert!(list.is_empty() && expected.is_empty()),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn intervals_and_cells_equal_the_naive_ones(case in any_run()) {
        check(&case.record(), case.seed)?;
    }
}

/// More blocks and a longer time, so that the finest stored cell is wider than one unit and many levels are stored.
#[test]
fn stored_levels_equal_the_naive_ones() {
    let mut program = Program::new();
    program.open(Kind::Section);
    let mut chance = Chance::new(11);
    for _ in 0..400 {
        let longest = if chance.tenths(1) { 900_000 } else { 900 };
        let body = 1 + chance.within(0, longest);
        program.spawn(1 + chance.within(0, 300), body);
    }
    program.close(5);
    program.close(5);
    let schedule = Schedule::greedy(&program, 3);
    let recording = Recording::whole(program, schedule, 3);
    check(&recording, 1).expect("equal");
    let opened = recording.open();
    let grid = opened.tasks.summary().cells;
    assert!(grid.cell > 1, "finest cell {}", grid.cell);
    let (blocks, elapsed) = (recording.blocks(), recording.elapsed());
    // Each level in turn, and finer than the finest.
    for level in 0..grid.levels {
        let cells = (elapsed / (grid.cell << level)).max(1) as usize;
        match opened.tasks.timeline(0, elapsed, cells, 0) {
            Timeline::Cells(cells) => check_cells(&blocks, 3, &cells).expect("equal"),
            Timeline::Intervals(_) => panic!("asked for cells"),
        }
    }
    match opened.tasks.timeline(elapsed / 2, elapsed / 2 + 40 * grid.cell, 640, 0) {
        Timeline::Cells(cells) => {
            assert!(cells.cell < grid.cell);
            check_cells(&blocks, 3, &cells).expect("equal");
        }
        Timeline::Intervals(list) => assert!(list.is_empty()),
    }
}
