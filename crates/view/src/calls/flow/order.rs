//! The order of bars within their levels: few flows shall cross, and of two orders with as many the one in which narrow flows do.
//!
//! Start: depth first, the widest flow first, and some others. Then sweeps right and left, by the middle of what an item is
//! connected with; after each, neighbours are exchanged and items sifted through their level while that lessens the number of
//! crossings, or else Σ w₁·w₂ over the flows that cross, which is about the area in which they do. The best order of all is kept.
//! Ties are decided by numbers, so the same graph has the same picture.

use rayon::prelude::*;

use super::levels::Levelled;

/// Sweeps from each start.
const SWEEPS: usize = 24;
/// Sweeps in a row that bring nothing, after which a start is given up.
const IDLE: usize = 8;
/// Starts: depth first in three ways, then levels in mixed orders, always the same.
const STARTS: usize = 8;
/// Graphs with more items are large.
const LARGE: usize = 250;
/// Rounds of exchanges after each.
const EXCHANGES: usize = 12;

/// What crosses: the sum of w₁·w₂, and how many pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Crossed {
    /// Over all pairs of flows that cross between two levels.
    pub area: f64,
    /// Number of such pairs.
    pub count: usize,
}

impl Crossed {
    fn is_less(self, than: Crossed) -> bool {
        let close = (self.area - than.area).abs() <= 1e-9 * than.area.abs().max(1e-300);
        self.count < than.count || (self.count == than.count && !close && self.area < than.area)
    }
}

/// What a move changes, in the order of [`Crossed`].
#[derive(Clone, Copy, Default)]
struct Change {
    count: i64,
    area: f64,
}

impl Change {
    fn add(&mut self, then: Crossed, now: Crossed) {
        self.count += then.count as i64 - now.count as i64;
        self.area += then.area - now.area;
    }

    fn is_less(self, than: Change) -> bool {
        let close = 1e-9 * than.area.abs().max(1.0);
        self.count < than.count || (self.count == than.count && self.area < than.area - close)
    }
}

/// Items of each level from top to bottom.
pub fn order(graph: &Levelled) -> Vec<Vec<usize>> {
    // A large graph takes long, and is not read so closely that the last crossing counts; a small one is nothing to try often.
    let starts = STARTS * (LARGE / graph.items.len().max(1)).clamp(1, 8);
    let (starts, sweeps) = if graph.items.len() > LARGE { (2, SWEEPS / 2) } else { (starts, SWEEPS) };
    let first = reached(graph, 0, sweeps);
    if first.1.count == 0 {
        return first.0;
    }
    // Each start for itself, and of those that are as good the first one: the same on any number of processors.
    let others: Vec<_> = (1..starts).into_par_iter().map(|start| reached(graph, start, sweeps)).collect();
    let better =
        |best: (Vec<Vec<usize>>, Crossed), next: (Vec<Vec<usize>>, Crossed)| match next.1.is_less(best.1) {
            true => next,
            false => best,
        };
    others.into_iter().fold(first, better).0
}

/// The best order that is reached from one start.
fn reached(graph: &Levelled, start: usize, sweeps: usize) -> (Vec<Vec<usize>>, Crossed) {
    let mut now = match start {
        0 => first(graph, true, true),
        1 => first(graph, true, false),
        2 => first(graph, false, true),
        seed => mixed(graph, seed as u64),
    };
    let (mut best, mut least) = (now.clone(), crossed(graph, &now));
    let mut idle = 0;
    for sweep in 0..sweeps {
        if least.count == 0 || idle == IDLE {
            break;
        }
        // Every other pair of sweeps also takes exchanges that change nothing: they lead out of dead ends.
        exchange(graph, &mut now, sweep % 4 >= 2, |_| true);
        sift(graph, &mut now);
        let crosses = crossed(graph, &now);
        idle += 1;
        if crosses.is_less(least) {
            (best, least, idle) = (now.clone(), crosses, 0);
        }
        middle(graph, &mut now, sweep % 2 == 0, start % 2 == 1);
    }
    (best, least)
}

