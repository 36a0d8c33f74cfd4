//! Callers, pruning and the spread over places, beside what is made call path by call path.

use crate::made;

use std::collections::BTreeMap;

use crosscut_calls::spread::{fit, imbalance};
use crosscut_calls::{Callers, Calls, MOST_CALLERS, NONE, flat, hot_path, prune};
use crosscut_tree::NodeId;
use made::{sampled, samples};
use proptest::prelude::*;

/// Functions from a call path up to the program; loops are in the function around them.
fn chain(calls: &Calls, node: NodeId) -> Vec<String> {
    let all = std::iter::once(node).chain(calls.tree().ancestors(node));
    let frames = all.filter_map(|node| calls.frame(node)).filter(|frame| !frame.kind.is_inner());
    frames.map(|frame| frame.name.clone()).collect()
}

proptest! {
    // Each case writes a run.
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn callers_are_those_of_the_call_paths(samples in samples(), few: bool) {
        let (_work, calls) = sampled(&samples);
        let most = if few { 12 } else { MOST_CALLERS };
        let callers = Callers::of(&calls, most).unwrap();
        let tree = callers.tree.view();
        // What was spent in each node itself belongs to the function that it is in, with callees to the outermost call of it.
        let (mut own, mut inclusive) = (BTreeMap::<Vec<String>, i64>::new(), BTreeMap::<Vec<String>, i64>::new());
        for node in (1..calls.node_count() as u32).map(NodeId) {
            let chain = chain(&calls, node);
            for end in 1..=chain.len() {
                *own.entry(chain[..end].to_vec()).or_default() += calls.own(0, node);
            }
            let is_function = calls.frame(node).is_some_and(|frame| !frame.kind.is_inner());
            if is_function && !chain[1..].contains(&chain[0]) {
                for end in 1..=chain.len() {
                    *inclusive.entry(chain[..end].to_vec()).or_default() += calls.inclusive(0, node);
                }
            }
        }
        let name = |node: NodeId| calls.frames().get(callers.frame[node.index()] as usize).map(|f| f.name.clone());
        for node in (1..tree.node_count() as u32).map(NodeId) {
            let mut key: Vec<String> = std::iter::once(node).chain(tree.ancestors(node)).filter_map(name).collect();
            key.reverse();
            if callers.frame[node.index()] == NONE {
                // Call paths that begin with this chain: what longer ones have is what is left.
                let longer: i64 = tree.children(tree.parent(node).unwrap())
                    .filter(|&other| other != node).map(|other| callers.own[0][other.index()]).sum();
                prop_assert_eq!(callers.own[0][node.index()] + longer, own[&key]);
                continue;
            }
            prop_assert_eq!(callers.own[0][node.index()], own[&key]);
            prop_assert_eq!(callers.inclusive[0][node.index()], inclusive.get(&key).copied().unwrap_or(0));
            let inside: i64 = tree.children(node).map(|child| callers.own[0][child.index()]).sum();
            prop_assert!(tree.is_leaf(node) || inside == own[&key]);
            prop_assert!(few || !callers.cut[node.index()]);
        }
        let roots: BTreeMap<u32, (i64, i64)> = tree.children(NodeId::ROOT)
            .map(|node| (callers.frame[node.index()], (callers.own[0][node.index()], callers.inclusive[0][node.index()])))
            .collect();
        for row in flat(&calls, 0) {
            if row.paths > 0 {
                prop_assert_eq!(roots[&row.frame], (row.own, row.inclusive));
            }
        }
        if !few {
            prop_assert_eq!(callers.own[0][0] + roots.values().map(|value| value.0).sum::<i64>(), calls.inclusive(0, NodeId::ROOT));
        }
    }

    #[test]
    fn what_is_pruned_is_in_surrogates(samples in samples(), k in 0.0..4.0) {
        let (_work, calls) = sampled(&samples);
        let nodes = || (0..calls.node_count() as u32).map(NodeId);
        let own: Vec<f64> = nodes().map(|node| calls.own(0, node) as f64).collect();
        let inclusive: Vec<f64> = nodes().map(|node| calls.inclusive(0, node) as f64).collect();
        let pruned = prune(calls.tree(), &own, &inclusive, k, || hot_path(&calls, 0, NodeId::ROOT));
        let mut values: Vec<f64> = own.iter().copied().filter(|&value| value != 0.0).collect();
        values.sort_by(f64::total_cmp);
        let quartile = |q: f64| {
            let at = q * (values.len() as f64 - 1.0);
            let (low, high) = (values[at.floor() as usize], values[at.ceil() as usize]);
            low + (high - low) * (at - at.floor())
        };
        let stands_out = |value: f64| {
            let (low, high) = (quartile(0.25), quartile(0.75));
            value != 0.0 && (value >= high + k * (high - low) || value <= low - k * (high - low))
        };
        let outliers: Vec<NodeId> = nodes().filter(|node| !values.is_empty() && stands_out(own[node.index()])).collect();
        prop_assert_eq!(pruned.by_hot_path, outliers.is_empty());
        if !outliers.is_empty() {
            prop_assert_eq!(pruned.outliers.iter().collect::<Vec<_>>(), outliers.clone());
        }
        let holds = |node: NodeId| pruned.outliers.iter().any(|out| out == node || calls.tree().is_below(out, node));
        prop_assert_eq!(&pruned.kept, &nodes().filter(|&node| holds(node)).collect::<Vec<_>>());
        let mut hidden = 0;
        for node in pruned.kept.iter().copied() {
            let lost: Vec<NodeId> = calls.tree().children(node).filter(|&child| !holds(child)).collect();
            let surrogate = pruned.surrogates.iter().find(|surrogate| surrogate.of == node);
            prop_assert_eq!(surrogate.is_some(), !lost.is_empty());
            let Some(surrogate) = surrogate else { continue };
            let inclusive: i64 = lost.iter().map(|&child| calls.inclusive(0, child)).sum();
            prop_assert_eq!((surrogate.roots, surrogate.inclusive as i64), (lost.len(), inclusive));
            prop_assert_eq!(surrogate.own as i64, inclusive);
            hidden += surrogate.nodes;
        }
        prop_assert_eq!(hidden + pruned.kept.len(), calls.node_count());
    }

    #[test]
    fn the_largest_is_found(values in prop::collection::vec(0i64..1000, 1..80)) {
        let spread = imbalance(&values).unwrap();
        prop_assert_eq!(spread.most as i64, *values.iter().max().unwrap());
        prop_assert_eq!(values.iter().position(|&value| value as f64 == spread.most), Some(spread.at));
    }
}

/// By hand: Σdx² = 10, Σdxdy = 19.9, Σdy² = 39.708, so slope 1.99, R² = 19.9² / 397.08, error √((39.708 − 39.601) / 3 / 10).
#[test]
fn a_line_fits_as_by_hand() {
    let fit = fit(&[1.0, 2.0, 3.0, 4.0, 5.0], &[2.1, 3.9, 6.2, 7.8, 10.1]).unwrap();
    let near = |a: f64, b: f64| (a - b).abs() < 5e-4;
    assert!(near(fit.slope, 1.99) && near(fit.start, 0.05), "{fit:?}");
    assert!(near(fit.r2, 0.9973) && near(fit.error, 0.0597), "{fit:?}");
    assert!(crosscut_calls::spread::fit(&[1.0, 1.0], &[2.0, 3.0]).is_none());
}
