//! Every shape, under both policies, against the rules of the model written down in the most obvious way.

use crosscut_synth::{Options, Policy, ShapeName};
use crosscut_tasks::Tasks;
use crosscut_tasks::schema::{Edge, Kind};
use crosscut_tree::NodeId;
use proptest::prelude::*;

fn make(options: &Options) -> Tasks {
    let folder = tempfile::tempdir().unwrap();
    let run = crosscut_synth::tasks(&folder.path().join("made.crosscut"), options, &|_, _| {}).unwrap();
    Tasks::open(run).unwrap() // mapped files stay readable when their names are gone
}

fn small(shape: ShapeName, policy: Policy) -> Options {
    Options { shape, policy, nodes: 2_000, workers: 4, ..Options::default() }
}

fn all_small() -> impl Iterator<Item = Options> {
    ShapeName::ALL.into_iter().flat_map(|shape| Policy::ALL.map(|policy| small(shape, policy)))
}

fn leaves(tasks: &Tasks) -> Vec<NodeId> {
    let tree = tasks.tree();
    (0..tree.node_count() as u32).map(NodeId).filter(|&n| tree.is_leaf(n)).collect()
}

/// The leaves that must have ended before `node` starts, from the model's edges.
fn predecessors(tasks: &Tasks, node: NodeId) -> Vec<NodeId> {
    let tree = tasks.tree();
    let Some(parent) = tree.parent(node) else { return Vec::new() };
    let siblings: Vec<NodeId> = tree.children(parent).collect();
    let at = siblings.iter().position(|&s| s == node).unwrap();
    let Some(before) = at.checked_sub(1) else { return predecessors(tasks, parent) };
    match tasks.kind(siblings[before]) {
        Kind::Create | Kind::Other => vec![siblings[before]],
        Kind::Task => vec![siblings[before - 1]],
        Kind::Section => {
            let inside: Vec<NodeId> = tree.children(siblings[before]).collect();
            let ends = inside.iter().filter(|&&n| tasks.kind(n) == Kind::Task);
            ends.map(|&task| tree.children(task).last().unwrap()).chain(inside.last().copied()).collect()
        }
        Kind::Wait | Kind::End => panic!("{node:?} comes after the last interval of its parent"),
        Kind::Fork | Kind::Chunk => panic!("{node:?} comes after what no shape makes"),
    }
}

/// The edges that may have made `node` ready; two when a task and a wait ended at the same time.
fn edges(tasks: &Tasks, node: NodeId) -> Vec<Edge> {
    let tree = tasks.tree();
    let Some(parent) = tree.parent(node) else { return vec![Edge::Create] };
    if tasks.kind(node) == Kind::Task {
        return vec![Edge::Create];
    }
    let Some(before) = tree.children(parent).take_while(|&s| s != node).last() else {
        return edges(tasks, parent);
    };
    match tasks.kind(before) {
        Kind::Task => vec![Edge::CreateCont],
        Kind::Section => {
            let from = predecessors(tasks, node);
            let (wait, ends) = from.split_last().unwrap();
            match ends.iter().map(|&n| tasks.end(n)).max().unwrap().cmp(&tasks.end(*wait)) {
                std::cmp::Ordering::Less => vec![Edge::WaitCont],
                std::cmp::Ordering::Equal => vec![Edge::WaitCont, Edge::End],
                std::cmp::Ordering::Greater => vec![Edge::End],
            }
        }
        _ => vec![Edge::OtherCont],
    }
}

/// Children in the order that the model allows.
fn check_grammar(tasks: &Tasks) {
    let tree = tasks.tree();
    for node in (0..tree.node_count() as u32).map(NodeId) {
        let kinds: Vec<Kind> = tree.children(node).map(|n| tasks.kind(n)).collect();
        let Some((last, inner)) = kinds.split_last() else {
            assert!(!tasks.kind(node).is_collective(), "{node:?} is empty");
            continue;
        };
        let is_task = tasks.kind(node) == Kind::Task;
        assert_eq!(*last, if is_task { Kind::End } else { Kind::Wait }, "{node:?}");
        for (i, kind) in inner.iter().enumerate() {
            match kind {
                Kind::Create => assert!(!is_task && inner.get(i + 1) == Some(&Kind::Task), "{node:?}"),
                Kind::Task => assert!(i > 0 && inner[i - 1] == Kind::Create, "{node:?}"),
                Kind::Other | Kind::Section => {}
                Kind::Wait | Kind::End => panic!("{node:?} ends twice"),
                Kind::Fork | Kind::Chunk => panic!("{node:?} has what no shape makes"),
            }
        }
        assert!(is_task || inner.contains(&Kind::Task), "{node:?} is a section without a task");
    }
}

