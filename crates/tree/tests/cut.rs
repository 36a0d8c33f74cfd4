//! Cuts: whatever is opened, closed or scrolled, what is visible is an antichain that stands for the whole tree.

use crate::naive;

use std::collections::BTreeSet;

use crosscut_tree::fold::{open_nodes, visible};
use crosscut_tree::open::{LEVELS, below, reveal, to_depth};
use crosscut_tree::{Cut, Fold, Members, NodeId, Part, Plain, Sums, Tree, Window, block_sums};
use naive::{LONG, Naive, NaiveCut, cases, long_chain, shapes, with_values};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// What a person or a script does to a cut.
#[derive(Clone, Debug)]
enum Step {
    /// Opens a visible node.
    Click(Index),
    /// Opens any node, even one inside a closed node.
    Open(Index),
    Close(Index),
    /// Any node, or the root.
    OpenBelow(Option<Index>, usize),
    ToDepth(usize, usize),
    Fitting(usize),
    Reveal(Index),
    /// Of any node, or of the root.
    SetWindow(Option<Index>, Window),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let node = any::<Index>;
    let number = || prop_oneof![0u32..1500, 0u32..60, any::<u32>()];
    let window = (number(), number()).prop_map(|(first, count)| Window { first, count });
    let step = prop_oneof![
        4 => node().prop_map(Step::Click),
        2 => node().prop_map(Step::Open),
        2 => node().prop_map(Step::Close),
        2 => (prop::option::of(node()), 0usize..200).prop_map(|(node, limit)| Step::OpenBelow(node, limit)),
        1 => (0usize..9, 0usize..300).prop_map(|(depth, limit)| Step::ToDepth(depth, limit)),
        1 => (0usize..300).prop_map(Step::Fitting),
        2 => node().prop_map(Step::Reveal),
        2 => (prop::option::of(node()), window).prop_map(|(n, w)| Step::SetWindow(n, w)),
    ];
    vec(step, 1..14)
}

/// Takes the step and checks that it does what it promises, judged by the naive cut before and after.
fn take(step: &Step, naive: &Naive, tree: Tree<'_>, cut: &mut Cut) -> Result<(), TestCaseError> {
    let pick = |index: &Index| index.index(naive.count());
    let id = |i: usize| NodeId(i as u32);
    let before = NaiveCut::read(&cut.to_text());
    let mut expected = before.clone();
    match step {
        Step::Click(index) => {
            let visible: Vec<Part> = visible(&Plain(tree), cut).collect();
            let Part { node, fold, .. } = index.get(&visible);
            if fold.is_none() {
                cut.open(tree, *node);
                expected.open.extend((!naive.is_leaf(node.index())).then_some(node.index()));
            }
        }
        Step::Open(index) => {
            let node = pick(index);
            cut.open(tree, id(node));
            expected.open.extend((!naive.is_leaf(node)).then_some(node));
        }
        Step::Close(index) => {
            let below = naive.below(pick(index));
            cut.close(tree, id(pick(index)));
            expected.open.retain(|node| !below.contains(node));
            expected.windows.retain(|node, _| !below.contains(node));
        }
        Step::SetWindow(index, window) => {
            let node = index.as_ref().map_or(0, pick);
            cut.set_window(id(node), *window);
            expected.windows.insert(node, (window.first as usize, window.count as usize));
        }
        Step::Reveal(index) => {
            let node = pick(index);
            reveal(&Plain(tree), cut, id(node), usize::MAX);
            let after = NaiveCut::read(&cut.to_text());
            prop_assert!(after.sees(naive, node), "node {} is not to be seen", node);
            expected.open.extend(naive.ancestors(node));
            // Only the windows that hid it have moved.
            for pair in
                naive.ancestors(node).into_iter().zip(std::iter::once(node).chain(naive.ancestors(node)))
            {
                if !before.shows(naive, pair.0, naive.child_index(pair.1)) {
                    expected.windows.insert(pair.0, after.windows[&pair.0]);
                }
            }
        }
        Step::OpenBelow(index, limit) => {
            let node = index.as_ref().map_or(0, pick);
            let all = below(&Plain(tree), cut, id(node), *limit);
            let after = NaiveCut::read(&cut.to_text());
            let count = |cut: &NaiveCut| cut.visible(naive, 0).len();
            let inside: BTreeSet<usize> = naive.below(node).into_iter().collect();
            prop_assert!(after.open.difference(&before.open).all(|opened| inside.contains(opened)));
            prop_assert!(count(&after) <= count(&before).max(*limit));
            let next = after.first_closed_below(naive, node);
            prop_assert_eq!(all, next.is_none());
            if let Some(next) = next
                && after.sees(naive, node)
            {
                let mut more = after.clone();
                more.open.insert(next);
                prop_assert!(count(&more) > *limit, "there was room for {}", next);
            }
            expected.open.clone_from(&after.open);
        }
        Step::ToDepth(depth, limit) => {
            let (reached, naive_reached);
            (*cut, reached) = to_depth(&Plain(tree), *depth, *limit);
            (expected, naive_reached) = NaiveCut::to_depth(naive, *depth, *limit);
            prop_assert_eq!(reached, naive_reached);
        }
        Step::Fitting(limit) => {
            *cut = Cut::fitting(tree, *limit);
            (expected, _) = NaiveCut::to_depth(naive, LEVELS, *limit);
            expected.open.extend((!naive.is_leaf(0)).then_some(0));
        }
    }
    prop_assert_eq!(NaiveCut::read(&cut.to_text()), expected);
    Ok(())
}

