//! Causes on runs that were made to have one: it comes first, with its cost and its node. On any run the account adds up,
//! and what is lost is what a slow and obvious reference says.

mod model;

use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Cause, Causes, Finding};
use crosscut_tree::NodeId;
use model::{Block, Program, Recording, Schedule, any_run, cases, full};
use proptest::prelude::*;

/// All causes of a program that a greedy scheduler ran.
fn causes(program: Program, workers: usize) -> Causes {
    let schedule = Schedule::greedy(&program, workers);
    let causes = Recording::whole(program, schedule, workers).open().tasks.causes();
    adds_up(&causes);
    causes
}

fn adds_up(causes: &Causes) {
    let account = causes.account;
    assert_eq!(account.work + account.lost + account.shared + account.unexplained, account.capacity);
    assert_eq!(account.lost, causes.findings.iter().map(|finding| finding.cost).sum::<i64>());
    assert!(account.work >= 0 && account.unexplained >= 0);
    // Worst first among those that the program can change, and among the others.
    assert!(causes.findings.iter().all(|found| found.behind || !found.cause.is_outside()));
    assert!(causes.findings.is_sorted_by_key(|found| (found.behind, std::cmp::Reverse(found.cost))));
}

fn first(causes: &Causes) -> &Finding {
    causes.findings.first().expect("a cause")
}

/// As many equal tasks as there are workers.
fn fork(program: &mut Program, tasks: usize, length: i64) {
    program.open(Kind::Section);
    for _ in 1..tasks {
        program.spawn(0, length);
    }
    program.close(length);
}

/// A team with this work for each member.
fn team(program: &mut Program, works: &[i64]) -> usize {
    let section = program.open(Kind::Section);
    for &work in works {
        program.leaf(Kind::Fork, 0);
        program.open(Kind::Task);
        program.close(work);
    }
    program.close_deep(0);
    section
}

#[test]
fn a_perfect_run_has_none() {
    let mut program = Program::new();
    fork(&mut program, 4, 100_000);
    program.close(0);
    let causes = causes(program, 4);
    assert_eq!(causes.findings, []);
    assert_eq!(causes.account.work, causes.account.capacity);
}

#[test]
fn a_serial_tail_is_found() {
    let mut program = Program::new();
    fork(&mut program, 4, 100_000);
    let tail = program.close(50_000);
    let causes = causes(program, 4);
    let found = first(&causes);
    assert_eq!(found.cause, Cause::SerialPart);
    assert_eq!((found.cost, found.node), (150_000, Some(NodeId(tail as u32))));
    assert_eq!(found.window, Some((100_000, 150_000)));
    assert_eq!(found.without, 112_500, "in four parts");
    assert!(found.evidence.contains("50.0 µs on worker"), "{}", found.evidence);
    let lost: i64 = found.stretches.iter().map(|(_, from, to)| to - from).sum();
    assert_eq!(lost, 150_000);
    assert_eq!(causes.findings.len(), 1);
}

#[test]
fn members_with_unequal_work_are_found_from_two_on() {
    for works in [&[100_000, 20_000][..], &[10_000, 20_000, 30_000, 90_000]] {
        let mut program = Program::new();
        for _ in 0..3 {
            team(&mut program, works);
        }
        program.close(0);
        let causes = causes(program, works.len());
        let found = first(&causes);
        assert_eq!(found.cause, Cause::Imbalance, "{works:?}");
        let longest = works.iter().max().expect("members");
        let lost: i64 = works.iter().map(|work| longest - work).sum();
        assert_eq!(found.cost, 3 * lost);
        assert!(found.evidence.contains("3 of 3 times"), "{}", found.evidence);
    }
}

/// The same work for every member in the end, but another one is last at each barrier.
#[test]
fn barriers_with_another_last_each_time_are_found() {
    let mut program = Program::new();
    for step in 0..40 {
        let works: Vec<i64> = (0..4).map(|member| if step % 4 == member { 30_000 } else { 10_000 }).collect();
        team(&mut program, &works);
    }
    program.close(0);
    let causes = causes(program, 4);
    let found = first(&causes);
    assert_eq!((found.cause, found.cost), (Cause::BarrierWait, 40 * 3 * 20_000));
    assert!(found.evidence.starts_with("40 barriers"), "{}", found.evidence);
}

