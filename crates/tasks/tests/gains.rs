//! What a run would take without its findings: a replay says what a greedy scheduler makes of the program without them,
//! written out by hand. On any run nothing gains more than its bound, and nothing less than nothing.

use crate::model;

use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Cause, Causes, Finding, Gains, Tasks};
use crosscut_tree::NodeId;
use model::{Greedy, Program, Recording, Schedule, any_run, cases, full};
use proptest::prelude::*;

const WORKERS: usize = 4;

fn elapsed(program: &Program) -> i64 {
    let ran = Greedy::new(program, WORKERS).run();
    ran.iter().flatten().map(|ran| ran.end).max().unwrap_or(0)
}

fn of(tasks: &Tasks) -> (Causes, Gains) {
    let causes = tasks.causes();
    let gains = tasks.gains(&causes, None, &|| true).expect("nobody gave it up");
    (causes, gains)
}

/// The first finding has a cause, and without it the run takes what the program without it takes.
fn takes_as_long_as(program: Program, cause: Cause, without: &Program) {
    let now = elapsed(&program);
    let schedule = Schedule::greedy(&program, WORKERS);
    let opened = Recording::whole(program, schedule, WORKERS).open();
    let (causes, gains) = of(&opened.tasks);
    assert_eq!(causes.findings.first().map(|found| found.cause), Some(cause));
    let replayed = opened.tasks.summary().elapsed - (now - elapsed(without));
    assert_eq!(gains.raw[0], Some(replayed), "{:?}", causes.findings[0]);
    // The bound knows nothing of the program; it is never beaten, and here it is near.
    let expected = replayed.max(causes.findings[0].without);
    assert!(expected - replayed <= now / 100, "{replayed}: {:?}", causes.findings[0]);
    assert_eq!(gains.alone[0], Some(expected), "{:?}", causes.findings[0]);
    assert_eq!(gains.ladder[0], (0, Some(expected)));
}

fn fork(program: &mut Program, tasks: usize, length: i64) {
    program.open(Kind::Section);
    (1..tasks).for_each(|_| {
        program.spawn(0, length);
    });
    program.close(length);
}

fn team(program: &mut Program, works: &[i64]) {
    program.open(Kind::Section);
    for &work in works {
        program.leaf(Kind::Fork, 0);
        program.open(Kind::Task);
        program.close(work);
    }
    program.close_deep(0);
}

#[test]
fn a_serial_part_is_shared_out() {
    let program = |serial: i64| {
        let mut program = Program::new();
        fork(&mut program, WORKERS, 100_000);
        program.close(serial);
        program
    };
    takes_as_long_as(program(60_000), Cause::SerialPart, &program(15_000));
}

/// Without small tasks of line 7 the run takes what the program with the proposed cut-off takes.
fn takes_with_fewer(program: Program, without: &Program) {
    let now = elapsed(&program);
    let schedule = Schedule::ran(&program, &Greedy::new(&program, WORKERS).run());
    let opened = Recording::whole(program, schedule, WORKERS).open();
    let took = opened.tasks.summary().elapsed;
    // What a replay makes of a finding does not depend on what it costs.
    let finding = Finding {
        cause: Cause::SmallTasks,
        cost: took,
        without: 0,
        what: String::new(),
        evidence: String::new(),
        advice: String::new(),
        source: Some(7),
        node: None,
        window: None,
        behind: false,
        stretches: Vec::new(),
        sizes: None,
    };
    let causes = Causes { findings: vec![finding], workers: WORKERS as i64, ..Causes::default() };
    let gains = opened.tasks.gains(&causes, None, &|| true).expect("nobody gave it up");
    assert_eq!(gains.not_replayed, None);
    assert_eq!(gains.raw, [Some(took - (now - elapsed(without)))]);
    assert!(elapsed(without) < now, "it gains something");
}

/// Two halves, each a task of line 7 down to some depth of creation and inline below it, so many times; what is left works
/// 100. Creating the second half takes its creator 100.
fn halves(program: &mut Program, left: u32, depth: u32, stop: u32) {
    if left == 0 {
        program.leaf(Kind::Other, 100);
        return;
    }
    program.open(Kind::Section);
    for create in [100, if depth < stop { 100 } else { 0 }] {
        if depth < stop {
            let create = program.leaf(Kind::Create, create);
            program.at(create, 7);
            program.open(Kind::Task);
            halves(program, left - 1, depth + 1, stop);
            program.close(5);
        } else {
            program.leaf(Kind::Other, create);
            halves(program, left - 1, depth + 1, stop);
            program.leaf(Kind::Other, 5);
        }
    }
    program.close(5);
}

/// A task costs 100. Down to depth 4 there are 30 tasks, 16 of them there: 3000 of 79 740 is little, and enough for four
/// workers. One level more would have 62.
#[test]
fn tasks_below_the_cut_off_run_inline() {
    let program = |stop: u32| {
        let mut program = Program::new();
        halves(&mut program, 8, 0, stop);
        program.close(0);
        program
    };
    takes_with_fewer(program(u32::MAX), &program(4));
}

