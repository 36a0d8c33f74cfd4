//! Damaged columns: `check` finds every fault, and nothing panics or walks further than the tree is large.

use crate::naive;

use std::collections::BTreeSet;

use crosscut_tree::{
    Cut, Lens, Members, NodeId, NodeSet, Plain, Rule, Tree, TreeBuf, Wide, WideBuf, Window, fold, open,
    propagate, propagate_mean,
};
use naive::{Looked, Naive, cases, shapes};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// Numbers near the number of nodes, and any others.
fn number(n: u32) -> impl Strategy<Value = u32> + Clone {
    prop_oneof![4 => 0..n + 3, 1 => Just(1u32), 1 => any::<u32>()]
}

/// Columns of random numbers.
fn garbage() -> impl Strategy<Value = TreeBuf> {
    (0u32..80).prop_flat_map(|n| {
        let column = move |long: usize| vec(number(n), 0..=long);
        let wide =
            (column(8), column(8), column(8), column(20)).prop_map(|(mut node, count, first, skip)| {
                node.sort_unstable(); // so that some are found
                WideBuf { node, count, first, skip }
            });
        (vec(number(n), n as usize), vec(number(n), n as usize), wide)
            .prop_map(|(len, parent, wide)| TreeBuf { len, parent, wide })
    })
}

/// Sound trees in which a few numbers were changed, in any of the columns, some of which were cut short.
fn nearly_sound() -> impl Strategy<Value = TreeBuf> {
    let fault = (0usize..6, any::<Index>(), number(1500), 0u8..20);
    (shapes(), vec(fault, 1..20)).prop_map(|(naive, faults)| {
        let mut tree = naive.build();
        for (column, at, value, kind) in faults {
            let column = match column {
                0 => &mut tree.len,
                1 => &mut tree.parent,
                2 => &mut tree.wide.node,
                3 => &mut tree.wide.count,
                4 => &mut tree.wide.first,
                _ => &mut tree.wide.skip,
            };
            if column.is_empty() {
                continue;
            }
            let at = at.index(column.len());
            match kind {
                0 => column.truncate(at),
                1 => column[at] = column[at].wrapping_add(1),
                2 => column[at] = column[at].wrapping_sub(1),
                _ => column[at] = value,
            }
        }
        tree
    })
}

/// Calls everything and counts.
fn survive(tree: Tree<'_>) -> Result<(), TestCaseError> {
    let n = tree.node_count();
    let _ = tree.check();
    let _ = WideBuf::build(tree.lens(), tree.parents());
    prop_assert!(tree.max_depth() <= n);

    let mut children = 0;
    for i in (0..n + 2).chain([u32::MAX as usize]) {
        let node = NodeId(i as u32);
        prop_assert!(tree.range(node).end <= n);
        prop_assert!(tree.ancestors(node).take(n + 1).count() <= n);
        let mut last = node;
        for child in tree.children(node) {
            prop_assert!(child > last && tree.range(node).contains(&child.index()));
            last = child;
            children += 1;
        }
        prop_assert!(tree.child_count(node) <= n);
        for k in [0, 1, 63, 64, 100, n, usize::MAX] {
            prop_assert!(tree.children_from(node, k).take(n + 1).count() <= n);
            prop_assert!(tree.child(node, k).is_none_or(|child| tree.contains(child) && child > node));
        }
        let _ = tree.child_index(node);
        prop_assert!(tree.previous_sibling(node).is_none_or(|sibling| sibling < node));
        prop_assert!(tree.next_sibling(node).is_none_or(|sibling| sibling > node && tree.contains(sibling)));
        if i % (n / 50 + 1) == 0 {
            prop_assert_eq!(tree.walk(node).take(n + 1).count(), tree.size(node));
        }
    }
    // Nobody is the child of two: so a walk from parents to children ends soon, whatever it visits.
    prop_assert!(children <= n);

    let times: Vec<i64> = tree.lens().iter().map(|&len| i64::from(len)).collect();
    let ends: Vec<i64> = tree.parents().iter().map(|&parent| i64::from(parent)).collect();
    prop_assert!(tree.overlapping(&times, &ends, 3, 20).take(n + 1).count() <= n);
    for rule in [Rule::Sum, Rule::Max, Rule::Min, Rule::Span] {
        propagate(tree, rule, &mut times.clone(), |node| node.0 % 2 == 0);
    }
    let _ = propagate_mean(tree, &vec![1.0; n], &vec![1.0; n]);
    survive_cuts(tree)
}

fn survive_cuts(tree: Tree<'_>) -> Result<(), TestCaseError> {
    let n = tree.node_count();
    let nodes = || (0..n as u32 + 1).map(NodeId);
    let lens = Lens::new(NodeSet::from_fn(n, |node| node.0 % 5 == 0));
    let mut cut = Cut::closed();
    for node in nodes() {
        cut.open(tree, node);
        cut.set_window(node, Window { first: node.0, count: u32::MAX });
        for parallel in [true, false] {
            let looked = Looked { tree, lens: &lens, parallel };
            prop_assert!(fold::shown(&looked, &cut, node).len() <= n);
        }
    }
    for windows in [true, false] {
        if !windows {
            cut = Cut::closed();
            nodes().for_each(|node| cut.open(tree, node));
        }
        // Every node once, and at most two gaps in each open one.
        let items: Vec<_> = fold::visible(&Plain(tree), &cut).take(3 * n + 1).collect();
        prop_assert!(items.len() <= 3 * n);
        let mut seen = BTreeSet::new();
        for item in items {
            if let Members::Run(range) = &item.members {
                prop_assert!(range.start <= range.end && range.end <= n);
            } else {
                prop_assert!(seen.insert(item.node), "{:?} is shown twice", item.node);
            }
        }
        prop_assert!(fold::open_nodes(&Plain(tree), &cut).take(n + 1).count() <= n);
        open::below(&Plain(tree), &mut cut, NodeId::ROOT, usize::MAX);
    }
    let _ = open::to_depth(&Plain(tree), usize::MAX, usize::MAX);
    let mut cut = Cut::fitting(tree, 100);
    for node in nodes().step_by(n / 50 + 1) {
        open::reveal(&Plain(tree), &mut cut, node, 1000);
        open::below(&Plain(tree), &mut cut, node, 200);
        cut.close(tree, NodeId(node.0 / 2));
    }
    Ok(())
}

