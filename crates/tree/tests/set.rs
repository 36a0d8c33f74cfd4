//! Sets of nodes against a `BTreeSet`.

use crate::naive;

use std::collections::BTreeSet;

use crosscut_tree::{NodeId, NodeSet};
use naive::cases;
use proptest::prelude::*;

/// Sizes around the borders of a word (64) and of a group of words (512), and the members below them.
fn sets() -> impl Strategy<Value = (usize, BTreeSet<usize>)> {
    let sizes = prop_oneof![0usize..1300, prop::sample::select(vec![0, 1, 63, 64, 65, 511, 512, 513, 1024])];
    sizes.prop_flat_map(|n| {
        let some = prop::collection::btree_set(0..n.max(1), 0..=n.min(200));
        let members = prop_oneof![4 => some, 1 => Just((0..n).collect())];
        (Just(n), members.prop_map(move |members| members.into_iter().filter(|&m| m < n).collect()))
    })
}

fn fast((n, members): &(usize, BTreeSet<usize>)) -> NodeSet {
    NodeSet::from_nodes(*n, members.iter().map(|&m| NodeId(m as u32)))
}

fn list(set: &NodeSet) -> Vec<usize> {
    set.iter().map(NodeId::index).collect()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn members_counts_and_order(set in sets(), a in 0usize..1400, b in 0usize..1400) {
        let (n, members) = &set;
        let fast = fast(&set);
        prop_assert_eq!(&fast, &NodeSet::from_fn(*n, |node| members.contains(&node.index())));
        prop_assert_eq!(list(&fast), members.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(fast.len(), members.len());
        prop_assert_eq!(fast.is_empty(), members.is_empty());
        for i in [a, b, n.saturating_sub(1), *n, u32::MAX as usize] {
            prop_assert_eq!(fast.contains(NodeId(i as u32)), members.contains(&i));
        }
        for range in [a..b, b..a, 0..a, a..*n, 0..usize::MAX] {
            let count = members.iter().filter(|m| range.contains(m)).count();
            prop_assert_eq!(fast.count_in(range), count);
        }
    }

    /// The second set may be of another size: the result has the nodes of the first.
    #[test]
    fn both_either_and_only(one in sets(), two in sets()) {
        let (a, b) = (fast(&one), fast(&two));
        let (n, one) = one;
        let two: BTreeSet<usize> = two.1.into_iter().filter(|&m| m < n).collect();
        for (fast, slow) in [(a.and(&b), &one & &two), (a.or(&b), &one | &two), (a.minus(&b), &one - &two)] {
            prop_assert_eq!(fast.len(), slow.len());
            prop_assert_eq!(list(&fast), slow.into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn nodes_beyond_the_tree_are_left_out() {
    let set = NodeSet::from_nodes(3, [0, 2, 3, 64, u32::MAX].map(NodeId));
    assert_eq!(list(&set), [0, 2]);
}
