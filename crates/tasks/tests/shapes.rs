//! Extreme shapes: very deep, very wide, very small, very equal. Expected numbers are worked out by hand.

use crate::model;

use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Tasks, Timeline, Way};
use crosscut_tree::NodeId;
use model::{Manners, Program, Recording, Schedule, account, cases, full};
use proptest::prelude::*;

const MANY: usize = 100_000;

fn balance(tasks: &Tasks) {
    let s = tasks.summary();
    assert_eq!(s.work + s.delay + s.no_work, i64::from(s.workers) * s.elapsed);
}

/// Asks everything once, so that a shape that recursion or a quadratic walk cannot bear would show.
fn ask(tasks: &Tasks) {
    let s = tasks.summary();
    let last = NodeId(tasks.tree().node_count() as u32 - 1);
    assert!(tasks.is_critical(last) || tasks.tail(NodeId::ROOT) > tasks.span(NodeId::ROOT));
    assert_eq!(tasks.work(NodeId::ROOT), s.work);
    assert_eq!(tasks.edges(NodeId::ROOT), s.edges);
    assert_eq!(tasks.mix(0..tasks.tree().node_count())[..tasks.workers()], s.busy[..]);
    assert!(tasks.ready(last) <= tasks.start(last));
    assert!(!tasks.title(last).is_empty());
    tasks.causes();
    tasks.profile(0, s.elapsed, 100);
    match tasks.timeline(0, s.elapsed, 100, 0) {
        Timeline::Cells(cells) => {
            assert_eq!(cells.busy.iter().sum::<i64>(), s.work);
        }
        Timeline::Intervals(list) => assert!(list.is_empty()),
    }
}

fn opened(program: Program, workers: usize) -> model::Opened {
    let schedule = Schedule::greedy(&program, workers);
    let opened = Recording::whole(program, schedule, workers).open();
    balance(&opened.tasks);
    ask(&opened.tasks);
    opened
}

#[test]
fn a_chain_of_nested_tasks() {
    let mut program = Program::new();
    for _ in 0..MANY {
        program.open(Kind::Section);
        program.leaf(Kind::Create, 1);
        program.open(Kind::Task);
    }
    for _ in 0..MANY {
        program.close(2);
        program.close(3);
    }
    program.close(4);
    let opened = opened(program, 2);
    let (s, n) = (opened.tasks.summary(), MANY as i64);
    assert_eq!((s.depth as usize, s.tasks), (2 * MANY + 1, n));
    assert_eq!(s.work, 6 * n + 4);
    // Create and end of every task are in series; the wait of a section is so only in the innermost, where it is longer
    // than the task by one.
    assert_eq!(s.span, 3 * n + 4 + 1);
    assert_eq!(s.edges, [n, n, n, n, 0]);
}

#[test]
fn a_chain_of_nested_sections() {
    let mut program = Program::new();
    for _ in 0..MANY {
        program.open(Kind::Section);
    }
    for _ in 0..MANY {
        program.close(3);
    }
    program.close(4);
    let opened = opened(program, 2);
    let (s, n) = (opened.tasks.summary(), MANY as i64);
    assert_eq!(s.depth as usize, MANY + 1);
    assert_eq!((s.work, s.span, s.elapsed), (3 * n + 4, 3 * n + 4, 3 * n + 4));
    assert_eq!(s.edges, [0, 0, 0, n, 0]);
    assert_eq!((s.delay, s.no_work), (0, s.elapsed));
}

#[test]
fn a_fork_of_many_tasks() {
    let mut program = Program::new();
    let section = program.open(Kind::Section);
    for _ in 0..MANY {
        program.spawn(1, 3);
    }
    program.close(1);
    program.close(1);
    let opened = opened(program, 4);
    let (s, n) = (opened.tasks.summary(), MANY as i64);
    assert_eq!((s.tasks, s.depth), (n, 3));
    assert_eq!((s.work, s.span), (4 * n + 2, n + 3 + 1));
    assert_eq!(s.edges, [n, n, n, 1, 0]);
    let tree = opened.tasks.tree();
    assert_eq!(tree.child_count(NodeId(section as u32)), 2 * MANY + 1);
    // The path leaves the loop through the last task: nothing is longer than all creates and one task.
    let last = tree.child(NodeId(section as u32), 2 * MANY - 1);
    let inside = opened.tasks.critical_inside(NodeId(section as u32), &Way::Span);
    assert_eq!(inside.leaves_by(), last);
}

