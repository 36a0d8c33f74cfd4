//! The order in time: all blocks (intervals and collapsed nodes) by row and start. A row is a worker; the row after the
//! last worker holds blocks that several workers ran.

use crate::schema::TaskWriter;
use crosscut_run::Places;

/// The rows of all places, for passes that ask for many.
pub struct Rows {
    of: Vec<u32>,
    several: usize,
}

impl Rows {
    pub fn new(places: &Places) -> Self {
        let of = (0..places.len() as u32).map(|place| row(places, place) as u32).collect();
        Rows { of, several: places.worker_count() }
    }

    /// Whether there is such a place.
    #[inline]
    pub fn has(&self, place: u32) -> bool {
        (place as usize) < self.of.len()
    }

    /// The row of a place.
    #[inline]
    pub fn of(&self, place: u32) -> usize {
        self.of.get(place as usize).map_or(self.several, |&row| row as usize)
    }
}

/// Where each row begins, given its blocks; one more entry than rows.
pub fn row_borders(blocks: &[Vec<u32>]) -> Vec<usize> {
    let mut borders = vec![0];
    for row in blocks {
        borders.push(borders[borders.len() - 1] + row.len());
    }
    borders
}

/// The row of a place.
#[inline]
pub fn row(places: &Places, place: u32) -> usize {
    places.worker(place).unwrap_or(places.worker_count())
}

/// Blocks per bucket, about: what is sorted at once stays in the nearest cache.
const BUCKET: usize = 512;
/// Cells that a bucket is sorted into, a power of two: more than blocks, so that few come to stand in one.
const CELLS: usize = 1024;
/// Blocks of a bucket, or of a cell, that are put into order one by one.
const FEW: usize = 24;

/// Fills the order: the blocks of each row by start; of those that start at once, the one that ends first comes first, and
/// of equal ones the one that stands first in the tree. All times are below that of the root's end.
///
/// Each block goes to its bucket, and buckets are sorted one by one.
pub fn fill_order(tasks: &TaskWriter, blocks: Vec<Vec<u32>>, order: &mut [u32]) {
    let (start, end) = (&tasks.start[..], &tasks.end[..]);
    let elapsed = end[0].max(1) as u64;
    let mut sorter = Sorter::new(start, end);
    let mut rest = order;
    for blocks in blocks {
        let (order, others) = rest.split_at_mut(blocks.len());
        rest = others;
        // Time is cut into equal buckets of a power of two, so that finding one takes no division.
        let width = elapsed / (blocks.len() / BUCKET + 1) as u64 + 1;
        let shift = width.next_power_of_two().trailing_zeros();
        let bucket = |&block: &u32| ((start[block as usize].max(0) as u64).min(elapsed) >> shift) as usize;
        let mut next = vec![0u32; (elapsed >> shift) as usize + 1];
        for block in &blocks {
            next[bucket(block)] += 1;
        }
        let mut sum = 0;
        for slot in &mut next {
            sum += std::mem::replace(slot, sum);
        }
        for block in &blocks {
            let slot = &mut next[bucket(block)];
            order[*slot as usize] = *block;
            *slot += 1;
        }
        // Now each entry is the end of its bucket.
        let mut from = 0;
        for (number, &to) in next.iter().enumerate() {
            sorter.sort(&mut order[from..to as usize], (number as i64) << shift, shift);
            from = to as usize;
        }
    }
}

/// Sorts buckets: into cells by time, then what stands in one cell.
struct Sorter<'a> {
    start: &'a [i64],
    end: &'a [i64],
    /// A word for each block: when it starts, as far as that fits, above its number.
    words: Vec<u64>,
    sorted: Vec<u64>,
    cells: Vec<u32>,
}

impl<'a> Sorter<'a> {
    fn new(start: &'a [i64], end: &'a [i64]) -> Self {
        Sorter { start, end, words: Vec::new(), sorted: Vec::new(), cells: vec![0; CELLS] }
    }

    /// What decides the order of two blocks.
    #[inline]
    fn key(&self, block: u32) -> (i64, i64, u32) {
        (self.start[block as usize], self.end[block as usize], block)
    }

