//! The aggregated grain graph against its definition: a graph of grains, forks and joins that is reduced pattern by
//! pattern, and programs whose numbers are known in closed form.

use crate::model;

use crosscut_tasks::grain::{Deviation, GrainKind, Grains, Kernel, Problem, Thresholds, growth};
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;
use model::{Case, GrainModel, Group, Program, Recording, Schedule, any_run, cases, full};
use proptest::prelude::*;

/// The tree of groups, from the columns.
fn group(grains: &Grains, node: NodeId) -> Group {
    let members = || grains.tree().children(node).map(|member| group(grains, member)).collect();
    match grains.kind(node) {
        GrainKind::Linear => Group::Linear(members()),
        GrainKind::ForkJoin => Group::ForkJoin(members()),
        _ => Group::Grain(grains.task(node).index()),
    }
}

fn each_grain(grains: &Grains) -> impl Iterator<Item = NodeId> + '_ {
    (0..grains.tree().node_count() as u32).map(NodeId).filter(|&node| !grains.kind(node).is_group())
}

fn check_structure(case: &Case) {
    let recording = case.record();
    let opened = recording.open();
    let grains = Grains::new(&opened.tasks);
    grains.tree().check().unwrap();
    let model = GrainModel::new(&recording.program);
    let (graph, expected) = model.reduced();
    assert_eq!(group(&grains, NodeId::ROOT).text(true), expected.text(true));
    assert_eq!(grains.grain_count(), graph.grains());
    assert_eq!(grains.fork_joins(), graph.forks());
    assert_eq!(grains.raw_nodes(), graph.len());
    assert_eq!(grains.group_count() + grains.grain_count(), grains.tree().node_count());
    assert_eq!(grains.tree().max_depth(), expected.depth());
    assert_eq!(grains.theta(None).most, expected.theta(&|_| true));
    // Metrics by group.
    let mut stack = vec![NodeId::ROOT];
    let mut outside = recording.program.nodes.iter().map(|node| node.length).sum::<i64>();
    while let Some(node) = stack.pop() {
        let own = group(&grains, node);
        assert_eq!(grains.critical_path(node), model.path(&own), "critical path of {}", own.text(true));
        let mut inside = Vec::new();
        own.grains(&mut inside);
        assert_eq!(grains.work(node), inside.iter().map(|&n| model.work(n)).sum::<i64>());
        assert_eq!(grains.grain_range(node).len(), inside.len());
        stack.extend(grains.tree().children(node));
    }
    for grain in each_grain(&grains) {
        outside -= model.work(grains.task(grain).index());
    }
    assert_eq!(grains.outside(), outside);
}

fn check_metrics(recording: &Recording) {
    let opened = recording.open();
    let tasks = &opened.tasks;
    let grains = Grains::new(tasks);
    let model = GrainModel::new(&recording.program);
    let whole = group(&grains, NodeId::ROOT);
    let mut times = Vec::new();
    model.earliest(&whole, 0, &mut times);
    let time = |node: usize| {
        times.iter().find(|(n, _)| *n == node).map(|&(n, at)| (at, at + model.work(n))).unwrap()
    };
    for grain in each_grain(&grains) {
        let node = grains.task(grain).index();
        let metrics = grains.metrics(tasks, grain);
        let is_task = recording.program.nodes[node].kind == Kind::Task && node > 0;
        if is_task {
            let cost = model.cost(node, &recording.schedule);
            let expected = (cost > 0).then(|| metrics.work as f64 / cost as f64);
            assert_close(metrics.benefit, expected, "benefit");
        }
        let (from, to) = time(node);
        assert_eq!(grains.earliest_start(tasks, grain), from);
        if to > from {
            let (least, median, most) = in_progress(&times, &model, from, to);
            let seen = grains.in_progress(tasks, grain);
            assert_eq!((seen.least, seen.most), (least, most), "of {node} in {from}..{to}");
            assert_eq!(seen.median, median);
            assert_eq!(metrics.parallelism, Some(median));
        }
    }
    for join in joins(&whole) {
        let heads: Vec<usize> = join.iter().filter_map(head).collect();
        let tasks_only: Vec<usize> =
            heads.iter().copied().filter(|&n| recording.program.nodes[n].kind == Kind::Task).collect();
        if tasks_only.len() < 2 {
            continue;
        }
        let works: Vec<i64> = tasks_only.iter().map(|&n| model.work(n)).collect();
        let mean = works.iter().sum::<i64>() as f64 / works.len() as f64;
        let balance = if mean == 0.0 { 1.0 } else { *works.iter().max().unwrap() as f64 / mean };
        for grain in each_grain(&grains).filter(|&g| tasks_only.contains(&grains.task(g).index())) {
            assert_close(grains.metrics(tasks, grain).balance, Some(balance), "balance");
        }
    }
}

