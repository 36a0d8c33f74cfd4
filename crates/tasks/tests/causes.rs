//! Causes on runs that were made to have one: it comes first, with its cost and its node. On any run the account adds up,
//! and what is lost is what a slow and obvious reference says.

use std::collections::BTreeMap;

use crate::model;

use crosscut_tasks::schema::{Beside, Kind, Lock, LockKind, LockUse, LockWait, NO_SOURCE, Stretch};
use crosscut_tasks::{Cause, Causes, Counters, Finding};
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
fn threads_beside_the_workers_lose_nothing() {
    let mut program = Program::new();
    team(&mut program, &[100_000, 20_000]);
    program.close(0);
    // Five threads, two of which the runtime calls workers.
    let schedule = Schedule::greedy(&program, 2);
    let mut recording = Recording::whole(program, schedule, 5);
    recording.facts = vec![("workers", 2)];
    let causes = recording.open().tasks.causes();
    adds_up(&causes);
    assert_eq!(causes.account.capacity, 200_000);
    let [(worker, from, to)] = first(&causes).stretches[..] else { panic!("{causes:?}") };
    assert_eq!((worker < 2, from, to), (true, 20_000, 100_000));
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

/// Sections of unequal length in a loop: whoever has the long one is last, and that may be another worker each time.
#[test]
fn a_part_of_a_loop_that_is_always_long_is_an_imbalance() {
    let first_with = |same_parts: bool| {
        let (mut program, mut firsts) = (Program::new(), BTreeMap::new());
        for step in 0..40 {
            program.open(Kind::Section);
            for member in 0..2 {
                program.leaf(Kind::Fork, 0);
                program.open(Kind::Task);
                let is_long = step % 2 == member;
                let chunk = program.leaf(Kind::Chunk, if is_long { 30_000 } else { 10_000 });
                program.at(chunk, 6);
                if same_parts {
                    firsts.insert(chunk, i64::from(is_long));
                }
                program.close(0);
            }
            program.close_deep(0);
        }
        program.close(0);
        let schedule = Schedule::greedy(&program, 2);
        let mut recording = Recording::whole(program, schedule, 2);
        recording.firsts = firsts;
        let causes = recording.open().tasks.causes();
        adds_up(&causes);
        (first(&causes).cause, first(&causes).cost)
    };
    assert_eq!(first_with(true), (Cause::Imbalance, 40 * 20_000));
    assert_eq!(first_with(false), (Cause::BarrierWait, 40 * 20_000));
}

/// A region whose members do one thing after the other, with a barrier behind each: its own line does not say which.
#[test]
fn what_members_do_behind_another_barrier_has_its_own_line() {
    let line_of = |lines: [u32; 3]| {
        let mut program = Program::new();
        let around = program.open(Kind::Section);
        for (line, works) in lines.into_iter().zip([[50_000, 50_000], [50_000, 50_000], [90_000, 10_000]]) {
            let section = team(&mut program, &works);
            region(&mut program, section, 5);
            for member in [section + 3, section + 6] {
                program.at(member, line);
            }
        }
        program.close(0);
        program.at(around, 5);
        program.close(0);
        let causes = causes(program, 2);
        assert_eq!((first(&causes).cause, first(&causes).cost), (Cause::Imbalance, 80_000));
        first(&causes).source
    };
    assert_eq!(line_of([7, 7, 11]), Some(11));
    assert_eq!(line_of([7, 11, 7]), Some(7));
    assert_eq!(line_of([7, 7, 7]), Some(5), "one of many alike");
}

/// In a team one member works, the others do nothing: that is no imbalance.
#[test]
fn one_that_works_in_a_team_is_a_serial_part() {
    let mut program = Program::new();
    team(&mut program, &[80_000, 0, 0, 0]);
    program.close(0);
    assert_eq!(first(&causes(program, 4)).cause, Cause::SerialPart);
}

/// A loop in which one member gets everything was to be shared out: its schedule is wrong. Code behind a loop is code of one member.
#[test]
fn a_loop_that_one_member_works_is_an_imbalance() {
    let first_with = |chunk: i64, behind: i64| {
        let mut program = Program::new();
        program.open(Kind::Section);
        for work in [chunk, 10] {
            program.leaf(Kind::Fork, 0);
            program.open(Kind::Task);
            let leaf = program.leaf(Kind::Chunk, work);
            program.at(leaf, 6);
            program.close(if work == chunk { behind } else { 0 });
        }
        program.close_deep(0);
        program.close(0);
        let found = causes(program, 2);
        let found = first(&found);
        (found.cause, found.source)
    };
    assert_eq!(first_with(80_000_000, 0), (Cause::Imbalance, Some(6)));
    assert_eq!(first_with(1_000_000, 200_000_000).0, Cause::SerialPart);
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

/// One that has much to do for each task that it creates keeps the others waiting, and they fall asleep: what it takes to wake
/// them up makes no task small.
#[test]
fn a_slow_creator_keeps_others_waiting() {
    for (between, cause) in [(30_000, Cause::SerialSpawn), (300, Cause::SmallTasks)] {
        let mut program = Program::new();
        program.open(Kind::Section);
        for _ in 0..200 {
            let (create, _) = program.spawn(between, 5_000);
            program.at(create, 6);
        }
        program.close(1);
        program.close(1);
        let tasks: Vec<bool> = program.nodes.iter().map(|node| node.kind == Kind::End).collect();
        let mut turn = 0;
        let place = |leaf: usize, _| {
            if !tasks[leaf] || leaf + 1 == tasks.len() {
                return (0, -1, 0);
            }
            turn = turn % 3 + 1;
            (turn, -1, 4_000)
        };
        let choose = |pool: &[usize]| pool.iter().position(|&leaf| !tasks[leaf]).unwrap_or(0);
        let schedule = Schedule::run(&program, 4, choose, place);
        let causes = Recording::whole(program, schedule, 4).open().tasks.causes();
        adds_up(&causes);
        let cost_of = |cause: Cause| {
            let found = causes.findings.iter().find(|found| found.cause == cause);
            found.map_or(0, |found| found.cost)
        };
        assert_eq!((first(&causes).cause, first(&causes).source), (cause, Some(6)), "{:?}", causes.findings);
        assert_eq!(cost_of(Cause::RuntimeDelay), 0);
        if cause == Cause::SerialSpawn {
            assert_eq!(cost_of(Cause::SmallTasks), 0);
        }
    }
}

/// What a task does before it creates the first of many is no part of creating them, unless it does as much before each.
#[test]
fn code_before_the_first_task_is_a_serial_part() {
    for (before, cause) in [(4_000_000, Cause::SerialPart), (10_000, Cause::SerialSpawn)] {
        let mut program = Program::new();
        for _ in 0..5 {
            program.open(Kind::Section);
            for task in 0..20 {
                let (create, _) = program.spawn(if task == 0 { before } else { 10_000 }, 9_000);
                program.lines.insert(create, (32, 30));
            }
            let wait = program.close(10);
            program.at(wait, 32);
        }
        program.close(10);
        let causes = causes(program, 2);
        let line = if cause == Cause::SerialPart { 32 } else { 30 };
        assert_eq!(
            (first(&causes).cause, first(&causes).source),
            (cause, Some(line)),
            "{:?}",
            causes.findings
        );
    }
}

/// One member of a team creates tasks, and the others have a little to do themselves: that is no unequal work of members.
#[test]
fn a_member_that_creates_all_tasks_is_a_serial_spawn() {
    let first_with = |makers: usize| {
        let mut program = Program::new();
        program.open(Kind::Section);
        for member in 0..4 {
            program.leaf(Kind::Fork, 0);
            program.open(Kind::Task);
            if member < makers {
                program.open(Kind::Section);
                for _ in 0..100 {
                    let (create, _) = program.spawn(if member == 0 { 30_000 } else { 3_000 }, 5_000);
                    program.at(create, 6);
                }
                program.close(1);
                program.close(1);
            } else {
                program.close(200_000);
            }
        }
        program.close_deep(0);
        program.close(0);
        first(&causes(program, 4)).cause
    };
    assert_eq!(first_with(1), Cause::SerialSpawn);
    assert_eq!(first_with(4), Cause::Imbalance);
}

/// A member that has nothing to do comes late: while another one works that keeps nobody waiting.
#[test]
fn members_without_work_are_late_for_nobody() {
    let mut program = Program::new();
    for _ in 0..10 {
        team(&mut program, &[100_000, 0]);
    }
    program.close(0);
    let members: Vec<bool> = program.nodes.iter().map(|node| node.kind == Kind::End).collect();
    let place = |leaf: usize, _| match members[leaf] && leaf + 1 < members.len() {
        false => (0, -1, 0),
        true if program.nodes[leaf].length > 0 => (0, -1, 0),
        true => (1, -1, 90_000),
    };
    // All are forked before the first of them runs.
    let choose = |pool: &[usize]| pool.iter().position(|&leaf| !members[leaf]).unwrap_or(0);
    let schedule = Schedule::run(&program, 2, choose, place);
    let causes = Recording::whole(program.clone(), schedule, 2).open().tasks.causes();
    adds_up(&causes);
    assert_eq!((first(&causes).cause, first(&causes).cost), (Cause::SerialPart, 10 * 100_000));
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

/// Recursion that waits behind each task, before it creates the next: nothing ever runs beside anything.
#[test]
fn recursion_that_waits_for_each_task_is_found() {
    fn divide(program: &mut Program, depth: u32, length: i64) {
        if depth == 0 {
            program.leaf(Kind::Other, length);
            return;
        }
        for _ in 0..2 {
            program.open(Kind::Section);
            program.leaf(Kind::Create, 1);
            program.open(Kind::Task);
            divide(program, depth - 1, length);
            program.close(1);
            program.close(1);
        }
    }
    let mut program = Program::new();
    divide(&mut program, 6, 100_000);
    program.close(1);
    let causes = causes(program, 3);
    let found = first(&causes);
    assert_eq!(found.cause, Cause::WaitInLoop, "{:?}", causes.findings);
    assert!(found.evidence.contains("never more than 1 in flight"), "{}", found.evidence);
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

/// Says at which line a region is: a section has the line of its first interval.
fn region(program: &mut Program, section: usize, line: u32) {
    program.at(section + 1, line);
}

/// A region at a line with one member, which works for so long.
fn alone(program: &mut Program, line: u32, work: i64) {
    let section = team(program, &[work]);
    region(program, section, line);
    program.at(section + 3, line);
}

/// What a member or a task does in a region that has no other thread is its own.
#[test]
fn a_team_of_one_belongs_to_the_member_around_it() {
    let mut program = Program::new();
    let outer = program.open(Kind::Section);
    region(&mut program, outer, 5);
    for work in [100_000, 20_000, 20_000] {
        program.leaf(Kind::Fork, 0);
        program.open(Kind::Task);
        alone(&mut program, 9, work);
        program.close(0);
    }
    program.close_deep(0);
    program.close(0);
    let causes = causes(program, 3);
    let found = first(&causes);
    assert_eq!((found.cause, found.source, found.cost), (Cause::Imbalance, Some(5), 160_000));
    assert!(found.evidence.contains("works 100 µs in this region"), "{}", found.evidence);
}

#[test]
fn a_team_of_one_belongs_to_the_task_around_it() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for work in [100_000, 20_000, 20_000] {
        let create = program.leaf(Kind::Create, 1);
        program.at(create, 7);
        program.open(Kind::Task);
        alone(&mut program, 9, work);
        program.close(0);
    }
    program.close(0);
    program.close(0);
    let causes = causes(program, 4);
    let found = first(&causes);
    assert_eq!((found.cause, found.source), (Cause::Imbalance, Some(7)), "{:?}", causes.findings);
    assert!(
        found.evidence.starts_with("A task takes 100 µs, the mean of 3 is 46.7 µs"),
        "{}",
        found.evidence
    );
}

/// A stretch of a worker from the begin of the run.
fn stretch(worker: u32, to: i64, processor: i64, voluntary: i64, involuntary: i64) -> Stretch {
    Stretch { worker, from: 0, to, processor, voluntary, involuntary }
}

/// A team of two with this work, on two processors, and what is known of the time of its workers.
fn team_with(works: &[i64], stretches: [Stretch; 2], idle: i64) -> Causes {
    let mut program = Program::new();
    team(&mut program, works);
    program.close(0);
    let schedule = Schedule::greedy(&program, 2);
    let mut recording = Recording::whole(program, schedule, 2);
    recording.beside.stretches = stretches.to_vec();
    recording.facts = vec![("processors", 2), ("idle_ns", idle)];
    let causes = recording.open().tasks.causes();
    adds_up(&causes);
    causes
}

/// Members that sleep for what they do lose nothing to anybody, and the longer one is waited for all the same.
#[test]
fn who_sleeps_in_its_work_is_waited_for() {
    let stretches = [stretch(0, 100_000, 1_000, 50, 0), stretch(1, 100_000, 500, 11, 0)];
    let causes = team_with(&[100_000, 20_000], stretches, 198_000);
    let found = first(&causes);
    assert_eq!((found.cause, found.cost), (Cause::Imbalance, 80_000), "{:?}", causes.findings);
    assert!(causes.findings.iter().all(|found| found.cause != Cause::Preempted));
    assert_eq!(causes.blocked, 99_000 + 19_500);
    assert_eq!(causes.account.shared, 0);
}

/// Two workers on one of two processors: the other one was idle, so each could have had its own.
#[test]
fn workers_without_a_processor_are_found() {
    let stretches = [stretch(0, 100_000, 50_000, 0, 9), stretch(1, 100_000, 50_000, 0, 9)];
    let causes = team_with(&[100_000, 100_000], stretches, 100_000);
    let found = first(&causes);
    assert_eq!((found.cause, found.cost), (Cause::Preempted, 100_000));
    assert!(found.evidence.contains("2 of 2 workers had no processor"), "{}", found.evidence);
    assert!(found.evidence.contains("18 involuntary switches"), "{}", found.evidence);
    assert_eq!((causes.account.shared, causes.blocked), (0, 0));
}

/// One task is created, the other part runs inline, then both are waited for: whichever is longer runs alone at the end.
#[test]
fn what_runs_inline_beside_a_task_is_no_serial_part() {
    for (created, inline) in [(20_000, 100_000), (100_000, 20_000)] {
        let mut program = Program::new();
        program.open(Kind::Section);
        let (create, _) = program.spawn(1, created);
        program.at(create, 7);
        let wait = program.close(inline);
        program.at(wait, 8);
        program.close(1);
        let causes = causes(program, 2);
        let found = first(&causes);
        assert_eq!((found.cause, found.source), (Cause::Imbalance, Some(7)), "{:?}", causes.findings);
        let said = match created < inline {
            true => "What runs inline beside the task takes 100 µs, their mean is 20.0 µs",
            false => "A task takes 100 µs",
        };
        assert!(found.evidence.starts_with(said), "{}", found.evidence);
        let part = if created < inline { wait } else { create + 2 };
        assert_eq!(found.node, Some(NodeId(part as u32)));
        assert!((found.cost - 80_000).abs() < 10, "{}", found.cost);
    }
}

/// A region at a line whose members each have a region at another line, with this work for its members.
fn nested(program: &mut Program, outer: u32, inner: u32, works: &[&[i64]]) {
    let section = program.open(Kind::Section);
    region(program, section, outer);
    for works in works {
        program.leaf(Kind::Fork, 0);
        program.open(Kind::Task);
        let section = team(program, works);
        region(program, section, inner);
        program.close(0);
    }
    program.close_deep(0);
}

/// Inner regions with equal work for their members, one of which has more of it than the other: that is the fault of who
/// shares out the work around them.
#[test]
fn an_uneven_region_around_even_ones_is_found() {
    let mut program = Program::new();
    nested(&mut program, 5, 9, &[&[100_000, 100_000], &[20_000, 20_000]]);
    program.close(0);
    let causes = causes(program, 4);
    let found = first(&causes);
    assert_eq!((found.cause, found.source, found.cost), (Cause::Imbalance, Some(5), 160_000));
    assert!(found.evidence.contains("works 200 µs in this region, the mean is 120 µs"), "{}", found.evidence);
    assert_eq!(causes.findings.len(), 1, "{:?}", causes.findings);
}

/// An uneven one inside makes the one around it uneven: it comes first.
#[test]
fn an_uneven_region_inside_of_another_is_found() {
    let mut program = Program::new();
    nested(&mut program, 5, 9, &[&[200_000, 10_000], &[10_000, 10_000]]);
    program.close(0);
    let causes = causes(program, 4);
    let found = first(&causes);
    assert_eq!((found.cause, found.source), (Cause::Imbalance, Some(9)), "{:?}", causes.findings);
}

#[test]
fn a_region_with_few_of_all_workers_says_so() {
    let mut program = Program::new();
    team(&mut program, &[100_000, 100_000]);
    fork(&mut program, 4, 10_000);
    program.close(0);
    let causes = causes(program, 4);
    let found = first(&causes);
    assert_eq!((found.cause, found.cost), (Cause::Imbalance, 200_000));
    assert!(
        found.evidence.starts_with("Only 2 of 4 workers take part in this region, for 100 µs"),
        "{}",
        found.evidence
    );
}

/// Regions of which each member starts a while after it could.
fn slow_regions(count: usize, work: i64, pause: i64) -> Causes {
    let mut program = Program::new();
    for _ in 0..count {
        let section = team(&mut program, &[work; 4]);
        region(&mut program, section, 5);
    }
    program.close(0);
    let members: Vec<bool> = program.nodes.iter().map(|node| node.kind == Kind::End).collect();
    let mut turn = 0;
    let place = |leaf: usize, _| {
        if !members[leaf] || leaf + 1 == members.len() {
            return (0, -1, 0);
        }
        turn = (turn + 1) % 4;
        (turn, -1, pause)
    };
    let schedule = Schedule::run(&program, 4, |_| 0, place);
    let causes = Recording::whole(program, schedule, 4).open().tasks.causes();
    adds_up(&causes);
    causes
}

#[test]
fn many_short_regions_are_found() {
    let causes = slow_regions(100, 1_000, 500);
    let found = first(&causes);
    assert_eq!((found.cause, found.source), (Cause::BarrierWait, Some(5)), "{:?}", causes.findings);
    assert_eq!(found.cost, 100 * 4 * 500);
    assert!(
        found.evidence.starts_with("100 × 500 ns to start and end a step of 1.50 µs"),
        "{}",
        found.evidence
    );
    assert!(!found.behind);
}

/// A few of them, or longer ones, show nothing but a delay; it has the line where most of it is.
#[test]
fn a_few_late_regions_are_a_delay() {
    for (count, work) in [(3, 1_000), (100, 100_000)] {
        let causes = slow_regions(count, work, 500);
        let found = first(&causes);
        assert_eq!((found.cause, found.source), (Cause::RuntimeDelay, Some(5)), "{:?}", causes.findings);
        assert!(found.evidence.contains("most of it at model.c:5"), "{}", found.evidence);
    }
}

/// A runtime that does not say when a task is created: what its creator runs from one to the next is creating them, as
/// long as that is short.
#[test]
fn tasks_that_take_longer_to_create_than_to_run_are_small() {
    for (create, cause) in [(150, Cause::SmallTasks), (15_000, Cause::SerialSpawn)] {
        let mut program = Program::new();
        program.open(Kind::Section);
        for _ in 0..1000 {
            let (create, _) = program.spawn(create, 2 * create / 3);
            program.at(create, 6);
        }
        program.close(1);
        program.close(1);
        let causes = causes(program, 4);
        assert_eq!((first(&causes).cause, first(&causes).source), (cause, Some(6)), "{:?}", causes.findings);
        if cause == Cause::SmallTasks {
            let advice = "Let each task do what 30 do now (taskloop: a grainsize so many times as large): 34 instead of \
                          1\u{2009}000 tasks, with 2.94 µs of work each, 19.6 × what one costs.";
            assert_eq!(first(&causes).advice, advice);
        }
    }
}

#[test]
fn creating_that_takes_longer_now_and_then_is_still_creating() {
    // As where others hold the runtime's lock most of the time; beyond two microseconds it is the creator's own.
    for (slow, cause) in [(1_500, Cause::SmallTasks), (9_000, Cause::SerialSpawn)] {
        let mut program = Program::new();
        program.open(Kind::Section);
        for at in 0..1000 {
            let (create, _) = program.spawn(if at % 3 == 0 { 200 } else { slow }, 60);
            program.at(create, 6);
        }
        program.close(1);
        program.close(1);
        let causes = causes(program, 4);
        assert_eq!((first(&causes).cause, first(&causes).source), (cause, Some(6)), "{:?}", causes.findings);
    }
}

/// Two halves again and again, each a task; what is left works 100.
fn halves(program: &mut Program, left: u32) {
    if left == 0 {
        program.leaf(Kind::Other, 100);
        return;
    }
    program.open(Kind::Section);
    for _ in 0..2 {
        let create = program.leaf(Kind::Create, 0);
        program.at(create, 7);
        program.open(Kind::Task);
        halves(program, left - 1);
        program.close(0);
    }
    program.close(0);
}

/// 510 tasks in 8 levels, the last of which work 100; each waits 80 for a worker that is done. All work is 25 600: one in
/// twenty of it is what 16 tasks cost, and down to depth 3 there are 14. Depth 4 would have 30.
#[test]
fn the_depth_to_stop_at_is_named() {
    let mut program = Program::new();
    halves(&mut program, 8);
    program.close(0);
    let first_of_task: Vec<usize> = (1..program.nodes.len())
        .filter(|&n| program.nodes[n].kind == Kind::Task)
        .map(|n| program.first_leaf(n))
        .collect();
    let mut turn = 0;
    let place = |leaf: usize, near: Option<usize>| {
        if first_of_task.binary_search(&leaf).is_err() {
            return (near.unwrap_or(0), -1, 0);
        }
        turn = (turn + 1) % 2;
        (turn, -1, 80)
    };
    let goes_on = |leaf: &usize| first_of_task.binary_search(leaf).is_err();
    let choose = |pool: &[usize]| pool.iter().position(goes_on).unwrap_or(0);
    let schedule = Schedule::run(&program, 2, choose, place);
    let causes = Recording::whole(program, schedule, 2).open().tasks.causes();
    adds_up(&causes);
    let found = first(&causes);
    assert_eq!((found.cause, found.source), (Cause::SmallTasks, Some(7)), "{:?}", causes.findings);
    let advice = "Create no tasks below depth 3 (depth 1: created by no task), run that inline: 14 of 510 tasks are left, those at \
                  depth 3 with 3.20 µs of work each, 40.0 × what one costs. In a taskloop: a grainsize 36 times as large.";
    assert_eq!(found.advice, advice, "{}", found.evidence);
}

/// Tasks that depend on one another, and that are created long after the one before has ended.
#[test]
fn tasks_that_seldom_follow_one_another_are_no_chain() {
    let mut program = Program::new();
    program.open(Kind::Section);
    let mut before = None;
    for create in [1, 100_000, 100_000] {
        let (create, _) = program.spawn(create, 10_000);
        program.depends.extend(before.map(|before| (create + 1, before)));
        before = Some(create + 1);
    }
    program.close(1);
    program.close(1);
    let causes = causes(program, 4);
    assert!(
        causes.findings.iter().all(|found| found.cause != Cause::DependenceChain),
        "{:?}",
        causes.findings
    );
}

/// Four members that wait for a lock half of the time.
fn locked(kind: LockKind, with_times: bool) -> Causes {
    locked_by(kind, with_times, 1, 20_000)
}

/// The same with several locks, each of which each worker holds for so long.
fn locked_by(kind: LockKind, with_times: bool, locks: u32, held: i64) -> Causes {
    let mut program = Program::new();
    let section = team(&mut program, &[100_000; 4]);
    region(&mut program, section, 5);
    program.close(0);
    let schedule = Schedule::greedy(&program, 4);
    let mut recording = Recording::whole(program, schedule, 4);
    let lock = Lock { kind, process: 0, address: 64 };
    let each = i64::from(locks);
    let uses = (0..4 * locks).map(|at| LockUse {
        lock: at / 4,
        source: 3,
        worker: at % 4,
        count: 1000 / each,
        waits: 700 / each,
        waited: 50_000 / each,
        held,
        longest: 400,
    });
    let waits = (0..4u32).map(|worker| LockWait {
        node: (section + 3 + 3 * worker as usize) as u32,
        lock: 0,
        worker,
        asked: 10_000,
        got: 10_400,
        freed: 10_420,
        source: 3,
        holder: NO_SOURCE,
    });
    let lock_waits = if with_times { waits.collect() } else { Vec::new() };
    recording.beside = Beside {
        locks: vec![lock; locks as usize],
        lock_uses: uses.collect(),
        lock_waits,
        ..Beside::default()
    };
    let causes = recording.open().tasks.causes();
    adds_up(&causes);
    causes
}

#[test]
fn waiting_for_a_lock_is_found() {
    for with_times in [true, false] {
        let causes = locked(LockKind::Critical, with_times);
        let found = first(&causes);
        assert_eq!((found.cause, found.source, found.cost), (Cause::Lock, Some(3), 200_000));
        assert!(
            found.evidence.contains("4\u{2009}000 × 20.0 ns; 2\u{2009}800 of them"),
            "{}",
            found.evidence
        );
        assert_eq!(causes.account.work, 200_000);
    }
    // Of 2800 waits the times of 4 at most are known: it is the share of the whole run.
    for with_times in [true, false] {
        let causes = locked(LockKind::Critical, with_times);
        let evidence = &first(&causes).evidence;
        assert!(evidence.starts_with("This critical section is held 80 % of the run by one"), "{evidence}");
    }
}

/// Line 9 runs four times alone and in four teams of four; there an instruction takes so many cycles.
/// Short waits have no times of their own: where their workers had no processor for most of the run, both together could be
/// more than there is.
#[test]
fn waiting_without_a_processor_is_not_lost_twice() {
    let mut program = Program::new();
    let section = team(&mut program, &[90_000; 2]);
    region(&mut program, section, 5);
    program.close(0);
    let schedule = Schedule::greedy(&program, 2);
    let mut recording = Recording::whole(program, schedule, 2);
    let uses = (0..4).map(|at| {
        let (waited, held) = (50_000 + 50_000 * i64::from(at / 2), 10_000);
        let (lock, worker) = (at / 2, at % 2);
        LockUse { lock, source: 3 + lock, worker, count: 1000, waits: 900, waited, held, longest: 400 }
    });
    recording.beside = Beside {
        locks: vec![Lock { kind: LockKind::Critical, process: 0, address: 64 }; 2],
        lock_uses: uses.collect(),
        stretches: [0, 1].map(|worker| stretch(worker, 90_000, 10_000, 0, 9)).to_vec(),
        ..Beside::default()
    };
    recording.facts = vec![("processors", 2), ("idle_ns", 160_000)];
    let causes = recording.open().tasks.causes();
    adds_up(&causes);
    assert_eq!(causes.account.work, 0);
    let cost = |source| causes.findings.iter().find(|found| found.source == Some(source)).unwrap().cost;
    assert_eq!(cost(4), 2 * cost(3), "{:?}", causes.findings);
}

fn beside_others(cycles: i64, counters: &[&'static str]) -> (Causes, Counters) {
    let mut program = Program::new();
    let mut counted: Vec<(usize, i64)> = Vec::new();
    for _ in 0..4 {
        let alone = program.leaf(Kind::Other, 10_000);
        counted.push((program.at(alone, 9), 1));
        program.open(Kind::Section);
        for _ in 0..4 {
            program.leaf(Kind::Fork, 0);
            program.open(Kind::Task);
            let end = program.close(10_000 * cycles);
            counted.push((program.at(end, 9), cycles));
        }
        program.close_deep(0);
    }
    program.close(0);
    let schedule = Schedule::greedy(&program, 4);
    let mut recording = Recording::whole(program, schedule, 4);
    for &name in counters {
        let mut values = vec![0; recording.kept.len()];
        let each = |cycles: i64| if name == "cycles" { 5_000 * cycles } else { 5_000 };
        counted.iter().for_each(|&(node, cycles)| values[node] = each(cycles));
        recording.counters.push((name, values));
    }
    let tasks = recording.open().tasks;
    let causes = tasks.causes();
    adds_up(&causes);
    (causes, tasks.compares_by_counters())
}

#[test]
fn counters_show_what_takes_longer_beside_others() {
    let is_inflation = |found: &&Finding| found.cause == Cause::WorkInflation;
    let (causes, compares) = beside_others(3, &["cycles", "instructions"]);
    let found = causes.findings.iter().find(is_inflation).expect("a finding");
    // 480 µs beside others would be 160 µs.
    assert_eq!((found.source, found.cost, compares), (Some(9), 320_000, Counters::Comparable));
    let evidence = "An instruction takes 3.00 cycles while most workers are busy, 1.00 while this runs alone (×3.00): 520 µs of work \
                    that would be 200 µs.";
    assert_eq!(found.evidence, evidence);
    // As fast as alone, or nobody counted.
    let (causes, compares) = beside_others(1, &["cycles", "instructions"]);
    assert_eq!((causes.findings.iter().find(is_inflation), compares), (None, Counters::Comparable));
    let (causes, compares) = beside_others(3, &["cycles"]);
    assert_eq!((causes.findings.iter().find(is_inflation), compares), (None, Counters::None));
}

#[test]
fn several_locks_of_a_line_are_not_one() {
    let evidence = |held: i64| first(&locked_by(LockKind::Mutex, true, 2, held)).evidence.clone();
    let rest = "4\u{2009}000 × 10.0 ns; 2\u{2009}800 of them had to wait, 200 µs in all.";
    assert_eq!(evidence(5_000), format!("2 mutexes here are held 40 % of the run, one or another: {rest}"));
    let often = evidence(50_000);
    assert!(often.starts_with("2 mutexes here are held by 4.00 workers at once, on average: "), "{often}");
}

#[test]
fn waiting_for_a_turn_is_a_chain() {
    let causes = locked(LockKind::Ordered, true);
    let found = first(&causes);
    assert_eq!((found.cause, found.source, found.cost), (Cause::DependenceChain, Some(3), 200_000));
    assert!(
        found.evidence.starts_with("4\u{2009}000 turns of 20.0 ns in an ordered region"),
        "{}",
        found.evidence
    );
}

/// Iterations that wait for an earlier one hold nothing while they run on.
#[test]
fn waiting_for_another_iteration_is_a_chain_without_turns() {
    let causes = locked_by(LockKind::Ordered, true, 1, 100);
    let found = first(&causes);
    assert_eq!((found.cause, found.source, found.cost), (Cause::DependenceChain, Some(3), 200_000));
    let expected = "4\u{2009}000 times an iteration needs an earlier one; 2\u{2009}800 of them had to wait for it, 200 µs in all.";
    assert_eq!(found.evidence, expected);
}

/// A loop of two members whose chunks take so long each.
fn chunks(length: i64) -> Causes {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..2 {
        program.leaf(Kind::Fork, 0);
        program.open(Kind::Task);
        for _ in 0..1000 {
            let chunk = program.leaf(Kind::Chunk, length);
            program.at(chunk, 6);
        }
        program.close(0);
    }
    program.close_deep(0);
    program.close(0);
    let schedule = Schedule::greedy(&program, 2);
    let causes = Recording::whole(program, schedule, 2).open().tasks.causes();
    adds_up(&causes);
    causes
}

#[test]
fn chunks_that_cost_more_than_they_do_are_found() {
    let causes = chunks(200);
    let found = first(&causes);
    assert_eq!((found.cause, found.source, found.cost), (Cause::FineChunks, Some(6), 200_000));
    assert!(found.evidence.starts_with("2\u{2009}000 chunks of 200 ns"), "{}", found.evidence);
    assert!(chunks(1_900).findings.iter().any(|found| found.cause == Cause::FineChunks));
    assert!(chunks(2_100).findings.iter().all(|found| found.cause != Cause::FineChunks));
}

/// Two members with work at line 6, and a tail at line 8.
fn two_lines(workers: usize, work: i64) -> Recording {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..2 {
        program.leaf(Kind::Fork, 0);
        program.open(Kind::Task);
        let end = program.close(work);
        program.at(end, 6);
    }
    program.close_deep(0);
    let tail = program.close(5_000);
    program.at(tail, 8);
    let schedule = Schedule::greedy(&program, workers);
    Recording::whole(program, schedule, workers)
}

#[test]
fn code_that_takes_longer_than_on_one_worker_is_found() {
    let (here, alone) = (two_lines(2, 100_000).open(), two_lines(1, 40_000).open());
    let causes = here.tasks.causes_against(Some(&alone.tasks));
    adds_up(&causes);
    let found = first(&causes);
    assert_eq!((found.cause, found.source, found.cost), (Cause::WorkInflation, Some(6), 120_000));
    assert!(
        found.evidence.contains("takes 200 µs here and 80.0 µs with one worker (×2.50)"),
        "{}",
        found.evidence
    );
    assert!(here.tasks.causes().findings.iter().all(|found| found.cause != Cause::WorkInflation));
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
