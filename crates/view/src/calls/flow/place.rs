//! Where bars stand: heights and gaps fill the tightest level, bars move towards what they are connected with, columns get room
//! for their names.

use super::levels::Levelled;

/// How much stronger a passing flow pulls than a bar: it shall be straight.
const STRAIGHT: f64 = 1.5;
/// How much stronger an old place holds than what pulls.
const ANCHOR: f64 = 4.0;
/// Passes in turns from left to right and back.
const PASSES: usize = 60;
/// The exponent of the paper's rule for gaps between levels.
const POWER: f64 = 0.35;
/// The least gap between two levels.
const LEAST: f32 = 62.0;

/// What there is room for.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Height for bars.
    pub height: f64,
    /// Above each bar, for its name.
    pub gap: f64,
    /// Between flows that pass.
    pub narrow: f64,
}

/// Pixels for a unit of flow: all levels fit.
pub fn scale(graph: &Levelled, room: Room) -> f64 {
    let mut scale = f64::INFINITY;
    for level in graph.by_level() {
        let gaps: f64 = level.iter().map(|&item| gap(graph, room, item)).sum();
        let all: f64 = level.iter().map(|&item| graph.items[item].weight).sum();
        if all > 0.0 {
            // A level with very many names leaves a fifth of the height to bars; it is higher than the picture then.
            scale = scale.min((room.height - gaps).max(room.height / 5.0) / all);
        }
    }
    if scale.is_finite() { scale } else { 1.0 }
}

/// Free above an item.
fn gap(graph: &Levelled, room: Room, item: usize) -> f64 {
    if graph.items[item].passes.is_some() { room.narrow } else { room.gap }
}

/// Tops of all items, in pixels. `old` holds those that were there at about their place.
pub fn tops(graph: &Levelled, order: &[Vec<usize>], scale: f64, room: Room, old: &[Option<f64>]) -> Vec<f64> {
    let mut top = vec![0.0; graph.items.len()];
    for level in order {
        let mut at = 0.0;
        for &item in level {
            at += gap(graph, room, item);
            top[item] = old.get(item).copied().flatten().unwrap_or(at);
            at += graph.items[item].weight * scale;
        }
    }
    for pass in 0..PASSES {
        let rightwards = pass % 2 == 0;
        for step in 0..order.len() {
            let level = if rightwards { step } else { order.len() - 1 - step };
            settle(graph, &order[level], scale, room, old, rightwards, &mut top);
        }
    }
    top
}

/// Offsets of pieces at both ends: where they leave and where they enter, from the top of the item.
pub fn ports(graph: &Levelled, top: &[f64], scale: f64) -> Vec<(f64, f64)> {
    let mut ports = vec![(0.0, 0.0); graph.pieces.len()];
    let middle = |item: usize| top[item] + graph.items[item].weight * scale / 2.0;
    for item in 0..graph.items.len() {
        let (mut out, mut into) = (graph.out[item].clone(), graph.into[item].clone());
        out.sort_by(|&a, &b| {
            middle(graph.pieces[a].to).total_cmp(&middle(graph.pieces[b].to)).then(a.cmp(&b))
        });
        into.sort_by(|&a, &b| {
            middle(graph.pieces[a].from).total_cmp(&middle(graph.pieces[b].from)).then(a.cmp(&b))
        });
        let mut at = 0.0;
        for piece in out {
            ports[piece].0 = at;
            at += graph.pieces[piece].weight * scale;
        }
        at = 0.0;
        for piece in into {
            ports[piece].1 = at;
            at += graph.pieces[piece].weight * scale;
        }
    }
    ports
}

/// Moves the items of a level towards where their flows want them, without changing their order.
fn settle(
    graph: &Levelled,
    level: &[usize],
    scale: f64,
    room: Room,
    old: &[Option<f64>],
    rightwards: bool,
    top: &mut [f64],
) {
    let ports = ports(graph, top, scale);
    let mut wanted = Vec::with_capacity(level.len());
    for &item in level {
        // What lies on the side from where the pass comes pulls most.
        let (left, right) = if rightwards { (1.0, 0.25) } else { (0.25, 1.0) };
        let into = graph.into[item].iter().map(|&piece| {
            let (of, port) = (graph.pieces[piece], ports[piece]);
            (top[of.from] + port.0 - port.1, strength(graph, of.from, of.weight) * left)
        });
        let out = graph.out[item].iter().map(|&piece| {
            let (of, port) = (graph.pieces[piece], ports[piece]);
            (top[of.to] + port.1 - port.0, strength(graph, of.to, of.weight) * right)
        });
        let (mut sum, mut all) =
            into.chain(out).fold((0.0, 0.0), |(sum, all), (y, weight)| (sum + y * weight, all + weight));
        if let Some(old) = old.get(item).copied().flatten() {
            let weight = ANCHOR * all.max(1e-9);
            (sum, all) = (sum + old * weight, all + weight);
        }
        wanted.push((if all > 0.0 { sum / all } else { top[item] }, all.max(1e-9)));
    }
    let heights: Vec<(f64, f64)> =
        level.iter().map(|&item| (gap(graph, room, item), graph.items[item].weight * scale)).collect();
    for (&item, y) in level.iter().zip(spaced(&wanted, &heights, room.height)) {
        top[item] = y;
    }
}