/// In a team one member works, the others do nothing: that is no imbalance.
#[test]
fn one_that_works_in_a_team_is_a_serial_part() {
    let mut program = Program::new();
    team(&mut program, &[80_000, 0, 0, 0]);
    program.close(0);
    assert_eq!(first(&causes(program, 4)).cause, Cause::SerialPart);
}

#[test]
fn a_serial_spawn_loop_is_found() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..1000 {
        program.spawn(10_000, 10_000);
    }
    program.close(10);
    program.close(10);
    let causes = causes(program, 4);
    let found = first(&causes);
    assert_eq!(found.cause, Cause::SerialSpawn);
    assert!(found.evidence.contains("1\u{2009}000, one per 10.0 µs"), "{}", found.evidence);
    assert!(found.evidence.contains("feeds 1.00 of 4 workers"), "{}", found.evidence);
    assert!(2 * found.cost > causes.account.lost, "that is most of it");
}

/// A loop that creates tasks fast enough to keep everybody busy is none.
#[test]
fn a_fast_spawn_loop_is_not() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..5000 {
        program.spawn(1, 100);
    }
    program.close(1);
    program.close(1);
    let causes = causes(program, 4);
    assert_eq!(causes.worth().count(), 0, "{:?}", causes.findings);
}

#[test]
fn a_wait_after_every_task_is_found() {
    let mut program = Program::new();
    for _ in 0..20 {
        program.open(Kind::Section);
        program.spawn(1, 10_000);
        program.close(1);
    }
    program.close(1);
    let causes = causes(program, 4);
    let found = first(&causes);
    assert_eq!(found.cause, Cause::WaitInLoop);
    // Three workers have nothing to run, but for the moment in which the wait begins.
    assert!((found.cost - 20 * 3 * 10_000).abs() < 100, "{}", found.cost);
    assert!(found.evidence.contains("after each of 20 tasks"), "{}", found.evidence);
}

/// Recursion that creates one, goes on inline and waits has a narrow section in each task, and no loop.
#[test]
fn recursion_is_no_wait_in_a_loop() {
    fn divide(program: &mut Program, depth: u32, length: i64) {
        if depth == 0 {
            program.leaf(Kind::Other, length);
            return;
        }
        program.open(Kind::Section);
        program.leaf(Kind::Create, 1);
        program.open(Kind::Task);
        divide(program, depth - 1, length);
        program.close(1);
        divide(program, depth - 1, length);
        program.close(1);
    }
    let mut program = Program::new();
    divide(&mut program, 6, 10_000);
    program.close(1);
    let causes = causes(program, 3);
    assert!(causes.findings.iter().all(|found| found.cause != Cause::WaitInLoop), "{:?}", causes.findings);
}

#[test]
fn a_chain_of_dependences_is_found() {
    let mut program = Program::new();
    program.open(Kind::Section);
    let mut before = None;
    for _ in 0..50 {
        let (create, _) = program.spawn(1, 10_000);
        let task = create + 1;
        program.depends.extend(before.map(|before| (task, before)));
        before = Some(task);
    }
    program.close(1);
    program.close(1);
    let causes = causes(program, 4);
    let found = first(&causes);
    assert_eq!(found.cause, Cause::DependenceChain);
    assert!(found.evidence.starts_with("50 tasks, each waits for the one before"), "{}", found.evidence);
    assert!(found.evidence.contains("500 µs in a row"), "{}", found.evidence);
}

#[test]
fn a_long_task_that_starts_last_is_found() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..400 {
        program.spawn(1, 1_000);
    }
    let (create, _) = program.spawn(1, 60_000);
    program.close(1);
    program.close(1);
    let causes = causes(program, 4);
    let found = first(&causes);
    assert_eq!(found.cause, Cause::LateTask, "{:?}", causes.findings);
    assert!(found.evidence.contains("A task of 60.0 µs"), "{}", found.evidence);
    assert_eq!(found.node, Some(NodeId(create as u32 + 2)));
}

