//! The order of groups in a column: such that the bands of what they exchange cross little. It begins with the slowest
//! swing of the graph (the Fiedler vector), then single groups are moved to where the weighted crossings are least. Behind a
//! column of other groups, what crosses on the way from there counts as well.

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
/// A smaller share of all pairs is rounding.
const NOTHING: f64 = 1e-12;

/// Groups in an order with few crossings.
pub fn order(groups: usize, bands: &[Band]) -> Vec<usize> {
    let bands = heaviest(bands);
    let mut order: Vec<usize> = (0..groups).collect();
    if groups < 3 || bands.is_empty() {
        return order;
    }
    let swing = fiedler(groups, &bands);
    order.sort_by(|&a, &b| swing[a].total_cmp(&swing[b]).then(a.cmp(&b)));
    let mut order = improved(order, &Weighed::new(groups, &bands));
    // The group with the lowest number is in the upper half: the same picture, not its mirror.
    if order.iter().position(|&group| group == 0).is_some_and(|at| at > groups / 2) {
        order.reverse();
    }
    order
}

/// Ranks that come from a place of the column before into a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// The place, from top to bottom.
    pub from: usize,
    /// The group.
    pub to: usize,
    /// How many.
    pub ranks: f64,
}

/// Groups that have an order already, put such that their bands and the moves of ranks into them cross little: the order or its mirror
/// image, whichever is better, and from there by single moves. Both kinds of crossings count as shares of all pairs.
pub fn order_behind(order: Vec<usize>, bands: &[Band], moves: &[Move]) -> Vec<usize> {
    let bands = heaviest(bands);
    let groups = order.len();
    if groups < 2 || order.iter().any(|&group| group >= groups) {
        return order;
    }
    let above = moves_crossed(groups, moves);
    let weighed = Weighed::new(groups, &bands);
    let ranks = all_pairs(moves.iter().map(|one| one.ranks));
    let cost = |order: &[usize]| crossings(order, &bands) / weighed.sent + above.of(order) / ranks;
    let mirror: Vec<usize> = order.iter().rev().copied().collect();
    let start = if cost(&mirror) < cost(&order) { mirror } else { order };
    improved(start, &Weighed { above: Some((above, ranks)), ..weighed })
}

/// Moves single groups as long as that makes it cheaper.
fn improved(order: Vec<usize>, weighed: &Weighed) -> Vec<usize> {
    let mut placed = Placed::new(order);
    let groups = placed.order.len();
    for _ in 0..ROUNDS {
        let mut better = false;
        for at in 0..groups {
            let mut costs = placed.moved(at, weighed);
            for to in 0..groups {
                if to != at && costs[to] < -NOTHING {
                    placed.put(at, to);
                    costs = placed.moved(at, weighed);
                    better = true;
                }
            }
        }
        if !better {
            break;
        }
    }
    placed.order
}

/// What crossings cost: bands by their ends, and what crosses when one group stands above another.
struct Weighed {
    /// By sender: receiver and weight.
    out: Vec<Vec<(usize, f64)>>,
    /// By receiver: sender and weight.
    into: Vec<Vec<(usize, f64)>>,
    /// All pairs of bands, of which those that cross are a share.
    sent: f64,
    /// What moves of ranks add, with all pairs of them.
    above: Option<(Above, f64)>,
}

impl Weighed {
    fn new(groups: usize, bands: &[Band]) -> Weighed {
        let mut weighed = Weighed {
            out: vec![Vec::new(); groups],
            into: vec![Vec::new(); groups],
            sent: all_pairs(bands.iter().map(|band| band.weight)),
            above: None,
        };
        for band in bands {
            weighed.out[band.from].push((band.to, band.weight));
            weighed.into[band.to].push((band.from, band.weight));
        }
        weighed
    }

