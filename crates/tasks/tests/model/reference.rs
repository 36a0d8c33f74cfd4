//! The definitions, computed the long way: every moment looks at every block.

use crosscut_run::tasks::Edge;

use super::{Block, Program};

/// Length of the longest path over the explicit DAG among these intervals (which are in pre-order).
pub fn longest(program: &Program, leaves: &[usize], edges: &[(usize, usize, Edge)]) -> i64 {
    let at = |leaf: usize| leaves.binary_search(&leaf).ok();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); leaves.len()];
    for &(from, to, _) in edges {
        if let (Some(from), Some(to)) = (at(from), at(to)) {
            before[to].push(from);
        }
    }
    // Every edge leads forward in pre-order.
    let mut path: Vec<i64> = Vec::new();
    for (i, &leaf) in leaves.iter().enumerate() {
        let longest = before[i].iter().map(|&b| path[b]).max().unwrap_or(0);
        path.push(longest + program.nodes[leaf].length);
    }
    path.into_iter().max().unwrap_or(0)
}

/// Where P × elapsed went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    pub delay: i64,
    pub no_work: i64,
    /// ∫ (running − P)⁺ dt: collapsed nodes count as running also while their worker did something else.
    pub excess: i64,
}

fn moments(blocks: &[Block]) -> Vec<i64> {
    let mut times = vec![0];
    times.extend(blocks.iter().flat_map(|b| [b.start, b.end, b.ready, b.last_start]));
    times.sort_unstable();
    times.dedup();
    times
}

/// delay = ∫ min(ready, (P − running)⁺) dt + Σ (elapsed − work); no-work = ∫ (P − running − ready)⁺ dt.
pub fn account(blocks: &[Block], workers: i64) -> Account {
    let mut sum = Account::default();
    for pair in moments(blocks).windows(2) {
        let (t, dt) = (pair[0], pair[1] - pair[0]);
        let running = blocks.iter().filter(|b| b.start <= t && t < b.end).count() as i64;
        let ready = blocks.iter().filter(|b| b.ready <= t && t < b.last_start).count() as i64;
        let free = (workers - running).max(0);
        sum.delay += ready.min(free) * dt;
        sum.no_work += (free - ready).max(0) * dt;
        sum.excess += (running - workers).max(0) * dt;
    }
    sum.delay += blocks.iter().map(|b| b.end - b.start - b.work).sum::<i64>();
    sum
}

/// The parallelism from a moment on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment {
    pub t: i64,
    /// Running, then ready by edge.
    pub layers: [f64; 6],
}

/// The profile: a block runs at work / elapsed, and waits at ready time / (last start − first ready).
pub fn profile(blocks: &[Block]) -> Vec<Moment> {
    let at = |t: i64| {
        let mut layers = [0.0; 6];
        for b in blocks {
            if b.start <= t && t < b.end {
                layers[0] += b.work as f64 / (b.end - b.start) as f64;
            }
            if b.ready <= t && t < b.last_start {
                for (layer, time) in layers[1..].iter_mut().zip(b.waited) {
                    *layer += time as f64 / (b.last_start - b.ready) as f64;
                }
            }
        }
        Moment { t, layers }
    };
    moments(blocks).into_iter().map(at).collect()
}

/// ∫ of one layer over `from..to`.
pub fn integral(profile: &[Moment], layer: usize, from: i64, to: i64) -> f64 {
    let ends = profile.iter().skip(1).map(|m| m.t).chain([i64::MAX]);
    profile
        .iter()
        .zip(ends)
        .map(|(m, end)| m.layers[layer] * (end.min(to) - m.t.max(from)).max(0) as f64)
        .sum()
}