fn assert_close(value: Option<f64>, expected: Option<f64>, what: &str) {
    match (value, expected) {
        (Some(a), Some(b)) => assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{what}: {a}, not {b}"),
        (a, b) => assert_eq!(a, b, "{what}"),
    }
}

fn joins(group: &Group) -> Vec<&[Group]> {
    match group {
        Group::Grain(_) => Vec::new(),
        Group::Linear(members) | Group::Aside(members) => members.iter().flat_map(joins).collect(),
        Group::ForkJoin(members) => {
            std::iter::once(&members[..]).chain(members.iter().flat_map(joins)).collect()
        }
    }
}

fn head(group: &Group) -> Option<usize> {
    match group {
        Group::Grain(node) => Some(*node),
        Group::Linear(members) => match members[0] {
            Group::Grain(node) => Some(node),
            _ => None,
        },
        _ => None,
    }
}

/// Least, median over time and most of the grains in progress, moment by moment.
fn in_progress(times: &[(usize, i64)], model: &GrainModel<'_>, from: i64, to: i64) -> (f64, f64, f64) {
    let spans: Vec<(i64, i64)> = times.iter().map(|&(n, at)| (at, at + model.work(n))).collect();
    let mut borders: Vec<i64> =
        spans.iter().flat_map(|s| [s.0, s.1]).filter(|t| (from..to).contains(t)).chain([from, to]).collect();
    borders.sort_unstable();
    borders.dedup();
    let mut values: Vec<(i64, i64)> = borders
        .windows(2)
        .map(|w| (spans.iter().filter(|s| s.0 <= w[0] && w[0] < s.1).count() as i64, w[1] - w[0]))
        .collect();
    values.sort_unstable();
    let half = (to - from + 1) / 2;
    let mut seen = 0;
    let median = values.iter().find(|v| {
        seen += v.1;
        seen >= half
    });
    (values[0].0 as f64, median.unwrap().0 as f64, values[values.len() - 1].0 as f64)
}

fn check_problems(case: &Case) {
    let recording = case.record();
    let opened = recording.open();
    let grains = Grains::new(&opened.tasks);
    let whole = group(&grains, NodeId::ROOT);
    let summary = opened.tasks.summary();
    let idle = i64::from(summary.workers) * summary.elapsed - summary.work;
    for problem in Problem::ALL {
        let threshold = Thresholds::default().of(problem, &grains);
        for threshold in [threshold, 1.5, 3.0] {
            let set = grains.problem(problem, threshold, None);
            let has = |node: usize| {
                each_grain(&grains).any(|g| grains.task(g).index() == node && set.lens.chosen().contains(g))
            };
            assert_eq!(set.grains, each_grain(&grains).filter(|g| set.lens.chosen().contains(*g)).count());
            for grain in each_grain(&grains) {
                let value = grains.problem_value(problem, grain, None);
                let crosses =
                    value.is_some_and(|v| if problem.is_below() { v < threshold } else { v > threshold });
                assert_eq!(set.lens.chosen().contains(grain), crosses);
            }
            let expected = whole.separated(&has).theta(&has);
            assert_eq!(grains.theta(Some(&set)).most, expected, "{problem} at {threshold}");
            let lost = grains.time_lost(&opened.tasks, &set, None);
            match problem {
                Problem::SiblingImbalance => {
                    let expected = lost_at_joins(&whole, &recording.program, &has, grains.workers());
                    assert!((lost - expected.min(idle)).abs() <= 1, "{lost}, not {expected} of {idle}");
                }
                Problem::LowParallelism => {
                    let workers = f64::from(grains.workers());
                    let share = |g: NodeId| {
                        let beside = grains.problem_value(problem, g, None).unwrap();
                        grains.work(g) as f64 * (workers - beside).max(0.0) / beside.max(1.0)
                    };
                    let expected = set.lens.chosen().iter().map(share).sum::<f64>().round() as i64;
                    assert!((lost - expected.min(idle)).abs() <= 1, "{lost}, not {expected} of {idle}");
                }
                _ => assert!((0..=idle).contains(&lost)),
            }
        }
    }
}