/// From an order that was there before: what has a place in it (`old`, by item) keeps it beside all others that have one; what is
/// new is put where it crosses least.
pub fn insert(graph: &Levelled, old: &[Option<f64>]) -> Vec<Vec<usize>> {
    let mut order = graph.by_level();
    let near = |item: usize| {
        let (out, into) = (graph.out.get(item), graph.into.get(item));
        let around =
            out.into_iter().flatten().map(|&piece| (graph.pieces[piece].to, graph.pieces[piece].weight));
        let before =
            into.into_iter().flatten().map(|&piece| (graph.pieces[piece].from, graph.pieces[piece].weight));
        let known = around.chain(before).filter_map(|(other, weight)| Some((old[other]?, weight)));
        let (sum, all) = known.fold((0.0, 0.0), |(sum, all), (y, weight)| (sum + y * weight, all + weight));
        if all > 0.0 { sum / all } else { 0.0 }
    };
    let place: Vec<f64> =
        (0..graph.items.len()).map(|item| old[item].unwrap_or_else(|| near(item))).collect();
    for level in &mut order {
        level.sort_by(|&a, &b| place[a].total_cmp(&place[b]).then(a.cmp(&b)));
    }
    exchange(graph, &mut order, false, |item| old[item].is_none());
    order
}

/// Depth first from the bars that nothing enters, or back from those that nothing leaves, the widest or the narrowest flow first.
fn first(graph: &Levelled, widest: bool, rightwards: bool) -> Vec<Vec<usize>> {
    let mut order = vec![Vec::new(); graph.levels];
    let mut seen = vec![false; graph.items.len()];
    let (ahead, behind) = if rightwards { (&graph.out, &graph.into) } else { (&graph.into, &graph.out) };
    let roots = (0..graph.items.len()).filter(|&item| behind[item].is_empty());
    let mut open: Vec<usize> = roots.collect();
    open.reverse();
    while let Some(item) = open.pop() {
        if std::mem::replace(&mut seen[item], true) {
            continue;
        }
        order[graph.items[item].level].push(item);
        let mut next = ahead[item].clone();
        // The last one pushed is the next one taken.
        next.sort_by(|&a, &b| {
            let order = graph.pieces[a].weight.total_cmp(&graph.pieces[b].weight).then(b.cmp(&a));
            if widest { order } else { order.reverse() }
        });
        let end = |piece: usize| if rightwards { graph.pieces[piece].to } else { graph.pieces[piece].from };
        open.extend(next.into_iter().map(end));
    }
    order
}

/// Levels in an order that a number decides.
fn mixed(graph: &Levelled, mut seed: u64) -> Vec<Vec<usize>> {
    let mut order = graph.by_level();
    for level in &mut order {
        for last in (1..level.len()).rev() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            level.swap(last, (seed >> 33) as usize % (last + 1));
        }
    }
    order
}

/// Where each item of a level begins when all stand on one another, as a share of the level's whole height.
fn stacked(graph: &Levelled, level: &[usize]) -> Vec<f64> {
    let heights = level.iter().map(|&item| graph.items[item].weight);
    let all: f64 = heights.clone().sum::<f64>().max(f64::MIN_POSITIVE);
    let mut at = 0.0;
    let middles = heights.map(|height| {
        at += height;
        (at - height / 2.0) / all
    });
    middles.collect()
}

/// Orders each level by the middle of what it is connected with on one side: `even`, by places in their order, all alike, else by
/// heights and weighted, as the flows will be drawn.
fn middle(graph: &Levelled, order: &mut [Vec<usize>], rightwards: bool, even: bool) {
    let levels = order.len();
    let mut at = vec![0.0; graph.items.len()];
    let note = |at: &mut Vec<f64>, level: &[usize]| {
        for (place, (&item, y)) in level.iter().zip(stacked(graph, level)).enumerate() {
            at[item] = if even { place as f64 } else { y };
        }
    };
    order.iter().for_each(|level| note(&mut at, level));
    for step in 1..levels {
        let number = if rightwards { step } else { levels - 1 - step };
        let wanted = |item: usize| {
            let pieces = if rightwards { &graph.into[item] } else { &graph.out[item] };
            let other = |piece: usize| {
                let piece = graph.pieces[piece];
                (if rightwards { piece.from } else { piece.to }, if even { 1.0 } else { piece.weight })
            };
            let (sum, all) = pieces
                .iter()
                .map(|&piece| other(piece))
                .fold((0.0, 0.0), |(sum, all), (of, w)| (sum + at[of] * w, all + w));
            if all > 0.0 { sum / all } else { at[item] }
        };
        let mut level: Vec<(f64, usize, usize)> =
            order[number].iter().enumerate().map(|(place, &item)| (wanted(item), place, item)).collect();
        level.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order[number] = level.into_iter().map(|(_, _, item)| item).collect();
        note(&mut at, &order[number]);
    }
}

