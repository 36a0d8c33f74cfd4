//! Values going up: sums over ranges, and each rule of propagation against its definition.

use crate::naive;

use crosscut_tree::{BLOCK, NodeId, Rule, Sums, block_sums, propagate, propagate_mean};
use naive::{LONG, cases, long_chain, with_values};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn sums_over_any_range(values in vec(-1000i64..1000, 0..4 * BLOCK), ends in any::<[prop::sample::Index; 2]>()) {
        let total = block_sums(values.len(), |i| values[i]);
        prop_assert_eq!(total.len(), values.len().div_ceil(BLOCK) + 1);
        let [a, b] = ends.map(|end| end.index(values.len() + 1));
        for range in [a.min(b)..a.max(b), a.max(b)..a.min(b), 0..values.len(), 0..a, a..values.len()] {
            let expected: i64 = range.clone().map(|i| values[i]).sum();
            prop_assert_eq!(Sums::new(&total).over(range.clone(), |i| values[i]), expected);
            // Totals that are cut short cost time, not truth.
            prop_assert_eq!(Sums::new(&total[..1]).over(range, |i| values[i]), expected);
        }
    }

    #[test]
    fn sums_wrap_instead_of_failing(values in vec(any::<i64>(), 4 * BLOCK)) {
        let total = block_sums(values.len(), |i| values[i]);
        let range = BLOCK / 3..3 * BLOCK + BLOCK / 2;
        let exact: i128 = values[range.clone()].iter().map(|&v| i128::from(v)).sum();
        prop_assert_eq!(Sums::new(&total).over(range, |i| values[i]), exact as i64);
    }

    #[test]
    fn subtree_sums_are_range_sums((naive, values) in with_values(-1000i64..1000)) {
        let built = naive.build();
        let total = block_sums(naive.count(), |i| values[i]);
        for i in 0..naive.count() {
            let range = built.view().range(NodeId(i as u32));
            prop_assert_eq!(Sums::new(&total).over(range, |i| values[i]), naive.sum(i, &values));
        }
    }

    #[test]
    fn rules_do_what_they_say((naive, nodes) in with_values((-1000i64..1000, any::<bool>()))) {
        let (own, parallel): (Vec<i64>, Vec<bool>) = nodes.into_iter().unzip();
        let built = naive.build();
        for rule in [Rule::Sum, Rule::Max, Rule::Min, Rule::Span, Rule::Own] {
            let mut values = own.clone();
            propagate(built.view(), rule, &mut values, |node| parallel[node.index()]);
            for (i, &value) in values.iter().enumerate() {
                let expected = match rule {
                    Rule::Own => own[i],
                    Rule::Sum => naive.sum(i, &own),
                    Rule::Max => naive.max(i, &own),
                    Rule::Min => naive.min(i, &own),
                    Rule::Span => naive.span(i, &own, &parallel),
                };
                prop_assert_eq!(value, expected, "{:?} of node {}", rule, i);
            }
        }
    }

    #[test]
    fn span_lies_between_the_longest_leaf_and_the_work((naive, nodes) in with_values((0i64..1000, any::<bool>()))) {
        let built = naive.build();
        let leaf = |i: usize| if naive.is_leaf(i) { nodes[i].0 } else { 0 };
        let own: Vec<i64> = (0..naive.count()).map(leaf).collect();
        let mut span = own.clone();
        propagate(built.view(), Rule::Span, &mut span, |node| nodes[node.index()].1);
        for (i, &span) in span.iter().enumerate() {
            prop_assert!(naive.max(i, &own) <= span && span <= naive.sum(i, &own));
        }
    }

    #[test]
    fn means_are_weighted_by_leaf((naive, nodes) in with_values((-100i32..100, 0u8..4))) {
        let (values, weights): (Vec<f64>, Vec<f64>) =
            nodes.into_iter().map(|(v, w)| (f64::from(v), f64::from(w))).unzip();
        let built = naive.build();
        let means = propagate_mean(built.view(), &values, &weights);
        // A value that nothing weighs does not matter, even if it is no number.
        let gaps: Vec<f64> = (0..values.len()).map(|i| if weights[i] == 0.0 { f64::NAN } else { values[i] }).collect();
        let same = propagate_mean(built.view(), &gaps, &weights);
        for i in 0..naive.count() {
            let expected = naive.mean(i, &values, &weights);
            for mean in [means[i], same[i]] {
                prop_assert!(
                    mean.is_nan() && expected.is_nan() || (mean - expected).abs() < 1e-9,
                    "{} for {}", mean, expected
                );
            }
        }
    }
}

#[test]
fn values_at_the_border_saturate() {
    let built = naive::Naive::from_parents(&[None, Some(0), Some(0)]).0.build();
    for (rule, extreme) in [(Rule::Sum, i64::MAX), (Rule::Span, i64::MAX), (Rule::Sum, i64::MIN)] {
        let mut values = [extreme / 2, extreme, extreme];
        propagate(built.view(), rule, &mut values, |_| false);
        assert_eq!(values[0], extreme);
    }
}

#[test]
fn short_columns_are_read_as_far_as_they_go() {
    let built = naive::Naive::from_parents(&[None, Some(0), Some(0)]).0.build();
    let mut values = [1, 2];
    propagate(built.view(), Rule::Sum, &mut values, |_| false);
    assert_eq!(values, [3, 2]);
    assert_eq!(propagate_mean(built.view(), &[1.0, 2.0], &[1.0]).len(), 1);
}

#[test]
fn a_long_chain_adds_up() {
    let built = long_chain();
    for rule in [Rule::Sum, Rule::Span] {
        let mut values = vec![1; LONG];
        propagate(built.view(), rule, &mut values, |_| false);
        assert!(values.into_iter().eq((1..=LONG as i64).rev()));
    }
}