    /// What it costs more, as a share of all pairs, when two neighbours change places. Only bands that begin or end at both of them cross otherwise.
    fn swapped(&self, upper: usize, lower: usize, place: &[usize]) -> f64 {
        let after = |group: usize| match group {
            group if group == upper => place[lower],
            group if group == lower => place[upper],
            group => place[group],
        };
        let mut more = 0.0;
        for ends in [&self.out, &self.into] {
            for &(a, one) in &ends[upper] {
                for &(b, two) in &ends[lower] {
                    let (before, after) = (place[a] > place[b], after(a) < after(b));
                    more += f64::from(i8::from(after) - i8::from(before)) * one * two;
                }
            }
        }
        let moves = self.above.as_ref();
        let moves =
            moves.map_or(0.0, |(above, all)| (above.over(lower, upper) - above.over(upper, lower)) / all);
        more / self.sent + moves
    }
}

/// All pairs of some weights, as crossings are counted.
fn all_pairs(weights: impl Iterator<Item = f64>) -> f64 {
    let sum: f64 = weights.sum();
    (sum * sum).max(1e-300)
}

/// Groups in an order, with the place of each.
#[derive(Clone)]
struct Placed {
    order: Vec<usize>,
    place: Vec<usize>,
}

impl Placed {
    fn new(order: Vec<usize>) -> Placed {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &group)| place[group] = at);
        Placed { order, place }
    }

    fn swap(&mut self, upper: usize) {
        self.order.swap(upper, upper + 1);
        self.place[self.order[upper]] = upper;
        self.place[self.order[upper + 1]] = upper + 1;
    }

    fn put(&mut self, at: usize, to: usize) {
        (at..to).for_each(|upper| self.swap(upper));
        (to..at).rev().for_each(|upper| self.swap(upper));
    }

    /// By place: what it costs more when the group at one place stands there, neighbour by neighbour.
    fn moved(&self, at: usize, weighed: &Weighed) -> Vec<f64> {
        let mut costs = vec![0.0; self.order.len()];
        let mut step = |moving: &mut Placed, upper: usize, from: usize, to: usize| {
            costs[to] =
                costs[from] + weighed.swapped(moving.order[upper], moving.order[upper + 1], &moving.place);
            moving.swap(upper);
        };
        let mut moving = self.clone();
        (at..self.order.len().saturating_sub(1)).for_each(|upper| step(&mut moving, upper, upper, upper + 1));
        moving = self.clone();
        (0..at).rev().for_each(|upper| step(&mut moving, upper, upper + 1, upper));
        costs
    }
}

/// Bands between different groups, the heaviest first, as many as are looked at.
fn heaviest(bands: &[Band]) -> Vec<Band> {
    let mut bands: Vec<Band> = bands.iter().copied().filter(|band| band.from != band.to).collect();
    bands.sort_by(|a, b| b.weight.total_cmp(&a.weight).then((a.from, a.to).cmp(&(b.from, b.to))));
    bands.truncate(MOST_BANDS);
    bands
}

/// What crosses when one group stands above another. The column before stands still, so no other group has a say in it.
struct Above {
    groups: usize,
    cost: Vec<f64>,
}

fn moves_crossed(groups: usize, moves: &[Move]) -> Above {
    let mut cost = vec![0.0; groups * groups];
    for a in moves.iter().filter(|one| one.to < groups) {
        // The other comes from higher up: they cross when this one stands above it.
        for b in moves.iter().filter(|one| one.to < groups && one.from < a.from) {
            cost[a.to * groups + b.to] += a.ranks * b.ranks;
        }
    }
    Above { groups, cost }
}

impl Above {
    fn of(&self, order: &[usize]) -> f64 {
        let mut sum = 0.0;
        for (at, &upper) in order.iter().enumerate() {
            sum += order[at + 1..].iter().map(|&lower| self.over(upper, lower)).sum::<f64>();
        }
        sum
    }

    /// What crosses when one stands above the other.
    fn over(&self, upper: usize, lower: usize) -> f64 {
        self.cost[upper * self.groups + lower]
    }
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

    /// The same by the cost of every order that is tried.
    fn plainly_improved(mut order: Vec<usize>, cost: impl Fn(&[usize]) -> f64) -> Vec<usize> {
        let mut best = cost(&order);
        for _ in 0..ROUNDS {
            let before = best;
            for at in 0..order.len() {
                for to in (0..order.len()).filter(|&to| to != at) {
                    let mut moved = order.clone();
                    let group = moved.remove(at);
                    moved.insert(to, group);
                    let cost = cost(&moved);
                    if cost < best - NOTHING {
                        (order, best) = (moved, cost);
                    }
                }
            }
            if best >= before {
                break;
            }
        }
        order
    }

