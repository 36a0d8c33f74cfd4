//! Sums over any range of nodes in constant time and almost no space: a cumulative total is kept for every
//! [`BLOCK`] nodes, and the few values between a block's border and the range's border are added one by one.
//!
//! Additions wrap, so a sum that fits is right even where the cumulative total before it does not fit, and damaged
//! values cannot stop the program.

use std::ops::Range;

use rayon::prelude::*;

/// Nodes per block.
pub const BLOCK: usize = 64;

/// Cumulative totals at block borders: `total[b]` is the sum of the values of the nodes `0..b * BLOCK`.
#[derive(Clone, Copy, Debug)]
pub struct Sums<'a> {
    total: &'a [i64],
}

impl<'a> Sums<'a> {
    /// Borrows totals made by [`block_sums`].
    pub fn new(total: &'a [i64]) -> Self {
        Sums { total }
    }

    /// Sum of `value(i)` over the range.
    #[inline]
    pub fn over(&self, range: Range<usize>, value: impl Fn(usize) -> i64) -> i64 {
        let first = range.start.div_ceil(BLOCK);
        let last = range.end / BLOCK;
        if first >= last || last >= self.total.len() {
            return add(range, value);
        }
        let head = add(range.start..first * BLOCK, &value);
        let tail = add(last * BLOCK..range.end, &value);
        head.wrapping_add(self.total[last]).wrapping_sub(self.total[first]).wrapping_add(tail)
    }
}

/// Cumulative totals of `value(i)` for `i` in `0..n` at block borders.
pub fn block_sums(n: usize, value: impl Fn(usize) -> i64 + Sync) -> Vec<i64> {
    let blocks = n.div_ceil(BLOCK);
    let mut total: Vec<i64> = Vec::with_capacity(blocks + 1);
    total.push(0);
    total.par_extend(
        (0..blocks)
            .into_par_iter()
            .with_min_len(64)
            .map(|b| add(b * BLOCK..((b + 1) * BLOCK).min(n), &value)),
    );
    for b in 1..total.len() {
        total[b] = total[b].wrapping_add(total[b - 1]);
    }
    total
}

#[inline]
fn add(range: Range<usize>, value: impl Fn(usize) -> i64) -> i64 {
    range.fold(0, |sum, i| sum.wrapping_add(value(i)))
}