fn strength(graph: &Levelled, other: usize, weight: f64) -> f64 {
    if graph.items[other].passes.is_some() { weight * STRAIGHT } else { weight }
}

/// Places of items in their order, as near to where they want to be as gaps allow (pooled adjacent violators), and inside of the
/// height where they all fit.
fn spaced(wanted: &[(f64, f64)], heights: &[(f64, f64)], height: f64) -> Vec<f64> {
    let mut before = 0.0;
    let offsets: Vec<f64> = heights
        .iter()
        .map(|&(gap, h)| {
            before += gap;
            let offset = before;
            before += h;
            offset
        })
        .collect();
    let most = (height - before).max(0.0);
    // Without gaps and heights in between, the order only says that places do not decrease.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (&(y, weight), offset) in wanted.iter().zip(&offsets) {
        pools.push((y - offset, weight, 1));
        while let [.., a, b] = pools[..] {
            if a.0 <= b.0 {
                break;
            }
            let weight = a.1 + b.1;
            pools.truncate(pools.len() - 2);
            pools.push(((a.0 * a.1 + b.0 * b.1) / weight, weight, a.2 + b.2));
        }
    }
    let places = pools.into_iter().flat_map(|(y, _, count)| std::iter::repeat_n(y.clamp(0.0, most), count));
    places.zip(offsets).map(|(y, offset)| y + offset).collect()
}

/// Where each level begins. `names` is the room that the names of each level want.
pub fn columns(graph: &Levelled, bars: &[usize], names: &[f32], width: f32) -> Vec<f32> {
    let count = |level: usize| bars.get(level).copied().unwrap_or(0).max(1) as f64;
    let gaps = graph.levels.saturating_sub(1);
    // The paper's rule: sparse levels stand closer.
    let rule: Vec<f64> =
        (1..=gaps).map(|level| (level as f64).powf(POWER) * count(level).max(count(level - 1))).collect();
    let least: Vec<f64> = (0..gaps)
        .map(|level| f64::from(names.get(level).map_or(LEAST, |name| (name + 14.0).max(LEAST))))
        .collect();
    let width = f64::from(width);
    let all_least: f64 = least.iter().sum();
    let gap: Vec<f64> = if all_least >= width {
        least.iter().map(|least| least * width / all_least.max(1.0)).collect()
    } else {
        // The unit of the rule with which all gaps fill the width; a gap is never less than its names need.
        let filled = |unit: f64| -> f64 {
            rule.iter().zip(&least).map(|(rule, least)| (rule * unit).max(*least)).sum()
        };
        let (mut low, mut high) = (0.0, width);
        for _ in 0..60 {
            let unit = (low + high) / 2.0;
            if filled(unit) > width { high = unit } else { low = unit }
        }
        rule.iter().zip(&least).map(|(rule, least)| (rule * low).max(*least)).collect()
    };
    let mut at = 0.0;
    std::iter::once(0.0)
        .chain(gap.into_iter().map(|gap| {
            at += gap;
            at as f32
        }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_order_and_gaps() {
        let wanted = [(50.0, 1.0), (40.0, 1.0), (45.0, 2.0), (500.0, 1.0)];
        let heights = [(10.0, 20.0), (10.0, 5.0), (4.0, 5.0), (10.0, 30.0)];
        let tops = spaced(&wanted, &heights, 300.0);
        for at in 1..tops.len() {
            assert!(tops[at] >= tops[at - 1] + heights[at - 1].1 + heights[at].0 - 1e-9, "{tops:?}");
        }
        assert!(tops[0] >= 10.0 && tops[3] + 30.0 <= 300.0, "{tops:?}");
    }

    #[test]
    fn items_that_want_no_others_place_get_theirs() {
        let tops = spaced(&[(30.0, 1.0), (90.0, 1.0)], &[(5.0, 10.0), (5.0, 10.0)], 200.0);
        assert_eq!(tops, [30.0, 90.0]);
    }
}
