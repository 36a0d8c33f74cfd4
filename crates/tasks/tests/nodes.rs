//! What is said of a node: work, critical path, counts, edges, place and times equal their definitions, at every node.

use crate::model;

use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;
use model::{Chance, Earliest, Recording, any_run, cases};
use proptest::prelude::*;

fn check_nodes(recording: &Recording, tasks: &Tasks) -> Result<(), TestCaseError> {
    let edges = recording.program.edges();
    let earliest = Earliest::new(&recording.program);
    prop_assert_eq!(tasks.tree().node_count(), recording.kept.len());
    for (i, kept) in recording.kept.iter().enumerate() {
        let node = NodeId(i as u32);
        let leaves = recording.leaves(i);
        let range = tasks.tree().range(node);
        prop_assert_eq!(tasks.kind(node), recording.kind(i));
        prop_assert_eq!(tasks.is_collapsed(node), kept.collapsed);
        prop_assert_eq!(tasks.work(node), recording.work(i), "work of {}", i);
        prop_assert_eq!(tasks.span(node), earliest.span(kept.model), "span of {}", i);
        prop_assert_eq!(tasks.tail(node), earliest.tail(kept.model), "tail of {}", i);
        prop_assert_eq!(tasks.counts(range), recording.counts(i), "counts of {}", i);
        prop_assert_eq!(tasks.edges(node), recording.edges(i, &edges), "edges of {}", i);
        prop_assert_eq!((tasks.worker(node), tasks.core(node)), recording.place(i), "place of {}", i);
        let hull = recording.schedule.hull(&leaves);
        prop_assert_eq!((tasks.start(node), tasks.end(node)), hull, "times of {}", i);
        prop_assert_eq!(tasks.ready(node), recording.schedule.ready[leaves[0]], "ready of {}", i);
        prop_assert_eq!(tasks.edge(node), recording.schedule.edge[leaves[0]], "edge of {}", i);
    }
    Ok(())
}

fn check_summary(recording: &Recording, tasks: &Tasks) -> Result<(), TestCaseError> {
    let s = tasks.summary();
    let counts = recording.counts(0);
    prop_assert_eq!(s.counts, counts);
    prop_assert_eq!((s.tasks, s.intervals), (counts[0], counts.iter().sum()));
    prop_assert_eq!(s.dag_nodes as usize, recording.program.nodes.len());
    prop_assert_eq!(s.nodes as usize, recording.kept.len());
    prop_assert_eq!(s.work, recording.work(0));
    prop_assert_eq!(s.span, Earliest::new(&recording.program).whole());
    prop_assert_eq!(s.span, tasks.critical_path(NodeId::ROOT));
    prop_assert_eq!(s.elapsed, recording.elapsed());
    prop_assert_eq!(s.ready, recording.waited(0));
    prop_assert_eq!(s.edges, recording.edges(0, &recording.program.edges()));
    let depth = |mut i: usize| {
        let mut depth = 0;
        while i > 0 {
            i = recording.kept[i].parent;
            depth += 1;
        }
        depth
    };
    prop_assert_eq!(s.depth, (0..recording.kept.len()).map(depth).max().unwrap_or(0));
    let blocks = recording.blocks();
    for worker in 0..recording.workers {
        let own = blocks.iter().filter(|b| b.row == worker);
        prop_assert_eq!(s.busy[worker], own.clone().map(|b| b.work).sum::<i64>());
        prop_assert_eq!(s.intervals_by_worker[worker], own.count() as i64);
    }
    Ok(())
}