#[test]
fn a_program_of_one_interval() {
    let mut program = Program::new();
    program.close(7);
    let opened = opened(program, 1);
    let s = opened.tasks.summary();
    assert_eq!((s.nodes, s.depth, s.tasks, s.intervals, s.dag_nodes), (2, 1, 0, 1, 2));
    assert_eq!((s.work, s.span, s.elapsed, s.delay, s.no_work), (7, 7, 7, 0, 0));
    assert_eq!((s.edges, s.counts, s.ready), ([0; 5], [0, 0, 0, 1, 0, 0], [0; 5]));
    assert!(s.gaps.from.is_empty());
    assert_eq!(opened.tasks.causes().worth().count(), 0);
}

#[test]
fn a_program_that_takes_no_time() {
    let mut program = Program::new();
    program.open(Kind::Section);
    program.spawn(0, 0);
    program.close(0);
    program.close(0);
    let opened = opened(program, 2);
    let s = opened.tasks.summary();
    assert_eq!((s.work, s.span, s.elapsed, s.delay, s.no_work), (0, 0, 0, 0, 0));
    assert_eq!(s.intervals, 4);
    assert_eq!(opened.tasks.exact_profile(), []);
    assert_eq!(opened.tasks.causes().worth().count(), 0);
}

#[test]
fn three_hundred_workers() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for i in 0..2000 {
        program.spawn(1, 500 + i % 3);
    }
    program.close(1);
    program.close(1);
    let schedule = Schedule::greedy(&program, 300);
    let recording = Recording::whole(program, schedule, 300);
    let opened = recording.open();
    balance(&opened.tasks);
    ask(&opened.tasks);
    let s = opened.tasks.summary();
    assert_eq!((s.workers, s.busy.len(), opened.tasks.rows()), (300, 300, 300));
    assert_eq!(s.busy.iter().sum::<i64>(), s.work);
    assert!(s.busy.iter().all(|&busy| busy > 0));
    let expected = account(&recording.blocks(), 300);
    assert_eq!((s.delay, s.no_work), (expected.delay, expected.no_work));
}

/// Cores as numbers beyond any worker, and places beyond the workers, survive the way through the run.
#[test]
fn one_worker_on_many_cores() {
    let mut program = Program::new();
    for _ in 0..50 {
        program.leaf(Kind::Other, 2);
    }
    program.close(1);
    let mut core = 0;
    let place = |_, _| {
        core += 1;
        (0, 1000 + core, 0)
    };
    let schedule = Schedule::run(&program, 1, |_| 0, place);
    let opened = Recording::whole(program, schedule, 1).open();
    let tasks = &opened.tasks;
    assert_eq!((tasks.worker(NodeId::ROOT), tasks.core(NodeId::ROOT)), (Some(0), None));
    for i in 1..=51 {
        assert_eq!((tasks.worker(NodeId(i)), tasks.core(NodeId(i))), (Some(0), Some(1000 + i64::from(i))));
    }
    assert_eq!((tasks.workers(), tasks.places().len()), (1, 52));
}

proptest! {
    #![proptest_config(cases(40))]

    /// One worker: its time is work or delay, never no-work.
    #[test]
    fn one_worker_always_has_work(case in full()) {
        let case = model::Case { workers: 1, ..case };
        let opened = case.record().open();
        let s = opened.tasks.summary();
        prop_assert_eq!(s.no_work, 0);
        prop_assert_eq!(s.work + s.delay, s.elapsed);
        prop_assert_eq!(s.migrations.iter().map(|m| m.counts.iter().sum::<i64>()).sum::<i64>(), s.edges.iter().sum::<i64>());
    }

    /// Equal times everywhere: every interval takes the same, so every comparison is a tie.
    #[test]
    fn equal_times_everywhere(case in full(), length in 0i64..3) {
        let manners = Manners { longest: length, pause: 0, ..case.manners };
        let case = model::Case { manners, ..case };
        let mut program = case.record().program;
        for node in &mut program.nodes {
            node.length = length;
        }
        let schedule = Schedule::greedy(&program, case.workers);
        let recording = Recording::whole(program, schedule, case.workers);
        let opened = recording.open();
        let s = opened.tasks.summary();
        let expected = account(&recording.blocks(), case.workers as i64);
        prop_assert_eq!((s.delay, s.no_work), (expected.delay, expected.no_work));
        prop_assert_eq!(s.delay, 0, "a greedy schedule leaves nothing ready while a worker is free");
        prop_assert_eq!(s.work, length * s.intervals);
        let marked: i64 = (0..s.nodes)
            .map(NodeId)
            .filter(|&node| opened.tasks.tree().is_leaf(node) && opened.tasks.is_critical(node))
            .map(|node| opened.tasks.span(node))
            .sum();
        prop_assert_eq!(marked, s.span);
    }
}