    /// Sorts the blocks that start from `from` on, within 2 to the power of `shift`.
    fn sort(&mut self, bucket: &mut [u32], from: i64, shift: u32) {
        if bucket.len() <= FEW {
            return self.sort_few(bucket);
        }
        // Words have 32 bits for the time, cells their number.
        let (coarse, of_cell) = (shift.saturating_sub(32), 32 + shift.min(32).saturating_sub(CELLS.ilog2()));
        let start = self.start;
        let word = |&block: &u32| {
            let time = (start[block as usize] - from).max(0) as u64 >> coarse;
            time.min(u32::MAX.into()) << 32 | u64::from(block)
        };
        let cell = |word: u64| ((word >> of_cell) as usize).min(CELLS - 1);
        self.words.clear();
        self.words.extend(bucket.iter().map(word));
        self.cells.fill(0);
        for &word in &self.words {
            self.cells[cell(word)] += 1;
        }
        if self.cells.iter().any(|&count| count as usize > FEW) {
            return bucket.sort_unstable_by_key(|&block| self.key(block));
        }
        let mut sum = 0;
        for slot in &mut self.cells {
            sum += std::mem::replace(slot, sum);
        }
        self.sorted.resize(bucket.len(), 0);
        for &word in &self.words {
            let slot = &mut self.cells[cell(word)];
            self.sorted[*slot as usize] = word;
            *slot += 1;
        }
        self.sort_cells();
        for (block, &word) in bucket.iter_mut().zip(&self.sorted) {
            *block = word as u32;
        }
    }

    /// Puts what stands in one cell into order.
    fn sort_cells(&mut self) {
        for at in 1..self.sorted.len() {
            let word = self.sorted[at];
            let mut to = at;
            while to > 0 && self.is_before(word, self.sorted[to - 1]) {
                self.sorted[to] = self.sorted[to - 1];
                to -= 1;
            }
            self.sorted[to] = word;
        }
    }

    #[inline]
    fn is_before(&self, a: u64, b: u64) -> bool {
        match a >> 32 == b >> 32 {
            true => self.key(a as u32) < self.key(b as u32),
            false => a < b,
        }
    }

    fn sort_few(&self, bucket: &mut [u32]) {
        for at in 1..bucket.len() {
            let block = bucket[at];
            let key = self.key(block);
            let mut to = at;
            while to > 0 && self.key(bucket[to - 1]) > key {
                bucket[to] = bucket[to - 1];
                to -= 1;
            }
            bucket[to] = block;
        }
    }
}

/// Blocks per entry of the reach: the largest end in each stretch of the order. A collapsed node may run for long while its
/// worker starts and ends other blocks, so what is still running does not follow from the order by start alone.
pub const REACH: usize = 256;

/// The blocks of one row that overlap a window, in their order.
#[derive(Clone, Debug, Default)]
pub struct InWindow<'a> {
    /// Those that started before the window.
    early: Vec<u32>,
    /// Those that start in it.
    rest: &'a [u32],
    /// Nodes of the tree: what an order that is none names beside them is left out.
    nodes: usize,
}

impl InWindow<'_> {
    pub fn len(&self) -> usize {
        self.early.len() + self.rest.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.early.iter().chain(self.rest).copied().filter(|&node| (node as usize) < self.nodes)
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

    /// The blocks of a row that overlap the window. What the order names and the tree does not have never starts.
    pub fn in_window(&self, row: usize, from: i64, to: i64) -> InWindow<'a> {
        let blocks = self.row(row);
        let starts_before = |&i: &u32, t: i64| self.start.get(i as usize).is_some_and(|&start| start < t);
        let first = blocks.partition_point(|i| starts_before(i, from));
        let last = blocks.partition_point(|i| starts_before(i, to));
        let begin = self.borders.get(row).map_or(0, |&b| b as usize);
        let mut early = Vec::new();
        let mut at = 0;
        while at < first {
            let stretch = (begin + at) / REACH;
            let next = ((stretch + 1) * REACH - begin).min(first);
            if self.reach.get(stretch).is_none_or(|&end| end > from) {
                let runs = |&&i: &&u32| self.end.get(i as usize).is_some_and(|&end| end > from);
                early.extend(blocks[at..next].iter().filter(runs));
            }
            at = next;
        }
        let nodes = self.start.len().min(self.end.len());
        InWindow { early, rest: &blocks[first..last.max(first)], nodes }
    }
}
