//! One pass over the run in the order of time. It fills the grids of time, and the accounting: where P × elapsed went.
//! There blocks count as whole: one is ready from the moment its predecessors have ended until it starts (a collapsed node
//! until its last interval starts), and running from its start to its end.
//! delay = ∫ min(ready, (P − running)⁺) dt + Σ (elapsed − work) of blocks; no-work = ∫ (P − running − ready)⁺ dt.
//!
//! Time is cut into stretches. What starts in one is taken from all rows, which are in order already; what ends later is
//! kept until then.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::schema::{Collapsed, Edge, Kind, Mark};

use crate::order::REACH;
use crate::profile::{Bins, Code};
use crate::spine::Released;
use crate::timeline::GridRow;

/// delay and no-work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounting {
    /// Something was ready and a worker was free.
    pub delay: i64,
    /// A worker was free and nothing was ready.
    pub no_work: i64,
}

/// The columns that say what happened when.
#[derive(Clone, Copy)]
pub struct Timed<'a> {
    pub mark: &'a [u8],
    pub start: &'a [i64],
    pub end: &'a [i64],
    pub collapsed: &'a [Collapsed],
    /// The blocks by row and start, and where the rows begin.
    pub order: &'a [u32],
    pub borders: &'a [usize],
}

/// What an event changes: (running, ready).
const CHANGES: [(i64, i64); 7] = [(-1, 0), (-1, 1), (-1, 2), (1, -1), (1, 0), (0, 1), (0, -1)];
const CODE_BITS: u32 = 3;
const ENDS: u64 = 0;
const STARTS: u64 = 3;
const STARTS_COLLAPSED: u64 = 4;
const RELEASES: u64 = 5;
const TAKES_BACK: u64 = 6;

/// The codes of a block by its mark: they are looked up, since no processor foresees which mark comes next.
#[derive(Clone, Copy)]
struct Codes {
    starts: u64,
    ends: u64,
    bin_starts: Code,
    bin_ends: Code,
}

impl Codes {
    /// The end of a create makes the child and the continuation ready, that of another interval what follows it.
    fn of(mark: Mark) -> Self {
        if mark.is_collapsed() {
            // Bins know its rates already.
            return Codes {
                starts: STARTS_COLLAPSED,
                ends: ENDS,
                bin_starts: Code::NONE,
                bin_ends: Code::NONE,
            };
        }
        let ends = match mark.kind() {
            Kind::Create | Kind::Fork => ENDS + 2,
            Kind::Other | Kind::Chunk => ENDS + 1,
            _ => ENDS,
        };
        Codes { starts: STARTS, ends, bin_starts: Code::starts(mark), bin_ends: Code::ends(mark) }
    }

    fn all() -> Box<[Codes; 256]> {
        Box::new(std::array::from_fn(|mark| Codes::of(Mark(mark as u8))))
    }
}

/// Blocks that are taken from a row at once, whenever they start: where they stand in memory is known for all of them, and
/// nobody waits for one before the next is asked for.
const BATCH: usize = 128;

/// A block that was taken from its row.
#[derive(Clone, Copy)]
struct Taken {
    start: i64,
    end: i64,
    node: u32,
    mark: u8,
}

/// A row whose blocks are taken in their order.
struct Row {
    first: usize,
    /// The place in the order of the next one.
    next: usize,
    last: usize,
    /// The last ones that were taken; those from `used` on start later.
    batch: Vec<Taken>,
    used: usize,
}

impl Row {
    /// Takes the next blocks; says whether there were any.
    fn take(&mut self, timed: Timed<'_>) -> bool {
        let Timed { mark, start, end, order, .. } = timed;
        self.used = 0;
        self.batch.clear();
        self.batch.extend(order[self.next..self.last.min(self.next + BATCH)].iter().map(|&node| {
            let i = node as usize;
            Taken { start: start[i], end: end[i], node, mark: mark[i] }
        }));
        !self.batch.is_empty()
    }
}