/// What the drawing asks: dependences, chunks, members of teams.
fn check_links(recording: &Recording, tasks: &Tasks) -> Result<(), TestCaseError> {
    let n = recording.kept.len();
    let as_kept =
        |&(to, from): &(usize, usize)| (recording.kept_as[to] as u32, recording.kept_as[from] as u32);
    let all: Vec<(u32, u32)> = recording.program.depends.iter().map(as_kept).collect();
    let into: Vec<(u32, u32)> = tasks.depends_into(0..n).map(|(to, from)| (to.0, from.0)).collect();
    prop_assert_eq!(&into, &all);
    for i in 0..n {
        let node = NodeId(i as u32);
        let own: Vec<u32> = all.iter().filter(|d| d.0 == node.0).map(|d| d.1).collect();
        prop_assert_eq!(tasks.depends_on(node), &own[..]);
        let is_chunk = recording.kind(i) == Kind::Chunk;
        prop_assert_eq!(tasks.chunk(node), is_chunk.then_some((10 * i as i64, 1 + i as i64)));
        let is_lane = i > 0 && recording.kind(i) == Kind::Task && recording.kind(i - 1) == Kind::Fork;
        prop_assert_eq!(tasks.word(node), if is_lane { "lane" } else { recording.kind(i).word() });
    }
    Ok(())
}

/// Work by row of the blocks in a range of kept nodes.
fn naive_mix(recording: &Recording, range: std::ops::Range<usize>) -> Vec<i64> {
    let mut mix = vec![0; recording.workers + 1];
    for node in range.filter(|&n| recording.is_block(n)) {
        let block = recording.block(node);
        mix[block.row] += block.work;
    }
    mix
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn every_node_is_what_the_definitions_say(case in any_run()) {
        let recording = case.record();
        let opened = recording.open();
        check_nodes(&recording, &opened.tasks)?;
        check_summary(&recording, &opened.tasks)?;
        check_links(&recording, &opened.tasks)?;
    }

    #[test]
    fn a_range_sums_its_blocks(case in any_run()) {
        let recording = case.record();
        let tasks = recording.open().tasks;
        let mut chance = Chance::new(case.seed ^ 1);
        let n = recording.kept.len();
        for _ in 0..20 {
            let from = chance.index(n + 1);
            let to = from + chance.index(n + 1 - from);
            let blocks: Vec<usize> = (from..to).filter(|&i| recording.is_block(i)).collect();
            prop_assert_eq!(tasks.work_of(from..to), blocks.iter().map(|&b| recording.work(b)).sum::<i64>());
            let mut counts = [0; Kind::LEAVES.len()];
            for &block in &blocks {
                for (sum, count) in counts.iter_mut().zip(recording.counts(block)) {
                    *sum += count;
                }
            }
            prop_assert_eq!(tasks.counts(from..to), counts);
            prop_assert_eq!(tasks.mix(from..to), naive_mix(&recording, from..to));
        }
    }
}

/// Ranges over many blocks of sums, which small runs do not have.
#[test]
fn a_long_range_sums_its_blocks() {
    let mut program = model::Program::new();
    program.open(Kind::Section);
    for i in 0..6000 {
        program.spawn(i % 7, i % 5);
    }
    program.close(1);
    program.close(1);
    let schedule = model::Schedule::greedy(&program, 3);
    let recording = Recording::whole(program, schedule, 3);
    let tasks = recording.open().tasks;
    let n = recording.kept.len();
    // Prefix sums of the model: (work, counts, mix) of the nodes before.
    let mut sums = vec![(0i64, [0i64; Kind::LEAVES.len()], [0i64; 4])];
    for (i, kept) in recording.kept.iter().enumerate() {
        let (mut work, mut counts, mut mix) = sums[i];
        if recording.is_block(i) {
            let leaf = &recording.program.nodes[kept.model];
            work += leaf.length;
            counts[leaf.kind.leaf().expect("an interval")] += 1;
            mix[recording.schedule.worker[kept.model]] += leaf.length;
        }
        sums.push((work, counts, mix));
    }
    fn minus<const N: usize>(a: [i64; N], b: [i64; N]) -> [i64; N] {
        std::array::from_fn(|k| a[k] - b[k])
    }
    let mut chance = Chance::new(5);
    for _ in 0..500 {
        let from = chance.index(n + 1);
        let to = from + chance.index(n + 1 - from);
        let (a, b) = (sums[from], sums[to]);
        assert_eq!(tasks.work_of(from..to), b.0 - a.0);
        assert_eq!(tasks.counts(from..to), minus(b.1, a.1));
        assert_eq!(tasks.mix(from..to), minus(b.2, a.2));
    }
}
