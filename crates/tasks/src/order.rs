//! The order in time: all blocks (intervals and collapsed nodes) by row and start. A row is a worker; the row after the
//! last worker holds blocks that several workers ran.

use crosscut_run::Places;
use crosscut_run::tasks::TaskWriter;

/// The rows of all places, for passes that ask for many.
pub struct Rows {
    of: Vec<u16>,
    count: usize,
}

impl Rows {
    pub fn new(places: &Places) -> Self {
        let of = (0..places.len() as u16).map(|place| row(places, place) as u16).collect();
        Rows { of, count: places.worker_count() + 1 }
    }

    /// The workers, and one more for several.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether there is such a place.
    #[inline]
    pub fn has(&self, place: u16) -> bool {
        (place as usize) < self.of.len()
    }

    /// The row of a place.
    #[inline]
    pub fn of(&self, place: u16) -> usize {
        self.of.get(place as usize).map_or(self.count - 1, |&row| row as usize)
    }
}

/// Where each row begins, given how many blocks it has; one more entry than rows.
pub fn row_borders(blocks: &[usize]) -> Vec<usize> {
    let mut borders = vec![0];
    for count in blocks {
        borders.push(borders[borders.len() - 1] + count);
    }
    borders
}

/// The row of a place.
#[inline]
pub fn row(places: &Places, place: u16) -> usize {
    places.worker(place).unwrap_or(places.worker_count())
}

/// Blocks per bucket, about.
const BUCKET: usize = 4;
/// Blocks of a bucket that are put into order one by one.
const FEW: usize = 24;

/// The buckets of a row: time is cut into equal ones of a power of two, so that finding one takes no division.
struct Buckets {
    first: usize,
    shift: u32,
}

/// Fills the order: `order[borders[r]..borders[r + 1]]` are the blocks of row r by start; of those that start at once, the
/// one that ends first comes first. All times are below `elapsed`.
///
/// Each block goes to its bucket, and what is left to sort fits into the nearest cache unless all happens at once.
pub fn fill_order(tasks: &TaskWriter, rows: &Rows, borders: &[usize], order: &mut [u32]) {
    let (len, place) = (&tasks.len[..], &tasks.place[..]);
    let (start, end) = (&tasks.start[..], &tasks.end[..]);
    let elapsed = end[0].max(1) as u64;
    let mut count = 0;
    let mut buckets = Vec::new();
    for pair in borders.windows(2) {
        let width = elapsed / ((pair[1] - pair[0]) / BUCKET + 1) as u64 + 1;
        let shift = width.next_power_of_two().trailing_zeros();
        buckets.push(Buckets { first: count, shift });
        count += (elapsed >> shift) as usize + 1;
    }
    let bucket = |i: usize| {
        let Buckets { first, shift } = buckets[rows.of(place[i])];
        first + ((start[i].max(0) as u64).min(elapsed) >> shift) as usize
    };
    let blocks = || (0..len.len()).filter(|&i| len[i] == 1);
    let mut next = vec![0u32; count + 1];
    for i in blocks() {
        next[bucket(i) + 1] += 1;
    }
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    for i in blocks() {
        let slot = &mut next[bucket(i)];
        order[*slot as usize] = i as u32;
        *slot += 1;
    }
    // Now each entry is the end of its bucket.
    let mut from = 0;
    for &to in &next[..count] {
        let bucket = &mut order[from..to as usize];
        from = to as usize;
        sort(bucket, |i| (start[i as usize], end[i as usize]));
    }
}

/// Sorts a bucket; equal ones stay as they are.
#[inline]
fn sort(bucket: &mut [u32], time: impl Fn(u32) -> (i64, i64)) {
    if bucket.len() > FEW {
        return bucket.sort_by_key(|&i| time(i));
    }
    for at in 1..bucket.len() {
        let block = bucket[at];
        let key = time(block);
        let mut to = at;
        while to > 0 && time(bucket[to - 1]) > key {
            bucket[to] = bucket[to - 1];
            to -= 1;
        }
        bucket[to] = block;
    }
}

/// Blocks per entry of the reach: the largest end in each stretch of the order. A collapsed node may run for long while its
/// worker starts and ends other blocks, so the order by start alone does not tell what is still running.
pub const REACH: usize = 256;

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
