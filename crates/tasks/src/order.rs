//! The order in time: all blocks (intervals and collapsed nodes) by row and start. A row is a worker; the row after the
//! last worker holds blocks that several workers ran.

use crosscut_run::Places;
use crosscut_run::tasks::TaskWriter;
use rayon::prelude::*;

/// Where each row begins; one more entry than rows.
pub fn row_borders(tasks: &TaskWriter, places: &Places) -> Vec<usize> {
    let rows = places.worker_count() + 1;
    let len = &tasks.len[..];
    let place = &tasks.place[..];
    let counts = (0..len.len())
        .into_par_iter()
        .with_min_len(1 << 16)
        .filter(|&i| len[i] == 1)
        .fold(
            || vec![0usize; rows],
            |mut counts, i| {
                counts[row(places, place[i])] += 1;
                counts
            },
        )
        .reduce(|| vec![0; rows], |a, b| a.iter().zip(&b).map(|(x, y)| x + y).collect());
    let mut borders = vec![0];
    for count in counts {
        borders.push(borders[borders.len() - 1] + count);
    }
    borders
}

/// The row of a place.
#[inline]
pub fn row(places: &Places, place: u16) -> usize {
    places.worker(place).unwrap_or(places.worker_count())
}

/// Fills the order: `order[borders[r]..borders[r + 1]]` are the blocks of row r by start.
pub fn fill_order(tasks: &TaskWriter, places: &Places, borders: &[usize], order: &mut [u32]) {
    let mut next: Vec<usize> = borders.to_vec();
    let (len, place, start) = (&tasks.len[..], &tasks.place[..], &tasks.start[..]);
    for (i, &nodes) in len.iter().enumerate() {
        if nodes == 1 {
            let slot = &mut next[row(places, place[i])];
            order[*slot] = i as u32;
            *slot += 1;
        }
    }
    let mut rest = order;
    let mut rows = Vec::new();
    for pair in borders.windows(2) {
        let (head, tail) = rest.split_at_mut(pair[1] - pair[0]);
        rows.push(head);
        rest = tail;
    }
    rows.into_par_iter().for_each(|row| sort_row(row, start, &tasks.end));
}

/// Blocks per bucket, about.
const BUCKET: usize = 32;

/// Sorts blocks, which come in pre-order, by start; blocks without length come before the one that starts when they end.
///
/// Time is cut into buckets, each block goes to its own, and what is left to sort fits into a near cache unless all happens
/// at once.
fn sort_row(row: &mut [u32], start: &[i64], end: &[i64]) {
    let by_time = |&a: &u32, &b: &u32| {
        let (a, b) = (a as usize, b as usize);
        start[a].cmp(&start[b]).then_with(|| end[a].cmp(&end[b]))
    };
    if row.len() < 16 * BUCKET {
        return row.sort_by(by_time);
    }
    let times = row.iter().map(|&i| start[i as usize]);
    let (low, high) = times.fold((i64::MAX, i64::MIN), |(low, high), t| (low.min(t), high.max(t)));
    let count = (row.len() / BUCKET).next_power_of_two();
    let width = (high - low) as u64 / count as u64 + 1;
    // Shifts instead of divisions: buckets of a power of two.
    let shift = width.next_power_of_two().trailing_zeros();
    let bucket = |i: u32| ((start[i as usize] - low) as u64 >> shift) as usize;
    let mut begins = vec![0u32; ((high - low) as u64 >> shift) as usize + 2];
    for &i in row.iter() {
        begins[bucket(i) + 1] += 1;
    }
    for at in 1..begins.len() {
        begins[at] += begins[at - 1];
    }
    let blocks = row.to_vec();
    for &i in &blocks {
        let slot = &mut begins[bucket(i)];
        row[*slot as usize] = i;
        *slot += 1;
    }
    // Now each entry is the end of its bucket.
    let mut from = 0;
    for &to in &begins[..begins.len() - 1] {
        row[from..to as usize].sort_by(by_time);
        from = to as usize;
    }
}

/// Blocks per entry of the reach.
const REACH: usize = 256;

/// How far each stretch of the order reaches in time: the largest end in it. A collapsed node may run for long while its
/// worker starts and ends other blocks, so the order by start alone does not tell what is still running.
pub fn reach(order: &[u32], end: &[i64]) -> Vec<i64> {
    let last = |stretch: &[u32]| stretch.iter().map(|&i| end[i as usize]).max().unwrap_or(0);
    order.par_chunks(REACH).map(last).collect()
}

/// The blocks of one row that overlap a window, in their order.
#[derive(Clone, Debug, Default)]
pub struct InWindow<'a> {
    /// Those that started before the window.
    early: Vec<u32>,
    /// Those that start in it.
    rest: &'a [u32],
}

impl InWindow<'_> {
    pub fn len(&self) -> usize {
        self.early.len() + self.rest.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.early.iter().chain(self.rest).copied()
    }
}

/// The blocks of a run by time, borrowed from columns.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    pub order: &'a [u32],
    pub borders: &'a [u64],
    pub reach: &'a [i64],
    pub start: &'a [i64],
    pub end: &'a [i64],
}

impl<'a> Blocks<'a> {
    /// The blocks of a row.
    pub fn row(&self, row: usize) -> &'a [u32] {
        match (self.borders.get(row), self.borders.get(row + 1)) {
            (Some(&from), Some(&to)) => self.order.get(from as usize..to as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// The blocks of a row that overlap the window.
    pub fn in_window(&self, row: usize, from: i64, to: i64) -> InWindow<'a> {
        let blocks = self.row(row);
        let first = blocks.partition_point(|&i| self.start[i as usize] < from);
        let last = blocks.partition_point(|&i| self.start[i as usize] < to);
        let begin = self.borders.get(row).map_or(0, |&b| b as usize);
        let mut early = Vec::new();
        let mut at = 0;
        while at < first {
            let stretch = (begin + at) / REACH;
            let next = ((stretch + 1) * REACH - begin).min(first);
            if self.reach.get(stretch).is_none_or(|&end| end > from) {
                early.extend(blocks[at..next].iter().filter(|&&i| self.end[i as usize] > from));
            }
            at = next;
        }
        InWindow { early, rest: &blocks[first..last.max(first)] }
    }
}
