//! Greedy agglomeration beside a search through all pairs, and the trees of graphs whose communities are known.

use crosscut_chance::Chance;
use crosscut_messages::communities::{Communities, Edge, modularity};
use crosscut_messages::partition::Partition;

/// Every pair of connected communities is weighed for every merge, by the modularity of the whole partition.
fn naive(processes: u32, edges: &[Edge]) -> Vec<Partition> {
    let mut labels: Vec<u32> = (0..processes).collect();
    let mut partitions = vec![Partition::new(labels.iter().copied())];
    loop {
        let mut best: Option<(f64, u32, u32)> = None;
        for edge in edges {
            let (a, b) = (labels[edge.a as usize], labels[edge.b as usize]);
            if a != b {
                let merged = labels.iter().map(|&label| if label == b { a } else { label });
                let quality = modularity(edges, &Partition::new(merged));
                if best.is_none_or(|best| quality > best.0) {
                    best = Some((quality, a, b));
                }
            }
        }
        let Some((_, a, b)) = best else { return partitions };
        labels.iter_mut().filter(|label| **label == b).for_each(|label| *label = a);
        partitions.push(Partition::new(labels.iter().copied()));
    }
}

fn random(chance: &mut Chance, processes: u32, edges: usize) -> Vec<Edge> {
    let end = |chance: &mut Chance| chance.below(u64::from(processes)) as u32;
    (0..edges)
        .map(|_| Edge { a: end(chance), b: end(chance), weight: 1.0 + chance.below(1 << 40) as f64 })
        .filter(|edge| edge.a != edge.b)
        .collect()
}

#[test]
fn every_cut_is_that_of_the_search_through_all_pairs() {
    let mut chance = Chance::new(31);
    for _ in 0..300 {
        let processes = 2 + chance.below(18) as u32;
        let count = chance.index(50);
        let edges = random(&mut chance, processes, count);
        let communities = Communities::of(processes, &edges);
        let naive = naive(processes, &edges);
        for (merges, partition) in naive.iter().enumerate() {
            assert_eq!(communities.cut(processes - merges as u32), *partition, "{edges:?}");
        }
        let (count, quality) = communities.best();
        let best = naive.iter().map(|partition| modularity(&edges, partition)).fold(f64::MIN, f64::max);
        assert!((quality - best).abs() < 1e-9, "{quality} {best}");
        assert!((modularity(&edges, &communities.cut(count)) - best).abs() < 1e-9);
    }
}

#[test]
fn the_tree_is_whole_and_every_cut_is_contiguous_in_its_order() {
    let mut chance = Chance::new(32);
    for _ in 0..200 {
        let processes = 1 + chance.below(40) as u32;
        let count = chance.index(60);
        let edges = random(&mut chance, processes, count);
        let communities = Communities::of(processes, &edges);
        assert_eq!(communities.merges().len() as u32, processes - 1);
        let order = communities.order();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..processes).collect::<Vec<u32>>());
        for count in 1..=processes {
            let cut = communities.cut(count);
            assert_eq!(cut.communities(), count);
            let mut changes = order.clone();
            changes.iter_mut().for_each(|process| *process = cut.of()[*process as usize]);
            changes.dedup();
            assert_eq!(changes.len() as u32, count, "{order:?} {cut:?}");
        }
    }
}

#[test]
fn a_butterfly_falls_into_its_halves() {
    // Each stage exchanges half of what the one before did, with the partner twice as far away.
    let edges: Vec<Edge> = (0..4)
        .flat_map(|stage| {
            (0..16u32).map(move |a| Edge { a, b: a ^ (1 << stage), weight: f64::from(1u32 << (20 - stage)) })
        })
        .collect();
    let communities = Communities::of(16, &edges);
    for stage in 0..=4 {
        assert_eq!(communities.cut(16 >> stage), Partition::new((0..16u32).map(|process| process >> stage)));
    }
}

#[test]
fn silent_processes_are_one_class_and_components_join_last() {
    let edge = |a, b| Edge { a, b, weight: 1.0 };
    // A triangle, a pair, and three that say nothing; edges that do not count.
    let edges = [
        edge(0, 1),
        edge(1, 2),
        edge(2, 0),
        edge(4, 5),
        edge(3, 3),
        edge(9, 1),
        Edge { a: 3, b: 6, weight: 0.0 },
    ];
    let communities = Communities::of(8, &edges);
    assert_eq!(communities.cut(3), Partition::new([0, 0, 0, 1, 2, 2, 1, 1]));
    assert_eq!(communities.cut(1), Partition::new([0; 8]));
    let (count, quality) = communities.best();
    assert_eq!(count, 3);
    assert!((quality - 0.375).abs() < 1e-12, "{quality}");

    let nobody = Communities::of(3, &[]);
    assert_eq!((nobody.merges().len(), nobody.cut(1).communities()), (2, 1));
    assert!(Communities::of(0, &[]).order().is_empty());
}