/// Tasks of 50 that cost 100: forty of them in one are worth it.
#[test]
fn tasks_that_create_none_are_joined() {
    let program = |together: usize| {
        let mut program = Program::new();
        program.open(Kind::Section);
        for task in 0..1000 {
            let is_first = task % together == 0;
            let create = if is_first || task == 0 { 100 } else { 0 };
            let (create, _) = program.spawn(create, if is_first { 50 * together as i64 } else { 0 });
            program.at(create, 7);
        }
        program.close(1);
        program.close(1);
        program
    };
    takes_with_fewer(program(1), &program(40));
}

#[test]
fn members_get_equal_work() {
    let program = |works: &[i64]| {
        let mut program = Program::new();
        (0..3).for_each(|_| team(&mut program, works));
        program.close(0);
        program
    };
    let uneven = program(&[10_000, 20_000, 0, 90_000]);
    takes_as_long_as(uneven, Cause::Imbalance, &program(&[30_000; 4]));
}

#[test]
fn tasks_do_themselves_what_their_creator_did() {
    let program = |create: i64, body: i64| {
        let mut program = Program::new();
        program.open(Kind::Section);
        (0..200).for_each(|_| {
            program.spawn(create, body);
        });
        program.close(10);
        program.close(10);
        program
    };
    takes_as_long_as(program(10_000, 10_000), Cause::SerialSpawn, &program(0, 20_000));
}

#[test]
fn tasks_of_a_chain_wait_for_nobody() {
    let program = |chained: bool| {
        let mut program = Program::new();
        program.open(Kind::Section);
        let mut before = None;
        for _ in 0..50 {
            let (create, _) = program.spawn(1, 10_000);
            program.depends.extend(before.filter(|_| chained).map(|before| (create + 1, before)));
            before = Some(create + 1);
        }
        program.close(1);
        program.close(1);
        program
    };
    takes_as_long_as(program(true), Cause::DependenceChain, &program(false));
}

/// Without the first, then without both.
#[test]
fn a_ladder_goes_down_step_by_step() {
    let program = |serial: i64, works: &[i64]| {
        let mut program = Program::new();
        team(&mut program, works);
        program.close(serial);
        program
    };
    let now = program(60_000, &[10_000, 20_000, 0, 90_000]);
    let (first, both) = (program(60_000, &[30_000; 4]), program(15_000, &[30_000; 4]));
    let times = [elapsed(&now), elapsed(&first), elapsed(&both)];
    let schedule = Schedule::greedy(&now, WORKERS);
    let opened = Recording::whole(now, schedule, WORKERS).open();
    let (causes, gains) = of(&opened.tasks);
    let ids: Vec<Cause> = gains.ladder.iter().map(|&(at, _)| causes.findings[at].cause).collect();
    assert_eq!(ids, [Cause::Imbalance, Cause::SerialPart]);
    for (rung, time) in gains.ladder.iter().zip(&times[1..]) {
        let gain = rung.1.map(|time| opened.tasks.summary().elapsed - time);
        // Shares are rounded, and so are bounds.
        assert!(gain.is_some_and(|gain| (gain - (times[0] - time)).abs() <= 2), "{gain:?}: {times:?}");
    }
}

#[test]
fn what_is_given_up_has_no_answer() {
    let mut program = Program::new();
    team(&mut program, &[10_000, 20_000, 0, 90_000]);
    program.close(0);
    let schedule = Schedule::greedy(&program, WORKERS);
    let opened = Recording::whole(program, schedule, WORKERS).open();
    assert_eq!(opened.tasks.gains(&opened.tasks.causes(), None, &|| false), None);
}

/// The longest interval.
fn longest(tasks: &Tasks) -> i64 {
    let leaves = (0..tasks.tree().node_count() as u32)
        .map(NodeId)
        .filter(|&node| tasks.tree().lens()[node.index()] <= 1);
    leaves.map(|node| tasks.end(node) - tasks.start(node)).max().unwrap_or(0)
}

fn keeps_within(tasks: &Tasks) -> Result<(), TestCaseError> {
    let (causes, gains) = of(tasks);
    let elapsed = tasks.summary().elapsed;
    prop_assert_eq!(gains.alone.len(), causes.findings.len());
    let mut gained = 0;
    for ((finding, alone), raw) in causes.findings.iter().zip(&gains.alone).zip(&gains.raw) {
        let Some(time) = *alone else { continue };
        prop_assert_eq!(raw.map(|raw| raw.max(finding.without).min(elapsed)), Some(time));
        // Handing out what ran alone gains what free workers could have done: a cost is rounded,
        // and a greedy schedule of shorter intervals may be longer by one of them.
        if finding.cause == Cause::SerialPart {
            let longest = longest(tasks);
            let raw = raw.unwrap_or(time);
            prop_assert!(raw >= finding.without - 2 && raw <= elapsed + longest, "{}: {:?}", raw, finding);
        }
        prop_assert!(time <= elapsed && time >= finding.without, "{} of {}: {:?}", time, elapsed, finding);
        gained += elapsed - time;
    }
    // All workers together gain no more than they lost.
    prop_assert!(gained * causes.workers.max(1) <= causes.account.lost + causes.account.work);
    let mut before = elapsed;
    for &(_, time) in &gains.ladder {
        let Some(time) = time else { break };
        prop_assert!(time <= before && time >= causes.account.work / causes.workers.max(1));
        before = time;
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn nothing_gains_more_than_its_bound(case in full()) {
        keeps_within(&case.record().open().tasks)?;
    }

    #[test]
    fn nor_in_any_run(case in any_run()) {
        keeps_within(&case.record().open().tasks)?;
    }
}
