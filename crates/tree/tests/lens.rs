//! Lenses: which nodes they choose and keep, and how they fold the rest.

use crate::naive;

use std::collections::BTreeSet;

use crosscut_tree::{Lens, NodeId, NodeSet};
use naive::{Looked, Naive, cases, outliers, with_values};
use proptest::collection::vec;
use proptest::prelude::*;

fn chosen(lens: &Lens) -> BTreeSet<usize> {
    lens.chosen().iter().map(NodeId::index).collect()
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn a_lens_keeps_the_chosen_and_their_ancestors((naive, dice) in with_values(any::<u16>()), one_in in 1u16..300) {
        let built = naive.build();
        let tree = built.view();
        let slow: BTreeSet<usize> = (0..naive.count()).filter(|&i| dice[i] % one_in == 0).collect();
        let lens = Lens::new(NodeSet::from_fn(naive.count(), |node| dice[node.index()] % one_in == 0));
        let kept: BTreeSet<usize> = slow.iter().flat_map(|&i| naive.ancestors(i).into_iter().chain([i])).collect();
        for i in 0..naive.count() {
            let node = NodeId(i as u32);
            prop_assert_eq!(lens.keeps(tree, node), kept.contains(&i));
            prop_assert_eq!(lens.inside(tree, node), naive.below(i).iter().filter(|n| slow.contains(n)).count());
            for parallel in [true, false] {
                let lists = Looked { tree, lens: &lens, parallel }.lists(node);
                if lens.keeps(tree, node) {
                    prop_assert_eq!(lists, naive.through_lens(&slow, i, parallel));
                } else {
                    // Nothing to look for: all children, one by one.
                    prop_assert!(lists.iter().all(|list| list.len() == 1));
                }
            }
        }
    }

    /// Whole numbers, so that quartiles are exact; some far out, many equal, many zero.
    #[test]
    fn outliers_by_the_box_plot(
        values in vec(prop_oneof![Just(0i32), -50i32..50, Just(7), -100_000i32..100_000], 0..80),
        k in prop::sample::select(vec![0.0, 0.5, 1.5, 3.0]),
    ) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        prop_assert_eq!(chosen(&Lens::outliers(&values, k)), outliers(&values, k));
    }

    #[test]
    fn thresholds_include_the_border(values in vec(-5i64..5, 0..200), threshold in -6i64..6) {
        let expected: BTreeSet<usize> = (0..values.len()).filter(|&i| values[i] >= threshold).collect();
        prop_assert_eq!(chosen(&Lens::at_least(&values, threshold)), expected);
    }

    #[test]
    fn strange_values_do_no_harm(values in vec(any::<f64>(), 0..40), k in any::<f64>()) {
        let lens = Lens::outliers(&values, k);
        prop_assert!(lens.chosen().iter().all(|node| !values[node.index()].is_nan()));
    }
}

#[test]
fn outliers_of_a_small_sample() {
    // Non-zero 1, 2, 3, 4, 100: Q1 = 2, Q3 = 4, so anything from 7 up or −1 down.
    let values = [0.0, 3.0, 1.0, 100.0, 2.0, 4.0, f64::NAN, f64::INFINITY];
    assert_eq!(chosen(&Lens::outliers(&values, 1.5)), BTreeSet::from([3, 7]));
    assert!(Lens::outliers(&[0.0, 0.0], 1.5).chosen().is_empty());
}

#[test]
fn one_alone_keeps_its_place() {
    // Children 1, 2, 3 of the root; 1 and 3 chosen.
    let built = Naive::from_parents(&[None, Some(0), Some(0), Some(0)]).0.build();
    let lens = Lens::new(NodeSet::from_nodes(4, [NodeId(1), NodeId(3)]));
    for parallel in [true, false] {
        let lists = Looked { tree: built.view(), lens: &lens, parallel }.lists(NodeId::ROOT);
        assert_eq!(lists, [[1], [2], [3]]);
    }
}
