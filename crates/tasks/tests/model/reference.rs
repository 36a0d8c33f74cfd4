//! The definitions, computed the long way: every moment looks at every block.

use crosscut_tasks::schema::{Edge, Kind};

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

/// The schedule on infinitely many workers: when each interval ends if it starts as early as it may.
pub struct Earliest<'a> {
    program: &'a Program,
    end: Vec<i64>,
    joined: Vec<Vec<usize>>,
}

impl<'a> Earliest<'a> {
    pub fn new(program: &'a Program) -> Self {
        let mut end = vec![0; program.nodes.len()];
        let mut before = vec![Vec::new(); end.len()];
        for (from, to, _) in program.all_edges() {
            before[to].push(from);
        }
        for leaf in program.leaves(0) {
            let ready = before[leaf].iter().map(|&b| end[b]).max().unwrap_or(0);
            end[leaf] = ready + program.nodes[leaf].length;
        }
        Earliest { program, end, joined: program.joined() }
    }

    fn start(&self, node: usize) -> i64 {
        let first = self.program.first_leaf(node);
        self.end[first] - self.program.nodes[first].length
    }

    /// T∞.
    pub fn whole(&self) -> i64 {
        self.end.iter().copied().max().unwrap_or(0)
    }

    /// From the start of a node to where its spine goes on.
    pub fn span(&self, node: usize) -> i64 {
        if self.program.nodes[node].kind == Kind::Task || self.program.is_leaf(node) {
            return self.end[self.program.last_leaf(node)] - self.start(node);
        }
        let (exit, needed) = self.program.exits(node, &self.joined);
        let depend = self.program.depends.iter().filter(|d| d.0 == exit).map(|d| self.program.last_leaf(d.1));
        let needed = needed.into_iter().map(|(leaf, _)| leaf).chain(depend);
        needed.map(|leaf| self.end[leaf]).max().expect("an interval") - self.start(node)
    }

    /// From the start of a node to the last end of a task below it that nothing in it waits for.
    pub fn tail(&self, node: usize) -> i64 {
        let below = self.program.below(node);
        let left = below.iter().skip(1).filter(|&&task| {
            let joined = self.program.joiner(task).is_some_and(|section| below.contains(&section));
            self.program.nodes[task].kind == Kind::Task && !joined
        });
        left.map(|&task| self.end[self.program.last_leaf(task)] - self.start(node)).max().unwrap_or(0)
    }
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
