//! Bottom-up: below each function those that called it, and so on up to the program.
//!
//! A node stands for call paths: those that end in a function that was called by these. Itself is what was spent in the function
//! then; with callees, the same with all that it called, where a function that calls itself counts once for each call path. The whole
//! tree has a node for each end of each call path, which may be many times the call paths; so the heaviest are unfolded
//! first, and from [`MOST`] nodes on the others are not.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crosscut_tree::{NodeId, TreeBuf, TreeError, from_parents};
use foldhash::{HashMap, HashMapExt};

use crate::functions::Functions;
use crate::paths::Paths;
use crate::schema::NONE;

/// Nodes from which on no other is unfolded.
pub const MOST: usize = 1 << 20;

/// The callers of all functions.
#[derive(Clone, Debug, Default)]
pub struct Callers {
    /// The tree; the root is the program.
    pub tree: TreeBuf,
    /// By node: the first frame of its function; [`NONE`] of the root, and where the program itself is the caller.
    pub frame: Vec<u32>,
    /// By node: it has callers that are not unfolded.
    pub cut: Vec<bool>,
    /// By metric and node: what was spent in the function itself when it was called so.
    pub own: Vec<Vec<i64>>,
    /// By metric and node: with all that it called.
    pub inclusive: Vec<Vec<i64>>,
}

/// Call paths of one node: where each ends, and how far up it was followed. Both are nodes of functions.
type Ends = Vec<(u32, u32)>;

struct Unfolding<'a, P: ?Sized> {
    paths: &'a P,
    functions: Functions,
    around: Vec<u32>,
    /// By metric and node of a function: itself with its loops and lines; with callees, or 0 inside of another call of itself.
    own: Vec<Vec<i64>>,
    inclusive: Vec<Vec<i64>>,
    parent: Vec<Option<u32>>,
    out: Callers,
    waiting: BinaryHeap<(i64, Reverse<u32>)>,
    ends: HashMap<u32, Ends>,
}

impl Callers {
    /// The callers of all functions of a profile, unfolded up to `most` nodes.
    pub fn of(paths: &(impl Paths + ?Sized), most: usize) -> Result<Self, TreeError> {
        let functions = Functions::of(paths.frames());
        let around = functions.around(paths);
        let metrics = paths.metric_count();
        let mut unfolding = Unfolding {
            own: (0..metrics).map(|metric| own(paths, metric, &around)).collect(),
            inclusive: outermost(paths, &functions, &around),
            paths,
            functions,
            around,
            parent: vec![None],
            out: Callers {
                frame: vec![NONE],
                cut: vec![false],
                own: vec![Vec::new(); metrics],
                inclusive: vec![Vec::new(); metrics],
                ..Callers::default()
            },
            waiting: BinaryHeap::new(),
            ends: HashMap::new(),
        };
        unfolding.roots();
        while let Some((_, Reverse(node))) = unfolding.waiting.pop() {
            let ends = unfolding.ends.remove(&node).unwrap_or_default();
            if unfolding.parent.len() >= most {
                unfolding.out.cut[node as usize] = true;
                continue;
            }
            unfolding.unfold(node, ends);
        }
        unfolding.finish()
    }
}

/// By node of a function: what was spent in it itself, with its loops and lines.
fn own(paths: &(impl Paths + ?Sized), metric: usize, around: &[u32]) -> Vec<i64> {
    let mut own = vec![0i64; around.len()];
    for (at, &around) in around.iter().enumerate() {
        let slot = &mut own[around as usize];
        *slot = slot.wrapping_add(paths.sum(metric, at..at + 1));
    }
    own
}

/// By metric and node of a function: with callees; 0 where the same function is around it.
fn outermost(paths: &(impl Paths + ?Sized), functions: &Functions, around: &[u32]) -> Vec<Vec<i64>> {
    let mut inclusive = vec![vec![0i64; around.len()]; paths.metric_count()];
    let mut counted = vec![0usize; functions.len()];
    for at in (1..around.len()).filter(|&at| around[at] as usize == at) {
        let node = NodeId(at as u32);
        let Some(function) = functions.of_frame(paths.number(node)) else { continue };
        if at < counted[function as usize] {
            continue;
        }
        counted[function as usize] = paths.tree().range(node).end;
        for (metric, inclusive) in inclusive.iter_mut().enumerate() {
            inclusive[at] = paths.with_callees(metric, node);
        }
    }
    inclusive
}