/// longest × min(tasks, workers) − all, of every join whose tasks have the problem.
fn lost_at_joins(whole: &Group, program: &Program, has: &dyn Fn(usize) -> bool, workers: u32) -> i64 {
    let model = GrainModel::new(program);
    let mut lost = 0.0;
    for join in joins(whole) {
        let heads = join.iter().filter_map(head).filter(|&n| program.nodes[n].kind == Kind::Task);
        let heads: Vec<usize> = heads.collect();
        if heads.iter().any(|&n| has(n)) {
            let works: Vec<f64> = heads.iter().map(|&n| model.work(n) as f64).collect();
            let longest = works.iter().copied().fold(0.0, f64::max);
            lost += (longest * works.len().min(workers as usize) as f64 - works.iter().sum::<f64>()).max(0.0);
        }
    }
    lost.round() as i64
}

fn check_shapes(case: &Case) {
    let opened = case.record().open();
    let grains = Grains::new(&opened.tasks);
    let nodes: Vec<NodeId> = (0..grains.tree().node_count() as u32).map(NodeId).collect();
    let texts: Vec<String> = nodes.iter().map(|&n| group(&grains, n).text(false)).collect();
    for (a, x) in nodes.iter().zip(&texts) {
        for (b, y) in nodes.iter().zip(&texts) {
            assert_eq!(grains.shape(*a) == grains.shape(*b), x == y, "{x} and {y}");
        }
        if grains.kind(*a).is_group() {
            let same = texts.iter().filter(|y| *y == x).count();
            assert_eq!(grains.alike(*a, usize::MAX).1, same);
        }
    }
    let kernels: Vec<Kernel> = nodes.iter().take(8).map(|&n| Kernel::new(&grains, n)).collect();
    for (a, x) in kernels.iter().zip(&texts) {
        for (b, y) in kernels.iter().zip(&texts) {
            let value = a.value(b);
            assert!((0.0..=1.0).contains(&value) && (value - b.value(a)).abs() < 1e-12);
            if x == y {
                assert!(value > 1.0 - 1e-12);
            }
        }
    }
}

/// Every path, also through dependences, is as long as the group says, and its members follow one another.
fn check_paths(case: &Case) {
    let opened = case.record().open();
    let tasks = &opened.tasks;
    let grains = Grains::new(tasks);
    for node in (0..grains.tree().node_count() as u32).map(NodeId).filter(|&n| grains.kind(n).is_group()) {
        let members = grains.tree().children(node);
        let way = grains.path(tasks, node);
        let length: i64 = members.filter(|&m| way.takes(m)).map(|m| grains.critical_path(m)).sum();
        assert_eq!(length, grains.critical_path(node));
    }
}