/// Exchanges neighbours of which one `may` move, while that lessens what crosses, or if `eager` does not add to it.
fn exchange(graph: &Levelled, order: &mut [Vec<usize>], eager: bool, may: impl Fn(usize) -> bool) {
    let mut place = vec![0usize; graph.items.len()];
    for level in order.iter() {
        level.iter().enumerate().for_each(|(at, &item)| place[item] = at);
    }
    for _ in 0..EXCHANGES {
        let mut changed = false;
        for level in order.iter_mut() {
            for at in 1..level.len() {
                let (above, below) = (level[at - 1], level[at]);
                if !(may(above) || may(below)) {
                    continue;
                }
                let (now, then) = (pair(graph, &place, above, below), pair(graph, &place, below, above));
                if then.is_less(now) || (eager && !now.is_less(then)) {
                    level.swap(at - 1, at);
                    (place[above], place[below]) = (at, at - 1);
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// Puts each item where it crosses least among those of its level, in turn, while that helps.
fn sift(graph: &Levelled, order: &mut [Vec<usize>]) {
    let mut place = vec![0usize; graph.items.len()];
    for level in order.iter() {
        level.iter().enumerate().for_each(|(at, &item)| place[item] = at);
    }
    let rounds = if graph.items.len() > LARGE { 2 } else { EXCHANGES };
    for _ in 0..rounds {
        let mut changed = false;
        for level in order.iter_mut() {
            let mut items = level.clone();
            items.sort_unstable();
            for item in items {
                changed |= sifted(graph, level, &mut place, item);
            }
        }
        if !changed {
            return;
        }
    }
}

/// Moves one item to where it crosses least; says whether that is elsewhere.
fn sifted(graph: &Levelled, level: &mut Vec<usize>, place: &mut [usize], item: usize) -> bool {
    let at = place[item];
    let mut best = (Change::default(), at);
    for above in [true, false] {
        // What moving past each other item changes, one after the other.
        let mut change = Change::default();
        let far = if above { at } else { level.len() - 1 - at };
        for step in 1..=far {
            let to = if above { at - step } else { at + step };
            let (a, b) = if above { (level[to], item) } else { (item, level[to]) };
            change.add(pair(graph, place, b, a), pair(graph, place, a, b));
            if change.is_less(best.0) {
                best = (change, to);
            }
        }
    }
    if best.1 == at {
        return false;
    }
    let moved = level.remove(at);
    level.insert(best.1, moved);
    level.iter().enumerate().for_each(|(at, &item)| place[item] = at);
    true
}

/// What crosses of two neighbours of a level, one above the other.
fn pair(graph: &Levelled, place: &[usize], above: usize, below: usize) -> Crossed {
    let mut crossed = Crossed::default();
    let mut side = |above: &[usize], below: &[usize], end: fn(&super::levels::Piece) -> usize| {
        for &a in above {
            for &b in below {
                let (a, b) = (&graph.pieces[a], &graph.pieces[b]);
                if place[end(a)] > place[end(b)] {
                    crossed.area += a.weight * b.weight;
                    crossed.count += 1;
                }
            }
        }
    };
    side(&graph.out[above], &graph.out[below], |piece| piece.to);
    side(&graph.into[above], &graph.into[below], |piece| piece.from);
    crossed
}

/// What crosses in an order.
pub fn crossed(graph: &Levelled, order: &[Vec<usize>]) -> Crossed {
    let mut place = vec![0usize; graph.items.len()];
    for level in order {
        level.iter().enumerate().for_each(|(at, &item)| place[item] = at);
    }
    let mut crossed = Crossed::default();
    for level in order {
        let pieces: Vec<usize> = level.iter().flat_map(|&item| graph.out[item].iter().copied()).collect();
        for (at, &a) in pieces.iter().enumerate() {
            for &b in &pieces[at + 1..] {
                let (a, b) = (graph.pieces[a], graph.pieces[b]);
                let ends = (place[a.from].cmp(&place[b.from]), place[a.to].cmp(&place[b.to]));
                if ends.0 != ends.1 && ends.0.is_ne() && ends.1.is_ne() {
                    crossed.area += a.weight * b.weight;
                    crossed.count += 1;
                }
            }
        }
    }
    crossed
}

#[cfg(test)]
mod tests {
    use super::super::levels::{Flow, Graph};
    use super::*;

    /// The least that any order crosses, by trying all orders of small levels.
    fn least(graph: &Levelled) -> Crossed {
        fn each(
            graph: &Levelled,
            order: &mut Vec<Vec<usize>>,
            level: usize,
            from: usize,
            least: &mut Crossed,
        ) {
            if level == order.len() {
                let here = counted(graph, order);
                if here.is_less(*least) {
                    *least = here;
                }
                return;
            }
            if from == order[level].len() {
                return each(graph, order, level + 1, 0, least);
            }
            for at in from..order[level].len() {
                order[level].swap(from, at);
                each(graph, order, level, from + 1, least);
                order[level].swap(from, at);
            }
        }
        let mut least = Crossed { area: f64::INFINITY, count: usize::MAX };
        each(graph, &mut graph.by_level(), 0, 0, &mut least);
        least
    }

    /// What crosses, slowly: two straight lines between the same levels cross where the one above at the left is below at the right.
    fn counted(graph: &Levelled, order: &[Vec<usize>]) -> Crossed {
        let height = |item: usize| {
            let level = &order[graph.items[item].level];
            level.iter().position(|&other| other == item).unwrap() as f64
        };
        let mut crossed = Crossed::default();
        for a in &graph.pieces {
            for b in &graph.pieces {
                let level = |piece: &super::super::levels::Piece| graph.items[piece.from].level;
                let above_then_below = height(a.from) < height(b.from) && height(a.to) > height(b.to);
                if level(a) == level(b) && above_then_below {
                    crossed.count += 1;
                    crossed.area += a.weight * b.weight;
                }
            }
        }
        crossed
    }

    #[test]
    fn crossings_are_counted_as_lines_cross_and_an_exchange_changes_what_it_says() {
        for seed in 0..60 {
            let graph = Levelled::new(&small(seed));
            let mut order = mixed(&graph, seed);
            let (fast, slow) = (crossed(&graph, &order), counted(&graph, &order));
            assert_eq!((fast.count, fast.area), (slow.count, slow.area), "seed {seed}");
            let mut place = vec![0; graph.items.len()];
            order.iter().flat_map(|level| level.iter().enumerate()).for_each(|(at, &item)| place[item] = at);
            let Some(level) = order.iter().position(|level| level.len() > 1) else { continue };
            let (above, below) = (order[level][0], order[level][1]);
            let (now, then) = (pair(&graph, &place, above, below), pair(&graph, &place, below, above));
            order[level].swap(0, 1);
            assert_eq!(counted(&graph, &order).count + now.count, slow.count + then.count, "seed {seed}");
        }
    }

    /// Graphs of a few bars, as numbers decide.
    fn small(mut seed: u64) -> Graph {
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let bars = 5 + next(4) as usize;
        let mut flows = Vec::new();
        for to in 1..bars {
            for _ in 0..1 + next(2) {
                let from = next(to as u64) as usize;
                if !flows.iter().any(|flow: &Flow| (flow.from, flow.to) == (from, to)) {
                    flows.push(Flow { from, to, weight: 1.0 + next(9) as f64 });
                }
            }
        }
        Graph { weight: vec![1.0; bars], flows }
    }

    #[test]
    fn small_graphs_nearly_always_cross_as_little_as_they_can() {
        let (mut reached, mut tried) = (0, 0);
        for seed in 0..60 {
            let graph = Levelled::new(&small(seed));
            let ways = |level: &Vec<usize>| (1..=level.len()).map(|n| n as f64).product::<f64>();
            if graph.by_level().iter().map(ways).product::<f64>() > 20_000.0 {
                continue;
            }
            let (found, least) = (crossed(&graph, &order(&graph)), least(&graph));
            assert!(!found.is_less(least), "no order crosses less than the best");
            assert_eq!(found.count, least.count, "seed {seed}");
            (reached, tried) = (reached + usize::from(!least.is_less(found)), tried + 1);
        }
        assert!(tried > 20, "{tried}");
        assert!(
            reached * 20 >= tried * 19,
            "the best of all orders is found for {reached} of {tried} graphs"
        );
    }

    #[test]
    fn the_same_graph_has_the_same_order() {
        for seed in 0..20 {
            let graph = Levelled::new(&small(seed));
            assert_eq!(order(&graph), order(&graph.clone()));
        }
    }

    #[test]
    fn what_was_there_keeps_its_order() {
        for seed in 0..20 {
            let graph = Levelled::new(&small(seed));
            let before = order(&graph);
            let mut old = vec![None; graph.items.len()];
            for level in &before {
                level.iter().enumerate().for_each(|(at, &item)| old[item] = Some(at as f64));
            }
            assert_eq!(insert(&graph, &old), before);
            let last = graph.items.len() - 1;
            old[last] = None;
            let after = insert(&graph, &old);
            for (before, after) in before.iter().zip(&after) {
                let rest =
                    |level: &[usize]| level.iter().copied().filter(|&item| item != last).collect::<Vec<_>>();
                assert_eq!(rest(before), rest(after));
            }
        }
    }
}
