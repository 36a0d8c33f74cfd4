//! The parallelism profile on a grid of time bins: running, and ready by the kind of edge that made it so. Each bin
//! holds the exact integral over it; coarser levels are sums. Unlike in the accounting, a collapsed node counts with
//! its mean: work / elapsed while it runs, ready time / (last start − first ready) while it waits.

use crate::schema::{Collapsed, Edge, Kind, Mark};

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

/// What a step of an interval or of a section changes. Bins count them by code; what the layers make of a code is found once
/// for each bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(u8);

impl Code {
    const ENDS: usize = 5;
    const READY: usize = Self::ENDS + 3;
    const COUNT: usize = Self::NONE.0 as usize + 1;
    /// Nothing changes.
    pub const NONE: Code = Code((Self::READY + Edge::ALL.len()) as u8);

    /// An interval starts: it runs, and is not ready any more.
    #[inline]
    pub fn starts(mark: Mark) -> Self {
        Code(mark.edge() as u8)
    }

    /// An interval ends, and may make others ready.
    #[inline]
    pub fn ends(mark: Mark) -> Self {
        Code(
            Self::ENDS as u8
                + match mark.kind() {
                    Kind::Create | Kind::Fork => 2,
                    Kind::Other | Kind::Chunk => 1,
                    _ => 0,
                },
        )
    }

    /// Something is ready by this kind of edge.
    #[inline]
    fn ready(edge: Edge) -> Self {
        Code((Self::READY + edge as usize) as u8)
    }
}

/// Steps by code: how many, and the sum of their offsets in the bin.
#[derive(Clone, Copy)]
struct Bin([(i64, i64); Code::COUNT]);

impl Bin {
    const EMPTY: Bin = Bin([(0, 0); Code::COUNT]);

    /// The steps by layer.
    fn layers(&self) -> [(i64, i64); LAYERS] {
        let mut layers = [(0, 0); LAYERS];
        let mut add = |layer: usize, rate: i64, (count, offset): (i64, i64)| {
            layers[layer].0 += rate * count;
            layers[layer].1 += rate * offset;
        };
        for edge in Edge::ALL {
            let starts = self.0[edge as usize];
            add(0, 1, starts);
            add(ready(edge), -1, starts);
            add(ready(edge), 1, self.0[Code::READY + edge as usize]);
        }
        let [plain, other, create] = [0, 1, 2].map(|kind| self.0[Code::ENDS + kind]);
        for ends in [plain, other, create] {
            add(0, -1, ends);
        }
        add(ready(Edge::OtherCont), 1, other);
        add(ready(Edge::Create), 1, create);
        add(ready(Edge::CreateCont), 1, create);
        layers
    }
}

/// Steps of piecewise constant functions, summed up per bin: a step of r at time t adds r · (rest of its bin) to the bin and
/// r to the height of all bins after it. Time is swept over once, stretch by stretch, so only the bins of a stretch are held.
pub struct Bins<'a> {
    grid: Grid,
    shift: u32,
    /// The column: per level, layer by layer.
    out: &'a mut [i64],
    /// The bins of the stretch, and the number of the first.
    open: Vec<Bin>,
    first: usize,
    /// By bin and layer: what the rates of collapsed nodes add to it, and to the height of those after it. Empty when there
    /// are no such nodes.
    rates: Vec<[(f64, f64); LAYERS]>,
    sums: [Sum; LAYERS],
}

/// The integral over a layer so far.
#[derive(Clone, Copy, Default)]
struct Sum {
    height: f64,
    sum: f64,
    /// What of it is in bins.
    given: i64,
}

impl<'a> Bins<'a> {
    /// For a sweep in stretches of some width, a power of two. What runs first, made ready by this kind of edge, is so from
    /// the start.
    pub fn new(grid: Grid, first: Edge, width: i64, out: &'a mut [i64]) -> Self {
        let shift = grid.cell.trailing_zeros();
        // A stretch may be longer than the run.
        let open = ((width >> shift) as usize).clamp(1, grid.count as usize + 1);
        let (rates, sums) = (Vec::new(), [Sum::default(); LAYERS]);
        let mut bins = Bins { grid, shift, out, open: vec![Bin::EMPTY; open], first: 0, rates, sums };
        bins.ready(0, first, 1);
        bins
    }