/// All nodes that a part of a plain tree stands for.
fn nodes(tree: Tree<'_>, part: &Part) -> std::ops::Range<usize> {
    match &part.members {
        Members::Run(nodes) => nodes.clone(),
        _ => tree.range(part.node),
    }
}

/// What holds for every cut.
fn check(
    naive: &Naive,
    tree: Tree<'_>,
    cut: &Cut,
    values: &[i64],
    total: &[i64],
) -> Result<(), TestCaseError> {
    let slow = NaiveCut::read(&cut.to_text());
    let items: Vec<Part> = visible(&Plain(tree), cut).collect();
    prop_assert_eq!(&items, &slow.visible(naive, 0));
    let open: Vec<usize> = open_nodes(&Plain(tree), cut).map(NodeId::index).collect();
    prop_assert_eq!(&open, &slow.open_nodes(naive));
    prop_assert!((0..naive.count()).all(|i| cut.is_open(NodeId(i as u32)) == slow.open.contains(&i)));

    // The items, in order, and the open nodes share out the tree: no overlap, hence an antichain, and nothing missing.
    let mut covered: Vec<usize> = open.clone();
    covered.extend(items.iter().flat_map(|item| nodes(tree, item)));
    prop_assert!(items.is_sorted_by_key(|item| nodes(tree, item).start));
    covered.sort_unstable();
    prop_assert!(covered.into_iter().eq(0..naive.count()));

    let sums = Sums::new(total);
    let seen: i64 = items.iter().map(|item| sums.over(nodes(tree, item), |i| values[i])).sum();
    let own: i64 = open.iter().map(|&i| values[i]).sum();
    prop_assert_eq!(seen + own, naive.sum(0, values));

    prop_assert_eq!(Cut::from_text(tree, &cut.to_text()), Ok(cut.clone()));
    Ok(())
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn any_cut_stands_for_the_whole_tree((naive, values) in with_values(-1000i64..1000), steps in steps()) {
        let built = naive.build();
        let tree = built.view();
        let total = block_sums(naive.count(), |i| values[i]);
        let mut cut = Cut::closed();
        check(&naive, tree, &cut, &values, &total)?;
        for step in &steps {
            take(step, &naive, tree, &mut cut)?;
            check(&naive, tree, &cut, &values, &total)?;
        }
    }

    #[test]
    fn any_text_is_read_or_refused(naive in shapes(), text in prop_oneof![
        any::<String>(),
        vec(prop::sample::select("00123459azAZ..~~--+ é".chars().collect::<Vec<_>>()), 0..40)
            .prop_map(|chars| chars.into_iter().collect()),
        vec(any::<u32>(), 0..6).prop_map(|n| n.iter().fold("0".into(), |text, n| format!("{text}~{n}-{n}-{n}"))),
        vec(any::<u32>(), 0..6).prop_map(|n| n.iter().fold("0".into(), |text, n| format!("{text}.{n}"))),
    ]) {
        let built = naive.build();
        let tree = built.view();
        if let Ok(cut) = Cut::from_text(tree, &text) {
            check(&naive, tree, &cut, &vec![1; naive.count()], &block_sums(naive.count(), |_| 1))?;
        }
    }

    /// A cut made on one tree can be read on another; what that one does not have is left out.
    #[test]
    fn text_travels_between_trees(one in shapes(), two in shapes(), steps in steps()) {
        let (one_built, two_built) = (one.build(), two.build());
        let mut cut = Cut::closed();
        for step in &steps {
            take(step, &one, one_built.view(), &mut cut)?;
        }
        let read = Cut::from_text(two_built.view(), &cut.to_text()).unwrap();
        let mut expected = NaiveCut::read(&cut.to_text());
        expected.open.retain(|&node| node < two.count() && !two.is_leaf(node));
        expected.windows.retain(|&node, _| node < two.count());
        prop_assert_eq!(NaiveCut::read(&read.to_text()), expected);
    }
}

