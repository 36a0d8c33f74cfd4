//! Columns by node and place: one value for each node at each place, such as the time that a call site took on each rank.
//!
//! Values lie place by place, so one place is a slice, and a place that nobody asks for is never read. Beside them lie the
//! sums of each 64 nodes of a place, of each 64 of these, and so on: what a subtree, which is a range of nodes, took at a
//! place is found in a few hundred steps whatever its size, and a picture costs its visible nodes × its places.
//!
//! The sums are not cumulative: one value that is not available (NaN) or huge spoils the ranges that hold it, and no others.

use std::ops::Range;

use rayon::prelude::*;

use crate::column::{Column, ColumnMut, Value};
use crate::error::RunError;

/// Nodes per sum, and sums per sum above.
const FAN: usize = 64;

/// The ending of the part that holds the sums.
pub(crate) const SUMS: &str = "-sums";

/// A value that can be added up.
pub trait Summed: Value {
    /// Nothing.
    const ZERO: Self;

    /// The sum of two.
    fn plus(self, other: Self) -> Self;
}

impl Summed for i64 {
    const ZERO: i64 = 0;

    #[inline]
    fn plus(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }
}

impl Summed for f64 {
    const ZERO: f64 = 0.0;

    #[inline]
    fn plus(self, other: f64) -> f64 {
        self + other
    }
}

fn total<T: Summed>(values: &[T]) -> T {
    values.iter().fold(T::ZERO, |sum, &value| sum.plus(value))
}

/// Sums for each place: of all levels, the finest first. A level of 64 or fewer is looked at value by value.
fn sums_per_place(nodes: usize) -> usize {
    let mut count = 0;
    let mut level = nodes;
    while level > FAN {
        level = level.div_ceil(FAN);
        count += level;
    }
    count
}

/// A column by node and place that is being filled; it starts as zeros.
#[derive(Debug)]
pub struct ByPlaceMut<T> {
    pub(crate) values: ColumnMut<T>,
    pub(crate) sums: ColumnMut<T>,
    nodes: usize,
    pub(crate) places: usize,
}

impl<T: Summed> ByPlaceMut<T> {
    pub(crate) fn new(
        nodes: usize,
        places: usize,
        column: impl Fn(&str, usize) -> Result<ColumnMut<T>, RunError>,
    ) -> Result<Self, RunError> {
        // What no memory can hold is refused like a column of that size.
        let rows = |per_place: usize| per_place.saturating_mul(places);
        let values = column("", rows(nodes))?;
        let sums = column(SUMS, rows(sums_per_place(nodes)))?;
        Ok(ByPlaceMut { values, sums, nodes, places })
    }

    /// The values of all nodes at a place.
    pub fn place_mut(&mut self, place: u32) -> &mut [T] {
        let from = place as usize * self.nodes;
        &mut self.values[from..from + self.nodes]
    }

    /// The values of all places, to be filled in parallel.
    pub fn places_mut(&mut self) -> impl IndexedParallelIterator<Item = &mut [T]> {
        self.values.par_chunks_exact_mut(self.nodes.max(1))
    }

    /// Adds up what was filled in.
    pub(crate) fn fill_sums(&mut self) {
        let per_place = sums_per_place(self.nodes);
        if per_place == 0 {
            return;
        }
        let values = self.values.par_chunks_exact(self.nodes);
        values.zip(self.sums.par_chunks_exact_mut(per_place)).for_each(|(values, sums)| fill(values, sums));
    }
}

/// The sums of one place.
fn fill<T: Summed>(values: &[T], sums: &mut [T]) {
    let mut rest = sums;
    let mut below: &[T] = values;
    while below.len() > FAN {
        let (level, above) = rest.split_at_mut(below.len().div_ceil(FAN));
        for (sum, block) in level.iter_mut().zip(below.chunks(FAN)) {
            *sum = total(block);
        }
        below = level;
        rest = above;
    }
}

/// A column by node and place of an existing run.
#[derive(Debug)]
pub struct ByPlace<T> {
    values: Column<T>,
    sums: Column<T>,
    nodes: usize,
    places: usize,
}

impl<T: Summed> ByPlace<T> {
    /// `None` when values and sums do not fit together.
    pub(crate) fn new(values: Column<T>, sums: Column<T>, places: u64) -> Option<Self> {
        let places = usize::try_from(places).ok()?;
        let nodes = values.len().checked_div(places).unwrap_or(0);
        let fits = nodes.checked_mul(places) == Some(values.len())
            && sums_per_place(nodes).checked_mul(places) == Some(sums.len());
        fits.then_some(ByPlace { values, sums, nodes, places })
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes
    }

    /// Number of places.
    pub fn place_count(&self) -> usize {
        self.places
    }

    /// The values of all nodes at a place; none where there is no such place.
    pub fn place(&self, place: u32) -> &[T] {
        slice(&self.values, place, self.places, self.nodes)
    }

    /// What a range of nodes, such as a subtree, adds up to at a place. Nodes that are not there add nothing.
    pub fn sum(&self, nodes: Range<usize>, place: u32) -> T {
        let values = self.place(place);
        let sums = slice(&self.sums, place, self.places, sums_per_place(self.nodes));
        sum(values, sums, nodes)
    }

    /// The same at each of some places.
    pub fn sums(&self, nodes: Range<usize>, places: Range<u32>, out: &mut [T]) {
        for (place, out) in places.zip(out) {
            *out = self.sum(nodes.clone(), place);
        }
    }
}

fn slice<T>(all: &[T], place: u32, places: usize, per_place: usize) -> &[T] {
    let place = place as usize;
    if place < places { &all[place * per_place..(place + 1) * per_place] } else { &[] }
}

/// Whole blocks by their sums, what sticks out on both sides value by value; then the same one level up.
fn sum<T: Summed>(values: &[T], sums: &[T], range: Range<usize>) -> T {
    let (mut level, mut rest) = (values, sums);
    let mut to = range.end.min(level.len());
    let mut from = range.start.min(to);
    let mut sum = T::ZERO;
    loop {
        let (first, last) = (from.div_ceil(FAN), to / FAN);
        if first >= last || level.len() <= FAN {
            return sum.plus(total(&level[from..to]));
        }
        sum = sum.plus(total(&level[from..first * FAN])).plus(total(&level[last * FAN..to]));
        (level, rest) = rest.split_at(level.len().div_ceil(FAN));
        (from, to) = (first, last);
    }
}
