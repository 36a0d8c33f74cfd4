//! Replays of random programs against a scheduler that is slow and obvious, and against numbers worked out by hand.

use crate::model;

use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Bounds, Change, Overhead, Step, Tasks, WhatIf, WhatIfError};
use crosscut_tree::NodeId;
use model::{Greedy, Program, Ran, Recording, Schedule, any_run, cases, full};
use proptest::prelude::*;

const FREE: Overhead = Overhead { create: 0, sync: 0 };

fn opened(program: Program) -> model::Opened {
    let schedule = Schedule::greedy(&program, 2);
    Recording::whole(program, schedule, 2).open()
}

fn elapsed(tasks: &Tasks, workers: u32) -> i64 {
    WhatIf::with_overhead(tasks, FREE).replay(workers, &Change::default()).expect("a replay").elapsed
}

fn steps(what: &WhatIf<'_>, workers: u32, change: &Change) -> (Vec<Step>, crosscut_tasks::Replay) {
    let mut steps = Vec::new();
    let replay = what.trace(workers, change, |step| steps.push(step)).expect("a replay");
    (steps, replay)
}

fn within(bounds: &Bounds, workers: u32, elapsed: i64) -> Result<(), TestCaseError> {
    let (low, high) = (bounds.low(workers), bounds.high(workers));
    prop_assert!(low <= elapsed && elapsed <= high, "{low} ≤ {elapsed} ≤ {high} on {workers} workers");
    Ok(())
}