/// Sweeps over the run once: fills a row of cells for each row of blocks, and the bins, which are made for the width of a
/// stretch. Returns the accounting for so many workers and, for each stretch of the order, the largest end in it.
pub fn sweep<'a>(
    timed: Timed<'_>,
    workers: i64,
    released: &Released,
    cells: &mut [GridRow<'_>],
    bins: impl FnOnce(i64) -> Bins<'a>,
) -> (Accounting, Vec<i64>) {
    let Timed { mark, start, end, collapsed, order, borders } = timed;
    let moments = moments(collapsed, released);
    let until = moments.clone().map(Moment::t).fold(end[0].max(1), i64::max);
    let account = Account::new(workers, until, 2 * order.len() + released.joins.len());
    let width = account.width;
    let mut bins = bins(width);
    let times = |c: &Collapsed| (start[c.node as usize], end[c.node as usize]);
    for inside in collapsed {
        bins.collapsed(Mark(mark[inside.node as usize]), times(inside), inside);
    }
    let moments = ByStretch::new(moments, width, until);
    let reach = vec![0; order.len().div_ceil(REACH)];
    let mut sweep = Sweep { timed, account, bins, codes: Codes::all(), later: BinaryHeap::new(), reach };
    let row =
        |pair: &[usize]| Row { first: pair[0], next: pair[0], last: pair[1], batch: Vec::new(), used: 0 };
    let mut rows: Vec<Row> = borders.windows(2).map(row).collect();
    let (mut from, mut stretch) = (0, 0);
    while from <= until {
        let to = from.saturating_add(width);
        sweep.account.from = from;
        sweep.take_moments(moments.of(stretch), to);
        for (row, cells) in rows.iter_mut().zip(&mut *cells) {
            sweep.take_row(row, to, cells);
        }
        sweep.account.end_stretch();
        sweep.bins.end_stretch(to);
        from = to;
        stretch += 1;
    }
    sweep.bins.finish();
    let mut sum = sweep.account.sum;
    let elapsed = |(start, end): (i64, i64)| end - start;
    sum.delay += collapsed.iter().map(|c| elapsed(times(c)) - c.work).sum::<i64>();
    (sum, sweep.reach)
}

struct Sweep<'a, 'b> {
    timed: Timed<'a>,
    account: Account,
    bins: Bins<'b>,
    codes: Box<[Codes; 256]>,
    /// Ends after the stretch, with the marks of their blocks.
    later: BinaryHeap<Reverse<(i64, u8)>>,
    reach: Vec<i64>,
}

impl Sweep<'_, '_> {
    /// Takes what is no start of a block and happens before `to`.
    fn take_moments(&mut self, moments: &[Moment], to: i64) {
        while let Some(&Reverse((t, mark))) = self.later.peek().filter(|Reverse((t, _))| *t < to) {
            let codes = self.codes[mark as usize];
            self.account.event(t, codes.ends);
            self.bins.step(t, codes.bin_ends);
            self.later.pop();
        }
        for moment in moments {
            self.account.event(moment.t(), moment.code());
            if let Some(edge) = moment.edge() {
                self.bins.ready(moment.t(), edge, if moment.code() == RELEASES { 1 } else { -1 });
            }
        }
    }

    /// Takes the blocks of a row that start before `to`. Each step goes over them on its own, with what it needs at hand.
    fn take_row(&mut self, row: &mut Row, to: i64, cells: &mut GridRow<'_>) {
        while row.used < row.batch.len() || row.take(self.timed) {
            let rest = &row.batch[row.used..];
            let count = rest.iter().position(|taken| taken.start >= to).unwrap_or(rest.len());
            let batch = &rest[..count];
            self.account.take(batch, &self.codes, to, &mut self.later);
            for taken in batch {
                let codes = self.codes[taken.mark as usize];
                self.bins.step(taken.start, codes.bin_starts);
                if taken.end < to {
                    self.bins.step(taken.end, codes.bin_ends);
                }
            }
            for (at, taken) in (row.next..).zip(batch) {
                let times = (taken.start, taken.end);
                self.reach[at / REACH] = taken.end.max(self.reach[at / REACH]);
                match inside(self.timed.collapsed, Mark(taken.mark), taken.node) {
                    Some(inside) => cells.add_collapsed(at - row.first, taken.node, times, inside.work),
                    None => cells.add(at - row.first, taken.node, times),
                }
            }
            row.next += count;
            row.used += count;
            if row.used < row.batch.len() {
                return;
            }
        }
    }
}