/// Every task creates one and does not wait for it; a deep wait around them does.
#[test]
fn a_chain_of_tasks_left_behind() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..MANY {
        program.open(Kind::Section);
        program.leaf(Kind::Create, 1);
        program.open(Kind::Task);
    }
    for _ in 0..MANY {
        program.close(3);
        program.leave();
    }
    program.close_deep(2);
    program.close(4);
    let opened = opened(program, 2);
    let (s, n) = (opened.tasks.summary(), MANY as i64);
    assert_eq!((s.depth as usize, s.tasks), (2 * MANY + 2, n));
    // All creates in series, the end of the innermost task, and the end of the program.
    assert_eq!((s.work, s.span), (4 * n + 6, n + 3 + 4));
    assert_eq!(s.edges, [n, n, n, 1, 0]);
}

/// One open section inside the other, all of them the last thing in what holds them.
#[test]
fn a_chain_of_open_sections() {
    let mut program = Program::new();
    for _ in 0..MANY {
        program.open(Kind::Section);
        program.spawn(1, 5);
    }
    for _ in 0..MANY {
        program.leave();
    }
    program.close(4);
    let opened = opened(program, 2);
    let (s, n) = (opened.tasks.summary(), MANY as i64);
    assert_eq!(s.span, n + 5);
    assert_eq!(opened.tasks.span(NodeId::ROOT), n + 4);
    assert_eq!(s.edges, [0, n, n, 0, 0]);
}

/// A pipeline: each task needs the one before it.
#[test]
fn a_chain_of_dependences() {
    let mut program = Program::new();
    let section = program.open(Kind::Section);
    for _ in 0..MANY {
        program.spawn(1, 3);
    }
    program.close(1);
    program.close(1);
    let tasks: Vec<usize> = program.nodes[section].children[1..2 * MANY].iter().copied().step_by(2).collect();
    program.depends = tasks.windows(2).map(|pair| (pair[1], pair[0])).collect();
    let opened = opened(program, 4);
    let (s, n) = (opened.tasks.summary(), MANY as i64);
    assert_eq!((s.work, s.span), (4 * n + 2, 1 + 3 * n + 1));
    let last = NodeId(tasks[MANY - 1] as u32);
    assert!(opened.tasks.is_critical(last) && opened.tasks.is_critical(NodeId(tasks[0] as u32)));
    assert_eq!(opened.tasks.depends_on(last), [tasks[MANY - 2] as u32]);
}

/// A parallel region of three lanes, two phases, tasks that only the phase waits for. Worked out by hand.
#[test]
fn a_parallel_region() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for phase in 0..2 {
        program.open(Kind::Section);
        for lane in 0..3 {
            program.leaf(Kind::Fork, 1);
            program.open(Kind::Task);
            program.leaf(Kind::Chunk, 10 * (lane + 1));
            if lane == 0 {
                program.open(Kind::Section);
                program.spawn(2, 50);
                program.leave();
            }
            program.close(1);
        }
        program.close_deep(phase);
    }
    program.close(1);
    program.close(1);
    let opened = opened(program, 3);
    let s = opened.tasks.summary();
    // Each phase: fork, chunk, create, then the task that the lane left behind.
    assert_eq!(s.span, 2 * (1 + 10 + 2 + 50) + 2);
    assert_eq!((s.tasks, s.counts), (2, [2, 3, 0, 9, 6, 6]));
    assert_eq!(s.edges, [8, 8, 8, 3, 6]);
}