proptest! {
    #![proptest_config(cases(400))]

    /// Every interval runs when and where the reference says, so edges, deep waits and dependences are obeyed.
    #[test]
    fn replays_are_those_of_the_reference(
        case in full(), workers in 1usize..9, create in 0i64..30, sync in 0i64..30,
    ) {
        let recording = case.record();
        let opened = recording.open();
        let what = WhatIf::with_overhead(&opened.tasks, Overhead { create, sync });
        let mut greedy = Greedy::new(&recording.program, workers);
        greedy.add_overhead(create, sync);
        let (work, span) = (greedy.work(), greedy.span());
        let bounds = what.bounds(&Change::default()).expect("bounds");
        prop_assert_eq!(bounds, Bounds { work, span });
        let (steps, replay) = steps(&what, workers as u32, &Change::default());
        let mut ran: Vec<Option<Ran>> = vec![None; recording.program.nodes.len()];
        for step in &steps {
            let one = Ran { worker: step.worker as usize, start: step.start, end: step.end };
            prop_assert!(ran[step.node.index()].replace(one).is_none(), "twice: {:?}", step);
        }
        prop_assert_eq!(&ran, &greedy.run());
        prop_assert_eq!(replay.busy, work);
        let last = ran.iter().flatten().map(|ran| ran.end).max();
        prop_assert_eq!(Some(replay.elapsed), last);
        within(&bounds, workers as u32, replay.elapsed)?;
    }

    /// The schedule itself: nothing before what it needs, one thing at a time, and nothing ready while a worker is idle.
    #[test]
    fn schedules_are_greedy(case in full(), workers in 1usize..6) {
        let recording = case.record();
        let opened = recording.open();
        let what = WhatIf::with_overhead(&opened.tasks, FREE);
        let (steps, replay) = steps(&what, workers as u32, &Change::default());
        let mut at = vec![(0, 0); recording.program.nodes.len()];
        for step in &steps {
            at[step.node.index()] = (step.start, step.end);
        }
        let mut ready = vec![0; at.len()];
        for (from, to, _) in recording.program.all_edges() {
            prop_assert!(at[from].1 <= at[to].0, "{} before {}", to, from);
            ready[to] = ready[to].max(at[from].1);
        }
        for worker in 0..workers as u32 {
            let own: Vec<&Step> = steps.iter().filter(|step| step.worker == worker).collect();
            prop_assert!(own.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
        let mut moments: Vec<i64> = steps.iter().flat_map(|step| [step.start, step.end]).collect();
        moments.sort_unstable();
        moments.dedup();
        for &t in moments.iter().filter(|&&t| t < replay.elapsed) {
            let running = steps.iter().filter(|step| step.start <= t && t < step.end).count();
            let waits = steps.iter().any(|step| ready[step.node.index()] <= t && t < step.start);
            prop_assert!(running <= workers && (running == workers || !waits), "at {}", t);
        }
    }

    /// One worker does all work, without end many need the critical path, and none leaves the bounds.
    #[test]
    fn the_ends_of_the_curve(case in any_run()) {
        let opened = case.record().open();
        let summary = opened.tasks.summary();
        let what = WhatIf::with_overhead(&opened.tasks, FREE);
        let bounds = what.bounds(&Change::default()).expect("bounds");
        prop_assert_eq!(bounds, Bounds { work: summary.work, span: summary.span });
        prop_assert_eq!(elapsed(&opened.tasks, 1), summary.work);
        prop_assert_eq!(elapsed(&opened.tasks, 4096), summary.span);
        for workers in [2, 3, 5, 16] {
            let replay = what.replay(workers, &Change::default()).expect("a replay");
            prop_assert_eq!(replay.busy, summary.work);
            within(&bounds, workers, replay.elapsed)?;
        }
    }

    /// With overhead the bounds hold too, and one worker pays for every task that was created and waited for.
    #[test]
    fn overhead_is_work(case in any_run(), create in 0i64..50, sync in 0i64..50, workers in 1u32..9) {
        let opened = case.record().open();
        let what = WhatIf::with_overhead(&opened.tasks, Overhead { create, sync });
        let bounds = what.bounds(&Change::default()).expect("bounds");
        let summary = opened.tasks.summary();
        if !case.wild {
            prop_assert_eq!(bounds.work, summary.work + summary.tasks * (create + sync));
        }
        prop_assert_eq!(what.replay(1, &Change::default()).expect("a replay").elapsed, bounds.work);
        let replay = what.replay(workers, &Change::default()).expect("a replay");
        prop_assert_eq!(replay.busy, bounds.work);
        within(&bounds, workers, replay.elapsed)?;
        prop_assert_eq!(what.replay(4096, &Change::default()).expect("a replay").elapsed, bounds.span);
        let free = what.bounds(&Change::default().without_overhead()).expect("bounds");
        prop_assert_eq!(free, Bounds { work: summary.work, span: summary.span });
    }

    /// Faster subtrees are what a program with shorter intervals is.
    #[test]
    fn faster_is_scaling_by_hand(
        case in full(), picks in prop::collection::vec((any::<prop::sample::Index>(), 1u8..9), 1..4), workers in 1u32..9,
    ) {
        let recording = case.record();
        let opened = recording.open();
        let mut scaled = recording.program.clone();
        let mut change = Change::default();
        let mut factor = vec![1.0; scaled.nodes.len()];
        for (pick, k) in &picks {
            let node = pick.index(scaled.nodes.len());
            change = change.faster(NodeId(node as u32), f64::from(*k));
            scaled.below(node).into_iter().for_each(|n| factor[n] *= f64::from(*k));
        }
        for (node, factor) in scaled.nodes.iter_mut().zip(factor) {
            node.length = (node.length as f64 / factor).round() as i64;
        }
        let what = WhatIf::with_overhead(&opened.tasks, FREE);
        let by_hand = Greedy::new(&scaled, workers as usize);
        let bounds = what.bounds(&change).expect("bounds");
        prop_assert_eq!(bounds, Bounds { work: by_hand.work(), span: by_hand.span() });
        let before = what.bounds(&Change::default()).expect("bounds");
        prop_assert!(bounds.work <= before.work && bounds.span <= before.span);
        let expected = by_hand.run().iter().flatten().map(|ran| ran.end).max();
        prop_assert_eq!(Some(what.replay(workers, &change).expect("a replay").elapsed), expected);
    }

    /// With blocks, too, scaling never lengthens, and the bounds hold.
    #[test]
    fn faster_blocks(case in any_run(), pick in any::<prop::sample::Index>(), k in 1u8..40, workers in 1u32..9) {
        let opened = case.record().open();
        let node = NodeId(pick.index(opened.tasks.tree().node_count()) as u32);
        let what = WhatIf::with_overhead(&opened.tasks, Overhead { create: 3, sync: 2 });
        let change = Change::default().faster(node, f64::from(k));
        let (before, after) = (what.bounds(&Change::default()), what.bounds(&change));
        let (before, after) = (before.expect("bounds"), after.expect("bounds"));
        prop_assert!(after.work <= before.work && after.span <= before.span, "{:?} {:?}", before, after);
        let replay = what.replay(workers, &change).expect("a replay");
        prop_assert_eq!(replay.busy, after.work);
        within(&after, workers, replay.elapsed)?;
    }

    /// Estimates keep to the bounds, and one worker still does all work.
    #[test]
    fn estimates_keep_to_the_bounds(
        case in any_run(), create in 0i64..20, slow in any::<bool>(), share in 1usize..12,
    ) {
        let opened = case.record().open();
        let what = WhatIf::with_overhead(&opened.tasks, Overhead { create, sync: create / 2 });
        let last = NodeId(opened.tasks.tree().node_count() as u32 - 1);
        let change = if slow { Change::default().faster(last, 0.5) } else { Change::default() };
        let bounds = what.bounds(&change).expect("bounds");
        let curve = what.curve_within(4 * opened.tasks.tree().node_count() * share / 12, &[1, 2, 7, 4096], &change);
        let curve = curve.expect("a curve");
        for point in &curve {
            prop_assert_eq!(point.busy, bounds.work);
            prop_assert!(!point.exact);
            prop_assert_eq!((point.low, point.high), (bounds.low(point.workers), bounds.high(point.workers)));
            within(&bounds, point.workers, point.elapsed)?;
        }
        prop_assert_eq!(curve[0].elapsed, bounds.work);
        let exact = what.speedup_curve(&[1, 2, 7, 4096], &change).expect("a curve");
        for point in &exact {
            prop_assert!(point.exact);
            prop_assert_eq!(point.elapsed, what.replay(point.workers, &change).expect("a replay").elapsed);
        }
    }
}

fn fork(tasks: usize, create: i64, body: i64) -> Program {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..tasks {
        program.spawn(create, body);
    }
    program.close(0);
    program.close(0);
    program
}

#[test]
fn a_wide_fork_of_equal_tasks() {
    let opened = opened(fork(1000, 0, 50));
    for workers in [1, 2, 3, 7, 64, 999, 1000, 2000] {
        assert_eq!(elapsed(&opened.tasks, workers), i64::from(1000u32.div_ceil(workers)) * 50);
    }
}

/// The worker that creates is as good as the others once it is done; until then tasks start one create apart.
#[test]
fn a_fork_that_is_bound_by_creation() {
    let opened = opened(fork(1000, 10, 50));
    for workers in [6, 7, 64] {
        assert_eq!(elapsed(&opened.tasks, workers), 1000 * 10 + 50);
    }
}

/// A complete binary tree: with as many workers as leaves, one per level; with 2ᵏ, whole subtrees below level k.
#[test]
fn a_complete_binary_tree() {
    fn task(program: &mut Program, depth: u32) {
        if depth > 0 {
            program.open(Kind::Section);
            for _ in 0..2 {
                program.leaf(Kind::Create, 0);
                program.open(Kind::Task);
                task(program, depth - 1);
                program.close(0);
            }
            program.close(0);
        } else {
            program.leaf(Kind::Other, 8);
        }
    }
    let mut program = Program::new();
    task(&mut program, 8);
    program.close(0);
    let opened = opened(program);
    for k in 0..=8 {
        assert_eq!(elapsed(&opened.tasks, 1 << k), 8 * (256 >> k));
    }
    assert_eq!(elapsed(&opened.tasks, 3), 8 * 86);
}

#[test]
fn a_chain_gains_nothing() {
    let mut program = Program::new();
    for _ in 0..100 {
        program.open(Kind::Section);
        program.spawn(1, 20);
        program.close(2);
    }
    program.close(5);
    let opened = opened(program);
    for workers in [2, 3, 64] {
        assert_eq!(elapsed(&opened.tasks, workers), 100 * 21 + 5);
    }
    assert_eq!(elapsed(&opened.tasks, 1), 100 * 23 + 5);
}

/// Tasks that need each other one after the other run so, whatever the tree says.
#[test]
fn a_pipeline() {
    let mut program = fork(50, 1, 30);
    let tasks: Vec<usize> =
        (0..program.nodes.len()).filter(|&n| program.nodes[n].kind == Kind::Task).skip(1).collect();
    program.depends = tasks.windows(2).map(|pair| (pair[1], pair[0])).collect();
    let opened = opened(program);
    assert_eq!(elapsed(&opened.tasks, 8), 1 + 50 * 30);
    let what = WhatIf::with_overhead(&opened.tasks, FREE);
    assert_eq!(what.curve_within(150, &[8], &Change::default()).expect("a curve")[0].elapsed, 1 + 50 * 30);
}

/// Ten thousand small fork-joins in a row, estimated: still as parallel as one of them.
#[test]
fn an_estimate_does_not_serialise_small_sections() {
    let mut program = Program::new();
    for _ in 0..10_000 {
        program.open(Kind::Section);
        for _ in 0..96 {
            program.leaf(Kind::Create, 0);
            program.open(Kind::Task);
            program.close(100);
        }
        program.close(0);
    }
    program.close(0);
    let opened = Recording::whole(program.clone(), serial(&program), 1).open();
    let what = WhatIf::with_overhead(&opened.tasks, FREE);
    let work = opened.tasks.summary().work as f64;
    for point in what.curve_within(1 << 20, &[1, 2, 8, 32], &Change::default()).expect("a curve") {
        let speedup = work / point.elapsed as f64;
        assert!(speedup > 0.95 * f64::from(point.workers), "{speedup} on {}", point.workers);
    }
}

/// One interval after the other on one worker.
fn serial(program: &Program) -> Schedule {
    Schedule::run(program, 1, |pool| pool.len() - 1, |_, _| (0, 0, 0))
}

/// A wide loop of small tasks, estimated, with all of them in few blocks.
#[test]
fn an_estimate_of_a_wide_fork() {
    let program = fork(100_000, 1, 99);
    let opened = Recording::whole(program.clone(), serial(&program), 1).open();
    let what = WhatIf::with_overhead(&opened.tasks, FREE);
    for workers in [1, 2, 16, 64] {
        let exact = elapsed(&opened.tasks, workers) as f64;
        let estimate =
            what.curve_within(1 << 18, &[workers], &Change::default()).expect("a curve")[0].elapsed as f64;
        assert!((estimate / exact - 1.0).abs() < 0.02, "{estimate} for {exact} on {workers}");
    }
}

/// Creates take 7 until the next interval of their worker; joins 12 for two tasks. Now and then a thread is preempted.
#[test]
fn overhead_is_measured() {
    let mut program = Program::new();
    for _ in 0..400 {
        program.open(Kind::Section);
        program.spawn(10, 100);
        program.spawn(10, 100);
        program.close(3);
    }
    program.close(1);
    let kinds: Vec<Kind> = program.nodes.iter().map(|node| node.kind).collect();
    let parents: Vec<Option<usize>> = program.nodes.iter().map(|node| node.parent).collect();
    let mut seen = 0;
    let place = |leaf: usize, _| {
        seen += 1;
        let preempted = if seen % 50 == 0 { 1_000_000 } else { 0 };
        let in_section = parents[leaf].is_some_and(|parent| kinds[parent] == Kind::Section);
        let pause = match kinds[leaf] {
            // The first create of a section follows the wait of the one before, the second one a create.
            Kind::Create if parents[leaf].is_some_and(|section| leaf == section + 1) => 12,
            Kind::Create | Kind::Wait if in_section => 7,
            _ => 0,
        };
        (0, 0, pause + preempted)
    };
    // The spine first, then the tasks.
    let choose = |pool: &[usize]| {
        let spine = |leaf: &usize| program.nodes[*leaf].kind != Kind::End;
        pool.iter().position(spine).unwrap_or(0)
    };
    let schedule = Schedule::run(&program, 1, choose, place);
    let opened = Recording::whole(program.clone(), schedule, 1).open();
    assert_eq!(WhatIf::new(&opened.tasks).overhead(), Overhead { create: 7, sync: 6 });
}

#[test]
fn wrong_questions_are_refused() {
    let opened = opened(fork(3, 1, 1));
    let what = WhatIf::new(&opened.tasks);
    let node = NodeId(13);
    let error = what.replay(2, &Change::default().faster(node, 2.0));
    assert_eq!(error, Err(WhatIfError::NoNode { node, last: 12 }));
    for k in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = what.bounds(&Change::default().faster(NodeId(1), k));
        assert!(matches!(error, Err(WhatIfError::Factor { .. })), "{k}");
    }
    for workers in [0, 4097] {
        let error = what.speedup_curve(&[1, workers], &Change::default());
        assert_eq!(error, Err(WhatIfError::Workers(workers)));
    }
}

/// Deep and wide beyond any stack, and a run without any time.
#[test]
fn extreme_shapes() {
    const MANY: usize = 100_000;
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
    let deep = opened(program);
    assert_eq!(elapsed(&deep.tasks, 1), deep.tasks.summary().work);
    assert_eq!(elapsed(&deep.tasks, 4), deep.tasks.summary().span);
    let empty = opened(fork(10, 0, 0));
    assert_eq!(elapsed(&empty.tasks, 3), 0);
    let what = WhatIf::with_overhead(&deep.tasks, FREE);
    let curve = what.curve_within(1 << 10, &[1, 8], &Change::default()).expect("a curve");
    assert_eq!(curve[0].elapsed, deep.tasks.summary().work);
}
