//! The parallelism profile on a grid of time bins: running, and ready by the kind of edge that made it so. Each bin
//! holds the exact integral over it; coarser levels are sums. Unlike in the accounting, a collapsed node counts with
//! its mean: work / elapsed while it runs, ready time / (last start − first ready) while it waits.

use crosscut_run::tasks::{Edge, Kind, Mark, TaskWriter};

use crate::spine::Released;
use crate::summary::Grid;

/// Layers of a profile: running, then ready by [`Edge`].
pub const LAYERS: usize = 6;

/// Mean parallelism in equal cells of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Where the first cell begins.
    pub from: i64,
    /// Width of a cell.
    pub cell: i64,
    /// Intervals in progress.
    pub running: Vec<f64>,
    /// Intervals ready and not running, by [`Edge`].
    pub ready: [Vec<f64>; 5],
}

/// Steps of a piecewise constant function, summed up per bin: a step of r at time t adds r · (rest of its bin) to the
/// bin and r to the height of all bins after it.
struct Steps {
    cell: i64,
    /// By bin: what is added to it, and what to the height of those after it.
    bins: Vec<(f64, f64)>,
}

impl Steps {
    fn new(grid: Grid) -> Self {
        Steps { cell: grid.cell, bins: vec![(0.0, 0.0); grid.count as usize] }
    }

    #[inline]
    fn step(&mut self, t: i64, rate: f64) {
        // A cell is a power of two.
        let bin = (t.max(0) >> self.cell.trailing_zeros()) as usize;
        if let Some((partial, height)) = self.bins.get_mut(bin) {
            *partial += rate * ((bin as i64 + 1) * self.cell - t.max(0)) as f64;
            *height += rate;
        }
    }

    /// The integral over each bin in whole units. What is rounded is the sum so far, so that the error stays below one
    /// unit over any number of bins.
    fn integrals(&self) -> impl Iterator<Item = i64> + '_ {
        let (mut height, mut sum, mut given) = (0.0, 0.0f64, 0);
        self.bins.iter().map(move |(partial, step)| {
            sum += partial + height * self.cell as f64;
            height += step;
            let before = given;
            given = given.max(sum.round() as i64);
            given - before
        })
    }
}

/// Fills the column of bins: per level, layer by layer.
pub fn fill_bins(tasks: &TaskWriter, released: &Released, grid: Grid, out: &mut [i64]) {
    let mut layers: Vec<Steps> = (0..LAYERS).map(|_| Steps::new(grid)).collect();
    each_step(tasks, released, |t, layer, rate| layers[layer].step(t, rate));
    let bins = grid.count as usize;
    for (layer, steps) in layers.iter().enumerate() {
        for (slot, value) in out[layer * bins..(layer + 1) * bins].iter_mut().zip(steps.integrals()) {
            *slot = value;
        }
    }
    for level in 1..grid.levels {
        let (fine, coarse) = (grid.count(level - 1), grid.count(level));
        let (from, to) = (grid.offset(level - 1), grid.offset(level));
        let (below, above) = out.split_at_mut(to);
        for layer in 0..LAYERS {
            let below = &below[from + layer * fine..from + (layer + 1) * fine];
            let above = &mut above[layer * coarse..(layer + 1) * coarse];
            for (slot, pair) in above.iter_mut().zip(below.chunks(2)) {
                *slot = pair.iter().sum();
            }
        }
    }
}

/// Calls `step(time, layer, change)` for every change of the profile, in no order of time.
pub fn each_step(tasks: &TaskWriter, released: &Released, mut step: impl FnMut(i64, usize, f64)) {
    let (len, mark, start, end) = (&tasks.len[..], &tasks.mark[..], &tasks.start[..], &tasks.end[..]);
    let mut collapsed = tasks.collapsed.iter();
    // What a predecessor's end makes ready is counted per edge kind below; a collapsed node takes that step back and
    // puts its own rates in its place.
    let ready = |edge: Edge| 1 + edge as usize;
    // What runs first is ready from the start.
    if let Some(first) = (0..len.len()).find(|&i| len[i] == 1) {
        step(0, ready(Mark(mark[first]).edge()), 1.0);
    }
    for i in 0..len.len() {
        if len[i] != 1 {
            continue;
        }
        let m = Mark(mark[i]);
        if !m.is_collapsed() {
            step(start[i], 0, 1.0);
            step(end[i], 0, -1.0);
            step(start[i], ready(m.edge()), -1.0);
            match m.kind() {
                Kind::Create | Kind::Fork => {
                    step(end[i], ready(Edge::Create), 1.0);
                    step(end[i], ready(Edge::CreateCont), 1.0);
                }
                Kind::Other | Kind::Chunk => step(end[i], ready(Edge::OtherCont), 1.0),
                _ => {}
            }
            continue;
        }
        let Some(inside) = collapsed.next() else { break };
        let elapsed = end[i] - start[i];
        if elapsed > 0 {
            let rate = inside.work as f64 / elapsed as f64;
            step(start[i], 0, rate);
            step(end[i], 0, -rate);
        }
        step(inside.first_ready, ready(m.edge()), -1.0);
        let waited = inside.last_start - inside.first_ready;
        for edge in Edge::ALL {
            let time = inside.ready[edge as usize];
            if time != 0 && waited > 0 {
                let rate = time as f64 / waited as f64;
                step(inside.first_ready, ready(edge), rate);
                step(inside.last_start, ready(edge), -rate);
            }
        }
    }
    for &(t, edge) in &released.joins {
        step(t, ready(edge), 1.0);
    }
    // What was counted as ready when it was created, and was not.
    for held in &released.held {
        step(held.created, ready(Edge::Create), -1.0);
        step(held.ready, ready(held.edge), 1.0);
    }
}