/// The same program with intervals three times as long: every grain works three times as long, wherever it ran.
fn check_deviation(case: &Case) {
    let recording = case.record();
    let mut longer = recording.program.clone();
    longer.nodes.iter_mut().for_each(|node| node.length *= 3);
    let schedule = Schedule::greedy(&longer, 3);
    let (here, there) = (Recording::whole(longer, schedule, 3).open(), recording.open());
    let (grains, others) = (Grains::new(&here.tasks), Grains::new(&there.tasks));
    let (here, there) = ((&here.tasks, &grains), (&there.tasks, &others));
    let deviation = Deviation::new(here, there);
    assert_eq!((deviation.matched, deviation.same_structure), (grains.grain_count(), true));
    for grain in 0..grains.grain_count() {
        let ratio = deviation.of(grain);
        assert!(ratio == 3.0 || ratio == 1.0 && grains.work_of(grain..grain + 1) == 0, "{ratio}");
    }
    let set = grains.problem(Problem::WorkDeviation, 2.0, Some(&deviation));
    assert_eq!(set.grains, (0..grains.grain_count()).filter(|&g| grains.work_of(g..g + 1) > 0).count());
    assert!(
        (grains.time_lost(here.0, &set, Some(&deviation)) - (deviation.work.0 - deviation.work.1)).abs() <= 1
    );
    let grown = growth(here, there, 4);
    if let Some(most) = grown.first() {
        assert_eq!((most.node, most.work), (NodeId::ROOT, deviation.work));
    }
    // Against itself nothing grew.
    let same = Deviation::new(here, here);
    assert_eq!((same.matched, same.work.0), (grains.grain_count(), same.work.1));
    assert_eq!(grains.problem(Problem::WorkDeviation, 1.0, Some(&same)).grains, 0);
}

/// Every node of the task tree leads to the grain or group that stands for it.
fn check_lookup(case: &Case) {
    let opened = case.record().open();
    let grains = Grains::new(&opened.tasks);
    for grain in each_grain(&grains) {
        let task = grains.task(grain);
        let found = grains.of_task(&opened.tasks, task);
        assert_eq!(grains.task(found), task);
        assert!(found == grain || grains.kind(found).is_group() && grains.tree().is_below(grain, found));
    }
}

/// Parts that were folded while recording are grains of their own, and nothing is lost.
fn check_collapsed(case: &Case) {
    let opened = case.record().open();
    let tasks = &opened.tasks;
    let grains = Grains::new(tasks);
    grains.tree().check().unwrap();
    assert_eq!(grains.work(NodeId::ROOT) + grains.outside(), tasks.work(NodeId::ROOT));
    assert!(grains.outside() >= 0);
    assert_eq!(grains.raw_nodes(), grains.grain_count() + 2 * grains.fork_joins() + 2);
    for node in (0..grains.tree().node_count() as u32).map(NodeId) {
        let kind = grains.kind(node);
        assert_eq!(kind.is_group(), !grains.tree().is_leaf(node));
        if kind == GrainKind::Linear {
            assert!(grains.tree().child_count(node) >= 2);
            assert!(grains.tree().children(node).all(|m| grains.kind(m) != GrainKind::Linear));
        }
    }
}