    /// A step in the stretch.
    #[inline]
    pub fn step(&mut self, t: i64, code: Code) {
        self.steps(t, code, 1);
    }

    /// More, or less, is ready from now on, in the stretch.
    #[inline]
    pub fn ready(&mut self, t: i64, edge: Edge, count: i64) {
        self.steps(t, Code::ready(edge), count);
    }

    #[inline]
    fn steps(&mut self, t: i64, code: Code, count: i64) {
        // Nothing happens before time 0.
        let t = t.max(0);
        let bin = ((t >> self.shift) as usize).wrapping_sub(self.first);
        if let Some((steps, offsets)) = self.open.get_mut(bin).and_then(|bin| bin.0.get_mut(code.0 as usize))
        {
            *steps += count;
            *offsets += count * (t & (self.grid.cell - 1));
        }
    }

    /// A collapsed node takes back that it is ready, and puts its own rates in its place, before the sweep.
    pub fn collapsed(&mut self, mark: Mark, (start, end): (i64, i64), inside: &Collapsed) {
        self.rates.resize(self.grid.count as usize, [(0.0, 0.0); LAYERS]);
        let elapsed = end - start;
        if elapsed > 0 {
            let rate = inside.work as f64 / elapsed as f64;
            self.rate(start, 0, rate);
            self.rate(end, 0, -rate);
        }
        self.rate(inside.first_ready, ready(mark.edge()), -1.0);
        let waited = inside.last_start - inside.first_ready;
        for edge in Edge::ALL {
            let time = inside.ready[edge as usize];
            if time != 0 && waited > 0 {
                let rate = time as f64 / waited as f64;
                self.rate(inside.first_ready, ready(edge), rate);
                self.rate(inside.last_start, ready(edge), -rate);
            }
        }
    }

    fn rate(&mut self, t: i64, layer: usize, rate: f64) {
        let bin = (t.max(0) >> self.shift) as usize;
        if let Some(layers) = self.rates.get_mut(bin) {
            let rest = ((bin as i64 + 1) * self.grid.cell - t.max(0)) as f64;
            layers[layer].0 += rate * rest;
            layers[layer].1 += rate;
        }
    }

    /// The sweep has come to the end of a stretch: the bins before that are whole.
    pub fn end_stretch(&mut self, to: i64) {
        let whole = (to >> self.shift) as usize;
        if whole > self.first {
            for at in 0..self.open.len() {
                self.put(self.first + at, self.open[at].layers());
            }
            self.open.fill(Bin::EMPTY);
            self.first = whole;
        }
    }

    /// The integral over a bin in whole units, layer by layer. What is rounded is the sum so far, so that the error stays
    /// below one unit over any number of bins.
    fn put(&mut self, bin: usize, layers: [(i64, i64); LAYERS]) {
        let (count, cell) = (self.grid.count as usize, self.grid.cell);
        if bin >= count {
            return;
        }
        let rates = self.rates.get(bin).copied().unwrap_or_default();
        for (layer, (sum, (steps, offsets))) in self.sums.iter_mut().zip(layers).enumerate() {
            let partial = (steps * cell - offsets) as f64 + rates[layer].0;
            sum.sum += partial + sum.height * cell as f64;
            sum.height += steps as f64 + rates[layer].1;
            let given = sum.given.max(sum.sum.round() as i64);
            self.out[layer * count + bin] = given - sum.given;
            sum.given = given;
        }
    }

    /// The sweep is over: the rest of the finest level, then the coarser ones, per level, layer by layer.
    pub fn finish(mut self) {
        for at in 0..self.open.len() {
            self.put(self.first + at, self.open[at].layers());
        }
        for bin in self.first + self.open.len()..self.grid.count as usize {
            self.put(bin, [(0, 0); LAYERS]);
        }
        let (grid, out) = (self.grid, self.out);
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
}

/// The layer of what is ready by this kind of edge.
fn ready(edge: Edge) -> usize {
    1 + edge as usize
}
