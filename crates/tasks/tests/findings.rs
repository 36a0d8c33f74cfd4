//! Findings on runs that were made to have one: it comes first, and points at the right node and time.

mod model;

use crosscut_tasks::schema::Kind;
use crosscut_tasks::{FindingView, Severity};
use crosscut_tree::NodeId;
use model::{Program, Recording, Schedule};

/// Four workers, four equal tasks that start at once, and whatever comes after.
fn fork(program: &mut Program, length: i64) {
    program.open(Kind::Section);
    for _ in 0..3 {
        program.spawn(0, length);
    }
    program.close(length);
}

#[test]
fn a_perfect_run_has_none() {
    let mut program = Program::new();
    fork(&mut program, 100_000);
    program.close(0);
    let schedule = Schedule::greedy(&program, 4);
    let opened = Recording::whole(program, schedule, 4).open();
    assert_eq!(opened.tasks.summary().elapsed, 100_000);
    assert_eq!(opened.tasks.findings(), []);
}

#[test]
fn a_serial_tail_is_found() {
    let mut program = Program::new();
    fork(&mut program, 100_000);
    let tail = program.close(50_000);
    let schedule = Schedule::greedy(&program, 4);
    let opened = Recording::whole(program, schedule, 4).open();
    let found = opened.tasks.findings();
    let first = &found[0];
    assert_eq!((first.id, first.view), ("no-work", FindingView::Timeline));
    assert_eq!(first.node, Some(NodeId(tail as u32)));
    let (from, to) = first.window.expect("a window");
    assert!((99_000..101_000).contains(&from) && to == 150_000, "{from}..{to}");
    assert!((first.cost - 150_000).abs() < 3_000, "three workers for 50,000: {}", first.cost);
    assert_eq!(first.severity, Severity::High);
    assert!(found.iter().any(|f| f.id == "critical-path"));
}

#[test]
fn where_nothing_runs_nothing_is_pointed_at() {
    let mut program = Program::new();
    fork(&mut program, 100_000);
    let tail = program.close(1_000);
    let mut schedule = Schedule::greedy(&program, 4);
    schedule.start[tail] += 200_000;
    schedule.end[tail] += 200_000;
    let opened = Recording::whole(program, schedule, 4).open();
    let found = opened.tasks.findings();
    let first = found.iter().find(|f| f.id == "no-work" && f.node.is_none()).expect("the gap");
    assert!(first.what.starts_with("none of 4 workers had anything to run for "), "{}", first.what);
    assert!(!first.advice.contains("runs alone") && first.place.is_none(), "{}", first.advice);
    assert!(found.iter().all(|f| !f.what.contains("only 0.0 of")));
}

/// A tail in a run so long that cells, not intervals, answer.
#[test]
fn a_serial_tail_of_many_intervals_is_found() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..8000 {
        program.spawn(10, 90);
    }
    program.close(10);
    let tail = program.close(300_000);
    let schedule = Schedule::greedy(&program, 4);
    let opened = Recording::whole(program, schedule, 4).open();
    let first = &opened.tasks.findings()[0];
    assert_eq!((first.id, first.node), ("no-work", Some(NodeId(tail as u32))));
}

#[test]
fn a_serial_spawn_loop_is_found() {
    let mut program = Program::new();
    let section = program.open(Kind::Section);
    for _ in 0..10_000 {
        program.spawn(10, 10);
    }
    program.close(10);
    program.close(10);
    let schedule = Schedule::greedy(&program, 4);
    let opened = Recording::whole(program, schedule, 4).open();
    let found = opened.tasks.findings();
    assert_eq!((found[0].id, found[0].view), ("serial-spawn", FindingView::Dag));
    assert_eq!(found[0].node, Some(NodeId(section as u32)));
    assert_eq!(found[0].severity, Severity::High);
    assert!(found[0].what.contains("10\u{2009}000 tasks"), "{}", found[0].what);
    assert!(found.iter().all(|f| f.id != "no-work"), "the idle time is explained");
}

/// A loop that creates tasks fast enough to keep everybody busy is no finding.
#[test]
fn a_fast_spawn_loop_is_not() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..5000 {
        program.spawn(1, 100);
    }
    program.close(1);
    program.close(1);
    let schedule = Schedule::greedy(&program, 4);
    let opened = Recording::whole(program, schedule, 4).open();
    assert!(opened.tasks.findings().iter().all(|f| f.id != "serial-spawn"));
}

#[test]
fn tiny_tasks_with_big_gaps_are_found() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..500 {
        program.spawn(1, 10);
    }
    program.close(1);
    program.close(1);
    // Created at once; then every task waits for 50 before a worker takes it up.
    let tasks: Vec<bool> = program.nodes.iter().map(|n| n.kind == Kind::End).collect();
    let mut turn = 0;
    let place = |leaf: usize, _| {
        if !tasks[leaf] {
            return (0, -1, 0);
        }
        turn = (turn + 1) % 4;
        (turn, -1, 50)
    };
    // The loop first, then the tasks.
    let choose = |pool: &[usize]| pool.iter().position(|&leaf| !tasks[leaf]).unwrap_or(0);
    let schedule = Schedule::run(&program, 4, choose, place);
    let opened = Recording::whole(program, schedule, 4).open();
    let found = opened.tasks.findings();
    assert_eq!((found[0].id, found[0].severity), ("delay", Severity::High));
    assert_eq!(found[0].cost, opened.tasks.summary().delay);
    assert!(found[0].what.contains("after the creation of a task"), "{}", found[0].what);
}