#[test]
fn a_root_that_no_grain_heads_gives_way_to_its_only_member() {
    let manners = model::Manners { longest: 0, pause: 0, stay: 0, cores: 1 };
    let seed = 17_332_519_367_940_401_461;
    check_structure(&Case { seed, size: 16, workers: 1, manners, folding: model::Folding::None, wild: true });
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn structure_is_that_of_the_definition(case in full()) {
        check_structure(&case);
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn metrics_are_those_of_the_definition(case in full()) {
        check_metrics(&case.record());
    }

    /// Creating and joining costs seconds, more than 32 bits of nanoseconds hold.
    #[test]
    fn metrics_of_dear_grains(case in full()) {
        check_metrics(&case.record().slowed(1_000_000_000));
    }

    #[test]
    fn problems_separate_as_defined(case in full()) {
        check_problems(&case);
    }

    #[test]
    fn equal_shapes_are_isomorphic(case in full()) {
        check_shapes(&case);
    }

    #[test]
    fn paths_add_up(case in full()) {
        check_paths(&case);
    }

    #[test]
    fn deviation_is_by_lineage(case in full()) {
        check_deviation(&case);
    }

    #[test]
    fn tasks_lead_to_their_grains(case in full()) {
        check_lookup(&case);
    }

    #[test]
    fn collapsed_runs_keep_their_totals(case in any_run()) {
        check_collapsed(&case);
    }
}

/// A section with one section in it is no group of several.
#[test]
fn a_lone_section_in_a_section_is_no_linear_group() {
    let manners = model::Manners { longest: 0, pause: 0, stay: 0, cores: 1 };
    let (seed, folding) = (17414604047092462629, model::Folding::None);
    check_collapsed(&Case { seed, size: 19, workers: 1, manners, folding, wild: true });
}

fn opened(program: Program) -> model::Opened {
    let schedule = Schedule::greedy(&program, 2);
    Recording::whole(program, schedule, 2).open()
}

/// A task and everything that it creates; `spawn` says how many tasks its only section has.
fn recursive(program: &mut Program, members: &dyn Fn(u32) -> Vec<u32>, size: u32) {
    let below = members(size);
    if !below.is_empty() {
        program.open(Kind::Section);
        for size in below {
            program.leaf(Kind::Create, 1);
            program.open(Kind::Task);
            recursive(program, members, size);
            program.close(2);
        }
        program.close(1);
    }
}

fn fib(n: u64) -> u64 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

#[test]
fn fib_by_depth() {
    for n in 2..16u32 {
        let mut program = Program::new();
        recursive(&mut program, &|n| if n < 2 { vec![] } else { vec![n - 1, n - 2] }, n);
        program.close(1);
        let opened = opened(program);
        let grains = Grains::new(&opened.tasks);
        // Calls of fib(n), and those of them that create two tasks.
        let calls = 2 * fib(u64::from(n) + 1) - 1;
        let joins = fib(u64::from(n) + 1) - 1;
        assert_eq!(grains.grain_count() as u64, calls);
        assert_eq!(grains.fork_joins() as u64, joins);
        assert_eq!(grains.raw_nodes() as u64, calls + 2 * joins + 2);
        assert_eq!(grains.group_count() as u64, 2 * joins);
        // Each call on the way down opens a linear group of two and a fork-join of two.
        assert_eq!(grains.theta(None).most, 1 + u64::from(n - 1) * (1 + 3));
        assert_eq!(grains.tree().max_depth() as u32, 2 * (n - 1));
    }
}

#[test]
fn complete_trees() {
    for (k, depth) in [(1, 9u32), (2, 8), (3, 5), (7, 3), (40, 2)] {
        let mut program = Program::new();
        recursive(&mut program, &|d| if d == 0 { vec![] } else { vec![d - 1; k] }, depth);
        program.close(1);
        let opened = opened(program);
        let grains = Grains::new(&opened.tasks);
        let inner: usize = (0..depth).map(|d| k.pow(d)).sum();
        assert_eq!(grains.grain_count(), inner + k.pow(depth));
        assert_eq!((grains.fork_joins(), grains.group_count()), (inner, 2 * inner));
        assert_eq!(grains.theta(None).most, 1 + u64::from(depth) * (1 + k as u64 + 1));
        // All groups of one depth are alike.
        let root = grains.tree().child(NodeId::ROOT, 1).unwrap();
        if depth > 1 {
            let member = grains.tree().child(root, 0).unwrap();
            assert_eq!(grains.siblings_alike(member), (k, k));
            assert_eq!(grains.alike(member, usize::MAX).1, k);
        }
    }
}

/// Create one branch, go on with the other, wait: Rayon's `join`, Cilk's `spawn`.
fn branches(program: &mut Program, depth: u32, leaf: i64) {
    if depth == 0 {
        program.leaf(Kind::Other, leaf);
        return;
    }
    program.open(Kind::Section);
    program.leaf(Kind::Create, 0);
    program.open(Kind::Task);
    branches(program, depth - 1, leaf);
    program.close(0);
    branches(program, depth - 1, leaf);
    program.close(0);
}

#[test]
fn the_branch_that_runs_on_stands_beside_the_other() {
    for depth in 1..9u32 {
        let mut program = Program::new();
        branches(&mut program, depth, 1000);
        program.close(0);
        let opened = opened(program);
        let grains = Grains::new(&opened.tasks);
        let leaves = 1usize << depth;
        assert_eq!((grains.grain_count(), grains.fork_joins()), (leaves, leaves - 1));
        // Each task works for one leaf, then the branches that it created do, all at once.
        assert_eq!(grains.work(NodeId::ROOT), 1000 * leaves as i64);
        assert_eq!(grains.critical_path(NodeId::ROOT), 1000 * i64::from(depth + 1));
    }
    // Two of them, one after the other, in the branch that runs on.
    let mut program = Program::new();
    program.open(Kind::Section);
    program.spawn(0, 5000);
    branches(&mut program, 1, 1000);
    branches(&mut program, 1, 1000);
    program.close(0);
    program.close(0);
    let opened = opened(program);
    let grains = Grains::new(&opened.tasks);
    assert_eq!(group(&grains, NodeId::ROOT).text(true), "(0 [([7] [14]) 3])");
    assert_eq!(grains.critical_path(NodeId::ROOT), 2000 + 5000);
}

/// Places queens row by row; counts tasks, and those that create others.
fn queens(n: usize, row: usize, board: &mut Vec<usize>, program: &mut Program, counts: &mut (usize, usize)) {
    counts.0 += 1;
    let free = |board: &[usize], column: usize| {
        board.iter().enumerate().all(|(r, &c)| c != column && row.abs_diff(r) != c.abs_diff(column))
    };
    let columns: Vec<usize> = (0..n).filter(|&c| row < n && free(board, c)).collect();
    if columns.is_empty() {
        return;
    }
    counts.1 += 1;
    program.open(Kind::Section);
    for column in columns {
        board.push(column);
        program.leaf(Kind::Create, 1);
        program.open(Kind::Task);
        queens(n, row + 1, board, program, counts);
        program.close(1);
        board.pop();
    }
    program.close(1);
}

#[test]
fn n_queens_by_a_serial_counter() {
    for n in 1..8 {
        let mut program = Program::new();
        let mut counts = (0, 0);
        queens(n, 0, &mut Vec::new(), &mut program, &mut counts);
        program.close(1);
        let opened = opened(program);
        let grains = Grains::new(&opened.tasks);
        assert_eq!((grains.grain_count(), grains.fork_joins()), counts);
        assert_eq!(grains.raw_nodes(), counts.0 + 2 * counts.1 + 2);
    }
}

const MANY: usize = 1_000_000;

#[test]
fn a_fork_of_a_million_children() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for _ in 0..MANY {
        program.spawn(1, 2);
    }
    program.close(1);
    program.close(1);
    let opened = opened(program);
    let grains = Grains::new(&opened.tasks);
    assert_eq!((grains.grain_count(), grains.fork_joins(), grains.group_count()), (MANY + 1, 1, 2));
    assert_eq!(grains.theta(None).most, 1 + 1 + (MANY as u64 - 1 + 2));
    assert_eq!(grains.critical_path(NodeId::ROOT), MANY as i64 + 2 + 2);
    let set = grains.problem(Problem::LowParallelBenefit, f64::INFINITY, None);
    assert_eq!(grains.theta(Some(&set)).most, if set.grains > 0 { grains.theta(None).most } else { 0 });
}

