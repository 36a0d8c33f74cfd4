//! Finding one's way in a tree: children, siblings, ancestors, ranges, times, search, against the naive tree.

use crate::naive;

use crosscut_tree::{NodeId, Tree, WIDE, Wide};
use naive::{LONG, cases, ids, long_chain, shapes, with_values};
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn every_node_has_the_same_relatives(naive in shapes()) {
        let built = naive.build();
        let tree = built.view();
        let node = |i: Option<usize>| i.map(|i| NodeId(i as u32));
        prop_assert_eq!(tree.node_count(), naive.count());
        for i in 0..naive.count() {
            let id = NodeId(i as u32);
            let children = &naive.nodes[i].children;
            prop_assert_eq!(tree.range(id).collect::<Vec<_>>(), naive.below(i));
            prop_assert_eq!(tree.size(id), naive.below(i).len());
            prop_assert_eq!(tree.is_leaf(id), naive.is_leaf(i));
            prop_assert_eq!(tree.parent(id), node(naive.nodes[i].parent));
            prop_assert_eq!(tree.ancestors(id).collect::<Vec<_>>(), ids(naive.ancestors(i)));
            prop_assert_eq!(tree.depth(id), naive.depth(i));
            prop_assert_eq!(tree.children(id).collect::<Vec<_>>(), ids(children.clone()));
            prop_assert_eq!(tree.child_count(id), children.len());
            prop_assert_eq!(tree.child_index(id), naive.child_index(i));
            prop_assert_eq!(tree.next_sibling(id), node(naive.sibling(i, 1)));
            prop_assert_eq!(tree.previous_sibling(id), node(naive.sibling(i, -1)));
        }
        prop_assert_eq!(tree.max_depth(), (0..naive.count()).map(|i| naive.depth(i)).max().unwrap());
    }

    #[test]
    fn kth_child_with_and_without_the_wide_index(naive in shapes(), k in 0usize..2000) {
        let built = naive.build();
        let bare = Tree::new(&built.len, &built.parent, Wide::default());
        for i in 0..naive.count() {
            let id = NodeId(i as u32);
            let children = &naive.nodes[i].children;
            prop_assert_eq!(built.wide.node.contains(&id.0), children.len() >= WIDE);
            for k in [0, 1, 63, 64, 65, 127, 128, k, children.len().saturating_sub(1), children.len()] {
                let rest = ids(children.iter().skip(k).copied());
                prop_assert_eq!(built.view().child(id, k), rest.first().copied());
                for tree in [built.view(), bare] {
                    // The whole rest where it is cheap, its beginning elsewhere.
                    let seen: Vec<NodeId> = tree.children_from(id, k).take(80).collect();
                    prop_assert_eq!(&seen[..], &rest[..rest.len().min(80)]);
                }
            }
        }
    }

    #[test]
    fn walks_know_their_depth(naive in shapes(), at in any::<prop::sample::Index>()) {
        let built = naive.build();
        let top = at.index(naive.count());
        let walked: Vec<(NodeId, usize)> = built.view().walk(NodeId(top as u32)).collect();
        let expected: Vec<(NodeId, usize)> =
            naive.below(top).into_iter().map(|i| (NodeId(i as u32), naive.depth(i) - naive.depth(top))).collect();
        prop_assert_eq!(walked, expected);
    }

    #[test]
    fn below_is_having_it_among_the_ancestors(naive in shapes(), picks in any::<[prop::sample::Index; 2]>()) {
        let [a, b] = picks.map(|pick| pick.index(naive.count()));
        let expected = a == b || naive.ancestors(a).contains(&b);
        prop_assert_eq!(naive.build().view().is_below(NodeId(a as u32), NodeId(b as u32)), expected);
    }

    #[test]
    fn ranges_over_time((naive, shares) in with_values(any::<u8>()), from in -10i64..1010, long in 0i64..1000) {
        let built = naive.build();
        let (start, end) = naive.times(&shares);
        let found: Vec<NodeId> = built.view().overlapping(&start, &end, from, from + long).collect();
        prop_assert_eq!(found, ids(naive.overlapping(&start, &end, from, from + long)));
    }

    #[test]
    fn search_finds_the_first_and_says_if_there_are_more(
        (naive, marks) in with_values(any::<u8>()),
        after in any::<prop::sample::Index>(),
        limit in 0usize..20,
    ) {
        let built = naive.build();
        let after = after.index(naive.count());
        let test = |mark: u8| mark.is_multiple_of(8);
        let all: Vec<usize> = (after..naive.count()).filter(|&i| test(marks[i])).collect();
        let (found, more) =
            built.view().search(NodeId(after as u32), limit, |node| test(marks[node.index()]));
        prop_assert_eq!(found, ids(all.iter().take(limit).copied()));
        prop_assert_eq!(more, all.len() > limit);
    }
}

#[test]
fn a_long_chain_needs_no_stack() {
    let built = long_chain();
    let tree = built.view();
    let last = NodeId(LONG as u32 - 1);
    assert_eq!(tree.check(), Ok(()));
    assert_eq!(tree.depth(last), LONG - 1);
    assert_eq!(tree.max_depth(), LONG - 1);
    assert_eq!(tree.walk(NodeId::ROOT).last(), Some((last, LONG - 1)));
    assert_eq!(tree.children(NodeId(7)).collect::<Vec<_>>(), [NodeId(8)]);
    assert_eq!(tree.previous_sibling(last), None);
    let times = (0..LONG as i64).map(|i| (i, 2 * LONG as i64 - i));
    let (start, end): (Vec<i64>, Vec<i64>) = times.unzip();
    assert_eq!(tree.overlapping(&start, &end, 0, 10).count(), 10);
}

#[test]
fn search_goes_on_over_many_strides() {
    // More nodes than one stride of the parallel scan, hits on both sides of the border.
    let n = (1 << 20) + 1000;
    let mut builder = crosscut_tree::Builder::with_capacity(n);
    builder.open().unwrap();
    for _ in 1..n {
        builder.leaf().unwrap();
    }
    builder.close().unwrap();
    let built = builder.finish().unwrap();
    let wanted = [5, 1 << 20, n as u32 - 1].map(NodeId);
    let tree = built.view();
    assert_eq!(tree.search(NodeId::ROOT, 3, |node| wanted.contains(&node)), (wanted.to_vec(), false));
    assert_eq!(tree.search(NodeId(6), 1, |node| wanted.contains(&node)), (vec![wanted[1]], true));
    assert_eq!(tree.search(NodeId(u32::MAX), 1, |_| true), (vec![], false));
    assert_eq!(tree.child(NodeId::ROOT, n - 2), Some(wanted[2]));
    assert_eq!(tree.child_index(wanted[2]), n - 2);
}

#[test]
fn nodes_outside_the_tree_have_no_relatives() {
    let built = naive::Naive::from_parents(&[None, Some(0)]).0.build();
    let tree = built.view();
    for outside in [2, 3, u32::MAX].map(NodeId) {
        assert!(!tree.contains(outside));
        assert!(tree.range(outside).is_empty());
        assert_eq!((tree.size(outside), tree.child_count(outside), tree.depth(outside)), (0, 0, 0));
        assert_eq!(tree.parent(outside), None);
        assert_eq!(tree.children(outside).next(), None);
        assert_eq!(tree.next_sibling(outside), None);
        assert_eq!(tree.previous_sibling(outside), None);
        assert!(!tree.is_below(outside, NodeId::ROOT));
    }
}