#[test]
fn a_wide_node_shows_both_ends_and_a_window() {
    let parents: Vec<Option<u32>> = (0..2000).map(|i| (i > 0).then_some(0)).collect();
    let built = crosscut_tree::from_parents(&parents).unwrap().tree;
    let tree = built.view();
    let mut cut = Cut::closed();
    cut.open(tree, NodeId::ROOT);
    let plain = Plain(tree);
    assert_eq!(visible(&plain, &cut).count(), Cut::HEAD + 1 + Cut::TAIL);
    reveal(&plain, &mut cut, NodeId(1001), usize::MAX);
    let items: Vec<Part> = visible(&plain, &cut).collect();
    assert!(items.contains(&Part::one(NodeId(1001))));
    assert!(items.len() < 40);
    let gap = &items[Cut::HEAD];
    assert_eq!((gap.node, gap.fold, gap.count), (NodeId(9), Some(Fold::Gap), 986));
    assert_eq!(gap.members, Members::Run(9..995));
    assert_eq!(cut.to_text(), "0.0~0-994-12");
}

#[test]
fn what_was_open_inside_counts_when_it_comes_to_light() {
    // Root with one child, which has ten leaves and is already open inside the closed root.
    let parents: Vec<Option<u32>> = (0..12).map(|i: u32| i.checked_sub(1).map(|p| p.min(1))).collect();
    let built = crosscut_tree::from_parents(&parents).unwrap().tree;
    let mut cut = Cut::closed();
    cut.open(built.view(), NodeId(1));
    assert!(!below(&Plain(built.view()), &mut cut, NodeId::ROOT, 9));
    assert_eq!(visible(&Plain(built.view()), &cut).count(), 1);
    assert!(below(&Plain(built.view()), &mut cut, NodeId::ROOT, 10));
    assert_eq!(visible(&Plain(built.view()), &cut).count(), 10);
}