#[inline]
fn inside(collapsed: &[Collapsed], mark: Mark, node: u32) -> Option<&Collapsed> {
    if !mark.is_collapsed() {
        return None;
    }
    collapsed.binary_search_by_key(&node, |c| c.node).ok().map(|at| &collapsed[at])
}

/// Something that changes beside starts and ends, in one word: when, its code, and the kind of edge that it is counted for.
#[derive(Clone, Copy, Debug)]
struct Moment(u64);

/// No kind of edge: the bins know it otherwise.
const NO_EDGE: u64 = 7;

impl Moment {
    fn new(t: i64, code: u64, edge: Option<Edge>) -> Self {
        // Nothing happens before time 0.
        Moment(
            (t.max(0) as u64) << (2 * CODE_BITS)
                | code << CODE_BITS
                | edge.map_or(NO_EDGE, |edge| edge as u64),
        )
    }

    fn t(self) -> i64 {
        (self.0 >> (2 * CODE_BITS)) as i64
    }

    fn code(self) -> u64 {
        self.0 >> CODE_BITS & ((1 << CODE_BITS) - 1)
    }

    fn edge(self) -> Option<Edge> {
        Edge::ALL.get((self.0 & ((1 << CODE_BITS) - 1)) as usize).copied()
    }
}

fn moments<'a>(
    collapsed: &'a [Collapsed],
    released: &'a Released,
) -> impl Iterator<Item = Moment> + Clone + 'a {
    let joins = released.joins.iter().map(|&(t, edge)| Moment::new(t, RELEASES, Some(edge)));
    // A task that has to wait for others is not ready yet when it is created.
    let held = released.held.iter().flat_map(|held| {
        [
            Moment::new(held.ready, RELEASES, Some(held.edge)),
            Moment::new(held.created, TAKES_BACK, Some(Edge::Create)),
        ]
    });
    let last_starts = collapsed.iter().map(|c| Moment::new(c.last_start, TAKES_BACK, None));
    joins.chain(held).chain(last_starts)
}

/// Moments by the stretch that they are in, in no order within that.
struct ByStretch {
    moments: Vec<Moment>,
    ends: Vec<usize>,
}

impl ByStretch {
    /// Takes them twice, to count and to place them; all happen until then.
    fn new(moments: impl Iterator<Item = Moment> + Clone, width: i64, until: i64) -> Self {
        let stretch = |moment: Moment| (moment.t() >> width.trailing_zeros()) as usize;
        let mut ends = vec![0; (until >> width.trailing_zeros()) as usize + 2];
        for moment in moments.clone() {
            ends[stretch(moment) + 1] += 1;
        }
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut sorted = vec![Moment(0); ends[ends.len() - 1]];
        for moment in moments {
            let slot = &mut ends[stretch(moment)];
            sorted[*slot] = moment;
            *slot += 1;
        }
        ByStretch { moments: sorted, ends }
    }

    fn of(&self, stretch: usize) -> &[Moment] {
        let from = stretch.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.moments[from..self.ends[stretch]]
    }
}

/// Where the events of a stretch are put into order.
enum Events {
    /// For stretches that are full of events.
    Dense(Dense),
    /// A word for each, time above code, to be sorted.
    Sparse(Vec<u64>),
}

/// By moment: the sum of the changes there, and a bit where there is one.
struct Dense {
    changes: Box<[i64; DENSE]>,
    bits: Box<[u64; DENSE / 64]>,
}

impl Dense {
    #[inline(always)]
    fn add(&mut self, at: i64, code: u64) {
        // It lies in the stretch.
        let at = at as usize % DENSE;
        let (running, ready) = CHANGES[code as usize];
        self.changes[at] += (running << RUNNING) + ready;
        self.bits[at / 64] |= 1 << (at % 64);
    }
}

/// A word of a list of events.
#[inline(always)]
fn word(at: i64, code: u64) -> u64 {
    (at as u64) << CODE_BITS | code
}

