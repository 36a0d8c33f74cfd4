//! The order in time: all blocks (intervals and collapsed nodes) by row and start. A row is a worker; the row after the
//! last worker holds blocks that several workers ran.

use std::ops::Range;

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
    // Pre-order is nearly the order in time on one worker: a sort that uses existing runs is almost linear here.
    rows.into_par_iter().for_each(|row| row.sort_by_key(|&i| start[i as usize]));
}

/// The part of a row's blocks that may overlap `from..to`.
pub fn overlapping(order: &[u32], start: &[i64], end: &[i64], from: i64, to: i64) -> Range<usize> {
    let first = order.partition_point(|&i| start[i as usize] < from);
    let last = order.partition_point(|&i| start[i as usize] < to);
    // Blocks of one worker do not overlap, so at most one that started earlier is still running; several may be when
    // collapsed nodes were nested, so step back as long as they reach in.
    let mut begin = first;
    while begin > 0 && end[order[begin - 1] as usize] > from {
        begin -= 1;
    }
    begin..last
}