#[test]
fn a_long_chain_opens_and_closes() {
    let built = long_chain();
    let tree = built.view();
    let last = NodeId(LONG as u32 - 1);
    let mut cut = Cut::closed();
    reveal(&Plain(tree), &mut cut, last, usize::MAX);
    assert_eq!(visible(&Plain(tree), &cut).collect::<Vec<_>>(), [Part::one(last)]);
    assert_eq!(open_nodes(&Plain(tree), &cut).count(), LONG - 1);
    assert_eq!(Cut::from_text(tree, &cut.to_text()), Ok(cut.clone()));
    assert_eq!(to_depth(&Plain(tree), usize::MAX, 5), (cut.clone(), LONG - 1));
    cut.close(tree, NodeId(10));
    assert_eq!(visible(&Plain(tree), &cut).collect::<Vec<_>>(), [Part::one(NodeId(10))]);
    assert!(below(&Plain(tree), &mut cut, NodeId::ROOT, 1));
    assert_eq!(open_nodes(&Plain(tree), &cut).count(), LONG - 1);
}

#[test]
fn an_empty_tree_shows_nothing() {
    let built = crosscut_tree::TreeBuf::default();
    let mut cut = Cut::fitting(built.view(), 10);
    assert!(below(&Plain(built.view()), &mut cut, NodeId::ROOT, 10));
    reveal(&Plain(built.view()), &mut cut, NodeId(3), 10);
    cut.close(built.view(), NodeId::ROOT);
    assert_eq!(cut, Cut::closed());
    assert_eq!(visible(&Plain(built.view()), &cut).count(), 0);
}

#[test]
fn spread_folds_are_part_of_the_text() {
    let parents: Vec<Option<u32>> = (0..60).map(|i: u32| (i > 0).then(|| (i - 1) / 3)).collect();
    let built = crosscut_tree::from_parents(&parents).unwrap().tree;
    let tree = built.view();
    let mut cut = Cut::closed();
    cut.open(tree, NodeId::ROOT);
    let plain = cut.to_text();
    assert!(!plain.contains('!'));
    cut.spread(tree, NodeId(2));
    cut.spread(tree, NodeId(45));
    cut.spread(tree, NodeId(60)); // there is no such node
    cut.set_window(NodeId::ROOT, Window { first: 3, count: 4 });
    assert_eq!(cut.to_text(), "0.0~0-3-4!0.2.17");
    assert_eq!(Cut::from_text(tree, &cut.to_text()), Ok(cut.clone()));
    assert!(cut.is_spread(NodeId(2)) && !cut.is_spread(NodeId(3)));
    assert_eq!(Cut::from_text(tree, &plain).map(|cut| cut.to_text()), Ok(plain));
    for wrong in ["0!", "0!1", "0!0.", "0!0.1!0.2", "0!0.zzzzzzzzz", "!0.1", "0!0~1-2-3", "0!0.zzzzzz.zzzzzz"]
    {
        assert!(Cut::from_text(tree, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn gathering_and_closing_forget_what_was_spread() {
    // Every node has three children: 1, 2, 3 under the root.
    let parents: Vec<Option<u32>> = (0..40).map(|i: u32| (i > 0).then(|| (i - 1) / 3)).collect();
    let built = crosscut_tree::from_parents(&parents).unwrap().tree;
    let tree = built.view();
    let child = |node, k| tree.child(node, k).unwrap();
    let (a, b, c) = (child(NodeId::ROOT, 0), child(NodeId::ROOT, 1), child(NodeId::ROOT, 2));
    let inner = child(b, 0);
    let mut cut = Cut::closed();
    for first in [a, b, inner] {
        cut.spread(tree, first);
    }
    assert!(cut.gather(tree, a));
    assert!(!cut.is_spread(a) && cut.is_spread(b));
    assert!(cut.gather(tree, c)); // not the first of a fold, but beside one
    assert!(!cut.is_spread(b) && cut.is_spread(inner));
    assert!(!cut.gather(tree, c) && !cut.gather(tree, NodeId::ROOT));
    cut.spread(tree, b);
    cut.close(tree, b);
    assert!(cut.is_spread(b) && !cut.is_spread(inner));
    cut.close(tree, NodeId::ROOT);
    assert_eq!(cut, Cut::closed());
}
