//! How many bars there is room for: each level takes a part of the width, and names need that.

use crosscut_calls::graph::Edge;

use super::levels::{Flow, Graph, levels};

/// Width of a level in which a name can be read.
const LEVEL: f32 = 104.0;
/// Levels that there always are, and bars.
const FEWEST: (usize, usize) = (5, 6);

/// Levels that a width has room for.
pub fn room(width: f32) -> usize {
    ((width / LEVEL) as usize).max(FEWEST.0)
}

/// What is shown without the lightest bars, so that there are at most so many levels; none where there are no more. Flows below
/// `thin` are not drawn. `stays` says which bars are wanted however light they are. What goes through a bar that is left out goes
/// from its callers to its callees then: how much, only folding anew can say, but not by how many levels.
pub fn fitting(
    (calls, flow, inclusive): (&[Edge], &[i64], &[i64]),
    shown: &[bool],
    thin: f64,
    most: usize,
    stays: impl Fn(usize) -> bool,
) -> Option<Vec<bool>> {
    let mut left: Vec<usize> = (0..shown.len()).filter(|&node| node == 0 || shown[node]).collect();
    let wide = calls.iter().zip(flow).filter(|(_, flow)| **flow as f64 >= thin);
    let mut edges: Vec<(usize, usize)> =
        wide.map(|(edge, _)| (edge.from as usize, edge.to as usize)).collect();
    if depth(&left, &edges) <= most {
        return None;
    }
    let inclusive = |node: usize| inclusive.get(node).copied().unwrap_or(0);
    while left.len() > FEWEST.1 && depth(&left, &edges) > most {
        let light = left.iter().copied().filter(|&node| node != 0 && !stays(node));
        let Some(lightest) = light.min_by_key(|&node| (inclusive(node), std::cmp::Reverse(node))) else {
            break;
        };
        left.retain(|&node| node != lightest);
        let callers: Vec<usize> = edges.iter().filter(|edge| edge.1 == lightest).map(|edge| edge.0).collect();
        let callees: Vec<usize> = edges.iter().filter(|edge| edge.0 == lightest).map(|edge| edge.1).collect();
        edges.retain(|edge| edge.0 != lightest && edge.1 != lightest);
        edges.extend(callers.iter().flat_map(|&from| callees.iter().map(move |&to| (from, to))));
        edges.sort_unstable();
        edges.dedup();
    }
    let mut fewer = vec![false; shown.len()];
    left.into_iter().for_each(|node| fewer[node] = true);
    Some(fewer)
}

/// Levels of some bars.
fn depth(bars: &[usize], edges: &[(usize, usize)]) -> usize {
    let at = |node: usize| bars.binary_search(&node).ok();
    let flow = |&(from, to): &(usize, usize)| Some(Flow { from: at(from)?, to: at(to)?, weight: 1.0 });
    let graph = Graph { weight: vec![1.0; bars.len()], flows: edges.iter().filter_map(flow).collect() };
    levels(&graph).into_iter().max().map_or(0, |level| level + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of ten bars, each half as heavy as its caller, and a heavy one that the second calls.
    fn chain() -> (Vec<Edge>, Vec<i64>, Vec<i64>) {
        let edge = |from, to| Edge { from, to, paths: 1 };
        let mut edges: Vec<Edge> = (0..9).map(|at| edge(at, at + 1)).collect();
        edges.push(edge(1, 10));
        let inclusive: Vec<i64> = (0..10).map(|at| 1024 >> at).chain([400]).collect();
        let flow = edges.iter().map(|edge| inclusive[edge.to as usize]).collect();
        (edges, flow, inclusive)
    }

    #[test]
    fn the_lightest_bars_go_until_there_is_room() {
        let (edges, flow, inclusive) = chain();
        let (of, shown) = ((&edges[..], &flow[..], &inclusive[..]), vec![true; 11]);
        assert_eq!(fitting(of, &shown, 0.0, 10, |_| false), None);
        let fewer = fitting(of, &shown, 0.0, 6, |_| false).unwrap();
        let left: Vec<usize> = (0..11).filter(|&node| fewer[node]).collect();
        assert_eq!(left, [0, 1, 2, 3, 4, 5, 10]);
        // One that is wanted stays, and stands right of what is left.
        let fewer = fitting(of, &shown, 0.0, 6, |node| node == 9).unwrap();
        let left: Vec<usize> = (0..11).filter(|&node| fewer[node]).collect();
        assert_eq!(left, [0, 1, 2, 3, 4, 9, 10]);
        // Flows that are not drawn make no levels.
        assert_eq!(fitting(of, &shown, 100.0, 6, |_| false), None);
    }
}