/// Whether lengths and parents describe the same tree, each counted from the other.
fn is_sound(tree: &TreeBuf) -> bool {
    let n = tree.parent.len();
    let parents = || tree.parent.iter().enumerate();
    if tree.len.len() != n || parents().any(|(i, &p)| if i == 0 { p != 0 } else { p as usize >= i }) {
        return false;
    }
    let optional: Vec<Option<u32>> = parents().map(|(i, &p)| (i > 0).then_some(p)).collect();
    let (naive, order) = if n == 0 { Default::default() } else { Naive::from_parents(&optional) };
    order.is_sorted() && naive.build().len == tree.len
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn garbage_does_no_harm(tree in garbage()) {
        survive(tree.view())?;
    }

    #[test]
    fn damage_does_no_harm(tree in nearly_sound()) {
        survive(tree.view())?;
    }

    /// Lengths follow from parents and parents from lengths, so a change of either is always noticed.
    #[test]
    fn one_wrong_number_is_found(
        naive in shapes(),
        parent in any::<bool>(),
        at in prop::option::of(any::<Index>()),
        change in prop_oneof![Just(1), Just(u32::MAX), number(1500)],
    ) {
        let mut tree = naive.build();
        let column = if parent { &mut tree.parent } else { &mut tree.len };
        let at = at.map_or(column.len() - 1, |at| at.index(column.len()));
        column[at] = column[at].wrapping_add(change);
        prop_assert_eq!(tree.view().check().is_ok(), change == 0);
    }

    /// The index of wide nodes may leave nodes out, but what it says must be right.
    #[test]
    fn one_wrong_number_in_the_wide_index_is_found(
        children in 128u32..1300,
        column in 0usize..4,
        at in any::<Index>(),
        value in number(1500),
    ) {
        let parents: Vec<Option<u32>> = (0..=children).map(|i| (i > 0).then_some(0)).collect();
        let mut tree = crosscut_tree::from_parents(&parents).unwrap().tree;
        prop_assert_eq!(Tree::new(&tree.len, &tree.parent, Wide::default()).check(), Ok(()));
        let wide = &mut tree.wide;
        let column = match column {
            0 => &mut wide.node,
            1 => &mut wide.count,
            2 => &mut wide.first,
            _ => &mut wide.skip,
        };
        let at = at.index(column.len());
        let same = column[at] == value;
        column[at] = value;
        prop_assert_eq!(tree.view().check().is_ok(), same);
    }

    /// Small columns, of which a good part are trees by chance.
    #[test]
    fn check_accepts_trees_and_nothing_else(columns in vec((1u32..5, 0u32..4), 0..5), repaired in any::<bool>()) {
        let (mut len, mut parent): (Vec<u32>, Vec<u32>) = columns.into_iter().unzip();
        if let (true, [first, ..], [root, ..]) = (repaired, &mut len[..], &mut parent[..]) {
            (*first, *root) = (4, 0);
        }
        let tree = TreeBuf { len, parent, wide: WideBuf::default() };
        prop_assert_eq!(tree.view().check().is_ok(), is_sound(&tree));
    }
}

/// Each odd node has one child that claims all the rest of the tree. Following the claims would take 2^500 steps.
#[test]
fn claims_beyond_the_parent_do_not_multiply() {
    let n = 1001u32;
    let len = (0..n).map(|i| if i % 2 == 0 { n - i } else { 2 }).collect();
    for parent in [vec![0; n as usize], (0..n).map(|i| i.saturating_sub(1)).collect()] {
        let tree = TreeBuf { len: Vec::clone(&len), parent, wide: WideBuf::default() };
        assert!(tree.view().check().is_err());
        survive(tree.view()).unwrap();
    }
}

/// An index that leads from each wide node to itself or back to its first child.
#[test]
fn an_index_that_leads_back_ends() {
    let naive =
        Naive::from_parents(&(0..300).map(|i: u32| i.checked_sub(1).map(|p| p / 100)).collect::<Vec<_>>()).0;
    let mut tree = naive.build();
    for back in 0..3 {
        tree.wide =
            WideBuf { node: vec![0, 1], count: vec![68, 68], first: vec![0, 5], skip: vec![back; 10] };
        assert!(tree.view().check().is_err());
        survive(tree.view()).unwrap();
    }
}

#[test]
fn columns_of_unequal_length_are_read_as_far_as_both_go() {
    let tree = TreeBuf { len: vec![3, 1, 1], parent: vec![0, 0], wide: WideBuf::default() };
    assert_eq!(tree.view().node_count(), 2);
    assert!(tree.view().check().is_err());
    survive(tree.view()).unwrap();
}
