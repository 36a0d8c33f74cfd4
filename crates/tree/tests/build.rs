//! Building: the streaming builder and parents in any order, and what each refuses.

use crate::naive;

use crosscut_tree::{Builder, NodeId, TreeError, from_parents};
use naive::{LONG, Naive, cases, long_chain, shapes};
use proptest::prelude::*;

/// Nodes in random order with their parents, and a random fault.
fn shuffled() -> impl Strategy<Value = Vec<Option<u32>>> {
    shapes().prop_flat_map(|tree| {
        let places: Vec<u32> = (0..tree.count() as u32).collect();
        (Just(tree), Just(places).prop_shuffle()).prop_map(|(tree, place)| {
            let mut parents = vec![None; tree.count()];
            for (i, node) in tree.nodes.iter().enumerate() {
                parents[place[i] as usize] = node.parent.map(|p| place[p]);
            }
            parents
        })
    })
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn builder_makes_the_naive_tree(tree in shapes()) {
        let built = tree.build();
        let len: Vec<u32> = (0..tree.count()).map(|i| tree.below(i).len() as u32).collect();
        let parent: Vec<u32> = tree.nodes.iter().map(|n| n.parent.unwrap_or(0) as u32).collect();
        prop_assert_eq!(&built.len, &len);
        prop_assert_eq!(&built.parent, &parent);
        prop_assert_eq!(built.view().check(), Ok(()));
    }

    #[test]
    fn parents_in_any_order(parents in shuffled()) {
        let (tree, order) = Naive::from_parents(&parents);
        let reordered = from_parents(&parents).unwrap();
        prop_assert_eq!(&reordered.tree, &tree.build());
        prop_assert_eq!(reordered.order, order.iter().map(|&o| o as u32).collect::<Vec<_>>());
        // Siblings keep the order in which they were given.
        for node in &tree.nodes {
            prop_assert!(node.children.is_sorted_by_key(|&c| order[c]));
        }
    }

    #[test]
    fn faults_are_named(parents in shuffled(), at in any::<prop::sample::Index>(), far in any::<u32>()) {
        let n = parents.len();
        let at = at.index(n);
        let root = parents.iter().position(Option::is_none).unwrap();
        let with = |parent| {
            let mut parents = parents.clone();
            parents[at] = parent;
            from_parents(&parents).map(|r| r.order)
        };
        let missing = far.max(n as u32);
        let no_such = TreeError::NoSuchParent { node: at as u32, parent: missing, nodes: n };
        prop_assert_eq!(with(Some(missing)), Err(no_such));
        if at == root {
            prop_assert_eq!(with(Some(0)), Err(TreeError::NoRoot));
        } else {
            prop_assert_eq!(with(None), Err(TreeError::SecondRoot(root.max(at) as u32)));
            // A node that becomes a child of its own descendant is lost with all that is below it.
            let lost = |i: usize| {
                let up = std::iter::successors(Some(i), |&i| parents[i].map(|p| p as usize));
                up.take(n).any(|above| above == at)
            };
            let lost: Vec<usize> = (0..n).filter(|&i| lost(i)).collect();
            let below = lost[far as usize % lost.len()];
            prop_assert_eq!(with(Some(below as u32)), Err(TreeError::Cycle(lost.len())));
        }
    }

    #[test]
    fn any_parents_build_a_sound_tree_or_fail(
        parents in prop::collection::vec(prop_oneof![1 => Just(None), 9 => (0u32..22).prop_map(Some)], 0..20),
    ) {
        if let Ok(reordered) = from_parents(&parents) {
            prop_assert_eq!(reordered.tree.view().check(), Ok(()));
            prop_assert_eq!(reordered.order.len(), parents.len());
            let mut all = reordered.order.clone();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..parents.len() as u32));
        }
    }
}

#[test]
fn builder_says_what_is_open() {
    let mut builder = Builder::with_capacity(4);
    assert_eq!(builder.current(), None);
    let root = builder.open().unwrap();
    let inner = builder.open().unwrap();
    assert_eq!(builder.current(), Some(inner));
    assert_eq!(builder.leaf(), Ok(NodeId(2)));
    assert_eq!(builder.current(), Some(inner), "a leaf does not open");
    assert_eq!(builder.close(), Ok(inner));
    assert_eq!(builder.current(), Some(root));
    assert_eq!(builder.node_count(), 3);
    assert_eq!(builder.finish(), Err(TreeError::StillOpen(1)));
}

#[test]
fn builder_refuses_what_is_no_tree() {
    let mut builder = Builder::new();
    assert_eq!(builder.close(), Err(TreeError::NothingOpen(0)), "close before anything");
    builder.open().unwrap();
    builder.close().unwrap();
    assert_eq!(builder.close(), Err(TreeError::NothingOpen(1)), "close once too often");
    assert_eq!(builder.open(), Err(TreeError::SecondRoot(1)));
    assert_eq!(builder.leaf(), Err(TreeError::SecondRoot(1)));
    assert_eq!(builder.finish().unwrap().len, [1], "a refused node leaves no trace");
}

#[test]
fn nothing_is_a_tree_too() {
    let tree = Builder::new().finish().unwrap();
    assert_eq!(tree, from_parents(&[]).unwrap().tree);
    assert!(tree.view().is_empty());
    assert_eq!(tree.view().check(), Ok(()));
    assert_eq!(tree.view().max_depth(), 0);
}

#[test]
fn a_long_chain_from_its_end() {
    // Node i's parent is i + 1: the root comes last, and pre-order is the input read backwards.
    let parents: Vec<Option<u32>> = (1..LONG as u32).map(Some).chain([None]).collect();
    let reordered = from_parents(&parents).unwrap();
    assert_eq!(reordered.tree, long_chain());
    assert!(reordered.order.iter().copied().eq((0..LONG as u32).rev()));
}