/// The same task created first is none.
#[test]
fn a_long_task_that_starts_first_is_not_late() {
    let mut program = Program::new();
    program.open(Kind::Section);
    program.spawn(1, 60_000);
    for _ in 0..400 {
        program.spawn(1, 1_000);
    }
    program.close(1);
    program.close(1);
    let causes = causes(program, 4);
    assert!(causes.findings.iter().all(|found| found.cause != Cause::LateTask), "{:?}", causes.findings);
}

#[test]
fn tasks_that_cost_more_than_they_do_are_found() {
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
    let choose = |pool: &[usize]| pool.iter().position(|&leaf| !tasks[leaf]).unwrap_or(0);
    let schedule = Schedule::run(&program, 4, choose, place);
    let causes = Recording::whole(program, schedule, 4).open().tasks.causes();
    adds_up(&causes);
    let found = first(&causes);
    assert_eq!(found.cause, Cause::SmallTasks);
    assert!(found.evidence.starts_with("500 tasks, median 10.0 ns"), "{}", found.evidence);
}

/// Where nothing runs and nothing is ready, nobody is to blame; where something is ready, the runtime is.
#[test]
fn what_nobody_explains_is_said() {
    let mut program = Program::new();
    fork(&mut program, 4, 100_000);
    let tail = program.close(1_000);
    let mut schedule = Schedule::greedy(&program, 4);
    schedule.start[tail] += 200_000;
    schedule.end[tail] += 200_000;
    let causes = Recording::whole(program, schedule, 4).open().tasks.causes();
    adds_up(&causes);
    let found = first(&causes);
    assert_eq!((found.cause, found.cost), (Cause::RuntimeDelay, 800_000));
    assert!(found.evidence.contains("no other cause explains it"), "{}", found.evidence);
}

/// Time of free workers while something runs or is ready, by asking at every moment at which anything changes.
fn reference(blocks: &[Block], workers: i64, elapsed: i64) -> i64 {
    let mut times: Vec<i64> = blocks.iter().flat_map(|block| [block.start, block.end, block.ready]).collect();
    times.extend([0, elapsed]);
    times.retain(|time| (0..=elapsed).contains(time));
    times.sort_unstable();
    times.dedup();
    let mut lost = 0;
    for pair in times.windows(2) {
        let running =
            blocks.iter().filter(|block| block.start <= pair[0] && pair[0] < block.end).count() as i64;
        let ready = blocks.iter().filter(|block| block.ready <= pair[0] && pair[0] < block.start).count();
        if running > 0 || ready > 0 {
            lost += (workers - running).max(0) * (pair[1] - pair[0]);
        }
    }
    lost
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn what_is_lost_is_the_time_of_free_workers(case in full()) {
        let recording = case.record();
        let opened = recording.open();
        let causes = opened.tasks.causes();
        adds_up(&causes);
        let blocks = recording.blocks();
        let lost = reference(&blocks, recording.workers as i64, opened.tasks.summary().elapsed);
        // Each interval is rounded twice. Fetching short chunks is lost inside of them, while nobody is free.
        let rounded = 2 * blocks.len() as i64;
        let chunks = causes.findings.iter().filter(|found| found.cause == Cause::FineChunks);
        let inside: i64 = chunks.map(|found| found.cost).sum();
        let told = causes.account.lost;
        prop_assert!(told >= lost - rounded && told - inside <= lost + rounded, "{told} is not {lost}");
    }

    #[test]
    fn the_account_of_any_run_adds_up(case in any_run()) {
        let causes = case.record().open().tasks.causes();
        adds_up(&causes);
        for finding in &causes.findings {
            prop_assert!(finding.cost > 0 && finding.without >= 0);
            prop_assert!(finding.stretches.windows(2).all(|pair| {
                pair[0].0 < pair[1].0 || pair[0].0 == pair[1].0 && pair[0].2 <= pair[1].1
            }), "{:?}", finding.stretches);
            prop_assert!(!finding.evidence.is_empty() && !finding.advice.is_empty());
        }
        // No time of a worker is told twice.
        let mut all: Vec<_> = causes.findings.iter().flat_map(|finding| finding.stretches.clone()).collect();
        all.sort_unstable();
        let apart = all.windows(2).all(|pair| pair[0].0 < pair[1].0 || pair[0].2 <= pair[1].1);
        prop_assert!(apart, "{all:?}");
    }
}
