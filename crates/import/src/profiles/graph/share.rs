//! Sharing out a whole number in whole numbers.

/// Shares an amount in proportion to weights: each gets what it should, up or down to a whole number, and all together the
/// amount. Where the amount is not more than all weights, nobody gets more than its weight. Without any weight nobody gets
/// anything.
pub fn share(amount: i64, weights: &[i64]) -> Vec<i64> {
    let all: i128 = weights.iter().map(|&weight| i128::from(weight.max(0))).sum();
    if all == 0 || amount <= 0 {
        return vec![0; weights.len()];
    }
    let amount = i128::from(amount);
    let product = |weight: i64| i128::from(weight.max(0)) * amount;
    let mut parts: Vec<i64> = weights.iter().map(|&weight| whole(product(weight) / all)).collect();
    let missing = amount - parts.iter().map(|&part| i128::from(part)).sum::<i128>();
    // What is missing goes to those that were rounded down most, of equal ones to the first.
    let mut order: Vec<(i128, usize)> =
        weights.iter().enumerate().map(|(at, &weight)| (-(product(weight) % all), at)).collect();
    order.sort_unstable();
    for &(_, at) in order.iter().take(usize::try_from(missing).unwrap_or(0)) {
        if let Some(part) = parts.get_mut(at) {
            *part += 1;
        }
    }
    parts
}

fn whole(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::share;

    #[test]
    fn whole_parts() {
        assert_eq!(share(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(share(2, &[5, 0, 5]), [1, 0, 1]);
        assert_eq!(share(7, &[0, 0]), [0, 0]);
        assert_eq!(share(1, &[1, 2]), [0, 1]);
        assert_eq!(
            share(i64::MAX, &[i64::MAX, i64::MAX]).iter().map(|&part| i128::from(part)).sum::<i128>(),
            i64::MAX as i128
        );
    }

    proptest! {
        #[test]
        fn all_of_it_and_never_more_than_there_is(weights in prop::collection::vec(0i64..1000, 1..20), part in 0.0..1.0) {
            let all: i64 = weights.iter().sum();
            let amount = (all as f64 * part) as i64;
            let parts = share(amount, &weights);
            prop_assert_eq!(parts.iter().sum::<i64>(), amount);
            for (part, weight) in parts.iter().zip(&weights) {
                let exact = *weight as f64 * amount as f64 / all.max(1) as f64;
                prop_assert!((0..=*weight).contains(part) && (*part as f64 - exact).abs() < 1.0);
            }
        }
    }
}