impl<P: Paths + ?Sized> Unfolding<'_, P> {
    /// One node for each function.
    fn roots(&mut self) {
        let mut by: Vec<Ends> = vec![Vec::new(); self.functions.len()];
        for at in (1..self.around.len()).filter(|&at| self.around[at] as usize == at) {
            let function = self.functions.of_frame(self.paths.number(NodeId(at as u32)));
            if let Some(ends) = function.and_then(|function| by.get_mut(function as usize)) {
                ends.push((at as u32, at as u32));
            }
        }
        let groups = by.into_iter().enumerate().filter(|(_, ends)| !ends.is_empty());
        let frames = &self.functions.frame;
        let groups: Vec<(u32, Ends)> = groups.map(|(at, ends)| (frames[at], ends)).collect();
        self.add(0, groups);
        // The whole program: all of itself, and with callees the same.
        for metric in 0..self.own.len() {
            let whole = self.paths.sum(metric, 0..self.paths.node_count());
            self.out.own[metric].insert(0, self.own[metric].first().copied().unwrap_or(0));
            self.out.inclusive[metric].insert(0, whole);
        }
    }

    /// Adds nodes below one: the largest first, then by frame.
    fn add(&mut self, above: u32, groups: Vec<(u32, Ends)>) {
        let sum = |values: &[i64], ends: &Ends| {
            ends.iter().fold(0i64, |sum, &(end, _)| sum.wrapping_add(values[end as usize]))
        };
        let mut rows: Vec<(i64, i64, u32, Ends)> = groups
            .into_iter()
            .map(|(frame, ends)| {
                let first = |of: &[Vec<i64>]| of.first().map_or(0, |values| sum(values, &ends));
                (first(&self.own), first(&self.inclusive), frame, ends)
            })
            .collect();
        rows.sort_unstable_by_key(|row| (Reverse(row.0), Reverse(row.1), row.2));
        for (own, inclusive, frame, ends) in rows {
            let node = self.parent.len() as u32;
            self.parent.push(Some(above));
            self.out.frame.push(frame);
            self.out.cut.push(false);
            for metric in 0..self.own.len() {
                self.out.own[metric].push(sum(&self.own[metric], &ends));
                self.out.inclusive[metric].push(sum(&self.inclusive[metric], &ends));
            }
            // Of the program itself nobody is the caller.
            if frame != NONE {
                self.waiting.push((own.max(inclusive), Reverse(node)));
                self.ends.insert(node, ends);
            }
        }
    }

    /// Call paths of a node by who called them. Where all begin with the program, there is nothing to unfold.
    fn unfold(&mut self, node: u32, ends: Ends) {
        let parents = self.paths.tree().parents();
        let mut by: HashMap<u32, Ends> = HashMap::new();
        for (end, at) in ends {
            let caller = self.around[parents[at as usize] as usize];
            let frame = self.functions.of_frame(self.paths.number(NodeId(caller)));
            let frame = frame.map_or(NONE, |function| self.functions.frame[function as usize]);
            by.entry(frame).or_default().push((end, caller));
        }
        if by.len() == 1 && by.contains_key(&NONE) {
            return;
        }
        self.add(node, by.into_iter().collect());
    }

    fn finish(self) -> Result<Callers, TreeError> {
        let made = from_parents(&self.parent)?;
        let order = &made.order;
        fn by<T: Copy>(order: &[u32], values: &[T]) -> Vec<T> {
            order.iter().map(|&at| values[at as usize]).collect()
        }
        let all = |of: &[Vec<i64>]| of.iter().map(|values| by(order, values)).collect();
        Ok(Callers {
            frame: by(order, &self.out.frame),
            cut: by(order, &self.out.cut),
            own: all(&self.out.own),
            inclusive: all(&self.out.inclusive),
            tree: made.tree,
        })
    }
}