    #[test]
    fn moves_are_chosen_as_a_slow_version_chooses_them() {
        let mut chance = Chance::new(10);
        for round in 0..200 {
            let groups = 2 + chance.index(12);
            let bands: Vec<Band> = (0..chance.index(4 * groups))
                .map(|_| Band {
                    from: chance.index(groups),
                    to: chance.index(groups),
                    weight: 1.0 + chance.below(9) as f64,
                })
                .filter(|band| band.from != band.to)
                .collect();
            let moves: Vec<Move> = (0..groups * (round % 3))
                .map(|_| Move { from: chance.index(6), to: chance.index(groups), ranks: 1.0 })
                .collect();
            let (above, all) = (moves_crossed(groups, &moves), all_pairs(moves.iter().map(|one| one.ranks)));
            let weighed = Weighed::new(groups, &bands);
            let cost = |order: &[usize]| crossings(order, &bands) / weighed.sent + above.of(order) / all;
            let start: Vec<usize> = (0..groups).collect();
            let slow = plainly_improved(start.clone(), cost);
            let above = Some((moves_crossed(groups, &moves), all));
            assert_eq!(improved(start, &Weighed { above, ..Weighed::new(groups, &bands) }), slow);
        }
    }

    /// Every pair of moves is looked at.
    fn plainly_crossed(order: &[usize], moves: &[Move]) -> f64 {
        let place = |group: usize| order.iter().position(|&other| other == group);
        let mut cost = 0.0;
        for (at, a) in moves.iter().enumerate() {
            for b in &moves[at + 1..] {
                let (left, right) = (a.from.cmp(&b.from), place(a.to).cmp(&place(b.to)));
                cost += if left == right.reverse() && left.is_ne() { a.ranks * b.ranks } else { 0.0 };
            }
        }
        cost
    }

    #[test]
    fn behind_other_groups_both_kinds_of_crossings_count() {
        let mut chance = Chance::new(9);
        for _ in 0..50 {
            let groups = 2 + chance.index(7);
            let moves: Vec<Move> = (0..groups * 3)
                .map(|_| Move {
                    from: chance.index(6),
                    to: chance.index(groups),
                    ranks: 1.0 + chance.below(9) as f64,
                })
                .collect();
            let start: Vec<usize> = (0..groups).collect();
            let bands = chain(&start);
            let found = order_behind(start.clone(), &bands, &moves);
            let mut all = found.clone();
            all.sort_unstable();
            assert_eq!(all, start);
            let above = moves_crossed(groups, &moves);
            assert!((above.of(&found) - plainly_crossed(&found, &moves)).abs() < 1e-9);
            let sent: f64 = bands.iter().map(|band| band.weight).sum();
            let ranks: f64 = moves.iter().map(|one| one.ranks).sum();
            let cost = |order: &[usize]| {
                crossings(order, &bands) / (sent * sent) + plainly_crossed(order, &moves) / (ranks * ranks)
            };
            let mirror: Vec<usize> = start.iter().rev().copied().collect();
            assert!(cost(&found) <= cost(&start).min(cost(&mirror)) + 1e-12, "{found:?}");
        }
    }

    #[test]
    fn a_chain_is_turned_round_where_ranks_come_the_other_way() {
        let start: Vec<usize> = (0..6).collect();
        let same: Vec<Move> = start.iter().map(|&to| Move { from: to, to, ranks: 4.0 }).collect();
        assert_eq!(order_behind(start.clone(), &chain(&start), &same), start);
        let turned: Vec<Move> = start.iter().map(|&to| Move { from: 5 - to, to, ranks: 4.0 }).collect();
        let mirror: Vec<usize> = start.iter().rev().copied().collect();
        assert_eq!(order_behind(start.clone(), &chain(&start), &turned), mirror);
        // Nothing is sent: the ranks alone decide.
        assert_eq!(order_behind(start, &[], &turned), mirror);
    }
}
