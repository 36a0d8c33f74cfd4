//! The parallelism profile on a grid of time bins: running, and ready by the kind of edge that made it so. Each bin
//! holds the exact integral over it; coarser levels are sums. Unlike in the accounting, a collapsed node counts with
//! its mean: work / elapsed while it runs, ready time / (last start − first ready) while it waits.

use crosscut_run::tasks::{Collapsed, Edge, Kind, Mark};

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

/// Steps of piecewise constant functions, summed up per bin: a step of r at time t adds r · (rest of its bin) to the bin and
/// r to the height of all bins after it.
pub struct Bins {
    grid: Grid,
    /// By bin and layer: what is added to it, and what to the height of those after it.
    bins: Vec<[(f64, f64); LAYERS]>,
}

impl Bins {
    /// What runs first, made ready by this kind of edge, is so from the start.
    pub fn new(grid: Grid, first: Edge) -> Self {
        let mut bins = Bins { grid, bins: vec![[(0.0, 0.0); LAYERS]; grid.count as usize] };
        bins.ready(0, first, 1.0);
        bins
    }

    /// Changes several layers at once.
    #[inline]
    fn step<const N: usize>(&mut self, t: i64, changes: [(usize, f64); N]) {
        // A cell is a power of two.
        let bin = (t.max(0) >> self.grid.cell.trailing_zeros()) as usize;
        if let Some(layers) = self.bins.get_mut(bin) {
            let rest = ((bin as i64 + 1) * self.grid.cell - t.max(0)) as f64;
            for (layer, rate) in changes {
                layers[layer].0 += rate * rest;
                layers[layer].1 += rate;
            }
        }
    }

    /// More, or less, is ready from now on.
    #[inline]
    pub fn ready(&mut self, t: i64, edge: Edge, rate: f64) {
        self.step(t, [(ready(edge), rate)]);
    }

    /// An interval: what it makes ready when it ends, and that it is not ready any more when it starts.
    #[inline]
    pub fn block(&mut self, mark: Mark, (start, end): (i64, i64)) {
        self.step(start, [(0, 1.0), (ready(mark.edge()), -1.0)]);
        match mark.kind() {
            Kind::Create | Kind::Fork => {
                let (create, goes_on) = (ready(Edge::Create), ready(Edge::CreateCont));
                self.step(end, [(0, -1.0), (create, 1.0), (goes_on, 1.0)]);
            }
            Kind::Other | Kind::Chunk => self.step(end, [(0, -1.0), (ready(Edge::OtherCont), 1.0)]),
            _ => self.step(end, [(0, -1.0)]),
        }
    }

    /// A collapsed node takes back that it is ready, and puts its own rates in its place.
    pub fn collapsed(&mut self, mark: Mark, (start, end): (i64, i64), inside: &Collapsed) {
        let elapsed = end - start;
        if elapsed > 0 {
            let rate = inside.work as f64 / elapsed as f64;
            self.step(start, [(0, rate)]);
            self.step(end, [(0, -rate)]);
        }
        self.ready(inside.first_ready, mark.edge(), -1.0);
        let waited = inside.last_start - inside.first_ready;
        for edge in Edge::ALL {
            let time = inside.ready[edge as usize];
            if time != 0 && waited > 0 {
                let rate = time as f64 / waited as f64;
                self.ready(inside.first_ready, edge, rate);
                self.ready(inside.last_start, edge, -rate);
            }
        }
    }

    /// Fills the column of bins: per level, layer by layer.
    pub fn fill(&self, out: &mut [i64]) {
        self.integrals(out);
        let grid = self.grid;
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

    /// The integral over each bin in whole units, layer by layer. What is rounded is the sum so far, so that the error stays
    /// below one unit over any number of bins.
    fn integrals(&self, out: &mut [i64]) {
        let count = self.bins.len();
        let (mut height, mut sum, mut given) = ([0.0; LAYERS], [0.0f64; LAYERS], [0; LAYERS]);
        for (bin, layers) in self.bins.iter().enumerate() {
            for (layer, (partial, step)) in layers.iter().enumerate() {
                sum[layer] += partial + height[layer] * self.grid.cell as f64;
                height[layer] += step;
                let before = given[layer];
                given[layer] = before.max(sum[layer].round() as i64);
                out[layer * count + bin] = given[layer] - before;
            }
        }
    }
}

/// The layer of what is ready by this kind of edge.
fn ready(edge: Edge) -> usize {
    1 + edge as usize
}
