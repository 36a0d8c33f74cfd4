//! Lost time as pictures draw it: by cause, who lost it when, coarsened to what can be seen.

use crosscut_workbench::{Found, Span};

/// Equal cells of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Where the first one begins.
    pub from: f64,
    /// Width of each.
    pub cell: f64,
    /// How many.
    pub count: usize,
}

impl Steps {
    /// The cells that a span overlaps, each with its overlap.
    fn overlaps(self, Span(start, end): Span) -> impl Iterator<Item = (usize, f64)> {
        let at = |time: f64| ((time - self.from) / self.cell).clamp(0.0, self.count as f64);
        let (first, last) = (at(start).floor() as usize, at(end).ceil() as usize);
        (first..last).map(move |i| {
            let left = self.from + i as f64 * self.cell;
            (i, (end.min(left + self.cell) - start.max(left)).max(0.0))
        })
    }
}

/// Time lost in each cell, summed over all who lost it: one list for each loss that lost anything there, by its index.
pub fn over_time(found: &Found, steps: Steps) -> Vec<(usize, Vec<f64>)> {
    let mut lists = Vec::new();
    for (i, lost) in found.lost.iter().enumerate() {
        let mut cells = vec![0.0; steps.count];
        for &(_, span) in &lost.stretches {
            for (cell, time) in steps.overlaps(span) {
                cells[cell] += time;
            }
        }
        if cells.iter().any(|&time| time > 0.0) {
            lists.push((i, cells));
        }
    }
    lists
}

/// Time that a row lost to one cause, as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// The row.
    pub row: usize,
    /// When.
    pub span: Span,
    /// Index of the loss.
    pub lost: usize,
}

/// A cell is drawn as lost when at least this share of it is.
const SEEN: f64 = 0.25;

/// What the rows lost within some cells of time. Stretches of a cell or more are as they were; of shorter ones the cause
/// that takes most of a cell gets it, so that there are never more than two patches for a cell of a row.
pub fn patches(found: &Found, row: impl Fn(u32) -> Option<usize>, steps: Steps) -> Vec<Patch> {
    let window = Span(steps.from, steps.from + steps.cell * steps.count as f64);
    let mut patches = Vec::new();
    let mut short: Vec<(usize, usize, usize, f64)> = Vec::new();
    for (lost, stretches) in found.lost.iter().map(|lost| &lost.stretches).enumerate() {
        for &(place, Span(start, end)) in stretches {
            let span = Span(start.max(window.0), end.min(window.1));
            let Some(row) = row(place).filter(|_| span.1 > span.0) else { continue };
            if end - start >= steps.cell {
                patches.push(Patch { row, span, lost });
            } else {
                short.extend(steps.overlaps(span).map(|(cell, time)| (row, cell, lost, time)));
            }
        }
    }
    short.sort_by_key(|&(row, cell, lost, _)| (row, cell, lost));
    let mut last: Option<(usize, usize)> = None;
    for cell in short.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let by_cause = cell.chunk_by(|a, b| a.2 == b.2);
        let sums = by_cause.map(|same| (same[0].2, same.iter().map(|part| part.3).sum::<f64>()));
        let Some((lost, time)) = sums.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        if time < SEEN * steps.cell {
            continue;
        }
        let (row, at) = (cell[0].0, cell[0].1);
        let span = Span(steps.from + at as f64 * steps.cell, steps.from + (at + 1) as f64 * steps.cell);
        match patches.last_mut() {
            Some(patch) if last == Some((row, at)) && patch.lost == lost => patch.span.1 = span.1,
            _ => patches.push(Patch { row, span, lost }),
        }
        last = Some((row, at + 1));
    }
    patches
}

#[cfg(test)]
mod tests {
    use crosscut_scene::Fill;
    use crosscut_workbench::Lost;

    use super::*;

    fn found(losses: &[&[(u32, f64, f64)]]) -> Found {
        let lost = |stretches: &&[(u32, f64, f64)]| Lost {
            spent: false,
            number: None,
            cause: "x",
            what: String::new(),
            line: None,
            cost: 0.0,
            hatch: (Fill::Dots, 0),
            stretches: stretches.iter().map(|&(place, from, to)| (place, Span(from, to))).collect(),
        };
        Found { lost: losses.iter().map(lost).collect(), ..Found::default() }
    }

    #[test]
    fn cells_add_up_to_what_was_lost_in_the_window() {
        let found = found(&[&[(0, 0.0, 5.0), (1, 3.0, 9.0)], &[(0, 20.0, 30.0)]]);
        let steps = Steps { from: 2.0, cell: 2.0, count: 4 };
        assert_eq!(over_time(&found, steps), [(0, vec![3.0, 3.0, 2.0, 1.0])]);
    }

    #[test]
    fn short_stretches_share_their_cell() {
        let steps = Steps { from: 0.0, cell: 10.0, count: 5 };
        let all = found(&[
            &[(7, 0.0, 3.0), (7, 5.0, 6.0), (7, 12.0, 19.0), (7, 20.0, 50.0)],
            &[(7, 3.0, 5.0), (7, 11.0, 12.0), (3, 0.0, 2.0)],
        ]);
        let row = |place: u32| (place == 7).then_some(1);
        let long = Patch { row: 1, span: Span(20.0, 50.0), lost: 0 };
        let short = Patch { row: 1, span: Span(0.0, 20.0), lost: 0 };
        assert_eq!(patches(&all, row, steps), [long, short]);
        // A fifth of a cell is not seen.
        assert_eq!(patches(&found(&[&[(7, 0.0, 2.0)]]), row, steps), []);
    }
}