fn check(tasks: &Tasks, options: &Options) {
    let tree = tasks.tree();
    tree.check().unwrap();
    assert_eq!(tree.node_count() as u64, options.node_count().unwrap());
    check_grammar(tasks);

    let leaves = leaves(tasks);
    for &leaf in &leaves {
        assert!(tasks.end(leaf) > tasks.start(leaf), "{leaf:?} takes no time");
        for before in predecessors(tasks, leaf) {
            assert!(tasks.end(before) <= tasks.start(leaf), "{leaf:?} starts before {before:?} has ended");
        }
        let worker = tasks.worker(leaf).unwrap();
        assert_eq!(tasks.core(leaf), Some(worker as i64));
        assert!(matches!(tasks.source(leaf), (Some(_), Some(_))));
    }
    for node in (0..tree.node_count() as u32).map(NodeId) {
        assert!(edges(tasks, node).contains(&tasks.edge(node)), "{node:?} has edge {:?}", tasks.edge(node));
    }
    for worker in 0..options.workers {
        let mut mine: Vec<NodeId> =
            leaves.iter().copied().filter(|&n| tasks.worker(n) == Some(worker)).collect();
        mine.sort_by_key(|&n| tasks.start(n));
        for pair in mine.windows(2) {
            assert!(tasks.end(pair[0]) <= tasks.start(pair[1]), "worker {worker} runs {pair:?} at once");
        }
    }

    let sum = tasks.summary();
    let workers = options.workers as i64;
    assert_eq!(sum.work, leaves.iter().map(|&n| tasks.end(n) - tasks.start(n)).sum::<i64>());
    assert!(sum.span <= sum.elapsed && sum.span <= sum.work && sum.work <= workers * sum.elapsed);
    assert_eq!(sum.work + sum.delay + sum.no_work, workers * sum.elapsed);
    if options.workers == 1 {
        assert_eq!(sum.elapsed, sum.work + sum.tasks * i64::from(options.create));
    }
}

#[test]
fn every_shape_keeps_the_rules() {
    for options in all_small() {
        check(&make(&options), &options);
    }
}

#[test]
fn one_worker_wastes_no_time() {
    for options in all_small() {
        let options = Options { workers: 1, ..options };
        check(&make(&options), &options);
    }
}

#[test]
fn several_workers_share_the_work() {
    for shape in [ShapeName::Fib, ShapeName::Random, ShapeName::Wide, ShapeName::Skewed, ShapeName::Sort] {
        for policy in Policy::ALL {
            let options = Options { nodes: 50_000, ..small(shape, policy) };
            let sum = make(&options).summary().clone();
            let speed_up = sum.work as f64 / sum.elapsed as f64;
            assert!(speed_up > 2.0, "{shape} {policy}: a speed-up of {speed_up}");
        }
    }
}

#[test]
fn work_and_critical_path_do_not_depend_on_the_schedule() {
    for shape in ShapeName::ALL {
        let mut seen = None;
        for (workers, policy) in [(1, Policy::HelpFirst), (3, Policy::WorkFirst), (16, Policy::HelpFirst)] {
            let sum = make(&Options { workers, ..small(shape, policy) }).summary().clone();
            let now = (sum.work, sum.span, sum.depth, sum.counts);
            assert_eq!(*seen.get_or_insert(now), now, "{shape}");
        }
    }
}

#[test]
fn equal_options_make_equal_runs() {
    for options in all_small() {
        let parts = |options: &Options| make(options).run().manifest().domains.clone();
        assert_eq!(parts(&options), parts(&options));
        assert_ne!(parts(&options), parts(&Options { seed: 2, ..options.clone() }));
    }
}

#[test]
fn sizes_are_as_near_as_the_shape_allows() {
    for nodes in (1..300).chain([1_000, 12_345, 1_000_000, 100_000_000, u64::from(u32::MAX) - 1]) {
        for shape in ShapeName::ALL {
            let made = Options { shape, nodes, ..Options::default() }.node_count().unwrap();
            let off = match shape {
                ShapeName::Random => 1,
                ShapeName::Wide => 6, // never less than one task
                ShapeName::Fib | ShapeName::Chain => 8,
                ShapeName::Deep => 5,
                ShapeName::Skewed => 14,
                ShapeName::Sort => 20 + 10 * u64::from(nodes.ilog2()),
            };
            assert!(made.abs_diff(nodes) <= off, "{shape}: {made} for {nodes}");
        }
    }
}

#[test]
fn what_cannot_be_made_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("no.crosscut");
    let refused = |options: &Options| {
        let error = crosscut_synth::tasks(&target, options, &|_, _| {}).unwrap_err().to_string();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        error
    };
    let options = Options::default();
    assert!(refused(&Options { nodes: 1 << 32, ..options.clone() }).contains("at most 4294967294"));
    assert!(refused(&Options { nodes: 0, ..options.clone() }).contains("at least 1"));
    assert!(refused(&Options { workers: 0, ..options.clone() }).contains("1 to 1024"));
    assert!(refused(&Options { jitter: 101, ..options }).contains("0 to 100"));
}

#[test]
fn a_million_levels_are_no_trouble() {
    for policy in Policy::ALL {
        let options = Options { nodes: 2_500_000, ..small(ShapeName::Deep, policy) };
        let tasks = make(&options);
        tasks.tree().check().unwrap();
        assert_eq!(tasks.summary().depth, 1_000_001);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_options_keep_the_rules(
        shape in prop::sample::select(ShapeName::ALL.to_vec()),
        policy in prop::sample::select(Policy::ALL.to_vec()),
        nodes in 1u64..600,
        workers in 1usize..10,
        seed: u64,
        grain in prop::sample::select(vec![0u32, 1, 100, 4_000, u32::MAX]),
        jitter in 0u32..=100,
        create in prop::sample::select(vec![0u32, 1, 500, 100_000]),
        steal in prop::sample::select(vec![0u32, 1, 2_000, 1_000_000]),
    ) {
        let options = Options { shape, nodes, workers, seed, policy, grain, jitter, create, steal };
        check(&make(&options), &options);
    }
}