/// The starts of blocks, and their ends before `to`; the others come later.
#[inline(always)]
fn each(
    batch: &[Taken],
    codes: &[Codes; 256],
    to: i64,
    later: &mut BinaryHeap<Reverse<(i64, u8)>>,
    mut event: impl FnMut(i64, u64),
) {
    for taken in batch {
        let codes = &codes[taken.mark as usize];
        event(taken.start, codes.starts);
        match taken.end < to {
            true => event(taken.end, codes.ends),
            false => later.push(Reverse((taken.end, taken.mark))),
        }
    }
}

/// The widest stretch whose moments are counted one by one: their changes fit into a near cache.
const DENSE: usize = 1 << 13;
/// Events that such a stretch has at least, so that looking for them costs less than sorting them.
const FULL: i64 = 1 << 7;
/// Events of a stretch that are sorted together.
const SORTED: usize = 1 << 15;
/// A change in one word: running above ready.
const RUNNING: u32 = 32;

struct Account {
    workers: i64,
    width: i64,
    /// Where the stretch begins.
    from: i64,
    events: Events,
    state: State,
    sum: Accounting,
}

/// Up to where it is summed up, and what is going on there.
#[derive(Clone, Copy)]
struct State {
    now: i64,
    running: i64,
    ready: i64,
}

impl Account {
    /// For so many events up to some moment.
    fn new(workers: i64, until: i64, events: usize) -> Self {
        let is_dense = events as i64 / (until / DENSE as i64 + 1) >= FULL;
        let (width, events) = if is_dense {
            let dense = Dense { changes: Box::new([0; DENSE]), bits: Box::new([0; DENSE / 64]) };
            (DENSE as i64, Events::Dense(dense))
        } else {
            // A power of two, as the bins are: either a stretch has whole bins, or a bin whole stretches.
            let width = (until / (events / SORTED + 1) as i64).clamp(1, 1 << 60);
            (1 << width.ilog2(), Events::Sparse(Vec::new()))
        };
        // At time 0 the first block of the root is ready.
        let state = State { now: 0, running: 0, ready: 1 };
        Account { workers, width, from: 0, events, state, sum: Accounting::default() }
    }

    /// Something happens in the stretch.
    #[inline]
    fn event(&mut self, t: i64, code: u64) {
        // Nothing happens before time 0.
        let at = (t - self.from).max(0);
        match &mut self.events {
            Events::Dense(dense) => dense.add(at, code),
            Events::Sparse(list) => list.push(word(at, code)),
        }
    }

    /// Takes blocks that start in the stretch.
    fn take(
        &mut self,
        batch: &[Taken],
        codes: &[Codes; 256],
        to: i64,
        later: &mut BinaryHeap<Reverse<(i64, u8)>>,
    ) {
        let at = |t: i64| (t - self.from).max(0);
        match &mut self.events {
            Events::Dense(dense) => each(batch, codes, to, later, |t, code| dense.add(at(t), code)),
            Events::Sparse(list) => each(batch, codes, to, later, |t, code| list.push(word(at(t), code))),
        }
    }

    /// Sums up over the stretch.
    fn end_stretch(&mut self) {
        let (from, workers, mut state, mut sum) = (self.from, self.workers, self.state, self.sum);
        let mut change = |t: i64, running: i64, ready: i64| {
            let free = (workers - state.running).max(0);
            let delayed = state.ready.clamp(0, free);
            let passed = t - state.now;
            sum.delay += delayed * passed;
            sum.no_work += (free - delayed) * passed;
            state = State { now: t, running: state.running + running, ready: state.ready + ready };
        };
        match &mut self.events {
            Events::Dense(Dense { changes, bits }) => {
                for (word, bits) in bits.iter_mut().enumerate() {
                    let mut rest = std::mem::take(bits);
                    while rest != 0 {
                        let at = word * 64 + rest.trailing_zeros() as usize;
                        rest &= rest - 1;
                        let both = std::mem::take(&mut changes[at]);
                        let ready = i64::from(both as i32);
                        change(from + at as i64, (both - ready) >> RUNNING, ready);
                    }
                }
            }
            Events::Sparse(list) => {
                // Stable, because that sort makes use of what is in order already.
                list.sort();
                for event in list.drain(..) {
                    let (running, ready) = CHANGES[(event & ((1 << CODE_BITS) - 1)) as usize];
                    change(from + (event >> CODE_BITS) as i64, running, ready);
                }
            }
        }
        (self.state, self.sum) = (state, sum);
    }
}