#[test]
fn a_chain_of_a_million_fork_joins() {
    let mut program = Program::new();
    for _ in 0..MANY {
        program.open(Kind::Section);
        program.spawn(1, 2);
        program.close(1);
    }
    program.close(1);
    let opened = opened(program);
    let grains = Grains::new(&opened.tasks);
    assert_eq!((grains.grain_count(), grains.fork_joins(), grains.group_count()), (MANY + 1, MANY, MANY + 1));
    assert_eq!(grains.theta(None).most, 1 + MANY as u64 + 2);
    assert_eq!(grains.critical_path(NodeId::ROOT), 2 * MANY as i64 + 1 + 2 * MANY as i64);
    assert_eq!(grains.alike(NodeId(2), 10).1, MANY);
}

#[test]
fn a_nest_of_many_tasks() {
    let mut program = Program::new();
    for _ in 0..MANY / 4 {
        program.open(Kind::Section);
        program.leaf(Kind::Create, 1);
        program.open(Kind::Task);
    }
    for _ in 0..MANY / 4 {
        program.close(2);
        program.close(3);
    }
    program.close(4);
    let opened = opened(program);
    let grains = Grains::new(&opened.tasks);
    assert_eq!((grains.grain_count(), grains.fork_joins()), (MANY / 4 + 1, MANY / 4));
    assert_eq!(grains.tree().max_depth(), MANY / 2);
    assert_eq!(grains.theta(None).most, 1 + (MANY as u64 / 4) * 3);
}
