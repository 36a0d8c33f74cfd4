//! The order of groups in a column: such that the bands of what they exchange cross little. It begins with the slowest
//! swing of the graph (the Fiedler vector), then single groups are moved to where the weighted crossings are least.

/// What one group sent to another, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Sender.
    pub from: usize,
    /// Receiver.
    pub to: usize,
    /// Bytes.
    pub weight: f64,
}

/// So many bands are looked at, the heaviest: crossings are counted for every pair of them.
const MOST_BANDS: usize = 96;
/// Steps of the power iteration.
const STEPS: usize = 200;
/// Rounds of moves at most.
const ROUNDS: usize = 6;

/// Groups in an order with few crossings.
pub fn order(groups: usize, bands: &[Band]) -> Vec<usize> {
    let mut bands: Vec<Band> = bands.iter().copied().filter(|band| band.from != band.to).collect();
    bands.sort_by(|a, b| b.weight.total_cmp(&a.weight).then((a.from, a.to).cmp(&(b.from, b.to))));
    bands.truncate(MOST_BANDS);
    let mut order: Vec<usize> = (0..groups).collect();
    if groups < 3 || bands.is_empty() {
        return order;
    }
    let swing = fiedler(groups, &bands);
    order.sort_by(|&a, &b| swing[a].total_cmp(&swing[b]).then(a.cmp(&b)));
    let mut best = crossings(&order, &bands);
    for _ in 0..ROUNDS {
        let before = best;
        for at in 0..groups {
            for to in (0..groups).filter(|&to| to != at) {
                let mut moved = order.clone();
                let group = moved.remove(at);
                moved.insert(to, group);
                let cost = crossings(&moved, &bands);
                if cost < best {
                    (order, best) = (moved, cost);
                }
            }
        }
        if best >= before {
            break;
        }
    }
    // The group with the lowest number is in the upper half: the same picture, not its mirror.
    if order.iter().position(|&group| group == 0).is_some_and(|at| at > groups / 2) {
        order.reverse();
    }
    order
}

/// The weight of all pairs of bands that cross, when both sides have this order.
pub fn crossings(order: &[usize], bands: &[Band]) -> f64 {
    let mut place = vec![0usize; order.len()];
    for (at, &group) in order.iter().enumerate() {
        place[group] = at;
    }
    let mut cost = 0.0;
    for (at, a) in bands.iter().enumerate() {
        for b in &bands[at + 1..] {
            let (one, two) = (place[a.from].cmp(&place[b.from]), place[a.to].cmp(&place[b.to]));
            if one.is_lt() && two.is_gt() || one.is_gt() && two.is_lt() {
                cost += a.weight * b.weight;
            }
        }
    }
    cost
}

/// The slowest swing of the graph that is not constant, by power iteration from a start that is always the same.
fn fiedler(groups: usize, bands: &[Band]) -> Vec<f64> {
    let mut degree = vec![0.0; groups];
    for band in bands {
        degree[band.from] += band.weight;
        degree[band.to] += band.weight;
    }
    let most = 2.0 * degree.iter().copied().fold(1e-300, f64::max);
    let mut swing: Vec<f64> = (0..groups).map(|group| group as f64 - (groups as f64 - 1.0) / 2.0).collect();
    for _ in 0..STEPS {
        let mut next: Vec<f64> = swing.iter().zip(&degree).map(|(x, d)| (most - d) * x).collect();
        for band in bands {
            next[band.from] += band.weight * swing[band.to];
            next[band.to] += band.weight * swing[band.from];
        }
        let mean = next.iter().sum::<f64>() / groups as f64;
        next.iter_mut().for_each(|x| *x -= mean);
        let length = next.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length <= 0.0 {
            break;
        }
        next.iter_mut().for_each(|x| *x /= length);
        swing = next;
    }
    swing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscut_chance::Chance;

    fn chain(order: &[usize]) -> Vec<Band> {
        let pair = |pair: &[usize]| {
            let (a, b) = (pair[0], pair[1]);
            [Band { from: a, to: b, weight: 1.0 }, Band { from: b, to: a, weight: 1.0 }]
        };
        order.windows(2).flat_map(pair).collect()
    }

    #[test]
    fn a_chain_is_put_in_its_order() {
        let mut chance = Chance::new(7);
        for _ in 0..20 {
            let groups = 3 + chance.index(14);
            let mut shuffled: Vec<usize> = (0..groups).collect();
            for at in (1..groups).rev() {
                shuffled.swap(at, chance.index(at + 1));
            }
            let bands = chain(&shuffled);
            let found = order(groups, &bands);
            let least = crossings(&shuffled, &bands);
            assert!(crossings(&found, &bands) <= least, "{shuffled:?} {found:?}");
        }
    }

    #[test]
    fn no_order_of_few_groups_is_better_by_a_move() {
        let mut chance = Chance::new(8);
        for _ in 0..20 {
            let groups = 3 + chance.index(6);
            let bands: Vec<Band> = (0..groups * 3)
                .map(|_| Band {
                    from: chance.index(groups),
                    to: chance.index(groups),
                    weight: 1.0 + chance.below(9) as f64,
                })
                .filter(|band| band.from != band.to)
                .collect();
            let found = order(groups, &bands);
            let mut all = found.clone();
            all.sort_unstable();
            assert_eq!(all, (0..groups).collect::<Vec<_>>());
            let start: Vec<usize> = (0..groups).collect();
            assert!(
                crossings(&found, &bands) <= crossings(&start, &bands).max(0.0) + 1e-9 || bands.is_empty()
            );
        }
    }
}
